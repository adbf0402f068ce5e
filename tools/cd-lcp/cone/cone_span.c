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
// A row is told to depend on rows of its own node where pivots above this part span it: rounding grows by no more than
// its inverse.
#define WITHIN 1e-4

// Nodes: rows with the same columns, as those of contacts of the same two bodies have. -1: rows that do not count.
typedef struct node_list {
    int32_t count, *of_row, *size;
    int32_t *first, *row;  // rows of node k: row[first[k]] .. row[first[k+1] - 1]
} node_list;

typedef struct mark {
    uint64_t sign;
    int32_t row;
} mark;

typedef enum fate { OPEN, PIVOT, DEPENDENT } fate;

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

double cd_cone_diagonal(const cd_lcp_structure *s, int32_t i)
{
    for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1]; k++) {
        if (s->direct.col[k] == i)
            return s->direct.value[k];
    }
    return 0;
}

// ---- nodes by themselves -------------------------------------------------------------------------------------------

// The rows of a node over the columns that it has, and what they lose to those of them that are pivots.
typedef struct bundle {
    int32_t count, columns;
    const int32_t *row;  // count
    const int32_t *col;  // columns
    double *a;           // count x columns
    int32_t *diagonal;   // count: the place of each row among the columns
    fate *fate;          // count
} bundle;

static bundle gather_bundle(const cd_lcp_rows *c, const node_list *nodes, int32_t k, int32_t *place, cd_arena *scratch)
{
    const int32_t *row = nodes->row + nodes->first[k], begin = c->first[row[0]];
    bundle b = {.count = nodes->size[k], .columns = c->first[row[0] + 1] - begin, .row = row, .col = c->col + begin};
    const size_t length = (size_t)b.columns;
    b.a = CD_ARENA_ARRAY(scratch, double, (size_t)b.count *length);
    b.diagonal = CD_ARENA_ARRAY(scratch, int32_t, b.count);
    b.fate = CD_ARENA_ZARRAY(scratch, fate, b.count);
    for (int32_t j = 0; j < b.columns; j++)
        place[b.col[j]] = j;
    for (int32_t i = 0; i < b.count; i++) {
        memcpy(b.a + (size_t)i * length, c->value + c->first[row[i]], sizeof *b.a * length);
        b.diagonal[i] = place[row[i]];
    }
    for (int32_t j = 0; j < b.columns; j++)
        place[b.col[j]] = -1;
    return b;
}

static double left_of(const bundle *b, int32_t i)
{
    return b->diagonal[i] < 0 ? 0 : b->a[(size_t)i * (size_t)b->columns + (size_t)b->diagonal[i]];
}

// Pivots above WITHIN, the largest part first, are taken from all other rows.
static void reduce_bundle(bundle *b, const double *first)
{
    for (;;) {
        int32_t p = -1;
        double most = WITHIN;
        for (int32_t i = 0; i < b->count; i++) {
            const double part = first[b->row[i]] > 0 ? left_of(b, i) / first[b->row[i]] : 0;
            if (b->fate[i] == OPEN && part > most) {
                most = part;
                p = i;
            }
        }
        if (p < 0)
            return;
        b->fate[p] = PIVOT;
        const double *from = b->a + (size_t)p * (size_t)b->columns, inverse = 1 / left_of(b, p);
        for (int32_t i = 0; i < b->count; i++) {
            if (b->fate[i] == OPEN)
                cd_vector_subtract(b->a + (size_t)i * (size_t)b->columns, from[b->diagonal[i]] * inverse, from,
                                   b->columns);
        }
    }
}

// Of an open row with a diagonal of rounding: is nothing left of it beside the rows that count?
static bool is_empty(const bundle *b, int32_t i, const double *root, const int32_t *node_of)
{
    const double *a = b->a + (size_t)i * (size_t)b->columns, bound = BESIDE * root[b->row[i]];
    bool is_above = false;
    for (int32_t j = 0; j < b->columns; j++)
        is_above |= node_of[b->col[j]] >= 0 && fabs(a[j]) > bound * root[b->col[j]];
    return !is_above;
}

// Rows that depend on others of their node are no longer of it, for no front needs them: the contacts of two bodies
// have as many rows as they like and rank 6. (A wall of 59,052 rows: the largest front had 9,400 rows and has 4,894.)
// false: the matrix is indefinite.
static bool thin_nodes(const cd_lcp_rows *c, node_list *nodes, const double *first, const double *root, int32_t *place,
                       cd_arena *scratch)
{
    int32_t count = 0;
    bool is_semidefinite = true;
    for (int32_t k = 0; k < nodes->count; k++) {
        const cd_arena_mark before = cd_arena_get_mark(scratch);
        bundle b = gather_bundle(c, nodes, k, place, scratch);
        reduce_bundle(&b, first);
        bool has_pivot = false;
        for (int32_t i = 0; i < b.count; i++)
            has_pivot |= b.fate[i] == PIVOT;
        nodes->size[k] = 0;
        for (int32_t i = 0; i < b.count; i++) {
            const int32_t row = b.row[i];
            if (has_pivot && b.fate[i] == OPEN && !(left_of(&b, i) > DEPENDS * first[row])) {
                is_semidefinite &= is_empty(&b, i, root, nodes->of_row);
                b.fate[i] = DEPENDENT;
            }
        }
        for (int32_t i = 0; i < b.count; i++) {
            const int32_t row = b.row[i];
            if (b.fate[i] == DEPENDENT)
                nodes->of_row[row] = -1;
            else
                nodes->row[count + nodes->size[k]++] = row;
        }
        nodes->first[k] = count;
        count += nodes->size[k];
        cd_arena_rewind(scratch, before);
    }
    nodes->first[nodes->count] = count;
    return is_semidefinite;
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

// What a front hands to its parent: rows that wait, then those that are the parent's. On the stack stand, from `at`,
// the lower triangle column by column and then the rows' numbers.
typedef struct rest {
    int32_t n, waits;
    size_t at;
} rest;

static size_t triangle(int32_t n) { return (size_t)n * ((size_t)n + 1) / 2; }

static size_t rest_size(int32_t n) { return triangle(n) + ((size_t)n + 1) / 2; }

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
    cd_region front, stack;  // of `a` to `bar`, and of what waits. (Blocks of their own for each front and each rest
                             // had the kernel clear 1.2 GB for 59,052 rows.)
    size_t taken, most;      // doubles: of the stack; of all
    cd_cone_root_status status;
} search;

static double *rest_entries(const search *e, const rest *r) { return (double *)e->stack.data + r->at; }

static int32_t *rest_rows(const search *e, const rest *r) { return (int32_t *)(rest_entries(e, r) + triangle(r->n)); }

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
        const rest *r = &e->waiting[c];
        memcpy(e->row + e->n, rest_rows(e, r), sizeof *e->row * (size_t)r->waits);
        e->n += r->waits;
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
        const double *from = rest_entries(e, r);
        const int32_t *row = rest_rows(e, r);
        for (int32_t i = 0; i < r->n; i++)
            e->open[i] = e->place[row[i]];
        for (int32_t j = 0; j < r->n; j++) {
            for (int32_t i = j; i < r->n; i++)
                *entry(e, e->open[i], e->open[j]) += *from++;
        }
        e->taken = r->at;
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
    *r = (rest){.at = e->taken};
    for (int32_t i = 0; i < e->n; i++) {
        if (e->fate[e->row[i]] != OPEN)
            continue;
        e->open[r->n++] = i;
        r->waits += i < e->own;
    }
    const size_t end = e->taken + rest_size(r->n);
    cd_region_reserve(&e->stack, e->taken * sizeof(double), end * sizeof(double));
    e->taken = end;
    double *out = rest_entries(e, r);
    int32_t *row = rest_rows(e, r);
    for (int32_t j = 0; j < r->n; j++) {
        const double *column = e->a + (size_t)e->open[j] * e->stride;
        row[j] = e->row[e->open[j]];
        *out++ = e->left[e->open[j]];
        for (int32_t i = j + 1; i < r->n; i++)
            *out++ = column[e->open[i]];
    }
}

// Room for the front at hand, its lower triangle zero. false: there is none.
static bool make_room(search *e)
{
    const size_t columns = (size_t)e->n + PANEL + 3;  // and for left and bar
    e->stride = (size_t)cd_front_stride(e->n);
    const size_t size = e->stride * columns;
    if (e->taken + size + rest_size(e->n) > e->most)
        return false;
    cd_region_reserve(&e->front, 0, size * sizeof(double));
    e->a = e->front.data;
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
    search e = {.s = s,
                .first = CD_ARENA_ARRAY(scratch, double, n),
                .root = CD_ARENA_ARRAY(scratch, double, n),
                .fate = CD_ARENA_ZARRAY(scratch, fate, n),
                .place = CD_ARENA_ARRAY(scratch, int32_t, n),
                .row = CD_ARENA_ARRAY(scratch, int32_t, n),
                .open = CD_ARENA_ARRAY(scratch, int32_t, n),
                .pivot = pivot,
                .most = (size_t)most / sizeof(double)};
    for (int32_t i = 0; i < s->n; i++) {
        e.first[i] = cd_cone_diagonal(s, i);
        e.root[i] = sqrt(cd_larger(0, e.first[i]));
        e.place[i] = -1;
    }
    node_list nodes = find_nodes(s, is_used, scratch);
    if (!thin_nodes(&s->direct, &nodes, e.first, e.root, e.place, scratch))
        e.status = CD_CONE_INDEFINITE;
    const cd_gram_cliques pairs = find_pairs(s, &nodes, scratch);
    const cd_gram_tree tree = cd_gram_order(&pairs, scratch);
    int32_t *children = CD_ARENA_ZARRAY(scratch, int32_t, tree.front_count);
    for (int32_t f = 0; f < tree.front_count; f++) {
        if (tree.parent[f] >= 0)
            children[tree.parent[f]]++;
    }
    e.nodes = &nodes;
    e.tree = &tree;
    e.waiting = CD_ARENA_ARRAY(scratch, rest, tree.front_count);
    for (int32_t f = 0; f < tree.front_count && e.status == CD_CONE_ROOT; f++)
        work_off(&e, f, children[f]);
    cd_region_release(&e.front);
    cd_region_release(&e.stack);
    qsort(pivot, (size_t)e.count, sizeof *pivot, by_number);
    *count = e.count;
    cd_arena_rewind(scratch, before);
    return e.status;
}
