// broad_stage -- one frame of cd-broad: bodies in, tables `bounds` and `pair` out.
// SPDX-License-Identifier: MIT
#ifndef BROAD_STAGE_H
#define BROAD_STAGE_H

#include "broad_method.h"
#include "cd_bodies.h"

typedef struct cd_broad_options {
    const char *method;  // of cd_broad_method_names
    double margin;       // [m] >= 0, beyond half the reach on every side of a box
    double reach;        // [m] NaN: head.reach, else the automatic one
    const char *group;   // "A:B", NULL: all bodies
    bool use_bounds;     // take the stream's bounds as they are
    bool no_sweep;       // boxes of the start pose alone
} cd_broad_options;

// CD_ERR_USAGE when `group` is not two names with a colon between.
cd_status cd_broad_check_options(const cd_broad_options *options, cd_diag *diag) CD_MUST_CHECK;

// leaves: of all shapes; not looked at with use_bounds, which works in two and three dimensions.
// Tables and *ran (the method that ran) are for the caller; memory from the arena.
cd_status cd_broad_frame(cd_arena *arena, const cd_model *in, const cd_leaves2 *leaves, const cd_broad_options *options,
                         cd_model *out, const char **ran, cd_diag *diag) CD_MUST_CHECK;

#endif
