// The painter's order of many parts: pairs that overlap in the picture by a sweep, an edge for each, and the graph
// taken apart from the back.
// SPDX-License-Identifier: MIT
#include "cd_box_pairs.h"
#include "plot_part.h"

#include <math.h>

typedef struct sorting {
    const cd_plot_part *part;
    int32_t count;
    double *depth;          // [m] of the middle, towards the eye
    int32_t *behind;        // number of undrawn parts that must come before
    int32_t *first, *next;  // parts that come after i: next[first[i]] .. next[first[i + 1] - 1]
    int32_t *heap, heap_count;
} sorting;

static bool is_deeper(const sorting *s, int32_t i, int32_t j)
{
    return s->depth[i] != s->depth[j] ? s->depth[i] < s->depth[j] : i < j;
}

// ---- heap of the parts that may be drawn, the deepest first --------------------------------------------------------

static void push(sorting *s, int32_t item)
{
    int32_t at = s->heap_count++;
    for (; at > 0 && is_deeper(s, item, s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = item;
}

static int32_t pop(sorting *s)
{
    int32_t top = s->heap[0], item = s->heap[--s->heap_count], at = 0;
    for (;;) {
        int32_t child = 2 * at + 1;
        if (child >= s->heap_count)
            break;
        if (child + 1 < s->heap_count && is_deeper(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (!is_deeper(s, s->heap[child], item))
            break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = item;
    return top;
}

// ---- the graph -----------------------------------------------------------------------------------------------------

typedef struct pair_count {
    int64_t count;
} pair_count;

static bool is_wanted(const void *context, int32_t i, int32_t j)
{
    (void)i;
    (void)j;
    // The sweep offers no way to stop it; beyond the limit it lists nothing more.
    pair_count *pairs = *(pair_count *const *)context;
    return pairs->count++ < CD_PLOT_MOST_PAIRS;
}

// Each pair once, the one to be drawn first as `a`; false: too many.
static bool find_pairs(cd_arena *arena, const sorting *s, cd_box_pairs *pairs)
{
    cd_aabb *box = CD_ARENA_ARRAY(arena, cd_aabb, s->count);
    for (int32_t i = 0; i < s->count; i++)
        box[i] = (cd_aabb){{s->part[i].low.x, s->part[i].low.y, 0}, {s->part[i].high.x, s->part[i].high.y, 0}};
    pair_count seen = {0}, *context = &seen;
    cd_box_sweep(box, s->count, 2, is_wanted, &context, arena, pairs);
    if (seen.count > CD_PLOT_MOST_PAIRS)
        return false;
    int32_t kept = 0;
    for (int32_t k = 0; k < pairs->count; k++) {
        int32_t i = pairs->item[k].a, j = pairs->item[k].b;
        if (i > j) {
            i = pairs->item[k].b;
            j = pairs->item[k].a;
        }
        int order = cd_plot_part_order(&s->part[i], &s->part[j]);
        if (order != 0)
            pairs->item[kept++] = order < 0 ? (cd_box_pair){i, j} : (cd_box_pair){j, i};
    }
    pairs->count = kept;
    return true;
}

static void make_graph(cd_arena *arena, sorting *s, const cd_box_pairs *pairs)
{
    s->first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)s->count + 1);
    s->next = CD_ARENA_ARRAY(arena, int32_t, pairs->count);
    for (int32_t k = 0; k < pairs->count; k++) {
        s->first[pairs->item[k].a + 1]++;
        s->behind[pairs->item[k].b]++;
    }
    for (int32_t i = 0; i < s->count; i++)
        s->first[i + 1] += s->first[i];
    int32_t *filled = CD_ARENA_ZARRAY(arena, int32_t, s->count);
    for (int32_t k = 0; k < pairs->count; k++) {
        int32_t a = pairs->item[k].a;
        s->next[s->first[a] + filled[a]++] = pairs->item[k].b;
    }
}

// By depth alone: what a heap of all gives.
static void sort_by_depth(sorting *s, int32_t *order)
{
    for (int32_t i = 0; i < s->count; i++)
        push(s, i);
    for (int32_t k = 0; k < s->count; k++)
        order[k] = pop(s);
}

// Takes the graph apart from the back: what nothing undrawn is behind, the deepest first. `deepest`: all by depth.
static void take_apart(sorting *s, const int32_t *deepest, int32_t *order)
{
    enum { DRAWN = -1 };
    for (int32_t i = 0; i < s->count; i++)
        if (s->behind[i] == 0)
            push(s, i);
    for (int32_t k = 0, start = 0; k < s->count; k++) {
        if (s->heap_count == 0) {  // a circle: broken where it is deepest
            while (s->behind[deepest[start]] <= 0)
                start++;
            s->behind[deepest[start]] = 0;
            push(s, deepest[start]);
        }
        int32_t i = order[k] = pop(s);
        s->behind[i] = DRAWN;
        for (int32_t e = s->first[i]; e < s->first[i + 1]; e++)
            if (s->behind[s->next[e]] > 0 && --s->behind[s->next[e]] == 0)
                push(s, s->next[e]);
    }
}

int32_t *cd_plot_parts_sort(cd_arena *arena, const cd_plot_part *part, int32_t count)
{
    int32_t *order = CD_ARENA_ARRAY(arena, int32_t, count), *deepest = CD_ARENA_ARRAY(arena, int32_t, count);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    sorting s = {.part = part,
                 .count = count,
                 .depth = CD_ARENA_ARRAY(arena, double, count),
                 .behind = CD_ARENA_ZARRAY(arena, int32_t, count),
                 .heap = CD_ARENA_ARRAY(arena, int32_t, count)};
    for (int32_t i = 0; i < count; i++)
        s.depth[i] = 0.5 * (part[i].low.z + part[i].high.z);
    sort_by_depth(&s, deepest);
    cd_box_pairs pairs = {0};
    if (count < 2 || !find_pairs(arena, &s, &pairs)) {
        memcpy(order, deepest, (size_t)count * sizeof *order);
    } else {
        make_graph(arena, &s, &pairs);
        take_apart(&s, deepest, order);
    }
    cd_arena_rewind(arena, mark);
    return order;
}
