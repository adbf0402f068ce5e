// cd_aabb -- closed axis-aligned boxes in world frame, for two and three dimensions.
//
// A box holds its faces: boxes that touch overlap. A box may be infinite (half-spaces). In two dimensions index 2 is
// 0 in min and max and `dim` = 2 keeps the operations away from it. All operations are O(dim), without state.
// Sums that enlarge a box are rounded outward by one unit in the last place, so that the box holds the exact sum.
// SPDX-License-Identifier: MIT
#ifndef CD_AABB_H
#define CD_AABB_H

#include "cd_sum.h"

#include <stdbool.h>

typedef struct cd_aabb {
    double min[3], max[3];  // [m] world; min > max: empty
} cd_aabb;

// cd_round_down and cd_round_up make a bound of a correctly rounded value (one +, -, *, / or sqrt).
static inline double cd_add_down(double a, double b) { return b == 0 ? a : cd_round_down(a + b); }
static inline double cd_add_up(double a, double b) { return b == 0 ? a : cd_round_up(a + b); }

// The box that holds nothing: neutral for cd_aabb_merge, overlaps no bounded box.
static inline cd_aabb cd_aabb_empty(int dim)
{
    cd_aabb box = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < dim; i++) {
        box.min[i] = INFINITY;
        box.max[i] = -INFINITY;
    }
    return box;
}
// The whole space: what a half-space in general position needs.
static inline cd_aabb cd_aabb_infinite(int dim)
{
    cd_aabb box = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < dim; i++) {
        box.min[i] = -INFINITY;
        box.max[i] = INFINITY;
    }
    return box;
}
static inline cd_aabb cd_aabb_merge(cd_aabb a, cd_aabb b, int dim)
{
    for (int i = 0; i < dim; i++) {
        a.min[i] = b.min[i] < a.min[i] ? b.min[i] : a.min[i];
        a.max[i] = b.max[i] > a.max[i] ? b.max[i] : a.max[i];
    }
    return a;
}
static inline cd_aabb cd_aabb_add_point(cd_aabb box, const double *point, int dim)
{
    for (int i = 0; i < dim; i++) {
        box.min[i] = point[i] < box.min[i] ? point[i] : box.min[i];
        box.max[i] = point[i] > box.max[i] ? point[i] : box.max[i];
    }
    return box;
}
// Every face moves outward by at least `amount` [m] >= 0; 0 leaves the box as it is. An empty box stays empty.
static inline cd_aabb cd_aabb_grow(cd_aabb box, double amount, int dim)
{
    for (int i = 0; i < dim; i++) {
        box.min[i] = cd_add_down(box.min[i], -amount);
        box.max[i] = cd_add_up(box.max[i], amount);
    }
    return box;
}
static inline bool cd_aabb_overlaps(const cd_aabb *a, const cd_aabb *b, int dim)
{
    for (int i = 0; i < dim; i++)
        if (a->min[i] > b->max[i] || b->min[i] > a->max[i])
            return false;
    return true;
}

#endif
