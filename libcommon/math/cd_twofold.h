// cd_twofold -- numbers of twice a double's digits, as unevaluated sums of two doubles: relative errors of a few
// 2^-104, as long as nothing leaves the range. Source: Dekker 1971; Joldes, Muller & Popescu 2017 (error bounds).
// SPDX-License-Identifier: MIT
#ifndef CD_TWOFOLD_H
#define CD_TWOFOLD_H

#include "cd_vec3.h"

typedef struct cd_twofold {
    double high, low;
} cd_twofold;

typedef struct cd_twofold3 {
    cd_twofold x, y, z;
} cd_twofold3;

static inline cd_twofold cd_twofold_fast_sum(double a, double b)  // |a| >= |b| or a == 0
{
    double sum = a + b;
    return (cd_twofold){sum, b - (sum - a)};
}

static inline cd_twofold cd_twofold_exact_sum(double a, double b)
{
    double sum = a + b, of_b = sum - a;
    return (cd_twofold){sum, (a - (sum - of_b)) + (b - of_b)};
}

static inline cd_twofold cd_twofold_add(cd_twofold a, cd_twofold b)
{
    cd_twofold high = cd_twofold_exact_sum(a.high, b.high), low = cd_twofold_exact_sum(a.low, b.low);
    high = cd_twofold_fast_sum(high.high, high.low + low.high);
    return cd_twofold_fast_sum(high.high, high.low + low.low);
}

static inline cd_twofold cd_twofold_negate(cd_twofold a) { return (cd_twofold){-a.high, -a.low}; }
static inline cd_twofold cd_twofold_subtract(cd_twofold a, cd_twofold b)
{
    return cd_twofold_add(a, cd_twofold_negate(b));
}

static inline cd_twofold cd_twofold_multiply(cd_twofold a, cd_twofold b)
{
    double product = a.high * b.high, rest = fma(a.high, b.high, -product);
    return cd_twofold_fast_sum(product, rest + (a.high * b.low + a.low * b.high));
}

static inline cd_twofold cd_twofold_divide(cd_twofold a, cd_twofold b)
{
    double first = a.high / b.high;
    cd_twofold rest = cd_twofold_subtract(a, cd_twofold_multiply(b, (cd_twofold){first, 0}));
    return cd_twofold_fast_sum(first, rest.high / b.high);
}

static inline cd_twofold3 cd_twofold_subtract3(cd_twofold3 a, cd_twofold3 b)
{
    return (cd_twofold3){cd_twofold_subtract(a.x, b.x), cd_twofold_subtract(a.y, b.y), cd_twofold_subtract(a.z, b.z)};
}

static inline cd_twofold cd_twofold_dot3(cd_twofold3 a, cd_twofold3 b)
{
    return cd_twofold_add(cd_twofold_add(cd_twofold_multiply(a.x, b.x), cd_twofold_multiply(a.y, b.y)),
                          cd_twofold_multiply(a.z, b.z));
}

static inline cd_twofold3 cd_twofold_add_scaled3(cd_twofold3 a, cd_twofold s, cd_twofold3 b)
{
    return (cd_twofold3){cd_twofold_add(a.x, cd_twofold_multiply(s, b.x)),
                         cd_twofold_add(a.y, cd_twofold_multiply(s, b.y)),
                         cd_twofold_add(a.z, cd_twofold_multiply(s, b.z))};
}

static inline cd_twofold3 cd_twofold_cross3(cd_twofold3 a, cd_twofold3 b)
{
    return (cd_twofold3){cd_twofold_subtract(cd_twofold_multiply(a.y, b.z), cd_twofold_multiply(a.z, b.y)),
                         cd_twofold_subtract(cd_twofold_multiply(a.z, b.x), cd_twofold_multiply(a.x, b.z)),
                         cd_twofold_subtract(cd_twofold_multiply(a.x, b.y), cd_twofold_multiply(a.y, b.x))};
}

static inline cd_vec3 cd_twofold_rounded3(cd_twofold3 a) { return (cd_vec3){a.x.high, a.y.high, a.z.high}; }

// a - b without rounding.
static inline cd_twofold3 cd_twofold_difference3(cd_vec3 a, cd_vec3 b)
{
    return (cd_twofold3){cd_twofold_exact_sum(a.x, -b.x), cd_twofold_exact_sum(a.y, -b.y),
                         cd_twofold_exact_sum(a.z, -b.z)};
}

#endif
