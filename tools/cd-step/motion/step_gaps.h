// step_gaps -- do the bodies end the step apart? The signed gap of every pair of parts that could meet, exact at the
// step's end, whatever contacts the stages before listed. (The way there: step_path.h.)
//
// Looked at are all pairs of cd_step_meet: not only the candidate pairs, which a broad phase found with poses of its
// own.
//
// A pair that starts with an overlap cannot be asked to be free of it at once. Its bound is the gap at the start, so
// that an overlap never grows; all other pairs have the bound 0, to the rounding of their gap, 2^-50 of the parts'
// extents and places.
// Curved bodies can overlap by a depth that no routine can tell: such a pair counts as the characteristic length deep,
// so that one that starts so may stay so.
// SPDX-License-Identifier: MIT
#ifndef STEP_GAPS_H
#define STEP_GAPS_H

#include "step_parts.h"

// What is left of gap - bound [m] at the end of the step, where cd_step_state_at puts the bodies. Below 0: too near. Of
// pairs that are clearly apart it may be less than the gap (cd_step_apart_least).
typedef struct cd_step_end_gaps {
    double least;           // over all pairs; infinite when no pair can meet
    int32_t body[2];        // of that pair, rows of `body`, by user id; -1 without one
    const double *of_body;  // by body row: the least over its pairs
    double depth;           // [1] >= 0: pairs with an ellipsoid of space end too near by at most so many times the
                            // radius of the ball that has the volume of the smaller one
} cd_step_end_gaps;

// state: by body row, CD_STATE_...; of two bodies that are held out the gap is known already, and what has failed is
// not where it will be: such pairs are left out. NULL: all are looked at. is_strict: below 0 too where the rounding of
// a gap could hide an overlap, so that what is accepted is apart when it is looked at exactly; else parts that touch at
// the start to rounding may do so at the end. The same for every thread count. Cost: about a microsecond to some ten a
// pair. @owns gaps->arena
cd_step_end_gaps cd_step_gaps_at_end(const cd_step_gaps *gaps, const cd_step_meeting *meeting, const int32_t *state,
                                     bool is_strict);

// Pairs of parts that overlap at the start of the step by more than the rounding of a bound. Cost: a gap of each pair.
typedef struct cd_step_overlaps {
    int32_t count;
    double deepest;  // [m] above 0 where there is one; a depth that is not known counts as head.length
} cd_step_overlaps;

cd_step_overlaps cd_step_overlaps_at_start(const cd_step_gaps *gaps);

#endif
