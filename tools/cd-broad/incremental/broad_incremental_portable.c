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

#include "broad_incremental_walk.h"
