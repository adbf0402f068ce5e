// SPDX-License-Identifier: MIT
#include "lcp_stage.h"

#include <math.h>

static const int32_t word_of_status[CD_LCP_STATUS_COUNT] = {
    [CD_LCP_SOLVED] = CD_SOLUTION_SOLVED,         [CD_LCP_INACCURATE] = CD_SOLUTION_INACCURATE,
    [CD_LCP_LIMIT] = CD_SOLUTION_LIMIT,           [CD_LCP_RAY] = CD_SOLUTION_RAY,
    [CD_LCP_INFEASIBLE] = CD_SOLUTION_INFEASIBLE, [CD_LCP_SINGULAR] = CD_SOLUTION_SINGULAR,
};

static cd_mcp problem_of(const cd_model *in, const cd_refs *refs, cd_arena *arena)
{
    const cd_row_rows *row = &in->row;
    double *lower = CD_ARENA_ARRAY(arena, double, row->count), *upper = CD_ARENA_ARRAY(arena, double, row->count);
    for (int32_t i = 0; i < row->count; i++) {
        lower[i] = row->lower ? row->lower[i] : NAN;
        upper[i] = row->upper ? row->upper[i] : NAN;
        if (isnan(lower[i]))
            lower[i] = row->role[i] == CD_ROLE_VELOCITY ? -INFINITY : 0;
        if (isnan(upper[i]))
            upper[i] = INFINITY;
    }
    int32_t *normal = NULL;
    for (int32_t i = 0; i < row->count && row->normal_row; i++) {
        if (row->normal_row[i] == CD_ABSENT)
            continue;
        if (!normal) {
            normal = CD_ARENA_ARRAY(arena, int32_t, row->count);
            memset(normal, -1, sizeof *normal * (size_t)row->count);
        }
        normal[i] = cd_refs_row(refs, CD_REC_row, row->normal_row[i]);
        if (normal[i] < 0)
            normal[i] = INT32_MAX;  // no row at all: cd_mcp_disc_fault says so
    }
    return (cd_mcp){.normal_row = normal,
                    .mu = row->mu,
                    .kind = row->role,
                    .n = row->count,
                    .entry_count = in->entry.count,
                    .row = in->entry.row,
                    .col = in->entry.col,
                    .value = in->entry.value,
                    .rhs = row->rhs,
                    .lower = lower,
                    .upper = upper};
}

static bool is_friction(int32_t role)
{
    return role == CD_ROLE_FRICTION || role == CD_ROLE_ROLLING || role == CD_ROLE_SPINNING;
}

// A tangent and its normal impulse belong to one contact, or to none.
static bool is_one_contact(const cd_row_rows *row, int32_t i, int32_t j)
{
    return !row->contact || row->contact[i] == row->contact[j];
}

static cd_status check_discs(const cd_model *in, const cd_mcp *problem, const cd_lcp_solver *solver, cd_diag *diag)
{
    const cd_row_rows *row = &in->row;
    for (int32_t i = 0; i < row->count; i++) {
        const bool has_normal = problem->normal_row && problem->normal_row[i] >= 0,
                   has_mu = row->mu && !isnan(row->mu[i]);
        const char *field = has_normal ? "normal_row" : "mu";
        if ((has_normal || has_mu) && !is_friction(row->role[i]))
            return cd_fail(diag, CD_ERR_FORMAT,
                           "row: %lld: %s: only rows of role friction, rolling or spinning have one",
                           (long long)row->id[i], field);
        if (has_mu && !has_normal)
            return cd_fail(diag, CD_ERR_FORMAT, "row: %lld: mu: a disc needs the row of its normal impulse",
                           (long long)row->id[i]);
    }
    const char *reason;
    int32_t fault = cd_mcp_disc_fault(problem, &reason);
    if (fault >= 0)
        return cd_fail(diag, CD_ERR_FORMAT, "row: %lld: normal_row: %s", (long long)row->id[fault], reason);
    for (int32_t i = 0; i < problem->n && problem->normal_row; i++) {
        const int32_t normal = problem->normal_row[i];
        if (normal < 0)
            continue;
        if (row->role[normal] != CD_ROLE_IMPULSE)
            return cd_fail(diag, CD_ERR_FORMAT, "row: %lld: normal_row: row %lld is not of role impulse",
                           (long long)row->id[i], (long long)row->id[normal]);
        if (!is_one_contact(row, i, normal))
            return cd_fail(diag, CD_ERR_FORMAT, "row: %lld: normal_row: row %lld is of another contact",
                           (long long)row->id[i], (long long)row->id[normal]);
        if (!(solver->takes & CD_LCP_TAKES_DISCS))
            return cd_fail(diag, CD_ERR_UNSUPPORTED,
                           "row: %lld: solver %s takes no friction discs; ipm, pgs and auto do",
                           (long long)in->row.id[i], solver->name);
    }
    return CD_OK;
}

// What is not finite stays absent: the stream has no place for it.
static void write_solution(const cd_mcp_solution *s, int32_t n, int dim, cd_arena *arena, cd_model *out)
{
    out->solution.count = 1;
    CD_COLUMN(arena, dim, solution, &out->solution, status)[0] = word_of_status[s->status];
    if (isfinite(s->residual))
        CD_COLUMN(arena, dim, solution, &out->solution, residual)[0] = s->residual;
    CD_COLUMN(arena, dim, solution, &out->solution, iterations)[0] = s->iterations;
    CD_COLUMN(arena, dim, solution, &out->solution, solver)[0] = s->solver;
    out->value.count = n;
    int32_t *row = CD_COLUMN(arena, dim, value, &out->value, row);
    double *z = CD_COLUMN(arena, dim, value, &out->value, z), *w = CD_COLUMN(arena, dim, value, &out->value, w);
    for (int32_t i = 0; i < n; i++) {
        row[i] = i;
        z[i] = s->z[i];
        w[i] = isfinite(s->w[i]) ? s->w[i] : NAN;
    }
    int32_t *status = NULL;
    for (int32_t i = 0; i < n; i++) {
        if (s->row_status[i] == CD_LCP_SOLVED)
            continue;
        status = status ? status : CD_COLUMN(arena, dim, value, &out->value, status);
        status[i] = word_of_status[s->row_status[i]];
    }
}

void cd_lcp_unread(bool is_warm, uint64_t unread[CD_REC_COUNT])
{
    unread[CD_REC_body] = ~CD_FIELD_BIT(body, id);
    unread[CD_REC_contact] =
        ~(CD_FIELD_BIT(contact, id) | CD_FIELD_BIT(contact, a) | CD_FIELD_BIT(contact, b) |
          CD_FIELD_BIT(contact, features) | CD_FIELD_BIT(contact, facet) | CD_FIELD_BIT(contact, side));
    unread[CD_REC_row] = CD_FIELD_BIT(row, constraint);
    if (!is_warm)
        unread[CD_REC_row] |= CD_FIELD_BIT(row, body) | CD_FIELD_BIT(row, axis);
}

cd_lcp_kept *cd_lcp_kept_make(bool recalls, cd_arena *run)
{
    cd_lcp_kept *kept = cd_arena_zalloc(run, sizeof *kept);
    kept->patterns = cd_gram_kept_make();
    if (!recalls)
        return kept;
    kept->problems = cd_known_make();
    kept->islands = cd_mcp_known_make();
    kept->parts = cd_mcp_parts_make();
    return kept;
}

void cd_lcp_kept_release(cd_lcp_kept *kept)
{
    if (!kept)
        return;
    cd_gram_kept_release(kept->patterns);
    cd_known_release(kept->problems);
    cd_mcp_known_release(kept->islands);
    cd_mcp_parts_release(kept->parts);
}

// What solving took, where that is much: the copy of the problem that is kept then finds room in it. To have the pages
// cleared again takes 3 % of solving.
static void give_back(const cd_mcp *problem, cd_arena *arena)
{
    enum { LARGE = 1 << 21 };  // entries
    if (problem->entry_count > LARGE)
        cd_arena_trim(arena);
}

cd_status cd_lcp_frame(const cd_lcp_stage *stage, const cd_model *in, const cd_refs *refs, cd_arena *arena,
                       cd_model *out, cd_diag *diag)
{
    cd_lcp_kept *kept = stage->kept;
    cd_mcp problem = problem_of(in, refs, arena);
    CD_TRY(check_discs(in, &problem, stage->solver, diag));
    cd_lcp_options inner = stage->options;
    if (stage->is_warm)
        inner.warm = cd_warm_again(&kept->warm, &problem, &in->frame, arena);
    if (stage->is_warm && !inner.warm)
        inner.warm = cd_warm_start(&kept->warm, in, problem.normal_row, refs, arena, stage->run);
    inner.patterns = kept->patterns;
    inner.known = kept->islands;
    inner.parts = kept->parts;
    inner.guess = cd_guess_start(&kept->guess, in, refs, arena);
    cd_mcp_solution solution;
    if (!kept->problems || !cd_known_recall(kept->problems, &problem, inner.warm, arena, &solution)) {
        cd_mcp_solve(&problem, stage->solver, &inner, arena, &solution);
        give_back(&problem, arena);
        if (kept->problems && !solution.is_partly_known)
            cd_known_keep(kept->problems, &problem, inner.warm, &solution);
    }
    if (inner.warm)
        cd_warm_keep(&kept->warm, solution.z, solution.status == CD_LCP_SOLVED);
    cd_guess_keep(&kept->guess, solution.z, stage->run);
    write_solution(&solution, problem.n, in->dim, arena, out);
    return CD_OK;
}
