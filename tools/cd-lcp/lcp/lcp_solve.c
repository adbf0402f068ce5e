// SPDX-License-Identifier: MIT
#include "cd_numbers.h"
#include "lcp_solver.h"

#include "lcp_near.h"
#include "lcp_skew.h"
#include "lcp_structure.h"
#include "lcp_symmetric.h"
#include "lcp_vector.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

void cd_lcp_equilibrate(int32_t rows, int32_t columns, const double *A, double *r, double *c, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *column_max = CD_ARENA_ARRAY(scratch, double, columns), *row_max = CD_ARENA_ARRAY(scratch, double, rows);
    for (int32_t i = 0; i < rows; i++)
        r[i] = 1;
    for (int32_t j = 0; j < columns; j++)
        c[j] = 1;
    for (int sweep = 0; sweep < CD_LCP_SWEEPS; sweep++) {
        // Both maxima belong to the state before the sweep, which keeps r = c for symmetric |A|.
        memset(column_max, 0, sizeof *column_max * (size_t)columns);
        for (int32_t i = 0; i < rows; i++)
            row_max[i] = cd_vector_largest(A + (size_t)i * (size_t)columns, r[i], c, column_max, columns);
        bool is_settled = true;
        for (int32_t i = 0; i < rows; i++) {
            const double power = cd_lcp_half_power_for(row_max[i]);
            is_settled = is_settled && power == 1;
            r[i] *= power;
        }
        for (int32_t j = 0; j < columns; j++) {
            const double power = cd_lcp_half_power_for(column_max[j]);
            is_settled = is_settled && power == 1;
            c[j] *= power;
        }
        if (is_settled)
            break;
    }
    cd_arena_rewind(scratch, mark);
}

double cd_lcp_natural_residual(const cd_lcp *lcp, const double *z, double *w)
{
    double worst = 0;
    for (int32_t i = 0; i < lcp->n; i++) {
        const double *row = lcp->M + (size_t)i * (size_t)lcp->n;
        double sum = lcp->q[i], size = 0;
        for (int32_t j = 0; j < lcp->n; j++) {
            sum += row[j] * z[j];
            size += fabs(row[j] * z[j]);
        }
        if (w)
            w[i] = sum;
        double error = fabs(z[i] < sum ? z[i] : sum) + DBL_EPSILON * size;
        if (!isfinite(error) || !isfinite(z[i]))
            error = INFINITY;
        worst = error > worst ? error : worst;
    }
    return worst;
}

static double largest_magnitude(const double *x, int32_t count)
{
    double largest = 0;
    for (int32_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

// The scaled problem M' = r M c, q' = sigma r q, whose solution is z' = sigma z / c.
typedef struct scaled_lcp {
    cd_lcp lcp;
    double *r, *c;
    double sigma;  // makes max |q'| lie in [1/2, 1)
} scaled_lcp;

static scaled_lcp scale(const cd_lcp *lcp, cd_arena *arena)
{
    const int32_t n = lcp->n;
    const size_t size = (size_t)n;
    scaled_lcp s = {.r = CD_ARENA_ARRAY(arena, double, n), .c = CD_ARENA_ARRAY(arena, double, n)};
    cd_lcp_equilibrate(n, n, lcp->M, s.r, s.c, arena);
    double *M = CD_ARENA_ARRAY(arena, double, size *size), *q = CD_ARENA_ARRAY(arena, double, n);
    double *weight = CD_ARENA_ARRAY(arena, double, n);
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < size; j++)
            M[i * size + j] = lcp->M[i * size + j] * s.r[i] * s.c[j];
        q[i] = lcp->q[i] * s.r[i];
        weight[i] = s.c[i] / s.r[i];
    }
    s.sigma = cd_lcp_power_for(largest_magnitude(q, n));
    for (size_t i = 0; i < size; i++)
        q[i] *= s.sigma;
    s.lcp = (cd_lcp){.n = n, .M = M, .q = q, .weight = weight};
    return s;
}

// Verdict on what a method returned: its residual (not divided by `size`) was measured by us.
static void judge(cd_lcp_result *result, double residual, double size, double tolerance)
{
    result->residual = residual / size;
    if (residual <= tolerance && result->status != CD_LCP_SOLVED) {
        result->status = CD_LCP_SOLVED;  // the best point of a method that gave up may still be one
        result->reason = "";
    } else if (result->status == CD_LCP_SOLVED && !(residual <= tolerance)) {
        result->status = CD_LCP_INACCURATE;
        result->reason = "the residual is above the tolerance";
    }
}

static double size_of(const double *q, int32_t n)
{
    double size = largest_magnitude(q, n);
    return size > 0 ? size : 1;
}

static cd_lcp_result refused(const cd_lcp_solver *solver, const char *reason, int32_t n, cd_arena *arena)
{
    return (cd_lcp_result){.status = CD_LCP_INACCURATE,
                           .solver = solver->name,
                           .residual = INFINITY,
                           .z = CD_ARENA_ZARRAY(arena, double, n),
                           .reason = reason};
}

#define NOT_FINITE "a coefficient is not finite"

// The start values in the scaled problem; NULL without.
static double *scaled_start(const double *warm, const double *c, double sigma, int32_t n, cd_arena *arena)
{
    double *y = warm ? CD_ARENA_ARRAY(arena, double, n) : NULL;
    for (int32_t i = 0; i < n && y; i++)
        y[i] = isfinite(warm[i]) ? fmax(0, warm[i]) * sigma / c[i] : 0;
    return y;
}

static void unscale(const double *y, const double *c, double sigma, int32_t n, double *z)
{
    for (int32_t i = 0; i < n; i++)
        z[i] = isfinite(y[i]) ? y[i] * c[i] / sigma : 0;
}

// cd_lcp_equilibrate on the entries that are not 0: the same powers.
static void equilibrate_entries(const cd_lcp_rows *rows, int32_t n, double *r, double *c, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *column_max = CD_ARENA_ARRAY(scratch, double, n), *row_max = CD_ARENA_ARRAY(scratch, double, n);
    for (int32_t i = 0; i < n; i++)
        r[i] = c[i] = 1;
    for (int sweep = 0; sweep < CD_LCP_SWEEPS; sweep++) {
        memset(column_max, 0, sizeof *column_max * (size_t)n);
        for (int32_t i = 0; i < n; i++) {
            const int32_t end = rows->first[i + 1];
            const double own = r[i];
            double largest = 0;
            for (int32_t k = rows->first[i]; k < end; k++) {
                const int32_t j = rows->col[k];
                const double size = fabs(rows->value[k]) * own * c[j];
                largest = cd_larger(size, largest);
                column_max[j] = cd_larger(size, column_max[j]);
            }
            row_max[i] = largest;
        }
        bool is_settled = true;
        for (int32_t i = 0; i < n; i++) {
            const double row = cd_lcp_half_power_for(row_max[i]), column = cd_lcp_half_power_for(column_max[i]);
            is_settled = is_settled && row == 1 && column == 1;
            r[i] *= row;
            c[i] *= column;
        }
        if (is_settled)
            break;
    }
    cd_arena_rewind(scratch, mark);
}

// The largest |M_ij| c_j of a row of entries.
static double most_of_row(const cd_lcp_rows *rows, int32_t i, const double *c)
{
    const int32_t end = rows->first[i + 1];
    double largest = 0;
    for (int32_t k = rows->first[i]; k < end; k++)
        largest = cd_larger(fabs(rows->value[k]) * c[rows->col[k]], largest);
    return largest;
}

// cd_lcp_equilibrate of a matrix with M_ij = M_ji: r = c, and the largest of a row is that of its column. rows: its
// entries, or NULL: it is full.
static void equilibrate_same(const double *M, const cd_lcp_rows *rows, int32_t n, double *c, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *power = CD_ARENA_ARRAY(scratch, double, n);
    for (int32_t i = 0; i < n; i++)
        c[i] = 1;
    for (int sweep = 0; sweep < CD_LCP_SWEEPS; sweep++) {
        bool is_settled = true;
        for (int32_t i = 0; i < n; i++) {
            const double most = rows ? most_of_row(rows, i, c) : cd_vector_most(M + (size_t)i * (size_t)n, c, n);
            power[i] = cd_lcp_half_power_for(most * c[i]);
            is_settled = is_settled && power[i] == 1;
        }
        if (is_settled)
            break;
        for (int32_t i = 0; i < n; i++)
            c[i] *= power[i];
    }
    cd_arena_rewind(scratch, mark);
}

// Of more rows, of which most entries are 0, columns lie so far apart that the entries alone are compared sooner.
enum { COMPARED_ROWS = 512 };

// The entries of `s`, which hold their places but of a full one no values yet, scaled; what kind of structure it is.
static void enter_scaled(const cd_lcp *lcp, cd_lcp_structure *s, double *c, cd_arena *arena)
{
    const int32_t n = lcp->n;
    double *r = CD_ARENA_ARRAY(arena, double, n);
    const cd_lcp_rows *rows = &s->direct;
    const bool is_same = (s->is_full || n <= COMPARED_ROWS) && cd_vector_is_symmetric(lcp->M, n);
    if (is_same) {
        equilibrate_same(lcp->M, s->is_full ? NULL : rows, n, c, arena);
        memcpy(r, c, sizeof *r * (size_t)n);
    } else if (s->is_full) {
        cd_lcp_equilibrate(n, n, lcp->M, r, c, arena);
    } else {
        equilibrate_entries(rows, n, r, c, arena);
    }
    for (int32_t i = 0; i < n; i++) {
        const size_t at = (size_t)i * (size_t)n;
        if (s->is_full)
            cd_vector_scale(rows->value + at, lcp->M + at, r[i], c, n);
        const int32_t end = s->is_full ? 0 : rows->first[i + 1];
        const double own = r[i];
        for (int32_t k = rows->first[i]; k < end; k++)
            rows->value[k] = rows->value[k] * own * c[rows->col[k]];
        s->q[i] = lcp->q[i] * own;
    }
    if (is_same)
        cd_lcp_structure_classify_same(s, arena);
    else
        cd_lcp_structure_classify(s, arena);
}

// The scaled problem as a structure, without a dense copy of what is mostly zero.
static cd_lcp_scaled_structure scale_entries(const cd_lcp *lcp, size_t filled, cd_arena *arena)
{
    const int32_t n = lcp->n;
    cd_lcp_scaled_structure out = {.s = cd_lcp_structure_entries(lcp, filled, arena),
                                   .c = CD_ARENA_ARRAY(arena, double, n)};
    enter_scaled(lcp, &out.s, out.c, arena);
    out.sigma = cd_lcp_power_for(largest_magnitude(out.s.q, n));
    for (int32_t i = 0; i < n; i++)
        out.s.q[i] *= out.sigma;
    return out;
}

// cd_lcp_solve_structure. is_same: the structure was scaled already, so that the residual is its own.
static cd_lcp_result solve_structure(const cd_lcp_solver *solver, const cd_lcp_structure *s,
                                     const cd_lcp_options *options, cd_arena *arena, bool *is_same);

// By a method that takes the structure alone.
static cd_lcp_result solve_entries(const cd_lcp_solver *solver, const cd_lcp *lcp, const cd_lcp_options *options,
                                   cd_arena *arena)
{
    const int32_t n = lcp->n;
    cd_lcp_result quick;
    if (cd_lcp_solve_symmetric(solver, lcp, options, arena, &quick))
        return quick;
    bool is_finite;
    const size_t filled = cd_vector_filled(lcp->M, (size_t)n * (size_t)n, &is_finite);
    if (!is_finite || !cd_numbers_are_finite(lcp->q, (size_t)n))
        return refused(solver, NOT_FINITE, n, arena);
    double *z = CD_ARENA_ZARRAY(arena, double, n);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    const cd_lcp_scaled_structure scaled = scale_entries(lcp, filled, arena);
    const double size = size_of(scaled.s.q, n);
    cd_lcp_options inner = *options;
    inner.warm = scaled_start(options->warm, scaled.c, scaled.sigma, n, arena);
    bool is_same;
    cd_lcp_result result = solve_structure(solver, &scaled.s, &inner, arena, &is_same);
    const double residual = is_same ? 0 : cd_lcp_structure_residual(&scaled.s, result.z, NULL, arena);
    unscale(result.z, scaled.c, scaled.sigma, n, z);
    cd_arena_rewind(arena, mark);
    result.z = z;
    if (!is_same)
        judge(&result, residual, size, options->tolerance * size);
    return result;
}

cd_lcp_result cd_lcp_solve(const cd_lcp_solver *solver, const cd_lcp *lcp, const cd_lcp_options *options,
                           cd_arena *arena)
{
    const int32_t n = lcp->n;
    if (!solver->solve)
        return solve_entries(solver, lcp, options, arena);
    if (!cd_numbers_are_finite(lcp->M, (size_t)n * (size_t)n) || !cd_numbers_are_finite(lcp->q, (size_t)n))
        return refused(solver, NOT_FINITE, n, arena);
    double *z = CD_ARENA_ZARRAY(arena, double, n);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    scaled_lcp s = scale(lcp, arena);
    double size = size_of(s.lcp.q, n);
    cd_lcp_options inner = *options;
    inner.tolerance *= size;  // methods measure the natural residual without dividing
    inner.warm = scaled_start(options->warm, s.c, s.sigma, n, arena);
    cd_lcp_result result = solver->solve(&s.lcp, &inner, arena);
    double residual = cd_lcp_natural_residual(&s.lcp, result.z, NULL);
    unscale(result.z, s.c, s.sigma, n, z);
    cd_arena_rewind(arena, mark);
    result.z = z;
    judge(&result, residual, size, inner.tolerance);
    return result;
}

const char *cd_lcp_refusal(const cd_lcp_solver *solver, const cd_lcp_structure *s)
{
    bool has_rooms = false;
    for (int32_t i = 0; i < s->n && s->room; i++)
        has_rooms = has_rooms || s->room[i] < INFINITY;
    if (s->normal && !(solver->takes & CD_LCP_TAKES_DISCS))
        return "the method takes no friction discs";
    if (has_rooms && !(solver->takes & CD_LCP_TAKES_ROOMS))
        return "the method takes no upper bounds";
    if (!s->is_symmetric && !s->is_skew && !(solver->takes & CD_LCP_TAKES_GENERAL))
        return "the method takes symmetric positive semidefinite problems only";
    return NULL;
}

static int64_t most_bytes(const cd_lcp_options *options)
{
    return options->max_dense > 0 ? options->max_dense : CD_LCP_MAX_DENSE;
}

bool cd_lcp_dense_fits(int64_t n, const cd_lcp_options *options)
{
    enum { COPIES = 5 };
    return n * n <= most_bytes(options) / (COPIES * (int64_t)sizeof(double));
}

int32_t cd_lcp_largest_factor(const cd_lcp_options *options)
{
    enum { SHARE = 3 };  // by doubling: 1 + 1/4 + 1/16 .. of it, and never less than what fits
    const double rows = floor(sqrt((double)most_bytes(options) / (double)sizeof(double) * (SHARE / 4.0)));
    return rows > INT32_MAX ? INT32_MAX : (int32_t)rows;
}

// On the scaled structure, by the method's own entry or through the dense matrix.
static cd_lcp_result solve_whole(const cd_lcp_solver *solver, const cd_lcp_structure *s, const cd_lcp_options *options,
                                 cd_arena *arena)
{
    if (s->is_skew && solver->solve_structure && !(solver->takes & CD_LCP_TAKES_GENERAL))
        return cd_lcp_solve_skew(solver, s, options, arena);
    if (solver->solve_structure)
        return solver->solve_structure(s, options, arena);
    if (!cd_lcp_dense_fits(s->n, options))
        return (cd_lcp_result){.status = CD_LCP_LIMIT,
                               .solver = solver->name,
                               .reason = CD_LCP_TOO_LARGE,
                               .z = CD_ARENA_ZARRAY(arena, double, s->n)};
    cd_lcp dense = cd_lcp_structure_to_dense(s, arena);
    cd_lcp_options inner = *options;
    double size = size_of(s->q, s->n);
    inner.tolerance /= size;
    return cd_lcp_solve(solver, &dense, &inner, arena);
}

// The same by the rows that are near, where a method is made of several (auto, ladder): the others get all rows.
static cd_lcp_result solve_scaled(const cd_lcp_solver *solver, const cd_lcp_structure *s, const cd_lcp_options *options,
                                  cd_arena *arena)
{
    cd_lcp_result result = {0}, whole;
    if (solver->is_combined && cd_lcp_solve_near(solver, s, options, solve_whole, arena, &result))
        return result;
    whole = solve_whole(solver, s, options, arena);
    whole.iterations += result.iterations;
    return whole;
}

static cd_lcp_result solve_structure(const cd_lcp_solver *solver, const cd_lcp_structure *s,
                                     const cd_lcp_options *options, cd_arena *arena, bool *is_same)
{
    const int32_t n = s->n;
    const char *reason = cd_lcp_refusal(solver, s);
    *is_same = false;
    if (reason)
        return refused(solver, reason, n, arena);
    // Scaled: the tolerance and the start too.
    double *z = CD_ARENA_ZARRAY(arena, double, n);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    cd_lcp_scaled_structure scaled = cd_lcp_structure_scale(s, arena);
    double size = size_of(scaled.s.q, n);
    *is_same = scaled.is_same;
    cd_lcp_options inner = *options;
    inner.tolerance *= size;
    if (options->warm) {
        double *warm = CD_ARENA_ARRAY(arena, double, n);
        for (int32_t i = 0; i < n; i++)
            warm[i] = isfinite(options->warm[i]) ? options->warm[i] * scaled.sigma / scaled.c[i] : 0;
        inner.warm = warm;
    }
    if (options->guess) {
        double *guess = CD_ARENA_ARRAY(arena, double, n);
        for (int32_t i = 0; i < n; i++)
            guess[i] = options->guess[i] * scaled.sigma / scaled.c[i];
        inner.guess = guess;
    }
    // The solver asked for, or the one that fits; if that one fails, its fallback.
    const cd_lcp_solver *chosen = solver->choose ? solver->choose(&scaled.s) : solver;
    cd_lcp_result result = solve_scaled(chosen, &scaled.s, &inner, arena);
    double residual = cd_lcp_structure_residual(&scaled.s, result.z, NULL, arena);
    const cd_lcp_solver *fallback =
        solver->choose && chosen != solver->fallback && !chosen->is_combined ? solver->fallback : NULL;
    if (fallback && !(residual <= inner.tolerance) && result.status != CD_LCP_INFEASIBLE &&
        !cd_lcp_refusal(fallback, s)) {
        cd_lcp_result second = solve_scaled(fallback, &scaled.s, &inner, arena);
        double second_residual = cd_lcp_structure_residual(&scaled.s, second.z, NULL, arena);
        second.iterations += result.iterations;
        if (second_residual < residual || second.status == CD_LCP_INFEASIBLE) {
            result = second;
            residual = second_residual;
        }
        result.iterations = second.iterations;
    }
    // Back to the units of the problem.
    for (int32_t i = 0; i < n; i++)
        z[i] = isfinite(result.z[i]) ? result.z[i] * scaled.c[i] / scaled.sigma : 0;
    cd_arena_rewind(arena, mark);
    result.z = z;
    judge(&result, residual, size, inner.tolerance);
    return result;
}

cd_lcp_result cd_lcp_solve_structure(const cd_lcp_solver *solver, const cd_lcp_structure *s,
                                     const cd_lcp_options *options, cd_arena *arena)
{
    bool is_same;
    return solve_structure(solver, s, options, arena, &is_same);
}
