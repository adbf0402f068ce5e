// step_gaps -- do the bodies stay apart over the step? The signed gap of every pair of parts that could meet, exact at
// any pose along the step, whatever contacts the stages before listed.
//
// Looked at are all pairs of parts of different bodies, one of them dynamic, whose boxes over the step from the start to
// the end meet: not only the candidate pairs, which a broad phase found with poses of its own.
//
// A pair that starts with an overlap cannot be asked to be free of it at once. Its bound is the gap at the start, so
// that an overlap never grows; all other pairs have the bound 0. (The spec of the separating model, step 2.)
// SPDX-License-Identifier: MIT
#ifndef STEP_GAPS_H
#define STEP_GAPS_H

#include "cd_gap2.h"
#include "cd_gap3.h"
#include "cd_leaves.h"
#include "step_bodies.h"

// Of a run. @owns run arena
typedef struct cd_step_shapes {
    cd_leaves leaves;
    cd_solids3 solids;  // dim 3
} cd_step_shapes;

cd_status cd_step_shapes_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, cd_step_shapes *shapes,
                              cd_diag *diag) CD_MUST_CHECK;

// The least of (gap - bound) over all pairs [m] when the bodies are where cd_step_state_at puts them; infinite when no
// pair can meet. Kinds of parts without a routine (two half-spaces) are left out, as contacts of them cannot be found
// either; overlapping ellipsoids whose depth is unknown count as minus the characteristic length. Cost: O(n log n) for
// boxes, about a microsecond to some ten a pair. The same for every thread count.
typedef struct cd_step_gaps {
    const cd_step_bodies *bodies;
    const cd_step_shapes *shapes;
    int threads;
    cd_arena *arena;
} cd_step_gaps;

cd_status cd_step_gaps_check(const cd_step_gaps *gaps, cd_diag *diag) CD_MUST_CHECK;  // shapes and poses are there
double cd_step_least_gap(const cd_step_gaps *gaps, double share);
// The least over several shares at once, pairs found once.
double cd_step_least_gap_of(const cd_step_gaps *gaps, const double *share, int count);

#endif
