// step_gaps -- do the bodies stay apart over the step? The signed gap of every pair of parts that could meet, exact at
// any pose along the step, whatever contacts the stages before listed.
//
// Looked at are all pairs of parts of different bodies, one of them dynamic, whose boxes over the step from the start
// to the end meet: not only the candidate pairs, which a broad phase found with poses of its own.
//
// A pair that starts with an overlap cannot be asked to be free of it at once. Its bound is the gap at the start, so
// that an overlap never grows; all other pairs have the bound 0, to 2^-50 of the parts' extents, which is touching.
// Curved bodies can overlap by a depth that no routine can tell: such a pair counts as the characteristic length deep,
// so that one that starts so may stay so.
// SPDX-License-Identifier: MIT
#ifndef STEP_GAPS_H
#define STEP_GAPS_H

#include "cd_pair2.h"
#include "cd_pair3.h"
#include "cd_leaves.h"
#include "step_bodies.h"

typedef struct cd_step_gaps {
    const cd_step_bodies *bodies;
    const cd_leaves *shapes;
    int threads;
    cd_arena *arena;  // scratch, given back
} cd_step_gaps;

cd_status cd_step_gaps_check(const cd_step_gaps *gaps, cd_diag *diag) CD_MUST_CHECK;  // shapes and poses are there

// The least of (gap - bound) over all pairs [m] at the end of the step, where cd_step_state_at puts the bodies;
// infinite when no pair can meet. Kinds of parts without a routine (two half-spaces, ellipses of the plane) are left
// out, as contacts of them cannot be found either. The same for every thread count. Cost: O(n log n) for boxes, about a
// microsecond to some ten a pair.
double cd_step_gap_at_end(const cd_step_gaps *gaps);

// The same on the way: at 1/4, 1/2, 3/4 of the step; of pairs that move past each other by more than their thickness
// from one of these to the next, at more poses (up to 127), so that no part goes through another unseen. Thickness of a
// pair: the radii of balls inside both parts. Each part's ball stands about the mean of its corners.
double cd_step_gap_on_the_way(const cd_step_gaps *gaps);

#endif
