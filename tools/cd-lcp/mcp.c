// SPDX-License-Identifier: MIT
#include "mcp.h"

#include "lcp_dense.h"
#include "mcp_matrix.h"

#include <float.h>
#include <math.h>

// Part of the tolerance that the dense problems get. Their rows are equilibrated by themselves, so the same error may count a few
// powers of two more in the given problem, where `solved` is decided; whatever lies between is decided there.
#define DENSE_SHARE 0.0625

typedef enum kind { KIND_FREE, KIND_LOWER, KIND_UPPER, KIND_BOXED, KIND_FIXED } kind;

// A connected component of the free variables: rows and columns `row[0..count)`, factored, with
// x = B^-1 M_{B,held} s (count x column_count) and g = B^-1 (rhs + M_{B,fixed} z + M_{B,held} base), so z_B = -(g + x y).
typedef struct block {
    int32_t count, column_count;
    const int32_t *row;
    int32_t *column;   // positions in the island's LCP
    double *x, *g;
    double *r, *c;     // equilibration of the block by itself: within M its entries may be small beside the Jacobians
    cd_lu lu;
} block;

// Everything in equilibrated coordinates.
typedef struct problem {
    cd_mcp_matrix m;
    kind *kind;
    double *rhs, *lower, *upper, *z;
    double *row_unit, *col_unit;  // powers of two to the coordinates of the residual: row_unit w, z / col_unit
    int32_t *component;  // of a free variable: its block; else -1
    int32_t *local;      // its place in the block, or in the island's LCP
    block *blocks;
    double size;         // divisor of the residual
    cd_arena *arena;
} problem;

// A held variable is z = base + sign y with y >= 0.
static double sign_of(const problem *p, int32_t i) { return p->kind[i] == KIND_UPPER ? -1 : 1; }
static double base_of(const problem *p, int32_t i) { return p->kind[i] == KIND_UPPER ? p->upper[i] : p->lower[i]; }
static bool is_held(kind k) { return k == KIND_LOWER || k == KIND_UPPER || k == KIND_BOXED; }

static double clip(double x, double lower, double upper)
{
    return x < lower ? lower : x > upper ? upper : x;
}

static problem build(const cd_mcp *mcp, cd_arena *arena)
{
    const int32_t n = mcp->n;
    problem p = {.m = cd_mcp_matrix_build(mcp, arena), .arena = arena};
    p.kind = CD_ARENA_ARRAY(arena, kind, n);
    p.rhs = CD_ARENA_ARRAY(arena, double, n);
    p.lower = CD_ARENA_ARRAY(arena, double, n);
    p.upper = CD_ARENA_ARRAY(arena, double, n);
    p.z = CD_ARENA_ARRAY(arena, double, n);
    p.row_unit = CD_ARENA_ARRAY(arena, double, n);
    p.col_unit = CD_ARENA_ARRAY(arena, double, n);
    p.component = CD_ARENA_ARRAY(arena, int32_t, n);
    p.local = CD_ARENA_ZARRAY(arena, int32_t, n);
    bool *is_free = CD_ARENA_ARRAY(arena, bool, n);
    for (int32_t i = 0; i < n; i++) {
        double lower = mcp->lower[i], upper = mcp->upper[i];
        p.kind[i] = lower == upper       ? KIND_FIXED
                    : isfinite(lower)    ? (isfinite(upper) ? KIND_BOXED : KIND_LOWER)
                    : isfinite(upper)    ? KIND_UPPER
                                         : KIND_FREE;
        is_free[i] = p.kind[i] == KIND_FREE;
    }
    cd_mcp_norm_scales(&p.m, is_free, p.row_unit, p.col_unit, arena);
    cd_mcp_matrix_equilibrate(&p.m, arena);
    for (int32_t i = 0; i < n; i++) {
        p.row_unit[i] /= p.m.r[i];
        p.col_unit[i] /= p.m.c[i];
        p.rhs[i] = mcp->rhs[i] * p.m.r[i];
        p.lower[i] = mcp->lower[i] / p.m.c[i];
        p.upper[i] = mcp->upper[i] / p.m.c[i];
        p.z[i] = clip(0, p.lower[i], p.upper[i]);
    }
    return p;
}

// ---- residual -------------------------------------------------------------------------------------------------

// w_i; *size grows by the sum of the magnitudes of its terms but rhs_i.
static double row_value(const problem *p, int32_t i, const double *z, double *size)
{
    double sum = p->rhs[i];
    for (int32_t k = p->m.first[i]; k < p->m.first[i + 1]; k++) {
        sum += p->m.value[k] * z[p->m.col[k]];
        *size += fabs(p->m.value[k] * z[p->m.col[k]]);
    }
    return sum;
}

// Row i's part of the residual, not divided, and w_i.
static double row_error(const problem *p, int32_t i, const double *z, double *w)
{
    double terms = 0;
    *w = row_value(p, i, z, &terms);
    const double unit = p->col_unit[i], x = z[i] / unit, lower = p->lower[i] / unit, upper = p->upper[i] / unit;
    double error = fabs(x - clip(x - *w * p->row_unit[i], lower, upper));
    if (p->kind[i] != KIND_FIXED)
        error += DBL_EPSILON * terms * p->row_unit[i];
    return isfinite(error) && isfinite(*w) && p->lower[i] <= p->upper[i] ? error : INFINITY;
}

// What the residual is divided by.
static double problem_size(const problem *p)
{
    const int32_t n = p->m.n;
    cd_arena_mark mark = cd_arena_get_mark(p->arena);
    double *nearest = CD_ARENA_ARRAY(p->arena, double, n), size = 0, ignored = 0;
    for (int32_t i = 0; i < n; i++)
        nearest[i] = clip(0, p->lower[i], p->upper[i]);
    for (int32_t i = 0; i < n; i++) {
        double row = fmax(fabs(p->rhs[i]), fabs(row_value(p, i, nearest, &ignored)));
        size = fmax(size, fmax(row * p->row_unit[i], fabs(nearest[i]) / p->col_unit[i]));
    }
    cd_arena_rewind(p->arena, mark);
    return size > 0 ? size : 1;
}

// z in the problem's units; w likewise.
static double measure(const problem *p, const double *z, double *w)
{
    const int32_t n = p->m.n;
    cd_arena_mark mark = cd_arena_get_mark(p->arena);
    double *scaled = CD_ARENA_ARRAY(p->arena, double, n), worst = 0;
    for (int32_t i = 0; i < n; i++)
        scaled[i] = z[i] / p->m.c[i];
    for (int32_t i = 0; i < n; i++) {
        double value;
        worst = fmax(worst, row_error(p, i, scaled, &value));
        w[i] = value / p->m.r[i];
    }
    cd_arena_rewind(p->arena, mark);
    return worst / p->size;
}

double cd_mcp_residual(const cd_mcp *mcp, const double *z, double *w, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    problem p = build(mcp, scratch);
    p.size = problem_size(&p);
    double residual = measure(&p, z, w);
    cd_arena_rewind(scratch, mark);
    return residual;
}

// ---- free variables -------------------------------------------------------------------------------------------

static bool factor(const problem *p, block *b)
{
    const int32_t n = b->count;
    const size_t stride = (size_t)cd_dense_stride(n);
    double *dense = CD_ARENA_ZARRAY(p->arena, double, (size_t)n * (size_t)n);
    double *a = CD_ARENA_ZARRAY(p->arena, double, (size_t)n * stride);
    b->r = CD_ARENA_ARRAY(p->arena, double, n);
    b->c = CD_ARENA_ARRAY(p->arena, double, n);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = p->m.first[b->row[i]]; k < p->m.first[b->row[i] + 1]; k++) {
            int32_t col = p->m.col[k];
            if (p->kind[col] == KIND_FREE)
                dense[(size_t)i * n + p->local[col]] = p->m.value[k];
        }
    }
    cd_lcp_equilibrate(n, n, dense, b->r, b->c, p->arena);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++)
            a[i * stride + j] = dense[(size_t)i * n + j] * b->r[i] * b->c[j];
    }
    return cd_lu_factor(&b->lu, n, a, p->arena);
}

// x = B^-1 rhs with one step of refinement; rhs and x have b->count entries.
static void block_solve(const problem *p, const block *b, const double *rhs, double *x)
{
    const int32_t n = b->count;
    cd_arena_mark mark = cd_arena_get_mark(p->arena);
    double *residual = CD_ARENA_ARRAY(p->arena, double, n), *dx = CD_ARENA_ARRAY(p->arena, double, n);
    memset(x, 0, sizeof *x * (size_t)n);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < n; i++) {
            double sum = rhs[i];
            for (int32_t k = p->m.first[b->row[i]]; k < p->m.first[b->row[i] + 1]; k++) {
                if (p->kind[p->m.col[k]] == KIND_FREE)
                    sum -= p->m.value[k] * x[p->local[p->m.col[k]]];
            }
            residual[i] = sum * b->r[i];
        }
        cd_lu_solve(&b->lu, residual, dx);
        for (int32_t i = 0; i < n; i++)
            x[i] += b->c[i] * dx[i];
    }
    cd_arena_rewind(p->arena, mark);
}

// The columns of held variables that the block's rows touch, and x, g. `slot` (an entry an LCP row) must be all -1 and is again.
static void condense(const problem *p, block *b, int32_t *slot)
{
    const int32_t n = b->count;
    int32_t touched = 0;
    for (int32_t i = 0; i < n; i++)
        touched += p->m.first[b->row[i] + 1] - p->m.first[b->row[i]];
    b->column = CD_ARENA_ARRAY(p->arena, int32_t, touched);
    b->g = CD_ARENA_ARRAY(p->arena, double, n);
    double *g_rhs = CD_ARENA_ARRAY(p->arena, double, n);
    for (int32_t i = 0; i < n; i++) {
        g_rhs[i] = p->rhs[b->row[i]];
        for (int32_t k = p->m.first[b->row[i]]; k < p->m.first[b->row[i] + 1]; k++) {
            int32_t j = p->m.col[k];
            if (p->kind[j] == KIND_FREE)
                continue;
            g_rhs[i] += p->m.value[k] * (p->kind[j] == KIND_FIXED ? p->lower[j] : base_of(p, j));
            if (p->kind[j] != KIND_FIXED && slot[p->local[j]] < 0) {
                slot[p->local[j]] = b->column_count;
                b->column[b->column_count++] = p->local[j];
            }
        }
    }
    block_solve(p, b, g_rhs, b->g);
    // Columns are gathered transposed (one after the other) for the solver, then laid out in rows for the update of S.
    const size_t columns = (size_t)b->column_count;
    double *rhs = CD_ARENA_ZARRAY(p->arena, double, columns * (size_t)n), *x = CD_ARENA_ARRAY(p->arena, double, n);
    b->x = CD_ARENA_ARRAY(p->arena, double, columns * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = p->m.first[b->row[i]]; k < p->m.first[b->row[i] + 1]; k++) {
            int32_t j = p->m.col[k];
            if (is_held(p->kind[j]))
                rhs[(size_t)slot[p->local[j]] * n + i] = p->m.value[k] * sign_of(p, j);
        }
    }
    for (size_t k = 0; k < columns; k++) {
        block_solve(p, b, rhs + k * n, x);
        for (int32_t i = 0; i < n; i++)
            b->x[(size_t)i * columns + k] = x[i];
        slot[b->column[k]] = -1;
    }
}

// z of the free variables from all others.
static void back_substitute(const problem *p, const block *b)
{
    cd_arena_mark mark = cd_arena_get_mark(p->arena);
    double *rhs = CD_ARENA_ARRAY(p->arena, double, b->count), *x = CD_ARENA_ARRAY(p->arena, double, b->count);
    for (int32_t i = 0; i < b->count; i++) {
        rhs[i] = -p->rhs[b->row[i]];
        for (int32_t k = p->m.first[b->row[i]]; k < p->m.first[b->row[i] + 1]; k++) {
            if (p->kind[p->m.col[k]] != KIND_FREE)
                rhs[i] -= p->m.value[k] * p->z[p->m.col[k]];
        }
    }
    block_solve(p, b, rhs, x);
    for (int32_t i = 0; i < b->count; i++)
        p->z[b->row[i]] = x[i];
    cd_arena_rewind(p->arena, mark);
}

// ---- islands --------------------------------------------------------------------------------------------------

typedef struct island {
    const int32_t *row;        // its members, ascending
    int32_t count;
    int32_t *held, held_count; // members with bounds; LCP rows 0..held_count-1
    int32_t boxed_count;       // LCP rows behind those, in the order of the held ones
    int32_t *block, block_count;
} island;

static island gather(const problem *p, const int32_t *row, int32_t count)
{
    island s = {.row = row, .count = count, .held = CD_ARENA_ARRAY(p->arena, int32_t, count),
                .block = CD_ARENA_ARRAY(p->arena, int32_t, count)};
    for (int32_t k = 0; k < count; k++) {
        int32_t i = row[k];
        if (p->kind[i] == KIND_FREE) {
            if (p->local[i] == 0)
                s.block[s.block_count++] = p->component[i];
            continue;
        }
        p->local[i] = s.held_count;
        s.held[s.held_count++] = i;
        s.boxed_count += p->kind[i] == KIND_BOXED;
    }
    return s;
}

// The dense LCP of an island whose blocks are condensed. An entry within the rounding of its sum counts as 0: terms that
// cancel leave noise of 1e-16, which equilibration of the dense problem would raise to a coefficient like any other.
static cd_lcp dense_problem(const problem *p, const island *s)
{
    const int32_t n = s->held_count + s->boxed_count;
    double *S = CD_ARENA_ZARRAY(p->arena, double, (size_t)n * (size_t)n), *q = CD_ARENA_ZARRAY(p->arena, double, n);
    double *terms = CD_ARENA_ARRAY(p->arena, double, n);  // of the row's entries: sums of magnitudes
    int32_t boxed = s->held_count;
    for (int32_t h = 0; h < s->held_count; h++) {
        const int32_t i = s->held[h];
        const double sign = sign_of(p, i);
        int32_t added = 0;
        memset(terms, 0, sizeof *terms * (size_t)n);
        double *row = S + (size_t)h * n, constant = p->rhs[i];
        for (int32_t k = p->m.first[i]; k < p->m.first[i + 1]; k++) {
            const int32_t j = p->m.col[k];
            const double value = p->m.value[k];
            added++;
            if (p->kind[j] == KIND_FREE) {
                const block *b = &p->blocks[p->component[j]];
                const double *x = b->x + (size_t)p->local[j] * b->column_count;
                for (int32_t c = 0; c < b->column_count; c++) {
                    row[b->column[c]] -= sign * value * x[c];
                    terms[b->column[c]] += fabs(value * x[c]);
                }
                constant -= value * b->g[p->local[j]];
            } else if (p->kind[j] == KIND_FIXED) {
                constant += value * p->lower[j];
            } else {
                row[p->local[j]] += sign * value * sign_of(p, j);
                terms[p->local[j]] += fabs(value);
                constant += value * base_of(p, j);
            }
        }
        for (int32_t c = 0; c < s->held_count; c++) {
            if (fabs(row[c]) <= added * DBL_EPSILON * terms[c])
                row[c] = 0;
        }
        q[h] = sign * constant;
        if (p->kind[i] == KIND_BOXED) {
            row[boxed] = 1;
            S[(size_t)boxed * n + h] = -1;
            q[boxed++] = p->upper[i] - p->lower[i];
        }
    }
    return (cd_lcp){.n = n, .M = S, .q = q};
}

// The start values of the caller in the variables of the dense LCP; NULL when none is known.
static const double *warm_start(const problem *p, const island *s, const double *warm)
{
    bool any = false;
    for (int32_t h = 0; h < s->held_count && warm && !any; h++)
        any = isfinite(warm[s->held[h]]);
    if (!any)
        return NULL;
    double *y = CD_ARENA_ZARRAY(p->arena, double, s->held_count + s->boxed_count);
    int32_t boxed = s->held_count;
    for (int32_t h = 0; h < s->held_count; h++) {
        const int32_t i = s->held[h];
        double z = isfinite(warm[i]) ? clip(warm[i] / p->m.c[i], p->lower[i], p->upper[i]) : p->z[i];
        y[h] = sign_of(p, i) * (z - base_of(p, i));
        if (p->kind[i] == KIND_BOXED)
            y[boxed++] = z == p->upper[i] ? 1 : 0;  // any positive number: the multiplier of the upper bound is active
    }
    return y;
}

static void take_solution(const problem *p, const island *s, const double *y)
{
    int32_t boxed = s->held_count;
    for (int32_t h = 0; h < s->held_count; h++) {
        const int32_t i = s->held[h];
        p->z[i] = clip(base_of(p, i) + sign_of(p, i) * y[h], p->lower[i], p->upper[i]);
        // At the upper bound when its multiplier outweighs the room that is left.
        if (p->kind[i] == KIND_BOXED && y[boxed++] > p->upper[i] - p->z[i])
            p->z[i] = p->upper[i];
    }
    for (int32_t k = 0; k < s->block_count; k++)
        back_substitute(p, &p->blocks[s->block[k]]);
}

static double island_error(const problem *p, const island *s)
{
    double worst = 0, w;
    for (int32_t k = 0; k < s->count; k++)
        worst = fmax(worst, row_error(p, s->row[k], p->z, &w));
    return worst;
}

// Iterative refinement of the whole island with its active set fixed, for free blocks so badly conditioned that the
// eliminated problem is solved well and the given one is not. With the free rows solved anew and w_A what is left on the
// rows strictly between their bounds: S_AA d = -sign w_A, z_A += sign d, and the free rows follow. Keeps z if nothing is gained.
static void refine(const problem *p, const island *s, const cd_lcp *lcp)
{
    enum { PASSES = 3 };
    const int32_t n = s->held_count;
    double *kept = CD_ARENA_ARRAY(p->arena, double, s->count), *a = NULL, *w = CD_ARENA_ARRAY(p->arena, double, n);
    double *d = CD_ARENA_ARRAY(p->arena, double, n), best = island_error(p, s), terms = 0;
    int32_t *active = CD_ARENA_ARRAY(p->arena, int32_t, n), count = 0;
    for (int32_t h = 0; h < n; h++) {
        if (p->z[s->held[h]] > p->lower[s->held[h]] && p->z[s->held[h]] < p->upper[s->held[h]])
            active[count++] = h;
    }
    const size_t stride = (size_t)cd_dense_stride(count);
    a = CD_ARENA_ZARRAY(p->arena, double, (size_t)count * stride);
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = 0; j < count; j++)
            a[i * stride + j] = lcp->M[(size_t)active[i] * lcp->n + active[j]];
    }
    cd_lu lu;
    if (!cd_lu_factor(&lu, count, a, p->arena))
        return;
    for (int pass = 0; pass < PASSES; pass++) {
        for (int32_t k = 0; k < s->count; k++)
            kept[k] = p->z[s->row[k]];
        for (int32_t i = 0; i < count; i++) {
            const int32_t row = s->held[active[i]];
            w[i] = -sign_of(p, row) * row_value(p, row, p->z, &terms);
        }
        cd_lu_solve(&lu, w, d);
        for (int32_t i = 0; i < count; i++) {
            const int32_t row = s->held[active[i]];
            p->z[row] = clip(p->z[row] + sign_of(p, row) * d[i], p->lower[row], p->upper[row]);
        }
        for (int32_t k = 0; k < s->block_count; k++)
            back_substitute(p, &p->blocks[s->block[k]]);
        double error = island_error(p, s);
        if (!(error < best)) {
            for (int32_t k = 0; k < s->count; k++)
                p->z[s->row[k]] = kept[k];
            return;
        }
        best = error;
    }
}

static void worsen(cd_mcp_solution *out, cd_lcp_status status, const char *reason)
{
    if (status > out->status) {
        out->status = status;
        out->reason = reason;
    }
}

static void solve_island(const problem *p, island *s, const cd_lcp_solver *solver, const cd_lcp_options *options,
                         int32_t *slot, int64_t *most, cd_mcp_solution *out)
{
    for (int32_t k = 0; k < s->block_count; k++) {
        block *b = &p->blocks[s->block[k]];
        if (!factor(p, b)) {
            worsen(out, CD_LCP_SINGULAR, "a block of free variables is singular");
            return;
        }
        condense(p, b, slot);
    }
    cd_lcp lcp = dense_problem(p, s);
    out->island_count += lcp.n > 0;
    if (lcp.n > out->largest_island)
        out->largest_island = lcp.n;
    double *y = NULL;
    if (lcp.n > 0) {
        cd_lcp_options inner = *options;
        inner.tolerance *= DENSE_SHARE;
        inner.warm = warm_start(p, s, options->warm);
        cd_lcp_result result = cd_lcp_solve(solver, &lcp, &inner, p->arena);
        worsen(out, result.status, result.reason);
        out->iterations += result.iterations;
        if (result.iterations > *most) {
            *most = result.iterations;
            out->solver = result.solver;
        }
        y = result.z;
    }
    take_solution(p, s, y);
    if (lcp.n > 0 && island_error(p, s) > options->tolerance * DENSE_SHARE * p->size)
        refine(p, s, &lcp);
}

// Members of each component in ascending order: rows of component k are member[first[k]] .. member[first[k+1]-1].
static void list_members(const int32_t *component, int32_t n, int32_t count, int32_t **first, int32_t **member, cd_arena *arena)
{
    *first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)count + 1);
    *member = CD_ARENA_ARRAY(arena, int32_t, n);
    int32_t *at = CD_ARENA_ARRAY(arena, int32_t, count);
    for (int32_t i = 0; i < n; i++) {
        if (component[i] >= 0)
            (*first)[component[i] + 1]++;
    }
    for (int32_t k = 0; k < count; k++) {
        (*first)[k + 1] += (*first)[k];
        at[k] = (*first)[k];
    }
    for (int32_t i = 0; i < n; i++) {
        if (component[i] >= 0)
            (*member)[at[component[i]]++] = i;
    }
}

static void find_blocks(problem *p, bool *member)
{
    const int32_t n = p->m.n;
    for (int32_t i = 0; i < n; i++)
        member[i] = p->kind[i] == KIND_FREE;
    int32_t count = cd_mcp_components(&p->m, member, p->component, p->arena), *first, *row;
    list_members(p->component, n, count, &first, &row, p->arena);
    p->blocks = CD_ARENA_ZARRAY(p->arena, block, count);
    for (int32_t k = 0; k < count; k++) {
        p->blocks[k].row = row + first[k];
        p->blocks[k].count = first[k + 1] - first[k];
        for (int32_t i = 0; i < p->blocks[k].count; i++)
            p->local[p->blocks[k].row[i]] = i;
    }
}

static const char *refusal(const cd_mcp *mcp, cd_lcp_status *status)
{
    for (int32_t i = 0; i < mcp->n; i++) {
        *status = CD_LCP_INFEASIBLE;
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

void cd_mcp_solve(const cd_mcp *mcp, const cd_lcp_solver *solver, const cd_lcp_options *options, cd_arena *arena,
                  cd_mcp_solution *out)
{
    const int32_t n = mcp->n;
    *out = (cd_mcp_solution){.status = CD_LCP_SOLVED, .solver = "direct", .reason = "",
                             .z = CD_ARENA_ZARRAY(arena, double, n), .w = CD_ARENA_ZARRAY(arena, double, n)};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    cd_lcp_status refused;
    const char *reason = refusal(mcp, &refused);
    if (reason) {
        out->status = refused;
        out->reason = reason;
        out->residual = INFINITY;
        for (int32_t i = 0; i < n; i++)
            out->z[i] = isfinite(mcp->lower[i]) ? mcp->lower[i] : 0;
        return;
    }
    problem p = build(mcp, arena);
    p.size = problem_size(&p);
    bool *member = CD_ARENA_ARRAY(arena, bool, n);
    int32_t *component = CD_ARENA_ARRAY(arena, int32_t, n), *slot = CD_ARENA_ARRAY(arena, int32_t, n), *first, *row;
    int64_t most = -1;
    find_blocks(&p, member);
    for (int32_t i = 0; i < n; i++) {
        member[i] = p.kind[i] != KIND_FIXED;
        slot[i] = -1;
    }
    int32_t count = cd_mcp_components(&p.m, member, component, arena);
    list_members(component, n, count, &first, &row, arena);
    for (int32_t k = 0; k < count; k++) {
        cd_arena_mark island_mark = cd_arena_get_mark(arena);
        island s = gather(&p, row + first[k], first[k + 1] - first[k]);
        solve_island(&p, &s, solver, options, slot, &most, out);
        cd_arena_rewind(arena, island_mark);
    }
    for (int32_t i = 0; i < n; i++)
        out->z[i] = clip(p.z[i] * p.m.c[i], mcp->lower[i], mcp->upper[i]);
    out->residual = measure(&p, out->z, out->w);
    if (out->residual <= options->tolerance) {
        out->status = CD_LCP_SOLVED;
        out->reason = "";
    } else {
        worsen(out, CD_LCP_INACCURATE, "the residual is above the tolerance");
    }
    cd_arena_rewind(arena, mark);
}
