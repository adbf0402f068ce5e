// lcp_mprgp -- conjugate gradients on the rows that carry, for frictionless contacts by the hundred thousand.
//
// The problem 0 <= y _|_ g = M y + q >= 0, M semidefinite, is the minimum of y'M y / 2 + q'y over y >= 0. With the free
// gradient phi (g where y > 0), the chopped one beta (the negative part of g where y = 0):
//   while |beta|^2 <= phi~'phi (phi~: no longer than what brings y to 0) conjugate gradients go on with the rows y > 0;
//     a step that would leave y >= 0 ends at the boundary, and a step along -phi with the fixed length a follows;
//   else the rows of beta are let in by a step along -beta.
// Each step is one product with the structure: no matrix, no factor, memory of some vectors. The number of steps goes
// with the root of the condition of the rows that carry: with the height of a pile in bodies, not with their number.
// What conjugate gradients drift by is taken out by making g anew.
//
// Source: Dostal & Schoberl, Minimizing quadratic functions over non-negative cone with the rate of convergence and
// finite termination, 2005 (the step a: at most 2 / |M|).
// SPDX-License-Identifier: MIT
#include "lcp_structure.h"
#include "lcp_vector.h"

#include <math.h>

enum { POWER_STEPS = 16, ANEW = 60, STEPS_LEAST = 4000, STEPS_MOST = 40000, PATIENCE = 1200 };
#define STEP_PART 1.6  // of 1 / |M|; the estimate of |M| comes from below
#define DIGITS 0.1     // of the tolerance: steps cost little
#define GAIN 0.9       // of the best residual, within PATIENCE steps

typedef struct minimum {
    const cd_lcp_structure *s;
    int32_t n;
    double *y, *g;         // M y + q
    double *phi, *p, *Mp;  // p: direction; M p
    double *u;             // right' x of a product
    double *kept;          // y, while a leap is tried
    double step;           // a
} minimum;

// out = M x.
static void multiply(const minimum *m, const double *x, double *out) { cd_lcp_structure_product(m->s, x, m->u, out); }

// The largest eigenvalue, from below. Every entry of the start differs: no symmetry of a pile can be blind to it.
static double largest_eigenvalue(minimum *m)
{
    double size = 1;
    for (int32_t i = 0; i < m->n; i++)
        m->p[i] = 1 + 0.5 * sin(1.0 + i);
    for (int k = 0; k < POWER_STEPS; k++) {
        const double before = sqrt(cd_vector_dot(m->p, m->p, m->n));
        for (int32_t i = 0; i < m->n && before > 0; i++)
            m->p[i] /= before;
        multiply(m, m->p, m->Mp);
        size = sqrt(cd_vector_dot(m->Mp, m->Mp, m->n));
        memcpy(m->p, m->Mp, sizeof *m->p * (size_t)m->n);
    }
    return size;
}

// g anew.
static void begin(minimum *m)
{
    multiply(m, m->y, m->g);
    for (int32_t i = 0; i < m->n; i++)
        m->g[i] += m->s->q[i];
}

// What the gradient says: |beta|^2, phi~'phi, and the largest |min(y, g)|.
typedef struct slope {
    double chopped, reduced, residual;
} slope;

static slope slope_of(minimum *m)
{
    slope r = {0, 0, 0};
    for (int32_t i = 0; i < m->n; i++) {
        const double y = m->y[i], g = m->g[i];
        if (y > 0) {
            const double most = y / m->step;
            m->phi[i] = g;
            r.reduced += g * (g < most ? g : most);
        } else {
            m->phi[i] = 0;
            r.chopped += g < 0 ? g * g : 0;
        }
        r.residual = cd_larger(r.residual, fabs(cd_smaller(y, g)));
    }
    return r;
}

// A step along -p: the longest that keeps y >= 0 is `limit`. Returns the length that the minimum along it asks for.
static double length_along(const minimum *m, double *limit)
{
    double along = cd_vector_dot(m->g, m->p, m->n), bend = cd_vector_dot(m->Mp, m->p, m->n);
    *limit = INFINITY;
    for (int32_t i = 0; i < m->n; i++) {
        if (m->p[i] > 0 && m->y[i] < *limit * m->p[i])
            *limit = m->y[i] / m->p[i];
    }
    return bend > 0 ? along / bend : INFINITY;
}

static void advance(minimum *m, double length)
{
    cd_vector_subtract(m->y, length, m->p, m->n);
    cd_vector_subtract(m->g, length, m->Mp, m->n);
    for (int32_t i = 0; i < m->n; i++)
        m->y[i] = cd_larger(0, m->y[i]);
}

// The rows of beta are let in.
static void let_in(minimum *m)
{
    for (int32_t i = 0; i < m->n; i++)
        m->p[i] = m->y[i] > 0 ? 0 : cd_smaller(m->g[i], 0);
    multiply(m, m->p, m->Mp);
    const double bend = cd_vector_dot(m->Mp, m->p, m->n);
    advance(m, bend > 0 ? cd_vector_dot(m->g, m->p, m->n) / bend : m->step);
    (void)slope_of(m);
    memcpy(m->p, m->phi, sizeof *m->p * (size_t)m->n);
}

// y'(g + q) / 2.
static double energy(const minimum *m)
{
    double sum = 0;
    for (int32_t i = 0; i < m->n; i++)
        sum += m->y[i] * (m->g[i] + m->s->q[i]);
    return sum / 2;
}

// The whole step of conjugate gradients, put back onto y >= 0: many rows leave at once. False, and y as it was, where
// the energy does not fall by that.
static bool leap(minimum *m, double length)
{
    const size_t bytes = sizeof *m->y * (size_t)m->n;
    const double before = energy(m);
    memcpy(m->kept, m->y, bytes);
    for (int32_t i = 0; i < m->n; i++)
        m->y[i] = cd_larger(0, m->y[i] - length * m->p[i]);
    begin(m);
    if (energy(m) < before)
        return true;
    memcpy(m->y, m->kept, bytes);
    return false;
}

// To the boundary along -p, and beyond it by -a phi.
static void expand(minimum *m, double limit)
{
    for (int32_t i = 0; i < m->n; i++)
        m->y[i] = cd_larger(0, m->y[i] - limit * m->p[i]);
    begin(m);
    (void)slope_of(m);
    for (int32_t i = 0; i < m->n; i++)
        m->y[i] = cd_larger(0, m->y[i] - m->step * m->phi[i]);
    begin(m);
}

// A step of conjugate gradients; where it would leave y >= 0 they begin again beyond it. False: it has no bound.
static bool conjugate_step(minimum *m)
{
    double limit;
    multiply(m, m->p, m->Mp);
    const double length = length_along(m, &limit);
    if (length <= limit && length < INFINITY) {
        advance(m, length);
        (void)slope_of(m);
        const double bend = cd_vector_dot(m->Mp, m->p, m->n), turn = cd_vector_dot(m->phi, m->Mp, m->n) / bend;
        for (int32_t i = 0; i < m->n; i++)
            m->p[i] = m->phi[i] - turn * m->p[i];
        return true;
    }
    if (!(limit < INFINITY))
        return false;
    if (!(length < INFINITY) || !leap(m, length))
        expand(m, limit);
    (void)slope_of(m);
    memcpy(m->p, m->phi, sizeof *m->p * (size_t)m->n);
    return true;
}

static minimum start_at(const cd_lcp_structure *s, const double *warm, double *y, cd_arena *arena)
{
    minimum m = {.s = s, .n = s->n, .y = y};
    double **const of_rows[] = {&m.g, &m.phi, &m.p, &m.Mp, &m.kept};
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
        *of_rows[k] = CD_ARENA_ZARRAY(arena, double, s->n);
    m.u = CD_ARENA_ZARRAY(arena, double, s->m);
    for (int32_t i = 0; i < s->n; i++)
        y[i] = warm ? cd_larger(0, warm[i]) : 0;
    m.step = STEP_PART / cd_larger(largest_eigenvalue(&m), 1e-300);
    begin(&m);
    (void)slope_of(&m);
    memcpy(m.p, m.phi, sizeof *m.p * (size_t)m.n);
    return m;
}

// Steps until the residual is met, does not come down any more, or they are used up. Returns how many.
static int64_t run(minimum *m, double tolerance, int64_t most)
{
    double best = INFINITY;
    int64_t steps = 0, since = 0, anew = 0;
    for (; steps < most; steps++, anew++) {
        slope r = slope_of(m);
        const bool seems_met = r.residual <= DIGITS * tolerance;
        if (anew >= ANEW || (seems_met && anew > 0)) {
            begin(m);
            r = slope_of(m);
            anew = 0;
            if (r.residual <= DIGITS * tolerance)
                break;
            if (seems_met)
                memcpy(m->p, m->phi, sizeof *m->p * (size_t)m->n);
        } else if (seems_met) {
            break;
        }
        since = r.residual < GAIN * best ? 0 : since + 1;
        best = cd_smaller(best, r.residual);
        if (since > PATIENCE || !isfinite(r.residual))
            break;
        if (r.chopped > r.reduced)
            let_in(m);
        else if (!conjugate_step(m))
            break;
    }
    return steps;
}

static cd_lcp_result solve(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *arena)
{
    cd_lcp_result result = {.status = CD_LCP_LIMIT,
                            .solver = "mprgp",
                            .reason = "conjugate gradients used up their steps",
                            .z = CD_ARENA_ZARRAY(arena, double, s->n)};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    minimum m = start_at(s, options->warm, result.z, arena);
    const int64_t most = options->max_iterations > 0 ? options->max_iterations
                         : s->n < STEPS_LEAST / 20   ? STEPS_LEAST
                         : s->n < STEPS_MOST / 20    ? 20 * (int64_t)s->n
                                                     : STEPS_MOST;
    result.iterations = run(&m, options->tolerance, most);
    result.residual = cd_lcp_structure_residual(s, result.z, NULL, arena);
    if (result.residual <= options->tolerance) {
        result.status = CD_LCP_SOLVED;
        result.reason = "";
    }
    cd_arena_rewind(arena, mark);
    return result;
}

const cd_lcp_solver cd_lcp_solver_mprgp = {
    .name = "mprgp",
    .summary = "conjugate gradients on the rows that carry, no matrix and no factor",
    .source = "Dostal & Schoberl 2005",
    .cost = "twice the entries a step; steps with the height of a pile, not with n",
    .guarantee = "symmetric positive semidefinite and solvable: converges",
    .solves = CD_LCP_SOLVES_CONTACTS,
    .solve_structure = solve,
};
