// lcp_qp -- the dual active-set method for symmetric positive semidefinite problems, on the structure.
//
// With M = N N' + C the problem 0 <= y _|_ M y + q >= 0 is the dual of: the smallest motion |u|^2 (the energy norm of the change of
// velocity) that satisfies every row, N u >= -q. The method keeps rows A with y_A > 0 and w_A = 0, that is the exact
// answer to the problem of the rows A alone, and adds violated rows one by one:
//   r = S_AA^-1 S_Ai: raising y_i by t lowers y_A by t r and raises w_i by t d, d = S_ii - S_iA r, the squared distance of row i
//   from the rows A. The step ends where w_i = 0 (i joins A) or where some y_j = 0 (j leaves A, row i goes on).
//   Where d = 0 and no y_j falls, e_i - r is a combination of rows that no motion can satisfy: infeasible, if that is verified.
// Every full step raises the energy, so no set A comes back: the method ends after finitely many steps.
// It never forms M: a step costs the rows A times their entries, k^2 for the factor of k active rows (lcp_factor.h), and one
// product N u for the next row. Memory: rows + entries + k^2.
//
// Near-dependent rows: see direction(). At the end y_A is solved again with the residual of the structure
// (corrected seminormal equations, Bjorck 1987), so the answer does not carry the drift of the steps.
//
// Source: Goldfarb & Idnani 1983, in the variables of the dual; here the factor is that of S_AA and not of the constraint matrix.
// SPDX-License-Identifier: MIT
#include "lcp_factor.h"
#include "lcp_structure.h"

#include <float.h>
#include <math.h>

// Squared distances relative to S_ii (which is near 1).
#define DISTANCE_DOUBTFUL 1e-5  // below: computed anew without cancellation
#define DISTANCE_LEAST 1e-13    // below: dependent. Directions nearer than 3e-7 rad cannot be told apart by the factor
#define VIOLATION_LEAST 4e-14   // of 1 + max |u|: a row that is violated by less is not taken up
#define FALL_LEAST 1e-12        // components of r below this part of the largest are rounding of zeros

enum { CORRECT_EVERY = 24, CORRECTIONS = 3, STEPS_A_ROW = 20 };

typedef struct active_set {
    const cd_lcp_structure *s;
    cd_factor f;
    bool has_direct;
    bool *active, *passed;  // passed: a row that cannot be satisfied within rounding
    double *y, *w, *u, *r, *spread_u, *spread_y, *p;
    cd_arena *arena;
} active_set;

// u and w of the present y, which is zero outside A (and row `entering`, or -1).
static void evaluate(active_set *a, int32_t entering)
{
    const cd_lcp_structure *s = a->s;
    memset(a->u, 0, sizeof *a->u * (size_t)s->m);
    for (int32_t p = 0; p < a->f.count + (entering >= 0); p++) {
        const int32_t i = p < a->f.count ? a->f.list[p] : entering;
        for (int32_t k = s->left.first[i]; k < s->left.first[i + 1]; k++)
            a->u[s->left.col[k]] += s->left.value[k] * a->y[i];
    }
    for (int32_t i = 0; i < s->n; i++) {
        double sum = s->q[i];
        for (int32_t k = s->left.first[i]; k < s->left.first[i + 1]; k++)
            sum += s->left.value[k] * a->u[s->left.col[k]];
        a->w[i] = sum;
    }
    for (int32_t p = 0; p < a->f.count + (entering >= 0) && a->has_direct; p++) {
        const int32_t i = p < a->f.count ? a->f.list[p] : entering;
        for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1]; k++)
            a->w[s->direct.col[k]] += s->direct.value[k] * a->y[i];
    }
}

static void spread(active_set *a, int32_t i, double factor)
{
    const cd_lcp_structure *s = a->s;
    for (int32_t k = s->left.first[i]; k < s->left.first[i + 1]; k++)
        a->spread_u[s->left.col[k]] = factor * s->left.value[k];
    for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1]; k++)
        a->spread_y[s->direct.col[k]] = factor * s->direct.value[k];
}

// v[p] = S_{A_p, i}
static void coupling(active_set *a, int32_t i, double *v)
{
    const cd_lcp_structure *s = a->s;
    spread(a, i, 1);
    for (int32_t p = 0; p < a->f.count; p++) {
        const int32_t j = a->f.list[p];
        double sum = a->has_direct ? a->spread_y[j] : 0;
        for (int32_t k = s->left.first[j]; k < s->left.first[j + 1]; k++)
            sum += s->left.value[k] * a->spread_u[s->left.col[k]];
        v[p] = sum;
    }
    spread(a, i, 0);
}

// g[p] = (S x)_{A_p} for x = e_i - r over A and i; returns x'S x, which is the squared distance without cancellation.
static double combination(active_set *a, int32_t i, double *g)
{
    const cd_lcp_structure *s = a->s;
    double square = 0;
    memset(a->p, 0, sizeof *a->p * (size_t)s->m);
    memset(a->spread_y, 0, sizeof *a->spread_y * (size_t)s->n);
    for (int32_t p = 0; p <= a->f.count; p++) {
        const int32_t j = p < a->f.count ? a->f.list[p] : i;
        const double x = p < a->f.count ? -a->r[p] : 1;
        for (int32_t k = s->left.first[j]; k < s->left.first[j + 1]; k++)
            a->p[s->left.col[k]] += s->left.value[k] * x;
        for (int32_t k = s->direct.first[j]; k < s->direct.first[j + 1]; k++)
            a->spread_y[s->direct.col[k]] += s->direct.value[k] * x;
    }
    for (int32_t k = 0; k < s->m; k++)
        square += a->p[k] * a->p[k];
    for (int32_t p = 0; p <= a->f.count; p++) {
        const int32_t j = p < a->f.count ? a->f.list[p] : i;
        square += (p < a->f.count ? -a->r[p] : 1) * a->spread_y[j];
        double sum = a->spread_y[j];
        for (int32_t k = s->left.first[j]; k < s->left.first[j + 1]; k++)
            sum += s->left.value[k] * a->p[s->left.col[k]];
        if (p < a->f.count)
            g[p] = sum;
    }
    memset(a->spread_y, 0, sizeof *a->spread_y * (size_t)s->n);
    return square;
}

// r = S_AA^-1 S_Ai and the squared distance of row i from A; 0 when it is dependent. v receives R'^-1 S_Ai for the factor.
// The distance from the factor is a difference of numbers near 1. Where it is small it is taken from the combination itself,
// after one correction of r.
static double direction(active_set *a, int32_t i, double *v)
{
    const int32_t k = a->f.count;
    coupling(a, i, v);
    double distance = cd_factor_forward(&a->f, a->s->diagonal[i], v);
    memcpy(a->r, v, sizeof *v * (size_t)k);
    cd_factor_backward(&a->f, a->r);
    if (distance < DISTANCE_DOUBTFUL * a->s->diagonal[i]) {
        cd_arena_mark mark = cd_arena_get_mark(a->arena);
        double *g = CD_ARENA_ARRAY(a->arena, double, k);
        combination(a, i, g);
        cd_factor_forward(&a->f, 0, g);
        cd_factor_backward(&a->f, g);
        for (int32_t p = 0; p < k; p++)
            a->r[p] += g[p];
        distance = combination(a, i, g);
        cd_arena_rewind(a->arena, mark);
    }
    return distance > DISTANCE_LEAST * a->s->diagonal[i] ? distance : 0;
}

// y_A := y_A - S_AA^-1 w_A: with w_A computed from the structure this is one step of iterative refinement.
static void correct(active_set *a)
{
    for (int32_t p = 0; p < a->f.count; p++)
        a->r[p] = a->w[a->f.list[p]];
    cd_factor_forward(&a->f, 0, a->r);
    cd_factor_backward(&a->f, a->r);
    for (int32_t p = 0; p < a->f.count; p++)
        a->y[a->f.list[p]] = fmax(0, a->y[a->f.list[p]] - a->r[p]);
    evaluate(a, -1);
}

static void leave(active_set *a, int32_t place)
{
    const int32_t j = a->f.list[place];
    a->active[j] = false;
    a->y[j] = 0;
    cd_factor_drop(&a->f, place);
}

// The row that is violated most, -1 when none is.
static int32_t worst_row(const active_set *a)
{
    double largest = 0, least;
    int32_t row = -1;
    for (int32_t k = 0; k < a->s->m; k++)
        largest = fmax(largest, fabs(a->u[k]));
    least = -VIOLATION_LEAST * (1 + largest);
    for (int32_t i = 0; i < a->s->n; i++) {
        if (a->w[i] < least && !a->active[i] && !a->passed[i]) {
            least = a->w[i];
            row = i;
        }
    }
    return row;
}

// Takes row i into A, with as many rows leaving as must. False: it cannot be satisfied, a->r and A hold the combination.
static bool take_up(active_set *a, int32_t i, double *v, int64_t *steps)
{
    double w = a->w[i];
    for (;;) {
        double distance = direction(a, i, v), largest = 0;
        for (int32_t p = 0; p < a->f.count; p++)
            largest = fmax(largest, fabs(a->r[p]));
        double step = distance > 0 ? -w / distance : INFINITY;
        int32_t blocking = -1;
        for (int32_t p = 0; p < a->f.count; p++) {
            if (a->r[p] > FALL_LEAST * largest && a->y[a->f.list[p]] < step * a->r[p]) {
                step = a->y[a->f.list[p]] / a->r[p];
                blocking = p;
            }
        }
        ++*steps;
        if (!(step < INFINITY))
            return false;
        for (int32_t p = 0; p < a->f.count; p++)
            a->y[a->f.list[p]] = fmax(0, a->y[a->f.list[p]] - step * a->r[p]);
        a->y[i] += step;
        w += step * distance;
        if (blocking < 0) {
            cd_factor_append(&a->f, i, v, distance);
            a->active[i] = true;
            return true;
        }
        leave(a, blocking);
    }
}

// A warm start: the rows of `guess` that are independent join A, and then those leave whose y comes out negative, until A and y_A >= 0
// belong together. Any such pair is a valid start; what it is worth is up to the guess.
static void adopt(active_set *a, const bool *guess, double *v)
{
    for (int32_t i = 0; i < a->s->n; i++) {
        if (!guess[i])
            continue;
        double distance = direction(a, i, v);
        if (distance > DISTANCE_DOUBTFUL * a->s->diagonal[i]) {
            cd_factor_append(&a->f, i, v, distance);
            a->active[i] = true;
        }
    }
    for (bool is_valid = false; !is_valid;) {
        is_valid = true;
        for (int32_t p = 0; p < a->f.count; p++)
            v[p] = -a->s->q[a->f.list[p]];
        cd_factor_forward(&a->f, 0, v);
        cd_factor_backward(&a->f, v);
        for (int32_t p = a->f.count - 1; p >= 0; p--) {
            a->y[a->f.list[p]] = v[p];
            if (v[p] < 0) {
                leave(a, p);
                is_valid = false;
            }
        }
    }
}

static bool is_proof(active_set *a, int32_t i)
{
    cd_arena_mark mark = cd_arena_get_mark(a->arena);
    double *v = CD_ARENA_ZARRAY(a->arena, double, a->s->n);
    for (int32_t p = 0; p < a->f.count; p++)
        v[a->f.list[p]] = fmax(0, -a->r[p]);
    v[i] = 1;
    bool proved = cd_lcp_structure_refutes(a->s, v, a->arena);
    cd_arena_rewind(a->arena, mark);
    return proved;
}

static cd_lcp_result solve(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *arena)
{
    const int32_t n = s->n;
    cd_lcp_result result = {.status = CD_LCP_SOLVED, .solver = "qp", .reason = "", .z = CD_ARENA_ZARRAY(arena, double, n)};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    active_set a = {.s = s, .f = cd_factor_start(32, arena), .has_direct = s->direct.first[n] > 0, .arena = arena, .y = result.z};
    double **const vector[] = {&a.w, &a.spread_y}, **const motion[] = {&a.u, &a.spread_u, &a.p};
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
        *vector[k] = CD_ARENA_ZARRAY(arena, double, n);
    for (size_t k = 0; k < sizeof motion / sizeof *motion; k++)
        *motion[k] = CD_ARENA_ZARRAY(arena, double, s->m);
    a.active = CD_ARENA_ZARRAY(arena, bool, n);
    a.passed = CD_ARENA_ZARRAY(arena, bool, n);
    a.r = CD_ARENA_ARRAY(arena, double, n);
    double *v = CD_ARENA_ARRAY(arena, double, n);
    const int64_t limit = options->max_iterations > 0 ? options->max_iterations : 100 + STEPS_A_ROW * (int64_t)n;
    if (options->warm) {
        bool *guess = CD_ARENA_ARRAY(arena, bool, n);
        for (int32_t i = 0; i < n; i++)
            guess[i] = options->warm[i] > 0;
        adopt(&a, guess, v);
    }
    evaluate(&a, -1);
    for (int32_t since = options->warm ? 1 : 0;; since++) {
        if (since == CORRECT_EVERY) {
            correct(&a);
            since = 0;
        }
        int32_t i = worst_row(&a);
        if (i < 0 && since > 0) {
            for (int k = 0; k < CORRECTIONS; k++)
                correct(&a);
            since = 0;
            i = worst_row(&a);
        }
        if (i < 0)
            break;
        if (result.iterations >= limit) {
            result.status = CD_LCP_LIMIT;
            result.reason = "the active-set method used up its steps";
            break;
        }
        if (!take_up(&a, i, v, &result.iterations)) {
            a.passed[i] = true;
            if (is_proof(&a, i)) {
                result.status = CD_LCP_INFEASIBLE;
                result.reason = "rows contradict each other: a combination of them cannot be made non-negative";
                break;
            }
            a.y[i] = 0;  // within rounding of a contradiction; the residual decides
        }
        evaluate(&a, -1);
    }
    cd_arena_rewind(arena, mark);
    return result;
}

const cd_lcp_solver cd_lcp_solver_qp = {
    .name = "qp",
    .summary = "dual active-set method on the structure, no matrix formed",
    .source = "Goldfarb & Idnani 1983",
    .cost = "entries + k^2 a step, k active rows, usually k to 2k steps",
    .guarantee = "symmetric positive semidefinite: solves, or shows that nothing is feasible",
    .solve_structure = solve,
};
