// SPDX-License-Identifier: MIT
#include "lcp_solver.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

double cd_lcp_power_for(double x)
{
    if (x == 0 || !isfinite(x))
        return 1;
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, -exponent);
}

double cd_lcp_half_power_for(double x)
{
    if (x == 0 || !isfinite(x))
        return 1;
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, -(int)floor(exponent / 2.0));
}

void cd_lcp_equilibrate(int32_t rows, int32_t columns, const double *A, double *r, double *c, cd_arena *scratch)
{
    enum { SWEEPS = 4 };  // from a spread of 2^16 down to 2; further sweeps change nothing that powers of two can express
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *column_max = CD_ARENA_ARRAY(scratch, double, columns), *row_max = CD_ARENA_ARRAY(scratch, double, rows);
    for (int32_t i = 0; i < rows; i++)
        r[i] = 1;
    for (int32_t j = 0; j < columns; j++)
        c[j] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        // Both maxima belong to the state before the sweep, which keeps r = c for symmetric |A|.
        memset(column_max, 0, sizeof *column_max * (size_t)columns);
        for (int32_t i = 0; i < rows; i++) {
            const double *a = A + (size_t)i * (size_t)columns;
            double largest = 0;
            for (int32_t j = 0; j < columns; j++) {
                double x = fabs(a[j]) * r[i] * c[j];
                largest = x > largest ? x : largest;
                column_max[j] = x > column_max[j] ? x : column_max[j];
            }
            row_max[i] = largest;
        }
        for (int32_t i = 0; i < rows; i++)
            r[i] *= cd_lcp_half_power_for(row_max[i]);
        for (int32_t j = 0; j < columns; j++)
            c[j] *= cd_lcp_half_power_for(column_max[j]);
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

static bool all_finite(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(x[i]))
            return false;
    }
    return true;
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
    double *M = CD_ARENA_ARRAY(arena, double, size * size), *q = CD_ARENA_ARRAY(arena, double, n);
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

cd_lcp_result cd_lcp_solve(const cd_lcp_solver *solver, const cd_lcp *lcp, const cd_lcp_options *options, cd_arena *arena)
{
    const int32_t n = lcp->n;
    double *z = CD_ARENA_ZARRAY(arena, double, n);
    if (!all_finite(lcp->M, (size_t)n * (size_t)n) || !all_finite(lcp->q, (size_t)n)) {
        return (cd_lcp_result){.status = CD_LCP_INACCURATE, .solver = solver->name, .residual = INFINITY, .z = z,
                               .reason = "a coefficient is not finite"};
    }
    cd_arena_mark mark = cd_arena_get_mark(arena);
    scaled_lcp s = scale(lcp, arena);
    double size = largest_magnitude(s.lcp.q, n);
    if (size == 0)
        size = 1;
    cd_lcp_options inner = *options;
    inner.tolerance *= size;  // methods measure the natural residual without dividing
    if (options->warm) {
        double *warm = CD_ARENA_ARRAY(arena, double, n);
        for (int32_t i = 0; i < n; i++)
            warm[i] = isfinite(options->warm[i]) ? fmax(0, options->warm[i]) * s.sigma / s.c[i] : 0;
        inner.warm = warm;
    }
    cd_lcp_result result = solver->solve(&s.lcp, &inner, arena);
    double residual = cd_lcp_natural_residual(&s.lcp, result.z, NULL);
    for (int32_t i = 0; i < n; i++)
        z[i] = isfinite(result.z[i]) ? result.z[i] * s.c[i] / s.sigma : 0;
    cd_arena_rewind(arena, mark);
    result.z = z;
    result.residual = residual / size;
    if (residual <= inner.tolerance && result.status != CD_LCP_SOLVED) {
        result.status = CD_LCP_SOLVED;  // the best point of a method that gave up may still be one
        result.reason = "";
    } else if (result.status == CD_LCP_SOLVED && !(residual <= inner.tolerance)) {
        result.status = CD_LCP_INACCURATE;
        result.reason = "the residual is above the tolerance";
    }
    return result;
}
