// broad_stage -- one frame of cd-broad: bodies in, tables `bounds` and `pair` out.
// SPDX-License-Identifier: MIT
#ifndef BROAD_STAGE_H
#define BROAD_STAGE_H

#include "broad_find.h"
#include "cd_elements.h"

typedef struct cd_broad_options {
    const char *method;   // of cd_broad_method_names
    double margin;        // [m] >= 0, beyond half the reach on every side of a box
    double reach;         // [m] NaN: head.reach, else the automatic one
    const char *group;    // "A:B", NULL: all bodies
    bool use_bounds;      // take the stream's bounds as they are
    bool no_sweep;        // boxes of the start pose alone
    const char *cell;     // a length [m], or auto: chosen by the method
    int64_t cutoff;       // 0: the method's default
    const char *vector;   // of cd_broad_vector_names
    const char *overlap;  // of cd_broad_overlap_names
    const char *bounds;   // of cd_broad_bounds_names
} cd_broad_options;

// What bodies can be made of, and where nodes are found.
typedef struct cd_broad_parts {
    cd_leaves leaves;  // of all shapes
    cd_elements elements;
    const cd_refs *refs;
} cd_broad_parts;

extern const char *const cd_broad_overlap_names[];  // box, sphere; NULL-ended
extern const char *const cd_broad_bounds_names[];   // all, moving, none; NULL-ended
extern const char *const cd_broad_vector_names[];   // by cd_vector_level, NULL-ended
cd_broad_tuning cd_broad_tuning_of(const cd_broad_options *options, int threads);

// A fixed body of many parts, whose boxes are kept as long as nothing they depend on changes, and what that is.
typedef struct cd_broad_kept {
    cd_region min, max, ball;  // of all items
    bool is_apart;             // then the regions are of no frame
    int32_t begin, end;        // its items; begin = end: nothing is kept
    int32_t shape;
    double grow;     // [m]
    double pose[7];  // position and rotation
    uint64_t stamp;  // counts the bodies that were kept
} cd_broad_kept;

// What lasts for the run.
typedef struct cd_broad_stage {
    const cd_broad_options *options;
    cd_broad_parts parts;  // not looked at with use_bounds
    cd_broad_engine *engine;
    cd_broad_kept kept;
    bool has_frames, has_group[2];  // frames were seen; of them a body of either group of --group
} cd_broad_stage;

void cd_broad_stage_release(cd_broad_stage *stage);

// CD_ERR_USAGE when `group` is not two names with a colon between, `cell` neither a length nor auto, and for spheres of
// bounds that are the stream's own.
cd_status cd_broad_check_options(const cd_broad_options *options, cd_diag *diag) CD_MUST_CHECK;

// At the end of a stream: CD_ERR_USAGE when no body of any frame was of a group that --group names. A part of a stream
// that cd-shard made may well have none.
cd_status cd_broad_check_groups(const cd_broad_stage *stage, const cd_prog_rows *prog, cd_diag *diag) CD_MUST_CHECK;

// *bounds stays as it is with use_bounds; rows of *pair are made from memory of the arena. *ran lives as long as the
// engine.
cd_status cd_broad_frame(cd_arena *arena, cd_broad_stage *stage, const cd_model *in, cd_bounds_rows *bounds,
                         cd_parts *pair, cd_broad_ran *ran, cd_diag *diag) CD_MUST_CHECK;

#endif
