// SPDX-License-Identifier: MIT
#include "mcp.h"

#include "cd_numbers.h"
#include "cd_threads.h"
#include "mcp_parts.h"
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
    return cd_numbers_are_finite(mcp->value, (size_t)mcp->entry_count) ? NULL : "a coefficient is not finite";
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
            cd_lcp_options options = *w->options;
            options.threads = 2 * (int64_t)rows >= w->first[w->count] ? options.threads : 1;
            w->result[k] = cd_mcp_island_solve(&own, &s, w->solver, &options);
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

// Of all islands, those with the lowest rows first, so that nothing depends on who solved what.
static void merge(const cd_mcp_met *met, int32_t count, cd_mcp_solution *out)
{
    int64_t most = -1;
    for (int32_t k = 0; k < count; k++) {
        const cd_mcp_island_result *r = &met[k].result;
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

// A problem that is built, and its islands.
typedef struct solved {
    cd_mcp_problem p;
    cd_mcp_islands islands;
    int32_t *component;  // of each row: its island; -1: it is fixed
    const cd_mcp_island_result *result;
} solved;

// Parts that do not touch each other are solved apart.
static solved solve_built(cd_mcp_problem *p, const cd_lcp_solver *solver, const cd_lcp_options *options,
                          cd_arena *arena)
{
    const int32_t n = p->m.n;
    bool *member = CD_ARENA_ARRAY(arena, bool, n);
    int32_t *component = CD_ARENA_ARRAY(arena, int32_t, n), *first, *row;
    cd_mcp_find_blocks(p);
    for (int32_t i = 0; i < n; i++)
        member[i] = p->kind[i] != CD_MCP_FIXED;
    const int32_t count = cd_mcp_components(&p->m, member, component, arena);
    cd_mcp_list_members(component, n, count, &first, &row, arena);
    work w = {.problem = p, .solver = solver, .options = options, .first = first, .row = row, .count = count};
    const cd_mcp_island_result *result = results_of(&w, arena);
    return (solved){*p, {first, row, count}, component, result};
}

// z in the problem's own units.
static void take_values(const cd_mcp *mcp, const cd_mcp_problem *p, double *z)
{
    for (int32_t i = 0; i < mcp->n; i++)
        z[i] = p->kind[i] == CD_MCP_DISC ? p->z[i] * p->m.c[i]
                                         : cd_mcp_clip(p->z[i] * p->m.c[i], mcp->lower[i], mcp->upper[i]);
}

static cd_mcp_spread *spread_of(int32_t n, cd_arena *arena)
{
    cd_mcp_spread *out = CD_ARENA_ZARRAY(arena, cd_mcp_spread, 1);
    out->row_turn = CD_ARENA_ARRAY(arena, int8_t, n);
    out->col_turn = CD_ARENA_ARRAY(arena, int8_t, n);
    out->row_most = CD_ARENA_ZARRAY(arena, double, n);
    out->col_most = CD_ARENA_ZARRAY(arena, double, n);
    memset(out->row_turn, -1, sizeof *out->row_turn * (size_t)n);
    memset(out->col_turn, -1, sizeof *out->col_turn * (size_t)n);
    return out;
}

static void solve_all(const cd_mcp *mcp, const cd_lcp_solver *solver, const cd_lcp_options *options, cd_arena *arena,
                      cd_mcp_solution *out)
{
    const bool is_kept = options->parts && cd_mcp_parts_wants(options->parts, mcp);
    cd_mcp_problem p = cd_mcp_problem_build(mcp, is_kept ? spread_of(mcp->n, arena) : NULL, 0, arena);
    const solved s = solve_built(&p, solver, options, arena);
    cd_mcp_met *met = CD_ARENA_ARRAY(arena, cd_mcp_met, s.islands.count);
    for (int32_t k = 0; k < s.islands.count; k++)
        met[k] = (cd_mcp_met){s.islands.row[s.islands.first[k]], s.result[k]};
    merge(met, s.islands.count, out);
    take_values(mcp, &p, out->z);
    double *error = is_kept ? CD_ARENA_ARRAY(arena, double, mcp->n) : NULL;
    out->residual = cd_mcp_problem_measure(&p, out->z, out->w, error) / p.size;
    for (int32_t i = 0; i < mcp->n; i++) {
        if (s.component[i] >= 0)
            out->row_status[i] = s.result[s.component[i]].status;
    }
    const cd_mcp_whole whole = {mcp, options->warm, &p, s.islands, s.component, s.result, error, out};
    if (is_kept)
        cd_mcp_parts_keep(options->parts, &whole, arena);
}

// Islands of both, the lowest rows first.
static int32_t merge_lists(const cd_mcp_met *known, int32_t count, const solved *s, const int32_t *row, cd_mcp_met *out)
{
    int32_t k = 0, total = 0;
    for (int32_t i = 0; i < s->islands.count || k < count;) {
        const int32_t next = i < s->islands.count ? row[s->islands.row[s->islands.first[i]]] : INT32_MAX;
        if (k < count && known[k].row < next)
            out[total++] = known[k++];
        else
            out[total++] = (cd_mcp_met){next, s->result[i++]};
    }
    return total;
}

// What is known, and the rest beside it.
static void solve_rest(cd_mcp_match *match, const cd_lcp_solver *solver, const cd_lcp_options *options, cd_arena *arena,
                       cd_mcp_solution *out)
{
    cd_mcp_rest rest;
    cd_mcp_problem p;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    do {
        cd_arena_rewind(arena, mark);
        rest = cd_mcp_parts_rest(match, options->guess, arena);
        p = cd_mcp_problem_build(&rest.mcp, &match->beside, match->size, arena);
    } while (cd_mcp_parts_drop(match, &p, options));
    cd_lcp_options own = *options;
    own.warm = rest.warm;
    own.guess = rest.guess;
    const solved s = solve_built(&p, solver, &own, arena);
    cd_mcp_met *known, *met;
    const int32_t count = cd_mcp_parts_recall(match, out->z, out->w, out->row_status, &known, arena);
    met = CD_ARENA_ARRAY(arena, cd_mcp_met, count + s.islands.count);
    merge(met, merge_lists(known, count, &s, rest.row, met), out);
    const int32_t n = rest.mcp.n;
    double *z = CD_ARENA_ARRAY(arena, double, n), *w = CD_ARENA_ARRAY(arena, double, n);
    take_values(&rest.mcp, &p, z);
    out->residual = fmax(cd_mcp_problem_measure(&p, z, w, NULL), match->worst) / p.size;
    for (int32_t r = 0; r < n; r++) {
        out->z[rest.row[r]] = z[r];
        out->w[rest.row[r]] = w[r];
        if (s.component[r] >= 0)
            out->row_status[rest.row[r]] = s.result[s.component[r]].status;
    }
    out->is_partly_known = true;
}

// What no method can take.
static bool is_refused(const cd_mcp *mcp, cd_mcp_solution *out)
{
    cd_lcp_status refused = CD_LCP_SOLVED;
    const char *reason = refusal(mcp, &refused);
    if (!reason)
        return false;
    out->status = refused;
    out->reason = reason;
    out->residual = INFINITY;
    for (int32_t i = 0; i < mcp->n; i++)
        out->z[i] = isfinite(mcp->lower[i]) ? mcp->lower[i] : 0;
    return true;
}

void cd_mcp_solve(const cd_mcp *mcp, const cd_lcp_solver *solver, const cd_lcp_options *options, cd_arena *arena,
                  cd_mcp_solution *out)
{
    const size_t n = (size_t)mcp->n;
    *out = (cd_mcp_solution){.status = CD_LCP_SOLVED,
                             .solver = "direct",
                             .reason = "",
                             .row_status = CD_ARENA_ZARRAY(arena, cd_lcp_status, n),
                             .z = CD_ARENA_ZARRAY(arena, double, n),
                             .w = CD_ARENA_ZARRAY(arena, double, n)};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    if (is_refused(mcp, out))
        return;
    cd_mcp_match match;
    if (options->parts && cd_mcp_parts_match(options->parts, mcp, options, arena, &match))
        solve_rest(&match, solver, options, arena, out);
    else
        solve_all(mcp, solver, options, arena, out);
    if (out->residual <= options->tolerance) {
        out->status = CD_LCP_SOLVED;
        out->reason = "";
    } else if (out->status == CD_LCP_SOLVED) {
        out->status = CD_LCP_INACCURATE;
        out->reason = "the residual is above the tolerance";
    }
    if (out->status == CD_LCP_SOLVED)
        memset(out->row_status, 0, sizeof *out->row_status * n);
    cd_arena_rewind(arena, mark);
}
