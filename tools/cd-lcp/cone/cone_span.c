// SPDX-License-Identifier: MIT
#include "cone_span.h"

#include "gram_order.h"
#include "lcp_vector.h"

#include <math.h>
#include <stdlib.h>

// What rounding leaves of a diagonal entry, as part of what it was at first: such a row depends on those before.
#define DEPENDS 1e-12
// Above this part a row is a pivot at once. What is between waits for the next front, which may have better ones: small
// pivots bring up what rounding leaves of all others.
#define INDEPENDENT 1e-2
// What a row that depends may still have beside the diagonal, in units of both diagonals' roots: sqrt(DEPENDS), and
// some for rounding. More is of an indefinite matrix.
#define BESIDE 1e-5

// Nodes: rows with the same columns, as those of contacts of the same two bodies have. -1: rows that do not count.
typedef struct node_list {
    int32_t count, *of_row, *size;
    int32_t *first, *row;  // rows of node k: row[first[k]] .. row[first[k+1] - 1]
} node_list;

typedef struct mark {
    uint64_t sign;
    int32_t row;
} mark;

static int by_sign(const void *a, const void *b)
{
    const mark *x = a, *y = b;
    if (x->sign != y->sign)
        return x->sign < y->sign ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static bool same_columns(const cd_lcp_rows *c, int32_t i, int32_t j)
{
    const int32_t count = c->first[i + 1] - c->first[i];
    return count == c->first[j + 1] - c->first[j] &&
           memcmp(c->col + c->first[i], c->col + c->first[j], sizeof *c->col * (size_t)count) == 0;
}

static node_list find_nodes(const cd_lcp_structure *s, const bool *is_used, cd_arena *scratch)
{
    const cd_lcp_rows *c = &s->direct;
    node_list out = {.of_row = CD_ARENA_ARRAY(scratch, int32_t, s->n),
                     .size = CD_ARENA_ZARRAY(scratch, int32_t, s->n),
                     .first = CD_ARENA_ZARRAY(scratch, int32_t, (size_t)s->n + 1),
                     .row = CD_ARENA_ARRAY(scratch, int32_t, s->n)};
    mark *marks = CD_ARENA_ARRAY(scratch, mark, s->n);
    int32_t used = 0;
    for (int32_t i = 0; i < s->n; i++) {
        out.of_row[i] = -1;
        if (!is_used[i])
            continue;
        uint64_t sign = 0;
        for (int32_t k = c->first[i]; k < c->first[i + 1]; k++)
            sign = (sign + (uint64_t)c->col[k] + 1) * UINT64_C(0x9e3779b97f4a7c15);
        marks[used++] = (mark){sign, i};
    }
    qsort(marks, (size_t)used, sizeof *marks, by_sign);
    for (int32_t k = 0; k < used; k++) {
        const bool is_same =
            k > 0 && marks[k].sign == marks[k - 1].sign && same_columns(c, marks[k].row, marks[k - 1].row);
        out.count += !is_same;
        out.of_row[marks[k].row] = out.count - 1;
        out.size[out.count - 1]++;
        out.row[k] = marks[k].row;
        out.first[out.count] = k + 1;
    }
    return out;
}

// Pairs of nodes with an entry, each of them a clique; and each node by itself.
static cd_gram_cliques find_pairs(const cd_lcp_structure *s, const node_list *nodes, cd_arena *scratch)
{
    const cd_lcp_rows *c = &s->direct;
    int32_t *seen = CD_ARENA_ARRAY(scratch, int32_t, nodes->count);
    CD_LIST(int32_t) first = {0}, node = {0};
    memset(seen, -1, sizeof *seen * (size_t)nodes->count);
    for (int32_t k = 0; k < nodes->count; k++) {
        const int32_t i = nodes->row[nodes->first[k]];
        cd_list_push(scratch, &first, node.count);
        cd_list_push(scratch, &node, k);
        for (int32_t e = c->first[i]; e < c->first[i + 1]; e++) {
            const int32_t other = nodes->of_row[c->col[e]];
            if (other <= k || seen[other] == k)
                continue;
            seen[other] = k;
            cd_list_push(scratch, &first, node.count);
            cd_list_push(scratch, &node, k);
            cd_list_push(scratch, &node, other);
        }
    }
    const int32_t count = first.count;
    cd_list_push(scratch, &first, node.count);
    return (cd_gram_cliques){
        .node_count = nodes->count, .clique_count = count, .size = nodes->size, .first = first.item, .node = node.item};
}

// ---- fronts --------------------------------------------------------------------------------------------------------

// What a front hands to its parent: rows that wait, then those that are the parent's; the lower triangle of n x n.
typedef struct rest {
    int32_t n, waits, *row;
    double *a;
} rest;

typedef enum fate { OPEN, PIVOT, DEPENDENT } fate;

typedef struct search {
    const cd_lcp_structure *s;
    const node_list *nodes;
    const cd_gram_tree *tree;
    double *first, *root;  // of each row: its diagonal entry at first, and the root of that
    fate *fate;            // of each row
    int32_t *place;        // of each row in the front at hand; -1: it is not there
    int32_t n, own, *row;  // rows of the front at hand, first those that it may eliminate
    int32_t *open;         // scratch: places of those that are left
    double *a, *column;    // lower triangle of n x n; n
    rest *waiting;         // those of its children on top
    int32_t depth, *pivot, count;
    int64_t taken, room, most;  // entries of what waits; of `a`; of both
    cd_cone_root_status status;
} search;

static void add_node(search *e, int32_t node)
{
    for (int32_t r = e->nodes->first[node]; r < e->nodes->first[node + 1]; r++)
        e->row[e->n++] = e->nodes->row[r];
}

// Rows of front f: what waits from its children, its own, those of the fronts above.
static void list_rows(search *e, int32_t f, int32_t children)
{
    const cd_gram_tree *tree = e->tree;
    e->n = 0;
    for (int32_t c = e->depth - children; c < e->depth; c++) {
        memcpy(e->row + e->n, e->waiting[c].row, sizeof *e->row * (size_t)e->waiting[c].waits);
        e->n += e->waiting[c].waits;
    }
    for (int32_t k = 0; k < tree->pivots[f]; k++)
        add_node(e, tree->node[tree->first[f] + k]);
    e->own = e->n;
    for (int32_t k = tree->first[f] + tree->pivots[f]; k < tree->first[f + 1]; k++)
        add_node(e, tree->node[k]);
    for (int32_t k = 0; k < e->n; k++)
        e->place[e->row[k]] = k;
}

static double *entry(const search *e, int32_t i, int32_t j)
{
    return i > j ? e->a + (size_t)i * (size_t)e->n + (size_t)j : e->a + (size_t)j * (size_t)e->n + (size_t)i;
}

// The entries of the rows of front f itself, and what its children left.
static void assemble(search *e, int32_t f, int32_t children)
{
    const cd_lcp_rows *c = &e->s->direct;
    int32_t begin = e->own;
    for (int32_t k = 0; k < e->tree->pivots[f]; k++)
        begin -= e->nodes->size[e->tree->node[e->tree->first[f] + k]];
    for (int32_t i = begin; i < e->own; i++) {
        for (int32_t k = c->first[e->row[i]]; k < c->first[e->row[i] + 1]; k++) {
            const int32_t j = e->place[c->col[k]];
            if (j >= i)
                *entry(e, i, j) = c->value[k];
        }
    }
    for (; children > 0; children--) {
        const rest *r = &e->waiting[--e->depth];
        for (int32_t i = 0; i < r->n; i++) {
            for (int32_t j = 0; j <= i; j++)
                *entry(e, e->place[r->row[i]], e->place[r->row[j]]) += r->a[(size_t)i * (size_t)r->n + (size_t)j];
        }
        e->taken -= (int64_t)r->n * r->n;
        cd_free(r->a);
        cd_free(r->row);
    }
}

// The row of the front with most of its diagonal left, if that is more than `least`.
static int32_t best_pivot(const search *e, double least)
{
    int32_t best = -1;
    for (int32_t i = 0; i < e->own; i++) {
        const double first = e->first[e->row[i]], left = first > 0 ? *entry(e, i, i) / first : 0;
        if (e->fate[e->row[i]] == OPEN && left > least) {
            least = left;
            best = i;
        }
    }
    return best;
}

static void eliminate(search *e, int32_t p)
{
    const double root = sqrt(*entry(e, p, p));
    e->fate[e->row[p]] = PIVOT;
    e->pivot[e->count++] = e->row[p];
    for (int32_t i = 0; i < e->n; i++)
        e->column[i] = e->fate[e->row[i]] == OPEN ? *entry(e, i, p) / root : 0;
    for (int32_t i = 0; i < e->n; i++) {
        if (e->column[i] != 0)
            cd_vector_subtract(e->a + (size_t)i * (size_t)e->n, e->column[i], e->column, i + 1);
    }
}

// Row i depends on those before: unless something is left beside its diagonal it drops out.
static void drop(search *e, int32_t i)
{
    const double root = e->root[e->row[i]];
    if (*entry(e, i, i) < -BESIDE * root * root)
        e->status = CD_CONE_INDEFINITE;
    for (int32_t j = 0; j < e->n; j++) {
        if (e->fate[e->row[j]] == OPEN && j != i && fabs(*entry(e, i, j)) > BESIDE * root * e->root[e->row[j]])
            e->status = CD_CONE_INDEFINITE;
    }
    e->fate[e->row[i]] = DEPENDENT;
}

static void hand_on(search *e)
{
    rest *r = &e->waiting[e->depth++];
    *r = (rest){.row = cd_alloc(sizeof *r->row * (size_t)e->n)};
    for (int32_t i = 0; i < e->n; i++) {
        if (e->fate[e->row[i]] != OPEN)
            continue;
        e->open[r->n] = i;
        r->waits += i < e->own;
        r->row[r->n++] = e->row[i];
    }
    r->a = cd_alloc(sizeof *r->a * (size_t)r->n * (size_t)r->n);
    for (int32_t i = 0; i < r->n; i++) {
        for (int32_t j = 0; j <= i; j++)
            r->a[(size_t)i * (size_t)r->n + (size_t)j] = *entry(e, e->open[i], e->open[j]);
    }
    e->taken += (int64_t)r->n * r->n;
}

static void work_off(search *e, int32_t f, int32_t children)
{
    const bool is_last = e->tree->parent[f] < 0;
    list_rows(e, f, children);
    const int64_t square = (int64_t)e->n * e->n;
    if (e->taken + 2 * square > e->most) {
        e->status = CD_CONE_TOO_LARGE;
        return;
    }
    if (square > e->room) {
        cd_free(e->a);
        e->a = cd_alloc(sizeof *e->a * (size_t)square);
        e->room = square;
    }
    for (int32_t i = 0; i < e->n; i++)
        memset(e->a + (size_t)i * (size_t)e->n, 0, sizeof *e->a * ((size_t)i + 1));
    assemble(e, f, children);
    for (int32_t k = 0; k < e->n; k++)
        e->place[e->row[k]] = -1;
    for (int32_t p = best_pivot(e, INDEPENDENT); p >= 0; p = best_pivot(e, is_last ? DEPENDS : INDEPENDENT))
        eliminate(e, p);
    for (int32_t i = 0; i < e->own && e->status == CD_CONE_ROOT; i++) {
        if (e->fate[e->row[i]] == OPEN && !(*entry(e, i, i) > DEPENDS * e->first[e->row[i]]))
            drop(e, i);
    }
    if (!is_last)
        hand_on(e);
}

double cd_cone_diagonal(const cd_lcp_structure *s, int32_t i)
{
    for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1]; k++) {
        if (s->direct.col[k] == i)
            return s->direct.value[k];
    }
    return 0;
}

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

cd_cone_root_status cd_cone_span(const cd_lcp_structure *s, const bool *is_used, int64_t most, int32_t *pivot,
                                 int32_t *count, cd_arena *scratch)
{
    const cd_arena_mark before = cd_arena_get_mark(scratch);
    const size_t n = (size_t)s->n;
    const node_list nodes = find_nodes(s, is_used, scratch);
    const cd_gram_cliques pairs = find_pairs(s, &nodes, scratch);
    const cd_gram_tree tree = cd_gram_order(&pairs, scratch);
    int32_t *children = CD_ARENA_ZARRAY(scratch, int32_t, tree.front_count);
    for (int32_t f = 0; f < tree.front_count; f++) {
        if (tree.parent[f] >= 0)
            children[tree.parent[f]]++;
    }
    search e = {.s = s,
                .nodes = &nodes,
                .tree = &tree,
                .first = CD_ARENA_ARRAY(scratch, double, n),
                .root = CD_ARENA_ARRAY(scratch, double, n),
                .fate = CD_ARENA_ZARRAY(scratch, fate, n),
                .place = CD_ARENA_ARRAY(scratch, int32_t, n),
                .row = CD_ARENA_ARRAY(scratch, int32_t, n),
                .open = CD_ARENA_ARRAY(scratch, int32_t, n),
                .column = CD_ARENA_ARRAY(scratch, double, n),
                .waiting = CD_ARENA_ARRAY(scratch, rest, tree.front_count),
                .pivot = pivot,
                .most = most / (int64_t)sizeof(double)};
    for (int32_t i = 0; i < s->n; i++) {
        e.first[i] = cd_cone_diagonal(s, i);
        e.root[i] = sqrt(cd_larger(0, e.first[i]));
        e.place[i] = -1;
    }
    for (int32_t f = 0; f < tree.front_count && e.status == CD_CONE_ROOT; f++)
        work_off(&e, f, children[f]);
    cd_free(e.a);
    while (e.depth > 0) {
        cd_free(e.waiting[--e.depth].a);
        cd_free(e.waiting[e.depth].row);
    }
    qsort(pivot, (size_t)e.count, sizeof *pivot, by_number);
    *count = e.count;
    cd_arena_rewind(scratch, before);
    return e.status;
}
