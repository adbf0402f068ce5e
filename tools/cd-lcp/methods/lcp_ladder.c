// lcp_ladder -- what to try, in order of cost and of faith, when no method is guaranteed to work.
//
//   1. warm       the active set of the given start values (only when there are some)
//   2. lemke      covering vector of ones
//   3. resolve    the last basis solved again, with exchange of the rows of wrong sign
//   4. cover      Lemke with up to 3 random covering vectors in [0.2, 1.8): another path, which often misses the ray
//   5. regularize Lemke on M + e I, e = 1e-10, 1e-8, 1e-6 of the equilibrated entries; its active set polished on M
//   6. newton     from the best point so far, then from 0; with fewer steps on large problems, none on the largest
//   7. enum       up to 12 rows: every complementary basis; with few exact solutions where these could prove nothing
//
// A rung ends the climb when its residual is within the tolerance. A proof that there is no solution (status
// infeasible: a Farkas vector, an exhausted enumeration) ends it too. Otherwise the best point of all rungs is returned
// with the status of the first Lemke run, or inaccurate when some run did reach a complementary basis. Source of
// the random covers: Cottle, Pang & Stone 4.4.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "lcp_enum.h"
#include "lcp_lemke.h"
#include "lcp_newton.h"
#include "lcp_polish.h"

#include <math.h>

enum { ENUM_ROWS = 12, POLISH_STEPS = 8, COVERS = 3, NEWTON_STEPS_LEAST = 10, NEWTON_STEPS_MOST = 60 };
#define COVER_LEAST 0.2
#define COVER_MOST 1.8
// n^3 per Newton step, of one start: one or two seconds. The last resort must not cost more than the rest of a
// simulation; where Newton does find a solution it takes 5 to 30 steps, so nothing is cut below 870 rows (30 steps).
// Beyond 1260 rows the rung is left out.
#define NEWTON_WORK 2e10
// Systems that enumeration may solve without rounding when the problem is itself rounded (blocks of bodies were
// eliminated): to exhaust them proves nothing then, all that can be won is a solution. Measured on the random problems
// with free blocks of test_lcp_mixed.c: where this rung found a solution, 307 systems were the most. 500 take 0.15 s at
// 12 rows of like size, 2 s at the longest numbers.
enum { ROUNDED_EXACT_MOST = 500 };

// The rungs, as solutions name them.
#define LEMKE "lemke"
#define RESOLVED "lemke-resolved"
#define COVER "lemke-cover"
#define REGULARIZED "lemke-regularized"
#define NEWTON "newton"
#define ENUM "enum"
#define WARM "warm"

typedef struct climb {
    const cd_lcp *lcp;
    const cd_lcp_options *options;
    cd_arena *arena;
    cd_lcp_result best;  // of all rungs; `iterations` of all
    double *trial;
    bool reached_basis;  // some Lemke run ended with z0 out
    bool done;
} climb;

// Enters a rung's point into the climb.
static void offer(climb *c, const char *rung, const double *z, double residual)
{
    if (residual < c->best.residual) {
        memmove(c->best.z, z, sizeof *z * (size_t)c->lcp->n);
        c->best.residual = residual;
        c->best.solver = rung;
    }
    if (residual <= c->options->tolerance) {
        c->best.status = CD_LCP_SOLVED;
        c->best.reason = "";
        c->done = true;
    }
}

static void polish_and_offer(climb *c, const char *rung, const double *z)
{
    int64_t steps = 0;
    memmove(c->trial, z, sizeof *z * (size_t)c->lcp->n);
    double residual = cd_lcp_polish(c->lcp, c->trial, c->options->tolerance, POLISH_STEPS, &steps, c->arena);
    c->best.iterations += steps;
    offer(c, rung, c->trial, residual);
}

// One run of Lemke on `lcp` (the problem or a regularised one) with the point offered as is when it is the problem.
static cd_lcp_result run_lemke(climb *c, const char *rung, const cd_lcp *lcp, const double *cover)
{
    cd_lcp_result run = cd_lcp_lemke(lcp, cover, c->options, c->arena);
    c->best.iterations += run.iterations;
    c->reached_basis |= run.status == CD_LCP_SOLVED || run.status == CD_LCP_INACCURATE;
    if (lcp == c->lcp)
        offer(c, rung, run.z, run.residual);
    if (!c->done && lcp == c->lcp && run.status == CD_LCP_INFEASIBLE) {
        c->best.status = run.status;
        c->best.reason = run.reason;
        c->done = true;
    }
    return run;
}

static void try_covers(climb *c)
{
    cd_random random = {c->options->seed};
    const int32_t n = c->lcp->n;
    double *cover = CD_ARENA_ARRAY(c->arena, double, n);
    for (int k = 0; k < COVERS && !c->done; k++) {
        for (int32_t i = 0; i < n; i++)
            cover[i] = cd_random_between(&random, COVER_LEAST, COVER_MOST);
        cd_lcp_result run = run_lemke(c, COVER, c->lcp, cover);
        if (!c->done && run.status == CD_LCP_INACCURATE)
            polish_and_offer(c, COVER, run.z);
    }
}

static void try_regularized(climb *c)
{
    static const double shift[] = {1e-10, 1e-8, 1e-6};
    const size_t n = (size_t)c->lcp->n;
    double *M = CD_ARENA_ARRAY(c->arena, double, n *n);
    for (size_t k = 0; k < sizeof shift / sizeof *shift && !c->done; k++) {
        memcpy(M, c->lcp->M, sizeof *M * n * n);
        for (size_t i = 0; i < n; i++)
            M[i * n + i] += shift[k];
        cd_lcp shifted = *c->lcp;
        shifted.M = M;
        cd_lcp_result run = run_lemke(c, REGULARIZED, &shifted, NULL);
        if (run.status == CD_LCP_SOLVED || run.status == CD_LCP_INACCURATE)
            polish_and_offer(c, REGULARIZED, run.z);
    }
}

// Two starts, each of as many steps as the work allows; none when those would be too few to get anywhere.
static void try_newton(climb *c)
{
    cd_lcp_options options = *c->options;
    const double n = c->lcp->n, affordable = NEWTON_WORK / (n * n * n);
    if (options.max_iterations == 0 && affordable < NEWTON_STEPS_LEAST)
        return;
    if (options.max_iterations == 0 && affordable < NEWTON_STEPS_MOST)
        options.max_iterations = (int64_t)affordable;
    for (int k = 0; k < 2 && !c->done; k++) {
        options.warm = k == 0 ? c->best.z : NULL;
        cd_lcp_result run = cd_lcp_newton(c->lcp, &options, c->arena);
        c->best.iterations += run.iterations;
        offer(c, NEWTON, run.z, run.residual);
    }
}

static void try_enumeration(climb *c)
{
    if (c->lcp->n > ENUM_ROWS)
        return;
    const int64_t exact_most = c->options->is_rounded ? ROUNDED_EXACT_MOST : CD_LCP_ENUM_EXACT_MOST;
    cd_lcp_result run = cd_lcp_enumerate(c->lcp, c->options, exact_most, c->arena);
    c->best.iterations += run.iterations;
    offer(c, ENUM, run.z, run.residual);
    if (!c->done && run.status == CD_LCP_INFEASIBLE) {
        c->best.status = run.status;
        c->best.reason = run.reason;
        c->best.solver = ENUM;
        c->done = true;
    }
}

static cd_lcp_result solve(const cd_lcp *lcp, const cd_lcp_options *options, cd_arena *arena)
{
    const size_t n = (size_t)lcp->n;
    climb c = {.lcp = lcp, .options = options, .arena = arena};
    c.best =
        (cd_lcp_result){.solver = LEMKE, .reason = "", .residual = INFINITY, .z = CD_ARENA_ZARRAY(arena, double, n)};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    c.trial = CD_ARENA_ARRAY(arena, double, n);
    if (options->warm)
        polish_and_offer(&c, WARM, options->warm);
    if (!c.done) {
        cd_lcp_result first = run_lemke(&c, LEMKE, lcp, NULL);
        if (!c.done) {
            c.best.status = first.status;
            c.best.reason = first.reason;
            polish_and_offer(&c, RESOLVED, first.z);
        }
    }
    if (!c.done)
        try_covers(&c);
    if (!c.done)
        try_regularized(&c);
    if (!c.done)
        try_newton(&c);
    if (!c.done)
        try_enumeration(&c);
    if (!c.done && c.reached_basis) {
        c.best.status = CD_LCP_INACCURATE;
        c.best.reason = "no rung of the ladder met the tolerance";
    }
    cd_arena_rewind(arena, mark);
    return c.best;
}

static const char *const answers[] = {LEMKE, RESOLVED, COVER, REGULARIZED, NEWTON, ENUM, WARM, NULL};

const cd_lcp_solver cd_lcp_solver_ladder = {
    .name = "ladder",
    .summary =
        "Lemke, re-solve, random covers, regularised, Newton, enum up to 12 rows: the first that meets the tolerance",
    .source = "after Williams, Lu & Trinkle 2016; Cottle, Pang & Stone 1992",
    .cost = "that of lemke, more only where it fails",
    .guarantee = "what lemke guarantees",
    .takes = CD_LCP_TAKES_GENERAL,
    .solves = CD_LCP_SOLVES_P | CD_LCP_SOLVES_CONTACTS | CD_LCP_SOLVES_SEMIDEFINITE,
    .is_combined = true,
    .answers = answers,
    .solve = solve,
};
