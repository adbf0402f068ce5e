// SPDX-License-Identifier: MIT
#include "broad_hash3d.h"

#ifdef __AVX512F__
#include <immintrin.h>

int32_t cd_hash_meet_avx512(const cd_hash_tile *one, int32_t i, const cd_hash_tile *other, int32_t from,
                            cd_box_pair *pair)
{
    enum { LANES = 8 };
    int32_t met = 0;
    __m512d min[3], max[3];
    for (int k = 0; k < 3; k++) {
        min[k] = _mm512_set1_pd(one->min[k][i]);
        max[k] = _mm512_set1_pd(one->max[k][i]);
    }
    __m512i item = _mm512_set1_epi64(one->item[i]);
    __m256i begins = _mm256_set1_epi32(one->begins[i]), all = _mm256_set1_epi32(7);
    // Groups of eight from an aligned lane on, so that none reaches beyond the tile.
    for (int32_t j = from / LANES * LANES; j < other->count; j += LANES) {
        uint32_t lanes = other->count - j < LANES ? (1u << (other->count - j)) - 1 : 0xff;
        lanes &= from > j ? 0xffu << (from - j) : 0xff;
        __m256i both_begin = _mm256_or_si256(begins, _mm256_loadu_si256((const __m256i *)(other->begins + j)));
        __mmask8 hit = _mm256_mask_cmpeq_epi32_mask((__mmask8)lanes, both_begin, all);
        for (int k = 0; k < 3; k++) {
            hit = _mm512_mask_cmp_pd_mask(hit, _mm512_loadu_pd(other->min[k] + j), max[k], _CMP_LE_OQ);
            hit = _mm512_mask_cmp_pd_mask(hit, _mm512_loadu_pd(other->max[k] + j), min[k], _CMP_GE_OQ);
        }
        // A pair as one number: box i's item below, the other's above.
        __m512i others = _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(other->item + j)));
        __m512i pairs = _mm512_or_si512(_mm512_slli_epi64(others, 32), item);
        _mm512_storeu_si512(pair + met, _mm512_maskz_compress_epi64(hit, pairs));
        met += __builtin_popcount(hit);
    }
    return met;
}
#endif
