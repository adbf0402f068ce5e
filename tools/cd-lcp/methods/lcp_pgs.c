// lcp_pgs -- projected Gauss-Seidel on the structure, without a matrix: boxes and friction discs.
//
// A sweep goes through the rows in their order; row i with the present w_i = q_i + left_i u + direct_i y moves y_i to
// where its own w_i is 0, projected on its bounds, and changes u at once. The two tangents of a disc move together:
// their 2 x 2 problem is solved exactly on the disc of the present normal impulse (least_on_disc()). Convergence is
// linear; redundant contacts and mass ratios make it slow, and outside symmetric semidefinite matrices there is no
// guarantee. Two things help it along:
//   - Anderson's method combines the last sweeps so that what a sweep changes becomes least; once the set of contacts that stick, slip
//     and open has settled this is GMRES on the sweep (accelerate()). A combination that makes things worse is dropped;
//   - from time to time Newton steps (lcp_disc_newton.h) start at the present point, kept only when they lower the residual.
// Where both fail, pyramids in the place of discs give another start (lcp_pyramid.h).
// Cost: one sweep = twice the entries. Order of rows and sums is fixed, so results are deterministic.
//
// Sources: Cottle, Pang & Stone 5; Moreau 1999 and Jean 1999 for discs; the problem on a disc: More & Sorensen 1983;
// Anderson 1965, Walker & Ni 2011.
// SPDX-License-Identifier: MIT
#include "cd_dense.h"
#include "lcp_disc_newton.h"
#include "lcp_pyramid.h"
#include "lcp_vector.h"

#include <math.h>

extern const cd_lcp_solver cd_lcp_solver_qp;

enum { SWEEPS = 2000, CHECK_EVERY = 8, SECULAR_STEPS = 30 };
// Multiplications that a proof of infeasibility may take, 500 rows that carry. Larger: an arch of 951 stones whose
// friction the sweeps did not solve waited 20 s for an answer that was no.
#define PROOF_WORK 2.5e8
#define PYRAMID "pyramid"    // names answers that the pyramids started
#define SECULAR_LEAST 1e-15  // of the radius

typedef struct sweep {
    const cd_lcp_structure *s;
    double *y, *u;
    cd_lcp_proximal proximal;  // damping 0 but within newton()
    double *across;            // of a disc's first tangent: the matrix entry between the two (the mean of both)
} sweep;

static double value_of(const sweep *g, int32_t i)
{
    const cd_lcp_structure *s = g->s;
    double w = s->q[i];
    for (int32_t k = s->left.first[i]; k < s->left.first[i + 1]; k++)
        w += s->left.value[k] * g->u[s->left.col[k]];
    for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1]; k++)
        w += s->direct.value[k] * g->y[s->direct.col[k]];
    if (g->proximal.damping > 0)
        w += g->proximal.damping * (g->y[i] - g->proximal.center[i]);
    return w;
}

static void move_to(sweep *g, int32_t i, double y)
{
    const cd_lcp_structure *s = g->s;
    const double change = y - g->y[i];
    if (change == 0)
        return;
    g->y[i] = y;
    for (int32_t k = s->right.first[i]; k < s->right.first[i + 1]; k++)
        g->u[s->right.col[k]] += s->right.value[k] * change;
}

// The y of least (y'Ay)/2 + b.y on |y| <= radius for A = [p c; c q] semidefinite: A y = -b if that lies inside, else
// (A + t) y = -b with the t > 0 that puts y on the circle. In the eigenvectors of A: sum (b_k / (e_k + t))^2 =
// radius^2, where Newton's method on 1/|y| converges monotonically from the left.
static void least_on_disc(double p, double c, double q, const double b[2], double radius, double y[2])
{
    const double half = (p - q) / 2, mean = (p + q) / 2, length = hypot(half, c);
    // The eigenvector of mean + length; (half, c) / length is (cos, sin) of twice its angle.
    double cosine = length > 0 ? sqrt(fmax(0, (1 + half / length) / 2)) : 1,
           sine = length > 0 ? copysign(sqrt(fmax(0, (1 - half / length) / 2)), c) : 0;
    const double e[2] = {mean + length, fmax(0, mean - length)};
    const double f[2] = {cosine * b[0] + sine * b[1], cosine * b[1] - sine * b[0]};
    double x[2], t = 0;
    y[0] = y[1] = 0;
    if (!(radius > 0))
        return;
    // A lower bound of t that is above all poles: |f| / radius - e_max <= t.
    double start = fmax(hypot(f[0], f[1]) / radius - e[0], 0);
    for (int step = 0; step < SECULAR_STEPS; step++) {
        double size = 0, slope = 0;
        for (int k = 0; k < 2; k++) {
            x[k] = f[k] == 0 ? 0 : -f[k] / (e[k] + t);
            size += x[k] * x[k];
            slope += x[k] == 0 ? 0 : x[k] * x[k] / (e[k] + t);
        }
        size = sqrt(size);
        if (t == 0 && size <= radius)
            break;
        if (t == 0 && start > 0) {
            t = start;
            start = 0;
            continue;
        }
        if (fabs(size - radius) <= SECULAR_LEAST * radius || !(slope > 0) || !isfinite(size))
            break;
        t += (size - radius) / radius * (size * size / slope);
    }
    double size = hypot(x[0], x[1]), fit = isfinite(size) && size > radius ? radius / size : 1;
    if (!isfinite(size))
        return;
    y[0] = (cosine * x[0] - sine * x[1]) * fit;
    y[1] = (sine * x[0] + cosine * x[1]) * fit;
}

static void relax_row(sweep *g, int32_t i)
{
    const cd_lcp_structure *s = g->s;
    if (!(s->diagonal[i] > 0))
        return;
    double y = g->y[i] - value_of(g, i) / (s->diagonal[i] + g->proximal.damping), least = 0,
           most = s->room ? s->room[i] : INFINITY;
    if (cd_lcp_is_tangent(s, i)) {
        most = s->mu[i] * g->y[s->normal[i]];
        least = -most;
    }
    move_to(g, i, y < least ? least : y > most ? most : y);
}

static void relax_disc(sweep *g, int32_t i)
{
    const cd_lcp_structure *s = g->s;
    const int32_t j = s->partner[i];
    const double p = s->diagonal[i] + g->proximal.damping, q = s->diagonal[j] + g->proximal.damping, c = g->across[i];
    if (!(p > 0) || !(q > 0))
        return;
    const double b[2] = {value_of(g, i) - p * g->y[i] - c * g->y[j], value_of(g, j) - c * g->y[i] - q * g->y[j]};
    double y[2];
    least_on_disc(p, c, q, b, s->mu[i] * g->y[s->normal[i]], y);
    move_to(g, i, y[0]);
    move_to(g, j, y[1]);
}

static double structure_entry(const cd_lcp_structure *s, int32_t i, int32_t j)
{
    double sum = 0;
    for (int32_t a = s->left.first[i]; a < s->left.first[i + 1]; a++) {
        for (int32_t b = s->right.first[j]; b < s->right.first[j + 1]; b++)
            sum += s->left.col[a] == s->right.col[b] ? s->left.value[a] * s->right.value[b] : 0;
    }
    for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1]; k++)
        sum += s->direct.col[k] == j ? s->direct.value[k] : 0;
    return sum;
}

// y within its bounds; normals first, for they make the discs.
static void project(const cd_lcp_structure *s, double *y)
{
    for (int32_t i = 0; i < s->n; i++) {
        if (!cd_lcp_is_tangent(s, i))
            y[i] = fmax(0, s->room ? fmin(y[i], s->room[i]) : y[i]);
    }
    for (int32_t i = 0; i < s->n; i++) {
        if (!cd_lcp_is_tangent(s, i) || s->partner[i] > i)
            continue;  // a pair at its second row
        const int32_t j = s->partner[i];
        const double length = hypot(y[i], j < 0 ? 0 : y[j]), radius = s->mu[i] * y[s->normal[i]];
        const double fit = length > radius ? radius / length : 1;
        y[i] *= fit;
        if (j >= 0)
            y[j] *= fit;
    }
}

static void relax_all(sweep *g)
{
    for (int32_t i = 0; i < g->s->n; i++) {
        if (!cd_lcp_is_tangent(g->s, i) || g->s->partner[i] < 0)
            relax_row(g, i);
        else if (g->s->partner[i] > i)
            relax_disc(g, i);
    }
}

// Measures the present point, keeps the best one in `result`. u is computed anew, without the drift of the changes.
static bool is_done(sweep *g, double *w, const cd_lcp_options *options, cd_lcp_result *result, cd_arena *scratch)
{
    cd_lcp_structure_values(g->s, g->y, g->u, w, scratch);
    double residual = cd_lcp_structure_residual(g->s, g->y, w, scratch);
    if (residual < result->residual) {
        result->residual = residual;
        memcpy(result->z, g->y, sizeof *g->y * (size_t)g->s->n);
    }
    if (residual <= options->tolerance) {
        result->status = CD_LCP_SOLVED;
        result->reason = "";
    } else if (!isfinite(residual)) {
        result->status = CD_LCP_INACCURATE;
        result->reason = "Gauss-Seidel diverged";
    }
    return result->status != CD_LCP_LIMIT;
}

// ---- Anderson's acceleration ---------------------------------------------------------------------------------------

enum { WINDOW = 12 };
#define RIDGE 1e-14      // of the normal equations, relative to their diagonal
#define GROWTH_MOST 1.5  // of a sweep's change: a combination that exceeds it is dropped

typedef struct history {
    int window;              // columns there are: no more than sweeps
    int count, next;         // columns in use, the one to be written next
    double *change[WINDOW];  // differences of f = sweep(y) - y of successive points
    double *image[WINDOW];   // differences of sweep(y)
    double *f, *g, *plain;   // of the last point; what a plain sweep gave
    double norm, best;       // of f; the least since the last restart
} history;

static history history_make(int32_t n, int64_t sweeps, cd_arena *arena)
{
    history h = {.window = sweeps < WINDOW ? (int)sweeps : WINDOW,
                 .f = CD_ARENA_ZARRAY(arena, double, n),
                 .g = CD_ARENA_ZARRAY(arena, double, n),
                 .plain = CD_ARENA_ZARRAY(arena, double, n)};
    for (int k = 0; k < h.window; k++) {
        h.change[k] = CD_ARENA_ZARRAY(arena, double, n);
        h.image[k] = CD_ARENA_ZARRAY(arena, double, n);
    }
    return h;
}

static void restart(history *h)
{
    h->count = h->next = 0;
    h->norm = 0;
}

// gamma: least |f - sum gamma_k change_k|. False when the columns are too dependent.
static bool combine(const history *h, int32_t n, double *gamma)
{
    double A[WINDOW * WINDOW];
    const int m = h->count;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j <= i; j++)
            A[i * m + j] = A[j * m + i] = cd_vector_dot(h->change[i], h->change[j], n);
        gamma[i] = cd_vector_dot(h->change[i], h->f, n);
    }
    for (int i = 0; i < m; i++)
        A[i * m + i] *= 1 + RIDGE;
    if (!cd_cholesky_factor(m, A))
        return false;
    cd_cholesky_forward(m, A, gamma);
    for (int i = m - 1; i >= 0; i--) {
        for (int j = i + 1; j < m; j++)
            gamma[i] -= A[j * m + i] * gamma[j];
        gamma[i] /= A[i * m + i];
    }
    return true;
}

// After a sweep from `from` to g->y: enters the point into the history and moves g->y to the combination.
static void accelerate(sweep *g, history *h, const double *from)
{
    const int32_t n = g->s->n;
    double gamma[WINDOW], norm = 0;
    for (int32_t i = 0; i < n; i++)
        norm += (g->y[i] - from[i]) * (g->y[i] - from[i]);
    norm = sqrt(norm);
    if (h->norm > 0 && !(norm <= GROWTH_MOST * h->best)) {
        restart(h);  // from what the plain sweep gave before
        memcpy(g->y, h->plain, sizeof *g->y * (size_t)n);
        return;
    }
    if (h->norm > 0) {
        for (int32_t i = 0; i < n; i++) {
            h->change[h->next][i] = g->y[i] - from[i] - h->f[i];
            h->image[h->next][i] = g->y[i] - h->g[i];
        }
        h->next = (h->next + 1) % h->window;
        h->count += h->count < h->window;
    }
    for (int32_t i = 0; i < n; i++) {
        h->f[i] = g->y[i] - from[i];
        h->g[i] = g->y[i];
    }
    h->best = h->norm > 0 ? fmin(h->best, norm) : norm;
    h->norm = norm;
    memcpy(h->plain, g->y, sizeof *g->y * (size_t)n);
    if (h->count == 0 || !combine(h, n, gamma))
        return;
    for (int k = 0; k < h->count; k++)
        cd_vector_subtract(g->y, gamma[k], h->image[k], n);
    project(g->s, g->y);
}

// ---- Newton --------------------------------------------------------------------------------------------------------

enum { NEWTON_STEPS = 12, PROXIMAL_STEPS = 12, NEWTON_FIRST = 32, NEWTON_AGAIN = 3, NEWTON_ROWS_MOST = 2000 };
#define DAMPING_LEAST 1e-9  // of rows with w = 0, whose diagonals are near 1
#define DAMPING_MOST 1
#define DAMPING_FIRST 1e-2
#define DAMPING_FALL 4  // when a proximal problem was solved to PROXIMAL_PART of its first residual
#define DAMPING_RISE 8  // when Newton did not get there
#define PROXIMAL_PART 1e-2
#define NEWTON_WORK 3e8  // k^3 of all steps of one problem: about a tenth of a second

// max of the natural map's errors at y with values w.
static double worst_error(const cd_lcp_structure *s, const double *y, const double *w)
{
    double worst = 0;
    for (int32_t i = 0; i < s->n; i++)
        worst = fmax(worst, cd_lcp_structure_error(s, i, y, w));
    return isfinite(worst) ? worst : INFINITY;
}

// Proximal steps from the best point so far, each solved by Newton's method with a sweep behind every step. True when
// they end at a better point, which is then g->y and in `result`.
static bool newton(sweep *g, double *w, const cd_lcp_options *options, cd_lcp_result *result, double *damping,
                   double *work, cd_arena *scratch)
{
    const int32_t n = g->s->n;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *y = CD_ARENA_ARRAY(scratch, double, n), *center = CD_ARENA_ARRAY(scratch, double, n),
           before = result->residual;
    memcpy(center, result->z, sizeof *y * (size_t)n);
    // Proximal steps: each solves the problem drawn to the centre by the damping.
    for (int outer = 0; outer < PROXIMAL_STEPS && result->residual > options->tolerance; outer++) {
        g->proximal = (cd_lcp_proximal){g->s, *damping, center};
        memcpy(g->y, center, sizeof *y * (size_t)n);
        cd_lcp_proximal_values(&g->proximal, g->y, g->u, w, scratch);
        const double start = worst_error(g->s, g->y, w), wanted = fmax(PROXIMAL_PART * start, options->tolerance / 4);
        double error = start;
        for (int step = 0; step < NEWTON_STEPS && error > wanted; step++) {
            const double k = cd_lcp_disc_unknowns(g->s, g->y, w);
            *work += k * k * k;
            if (k > NEWTON_ROWS_MOST || *work > NEWTON_WORK || !cd_lcp_disc_step(&g->proximal, g->y, w, y, scratch))
                break;
            memcpy(g->y, y, sizeof *y * (size_t)n);
            project(g->s, g->y);
            cd_lcp_proximal_values(&g->proximal, g->y, g->u, w, scratch);
            for (int sweeps = 0; sweeps < 2; sweeps++)
                relax_all(g);
            cd_lcp_proximal_values(&g->proximal, g->y, g->u, w, scratch);
            error = worst_error(g->s, g->y, w);
            result->iterations++;
        }
        // What counts is the residual of the problem itself.
        double residual = cd_lcp_structure_residual(g->s, g->y, w, scratch);
        if (residual < result->residual) {
            result->residual = residual;
            memcpy(result->z, g->y, sizeof *y * (size_t)n);
        }
        // A step that was solved moves the centre; one that was not is tried again, drawn harder.
        if (error <= wanted) {
            memcpy(center, g->y, sizeof *y * (size_t)n);
            *damping = fmax(DAMPING_LEAST, *damping / DAMPING_FALL);
        } else {
            *damping *= DAMPING_RISE;
            if (*damping > DAMPING_MOST)
                break;
        }
    }
    // Gauss-Seidel goes on from the best point, undamped.
    *damping = fmin(*damping, DAMPING_FIRST);
    g->proximal.damping = 0;
    cd_arena_rewind(scratch, mark);
    memcpy(g->y, result->z, sizeof *g->y * (size_t)n);
    return result->residual < before;
}

// The answer of the pyramids: exact for discs of one tangent, else a start for Newton's method; taken when the end is
// better than what there is.
static void take_pyramids(sweep *g, double *w, const cd_lcp_options *options, cd_lcp_result *result, double *work,
                          cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_lcp_result own = {.solver = PYRAMID, .z = CD_ARENA_ARRAY(scratch, double, g->s->n)};
    if (cd_lcp_pyramid_start(g->s, options, result->z, own.z, &result->iterations, scratch)) {
        project(g->s, own.z);
        own.residual = cd_lcp_structure_residual(g->s, own.z, w, scratch);
        double damping = DAMPING_FIRST;
        newton(g, w, options, &own, &damping, work, scratch);
        result->iterations += own.iterations;
        if (own.residual < result->residual) {
            result->residual = own.residual;
            result->solver = own.solver;
            memcpy(result->z, own.z, sizeof *own.z * (size_t)g->s->n);
        }
    }
    cd_arena_rewind(scratch, mark);
}

// Friction cannot help where no motion at all satisfies the normal rows: v >= 0 with N'v = 0 and q.v < 0 stays a proof.
static bool is_infeasible(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *scratch)
{
    if (!s->is_semidefinite || s->room)
        return false;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_lcp_options inner = {.tolerance = options->tolerance, .max_dense = options->max_dense, .max_work = PROOF_WORK};
    cd_lcp_structure normals = cd_lcp_structure_frictionless(s, scratch);
    bool infeasible = cd_lcp_solver_qp.solve_structure(&normals, &inner, scratch).status == CD_LCP_INFEASIBLE;
    cd_arena_rewind(scratch, mark);
    return infeasible;
}

static sweep sweep_make(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *arena)
{
    sweep g = {.s = s,
               .y = CD_ARENA_ZARRAY(arena, double, s->n),
               .u = CD_ARENA_ARRAY(arena, double, s->m),
               .across = CD_ARENA_ZARRAY(arena, double, s->n)};
    for (int32_t i = 0; i < s->n; i++) {
        if (cd_lcp_is_tangent(s, i) && s->partner[i] > i)
            g.across[i] = (structure_entry(s, i, s->partner[i]) + structure_entry(s, s->partner[i], i)) / 2;
    }
    if (options->warm) {
        memcpy(g.y, options->warm, sizeof *g.y * (size_t)s->n);
        project(s, g.y);
    }
    return g;
}

static cd_lcp_result solve(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *arena)
{
    const int32_t n = s->n;
    cd_lcp_result result = {.status = CD_LCP_LIMIT,
                            .solver = "pgs",
                            .reason = "Gauss-Seidel used up its sweeps",
                            .residual = INFINITY,
                            .z = CD_ARENA_ZARRAY(arena, double, n)};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    sweep g = sweep_make(s, options, arena);
    const int64_t limit = options->max_iterations > 0 ? options->max_iterations : SWEEPS;
    history h = history_make(n, limit, arena);
    double *w = CD_ARENA_ARRAY(arena, double, n);
    double *from = CD_ARENA_ARRAY(arena, double, n);
    bool has_tried_pyramids = false;
    double work = 0, damping = DAMPING_FIRST;
    int64_t newton_at = NEWTON_FIRST;
    while (!is_done(&g, w, options, &result, arena) && result.iterations < limit) {
        for (int k = 0; k < CHECK_EVERY && result.iterations < limit; k++, result.iterations++) {
            memcpy(from, g.y, sizeof *from * (size_t)n);
            relax_all(&g);
            accelerate(&g, &h, from);
            cd_lcp_structure_values(s, g.y, g.u, w, arena);
        }
        // Sweeps alone crawl: is there a solution at all, and are pyramids or Newton's method nearer to it?
        if (s->normal && result.status == CD_LCP_LIMIT && result.iterations >= newton_at) {
            if (newton_at == NEWTON_FIRST && is_infeasible(s, options, arena)) {
                result.status = CD_LCP_INFEASIBLE;
                result.reason = CD_LCP_CONTRADICTION;
                break;
            }
            if (newton_at > NEWTON_FIRST && !has_tried_pyramids) {
                has_tried_pyramids = true;
                take_pyramids(&g, w, options, &result, &work, arena);
            }
            newton_at = NEWTON_AGAIN * result.iterations;
            if (newton(&g, w, options, &result, &damping, &work, arena))
                restart(&h);
            cd_lcp_structure_values(s, g.y, g.u, w, arena);
        }
    }
    cd_arena_rewind(arena, mark);
    return result;
}

static const char *const answers[] = {"pgs", PYRAMID, NULL};

const cd_lcp_solver cd_lcp_solver_pgs = {
    .name = "pgs",
    .summary = "projected Gauss-Seidel on the structure, for friction discs too",
    .source = "Cottle, Pang & Stone 1992, chapter 5; Jean 1999",
    .cost = "twice the entries a sweep, up to 2000 sweeps",
    .guarantee = "symmetric positive semidefinite and solvable: converges, linearly",
    .takes = CD_LCP_TAKES_GENERAL | CD_LCP_TAKES_ROOMS | CD_LCP_TAKES_DISCS,
    .solves = CD_LCP_SOLVES_CONTACTS,
    .answers = answers,
    .solve_structure = solve,
};
