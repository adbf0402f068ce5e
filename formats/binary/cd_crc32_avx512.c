// Folding of cd_crc32.c, four lanes to a register: the same constants, and those for D = 2048.
// SPDX-License-Identifier: MIT
#include "cd_crc32.h"

#ifdef __AVX512F__
#include <immintrin.h>

#define FOLDING __attribute__((target("pclmul,vpclmulqdq")))

// For L and H: stored(x^(D+32) mod P), stored(x^(D-32) mod P).
static const uint64_t FOLD_2048[2] = {0x11542778a, 0x1322d1430};
static const uint64_t FOLD_512[2] = {0x154442bd4, 0x1c6e41596};
static const uint64_t FOLD_128[2] = {0x1751997d0, 0x0ccaa009e};

FOLDING static inline __m512i load(const unsigned char *bytes) { return _mm512_loadu_si512((const void *)bytes); }

FOLDING static inline __m512i wide(const uint64_t constants[2])
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)constants));
}

FOLDING static inline __m512i fold(__m512i a, __m512i constants, __m512i next)
{
    __m512i low = _mm512_clmulepi64_epi128(a, constants, 0x00), high = _mm512_clmulepi64_epi128(a, constants, 0x11);
    return _mm512_ternarylogic_epi64(low, high, next, 0x96);  // the sum of all three
}

FOLDING static inline __m128i fold_lane(__m128i a, __m128i constants, __m128i next)
{
    __m128i low = _mm_clmulepi64_si128(a, constants, 0x00), high = _mm_clmulepi64_si128(a, constants, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

FOLDING size_t cd_crc32_fold_avx512(uint32_t state, const unsigned char *bytes, size_t size,
                                    unsigned char last[CD_CRC32_LANE])
{
    enum { WIDE = 64 };
    const unsigned char *at = bytes, *end = bytes + size;
    __m512i by_2048 = wide(FOLD_2048), by_512 = wide(FOLD_512);
    __m512i a = _mm512_xor_si512(load(at), _mm512_zextsi128_si512(_mm_cvtsi32_si128((int32_t)state)));
    __m512i b = load(at + WIDE), c = load(at + 2 * WIDE), d = load(at + 3 * WIDE);
    for (at += 4 * WIDE; end - at >= 4 * WIDE; at += 4 * WIDE) {
        a = fold(a, by_2048, load(at));
        b = fold(b, by_2048, load(at + WIDE));
        c = fold(c, by_2048, load(at + 2 * WIDE));
        d = fold(d, by_2048, load(at + 3 * WIDE));
    }
    a = fold(fold(fold(a, by_512, b), by_512, c), by_512, d);
    for (; end - at >= WIDE; at += WIDE)
        a = fold(a, by_512, load(at));
    __m128i by_128 = _mm_loadu_si128((const __m128i *)(const void *)FOLD_128);
    __m128i lane = fold_lane(_mm512_extracti32x4_epi32(a, 0), by_128, _mm512_extracti32x4_epi32(a, 1));
    lane = fold_lane(lane, by_128, _mm512_extracti32x4_epi32(a, 2));
    lane = fold_lane(lane, by_128, _mm512_extracti32x4_epi32(a, 3));
    for (; end - at >= CD_CRC32_LANE; at += CD_CRC32_LANE)
        lane = fold_lane(lane, by_128, _mm_loadu_si128((const __m128i *)(const void *)at));
    _mm_storeu_si128((__m128i *)(void *)last, lane);
    return (size_t)(at - bytes);
}
#endif
