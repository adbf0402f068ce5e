// SPDX-License-Identifier: MIT
#include "lcp_vector.h"

#include "cd_vector.h"

typedef double vec8 __attribute__((vector_size(64), aligned(8), may_alias));

CD_VECTOR_CLONES double cd_vector_dot(const double *x, const double *y, int32_t count)
{
    vec8 sum = {0};
    int32_t k = 0;
    for (; k + 8 <= count; k += 8)
        sum += *(const vec8 *)(x + k) * *(const vec8 *)(y + k);
    double total = ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
    for (; k < count; k++)
        total += x[k] * y[k];
    return total;
}

CD_VECTOR_CLONES void cd_vector_subtract(double *y, double f, const double *x, int32_t count)
{
    int32_t k = 0;
    for (; k + 8 <= count; k += 8)
        *(vec8 *)(y + k) -= f * *(const vec8 *)(x + k);
    for (; k < count; k++)
        y[k] -= f * x[k];
}

CD_VECTOR_CLONES void cd_vector_rotate(double *top, double *carried, const double *below, double c, double s,
                                       int32_t count)
{
    int32_t k = 0;
    for (; k + 8 <= count; k += 8) {
        vec8 a = *(vec8 *)(carried + k), b = *(const vec8 *)(below + k);
        *(vec8 *)(top + k) = c * a + s * b;
        *(vec8 *)(carried + k) = c * b - s * a;
    }
    for (; k < count; k++) {
        double a = carried[k], b = below[k];
        top[k] = c * a + s * b;
        carried[k] = c * b - s * a;
    }
}
