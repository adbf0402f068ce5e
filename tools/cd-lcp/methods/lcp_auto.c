// lcp_auto -- the method for the island at hand, by its structure and size; the next one where that fails.
//
//   friction discs                                -> up to SWEPT_ROWS pgs for a few sweeps; then ipm, then 200 sweeps
//                                                    more on small islands and where its factor would be too large;
//                                                    with upper bounds pgs alone; on a matrix that is not symmetric
//                                                    pgs, then Newton's method on proximal problems
//   known to be positive semidefinite (N N' + C)  -> qp, which also tells what is infeasible; above QP_ROWS only while
//                                                    few rows carry, then ipm where its factor is cheap, then mprgp,
//                                                    then ipm with a dear one
//   symmetric, without velocities                 -> qp: it finds out, at the first row of negative curvature, if it
//                                                    is not semidefinite
//   the same with upper bounds                    -> ppm
//   the rest (slacks of disjunctions)             -> ladder
// Of many rows each begins with those that are near (lcp_near.h), with discs where N N' + C is semidefinite.
// qp costs the cube of the rows that carry, ipm the contact graph: 306 polygons that land, 1,400 rows of which 660
// carry, 21 and 9 ms; 125 hulls 12 and 9 ms. With friction: a wall
// of 9,000 bricks as it lands, 107,000 contacts, ipm 8 s; of 480 islands of hulls and polygons with more than 60 rows
// the first eight sweeps solved none. In space the factor of a heap goes with the square of its bodies: 27,000 spheres,
// 102,000 rows: mprgp 16 s, a factor alone as long.
// SPDX-License-Identifier: MIT
#include "lcp_proximal.h"
#include "lcp_structure.h"

#include <math.h>

extern const cd_lcp_solver cd_lcp_solver_ipm, cd_lcp_solver_ladder, cd_lcp_solver_mprgp, cd_lcp_solver_pgs,
    cd_lcp_solver_ppm, cd_lcp_solver_qp;

enum { QP_ROWS = 300, SMALL_ROWS = 60, SWEEPS_SMALL = 24, SWEEPS = 2, SWEEPS_LAST = 200, SWEPT_ROWS = 300 };

// Multiplications of a factor, of which ipm takes some 25, for each entry of the structure, of which a step of mprgp
// takes two: what is worth some 5,000 steps.
#define FACTOR_CHEAP 1e4
// Multiplications of a factor that ipm may take at all: a minute or two.
#define FACTOR_DEAR 3e10
// As FACTOR_CHEAP, of the rows that carry in qp: against a dozen factors of ipm and what goes with them.
#define ACTIVE_CHEAP 2e4

// One method of a row of them: true when its answer ends the search. `best` keeps the better one, and counts all steps.
static bool try_next(const cd_lcp_solver *solver, const cd_lcp_structure *s, const cd_lcp_options *options,
                     cd_lcp_result *best, cd_arena *arena)
{
    cd_lcp_result next = solver->solve_structure(s, options, arena);
    const int64_t iterations = best->iterations + next.iterations;
    const double residual = cd_lcp_structure_residual(s, next.z, NULL, arena);
    if (!best->z || residual < best->residual || next.status == CD_LCP_INFEASIBLE) {
        *best = next;
        best->residual = residual;
    }
    best->iterations = iterations;
    return best->residual <= options->tolerance || next.status == CD_LCP_INFEASIBLE;
}

static int64_t entries_of(const cd_lcp_structure *s) { return (int64_t)s->left.first[s->n] + s->direct.first[s->n]; }

static cd_lcp_result solve_in_turn(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *arena)
{
    cd_lcp_result best = {.residual = INFINITY};
    cd_lcp_options inner = *options;
    // Contacts that hardly act on each other take a few sweeps; in large islands some always act.
    const int64_t sweeps = s->n <= SMALL_ROWS ? SWEEPS_SMALL : SWEEPS;
    if (options->max_iterations == 0 || options->max_iterations > sweeps)
        inner.max_iterations = sweeps;
    if (s->normal && s->n <= SWEPT_ROWS && try_next(&cd_lcp_solver_pgs, s, &inner, &best, arena))
        return best;
    inner = *options;
    inner.max_work = ACTIVE_CHEAP * (double)entries_of(s);
    if (!s->normal && try_next(&cd_lcp_solver_qp, s, &inner, &best, arena))
        return best;
    inner.max_work = s->normal ? FACTOR_DEAR : FACTOR_CHEAP * (double)entries_of(s);
    const int64_t before = best.iterations;
    if (try_next(&cd_lcp_solver_ipm, s, &inner, &best, arena))
        return best;
    inner.warm = best.z;
    if (!s->normal) {
        if (try_next(&cd_lcp_solver_mprgp, s, &inner, &best, arena))
            return best;
        inner.max_work = FACTOR_DEAR;
        (void)try_next(&cd_lcp_solver_ipm, s, &inner, &best, arena);
        return best;
    }
    // What ipm has worked on it has swept too; 200 sweeps try pyramids besides, where these are small.
    if (best.iterations > before && s->n > SWEPT_ROWS)
        return best;
    if (options->max_iterations == 0)
        inner.max_iterations = SWEEPS_LAST;
    (void)try_next(&cd_lcp_solver_pgs, s, &inner, &best, arena);
    return best;
}

// Friction on a matrix that is not symmetric, which has no velocities: what sweeps leave goes to Newton's method.
static cd_lcp_result solve_unsymmetric(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *arena)
{
    cd_lcp_result best = {.residual = INFINITY};
    if (try_next(&cd_lcp_solver_pgs, s, options, &best, arena) || best.status != CD_LCP_LIMIT)
        return best;
    (void)cd_lcp_proximal(s, NULL, options, NULL, false, &best, arena);
    return best;
}

// What `auto` takes instead of a single method; not in the table.
static const cd_lcp_solver sweeps_first = {.name = "auto",
                                           .takes = CD_LCP_TAKES_GENERAL | CD_LCP_TAKES_DISCS,
                                           .is_combined = true,
                                           .solve_structure = solve_unsymmetric};
static const cd_lcp_solver in_turn = {.name = "auto",
                                      .takes = CD_LCP_TAKES_DISCS,
                                      .solves = CD_LCP_SOLVES_CONTACTS,
                                      .is_combined = true,
                                      .solve_structure = solve_in_turn};

static const cd_lcp_solver *choose(const cd_lcp_structure *s)
{
    if (s->normal && cd_lcp_refusal(&in_turn, s))
        return s->m > 0 || cd_lcp_refusal(&sweeps_first, s) ? &cd_lcp_solver_pgs : &sweeps_first;
    if (s->normal)
        return &in_turn;
    if ((s->is_semidefinite || s->is_skew) && s->n > QP_ROWS && !cd_lcp_refusal(&in_turn, s))
        return &in_turn;
    if (!cd_lcp_refusal(&cd_lcp_solver_qp, s))
        return &cd_lcp_solver_qp;
    return cd_lcp_refusal(&cd_lcp_solver_ppm, s) ? &cd_lcp_solver_ladder : &cd_lcp_solver_ppm;
}

const cd_lcp_solver cd_lcp_solver_auto = {
    .name = "auto",
    .summary = "by the structure of each island: pgs and ipm for discs, qp, ipm, mprgp or ppm for semidefinite ones, "
               "else ladder",
    .source = "",
    .cost = "that of the method it takes",
    .guarantee = "that of the method it takes",
    .takes = CD_LCP_TAKES_GENERAL | CD_LCP_TAKES_ROOMS | CD_LCP_TAKES_DISCS,
    .solves = CD_LCP_SOLVES_P | CD_LCP_SOLVES_CONTACTS | CD_LCP_SOLVES_SEMIDEFINITE,
    .is_combined = true,
    .choose = choose,
    .fallback = &cd_lcp_solver_ladder,
};
