// Edges of a polyhedron: half-edges in buckets of their lower vertex, each bucket sorted, twins merged.
// SPDX-License-Identifier: MIT
#include "cd_edges3.h"

static bool comes_before(const cd_edge3 *e, const cd_edge3 *f) { return e->vertex[1] < f->vertex[1]; }

static void sort_bucket(cd_edge3 *edge, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        cd_edge3 moving = edge[i];
        int32_t at = i;
        for (; at > 0 && comes_before(&moving, &edge[at - 1]); at--)
            edge[at] = edge[at - 1];
        edge[at] = moving;
    }
}

// The edges at each vertex, by counting.
static void list_around(cd_arena *arena, cd_edges3 *edges)
{
    int32_t *first = CD_ARENA_ZARRAY(arena, int32_t, edges->vertex_count + 1);
    int32_t *around = CD_ARENA_ARRAY(arena, int32_t, 2 * edges->count);
    for (int32_t i = 0; i < edges->count; i++)
        for (int side = 0; side < 2; side++)
            first[edges->edge[i].vertex[side]]++;
    for (int32_t v = 0, sum = 0; v <= edges->vertex_count; v++) {
        int32_t degree = first[v];
        first[v] = sum;
        sum += degree;
    }
    for (int32_t i = 0; i < edges->count; i++)
        for (int side = 0; side < 2; side++)
            around[first[edges->edge[i].vertex[side]]++] = i;
    for (int32_t v = edges->vertex_count; v > 0; v--)  // each now stands where its own list ends
        first[v] = first[v - 1];
    first[0] = 0;
    edges->around_first = first;
    edges->around = around;
}

cd_edges3 cd_edges3_make(cd_arena *arena, int32_t vertex_count, int32_t face_count, const int32_t *face_first,
                         const int32_t *face_vertex)
{
    int32_t corner_count = face_count > 0 ? face_first[face_count] - face_first[0] : 0;
    int32_t *first = CD_ARENA_ZARRAY(arena, int32_t, vertex_count + 1);
    cd_edge3 *edge = CD_ARENA_ARRAY(arena, cd_edge3, corner_count);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    int32_t *fill = CD_ARENA_ZARRAY(arena, int32_t, vertex_count + 1);
    for (int pass = 0; pass < 2; pass++) {  // counting, then filling
        for (int32_t f = 0; f < face_count; f++) {
            int32_t start = face_first[f], end = face_first[f + 1];
            for (int32_t k = start; k < end; k++) {
                int32_t p = face_vertex[k], q = face_vertex[k + 1 < end ? k + 1 : start];
                int32_t low = p < q ? p : q, high = p < q ? q : p;
                if (pass == 0)
                    fill[low + 1]++;
                else
                    edge[fill[low]++] = (cd_edge3){{low, high}, {p < q ? f : -1, p < q ? -1 : f}};
            }
        }
        if (pass == 0)
            for (int32_t v = 0; v < vertex_count; v++)
                fill[v + 1] += fill[v];
    }
    // fill[v] is now where bucket v ends; edges are merged towards the front.
    int32_t count = 0, from = 0;
    for (int32_t v = 0; v < vertex_count; v++) {
        first[v] = count;
        int32_t end = fill[v];
        sort_bucket(edge + from, end - from);
        for (; from < end; from++) {
            cd_edge3 *last = count > first[v] ? &edge[count - 1] : NULL;
            if (last && last->vertex[1] == edge[from].vertex[1]) {
                for (int side = 0; side < 2; side++)
                    if (edge[from].face[side] >= 0)
                        last->face[side] = edge[from].face[side];
            } else {
                edge[count++] = edge[from];
            }
        }
    }
    first[vertex_count] = count;
    cd_arena_rewind(arena, mark);
    cd_edges3 edges = {.count = count, .edge = edge, .first = first, .vertex_count = vertex_count};
    list_around(arena, &edges);
    return edges;
}

int32_t cd_edges3_find(const cd_edges3 *edges, int32_t p, int32_t q)
{
    int32_t low = p < q ? p : q, high = p < q ? q : p;
    if (low < 0 || low >= edges->vertex_count)
        return -1;
    for (int32_t i = edges->first[low]; i < edges->first[low + 1]; i++)
        if (edges->edge[i].vertex[1] == high)
            return i;
    return -1;
}
