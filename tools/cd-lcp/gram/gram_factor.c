// SPDX-License-Identifier: MIT
#include "gram_factor.h"

#include "gram_fronts.h"
#include "gram_order.h"

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
    for (int32_t k = 0; k < g->count; k++) {
        if (tree->home[clique_of[k]] >= 0)
            m->group_at[tree->home[clique_of[k]] + 1]++;
    }
    for (int32_t f = 0; f < m->count; f++)
        m->group_at[f + 1] += m->group_at[f];
    int32_t *at = CD_ARENA_ARRAY(scratch, int32_t, m->count);
    memcpy(at, m->group_at, sizeof *at * (size_t)m->count);
    for (int32_t k = 0; k < g->count; k++) {
        if (tree->home[clique_of[k]] >= 0)
            m->group[at[tree->home[clique_of[k]]]++] = k;
    }
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
        m->pivot_at[f] = f > 0 ? m->pivot_at[f - 1] + m->pivots[f - 1] : 0;
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
    m->threads = 1;
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
    m->pivot_at = CD_ARENA_ARRAY(arena, int32_t, m->count);
    memcpy(m->parent, tree.parent, sizeof *m->parent * (size_t)m->count);
    list_columns(m, &tree, block, &cliques, &scratch);
    find_places(m, &tree, clique_of, &scratch);
    if (groups->held_first)
        find_held(m, &scratch);
    measure(m, &tree, &scratch);
    cd_gram_find_parts(m);
    cd_arena_release(&scratch);
    return m;
}

double cd_gram_work(const cd_gram *m)
{
    double sum = 0;
    for (int32_t f = 0; f < m->count; f++)
        sum += cd_gram_front_work(m, f);
    return sum;
}

int64_t cd_gram_bytes(const cd_gram *m)
{
    return (m->panel_size + cd_gram_stack(m) + m->parts.rest_size + cd_gram_front_entries(m)) * (int64_t)sizeof(double);
}
