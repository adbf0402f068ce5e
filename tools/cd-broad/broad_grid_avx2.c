// The scan of the method `grid` with AVX2: 16 boxes a step.
// SPDX-License-Identifier: MIT
#ifdef __AVX2__
#include "broad_grid_walk.h"

#include <immintrin.h>

// Pairs of `item` with the lanes of the mask, packed by a permutation from the table: eight of them are written.
static inline cd_box_pair *emit(const grid_job *job, __m256i one, const int32_t *other, unsigned mask, cd_box_pair *out)
{
    __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)job->compress[mask]));
    __m256i packed = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)other), order);
    __m256i first = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(packed));
    __m256i second = _mm256_cvtepu32_epi64(_mm256_extracti128_si256(packed, 1));
    _mm256_storeu_si256((__m256i *)out, _mm256_or_si256(_mm256_slli_epi64(first, 32), one));
    _mm256_storeu_si256((__m256i *)(out + 4), _mm256_or_si256(_mm256_slli_epi64(second, 32), one));
    return out + __builtin_popcount(mask);
}

static inline __m256i load(const int16_t *number) { return _mm256_loadu_si256((const __m256i *)number); }

// The largest of the six gaps between faces decides: below 0 a sure overlap, 0 a tie, above it none.
static inline cd_box_pair *grid_compare(const grid_job *job, const grid_query *query, int32_t begin, int32_t end,
                                        cd_box_pair *out)
{
    __m256i low_x = _mm256_set1_epi16(query->low[0]), high_x = _mm256_set1_epi16(query->high[0]);
    __m256i low_y = _mm256_set1_epi16(query->low[1]), high_y = _mm256_set1_epi16(query->high[1]);
    __m256i low_z = _mm256_set1_epi16(query->low[2]), high_z = _mm256_set1_epi16(query->high[2]);
    __m256i one = _mm256_set1_epi64x((uint32_t)query->item);
    for (int32_t j = begin; j < end; j += 16) {
        unsigned inside = end - j >= 16 ? 0xffff : _bzhi_u32(0xffff, (unsigned)(end - j));
        __m256i a = _mm256_subs_epi16(load(job->low[0] + j), high_x), b = _mm256_subs_epi16(low_x, load(job->high[0] + j));
        __m256i c = _mm256_subs_epi16(load(job->low[1] + j), high_y), d = _mm256_subs_epi16(low_y, load(job->high[1] + j));
        __m256i e = _mm256_subs_epi16(load(job->low[2] + j), high_z), f = _mm256_subs_epi16(low_z, load(job->high[2] + j));
        __m256i gap = _mm256_max_epi16(_mm256_max_epi16(_mm256_max_epi16(a, b), _mm256_max_epi16(c, d)), _mm256_max_epi16(e, f));
        // Saturation to bytes keeps the sign and 0.
        __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(gap), _mm256_extracti128_si256(gap, 1));
        unsigned sure = (unsigned)_mm_movemask_epi8(bytes) & inside;
        unsigned ties = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128())) & inside;
        unsigned hits = sure;
        if (__builtin_expect(ties != 0, 0))
            hits |= ties & ~grid_refuted(job, query, j, ties);
        out = emit(job, one, job->item + j, hits & 255, out);
        out = emit(job, one, job->item + j + 8, hits >> 8, out);
    }
    return out;
}

void cd_grid_scan_avx2(void *job, int worker) { grid_walk(job, worker); }
#else
typedef int no_avx2;  // a file must declare something
#endif
