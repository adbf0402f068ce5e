// The convex hull of points in the plane, by Andrew's monotone chain with exact turns.
// SPDX-License-Identifier: MIT
#include "cd_polygon.h"
#include "cd_predicates.h"

#include <stdlib.h>

typedef struct indexed_point {
    cd_vec2 p;
    int32_t index;
} indexed_point;

// A total order (the index decides between equal points), so the result does not depend on the sorting method.
static int compare_points(const void *left, const void *right)
{
    const indexed_point *a = left, *b = right;
    if (a->p.x != b->p.x)
        return a->p.x < b->p.x ? -1 : 1;
    if (a->p.y != b->p.y)
        return a->p.y < b->p.y ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static int32_t drop_equal_points(indexed_point *point, int32_t count)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++)
        if (kept == 0 || point[i].p.x != point[kept - 1].p.x || point[i].p.y != point[kept - 1].p.y)
            point[kept++] = point[i];
    return kept;
}

// Pops all points of the chain above `floor` that are no left turn towards `next`, then pushes it.
static int32_t extend_chain(indexed_point *chain, int32_t count, int32_t floor, indexed_point next)
{
    while (count >= floor + 2 && cd_orient2d(chain[count - 2].p, chain[count - 1].p, next.p) <= 0)
        count--;
    chain[count] = next;
    return count + 1;
}

cd_polygon cd_hull2(const cd_vec2 *point, int32_t point_count, cd_arena *arena, int32_t *index)
{
    if (point_count < 1)
        return (cd_polygon){0, NULL};
    cd_vec2 *vertex = CD_ARENA_ARRAY(arena, cd_vec2, point_count);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    indexed_point *sorted = CD_ARENA_ARRAY(arena, indexed_point, point_count);
    indexed_point *chain = CD_ARENA_ARRAY(arena, indexed_point, 2 * (size_t)point_count);
    for (int32_t i = 0; i < point_count; i++)
        sorted[i] = (indexed_point){point[i], i};
    qsort(sorted, (size_t)point_count, sizeof *sorted, compare_points);
    int32_t distinct = drop_equal_points(sorted, point_count);

    int32_t count = 0;
    for (int32_t i = 0; i < distinct; i++)  // lower chain, left to right
        count = extend_chain(chain, count, 0, sorted[i]);
    int32_t floor = count - 1;
    for (int32_t i = distinct - 2; i >= 0; i--)  // upper chain, right to left, standing on the last lower point
        count = extend_chain(chain, count, floor, sorted[i]);
    if (count > 1)
        count--;  // the upper chain ends with the first point again

    for (int32_t i = 0; i < count; i++) {
        vertex[i] = chain[i].p;
        if (index)
            index[i] = chain[i].index;
    }
    cd_arena_rewind(arena, mark);
    return (cd_polygon){count, vertex};
}
