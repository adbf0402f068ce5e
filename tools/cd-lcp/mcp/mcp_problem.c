// SPDX-License-Identifier: MIT
#include "mcp_problem.h"

#include "lcp_vector.h"

#include <float.h>
#include <math.h>

static inline double row_value(const cd_mcp_problem *p, int32_t i, const double *z, double *size)
{
    const double *value = p->m.value + p->m.first[i];
    const int32_t *col = p->m.col + p->m.first[i], count = p->m.first[i + 1] - p->m.first[i];
    double sum = p->rhs[i], terms = *size;
    int32_t k = 0;
    for (; k + 1 < count; k += 2) {  // in turn, two a round
        const double term = value[k] * z[col[k]], next = value[k + 1] * z[col[k + 1]];
        sum += term;
        sum += next;
        terms += fabs(term);
        terms += fabs(next);
    }
    if (k < count) {
        const double term = value[k] * z[col[k]];
        sum += term;
        terms += fabs(term);
    }
    *size = terms;
    return sum;
}

double cd_mcp_row_value(const cd_mcp_problem *p, int32_t i, const double *z, double *size)
{
    return row_value(p, i, z, size);
}

// x less the first component of (x - w, across) projected on the disc of radius r.
static double disc_error(double x, double w, double across, double r)
{
    const double a = x - w, length = hypot(a, across);
    return length > r ? x - a * (r / length) : w;
}

double cd_mcp_row_error(const cd_mcp_problem *p, int32_t i, const double *z, double *w)
{
    double terms = 0, ignored = 0;
    *w = row_value(p, i, z, &terms);
    if (p->kind[i] == CD_MCP_FREE) {  // without bounds nothing is clipped
        const double own = fabs(*w * p->row_unit[i]) + DBL_EPSILON * terms * p->row_unit[i];
        return isfinite(own) && isfinite(*w) ? own : INFINITY;
    }
    const double unit = p->col_unit[i], x = z[i] / unit;
    double lower = p->lower[i], upper = p->upper[i];
    lower = lower == 0 ? lower : lower / unit;  // of most contacts
    upper = upper == INFINITY ? upper : upper / unit;
    // x less x - w within its bounds, w and no difference: of a huge x it would leave nothing.
    double error = fabs(cd_mcp_clip(*w * p->row_unit[i], x - upper, x - lower));
    if (p->kind[i] == CD_MCP_DISC) {
        const int32_t other = p->m.partner[i];
        double across = other < 0 ? 0 : z[other] / unit - cd_mcp_row_value(p, other, z, &ignored) * p->row_unit[i];
        error = fabs(disc_error(x, *w * p->row_unit[i], across, p->mu[i] * fmax(0, z[p->m.normal[i]]) / unit));
    }
    if (p->kind[i] != CD_MCP_FIXED)
        error += DBL_EPSILON * terms * p->row_unit[i];
    return isfinite(error) && isfinite(*w) && p->lower[i] <= p->upper[i] ? error : INFINITY;
}

// What the residual is divided by.
static double problem_size(const cd_mcp_problem *p)
{
    const int32_t n = p->m.n;
    cd_arena_mark mark = cd_arena_get_mark(p->arena);
    double *nearest = CD_ARENA_ARRAY(p->arena, double, n), size = 0, ignored = 0;
    bool is_zero = true;  // as of contacts: then a row is its right-hand side
    for (int32_t i = 0; i < n; i++) {
        nearest[i] = cd_mcp_clip(0, p->lower[i], p->upper[i]);
        is_zero = is_zero && nearest[i] == 0;
    }
    for (int32_t i = 0; i < n; i++) {
        double row = fabs(p->rhs[i]);
        row = is_zero ? row : cd_larger(row, fabs(row_value(p, i, nearest, &ignored)));
        p->own_size[i] = cd_larger(row * p->row_unit[i], fabs(nearest[i]) / p->col_unit[i]);
        size = cd_larger(size, p->own_size[i]);
    }
    cd_arena_rewind(p->arena, mark);
    return size;
}

double cd_mcp_rows_error(const cd_mcp_problem *p, const int32_t *row, int32_t count)
{
    double worst = 0;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = row[k];
        p->seen_error[i] = cd_mcp_row_error(p, i, p->z, &p->seen_w[i]);
        p->seen_z[i] = p->z[i];
        worst = cd_larger(p->seen_error[i], worst);
    }
    return worst;
}

double cd_mcp_problem_measure(const cd_mcp_problem *p, const double *z, double *w, double *error)
{
    const int32_t n = p->m.n;
    cd_arena_mark mark = cd_arena_get_mark(p->arena);
    double *scaled = CD_ARENA_ARRAY(p->arena, double, n), worst = 0;
    bool is_seen = true;  // all of it, of these very values
    for (int32_t i = 0; i < n && !p->is_contacts; i++)
        scaled[i] = z[i] / p->m.c[i];
    const double *const own_z = p->is_contacts ? z : scaled;
    for (int32_t i = 0; i < n; i++)
        is_seen = is_seen && own_z[i] == p->seen_z[i];
    for (int32_t i = 0; i < n; i++) {
        double value = p->seen_w[i];
        const double own = is_seen ? p->seen_error[i] : cd_mcp_row_error(p, i, own_z, &value);
        worst = cd_larger(own, worst);
        if (error)
            error[i] = own;
        w[i] = value;
    }
    for (int32_t i = 0; i < n && !p->is_contacts; i++)
        w[i] /= p->m.r[i];
    cd_arena_rewind(p->arena, mark);
    return worst;
}

// Bounds, right-hand sides and coefficients of friction, scaled as the matrix is, and where each row begins.
static void take_bounds(const cd_mcp *mcp, cd_mcp_problem *p)
{
    const int32_t n = p->m.n;
    if (p->is_contacts && n > 0) {  // all scales are 1
        memcpy(p->rhs, mcp->rhs, sizeof *p->rhs * (size_t)n);
        memcpy(p->lower, mcp->lower, sizeof *p->lower * (size_t)n);
        memcpy(p->upper, mcp->upper, sizeof *p->upper * (size_t)n);
    }
    for (int32_t i = 0; i < n && !p->is_contacts; i++) {
        const double r = p->m.r[i], c = p->m.c[i];
        p->row_unit[i] /= r;
        p->col_unit[i] /= c;
        p->rhs[i] = mcp->rhs[i] * r;
        p->lower[i] = p->kind[i] == CD_MCP_DISC ? -INFINITY : mcp->lower[i] / c;
        p->upper[i] = p->kind[i] == CD_MCP_DISC ? INFINITY : mcp->upper[i] / c;
        if (p->kind[i] == CD_MCP_DISC)
            p->mu[i] = mcp->mu[i] * p->m.c[mcp->normal_row[i]] / c;
    }
    for (int32_t i = 0; i < n; i++) {
        p->seen_z[i] = NAN;
        p->equation[i] = i;
        p->z[i] = cd_mcp_clip(0, p->lower[i], p->upper[i]);
        if (p->kind[i] != CD_MCP_FREE)
            p->is_based = p->is_based || (p->kind[i] == CD_MCP_FIXED ? p->lower[i] : cd_mcp_base(p, i)) != 0;
    }
}

cd_mcp_problem cd_mcp_problem_build(const cd_mcp *mcp, cd_mcp_spread *beside, double beside_size, cd_arena *arena)
{
    const int32_t n = mcp->n;
    cd_mcp_problem p = {.m = cd_mcp_matrix_build(mcp, arena), .arena = arena};
    p.m.spread = beside;
    p.own_size = CD_ARENA_ARRAY(arena, double, n);
    p.kind = CD_ARENA_ARRAY(arena, cd_mcp_kind, n);
    p.rhs = CD_ARENA_ARRAY(arena, double, n);
    p.lower = CD_ARENA_ARRAY(arena, double, n);
    p.upper = CD_ARENA_ARRAY(arena, double, n);
    p.z = CD_ARENA_ARRAY(arena, double, n);
    p.seen_z = CD_ARENA_ARRAY(arena, double, n);
    p.seen_w = CD_ARENA_ARRAY(arena, double, n);
    p.seen_error = CD_ARENA_ARRAY(arena, double, n);
    p.row_unit = CD_ARENA_ARRAY(arena, double, n);
    p.col_unit = CD_ARENA_ARRAY(arena, double, n);
    p.component = CD_ARENA_ARRAY(arena, int32_t, n);
    p.local = CD_ARENA_ZARRAY(arena, int32_t, n);
    p.velocity = CD_ARENA_ARRAY(arena, int32_t, n);
    p.equation = CD_ARENA_ARRAY(arena, int32_t, n);
    bool *is_free = CD_ARENA_ARRAY(arena, bool, n), is_plain = true;
    if (mcp->normal_row)
        p.mu = CD_ARENA_ZARRAY(arena, double, n);
    // Kinds of rows, from their bounds.
    for (int32_t i = 0; i < n; i++) {
        double lower = mcp->lower[i], upper = mcp->upper[i];
        p.kind[i] = p.mu && mcp->normal_row[i] >= 0 ? CD_MCP_DISC
                    : lower == upper                ? CD_MCP_FIXED
                    : isfinite(lower)               ? (isfinite(upper) ? CD_MCP_BOXED : CD_MCP_LOWER)
                    : isfinite(upper)               ? CD_MCP_UPPER
                                                    : CD_MCP_FREE;
        is_free[i] = p.kind[i] == CD_MCP_FREE;
        is_plain = is_plain && (is_free[i] || p.kind[i] == CD_MCP_LOWER);
    }
    // Rows and columns scaled to entries near 1; bounds, right-hand sides and coefficients of friction with them.
    p.is_contacts = is_plain && cd_mcp_matrix_scale_contacts(&p.m, is_free, p.row_unit, p.col_unit, arena);
    if (!p.is_contacts)
        cd_mcp_matrix_scale(&p.m, is_free, p.row_unit, p.col_unit, arena);
    take_bounds(mcp, &p);
    p.size = cd_larger(beside_size, problem_size(&p));
    p.size = p.size > 0 ? p.size : 1;
    return p;
}
