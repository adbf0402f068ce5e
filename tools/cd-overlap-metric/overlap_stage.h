// overlap_stage -- one frame of cd-overlap-metric: bodies, or where `next` puts them, in; totals and overlapping
// pairs out.
//
// Every pair of bodies that take part in the frame and are not both fixed counts, found by a sweep of its own. Parts
// of one body do not count against each other. Sums run over pairs in canonical order, so they are the same to the
// bit whatever the order of bodies and however many threads measure.
//
// The least gap is that of all pairs, however far apart: pairs within a range are looked at, and the range is widened
// until the least gap found lies within it (a pair that was left out is farther than the range along an axis).
// SPDX-License-Identifier: MIT
#ifndef OVERLAP_STAGE_H
#define OVERLAP_STAGE_H

#include "overlap_layer.h"

// When the frame before this one was: a body released since then takes part for the first time.
typedef struct cd_overlap_clock {
    bool has_frame;
    int64_t index;   // of the frame seen last
    double time;     // [s]
    double before;   // [s] of the frame before it; NaN: not seen, it is taken to be one step earlier
} cd_overlap_clock;  // all zero before the first frame

// Call it once a frame; a frame that is there again (a round, --repeat) changes nothing.
void cd_overlap_clock_tick(cd_overlap_clock *clock, const cd_model *in);

typedef struct cd_overlap_of_pair {
    int32_t a, b;  // rows of `body`, a before b by id
    double size;   // [m^2, m^3] > 0
    double error;  // of it
} cd_overlap_of_pair;

// How two parts whose boxes meet, or are within the epsilon that the stream states, lie to each other.
typedef struct cd_overlap_certificate {
    int32_t a, b;            // rows of `body`, a before b by id
    int32_t part_a, part_b;  // numbers of their parts
    certify_result result;
} cd_overlap_certificate;

typedef struct cd_overlap_result {
    double overlap;      // [m^2, m^3] the sum over all pairs
    double error;        // of it: the sum of all pairs' errors
    double released;     // [m^2, m^3] at the frame's start, of pairs of which a body takes part for the first time
    bool has_new;        // one does
    double gap;          // [m] the least; NaN when there is no pair that can be measured
    int32_t unmeasured;  // pairs of bodies whose boxes meet and that hold parts that cannot be measured
    int32_t pair_count;
    const cd_overlap_of_pair *pair;  // those that overlap, in canonical order
    int32_t certificate_count;       // where asked for, in canonical order
    const cd_overlap_certificate *certificate;
} cd_overlap_result;

typedef struct cd_overlap_input {
    const cd_model *in;
    const cd_leaves *shapes;
    const cd_overlap_clock *clock;
    int threads;
    bool certify;  // sizes are 0 then where parts do not overlap, and above 0 where they do, exactly
} cd_overlap_input;

// Results live in the arena.
cd_status cd_overlap_frame(cd_arena *arena, const cd_overlap_input *input, cd_overlap_result *result,
                           cd_diag *diag) CD_MUST_CHECK;

#endif
