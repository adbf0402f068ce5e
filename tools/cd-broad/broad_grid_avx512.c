// The scan of the method `grid` with AVX-512: 32 boxes a step.
// SPDX-License-Identifier: MIT
#ifdef __AVX512F__
#include "broad_grid_walk.h"

#include <immintrin.h>

// Pairs of `item` with the lanes of the mask, packed without a branch. More than eight hits in sixteen lanes are rare.
static inline cd_box_pair *emit(__m512i one, const int32_t *other, __mmask16 mask, cd_box_pair *out)
{
    unsigned hits = (unsigned)__builtin_popcount(mask);
    __m512i packed = _mm512_maskz_compress_epi32(mask, _mm512_loadu_si512(other));
    __m512i first = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(packed));
    _mm512_storeu_si512(out, _mm512_or_si512(_mm512_slli_epi64(first, 32), one));
    if (__builtin_expect(hits > 8, 0)) {
        __m512i second = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(packed, 1));
        _mm512_storeu_si512(out + 8, _mm512_or_si512(_mm512_slli_epi64(second, 32), one));
    }
    return out + hits;
}

// The largest of the six gaps between faces decides: below 0 a sure overlap, 0 a tie, above it none. Subtractions
// and maxima run on twice as many ports as comparisons into mask registers.
static inline cd_box_pair *grid_compare(const grid_job *job, const grid_query *query, int32_t begin, int32_t end,
                                        cd_box_pair *out)
{
    __m512i low_x = _mm512_set1_epi16(query->low[0]), high_x = _mm512_set1_epi16(query->high[0]);
    __m512i low_y = _mm512_set1_epi16(query->low[1]), high_y = _mm512_set1_epi16(query->high[1]);
    __m512i low_z = _mm512_set1_epi16(query->low[2]), high_z = _mm512_set1_epi16(query->high[2]);
    __m512i one = _mm512_set1_epi64((uint32_t)query->item);
    for (int32_t j = begin; j < end; j += 32) {
        __mmask32 inside = end - j >= 32 ? UINT32_MAX : _bzhi_u32(UINT32_MAX, (unsigned)(end - j));
        __m512i a = _mm512_subs_epi16(_mm512_loadu_si512(job->low[0] + j), high_x);
        __m512i b = _mm512_subs_epi16(low_x, _mm512_loadu_si512(job->high[0] + j));
        __m512i c = _mm512_subs_epi16(_mm512_loadu_si512(job->low[1] + j), high_y);
        __m512i d = _mm512_subs_epi16(low_y, _mm512_loadu_si512(job->high[1] + j));
        __m512i e = _mm512_subs_epi16(_mm512_loadu_si512(job->low[2] + j), high_z);
        __m512i f = _mm512_subs_epi16(low_z, _mm512_loadu_si512(job->high[2] + j));
        __m512i gap = _mm512_max_epi16(_mm512_max_epi16(_mm512_max_epi16(a, b), _mm512_max_epi16(c, d)), _mm512_max_epi16(e, f));
        __mmask32 hits = _mm512_mask_cmple_epi16_mask(inside, gap, _mm512_setzero_si512());
        __mmask32 ties = _mm512_mask_testn_epi16_mask(inside, gap, gap);
        if (__builtin_expect(ties != 0, 0))
            hits &= ~grid_refuted(job, query, j, ties);
        out = emit(one, job->item + j, (__mmask16)hits, out);
        out = emit(one, job->item + j + 16, (__mmask16)(hits >> 16), out);
    }
    return out;
}

void cd_grid_scan_avx512(void *job, int worker) { grid_walk(job, worker); }
#else
typedef int no_avx512;  // a file must declare something
#endif
