// SPDX-License-Identifier: MIT
#include "broad_bvh.h"
#include "cd_assert.h"

// Doubles as integers of the same order: the sign bit is flipped, and all others of negative numbers.
static uint64_t ordered(double value)
{
    uint64_t bits;
    value += 0.0;  // -0 becomes 0
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static int32_t lower_bound(const uint64_t *sorted, int32_t count, uint64_t value)
{
    const uint64_t *from = sorted;
    for (int32_t left = count; left > 1; left -= left / 2)
        from += from[left / 2 - 1] < value ? left / 2 : 0;
    return (int32_t)(from - sorted) + (*from < value);
}

const int32_t *cd_bvh_rank(const cd_broad_run *run, cd_broad_statistics *statistics)
{
    const cd_broad_input *input = run->input;
    int dim = input->dim;
    int32_t count = input->count;
    CD_ASSERT(count <= CD_BVH_MOST_RANKED);
    int32_t *rank = CD_ARENA_ARRAY(run->arena, int32_t, 2 * (int64_t)dim * count);
    cd_arena_mark mark = cd_arena_get_mark(run->arena);
    uint64_t *face = CD_ARENA_ARRAY(run->arena, uint64_t, 2 * (int64_t)count);
    *statistics = (cd_broad_statistics){.unbounded = 0};
    for (int axis = 0; axis < dim; axis++) {
        for (int64_t i = 0; i < count; i++) {
            face[2 * i] = ordered(input->min[dim * i + axis]);
            face[2 * i + 1] = ordered(input->max[dim * i + axis]);
        }
        cd_sort_keys(face, 2 * count, run->arena);
        double sum = 0, most = 0;
        for (int64_t i = 0; i < count; i++) {
            int32_t low = lower_bound(face, 2 * count, ordered(input->min[dim * i + axis]));
            int32_t high = lower_bound(face, 2 * count, ordered(input->max[dim * i + axis]));
            rank[2 * dim * i + axis] = low;
            rank[2 * dim * i + dim + axis] = high;
            sum += high - low;
            most = high - low > most ? high - low : most;
        }
        statistics->high[axis] = 2.0 * count;
        statistics->extent_mean[axis] = sum / count;
        statistics->extent_max[axis] = most;
    }
    cd_arena_rewind(run->arena, mark);
    return rank;
}
