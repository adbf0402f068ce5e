// lcp_lanes -- four numbers at once, for the vector loops of this folder. A header of its own: what loops share is
// compiled into each of its callers, for a function of its own would be one for the plainest machine.
// SPDX-License-Identifier: MIT
#ifndef LCP_LANES_H
#define LCP_LANES_H

#include <stddef.h>
#include <stdint.h>

// No wider than most machines' registers: what is wider the compiler keeps in memory.
typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t int4 __attribute__((vector_size(32), aligned(8), may_alias));
enum { LANES = 4 };
#define INLINE static inline __attribute__((always_inline))

// The lanes of a (0 to 3) and b (4 to 7) that are named. One builtin of each compiler: GCC has the other's from 12 on.
#ifdef __clang__
#define LANES_OF(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define LANES_OF(a, b, ...) __builtin_shuffle(a, b, (int4){__VA_ARGS__})
#endif

// Rows i to i + 3 of M from column j on, as columns.
INLINE void transpose(const double *M, size_t stride, vec4 out[LANES])
{
    const vec4 a = *(const vec4 *)M, b = *(const vec4 *)(M + stride), c = *(const vec4 *)(M + 2 * stride),
               d = *(const vec4 *)(M + 3 * stride);
    const vec4 ab = LANES_OF(a, b, 0, 4, 2, 6), ab1 = LANES_OF(a, b, 1, 5, 3, 7), cd = LANES_OF(c, d, 0, 4, 2, 6),
               cd1 = LANES_OF(c, d, 1, 5, 3, 7);
    out[0] = LANES_OF(ab, cd, 0, 1, 4, 5);
    out[1] = LANES_OF(ab1, cd1, 0, 1, 4, 5);
    out[2] = LANES_OF(ab, cd, 2, 3, 6, 7);
    out[3] = LANES_OF(ab1, cd1, 2, 3, 6, 7);
}

#endif
