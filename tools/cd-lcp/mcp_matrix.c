// SPDX-License-Identifier: MIT
#include "mcp_matrix.h"

#include "cd_assert.h"

#include <math.h>

// order[] = the positions `in` sorted by key, stable.
static void counting_sort(const int32_t *key, const int32_t *in, int32_t count, int32_t keys, int32_t *order, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    int32_t *at = CD_ARENA_ZARRAY(scratch, int32_t, (size_t)keys + 1);
    for (int32_t k = 0; k < count; k++)
        at[key[k] + 1]++;
    for (int32_t k = 0; k < keys; k++)
        at[k + 1] += at[k];
    for (int32_t k = 0; k < count; k++)
        order[at[key[in ? in[k] : k]]++] = in ? in[k] : k;
    cd_arena_rewind(scratch, mark);
}

// The sweeps of cd_lcp_equilibrate on sparse rows.
static void equilibrate(cd_mcp_matrix *m, cd_arena *scratch)
{
    enum { SWEEPS = 4 };
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *row_max = CD_ARENA_ARRAY(scratch, double, m->n), *column_max = CD_ARENA_ARRAY(scratch, double, m->n);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        memset(row_max, 0, sizeof *row_max * (size_t)m->n);
        memset(column_max, 0, sizeof *column_max * (size_t)m->n);
        for (int32_t i = 0; i < m->n; i++) {
            for (int32_t k = m->first[i]; k < m->first[i + 1]; k++) {
                double x = fabs(m->value[k]) * m->r[i] * m->c[m->col[k]];
                row_max[i] = fmax(row_max[i], x);
                column_max[m->col[k]] = fmax(column_max[m->col[k]], x);
            }
        }
        for (int32_t i = 0; i < m->n; i++) {
            m->r[i] *= cd_lcp_half_power_for(row_max[i]);
            m->c[i] *= cd_lcp_half_power_for(column_max[i]);
        }
    }
    for (int32_t i = 0; i < m->n; i++) {
        for (int32_t k = m->first[i]; k < m->first[i + 1]; k++)
            m->value[k] *= m->r[i] * m->c[m->col[k]];
    }
    cd_arena_rewind(scratch, mark);
}

cd_mcp_matrix cd_mcp_matrix_build(const cd_mcp *mcp, cd_arena *arena)
{
    const int32_t n = mcp->n, count = mcp->entry_count;
    cd_mcp_matrix m = {.n = n, .first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)n + 1), .col = CD_ARENA_ARRAY(arena, int32_t, count),
                       .value = CD_ARENA_ARRAY(arena, double, count), .r = CD_ARENA_ARRAY(arena, double, n),
                       .c = CD_ARENA_ARRAY(arena, double, n)};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    int32_t *by_col = CD_ARENA_ARRAY(arena, int32_t, count), *order = CD_ARENA_ARRAY(arena, int32_t, count);
    for (int32_t k = 0; k < count; k++)
        CD_ASSERT(mcp->row[k] >= 0 && mcp->row[k] < n && mcp->col[k] >= 0 && mcp->col[k] < n);
    counting_sort(mcp->col, NULL, count, n, by_col, arena);
    counting_sort(mcp->row, by_col, count, n, order, arena);
    int32_t stored = 0;
    for (int32_t k = 0; k < count;) {
        int32_t row = mcp->row[order[k]], col = mcp->col[order[k]];
        double sum = 0;
        for (; k < count && mcp->row[order[k]] == row && mcp->col[order[k]] == col; k++)
            sum += mcp->value[order[k]];
        if (sum == 0)
            continue;
        m.col[stored] = col;
        m.value[stored++] = sum;
        m.first[row + 1]++;
    }
    for (int32_t i = 0; i < n; i++) {
        m.first[i + 1] += m.first[i];
        m.r[i] = m.c[i] = 1;
    }
    equilibrate(&m, arena);
    cd_arena_rewind(arena, mark);
    return m;
}

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

int32_t cd_mcp_components(const cd_mcp_matrix *matrix, const bool *member, int32_t *component, cd_arena *scratch)
{
    const int32_t n = matrix->n;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    int32_t *parent = CD_ARENA_ARRAY(scratch, int32_t, n), count = 0;
    for (int32_t i = 0; i < n; i++)
        parent[i] = i;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = matrix->first[i]; member[i] && k < matrix->first[i + 1]; k++) {
            if (!member[matrix->col[k]])
                continue;
            int32_t a = root_of(parent, i), b = root_of(parent, matrix->col[k]);
            if (a < b)
                parent[b] = a;
            else
                parent[a] = b;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t root = root_of(parent, i);  // root <= i: its number is known by now
        component[i] = !member[i] ? -1 : root == i ? count++ : component[root];
    }
    cd_arena_rewind(scratch, mark);
    return count;
}
