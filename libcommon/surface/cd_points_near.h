// cd_points_near -- points of space in a tree of medians (Bentley 1975), to be found by box. The tree is an order of
// the points, without links: the median of a range stands in its middle.
// SPDX-License-Identifier: MIT
#ifndef CD_POINTS_NEAR_H
#define CD_POINTS_NEAR_H

#include "cd_vec3.h"

#include <stdint.h>

typedef struct cd_points_near {
    const cd_vec3 *point;  // borrowed
    int32_t *order;        // [count] numbers of points; the caller's
    int32_t count;
} cd_points_near;

// Puts `order` into the order of the tree. O(n log n).
void cd_points_near_sort(cd_points_near *tree);

typedef void cd_points_near_found(void *context, int32_t point);

// Calls `found` for each point of the closed box.
void cd_points_near_in(const cd_points_near *tree, cd_vec3 low, cd_vec3 high, cd_points_near_found *found,
                       void *context);

#endif
