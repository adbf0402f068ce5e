// SPDX-License-Identifier: MIT
#include "lcp_lemke.h"

#include "lcp_dense.h"
#include "lcp_polish.h"

#include <float.h>
#include <math.h>

// All in equilibrated units, where entries of M and q are near 1.
#define PIVOT_LEAST 1e-11  // column entries below this times the largest are rounding of zeros, not pivots
#define RATIO_TIE 1e-13    // ratios closer than this (relative to 1 + ratio) are one degenerate vertex, see tie_window
#define LEXICO_TIE 1e-12   // the same for the components of the inverse basis, which carry more rounding

// Variables are numbered w_0..w_{n-1}, z_0..z_{n-1}, z0.
typedef struct tableau {
    int32_t n, columns, stride, pending;
    double *a;          // n x stride: coefficients of the nonbasic variables, without the pending changes
    double *u, *v;      // pending changes: true a = a - sum_k u[i * CD_DENSE_BLOCK + k] v[k * stride + j]
    double *b;          // values of the basic variables
    int32_t *basic;     // variable of each row
    int32_t *nonbasic;  // variable of each column
    int32_t *place;     // of each variable: its row, or -1 - column
    double *column;     // the entering column, complete
} tableau;

static double entry_at(const tableau *t, int32_t row, int32_t col)
{
    double value = t->a[(size_t)row * t->stride + col];
    const double *u = t->u + (size_t)row * CD_DENSE_BLOCK;
    for (int32_t k = 0; k < t->pending; k++)
        value -= u[k] * t->v[(size_t)k * t->stride + col];
    return value;
}

static void flush(tableau *t)
{
    for (int32_t i = 0; i < t->n; i++)
        cd_dense_subtract_rows(t->a + (size_t)i * t->stride, t->u + (size_t)i * CD_DENSE_BLOCK, t->pending, t->v,
                               t->stride);
    t->pending = 0;
}

static tableau start(const cd_lcp *lcp, const double *cover, cd_arena *arena)
{
    const int32_t n = lcp->n;
    tableau t = {.n = n, .columns = n + 1, .stride = cd_dense_stride(n + 1)};
    t.a = CD_ARENA_ZARRAY(arena, double, (size_t)n *(size_t)t.stride);
    t.u = CD_ARENA_ZARRAY(arena, double, (size_t)n *CD_DENSE_BLOCK);
    t.v = CD_ARENA_ZARRAY(arena, double, (size_t)CD_DENSE_BLOCK *(size_t)t.stride);
    t.b = CD_ARENA_ARRAY(arena, double, n);
    t.column = CD_ARENA_ARRAY(arena, double, n);
    t.basic = CD_ARENA_ARRAY(arena, int32_t, n);
    t.nonbasic = CD_ARENA_ARRAY(arena, int32_t, n + 1);
    t.place = CD_ARENA_ARRAY(arena, int32_t, 2 * (size_t)n + 1);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++)
            t.a[(size_t)i * t.stride + j] = -lcp->M[(size_t)i * n + j];
        t.a[(size_t)i * t.stride + n] = cover ? -cover[i] : -1;
        t.b[i] = lcp->q[i];
        t.basic[i] = i;
        t.place[i] = i;
        t.nonbasic[i] = n + i;
        t.place[n + i] = -1 - i;
    }
    t.nonbasic[n] = 2 * n;
    t.place[2 * n] = -1 - n;
    return t;
}

// t->column must hold column `col`. With p = a[row][col], x = a[row][.] / p and x_col = 1 / p the new tableau is
// x in the pivot row and, in the others, a[i][.] - a[i][col] x, where column `col` (now of the leaving variable, a unit
// column before) counts as 0. Row and column are written at once and taken out of the pending changes.
static void pivot(tableau *t, int32_t row, int32_t col)
{
    const size_t stride = (size_t)t->stride;
    double *x = t->a + row * stride, *u = t->u + (size_t)row * CD_DENSE_BLOCK;
    cd_dense_subtract_rows(x, u, t->pending, t->v, t->stride);
    memset(u, 0, sizeof *u * CD_DENSE_BLOCK);
    const double p = t->column[row];
    for (int32_t j = 0; j < t->columns; j++)
        x[j] /= p;
    for (int32_t i = 0; i < t->n; i++)
        t->a[i * stride + col] = 0;
    for (int32_t k = 0; k < t->pending; k++)
        t->v[k * stride + col] = 0;
    x[col] = 1 / p;
    const int32_t slot = t->pending++;
    memcpy(t->v + slot * stride, x, sizeof *x * stride);
    t->b[row] /= p;
    for (int32_t i = 0; i < t->n; i++) {
        if (i == row)
            continue;
        t->u[(size_t)i * CD_DENSE_BLOCK + slot] = t->column[i];
        t->b[i] -= t->column[i] * t->b[row];
    }
    int32_t leaving = t->basic[row], entering = t->nonbasic[col];
    t->basic[row] = entering;
    t->place[entering] = row;
    t->nonbasic[col] = leaving;
    t->place[leaving] = -1 - col;
    if (t->pending == CD_DENSE_BLOCK)
        flush(t);
}

// The row of the largest -q_i / d_i; of equal ones the last: then the rows [b, inverse basis] all stay
// lexicographically positive, since row i becomes e_i - (d_i/d_r) e_r, positive only for i < r. With the first one
// Kostreva's example cycles.
static int32_t start_row(const tableau *t, const double *cover)
{
    double largest = 0;
    int32_t row = -1;
    for (int32_t i = 0; i < t->n; i++)
        largest = fmax(largest, -t->b[i] / (cover ? cover[i] : 1));
    for (int32_t i = 0; i < t->n; i++) {
        if (-t->b[i] / (cover ? cover[i] : 1) >= largest - RATIO_TIE * (1 + largest))
            row = i;
    }
    return row;
}

// Column j of the inverse basis, row `row`.
static double inverse_basis(const tableau *t, int32_t row, int32_t j)
{
    int32_t place = t->place[j];
    return place >= 0 ? (place == row) : entry_at(t, row, -1 - place);
}

// How far above the least ratio a row may lie and still count as tied with it. When that row leaves, the rows before it
// are driven below zero by (difference of the ratios) x (their entry of the column). Entries may be 10^3 and more at a
// badly conditioned basis, so the window shrinks with the largest of them: no row falls below -RATIO_TIE (1 + least).
static double tie_window(const tableau *t, double threshold, double least)
{
    const double widest = RATIO_TIE * (1 + least);
    double largest = 1;
    for (int32_t i = 0; i < t->n; i++) {
        if (t->column[i] > threshold && fmax(t->b[i], 0) / t->column[i] <= least + widest)
            largest = fmax(largest, t->column[i]);
    }
    return widest / largest;
}

// Lexicographic minimum ratio over the rows with a positive entry in t->column; -1 when there is none (a ray).
// z0 wins a tie: the algorithm may end there.
static int32_t leaving_row(const tableau *t, int32_t *tied)
{
    const int32_t n = t->n;
    double largest = 1, least = INFINITY;
    for (int32_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(t->column[i]));
    const double threshold = PIVOT_LEAST * largest;
    for (int32_t i = 0; i < n; i++) {
        if (t->column[i] > threshold)
            least = fmin(least, fmax(t->b[i], 0) / t->column[i]);
    }
    if (!(least < INFINITY))
        return -1;
    const double tied_below = least + tie_window(t, threshold, least);
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        if (t->column[i] > threshold && fmax(t->b[i], 0) / t->column[i] <= tied_below) {
            if (t->basic[i] == 2 * n)
                return i;
            tied[count++] = i;
        }
    }
    for (int32_t j = 0; j < n && count > 1; j++) {
        double smallest = INFINITY;
        for (int32_t k = 0; k < count; k++)
            smallest = fmin(smallest, inverse_basis(t, tied[k], j) / t->column[tied[k]]);
        int32_t kept = 0;
        for (int32_t k = 0; k < count; k++) {
            if (inverse_basis(t, tied[k], j) / t->column[tied[k]] <= smallest + LEXICO_TIE * (1 + fabs(smallest)))
                tied[kept++] = tied[k];
        }
        count = kept;
    }
    return tied[0];
}

// Whether the direction of the entering variable (column `entering` has no blocking row) proves that nothing is
// feasible.
static bool proves_infeasible(const tableau *t, const cd_lcp *lcp, int32_t entering, cd_arena *scratch)
{
    const int32_t n = t->n;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *v = CD_ARENA_ZARRAY(scratch, double, n), *sum = CD_ARENA_ZARRAY(scratch, double, n);
    double *size = CD_ARENA_ZARRAY(scratch, double, n), drop = 0, drop_size = 0;
    if (entering >= n && entering < 2 * n)
        v[entering - n] = 1;
    for (int32_t i = 0; i < n; i++) {
        if (t->basic[i] >= n && t->basic[i] < 2 * n)
            v[t->basic[i] - n] = fmax(0, -t->column[i]);
    }
    for (int32_t i = 0; i < n; i++) {
        v[i] *= lcp->weight ? lcp->weight[i] : 1;
        if (v[i] == 0)
            continue;
        const double *row = lcp->M + (size_t)i * (size_t)n;
        for (int32_t j = 0; j < n; j++) {
            sum[j] += row[j] * v[i];
            size[j] += fabs(row[j]) * v[i];
        }
        drop += lcp->q[i] * v[i];
        drop_size += fabs(lcp->q[i]) * v[i];
    }
    bool proved = drop_size > 0 && drop <= -CD_LCP_FARKAS_DROP * drop_size;
    for (int32_t j = 0; j < n && proved; j++)
        proved = sum[j] + DBL_EPSILON * size[j] <= -CD_LCP_FARKAS_PART * drop;
    cd_arena_rewind(scratch, mark);
    return proved;
}

// z of the present basis: the better one of the tableau's values and a fresh LU solution.
static void basic_solution(const tableau *t, const cd_lcp *lcp, cd_lcp_result *result, cd_arena *scratch)
{
    const int32_t n = t->n;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    bool *active = CD_ARENA_ZARRAY(scratch, bool, n);
    double *fresh = CD_ARENA_ARRAY(scratch, double, n);
    for (int32_t i = 0; i < n; i++) {
        if (t->basic[i] >= n && t->basic[i] < 2 * n) {
            active[t->basic[i] - n] = true;
            result->z[t->basic[i] - n] = t->b[i] > 0 ? t->b[i] : 0;
        }
    }
    result->residual = cd_lcp_natural_residual(lcp, result->z, NULL);
    if (cd_lcp_resolve(lcp, active, fresh, scratch)) {
        double residual = cd_lcp_natural_residual(lcp, fresh, NULL);
        if (residual <= result->residual) {
            result->residual = residual;
            memcpy(result->z, fresh, sizeof *fresh * (size_t)n);
        }
    }
    cd_arena_rewind(scratch, mark);
}

static void finish(cd_lcp_result *result, cd_lcp_status status, const char *reason)
{
    result->status = status;
    result->reason = reason;
}

// Pivots until z0 leaves. The result's status is that of the path alone.
static void follow_path(tableau *t, const cd_lcp *lcp, int64_t limit, cd_lcp_result *result, int32_t row,
                        cd_arena *scratch)
{
    const int32_t n = t->n;
    int32_t *tied = CD_ARENA_ARRAY(scratch, int32_t, n);
    int32_t entering = 2 * n;
    for (int32_t i = 0; i < n; i++)
        t->column[i] = entry_at(t, i, n);
    while (result->iterations < limit) {
        int32_t leaving = t->basic[row];
        pivot(t, row, -1 - t->place[entering]);
        result->iterations++;
        if (leaving == 2 * n) {
            finish(result, CD_LCP_SOLVED, "");
            return;
        }
        entering = leaving < n ? leaving + n : leaving - n;
        int32_t col = -1 - t->place[entering];
        for (int32_t i = 0; i < n; i++)
            t->column[i] = entry_at(t, i, col);
        row = leaving_row(t, tied);
        if (row < 0) {
            if (proves_infeasible(t, lcp, entering, scratch))
                finish(result, CD_LCP_INFEASIBLE, "a combination of the rows cannot be made non-negative");
            else
                finish(result, CD_LCP_RAY, "Lemke's path ended in a secondary ray");
            return;
        }
    }
    finish(result, CD_LCP_LIMIT, "Lemke used up its pivots");
}

cd_lcp_result cd_lcp_lemke(const cd_lcp *lcp, const double *cover, const cd_lcp_options *options, cd_arena *arena)
{
    const int32_t n = lcp->n;
    cd_lcp_result result = {
        .status = CD_LCP_SOLVED, .solver = "lemke", .reason = "", .z = CD_ARENA_ZARRAY(arena, double, n)};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    bool trivial = true;
    for (int32_t i = 0; i < n && trivial; i++)
        trivial = lcp->q[i] >= 0;
    if (trivial)
        return result;
    tableau t = start(lcp, cover, arena);
    // Random problems take about n pivots, contact problems up to 3n: a path that is longer than 10n will not end soon.
    int64_t limit = options->max_iterations > 0 ? options->max_iterations : 1000 + 10 * (int64_t)n;
    follow_path(&t, lcp, limit, &result, start_row(&t, cover), arena);
    basic_solution(&t, lcp, &result, arena);
    cd_arena_rewind(arena, mark);
    if (result.status == CD_LCP_SOLVED && result.residual > options->tolerance)
        finish(&result, CD_LCP_INACCURATE, "Lemke's last basis has a residual above the tolerance");
    return result;
}

static cd_lcp_result solve(const cd_lcp *lcp, const cd_lcp_options *options, cd_arena *arena)
{
    return cd_lcp_lemke(lcp, NULL, options, arena);
}

const cd_lcp_solver cd_lcp_solver_lemke = {
    .name = "lemke",
    .summary = "Lemke's pivoting, lexicographic, covering vector of ones",
    .source = "Lemke 1965; Cottle, Pang & Stone 1992",
    .cost = "n^2 a pivot, n/2 to 3n pivots",
    .guarantee = "P, strictly copositive, copositive-plus (so semidefinite) and feasible: solves",
    .takes = CD_LCP_TAKES_GENERAL,
    .solves = CD_LCP_SOLVES_P | CD_LCP_SOLVES_CONTACTS | CD_LCP_SOLVES_SEMIDEFINITE,
    .solve = solve,
};
