// SPDX-License-Identifier: MIT
#include "cd_dense.h"
#include "mcp_problem.h"

#include <math.h>

#define PIVOT_LEAST 1e-12  // of an equilibrated block under complete pivoting: below it the rest counts as 0

int32_t cd_mcp_single_entry(const cd_mcp_problem *p, const cd_mcp_block *b)
{
    const int32_t e = b->equation[0], end = p->m.first[e + 1];
    for (int32_t k = p->m.first[e]; k < end; k++) {
        if (p->kind[p->m.col[k]] == CD_MCP_FREE)
            return k;
    }
    return -1;
}

// A block of one variable, as a body's mass along an axis: cd_lcp_equilibrate and cd_lu_factor of a single number.
static bool factor_one(const cd_mcp_problem *p, cd_mcp_block *b)
{
    const int32_t place = cd_mcp_single_entry(p, b);
    double value = place < 0 ? 0 : p->m.value[place], r = 1, c = 1;
    for (int sweep = 0; sweep < CD_LCP_SWEEPS; sweep++) {
        const double power = cd_lcp_half_power_for(fabs(value) * r * c);
        if (power == 1)
            break;
        r *= power;
        c *= power;
    }
    double *number = CD_ARENA_ARRAY(p->arena, double, 4);
    number[0] = value;
    b->dense = number;
    number[1] = r;
    b->r = number + 1;
    number[2] = c;
    b->c = number + 2;
    number[3] = value * r * c;
    b->lu =
        (cd_lu){.n = 1, .stride = cd_dense_stride(1), .a = number + 3, .order = CD_ARENA_ZARRAY(p->arena, int32_t, 1)};
    return number[3] != 0 && isfinite(number[3]);
}

// A body's freedoms and less: such blocks come in thousands, and their vectors lie on the stack.
enum { SMALL = 8 };
// Of its diagonal entry: with a smaller pivot squared a block is not definite beyond doubt.
#define DEFINITE_LEAST 1e-8

// The root of a small block of masses. As cd_cholesky_factor has it, which powers of two on rows and columns change in
// nothing but these: the same bits from a block as it was given and as it was scaled.
static double *small_root(const cd_mcp_problem *p, const cd_mcp_block *b, double *sign)
{
    const int32_t n = b->count;
    const double *dense = b->dense;
    if (n > SMALL)
        return NULL;
    *sign = dense[0] < 0 ? 1 : -1;
    double *a = CD_ARENA_ARRAY(p->arena, double, n *n);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            if (dense[i * n + j] != dense[j * n + i])
                return NULL;
            a[i * n + j] = -*sign * dense[i * n + j];
        }
    }
    if (!cd_cholesky_factor(n, a))
        return NULL;
    for (int32_t i = 0; i < n; i++) {
        const double pivot = a[i * n + i];
        if (!(pivot * pivot > DEFINITE_LEAST * fabs(dense[i * n + i])) || !isfinite(pivot))
            return NULL;
    }
    return a;
}

bool cd_mcp_block_factor(const cd_mcp_problem *p, cd_mcp_block *b)
{
    const int32_t n = b->count;
    b->root = NULL;
    if (n == 1)
        return factor_one(p, b);
    const size_t stride = (size_t)cd_dense_stride(n);
    double *dense = b->dense = CD_ARENA_ZARRAY(p->arena, double, (size_t)n *(size_t)n);
    int32_t last = 0;  // of its variables: no other free one is in its equations
    for (int32_t i = 0; i < n; i++)
        last = b->row[i] > last ? b->row[i] : last;
    for (int32_t i = 0; i < n; i++) {
        const int32_t end = p->m.first[b->equation[i] + 1];
        for (int32_t k = p->m.first[b->equation[i]]; k < end && p->m.col[k] <= last; k++) {
            const int32_t col = p->m.col[k];
            if (p->kind[col] == CD_MCP_FREE)
                dense[(size_t)i * n + p->local[col]] = p->m.value[k];
        }
    }
    b->root = small_root(p, b, &b->sign);
    if (b->root)
        return true;
    double *a = CD_ARENA_ZARRAY(p->arena, double, (size_t)n *stride);
    b->r = CD_ARENA_ARRAY(p->arena, double, n);
    b->c = CD_ARENA_ARRAY(p->arena, double, n);
    cd_lcp_equilibrate(n, n, dense, b->r, b->c, p->arena);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++)
            a[i * stride + j] = dense[(size_t)i * n + j] * b->r[i] * b->c[j];
    }
    return cd_lu_factor(&b->lu, n, a, p->arena);
}

// x = -sign (L L')^-1 x.
static void root_solve(const cd_mcp_block *b, double *x)
{
    const int32_t n = b->count;
    const double *L = b->root;
    if (n == 3) {  // as of most bodies that are turned
        const double x0 = x[0] / L[0], x1 = (x[1] - L[3] * x0) / L[4], x2 = (x[2] - L[6] * x0 - L[7] * x1) / L[8];
        const double y2 = x2 / L[8], y1 = (x1 - L[7] * y2) / L[4], y0 = (x0 - L[3] * y1 - L[6] * y2) / L[0];
        x[0] = -b->sign * y0;
        x[1] = -b->sign * y1;
        x[2] = -b->sign * y2;
        return;
    }
    cd_cholesky_forward(n, L, x);
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < n; j++)
            x[i] -= L[j * n + i] * x[j];
        x[i] /= L[i * n + i];
    }
    for (int32_t i = 0; i < n; i++)
        x[i] *= -b->sign;
}

// block_solve with the root.
static void solve_by_root(const cd_mcp_block *b, const double *rhs, double *x)
{
    const int32_t n = b->count;
    double residual[SMALL];
    for (int32_t i = 0; i < n; i++)
        x[i] = rhs[i];
    root_solve(b, x);
    for (int32_t i = 0; i < n; i++)
        x[i] = 0 + x[i];  // no -0
    for (int32_t i = 0; i < n; i++) {
        const double *row = b->dense + i * n;
        residual[i] = rhs[i];
        for (int32_t j = 0; j < n; j++) {
            if (row[j] != 0)  // what is not stored is no term: of zeros it could change the sign
                residual[i] -= row[j] * x[j];
        }
    }
    root_solve(b, residual);
    for (int32_t i = 0; i < n; i++)
        x[i] += residual[i];
}

// x = B^-1 rhs with one step of refinement; rhs and x have b->count entries.
static void block_solve(const cd_mcp_problem *p, const cd_mcp_block *b, const double *rhs, double *x)
{
    const int32_t n = b->count;
    if (n == 1) {
        const double pivot = b->lu.a[0], first = 0 + b->c[0] * (rhs[0] * b->r[0] / pivot);  // no -0
        x[0] = first + b->c[0] * ((rhs[0] - b->dense[0] * first) * b->r[0] / pivot);
        return;
    }
    if (b->root) {
        solve_by_root(b, rhs, x);
        return;
    }
    cd_arena_mark mark = cd_arena_get_mark(p->arena);
    double small[2][SMALL];
    double *residual = n <= SMALL ? small[0] : CD_ARENA_ARRAY(p->arena, double, n);
    double *dx = n <= SMALL ? small[1] : CD_ARENA_ARRAY(p->arena, double, n);
    for (int32_t i = 0; i < n; i++)
        residual[i] = rhs[i] * b->r[i];
    cd_lu_solve(&b->lu, residual, dx);
    for (int32_t i = 0; i < n; i++)
        x[i] = 0 + b->c[i] * dx[i];  // no -0
    // The step of refinement.
    for (int32_t i = 0; i < n; i++) {
        const double *row = b->dense + (size_t)i * (size_t)n;
        double sum = rhs[i];
        for (int32_t j = 0; j < n; j++) {
            if (row[j] != 0)  // what is not stored is no term: of zeros it could change the sign
                sum -= row[j] * x[j];
        }
        residual[i] = sum * b->r[i];
    }
    cd_lu_solve(&b->lu, residual, dx);
    for (int32_t i = 0; i < n; i++)
        x[i] += b->c[i] * dx[i];
    if (n > SMALL)
        cd_arena_rewind(p->arena, mark);
}

// Complete pivoting on the block: *rank pivots, of the equations row_order[0..rank) and the variables
// col_order[0..rank).
static int32_t pivots_of(const cd_mcp_problem *p, const cd_mcp_block *b, int32_t *row_order, int32_t *col_order)
{
    // The block, dense and equilibrated.
    const int32_t n = b->count;
    double *a = CD_ARENA_ZARRAY(p->arena, double, (size_t)n *(size_t)n), *r = CD_ARENA_ARRAY(p->arena, double, n);
    double *c = CD_ARENA_ARRAY(p->arena, double, n);
    for (int32_t i = 0; i < n; i++) {
        row_order[i] = col_order[i] = i;
        for (int32_t k = p->m.first[b->equation[i]]; k < p->m.first[b->equation[i] + 1]; k++) {
            if (p->kind[p->m.col[k]] == CD_MCP_FREE)
                a[(size_t)i * n + p->local[p->m.col[k]]] = p->m.value[k];
        }
    }
    cd_lcp_equilibrate(n, n, a, r, c, p->arena);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++)
            a[(size_t)i * n + j] *= r[i] * c[j];
    }
    // Gauss with full pivoting; the orders keep what is exchanged.
    for (int32_t rank = 0; rank < n; rank++) {
        int32_t row = rank, col = rank;
        for (int32_t i = rank; i < n; i++) {
            for (int32_t j = rank; j < n; j++) {
                if (fabs(a[(size_t)row_order[i] * n + col_order[j]]) >
                    fabs(a[(size_t)row_order[row] * n + col_order[col]])) {
                    row = i;
                    col = j;
                }
            }
        }
        int32_t t = row_order[row];
        row_order[row] = row_order[rank];
        row_order[rank] = t;
        t = col_order[col];
        col_order[col] = col_order[rank];
        col_order[rank] = t;
        const double *pivot_row = a + (size_t)row_order[rank] * n, pivot = pivot_row[col_order[rank]];
        if (!(fabs(pivot) > PIVOT_LEAST))
            return rank;
        for (int32_t i = rank + 1; i < n; i++) {
            double *target = a + (size_t)row_order[i] * n;
            const double f = target[col_order[rank]] / pivot;
            for (int32_t j = rank; j < n && f != 0; j++)
                target[col_order[j]] -= f * pivot_row[col_order[j]];
        }
    }
    return n;
}

void cd_mcp_block_reduce(const cd_mcp_problem *p, cd_mcp_block *b)
{
    const int32_t n = b->count;
    int32_t *row_order = CD_ARENA_ARRAY(p->arena, int32_t, n), *col_order = CD_ARENA_ARRAY(p->arena, int32_t, n);
    const int32_t rank = pivots_of(p, b, row_order, col_order);
    int32_t *variable = CD_ARENA_ARRAY(p->arena, int32_t, n), *equation = CD_ARENA_ARRAY(p->arena, int32_t, n);
    for (int32_t k = 0; k < n; k++) {
        variable[k] = b->row[col_order[k]];
        equation[k] = b->equation[row_order[k]];
    }
    for (int32_t k = 0; k < n; k++) {
        p->equation[variable[k]] = equation[k];
        if (k < rank)
            p->local[variable[k]] = k;
        else
            p->kind[variable[k]] = CD_MCP_SPLIT;
    }
    b->row = variable;
    b->equation = equation;
    b->count = rank;
}

void cd_mcp_block_constants(const cd_mcp_problem *p, cd_mcp_block *b)
{
    b->g = CD_ARENA_ARRAY(p->arena, double, b->count);
    double *rhs = CD_ARENA_ARRAY(p->arena, double, b->count);
    for (int32_t i = 0; i < b->count; i++) {
        rhs[i] = p->rhs[b->equation[i]];
        for (int32_t k = p->m.first[b->equation[i]]; k < p->m.first[b->equation[i] + 1] && p->is_based; k++) {
            int32_t j = p->m.col[k];
            if (p->kind[j] != CD_MCP_FREE)
                rhs[i] += p->m.value[k] * (p->kind[j] == CD_MCP_FIXED ? p->lower[j] : cd_mcp_base(p, j));
        }
    }
    block_solve(p, b, rhs, b->g);
}

void cd_mcp_block_condense(const cd_mcp_problem *p, cd_mcp_block *b, int32_t *slot)
{
    const int32_t n = b->count;
    int32_t touched = 0;
    for (int32_t i = 0; i < n; i++)
        touched += p->m.first[b->equation[i] + 1] - p->m.first[b->equation[i]];
    b->column = CD_ARENA_ARRAY(p->arena, int32_t, touched);
    b->column_count = 0;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = p->m.first[b->equation[i]]; k < p->m.first[b->equation[i] + 1]; k++) {
            int32_t j = p->m.col[k];
            if (cd_mcp_is_held(p->kind[j]) && slot[p->local[j]] < 0) {
                slot[p->local[j]] = b->column_count;
                b->column[b->column_count++] = p->local[j];
            }
        }
    }
    // Columns are gathered transposed (one after the other) for the solver, then laid out in rows for the update of S.
    const size_t columns = (size_t)b->column_count;
    double *rhs = CD_ARENA_ZARRAY(p->arena, double, columns *(size_t)n), *x = CD_ARENA_ARRAY(p->arena, double, n);
    b->x = CD_ARENA_ARRAY(p->arena, double, columns *(size_t)n);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = p->m.first[b->equation[i]]; k < p->m.first[b->equation[i] + 1]; k++) {
            int32_t j = p->m.col[k];
            if (cd_mcp_is_held(p->kind[j]))
                rhs[(size_t)slot[p->local[j]] * n + i] = p->m.value[k] * cd_mcp_sign(p, j);
        }
    }
    for (size_t k = 0; k < columns; k++) {
        block_solve(p, b, rhs + k * n, x);
        for (int32_t i = 0; i < n; i++)
            b->x[(size_t)i * columns + k] = x[i];
        slot[b->column[k]] = -1;
    }
}

void cd_mcp_block_substitute(const cd_mcp_problem *p, const cd_mcp_block *b)
{
    cd_arena_mark mark = cd_arena_get_mark(p->arena);
    double small[2][SMALL];
    double *rhs = b->count <= SMALL ? small[0] : CD_ARENA_ARRAY(p->arena, double, b->count);
    double *x = b->count <= SMALL ? small[1] : CD_ARENA_ARRAY(p->arena, double, b->count);
    for (int32_t i = 0; i < b->count; i++) {
        const int32_t e = b->equation[i], end = p->m.first[e + 1], *const col = p->m.col;
        double sum = -p->rhs[e];
        for (int32_t k = p->m.first[e]; k < end; k++) {
            if (p->kind[col[k]] != CD_MCP_FREE)
                sum -= p->m.value[k] * p->z[col[k]];
        }
        rhs[i] = sum;
    }
    block_solve(p, b, rhs, x);
    for (int32_t i = 0; i < b->count; i++)
        p->z[b->row[i]] = x[i];
    if (b->count > SMALL)
        cd_arena_rewind(p->arena, mark);
}

void cd_mcp_list_members(const int32_t *component, int32_t n, int32_t count, int32_t **first, int32_t **member,
                         cd_arena *arena)
{
    *first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)count + 1);
    *member = CD_ARENA_ARRAY(arena, int32_t, n);
    if (count == 1) {  // as of most small problems; to count one by one in memory is slow
        int32_t members = 0;
        for (int32_t i = 0; i < n; i++) {
            (*member)[members] = i;
            members += component[i] >= 0;
        }
        (*first)[1] = members;
        return;
    }
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

void cd_mcp_find_blocks(cd_mcp_problem *p)
{
    const int32_t n = p->m.n;
    bool *member = CD_ARENA_ARRAY(p->arena, bool, n);
    for (int32_t i = 0; i < n; i++)
        member[i] = p->kind[i] == CD_MCP_FREE;
    int32_t count = cd_mcp_components(&p->m, member, p->component, p->arena), *first, *row;
    cd_mcp_list_members(p->component, n, count, &first, &row, p->arena);
    p->blocks = CD_ARENA_ZARRAY(p->arena, cd_mcp_block, count);
    for (int32_t k = 0; k < count; k++) {
        p->blocks[k].row = p->blocks[k].equation = row + first[k];
        p->blocks[k].count = first[k + 1] - first[k];
        for (int32_t i = 0; i < p->blocks[k].count; i++)
            p->local[p->blocks[k].row[i]] = i;
    }
}
