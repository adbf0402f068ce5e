// overlap_stage -- one frame of cd-overlap-metric: bodies, or where `next` puts them, in; totals and overlapping
// pairs out.
//
// Every pair of bodies that take part in the frame and are not both fixed counts, found by a sweep of its own. Parts
// of one body do not count against each other. Sums run over pairs in canonical order, so they are the same to the
// bit whatever the order of bodies.
//
// The least gap is that of all pairs, however far apart: pairs within a range are looked at, and the range is widened
// until the least gap found lies within it (a pair that was left out is farther than the range along an axis).
// SPDX-License-Identifier: MIT
#ifndef OVERLAP_STAGE_H
#define OVERLAP_STAGE_H

#include "overlap_pair.h"

typedef struct cd_overlap_of_pair {
    int32_t a, b;  // rows of `body`, a before b by id
    double area;   // [m^2] > 0
} cd_overlap_of_pair;

typedef struct cd_overlap_result {
    double overlap;      // [m^2] the sum over all pairs
    double released;     // [m^2] at the frame's start, of pairs of which a body takes part for the first time
    double gap;          // [m] the least; NaN when there is no pair that can be measured
    int32_t unmeasured;  // pairs of bodies whose boxes meet and that hold parts that cannot be measured
    int32_t pair_count;
    const cd_overlap_of_pair *pair;  // those that overlap, in canonical order
} cd_overlap_result;

// Results live in the arena.
cd_status cd_overlap_frame(cd_arena *arena, const cd_model *in, const cd_leaves *leaves, cd_overlap_result *result,
                           cd_diag *diag) CD_MUST_CHECK;

#endif
