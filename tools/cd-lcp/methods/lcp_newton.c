// SPDX-License-Identifier: MIT
#include "lcp_newton.h"

#include "lcp_dense.h"
#include "lcp_polish.h"

#include <math.h>

#define KINK_RADIUS 1e-14  // equilibrated; below it (z_i, w_i) counts as the kink, where any member of the set will do
#define DESCENT_LEAST 1e-10  // of |dz|^2: a smaller slope is no descent direction in floating point
#define ARMIJO 1e-4          // part of the predicted decrease that a step must reach
#define STEP_LEAST 1e-10     // shorter steps count as a stall
#define LM_SHIFT 1e-8        // Levenberg-Marquardt damping relative to the largest diagonal entry of H'H

enum { STEP_LIMIT = 60, POLISH_STEPS = 4 };

typedef struct newton {
    const cd_lcp *lcp;
    size_t stride;
    double *z, *w, *phi, *gradient, *dz, *trial_z, *trial_w;
    double *h, *work;  // n x stride: H, and the matrix being factored
} newton;

static double merit(const newton *s, const double *z, const double *w, double *phi)
{
    double sum = 0;
    for (int32_t i = 0; i < s->lcp->n; i++) {
        double r = hypot(z[i], w[i]);
        // sqrt(z^2 + w^2) - z - w without cancellation where both are positive: -2 z w / (r + z + w).
        double value = z[i] > 0 && w[i] > 0 ? -2 * z[i] * w[i] / (r + z[i] + w[i]) : r - z[i] - w[i];
        if (phi)
            phi[i] = value;
        sum += value * value;
    }
    return sum / 2;
}

// H = diag(z/r - 1) + diag(w/r - 1) M and the gradient H'phi of the merit function.
static void linearise(newton *s)
{
    const int32_t n = s->lcp->n;
    memset(s->gradient, 0, sizeof *s->gradient * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        double r = hypot(s->z[i], s->w[i]);
        double a = r < KINK_RADIUS ? sqrt(0.5) - 1 : s->z[i] / r - 1,
               b = r < KINK_RADIUS ? sqrt(0.5) - 1 : s->w[i] / r - 1;
        const double *row = s->lcp->M + (size_t)i * (size_t)n;
        double *h = s->h + i * s->stride;
        for (int32_t j = 0; j < n; j++)
            h[j] = b * row[j];
        h[i] += a;
        for (int32_t j = 0; j < n; j++)
            s->gradient[j] += h[j] * s->phi[i];
    }
}

static double dot(const double *a, const double *b, int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// work = H'H + shift: rows of H are added scaled, CD_DENSE_BLOCK at once, so that `work` streams through memory that
// much less.
static void normal_matrix(newton *s)
{
    const int32_t n = s->lcp->n;
    double largest = 0;
    memset(s->work, 0, sizeof *s->work * (size_t)n * s->stride);
    for (int32_t i = 0; i < n; i += CD_DENSE_BLOCK) {
        const double *h = s->h + i * s->stride;
        const int32_t count = n - i < CD_DENSE_BLOCK ? n - i : CD_DENSE_BLOCK;
        for (int32_t k = 0; k < n; k++) {
            double factor[CD_DENSE_BLOCK];
            for (int32_t m = 0; m < count; m++)
                factor[m] = -h[m * s->stride + k];
            cd_dense_subtract_rows(s->work + k * s->stride, factor, count, h, (int32_t)s->stride);
        }
    }
    for (int32_t k = 0; k < n; k++)
        largest = fmax(largest, s->work[k * s->stride + k]);
    for (int32_t k = 0; k < n; k++)
        s->work[k * s->stride + k] += LM_SHIFT * largest;
}

// A descent direction into s->dz: Newton's, else Levenberg-Marquardt's. Returns the slope, >= 0 when there is none.
static double direction(newton *s, cd_arena *scratch)
{
    const int32_t n = s->lcp->n;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *b = CD_ARENA_ARRAY(scratch, double, n), slope = 0;
    for (int attempt = 0; attempt < 2; attempt++) {
        if (attempt == 0)
            memcpy(s->work, s->h, sizeof *s->h * (size_t)n * s->stride);
        else
            normal_matrix(s);
        for (int32_t i = 0; i < n; i++)
            b[i] = attempt == 0 ? -s->phi[i] : -s->gradient[i];
        cd_lu lu;
        slope = 0;
        if (!cd_lu_factor(&lu, n, s->work, scratch))
            continue;
        cd_lu_solve(&lu, b, s->dz);
        slope = dot(s->gradient, s->dz, n);
        if (isfinite(slope) && slope < -DESCENT_LEAST * dot(s->dz, s->dz, n))
            break;
    }
    cd_arena_rewind(scratch, mark);
    return isfinite(slope) ? slope : 0;
}

// Halves the step until Armijo's condition holds and moves there. False: stalled.
static bool search(newton *s, double slope)
{
    const int32_t n = s->lcp->n;
    const double start = merit(s, s->z, s->w, NULL);
    for (double step = 1; step >= STEP_LEAST; step /= 2) {
        for (int32_t i = 0; i < n; i++)
            s->trial_z[i] = s->z[i] + step * s->dz[i];
        if (cd_lcp_natural_residual(s->lcp, s->trial_z, s->trial_w) < INFINITY &&
            merit(s, s->trial_z, s->trial_w, NULL) <= start + ARMIJO * step * slope) {
            memcpy(s->z, s->trial_z, sizeof *s->z * (size_t)n);
            return true;
        }
    }
    return false;
}

// z clipped at 0 and polished into the result when it is the best one so far.
static void keep_best(newton *s, const cd_lcp_options *options, cd_lcp_result *result, cd_arena *scratch)
{
    const int32_t n = s->lcp->n;
    int64_t steps = 0;
    for (int32_t i = 0; i < n; i++)
        s->trial_z[i] = s->z[i] > 0 ? s->z[i] : 0;
    // One step even when the tolerance is met: it turns Newton's last digits into those of a direct solution.
    double residual = cd_lcp_polish(s->lcp, s->trial_z, 0, 1, &steps, scratch);
    if (residual > options->tolerance)
        residual = cd_lcp_polish(s->lcp, s->trial_z, options->tolerance, POLISH_STEPS, &steps, scratch);
    result->iterations += steps;
    if (residual < result->residual) {
        result->residual = residual;
        memcpy(result->z, s->trial_z, sizeof *s->z * (size_t)n);
    }
}

cd_lcp_result cd_lcp_newton(const cd_lcp *lcp, const cd_lcp_options *options, cd_arena *arena)
{
    const size_t n = (size_t)lcp->n;
    cd_lcp_result result = {.status = CD_LCP_LIMIT,
                            .solver = "newton",
                            .reason = "Newton used up its steps",
                            .residual = INFINITY,
                            .z = CD_ARENA_ZARRAY(arena, double, n)};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    newton s = {.lcp = lcp, .stride = (size_t)cd_dense_stride(lcp->n)};
    double **const vector[] = {&s.z, &s.w, &s.phi, &s.gradient, &s.dz, &s.trial_z, &s.trial_w};
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
        *vector[k] = CD_ARENA_ZARRAY(arena, double, n);
    s.h = CD_ARENA_ZARRAY(arena, double, n *s.stride);
    s.work = CD_ARENA_ARRAY(arena, double, n *s.stride);
    if (options->warm)
        memcpy(s.z, options->warm, sizeof *s.z * n);
    const int64_t limit = options->max_iterations > 0 ? options->max_iterations : STEP_LIMIT;
    // Damped steps until the residual is small, or none goes down.
    for (;;) {
        if (cd_lcp_natural_residual(lcp, s.z, s.w) <= options->tolerance || result.iterations >= limit)
            break;
        merit(&s, s.z, s.w, s.phi);
        linearise(&s);
        double slope = direction(&s, arena);
        result.iterations++;
        if (slope >= 0 || !search(&s, slope)) {
            result.status = CD_LCP_INACCURATE;
            result.reason = "Newton stalled at a point that is no solution";
            break;
        }
    }
    // The best point met is the answer.
    keep_best(&s, options, &result, arena);
    if (result.residual <= options->tolerance) {
        result.status = CD_LCP_SOLVED;
        result.reason = "";
    }
    cd_arena_rewind(arena, mark);
    return result;
}

const cd_lcp_solver cd_lcp_solver_newton = {
    .name = "newton",
    .summary = "semismooth Newton on the Fischer-Burmeister function",
    .source = "De Luca, Facchinei & Kanzow 1996",
    .cost = "2/3 n^3 a step, 5 to 30 steps",
    .guarantee = "none; converges fast near a regular solution",
    .takes = CD_LCP_TAKES_GENERAL,
    .solves = CD_LCP_SOLVES_P,
    .solve = cd_lcp_newton,
};
