// SPDX-License-Identifier: MIT
#include "cone_span.h"

#include "gram_front.h"
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

// Pivots are taken in panels: the front loses what a panel of columns of L takes only when the panel is full, at the
// speed of the front's kernels. Until then a column is made when its row becomes a pivot, and diagonals are kept apart.
// (Row after row, each from the whole front, took four times as long.)
enum { PANEL = 48 };

typedef struct search {
    const cd_lcp_structure *s;
    const node_list *nodes;
    const cd_gram_tree *tree;
    double *first, *root;  // of each row: its diagonal entry at first, and the root of that
    fate *fate;            // of each row
    int32_t *place;        // of each row in the front at hand; -1: it is not there
    int32_t n, own, *row;  // rows of the front at hand, first those that it may eliminate
    int32_t *open;         // scratch: places of those that are left
    size_t stride;         // of the front's columns
    double *a, *panel;     // n columns, lower triangle; the columns of L that it has yet to lose
    int32_t depth;         // of the panel
    double *left, *bar;    // n: what is left of the diagonal; scratch
    rest *waiting;         // those of its children on top
    int32_t waits, *pivot, count;
    int64_t taken, room, most;  // entries of what waits; of `a` and the panel; of all
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
    for (int32_t c = e->waits - children; c < e->waits; c++) {
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
    return i > j ? e->a + (size_t)j * e->stride + (size_t)i : e->a + (size_t)i * e->stride + (size_t)j;
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
        const rest *r = &e->waiting[--e->waits];
        for (int32_t j = 0; j < r->n; j++) {
            for (int32_t i = j; i < r->n; i++)
                *entry(e, e->place[r->row[i]], e->place[r->row[j]]) += r->a[(size_t)j * (size_t)r->n + (size_t)i];
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
        const double first = e->first[e->row[i]], left = first > 0 ? e->left[i] / first : 0;
        if (left > least && e->fate[e->row[i]] == OPEN) {
            least = left;
            best = i;
        }
    }
    return best;
}

// The front loses what the panel takes. Rows that are no longer open have nothing in it.
static void empty_panel(search *e)
{
    cd_front_subtract(e->n, e->a, e->stride, e->panel, e->depth);
    e->depth = 0;
}

static void eliminate(search *e, int32_t p)
{
    if (e->depth == PANEL)
        empty_panel(e);
    double *column = e->panel + (size_t)e->depth * e->stride;
    for (int32_t i = 0; i < p; i++)
        column[i] = e->a[(size_t)i * e->stride + (size_t)p];
    memcpy(column + p, e->a + (size_t)p * e->stride + p, sizeof *column * (size_t)(e->n - p));
    for (int32_t k = 0; k < e->depth; k++)
        cd_vector_subtract(column, e->panel[(size_t)k * e->stride + (size_t)p], e->panel + (size_t)k * e->stride, e->n);
    const double inverse = 1 / sqrt(e->left[p]);
    e->fate[e->row[p]] = PIVOT;
    e->pivot[e->count++] = e->row[p];
    for (int32_t i = 0; i < e->n; i++) {
        column[i] = e->fate[e->row[i]] == OPEN ? column[i] * inverse : 0;
        e->left[i] -= column[i] * column[i];
    }
    e->depth++;
}

// Of column j, rows below: is nothing left of those that are to drop out beside those that are open?
static void check_column(search *e, int32_t j, double bound, const double *bar)
{
    const double *column = e->a + (size_t)j * e->stride;
    bool is_above = false;
    for (int32_t i = j + 1; i < e->n; i++)
        is_above |= fabs(column[i]) > bound * bar[i];
    if (is_above)
        e->status = CD_CONE_INDEFINITE;
}

// Rows that depend on those before drop out, unless something is left beside their diagonal.
static void drop(search *e)
{
    // Roots of all open rows, and of those that drop out.
    double *open = e->bar, *dropped = e->bar + e->n;
    for (int32_t i = 0; i < e->n; i++) {
        const int32_t row = e->row[i];
        const bool is_open = e->fate[row] == OPEN,
                   drops = is_open && i < e->own && !(e->left[i] > DEPENDS * e->first[row]);
        open[i] = is_open ? e->root[row] : INFINITY;
        dropped[i] = drops ? e->root[row] : INFINITY;
        if (drops && e->left[i] < -BESIDE * e->root[row] * e->root[row])
            e->status = CD_CONE_INDEFINITE;
    }
    for (int32_t j = 0; j < e->n; j++) {
        if (isfinite(dropped[j]))
            check_column(e, j, BESIDE * dropped[j], open);
        else if (isfinite(open[j]))
            check_column(e, j, BESIDE * open[j], dropped);
    }
    for (int32_t i = 0; i < e->own; i++) {
        if (isfinite(dropped[i]))
            e->fate[e->row[i]] = DEPENDENT;
    }
}

static void hand_on(search *e)
{
    rest *r = &e->waiting[e->waits++];
    *r = (rest){.row = cd_alloc(sizeof *r->row * (size_t)e->n)};
    for (int32_t i = 0; i < e->n; i++) {
        if (e->fate[e->row[i]] != OPEN)
            continue;
        e->open[r->n] = i;
        r->waits += i < e->own;
        r->row[r->n++] = e->row[i];
    }
    r->a = cd_alloc(sizeof *r->a * (size_t)r->n * (size_t)r->n);
    for (int32_t j = 0; j < r->n; j++) {
        const double *column = e->a + (size_t)e->open[j] * e->stride;
        double *out = r->a + (size_t)j * (size_t)r->n;
        out[j] = e->left[e->open[j]];
        for (int32_t i = j + 1; i < r->n; i++)
            out[i] = column[e->open[i]];
    }
    e->taken += (int64_t)r->n * r->n;
}

// Room for the front at hand, its lower triangle zero. false: there is none.
static bool make_room(search *e)
{
    const int64_t columns = e->n + PANEL + 3;  // and for left and bar
    e->stride = (size_t)cd_front_stride(e->n);
    const int64_t size = (int64_t)e->stride * columns;
    if (e->taken + size + (int64_t)e->n * e->n > e->most)
        return false;
    if (size > e->room) {
        cd_free(e->a);
        e->room = size + size / 2 < e->most - e->taken ? size + size / 2 : size;
        e->a = cd_alloc(sizeof *e->a * (size_t)e->room);
    }
    for (int32_t j = 0; j < e->n; j++)
        memset(e->a + (size_t)j * (e->stride + 1), 0, sizeof *e->a * (e->stride - (size_t)j));
    e->panel = e->a + (size_t)e->n * e->stride;
    e->left = e->panel + PANEL * e->stride;
    e->bar = e->left + e->stride;
    e->depth = 0;
    return true;
}

static void work_off(search *e, int32_t f, int32_t children)
{
    const bool is_last = e->tree->parent[f] < 0;
    list_rows(e, f, children);
    if (!make_room(e)) {
        e->status = CD_CONE_TOO_LARGE;
        return;
    }
    assemble(e, f, children);
    for (int32_t k = 0; k < e->n; k++) {
        e->place[e->row[k]] = -1;
        e->left[k] = *entry(e, k, k);
    }
    for (int32_t p = best_pivot(e, INDEPENDENT); p >= 0; p = best_pivot(e, is_last ? DEPENDS : INDEPENDENT))
        eliminate(e, p);
    empty_panel(e);
    drop(e);
    if (!is_last && e->status == CD_CONE_ROOT)
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
    while (e.waits > 0) {
        cd_free(e.waiting[--e.waits].a);
        cd_free(e.waiting[e.waits].row);
    }
    qsort(pivot, (size_t)e.count, sizeof *pivot, by_number);
    *count = e.count;
    cd_arena_rewind(scratch, before);
    return e.status;
}
