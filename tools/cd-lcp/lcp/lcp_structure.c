// SPDX-License-Identifier: MIT
#include "lcp_structure.h"

#include "lcp_vector.h"

#include <float.h>
#include <math.h>

// Two entries that should be equal may differ by the rounding of whoever computed the matrix.
#define ASYMMETRY_MOST 1e-12

static double entry(const cd_lcp_rows *rows, int32_t i, int32_t j)
{
    if (rows->first[i] == rows->first[i + 1])
        return 0;
    int32_t low = rows->first[i], high = rows->first[i + 1];
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (rows->col[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rows->first[i + 1] && rows->col[low] == j ? rows->value[low] : 0;
}

static double product(const cd_lcp_structure *s, int32_t i, int32_t j)
{
    double sum = 0;
    int32_t a = s->left.first[i], b = s->right.first[j];
    while (a < s->left.first[i + 1] && b < s->right.first[j + 1]) {
        int32_t difference = s->left.col[a] - s->right.col[b];
        if (difference == 0)
            sum += s->left.value[a] * s->right.value[b];
        a += difference <= 0;
        b += difference >= 0;
    }
    return sum;
}

// product(s, i, i) where left = right.
static double square(const cd_lcp_structure *s, int32_t i)
{
    double sum = 0;
    for (int32_t k = s->left.first[i]; k < s->left.first[i + 1]; k++)
        sum += s->left.value[k] * s->left.value[k];
    return sum;
}

// Whether direct is symmetric up to rounding. Row i is compared with what column i holds: the entries (j, i) of the
// rows j > i come in ascending i, so one place in each row moves on.
static bool is_direct_symmetric(const cd_lcp_structure *s, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    int32_t *at = CD_ARENA_ARRAY(scratch, int32_t, s->n);
    int64_t lower = 0, matched = 0;  // entries below the diagonal that are not 0; those that met their twin
    bool is_symmetric = true;
    memcpy(at, s->direct.first, sizeof *at * (size_t)s->n);
    for (int32_t i = 0; i < s->n && is_symmetric; i++) {
        for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1]; k++) {
            const int32_t j = s->direct.col[k];
            const double value = s->direct.value[k];
            lower += j < i && value != 0;
            if (j <= i)
                continue;
            while (at[j] < s->direct.first[j + 1] && s->direct.col[at[j]] < i)
                at[j]++;
            const double twin =
                at[j] < s->direct.first[j + 1] && s->direct.col[at[j]] == i ? s->direct.value[at[j]] : 0;
            matched += twin != 0;
            const double difference = fabs(twin - value);
            if (difference > ASYMMETRY_MOST * fabs(value) &&
                difference > ASYMMETRY_MOST * sqrt(fabs(s->diagonal[i] * s->diagonal[j])))
                is_symmetric = false;
        }
    }
    cd_arena_rewind(scratch, mark);
    return is_symmetric && lower == matched;
}

static bool has_same_columns(const cd_lcp_structure *s)
{
    const size_t rows = (size_t)s->n + 1, entries = (size_t)s->left.first[s->n];
    return memcmp(s->left.first, s->right.first, sizeof *s->left.first * rows) == 0 &&
           memcmp(s->left.col, s->right.col, sizeof *s->left.col * entries) == 0;
}

void cd_lcp_structure_classify_same(cd_lcp_structure *s, cd_arena *arena)
{
    const cd_lcp_rows *rows = &s->direct;
    bool is_diagonal = true;
    s->diagonal = CD_ARENA_ARRAY(arena, double, s->n);
    for (int32_t i = 0; i < s->n; i++) {
        s->diagonal[i] = s->is_full ? rows->value[rows->first[i] + i] : entry(rows, i, i);
        for (int32_t k = rows->first[i]; k < rows->first[i + 1] && is_diagonal; k++)
            is_diagonal = rows->col[k] == i && rows->value[k] >= 0;
    }
    s->is_symmetric = true;
    s->is_semidefinite = is_diagonal;
}

void cd_lcp_structure_classify(cd_lcp_structure *s, cd_arena *arena)
{
    s->diagonal = CD_ARENA_ARRAY(arena, double, s->n);
    s->is_symmetric = s->m == 0 || s->left.value == s->right.value;
    const bool is_gram = s->left.value == s->right.value;
    bool is_diagonal = true;
    for (int32_t i = 0; i < s->n; i++) {
        s->diagonal[i] = (is_gram ? square(s, i) : product(s, i, i)) + entry(&s->direct, i, i);
        for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1] && is_diagonal; k++)
            is_diagonal = s->direct.col[k] == i && s->direct.value[k] >= 0;
    }
    s->is_symmetric = s->is_symmetric && (is_diagonal || is_direct_symmetric(s, arena));
    s->is_semidefinite = s->is_symmetric && is_diagonal;
    s->is_skew =
        !s->is_symmetric && s->m > 0 && s->direct.first[s->n] == 0 && !s->normal && !s->room && has_same_columns(s);
}

// The places of a full row.
static void all_columns(int32_t n, const cd_lcp_rows *out, int32_t i)
{
    int32_t *col = out->col + (size_t)i * (size_t)n;
    if (i > 0)
        memcpy(col, out->col, sizeof *col * (size_t)n);
    for (int32_t j = 0; j < n && i == 0; j++)
        col[j] = j;
}

enum { GROUP = 4, GROUPS = 2 };

// Of either sign.
static inline bool is_zero_group(const double *a)
{
    uint64_t bits[GROUP];
    memcpy(bits, a, sizeof bits);
    return (bits[0] | bits[1] | bits[2] | bits[3]) << 1 == 0;
}

// The same without zeros; may write one entry beyond. No jump at a single zero, they are anywhere; the contacts of one
// pair of bodies make several in a row.
static int32_t filled_entries(const double *row, int32_t n, const cd_lcp_rows *out, int32_t count)
{
    int32_t *col = out->col + count;
    double *value = out->value + count;
    ptrdiff_t at = 0;
    for (int32_t start = 0; start < n; start += GROUP) {
        while (start + GROUPS * GROUP <= n && is_zero_group(row + start) && is_zero_group(row + start + GROUP))
            start += GROUPS * GROUP;
        const int32_t end = start + GROUP < n ? start + GROUP : n;
        if (end - start == GROUP && is_zero_group(row + start))
            continue;
        for (int32_t j = start; j < end; j++) {
            col[at] = j;
            value[at] = row[j];
            at += row[j] != 0;
        }
    }
    return count + (int32_t)at;
}

// Of few rows, zeros among a quarter of entries cost vector loops less than what leaves them out.
enum { FEW_ROWS = 64 };

cd_lcp_structure cd_lcp_structure_entries(const cd_lcp *lcp, size_t filled, cd_arena *arena)
{
    const int32_t n = lcp->n;
    const size_t size = (size_t)n * (size_t)n;
    cd_lcp_structure s = {.n = n, .is_full = (n <= FEW_ROWS ? 8 : 2) * filled > size};
    const size_t room = s.is_full ? size : filled + 1;  // one is written and not counted
    s.direct = (cd_lcp_rows){CD_ARENA_ARRAY(arena, int32_t, (size_t)n + 1), CD_ARENA_ARRAY(arena, int32_t, room),
                             CD_ARENA_ARRAY(arena, double, room)};
    s.left.first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)n + 1);
    s.left.col = CD_ARENA_ARRAY(arena, int32_t, 0);
    s.left.value = CD_ARENA_ARRAY(arena, double, 0);
    s.right = s.left;
    s.q = CD_ARENA_ARRAY(arena, double, n);
    memcpy(s.q, lcp->q, sizeof *s.q * (size_t)n);
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        s.direct.first[i] = count;
        if (s.is_full)
            all_columns(n, &s.direct, i);
        count = s.is_full ? count + n : filled_entries(lcp->M + (size_t)i * (size_t)n, n, &s.direct, count);
    }
    s.direct.first[n] = count;
    return s;
}

cd_lcp_structure cd_lcp_structure_of_dense(const cd_lcp *lcp, cd_arena *arena)
{
    bool is_finite;
    const size_t filled = cd_vector_filled(lcp->M, (size_t)lcp->n * (size_t)lcp->n, &is_finite);
    cd_lcp_structure s = cd_lcp_structure_entries(lcp, filled, arena);
    if (s.is_full)
        memcpy(s.direct.value, lcp->M, sizeof *lcp->M * (size_t)lcp->n * (size_t)lcp->n);
    if (s.is_full && cd_vector_is_symmetric(lcp->M, lcp->n))
        cd_lcp_structure_classify_same(&s, arena);
    else
        cd_lcp_structure_classify(&s, arena);
    return s;
}

cd_lcp_columns cd_lcp_structure_columns(const cd_lcp_structure *s, cd_arena *arena)
{
    const int32_t count = s->right.first[s->n];
    cd_lcp_columns c = {CD_ARENA_ZARRAY(arena, int32_t, (size_t)s->m + 1), CD_ARENA_ARRAY(arena, int32_t, count),
                        CD_ARENA_ARRAY(arena, double, count)};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    for (int32_t k = 0; k < count; k++)
        c.first[s->right.col[k] + 1]++;
    for (int32_t k = 0; k < s->m; k++)
        c.first[k + 1] += c.first[k];
    int32_t *at = CD_ARENA_ARRAY(arena, int32_t, s->m);
    memcpy(at, c.first, sizeof *at * (size_t)s->m);
    for (int32_t i = 0; i < s->n; i++) {
        for (int32_t k = s->right.first[i]; k < s->right.first[i + 1]; k++) {
            int32_t place = at[s->right.col[k]]++;
            c.row[place] = i;
            c.value[place] = s->right.value[k];
        }
    }
    cd_arena_rewind(arena, mark);
    return c;
}

void cd_lcp_structure_row(const cd_lcp_structure *s, const cd_lcp_columns *columns, int32_t i, double *row)
{
    memset(row, 0, sizeof *row * (size_t)s->n);
    for (int32_t k = s->left.first[i]; k < s->left.first[i + 1]; k++) {
        const int32_t velocity = s->left.col[k];
        const double value = s->left.value[k];
        for (int32_t c = columns->first[velocity]; c < columns->first[velocity + 1]; c++)
            row[columns->row[c]] += value * columns->value[c];
    }
    for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1]; k++)
        row[s->direct.col[k]] += s->direct.value[k];
}

static cd_lcp_rows kept_rows(const cd_lcp_rows *rows, int32_t n, const int32_t *row_place, const int32_t *col_place,
                             cd_arena *arena)
{
    cd_lcp_rows out = {CD_ARENA_ZARRAY(arena, int32_t, (size_t)n + 1), CD_ARENA_ARRAY(arena, int32_t, rows->first[n]),
                       CD_ARENA_ARRAY(arena, double, rows->first[n])};
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        if (row_place[i] < 0)
            continue;
        for (int32_t k = rows->first[i]; k < rows->first[i + 1]; k++) {
            const int32_t col = col_place ? col_place[rows->col[k]] : rows->col[k];
            if (col < 0)
                continue;
            out.col[count] = col;
            out.value[count++] = rows->value[k];
        }
        out.first[row_place[i] + 1] = count;
    }
    return out;
}

// Nothing where no tangent is kept.
static void keep_discs(const cd_lcp_structure *s, const int32_t *place, cd_lcp_structure *out, cd_arena *arena)
{
    bool has_discs = false;
    for (int32_t i = 0; i < s->n && !has_discs; i++)
        has_discs = place[i] >= 0 && cd_lcp_is_tangent(s, i);
    if (!has_discs)
        return;
    out->normal = CD_ARENA_ARRAY(arena, int32_t, out->n);
    out->partner = CD_ARENA_ARRAY(arena, int32_t, out->n);
    out->mu = CD_ARENA_ARRAY(arena, double, out->n);
    for (int32_t i = 0; i < s->n; i++) {
        if (place[i] < 0)
            continue;
        out->normal[place[i]] = s->normal[i] < 0 ? -1 : place[s->normal[i]];
        out->partner[place[i]] = s->partner[i] < 0 ? -1 : place[s->partner[i]];
        out->mu[place[i]] = s->mu[i];
    }
}

cd_lcp_structure cd_lcp_structure_part(const cd_lcp_structure *s, const bool *keep, cd_arena *arena)
{
    int32_t *place = CD_ARENA_ARRAY(arena, int32_t, s->n), count = 0;
    for (int32_t i = 0; i < s->n; i++)
        place[i] = keep[i] ? count++ : -1;
    cd_lcp_structure out = {.n = count,
                            .m = s->m,
                            .is_symmetric = s->is_symmetric,
                            .is_skew = s->is_skew,
                            .is_semidefinite = s->is_semidefinite};
    out.left = kept_rows(&s->left, s->n, place, NULL, arena);
    out.right = s->left.value == s->right.value ? out.left : kept_rows(&s->right, s->n, place, NULL, arena);
    out.direct = kept_rows(&s->direct, s->n, place, place, arena);
    out.q = CD_ARENA_ARRAY(arena, double, count);
    out.diagonal = CD_ARENA_ARRAY(arena, double, count);
    out.room = s->room ? CD_ARENA_ARRAY(arena, double, count) : NULL;
    for (int32_t i = 0; i < s->n; i++) {
        if (place[i] < 0)
            continue;
        out.q[place[i]] = s->q[i];
        out.diagonal[place[i]] = s->diagonal[i];
        if (out.room)
            out.room[place[i]] = s->room[i];
    }
    keep_discs(s, place, &out, arena);
    return out;
}

cd_lcp_structure cd_lcp_structure_frictionless(const cd_lcp_structure *s, cd_arena *arena)
{
    bool *keep = CD_ARENA_ARRAY(arena, bool, s->n);
    for (int32_t i = 0; i < s->n; i++)
        keep[i] = !cd_lcp_is_tangent(s, i);
    return cd_lcp_structure_part(s, keep, arena);
}

cd_lcp cd_lcp_structure_to_dense(const cd_lcp_structure *s, cd_arena *arena)
{
    const size_t n = (size_t)s->n;
    double *M = CD_ARENA_ARRAY(arena, double, n *n);
    cd_lcp_columns columns = cd_lcp_structure_columns(s, arena);
    for (int32_t i = 0; i < s->n; i++)
        cd_lcp_structure_row(s, &columns, i, M + (size_t)i * n);
    return (cd_lcp){.n = s->n, .M = M, .q = s->q};
}

// u = right' y.
static void find_velocities(const cd_lcp_structure *s, const double *y, double *u)
{
    memset(u, 0, sizeof *u * (size_t)s->m);
    for (int32_t i = 0; i < s->n; i++) {
        if (y[i] == 0)
            continue;
        for (int32_t k = s->right.first[i]; k < s->right.first[i + 1]; k++)
            u[s->right.col[k]] += s->right.value[k] * y[i];
    }
}

// start + row i of left u + direct y.
static inline double row_of(const cd_lcp_structure *s, int32_t i, double start, const double *u, const double *y)
{
    double sum = start;
    for (int32_t k = s->left.first[i]; k < s->left.first[i + 1]; k++)
        sum += s->left.value[k] * u[s->left.col[k]];
    for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1]; k++)
        sum += s->direct.value[k] * y[s->direct.col[k]];
    return sum;
}

void cd_lcp_structure_product(const cd_lcp_structure *s, const double *y, double *u, double *out)
{
    find_velocities(s, y, u);
    for (int32_t i = 0; i < s->n; i++)
        out[i] = row_of(s, i, 0, u, y);
}

void cd_lcp_structure_values(const cd_lcp_structure *s, const double *y, double *u, double *w, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    if (!u)
        u = CD_ARENA_ARRAY(scratch, double, s->m);
    find_velocities(s, y, u);
    for (int32_t i = 0; i < s->n; i++)
        w[i] = row_of(s, i, s->q[i], u, y);
    cd_arena_rewind(scratch, mark);
}

double cd_lcp_structure_error(const cd_lcp_structure *s, int32_t i, const double *y, const double *w)
{
    if (cd_lcp_is_tangent(s, i)) {
        const int32_t other = s->partner[i];
        double radius = s->mu[i] * cd_larger(0, y[s->normal[i]]), a = y[i] - w[i],
               b = other < 0 ? 0 : y[other] - w[other];
        double length = other < 0 ? fabs(a) : sqrt(a * a + b * b);
        return length > radius ? fabs(y[i] - a * (radius / length)) : fabs(w[i]);
    }
    // y less y - w within its bounds, w and no difference: of a huge y it would leave nothing.
    const double room = s->room ? s->room[i] : INFINITY, least = y[i] - room;
    return fabs(w[i] > y[i] ? y[i] : w[i] < least ? least : w[i]);
}

double cd_lcp_structure_residual(const cd_lcp_structure *s, const double *y, double *w, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *u = CD_ARENA_ARRAY(scratch, double, s->m), *sizes = CD_ARENA_ARRAY(scratch, double, s->n), worst = 0;
    if (!w)
        w = CD_ARENA_ARRAY(scratch, double, s->n);
    find_velocities(s, y, u);
    // Values as above, and the magnitudes of their terms.
    for (int32_t i = 0; i < s->n && s->is_full; i++)
        w[i] = s->q[i] + cd_vector_dot_size(s->direct.value + s->direct.first[i], y, s->n, &sizes[i]);
    for (int32_t i = 0; i < s->n && !s->is_full; i++) {
        double sum = s->q[i], size = 0;
        for (int32_t k = s->left.first[i]; k < s->left.first[i + 1]; k++) {
            const double term = s->left.value[k] * u[s->left.col[k]];
            sum += term;
            size += fabs(term);
        }
        for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1]; k++) {
            const double term = s->direct.value[k] * y[s->direct.col[k]];
            sum += term;
            size += fabs(term);
        }
        w[i] = sum;
        sizes[i] = size;
    }
    if (s->tiles)
        cd_tiles_measure(s->tiles, y, w, sizes);
    for (int32_t i = 0; i < s->n; i++) {
        double error = cd_lcp_structure_error(s, i, y, w) + DBL_EPSILON * sizes[i];
        if (!isfinite(error) || !isfinite(y[i]))
            error = INFINITY;
        worst = error > worst ? error : worst;
    }
    cd_arena_rewind(scratch, mark);
    return worst;
}

// sum = M'v = right left'v + direct'v, size the same with magnitudes.
static void combine(const cd_lcp_structure *s, const double *v, double *sum, double *size, cd_arena *scratch)
{
    double *u = CD_ARENA_ZARRAY(scratch, double, s->m), *u_size = CD_ARENA_ZARRAY(scratch, double, s->m);
    for (int32_t i = 0; i < s->n; i++) {
        if (v[i] == 0)
            continue;
        for (int32_t k = s->left.first[i]; k < s->left.first[i + 1]; k++) {
            u[s->left.col[k]] += s->left.value[k] * v[i];
            u_size[s->left.col[k]] += fabs(s->left.value[k]) * v[i];
        }
        for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1]; k++) {
            sum[s->direct.col[k]] += s->direct.value[k] * v[i];
            size[s->direct.col[k]] += fabs(s->direct.value[k]) * v[i];
        }
    }
    if (s->tiles)
        cd_tiles_measure(s->tiles, v, sum, size);
    for (int32_t i = 0; i < s->n; i++) {
        for (int32_t k = s->right.first[i]; k < s->right.first[i + 1]; k++) {
            sum[i] += s->right.value[k] * u[s->right.col[k]];
            size[i] += fabs(s->right.value[k]) * u_size[s->right.col[k]];
        }
    }
}

bool cd_lcp_structure_refutes(const cd_lcp_structure *s, const double *v, cd_arena *scratch)
{
    const int32_t n = s->n;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *sum = CD_ARENA_ZARRAY(scratch, double, n), *size = CD_ARENA_ZARRAY(scratch, double, n), drop = 0,
           drop_size = 0;
    bool proved = true;
    for (int32_t i = 0; i < n && proved; i++) {
        drop += s->q[i] * v[i];
        drop_size += fabs(s->q[i]) * v[i];
        bool may_be_negative = cd_lcp_is_tangent(s, i) || (s->room && s->room[i] < INFINITY);
        proved = v[i] >= 0 && !(may_be_negative && v[i] > 0);
    }
    proved = proved && drop_size > 0 && drop <= -CD_LCP_FARKAS_DROP * drop_size;
    if (proved)
        combine(s, v, sum, size, scratch);
    for (int32_t j = 0; j < n && proved; j++)
        proved =
            (cd_lcp_is_tangent(s, j) ? fabs(sum[j]) : sum[j]) + DBL_EPSILON * size[j] <= -CD_LCP_FARKAS_PART * drop;
    cd_arena_rewind(scratch, mark);
    return proved;
}

// ---- scaling -------------------------------------------------------------------------------------------------------

// Powers of two that bring the diagonal near 1. A row without one (it acts on nothing but through slacks) keeps its own
// size.
static double *scales(const cd_lcp_structure *s, cd_arena *arena)
{
    double *c = CD_ARENA_ARRAY(arena, double, s->n);
    for (int32_t i = 0; i < s->n; i++)
        c[i] = s->diagonal[i] > 0 ? cd_lcp_half_power_for(s->diagonal[i]) : 1;
    for (int32_t i = 0; i < s->n; i++) {
        if (cd_lcp_is_tangent(s, i) && s->partner[i] > i)
            c[i] = c[s->partner[i]] = cd_smaller(c[i], c[s->partner[i]]);
    }
    return c;
}

static cd_lcp_rows scaled_rows(const cd_lcp_structure *s, const cd_lcp_rows *rows, const double *c, bool by_column,
                               cd_arena *arena)
{
    cd_lcp_rows out = *rows;
    out.value = CD_ARENA_ARRAY(arena, double, rows->first[s->n]);
    for (int32_t i = 0; i < s->n; i++) {
        for (int32_t k = rows->first[i]; k < rows->first[i + 1]; k++)
            out.value[k] = rows->value[k] * c[i] * (by_column ? c[rows->col[k]] : 1);
    }
    return out;
}

static bool are_one(const double *number, int32_t count)
{
    bool all = true;
    for (int32_t i = 0; i < count && all; i++)
        all = number[i] == 1;
    return all;
}

cd_lcp_scaled_structure cd_lcp_structure_scale(const cd_lcp_structure *s, cd_arena *arena)
{
    const int32_t n = s->n;
    cd_lcp_scaled_structure out = {.s = *s, .c = scales(s, arena)};
    const double *c = out.c;
    out.is_same = are_one(c, n);
    if (!out.is_same) {
        out.s.left = scaled_rows(s, &s->left, c, false, arena);
        out.s.right = s->left.value == s->right.value ? out.s.left : scaled_rows(s, &s->right, c, false, arena);
        out.s.direct = scaled_rows(s, &s->direct, c, true, arena);
    }
    out.s.q = CD_ARENA_ARRAY(arena, double, n);
    out.s.diagonal = CD_ARENA_ARRAY(arena, double, n);
    double largest = 0;
    for (int32_t i = 0; i < n; i++) {
        out.s.q[i] = s->q[i] * c[i];
        out.s.diagonal[i] = s->diagonal[i] * c[i] * c[i];
        largest = cd_larger(largest, fabs(out.s.q[i]));
    }
    out.sigma = cd_lcp_power_for(largest);
    out.is_same = out.is_same && out.sigma == 1;
    for (int32_t i = 0; i < n; i++)
        out.s.q[i] *= out.sigma;
    if (s->room) {
        out.s.room = CD_ARENA_ARRAY(arena, double, n);
        for (int32_t i = 0; i < n; i++)
            out.s.room[i] = s->room[i] * out.sigma / c[i];
    }
    if (s->normal) {
        out.s.mu = CD_ARENA_ARRAY(arena, double, n);
        for (int32_t i = 0; i < n; i++)
            out.s.mu[i] = s->normal[i] >= 0 ? s->mu[i] * c[s->normal[i]] / c[i] : 0;
    }
    return out;
}
