// SPDX-License-Identifier: MIT
#include "gram_lu.h"

#include "cd_vector.h"
#include "gram_fronts.h"
#include "gram_square.h"

#include <float.h>
#include <math.h>

// No wider than most machines' registers: what is wider the compiler keeps in memory.
typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));
enum { LANES = 4 };
// Pivots that are eliminated together before the rest of the front sees them; rows and columns of the rest that are
// kept in registers meanwhile.
enum { BLOCK = 8, TILE_ROWS = 2 * LANES, TILE_COLUMNS = 4 };

struct cd_gram_lu {
    const cd_gram *gram;
    double *lower, *upper;  // of each front its columns of L and its rows of U, as cd_front_panel packs them
    double *inverse;        // of each pivot 1 / U_kk
    int32_t *order;         // of each pivot: the row that took its place
    double *stack, *front, *ones, *wide;
    int32_t *waiting;
};

int64_t cd_gram_lu_bytes(const cd_gram *g)
{
    return (2 * g->panel_size + g->stack_size + cd_gram_front_entries(g)) * (int64_t)sizeof(double);
}

cd_gram_lu *cd_gram_lu_make(const cd_gram *gram, cd_arena *arena)
{
    cd_gram_lu *m = CD_ARENA_ZARRAY(arena, cd_gram_lu, 1);
    *m = (cd_gram_lu){.gram = gram,
                      .lower = CD_ARENA_ARRAY(arena, double, gram->panel_size),
                      .upper = CD_ARENA_ARRAY(arena, double, gram->panel_size),
                      .inverse = CD_ARENA_ARRAY(arena, double, gram->groups->columns),
                      .order = CD_ARENA_ARRAY(arena, int32_t, gram->groups->columns),
                      .stack = CD_ARENA_ARRAY(arena, double, gram->stack_size),
                      .front = CD_ARENA_ARRAY(arena, double, cd_gram_front_entries(gram)),
                      .ones = CD_ARENA_ARRAY(arena, double, gram->largest),
                      .wide = CD_ARENA_ARRAY(arena, double, cd_gram_stride(gram->largest)),
                      .waiting = CD_ARENA_ARRAY(arena, int32_t, gram->count)};
    for (int32_t k = 0; k < gram->largest; k++)
        m->ones[k] = 1;
    return m;
}

// ---- a front -------------------------------------------------------------------------------------------------------

// wide: scratch, a column of R'S of a wide group.
static void add_group(const cd_gram *m, int32_t g, const double *R, const double *S, double *a, size_t stride,
                      double *wide)
{
    const int32_t width = m->groups->first[g + 1] - m->groups->first[g], height = m->groups->height[g],
                  row_stride = cd_gram_stride(width), *local = m->local + m->groups->first[g];
    const double *r = R + m->groups->place[g], *s = S + m->groups->place[g];
    double K[CD_GRAM_SQUARE_MOST * CD_GRAM_SQUARE_MOST];
    const bool is_narrow = row_stride <= CD_GRAM_SQUARE_MOST;
    if (is_narrow)
        cd_gram_product(height, row_stride, r, s, K);
    for (int32_t j = 0; j < width; j++) {
        double *out = a + (size_t)local[j] * stride;
        const double *column = is_narrow ? K + j * row_stride : wide;
        if (!is_narrow)
            cd_gram_column(height, row_stride, j, r, s, wide);
        for (int32_t i = 0; i < width; i++)
            out[local[i]] += column[i];
    }
}

static void add_rest(const cd_gram *m, int32_t f, const double *rest, double *a, size_t stride)
{
    const int32_t n = cd_gram_size(m, f) - m->pivots[f];
    const int32_t *up = m->up + m->first[f] + m->pivots[f];
    for (int32_t j = 0; j < n; j++, rest += n) {
        double *out = a + (size_t)up[j] * stride;
        for (int32_t i = 0; i < n; i++)
            out[up[i]] += rest[i];
    }
}

static void exchange(int32_t n, double *a, size_t stride, int32_t i, int32_t k)
{
    for (int32_t j = 0; j < n && i != k; j++, a += stride) {
        const double t = a[i];
        a[i] = a[k];
        a[k] = t;
    }
}

// Pivots k0 to k1 - 1 of p: their columns become those of L, with U on and above the diagonal. Whole rows are
// exchanged.
static inline __attribute__((always_inline)) void factor_block(int32_t n, int32_t p, int32_t k0, int32_t k1, double *a,
                                                               int32_t *order, double *inverse)
{
    const size_t stride = (size_t)cd_front_stride(n);
    for (int32_t k = k0; k < k1; k++) {
        double *column = a + (size_t)k * stride, top = fabs(column[k]);
        int32_t best = k;
        for (int32_t i = k + 1; i < p; i++) {
            if (fabs(column[i]) > top) {
                top = fabs(column[i]);
                best = i;
            }
        }
        vec4 squares = {0};
        for (int32_t i = 0; i < n; i += LANES)
            squares += *(const vec4 *)(column + i) * *(const vec4 *)(column + i);
        const double square = (squares[0] + squares[1]) + (squares[2] + squares[3]);
        exchange(n, a, stride, best, k);
        order[k] = best;
        const double least = DBL_EPSILON * (square > 1 ? sqrt(square) : 1);
        if (!(fabs(column[k]) > least))
            column[k] = column[k] < 0 ? -least : least;
        inverse[k] = 1 / column[k];
        for (int32_t i = k + 1; i < n; i += LANES)
            *(vec4 *)(column + i) *= inverse[k];
        for (int32_t j = k + 1; j < k1; j++) {
            double *y = a + (size_t)j * stride;
            const double factor = y[k];
            for (int32_t i = k + 1; i < n; i += LANES)
                *(vec4 *)(y + i) -= factor * *(const vec4 *)(column + i);
        }
    }
}

// `columns` columns from y on, right of pivots k0 to k1 - 1: their rows k0 to k1 - 1 of U.
static inline __attribute__((always_inline)) void solve_block(int32_t k0, int32_t k1, const double *a, size_t stride,
                                                              double *y, int32_t columns)
{
    for (int32_t k = k0; k < k1; k++) {
        for (int32_t i = k + 1; i < k1; i++) {
            const double low = a[(size_t)k * stride + (size_t)i];
            _Pragma("GCC unroll 4") for (int32_t j = 0; j < columns; j++) y[(size_t)j * stride + (size_t)i] -=
                y[(size_t)j * stride + (size_t)k] * low;
        }
    }
}

// Rows from k1 on of `columns` columns at y lose L U of pivots k0 to k1 - 1.
static inline __attribute__((always_inline)) void subtract_block(int32_t n, int32_t k0, int32_t k1, const double *a,
                                                                 size_t stride, double *y, int32_t columns)
{
    for (int32_t i = k1; i < n; i += TILE_ROWS) {
        vec4 tile[TILE_COLUMNS][2];
        _Pragma("GCC unroll 4") for (int32_t j = 0; j < columns; j++)
        {
            tile[j][0] = *(const vec4 *)(y + (size_t)j * stride + i);
            tile[j][1] = *(const vec4 *)(y + (size_t)j * stride + i + LANES);
        }
        for (int32_t k = k0; k < k1; k++) {
            const vec4 low = *(const vec4 *)(a + (size_t)k * stride + i),
                       high = *(const vec4 *)(a + (size_t)k * stride + i + LANES);
            _Pragma("GCC unroll 4") for (int32_t j = 0; j < columns; j++)
            {
                const double factor = y[(size_t)j * stride + k];
                tile[j][0] -= factor * low;
                tile[j][1] -= factor * high;
            }
        }
        _Pragma("GCC unroll 4") for (int32_t j = 0; j < columns; j++)
        {
            *(vec4 *)(y + (size_t)j * stride + i) = tile[j][0];
            *(vec4 *)(y + (size_t)j * stride + i + LANES) = tile[j][1];
        }
    }
}

// The first p columns become those of L, with U on and above the diagonal; right of them U above row p, and what is
// left below it. Each entry loses its products in the order of the pivots, whatever the blocks.
CD_VECTOR_CLONES static void factor_front(int32_t n, int32_t p, double *a, int32_t *order, double *inverse)
{
    const size_t stride = (size_t)cd_front_stride(n);
    for (int32_t k0 = 0; k0 < p; k0 += BLOCK) {
        const int32_t k1 = k0 + BLOCK < p ? k0 + BLOCK : p;
        factor_block(n, p, k0, k1, a, order, inverse);
        int32_t j = k1;
        for (; j + TILE_COLUMNS <= n; j += TILE_COLUMNS) {
            solve_block(k0, k1, a, stride, a + (size_t)j * stride, TILE_COLUMNS);
            subtract_block(n, k0, k1, a, stride, a + (size_t)j * stride, TILE_COLUMNS);
        }
        for (; j < n; j++) {
            solve_block(k0, k1, a, stride, a + (size_t)j * stride, 1);
            subtract_block(n, k0, k1, a, stride, a + (size_t)j * stride, 1);
        }
    }
}

// Rows of U right of the diagonal, each as a column of a panel.
static void pack_rows(int32_t n, int32_t p, const double *a, double *panel)
{
    const size_t stride = (size_t)cd_front_stride(n), rows = (size_t)cd_front_rows(n);
    memset(panel, 0, sizeof *panel * rows * (size_t)p);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = 0; k < (i < p ? i : p); k++)
            panel[(size_t)k * rows + (size_t)i] = a[(size_t)i * stride + (size_t)k];
    }
}

// ---- all fronts ----------------------------------------------------------------------------------------------------

void cd_gram_lu_factor(cd_gram_lu *m, const double *R, const double *S)
{
    const cd_gram *g = m->gram;
    double *top = m->stack, *inverse = m->inverse, *a = m->front;
    int32_t depth = 0, *order = m->order;
    for (int32_t f = 0; f < g->count; f++) {
        const int32_t n = cd_gram_size(g, f), p = g->pivots[f];
        const size_t rest = (size_t)(n - p), stride = (size_t)cd_front_stride(n);
        memset(a, 0, sizeof *a * stride * (size_t)n);
        for (int32_t j = 0; j < p; j++)
            a[(size_t)j * stride + (size_t)j] = 1;
        for (int32_t k = g->group_at[f]; k < g->group_at[f + 1]; k++)
            add_group(g, g->group[k], R, S, a, stride, m->wide);
        for (int32_t c = 0; c < g->children[f]; c++) {
            const int32_t child = m->waiting[--depth];
            top -= cd_gram_rest(g, child);
            add_rest(g, child, top, a, stride);
        }
        factor_front(n, p, a, order, inverse);
        cd_front_panel(n, p, a, m->lower + g->panel_at[f]);
        pack_rows(n, p, a, m->upper + g->panel_at[f]);
        inverse += p;
        order += p;
        if (g->parent[f] < 0)
            continue;
        for (size_t j = 0; j < rest; j++)
            memcpy(top + j * rest, a + ((size_t)p + j) * stride + (size_t)p, sizeof *a * rest);
        top += cd_gram_rest(g, f);
        m->waiting[depth++] = f;
    }
}

void cd_gram_lu_solve(cd_gram_lu *m, double *x)
{
    const cd_gram *g = m->gram;
    double *t = m->front;
    const double *inverse = m->inverse;
    const int32_t *order = m->order;
    for (int32_t f = 0; f < g->count; f++) {
        const int32_t n = cd_gram_size(g, f), p = g->pivots[f];
        cd_gram_take(g, f, x, t);
        for (int32_t k = 0; k < p; k++)
            exchange(1, t, 0, order[k], k);
        cd_front_forward(n, p, m->lower + g->panel_at[f], m->ones, t);
        cd_gram_put(g, f, n, t, x);
        inverse += p;
        order += p;
    }
    for (int32_t f = g->count - 1; f >= 0; f--) {
        const int32_t n = cd_gram_size(g, f), p = g->pivots[f];
        cd_gram_take(g, f, x, t);
        inverse -= p;
        cd_front_backward(n, p, m->upper + g->panel_at[f], inverse, t);
        cd_gram_put(g, f, p, t, x);
    }
}

int cd_gram_lu_sign(const cd_gram_lu *m)
{
    const cd_gram *g = m->gram;
    int sign = 1;
    for (int32_t f = 0, at = 0; f < g->count; f++) {
        for (int32_t k = 0; k < g->pivots[f]; k++, at++)
            sign = (m->inverse[at] < 0) != (m->order[at] != k) ? -sign : sign;
    }
    return sign;
}
