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

#define CD_TIMED_OWN_STORES

// Writes 16 pairs, or 8 where there are no more.
static inline void store_woven(cd_box_pair *to, __m512i lower, __m512i upper, int count)
{
    const __m512i low_half = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high_half = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    _mm512_storeu_si512(to, _mm512_permutex2var_epi32(lower, low_half, upper));
    if (count > 8)
        _mm512_storeu_si512(to + 8, _mm512_permutex2var_epi32(lower, high_half, upper));
}

static inline int store_pairs(cd_box_pair *to, const int32_t *lower, const int32_t *upper, uint64_t mask)
{
    int count = 0;
    for (int k = 0; k < 64; k += 16) {
        __mmask16 lanes = (__mmask16)(mask >> k);
        if (!lanes)
            continue;
        int here = __builtin_popcount(lanes);
        store_woven(to + count, _mm512_maskz_compress_epi32(lanes, _mm512_loadu_si512(lower + k)),
                    _mm512_maskz_compress_epi32(lanes, _mm512_loadu_si512(upper + k)), here);
        count += here;
    }
    return count;
}

static inline int store_lanes(cd_box_pair *to, int32_t slot, int32_t first, unsigned mask)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int count = __builtin_popcount(mask);
    store_woven(to, _mm512_set1_epi32(slot),
                _mm512_maskz_compress_epi32((__mmask16)mask, _mm512_add_epi32(_mm512_set1_epi32(first), lane)), count);
    return count;
}

#include "broad_incremental_walk.h"
#endif
