// SPDX-License-Identifier: MIT
#include "lcp_vector.h"

#include "cd_vector.h"

#include <math.h>

// No wider than most machines' registers: what is wider the compiler keeps in memory.
typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t int4 __attribute__((vector_size(32), aligned(8), may_alias));
enum { LANES = 4 };

CD_VECTOR_CLONES double cd_vector_dot(const double *x, const double *y, int32_t count)
{
    vec4 low = {0}, high = {0};
    int32_t k = 0;
    for (; k + 2 * LANES <= count; k += 2 * LANES) {
        low += *(const vec4 *)(x + k) * *(const vec4 *)(y + k);
        high += *(const vec4 *)(x + k + LANES) * *(const vec4 *)(y + k + LANES);
    }
    low += high;
    double total = (low[0] + low[2]) + (low[1] + low[3]);
    for (; k < count; k++)
        total += x[k] * y[k];
    return total;
}

CD_VECTOR_CLONES void cd_vector_subtract(double *y, double f, const double *x, int32_t count)
{
    int32_t k = 0;
    for (; k + LANES <= count; k += LANES)
        *(vec4 *)(y + k) -= f * *(const vec4 *)(x + k);
    for (; k < count; k++)
        y[k] -= f * x[k];
}

CD_VECTOR_CLONES size_t cd_vector_filled(const double *a, size_t count)
{
    int4 filled = {0};
    size_t k = 0;
    for (; k + LANES <= count; k += LANES)
        filled -= *(const vec4 *)(a + k) != (vec4){0};  // true is -1
    size_t sum = (size_t)(filled[0] + filled[1] + filled[2] + filled[3]);
    for (; k < count; k++)
        sum += a[k] != 0;
    return sum;
}

#define LARGER(a, b) ((vec4)(((int4)(a) & ((a) > (b))) | ((int4)(b) & ~((a) > (b)))))

CD_VECTOR_CLONES double cd_vector_largest(const double *a, double scale, const double *c, double *most, int32_t count)
{
    vec4 row = {0};
    int32_t k = 0;
    for (; k + LANES <= count; k += LANES) {
        const vec4 size = (vec4)(*(const int4 *)(a + k) & INT64_MAX) * scale * *(const vec4 *)(c + k),
                   before = *(const vec4 *)(most + k);
        row = LARGER(size, row);
        *(vec4 *)(most + k) = LARGER(size, before);
    }
    double largest = cd_larger(cd_larger(row[0], row[1]), cd_larger(row[2], row[3]));
    for (; k < count; k++) {
        const double size = fabs(a[k]) * scale * c[k];
        largest = cd_larger(size, largest);
        most[k] = cd_larger(size, most[k]);
    }
    return largest;
}

CD_VECTOR_CLONES void cd_vector_rotate(double *top, double *carried, const double *below, double c, double s,
                                       int32_t count)
{
    int32_t k = 0;
    for (; k + LANES <= count; k += LANES) {
        const vec4 a = *(const vec4 *)(carried + k), b = *(const vec4 *)(below + k);
        *(vec4 *)(top + k) = c * a + s * b;
        *(vec4 *)(carried + k) = c * b - s * a;
    }
    for (; k < count; k++) {
        double a = carried[k], b = below[k];
        top[k] = c * a + s * b;
        carried[k] = c * b - s * a;
    }
}
