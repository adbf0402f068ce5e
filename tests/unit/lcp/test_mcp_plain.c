// The shortest way of small islands beside the general one: the same bits, and left to it what it is not for.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "lcp_piles.h"
#include "mcp_plain.h"

static cd_arena arena;

// A problem of one island, ready to be solved.
typedef struct island {
    cd_mcp_problem p;
    cd_mcp_island s;
} island;

static island take(const cd_mcp *mcp)
{
    island out = {.p = cd_mcp_problem_build(mcp, NULL, 0, &arena)};
    int32_t *row = CD_ARENA_ARRAY(&arena, int32_t, mcp->n);
    for (int32_t i = 0; i < mcp->n; i++)
        row[i] = i;
    cd_mcp_find_blocks(&out.p);
    out.s = cd_mcp_island_gather(&out.p, row, mcp->n);
    return out;
}

// Start values that are all unknown send it the general way.
static cd_lcp_options unknown_start(int32_t n)
{
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    double *warm = CD_ARENA_ARRAY(&arena, double, n);
    for (int32_t i = 0; i < n; i++)
        warm[i] = NAN;
    options.warm = warm;
    return options;
}

static void compare(const cd_mcp *mcp, const char *name)
{
    const cd_lcp_solver *solver = cd_lcp_find_solver(name);
    const cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT, unknown = unknown_start(mcp->n);
    const island own = take(mcp), other = take(mcp);
    cd_mcp_island_result quick = {0};
    const bool is_solved = cd_mcp_plain_solve(&own.p, &own.s, solver, &options, &quick);
    CD_CHECK(is_solved);
    CD_CHECK(!cd_mcp_plain_solve(&other.p, &other.s, solver, &unknown, &quick));
    const cd_mcp_island_result full = cd_mcp_island_solve(&other.p, &other.s, solver, &unknown);
    CD_CHECK(full.status == quick.status && full.iterations == quick.iterations && full.rows == quick.rows);
    CD_CHECK(full.error == quick.error && full.share == quick.share && strcmp(full.solver, quick.solver) == 0);
    CD_CHECK(memcmp(own.p.z, other.p.z, sizeof *own.p.z * (size_t)mcp->n) == 0);
    CD_CHECK(memcmp(own.p.seen_w, other.p.seen_w, sizeof *own.p.z * (size_t)mcp->n) == 0);
}

// What couples freedoms f and g of a body.
static void couple(pile *p, int32_t body, int f, int g, double value)
{
    const int32_t first = p->first_row[body];
    pile_entry(p, first + f, first + g, value);
    pile_entry(p, first + g, first + f, value);
}

// Bodies in the principal axes, in others about one axis (a block that is no run of rows), and in any.
static void the_same_bits(void)
{
    const double spread[] = {1, 100, 1e6};
    for (int k = 0; k < 36; k++) {
        pile problem = {.spread = spread[k % 3], .random = {(uint64_t)k}};
        pile_add(&problem, 1 + k % 2, 2, 1 + k % 4);
        for (int32_t b = 0; b < problem.bodies && k % 4 > 0; b++) {
            if ((b + k) % 3 > 0)
                couple(&problem, b, 3, 5, 0.01);
            if ((b + k) % 3 > 1)
                couple(&problem, b, 4, 5, -0.02);
            if (k % 4 == 3)
                couple(&problem, b, 0, 4, 0.1);
        }
        const cd_mcp *mcp = pile_finish(&problem);
        compare(mcp, "auto");
        compare(mcp, "qp");
        pile_release(&problem);
    }
}

// A bound elsewhere has all rows and columns scaled, by powers of two that bodies with masses from 1e-6 up need: roots
// of blocks and what they give are those of blocks as they were given.
static void scaled_blocks_have_the_same_bits(void)
{
    int32_t roots = 0;
    for (int k = 0; k < 12; k++) {
        pile problem = {.spread = 1e6, .random = {(uint64_t)k}};
        pile_add(&problem, 2, 2, 2);
        for (int32_t b = 0; b < problem.bodies; b++) {
            couple(&problem, b, 3, 5, 0.01);
            couple(&problem, b, 0, 4, b % 2 ? 0.1 : 1e-3);
        }
        const cd_mcp *mcp = pile_finish(&problem);
        const island own = take(mcp);
        problem.upper[mcp->n - 1] = 1;
        const island scaled = take(mcp);
        CD_CHECK(own.p.is_contacts && !scaled.p.is_contacts && own.s.block_count == scaled.s.block_count);
        for (int32_t i = 0; i < own.s.block_count; i++) {
            cd_mcp_block *a = &own.p.blocks[own.s.block[i]], *b = &scaled.p.blocks[scaled.s.block[i]];
            CD_CHECK(cd_mcp_block_factor(&own.p, a) && cd_mcp_block_factor(&scaled.p, b));
            CD_CHECK(!a->root == !b->root);
            roots += a->root != NULL;
            cd_mcp_block_constants(&own.p, a);
            cd_mcp_block_constants(&scaled.p, b);
            for (int32_t f = 0; f < a->count; f++)
                CD_CHECK(a->g[f] == b->g[f] * scaled.p.m.c[b->row[f]]);
        }
        pile_release(&problem);
    }
    CD_CHECK(roots > 0);
}

static bool is_taken(const cd_mcp *mcp, const char *solver)
{
    const cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    const island own = take(mcp);
    cd_mcp_island_result result;
    return cd_mcp_plain_solve(&own.p, &own.s, cd_lcp_find_solver(solver), &options, &result);
}

static void leaves_the_rest(void)
{
    pile problem = {.spread = 2, .random = {3}};
    pile_add(&problem, 1, 1, 3);
    const cd_mcp *mcp = pile_finish(&problem);
    const int32_t last = mcp->n - 1;
    CD_CHECK(is_taken(mcp, "auto"));
    CD_CHECK(!is_taken(mcp, "lemke"));
    CD_CHECK(!is_taken(mcp, "pgs"));
    problem.upper[last] = 1;
    CD_CHECK(!is_taken(mcp, "auto"));
    problem.upper[last] = INFINITY;
    problem.lower[last] = 0.1;
    CD_CHECK(!is_taken(mcp, "auto"));
    problem.lower[last] = 0;
    double *value = problem.value;
    for (int32_t k = 0; k < mcp->entry_count; k++) {
        if (mcp->row[k] != last)
            continue;
        const double kept = value[k];
        value[k] *= 1 + 1e-9;
        CD_CHECK(!is_taken(mcp, "auto"));
        value[k] = kept;
    }
    value[0] = -value[0];  // a mass below 0
    CD_CHECK(!is_taken(mcp, "auto"));
    value[0] = -value[0];
    CD_CHECK(is_taken(mcp, "auto"));
    pile_release(&problem);
}

// A body between a floor and a ceiling that come closer: no answer, which the general way has to show.
static void leaves_what_contradicts(void)
{
    pile problem = {.spread = 1, .random = {5}};
    const double up[3] = {0, 0, 1}, down[3] = {0, 0, -1}, arm[3] = {0, 0, 0.5}, none[3] = {0};
    pile_body(&problem);
    pile_contact(&problem, -1, 0, up, none, arm, -1e-3);
    pile_contact(&problem, -1, 0, down, none, arm, -1e-3);
    const cd_mcp *mcp = pile_finish(&problem);
    CD_CHECK(!is_taken(mcp, "auto"));
    const cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    cd_mcp_solution out;
    cd_mcp_solve(mcp, cd_lcp_find_solver("auto"), &options, &arena, &out);
    CD_CHECK(out.status == CD_LCP_INFEASIBLE);
    pile_release(&problem);
}

int main(void)
{
    CD_RUN(the_same_bits);
    CD_RUN(scaled_blocks_have_the_same_bits);
    CD_RUN(leaves_the_rest);
    CD_RUN(leaves_what_contradicts);
    cd_arena_release(&arena);
    return cd_test_done();
}
