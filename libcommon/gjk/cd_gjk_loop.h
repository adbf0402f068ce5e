// cd_gjk_loop -- the search itself, compiled once for each vector level: the including file defines the two functions
//     static int32_t farthest_corner(const cd_gjk_side *side, cd_vec3 direction)   polyhedra; ties to the least number
// and gets `run`. Deterministic: the same sums in the same order at every level.
// SPDX-License-Identifier: MIT
#include "cd_gjk_simplex.h"

static int32_t farthest_curved(cd_gjk_side *side, cd_vec3 d)
{
    int32_t at = side->curved_count < CD_GJK_MOST_CURVED ? side->curved_count++ : CD_GJK_MOST_CURVED - 1;
    side->curved[at] = cd_gjk_curved_support(side, d);
    return at;
}

static inline cd_gjk_point support_point(cd_gjk *g, cd_vec3 v)
{
    cd_vec3 along = cd_negate3(v);
    int32_t a = g->a.x ? farthest_corner(&g->a, along) : farthest_curved(&g->a, along);
    int32_t b = g->b.x ? farthest_corner(&g->b, v) : farthest_curved(&g->b, v);
    cd_vec3 w = cd_sub3(cd_gjk_corner(&g->a, a), cd_gjk_corner(&g->b, b));
    return (cd_gjk_point){w, a, b};
}

static inline cd_gjk_near nearest_of(const cd_gjk_point *s, int count, double scale, bool is_all)
{
    return count == 1   ? cd_gjk_near_point(s, 0)
           : count == 2 ? cd_gjk_near_segment(s, 0, 1)
           : count == 3 ? cd_gjk_near_triangle(s, 0, 1, 2)
                        : cd_gjk_near_tetrahedron(s, scale, is_all);
}

static inline void keep_nearest(cd_gjk *g, const cd_gjk_near *nearest)
{
    // pick ascends, so nothing is overwritten before it is read.
    for (int k = 0; k < nearest->count; k++) {
        g->point[k] = g->point[nearest->pick[k]];
        g->weight[k] = nearest->weight[k];
    }
    g->count = nearest->count;
    g->v = nearest->v;
}

// Source of the end test: van den Bergen 4.3.1: for the support point w of -v, v.w / |v| <= distance <= |v|.
static void run(cd_gjk *g)
{
    double tolerance = CD_GJK_TOLERANCE * g->scale, tolerance_sq = tolerance * tolerance, square = INFINITY, along = 0;
    cd_vec3 v = g->direction;
    g->end = CD_GJK_LIMIT;
    // A simplex is given: its nearest point is the start, and may be the answer.
    if (g->count > 0) {
        cd_gjk_near nearest = nearest_of(g->point, g->count, g->scale, true);
        keep_nearest(g, &nearest);
        v = nearest.v;
        square = nearest.square;
        if (nearest.count == 4 || square <= tolerance_sq) {
            g->end = nearest.count == 4 ? CD_GJK_INSIDE : CD_GJK_AT_ORIGIN;
            g->upper = sqrt(square);
            g->lower = 0;
            return;
        }
    }
    // A support point more each time, until none comes nearer.
    for (int i = 0; i < CD_GJK_MOST_ITERATIONS; i++) {
        cd_gjk_point found = support_point(g, v);
        g->iterations++;
        along = cd_dot3(v, found.w);
        if (g->count > 0) {
            double excess = square - along;
            if (excess <= 0 || excess * excess <= tolerance_sq * square) {
                g->end = CD_GJK_CONVERGED;
                break;
            }
            bool is_known = false;
            for (int k = 0; k < g->count; k++)
                is_known |= g->point[k].a == found.a && g->point[k].b == found.b;
            if (is_known) {
                g->end = CD_GJK_STUCK;
                break;
            }
        }
        g->point[g->count] = found;
        cd_gjk_near nearest = nearest_of(g->point, g->count + 1, g->scale, false);
        if (!(nearest.square < square)) {
            g->end = CD_GJK_STUCK;
            break;
        }
        keep_nearest(g, &nearest);
        v = nearest.v;
        square = nearest.square;
        if (nearest.count == 4 || square <= tolerance_sq) {
            g->end = nearest.count == 4 ? CD_GJK_INSIDE : CD_GJK_AT_ORIGIN;
            break;
        }
    }
    // The distance lies between the nearest point and the plane of the last support point.
    g->upper = sqrt(square);
    g->lower = g->end == CD_GJK_INSIDE || g->end == CD_GJK_AT_ORIGIN || !(square > 0) ? 0 : along / g->upper;
}
