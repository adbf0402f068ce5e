// SPDX-License-Identifier: MIT
#include "gram_front.h"

#include "cd_vector.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef double vec8 __attribute__((vector_size(64), aligned(8), may_alias));

// A panel of columns is factored before the rest of the front is touched: so many that it is read often, and so few
// that a tile's share of it stays in the cache. Inside it the same with strips.
enum { LANES = CD_FRONT_LANES, PANEL = 48, STRIP = 8, TILE_COLUMNS = 4 };

#define INLINE static inline __attribute__((always_inline))

// y -= f x from row `begin` on, in whole vectors.
INLINE void subtract(double *y, double f, const double *x, int32_t begin, int32_t n)
{
    for (int32_t i = begin; i < n; i += LANES)
        *(vec8 *)(y + i) -= f * *(const vec8 *)(x + i);
}

// a loses l l' of `depth` columns; l is row 0 of the first one.
typedef struct loss {
    int32_t n;
    double *a;
    size_t stride;
    const double *l;
    int32_t depth;
} loss;

// `columns` columns from j on, 1 or 2 vectors of rows from i on.
INLINE void tile(const loss *t, int32_t i, int32_t j, int vectors, int columns)
{
    vec8 sum[TILE_COLUMNS][2] = {0};
    const double *column = t->l;
    for (int32_t k = 0; k < t->depth; k++, column += t->stride) {
        const double *b = column + j;
        const vec8 x = *(const vec8 *)(column + i);
        vec8 y = {0};
        if (vectors > 1)
            y = *(const vec8 *)(column + i + LANES);
        _Pragma("GCC unroll 4") for (int c = 0; c < columns; c++)
        {
            sum[c][0] += x * b[c];
            if (vectors > 1)
                sum[c][1] += y * b[c];
        }
    }
    double *out = t->a + (size_t)j * t->stride + (size_t)i;
    _Pragma("GCC unroll 4") for (int c = 0; c < columns; c++)
    {
        *(vec8 *)(out + (size_t)c * t->stride) -= sum[c][0];
        if (vectors > 1)
            *(vec8 *)(out + (size_t)c * t->stride + LANES) -= sum[c][1];
    }
}

INLINE void tiles(const loss *t, int32_t j, int columns)
{
    int32_t i = j;
    for (; i + LANES < t->n; i += 2 * LANES)
        tile(t, i, j, 2, columns);
    if (i < t->n)
        tile(t, i, j, 1, columns);
}

// Columns from `begin` to `end`.
INLINE void subtract_columns(const loss *t, int32_t begin, int32_t end)
{
    int32_t j = begin;
    for (; j + TILE_COLUMNS <= end; j += TILE_COLUMNS)
        tiles(t, j, TILE_COLUMNS);
    for (; j < end; j++)
        tiles(t, j, 1);
}

CD_VECTOR_CLONES int32_t cd_front_factor(int32_t n, int32_t p, double *a, const double *floor, double *inverse)
{
    const size_t stride = (size_t)cd_front_stride(n);
    int32_t raised = 0;
    for (int32_t begin = 0; begin < p; begin += PANEL) {
        const int32_t end = begin + PANEL < p ? begin + PANEL : p;
        for (int32_t first = begin; first < end; first += STRIP) {
            const int32_t last = first + STRIP < end ? first + STRIP : end;
            for (int32_t k = first; k < last; k++) {
                double *column = a + (size_t)k * stride;
                double pivot = column[k];
                if (floor && !(pivot > floor[k])) {
                    pivot = floor[k];
                    raised++;
                }
                column[k] = sqrt(pivot);
                inverse[k] = 1 / column[k];
                for (int32_t i = k + 1; i < n; i += LANES)
                    *(vec8 *)(column + i) *= inverse[k];
                for (int32_t j = k + 1; j < last; j++)
                    subtract(a + (size_t)j * stride, column[j], column, j, n);
            }
            subtract_columns(&(loss){n, a, stride, a + (size_t)first * stride, last - first}, last, end);
        }
        subtract_columns(&(loss){n, a, stride, a + (size_t)begin * stride, end - begin}, end, n);
    }
    return raised;
}

void cd_front_panel(int32_t n, int32_t p, const double *a, double *panel)
{
    const size_t stride = (size_t)cd_front_stride(n), rows = (size_t)cd_front_rows(n);
    for (int32_t k = 0; k < p; k++) {
        const double *column = a + (size_t)k * stride;
        double *out = panel + (size_t)k * rows;
        memset(out, 0, sizeof *out * ((size_t)k + 1));
        memcpy(out + k + 1, column + k + 1, sizeof *out * (size_t)(n - k - 1));
        memset(out + n, 0, sizeof *out * (rows - (size_t)n));
    }
}

// Both solutions take four columns at once where there are four: x is then read once for them all. The entries of x
// that belong to the four columns are set aside meanwhile, for whole vectors reach over them.
enum { TOGETHER = 4 };

CD_VECTOR_CLONES void cd_front_forward(int32_t n, int32_t p, const double *panel, const double *inverse, double *x)
{
    const size_t rows = (size_t)cd_front_rows(n);
    int32_t k = 0;
    for (; k + TOGETHER <= p; k += TOGETHER) {
        const double *a = panel + (size_t)k * rows, *b = a + rows, *c = b + rows, *d = c + rows;
        const double xa = x[k] * inverse[k], xb = (x[k + 1] - a[k + 1] * xa) * inverse[k + 1],
                     xc = (x[k + 2] - a[k + 2] * xa - b[k + 2] * xb) * inverse[k + 2],
                     xd = (x[k + 3] - a[k + 3] * xa - b[k + 3] * xb - c[k + 3] * xc) * inverse[k + 3];
        for (int32_t i = (k + TOGETHER) / LANES * LANES; i < n; i += LANES)
            *(vec8 *)(x + i) -= (xa * *(const vec8 *)(a + i) + xb * *(const vec8 *)(b + i)) +
                                (xc * *(const vec8 *)(c + i) + xd * *(const vec8 *)(d + i));
        x[k] = xa;
        x[k + 1] = xb;
        x[k + 2] = xc;
        x[k + 3] = xd;
    }
    for (; k < p; k++) {
        x[k] *= inverse[k];
        subtract(x, x[k], panel + (size_t)k * rows, (k + 1) / LANES * LANES, n);
    }
}

// The entries added up in a fixed order.
INLINE double total(const vec8 *sum)
{
    const vec8 s = *sum;
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

CD_VECTOR_CLONES void cd_front_backward(int32_t n, int32_t p, const double *panel, const double *inverse, double *x)
{
    const size_t rows = (size_t)cd_front_rows(n);
    const int32_t whole = p / TOGETHER * TOGETHER;
    for (int32_t k = p - 1; k >= whole; k--) {
        const double *column = panel + (size_t)k * rows;
        vec8 sum = {0};
        for (int32_t i = (k + 1) / LANES * LANES; i < n; i += LANES)
            sum += *(const vec8 *)(column + i) * *(const vec8 *)(x + i);
        x[k] = inverse[k] * (x[k] - total(&sum));
    }
    for (int32_t k = whole - TOGETHER; k >= 0; k -= TOGETHER) {
        const double *a = panel + (size_t)k * rows, *b = a + rows, *c = b + rows, *d = c + rows;
        const double xa = x[k], xb = x[k + 1], xc = x[k + 2], xd = x[k + 3];
        vec8 sum[TOGETHER] = {0};
        x[k] = x[k + 1] = x[k + 2] = x[k + 3] = 0;
        for (int32_t i = (k + TOGETHER) / LANES * LANES; i < n; i += LANES) {
            const vec8 y = *(const vec8 *)(x + i);
            sum[0] += *(const vec8 *)(a + i) * y;
            sum[1] += *(const vec8 *)(b + i) * y;
            sum[2] += *(const vec8 *)(c + i) * y;
            sum[3] += *(const vec8 *)(d + i) * y;
        }
        x[k + 3] = inverse[k + 3] * (xd - total(&sum[3]));
        x[k + 2] = inverse[k + 2] * (xc - total(&sum[2]) - c[k + 3] * x[k + 3]);
        x[k + 1] = inverse[k + 1] * (xb - total(&sum[1]) - b[k + 2] * x[k + 2] - b[k + 3] * x[k + 3]);
        x[k] = inverse[k] * (xa - total(&sum[0]) - a[k + 1] * x[k + 1] - a[k + 2] * x[k + 2] - a[k + 3] * x[k + 3]);
    }
}
