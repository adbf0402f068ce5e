// cd_separate2 -- the separating edge of two convex polygons over a step: cd_separate3.h, which see, in the plane.
//
// Separators are the edges of both. Of edges that are equally good within `tie` the longer one is chosen, then
// the lower number in the order of cd_polygon_in_order. Inner edges (cd_seam2.h) are left out wherever another one will
// do. Cost: O(n m) a pose. Exchanging a and b exchanges the sides of
// the result and changes no other bit (polygons with identical vertices aside).
// SPDX-License-Identifier: MIT
#ifndef CD_SEPARATE2_H
#define CD_SEPARATE2_H

#include "cd_seam2.h"

typedef struct cd_separator2 {
    bool is_of_b;
    int32_t edge;  // of its owner; -1: none, farther apart than reach
} cd_separator2;

typedef struct cd_separate2_pose {
    cd_polygon a, b;
} cd_separate2_pose;

typedef struct cd_separating2 {
    cd_separator2 separator;
    double bound;  // [m] <= 0; below 0 the polygons overlap at q_0 by more than the tolerance: their gap there
    // Where they overlap at a trial q_k, or are `near` there and apart by more along it: the edge best there, if it is
    // another one; else edge -1.
    cd_separator2 entered;
    bool is_inner;  // the separator is an inner one, for want of another
} cd_separating2;

// What of a choice hangs on q_0 and q_pred alone: cd_separate3_known.
typedef struct cd_separate2_known {
    bool is_known;
    double nearest;         // [m] separation at q_pred; beyond reach that at q_0, if it is within
    cd_separating2 choice;  // but for `entered`
} cd_separate2_known;

typedef struct cd_separate2_input {
    cd_separate2_pose start, predicted, current;  // q_0, q_pred, q_k; equal vertex pointers where a body does not move
    double reach;                                 // [m] closed: equal counts as within
    double slack;                                 // [m] how far the predicted edge may be behind at the start
    double tolerance;                             // [m] >= 0 of the separation at the start
    double tie;                                   // [m] >= 0 edges that differ by no more are equally good
    bool at_start;                                // the edge best at q_0, without asking q_pred
    const cd_seams2 *seams;                       // NULL: both polygons stand alone
    cd_separate2_known *known;                    // NULL: nothing is kept; with seams nothing is either
    double near;                                  // [m] >= 0 of the separation at q_k, for `entered`
} cd_separate2_input;

// Scratch memory is given back.
cd_separating2 cd_separate2_choose(const cd_separate2_input *input, cd_arena *scratch);

// The least signed distance of the other polygon from the edge's line at a pose [m].
double cd_separator2_separation(const cd_separator2 *separator, cd_separate2_pose pose);

#endif
