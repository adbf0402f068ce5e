// The largest distance of two points in space: pairs of boxes, the widest first, until none can hold more than was
// found. Points on a sphere, where every point has one nearly as far away, take O(n log n) so; trying pairs takes
// O(n^2).
// SPDX-License-Identifier: MIT
#include "cd_polyhedron.h"

enum { LEAF_POINTS = 8 };

typedef struct node {
    cd_vec3 low, high;
    int32_t first, count;  // of points
    int32_t child;         // of two, the second beside it; -1: not cut
} node;

typedef struct search {
    cd_arena *arena;
    cd_vec3 *point;
    CD_LIST(node) nodes;
    double best;  // [m^2]
} search;

typedef struct node_pair {
    int32_t a, b;
    double bound;  // [m^2] of the distance of any two points in them
} node_pair;

static double component(cd_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static double square_distance(cd_vec3 a, cd_vec3 b)
{
    cd_vec3 d = cd_sub3(a, b);
    return cd_dot3(d, d);
}

static int32_t add_node(search *s, int32_t first, int32_t count)
{
    node n = {.low = s->point[first], .high = s->point[first], .first = first, .count = count, .child = -1};
    for (int32_t i = first + 1; i < first + count; i++) {
        cd_vec3 p = s->point[i];
        n.low = (cd_vec3){fmin(n.low.x, p.x), fmin(n.low.y, p.y), fmin(n.low.z, p.z)};
        n.high = (cd_vec3){fmax(n.high.x, p.x), fmax(n.high.y, p.y), fmax(n.high.z, p.z)};
    }
    cd_list_push(s->arena, &s->nodes, n);
    return s->nodes.count - 1;
}

// Cuts the box across its longest edge, in the middle: both halves have points, or the box is none.
static bool split(search *s, int32_t row)
{
    node n = s->nodes.item[row];
    cd_vec3 size = cd_sub3(n.high, n.low);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    double middle = component(n.low, axis) + component(size, axis) / 2;
    int32_t left = n.first;
    if (n.count <= LEAF_POINTS || !(component(size, axis) > 0))
        return false;
    for (int32_t i = n.first; i < n.first + n.count; i++)
        if (component(s->point[i], axis) < middle) {
            cd_vec3 swap = s->point[i];
            s->point[i] = s->point[left];
            s->point[left++] = swap;
        }
    if (left == n.first || left == n.first + n.count)  // neighbouring doubles
        return false;
    int32_t child = add_node(s, n.first, left - n.first);
    add_node(s, left, n.first + n.count - left);
    s->nodes.item[row].child = child;
    return true;
}

static node_pair pair_of(const search *s, int32_t a, int32_t b)
{
    const node *p = &s->nodes.item[a], *q = &s->nodes.item[b];
    cd_vec3 d = {fmax(p->high.x - q->low.x, q->high.x - p->low.x), fmax(p->high.y - q->low.y, q->high.y - p->low.y),
                 fmax(p->high.z - q->low.z, q->high.z - p->low.z)};
    return (node_pair){a, b, cd_dot3(d, d)};
}

static void try_points(search *s, const node *a, const node *b)
{
    for (int32_t i = a->first; i < a->first + a->count; i++)
        for (int32_t j = b->first; j < b->first + b->count; j++)
            s->best = fmax(s->best, square_distance(s->point[i], s->point[j]));
}

// A first lower bound: from the first point to the one farthest from it, and on from there.
static double far_pair(const cd_vec3 *point, int32_t count)
{
    int32_t from = 0;
    double best = 0;
    for (int sweep = 0; sweep < 3; sweep++) {
        int32_t to = from;
        double most = 0;
        for (int32_t i = 0; i < count; i++) {
            double d = square_distance(point[from], point[i]);
            to = d > most ? i : to;
            most = fmax(most, d);
        }
        best = fmax(best, most);
        from = to;
    }
    return best;
}

double cd_points_diameter3(const cd_vec3 *point, int32_t count, cd_arena *arena)
{
    if (count < 2)
        return 0;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    search s = {.arena = arena, .point = CD_ARENA_ARRAY(arena, cd_vec3, count), .best = far_pair(point, count)};
    memcpy(s.point, point, (size_t)count * sizeof *point);
    CD_LIST(node_pair) stack = {0};
    int32_t root = add_node(&s, 0, count);
    cd_list_push(arena, &stack, pair_of(&s, root, root));
    while (stack.count) {
        node_pair at = stack.item[--stack.count];
        if (at.bound <= s.best)
            continue;
        if (s.nodes.item[at.a].count < s.nodes.item[at.b].count)
            at = (node_pair){at.b, at.a, at.bound};
        if (s.nodes.item[at.a].child < 0 && !split(&s, at.a)) {
            try_points(&s, &s.nodes.item[at.a], &s.nodes.item[at.b]);
            continue;
        }
        int32_t child = s.nodes.item[at.a].child;
        node_pair one, two;
        if (at.a == at.b) {
            one = pair_of(&s, child, child);
            two = pair_of(&s, child + 1, child + 1);
            cd_list_push(arena, &stack, one);
            cd_list_push(arena, &stack, two);
            cd_list_push(arena, &stack, pair_of(&s, child, child + 1));
            continue;
        }
        one = pair_of(&s, child, at.b);
        two = pair_of(&s, child + 1, at.b);
        cd_list_push(arena, &stack, one.bound < two.bound ? one : two);
        cd_list_push(arena, &stack, one.bound < two.bound ? two : one);
    }
    cd_arena_rewind(arena, mark);
    return sqrt(s.best);
}
