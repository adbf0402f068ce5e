// SPDX-License-Identifier: MIT
#include "gram_factor.h"

#include "gram_fronts.h"
#include "gram_order.h"
#include "gram_square.h"

#include <float.h>

// Entries that cd_gram_keep keeps at most: 64 MiB.
#define KEPT_MOST ((int64_t)1 << 23)

// ---- analysis ------------------------------------------------------------------------------------------------------

// Blocks of columns that the same groups touch, told by a mark that all its groups leave on a column: should two sets
// of groups ever leave the same one, a block is too large and nothing is wrong. -1: columns that no group touches.
static int32_t find_blocks(const cd_gram_groups *g, int32_t *block, cd_arena *scratch)
{
    uint64_t *sign = CD_ARENA_ZARRAY(scratch, uint64_t, g->columns);
    for (int32_t k = 0; k < g->count; k++) {
        for (int32_t e = g->first[k]; e < g->first[k + 1]; e++)
            sign[g->col[e]] = (sign[g->col[e]] + (uint64_t)k + 1) * UINT64_C(0x9e3779b97f4a7c15);
    }
    int32_t count = 0;
    memset(block, -1, sizeof *block * (size_t)g->columns);
    for (int32_t k = 0; k < g->count; k++) {
        const int32_t begin = g->first[k], before = count;
        for (int32_t e = begin; e < g->first[k + 1]; e++) {
            const int32_t c = g->col[e];
            for (int32_t d = begin; d < e && block[c] < 0; d++) {
                if (sign[g->col[d]] == sign[c] && block[g->col[d]] >= before)
                    block[c] = block[g->col[d]];
            }
            if (block[c] < 0)
                block[c] = count++;
        }
    }
    return count;
}

// The blocks of each group as cliques; groups one after the other that have the same share one.
static cd_gram_cliques make_cliques(const cd_gram_groups *g, const int32_t *block, int32_t blocks, int32_t *clique_of,
                                    cd_arena *scratch)
{
    int32_t *size = CD_ARENA_ZARRAY(scratch, int32_t, blocks), *seen = CD_ARENA_ARRAY(scratch, int32_t, blocks),
            *first = CD_ARENA_ARRAY(scratch, int32_t, (size_t)g->count + 1),
            *node = CD_ARENA_ARRAY(scratch, int32_t, g->first[g->count]), count = 0, at = 0;
    memset(seen, -1, sizeof *seen * (size_t)blocks);
    for (int32_t c = 0; c < g->columns; c++) {
        if (block[c] >= 0)
            size[block[c]]++;
    }
    first[0] = 0;
    for (int32_t k = 0; k < g->count; k++) {
        const int32_t begin = at;
        for (int32_t e = g->first[k]; e < g->first[k + 1]; e++) {
            const int32_t b = block[g->col[e]];
            if (seen[b] != k)
                node[at++] = b;
            seen[b] = k;
        }
        const int32_t before = count > 0 ? first[count - 1] : 0;
        if (count > 0 && begin - before == at - begin &&
            memcmp(node + before, node + begin, sizeof *node * (size_t)(at - begin)) == 0)
            at = begin;
        else
            first[++count] = at;
        clique_of[k] = count - 1;
    }
    return (cd_gram_cliques){.node_count = blocks, .clique_count = count, .size = size, .first = first, .node = node};
}

// Columns of the fronts, out of their nodes.
static void list_columns(cd_gram *m, const cd_gram_tree *tree, const int32_t *block, const cd_gram_cliques *cliques,
                         cd_arena *scratch)
{
    const int32_t n = m->groups->columns;
    int32_t *at = CD_ARENA_ZARRAY(scratch, int32_t, (size_t)cliques->node_count + 1),
            *member = CD_ARENA_ARRAY(scratch, int32_t, n), *end = CD_ARENA_ARRAY(scratch, int32_t, cliques->node_count);
    for (int32_t b = 0; b < cliques->node_count; b++)
        end[b] = at[b + 1] = at[b] + cliques->size[b];
    for (int32_t c = n - 1; c >= 0; c--) {
        if (block[c] >= 0)
            member[--end[block[c]]] = c;
        else
            m->loose[m->loose_count++] = c;
    }
    int64_t total = 0;
    for (int32_t f = 0; f < tree->front_count; f++) {
        for (int32_t k = tree->first[f]; k < tree->first[f + 1]; k++)
            total += cliques->size[tree->node[k]];
    }
    m->column = CD_ARENA_ARRAY(m->arena, int32_t, total);
    int32_t count = 0;
    for (int32_t f = 0; f < tree->front_count; f++) {
        m->first[f] = count;
        for (int32_t k = tree->first[f]; k < tree->first[f + 1]; k++) {
            const int32_t b = tree->node[k];
            m->pivots[f] += k - tree->first[f] < tree->pivots[f] ? cliques->size[b] : 0;
            memcpy(m->column + count, member + at[b], sizeof *member * (size_t)cliques->size[b]);
            count += cliques->size[b];
        }
        if (tree->parent[f] >= 0)
            m->children[tree->parent[f]]++;
    }
    m->first[tree->front_count] = count;
}

// Where what a front has goes: the rest to its parent, groups to their place in it.
static void find_places(cd_gram *m, const cd_gram_tree *tree, const int32_t *clique_of, cd_arena *scratch)
{
    const cd_gram_groups *g = m->groups;
    int32_t *place = CD_ARENA_ARRAY(scratch, int32_t, g->columns), *child = CD_ARENA_ARRAY(scratch, int32_t, m->count),
            *sibling = CD_ARENA_ARRAY(scratch, int32_t, m->count);
    m->up = CD_ARENA_ARRAY(m->arena, int32_t, m->first[m->count]);
    m->local = CD_ARENA_ARRAY(m->arena, int32_t, g->first[g->count]);
    memset(child, -1, sizeof *child * (size_t)m->count);
    for (int32_t f = 0; f < m->count; f++) {
        if (tree->parent[f] < 0)
            continue;
        sibling[f] = child[tree->parent[f]];
        child[tree->parent[f]] = f;
    }
    for (int32_t k = 0; k < g->count; k++)
        m->group_at[tree->home[clique_of[k]] + 1]++;
    for (int32_t f = 0; f < m->count; f++)
        m->group_at[f + 1] += m->group_at[f];
    int32_t *at = CD_ARENA_ARRAY(scratch, int32_t, m->count);
    memcpy(at, m->group_at, sizeof *at * (size_t)m->count);
    for (int32_t k = 0; k < g->count; k++)
        m->group[at[tree->home[clique_of[k]]]++] = k;
    for (int32_t f = 0; f < m->count; f++) {
        for (int32_t k = m->first[f]; k < m->first[f + 1]; k++)
            place[m->column[k]] = k - m->first[f];
        for (int32_t c = child[f]; c >= 0; c = sibling[c]) {
            for (int32_t k = m->first[c] + m->pivots[c]; k < m->first[c + 1]; k++)
                m->up[k] = place[m->column[k]];
        }
        for (int32_t k = m->group_at[f]; k < m->group_at[f + 1]; k++) {
            for (int32_t e = g->first[m->group[k]]; e < g->first[m->group[k] + 1]; e++)
                m->local[e] = place[g->col[e]];
        }
    }
}

// Entries of C: each goes to the front that eliminates the first of its two columns.
static void find_held(cd_gram *m, cd_arena *scratch)
{
    const cd_gram_groups *g = m->groups;
    const int32_t entries = g->held_first[g->columns];
    int32_t *front = CD_ARENA_ARRAY(scratch, int32_t, g->columns),
            *place = CD_ARENA_ARRAY(scratch, int32_t, g->columns), *row = CD_ARENA_ARRAY(scratch, int32_t, entries),
            *at = CD_ARENA_ARRAY(scratch, int32_t, m->count);
    m->held_at = CD_ARENA_ZARRAY(m->arena, int32_t, (size_t)m->count + 1);
    int32_t **const lists[] = {&m->held_low, &m->held_high, &m->held_entry};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        *lists[k] = CD_ARENA_ARRAY(m->arena, int32_t, entries);
    for (int32_t f = 0; f < m->count; f++) {
        for (int32_t k = m->first[f]; k < m->first[f] + m->pivots[f]; k++)
            front[m->column[k]] = f;
    }
    for (int32_t i = 0; i < g->columns; i++) {
        for (int32_t k = g->held_first[i]; k < g->held_first[i + 1]; k++) {
            row[k] = i;
            m->held_at[(front[i] < front[g->held_col[k]] ? front[i] : front[g->held_col[k]]) + 1]++;
        }
    }
    for (int32_t f = 0; f < m->count; f++) {
        m->held_at[f + 1] += m->held_at[f];
        at[f] = m->held_at[f];
    }
    for (int32_t k = 0; k < entries; k++)
        m->held_entry[at[front[row[k]] < front[g->held_col[k]] ? front[row[k]] : front[g->held_col[k]]]++] = k;
    for (int32_t f = 0; f < m->count; f++) {
        for (int32_t k = m->first[f]; k < m->first[f + 1]; k++)
            place[m->column[k]] = k - m->first[f];
        for (int32_t k = m->held_at[f]; k < m->held_at[f + 1]; k++) {
            const int32_t i = place[row[m->held_entry[k]]], j = place[g->held_col[m->held_entry[k]]];
            m->held_low[k] = i > j ? i : j;
            m->held_high[k] = i > j ? j : i;
        }
    }
}

// What the numbers will need: panels, and the rests that wait for their parents at one time.
static void measure(cd_gram *m, const cd_gram_tree *tree, cd_arena *scratch)
{
    int64_t waiting = 0, *taken = CD_ARENA_ZARRAY(scratch, int64_t, m->count);
    for (int32_t f = 0; f < m->count; f++) {
        const int32_t n = cd_gram_size(m, f);
        m->panel_at[f] = m->panel_size;
        m->panel_size += (int64_t)cd_front_rows(n) * m->pivots[f];
        m->largest = n > m->largest ? n : m->largest;
        waiting += cd_gram_rest(m, f) - taken[f];
        m->stack_size = waiting > m->stack_size ? waiting : m->stack_size;
        if (tree->parent[f] >= 0)
            taken[tree->parent[f]] += cd_gram_rest(m, f);
    }
}

cd_gram *cd_gram_analyse(const cd_gram_groups *groups, cd_arena *arena)
{
    cd_gram *m = CD_ARENA_ZARRAY(arena, cd_gram, 1);
    cd_arena scratch = {0};
    m->groups = groups;
    m->arena = arena;
    int32_t *block = CD_ARENA_ARRAY(&scratch, int32_t, groups->columns),
            *clique_of = CD_ARENA_ARRAY(&scratch, int32_t, groups->count);
    const int32_t blocks = find_blocks(groups, block, &scratch);
    cd_gram_cliques cliques = make_cliques(groups, block, blocks, clique_of, &scratch);
    cd_gram_tree tree = cd_gram_order(&cliques, &scratch);
    m->count = tree.front_count;
    m->first = CD_ARENA_ARRAY(arena, int32_t, (size_t)m->count + 1);
    m->pivots = CD_ARENA_ZARRAY(arena, int32_t, m->count);
    m->children = CD_ARENA_ZARRAY(arena, int32_t, m->count);
    m->panel_at = CD_ARENA_ARRAY(arena, int64_t, m->count);
    m->group_at = CD_ARENA_ZARRAY(arena, int32_t, (size_t)m->count + 1);
    m->group = CD_ARENA_ARRAY(arena, int32_t, groups->count);
    m->loose = CD_ARENA_ARRAY(arena, int32_t, groups->columns);
    m->parent = CD_ARENA_ARRAY(arena, int32_t, m->count);
    m->waiting = CD_ARENA_ARRAY(arena, int32_t, m->count);
    memcpy(m->parent, tree.parent, sizeof *m->parent * (size_t)m->count);
    list_columns(m, &tree, block, &cliques, &scratch);
    find_places(m, &tree, clique_of, &scratch);
    if (groups->held_first)
        find_held(m, &scratch);
    measure(m, &tree, &scratch);
    cd_arena_release(&scratch);
    return m;
}

double cd_gram_work(const cd_gram *m)
{
    double sum = 0;
    for (int32_t f = 0; f < m->count; f++) {
        const double n = cd_gram_size(m, f), rest = n - m->pivots[f];
        sum += (n * n * n - rest * rest * rest) / 6;
    }
    return sum;
}

int64_t cd_gram_bytes(const cd_gram *m)
{
    return (m->panel_size + m->stack_size + cd_gram_front_entries(m)) * (int64_t)sizeof(double);
}

// ---- numbers -------------------------------------------------------------------------------------------------------

static void add_held(const cd_gram *m, int32_t f, double *a, size_t stride)
{
    for (int32_t k = m->held_at ? m->held_at[f] : 0; m->held_at && k < m->held_at[f + 1]; k++)
        a[(size_t)m->held_high[k] * stride + (size_t)m->held_low[k]] += m->groups->held[m->held_entry[k]];
}

// a += v'v for the rows v of a group; its diagonal is added to that of K too.
static void add_group(const cd_gram *m, int32_t g, const double *values, double *a, int32_t stride)
{
    const int32_t width = m->groups->first[g + 1] - m->groups->first[g], height = m->groups->height[g],
                  row_stride = cd_gram_stride(width);
    const int32_t *local = m->local + m->groups->first[g], *col = m->groups->col + m->groups->first[g];
    const double *row = values + m->groups->place[g];
    double K[CD_GRAM_SQUARE_MOST * CD_GRAM_SQUARE_MOST];
    const bool is_narrow = row_stride <= CD_GRAM_SQUARE_MOST;
    if (is_narrow)
        cd_gram_square(height, row_stride, row, K);
    for (int32_t j = 0; j < width; j++) {
        const double *column = is_narrow ? K + j * row_stride : m->wide;
        if (!is_narrow)
            cd_gram_column(height, row_stride, j, row, row, m->wide);
        for (int32_t i = j; i < width; i++) {
            const double sum = column[i];
            const int32_t low = local[i] > local[j] ? local[i] : local[j],
                          high = local[i] > local[j] ? local[j] : local[i];
            a[(size_t)high * (size_t)stride + (size_t)low] += sum;
            if (i != j)
                continue;
            m->diagonal[col[j]] += sum;
            if (m->share)
                m->share[m->groups->first[g] + j] = sum;
        }
    }
}

// a += the rest of child f, of which the lower triangle counts.
static void add_rest(const cd_gram *m, int32_t f, const double *rest, double *a, int32_t stride)
{
    const int32_t n = cd_gram_size(m, f) - m->pivots[f];
    const int32_t *up = m->up + m->first[f] + m->pivots[f];
    for (int32_t j = 0; j < n; j++) {
        const double *column = rest + (size_t)j * (size_t)n;
        double *out = a + (size_t)up[j] * (size_t)stride;
        for (int32_t i = j; i < n; i++)
            out[up[i]] += column[i];
    }
}

void cd_gram_keep(cd_gram *m)
{
    int64_t entries = 0;
    for (int32_t f = 0; f < m->count; f++)
        entries += cd_gram_rest(m, f);
    if (m->panel || m->rest_at || entries > KEPT_MOST)
        return;
    m->stack_size = entries;
    m->rest_at = CD_ARENA_ARRAY(m->arena, int64_t, m->count);
    m->is_made = CD_ARENA_ARRAY(m->arena, bool, m->count);
    m->share = CD_ARENA_ARRAY(m->arena, double, m->groups->first[m->groups->count]);
    for (int32_t f = m->count - 1; f >= 0; f--) {
        entries -= cd_gram_rest(m, f);
        m->rest_at[f] = entries;
    }
}

static void reserve(cd_gram *m)
{
    if (m->panel)
        return;
    m->panel = CD_ARENA_ARRAY(m->arena, double, m->panel_size);
    m->stack = CD_ARENA_ARRAY(m->arena, double, m->stack_size);
    m->front = CD_ARENA_ARRAY(m->arena, double, cd_gram_front_entries(m));
    m->floor = CD_ARENA_ARRAY(m->arena, double, m->largest);
    m->wide = CD_ARENA_ARRAY(m->arena, double, cd_gram_stride(m->largest));
    m->inverse = CD_ARENA_ARRAY(m->arena, double, m->groups->columns);
    m->diagonal = CD_ARENA_ARRAY(m->arena, double, m->groups->columns);
}

// Whether the factor to be made has another front f than the last one.
static bool is_reached(const cd_gram *m, int32_t f, const int32_t *child, const bool *changed)
{
    bool is_reached = false;
    for (int32_t k = m->group_at[f]; k < m->group_at[f + 1]; k++)
        is_reached = is_reached || changed[m->group[k]];
    for (int32_t c = 0; c < m->children[f]; c++)
        is_reached = is_reached || m->is_made[child[c]];
    return is_reached;
}

// A front that stays: the diagonal of K gets what its groups gave it before.
static void pass_over(cd_gram *m, int32_t f)
{
    for (int32_t k = m->group_at[f]; k < m->group_at[f + 1]; k++) {
        const cd_gram_groups *g = m->groups;
        for (int32_t e = g->first[m->group[k]]; e < g->first[m->group[k] + 1]; e++)
            m->diagonal[g->col[e]] += m->share[e];
    }
}

// A front from its groups and from what its children hand on, of which the last lies below `top`.
static void gather(cd_gram *m, int32_t f, const int32_t *child, const double *D, const double *values,
                   const double *top)
{
    const int32_t n = cd_gram_size(m, f), p = m->pivots[f];
    const size_t stride = (size_t)cd_front_stride(n);
    double *a = m->front;
    for (size_t j = 0; j < (size_t)n; j++)
        memset(a + j * stride + j, 0, sizeof *a * (stride - j));
    for (int32_t j = 0; j < p; j++)
        a[(size_t)j * stride + (size_t)j] = D[m->column[m->first[f] + j]];
    add_held(m, f, a, stride);
    for (int32_t k = m->group_at[f]; k < m->group_at[f + 1]; k++)
        add_group(m, m->group[k], values, a, (int32_t)stride);
    for (int32_t c = m->children[f] - 1; c >= 0; c--) {
        top -= cd_gram_rest(m, child[c]);
        add_rest(m, child[c], m->rest_at ? m->stack + m->rest_at[child[c]] : top, a, (int32_t)stride);
    }
}

// The pivots of a front that was gathered. rest: where what it hands on goes.
static void eliminate(cd_gram *m, int32_t f, double *inverse, double *rest)
{
    const int32_t n = cd_gram_size(m, f), p = m->pivots[f];
    const size_t count = (size_t)(n - p), stride = (size_t)cd_front_stride(n);
    double *a = m->front;
    for (int32_t j = 0; j < p; j++)
        m->floor[j] = DBL_EPSILON * m->diagonal[m->column[m->first[f] + j]];
    cd_front_factor(n, p, a, m->floor, inverse);
    cd_front_panel(n, p, a, m->panel + m->panel_at[f]);
    for (size_t j = 0; j < count && m->parent[f] >= 0; j++)
        memcpy(rest + j * count + j, a + ((size_t)p + j) * stride + (size_t)p + j, sizeof *a * (count - j));
}

// changed: NULL for all.
static void factor(cd_gram *m, const double *D, const double *values, const bool *changed)
{
    reserve(m);
    // What rounding leaves of a pivot is measured against the diagonal of K. All groups that touch a column belong to
    // its front or to one below it: when it is eliminated its diagonal is whole.
    memcpy(m->diagonal, D, sizeof *D * (size_t)m->groups->columns);
    double *top = m->stack, *inverse = m->inverse;
    int32_t depth = 0;
    for (int32_t f = 0; f < m->count; f++) {
        const int32_t *child = m->waiting + (depth -= m->children[f]);
        const bool is_made = !changed || is_reached(m, f, child, changed);
        if (is_made)
            gather(m, f, child, D, values, top);
        else
            pass_over(m, f);
        for (int32_t c = 0; c < m->children[f]; c++)
            top -= cd_gram_rest(m, child[c]);
        if (is_made)
            eliminate(m, f, inverse, m->rest_at ? m->stack + m->rest_at[f] : top);
        if (m->is_made)
            m->is_made[f] = is_made;
        inverse += m->pivots[f];
        if (m->parent[f] < 0)
            continue;
        top += cd_gram_rest(m, f);
        m->waiting[depth++] = f;
    }
}

void cd_gram_factor(cd_gram *m, const double *D, const double *values) { factor(m, D, values, NULL); }

void cd_gram_factor_changed(cd_gram *m, const double *D, const double *values, const bool *changed)
{
    factor(m, D, values, m->rest_at ? changed : NULL);
}

void cd_gram_solve(cd_gram *m, const double *D, double *x)
{
    double *t = m->front;
    const double *inverse = m->inverse;
    for (int32_t f = 0; f < m->count; f++) {
        const int32_t n = cd_gram_size(m, f), p = m->pivots[f];
        cd_gram_take(m, f, x, t);
        cd_front_forward(n, p, m->panel + m->panel_at[f], inverse, t);
        cd_gram_put(m, f, n, t, x);
        inverse += p;
    }
    for (int32_t f = m->count - 1; f >= 0; f--) {
        const int32_t n = cd_gram_size(m, f), p = m->pivots[f];
        cd_gram_take(m, f, x, t);
        inverse -= p;
        cd_front_backward(n, p, m->panel + m->panel_at[f], inverse, t);
        cd_gram_put(m, f, p, t, x);
    }
    for (int32_t k = 0; k < m->loose_count; k++)
        x[m->loose[k]] /= D[m->loose[k]];
}
