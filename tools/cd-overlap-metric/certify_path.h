// certify_path -- the whole motion of a step: how near two parts come on the way from `body` to `next`, with a proof.
//
// The motion of a body over the share t = 0..1 of the step: its position goes along a straight line; in the plane its
// rotation goes evenly; in space it turns evenly about the axis of d = next conj(start), by the angle 2 atan2(|(x, y,
// z)|, w) of d, 0 .. 2 pi. This is what cd-step's state_at gives for turns of less than that.
//
// A certificate is a list of intervals of t that cover 0..1, each with a plane that is carried with one of the two
// bodies. In that body's frame a point v of the other moves along y(t), and is never farther from its chord over an
// interval of length l than l^2/8 max|y''|. It is enough to look at corners, and at the centre of a ball: a margin
// around them is the same whichever way the body is turned. So where both ends of the interval keep the other part at a
// distance g of the plane, it keeps g less that all through.
//   apart: g less that is above 0, beyond rounding.
//   touching: it is not, but the parts never overlap by more than `depth`, which is small against them.
//   overlapping: they never overlap by more than `depth`; no better bound was found.
// SPDX-License-Identifier: MIT
#ifndef CERTIFY_PATH_H
#define CERTIFY_PATH_H

#include "certify_pair.h"
#include "overlap_stage.h"

typedef struct certify_interval {
    int32_t a, b, part_a, part_b;  // as in cd_overlap_certificate
    double begin, end;             // shares of the step, dyadic numbers
    int32_t label;                 // CD_LABEL_...
    int32_t side;                  // CD_SIDE_A, CD_SIDE_B: whose body carries the plane
    cd_vec3 normal;                // in that body's frame, from a to b, of any length
    double depth;                  // [m] >= 0; of apart ones NaN
} certify_interval;

typedef struct certify_path {
    int32_t count;
    const certify_interval *interval;  // in the order of pairs, then of time
    int32_t pairs[CD_LABEL_COUNT];     // pairs by the worst label of their intervals
    int32_t open;                      // pairs of two halfspaces of which one moves
    double depth;                      // [m] the largest; 0 where all are apart
} certify_path;

// Of all parts whose bodies could come near: boxes around the balls that they turn in meet. @owns arena
certify_path certify_path_frame(cd_arena *arena, const cd_overlap_input *input);

#endif
