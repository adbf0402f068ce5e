// SPDX-License-Identifier: MIT
#include "broad_sweep_list.h"

#ifdef __AVX512F__
#include <immintrin.h>

int32_t cd_list_meet_avx512(const cd_list_block *block, const cd_list_box *box, cd_box_pair *pair)
{
    __mmask8 met = (__mmask8)((1u << block->count) - 1);
    for (int k = 0; k < 2; k++) {
        met = _mm512_mask_cmp_pd_mask(met, _mm512_loadu_pd(block->low[k]), _mm512_set1_pd(box->high[k]), _CMP_LE_OQ);
        met = _mm512_mask_cmp_pd_mask(met, _mm512_loadu_pd(block->high[k]), _mm512_set1_pd(box->low[k]), _CMP_GE_OQ);
    }
    // A pair as one number: the box's item below, the held one's above.
    __m512i held = _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)block->item));
    __m512i both = _mm512_or_si512(_mm512_slli_epi64(held, 32), _mm512_set1_epi64(box->item));
    _mm512_storeu_si512(pair, _mm512_maskz_compress_epi64(met, both));
    return __builtin_popcount(met);
}
#endif
