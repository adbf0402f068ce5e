// SPDX-License-Identifier: MIT
#include "broad_hybrid.h"

#ifdef __AVX512F__
#include <immintrin.h>

#define SCAN cd_hybrid_scan_avx512

static inline void emit(cd_broad_pairs *pairs, __mmask16 hits, __m512i outer_item, const int32_t *inner_item)
{
    // Room for all lanes: what is written behind the last hit is written over by the next.
    cd_box_pair *to = cd_broad_room(pairs, CD_HYBRID_LANES);
    __m512i inner = _mm512_maskz_compress_epi32(hits, _mm512_loadu_si512(inner_item));
    const __m512i low_half = _mm512_setr_epi32(0, 16, 0, 17, 0, 18, 0, 19, 0, 20, 0, 21, 0, 22, 0, 23);
    const __m512i high_half = _mm512_setr_epi32(0, 24, 0, 25, 0, 26, 0, 27, 0, 28, 0, 29, 0, 30, 0, 31);
    _mm512_storeu_si512(to, _mm512_permutex2var_epi32(outer_item, low_half, inner));
    int count = __builtin_popcount(hits);
    if (count > 8)
        _mm512_storeu_si512(to + 8, _mm512_permutex2var_epi32(outer_item, high_half, inner));
    pairs->count += count;
}

static inline __mmask16 overlapping(const cd_hybrid_list *inner, int axis, int32_t k, __m512i begin, __m512i end,
                                    __mmask16 hits)
{
    hits = _mm512_mask_cmplt_epi32_mask(hits, _mm512_loadu_si512(inner->begin[axis] + k), end);
    return _mm512_mask_cmpgt_epi32_mask(hits, _mm512_loadu_si512(inner->end[axis] + k), begin);
}

static inline __attribute__((always_inline)) void scan_one(const cd_hybrid_list *outer, int32_t o,
                                                           const cd_hybrid_list *inner, int32_t from, int axes,
                                                           cd_broad_pairs *pairs)
{
    __m512i item = _mm512_set1_epi32(outer->item[o]), begin[3], end[3];
    for (int axis = 0; axis < axes; axis++) {
        begin[axis] = _mm512_set1_epi32(outer->begin[axis][o]);
        end[axis] = _mm512_set1_epi32(outer->end[axis][o]);
    }
    for (int32_t k = from;; k += CD_HYBRID_LANES) {
        __mmask16 begun = _mm512_cmplt_epi32_mask(_mm512_loadu_si512(inner->begin[0] + k), end[0]), hits = begun;
        for (int axis = 1; axis < axes; axis++)
            hits = overlapping(inner, axis, k, begin[axis], end[axis], hits);
        if (hits)
            emit(pairs, hits, item, inner->item + k);
        if (begun != 0xffff)
            break;
    }
}

#include "broad_hybrid_scan.h"
#endif
