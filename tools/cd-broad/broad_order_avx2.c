// Lists of up to 32 numbers by a bitonic network in one, two or four registers, as broad_order_avx512.c has it: K. E.
// Batcher, Sorting networks and their applications, 1968.
// SPDX-License-Identifier: MIT
#include "broad_order.h"

#ifdef __AVX2__
#include <immintrin.h>
#include <string.h>

enum { LANES = 8, FLIP2 = 0xb1, FLIP4 = 0x1b, STEP2 = 0x4e };  // the latter orders of four lanes

#define INLINE static inline __attribute__((always_inline))

// The lanes of `high` keep the larger number. (Arguments of the instruction must be constants: so a macro.)
#define KEEP(v, other, high) _mm256_blend_epi32(_mm256_min_epi32(v, other), _mm256_max_epi32(v, other), high)

INLINE __m256i reversed(__m256i v) { return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0)); }

// Numbers that rise, then fall, or the other way round.
INLINE __m256i merge(__m256i v)
{
    v = KEEP(v, _mm256_permute2x128_si256(v, v, 0x01), 0xf0);
    v = KEEP(v, _mm256_shuffle_epi32(v, STEP2), 0xcc);
    return KEEP(v, _mm256_shuffle_epi32(v, FLIP2), 0xaa);
}

INLINE __m256i sort(__m256i v)
{
    v = KEEP(v, _mm256_shuffle_epi32(v, FLIP2), 0xaa);
    v = KEEP(v, _mm256_shuffle_epi32(v, FLIP4), 0xcc);
    v = KEEP(v, _mm256_shuffle_epi32(v, FLIP2), 0xaa);
    v = KEEP(v, reversed(v), 0xf0);
    v = KEEP(v, _mm256_shuffle_epi32(v, STEP2), 0xcc);
    return KEEP(v, _mm256_shuffle_epi32(v, FLIP2), 0xaa);
}

INLINE void sort_two(__m256i v[2])
{
    __m256i a = sort(v[0]), b = reversed(sort(v[1]));
    v[0] = merge(_mm256_min_epi32(a, b));
    v[1] = merge(_mm256_max_epi32(a, b));
}

INLINE void sort_four(__m256i v[4])
{
    sort_two(v);
    sort_two(v + 2);
    __m256i c = reversed(v[2]), d = reversed(v[3]);
    __m256i low = _mm256_min_epi32(v[0], d), next = _mm256_min_epi32(v[1], c);
    __m256i high = _mm256_max_epi32(v[0], d), last = _mm256_max_epi32(v[1], c);
    v[0] = merge(_mm256_min_epi32(low, next));
    v[1] = merge(_mm256_max_epi32(low, next));
    v[2] = merge(_mm256_min_epi32(high, last));
    v[3] = merge(_mm256_max_epi32(high, last));
}

// Eight numbers from `from` on, those from `count` on the greatest there is.
INLINE __m256i load(const int32_t *from, int32_t count)
{
    __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i is_there = _mm256_cmpgt_epi32(_mm256_set1_epi32(count), lane);
    __m256i v = _mm256_loadu_si256((const __m256i *)from);
    return _mm256_blendv_epi8(_mm256_set1_epi32(INT32_MAX), v, is_there);
}

// A list of at most LANES `registers`; writes all their lanes.
INLINE void sort_list(const int32_t *from, int32_t count, int32_t *to, int registers)
{
    __m256i v[4];
    for (int k = 0; k < registers; k++)
        v[k] = load(from + LANES * k, count - LANES * k);
    if (registers == 1)
        v[0] = sort(v[0]);
    else if (registers == 2)
        sort_two(v);
    else
        sort_four(v);
    for (int k = 0; k < registers; k++)
        _mm256_storeu_si256((__m256i *)(to + LANES * k), v[k]);
}

static void sort_any(const int32_t *from, int32_t count, int32_t *to)
{
    if (count <= LANES)
        sort_list(from, count, to, 1);
    else if (count <= 2 * LANES)
        sort_list(from, count, to, 2);
    else
        sort_list(from, count, to, 4);
}

void cd_broad_sort_lists_avx2(const int32_t *from, const int32_t *list_first, int32_t lists, int32_t least, int32_t *to)
{
    int32_t total = list_first[lists], i = 0;
    // What is written behind a list, the lists after it write again.
    for (; i < lists && list_first[i] + CD_BROAD_NETWORK_AVX2 <= total; i++) {
        int32_t first = list_first[i], count = list_first[i + 1] - first;
        if (count >= least && count <= CD_BROAD_NETWORK_AVX2)
            sort_any(from + first, count, to + first);
    }
    for (; i < lists; i++) {
        int32_t first = list_first[i], count = list_first[i + 1] - first, sorted[CD_BROAD_NETWORK_AVX2];
        if (count < least || count > CD_BROAD_NETWORK_AVX2)
            continue;
        sort_any(from + first, count, sorted);
        memcpy(to + first, sorted, (size_t)count * sizeof *to);
    }
}
#endif
