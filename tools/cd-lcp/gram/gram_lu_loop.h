// gram_lu_loop -- the kernels of gram_lu_front.h, compiled once for each vector level behind those of
// gram_front_loop.h, whose vectors they use.
// SPDX-License-Identifier: MIT
#include "gram_lu_front.h"

#include <float.h>

// ---- products ------------------------------------------------------------------------------------------------------

// y -= l u: rows x depth times depth x columns.
typedef struct product {
    int32_t rows, depth;
    const double *l, *u;
    double *y;
    size_t l_stride, u_stride, y_stride;
} product;

// `columns` columns of y, 1 or 2 vectors of rows from i on: each entry loses one product after the other.
INLINE void product_tile(const product *t, int32_t i, int vectors, int columns)
{
    vec sum[TILE_COLUMNS][2] = {0};
    double *y = t->y + i;
    const double *l = t->l + i, *u = t->u;
    _Pragma("GCC unroll 4") for (int c = 0; c < columns; c++)
    {
        sum[c][0] = *(const vec *)(y + (size_t)c * t->y_stride);
        if (vectors > 1)
            sum[c][1] = *(const vec *)(y + (size_t)c * t->y_stride + WIDTH);
    }
    for (int32_t k = 0; k < t->depth; k++, l += t->l_stride) {
        const vec low = *(const vec *)l;
        vec high = {0};
        if (vectors > 1)
            high = *(const vec *)(l + WIDTH);
        _Pragma("GCC unroll 4") for (int c = 0; c < columns; c++)
        {
            const double factor = u[(size_t)c * t->u_stride + (size_t)k];
            sum[c][0] -= factor * low;
            if (vectors > 1)
                sum[c][1] -= factor * high;
        }
    }
    _Pragma("GCC unroll 4") for (int c = 0; c < columns; c++)
    {
        *(vec *)(y + (size_t)c * t->y_stride) = sum[c][0];
        if (vectors > 1)
            *(vec *)(y + (size_t)c * t->y_stride + WIDTH) = sum[c][1];
    }
}

// The last vector may reach over the rows.
INLINE void take_product(const product *t, int columns)
{
    int32_t i = 0;
    for (; i + WIDTH < t->rows; i += 2 * WIDTH)
        product_tile(t, i, 2, columns);
    if (i < t->rows)
        product_tile(t, i, 1, columns);
}

// ---- rows of U -----------------------------------------------------------------------------------------------------

// What a strip of at most STRIP pivots takes from each other: L below its diagonal, and zeros. l: its first diagonal.
INLINE void copy_triangle(int32_t count, const double *l, size_t stride, double *triangle)
{
    for (int32_t k = 0; k < count; k++, l += stride, triangle += STRIP) {
        for (int32_t i = 0; i < STRIP; i++)
            triangle[i] = i > k && i < count ? l[i] : 0;
    }
}

// The rows of U of a strip in `columns` columns of y, whose other entries stay.
INLINE void solve_strip(int32_t count, const double *triangle, double *y, size_t stride, int columns)
{
    enum { VECTORS = STRIP / WIDTH };
    vec x[TILE_COLUMNS][VECTORS];
    _Pragma("GCC unroll 4") for (int c = 0; c < columns; c++)
    {
        _Pragma("GCC unroll 4") for (int v = 0; v < VECTORS; v++) x[c][v] =
            *(const vec *)(y + (size_t)c * stride + WIDTH * v);
    }
    _Pragma("GCC unroll 8") for (int k = 0; k < STRIP - 1; k++)
    {
        if (k + 1 >= count)
            break;
        _Pragma("GCC unroll 4") for (int c = 0; c < columns; c++)
        {
            const double factor = x[c][k / WIDTH][k % WIDTH];
            _Pragma("GCC unroll 4") for (int v = k / WIDTH; v < VECTORS; v++) x[c][v] -=
                factor * *(const vec *)(triangle + STRIP * k + WIDTH * v);
        }
    }
    _Pragma("GCC unroll 4") for (int c = 0; c < columns; c++)
    {
        _Pragma("GCC unroll 4") for (int v = 0; v < VECTORS; v++) * (vec *)(y + (size_t)c * stride + WIDTH * v) =
            x[c][v];
    }
}

// Pivots first to last - 1, whole strips but for the end of all.
typedef struct panel_of_pivots {
    const cd_lu_front *f;
    int32_t first, last;
    double triangle[PANEL * STRIP];  // of each strip
} panel_of_pivots;

INLINE void begin_pivots(panel_of_pivots *w, const cd_lu_front *f, int32_t first, int32_t last)
{
    const size_t stride = (size_t)cd_front_rows(f->n);
    w->f = f;
    w->first = first;
    w->last = last;
    for (int32_t k = first; k < last; k += STRIP)
        copy_triangle(k + STRIP < last ? STRIP : last - k, f->lower + (size_t)k * (stride + 1), stride,
                      w->triangle + (k - first) * STRIP);
}

// Rows first to last - 1 of y, which begins at the front's first row, become those of U.
INLINE void solve_rows(const panel_of_pivots *w, double *y, size_t stride, int columns)
{
    const size_t rows = (size_t)cd_front_rows(w->f->n);
    for (int32_t k = w->first; k < w->last; k += STRIP) {
        const int32_t count = k + STRIP < w->last ? STRIP : w->last - k, next = k + count;
        solve_strip(count, w->triangle + (k - w->first) * STRIP, y + k, stride, columns);
        take_product(&(product){w->last - next, count, w->f->lower + (size_t)k * rows + next, y + k, y + next, rows,
                                stride, stride},
                     columns);
    }
}

// Columns of `lower`, all of their rows.
INLINE void take_lower(const panel_of_pivots *w, int32_t j, int columns)
{
    const size_t rows = (size_t)cd_front_rows(w->f->n);
    double *y = w->f->lower + (size_t)j * rows;
    solve_rows(w, y, rows, columns);
    take_product(&(product){(int32_t)rows - w->last, w->last - w->first,
                            w->f->lower + (size_t)w->first * rows + w->last, y + w->first, y + w->last, rows, rows,
                            rows},
                 columns);
}

// Columns of `upper` and `rest`.
INLINE void take_rest(const panel_of_pivots *w, int32_t j, int columns)
{
    const cd_lu_front *f = w->f;
    const int32_t depth = w->last - w->first;
    const size_t rows = (size_t)cd_front_rows(f->n), above = (size_t)cd_front_rows(f->p),
                 below = (size_t)cd_front_rows(f->n - f->p);
    const double *l = f->lower + (size_t)w->first * rows;
    double *y = f->upper + (size_t)j * above, *u = y + w->first;
    solve_rows(w, y, above, columns);
    take_product(&(product){f->p - w->last, depth, l + w->last, u, y + w->last, rows, above, above}, columns);
    take_product(&(product){f->n - f->p, depth, l + f->p, u, f->rest + (size_t)j * below, rows, above, below}, columns);
}

static void lower_columns(const cd_lu_front *f, int32_t first, int32_t last, int32_t begin, int32_t end)
{
    panel_of_pivots w;
    int32_t j = begin;
    if (begin >= end)
        return;
    begin_pivots(&w, f, first, last);
    for (; j + TILE_COLUMNS <= end; j += TILE_COLUMNS)
        take_lower(&w, j, TILE_COLUMNS);
    for (; j + 2 <= end; j += 2)
        take_lower(&w, j, 2);
    if (j < end)
        take_lower(&w, j, 1);
}

static void exchange_rows(const cd_lu_front *f, int32_t begin, int32_t end)
{
    const size_t stride = (size_t)cd_front_rows(f->p);
    for (int32_t k = 0; k < f->p; k++) {
        const int32_t other = f->order[k];
        double *y = f->upper + (size_t)begin * stride;
        for (int32_t j = begin; j < end && other != k; j++, y += stride) {
            const double t = y[k];
            y[k] = y[other];
            y[other] = t;
        }
    }
}

static void rest_columns(const cd_lu_front *f, int32_t begin, int32_t end)
{
    exchange_rows(f, begin, end);
    for (int32_t first = 0; first < f->p; first += PANEL) {
        panel_of_pivots w;
        int32_t j = begin;
        begin_pivots(&w, f, first, first + PANEL < f->p ? first + PANEL : f->p);
        for (; j + TILE_COLUMNS <= end; j += TILE_COLUMNS)
            take_rest(&w, j, TILE_COLUMNS);
        for (; j + 2 <= end; j += 2)
            take_rest(&w, j, 2);
        if (j < end)
            take_rest(&w, j, 1);
    }
}

// ---- pivots --------------------------------------------------------------------------------------------------------

// Entry by entry of the vectors, eight of them.
enum { PARTS = CD_FRONT_LANES / WIDTH };

INLINE void add_squares(const double *y, vec *sum)
{
    _Pragma("GCC unroll 4") for (int v = 0; v < PARTS; v++) sum[v] +=
        *(const vec *)(y + WIDTH * v) * *(const vec *)(y + WIDTH * v);
}

// Rows from `begin` to the end of a column lose what `count` columns before it take: u of it, l. Adds their squares.
INLINE void take_before(int32_t begin, int32_t end, int count, const double *l, const double *u, double *y, vec *sum)
{
    for (int32_t i = begin; i < end; i += CD_FRONT_LANES) {
        _Pragma("GCC unroll 4") for (int v = 0; v < PARTS; v++)
        {
            vec x = *(const vec *)(y + i + WIDTH * v);
            _Pragma("GCC unroll 8") for (int k = 0; k < count; k++) x -=
                u[k] * *(const vec *)(l + (size_t)k * (size_t)end + i + WIDTH * v);
            *(vec *)(y + i + WIDTH * v) = x;
            sum[v] += x * x;
        }
    }
}

INLINE void take_block(int32_t begin, int32_t end, int32_t count, const double *l, const double *u, double *y, vec *sum)
{
    switch (count) {
    case 0:
        take_before(begin, end, 0, l, u, y, sum);
        break;
    case 1:
        take_before(begin, end, 1, l, u, y, sum);
        break;
    case 2:
        take_before(begin, end, 2, l, u, y, sum);
        break;
    case 3:
        take_before(begin, end, 3, l, u, y, sum);
        break;
    case 4:
        take_before(begin, end, 4, l, u, y, sum);
        break;
    case 5:
        take_before(begin, end, 5, l, u, y, sum);
        break;
    case 6:
        take_before(begin, end, 6, l, u, y, sum);
        break;
    default:
        take_before(begin, end, 7, l, u, y, sum);
    }
}

// Column k of a block that begins with k0 loses what those before it in the block take. Returns the sum of its squares.
static double gather_column(const cd_lu_front *f, int32_t k0, int32_t k)
{
    const size_t stride = (size_t)cd_front_rows(f->n);
    const int32_t edge = k0 + STRIP;
    double *y = f->lower + (size_t)k * stride;
    const double *l = f->lower + (size_t)k0 * stride;
    vec sum[PARTS] = {0};
    for (int32_t j = k0; j < k; j++) {
        for (int32_t i = j + 1; i < edge; i++)
            y[i] -= y[j] * l[(size_t)(j - k0) * stride + (size_t)i];
    }
    for (int32_t i = 0; i < edge; i += CD_FRONT_LANES)
        add_squares(y + i, sum);
    take_block(edge, (int32_t)stride, k - k0, l, y + k0, y, sum);
    return total(sum);
}

static void exchange_lower(const cd_lu_front *f, int32_t i, int32_t k)
{
    const size_t stride = (size_t)cd_front_rows(f->n);
    double *a = f->lower;
    for (int32_t j = 0; j < f->p && i != k; j++, a += stride) {
        const double t = a[i];
        a[i] = a[k];
        a[k] = t;
    }
}

// Pivots k0 to k1 - 1, at most STRIP: their columns become those of L, with U on and above the diagonal.
static void factor_pivots(const cd_lu_front *f, int32_t k0, int32_t k1)
{
    const int32_t rows = cd_front_rows(f->n);
    for (int32_t k = k0; k < k1; k++) {
        double *column = f->lower + (size_t)k * (size_t)rows;
        const double square = gather_column(f, k0, k);
        double top = fabs(column[k]);
        int32_t best = k;
        for (int32_t i = k + 1; i < f->p; i++) {
            if (fabs(column[i]) > top) {
                top = fabs(column[i]);
                best = i;
            }
        }
        exchange_lower(f, best, k);
        f->order[k] = best;
        const double least = DBL_EPSILON * (square > 1 ? sqrt(square) : 1);
        if (!(fabs(column[k]) > least))
            column[k] = column[k] < 0 ? -least : least;
        const double inverse = f->inverse[k] = 1 / column[k];
        int32_t i = k + 1;
        for (; i < k0 + STRIP; i++)
            column[i] *= inverse;
        for (; i < rows; i += WIDTH)
            *(vec *)(column + i) *= inverse;
    }
}

// ---- solutions -----------------------------------------------------------------------------------------------------

// One or two right sides, and multipliers of four columns for each.
typedef struct right_sides {
    int count;
    double *x;
    size_t apart;
    double t[2][TOGETHER];
} right_sides;

INLINE void take_entry(const right_sides *r, const double *a, size_t stride, int32_t i)
{
    const double *b = a + stride, *c = b + stride, *d = c + stride;
    _Pragma("GCC unroll 2") for (int s = 0; s < r->count; s++) r->x[(size_t)s * r->apart + (size_t)i] -=
        (r->t[s][0] * a[i] + r->t[s][1] * b[i]) + (r->t[s][2] * c[i] + r->t[s][3] * d[i]);
}

// x -= what four columns from a on take, in the entries from `begin` to `end`.
INLINE void take_four(int32_t begin, int32_t end, const double *a, size_t stride, const right_sides *r)
{
    const double *b = a + stride, *c = b + stride, *d = c + stride;
    int32_t i = begin;
    for (; i + WIDTH <= end; i += WIDTH) {
        const vec va = *(const vec *)(a + i), vb = *(const vec *)(b + i), vc = *(const vec *)(c + i),
                  vd = *(const vec *)(d + i);
        _Pragma("GCC unroll 2") for (int s = 0; s < r->count; s++) * (vec *)(r->x + (size_t)s * r->apart + i) -=
            (r->t[s][0] * va + r->t[s][1] * vb) + (r->t[s][2] * vc + r->t[s][3] * vd);
    }
    for (; i < end; i++)
        take_entry(r, a, stride, i);
}

INLINE void take_one(int32_t begin, int32_t end, const double *a, double t, double *x)
{
    int32_t i = begin;
    for (; i + WIDTH <= end; i += WIDTH)
        *(vec *)(x + i) -= t * *(const vec *)(a + i);
    for (; i < end; i++)
        x[i] -= t * a[i];
}

INLINE void lu_forward_of(const cd_lu_front *f, int sides, double *x, size_t apart)
{
    const size_t rows = (size_t)cd_front_rows(f->n);
    const double *a = f->lower;
    right_sides r = {.count = sides, .x = x, .apart = apart};
    int32_t k = 0;
    for (; k + TOGETHER <= f->p; k += TOGETHER, a += TOGETHER * rows) {
        _Pragma("GCC unroll 2") for (int s = 0; s < sides; s++)
        {
            double *y = x + (size_t)s * apart + k, *t = r.t[s];
            const double *low = a + k;
            t[0] = y[0];
            t[1] = y[1] -= low[1] * t[0];
            t[2] = y[2] = y[2] - low[2] * t[0] - low[rows + 2] * t[1];
            t[3] = y[3] = y[3] - low[3] * t[0] - low[rows + 3] * t[1] - low[2 * rows + 3] * t[2];
        }
        take_four(k + TOGETHER, (int32_t)rows, a, rows, &r);
    }
    for (; k < f->p; k++, a += rows) {
        for (int s = 0; s < sides; s++)
            take_one(k + 1, (int32_t)rows, a, x[(size_t)s * apart + (size_t)k], x + (size_t)s * apart);
    }
}

INLINE void lu_backward_of(const cd_lu_front *f, int sides, const double *y, double *x, size_t apart)
{
    const size_t rows = (size_t)cd_front_rows(f->n), above = (size_t)cd_front_rows(f->p);
    const int32_t rest = f->n - f->p, whole = f->p / TOGETHER * TOGETHER;
    const double *u = f->upper;
    right_sides r = {.count = sides, .x = x, .apart = apart};
    int32_t j = 0;
    for (; j + TOGETHER <= rest; j += TOGETHER, u += TOGETHER * above) {
        _Pragma("GCC unroll 2") for (int s = 0; s < sides; s++)
        {
            for (int32_t k = 0; k < TOGETHER; k++)
                r.t[s][k] = y[(size_t)s * apart + (size_t)(j + k)];
        }
        take_four(0, (int32_t)above, u, above, &r);
    }
    for (; j < rest; j++, u += above) {
        for (int s = 0; s < sides; s++)
            take_one(0, (int32_t)above, u, y[(size_t)s * apart + (size_t)j], x + (size_t)s * apart);
    }
    for (int32_t k = f->p - 1; k >= whole; k--) {
        for (int s = 0; s < sides; s++) {
            double *z = x + (size_t)s * apart;
            z[k] *= f->inverse[k];
            take_one(0, k, f->lower + (size_t)k * rows, z[k], z);
        }
    }
    for (int32_t k = whole - TOGETHER; k >= 0; k -= TOGETHER) {
        const double *a = f->lower + (size_t)k * rows, *b = a + rows, *c = b + rows, *d = c + rows,
                     *inverse = f->inverse + k;
        _Pragma("GCC unroll 2") for (int s = 0; s < sides; s++)
        {
            double *z = x + (size_t)s * apart + k, *t = r.t[s];
            t[3] = z[3] *= inverse[3];
            t[2] = z[2] = (z[2] - d[k + 2] * z[3]) * inverse[2];
            t[1] = z[1] = (z[1] - d[k + 1] * z[3] - c[k + 1] * z[2]) * inverse[1];
            t[0] = z[0] = (z[0] - d[k] * z[3] - c[k] * z[2] - b[k] * z[1]) * inverse[0];
        }
        take_four(0, k, a, rows, &r);
    }
}

static void lu_forward(const cd_lu_front *f, int sides, double *x, size_t apart)
{
    if (sides > 1)
        lu_forward_of(f, 2, x, apart);
    else
        lu_forward_of(f, 1, x, apart);
}

static void lu_backward(const cd_lu_front *f, int sides, const double *y, double *x, size_t apart)
{
    if (sides > 1)
        lu_backward_of(f, 2, y, x, apart);
    else
        lu_backward_of(f, 1, y, x, apart);
}
