// SPDX-License-Identifier: MIT
#include "coulomb.h"

#include "coulomb_mass.h"
#include "coulomb_verify.h"

#include <math.h>

#define ASYMMETRY_MOST 1e-8   // of M, as part of its diagonal
#define ASYMMETRY_NOISE 1e-9  // of W: below it W is taken for symmetric, and the verification sees what that costs
#define SHARE 0.0625          // of the tolerance, for the second attempt
#define PATIENCE 200          // no next step sees to what is left of a jam: a minute or two

// ---- what a problem must be ----------------------------------------------------------------------------------------

static int32_t first_not_finite(const double *x, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        if (!isfinite(x[i]))
            return i;
    }
    return -1;
}

static cd_status check_vector(const cd_coulomb *p, const char *what, const double *x, int32_t n, cd_diag *diag)
{
    const int32_t i = first_not_finite(x, n);
    return i < 0 ? CD_OK : cd_fail(diag, CD_ERR_FORMAT, "%s: %s: entry %d is not finite", p->name, what, i + 1);
}

// Entries by row, the columns ascending, those of one place added up.
typedef struct row_lists {
    int32_t *first, *col;
    double *value;
} row_lists;

static row_lists sorted_rows(const cd_mm_matrix *a, cd_arena *arena)
{
    const int32_t n = a->entry_count, *row = a->row, *col = a->col;
    row_lists out = {CD_ARENA_ZARRAY(arena, int32_t, (size_t)a->rows + 1), CD_ARENA_ARRAY(arena, int32_t, n),
                     CD_ARENA_ARRAY(arena, double, n)};
    // By column, then by row: two counting sorts.
    int32_t *by_col = CD_ARENA_ARRAY(arena, int32_t, n), *at = CD_ARENA_ZARRAY(arena, int32_t, (size_t)a->columns + 1);
    for (int32_t k = 0; k < n; k++) {
        at[col[k] + 1]++;
        out.first[row[k] + 1]++;
    }
    for (int32_t k = 0; k < a->columns; k++)
        at[k + 1] += at[k];
    for (int32_t k = 0; k < n; k++)
        by_col[at[col[k]]++] = k;
    for (int32_t k = 0; k < a->rows; k++)
        out.first[k + 1] += out.first[k];
    int32_t *next = CD_ARENA_ARRAY(arena, int32_t, a->rows);
    memcpy(next, out.first, sizeof *next * (size_t)a->rows);
    for (int32_t k = 0; k < n; k++) {
        const int32_t e = by_col[k], place = next[row[e]];
        if (place > out.first[row[e]] && out.col[place - 1] == col[e]) {
            out.value[place - 1] += a->value[e];
            continue;
        }
        out.col[place] = col[e];
        out.value[place] = a->value[e];
        next[row[e]]++;
    }
    for (int32_t i = 0; i < a->rows; i++) {
        for (int32_t k = next[i]; k < out.first[i + 1]; k++)
            out.col[k] = INT32_MAX;  // what was added to others
    }
    return out;
}

static double value_at(const row_lists *a, int32_t i, int32_t j)
{
    for (int32_t k = a->first[i]; k < a->first[i + 1]; k++) {
        if (a->col[k] == j)
            return a->value[k];
    }
    return 0;
}

typedef struct difference {
    double worst;  // |a_ij - a_ji| over sqrt(a_ii a_jj)
    int32_t row, col;
} difference;

static void compare(difference *d, const double *diagonal, int32_t i, int32_t j, double amount)
{
    const double size = diagonal[i] * diagonal[j];
    if (fabs(amount) > d->worst * size)
        *d = (difference){size > 0 ? fabs(amount) / size : INFINITY, i, j};
}

// The largest difference. An entry above the diagonal has its twin in the row of its column, where all entries left of
// that have met theirs.
static difference asymmetry(const cd_mm_matrix *a, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    const row_lists own = sorted_rows(a, scratch);
    double *diagonal = CD_ARENA_ARRAY(scratch, double, a->rows);
    int32_t *twin = CD_ARENA_ARRAY(scratch, int32_t, a->rows);
    difference found = {0};
    memcpy(twin, own.first, sizeof *twin * (size_t)a->rows);
    for (int32_t i = 0; i < a->rows; i++)
        diagonal[i] = sqrt(fabs(value_at(&own, i, i)));
    for (int32_t i = 0; i < a->rows; i++) {
        for (; twin[i] < own.first[i + 1] && own.col[twin[i]] < i; twin[i]++)
            compare(&found, diagonal, own.col[twin[i]], i, own.value[twin[i]]);
        for (int32_t k = own.first[i]; k < own.first[i + 1] && own.col[k] < INT32_MAX; k++) {
            const int32_t j = own.col[k];
            if (j <= i)
                continue;
            for (; twin[j] < own.first[j + 1] && own.col[twin[j]] < i; twin[j]++)
                compare(&found, diagonal, own.col[twin[j]], j, own.value[twin[j]]);
            const bool is_there = twin[j] < own.first[j + 1] && own.col[twin[j]] == i;
            compare(&found, diagonal, i, j, own.value[k] - (is_there ? own.value[twin[j]] : 0));
            twin[j] += is_there;
        }
    }
    cd_arena_rewind(scratch, mark);
    return found;
}

// In front of the sentence: the file that holds the part and the line, or the problem's name.
static cd_status at(const cd_coulomb *p, const cd_mm_source *source, int32_t line, cd_status status, cd_diag *diag)
{
    return cd_mm_fail_at(source->name ? source->name : p->name, line, status, diag);
}

// The last line that adds to entry (i, j), 0: none.
static int32_t line_of(const cd_mm_matrix *a, int32_t i, int32_t j)
{
    int32_t line = 0;
    for (int32_t k = 0; a->source.line && k < a->entry_count; k++) {
        if (a->row[k] == i && a->col[k] == j)
            line = a->source.line[k];
    }
    return line;
}

static cd_status check_mass(const cd_coulomb *p, cd_diag *diag)
{
    const cd_mm_matrix *M = &p->matrix;
    cd_arena scratch = {0};
    double *diagonal = CD_ARENA_ZARRAY(&scratch, double, M->rows);
    int32_t bad = -1;
    for (int32_t k = 0; k < M->entry_count; k++) {
        if (M->row[k] == M->col[k])
            diagonal[M->row[k]] += M->value[k];
    }
    for (int32_t i = M->rows - 1; i >= 0; i--)
        bad = diagonal[i] > 0 ? bad : i;
    const double value = bad < 0 ? 0 : diagonal[bad];
    const difference found = bad < 0 ? asymmetry(M, &scratch) : (difference){0};
    cd_arena_release(&scratch);
    if (bad >= 0) {
        const int32_t line = line_of(M, bad, bad);
        return at(p, &M->source, line ? line : M->source.size_line,
                  cd_fail(diag, CD_ERR_FORMAT, "mass: entry (%d, %d) is %g: not positive", bad + 1, bad + 1, value),
                  diag);
    }
    if (found.worst > ASYMMETRY_MOST) {
        const int32_t line = line_of(M, found.row, found.col), twin = line_of(M, found.col, found.row);
        return at(p, &M->source, line ? line : twin,
                  cd_fail(diag, CD_ERR_FORMAT, "mass: entries (%d, %d) and (%d, %d) differ: not symmetric",
                          found.row + 1, found.col + 1, found.col + 1, found.row + 1),
                  diag);
    }
    return CD_OK;
}

static cd_status check_sizes(const cd_coulomb *p, cd_diag *diag)
{
    const cd_mm_matrix *a = &p->matrix, *J = &p->jacobian;
    const int32_t n = cd_coulomb_rows(p);
    if (p->dimension != 2 && p->dimension != 3)
        return at(p, &p->mu_source, p->mu_source.size_line,
                  cd_fail(diag, CD_ERR_FORMAT, "%d rows a contact, not 2 or 3", p->dimension), diag);
    if (a->rows != a->columns)
        return at(p, &a->source, a->source.size_line,
                  cd_fail(diag, CD_ERR_FORMAT, "the matrix is %d x %d, not square", a->rows, a->columns), diag);
    if (p->is_reduced && a->rows != n)
        return at(p, &a->source, a->source.size_line,
                  cd_fail(diag, CD_ERR_FORMAT, "the matrix has %d rows, %d contacts need %d", a->rows, p->contacts, n),
                  diag);
    if (!p->is_reduced && (J->rows != n || J->columns != a->rows))
        return at(p, &J->source, J->source.size_line,
                  cd_fail(diag, CD_ERR_FORMAT, "the Jacobian is %d x %d, %d contacts and %d velocities need %d x %d%s",
                          J->rows, J->columns, p->contacts, a->rows, n, a->rows,
                          J->columns == n && J->rows == a->rows ? " (its transpose)" : ""),
                  diag);
    return CD_OK;
}

cd_status cd_coulomb_check(const cd_coulomb *p, cd_diag *diag)
{
    CD_TRY(check_sizes(p, diag));
    CD_TRY(check_vector(p, p->is_reduced ? "matrix" : "mass", p->matrix.value, p->matrix.entry_count, diag));
    CD_TRY(check_vector(p, "rhs", p->rhs, cd_coulomb_rows(p), diag));
    CD_TRY(check_vector(p, "mu", p->mu, p->contacts, diag));
    for (int32_t k = 0; k < p->contacts; k++) {
        if (p->mu[k] < 0)
            return at(p, &p->mu_source, p->mu_source.line ? p->mu_source.line[k] : 0,
                      cd_fail(diag, CD_ERR_FORMAT, "mu: that of contact %d is %g: negative", k + 1, p->mu[k]), diag);
    }
    if (p->is_reduced)
        return CD_OK;
    CD_TRY(check_vector(p, "Jacobian", p->jacobian.value, p->jacobian.entry_count, diag));
    CD_TRY(check_vector(p, "force", p->force, p->matrix.rows, diag));
    return check_mass(p, diag);
}

// ---- as a mixed complementarity problem ----------------------------------------------------------------------------

typedef struct entries {
    int32_t *row, *col, count;
    double *value;
} entries;

static void add(entries *e, int32_t row, int32_t col, double value)
{
    e->row[e->count] = row;
    e->col[e->count] = col;
    e->value[e->count++] = value;
}

// Both halves of each pair, where they differ by noise alone: the solvers look at symmetry closely.
static void add_square(entries *e, const cd_mm_matrix *a, bool halved)
{
    for (int32_t k = 0; k < a->entry_count; k++) {
        add(e, a->row[k], a->col[k], halved ? a->value[k] / 2 : a->value[k]);
        if (halved)
            add(e, a->col[k], a->row[k], a->value[k] / 2);
    }
}

// Velocities come first, then the rows of the contacts. The mass stands with its own sign and the columns of the
// impulses are -J', which is how a stream of this project has them but for the sign of both.
static cd_mcp as_mcp(const cd_coulomb *p, bool symmetric, cd_arena *arena)
{
    const int32_t nv = cd_coulomb_velocities(p), rows = cd_coulomb_rows(p), n = nv + rows;
    const size_t room = 2 * (size_t)p->matrix.entry_count + 2 * (size_t)p->jacobian.entry_count;
    entries e = {CD_ARENA_ARRAY(arena, int32_t, room), CD_ARENA_ARRAY(arena, int32_t, room), 0,
                 CD_ARENA_ARRAY(arena, double, room)};
    add_square(&e, &p->matrix, symmetric);
    for (int32_t k = 0; k < p->jacobian.entry_count; k++) {
        add(&e, nv + p->jacobian.row[k], p->jacobian.col[k], p->jacobian.value[k]);
        add(&e, p->jacobian.col[k], nv + p->jacobian.row[k], -p->jacobian.value[k]);
    }
    double *rhs = CD_ARENA_ARRAY(arena, double, n), *lower = CD_ARENA_ARRAY(arena, double, n);
    double *upper = CD_ARENA_ARRAY(arena, double, n), *mu = CD_ARENA_ZARRAY(arena, double, n);
    int32_t *normal = CD_ARENA_ARRAY(arena, int32_t, n);
    for (int32_t i = 0; i < nv; i++) {
        rhs[i] = -p->force[i];
        lower[i] = -INFINITY;
        upper[i] = INFINITY;
        normal[i] = -1;
    }
    for (int32_t i = 0; i < rows; i++) {
        const int32_t contact = i / p->dimension;
        const bool is_normal = i % p->dimension == 0, is_smooth = p->mu[contact] == 0;
        rhs[nv + i] = p->rhs[i];
        lower[nv + i] = 0;
        upper[nv + i] = is_normal ? INFINITY : 0;  // a tangent without friction stays 0
        normal[nv + i] = is_normal || is_smooth ? -1 : nv + contact * p->dimension;
        mu[nv + i] = p->mu[contact];
    }
    return (cd_mcp){.n = n,
                    .entry_count = e.count,
                    .row = e.row,
                    .col = e.col,
                    .value = e.value,
                    .rhs = rhs,
                    .lower = lower,
                    .upper = upper,
                    .normal_row = normal,
                    .mu = mu};
}

// A problem and what the solvers get of it.
typedef struct attempt {
    const cd_coulomb *given;
    cd_coulomb solved;             // what the solvers get: the same, or in other velocities, or without them
    cd_coulomb white;              // with mass 1, when there is a factor
    const cd_mass_factor *factor;  // NULL: the velocities are as given
    double tolerance;
} attempt;

enum { MESH = 60 };

// Above MESH rows of one block its sparse factor is the cheaper way; where it would be too large, or is none, the block
// is left as it is, and the solvers say so. Where contacts have few rows beside the velocities of a mesh, these go.
static attempt prepare(const cd_coulomb *p, const cd_lcp_options *options, cd_arena *arena)
{
    enum { BYTES = 16, FEW = 2 };
    attempt a = {.given = p, .solved = *p, .tolerance = options->tolerance};
    if (p->is_reduced || cd_mass_largest_block(&p->matrix, arena) <= MESH)
        return a;
    const int64_t most = (options->max_dense > 0 ? options->max_dense : CD_LCP_MAX_DENSE) / BYTES;
    a.factor = cd_mass_factor_make(&p->matrix, most, arena);
    if (!a.factor || !cd_mass_whiten(a.factor, p, most, arena, &a.white)) {
        a.factor = NULL;
        return a;
    }
    a.solved = a.white;
    if (FEW * cd_coulomb_rows(p) < p->matrix.rows && cd_lcp_dense_fits(cd_coulomb_rows(p), options))
        cd_mass_reduce(&a.white, arena, &a.solved);
    return a;
}

// Of masses in small blocks, which the solvers are given as they are.
static bool is_indefinite(const attempt *a, cd_arena *scratch)
{
    const cd_mm_matrix *M = &a->given->matrix;
    return !a->given->is_reduced && cd_mass_largest_block(M, scratch) <= MESH &&
           !cd_mass_factor_make(M, INT32_MAX, scratch);
}

// Into `out` when it is better than what stands there.
static void take(const attempt *a, const cd_mcp_solution *s, cd_arena *scratch, cd_coulomb_solution *out)
{
    const cd_coulomb *p = a->given;
    const int32_t nv = cd_coulomb_velocities(p), rows = cd_coulomb_rows(p);
    const double *r = s->z + cd_coulomb_velocities(&a->solved);
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *u = CD_ARENA_ARRAY(scratch, double, rows), *v = CD_ARENA_ARRAY(scratch, double, nv);
    double *white = CD_ARENA_ARRAY(scratch, double, nv);
    if (a->factor) {
        cd_mass_white_velocities(&a->white, r, white);
        cd_mass_velocities(a->factor, white, v, scratch);
    } else {
        memcpy(v, s->z, sizeof *v * (size_t)nv);
    }
    const double residual = cd_coulomb_residual(p, r, v, u, scratch);
    out->iterations += s->iterations;
    if (out->solver == NULL || residual < out->residual) {
        out->status = s->status;
        out->solver = s->solver;
        out->reason = s->reason;
        out->residual = residual;
        out->islands = s->island_count;
        out->largest_island = s->largest_island;
        memcpy(out->r, r, sizeof *out->r * (size_t)rows);
        memcpy(out->v, v, sizeof *out->v * (size_t)nv);
        memcpy(out->u, u, sizeof *out->u * (size_t)rows);
    }
    if (out->residual <= a->tolerance) {
        out->status = CD_LCP_SOLVED;
        out->reason = "";
    } else if (out->status == CD_LCP_SOLVED) {
        out->status = CD_LCP_INACCURATE;
        out->reason = "the verified residual is above the tolerance";
    }
    cd_arena_rewind(scratch, mark);
}

void cd_coulomb_solve(const cd_coulomb *p, const cd_lcp_solver *solver, const cd_lcp_options *options, cd_arena *arena,
                      cd_coulomb_solution *out)
{
    const int32_t nv = cd_coulomb_velocities(p), rows = cd_coulomb_rows(p);
    *out = (cd_coulomb_solution){.r = CD_ARENA_ZARRAY(arena, double, rows),
                                 .u = CD_ARENA_ZARRAY(arena, double, rows),
                                 .v = CD_ARENA_ZARRAY(arena, double, nv)};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    const attempt a = prepare(p, options, arena);
    const double noise = asymmetry(&a.solved.matrix, arena).worst;
    cd_mcp mcp = as_mcp(&a.solved, noise > 0 && (!a.solved.is_reduced || noise < ASYMMETRY_NOISE), arena);
    cd_lcp_options inner = *options;
    inner.patience = PATIENCE;
    cd_mcp_solution s;
    cd_mcp_solve(&mcp, solver, &inner, arena, &s);
    take(&a, &s, arena, out);
    if (s.status == CD_LCP_SOLVED && out->status != CD_LCP_SOLVED) {
        inner.tolerance *= SHARE;
        cd_mcp_solve(&mcp, solver, &inner, arena, &s);
        take(&a, &s, arena, out);
    }
    if (out->status != CD_LCP_SOLVED && out->status != CD_LCP_INFEASIBLE && is_indefinite(&a, arena))
        out->reason = "the mass is not positive definite";
    cd_arena_rewind(arena, mark);
}
