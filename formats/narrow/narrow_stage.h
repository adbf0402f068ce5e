// narrow_stage -- one frame of cd-narrow: bodies and pairs in, table `contact` out.
// SPDX-License-Identifier: MIT
#ifndef NARROW_STAGE_H
#define NARROW_STAGE_H

#include "cd_pinballs.h"
#include "cd_surface.h"
#include "narrow_mode.h"

typedef struct cd_narrow_options {
    const char *contacts;      // of cd_narrow_mode_names; the frame's wish overrides it
    double reach;              // [m] NaN: head.reach, else the automatic one of each pair
    double epsilon;            // [m] NaN: that of cd_length.h
    const char *intersection;  // of cd_narrow_intersection_names
    bool keep_rejected;
    const char *smooth_edges, *side;  // of cd_narrow_smoothing_names, cd_narrow_side_names
    double crease;                    // [rad]
    double weld;                      // [m]
    bool true_gap;                    // features: two ellipsoids by their signed distance
    bool warm;                        // two ellipsoids from the lambda of the frame before
    const char *pinball_normal;       // of cd_narrow_pinball_normals
} cd_narrow_options;

// What lasts for the run. elements and pinballs are empty where the head has none.
typedef struct cd_narrow_stage {
    const cd_narrow_options *options;
    cd_leaves shapes;  // prepared
    cd_elements elements;
    cd_pinballs pinballs;
    const cd_refs *refs;  // of the input
    int threads;
    bool has_begun;                       // a frame was seen
    bool has_told_faults;                 // of surfaces (narrow_surface_report.h)
    struct cd_narrow_surfaces *surfaces;  // narrow_surface.h; NULL: made anew for each frame
    struct cd_narrow_memory *memory;      // narrow_known.h; NULL: each frame by itself, which gives the same
    struct cd_narrow_lambdas *lambdas;    // narrow_ellipsoids.h; NULL: each frame by itself
} cd_narrow_stage;

typedef struct cd_narrow_counts {
    const cd_narrow_mode *mode;  // that ran
    int32_t contacts;            // rows that are not of status outside
    int32_t rejected;            // status outside, kept or not
    double reach;                // [m] cd_reach_most
    bool has_surfaces;           // a part is in a pair with a surface, and has contacts of it
    cd_surface_faults faults;    // then: of all surfaces of the run
} cd_narrow_counts;

// Fails on options that contradict one another: a usage error.
cd_status cd_narrow_check_options(const cd_narrow_options *options, cd_diag *diag) CD_MUST_CHECK;

// Fields of `body` (CD_FIELD_BIT) that cd_narrow_frame will not look at: how bodies move, where neither predicted poses
// nor an automatic reach are asked for. Of `in`, head and frame must be there.
uint64_t cd_narrow_unread(const cd_model *in, const cd_narrow_options *options);

// Contacts in canonical order: (body id a, part a, body id b, part b), then features; ids from 0. Pairs may come in
// any order and with either side first; the same pair twice counts once, pairs of bodies that take no part are left
// out. Memory from the arena. Threads change nothing in the result; the plane uses one.
cd_status cd_narrow_frame(cd_arena *arena, const cd_narrow_stage *stage, const cd_model *in, cd_contact_rows *out,
                          cd_narrow_counts *counts, cd_diag *diag) CD_MUST_CHECK;

void cd_narrow_close(cd_narrow_stage *stage);  // gives back what lasted for the run; NULL: nothing

#endif
