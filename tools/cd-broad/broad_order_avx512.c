// Lists of up to 16 numbers by a bitonic network in one register: K. E. Batcher, Sorting networks and their
// applications, 1968, in the form whose comparators all point the same way (each merge begins with a mirrored
// exchange). 10 steps of a permutation, a minimum and a masked maximum; no branch depends on the numbers.
// SPDX-License-Identifier: MIT
#include "broad_order.h"

#ifdef __AVX512F__
#include <immintrin.h>

// Lane i meets lane partner[i]; the lanes of `high` keep the larger number.
static inline __m512i exchange(__m512i v, __m512i partner, __mmask16 high)
{
    __m512i other = _mm512_permutexvar_epi32(partner, v);
    return _mm512_mask_max_epi32(_mm512_min_epi32(v, other), high, v, other);
}

static inline __m512i lanes_of(const int8_t lane[16])
{
    return _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)lane));
}

void cd_broad_sort_lists_avx512(const int32_t *from, const int32_t *list_first, int32_t lists, int32_t *to)
{
    static const int8_t flip2[16] = {1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14};
    static const int8_t flip4[16] = {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12};
    static const int8_t flip8[16] = {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8};
    static const int8_t flip16[16] = {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    static const int8_t step2[16] = {2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13};
    static const int8_t step4[16] = {4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11};
    const __m512i by2 = lanes_of(flip2), by4 = lanes_of(flip4), by8 = lanes_of(flip8), by16 = lanes_of(flip16);
    const __m512i two = lanes_of(step2), four = lanes_of(step4), most = _mm512_set1_epi32(INT32_MAX);
    for (int32_t i = 0; i < lists; i++) {
        int32_t first = list_first[i], count = list_first[i + 1] - first;
        if (count > CD_BROAD_NETWORK)
            continue;
        __mmask16 used = (__mmask16)((1u << count) - 1);
        __m512i v = _mm512_mask_loadu_epi32(most, used, from + first);
        v = exchange(v, by2, 0xaaaa);
        v = exchange(v, by4, 0xcccc);
        v = exchange(v, by2, 0xaaaa);
        v = exchange(v, by8, 0xf0f0);
        v = exchange(v, two, 0xcccc);
        v = exchange(v, by2, 0xaaaa);
        if (count > 8) {
            v = exchange(v, by16, 0xff00);
            v = exchange(v, four, 0xf0f0);
            v = exchange(v, two, 0xcccc);
            v = exchange(v, by2, 0xaaaa);
        }
        _mm512_mask_storeu_epi32(to + first, used, v);
    }
}
#endif
