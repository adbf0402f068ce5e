// SPDX-License-Identifier: MIT
// CRC-32 of zlib and PNG: reflected, polynomial 0x04c11db7, register complemented before and after.
//
// Folding after V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction" (Intel,
// 2009). Bit m of a 128-bit register stands for x^(127-m); with L the low and H the high half, the register is A = L
// x^64 + H. Bytes D bits further on make A weigh A x^D = L x^(D+64) + H x^D, and modulo P both powers may be replaced
// by remainders of degree < 32. The carry-less product of two reflected 64-bit numbers comes out one place low, which
// multiplies by x. A remainder R stored with the coefficient of x^d in bit 32-d stands for R x^31. So L times
// stored(R) is L R x^32, and what must be stored is
//     for L:  stored(x^(D+32) mod P)      for H:  stored(x^(D-32) mod P)
// with D = 512 where four registers are folded side by side and D = 128 where they are joined. The last 16
// bytes, and what is left behind them, go through zlib: a register A of 16 bytes has the CRC register of those bytes.
// Registers of 512 bits (cd_crc32_avx512.c) take 64 GB/s of what lies in the cache, those of 128 bits 16.
#include "cd_codec.h"

#include "cd_crc32.h"
#include "cd_vector.h"

#include <zlib.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAS_FOLDING 1
#include <immintrin.h>

enum { FOLD_FIRST = 64, LANE = CD_CRC32_LANE };

#define FOLDING __attribute__((target("pclmul,sse2")))

static const uint64_t FOLD_512[2] = {0x154442bd4, 0x1c6e41596};  // stored(x^544 mod P), stored(x^480 mod P)
static const uint64_t FOLD_128[2] = {0x1751997d0, 0x0ccaa009e};  // stored(x^160 mod P), stored(x^96 mod P)

FOLDING static inline __m128i load(const unsigned char *bytes)
{
    return _mm_loadu_si128((const __m128i *)(const void *)bytes);
}

// A x^D + next, D as in the constants.
FOLDING static inline __m128i fold(__m128i a, __m128i constants, __m128i next)
{
    __m128i low = _mm_clmulepi64_si128(a, constants, 0x00), high = _mm_clmulepi64_si128(a, constants, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// As cd_crc32_fold_avx512; size >= FOLD_FIRST.
FOLDING static size_t fold_all(uint32_t state, const unsigned char *bytes, size_t size, unsigned char last[LANE])
{
    const unsigned char *at = bytes, *end = bytes + size;
    __m128i by_512 = load((const unsigned char *)FOLD_512), by_128 = load((const unsigned char *)FOLD_128);
    // The register enters as an addition to the first four bytes.
    __m128i a = _mm_xor_si128(load(at), _mm_cvtsi32_si128((int32_t)state));
    __m128i b = load(at + LANE), c = load(at + 2 * LANE), d = load(at + 3 * LANE);
    for (at += 4 * LANE; end - at >= 4 * LANE; at += 4 * LANE) {
        a = fold(a, by_512, load(at));
        b = fold(b, by_512, load(at + LANE));
        c = fold(c, by_512, load(at + 2 * LANE));
        d = fold(d, by_512, load(at + 3 * LANE));
    }
    a = fold(fold(fold(a, by_128, b), by_128, c), by_128, d);
    for (; end - at >= LANE; at += LANE)
        a = fold(a, by_128, load(at));
    _mm_storeu_si128((__m128i *)(void *)last, a);
    return (size_t)(at - bytes);
}

static bool is_wide(void)
{
    return cd_vector_detect(CD_VECTOR_AVX512) == CD_VECTOR_AVX512 && __builtin_cpu_supports("vpclmulqdq");
}
#endif

uint32_t cd_crc32(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    if (size == 0)
        return crc;
#ifdef HAS_FOLDING
    if (size >= FOLD_FIRST && __builtin_cpu_supports("pclmul")) {
        unsigned char last[LANE];
        size_t used = size >= CD_CRC32_WIDE_FIRST && is_wide() ? cd_crc32_fold_avx512(~crc, at, size, last)
                                                               : fold_all(~crc, at, size, last);
        // zlib complements the register on entry and return: ~0 enters as 0, and ~(~x) is what it returns.
        crc = (uint32_t)crc32_z(0xffffffffu, last, LANE);
        at += used;
        size -= used;
    }
#endif
    return (uint32_t)crc32_z(crc, at, size);
}
