// SPDX-License-Identifier: MIT
#include "lcp_skew.h"

#include "cd_dense.h"

#include <math.h>

extern const cd_lcp_solver cd_lcp_solver_mprgp;

// All but the first step begin near their answer: there projected gradients are quicker on large problems than the
// factors of an interior point, which each of its solves needs 25 of. 1,000 ellipsoids, 4,700 rows: a fifth of the
// time.
enum { STEPS = 25, LARGE_ROWS = 300, QUICK_STEPS = 300, DEPTH = 5 };
// [1] of the trace of their products: differences of steps that depend on one another. Larger: less is extrapolated.
static const double ridge = 1e-12;
// [1] of the best residual: a step that comes no nearer has gained nothing; after a few of them nothing will.
static const double gain = 0.9;
enum { IDLE_MOST = 6 };

// N N', of the mean of the rows.
static cd_lcp_structure symmetric_of(const cd_lcp_structure *s, cd_arena *arena)
{
    cd_lcp_structure mean = *s;
    const int32_t count = s->left.first[s->n];
    mean.left.value = CD_ARENA_ARRAY(arena, double, count);
    for (int32_t k = 0; k < count; k++)
        mean.left.value[k] = (s->left.value[k] + s->right.value[k]) / 2;
    mean.right = mean.left;
    mean.q = CD_ARENA_ARRAY(arena, double, s->n);
    cd_lcp_structure_classify(&mean, arena);
    return mean;
}

// q + K y.
static void shift(const cd_lcp_structure *s, const cd_lcp_structure *mean, const double *y, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *u = CD_ARENA_ARRAY(scratch, double, s->m), *whole = CD_ARENA_ARRAY(scratch, double, s->n),
           *part = CD_ARENA_ARRAY(scratch, double, s->n);
    cd_lcp_structure_product(s, y, u, whole);
    cd_lcp_structure_product(mean, y, u, part);
    for (int32_t i = 0; i < s->n; i++)
        mean->q[i] = s->q[i] + (whole[i] - part[i]);
    cd_arena_rewind(scratch, mark);
}

// ---- extrapolation -------------------------------------------------------------------------------------------------

typedef struct history {
    int32_t n;
    int count, next;
    double *point, *error;                      // the last y, and y' - y
    double *of_point[DEPTH], *of_error[DEPTH];  // their last differences
} history;

static history history_make(int32_t n, cd_arena *arena)
{
    history h = {.n = n, .count = -1, .point = CD_ARENA_ZARRAY(arena, double, n)};
    h.error = CD_ARENA_ZARRAY(arena, double, n);
    for (int k = 0; k < DEPTH; k++) {
        h.of_point[k] = CD_ARENA_ARRAY(arena, double, n);
        h.of_error[k] = CD_ARENA_ARRAY(arena, double, n);
    }
    return h;
}

static double dot(const double *a, const double *b, int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// The shares of the differences that leave the least of the error.
static void find_shares(const history *h, const double *error, double share[DEPTH])
{
    double product[DEPTH * DEPTH], trace = 0;
    for (int i = 0; i < h->count; i++)
        for (int j = 0; j <= i; j++)
            product[i * h->count + j] = product[j * h->count + i] = dot(h->of_error[i], h->of_error[j], h->n);
    for (int i = 0; i < h->count; i++)
        trace += product[i * h->count + i];
    for (int i = 0; i < h->count; i++) {
        product[i * h->count + i] += ridge * trace;
        share[i] = dot(h->of_error[i], error, h->n);
    }
    if (!(trace > 0) || !cd_cholesky_factor(h->count, product)) {
        memset(share, 0, sizeof(double) * DEPTH);
        return;
    }
    cd_cholesky_forward(h->count, product, share);
    for (int i = h->count - 1; i >= 0; i--) {  // L^-T
        for (int j = i + 1; j < h->count; j++)
            share[i] -= product[j * h->count + i] * share[j];
        share[i] /= product[i * h->count + i];
    }
}

// y becomes the next one, of the answer that it led to.
static void extrapolate(history *h, const double *answer, double *y, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *error = CD_ARENA_ARRAY(scratch, double, h->n), share[DEPTH] = {0};
    for (int32_t i = 0; i < h->n; i++)
        error[i] = answer[i] - y[i];
    if (h->count >= 0) {
        for (int32_t i = 0; i < h->n; i++) {
            h->of_point[h->next][i] = y[i] - h->point[i];
            h->of_error[h->next][i] = error[i] - h->error[i];
        }
        h->next = (h->next + 1) % DEPTH;
    }
    h->count = h->count < DEPTH ? h->count + 1 : DEPTH;
    memcpy(h->point, y, sizeof *y * (size_t)h->n);
    memcpy(h->error, error, sizeof *error * (size_t)h->n);
    find_shares(h, error, share);
    for (int32_t i = 0; i < h->n; i++) {
        y[i] = answer[i];
        for (int k = 0; k < h->count; k++)
            y[i] -= share[k] * (h->of_point[k][i] + h->of_error[k][i]);
    }
    cd_arena_rewind(scratch, mark);
}

// ---- steps ---------------------------------------------------------------------------------------------------------

cd_lcp_result cd_lcp_solve_skew(const cd_lcp_solver *solver, const cd_lcp_structure *s, const cd_lcp_options *options,
                                cd_arena *arena)
{
    const int32_t n = s->n;
    cd_lcp_result best = {.status = CD_LCP_LIMIT,
                          .solver = solver->name,
                          .reason = "the row of symmetric problems does not converge",
                          .residual = INFINITY,
                          .z = CD_ARENA_ZARRAY(arena, double, n)};
    cd_arena_mark all = cd_arena_get_mark(arena);
    cd_lcp_structure mean = symmetric_of(s, arena);
    history h = history_make(n, arena);
    double *y = CD_ARENA_ZARRAY(arena, double, n), *answer = CD_ARENA_ARRAY(arena, double, n);
    cd_lcp_options inner = *options;
    int idle = 0;
    for (int step = 0; step < STEPS && idle < IDLE_MOST; step++) {
        cd_arena_mark mark = cd_arena_get_mark(arena);
        shift(s, &mean, y, arena);
        cd_lcp_result result = solver->solve_structure(&mean, &inner, arena);
        memcpy(answer, result.z, sizeof *answer * (size_t)n);
        const double residual = cd_lcp_structure_residual(s, answer, NULL, arena);
        best.iterations += result.iterations;
        cd_arena_rewind(arena, mark);
        idle = residual < gain * best.residual ? 0 : idle + 1;
        if (residual < best.residual) {
            best.residual = residual;
            best.solver = result.solver;
            memcpy(best.z, answer, sizeof *answer * (size_t)n);
        }
        if (best.residual <= options->tolerance) {
            best.status = CD_LCP_SOLVED;
            best.reason = "";
            break;
        }
        extrapolate(&h, answer, y, arena);
        inner.warm = answer;
        if (n > LARGE_ROWS) {
            solver = &cd_lcp_solver_mprgp;
            inner.max_iterations = QUICK_STEPS;
        }
    }
    cd_arena_rewind(arena, all);
    return best;
}
