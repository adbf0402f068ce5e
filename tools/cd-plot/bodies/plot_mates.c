// Faces of one body's surface that lie on different parts: which ones share an edge.
// SPDX-License-Identifier: MIT
#include "plot_part.h"

#include <math.h>
#include <stdlib.h>

// [1] of the shape: ends of edges this near are one. Parts are placed one by one, so their corners differ by rounding.
#define SAME 1e-6

typedef struct outer_edge {
    int64_t end[2][3];  // [SAME of the shape] the lower one first
    int32_t leaf, edge, face;
} outer_edge;

typedef CD_LIST(outer_edge) edge_list;

static bool is_inner(const cd_convex3 *c, int32_t face) { return c->surface && c->surface[face] == -1; }

static int compare_places(const outer_edge *a, const outer_edge *b)
{
    for (int k = 0; k < 6; k++) {
        int64_t p = a->end[k / 3][k % 3], q = b->end[k / 3][k % 3];
        if (p != q)
            return p < q ? -1 : 1;
    }
    return 0;
}

static int compare_edges(const void *left, const void *right)
{
    const outer_edge *a = left, *b = right;
    int places = compare_places(a, b);
    return places != 0          ? places
           : a->leaf != b->leaf ? (a->leaf > b->leaf) - (a->leaf < b->leaf)
                                : (a->edge > b->edge) - (a->edge < b->edge);
}

static bool place_end(cd_vec3 p, double size, int64_t end[3])
{
    const double at[3] = {p.x / size, p.y / size, p.z / size};
    for (int k = 0; k < 3; k++) {
        if (!(fabs(at[k]) < 1e15))
            return false;
        end[k] = llround(at[k]);
    }
    return true;
}

// The edges of a leaf between an outer and an inner face.
static void collect(cd_arena *arena, const cd_leaves3 *leaves, int32_t leaf, double size, edge_list *list)
{
    const cd_convex3 *c = &cd_leaves3_stored(leaves, leaf)->prepared->convex;
    const cd_edges3 *edges = &cd_leaves3_stored(leaves, leaf)->prepared->edges;
    for (int32_t e = 0; e < edges->count; e++) {
        const cd_edge3 *edge = &edges->edge[e];
        int32_t f = edge->face[0], g = edge->face[1];
        if (f < 0 || g < 0 || is_inner(c, f) == is_inner(c, g))
            continue;
        outer_edge one = {.leaf = leaf, .edge = e, .face = is_inner(c, f) ? g : f}, other = one;
        if (!place_end(cd_convex3_vertex(c, edge->vertex[0]), size, one.end[0]) ||
            !place_end(cd_convex3_vertex(c, edge->vertex[1]), size, one.end[1]))
            continue;
        memcpy(other.end[0], one.end[1], sizeof one.end[0]);
        memcpy(other.end[1], one.end[0], sizeof one.end[0]);
        cd_list_push(arena, list, compare_places(&one, &other) <= 0 ? one : other);
    }
}

// Two faces at an edge are each other's mates; of more than two, which no surface has, none is.
static void join(const cd_leaves3 *leaves, const edge_list *list, cd_vec3 **mate)
{
    for (int32_t i = 0, end; i < list->count; i = end) {
        const outer_edge *a = &list->item[i];
        for (end = i + 1; end < list->count && compare_places(a, &list->item[end]) == 0;)
            end++;
        if (end - i != 2)
            continue;
        const outer_edge *b = &list->item[i + 1];
        mate[a->leaf][a->edge] = cd_leaves3_stored(leaves, b->leaf)->prepared->convex.plane[b->face].normal;
        mate[b->leaf][b->edge] = cd_leaves3_stored(leaves, a->leaf)->prepared->convex.plane[a->face].normal;
    }
}

const cd_vec3 *const *cd_plot_mates_make(cd_arena *arena, int32_t shape_count, const cd_leaves3 *leaves)
{
    cd_vec3 **mate = CD_ARENA_ZARRAY(arena, cd_vec3 *, leaves->first[shape_count]);
    for (int32_t shape = 0; shape < shape_count; shape++) {
        int32_t first = leaves->first[shape], end = leaves->first[shape + 1];
        double size = 0;
        for (int32_t i = first; i < end; i++) {
            const cd_leaf3 *leaf = cd_leaves3_stored(leaves, i);
            if (!leaf || leaf->kind != CD_SHAPE_POLYHEDRON || !leaf->prepared->convex.surface)
                continue;
            mate[i] = CD_ARENA_ZARRAY(arena, cd_vec3, leaf->prepared->edges.count);
            size = fmax(size, leaf->extent);
        }
        cd_arena_mark mark = cd_arena_get_mark(arena);
        edge_list list = {0};
        for (int32_t i = first; i < end && end - first > 1; i++)
            if (mate[i])
                collect(arena, leaves, i, SAME * size, &list);
        if (list.count > 0)
            qsort(list.item, (size_t)list.count, sizeof *list.item, compare_edges);
        join(leaves, &list, mate);
        cd_arena_rewind(arena, mark);
    }
    return (const cd_vec3 *const *)mate;
}
