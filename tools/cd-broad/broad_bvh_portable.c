// Kernels of `bvh` for any machine; on x86-64 the four-lane instructions that every one has.
// SPDX-License-Identifier: MIT
#include "broad_bvh.h"

#include <math.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// ---- blocks ----------------------------------------------------------------------------------------------------

static void fill(const cd_bvh_tree *tree, const cd_broad_input *input, const cd_bvh_frame *frame,
                 const cd_bvh_record *record, const int32_t *first, int32_t begin, int32_t end)
{
    for (int32_t group = begin; group < end; group++) {
        cd_bvh_block *block = &tree->level[0][group];
        int32_t *item = tree->item + (int64_t)CD_BVH_WIDTH * group;
        int lanes_used = first[group + 1] - first[group];
        float most[6] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
        for (int lane = 0; lane < CD_BVH_WIDTH; lane++) {
            if (lane >= lanes_used) {
                item[lane] = 0;
                for (int row = 0; row < 6; row++)
                    block->face[row][lane] = -INFINITY;
                continue;
            }
            item[lane] = (int32_t)(uint32_t)record[first[group] + lane];
            double low[3], high[3];
            cd_bvh_faces(input, frame, item[lane], low, high);
            for (int axis = 0; axis < 3; axis++) {
                float lower = -(float)(low[axis] * frame->scale[axis]), upper = (float)(high[axis] * frame->scale[axis]);
                block->face[axis][lane] = lower;
                block->face[axis + 3][lane] = upper;
                most[axis] = lower > most[axis] ? lower : most[axis];
                most[axis + 3] = upper > most[axis + 3] ? upper : most[axis + 3];
            }
        }
        for (int row = 0; row < 6; row++)
            tree->level[1][group / CD_BVH_WIDTH].face[row][group % CD_BVH_WIDTH] = most[row];
    }
}

// ---- comparisons -----------------------------------------------------------------------------------------------

typedef const cd_bvh_block *lanes;
typedef struct box {
    float face[6];
} box;

static inline lanes load_lanes(const cd_bvh_block *block)
{
    return block;
}

static inline box box_of(const cd_bvh_block *block, int lane)
{
    box result;
    for (int row = 0; row < 6; row++)
        result.face[row] = block->face[row][lane];
    return result;
}

#ifdef __SSE2__
static inline __m128 least_sum(const cd_bvh_block *block, int lane, const __m128 face[6])
{
    __m128 least = _mm_add_ps(_mm_load_ps(block->face[0] + lane), face[3]);
    for (int row = 1; row < 6; row++)
        least = _mm_min_ps(least, _mm_add_ps(_mm_load_ps(block->face[row] + lane), face[(row + 3) % 6]));
    return least;
}

// Bits of the 16 lanes whose least sum is not negative; and in `ties`, when wanted, of those where it is 0.
static inline uint32_t compare(const cd_bvh_block *block, const float one[6], uint32_t *ties)
{
    __m128 face[6], zero = _mm_setzero_ps(), sum[4];
    for (int row = 0; row < 6; row++)
        face[row] = _mm_set1_ps(one[row]);
    for (int quarter = 0; quarter < 4; quarter++)
        sum[quarter] = least_sum(block, 4 * quarter, face);
    uint32_t mask = 0, tied = 0;
    for (int quarter = 0; quarter < 4; quarter++) {
        mask |= (uint32_t)_mm_movemask_ps(_mm_cmpge_ps(sum[quarter], zero)) << 4 * quarter;
        if (ties)
            tied |= (uint32_t)_mm_movemask_ps(_mm_cmpeq_ps(sum[quarter], zero)) << 4 * quarter;
    }
    if (ties)
        *ties = tied;
    return mask;
}
#else
static inline uint32_t compare(const cd_bvh_block *block, const float one[6], uint32_t *ties)
{
    uint32_t mask = 0, tied = 0;
    float least[CD_BVH_WIDTH];
    for (int lane = 0; lane < CD_BVH_WIDTH; lane++)
        least[lane] = block->face[0][lane] + one[3];
    for (int row = 1; row < 6; row++)
        for (int lane = 0; lane < CD_BVH_WIDTH; lane++) {
            float sum = block->face[row][lane] + one[(row + 3) % 6];
            least[lane] = sum < least[lane] ? sum : least[lane];
        }
    for (int lane = 0; lane < CD_BVH_WIDTH; lane++) {
        mask |= (uint32_t)(least[lane] >= 0) << lane;
        tied |= (uint32_t)(least[lane] == 0) << lane;
    }
    if (ties)
        *ties = tied;
    return mask;
}
#endif

static inline uint32_t hits(const cd_bvh_block *block, box one)
{
    return compare(block, one.face, NULL);
}

static inline uint32_t hits_tied(const lanes *own, const cd_bvh_block *block, int lane, uint32_t *ties)
{
    box one = box_of(block, lane);
    return compare(*own, one.face, ties);
}

static inline int32_t append(const cd_bvh_lists *lists, int32_t *list, int32_t count, int32_t first, uint32_t mask)
{
    (void)lists;
    for (; mask; mask &= mask - 1)
        list[count++] = first + __builtin_ctz(mask);
    return count;
}

static inline int32_t emit(const cd_bvh_lists *lists, cd_box_pair *out, int32_t a, const int32_t *item, uint32_t mask)
{
    (void)lists;
    int32_t count = 0;
    for (; mask; mask &= mask - 1)
        out[count++] = (cd_box_pair){a, item[__builtin_ctz(mask)]};
    return count;
}

#include "broad_bvh_query.h"

const cd_bvh_kernels cd_bvh_portable = {fill, query};
