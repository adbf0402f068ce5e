// SPDX-License-Identifier: MIT
#include "cd_dense.h"
#include "lcp_structure.h"
#include "mcp_problem.h"

#include <math.h>

// Twins of a symmetric pair may differ by the rounding of whoever computed them.
#define TWIN_LEAST 1e-14

// Equilibration scales rows and columns by different powers of two, which hides that rows are columns. So N N' is
// looked for in the units that the problem was given in: `raw` takes the powers back (exactly).
static double entry_of(const cd_mcp_problem *p, int32_t i, int32_t k, bool raw)
{
    if (raw && p->m.raw)
        return p->m.raw[k];
    return raw ? p->m.value[k] / (p->m.r[i] * p->m.c[p->m.col[k]]) : p->m.value[k];
}

static cd_lcp_rows make_rows(int32_t n, int32_t entries, cd_arena *arena)
{
    return (cd_lcp_rows){CD_ARENA_ZARRAY(arena, int32_t, (size_t)n + 1), CD_ARENA_ARRAY(arena, int32_t, entries),
                         CD_ARENA_ARRAY(arena, double, entries)};
}

static void sum_up(cd_lcp_rows *rows, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        rows->first[i + 1] += rows->first[i];
}

// ---- one definite block --------------------------------------------------------------------------------------------

// The same of a single number.
static double *root_of_one(const cd_mcp_problem *p, const cd_mcp_block *b, double *sign)
{
    const int32_t place = cd_mcp_single_entry(p, b);
    const double value = place < 0 ? 0 : entry_of(p, b->equation[0], place, true);
    *sign = value < 0 ? 1 : -1;
    if (value == 0)
        return NULL;
    double *root = CD_ARENA_ARRAY(p->arena, double, 1);
    *root = sqrt(fabs(value));
    return root;
}

double *cd_mcp_block_root(const cd_mcp_problem *p, const cd_mcp_block *b, double *sign)
{
    const int32_t n = b->count;
    if (n == 1)
        return root_of_one(p, b, sign);
    double *a = CD_ARENA_ZARRAY(p->arena, double, (size_t)n *(size_t)n);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = p->m.first[b->equation[i]]; k < p->m.first[b->equation[i] + 1]; k++) {
            int32_t j = p->m.col[k];
            if (p->kind[j] == CD_MCP_FREE)
                a[(size_t)i * n + p->local[j]] = entry_of(p, b->equation[i], k, true);
        }
    }
    *sign = a[0] < 0 ? 1 : -1;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j <= i; j++) {
            if (fabs(a[(size_t)i * n + j] - a[(size_t)j * n + i]) >
                TWIN_LEAST * sqrt(fabs(a[(size_t)i * n + i] * a[(size_t)j * n + j])))
                return NULL;
        }
    }
    for (int32_t i = 0; i < n * n; i++)
        a[i] *= -*sign;
    return cd_cholesky_factor(n, a) ? a : NULL;
}

// ---- rows ----------------------------------------------------------------------------------------------------------

// One pass over the columns of the held variables: counts them in rows->first (at = NULL), or enters M_{f,h} into row
// h.
static void scan_columns(const cd_mcp_problem *p, const cd_mcp_island *s, cd_lcp_rows *rows, int32_t *at)
{
    for (int32_t b = 0; b < s->block_count; b++) {
        const cd_mcp_block *block = &p->blocks[s->block[b]];
        for (int32_t f = 0; f < block->count; f++) {
            for (int32_t e = p->m.first[block->row[f]]; e < p->m.first[block->row[f] + 1]; e++) {
                const int32_t j = p->m.col[e];
                if (!cd_mcp_is_held(p->kind[j]))
                    continue;
                if (!at) {
                    rows->first[p->local[j] + 1]++;
                    continue;
                }
                rows->col[at[p->local[j]]] = block->offset + f;
                rows->value[at[p->local[j]]++] = entry_of(p, block->row[f], e, true);
            }
        }
    }
}

// Row h: the column M_{f,h} over the velocities f, ascending.
static cd_lcp_rows held_columns(const cd_mcp_problem *p, const cd_mcp_island *s)
{
    const int32_t n = s->held_count;
    cd_lcp_rows rows = make_rows(n, 0, p->arena);
    scan_columns(p, s, &rows, NULL);
    sum_up(&rows, n);
    rows.col = CD_ARENA_ARRAY(p->arena, int32_t, rows.first[n]);
    rows.value = CD_ARENA_ARRAY(p->arena, double, rows.first[n]);
    int32_t *at = CD_ARENA_ARRAY(p->arena, int32_t, n);
    memcpy(at, rows.first, sizeof *at * (size_t)n);
    scan_columns(p, s, &rows, at);
    return rows;
}

// Row h: what row h of the matrix has over the velocities, times the sign of the block, ascending. others: how many
// more entries these rows have.
static cd_lcp_rows held_rows(const cd_mcp_problem *p, const cd_mcp_island *s, const double *sign, int32_t *others)
{
    const int32_t n = s->held_count;
    int32_t most = 0;
    for (int32_t h = 0; h < n; h++)
        most += p->m.first[s->held[h] + 1] - p->m.first[s->held[h]];
    cd_lcp_rows rows = make_rows(n, most, p->arena);
    for (int32_t h = 0; h < n; h++) {
        const int32_t i = s->held[h];
        int32_t end = rows.first[h];
        for (int32_t k = p->m.first[i]; k < p->m.first[i + 1]; k++) {
            if (p->kind[p->m.col[k]] != CD_MCP_FREE)
                continue;
            const int32_t f = p->velocity[p->m.col[k]];
            int32_t at = end++;
            for (; at > rows.first[h] && rows.col[at - 1] > f; at--) {
                rows.col[at] = rows.col[at - 1];
                rows.value[at] = rows.value[at - 1];
            }
            rows.col[at] = f;
            rows.value[at] = sign[f] * entry_of(p, i, k, true);
        }
        rows.first[h + 1] = end;
    }
    *others = most - rows.first[n];
    return rows;
}

// C: what acts between held variables directly.
static cd_lcp_rows direct_rows(const cd_mcp_problem *p, const cd_mcp_island *s, bool raw)
{
    const int32_t n = s->held_count;
    cd_lcp_rows rows = make_rows(n, 0, p->arena);
    for (int pass = 0; pass < 2 && (pass == 0 || rows.first[n] > 0); pass++) {
        int32_t count = 0;
        for (int32_t h = 0; h < n; h++) {
            const int32_t i = s->held[h];
            for (int32_t k = p->m.first[i]; k < p->m.first[i + 1]; k++) {
                const int32_t j = p->m.col[k];
                if (!cd_mcp_is_held(p->kind[j]))
                    continue;
                if (pass == 1) {
                    rows.col[count] = p->local[j];
                    rows.value[count] = entry_of(p, i, k, raw) * cd_mcp_sign(p, i) * cd_mcp_sign(p, j);
                }
                count++;
            }
            rows.first[h + 1] = count;
        }
        if (pass == 0) {
            rows.col = CD_ARENA_ARRAY(p->arena, int32_t, count);
            rows.value = CD_ARENA_ARRAY(p->arena, double, count);
        }
    }
    return rows;
}

// q, rooms and discs; blocks must have their constants.
static void fill_vectors(const cd_mcp_problem *p, const cd_mcp_island *s, bool raw, cd_lcp_structure *out)
{
    const int32_t n = s->held_count;
    cd_arena *arena = p->arena;
    out->q = CD_ARENA_ARRAY(arena, double, n);
    out->room = s->boxed_count > 0 ? CD_ARENA_ARRAY(arena, double, n) : NULL;
    if (s->disc_count > 0) {
        out->normal = CD_ARENA_ARRAY(arena, int32_t, n);
        out->partner = CD_ARENA_ARRAY(arena, int32_t, n);
        out->mu = CD_ARENA_ARRAY(arena, double, n);
    }
    for (int32_t h = 0; h < n; h++) {
        const int32_t i = s->held[h];
        double constant = p->rhs[i];
        for (int32_t k = p->m.first[i]; k < p->m.first[i + 1]; k++) {
            const int32_t j = p->m.col[k];
            if (p->kind[j] == CD_MCP_FREE)
                constant -= p->m.value[k] * p->blocks[p->component[j]].g[p->local[j]];
            else
                constant += p->m.value[k] * (p->kind[j] == CD_MCP_FIXED ? p->lower[j] : cd_mcp_base(p, j));
        }
        const double c = raw ? p->m.c[i] : 1;
        out->q[h] = cd_mcp_sign(p, i) * constant / (raw ? p->m.r[i] : 1);
        if (out->room)
            out->room[h] = p->kind[i] == CD_MCP_BOXED ? (p->upper[i] - p->lower[i]) * c : INFINITY;
        if (out->normal) {
            const bool is_tangent = p->kind[i] == CD_MCP_DISC;
            out->normal[h] = is_tangent ? p->local[p->m.normal[i]] : -1;
            out->partner[h] = is_tangent && p->m.partner[i] >= 0 ? p->local[p->m.partner[i]] : -1;
            out->mu[h] = is_tangent ? p->mu[i] * c / (raw ? p->m.c[p->m.normal[i]] : 1) : 0;
        }
    }
}

// ---- N N' + C ------------------------------------------------------------------------------------------------------

// Whether each row of a held variable is its column times the sign of the block: -B = L L' (sign 1) goes with G', B = L
// L' with -G'; and times a positive unit of its own (gap rows in metres beside impulses in N s, say), which is found
// here.
static bool rows_are_columns(const cd_mcp_problem *p, const cd_mcp_island *s, const cd_lcp_rows *columns,
                             const double *sign, double *unit)
{
    double *twin = CD_ARENA_ZARRAY(p->arena, double, s->velocity_count);
    bool equal = true;
    for (int32_t h = 0; h < s->held_count && equal; h++) {
        const int32_t i = s->held[h];
        int32_t count = 0;
        unit[h] = 1;
        for (int32_t k = columns->first[h]; k < columns->first[h + 1]; k++)
            twin[columns->col[k]] = columns->value[k] * sign[columns->col[k]];
        for (int32_t k = p->m.first[i]; k < p->m.first[i + 1] && equal; k++) {
            if (p->kind[p->m.col[k]] != CD_MCP_FREE)
                continue;
            double x = entry_of(p, i, k, true), y = twin[p->velocity[p->m.col[k]]];
            if (count++ == 0 && x != y)
                unit[h] = x / y;
            equal = fabs(x - unit[h] * y) <= TWIN_LEAST * fabs(x) && unit[h] > 0;
        }
        equal = equal && count == columns->first[h + 1] - columns->first[h];
        for (int32_t k = columns->first[h]; k < columns->first[h + 1]; k++)
            twin[columns->col[k]] = 0;
        const int32_t partner = p->kind[i] == CD_MCP_DISC && p->m.partner[i] >= 0 ? p->local[p->m.partner[i]] : h;
        equal = equal && (partner >= h || fabs(unit[h] - unit[partner]) <= TWIN_LEAST * unit[h]);
    }
    return equal;
}

// Entries that the rows have once every block they touch is full.
static int32_t count_full(const cd_mcp_problem *p, const cd_mcp_island *s, const cd_lcp_rows *columns,
                          const int32_t *block_of)
{
    int32_t count = 0;
    for (int32_t h = 0; h < s->held_count; h++) {
        int32_t before = -1;
        for (int32_t k = columns->first[h]; k < columns->first[h + 1]; k++) {
            const int32_t b = block_of[columns->col[k]];
            count += b != before ? p->blocks[s->block[b]].count : 0;
            before = b;
        }
    }
    return count;
}

// In place: each block that a row touches is there in full, and its entries stand one after the other, ascending.
static cd_lcp_rows whiten_full(const cd_mcp_problem *p, const cd_mcp_island *s, const cd_lcp_rows *columns,
                               double *const *factor, const int32_t *block_of)
{
    for (int32_t h = 0; h < s->held_count; h++) {
        const double sign = cd_mcp_sign(p, s->held[h]);
        for (int32_t k = columns->first[h]; k < columns->first[h + 1];) {
            const int32_t b = block_of[columns->col[k]], count = p->blocks[s->block[b]].count;
            for (int32_t f = 0; f < count; f++)
                columns->value[k + f] *= sign;
            if (count == 1)
                columns->value[k] /= factor[b][0];
            else
                cd_cholesky_forward(count, factor[b], columns->value + k);
            k += count;
        }
    }
    return *columns;
}

// In place, where each velocity is a block by itself.
static cd_lcp_rows whiten_singles(const cd_mcp_problem *p, const cd_mcp_island *s, const cd_lcp_rows *columns,
                                  double *const *factor)
{
    double *root = CD_ARENA_ARRAY(p->arena, double, s->velocity_count);
    for (int32_t b = 0; b < s->block_count; b++)
        root[p->blocks[s->block[b]].offset] = factor[b][0];
    for (int32_t h = 0; h < s->held_count; h++) {
        const double sign = cd_mcp_sign(p, s->held[h]);
        for (int32_t k = columns->first[h]; k < columns->first[h + 1]; k++)
            columns->value[k] = columns->value[k] * sign / root[columns->col[k]];
    }
    return *columns;
}

// N: the columns with L^-1 of each block they touch applied; every touched block is full then. Columns that are full
// already are overwritten: large islands have 50 MB of them.
static cd_lcp_rows whiten(const cd_mcp_problem *p, const cd_mcp_island *s, const cd_lcp_rows *columns,
                          double *const *factor)
{
    const int32_t n = s->held_count;
    if (s->velocity_count == s->block_count)
        return whiten_singles(p, s, columns, factor);
    int32_t *block_of = CD_ARENA_ARRAY(p->arena, int32_t, s->velocity_count);
    for (int32_t b = 0; b < s->block_count; b++) {
        const cd_mcp_block *block = &p->blocks[s->block[b]];
        for (int32_t f = 0; f < block->count; f++)
            block_of[block->offset + f] = b;
    }
    const int32_t full = count_full(p, s, columns, block_of);
    if (full == columns->first[n])
        return whiten_full(p, s, columns, factor, block_of);
    cd_lcp_rows rows = make_rows(n, full, p->arena);
    int32_t count = 0;
    for (int32_t h = 0; h < n; h++) {
        for (int32_t k = columns->first[h]; k < columns->first[h + 1];) {
            const int32_t b = block_of[columns->col[k]];
            const cd_mcp_block *block = &p->blocks[s->block[b]];
            double *x = rows.value + count;
            if (block->count == 1) {
                *x = columns->value[k] * cd_mcp_sign(p, s->held[h]) / factor[b][0];
                rows.col[count++] = columns->col[k++];
                continue;
            }
            for (int32_t f = 0; f < block->count; f++) {
                x[f] = 0;
                rows.col[count + f] = block->offset + f;
            }
            for (; k < columns->first[h + 1] && block_of[columns->col[k]] == b; k++)
                x[columns->col[k] - block->offset] = columns->value[k] * cd_mcp_sign(p, s->held[h]);
            cd_cholesky_forward(block->count, factor[b], x);
            count += block->count;
        }
        rows.first[h + 1] = count;
    }
    return rows;
}

// a with zeros where b alone has an entry.
static cd_lcp_rows with_columns_of(const cd_lcp_rows *a, const cd_lcp_rows *b, int32_t n, cd_arena *arena)
{
    cd_lcp_rows rows = make_rows(n, a->first[n] + b->first[n], arena);
    int32_t count = 0;
    for (int32_t h = 0; h < n; h++) {
        int32_t i = a->first[h], j = b->first[h];
        while (i < a->first[h + 1] || j < b->first[h + 1]) {
            const bool is_of_a = i < a->first[h + 1] && (j == b->first[h + 1] || a->col[i] <= b->col[j]);
            rows.col[count] = is_of_a ? a->col[i] : b->col[j];
            rows.value[count++] = is_of_a ? a->value[i] : 0;
            j += j < b->first[h + 1] && b->col[j] == rows.col[count - 1];
            i += is_of_a;
        }
        rows.first[h + 1] = count;
    }
    return rows;
}

static bool are_positive(const double *number, int32_t count)
{
    bool all = true;
    for (int32_t k = 0; k < count && all; k++)
        all = number[k] > 0;
    return all;
}

bool cd_mcp_island_gram(const cd_mcp_problem *p, const cd_mcp_island *s, cd_lcp_structure *out)
{
    double **factor = CD_ARENA_ARRAY(p->arena, double *, s->block_count),
           *sign = CD_ARENA_ARRAY(p->arena, double, s->velocity_count);
    double *unit = CD_ARENA_ARRAY(p->arena, double, s->held_count);
    for (int32_t b = 0; b < s->block_count; b++) {
        const cd_mcp_block *block = &p->blocks[s->block[b]];
        double block_sign;
        factor[b] = cd_mcp_block_root(p, block, &block_sign);
        if (!factor[b])
            return false;
        for (int32_t f = 0; f < block->count; f++)
            sign[block->offset + f] = block_sign;
    }
    const bool is_plain = p->m.is_symmetric && are_positive(sign, s->velocity_count);
    int32_t others = INT32_MAX;
    const cd_lcp_rows columns = is_plain ? held_rows(p, s, sign, &others) : held_columns(p, s);
    for (int32_t h = 0; h < s->held_count && is_plain; h++)
        unit[h] = 1;
    const bool is_symmetric = is_plain || rows_are_columns(p, s, &columns, sign, unit);
    *out = (cd_lcp_structure){.n = s->held_count, .m = s->velocity_count};
    if (is_symmetric) {
        out->left = out->right = whiten(p, s, &columns, factor);
    } else {
        const cd_lcp_rows rows = held_rows(p, s, sign, &others),
                          left = with_columns_of(&rows, &columns, out->n, p->arena),
                          right = with_columns_of(&columns, &rows, out->n, p->arena);
        out->left = whiten(p, s, &left, factor);
        out->right = whiten(p, s, &right, factor);
        for (int32_t h = 0; h < out->n; h++)
            unit[h] = 1;
    }
    out->direct = others > 0 ? direct_rows(p, s, true) : make_rows(out->n, 0, p->arena);
    fill_vectors(p, s, true, out);
    for (int32_t h = 0; h < out->n; h++) {
        out->q[h] /= unit[h];
        for (int32_t k = out->direct.first[h]; k < out->direct.first[h + 1]; k++)
            out->direct.value[k] /= unit[h];
    }
    cd_lcp_structure_classify(out, p->arena);
    return out->is_symmetric || out->is_skew;
}

// ---- any matrix ----------------------------------------------------------------------------------------------------

cd_lcp_structure cd_mcp_island_structure(const cd_mcp_problem *p, const cd_mcp_island *s)
{
    const int32_t n = s->held_count;
    cd_lcp_structure out = {.n = n, .m = s->velocity_count};
    out.left = make_rows(n, 0, p->arena);
    out.right = make_rows(n, 0, p->arena);
    for (int32_t h = 0; h < n; h++) {
        const int32_t i = s->held[h];
        for (int32_t k = p->m.first[i]; k < p->m.first[i + 1]; k++)
            out.left.first[h + 1] += p->kind[p->m.col[k]] == CD_MCP_FREE;
    }
    for (int32_t b = 0; b < s->block_count; b++) {
        const cd_mcp_block *block = &p->blocks[s->block[b]];
        for (int32_t c = 0; c < block->column_count; c++)
            out.right.first[block->column[c] + 1] += block->count;
    }
    sum_up(&out.left, n);
    sum_up(&out.right, n);
    out.left.col = CD_ARENA_ARRAY(p->arena, int32_t, out.left.first[n]);
    out.left.value = CD_ARENA_ARRAY(p->arena, double, out.left.first[n]);
    out.right.col = CD_ARENA_ARRAY(p->arena, int32_t, out.right.first[n]);
    out.right.value = CD_ARENA_ARRAY(p->arena, double, out.right.first[n]);
    int32_t *at = CD_ARENA_ARRAY(p->arena, int32_t, n), count = 0;
    for (int32_t h = 0; h < n; h++) {
        const int32_t i = s->held[h];
        at[h] = out.right.first[h];
        for (int32_t k = p->m.first[i]; k < p->m.first[i + 1]; k++) {
            if (p->kind[p->m.col[k]] != CD_MCP_FREE)
                continue;
            out.left.col[count] = p->velocity[p->m.col[k]];
            out.left.value[count++] = p->m.value[k] * cd_mcp_sign(p, i);
        }
    }
    for (int32_t b = 0; b < s->block_count; b++) {  // blocks in the order of their offsets, so columns ascend
        const cd_mcp_block *block = &p->blocks[s->block[b]];
        for (int32_t c = 0; c < block->column_count; c++) {
            for (int32_t f = 0; f < block->count; f++) {
                const int32_t place = at[block->column[c]]++;
                out.right.col[place] = block->offset + f;
                out.right.value[place] = -block->x[(size_t)f * (size_t)block->column_count + (size_t)c];
            }
        }
    }
    out.direct = direct_rows(p, s, false);
    fill_vectors(p, s, false, &out);
    cd_lcp_structure_classify(&out, p->arena);
    return out;
}
