// SPDX-License-Identifier: MIT
#include "gram_dissect.h"

#include <math.h>

// A node in more cliques than this many times the root of the number of nodes is eliminated last: what it would cost to
// keep its degree up to date is more than the order gains.
#define DENSE_NODE 10
enum { DENSE_LEAST = 64 };

// Parting takes the time of some 5e4 multiplications a node, and saves a part of those of some 20 factors.
#define DISSECT_WORK 5e3       // multiplications of a factor by least degree for each node, from which it is tried,
enum { DISSECT_LEAST = 500 };  // and nodes
// From so many for each node several trials save a tenth or more of the factors: 10,000 spheres 2.1e10 -> 1.8e10.
#define TRIALS_WORK 2e5
enum { TRIALS = 8 };

// A front is joined to its parent where the work of one is no more than that of both, which counts [multiplications of
// an LU factor]: what any front takes, what each of its entries takes to be cleared and to get what children hand on,
// and the multiplications, zeros and all. Heaps of 200 hulls, path steps of cd-lcp [ms] by these two: 0, 0 0.95; 0, 1
// 0.944; 3000, 1 0.939; 3000, 3 0.926; 4000, 6 0.925; 10000, 1 0.96; 30000, 5 1.00. Problems of 100,000 contacts, by
// Cholesky, as before or 5 % less.
#define WORK_OF_FRONT 4000
#define WORK_OF_ENTRY 6

typedef struct list {
    int32_t *item;
    int32_t count;
} list;

typedef struct ordering {
    const cd_gram_cliques *in;
    cd_arena *arena;
    int32_t node_count, clique_count;  // cliques: those given, then one a node that was a pivot
    list *of_node;                     // cliques that a node is in
    list *of_clique;                   // live nodes of a clique
    int32_t *degree;                   // of live nodes: columns of their neighbours, or a bound
    int32_t *head, *next, *previous;   // nodes by degree
    int32_t least, most;
    const int32_t *rank;  // of nodes: all of a lower one go first; NULL: all are of one
    int32_t now;          // rank of those that go now, which are the ones in the lists
    const bool *is_dense;
    bool *is_gone;
    int32_t *absorbed_by;  // of a clique: the pivot whose clique it became part of; -1
    int32_t *outside;      // of a clique: columns that the pivot's clique does not have
    int32_t *seen;         // of a clique: the pivot it was last met for
    int32_t *mark;         // of a node: the same
    int32_t *pivot_of;     // of a node: the pivot it was eliminated with
    int32_t *weight;       // of a clique: columns of its nodes, as far as they are live
} ordering;

static bool is_listed(const ordering *o, int32_t i) { return !o->is_dense[i] && (!o->rank || o->rank[i] == o->now); }

static void enter(ordering *o, int32_t i)
{
    if (!is_listed(o, i))
        return;
    const int32_t d = o->degree[i];
    o->previous[i] = -1;
    o->next[i] = o->head[d];
    if (o->head[d] >= 0)
        o->previous[o->head[d]] = i;
    o->head[d] = i;
    if (d < o->least)
        o->least = d;
}

static void take_out(ordering *o, int32_t i)
{
    if (!is_listed(o, i))
        return;
    if (o->previous[i] >= 0)
        o->next[o->previous[i]] = o->next[i];
    else
        o->head[o->degree[i]] = o->next[i];
    if (o->next[i] >= 0)
        o->previous[o->next[i]] = o->previous[i];
}

static bool *find_dense(const cd_gram_cliques *in, cd_arena *arena)
{
    const double most = fmax(DENSE_LEAST, DENSE_NODE * sqrt((double)in->node_count));
    int32_t *count = CD_ARENA_ZARRAY(arena, int32_t, in->node_count);
    bool *out = CD_ARENA_ARRAY(arena, bool, in->node_count);
    for (int32_t k = 0; k < in->first[in->clique_count]; k++)
        count[in->node[k]]++;
    for (int32_t i = 0; i < in->node_count; i++)
        out[i] = count[i] > most;
    return out;
}

static ordering ordering_make(const cd_gram_cliques *in, const bool *is_dense, const int32_t *rank, cd_arena *arena)
{
    const int32_t n = in->node_count, cliques = in->clique_count + n;
    ordering o = {.in = in,
                  .arena = arena,
                  .node_count = n,
                  .clique_count = in->clique_count,
                  .rank = rank,
                  .is_dense = is_dense};
    o.of_node = CD_ARENA_ZARRAY(arena, list, n);
    o.of_clique = CD_ARENA_ZARRAY(arena, list, cliques);
    o.degree = CD_ARENA_ZARRAY(arena, int32_t, n);
    o.next = CD_ARENA_ARRAY(arena, int32_t, n);
    o.previous = CD_ARENA_ARRAY(arena, int32_t, n);
    o.is_gone = CD_ARENA_ZARRAY(arena, bool, n);
    o.absorbed_by = CD_ARENA_ARRAY(arena, int32_t, cliques);
    o.outside = CD_ARENA_ZARRAY(arena, int32_t, cliques);
    o.seen = CD_ARENA_ARRAY(arena, int32_t, cliques);
    o.weight = CD_ARENA_ZARRAY(arena, int32_t, cliques);
    o.mark = CD_ARENA_ARRAY(arena, int32_t, n);
    o.pivot_of = CD_ARENA_ARRAY(arena, int32_t, n);
    memset(o.absorbed_by, -1, sizeof *o.absorbed_by * (size_t)cliques);
    memset(o.seen, -1, sizeof *o.seen * (size_t)cliques);
    memset(o.mark, -1, sizeof *o.mark * (size_t)n);
    memset(o.pivot_of, -1, sizeof *o.pivot_of * (size_t)n);
    return o;
}

// Cliques and nodes as lists of each other; degrees, which count a neighbour in two cliques twice.
static void read_cliques(ordering *o)
{
    const cd_gram_cliques *in = o->in;
    const int32_t entries = in->first[in->clique_count];
    int32_t *room = CD_ARENA_ARRAY(o->arena, int32_t, entries), *copy = CD_ARENA_ARRAY(o->arena, int32_t, entries);
    memcpy(copy, in->node, sizeof *copy * (size_t)entries);
    for (int32_t c = 0; c < in->clique_count; c++) {
        o->of_clique[c] = (list){copy + in->first[c], in->first[c + 1] - in->first[c]};
        for (int32_t k = in->first[c]; k < in->first[c + 1]; k++) {
            o->of_node[in->node[k]].count++;
            o->weight[c] += in->size[in->node[k]];
        }
    }
    int32_t at = 0;
    for (int32_t i = 0; i < in->node_count; i++) {
        o->of_node[i].item = room + at;
        at += o->of_node[i].count;
        o->of_node[i].count = 0;
        o->most += in->size[i];
    }
    o->head = CD_ARENA_ARRAY(o->arena, int32_t, (size_t)o->most + 1);
    memset(o->head, -1, sizeof *o->head * ((size_t)o->most + 1));
    for (int32_t c = 0; c < in->clique_count; c++) {
        for (int32_t k = in->first[c]; k < in->first[c + 1]; k++) {
            list *l = &o->of_node[in->node[k]];
            l->item[l->count++] = c;
        }
    }
    o->least = o->most;
    for (int32_t i = 0; i < in->node_count; i++) {
        int64_t degree = 0;
        for (int32_t k = 0; k < o->of_node[i].count; k++)
            degree += o->weight[o->of_node[i].item[k]] - in->size[i];
        o->degree[i] = degree < o->most ? (int32_t)degree : o->most;
        enter(o, i);
    }
}

// The clique that eliminating p makes: the nodes of all its cliques, p left out. Those cliques are part of it now.
static list join_cliques(ordering *o, int32_t p)
{
    const int32_t own = o->in->clique_count + p;
    int32_t most = 0;
    for (int32_t k = 0; k < o->of_node[p].count; k++)
        most += o->of_clique[o->of_node[p].item[k]].count;
    list joined = {CD_ARENA_ARRAY(o->arena, int32_t, most), 0};
    o->mark[p] = p;
    for (int32_t k = 0; k < o->of_node[p].count; k++) {
        const int32_t c = o->of_node[p].item[k];
        o->absorbed_by[c] = p;
        for (int32_t j = 0; j < o->of_clique[c].count; j++) {
            const int32_t i = o->of_clique[c].item[j];
            if (o->is_gone[i] || o->mark[i] == p)
                continue;
            o->mark[i] = p;
            joined.item[joined.count++] = i;
            o->weight[own] += o->in->size[i];
        }
    }
    o->of_clique[own] = joined;
    return joined;
}

// For every other clique that the new one meets: how many of its columns lie outside of the new one.
static void count_outside(ordering *o, int32_t p, const list *joined)
{
    for (int32_t j = 0; j < joined->count; j++) {
        const int32_t i = joined->item[j];
        for (int32_t k = 0; k < o->of_node[i].count && !o->is_dense[i]; k++) {
            const int32_t c = o->of_node[i].item[k];
            if (o->absorbed_by[c] >= 0)
                continue;
            if (o->seen[c] != p) {
                o->seen[c] = p;
                o->outside[c] = o->weight[c];
            }
            o->outside[c] -= o->in->size[i];
        }
    }
}

static void eliminate(ordering *o, int32_t i, int32_t pivot)
{
    o->is_gone[i] = true;
    o->pivot_of[i] = pivot;
    for (int32_t k = 0; k < o->of_node[i].count; k++)
        o->weight[o->of_node[i].item[k]] -= o->in->size[i];
}

// Cliques of the nodes of the new one, and their degrees. Nodes that are in no other clique are eliminated at once.
// Returns how many of these were in the lists.
static int32_t update_nodes(ordering *o, int32_t p, list *joined)
{
    const int32_t own = o->in->clique_count + p;
    for (int32_t j = 0; j < joined->count; j++) {
        const int32_t i = joined->item[j];
        if (o->is_dense[i])
            continue;
        int32_t kept = 0;
        int64_t degree = 0;
        for (int32_t k = 0; k < o->of_node[i].count; k++) {
            const int32_t c = o->of_node[i].item[k];
            if (o->absorbed_by[c] < 0 && o->seen[c] == p && o->outside[c] == 0)
                o->absorbed_by[c] = p;
            if (o->absorbed_by[c] >= 0)
                continue;
            degree += o->outside[c];
            o->of_node[i].item[kept++] = c;
        }
        take_out(o, i);
        o->of_node[i].item[kept++] = own;  // there is room: one at least was absorbed
        o->of_node[i].count = kept;
        degree += o->weight[own] - o->in->size[i];
        o->degree[i] = degree < o->most ? (int32_t)degree : o->most;
    }
    int32_t live = 0, listed = 0;
    for (int32_t j = 0; j < joined->count; j++) {
        const int32_t i = joined->item[j];
        if (!o->is_dense[i] && o->of_node[i].count == 1) {
            eliminate(o, i, p);
            listed += is_listed(o, i);
            continue;
        }
        joined->item[live++] = i;
        enter(o, i);
    }
    joined->count = live;
    o->of_clique[own] = *joined;
    return listed;
}

// ---- fronts --------------------------------------------------------------------------------------------------------

// A front while fronts are joined: the pivots as a chain of nodes, the rest as the clique of its pivot.
typedef struct front {
    int32_t head, tail;   // chain of the nodes it eliminates
    int32_t columns;      // of these
    int32_t rest;         // columns of the rest
    int32_t parent;       // -1: none
    int32_t joined_with;  // -1: itself
    list nodes;           // of the rest
} front;

static int32_t find(front *fronts, int32_t f)
{
    while (fronts[f].joined_with >= 0)
        f = fronts[f].joined_with;
    return f;
}

// Of a front with so many columns of pivots and of the rest.
static double front_work(double pivots, double rest)
{
    const double all = pivots + rest;
    return WORK_OF_FRONT + WORK_OF_ENTRY * all * all + (all * all * all - rest * rest * rest) / 3;
}

// Joins a front to its parent where that is less work. The fronts bottom up.
static void join_fronts(front *fronts, int32_t count, int32_t *chain)
{
    for (int32_t k = 0; k < count; k++) {
        front *child = &fronts[k];
        if (child->parent < 0)
            continue;
        front *parent = &fronts[find(fronts, child->parent)];
        if (front_work(child->columns + parent->columns, parent->rest) >
            front_work(child->columns, child->rest) + front_work(parent->columns, parent->rest))
            continue;
        chain[child->tail] = parent->head;
        parent->head = child->head;
        parent->columns += child->columns;
        child->joined_with = (int32_t)(parent - fronts);
    }
}

// The order in which fronts are worked off: children before their parents, and right before them.
static int32_t *postorder(front *fronts, int32_t count, int32_t *kept, cd_arena *arena)
{
    int32_t *place = CD_ARENA_ARRAY(arena, int32_t, count), *child = CD_ARENA_ARRAY(arena, int32_t, count),
            *sibling = CD_ARENA_ARRAY(arena, int32_t, count), *stack = CD_ARENA_ARRAY(arena, int32_t, count), depth = 0;
    memset(child, -1, sizeof *child * (size_t)count);
    *kept = 0;
    for (int32_t f = count - 1; f >= 0; f--) {
        if (fronts[f].joined_with >= 0)
            continue;
        fronts[f].parent = fronts[f].parent < 0 ? -1 : find(fronts, fronts[f].parent);
        if (fronts[f].parent >= 0) {
            sibling[f] = child[fronts[f].parent];
            child[fronts[f].parent] = f;
        }
    }
    for (int32_t root = 0; root < count; root++) {
        if (fronts[root].joined_with >= 0 || fronts[root].parent >= 0)
            continue;
        stack[depth++] = root;
        while (depth > 0) {
            const int32_t f = stack[depth - 1];
            if (child[f] >= 0) {
                stack[depth++] = child[f];
                child[f] = sibling[child[f]];
                continue;
            }
            place[f] = (*kept)++;
            depth--;
        }
    }
    return place;
}

// The pivots as fronts, in the order of elimination.
static front *list_fronts(const ordering *o, const int32_t *pivot, int32_t count, int32_t *front_of, int32_t *chain,
                          cd_arena *arena)
{
    front *fronts = CD_ARENA_ARRAY(arena, front, count);
    for (int32_t f = 0; f < count; f++)
        front_of[pivot[f]] = f;
    for (int32_t f = 0; f < count; f++) {
        const int32_t p = pivot[f], own = o->in->clique_count + p;
        const int32_t up = o->absorbed_by[own];
        fronts[f] = (front){.head = -1,
                            .tail = -1,
                            .parent = up >= 0 ? front_of[up] : -1,
                            .joined_with = -1,
                            .nodes = o->of_clique[own]};
        for (int32_t k = 0; k < fronts[f].nodes.count; k++)
            fronts[f].rest += o->in->size[fronts[f].nodes.item[k]];
    }
    for (int32_t i = o->node_count - 1; i >= 0; i--) {
        front *f = &fronts[front_of[o->pivot_of[i]]];
        chain[i] = f->head;
        f->tail = f->head < 0 ? i : f->tail;
        f->head = i;
        f->columns += o->in->size[i];
    }
    return fronts;
}

// The rest of each front in the order of elimination: so what is below the diagonal stays there in the parent.
static void sort_rests(const cd_gram_tree *tree, int32_t node_count, cd_arena *scratch)
{
    int32_t *begin = CD_ARENA_ZARRAY(scratch, int32_t, (size_t)node_count + 1),
            *of_node = CD_ARENA_ARRAY(scratch, int32_t, tree->first[tree->front_count]),
            *end = CD_ARENA_ARRAY(scratch, int32_t, tree->front_count);
    for (int32_t f = 0; f < tree->front_count; f++) {
        end[f] = tree->first[f] + tree->pivots[f];
        for (int32_t k = end[f]; k < tree->first[f + 1]; k++)
            begin[tree->node[k]]++;
    }
    for (int32_t i = 0; i < node_count; i++)
        begin[i + 1] += begin[i];
    for (int32_t f = 0; f < tree->front_count; f++) {
        for (int32_t k = end[f]; k < tree->first[f + 1]; k++)
            of_node[--begin[tree->node[k]]] = f;
    }
    for (int32_t f = 0; f < tree->front_count; f++) {
        for (int32_t k = tree->first[f]; k < tree->first[f] + tree->pivots[f]; k++) {
            const int32_t i = tree->node[k];
            for (int32_t e = begin[i]; e < begin[i + 1]; e++)
                tree->node[end[of_node[e]]++] = i;
        }
    }
}

static cd_gram_tree tree_of(const ordering *o, const int32_t *pivot, int32_t count, cd_arena *arena)
{
    cd_arena *scratch = o->arena;
    int32_t *front_of = CD_ARENA_ARRAY(scratch, int32_t, o->node_count),
            *chain = CD_ARENA_ARRAY(scratch, int32_t, o->node_count);
    front *fronts = list_fronts(o, pivot, count, front_of, chain, scratch);
    join_fronts(fronts, count, chain);
    cd_gram_tree out = {0};
    const int32_t *place = postorder(fronts, count, &out.front_count, scratch);
    // Sizes, then contents.
    out.first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)out.front_count + 1);
    out.pivots = CD_ARENA_ZARRAY(arena, int32_t, out.front_count);
    out.parent = CD_ARENA_ARRAY(arena, int32_t, out.front_count);
    for (int32_t f = 0; f < count; f++) {
        if (fronts[f].joined_with >= 0)
            continue;
        for (int32_t i = fronts[f].head; i >= 0; i = chain[i])
            out.pivots[place[f]]++;
        out.first[place[f] + 1] = out.pivots[place[f]] + fronts[f].nodes.count;
        out.parent[place[f]] = fronts[f].parent < 0 ? -1 : place[fronts[f].parent];
    }
    for (int32_t f = 0; f < out.front_count; f++)
        out.first[f + 1] += out.first[f];
    out.node = CD_ARENA_ARRAY(arena, int32_t, out.first[out.front_count]);
    for (int32_t f = 0; f < count; f++) {
        if (fronts[f].joined_with >= 0)
            continue;
        int32_t at = out.first[place[f]];
        for (int32_t i = fronts[f].head; i >= 0; i = chain[i])
            out.node[at++] = i;
        if (fronts[f].nodes.count > 0)
            memcpy(out.node + at, fronts[f].nodes.item, sizeof *out.node * (size_t)fronts[f].nodes.count);
    }
    sort_rests(&out, o->node_count, scratch);
    out.home = CD_ARENA_ARRAY(arena, int32_t, o->in->clique_count);
    for (int32_t c = 0; c < o->in->clique_count; c++)
        out.home[c] = o->absorbed_by[c] < 0 ? -1 : place[find(fronts, front_of[o->absorbed_by[c]])];
    return out;
}

// Nodes that are in too many cliques: all in one last front.
static void eliminate_dense(ordering *o, int32_t *pivot, int32_t *count)
{
    int32_t p = -1;
    for (int32_t i = 0; i < o->node_count; i++) {
        if (o->is_gone[i])
            continue;
        if (p < 0)
            pivot[(*count)++] = p = i;
        o->is_gone[i] = true;
        o->pivot_of[i] = p;
    }
    for (int32_t c = 0; c < o->in->clique_count + o->node_count && p >= 0; c++) {
        const int32_t node = c - o->in->clique_count;
        const bool is_made = node < 0 || (o->pivot_of[node] == node && node != p);
        if (is_made && o->absorbed_by[c] < 0 && o->of_clique[c].count > 0)
            o->absorbed_by[c] = p;
    }
    if (p >= 0)
        o->weight[o->in->clique_count + p] = 0;
}

// All nodes of the rank that goes now.
static void eliminate_rank(ordering *o, int32_t *pivot, int32_t *count)
{
    int32_t left = 0;
    for (int32_t i = 0; i < o->node_count; i++)
        left += is_listed(o, i) && !o->is_gone[i];
    while (left > 0) {
        while (o->head[o->least] < 0)
            o->least++;
        const int32_t p = o->head[o->least];
        take_out(o, p);
        if (o->is_gone[p])
            continue;
        pivot[(*count)++] = p;
        eliminate(o, p, p);
        list joined = join_cliques(o, p);
        count_outside(o, p, &joined);
        left -= 1 + update_nodes(o, p, &joined);
    }
}

// rank: NULL, or of each node; ranks of them there are.
static cd_gram_tree order_by(const cd_gram_cliques *cliques, const bool *is_dense, const int32_t *rank, int32_t ranks,
                             cd_arena *arena)
{
    cd_arena scratch = {0};
    ordering o = ordering_make(cliques, is_dense, rank, &scratch);
    read_cliques(&o);
    int32_t *pivot = CD_ARENA_ARRAY(&scratch, int32_t, o.node_count), count = 0;
    eliminate_rank(&o, pivot, &count);
    for (o.now = 1; o.now < ranks; o.now++) {
        o.least = o.most;
        memset(o.head, -1, sizeof *o.head * ((size_t)o.most + 1));
        for (int32_t i = 0; i < o.node_count; i++) {
            if (!o.is_gone[i])
                enter(&o, i);
        }
        eliminate_rank(&o, pivot, &count);
    }
    eliminate_dense(&o, pivot, &count);
    cd_gram_tree tree = tree_of(&o, pivot, count, arena);
    cd_arena_release(&scratch);
    return tree;
}

// Multiplications of a factor.
static double work_of(const cd_gram_tree *tree, const int32_t *size)
{
    double sum = 0;
    for (int32_t f = 0; f < tree->front_count; f++) {
        double all = 0, rest = 0;
        for (int32_t k = tree->first[f]; k < tree->first[f + 1]; k++) {
            all += size[tree->node[k]];
            rest += k - tree->first[f] < tree->pivots[f] ? 0 : size[tree->node[k]];
        }
        sum += (all * all * all - rest * rest * rest) / 6;
    }
    return sum;
}

cd_gram_tree cd_gram_order(const cd_gram_cliques *cliques, cd_arena *arena)
{
    cd_arena scratch = {0};
    const bool *is_dense = find_dense(cliques, &scratch);
    cd_gram_tree best = order_by(cliques, is_dense, NULL, 1, arena);
    const double work = work_of(&best, cliques->size);
    if (cliques->node_count >= DISSECT_LEAST && work > DISSECT_WORK * cliques->node_count) {
        int32_t *rank = CD_ARENA_ARRAY(&scratch, int32_t, cliques->node_count);
        const int32_t trials = work > TRIALS_WORK * cliques->node_count ? TRIALS : 1;
        const int32_t ranks = cd_gram_dissect(cliques, is_dense, trials, rank, &scratch);
        const cd_gram_tree by_parts = order_by(cliques, is_dense, rank, ranks, arena);
        if (work_of(&by_parts, cliques->size) < work)
            best = by_parts;
    }
    cd_arena_release(&scratch);
    return best;
}
