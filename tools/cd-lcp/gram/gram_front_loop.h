// gram_front_loop -- the kernels of gram_front.h, compiled once for each vector level: the including file defines
// WIDTH, the doubles of a vector, 2, 4 or 8, and gets the functions of cd_front_kernels.
//
// Vectors are no wider than the machine's registers: what is wider the compiler keeps in memory. Every entry gets the
// same operations in the same order at every width.
// SPDX-License-Identifier: MIT
#include "gram_front_levels.h"

#include <math.h>
#include <stddef.h>

typedef double vec __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));

enum { PANEL = CD_FRONT_PANEL, STRIP = CD_FRONT_STRIP, TILE_COLUMNS = 4 };

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
static void subtract_few(const loss *t, int32_t begin, int32_t end)
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

// ---- the same, packed ----------------------------------------------------------------------------------------------

// A tile of l lies in columns that are far apart, each in a page of its own. Where it is read often it is copied: the
// rows of a chunk, PACK_ROWS at a time with their columns one after the other, and so the PACK_COLUMNS multipliers that
// they meet. The sums of a tile, PACK_ROWS x PACK_COLUMNS, fill the registers; the sum of an entry is the same.
enum {
    PACK_VECTORS = WIDTH == 8 ? 3 : 2,
    PACK_ROWS = PACK_VECTORS * WIDTH,
    PACK_COLUMNS = WIDTH == 8 ? 8 : 4,
    CHUNK = 240,          // rows, a multiple of PACK_ROWS at every width
    PACKED_LEAST = 512,   // rows: fewer stay in the cache as they are;
    PACKED_COLUMNS = 16,  // fewer columns do not repay the copy,
    PACKED_DEPTH = 16     // nor does a sum of fewer products
};

// `count` rows of l from `begin` on; what is missing of the last PACK_ROWS is 0.
static void pack_rows(const loss *t, int32_t begin, int32_t count, double *out)
{
    for (int32_t i = 0; i < count; i += PACK_ROWS) {
        const double *column = t->l + begin + i;
        for (int32_t k = 0; k < t->depth; k++, column += t->stride, out += PACK_ROWS) {
            _Pragma("GCC unroll 4") for (int v = 0; v < PACK_VECTORS; v++) * (vec *)(out + WIDTH * v) =
                i + WIDTH * v < count ? *(const vec *)(column + WIDTH * v) : (vec){0};
        }
    }
}

// Row j of l and those behind it, `count` of them, as multipliers of columns; the missing ones are 0.
static void pack_multipliers(const loss *t, int32_t j, int32_t count, double *out)
{
    const double *column = t->l + j;
    for (int32_t k = 0; k < t->depth; k++, column += t->stride, out += PACK_COLUMNS) {
        for (int32_t c = 0; c < PACK_COLUMNS; c++)
            out[c] = c < count ? column[c] : 0;
    }
}

// `rows` rows and `columns` columns of a from `out` on.
static void packed_tile(int32_t depth, const double *x, const double *b, double *out, size_t stride, int32_t rows,
                        int32_t columns)
{
    vec sum[PACK_COLUMNS][PACK_VECTORS] = {0};
    for (int32_t c = 0; c < columns; c++) {
        _Pragma("GCC unroll 4") for (int v = 0; v < PACK_VECTORS; v++)
            __builtin_prefetch(out + (size_t)c * stride + WIDTH * v, 1);
    }
    for (int32_t k = 0; k < depth; k++, x += PACK_ROWS, b += PACK_COLUMNS) {
        _Pragma("GCC unroll 8") for (int c = 0; c < PACK_COLUMNS; c++)
        {
            _Pragma("GCC unroll 4") for (int v = 0; v < PACK_VECTORS; v++) sum[c][v] +=
                *(const vec *)(x + WIDTH * v) * b[c];
        }
    }
    _Pragma("GCC unroll 8") for (int c = 0; c < PACK_COLUMNS; c++)
    {
        _Pragma("GCC unroll 4") for (int v = 0; v < PACK_VECTORS; v++)
        {
            if (c < columns && WIDTH * v < rows)
                *(vec *)(out + (size_t)c * stride + WIDTH * v) -= sum[c][v];
        }
    }
}

static void subtract_packed(const loss *t, int32_t begin, int32_t end)
{
    double x[CHUNK * PANEL] __attribute__((aligned(64))), b[PACK_COLUMNS * PANEL] __attribute__((aligned(64)));
    for (int32_t first = begin; first < t->n; first += CHUNK) {
        const int32_t count = first + CHUNK < t->n ? CHUNK : t->n - first;
        pack_rows(t, first, count, x);
        for (int32_t j = begin; j < end && j < first + count; j += PACK_COLUMNS) {
            const int32_t columns = j + PACK_COLUMNS < end ? PACK_COLUMNS : end - j;
            pack_multipliers(t, j, columns, b);
            for (int32_t i = j > first ? (j - first) / PACK_ROWS * PACK_ROWS : 0; i < count; i += PACK_ROWS)
                packed_tile(t->depth, x + (size_t)i * (size_t)t->depth, b,
                            t->a + (size_t)j * t->stride + (size_t)(first + i), t->stride, count - i, columns);
        }
    }
}

static void subtract_columns(const loss *t, int32_t begin, int32_t end)
{
    if (t->n - begin >= PACKED_LEAST && end - begin >= PACKED_COLUMNS && t->depth >= PACKED_DEPTH && t->depth <= PANEL)
        subtract_packed(t, begin, end);
    else
        subtract_few(t, begin, end);
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

static void take_panels(const cd_front *f, int32_t first, int32_t last, int32_t begin, int32_t end)
{
    const size_t stride = (size_t)cd_front_stride(f->n);
    for (int32_t k = first; k < last; k += PANEL)
        subtract_columns(&(loss){f->n, f->a, stride, f->a + (size_t)k * stride, k + PANEL < last ? PANEL : last - k},
                         begin, end);
}

static int32_t factor_columns(const cd_front *f, int32_t begin, int32_t end)
{
    const size_t stride = (size_t)cd_front_stride(f->n);
    int32_t raised = 0;
    for (int32_t panel = begin; panel < end; panel += PANEL) {
        const int32_t panel_end = panel + PANEL < end ? panel + PANEL : end;
        for (int32_t first = panel; first < panel_end; first += STRIP) {
            const int32_t last = first + STRIP < panel_end ? first + STRIP : panel_end;
            double *a = f->a + (size_t)first * (stride + 1);
            raised += factor_strip(f->n - first, last - first, a, stride, f->floor ? f->floor + first : NULL,
                                   f->inverse + first);
            subtract_columns(&(loss){f->n, f->a, stride, f->a + (size_t)first * stride, last - first}, last, panel_end);
        }
        take_panels(f, panel, panel_end, panel_end, end);
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
