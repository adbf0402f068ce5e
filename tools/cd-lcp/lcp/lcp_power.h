// lcp_power -- powers of two that scale a number: multiplied by them, nothing is rounded. In line, for equilibration
// asks for millions of them.
// SPDX-License-Identifier: MIT
#ifndef LCP_POWER_H
#define LCP_POWER_H

#include <math.h>
#include <stdint.h>
#include <string.h>

// Of an equilibration, dense, sparse or of one number: from a spread of 2^16 down to 2; further ones change nothing
// that powers of two can express.
enum { CD_LCP_SWEEPS = 4 };

// frexp's exponent of a finite x that is not 0: |x| in [2^(e-1), 2^e).
static inline int cd_lcp_exponent_(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent > 0)
        return exponent - 1022;
    frexp(x, &exponent);
    return exponent;
}

static inline double cd_lcp_power_of_two_(int exponent)
{
    if (exponent < -1022 || exponent > 1023)
        return ldexp(1, exponent);
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// 2^k with |x| 2^k in [1/2, 1); 1 for x = 0 and values that are not finite.
static inline double cd_lcp_power_for(double x)
{
    return x == 0 || !isfinite(x) ? 1 : cd_lcp_power_of_two_(-cd_lcp_exponent_(x));
}

// 2^k near 1 / sqrt(x), for equilibration: rows and columns share the work, each sweep halves the logarithm of what is
// left.
static inline double cd_lcp_half_power_for(double x)
{
    if (x == 0 || !isfinite(x))
        return 1;
    const int exponent = cd_lcp_exponent_(x);
    return cd_lcp_power_of_two_(-(exponent - (exponent & 1)) / 2);  // the floor of half the exponent
}

#endif
