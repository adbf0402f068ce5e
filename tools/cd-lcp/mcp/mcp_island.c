// SPDX-License-Identifier: MIT
#include "lcp_structure.h"
#include "mcp_plain.h"

#include <float.h>
#include <math.h>

// Part of the tolerance that the reduced problems get. Their rows are equilibrated by themselves, so the same error may
// count a few powers of two more in the given problem, where `solved` is decided; whatever lies between is decided
// there.
#define DENSE_SHARE 0.0625

cd_mcp_island cd_mcp_island_gather(const cd_mcp_problem *p, const int32_t *row, int32_t count)
{
    cd_mcp_island s = {.row = row,
                       .count = count,
                       .held = CD_ARENA_ARRAY(p->arena, int32_t, count),
                       .block = CD_ARENA_ARRAY(p->arena, int32_t, count)};
    for (int32_t k = 0; k < count; k++) {
        int32_t i = row[k];
        if (p->kind[i] == CD_MCP_FREE) {
            if (p->local[i] == 0) {
                cd_mcp_block *b = &p->blocks[p->component[i]];
                s.block[s.block_count++] = p->component[i];
                b->offset = s.velocity_count;
                s.velocity_count += b->count;
            }
            p->velocity[i] = p->blocks[p->component[i]].offset + p->local[i];
            continue;
        }
        p->local[i] = s.held_count;
        s.held[s.held_count++] = i;
        s.boxed_count += p->kind[i] == CD_MCP_BOXED || p->kind[i] == CD_MCP_SPLIT;
        s.split_count += p->kind[i] == CD_MCP_SPLIT;
        s.disc_count += p->kind[i] == CD_MCP_DISC;
    }
    return s;
}

// The column of a split variable once more with the other sign, then its row.
static void mirror_split(const cd_mcp_problem *p, const cd_mcp_island *s, int32_t n, double *S)
{
    int32_t extra = s->held_count;
    for (int32_t h = 0; h < s->held_count; h++) {
        const cd_mcp_kind kind = p->kind[s->held[h]];
        for (int32_t i = 0; i < s->held_count && kind == CD_MCP_SPLIT; i++)
            S[(size_t)i * n + extra] = -S[(size_t)i * n + h];
        extra += kind == CD_MCP_BOXED || kind == CD_MCP_SPLIT;
    }
    extra = s->held_count;
    for (int32_t h = 0; h < s->held_count; h++) {
        const cd_mcp_kind kind = p->kind[s->held[h]];
        for (int32_t j = 0; j < n && kind == CD_MCP_SPLIT; j++)
            S[(size_t)extra * n + j] = -S[(size_t)h * n + j];
        extra += kind == CD_MCP_BOXED || kind == CD_MCP_SPLIT;
    }
}

// The dense LCP of an island whose blocks are condensed. An entry within the rounding of its sum counts as 0: terms
// that cancel leave noise of 1e-16, which equilibration of the dense problem would raise to a coefficient like any
// other.
static cd_lcp dense_problem(const cd_mcp_problem *p, const cd_mcp_island *s)
{
    const int32_t n = s->held_count + s->boxed_count;
    double *S = CD_ARENA_ZARRAY(p->arena, double, (size_t)n *(size_t)n), *q = CD_ARENA_ZARRAY(p->arena, double, n);
    double *terms = CD_ARENA_ARRAY(p->arena, double, n);  // of the row's entries: sums of magnitudes
    int32_t boxed = s->held_count;
    for (int32_t h = 0; h < s->held_count; h++) {
        const int32_t i = s->held[h];
        const double sign = cd_mcp_sign(p, i);
        int32_t added = 0;
        memset(terms, 0, sizeof *terms * (size_t)n);
        const int32_t e = p->equation[i];
        double *row = S + (size_t)h * n, constant = p->rhs[e];
        for (int32_t k = p->m.first[e]; k < p->m.first[e + 1]; k++) {
            const int32_t j = p->m.col[k];
            const double value = p->m.value[k];
            added++;
            if (p->kind[j] == CD_MCP_FREE) {
                const cd_mcp_block *b = &p->blocks[p->component[j]];
                const double *x = b->x + (size_t)p->local[j] * b->column_count;
                for (int32_t c = 0; c < b->column_count; c++) {
                    row[b->column[c]] -= sign * value * x[c];
                    terms[b->column[c]] += fabs(value * x[c]);
                }
                constant -= value * b->g[p->local[j]];
            } else if (p->kind[j] == CD_MCP_FIXED) {
                constant += value * p->lower[j];
            } else {
                row[p->local[j]] += sign * value * cd_mcp_sign(p, j);
                terms[p->local[j]] += fabs(value);
                constant += value * cd_mcp_base(p, j);
            }
        }
        for (int32_t c = 0; c < s->held_count; c++) {
            if (fabs(row[c]) <= added * DBL_EPSILON * terms[c])
                row[c] = 0;
        }
        q[h] = sign * constant;
        if (p->kind[i] == CD_MCP_BOXED) {
            row[boxed] = 1;
            S[(size_t)boxed * n + h] = -1;
            q[boxed++] = p->upper[i] - p->lower[i];
        } else if (p->kind[i] == CD_MCP_SPLIT) {
            q[boxed++] = -q[h];
        }
    }
    if (s->split_count > 0)
        mirror_split(p, s, n, S);
    return (cd_lcp){.n = n, .M = S, .q = q};
}

// The start values of the caller in the variables of the LCP; NULL when none is known.
static double *warm_start(const cd_mcp_problem *p, const cd_mcp_island *s, const double *warm, bool with_rooms)
{
    bool any = false;
    for (int32_t h = 0; h < s->held_count && warm && !any; h++)
        any = isfinite(warm[s->held[h]]);
    if (!any)
        return NULL;
    double *y = CD_ARENA_ZARRAY(p->arena, double, s->held_count + (with_rooms ? s->boxed_count : 0));
    int32_t boxed = s->held_count;
    for (int32_t h = 0; h < s->held_count; h++) {
        const int32_t i = s->held[h];
        const bool is_tangent = p->kind[i] == CD_MCP_DISC;  // of either sign: its bound is the disc
        double z = isfinite(warm[i]) ? warm[i] / p->m.c[i] : p->z[i];
        z = is_tangent ? z : cd_mcp_clip(z, p->lower[i], p->upper[i]);
        y[h] = cd_mcp_sign(p, i) * (z - cd_mcp_base(p, i));
        if (p->kind[i] == CD_MCP_BOXED && with_rooms)
            y[boxed++] = z == p->upper[i] ? 1 : 0;  // any positive number: the multiplier of the upper bound is active
        if (p->kind[i] == CD_MCP_SPLIT && with_rooms) {
            y[boxed++] = fmax(0, -z);
            y[h] = fmax(0, z);
        }
    }
    return y;
}

// The caller's guess, of the island's rows, in the units of the structure; NULL when it knows none.
static double *guess_of(const cd_mcp_problem *p, const cd_mcp_island *s, const double *guess, bool is_raw)
{
    bool any = false;
    double *y = guess ? CD_ARENA_ARRAY(p->arena, double, s->held_count) : NULL;
    for (int32_t h = 0; h < s->held_count && y; h++) {
        y[h] = guess[s->held[h]] / (is_raw ? 1 : p->m.c[s->held[h]]);
        any = any || !isnan(y[h]);
    }
    return any ? y : NULL;
}

// y: of the dense LCP (with the multipliers of the upper bounds behind) or of the structure.
static void take_solution(const cd_mcp_problem *p, const cd_mcp_island *s, const double *y, bool with_rooms)
{
    int32_t boxed = s->held_count;
    for (int32_t h = 0; h < s->held_count; h++) {
        const int32_t i = s->held[h];
        p->z[i] = cd_mcp_clip(cd_mcp_base(p, i) + cd_mcp_sign(p, i) * y[h], p->lower[i], p->upper[i]);
        if (p->kind[i] == CD_MCP_SPLIT)
            p->z[i] = y[h] - y[boxed++];
        // At the upper bound when its multiplier outweighs the room that is left.
        if (p->kind[i] == CD_MCP_BOXED && with_rooms && y[boxed++] > p->upper[i] - p->z[i])
            p->z[i] = p->upper[i];
    }
    for (int32_t k = 0; k < s->block_count; k++)
        cd_mcp_block_substitute(p, &p->blocks[s->block[k]]);
}

static double island_error(const cd_mcp_problem *p, const cd_mcp_island *s)
{
    return cd_mcp_rows_error(p, s->row, s->count);
}

// z of the island's members, as it was kept.
static void put_back(const cd_mcp_problem *p, const cd_mcp_island *s, const double *kept)
{
    for (int32_t k = 0; k < s->count; k++)
        p->z[s->row[k]] = kept[k];
}

// Iterative refinement of the whole island with its active set fixed, for free blocks so badly conditioned that the
// eliminated problem is solved well and the given one is not. With the free rows solved anew and w_A what is left on
// the rows strictly between their bounds: S_AA d = -sign w_A, z_A += sign d, and the free rows follow. Keeps z if
// nothing is gained.
static void refine(const cd_mcp_problem *p, const cd_mcp_island *s, const cd_lcp *lcp)
{
    enum { PASSES = 3 };
    const int32_t n = s->held_count;
    double *kept = CD_ARENA_ARRAY(p->arena, double, s->count), *a = NULL, *w = CD_ARENA_ARRAY(p->arena, double, n);
    double *d = CD_ARENA_ARRAY(p->arena, double, n), best = island_error(p, s), terms = 0;
    // Rows strictly between their bounds, and their matrix.
    int32_t *active = CD_ARENA_ARRAY(p->arena, int32_t, n), count = 0;
    for (int32_t h = 0; h < n; h++) {
        if (p->z[s->held[h]] > p->lower[s->held[h]] && p->z[s->held[h]] < p->upper[s->held[h]])
            active[count++] = h;
    }
    const size_t stride = (size_t)cd_dense_stride(count);
    a = CD_ARENA_ZARRAY(p->arena, double, (size_t)count *stride);
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = 0; j < count; j++)
            a[i * stride + j] = lcp->M[(size_t)active[i] * lcp->n + active[j]];
    }
    cd_lu lu;
    if (!cd_lu_factor(&lu, count, a, p->arena))
        return;
    // Steps against the residual of the sparse rows; the one that gains nothing is taken back.
    for (int pass = 0; pass < PASSES; pass++) {
        for (int32_t k = 0; k < s->count; k++)
            kept[k] = p->z[s->row[k]];
        for (int32_t i = 0; i < count; i++) {
            const int32_t row = s->held[active[i]];
            w[i] = -cd_mcp_sign(p, row) * cd_mcp_row_value(p, p->equation[row], p->z, &terms);
        }
        cd_lu_solve(&lu, w, d);
        for (int32_t i = 0; i < count; i++) {
            const int32_t row = s->held[active[i]];
            p->z[row] = cd_mcp_clip(p->z[row] + cd_mcp_sign(p, row) * d[i], p->lower[row], p->upper[row]);
        }
        for (int32_t k = 0; k < s->block_count; k++)
            cd_mcp_block_substitute(p, &p->blocks[s->block[k]]);
        double error = island_error(p, s);
        if (!(error < best)) {
            put_back(p, s, kept);
            return;
        }
        best = error;
    }
}

// Whether the dense problem is the given one but for signs and powers of two: without elimination and without shifts of
// bounds.
static bool is_exact(const cd_mcp_problem *p, const cd_mcp_island *s)
{
    for (int32_t h = 0; h < s->held_count; h++) {
        if (cd_mcp_base(p, s->held[h]) != 0)
            return false;
        for (int32_t k = p->m.first[s->held[h]]; k < p->m.first[s->held[h] + 1]; k++) {
            if (p->kind[p->m.col[k]] == CD_MCP_FIXED && p->lower[p->m.col[k]] != 0)
                return false;
        }
    }
    return s->block_count == 0;
}

static double worst_allowed(const cd_mcp_problem *p, const cd_lcp_options *options)
{
    return options->tolerance * DENSE_SHARE * p->size;
}

// By the dense LCP; blocks are factored and have their constants.
static void solve_dense(const cd_mcp_problem *p, const cd_mcp_island *s, const cd_lcp_solver *solver,
                        const cd_lcp_options *options, cd_mcp_island_result *out)
{
    const int32_t n = s->held_count + s->boxed_count;
    if (!cd_lcp_dense_fits(n, options)) {
        *out = (cd_mcp_island_result){CD_LCP_LIMIT, CD_LCP_TOO_LARGE, solver->name, out->iterations, n, 0, 0};
        return;
    }
    int32_t *slot = CD_ARENA_ARRAY(p->arena, int32_t, n);
    for (int32_t i = 0; i < n; i++)
        slot[i] = -1;
    for (int32_t k = 0; k < s->block_count; k++)
        cd_mcp_block_condense(p, &p->blocks[s->block[k]], slot);
    cd_lcp lcp = dense_problem(p, s);
    cd_lcp_options inner = *options;
    inner.guess = NULL;
    inner.tolerance *= DENSE_SHARE;
    inner.warm = warm_start(p, s, options->warm, true);
    inner.is_rounded = !is_exact(p, s);
    cd_lcp_result result = cd_lcp_solve(solver, &lcp, &inner, p->arena);
    *out = (cd_mcp_island_result){
        result.status, result.reason, result.solver, out->iterations + result.iterations, n, 0, 0};
    take_solution(p, s, result.z, true);
    out->error = island_error(p, s);
    if (out->error > worst_allowed(p, options))
        refine(p, s, &lcp);
    else
        out->share = DENSE_SHARE;
}

// is_raw: the structure is in the units of the given problem and not equilibrated. The error of the island is left.
static double solve_structured(const cd_mcp_problem *p, const cd_mcp_island *s, const cd_lcp_structure *structure,
                               bool is_raw, const cd_lcp_solver *solver, const cd_lcp_options *options,
                               cd_mcp_island_result *out)
{
    cd_lcp_options inner = *options;
    double *warm = warm_start(p, s, options->warm, false);
    for (int32_t h = 0; h < s->held_count && is_raw && warm; h++)
        warm[h] *= p->m.c[s->held[h]];
    inner.warm = warm;
    inner.guess = guess_of(p, s, options->guess, is_raw);
    // What is solved to half the tolerance is nearly always so in the given units; where not, it is done again, and the
    // better answer stays.
    const double shares[] = {CD_MCP_STRUCTURE_SHARE, DENSE_SHARE};
    double *kept = CD_ARENA_ARRAY(p->arena, double, s->count), best = INFINITY;
    int64_t iterations = 0;
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        inner.tolerance = shares[k] * options->tolerance;
        cd_lcp_result result = cd_lcp_solve_structure(solver, structure, &inner, p->arena);
        iterations += result.iterations;
        for (int32_t h = 0; h < s->held_count && is_raw; h++)
            result.z[h] /= p->m.c[s->held[h]];
        take_solution(p, s, result.z, false);
        const double error = island_error(p, s);
        if (k > 0 && !(error < best) && result.status != CD_LCP_INFEASIBLE) {
            put_back(p, s, kept);
            out->iterations = iterations;
            return best;
        }
        *out = (cd_mcp_island_result){result.status, result.reason, result.solver, iterations, s->held_count, 0, 0};
        if (result.status != CD_LCP_SOLVED || error <= options->tolerance * p->size) {
            out->error = error;
            out->share = k == 0 ? 1 : 0;
            return error;
        }
        best = error;
        for (int32_t i = 0; i < s->count; i++)
            kept[i] = p->z[s->row[i]];
    }
    return best;
}

extern const cd_lcp_solver cd_lcp_solver_pgs;

// Where the chosen method failed and the dense matrix would be too large: Gauss-Seidel, which needs none. Else out
// keeps the first one's words.
static void solve_large(const cd_mcp_problem *p, const cd_mcp_island *s, const cd_lcp_structure *structure, bool is_raw,
                        const cd_lcp_options *options, cd_mcp_island_result *out)
{
    cd_mcp_island_result second = {0};
    if (cd_lcp_refusal(&cd_lcp_solver_pgs, structure))
        return;
    const double error = solve_structured(p, s, structure, is_raw, &cd_lcp_solver_pgs, options, &second);
    second.iterations += out->iterations;
    *out = second;
    if (error <= options->tolerance * p->size) {
        out->status = CD_LCP_SOLVED;
        out->reason = "";
    } else if (out->status != CD_LCP_INFEASIBLE) {
        out->status = CD_LCP_LIMIT;
        out->reason = CD_LCP_TOO_LARGE;
    }
}

// The structure of the island, where it has one that a method can use.
static bool find_structure(const cd_mcp_problem *p, const cd_mcp_island *s, cd_lcp_structure *out, bool *is_raw)
{
    *is_raw = cd_mcp_island_gram(p, s, out);
    if (*is_raw)
        return true;
    if (s->disc_count == 0)
        return false;
    int32_t *slot = CD_ARENA_ARRAY(p->arena, int32_t, s->held_count);
    for (int32_t i = 0; i < s->held_count; i++)
        slot[i] = -1;
    for (int32_t k = 0; k < s->block_count; k++)
        cd_mcp_block_condense(p, &p->blocks[s->block[k]], slot);
    *out = cd_mcp_island_structure(p, s);
    return true;
}

// Free variables that a singular block leaves over cannot be eliminated. They are split and go through the LCP, where
// they may be paired with other rows; refine() then solves for them and the active ones together.
static cd_mcp_island_result solve_split(const cd_mcp_problem *p, const cd_mcp_island *s, const cd_lcp_solver *solver,
                                        const cd_lcp_options *options)
{
    cd_mcp_island_result out = {
        .status = CD_LCP_SINGULAR, .reason = "a block of free variables is singular", .solver = "direct"};
    for (int32_t k = 0; k < s->block_count; k++) {
        if (!cd_mcp_block_factor(p, &p->blocks[s->block[k]]))
            cd_mcp_block_reduce(p, &p->blocks[s->block[k]]);
    }
    cd_mcp_island split = cd_mcp_island_gather(p, s->row, s->count);
    for (int32_t k = 0; k < split.block_count; k++) {
        if (!cd_mcp_block_factor(p, &p->blocks[split.block[k]]))
            return out;
        cd_mcp_block_constants(p, &p->blocks[split.block[k]]);
    }
    const cd_lcp_solver *chosen = solver->choose ? solver->fallback : solver;
    if (split.disc_count > 0 || !(chosen->takes & CD_LCP_TAKES_GENERAL))
        return out;
    solve_dense(p, &split, chosen, options, &out);
    out.share = 0;
    if (out.status != CD_LCP_SOLVED && out.status != CD_LCP_INFEASIBLE &&
        island_error(p, &split) > worst_allowed(p, options)) {
        out.status = CD_LCP_SINGULAR;
        out.reason = "a block of free variables is singular";
    }
    return out;
}

cd_mcp_island_result cd_mcp_island_solve(const cd_mcp_problem *p, const cd_mcp_island *s, const cd_lcp_solver *solver,
                                         const cd_lcp_options *options)
{
    cd_mcp_island_result out = {.status = CD_LCP_SOLVED, .reason = "", .solver = "direct"};
    if (cd_mcp_plain_solve(p, s, solver, options, &out))
        return out;
    // Free rows are eliminated, block by block.
    for (int32_t k = 0; k < s->block_count; k++) {
        cd_mcp_block *b = &p->blocks[s->block[k]];
        if (!cd_lcp_dense_fits(b->count, options))
            return (cd_mcp_island_result){
                .status = CD_LCP_LIMIT, .reason = CD_LCP_TOO_LARGE, .solver = "direct", .rows = s->held_count};
        if (!cd_mcp_block_factor(p, b))
            return solve_split(p, s, solver, options);
    }
    // Nothing but free rows.
    if (s->held_count == 0) {
        take_solution(p, s, NULL, false);
        (void)island_error(p, s);  // remembered
        out.share = INFINITY;
        return out;
    }
    for (int32_t k = 0; k < s->block_count; k++)
        cd_mcp_block_constants(p, &p->blocks[s->block[k]]);
    // A structured method, where the island has the structure.
    cd_lcp_structure structure;
    bool is_raw = false;
    const bool is_structured = (solver->choose || solver->solve_structure) && find_structure(p, s, &structure, &is_raw);
    const cd_lcp_solver *chosen = !solver->choose ? solver
                                  : is_structured ? solver->choose(&structure)
                                                  : solver->fallback;
    const bool is_second = is_structured && chosen->solve_structure;
    if (is_second) {
        const double error = solve_structured(p, s, &structure, is_raw, chosen, options, &out);
        if (out.status != CD_LCP_INFEASIBLE && error <= options->tolerance * p->size) {
            out.status = CD_LCP_SOLVED;
            out.reason = "";
            return out;
        }
        out.share = 0;
        if (!solver->choose || chosen->is_combined || s->disc_count > 0 || out.status == CD_LCP_INFEASIBLE)
            return out;
        chosen = solver->fallback;
        if (!cd_lcp_dense_fits(s->held_count + s->boxed_count, options)) {
            solve_large(p, s, &structure, is_raw, options, &out);
            return out;
        }
    }
    // All others work on a dense matrix, and know no discs.
    if (s->disc_count > 0) {
        out = (cd_mcp_island_result){.status = CD_LCP_INACCURATE,
                                     .reason = "the method takes no friction discs",
                                     .solver = solver->name,
                                     .rows = s->held_count};
        take_solution(p, s, CD_ARENA_ZARRAY(p->arena, double, s->held_count), false);
        return out;
    }
    solve_dense(p, s, chosen, options, &out);
    if (is_second)
        out.share = 0;
    return out;
}
