// SPDX-License-Identifier: MIT
#include "contact_rows.h"

static bool is_listed(const cd_lcp_structure *s, int32_t i) { return !cd_lcp_is_tangent(s, i) && s->diagonal[i] > 0; }

// Rows in their order: each normal row, then its tangents, the two of a disc one after the other.
static void list_rows(const cd_lcp_structure *s, cd_contact_rows *k, cd_arena *arena)
{
    const size_t n = (size_t)s->n;
    k->first = CD_ARENA_ZARRAY(arena, int32_t, n + 1);
    k->source = CD_ARENA_ARRAY(arena, int32_t, n);
    k->partner = CD_ARENA_ARRAY(arena, int32_t, n);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    int32_t *next = CD_ARENA_ARRAY(arena, int32_t, n), *disc = CD_ARENA_ARRAY(arena, int32_t, n);
    memset(disc, -1, sizeof *disc * n);
    for (int32_t i = s->n - 1; i >= 0 && s->normal; i--) {
        if (!cd_lcp_is_tangent(s, i) || (s->partner[i] >= 0 && s->partner[i] < i))
            continue;
        next[i] = disc[s->normal[i]];
        disc[s->normal[i]] = i;
    }
    for (int32_t i = 0; i < s->n; i++) {
        if (!is_listed(s, i))
            continue;
        k->partner[k->rows] = -1;
        k->source[k->rows++] = i;
        for (int32_t d = disc[i]; d >= 0; d = next[d]) {
            const bool is_pair = s->partner[d] >= 0;
            k->partner[k->rows] = is_pair ? k->rows + 1 : -1;
            k->source[k->rows++] = d;
            if (!is_pair)
                continue;
            k->partner[k->rows] = k->rows - 1;
            k->source[k->rows++] = s->partner[d];
        }
        const int32_t height = k->rows - k->first[k->count];
        k->tallest = height > k->tallest ? height : k->tallest;
        k->first[++k->count] = k->rows;
    }
    cd_arena_rewind(arena, mark);
}

// Adds the columns of one row, `from` of them, to the ascending list of `width`; `offset`: of the row's first column.
static int32_t add_columns(const cd_lcp_rows *rows, int32_t i, int32_t offset, int32_t *col, int32_t width)
{
    for (int32_t e = rows->first[i]; e < rows->first[i + 1]; e++)
        width = cd_ascending_add(col, width, rows->col[e] + offset);
    return width;
}

static int64_t count_entries(const cd_lcp_structure *s, const cd_lcp_rows *root)
{
    return (int64_t)s->left.first[s->n] + (root ? root->first[s->n] : 0);
}

// Contacts one after the other with the same columns are a group.
static void find_groups(const cd_lcp_structure *s, const cd_lcp_rows *root, cd_contact_rows *k, int32_t *group,
                        cd_arena *arena)
{
    int32_t *first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)k->count + 1),
            *col = CD_ARENA_ARRAY(arena, int32_t, count_entries(s, root)),
            *height = CD_ARENA_ZARRAY(arena, int32_t, k->count), count = 0;
    for (int32_t c = 0; c < k->count; c++) {
        int32_t *own = col + first[count], width = 0;
        for (int32_t r = k->first[c]; r < k->first[c + 1]; r++) {
            width = add_columns(&s->left, k->source[r], 0, own, width);
            if (root)
                width = add_columns(root, k->source[r], s->m, own, width);
        }
        const int32_t last = count > 0 ? first[count] - first[count - 1] : -1;
        if (width != last || memcmp(own, own - width, sizeof *own * (size_t)width) != 0) {
            first[count + 1] = first[count] + width;
            count++;
        }
        group[c] = count - 1;
        height[count - 1] += k->first[c + 1] - k->first[c];
    }
    k->groups = (cd_gram_groups){.count = count, .first = first, .col = col, .height = height};
}

static void add_values(const cd_lcp_rows *rows, int32_t i, int32_t offset, const int32_t *at, double *out)
{
    for (int32_t e = rows->first[i]; e < rows->first[i + 1]; e++)
        out[at[rows->col[e] + offset]] = rows->value[e];
}

static void pack_values(const cd_lcp_structure *s, const cd_lcp_rows *root, const int32_t *group, cd_contact_rows *k,
                        cd_arena *arena)
{
    cd_gram_groups *g = &k->groups;
    int64_t size = 0, *group_place = CD_ARENA_ARRAY(arena, int64_t, (size_t)g->count + 1);
    k->place = CD_ARENA_ARRAY(arena, int64_t, k->count);
    k->stride = CD_ARENA_ARRAY(arena, int32_t, k->count);
    for (int32_t c = 0; c < k->count; c++) {
        k->stride[c] = cd_gram_stride(g->first[group[c] + 1] - g->first[group[c]]);
        if (c == 0 || group[c] != group[c - 1])
            group_place[group[c]] = size;
        k->place[c] = size;
        size += (int64_t)k->stride[c] * (k->first[c + 1] - k->first[c]);
    }
    group_place[g->count] = size;
    g->place = group_place;
    k->H = CD_ARENA_ZARRAY(arena, double, size);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    int32_t *at = CD_ARENA_ARRAY(arena, int32_t, g->columns);
    for (int32_t c = 0; c < k->count; c++) {
        double *out = k->H + k->place[c];
        for (int32_t e = g->first[group[c]]; e < g->first[group[c] + 1]; e++)
            at[g->col[e]] = e - g->first[group[c]];
        for (int32_t r = k->first[c]; r < k->first[c + 1]; r++, out += k->stride[c]) {
            add_values(&s->left, k->source[r], 0, at, out);
            if (root)
                add_values(root, k->source[r], s->m, at, out);
        }
    }
    cd_arena_rewind(arena, mark);
}

// G of u = y: a 1 for each row at its own column.
static double *pack_ones(const cd_contact_rows *k, cd_arena *arena)
{
    double *G = CD_ARENA_ZARRAY(arena, double, k->groups.place[k->groups.count]);
    for (int32_t g = 0, c = 0; g < k->groups.count; g++) {
        const int32_t *col = k->groups.col + k->groups.first[g], width = k->groups.first[g + 1] - k->groups.first[g];
        for (; c < k->count && k->place[c] < k->groups.place[g + 1]; c++) {
            for (int32_t r = k->first[c]; r < k->first[c + 1]; r++) {
                for (int32_t e = 0; e < width; e++)
                    G[k->place[c] + (int64_t)(r - k->first[c]) * k->stride[c] + e] = col[e] == k->source[r];
            }
        }
    }
    return G;
}

cd_contact_rows cd_contact_rows_make(const cd_lcp_structure *s, const cd_cone_root *root, cd_arena *arena)
{
    cd_contact_rows k = {0};
    list_rows(s, &k, arena);
    // A diagonal `direct` stays with its row.
    const bool is_held = s->is_semidefinite && root;
    const cd_lcp_rows *more = is_held ? NULL : root ? &root->rows : &s->direct;
    int32_t *group = CD_ARENA_ARRAY(arena, int32_t, k.count);
    find_groups(s, more, &k, group, arena);
    k.groups.columns = s->m + (is_held ? 0 : root ? root->columns : s->n);
    pack_values(s, more, group, &k, arena);
    k.G = root ? k.H : pack_ones(&k, arena);
    k.mu = CD_ARENA_ZARRAY(arena, double, k.rows);
    k.q = CD_ARENA_ARRAY(arena, double, k.rows);
    k.hold = CD_ARENA_ZARRAY(arena, double, k.rows);
    for (int32_t r = 0; r < k.rows; r++) {
        const int32_t i = k.source[r];
        k.q[r] = s->q[i];
        k.mu[r] = cd_lcp_is_tangent(s, i) ? s->mu[i] : 0;
        for (int32_t e = s->direct.first[i]; e < s->direct.first[i + 1] && is_held; e++)
            k.hold[r] += s->direct.value[e];
    }
    return k;
}

void cd_contact_gather(const cd_contact_rows *k, const double *y, double *out)
{
    for (int32_t r = 0; r < k->rows; r++)
        out[r] = y[k->source[r]];
}

void cd_contact_scatter(const cd_contact_rows *k, const double *x, int32_t n, double *y)
{
    memset(y, 0, sizeof *y * (size_t)n);
    for (int32_t r = 0; r < k->rows; r++)
        y[k->source[r]] = x[r];
}
