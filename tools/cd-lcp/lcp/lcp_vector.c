// SPDX-License-Identifier: MIT
#include "lcp_vector.h"

#include "cd_vector.h"
#include "lcp_lanes.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// What `dot` makes of its two halves and the entries from k on.
INLINE double joined(vec4 low, vec4 high, const double *x, const double *y, int32_t k, int32_t count)
{
    low += high;
    double total = (low[0] + low[2]) + (low[1] + low[3]);
    for (; k < count; k++)
        total += x[k] * y[k];
    return total;
}

INLINE double dot(const double *x, const double *y, int32_t count)
{
    vec4 low = {0}, high = {0};
    int32_t k = 0;
    for (; k + 2 * LANES <= count; k += 2 * LANES) {
        low += *(const vec4 *)(x + k) * *(const vec4 *)(y + k);
        high += *(const vec4 *)(x + k + LANES) * *(const vec4 *)(y + k + LANES);
    }
    return joined(low, high, x, y, k, count);
}

// Of four rows: the same sums, which do not wait for each other. Each has a name: an array of them gcc keeps in
// memory.
INLINE void dot_four(const double *const row[], const double *v, int32_t count, double *out)
{
    const double *r0 = row[0], *r1 = row[1], *r2 = row[2], *r3 = row[3];
    vec4 low0 = {0}, low1 = {0}, low2 = {0}, low3 = {0}, high0 = {0}, high1 = {0}, high2 = {0}, high3 = {0};
    int32_t k = 0;
    for (; k + 2 * LANES <= count; k += 2 * LANES) {
        const vec4 a = *(const vec4 *)(v + k), b = *(const vec4 *)(v + k + LANES);
        low0 += *(const vec4 *)(r0 + k) * a;
        high0 += *(const vec4 *)(r0 + k + LANES) * b;
        low1 += *(const vec4 *)(r1 + k) * a;
        high1 += *(const vec4 *)(r1 + k + LANES) * b;
        low2 += *(const vec4 *)(r2 + k) * a;
        high2 += *(const vec4 *)(r2 + k + LANES) * b;
        low3 += *(const vec4 *)(r3 + k) * a;
        high3 += *(const vec4 *)(r3 + k + LANES) * b;
    }
    out[0] = joined(low0, high0, r0, v, k, count);
    out[1] = joined(low1, high1, r1, v, k, count);
    out[2] = joined(low2, high2, r2, v, k, count);
    out[3] = joined(low3, high3, r3, v, k, count);
}

CD_VECTOR_CLONES double cd_vector_dot(const double *x, const double *y, int32_t count) { return dot(x, y, count); }

CD_VECTOR_CLONES double cd_vector_dot_size(const double *x, const double *y, int32_t count, double *size)
{
    vec4 low = {0}, high = {0}, low_size = {0}, high_size = {0};
    int32_t k = 0;
    for (; k + 2 * LANES <= count; k += 2 * LANES) {
        const vec4 a = *(const vec4 *)(x + k) * *(const vec4 *)(y + k),
                   b = *(const vec4 *)(x + k + LANES) * *(const vec4 *)(y + k + LANES);
        low += a;
        high += b;
        low_size += (vec4)((int4)a & INT64_MAX);
        high_size += (vec4)((int4)b & INT64_MAX);
    }
    low += high;
    low_size += high_size;
    double total = (low[0] + low[2]) + (low[1] + low[3]);
    *size = (low_size[0] + low_size[2]) + (low_size[1] + low_size[3]);
    for (; k < count; k++) {
        const double term = x[k] * y[k];
        total += term;
        *size += fabs(term);
    }
    return total;
}

INLINE void subtract(double *y, double f, const double *x, int32_t count)
{
    int32_t k = 0;
    for (; k + 2 * LANES <= count; k += 2 * LANES) {
        *(vec4 *)(y + k) -= f * *(const vec4 *)(x + k);
        *(vec4 *)(y + k + LANES) -= f * *(const vec4 *)(x + k + LANES);
    }
    for (; k + LANES <= count; k += LANES)
        *(vec4 *)(y + k) -= f * *(const vec4 *)(x + k);
    for (; k < count; k++)
        y[k] -= f * x[k];
}

CD_VECTOR_CLONES void cd_vector_subtract(double *y, double f, const double *x, int32_t count)
{
    subtract(y, f, x, count);
}

// Four rows at once, each entry in the order of the rows: what they subtract one by one.
INLINE void subtract_four(double *y, const double *f, const double *const row[], int32_t count)
{
    int32_t k = 0;
    for (; k + LANES <= count; k += LANES)
        *(vec4 *)(y + k) = *(vec4 *)(y + k) - f[0] * *(const vec4 *)(row[0] + k) - f[1] * *(const vec4 *)(row[1] + k) -
                           f[2] * *(const vec4 *)(row[2] + k) - f[3] * *(const vec4 *)(row[3] + k);
    for (; k < count; k++)
        y[k] = y[k] - f[0] * row[0][k] - f[1] * row[1][k] - f[2] * row[2][k] - f[3] * row[3][k];
}

CD_VECTOR_CLONES void cd_vector_subtract_four(double *y, const double *f, const double *const row[], int32_t count)
{
    subtract_four(y, f, row, count);
}

CD_VECTOR_CLONES void cd_vector_forward(const double *r, size_t stride, int32_t count, double *v)
{
    int32_t p = 0;
    for (; p + LANES <= count; p += LANES) {
        const double *const row[] = {r + (size_t)p * stride + p + LANES, r + (size_t)(p + 1) * stride + p + LANES,
                                     r + (size_t)(p + 2) * stride + p + LANES,
                                     r + (size_t)(p + 3) * stride + p + LANES};
        double *f = v + p;
        bool is_any = false;
        for (int32_t a = 0; a < LANES; a++) {
            f[a] /= row[a][a - LANES];
            is_any = is_any || f[a] != 0;
            for (int32_t b = a + 1; b < LANES; b++)
                f[b] -= f[a] * row[a][b - LANES];
        }
        if (is_any)
            subtract_four(f + LANES, f, row, count - p - LANES);
    }
    for (; p < count; p++) {
        const double *row = r + (size_t)p * stride + p;
        v[p] /= row[0];
        if (v[p] != 0)
            subtract(v + p + 1, v[p], row + 1, count - p - 1);
    }
}

CD_VECTOR_CLONES void cd_vector_backward(const double *r, size_t stride, int32_t count, double *v)
{
    int32_t end = count;
    // Four rows at once do not wait for each other but in their own triangle.
    for (; end >= LANES; end -= LANES) {
        const int32_t p = end - LANES;
        const double *row[LANES];
        double product[LANES];
        for (int32_t a = 0; a < LANES; a++)
            row[a] = r + (size_t)(p + a) * stride + end;
        dot_four(row, v + end, count - end, product);
        for (int32_t a = LANES - 1; a >= 0; a--) {
            double sum = v[p + a] - product[a];
            for (int32_t b = LANES - 1; b > a; b--)
                sum -= row[a][b - LANES] * v[p + b];
            v[p + a] = sum / row[a][a - LANES];
        }
    }
    for (int32_t p = end - 1; p >= 0; p--) {
        const double *row = r + (size_t)p * stride + p;
        v[p] = (v[p] - dot(row + 1, v + p + 1, count - p - 1)) / row[0];
    }
}

CD_VECTOR_CLONES void cd_vector_forward_four(const double *r, size_t stride, int32_t count, double *v, double *gram)
{
    vec4 *x = (vec4 *)v;
    int32_t p = 0;
    for (; p + LANES <= count; p += LANES) {
        // Rows that none of the four meets, as most of a column or an arch.
        const int4 is_any = (x[p] != 0) | (x[p + 1] != 0) | (x[p + 2] != 0) | (x[p + 3] != 0);
        if ((is_any[0] | is_any[1] | is_any[2] | is_any[3]) == 0)
            continue;
        const double *r0 = r + (size_t)p * stride, *r1 = r0 + stride, *r2 = r1 + stride, *r3 = r2 + stride;
        const vec4 x0 = x[p] / r0[p], x1 = (x[p + 1] - r0[p + 1] * x0) / r1[p + 1],
                   x2 = (x[p + 2] - r0[p + 2] * x0 - r1[p + 2] * x1) / r2[p + 2],
                   x3 = (x[p + 3] - r0[p + 3] * x0 - r1[p + 3] * x1 - r2[p + 3] * x2) / r3[p + 3];
        x[p] = x0;
        x[p + 1] = x1;
        x[p + 2] = x2;
        x[p + 3] = x3;
        int32_t j = p + LANES;
        for (; j + 1 < count; j += 2) {
            const vec4 even = x[j] - r0[j] * x0 - r1[j] * x1 - r2[j] * x2 - r3[j] * x3,
                       odd = x[j + 1] - r0[j + 1] * x0 - r1[j + 1] * x1 - r2[j + 1] * x2 - r3[j + 1] * x3;
            x[j] = even;
            x[j + 1] = odd;
        }
        if (j < count)
            x[j] = x[j] - r0[j] * x0 - r1[j] * x1 - r2[j] * x2 - r3[j] * x3;
    }
    for (; p < count; p++) {
        const double *row = r + (size_t)p * stride;
        x[p] /= row[p];
        for (int32_t j = p + 1; j < count; j++)
            x[j] -= row[j] * x[p];
    }
    vec4 g0 = {0}, g1 = {0}, g2 = {0}, g3 = {0};
    for (p = 0; p < count; p++) {
        g0 += v[LANES * p] * x[p];
        g1 += v[LANES * p + 1] * x[p];
        g2 += v[LANES * p + 2] * x[p];
        g3 += v[LANES * p + 3] * x[p];
    }
    vec4 *g = (vec4 *)gram;
    g[0] = g0;
    g[1] = g1;
    g[2] = g2;
    g[3] = g3;
}

CD_VECTOR_CLONES size_t cd_vector_filled(const double *a, size_t count, bool *is_finite)
{
    int4 filled = {0}, finite = {-1, -1, -1, -1};
    size_t k = 0;
    for (; k + LANES <= count; k += LANES) {
        const vec4 number = *(const vec4 *)(a + k);
        filled -= number != (vec4){0};  // true is -1
        finite &= number - number == (vec4){0};
    }
    size_t sum = (size_t)(filled[0] + filled[1] + filled[2] + filled[3]);
    *is_finite = finite[0] & finite[1] & finite[2] & finite[3];
    for (; k < count; k++) {
        sum += a[k] != 0;
        *is_finite = *is_finite && a[k] - a[k] == 0;
    }
    return sum;
}

// Eight small numbers at once.
typedef int32_t int8 __attribute__((vector_size(32), aligned(4), may_alias));
enum { INT_LANES = 8 };

CD_VECTOR_CLONES bool cd_vector_ascends(const int32_t *row, const int32_t *col, int32_t count)
{
    int8 all = {-1, -1, -1, -1, -1, -1, -1, -1};
    int32_t k = 1;
    for (; k + INT_LANES <= count; k += INT_LANES) {
        const int8 before = *(const int8 *)(row + k - 1), own = *(const int8 *)(row + k);
        all &= (own > before) | ((own == before) & (*(const int8 *)(col + k) > *(const int8 *)(col + k - 1)));
    }
    bool ascends = true;
    for (int32_t j = 0; j < INT_LANES; j++)
        ascends = ascends && all[j];
    for (; k < count && ascends; k++)
        ascends = row[k] > row[k - 1] || (row[k] == row[k - 1] && col[k] > col[k - 1]);
    return ascends;
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

CD_VECTOR_CLONES double cd_vector_most(const double *a, const double *c, int32_t count)
{
    vec4 low = {0}, high = {0};
    int32_t k = 0;
    for (; k + 2 * LANES <= count; k += 2 * LANES) {
        const vec4 x = (vec4)(*(const int4 *)(a + k) & INT64_MAX) * *(const vec4 *)(c + k),
                   y = (vec4)(*(const int4 *)(a + k + LANES) & INT64_MAX) * *(const vec4 *)(c + k + LANES);
        low = LARGER(x, low);
        high = LARGER(y, high);
    }
    low = LARGER(low, high);
    double largest = cd_larger(cd_larger(low[0], low[1]), cd_larger(low[2], low[3]));
    for (; k < count; k++)
        largest = cd_larger(fabs(a[k]) * c[k], largest);
    return largest;
}

CD_VECTOR_CLONES void cd_vector_scale(double *out, const double *a, double f, const double *c, int32_t count)
{
    int32_t k = 0;
    for (; k + LANES <= count; k += LANES)
        *(vec4 *)(out + k) = *(const vec4 *)(a + k) * f * *(const vec4 *)(c + k);
    for (; k < count; k++)
        out[k] = a[k] * f * c[k];
}

CD_VECTOR_CLONES bool cd_vector_is_symmetric(const double *M, int32_t n)
{
    const size_t stride = (size_t)n;
    int32_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        int4 differs = {0};
        const double *row = M + (size_t)i * stride;
        for (int32_t j = 0; j <= i; j += LANES) {
            vec4 twin[LANES];
            transpose(M + (size_t)j * stride + (size_t)i, stride, twin);
            for (int32_t k = 0; k < LANES; k++)
                differs |= *(const vec4 *)(row + (size_t)k * stride + j) != twin[k];
        }
        if (differs[0] | differs[1] | differs[2] | differs[3])
            return false;
    }
    for (; i < n; i++) {
        for (int32_t j = 0; j < i; j++) {
            if (M[(size_t)i * stride + (size_t)j] != M[(size_t)j * stride + (size_t)i])
                return false;
        }
    }
    return true;
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
