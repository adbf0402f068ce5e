// Kernels of `bvh` in eight lanes.
// SPDX-License-Identifier: MIT
#include "broad_bvh.h"

#ifdef __AVX2__
#include <immintrin.h>
#include <math.h>

// ---- rows of doubles -----------------------------------------------------------------------------------------------

// What makes scaled coordinates of the faces of a box; the fourth number of each is 0.
typedef struct converter {
    __m256i columns;  // which of the four doubles of a row are there
    __m256d first, last, half, origin, scale;
    __m128 pad;
} converter;

static __m256d three(const double value[3]) { return _mm256_setr_pd(value[0], value[1], value[2], 0); }

static converter converter_of(const cd_broad_input *input, const cd_bvh_frame *frame)
{
    return (converter){_mm256_setr_epi64x(-1, -1, input->dim == 3 ? -1 : 0, 0),
                       three(frame->first),
                       three(frame->last),
                       _mm256_set1_pd(frame->half),
                       three(frame->origin),
                       three(frame->scale),
                       _mm_setr_ps(frame->pad[0], frame->pad[1], frame->pad[2], 0)};
}

static CD_BVH_INLINE __m256d low_of(const converter *c, const double *min)
{
    __m256d face = _mm256_max_pd(_mm256_maskload_pd(min, c->columns), c->first);
    return _mm256_sub_pd(_mm256_mul_pd(face, c->half), c->origin);
}

static CD_BVH_INLINE __m256d high_of(const converter *c, const double *max)
{
    __m256d face = _mm256_min_pd(_mm256_maskload_pd(max, c->columns), c->last);
    return _mm256_sub_pd(_mm256_mul_pd(face, c->half), c->origin);
}

// ---- keys ----------------------------------------------------------------------------------------------------------

// As cd_bvh_kind.
static CD_BVH_INLINE int kind_of(__m256d extent, __m256d bin_scale, __m128i shift)
{
    __m128i bits = _mm_castps_si128(_mm256_cvtpd_ps(_mm256_mul_pd(extent, bin_scale)));
    __m128i bin = _mm_sub_epi32(_mm_srli_epi32(_mm_add_epi32(_mm_srli_epi32(bits, 23), _mm_set1_epi32(1)), 1),
                                _mm_set1_epi32(52));
    bin = _mm_srl_epi32(_mm_min_epi32(_mm_max_epi32(bin, _mm_setzero_si128()), _mm_set1_epi32(15)), shift);
    __m128i part = _mm_sllv_epi32(bin, _mm_setr_epi32(8, 4, 0, 32));
    part = _mm_or_si128(part, _mm_shuffle_epi32(part, 0x4e));
    return _mm_cvtsi128_si32(_mm_or_si128(part, _mm_shuffle_epi32(part, 0xb1)));
}

static void keys(cd_bvh_classes *classes, const cd_bvh_frame *frame, const cd_broad_input *input, int64_t begin,
                 int64_t end, cd_bvh_record *record)
{
    converter c = converter_of(input, frame);
    __m256d bin_scale = three(classes->bin_scale), key_low = three(frame->key_low), one_half = _mm256_set1_pd(0.5);
    __m128i shift = _mm_cvtsi32_si128(classes->shift);
    for (int64_t i = begin; i < end; i++) {
        __m256d low = low_of(&c, input->min + input->dim * i), high = high_of(&c, input->max + input->dim * i);
        const cd_bvh_curve *curve = classes->curve;
        if (classes->count > 1)
            curve = cd_bvh_curve_of(classes, kind_of(_mm256_sub_pd(high, low), bin_scale, shift));
        __m256d middle = _mm256_add_pd(_mm256_mul_pd(low, one_half), _mm256_mul_pd(high, one_half));
        __m256d place = _mm256_mul_pd(_mm256_sub_pd(middle, key_low), _mm256_loadu_pd(curve->scale));
        place = _mm256_min_pd(_mm256_max_pd(place, _mm256_setzero_pd()), _mm256_loadu_pd(curve->last));
        __m128i cell = _mm256_cvttpd_epi32(place);
        uint32_t key = curve->base + cd_bvh_spread(curve, 0, (uint32_t)_mm_cvtsi128_si32(cell)) +
                       cd_bvh_spread(curve, 1, (uint32_t)_mm_extract_epi32(cell, 1)) +
                       cd_bvh_spread(curve, 2, (uint32_t)_mm_extract_epi32(cell, 2));
        record[i] = (uint64_t)key << 32 | (uint64_t)i;
    }
}

// ---- blocks --------------------------------------------------------------------------------------------------------

// Lanes 4 q .. 4 q + 3 of a block: four rows of -low x y z and of high x y z are turned into columns.
static inline void fill_four(const converter *c, const cd_broad_input *input, const int32_t *item, cd_bvh_block *block,
                             int lane)
{
    __m128 lower[4], upper[4];
    for (int k = 0; k < 4; k++) {
        int64_t place = (int64_t)input->dim * item[lane + k];
        __m256d low = low_of(c, input->min + place), high = high_of(c, input->max + place);
        lower[k] = _mm_sub_ps(c->pad, _mm256_cvtpd_ps(_mm256_mul_pd(low, c->scale)));
        upper[k] = _mm_add_ps(c->pad, _mm256_cvtpd_ps(_mm256_mul_pd(high, c->scale)));
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
            if (lane + AHEAD < first[end] - first[group]) {
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

// ---- comparisons ---------------------------------------------------------------------------------------------------

// Rows by name, not as an array: an array of registers goes through memory at -O2.
typedef struct eight {
    __m256 nx, ny, nz, px, py, pz;  // -low, high
} eight;
typedef eight box;
typedef const cd_bvh_block *lanes;  // 12 rows are more than there are registers

static CD_BVH_INLINE lanes load_lanes(const cd_bvh_block *block) { return block; }

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

typedef struct balls {
    __m256 x[2], y[2], z[2], radius[2];  // [units]
} balls;

static CD_BVH_INLINE balls balls_of(const cd_bvh_tree *tree, int32_t group)
{
    __m256 x = _mm256_set1_ps(tree->rounds.pitch[0]), y = _mm256_set1_ps(tree->rounds.pitch[1]),
           z = _mm256_set1_ps(tree->rounds.pitch[2]);
    balls round;
    for (int half = 0; half < 2; half++) {
        eight l = load_eight(&tree->level[0][group], 8 * half);
        round.x[half] = _mm256_mul_ps(_mm256_sub_ps(l.px, l.nx), x);
        round.y[half] = _mm256_mul_ps(_mm256_sub_ps(l.py, l.ny), y);
        round.z[half] = _mm256_mul_ps(_mm256_sub_ps(l.pz, l.nz), z);
        round.radius[half] = _mm256_loadu_ps(tree->rounds.radius + (int64_t)CD_BVH_WIDTH * group + 8 * half);
    }
    return round;
}

static CD_BVH_INLINE __m256 other_centre(const cd_bvh_tree *tree, uint32_t place, int axis)
{
    const cd_bvh_block *block = &tree->level[0][place >> 4];
    return _mm256_set1_ps((block->face[axis + 3][place & 15] - block->face[axis][place & 15]) *
                          tree->rounds.pitch[axis]);
}

static CD_BVH_INLINE __m256 square_of(__m256 one, __m256 other)
{
    __m256 way = _mm256_sub_ps(one, other);
    return _mm256_mul_ps(way, way);
}

static CD_BVH_INLINE uint32_t near(const cd_bvh_tree *tree, const balls *round, uint32_t place, uint32_t *surely)
{
    __m256 x = other_centre(tree, place, 0), y = other_centre(tree, place, 1), z = other_centre(tree, place, 2);
    __m256 radius = _mm256_set1_ps(tree->rounds.radius[place]), is_sure[2], is_near[2];
    for (int half = 0; half < 2; half++) {
        __m256 square = _mm256_add_ps(square_of(round->x[half], x),
                                      _mm256_add_ps(square_of(round->y[half], y), square_of(round->z[half], z)));
        __m256 reach = _mm256_add_ps(round->radius[half], radius);
        __m256 slack = _mm256_fmadd_ps(reach, _mm256_set1_ps(CD_BVH_ROUNDING), _mm256_set1_ps(tree->rounds.doubt));
        __m256 inner = _mm256_sub_ps(reach, slack), outer = _mm256_add_ps(reach, slack);
        __m256 is_positive = _mm256_cmp_ps(inner, _mm256_setzero_ps(), _CMP_GT_OQ);
        is_sure[half] = _mm256_and_ps(is_positive, _mm256_cmp_ps(square, _mm256_mul_ps(inner, inner), _CMP_LT_OQ));
        is_near[half] = _mm256_cmp_ps(square, _mm256_mul_ps(outer, outer), _CMP_NGT_UQ);
    }
    *surely = join(is_sure[0], is_sure[1]);
    return join(is_near[0], is_near[1]);
}

// Numbers of the set bits of eight, in the low lanes.
static CD_BVH_INLINE __m256i places(const cd_bvh_lists *lists, uint32_t mask)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&lists->compress[mask & 255]));
}

static CD_BVH_INLINE int32_t append(const cd_bvh_lists *lists, uint32_t *list, int32_t count, uint32_t first,
                                    uint32_t mask)
{
    __m256i lower = _mm256_add_epi32(places(lists, mask), _mm256_set1_epi32((int32_t)first));
    __m256i upper = _mm256_add_epi32(places(lists, mask >> 8), _mm256_set1_epi32((int32_t)first + 8));
    _mm256_storeu_si256((__m256i *)(list + count), lower);
    _mm256_storeu_si256((__m256i *)(list + count + __builtin_popcount(mask & 255)), upper);
    return count + __builtin_popcount(mask);
}

static CD_BVH_INLINE int32_t emit(const cd_bvh_lists *lists, cd_box_pair *out, int32_t a, const int32_t *item,
                                  uint32_t mask)
{
    __m256i first = _mm256_set1_epi64x((uint32_t)a);
    int32_t count = 0;
    for (int half = 0; half < 2; half++) {
        uint32_t bits = mask >> 8 * half & 255;
        __m256i found =
            _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)(item + 8 * half)), places(lists, bits));
        __m256i lower = _mm256_slli_epi64(_mm256_cvtepu32_epi64(_mm256_castsi256_si128(found)), 32);
        __m256i upper = _mm256_slli_epi64(_mm256_cvtepu32_epi64(_mm256_extracti128_si256(found, 1)), 32);
        _mm256_storeu_si256((__m256i *)(out + count), _mm256_or_si256(lower, first));
        _mm256_storeu_si256((__m256i *)(out + count + 4), _mm256_or_si256(upper, first));
        count += __builtin_popcount(bits);
    }
    return count;
}

#include "broad_bvh_query.h"

const cd_bvh_kernels cd_bvh_avx2 = {keys, fill, query, query_other};
#endif
