// SPDX-License-Identifier: MIT
#include "broad_incremental.h"

#ifdef __AVX512F__
#include <immintrin.h>

#define WALK(name) name##_avx512

static inline unsigned node_mask(const cd_timed_node *node, const cd_timed_bounds *bounds)
{
    __mmask16 mask = 0xffff;
    for (int axis = 0; axis < 3; axis++) {
        __m512 min = _mm512_loadu_ps(node->min[axis]), max = _mm512_loadu_ps(node->max[axis]);
        mask = _mm512_mask_cmp_ps_mask(mask, min, _mm512_set1_ps(bounds->max[axis]), _CMP_LE_OQ);
        mask = _mm512_mask_cmp_ps_mask(mask, max, _mm512_set1_ps(bounds->min[axis]), _CMP_GE_OQ);
    }
    return mask;
}

static inline uint64_t ticks_within(const uint8_t *from, const uint8_t *to, int tick)
{
    __m512i now = _mm512_set1_epi8((char)tick);
    __mmask64 mask = _mm512_cmple_epu8_mask(_mm512_loadu_si512(from), now);
    return _mm512_mask_cmpge_epu8_mask(mask, _mm512_loadu_si512(to), now);
}

static inline int store_pairs(cd_box_pair *to, const cd_box_pair *from, uint64_t mask)
{
    int count = 0;
    for (int k = 0; k < 64; k += 8) {
        __mmask8 eight = (__mmask8)(mask >> k);
        if (!eight)
            continue;
        _mm512_storeu_si512(to + count, _mm512_maskz_compress_epi64(eight, _mm512_loadu_si512(from + k)));
        count += __builtin_popcount(eight);
    }
    return count;
}

static inline int store_lanes(cd_box_pair *to, int32_t item, const int32_t *items, unsigned mask)
{
    const __m512i low_half = _mm512_setr_epi32(0, 16, 0, 17, 0, 18, 0, 19, 0, 20, 0, 21, 0, 22, 0, 23);
    const __m512i high_half = _mm512_setr_epi32(0, 24, 0, 25, 0, 26, 0, 27, 0, 28, 0, 29, 0, 30, 0, 31);
    __m512i one = _mm512_set1_epi32(item);
    __m512i others = _mm512_maskz_compress_epi32((__mmask16)mask, _mm512_loadu_si512(items));
    int count = __builtin_popcount(mask);
    _mm512_storeu_si512(to, _mm512_permutex2var_epi32(one, low_half, others));
    if (count > 8)
        _mm512_storeu_si512(to + 8, _mm512_permutex2var_epi32(one, high_half, others));
    return count;
}

#include "broad_incremental_walk.h"
#endif
