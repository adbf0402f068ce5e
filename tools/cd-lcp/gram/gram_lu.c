// SPDX-License-Identifier: MIT
#include "gram_lu.h"

#include "cd_threads.h"
#include "cd_vector.h"
#include "gram_fronts.h"
#include "gram_square.h"

#include <float.h>
#include <math.h>

// No wider than most machines' registers: what is wider the compiler keeps in memory.
typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));
enum { LANES = 4 };
// Pivots that are eliminated together before the others of their panel see them; those of a panel before the rest of
// the front does.
enum { BLOCK = 8, PANEL = 48 };
_Static_assert(PANEL % BLOCK == 0, "panels are whole blocks");
// [multiplications] A panel's share of the rest that all workers share.
#define SHARED_LEAST 4e6

// What a worker needs while it works fronts off.
typedef struct desk {
    double *front, *wide;
    double *stack, *top;      // what fronts hand on that wait for their parents, and where the next goes
    int32_t *waiting, depth;  // these fronts
} desk;

struct cd_gram_lu {
    const cd_gram *gram;
    double *lower, *upper;  // of each front its columns of L and its rows of U, as cd_front_panel packs them
    double *inverse;        // of each pivot 1 / U_kk
    int32_t *order;         // of each pivot: the row that took its place
    double *ones;
    double **rest, *part_rest;  // of each front what it hands on; room for what subtrees do
    int threads;
    desk *desk;  // as many; the first one works the top off
};

// Entries of the largest front of a subtree.
static int64_t part_entries(const cd_gram *g) { return (int64_t)g->parts.largest * cd_front_stride(g->parts.largest); }

static int threads_of(const cd_gram *g) { return cd_threads_for(g->threads, g->parts.count, 1); }

int64_t cd_gram_lu_bytes(const cd_gram *g)
{
    const int64_t top = cd_gram_stack(g) + cd_gram_front_entries(g), part = g->parts.stack_size + part_entries(g);
    return (2 * g->panel_size + g->parts.rest_size + top + (threads_of(g) - 1) * part) * (int64_t)sizeof(double);
}

cd_gram_lu *cd_gram_lu_make(const cd_gram *gram, cd_arena *arena)
{
    cd_gram_lu *m = CD_ARENA_ZARRAY(arena, cd_gram_lu, 1);
    *m = (cd_gram_lu){.gram = gram,
                      .lower = CD_ARENA_ARRAY(arena, double, gram->panel_size),
                      .upper = CD_ARENA_ARRAY(arena, double, gram->panel_size),
                      .inverse = CD_ARENA_ARRAY(arena, double, gram->groups->columns),
                      .order = CD_ARENA_ARRAY(arena, int32_t, gram->groups->columns),
                      .ones = CD_ARENA_ARRAY(arena, double, gram->largest),
                      .rest = CD_ARENA_ARRAY(arena, double *, gram->count),
                      .part_rest = CD_ARENA_ARRAY(arena, double, gram->parts.rest_size),
                      .threads = threads_of(gram)};
    m->desk = CD_ARENA_ARRAY(arena, desk, m->threads);
    for (int k = 0; k < m->threads; k++) {
        m->desk[k] =
            (desk){.front = CD_ARENA_ARRAY(arena, double, k == 0 ? cd_gram_front_entries(gram) : part_entries(gram)),
                   .wide = CD_ARENA_ARRAY(arena, double, cd_gram_stride(gram->largest)),
                   .stack = CD_ARENA_ARRAY(arena, double, k == 0 ? cd_gram_stack(gram) : gram->parts.stack_size),
                   .waiting = CD_ARENA_ARRAY(arena, int32_t, gram->count)};
    }
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
CD_VECTOR_CLONES static void factor_block(int32_t n, int32_t p, int32_t k0, int32_t k1, double *a, int32_t *order,
                                          double *inverse)
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

// A panel's share of the rest of a front, which workers take some columns at a time.
typedef struct share {
    cd_front_pivots pivots;
    int64_t next;
} share;

static void take_share(void *context, int worker)
{
    (void)worker;
    enum { TOGETHER = 32 };
    share *w = context;
    for (;;) {
        const int32_t last = w->pivots.last;
        const cd_share s = cd_threads_next(&w->next, w->pivots.n - last, TOGETHER);
        if (s.begin >= s.end)
            return;
        cd_front_take_unsymmetric(&w->pivots, last + (int32_t)s.begin, last + (int32_t)s.end);
    }
}

// The first p columns become those of L, with U on and above the diagonal; right of them U above row p, and what is
// left below it. Each entry loses its products in the order of the pivots, whatever the blocks.
static void factor_front(int32_t n, int32_t p, double *a, int32_t *order, double *inverse, int threads)
{
    for (int32_t first = 0; first < p; first += PANEL) {
        const int32_t last = first + PANEL < p ? first + PANEL : p;
        for (int32_t k0 = first; k0 < last; k0 += BLOCK) {
            const int32_t k1 = k0 + BLOCK < last ? k0 + BLOCK : last;
            factor_block(n, p, k0, k1, a, order, inverse);
            cd_front_take_unsymmetric(&(cd_front_pivots){n, k0, k1, a}, k1, last);
        }
        share w = {.pivots = {n, first, last, a}};
        if (threads > 1 && (double)(n - last) * (n - first) * (last - first) >= SHARED_LEAST)
            cd_threads_run(threads, take_share, &w);
        else
            cd_front_take_unsymmetric(&w.pivots, last, n);
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

// A factor that is made.
typedef struct run {
    cd_gram_lu *m;
    const double *R, *S;
    int64_t next;  // subtree
} run;

// Whether what front f hands on waits on the stack of the desk that works it off: not at the root of a subtree.
static bool is_stacked(const cd_gram *g, int32_t f)
{
    return g->parent[f] >= 0 && (g->parts.count == 0 || g->parts.of[f] == g->parts.of[g->parent[f]]);
}

static void work_front(const run *r, desk *d, int32_t f, int threads)
{
    cd_gram_lu *m = r->m;
    const cd_gram *g = m->gram;
    const int32_t n = cd_gram_size(g, f), p = g->pivots[f], at = g->pivot_at[f];
    const size_t rest = (size_t)(n - p), stride = (size_t)cd_front_stride(n);
    double *a = d->front;
    memset(a, 0, sizeof *a * stride * (size_t)n);
    for (int32_t j = 0; j < p; j++)
        a[(size_t)j * stride + (size_t)j] = 1;
    for (int32_t k = g->group_at[f]; k < g->group_at[f + 1]; k++)
        add_group(g, g->group[k], r->R, r->S, a, stride, d->wide);
    for (int32_t c = 0; c < g->children[f]; c++) {
        const int32_t child = d->waiting[--d->depth];
        d->top -= is_stacked(g, child) ? cd_gram_rest(g, child) : 0;
        add_rest(g, child, m->rest[child], a, stride);
    }
    factor_front(n, p, a, m->order + at, m->inverse + at, threads);
    cd_front_panel(n, p, a, m->lower + g->panel_at[f]);
    pack_rows(n, p, a, m->upper + g->panel_at[f]);
    if (g->parent[f] < 0)
        return;
    m->rest[f] = is_stacked(g, f) ? d->top : m->part_rest + g->parts.rest_at[g->parts.of[f]];
    for (size_t j = 0; j < rest; j++)
        memcpy(m->rest[f] + j * rest, a + ((size_t)p + j) * stride + (size_t)p, sizeof *a * rest);
    d->top += is_stacked(g, f) ? cd_gram_rest(g, f) : 0;
    d->waiting[d->depth++] = f;
}

static void work_parts(void *context, int worker)
{
    run *r = context;
    const cd_gram_parts *p = &r->m->gram->parts;
    desk *d = &r->m->desk[worker];
    for (;;) {
        const cd_share s = cd_threads_next(&r->next, p->count, 1);
        if (s.begin >= s.end)
            return;
        d->top = d->stack;
        d->depth = 0;
        for (int32_t f = p->first[s.begin]; f <= p->root[s.begin]; f++)
            work_front(r, d, f, 1);
    }
}

void cd_gram_lu_factor(cd_gram_lu *m, const double *R, const double *S)
{
    const cd_gram *g = m->gram;
    run r = {.m = m, .R = R, .S = S};
    desk *d = &m->desk[0];
    if (m->threads > 1)
        cd_threads_run(m->threads, work_parts, &r);
    else
        work_parts(&r, 0);
    d->top = d->stack;
    d->depth = 0;
    for (int32_t f = 0, k = 0; f < g->count; f++) {
        if (k < g->parts.count && f == g->parts.first[k]) {
            f = g->parts.root[k++];
            if (g->parent[f] >= 0)
                d->waiting[d->depth++] = f;
            continue;
        }
        work_front(&r, d, f, m->threads);
    }
}

void cd_gram_lu_solve(cd_gram_lu *m, double *x)
{
    const cd_gram *g = m->gram;
    double *t = m->desk[0].front;
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
