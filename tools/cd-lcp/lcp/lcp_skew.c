// SPDX-License-Identifier: MIT
#include "lcp_skew.h"

#include "cd_dense.h"
#include "lcp_again.h"
#include "lcp_dense.h"
#include "lcp_few_again.h"

#include <math.h>

extern const cd_lcp_solver cd_lcp_solver_mprgp;

// All but the first step begin near their answer: on large problems they go on from the rows that carry there, by the
// dense factor of these where they are few (lcp_few_again.h), else by a sparse one (lcp_again.h): of 62 such problems
// of 343 hulls that land, 5 to 18 thousand rows of which 100 to 1,000 carry, all steps after the first took 1.63 s by
// the sparse one and 0.6 by the dense one. Where these are not found or a factor is dear, projected gradients are still
// quicker than the 25 factors of an interior point: of 1,000 ellipsoids, 4,700 rows, a fifth of the time. 473 problems
// of 343 hulls that land, half of them of this kind, take 20 s, where 4 in 9 of their steps go by projected gradients
// 28 s.
enum { STEPS = 25, LARGE_ROWS = 300, QUICK_STEPS = 300, LOST_MOST = 2, DEPTH = 5 };
// [multiplications] of a factor for each entry: see lcp_auto.c.
#define FACTOR_CHEAP 1e4
// The same of the dense factor of few rows that carry, of which there is one for all steps.
#define ACTIVE_CHEAP 1e4
// [1] of the trace of their products: differences of steps that depend on one another. Larger: less is extrapolated.
static const double ridge = 1e-12;
// [1] of the best residual: a step that comes no nearer has gained nothing; after a few of them nothing will.
static const double gain = 0.9;
enum { IDLE_MOST = 6, IDLE_AGAIN = 1 };  // IDLE_AGAIN: that go on from the rows that carry

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

// ---- few rows that carry -------------------------------------------------------------------------------------------

// Polish rounds after the first have a handful of them, whatever the heap.
enum { FEW = 128, FEW_STEPS = 6 };
// [1] of the tolerance: gaps that are open or closed by less are neither, and there are many.
static const double digits = 0.1;

// The matrix of the rows `list`, of which there are `count`, into a.
static void pack_few(const cd_lcp_structure *s, const int32_t *list, int32_t count, double *a, double *spread)
{
    const size_t stride = (size_t)cd_dense_stride(count);
    for (int32_t j = 0; j < count; j++) {
        for (int32_t k = s->right.first[list[j]]; k < s->right.first[list[j] + 1]; k++)
            spread[s->right.col[k]] = s->right.value[k];
        for (int32_t i = 0; i < count; i++) {
            double sum = 0;
            for (int32_t k = s->left.first[list[i]]; k < s->left.first[list[i] + 1]; k++)
                sum += s->left.value[k] * spread[s->left.col[k]];
            a[(size_t)i * stride + (size_t)j] = sum;
        }
        for (int32_t k = s->right.first[list[j]]; k < s->right.first[list[j] + 1]; k++)
            spread[s->right.col[k]] = 0;
    }
}

// Rows with y > w by more than `least`, FEW at most; returns how many there are.
static int32_t list_few(const double *y, const double *w, double least, int32_t n, int32_t list[FEW])
{
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        if (!(y[i] - w[i] > least))
            continue;
        if (count < FEW)
            list[count] = i;
        count++;
    }
    return count;
}

// y_A of M_AA y_A = -q_A, A the list, with 0 elsewhere, refined once; w: its values. False: A is dependent.
static bool solve_few(const cd_lcp_structure *s, const int32_t *list, int32_t count, double *y, double *w,
                      double *spread, cd_arena *scratch)
{
    double *a = CD_ARENA_ZARRAY(scratch, double, count *cd_dense_stride(count)), b[FEW], x[FEW];
    cd_lu lu;
    pack_few(s, list, count, a, spread);
    if (!cd_lu_factor(&lu, count, a, scratch))
        return false;
    memset(y, 0, sizeof *y * (size_t)s->n);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < count; i++)
            b[i] = pass == 0 ? -s->q[list[i]] : -w[list[i]];
        cd_lu_solve(&lu, b, x);
        for (int32_t i = 0; i < count; i++)
            y[list[i]] += x[i];
        cd_lcp_structure_values(s, y, NULL, w, scratch);
    }
    return true;
}

// Newton's method on the rows that carry, from those of `best`, which becomes the best point met.
static void polish_few(const cd_lcp_structure *s, double tolerance, cd_lcp_result *best, cd_arena *scratch)
{
    cd_arena_mark all = cd_arena_get_mark(scratch);
    const int32_t n = s->n;
    double *y = CD_ARENA_ARRAY(scratch, double, n), *w = CD_ARENA_ZARRAY(scratch, double, n),
           *point = CD_ARENA_ARRAY(scratch, double, n), *spread = CD_ARENA_ZARRAY(scratch, double, s->m);
    int32_t list[FEW];
    memcpy(y, best->z, sizeof *y * (size_t)n);
    for (int step = 0; step < FEW_STEPS && best->residual > tolerance; step++) {
        cd_arena_mark mark = cd_arena_get_mark(scratch);
        const int32_t count = list_few(y, w, step == 0 ? 0 : digits * tolerance, n, list);
        if (count == 0 || count > FEW || !solve_few(s, list, count, y, w, spread, scratch))
            break;
        best->iterations++;
        for (int32_t i = 0; i < n; i++)
            point[i] = y[i] > 0 ? y[i] : 0;
        const double residual = cd_lcp_structure_residual(s, point, NULL, scratch);
        if (residual < best->residual) {
            best->residual = residual;
            memcpy(best->z, point, sizeof *point * (size_t)n);
        }
        cd_arena_rewind(scratch, mark);
    }
    cd_arena_rewind(scratch, all);
}

// ---- steps ---------------------------------------------------------------------------------------------------------

typedef struct row_of_steps {
    const cd_lcp_structure *s;
    cd_lcp_structure mean;
    const cd_lcp_solver *solver;  // of all but steps that go on from the rows that carry
    cd_lcp_options options;
    cd_lcp_few_again *few;  // where few rows carry; NULL: not yet, or not any more
    cd_lcp_again *again;    // where more do; NULL: not yet, or not for this problem
    int lost;               // steps whose rows it did not find
    double *answer;         // of the last step
    cd_lcp_result *best;
} row_of_steps;

// From the rows that carry in the last answer.
static void begin_again(row_of_steps *r, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *w = CD_ARENA_ARRAY(scratch, double, r->s->n);
    cd_lcp_structure_values(&r->mean, r->answer, NULL, w, scratch);
    cd_lcp_again_start(r->again, r->answer, w);
    cd_arena_rewind(scratch, mark);
}

// The steps go on without the factor of few rows.
static void lose_few(row_of_steps *r, cd_arena *arena)
{
    cd_lcp_options most = r->options;
    most.max_iterations = 0;
    most.max_work = FACTOR_CHEAP * (double)r->s->left.first[r->s->n];
    r->few = NULL;
    r->again = cd_lcp_again_make(&r->mean, &most, arena);
    if (r->again)
        begin_again(r, arena);
}

// After the first step: what the others go on with.
static void prepare_others(row_of_steps *r, cd_arena *arena)
{
    r->options.warm = r->answer;
    if (r->s->n <= LARGE_ROWS)
        return;
    cd_lcp_options cheap = r->options;
    cheap.max_work = ACTIVE_CHEAP * (double)r->s->left.first[r->s->n];
    r->solver = &cd_lcp_solver_mprgp;
    r->options.max_iterations = QUICK_STEPS;
    r->few = cd_lcp_few_again_make(&r->mean, &cheap, r->answer, arena);
    if (!r->few)
        lose_few(r, arena);
}

// The symmetric problem of the next step, at its q. Returns the residual of its answer.
static double take_step(row_of_steps *r, cd_arena *scratch)
{
    const size_t bytes = sizeof *r->answer * (size_t)r->s->n;
    const char *solver = r->best->solver;
    if (r->few && !cd_lcp_few_again_next(r->few, r->answer))
        lose_few(r, scratch);
    if (r->few || (r->again && cd_lcp_again_next(r->again, r->mean.q, r->answer))) {
        r->best->iterations++;
    } else {
        cd_arena_mark mark = cd_arena_get_mark(scratch);
        cd_lcp_result result = r->solver->solve_structure(&r->mean, &r->options, scratch);
        memcpy(r->answer, result.z, bytes);
        solver = result.solver;
        r->best->iterations += result.iterations;
        cd_arena_rewind(scratch, mark);
        if (r->again && ++r->lost > LOST_MOST)
            r->again = NULL;
        if (r->again)
            begin_again(r, scratch);
    }
    const double residual = cd_lcp_structure_residual(r->s, r->answer, NULL, scratch);
    if (residual < r->best->residual) {
        r->best->residual = residual;
        r->best->solver = solver;
        memcpy(r->best->z, r->answer, bytes);
    }
    return residual;
}

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
    row_of_steps r = {.s = s,
                      .mean = symmetric_of(s, arena),
                      .solver = solver,
                      .options = *options,
                      .answer = CD_ARENA_ARRAY(arena, double, n),
                      .best = &best};
    history h = history_make(n, arena);
    double *y = CD_ARENA_ZARRAY(arena, double, n), before = INFINITY;
    int idle = 0;
    for (int step = 0; step < STEPS && idle < IDLE_MOST && best.residual > options->tolerance; step++) {
        shift(s, &r.mean, y, arena);
        idle = take_step(&r, arena) < gain * before ? 0 : idle + 1;
        before = best.residual;
        if (idle > IDLE_AGAIN && r.few) {
            lose_few(&r, arena);
            idle = 0;
        } else if (idle > IDLE_AGAIN && r.again) {
            r.again = NULL;
            idle = 0;
        }
        if (step == 0)
            polish_few(s, options->tolerance, &best, arena);
        if (best.residual <= options->tolerance)
            break;
        if (step == 0)
            prepare_others(&r, arena);
        extrapolate(&h, r.answer, y, arena);
    }
    if (best.residual <= options->tolerance) {
        best.status = CD_LCP_SOLVED;
        best.reason = "";
    }
    cd_arena_rewind(arena, all);
    return best;
}
