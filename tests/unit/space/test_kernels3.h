// Kernels of space in the forms that tests ask for: results by value, bodies exchanged, one way of several alone.
// SPDX-License-Identifier: MIT
#ifndef TEST_KERNELS3_H
#define TEST_KERNELS3_H

#include "cd_depth3.h"
#include "cd_distance3.h"
#include "cd_intersect3.h"
#include "cd_intersect3_pair.h"

static inline cd_signed_distance3 test_signed_distance(cd_support3 a, const cd_edges3 *edges_a, cd_support3 b,
                                                       const cd_edges3 *edges_b, const cd_simplex3 *start,
                                                       cd_arena *scratch)
{
    cd_signed_distance3 result;
    cd_support3_signed_distance_of(&a, edges_a, &b, edges_b, start, scratch, &result);
    return result;
}

// Of two polyhedra with their edges.
static inline cd_depth3 test_depth(const cd_convex3 *a, const cd_edges3 *edges_a, const cd_convex3 *b,
                                   const cd_edges3 *edges_b, cd_arena *scratch)
{
    return cd_support3_depth(cd_support3_convex(a), edges_a, cd_support3_convex(b), edges_b, scratch);
}

// a and b exchanged.
static inline cd_distance3 test_distance_flip(cd_distance3 d)
{
    cd_distance3 flipped = d;
    flipped.normal = cd_negate3(d.normal);
    flipped.point_a = d.point_b;
    flipped.point_b = d.point_a;
    for (int k = 0; k < 4; k++) {
        flipped.simplex.a[k] = d.simplex.b[k];
        flipped.simplex.b[k] = d.simplex.a[k];
    }
    return flipped;
}

// The intersection by the closed polyhedron at once, which clipping falls back on.
static inline cd_intersect3 test_intersect_cut(const cd_convex3 *a, const cd_convex3 *b, cd_arena *arena)
{
    cd_convex_pair3 pair;
    cd_ball3 ball;
    cd_intersect3 result = {.status = cd_convex_pair3_begin(a, b, &pair, &ball, arena)};
    return result.status == CD_INTERSECT3_OVERLAPPING ? cd_convex_pair3_cut(&pair, arena) : result;
}

#endif
