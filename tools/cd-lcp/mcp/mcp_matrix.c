// SPDX-License-Identifier: MIT
#include "mcp_matrix.h"

#include "cd_assert.h"
#include "lcp_vector.h"

#include <math.h>

// order[] = the positions `in` sorted by key, stable.
static void counting_sort(const int32_t *key, const int32_t *in, int32_t count, int32_t keys, int32_t *order,
                          cd_arena *scratch)
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

// True: there is nothing to scale. (The power is 1 from 1/2 up to 2.)
static inline bool scale(double largest, double *factor)
{
    if (largest >= 0.5 && largest < 2)
        return true;
    const double power = cd_lcp_half_power_for(largest);
    *factor *= power;
    return power == 1;
}

// The sweeps of cd_lcp_equilibrate on sparse rows: over the entries that join two of `seen`, for the scales of `moves`
// (NULL: all). Values are raw.
static void equilibrate(const cd_mcp_matrix *m, const bool *seen, const bool *moves, double *r, double *c,
                        cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *row_max = CD_ARENA_ARRAY(scratch, double, m->n), *column_max = CD_ARENA_ARRAY(scratch, double, m->n);
    for (int sweep = 0; sweep < CD_LCP_SWEEPS; sweep++) {
        memset(column_max, 0, sizeof *column_max * (size_t)m->n);
        for (int32_t i = 0; i < m->n; i++) {
            const double own = r[i];
            const int32_t end = seen && !seen[i] ? m->first[i] : m->first[i + 1];
            double largest = 0;
            for (int32_t k = m->first[i]; k < end; k++) {
                const int32_t j = m->col[k];
                if (seen && !seen[j])
                    continue;
                double x = fabs(m->value[k]) * own * c[j];
                largest = cd_larger(largest, x);
                column_max[j] = cd_larger(column_max[j], x);
            }
            row_max[i] = largest;
        }
        bool is_settled = true;
        for (int32_t i = 0; i < m->n; i++) {
            if (moves && !moves[i])
                continue;
            const bool is_row_settled = scale(row_max[i], &r[i]);
            is_settled = scale(column_max[i], &c[i]) && is_row_settled && is_settled;
        }
        if (is_settled)
            break;
    }
    cd_arena_rewind(scratch, mark);
}

static void share_scales(const cd_mcp_matrix *m, double *r, double *c)
{
    for (int32_t i = 0; i < m->n && m->partner; i++) {
        const int32_t j = m->partner[i];
        if (j > i) {
            r[i] = r[j] = cd_larger(r[i], r[j]);
            c[i] = c[j] = cd_larger(c[i], c[j]);
        }
    }
}

static void note(const cd_mcp_matrix *m, int32_t i, int turn, double size, bool is_row)
{
    if (!m->spread || !m->spread->row_turn)
        return;
    int8_t *at = is_row ? m->spread->row_turn : m->spread->col_turn;
    double *most = is_row ? m->spread->row_most : m->spread->col_most;
    at[i] = (int8_t)turn;
    most[i] = cd_larger(most[i], size);
}

// Rows without a scale that meet columns with one get a common scale, which brings the largest of those entries into
// [1/2, 1); columns likewise. Common, for a row of its own may hold rounding noise alone: the difference of two
// parallel normals beside a slack. False when nothing was found.
static bool spread_scales(const cd_mcp_matrix *m, int turn, bool *row_known, bool *col_known, double *r, double *c,
                          cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    bool *row_met = CD_ARENA_ZARRAY(scratch, bool, m->n), *col_met = CD_ARENA_ZARRAY(scratch, bool, m->n);
    double row_max = m->spread ? m->spread->joint.row[turn] : 0, col_max = m->spread ? m->spread->joint.col[turn] : 0;
    for (int32_t i = 0; i < m->n; i++) {
        for (int32_t k = m->first[i]; k < m->first[i + 1]; k++) {
            const int32_t j = m->col[k];
            if (!row_known[i] && col_known[j]) {
                row_met[i] = true;
                row_max = cd_larger(row_max, fabs(m->value[k]) * c[j]);
                note(m, i, turn, fabs(m->value[k]) * c[j], true);
            } else if (row_known[i] && !col_known[j]) {
                col_met[j] = true;
                col_max = cd_larger(col_max, fabs(m->value[k]) * r[i]);
                note(m, j, turn, fabs(m->value[k]) * r[i], false);
            }
        }
    }
    for (int32_t i = 0; i < m->n; i++) {
        if (row_met[i]) {
            r[i] = cd_lcp_power_for(row_max);
            row_known[i] = true;
        }
        if (col_met[i]) {
            c[i] = cd_lcp_power_for(col_max);
            col_known[i] = true;
        }
    }
    if (m->spread) {
        m->spread->joint.row[turn] = row_max;
        m->spread->joint.col[turn] = col_max;
    }
    cd_arena_rewind(scratch, mark);
    return row_max > 0 || col_max > 0;
}

void cd_mcp_norm_scales(const cd_mcp_matrix *m, const bool *free, double *r, double *c, cd_arena *scratch)
{
    // A turn for each step away from the free rows; gap rows and impulses lie at 1, the slacks of a disjunction at 2.
    const int32_t n = m->n;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    bool *held = CD_ARENA_ARRAY(scratch, bool, n), *row_known = CD_ARENA_ARRAY(scratch, bool, n);
    bool *col_known = CD_ARENA_ARRAY(scratch, bool, n);
    for (int32_t i = 0; i < n; i++) {
        row_known[i] = col_known[i] = free[i];
        held[i] = !free[i];
        r[i] = c[i] = 1;
    }
    equilibrate(m, free, free, r, c, scratch);
    for (int k = 0; k < CD_MCP_SPREADS && spread_scales(m, k, row_known, col_known, r, c, scratch); k++) {
    }
    equilibrate(m, NULL, held, r, c, scratch);
    share_scales(m, r, c);
    cd_arena_rewind(scratch, mark);
}

static void list_discs(const cd_mcp *mcp, cd_mcp_matrix *m, cd_arena *arena)
{
    if (!mcp->normal_row)
        return;
    m->normal = CD_ARENA_ARRAY(arena, int32_t, m->n);
    m->partner = CD_ARENA_ARRAY(arena, int32_t, m->n);
    for (int32_t i = 0; i < m->n; i++) {
        m->normal[i] = mcp->normal_row[i];
        m->partner[i] = -1;
        if (cd_mcp_is_second_tangent(mcp, i)) {
            m->partner[i] = i - 1;
            m->partner[i - 1] = i;
        }
    }
}

// Whether the entries come row by row with ascending columns, as cd-peg-assemble writes them.
static bool is_in_order(const cd_mcp *mcp)
{
    for (int32_t k = 1; k < mcp->entry_count; k++) {
        const int32_t before = mcp->row[k - 1], row = mcp->row[k];
        if (row < before || (row == before && mcp->col[k] < mcp->col[k - 1]))
            return false;
    }
    return true;
}

// Each place once, and no zeros: the columns can stay where they are.
static bool is_as_kept(const cd_mcp *mcp)
{
    bool is_kept = true;
    for (int32_t k = 0; k < mcp->entry_count && is_kept; k++) {
        const bool is_next = k == 0 || mcp->row[k] > mcp->row[k - 1] ||
                             (mcp->row[k] == mcp->row[k - 1] && mcp->col[k] > mcp->col[k - 1]);
        is_kept = is_next && mcp->value[k] != 0;
    }
    return is_kept;
}

// The entries in that order, those of one place in that of the problem.
static int32_t *sort_entries(const cd_mcp *mcp, cd_arena *arena)
{
    const int32_t count = mcp->entry_count;
    int32_t *by_col = CD_ARENA_ARRAY(arena, int32_t, count), *order = CD_ARENA_ARRAY(arena, int32_t, count);
    counting_sort(mcp->col, NULL, count, mcp->n, by_col, arena);
    counting_sort(mcp->row, by_col, count, mcp->n, order, arena);
    return order;
}

// Entries of one place are added up, and what is zero is left out.
static void gather(const cd_mcp *mcp, cd_mcp_matrix *m, cd_arena *arena)
{
    const int32_t count = mcp->entry_count;
    int32_t *col = CD_ARENA_ARRAY(arena, int32_t, count), stored = 0;
    m->col = col;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    const int32_t *order = is_in_order(mcp) ? NULL : sort_entries(mcp, arena);
    for (int32_t k = 0; k < count;) {
        const int32_t row = mcp->row[order ? order[k] : k], place = mcp->col[order ? order[k] : k];
        double sum = 0;
        for (; k < count; k++) {
            const int32_t e = order ? order[k] : k;
            if (mcp->row[e] != row || mcp->col[e] != place)
                break;
            sum += mcp->value[e];
        }
        if (sum == 0)
            continue;
        col[stored] = place;
        m->value[stored++] = sum;
        m->first[row + 1]++;
    }
    cd_arena_rewind(arena, mark);
}

cd_mcp_matrix cd_mcp_matrix_build(const cd_mcp *mcp, cd_arena *arena)
{
    const int32_t n = mcp->n, count = mcp->entry_count;
    cd_mcp_matrix m = {.n = n,
                       .first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)n + 1),
                       .col = mcp->col,
                       .value = CD_ARENA_ARRAY(arena, double, count),
                       .r = CD_ARENA_ARRAY(arena, double, n),
                       .c = CD_ARENA_ARRAY(arena, double, n)};
    for (int32_t k = 0; k < count; k++)
        CD_ASSERT(mcp->row[k] >= 0 && mcp->row[k] < n && mcp->col[k] >= 0 && mcp->col[k] < n);
    if (is_as_kept(mcp)) {
        for (int32_t k = 0; k < count; k++) {
            m.first[mcp->row[k] + 1]++;
            m.value[k] = mcp->value[k];
        }
    } else {
        gather(mcp, &m, arena);
    }
    for (int32_t i = 0; i < n; i++) {
        m.first[i + 1] += m.first[i];
        m.r[i] = m.c[i] = 1;
    }
    list_discs(mcp, &m, arena);
    return m;
}

void cd_mcp_matrix_equilibrate(cd_mcp_matrix *m, cd_arena *scratch)
{
    equilibrate(m, NULL, NULL, m->r, m->c, scratch);
    share_scales(m, m->r, m->c);
    for (int32_t i = 0; i < m->n; i++) {
        for (int32_t k = m->first[i]; k < m->first[i + 1]; k++)
            m->value[k] *= m->r[i] * m->c[m->col[k]];
    }
}

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join(int32_t *parent, int32_t i, int32_t j)
{
    int32_t a = root_of(parent, i), b = root_of(parent, j);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
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
            if (member[matrix->col[k]])
                join(parent, i, matrix->col[k]);
        }
        if (member[i] && matrix->normal && matrix->normal[i] >= 0 && member[matrix->normal[i]])
            join(parent, i, matrix->normal[i]);
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t root = root_of(parent, i);  // root <= i: its number is known by now
        component[i] = !member[i] ? -1 : root == i ? count++ : component[root];
    }
    cd_arena_rewind(scratch, mark);
    return count;
}
