// gram_front_loop -- the kernels of gram_front.h, compiled once for each vector level: the including file defines
// WIDTH, the doubles of a vector, 2, 4 or 8, and gets `factor`, `forward` and `backward`.
//
// Vectors are no wider than the machine's registers: what is wider the compiler keeps in memory. Every entry gets the
// same operations in the same order at every width.
// SPDX-License-Identifier: MIT
#include "gram_front.h"

#include <math.h>
#include <stddef.h>

typedef double vec __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));

// A panel of columns is factored before the rest of the front is touched: so many that it is read often, and so few
// that a tile's share of it stays in the cache. Inside it the same with strips, whose rows stay in registers.
enum { PANEL = 48, STRIP = 8, TILE_COLUMNS = 4 };

#define INLINE static inline __attribute__((always_inline))

// ---- factor --------------------------------------------------------------------------------------------------------

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
    vec sum[TILE_COLUMNS][2] = {0};
    const double *column = t->l;
    for (int32_t k = 0; k < t->depth; k++, column += t->stride) {
        const double *b = column + j;
        const vec x = *(const vec *)(column + i);
        vec y = {0};
        if (vectors > 1)
            y = *(const vec *)(column + i + WIDTH);
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
        *(vec *)(out + (size_t)c * t->stride) -= sum[c][0];
        if (vectors > 1)
            *(vec *)(out + (size_t)c * t->stride + WIDTH) -= sum[c][1];
    }
}

INLINE void tiles(const loss *t, int32_t j, int columns)
{
    int32_t i = j;
    for (; i + WIDTH < t->n; i += 2 * WIDTH)
        tile(t, i, j, 2, columns);
    if (i < t->n)
        tile(t, i, j, 1, columns);
}

// Columns from `begin` to `end`.
static void subtract_columns(const loss *t, int32_t begin, int32_t end)
{
    int32_t j = begin;
    for (; j + TILE_COLUMNS <= end; j += TILE_COLUMNS)
        tiles(t, j, TILE_COLUMNS);
    if (j + 2 <= end) {
        tiles(t, j, 2);
        j += 2;
    }
    if (j < end)
        tiles(t, j, 1);
}

// The first `count` rows of a strip of as many columns; a is its first diagonal entry.
static int32_t factor_triangle(int32_t count, double *a, size_t stride, const double *floor, double *inverse)
{
    int32_t raised = 0;
    for (int32_t k = 0; k < count; k++) {
        double *column = a + (size_t)k * stride, pivot = column[k];
        if (floor && !(pivot > floor[k])) {
            pivot = floor[k];
            raised++;
        }
        column[k] = sqrt(pivot);
        inverse[k] = 1 / column[k];
        for (int32_t i = k + 1; i < count; i++)
            column[i] *= inverse[k];
        for (int32_t j = k + 1; j < count; j++) {
            for (int32_t i = j; i < count; i++)
                a[(size_t)j * stride + (size_t)i] -= column[j] * column[i];
        }
    }
    return raised;
}

// What is below them, rows up to n.
INLINE void factor_rows(int32_t n, int count, double *a, size_t stride, const double *inverse)
{
    for (int32_t i = count; i < n; i += WIDTH) {
        vec x[STRIP];
        _Pragma("GCC unroll 8") for (int k = 0; k < count; k++) x[k] = *(const vec *)(a + (size_t)k * stride + i);
        _Pragma("GCC unroll 8") for (int k = 0; k < count; k++)
        {
            x[k] *= inverse[k];
            _Pragma("GCC unroll 8") for (int j = k + 1; j < count; j++) x[j] -= x[k] * a[(size_t)k * stride + j];
            *(vec *)(a + (size_t)k * stride + i) = x[k];
        }
    }
}

static int32_t factor_strip(int32_t n, int32_t count, double *a, size_t stride, const double *floor, double *inverse)
{
    const int32_t raised = factor_triangle(count, a, stride, floor, inverse);
    switch (count) {
    case 1:
        factor_rows(n, 1, a, stride, inverse);
        break;
    case 2:
        factor_rows(n, 2, a, stride, inverse);
        break;
    case 3:
        factor_rows(n, 3, a, stride, inverse);
        break;
    case 4:
        factor_rows(n, 4, a, stride, inverse);
        break;
    case 5:
        factor_rows(n, 5, a, stride, inverse);
        break;
    case 6:
        factor_rows(n, 6, a, stride, inverse);
        break;
    case 7:
        factor_rows(n, 7, a, stride, inverse);
        break;
    default:
        factor_rows(n, STRIP, a, stride, inverse);
    }
    return raised;
}

static int32_t factor(int32_t n, int32_t p, double *a, const double *floor, double *inverse)
{
    const size_t stride = (size_t)cd_front_stride(n);
    int32_t raised = 0;
    for (int32_t begin = 0; begin < p; begin += PANEL) {
        const int32_t end = begin + PANEL < p ? begin + PANEL : p;
        for (int32_t first = begin; first < end; first += STRIP) {
            const int32_t last = first + STRIP < end ? first + STRIP : end;
            raised += factor_strip(n - first, last - first, a + (size_t)first * (stride + 1), stride,
                                   floor ? floor + first : NULL, inverse + first);
            subtract_columns(&(loss){n, a, stride, a + (size_t)first * stride, last - first}, last, end);
        }
        subtract_columns(&(loss){n, a, stride, a + (size_t)begin * stride, end - begin}, end, n);
    }
    return raised;
}

static void subtract(int32_t n, double *a, size_t stride, const double *l, int32_t depth)
{
    subtract_columns(&(loss){n, a, stride, l, depth}, 0, n);
}

// ---- solutions -----------------------------------------------------------------------------------------------------

// Both take four columns at once where there are four: x is then read once for them all. The entries of x that belong
// to the four columns are set aside meanwhile, for whole vectors reach over them.
enum { TOGETHER = 4, SUMS = CD_FRONT_LANES / WIDTH };

static void forward(int32_t n, int32_t p, const double *panel, const double *inverse, double *x)
{
    const size_t rows = (size_t)cd_front_rows(n);
    int32_t k = 0;
    for (; k + TOGETHER <= p; k += TOGETHER) {
        const double *a = panel + (size_t)k * rows, *b = a + rows, *c = b + rows, *d = c + rows;
        const double xa = x[k] * inverse[k], xb = (x[k + 1] - a[k + 1] * xa) * inverse[k + 1],
                     xc = (x[k + 2] - a[k + 2] * xa - b[k + 2] * xb) * inverse[k + 2],
                     xd = (x[k + 3] - a[k + 3] * xa - b[k + 3] * xb - c[k + 3] * xc) * inverse[k + 3];
        for (int32_t i = (k + TOGETHER) / WIDTH * WIDTH; i < n; i += WIDTH)
            *(vec *)(x + i) -= (xa * *(const vec *)(a + i) + xb * *(const vec *)(b + i)) +
                               (xc * *(const vec *)(c + i) + xd * *(const vec *)(d + i));
        x[k] = xa;
        x[k + 1] = xb;
        x[k + 2] = xc;
        x[k + 3] = xd;
    }
    for (; k < p; k++) {
        x[k] *= inverse[k];
        for (int32_t i = (k + 1) / WIDTH * WIDTH; i < n; i += WIDTH)
            *(vec *)(x + i) -= x[k] * *(const vec *)(panel + (size_t)k * rows + i);
    }
}

// Eight entries added up in a fixed order.
INLINE double total(const vec *sum)
{
    double s[CD_FRONT_LANES / 2];
    _Pragma("GCC unroll 4") for (int k = 0; k < CD_FRONT_LANES / 2; k++)
    {
        const int other = k + CD_FRONT_LANES / 2;
        s[k] = sum[k / WIDTH][k % WIDTH] + sum[other / WIDTH][other % WIDTH];
    }
    return (s[0] + s[2]) + (s[1] + s[3]);
}

static void backward(int32_t n, int32_t p, const double *panel, const double *inverse, double *x)
{
    const size_t rows = (size_t)cd_front_rows(n);
    const int32_t whole = p / TOGETHER * TOGETHER;
    for (int32_t k = p - 1; k >= whole; k--) {
        const double *column = panel + (size_t)k * rows;
        vec sum[SUMS] = {0};
        for (int32_t i = (k + 1) / CD_FRONT_LANES * CD_FRONT_LANES; i < n; i += CD_FRONT_LANES) {
            _Pragma("GCC unroll 4") for (int v = 0; v < SUMS; v++) sum[v] +=
                *(const vec *)(column + i + WIDTH * v) * *(const vec *)(x + i + WIDTH * v);
        }
        x[k] = inverse[k] * (x[k] - total(sum));
    }
    for (int32_t k = whole - TOGETHER; k >= 0; k -= TOGETHER) {
        const double *a = panel + (size_t)k * rows, *b = a + rows, *c = b + rows, *d = c + rows;
        const double xa = x[k], xb = x[k + 1], xc = x[k + 2], xd = x[k + 3];
        vec sum[TOGETHER][SUMS] = {0};
        x[k] = x[k + 1] = x[k + 2] = x[k + 3] = 0;
        for (int32_t i = (k + TOGETHER) / CD_FRONT_LANES * CD_FRONT_LANES; i < n; i += CD_FRONT_LANES) {
            _Pragma("GCC unroll 4") for (int v = 0; v < SUMS; v++)
            {
                const int32_t at = i + WIDTH * v;
                const vec y = *(const vec *)(x + at);
                sum[0][v] += *(const vec *)(a + at) * y;
                sum[1][v] += *(const vec *)(b + at) * y;
                sum[2][v] += *(const vec *)(c + at) * y;
                sum[3][v] += *(const vec *)(d + at) * y;
            }
        }
        x[k + 3] = inverse[k + 3] * (xd - total(sum[3]));
        x[k + 2] = inverse[k + 2] * (xc - total(sum[2]) - c[k + 3] * x[k + 3]);
        x[k + 1] = inverse[k + 1] * (xb - total(sum[1]) - b[k + 2] * x[k + 2] - b[k + 3] * x[k + 3]);
        x[k] = inverse[k] * (xa - total(sum[0]) - a[k + 1] * x[k + 1] - a[k + 2] * x[k + 2] - a[k + 3] * x[k + 3]);
    }
}
