// Kernels of `bvh` in sixteen lanes: a row of a block is one register.
// SPDX-License-Identifier: MIT
#include "broad_bvh.h"

#ifdef __AVX512F__
#include <immintrin.h>

// Rows by name, not as an array: an array of registers goes through memory at -O2.
typedef struct lanes {
    __m512 nx, ny, nz, px, py, pz;  // -low, high
} lanes;
typedef lanes box;

static CD_BVH_INLINE lanes load_lanes(const cd_bvh_block *block)
{
    return (lanes){_mm512_load_ps(block->face[0]), _mm512_load_ps(block->face[1]), _mm512_load_ps(block->face[2]),
                   _mm512_load_ps(block->face[3]), _mm512_load_ps(block->face[4]), _mm512_load_ps(block->face[5])};
}

static CD_BVH_INLINE box box_of(const cd_bvh_block *block, int lane)
{
    return (box){_mm512_set1_ps(block->face[0][lane]), _mm512_set1_ps(block->face[1][lane]),
                 _mm512_set1_ps(block->face[2][lane]), _mm512_set1_ps(block->face[3][lane]),
                 _mm512_set1_ps(block->face[4][lane]), _mm512_set1_ps(block->face[5][lane])};
}

static CD_BVH_INLINE __m512 least_sum(lanes a, lanes b)
{
    __m512 x = _mm512_min_ps(_mm512_add_ps(a.nx, b.px), _mm512_add_ps(a.px, b.nx));
    __m512 y = _mm512_min_ps(_mm512_add_ps(a.ny, b.py), _mm512_add_ps(a.py, b.ny));
    __m512 z = _mm512_min_ps(_mm512_add_ps(a.nz, b.pz), _mm512_add_ps(a.pz, b.nz));
    return _mm512_min_ps(_mm512_min_ps(x, y), z);
}

static CD_BVH_INLINE uint32_t hits(const cd_bvh_block *block, box one)
{
    return _mm512_cmp_ps_mask(least_sum(load_lanes(block), one), _mm512_setzero_ps(), _CMP_GE_OQ);
}

static CD_BVH_INLINE uint32_t hits_tied(const lanes *own, const cd_bvh_block *block, int lane, uint32_t *ties)
{
    __m512 least = least_sum(*own, box_of(block, lane));
    *ties = _mm512_cmp_ps_mask(least, _mm512_setzero_ps(), _CMP_EQ_OQ);
    return _mm512_cmp_ps_mask(least, _mm512_setzero_ps(), _CMP_GE_OQ);
}

typedef struct balls {
    __m512 x, y, z, radius;  // [units]
} balls;

static CD_BVH_INLINE balls balls_of(const cd_bvh_tree *tree, int32_t group)
{
    const float *pitch = tree->rounds.pitch;
    lanes l = load_lanes(&tree->level[0][group]);
    return (balls){_mm512_mul_ps(_mm512_sub_ps(l.px, l.nx), _mm512_set1_ps(pitch[0])),
                   _mm512_mul_ps(_mm512_sub_ps(l.py, l.ny), _mm512_set1_ps(pitch[1])),
                   _mm512_mul_ps(_mm512_sub_ps(l.pz, l.nz), _mm512_set1_ps(pitch[2])),
                   _mm512_loadu_ps(tree->rounds.radius + (int64_t)CD_BVH_WIDTH * group)};
}

static CD_BVH_INLINE __m512 square_along(const cd_bvh_tree *tree, __m512 centre, uint32_t place, int axis)
{
    const cd_bvh_block *block = &tree->level[0][place >> 4];
    float other = (block->face[axis + 3][place & 15] - block->face[axis][place & 15]) * tree->rounds.pitch[axis];
    __m512 way = _mm512_sub_ps(centre, _mm512_set1_ps(other));
    return _mm512_mul_ps(way, way);
}

static CD_BVH_INLINE uint32_t near(const cd_bvh_tree *tree, const balls *round, uint32_t place, uint32_t *surely)
{
    __m512 square =
        _mm512_add_ps(square_along(tree, round->x, place, 0),
                      _mm512_add_ps(square_along(tree, round->y, place, 1), square_along(tree, round->z, place, 2)));
    __m512 reach = _mm512_add_ps(round->radius, _mm512_set1_ps(tree->rounds.radius[place]));
    __m512 slack = _mm512_fmadd_ps(reach, _mm512_set1_ps(CD_BVH_ROUNDING), _mm512_set1_ps(tree->rounds.doubt));
    __m512 inner = _mm512_sub_ps(reach, slack), outer = _mm512_add_ps(reach, slack);
    __mmask16 is_positive = _mm512_cmp_ps_mask(inner, _mm512_setzero_ps(), _CMP_GT_OQ);
    *surely = _mm512_mask_cmp_ps_mask(is_positive, square, _mm512_mul_ps(inner, inner), _CMP_LT_OQ);
    return _mm512_cmp_ps_mask(square, _mm512_mul_ps(outer, outer), _CMP_NGT_UQ);
}

static CD_BVH_INLINE int32_t append(const cd_bvh_lists *lists, uint32_t *list, int32_t count, uint32_t first,
                                    uint32_t mask)
{
    (void)lists;
    const __m512i number = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i found = _mm512_maskz_compress_epi32((__mmask16)mask, number);
    found = _mm512_add_epi32(found, _mm512_set1_epi32((int32_t)first));
    _mm512_storeu_si512(list + count, found);
    return count + __builtin_popcount(mask);
}

// Registers are compressed and stored whole: a compressing store takes some hundred cycles on some processors.
static CD_BVH_INLINE int32_t emit(const cd_bvh_lists *lists, cd_box_pair *out, int32_t a, const int32_t *item,
                                  uint32_t mask)
{
    (void)lists;
    const __m512i lower = _mm512_setr_epi32(16, 0, 16, 1, 16, 2, 16, 3, 16, 4, 16, 5, 16, 6, 16, 7);
    const __m512i upper = _mm512_setr_epi32(16, 8, 16, 9, 16, 10, 16, 11, 16, 12, 16, 13, 16, 14, 16, 15);
    __m512i first = _mm512_set1_epi32(a);
    __m512i found = _mm512_maskz_compress_epi32((__mmask16)mask, _mm512_loadu_si512(item));
    int count = __builtin_popcount(mask);
    _mm512_storeu_si512(out, _mm512_permutex2var_epi32(found, lower, first));
    if (__builtin_expect(count > 8, 0))
        _mm512_storeu_si512(out + 8, _mm512_permutex2var_epi32(found, upper, first));
    return count;
}

#include "broad_bvh_query.h"

// Rows of three doubles do not get faster by wider registers.
static void keys(cd_bvh_classes *classes, const cd_bvh_frame *frame, const cd_broad_input *input, int64_t begin,
                 int64_t end, cd_bvh_record *record)
{
    cd_bvh_avx2.keys(classes, frame, input, begin, end, record);
}

static void fill(const cd_bvh_tree *tree, const cd_broad_input *input, const cd_bvh_frame *frame,
                 const cd_bvh_record *record, const int32_t *first, int32_t begin, int32_t end)
{
    cd_bvh_avx2.fill(tree, input, frame, record, first, begin, end);
}

const cd_bvh_kernels cd_bvh_avx512 = {keys, fill, query, query_other};
#endif
