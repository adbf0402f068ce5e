// why_frame -- a run and a frame of it as who explains a pair looks at them: tables with their defaults, the options
// that the stages were run with, and what boxes, reach and poses are by them.
//
// cd_why_run_make, once, when the head is complete -> cd_why_frame_make, of each frame that is looked at.
// SPDX-License-Identifier: MIT
#ifndef WHY_FRAME_H
#define WHY_FRAME_H

#include "cd_bodies.h"
#include "cd_reach.h"
#include "narrow_stage.h"
#include "peg_stage.h"

// Of the options of cd-broad those that decide which boxes overlap.
typedef struct cd_why_broad {
    double reach;   // [m] NaN: head.reach, else automatic
    double margin;  // [m]
    bool no_sweep, uses_bounds, is_of_spheres;
    const char *group;  // "A:B"; NULL
} cd_why_broad;

typedef struct cd_why_run {
    const cd_model *head;
    const cd_refs *refs;
    int threads;
    cd_elements elements;
    cd_why_broad broad;
    cd_narrow_options narrow_options;
    cd_narrow_stage narrow;
    cd_peg_options peg_options;
    cd_peg_stage peg;
    const char *peg_fault;  // why rows cannot be made of this head; NULL: they can
} cd_why_run;

// CD_ERR_FORMAT for shapes that no stage could work with, and for options in `prog` that a stage does not know. All but
// `run` itself @owns arena; head and refs are borrowed.
cd_status cd_why_run_make(cd_arena *arena, const cd_model *head, const cd_refs *refs, int threads, cd_why_run *run,
                          cd_diag *diag) CD_MUST_CHECK;
// Does `prog` name the tool?
bool cd_why_run_has(const cd_why_run *run, const char *tool);
// "--reach=0.01" of the last record of the tool; NULL: it was not given.
const char *cd_why_option(const cd_why_run *run, const char *tool, const char *name);

typedef struct cd_why_frame {
    const cd_why_run *run;
    cd_arena *arena;
    cd_model in;                          // of the head and of the frame, with defaults
    double step;                          // [s] 0: nothing moves
    cd_reach reach, boxes_reach;          // of cd-narrow; that boxes grow by
    const int32_t *trial_row, *next_row;  // of cd_bodies.h
    cd_placed_elements elements;
} cd_why_frame;

// frame: its tables as they were read. @owns arena
cd_status cd_why_frame_make(cd_arena *arena, const cd_why_run *run, const cd_model *tables, cd_why_frame *frame,
                            cd_diag *diag) CD_MUST_CHECK;

// Did the stage of this rank, or one behind it, look at the frame? The last frame of a run has its bodies alone.
bool cd_why_ran(const cd_why_frame *frame, cd_rank rank);
// What to say of a table that the frame does not have, where its stage did not run: "cd-narrow makes them". @owns arena
const char *cd_why_missing(cd_arena *arena, const cd_why_frame *frame, const char *tool, const char *makes);

int32_t cd_why_parts(const cd_why_frame *frame, int32_t body);  // 0: it has none
// The boxes of all parts of a body that takes part, dim numbers each, as cd-broad makes them. @owns frame->arena
typedef struct cd_why_boxes {
    const double *min, *max;  // [m]
} cd_why_boxes;
cd_why_boxes cd_why_boxes_of(const cd_why_frame *frame, int32_t body);
// [m] The most that two boxes are apart along an axis; <= 0: they overlap.
double cd_why_boxes_apart(int dim, const double *min_a, const double *max_a, const double *min_b, const double *max_b);

// Why cd-broad pairs no part of one body with one of the other, however near; NULL: it does. @owns arena
const char *cd_why_excluded(cd_arena *arena, const cd_why_frame *frame, int32_t a, int32_t b);

// The lengths that count as equal [m].
double cd_why_tolerance(const cd_why_frame *frame);

#endif
