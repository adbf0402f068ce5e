// cd_shapes -- what a run knows of its shapes: the leaves of all of them, and in space what these are prepared to.
//
// For stages of both dimensions that measure parts against each other. One that knows more of its shapes (seams, drawn
// edges) makes that from the same two.
// SPDX-License-Identifier: MIT
#ifndef CD_SHAPES_H
#define CD_SHAPES_H

#include "cd_leaves.h"
#include "cd_solid3.h"

typedef struct cd_shapes {
    cd_leaves leaves;
    cd_solids3 solids;  // dim 3
} cd_shapes;

// Head tables only: call it once a run. Threads change nothing in the result. Errors of cd_leaves_make and
// cd_solids3_make. @owns arena
cd_status cd_shapes_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, int threads, cd_shapes *shapes,
                         cd_diag *diag) CD_MUST_CHECK;

#endif
