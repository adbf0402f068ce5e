// SPDX-License-Identifier: MIT
#include "broad_incremental.h"

#define WALK(name) name##_portable

static inline unsigned node_mask(const cd_timed_node *node, const cd_timed_bounds *bounds)
{
    unsigned mask = 0;
    for (int lane = 0; lane < CD_TIMED_LANES; lane++) {
        unsigned meets = 1;
        for (int axis = 0; axis < 3; axis++)
            meets &= (node->min[axis][lane] <= bounds->max[axis]) & (node->max[axis][lane] >= bounds->min[axis]);
        mask |= meets << lane;
    }
    return mask;
}

static inline uint64_t ticks_within(const uint8_t *from, const uint8_t *to, int tick)
{
    uint64_t mask = 0;
    for (int k = 0; k < 64; k++)
        mask |= (uint64_t)((from[k] <= tick) & (tick <= to[k])) << k;
    return mask;
}

static inline int store_pairs(cd_box_pair *to, const cd_box_pair *from, uint64_t mask)
{
    int count = 0;
    for (; mask; mask &= mask - 1)
        to[count++] = from[__builtin_ctzll(mask)];
    return count;
}

static inline int store_lanes(cd_box_pair *to, int32_t item, const int32_t *items, unsigned mask)
{
    int count = 0;
    for (; mask; mask &= mask - 1)
        to[count++] = (cd_box_pair){item, items[__builtin_ctz(mask)]};
    return count;
}

#include "broad_incremental_walk.h"
