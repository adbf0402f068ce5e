// lcp_ipm -- an interior point on second-order cones in the space of velocities, for contacts with and without
// friction.
//
// What it factors has the size of the bodies' velocities and the sparsity of the contact graph, whatever the number of
// contacts: redundant ones, masses of any ratio and stacked bodies cost it nothing, where Gauss-Seidel crawls. The
// method itself is in cone/; here are its two ends.
//   - Nothing feasible: the multipliers of an interior point then grow along a combination of rows that no motion can
//     satisfy; it is a proof once cd_lcp_structure_refutes says so. With friction that is asked of the normal rows alone.
//   - The last digits come slowly, above all where contacts neither carry nor open or hardly stick. The method of
//     multipliers (cone_multipliers.h) adds them with the same factor; a few sweeps from the best point (lcp_pgs.c),
//     with its Newton steps on small problems, where slips drive each other too strongly for it.
//   - Where the steps get no further, a second run leaves the slope of sigma out: slower near the answer, steadier far from it.
// Cost: 15 to 60 factorisations, as many again for a second run.
// SPDX-License-Identifier: MIT
#include "cone_interior.h"
#include "lcp_structure.h"
#include "lcp_vector.h"

#include <math.h>

extern const cd_lcp_solver cd_lcp_solver_pgs;

enum { STEPS = 40, FINISH_SWEEPS = 90, POLISH_SWEEPS = 8, PATIENCE = 8, FINISH_CHANGES = 30, FINISH_PATIENCE = 3 };
#define FINISH_DISCS 1e-9  // a residual from which the method of multipliers is tried: where contacts slip,
#define FINISH_PLAIN 1e-6  // and without friction
#define FINISH_AGAIN 0.1   // and once more at this part of it
#define GAIN 0.5
// rho of the changes: where one gains little, rows that nearly depend on each other are left, and the next is firm.
#define PENALTY 1e4
#define FIRM_PLAIN 1e8
#define FIRM_DISCS 1e6
#define FINISH_MOST 1e-3    // a residual from which sweeps are of use; the largest |q| is near 1
#define RESTART_LEAST 1e-8  // a residual from which steps without the slope of sigma may come nearer
#define DIGITS 0.1          // of the tolerance: steps that still gain go on so far, for they cost little
#define OPEN 1e-4           // an impulse below this part of its gap rate, both in the units of the scaled problem
#define TOO_LARGE "the factor would need more memory than --max-dense"

// A row that acts on nothing while w = q < 0: v, all zeros, gets its 1.
static bool find_lost_row(const cd_lcp_structure *s, double *v, cd_arena *scratch)
{
    for (int32_t i = 0; i < s->n; i++) {
        if (cd_lcp_is_tangent(s, i) || s->diagonal[i] > 0 || s->q[i] >= 0)
            continue;
        v[i] = 1;
        if (cd_lcp_structure_refutes(s, v, scratch))
            return true;
        v[i] = 0;
    }
    return false;
}

// The point y: kept in `result` when it is the best one. True when it is the answer.
static bool offer(const cd_lcp_structure *s, const double *y, double residual, const cd_lcp_options *options,
                  cd_lcp_result *result)
{
    if (residual < result->residual) {
        result->residual = residual;
        memcpy(result->z, y, sizeof *y * (size_t)s->n);
    }
    if (!(result->residual <= options->tolerance))
        return false;
    result->status = CD_LCP_SOLVED;
    result->reason = "";
    return true;
}

// The answer with nothing on contacts that are clearly open, where the interior point leaves what its floor is.
static void clear_open(const cd_lcp_structure *s, const cd_lcp_options *options, cd_lcp_result *result,
                       cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *y = CD_ARENA_ARRAY(scratch, double, s->n), *w = CD_ARENA_ARRAY(scratch, double, s->n);
    cd_lcp_structure_values(s, result->z, NULL, w, scratch);
    for (int32_t i = 0; i < s->n; i++) {
        const int32_t normal = cd_lcp_is_tangent(s, i) ? s->normal[i] : i;
        y[i] = result->z[normal] < OPEN * w[normal] ? 0 : result->z[i];
    }
    const double residual = cd_lcp_structure_residual(s, y, NULL, scratch);
    if (residual <= cd_larger(result->residual, DIGITS * options->tolerance)) {
        result->residual = residual;
        memcpy(result->z, y, sizeof *y * (size_t)s->n);
    }
    cd_arena_rewind(scratch, mark);
}

// Changes of the multipliers from the iterate on, as long as they gain. True when the answer is found.
static bool finish(const cd_lcp_structure *s, cd_cone_interior *m, const cd_cone_program *p,
                   const cd_lcp_options *options, cd_lcp_result *result, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_cone_multipliers x = cd_cone_interior_finish(m, scratch);
    double *y = CD_ARENA_ARRAY(scratch, double, s->n), best = INFINITY;
    bool is_solved = false;
    for (int change = 0, since = 0; change < FINISH_CHANGES && since < FINISH_PATIENCE; change++) {
        const int steps = cd_cone_multipliers_step(&x, since != 1 ? PENALTY : s->normal ? FIRM_DISCS : FIRM_PLAIN);
        result->iterations += steps;
        cd_cone_impulses(p, x.z, s->n, y);
        const double residual = cd_lcp_structure_residual(s, y, NULL, scratch);
        is_solved = offer(s, y, residual, options, result);
        if (steps == 0 || (is_solved && (residual > best / 2 || residual <= DIGITS * options->tolerance)))
            break;
        since = residual < GAIN * best ? 0 : since + 1;
        best = cd_smaller(best, residual);
    }
    cd_arena_rewind(scratch, mark);
    return is_solved;
}

// Steps until the answer is found, is shown not to exist (without friction), or comes no nearer.
static void run(const cd_lcp_structure *s, cd_cone_interior *m, const cd_cone_program *p, const cd_lcp_options *options,
                cd_lcp_result *result, cd_arena *scratch)
{
    const int64_t most = options->max_iterations > 0 ? options->max_iterations : STEPS;
    int64_t steps = 0;
    double *y = CD_ARENA_ARRAY(scratch, double, s->n);
    double best = INFINITY, finish_at = s->normal ? FINISH_DISCS : FINISH_PLAIN;  // of this run
    int since = 0;
    for (;;) {
        cd_cone_impulses(p, cd_cone_interior_multipliers(m), s->n, y);
        const double residual = cd_lcp_structure_residual(s, y, NULL, scratch);
        const bool is_solved = offer(s, y, residual, options, result);
        since = residual < best ? 0 : since + 1;
        best = cd_smaller(best, residual);
        if (is_solved && (since > 0 || result->residual <= DIGITS * options->tolerance))
            return;
        if (!s->normal && cd_lcp_structure_refutes(s, y, scratch)) {
            result->status = CD_LCP_INFEASIBLE;
            result->reason = CD_LCP_CONTRADICTION;
            return;
        }
        if (residual < finish_at) {
            if (finish(s, m, p, options, result, scratch))
                return;
            finish_at = residual * FINISH_AGAIN;
        }
        if (since > PATIENCE || steps >= most || !cd_cone_interior_step(m))
            return;
        result->iterations++;
        steps++;
    }
}

// Sweeps from the best point: they see each contact by itself.
static void sweep(const cd_lcp_structure *s, const cd_lcp_options *options, int sweeps, cd_lcp_result *result,
                  cd_arena *scratch)
{
    cd_lcp_options inner = *options;
    inner.tolerance *= DIGITS;
    inner.warm = result->z;
    inner.max_iterations = sweeps;
    cd_lcp_result swept = cd_lcp_solver_pgs.solve_structure(s, &inner, scratch);
    result->iterations += swept.iterations;
    (void)offer(s, swept.z, cd_lcp_structure_residual(s, swept.z, NULL, scratch), options, result);
}

static cd_lcp_result solve(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *arena);

// Friction cannot help where the normal rows contradict each other: a proof without it stays one.
static bool is_infeasible(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *scratch)
{
    cd_lcp_options inner = *options;
    inner.warm = NULL;
    cd_lcp_structure normals = cd_lcp_structure_frictionless(s, scratch);
    return solve(&normals, &inner, scratch).status == CD_LCP_INFEASIBLE;
}

static void solve_program(const cd_lcp_structure *s, const cd_cone_root *root, const cd_lcp_options *options,
                          cd_lcp_result *result, cd_arena *scratch)
{
    cd_cone_program program = cd_cone_program_make(s, root, scratch);
    cd_cone_interior *m = cd_cone_interior_make(&program, options->tolerance, scratch);
    if (cd_cone_interior_bytes(m) > (options->max_dense > 0 ? options->max_dense : CD_LCP_MAX_DENSE)) {
        result->reason = TOO_LARGE;
        return;
    }
    cd_cone_interior_start(m, true);
    run(s, m, &program, options, result, scratch);
    if (result->status == CD_LCP_LIMIT && s->normal && result->residual > RESTART_LEAST) {
        cd_cone_interior_start(m, false);
        run(s, m, &program, options, result, scratch);
    }
    if (result->status == CD_LCP_LIMIT && result->residual < FINISH_MOST)
        sweep(s, options, FINISH_SWEEPS, result, scratch);
    if (result->status == CD_LCP_SOLVED)
        clear_open(s, options, result, scratch);
    if (result->status == CD_LCP_SOLVED && result->residual > DIGITS * options->tolerance)
        sweep(s, options, POLISH_SWEEPS, result, scratch);
    if (result->status == CD_LCP_LIMIT && s->normal && is_infeasible(s, options, scratch)) {
        result->status = CD_LCP_INFEASIBLE;
        result->reason = CD_LCP_CONTRADICTION;
    }
}

static cd_lcp_result solve(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *arena)
{
    cd_lcp_result result = {.status = CD_LCP_LIMIT,
                            .solver = "ipm",
                            .reason = "the interior point used up its steps",
                            .residual = INFINITY,
                            .z = CD_ARENA_ZARRAY(arena, double, s->n)};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    double *v = CD_ARENA_ZARRAY(arena, double, s->n);
    cd_cone_root root;
    if (offer(s, result.z, cd_lcp_structure_residual(s, result.z, NULL, arena), options, &result)) {
        // Nothing needs an impulse.
    } else if (find_lost_row(s, v, arena)) {
        result.status = CD_LCP_INFEASIBLE;
        result.reason = CD_LCP_CONTRADICTION;
    } else if (!s->is_semidefinite && !cd_lcp_dense_fits(s->n, options)) {
        result.reason = CD_LCP_TOO_LARGE;
    } else if (!cd_cone_root_make(s, &root, arena)) {
        result.status = CD_LCP_INACCURATE;
        result.reason = "the matrix is not positive semidefinite";
    } else {
        solve_program(s, &root, options, &result, arena);
    }
    cd_arena_rewind(arena, mark);
    return result;
}

const cd_lcp_solver cd_lcp_solver_ipm = {
    .name = "ipm",
    .summary = "interior point on second-order cones in the space of velocities, for friction discs too",
    .source = "Mehrotra 1992; Nesterov & Todd 1997; De Saxce & Feng 1998",
    .cost = "15 to 60 sparse Cholesky factors of the size of the velocities",
    .guarantee = "without friction, symmetric positive semidefinite and solvable: converges",
    .takes = CD_LCP_TAKES_DISCS,
    .solves = CD_LCP_SOLVES_CONTACTS,
    .solve_structure = solve,
};
