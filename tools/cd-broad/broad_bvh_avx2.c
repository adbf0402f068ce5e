// Kernels of `bvh` in eight lanes.
// SPDX-License-Identifier: MIT
#include "broad_bvh.h"

#ifdef __AVX2__
#include <immintrin.h>
#include <math.h>

// ---- blocks ----------------------------------------------------------------------------------------------------

typedef struct converter {
    __m256i columns;  // which of the four doubles of a row are there
    __m256d first, last, half, origin, scale;
    __m128 pad;
} converter;

static converter converter_of(const cd_broad_input *input, const cd_bvh_frame *frame)
{
    const double *f = frame->first, *l = frame->last, *o = frame->origin, *s = frame->scale;
    int64_t third = input->dim == 3 ? -1 : 0;
    return (converter){_mm256_setr_epi64x(-1, -1, third, 0), _mm256_setr_pd(f[0], f[1], f[2], 0),
                       _mm256_setr_pd(l[0], l[1], l[2], 0),  _mm256_set1_pd(frame->half),
                       _mm256_setr_pd(o[0], o[1], o[2], 0),  _mm256_setr_pd(s[0], s[1], s[2], 0),
                       _mm_setr_ps(frame->pad[0], frame->pad[1], frame->pad[2], 0)};
}

static inline __m128 to_floats(const converter *c, __m256d row)
{
    return _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_sub_pd(_mm256_mul_pd(row, c->half), c->origin), c->scale));
}

// Lanes 4 q .. 4 q + 3 of a block: four rows of -low x y z and of high x y z are turned into columns.
static inline void fill_four(const converter *c, const cd_broad_input *input, const int32_t *item, cd_bvh_block *block, int lane)
{
    __m128 lower[4], upper[4];
    for (int k = 0; k < 4; k++) {
        int64_t place = (int64_t)input->dim * item[lane + k];
        __m256d min = _mm256_max_pd(_mm256_maskload_pd(input->min + place, c->columns), c->first);
        __m256d max = _mm256_min_pd(_mm256_maskload_pd(input->max + place, c->columns), c->last);
        lower[k] = _mm_sub_ps(c->pad, to_floats(c, min));
        upper[k] = _mm_add_ps(c->pad, to_floats(c, max));
    }
    _MM_TRANSPOSE4_PS(lower[0], lower[1], lower[2], lower[3]);
    _MM_TRANSPOSE4_PS(upper[0], upper[1], upper[2], upper[3]);
    for (int axis = 0; axis < 3; axis++) {
        _mm_store_ps(block->face[axis] + lane, lower[axis]);
        _mm_store_ps(block->face[axis + 3] + lane, upper[axis]);
    }
}

static inline float largest(const float row[CD_BVH_WIDTH])
{
    __m256 eight = _mm256_max_ps(_mm256_load_ps(row), _mm256_load_ps(row + 8));
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}

static void fill(const cd_bvh_tree *tree, const cd_broad_input *input, const cd_bvh_frame *frame,
                 const cd_bvh_record *record, const int32_t *first, int32_t begin, int32_t end)
{
    enum { AHEAD = 24 };  // boxes: a row takes about 100 ns to arrive from memory
    converter c = converter_of(input, frame);
    for (int32_t group = begin; group < end; group++) {
        cd_bvh_block *block = &tree->level[0][group];
        int32_t *item = tree->item + (int64_t)CD_BVH_WIDTH * group;
        int used = first[group + 1] - first[group];
        const cd_bvh_record *from = record + first[group];
        for (int lane = 0; lane < used; lane++) {
            item[lane] = (int32_t)(uint32_t)from[lane];
            if (first[group] + lane + AHEAD < first[end]) {
                int64_t place = (int64_t)input->dim * (int32_t)(uint32_t)from[lane + AHEAD];
                __builtin_prefetch(input->min + place);
                __builtin_prefetch(input->min + place + 2);  // a row may stand in two cache lines
                __builtin_prefetch(input->max + place);
                __builtin_prefetch(input->max + place + 2);
            }
        }
        for (int lane = used; lane < CD_BVH_WIDTH; lane++)
            item[lane] = item[0];
        for (int lane = 0; lane < used; lane += 4)
            fill_four(&c, input, item, block, lane);
        for (int lane = used; lane < CD_BVH_WIDTH; lane++)
            for (int row = 0; row < 6; row++)
                block->face[row][lane] = -INFINITY;
        for (int row = 0; row < 6; row++)
            tree->level[1][group / CD_BVH_WIDTH].face[row][group % CD_BVH_WIDTH] = largest(block->face[row]);
    }
}

// ---- comparisons -----------------------------------------------------------------------------------------------

// Rows by name, not as an array: an array of registers goes through memory at -O2.
typedef struct eight {
    __m256 nx, ny, nz, px, py, pz;  // -low, high
} eight;
typedef eight box;
typedef const cd_bvh_block *lanes;  // 12 rows are more than there are registers

static CD_BVH_INLINE lanes load_lanes(const cd_bvh_block *block)
{
    return block;
}

static CD_BVH_INLINE eight load_eight(const cd_bvh_block *block, int from)
{
    return (eight){_mm256_load_ps(block->face[0] + from), _mm256_load_ps(block->face[1] + from),
                   _mm256_load_ps(block->face[2] + from), _mm256_load_ps(block->face[3] + from),
                   _mm256_load_ps(block->face[4] + from), _mm256_load_ps(block->face[5] + from)};
}

static CD_BVH_INLINE box box_of(const cd_bvh_block *block, int lane)
{
    return (box){_mm256_broadcast_ss(block->face[0] + lane), _mm256_broadcast_ss(block->face[1] + lane),
                 _mm256_broadcast_ss(block->face[2] + lane), _mm256_broadcast_ss(block->face[3] + lane),
                 _mm256_broadcast_ss(block->face[4] + lane), _mm256_broadcast_ss(block->face[5] + lane)};
}

static CD_BVH_INLINE __m256 least_sum(eight a, eight b)
{
    __m256 x = _mm256_min_ps(_mm256_add_ps(a.nx, b.px), _mm256_add_ps(a.px, b.nx));
    __m256 y = _mm256_min_ps(_mm256_add_ps(a.ny, b.py), _mm256_add_ps(a.py, b.ny));
    __m256 z = _mm256_min_ps(_mm256_add_ps(a.nz, b.pz), _mm256_add_ps(a.pz, b.nz));
    return _mm256_min_ps(_mm256_min_ps(x, y), z);
}

static CD_BVH_INLINE uint32_t join(__m256 lower, __m256 upper)
{
    return (uint32_t)_mm256_movemask_ps(lower) | (uint32_t)_mm256_movemask_ps(upper) << 8;
}

static CD_BVH_INLINE uint32_t hits(const cd_bvh_block *block, box one)
{
    __m256 lower = least_sum(load_eight(block, 0), one), upper = least_sum(load_eight(block, 8), one);
    __m256 zero = _mm256_setzero_ps();
    return join(_mm256_cmp_ps(lower, zero, _CMP_GE_OQ), _mm256_cmp_ps(upper, zero, _CMP_GE_OQ));
}

static CD_BVH_INLINE uint32_t hits_tied(const lanes *own, const cd_bvh_block *block, int lane, uint32_t *ties)
{
    box one = box_of(block, lane);
    __m256 lower = least_sum(load_eight(*own, 0), one), upper = least_sum(load_eight(*own, 8), one);
    __m256 zero = _mm256_setzero_ps();
    *ties = join(_mm256_cmp_ps(lower, zero, _CMP_EQ_OQ), _mm256_cmp_ps(upper, zero, _CMP_EQ_OQ));
    return join(_mm256_cmp_ps(lower, zero, _CMP_GE_OQ), _mm256_cmp_ps(upper, zero, _CMP_GE_OQ));
}

// Numbers of the set bits of eight, in the low lanes.
static CD_BVH_INLINE __m256i places(const cd_bvh_lists *lists, uint32_t mask)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&lists->compress[mask & 255]));
}

static CD_BVH_INLINE int32_t append(const cd_bvh_lists *lists, int32_t *list, int32_t count, int32_t first, uint32_t mask)
{
    __m256i lower = _mm256_add_epi32(places(lists, mask), _mm256_set1_epi32(first));
    __m256i upper = _mm256_add_epi32(places(lists, mask >> 8), _mm256_set1_epi32(first + 8));
    _mm256_storeu_si256((__m256i *)(list + count), lower);
    _mm256_storeu_si256((__m256i *)(list + count + __builtin_popcount(mask & 255)), upper);
    return count + __builtin_popcount(mask);
}

static CD_BVH_INLINE int32_t emit(const cd_bvh_lists *lists, cd_box_pair *out, int32_t a, const int32_t *item, uint32_t mask)
{
    __m256i first = _mm256_set1_epi64x((uint32_t)a);
    int32_t count = 0;
    for (int half = 0; half < 2; half++) {
        uint32_t bits = mask >> 8 * half & 255;
        __m256i found = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)(item + 8 * half)), places(lists, bits));
        __m256i lower = _mm256_slli_epi64(_mm256_cvtepu32_epi64(_mm256_castsi256_si128(found)), 32);
        __m256i upper = _mm256_slli_epi64(_mm256_cvtepu32_epi64(_mm256_extracti128_si256(found, 1)), 32);
        _mm256_storeu_si256((__m256i *)(out + count), _mm256_or_si256(lower, first));
        _mm256_storeu_si256((__m256i *)(out + count + 4), _mm256_or_si256(upper, first));
        count += __builtin_popcount(bits);
    }
    return count;
}

#include "broad_bvh_query.h"

const cd_bvh_kernels cd_bvh_avx2 = {fill, query};
#endif
