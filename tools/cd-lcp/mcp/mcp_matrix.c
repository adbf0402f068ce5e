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

// The sweeps of cd_lcp_equilibrate on sparse rows, for the scales of `moves` (NULL: all). Values are raw.
static void equilibrate(const cd_mcp_matrix *m, const bool *moves, double *r, double *c, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *row_max = CD_ARENA_ARRAY(scratch, double, m->n), *column_max = CD_ARENA_ARRAY(scratch, double, m->n);
    for (int sweep = 0; sweep < CD_LCP_SWEEPS; sweep++) {
        memset(column_max, 0, sizeof *column_max * (size_t)m->n);
        for (int32_t i = 0; i < m->n; i++) {
            const double own = r[i];
            double largest = 0;
            for (int32_t k = m->first[i]; k < m->first[i + 1]; k++) {
                const int32_t j = m->col[k];
                const double x = fabs(m->value[k]) * own * c[j];
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

// Behind the last of them: where velocities come first, what rows have of them ends there.
static int32_t end_of(const bool *seen, int32_t n)
{
    while (n > 0 && !seen[n - 1])
        n--;
    return n;
}

// The entries that join two of `seen`, as a matrix of these rows alone, row[0..count).
static cd_mcp_matrix part_of(const cd_mcp_matrix *m, const bool *seen, int32_t *row, cd_arena *scratch)
{
    int32_t *place = CD_ARENA_ARRAY(scratch, int32_t, m->n), most = end_of(seen, m->n), rows = 0, count = 0;
    for (int32_t i = 0; i < most; i++) {
        place[i] = rows;
        row[rows] = i;
        rows += seen[i];
    }
    for (int32_t r = 0; r < rows; r++)
        count += m->first[row[r] + 1] - m->first[row[r]];
    int32_t *col = CD_ARENA_ARRAY(scratch, int32_t, count);
    double *value = CD_ARENA_ARRAY(scratch, double, count);
    cd_mcp_matrix part = {
        .n = rows, .first = CD_ARENA_ARRAY(scratch, int32_t, (size_t)rows + 1), .col = col, .value = value};
    count = 0;
    for (int32_t r = 0; r < rows; r++) {
        const int32_t end = m->first[row[r] + 1];
        part.first[r] = count;
        for (int32_t k = m->first[row[r]]; k < end && m->col[k] < most; k++) {
            if (!seen[m->col[k]])
                continue;
            col[count] = place[m->col[k]];
            value[count++] = m->value[k];
        }
    }
    part.first[rows] = count;
    return part;
}

// The sweeps of `equilibrate` on the part of `seen`, from 1 on.
static void equilibrate_part(const cd_mcp_matrix *m, const bool *seen, double *r, double *c, cd_arena *scratch)
{
    int32_t *row = CD_ARENA_ARRAY(scratch, int32_t, (size_t)m->n + 1);
    const cd_mcp_matrix part = part_of(m, seen, row, scratch);
    double *of_rows = CD_ARENA_ARRAY(scratch, double, part.n), *of_columns = CD_ARENA_ARRAY(scratch, double, part.n);
    for (int32_t k = 0; k < part.n; k++)
        of_rows[k] = of_columns[k] = 1;
    equilibrate(&part, NULL, of_rows, of_columns, scratch);
    for (int32_t k = 0; k < part.n; k++) {
        r[row[k]] = of_rows[k];
        c[row[k]] = of_columns[k];
    }
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

static void note(cd_mcp_spread *spread, int32_t i, int turn, double size, bool is_row)
{
    int8_t *at = is_row ? spread->row_turn : spread->col_turn;
    double *most = is_row ? spread->row_most : spread->col_most;
    at[i] = (int8_t)turn;
    most[i] = cd_larger(most[i], size);
}

// Whether each row and each column has its scale: no entry is left that spread_scales would look for.
static bool are_known(const bool *row_known, const bool *col_known, int32_t n)
{
    bool all = true;
    for (int32_t i = 0; i < n && all; i++)
        all = row_known[i] && col_known[i];
    return all;
}

// Rows without a scale that meet columns with one get a common scale, which brings the largest of those entries into
// [1/2, 1); columns likewise. Common, for a row of its own may hold rounding noise alone: the difference of two
// parallel normals beside a slack. False when nothing was found.
static bool spread_scales(const cd_mcp_matrix *m, int turn, bool *row_known, bool *col_known, double *r, double *c,
                          cd_arena *scratch)
{
    double row_max = m->spread ? m->spread->joint.row[turn] : 0, col_max = m->spread ? m->spread->joint.col[turn] : 0;
    if (are_known(row_known, col_known, m->n))
        return row_max > 0 || col_max > 0;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    bool *row_met = CD_ARENA_ZARRAY(scratch, bool, m->n), *col_met = CD_ARENA_ZARRAY(scratch, bool, m->n);
    const bool is_noted = m->spread && m->spread->row_turn;
    for (int32_t i = 0; i < m->n; i++) {
        const bool is_known = row_known[i];
        const int32_t end = m->first[i + 1];
        const double own = r[i];
        for (int32_t k = m->first[i]; k < end; k++) {
            const int32_t j = m->col[k];
            if (is_known == col_known[j])
                continue;
            const double size = fabs(m->value[k]) * (is_known ? own : c[j]);
            if (is_known) {
                col_met[j] = true;
                col_max = cd_larger(col_max, size);
            } else {
                row_met[i] = true;
                row_max = cd_larger(row_max, size);
            }
            if (is_noted)
                note(m->spread, is_known ? j : i, turn, size, !is_known);
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

// r, c: of the free rows and columns the scales of the norm, 1 elsewhere.
static void equilibrate_free(const cd_mcp_matrix *m, const bool *free, double *r, double *c, cd_arena *scratch)
{
    for (int32_t i = 0; i < m->n; i++)
        r[i] = c[i] = 1;
    equilibrate_part(m, free, r, c, scratch);
}

// r, c: the scales of the norm but for the sweeps on all that is not free.
static void spread_norm(const cd_mcp_matrix *m, const bool *free, double *r, double *c, cd_arena *scratch)
{
    // A turn for each step away from the free rows; gap rows and impulses lie at 1, the slacks of a disjunction at 2.
    const int32_t n = m->n;
    bool *row_known = CD_ARENA_ARRAY(scratch, bool, n), *col_known = CD_ARENA_ARRAY(scratch, bool, n);
    for (int32_t i = 0; i < n; i++)
        row_known[i] = col_known[i] = free[i];
    equilibrate_free(m, free, r, c, scratch);
    for (int k = 0; k < CD_MCP_SPREADS && spread_scales(m, k, row_known, col_known, r, c, scratch); k++) {
    }
}

// Both runs of `equilibrate` at once, of a symmetric matrix and scales r = c: row i is column i. A run that has settled
// stays as it is.
static void equilibrate_symmetric(const cd_mcp_matrix *m, const bool *moves, double *norm, double *own,
                                  cd_arena *scratch)
{
    double *norm_max = CD_ARENA_ARRAY(scratch, double, m->n), *own_max = CD_ARENA_ARRAY(scratch, double, m->n);
    bool is_settled = false;
    for (int sweep = 0; sweep < CD_LCP_SWEEPS && !is_settled; sweep++) {
        for (int32_t i = 0; i < m->n; i++) {
            double of_norm = 0, of_own = 0;
            for (int32_t k = m->first[i]; k < m->first[i + 1]; k++) {
                const int32_t j = m->col[k];
                const double size = fabs(m->value[k]);
                of_norm = cd_larger(of_norm, size * norm[j]);
                of_own = cd_larger(of_own, size * own[j]);
            }
            norm_max[i] = of_norm * norm[i];
            own_max[i] = of_own * own[i];
        }
        is_settled = true;
        for (int32_t i = 0; i < m->n; i++) {
            is_settled = (!moves[i] || scale(norm_max[i], &norm[i])) && is_settled;
            is_settled = scale(own_max[i], &own[i]) && is_settled;
        }
    }
}

static bool *all_but(const bool *free, int32_t n, cd_arena *scratch)
{
    bool *held = CD_ARENA_ARRAY(scratch, bool, n);
    for (int32_t i = 0; i < n; i++)
        held[i] = !free[i];
    return held;
}

void cd_mcp_norm_scales(const cd_mcp_matrix *m, const bool *free, double *r, double *c, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    spread_norm(m, free, r, c, scratch);
    equilibrate(m, all_but(free, m->n, scratch), r, c, scratch);
    share_scales(m, r, c);
    cd_arena_rewind(scratch, mark);
}

void cd_mcp_matrix_scale(cd_mcp_matrix *m, const bool *free, double *r, double *c, cd_arena *scratch)
{
    const size_t bytes = sizeof *r * (size_t)m->n;
    double *value = CD_ARENA_ARRAY(scratch, double, m->first[m->n]);
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    const bool *held = all_but(free, m->n, scratch);
    spread_norm(m, free, r, c, scratch);
    if (m->is_symmetric && memcmp(r, c, bytes) == 0) {
        equilibrate_symmetric(m, held, r, m->r, scratch);
        memcpy(c, r, bytes);
        memcpy(m->c, m->r, bytes);
    } else {
        equilibrate(m, held, r, c, scratch);
        equilibrate(m, NULL, m->r, m->c, scratch);
    }
    share_scales(m, r, c);
    share_scales(m, m->r, m->c);
    for (int32_t i = 0; i < m->n; i++) {
        const int32_t end = m->first[i + 1];
        const double own = m->r[i];
        for (int32_t k = m->first[i]; k < end; k++)
            value[k] = m->value[k] * (own * m->c[m->col[k]]);
    }
    m->value = value;
    cd_arena_rewind(scratch, mark);
}

// equilibrate_free. Most freedoms of bodies are coupled with no other: those rows and columns have their scales from
// their one entry, without sweeps over all.
static void equilibrate_bodies(const cd_mcp_matrix *m, const bool *free, double *r, double *c, cd_arena *scratch)
{
    bool *is_coupled = CD_ARENA_ZARRAY(scratch, bool, m->n), is_any = false;
    const int32_t most = end_of(free, m->n);
    for (int32_t i = 0; i < m->n; i++) {
        const int32_t end = free[i] ? m->first[i + 1] : m->first[i];
        double own = 0, power = 1;
        for (int32_t k = m->first[i]; k < end && m->col[k] < most; k++) {
            const int32_t j = m->col[k];
            if (j == i)
                own = fabs(m->value[k]);
            else if (free[j])
                is_any = is_coupled[i] = is_coupled[j] = true;
        }
        for (int sweep = 0; sweep < CD_LCP_SWEEPS && !scale(own * power * power, &power); sweep++) {
        }
        r[i] = c[i] = power;
    }
    if (is_any)
        equilibrate_part(m, is_coupled, r, c, scratch);
}

// Of each row and column that is not free: the largest entry in the scales of the free ones. False: two of them have an
// entry.
static bool largest_of_held(const cd_mcp_matrix *m, const bool *free, const double *r, const double *c, double *row,
                            double *col)
{
    const int32_t *first = m->first, *at = m->col;
    const double *value = m->value;
    const int32_t most = end_of(free, m->n);
    bool is_any = false, are_first = true;  // the free ones
    for (int32_t i = 0; i < most; i++)
        are_first = are_first && free[i];
    if (!m->is_symmetric)
        memset(col, 0, sizeof *col * (size_t)m->n);
    for (int32_t i = 0; i < m->n; i++) {
        const int32_t end = first[i + 1];
        double largest = 0;
        for (int32_t k = free[i] ? end : first[i]; k < end; k++)
            largest = cd_larger(largest, fabs(value[k]) * c[at[k]]);
        is_any |= !free[i] && first[i] < end && at[end - 1] >= most;
        for (int32_t k = free[i] || are_first ? end : first[i]; k < end; k++)
            is_any |= !free[at[k]];
        row[i] = largest;
        for (int32_t k = free[i] && !m->is_symmetric ? first[i] : end; k < end; k++)
            col[at[k]] = cd_larger(col[at[k]], free[at[k]] ? 0 : fabs(value[k]) * r[i]);
    }
    if (m->is_symmetric)
        memcpy(col, row, sizeof *col * (size_t)m->n);
    return !is_any;
}

// The scales of rows, or of columns, that are not free, from their largest entries: first a common one, then each its
// own. joint: the largest of all, and of those that the matrix stands beside.
static void scale_held(const double *most, int32_t n, double *joint, int8_t *turn, double *own, double *scales)
{
    for (int32_t i = 0; i < n; i++)
        *joint = cd_larger(*joint, most[i]);
    const double common = cd_lcp_power_for(*joint);
    for (int32_t i = 0; i < n; i++) {
        if (!(most[i] > 0))
            continue;
        if (turn) {
            turn[i] = 0;
            own[i] = most[i];
        }
        scales[i] = common;
        for (int sweep = 0; sweep < CD_LCP_SWEEPS && !scale(most[i] * scales[i], &scales[i]); sweep++) {
        }
    }
}

bool cd_mcp_matrix_scale_contacts(const cd_mcp_matrix *m, const bool *free, double *r, double *c, cd_arena *scratch)
{
    if (m->normal)
        return false;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *row = CD_ARENA_ARRAY(scratch, double, m->n), *col = CD_ARENA_ARRAY(scratch, double, m->n);
    cd_mcp_spread alone = {.row_turn = NULL}, *spread = m->spread ? m->spread : &alone;
    equilibrate_bodies(m, free, r, c, scratch);
    const bool is_contacts = largest_of_held(m, free, r, c, row, col);
    if (is_contacts) {
        scale_held(row, m->n, &spread->joint.row[0], spread->row_turn, spread->row_most, r);
        scale_held(col, m->n, &spread->joint.col[0], spread->col_turn, spread->col_most, c);
    }
    cd_arena_rewind(scratch, mark);
    return is_contacts;
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

enum { STRIDE = 4 };  // the entries of a row are looked for by so many

// In that order, each place once, and no zeros: the columns can stay where they are. False: not so.
static bool take_as_kept(const cd_mcp *mcp, cd_mcp_matrix *m)
{
    const int32_t n = m->n, count = mcp->entry_count, *row = mcp->row, *col = mcp->col;
    int32_t *first = m->first;
    bool is_finite;
    if (count > 0 && (row[0] < 0 || row[count - 1] >= n || !cd_vector_ascends(row, col, count)))
        return false;
    if (cd_vector_filled(mcp->value, (size_t)count, &is_finite) < (size_t)count)
        return false;
    int32_t k = 0, last = 0;  // entries of the row before: often that many again
    for (int32_t i = 0; i < n; i++) {
        first[i] = k;
        if (last > 0 && k + last < count && row[k + last - 1] == i)
            k += last;
        while (k + STRIDE < count && row[k + STRIDE] == i)
            k += STRIDE;
        while (k < count && row[k] == i)
            k++;
        last = k - first[i];
        if (last == 0)
            continue;
        if (col[first[i]] < 0)
            return false;
        CD_ASSERT(col[k - 1] < n);
    }
    first[n] = k;
    m->value = m->raw = mcp->value;
    return true;
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
    double *value = CD_ARENA_ARRAY(arena, double, count);
    m->col = col;
    m->value = value;
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
        value[stored++] = sum;
        m->first[row + 1]++;
    }
    cd_arena_rewind(arena, mark);
}

// The bits of a number that is not 0.
typedef uint64_t word __attribute__((may_alias));

// Whether M_ij = M_ji for all i and j. at[j] is the first entry right of the diagonal of row j that has not met its
// twin: row by row the twins come in the order of these. A row of which none is left lends one of the rows behind it,
// which is there, for row i has an entry itself; its own at[j] tells in the end.
static bool meet_twins(const cd_mcp_matrix *m, int32_t *restrict at)
{
    const int32_t *restrict first = m->first, *restrict col = m->col;
    const word *restrict value = (const word *)m->value;
    for (int32_t i = 0; i < m->n; i++) {
        const int32_t end = first[i + 1];
        int32_t k = first[i], j;
        uint64_t wrong = 0;
        for (; k < end && (j = col[k]) < i; k++) {
            const int32_t twin = at[j]++;
            wrong |= (uint32_t)(col[twin] ^ i) | (value[twin] ^ value[k]);
        }
        if (wrong != 0)
            return false;
        at[i] = k < end && col[k] == i ? k + 1 : k;
    }
    for (int32_t i = 0; i < m->n; i++) {
        if (at[i] != first[i + 1])
            return false;
    }
    return true;
}

static bool is_symmetric(const cd_mcp_matrix *m, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    const bool is_same = meet_twins(m, CD_ARENA_ARRAY(scratch, int32_t, m->n));
    cd_arena_rewind(scratch, mark);
    return is_same;
}

cd_mcp_matrix cd_mcp_matrix_build(const cd_mcp *mcp, cd_arena *arena)
{
    const int32_t n = mcp->n, count = mcp->entry_count;
    cd_mcp_matrix m = {.n = n,
                       .first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)n + 1),
                       .col = mcp->col,
                       .r = CD_ARENA_ARRAY(arena, double, n),
                       .c = CD_ARENA_ARRAY(arena, double, n)};
    if (!take_as_kept(mcp, &m)) {
        memset(m.first, 0, sizeof *m.first * ((size_t)n + 1));
        for (int32_t k = 0; k < count; k++)
            CD_ASSERT(mcp->row[k] >= 0 && mcp->row[k] < n && mcp->col[k] >= 0 && mcp->col[k] < n);
        gather(mcp, &m, arena);
        for (int32_t i = 0; i < n; i++)
            m.first[i + 1] += m.first[i];
    }
    for (int32_t i = 0; i < n; i++)
        m.r[i] = m.c[i] = 1;
    m.is_symmetric = is_symmetric(&m, arena);
    list_discs(mcp, &m, arena);
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

// Joins i, whose root is `own`, with j; the root of both.
static inline int32_t join(int32_t *parent, int32_t own, int32_t j)
{
    const int32_t other = root_of(parent, j), least = own < other ? own : other;
    return parent[own] = parent[other] = parent[j] = least;
}

int32_t cd_mcp_components(const cd_mcp_matrix *matrix, const bool *member, int32_t *component, cd_arena *scratch)
{
    const int32_t n = matrix->n, *const col = matrix->col;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    int32_t *parent = CD_ARENA_ARRAY(scratch, int32_t, n), count = 0;
    const int32_t last = end_of(member, n);
    for (int32_t i = 0; i < n; i++)
        parent[i] = i;
    for (int32_t i = 0; i < last; i++) {
        if (!member[i])
            continue;
        int32_t own = root_of(parent, i);
        // Of a symmetric matrix the entries up to the diagonal are enough.
        const int32_t end = matrix->first[i + 1], most = matrix->is_symmetric ? i : last;
        for (int32_t k = matrix->first[i]; k < end; k++) {
            const int32_t j = col[k];
            if (parent[j] == own)  // of most entries
                continue;
            if (j >= most)
                break;
            if (member[j])
                own = join(parent, own, j);
        }
        if (matrix->normal && matrix->normal[i] >= 0 && member[matrix->normal[i]])
            join(parent, own, matrix->normal[i]);
    }
    for (int32_t i = last; i < n; i++)
        component[i] = -1;
    for (int32_t i = 0; i < last; i++) {
        int32_t root = root_of(parent, i);  // root <= i: its number is known by now
        component[i] = !member[i] ? -1 : root == i ? count++ : component[root];
    }
    cd_arena_rewind(scratch, mark);
    return count;
}
