// SPDX-License-Identifier: MIT
#include "gram_dissect.h"

enum {
    LEAF = 100,   // nodes that are not parted any more: least degree orders them as well
    COARSE = 60,  // nodes at which a graph is small enough to be parted from several seeds
    SEEDS = 4,
    PASSES = 6,         // of refining at one size
    STALL = 40,         // moves without a gain that end a pass,
    STALL_SMALL = 10,   // on the smallest graph,
    STALL_BORDER = 60,  // of a separator
    CHANGES_MOST = 4,   // nodes of the graph that change sides in such a pass, each time counted
    HEAVIEST_OF = 24,   // a joined node holds at most this part of the weight
    CLIQUE_MOST = 64    // nodes of one clique: larger ones would make the graph dense
};
#define HALF_MOST 0.56    // of the weight in one half
#define SIDE_MOST 0.6     // the same of either side of a separator
#define SHRINK_LEAST 0.9  // of the nodes: a graph that shrinks less is parted as it is

typedef struct graph {
    int32_t n;
    int32_t *first, *to, *cut;  // edges of node i, each in both directions, and what cutting them costs
    int32_t *weight;            // of nodes
    int64_t total;
} graph;

// ---- graphs --------------------------------------------------------------------------------------------------------

// Sums of the entries, in place: from counts at i + 1 to where node i begins.
static void add_up(int32_t *first, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        first[i + 1] += first[i];
}

// Joins equal edges of each node; loops go.
static void join_edges(graph *g, cd_arena *scratch)
{
    int32_t *place = CD_ARENA_ARRAY(scratch, int32_t, g->n), count = 0;
    memset(place, -1, sizeof *place * (size_t)g->n);
    for (int32_t i = 0, begin = 0; i < g->n; i++) {
        const int32_t end = g->first[i + 1], own = count;
        g->first[i] = own;
        for (int32_t e = begin; e < end; e++) {
            const int32_t j = g->to[e];
            if (j == i)
                continue;
            if (place[j] >= own) {
                g->cut[place[j]] += g->cut[e];
                continue;
            }
            place[j] = count;
            g->to[count] = j;
            g->cut[count++] = g->cut[e];
        }
        begin = end;
    }
    g->first[g->n] = count;
}

static graph graph_make(int32_t n, int64_t edges, cd_arena *arena)
{
    return (graph){.n = n,
                   .first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)n + 1),
                   .to = CD_ARENA_ARRAY(arena, int32_t, edges),
                   .cut = CD_ARENA_ARRAY(arena, int32_t, edges),
                   .weight = CD_ARENA_ZARRAY(arena, int32_t, n)};
}

// An edge of weight 1 between any two nodes of a clique. node_of: of each node of the graph.
static graph read_cliques(const cd_gram_cliques *in, const bool *is_left_out, int32_t *node_of, cd_arena *arena)
{
    // ---- the nodes that stay, and room for their edges ----
    int32_t *at = CD_ARENA_ARRAY(arena, int32_t, in->node_count), n = 0;
    for (int32_t i = 0; i < in->node_count; i++) {
        at[i] = is_left_out[i] ? -1 : n;
        node_of[n] = i;
        n += !is_left_out[i];
    }
    int64_t edges = 0;
    for (int32_t c = 0; c < in->clique_count; c++) {
        const int64_t k = in->first[c + 1] - in->first[c];
        edges += k <= CLIQUE_MOST ? k * (k - 1) : 0;
    }
    graph g = graph_make(n, edges, arena);
    // ---- the edges, counted and then filled in ----
    int32_t *end = CD_ARENA_ZARRAY(arena, int32_t, (size_t)n + 1);
    for (int fill = 0; fill < 2; fill++) {
        for (int32_t c = 0; c < in->clique_count; c++) {
            const int32_t *node = in->node + in->first[c], k = in->first[c + 1] - in->first[c];
            for (int32_t a = 0; a < k && k <= CLIQUE_MOST; a++) {
                for (int32_t b = 0; b < k; b++) {
                    if (a == b || at[node[a]] < 0 || at[node[b]] < 0)
                        continue;
                    if (!fill) {
                        end[at[node[a]] + 1]++;
                        continue;
                    }
                    g.cut[end[at[node[a]]]] = 1;
                    g.to[end[at[node[a]]]++] = at[node[b]];
                }
            }
        }
        if (!fill) {
            add_up(end, n);
            memcpy(g.first, end, sizeof *end * ((size_t)n + 1));
        }
    }
    // ---- weights; edges of several cliques become one ----
    for (int32_t i = 0; i < n; i++) {
        g.weight[i] = in->size[node_of[i]];
        g.total += g.weight[i];
    }
    join_edges(&g, arena);
    return g;
}

// The nodes with `side` as a graph of their own. node: of each of them the number it has in g.
static graph part_of(const graph *g, const uint8_t *side, uint8_t which, int32_t *node, cd_arena *arena)
{
    int32_t *at = CD_ARENA_ARRAY(arena, int32_t, g->n), n = 0, edges = 0;
    for (int32_t i = 0; i < g->n; i++) {
        at[i] = side[i] == which ? n : -1;
        if (side[i] != which)
            continue;
        node[n++] = i;
        edges += g->first[i + 1] - g->first[i];
    }
    graph out = graph_make(n, edges, arena);
    int32_t count = 0;
    for (int32_t k = 0; k < n; k++) {
        const int32_t i = node[k];
        for (int32_t e = g->first[i]; e < g->first[i + 1]; e++) {
            if (at[g->to[e]] < 0)
                continue;
            out.to[count] = at[g->to[e]];
            out.cut[count++] = g->cut[e];
        }
        out.first[k + 1] = count;
        out.weight[k] = g->weight[i];
        out.total += g->weight[i];
    }
    return out;
}

// ---- halving by edges ----------------------------------------------------------------------------------------------

typedef struct halves {
    const graph *g;
    uint8_t *side;
    int64_t weight[2], most;
    int32_t *gain;            // edges that moving a node would take out of the cut, less those it would bring in
    int32_t *seen, count;     // nodes that moves are chosen from
    bool *is_seen, *is_held;  // held: it has moved in this pass
    int32_t *moved;
} halves;

static halves halves_make(const graph *g, uint8_t *side, cd_arena *scratch)
{
    const int64_t most = (int64_t)(HALF_MOST * (double)g->total) + 1;
    return (halves){.g = g,
                    .side = side,
                    .most = most,
                    .gain = CD_ARENA_ARRAY(scratch, int32_t, g->n),
                    .seen = CD_ARENA_ARRAY(scratch, int32_t, g->n),
                    .is_seen = CD_ARENA_ARRAY(scratch, bool, g->n),
                    .is_held = CD_ARENA_ARRAY(scratch, bool, g->n),
                    .moved = CD_ARENA_ARRAY(scratch, int32_t, g->n)};
}

// Gains of all nodes; those at the cut are seen. Returns the cut.
static int64_t measure(halves *h)
{
    const graph *g = h->g;
    int64_t cut = 0;
    h->weight[0] = h->weight[1] = 0;
    h->count = 0;
    memset(h->is_held, 0, sizeof *h->is_held * (size_t)g->n);
    for (int32_t i = 0; i < g->n; i++) {
        int32_t within = 0, across = 0;
        for (int32_t e = g->first[i]; e < g->first[i + 1]; e++) {
            if (h->side[g->to[e]] == h->side[i])
                within += g->cut[e];
            else
                across += g->cut[e];
        }
        h->gain[i] = across - within;
        h->is_seen[i] = across > 0;
        if (across > 0)
            h->seen[h->count++] = i;
        h->weight[h->side[i]] += g->weight[i];
        cut += across;
    }
    return cut / 2;
}

static void move_over(halves *h, int32_t i)
{
    const graph *g = h->g;
    h->weight[h->side[i]] -= g->weight[i];
    h->side[i] ^= 1;
    h->weight[h->side[i]] += g->weight[i];
    h->gain[i] = -h->gain[i];
    for (int32_t e = g->first[i]; e < g->first[i + 1]; e++) {
        const int32_t j = g->to[e];
        h->gain[j] += h->side[j] == h->side[i] ? -2 * g->cut[e] : 2 * g->cut[e];
        if (!h->is_seen[j])
            h->seen[h->count++] = j;
        h->is_seen[j] = true;
    }
}

// The node whose move gains most and keeps the halves in balance, or brings them nearer to it; -1: none.
static int32_t choose(halves *h)
{
    int32_t best = -1, free = 0;
    for (int32_t k = 0; k < h->count; k++) {
        const int32_t i = h->seen[k], from = h->side[i];
        if (h->is_held[i])
            continue;
        h->seen[free++] = i;
        if (h->weight[1 - from] + h->g->weight[i] > h->most && h->weight[from] <= h->most)
            continue;
        const bool is_better = best < 0 || h->gain[i] > h->gain[best] ||
                               (h->gain[i] == h->gain[best] && h->weight[from] > h->weight[h->side[best]]);
        best = is_better ? i : best;
    }
    h->count = free;
    return best;
}

static int64_t uneven(const halves *h)
{
    return h->weight[0] > h->weight[1] ? h->weight[0] - h->weight[1] : h->weight[1] - h->weight[0];
}

// Passes of moves, each taken back to where it was best. Returns the cut.
static int64_t refine(halves *h, int32_t stall)
{
    int64_t cut = measure(h);
    for (int pass = 0; pass < PASSES; pass++) {
        int64_t now = cut, least = cut, least_uneven = uneven(h);
        int32_t moves = 0, kept = 0;
        while (moves - kept < stall) {
            const int32_t i = choose(h);
            if (i < 0)
                break;
            now -= h->gain[i];
            h->is_held[i] = true;
            h->moved[moves++] = i;
            move_over(h, i);
            const bool was_off = least_uneven > 2 * h->most - h->g->total;
            if (was_off ? uneven(h) < least_uneven : now < least || (now == least && uneven(h) < least_uneven)) {
                least = now;
                least_uneven = uneven(h);
                kept = moves;
            }
        }
        while (moves > kept)
            move_over(h, h->moved[--moves]);
        if (kept == 0)
            break;
        cut = measure(h);
    }
    return cut;
}

// Nodes from `seed` on, nearest first, until they weigh half; where they cannot go on, from the first one that is left.
static void grow(const graph *g, int32_t seed, uint8_t *side, int32_t *queue)
{
    int64_t weight = 0;
    int32_t begin = 0, end = 0, next = 0;
    memset(side, 1, sizeof *side * (size_t)g->n);
    queue[end++] = seed;
    side[seed] = 0;
    while (2 * weight < g->total) {
        if (begin == end) {
            while (side[next] == 0)
                next++;
            side[next] = 0;
            queue[end++] = next;
        }
        const int32_t i = queue[begin++];
        weight += g->weight[i];
        for (int32_t e = g->first[i]; e < g->first[i + 1]; e++) {
            if (side[g->to[e]] == 0)
                continue;
            side[g->to[e]] = 0;
            queue[end++] = g->to[e];
        }
    }
    while (begin < end)
        side[queue[begin++]] = 1;
}

// From several seeds: the halves with the least cut.
static void halve_small(const graph *g, uint8_t *side, cd_arena *scratch)
{
    uint8_t *trial = CD_ARENA_ARRAY(scratch, uint8_t, g->n);
    int32_t *queue = CD_ARENA_ARRAY(scratch, int32_t, g->n);
    halves h = halves_make(g, trial, scratch);
    int64_t least = INT64_MAX;
    for (int k = 0; k < SEEDS; k++) {
        grow(g, (int32_t)((int64_t)g->n * k / SEEDS), trial, queue);
        const int64_t cut = refine(&h, STALL_SMALL);
        if (cut >= least || uneven(&h) > 2 * h.most - g->total)
            continue;
        least = cut;
        memcpy(side, trial, sizeof *side * (size_t)g->n);
    }
    if (least == INT64_MAX)
        memcpy(side, trial, sizeof *side * (size_t)g->n);
}

// Each node, beginning `from` (0 to 1) of the way through them, with the neighbour that the dearest edge leads to:
// `into` the node that both become. Returns how many.
static int32_t pair_up(const graph *g, double from, int32_t *into)
{
    const int32_t first = (int32_t)(from * g->n);
    const int64_t most = g->total / HEAVIEST_OF + 1;
    int32_t count = 0;
    memset(into, -1, sizeof *into * (size_t)g->n);
    for (int32_t k = 0; k < g->n; k++) {
        const int32_t i = first + k < g->n ? first + k : first + k - g->n;
        if (into[i] >= 0)
            continue;
        int32_t best = -1, cut = 0;
        for (int32_t e = g->first[i]; e < g->first[i + 1]; e++) {
            const int32_t j = g->to[e];
            if (into[j] >= 0 || g->cut[e] <= cut || g->weight[i] + (int64_t)g->weight[j] > most)
                continue;
            best = j;
            cut = g->cut[e];
        }
        into[i] = count;
        if (best >= 0)
            into[best] = count;
        count++;
    }
    return count;
}

static graph shrink(const graph *g, const int32_t *into, int32_t n, cd_arena *arena)
{
    graph out = graph_make(n, g->first[g->n], arena);
    int32_t *end = CD_ARENA_ZARRAY(arena, int32_t, (size_t)n + 1);
    for (int32_t i = 0; i < g->n; i++) {
        end[into[i] + 1] += g->first[i + 1] - g->first[i];
        out.weight[into[i]] += g->weight[i];
    }
    add_up(end, n);
    memcpy(out.first, end, sizeof *end * ((size_t)n + 1));
    for (int32_t i = 0; i < g->n; i++) {
        for (int32_t e = g->first[i]; e < g->first[i + 1]; e++) {
            const int32_t k = end[into[i]]++;
            out.to[k] = into[g->to[e]];
            out.cut[k] = g->cut[e];
        }
    }
    out.total = g->total;
    join_edges(&out, arena);
    return out;
}

// from: of pair_up, at every size.
static void halve(const graph *g, double from, uint8_t *side, cd_arena *scratch)
{
    int32_t *into = CD_ARENA_ARRAY(scratch, int32_t, g->n), n = g->n;
    if (g->n > COARSE)
        n = pair_up(g, from, into);
    if (n >= SHRINK_LEAST * g->n) {
        halve_small(g, side, scratch);
        return;
    }
    const graph small = shrink(g, into, n, scratch);
    uint8_t *of_small = CD_ARENA_ARRAY(scratch, uint8_t, n);
    halve(&small, from, of_small, scratch);
    for (int32_t i = 0; i < g->n; i++)
        side[i] = of_small[into[i]];
    halves h = halves_make(g, side, scratch);
    (void)refine(&h, STALL);
}

// ---- separators ----------------------------------------------------------------------------------------------------

enum { SEPARATOR = 2 };

typedef struct matching {
    const graph *g;
    const uint8_t *side;
    int32_t *mate;  // -1: none
    int32_t *met;   // the search a node was last met in
    int32_t *stack, *edge;
} matching;

// A way from `root`, on side 0, that takes every second edge from the matching and ends at a node without a mate: those
// edges change places. `search`: its mark. False: there is none, and all that can be reached is marked.
static bool augment(matching *m, int32_t root, int32_t search)
{
    const graph *g = m->g;
    int32_t depth = 0;
    m->stack[depth] = root;
    m->edge[depth] = g->first[root];
    m->met[root] = search;
    while (depth >= 0) {
        const int32_t i = m->stack[depth];
        if (m->edge[depth] == g->first[i + 1]) {
            depth--;
            continue;
        }
        const int32_t j = g->to[m->edge[depth]++];
        if (m->side[j] == 0 || m->met[j] == search)
            continue;
        m->met[j] = search;
        const int32_t next = m->mate[j];
        if (next < 0) {
            for (int32_t end = j; depth >= 0; depth--) {
                const int32_t from = m->stack[depth], before = m->mate[from];
                m->mate[end] = from;
                m->mate[from] = end;
                end = before;
            }
            return true;
        }
        m->met[next] = search;
        m->stack[++depth] = next;
        m->edge[depth] = g->first[next];
    }
    return false;
}

// The fewest ends of cut edges that cover them all become the separator.
static void cover_cut(const graph *g, uint8_t *side, cd_arena *scratch)
{
    matching m = {.g = g,
                  .side = side,
                  .mate = CD_ARENA_ARRAY(scratch, int32_t, g->n),
                  .met = CD_ARENA_ZARRAY(scratch, int32_t, g->n),
                  .stack = CD_ARENA_ARRAY(scratch, int32_t, g->n),
                  .edge = CD_ARENA_ARRAY(scratch, int32_t, g->n)};
    memset(m.mate, -1, sizeof *m.mate * (size_t)g->n);
    for (int32_t i = 0; i < g->n; i++) {
        if (side[i] == 0)
            (void)augment(&m, i, i + 1);
    }
    // From the nodes of side 0 without a mate: what is met there is left out of the cover, on side 1 it is in it.
    const int32_t last = g->n + 1;
    memset(m.met, 0, sizeof *m.met * (size_t)g->n);
    for (int32_t i = 0; i < g->n; i++) {
        if (side[i] == 0 && m.mate[i] < 0)
            (void)augment(&m, i, last);
    }
    for (int32_t i = 0; i < g->n; i++) {
        if (m.mate[i] >= 0 && (m.met[i] == last) == (side[i] == 1))
            side[i] = SEPARATOR;
    }
}

// ---- refining a separator ------------------------------------------------------------------------------------------

typedef struct border {
    const graph *g;
    uint8_t *side;
    int64_t weight[3], most;
    int32_t *pull[2];      // of each node: what its neighbours on either side weigh
    int32_t *seen, count;  // nodes that have been in the separator
    bool *is_seen, *is_held;
    int32_t *changed, changes;  // nodes in the order in which they left their side in this pass,
    uint8_t *before;            // and which it was
} border;

static border border_make(const graph *g, uint8_t *side, cd_arena *scratch)
{
    const int32_t most = CHANGES_MOST * g->n;
    return (border){.g = g,
                    .side = side,
                    .most = (int64_t)(SIDE_MOST * (double)g->total) + 1,
                    .pull = {CD_ARENA_ARRAY(scratch, int32_t, g->n), CD_ARENA_ARRAY(scratch, int32_t, g->n)},
                    .seen = CD_ARENA_ARRAY(scratch, int32_t, g->n),
                    .is_seen = CD_ARENA_ARRAY(scratch, bool, g->n),
                    .is_held = CD_ARENA_ARRAY(scratch, bool, g->n),
                    .changed = CD_ARENA_ARRAY(scratch, int32_t, most),
                    .before = CD_ARENA_ARRAY(scratch, uint8_t, most)};
}

static void measure_border(border *b)
{
    const graph *g = b->g;
    memset(b->weight, 0, sizeof b->weight);
    memset(b->is_held, 0, sizeof *b->is_held * (size_t)g->n);
    b->count = b->changes = 0;
    for (int32_t i = 0; i < g->n; i++) {
        b->pull[0][i] = b->pull[1][i] = 0;
        for (int32_t e = g->first[i]; e < g->first[i + 1]; e++) {
            const uint8_t side = b->side[g->to[e]];
            if (side != SEPARATOR)
                b->pull[side][i] += g->weight[g->to[e]];
        }
        b->weight[b->side[i]] += g->weight[i];
        b->is_seen[i] = b->side[i] == SEPARATOR;
        if (b->is_seen[i])
            b->seen[b->count++] = i;
    }
}

static void change_side(border *b, int32_t i, uint8_t to)
{
    const graph *g = b->g;
    const uint8_t from = b->side[i];
    const int32_t weight = g->weight[i];
    b->weight[from] -= weight;
    b->weight[to] += weight;
    b->side[i] = to;
    for (int32_t e = g->first[i]; e < g->first[i + 1]; e++) {
        if (from != SEPARATOR)
            b->pull[from][g->to[e]] -= weight;
        if (to != SEPARATOR)
            b->pull[to][g->to[e]] += weight;
    }
    if (to == SEPARATOR && !b->is_seen[i]) {
        b->is_seen[i] = true;
        b->seen[b->count++] = i;
    }
}

// The node of the separator that makes it lightest by going to side `to`, where that has room; -1: none.
static int32_t choose_border(const border *b, uint8_t *to)
{
    int32_t best = -1;
    int64_t gain = 0;
    for (int32_t k = 0; k < b->count; k++) {
        const int32_t i = b->seen[k];
        if (b->side[i] != SEPARATOR || b->is_held[i])
            continue;
        for (uint8_t side = 0; side < 2; side++) {
            const int64_t own = b->g->weight[i], own_gain = own - b->pull[1 - side][i];
            if (b->weight[side] + own > b->most && b->weight[side] >= b->weight[1 - side])
                continue;
            if (best < 0 || own_gain > gain || (own_gain == gain && b->weight[side] < b->weight[*to])) {
                best = i;
                gain = own_gain;
                *to = side;
            }
        }
    }
    return best;
}

// A node goes from the separator to a side; its neighbours on the other one take its place.
static void move_border(border *b, int32_t i, uint8_t to)
{
    const graph *g = b->g;
    const uint8_t other = 1 - to;
    b->is_held[i] = true;
    b->changed[b->changes] = i;
    b->before[b->changes++] = SEPARATOR;
    change_side(b, i, to);
    for (int32_t e = g->first[i]; e < g->first[i + 1]; e++) {
        if (b->side[g->to[e]] != other)
            continue;
        b->changed[b->changes] = g->to[e];
        b->before[b->changes++] = other;
        change_side(b, g->to[e], SEPARATOR);
    }
}

// What separators are compared by, in this order; less is better.
typedef struct standing {
    int64_t excess, weight, difference;  // of the heavier side above its bound; of the separator; of both sides
} standing;

static standing stand(const border *b)
{
    const bool is_first = b->weight[0] > b->weight[1];
    const int64_t larger = b->weight[!is_first], smaller = b->weight[is_first];
    return (standing){larger > b->most ? larger - b->most : 0, b->weight[SEPARATOR], larger - smaller};
}

static bool is_better(const standing *a, const standing *b)
{
    if (a->excess != b->excess)
        return a->excess < b->excess;
    return a->weight != b->weight ? a->weight < b->weight : a->difference < b->difference;
}

// Passes of moves, each taken back to where the separator was lightest with both sides in their bounds.
static void refine_separator(const graph *g, uint8_t *side, cd_arena *scratch)
{
    border b = border_make(g, side, scratch);
    for (int pass = 0; pass < PASSES; pass++) {
        measure_border(&b);
        standing best = stand(&b);
        int32_t kept = 0;
        // A move changes every node once at most.
        for (int32_t since = 0; since < STALL_BORDER && b.changes + g->n <= CHANGES_MOST * g->n; since++) {
            uint8_t to = 0;
            const int32_t i = choose_border(&b, &to);
            if (i < 0)
                break;
            move_border(&b, i, to);
            const standing now = stand(&b);
            if (!is_better(&now, &best))
                continue;
            best = now;
            kept = b.changes;
            since = -1;
        }
        while (b.changes > kept) {
            b.changes--;
            change_side(&b, b.changed[b.changes], b.before[b.changes]);
        }
        if (kept == 0)
            break;
    }
}

// The lightest separator of several trials, each of which joins nodes from another one on. Trials of one graph cost far
// less than what a separator lighter by a tenth saves in each of many factors, whose work goes with its cube.
static void separate(const graph *g, int32_t trials, uint8_t *side, cd_arena *scratch)
{
    int64_t least = INT64_MAX;
    for (int32_t trial = 0; trial < trials; trial++) {
        cd_arena_mark mark = cd_arena_get_mark(scratch);
        uint8_t *own = CD_ARENA_ARRAY(scratch, uint8_t, g->n);
        halve(g, (double)trial / trials, own, scratch);
        cover_cut(g, own, scratch);
        refine_separator(g, own, scratch);
        int64_t weight[3] = {0};
        for (int32_t i = 0; i < g->n; i++)
            weight[own[i]] += g->weight[i];
        const bool is_parted = weight[0] > 0 && weight[1] > 0;
        if (trial == 0 || (is_parted && weight[SEPARATOR] < least))
            memcpy(side, own, sizeof *side * (size_t)g->n);
        if (is_parted && weight[SEPARATOR] < least)
            least = weight[SEPARATOR];
        cd_arena_rewind(scratch, mark);
    }
}

// Marks the separators of g and of its parts with their depth. node: the nodes of g as the caller numbers them.
static int32_t dissect(const graph *g, const int32_t *node, int32_t depth, int32_t trials, int32_t *depth_of,
                       cd_arena *scratch)
{
    if (g->n <= LEAF)
        return depth;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    uint8_t *side = CD_ARENA_ARRAY(scratch, uint8_t, g->n);
    separate(g, trials, side, scratch);
    int32_t count[3] = {0}, deepest = depth;
    for (int32_t i = 0; i < g->n; i++)
        count[side[i]]++;
    if (count[0] > 0 && count[1] > 0) {
        for (int32_t i = 0; i < g->n; i++) {
            if (side[i] == SEPARATOR)
                depth_of[node[i]] = depth;
        }
        for (uint8_t which = 0; which < 2; which++) {
            int32_t *own = CD_ARENA_ARRAY(scratch, int32_t, count[which]);
            const graph part = part_of(g, side, which, own, scratch);
            for (int32_t i = 0; i < part.n; i++)
                own[i] = node[own[i]];
            const int32_t below = dissect(&part, own, depth + 1, trials, depth_of, scratch);
            deepest = below > deepest ? below : deepest;
        }
    }
    cd_arena_rewind(scratch, mark);
    return deepest;
}

int32_t cd_gram_dissect(const cd_gram_cliques *in, const bool *is_left_out, int32_t trials, int32_t *rank,
                        cd_arena *scratch)
{
    int32_t *node = CD_ARENA_ARRAY(scratch, int32_t, in->node_count);
    const graph g = read_cliques(in, is_left_out, node, scratch);
    memset(rank, -1, sizeof *rank * (size_t)in->node_count);
    const int32_t deepest = dissect(&g, node, 0, trials, rank, scratch);
    for (int32_t i = 0; i < in->node_count; i++)
        rank[i] = rank[i] < 0 ? 0 : deepest - rank[i];
    return deepest + 1;
}
