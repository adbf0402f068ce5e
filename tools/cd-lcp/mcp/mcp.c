// SPDX-License-Identifier: MIT
#include "mcp.h"

#include "cd_threads.h"
#include "mcp_known.h"
#include "mcp_problem.h"

#include <math.h>

int32_t cd_mcp_disc_fault(const cd_mcp *mcp, const char **reason)
{
    for (int32_t i = 0; i < mcp->n && mcp->normal_row; i++) {
        const int32_t normal = mcp->normal_row[i];
        *reason = NULL;
        if (normal < 0)
            continue;
        if (normal >= mcp->n)
            *reason = "there is no such row";
        else if (mcp->normal_row[normal] >= 0)
            *reason = "the normal row is a friction row itself";
        else if (mcp->lower[normal] != 0 || !(mcp->upper[normal] > 0))
            *reason = "the normal impulse must have the lower bound 0 and a positive upper bound";
        else if (!mcp->mu || !isfinite(mcp->mu[i]) || mcp->mu[i] < 0)
            *reason = "a friction disc needs mu >= 0";
        else if (cd_mcp_is_second_tangent(mcp, i) && mcp->mu[i - 1] != mcp->mu[i])
            *reason = "the two tangents of a disc must have one mu";
        else if (cd_mcp_is_second_tangent(mcp, i) && cd_mcp_is_second_tangent(mcp, i - 1))
            *reason = "a disc has two tangents at most";
        if (*reason)
            return i;
    }
    return -1;
}

static const char *refusal(const cd_mcp *mcp, cd_lcp_status *status)
{
    for (int32_t i = 0; i < mcp->n; i++) {
        *status = CD_LCP_INFEASIBLE;
        if (mcp->normal_row && mcp->normal_row[i] >= 0)
            continue;  // the disc is the bound
        if (!(mcp->lower[i] <= mcp->upper[i]) || mcp->lower[i] == INFINITY || mcp->upper[i] == -INFINITY)
            return "a lower bound is above its upper bound";
        *status = CD_LCP_INACCURATE;
        if (!isfinite(mcp->rhs[i]))
            return "a coefficient is not finite";
    }
    for (int32_t k = 0; k < mcp->entry_count; k++) {
        if (!isfinite(mcp->value[k]))
            return "a coefficient is not finite";
    }
    return NULL;
}

// All islands of a problem, solved by any number of workers: each takes the next island that nobody has.
typedef struct work {
    const cd_mcp_problem *problem;
    const cd_lcp_solver *solver;
    const cd_lcp_options *options;
    const int32_t *first, *row;
    int64_t count, next;
    bool *is_known;                // of each island: it was solved before, and has its result
    cd_mcp_island_result *result;  // of each island
    cd_arena *arena;               // of each worker
} work;

static void solve_islands(void *context, int worker)
{
    work *w = context;
    cd_mcp_problem own = *w->problem;
    own.arena = &w->arena[worker];
    for (;;) {
        cd_share share = cd_threads_next(&w->next, w->count, 1);
        if (share.begin >= share.end)
            return;
        const int64_t k = share.begin;
        const int32_t rows = w->first[k + 1] - w->first[k];
        if (!w->is_known[k]) {
            cd_arena_mark mark = cd_arena_get_mark(own.arena);
            cd_mcp_island s = cd_mcp_island_gather(&own, w->row + w->first[k], rows);
            w->result[k] = cd_mcp_island_solve(&own, &s, w->solver, w->options);
            cd_arena_rewind(own.arena, mark);
        }
        if (w->options->tally) {
            w->options->tally->islands_done++;
            w->options->tally->rows_done += rows;
        }
    }
}

// Fewer variables do not repay the start of a thread.
enum { THREAD_LEAST = 512 };

static void run_islands(work *w, cd_arena *arena)
{
    if (w->options->tally) {
        w->options->tally->islands = w->count;
        w->options->tally->rows = w->first[w->count];
        w->options->tally->islands_done = w->options->tally->rows_done = 0;
    }
    int threads = cd_threads_for(w->options->threads, w->problem->m.n, THREAD_LEAST);
    threads = threads > w->count ? (int)w->count : threads;
    if (threads <= 1) {
        w->arena = arena;
        solve_islands(w, 0);
        return;
    }
    w->arena = CD_ARENA_ZARRAY(arena, cd_arena, threads);
    cd_threads_run(threads, solve_islands, w);
    for (int k = 0; k < threads; k++)
        cd_arena_release(&w->arena[k]);
}

// Those that came again have their result already.
static const cd_mcp_island_result *results_of(work *w, cd_arena *arena)
{
    const cd_mcp_islands islands = {w->first, w->row, (int32_t)w->count};
    w->result = CD_ARENA_ZARRAY(arena, cd_mcp_island_result, w->count);
    w->is_known = CD_ARENA_ZARRAY(arena, bool, w->count);
    if (w->options->known)
        cd_mcp_known_recall(w->options->known, w->problem, &islands, w->options, w->is_known, w->result);
    run_islands(w, arena);
    if (w->options->known)
        cd_mcp_known_keep(w->options->known, w->problem, &islands, w->result);
    return w->result;
}

// Merged in the order of the islands, so that nothing depends on who solved what.
static void merge(const cd_mcp_island_result *result, int64_t count, cd_mcp_solution *out)
{
    int64_t most = -1;
    for (int64_t k = 0; k < count; k++) {
        const cd_mcp_island_result *r = &result[k];
        if (r->status > out->status) {
            out->status = r->status;
            out->reason = r->reason;
        }
        out->iterations += r->iterations;
        out->island_count += r->rows > 0;
        if (r->rows > out->largest_island)
            out->largest_island = r->rows;
        if (r->rows > 0 && r->iterations > most) {
            most = r->iterations;
            out->solver = r->solver;
        }
    }
}

// component: the island of each member.
static void tell_rows(const cd_mcp_island_result *result, const int32_t *component, const bool *member, int32_t n,
                      cd_lcp_status *status)
{
    for (int32_t i = 0; i < n; i++)
        if (member[i])
            status[i] = result[component[i]].status;
}

void cd_mcp_solve(const cd_mcp *mcp, const cd_lcp_solver *solver, const cd_lcp_options *options, cd_arena *arena,
                  cd_mcp_solution *out)
{
    const int32_t n = mcp->n;
    *out = (cd_mcp_solution){.status = CD_LCP_SOLVED,
                             .solver = "direct",
                             .reason = "",
                             .row_status = CD_ARENA_ZARRAY(arena, cd_lcp_status, n),
                             .z = CD_ARENA_ZARRAY(arena, double, n),
                             .w = CD_ARENA_ZARRAY(arena, double, n)};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    // What no method can take.
    cd_lcp_status refused = CD_LCP_SOLVED;
    const char *reason = refusal(mcp, &refused);
    if (reason) {
        out->status = refused;
        out->reason = reason;
        out->residual = INFINITY;
        for (int32_t i = 0; i < n; i++)
            out->z[i] = isfinite(mcp->lower[i]) ? mcp->lower[i] : 0;
        return;
    }
    // Parts that do not touch each other are solved apart.
    cd_mcp_problem p = cd_mcp_problem_build(mcp, arena);
    bool *member = CD_ARENA_ARRAY(arena, bool, n);
    int32_t *component = CD_ARENA_ARRAY(arena, int32_t, n), *first, *row;
    cd_mcp_find_blocks(&p);
    for (int32_t i = 0; i < n; i++)
        member[i] = p.kind[i] != CD_MCP_FIXED;
    int32_t count = cd_mcp_components(&p.m, member, component, arena);
    cd_mcp_list_members(component, n, count, &first, &row, arena);
    work w = {.problem = &p, .solver = solver, .options = options, .first = first, .row = row, .count = count};
    const cd_mcp_island_result *result = results_of(&w, arena);
    merge(result, count, out);
    // The answer and its residual, in the problem's own units.
    for (int32_t i = 0; i < n; i++)
        out->z[i] =
            p.kind[i] == CD_MCP_DISC ? p.z[i] * p.m.c[i] : cd_mcp_clip(p.z[i] * p.m.c[i], mcp->lower[i], mcp->upper[i]);
    out->residual = cd_mcp_problem_measure(&p, out->z, out->w);
    if (out->residual <= options->tolerance) {
        out->status = CD_LCP_SOLVED;
        out->reason = "";
    } else if (out->status == CD_LCP_SOLVED) {
        out->status = CD_LCP_INACCURATE;
        out->reason = "the residual is above the tolerance";
    }
    if (out->status != CD_LCP_SOLVED)
        tell_rows(result, component, member, n, out->row_status);
    cd_arena_rewind(arena, mark);
}
