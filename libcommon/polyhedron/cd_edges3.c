// Edges of a polyhedron: up to 64 vertices from a table of the faces left of each vertex pair, which stands in order by
// itself; else half-edges in buckets of their lower vertex, each bucket sorted, twins merged.
// SPDX-License-Identifier: MIT
#include "cd_edges3.h"

// ---- any number of vertices ----------------------------------------------------------------------------------------

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
        for (int k = 0; k < 2; k++)
            first[edges->edge[i].vertex[k]]++;
    for (int32_t v = 0, sum = 0; v <= edges->vertex_count; v++) {
        int32_t degree = first[v];
        first[v] = sum;
        sum += degree;
    }
    for (int32_t i = 0; i < edges->count; i++)
        for (int k = 0; k < 2; k++)
            around[first[edges->edge[i].vertex[k]]++] = i;
    for (int32_t v = edges->vertex_count; v > 0; v--)  // each now stands where its own list ends
        first[v] = first[v - 1];
    first[0] = 0;
    edges->around_first = first;
    edges->around = around;
}

static cd_edges3 make_large(cd_arena *arena, int32_t vertex_count, int32_t face_count, const int32_t *face_first,
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
                for (int k = 0; k < 2; k++)
                    if (edge[from].face[k] >= 0)
                        last->face[k] = edge[from].face[k];
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

// ---- few vertices --------------------------------------------------------------------------------------------------

enum { FEW_VERTICES = 64 };  // bits of a word

typedef struct few {
    uint64_t next[FEW_VERTICES];                // bit q of next[p]: a face goes from p to q
    uint64_t near[FEW_VERTICES];                // bit q of near[p]: or from q to p
    int32_t face[FEW_VERTICES * FEW_VERTICES];  // [vertex_count p + q] the last that goes from p to q
} few;

// False when a face goes from a vertex to itself.
static bool fill_table(few *t, int32_t vertex_count, int32_t face_count, const int32_t *face_first,
                       const int32_t *face_vertex)
{
    memset(t->next, 0, (size_t)vertex_count * sizeof *t->next);
    memset(t->near, 0, (size_t)vertex_count * sizeof *t->near);
    for (int32_t f = 0; f < face_count; f++) {
        int32_t start = face_first[f], end = face_first[f + 1], p = end > start ? face_vertex[end - 1] : 0;
        for (int32_t k = start; k < end; k++) {
            int32_t q = face_vertex[k];
            t->next[p] |= (uint64_t)1 << q;
            t->near[p] |= (uint64_t)1 << q;
            t->near[q] |= (uint64_t)1 << p;
            t->face[vertex_count * p + q] = f;
            p = q;
        }
    }
    uint64_t loops = 0;
    for (int32_t v = 0; v < vertex_count; v++)
        loops |= t->near[v] & (uint64_t)1 << v;
    return loops == 0;
}

static inline int32_t face_left_of(const few *t, int32_t vertex_count, int32_t p, int32_t q)
{
    return t->next[p] >> q & 1 ? t->face[vertex_count * p + q] : -1;
}

// Of a hull of 16 vertices 0.15 us, where sorting takes 0.7.
static cd_edges3 make_few(cd_arena *arena, int32_t vertex_count, const few *t)
{
    int32_t end[FEW_VERTICES], both = 0;  // where the list around a vertex goes on; twice the number of edges
    for (int32_t v = 0; v < vertex_count; v++) {
        end[v] = both;
        both += __builtin_popcountll(t->near[v]);
    }
    uint64_t *higher =
        cd_arena_alloc(arena, (size_t)vertex_count * sizeof *higher + (size_t)both / 2 * sizeof(cd_edge3) +
                                  ((size_t)both + 2 * ((size_t)vertex_count + 1)) * sizeof(int32_t));
    cd_edge3 *edge = (cd_edge3 *)(higher + vertex_count);
    int32_t *first = (int32_t *)(edge + both / 2), *around_first = first + vertex_count + 1;
    int32_t *around = around_first + vertex_count + 1, count = 0;
    memcpy(around_first, end, (size_t)vertex_count * sizeof *end);
    for (int32_t p = 0; p < vertex_count; p++) {
        first[p] = count;
        higher[p] = t->near[p] >> p << p;
        for (uint64_t after = higher[p]; after; after &= after - 1, count++) {
            int32_t q = __builtin_ctzll(after);
            edge[count] =
                (cd_edge3){{p, q}, {face_left_of(t, vertex_count, p, q), face_left_of(t, vertex_count, q, p)}};
            around[end[p]++] = count;
            around[end[q]++] = count;
        }
    }
    first[vertex_count] = count;
    around_first[vertex_count] = both;
    return (cd_edges3){count, edge, first, vertex_count, around_first, around, higher};
}

cd_edges3 cd_edges3_make(cd_arena *arena, int32_t vertex_count, int32_t face_count, const int32_t *face_first,
                         const int32_t *face_vertex)
{
    if (vertex_count <= FEW_VERTICES) {
        few table;
        if (fill_table(&table, vertex_count, face_count, face_first, face_vertex))
            return make_few(arena, vertex_count, &table);
    }
    return make_large(arena, vertex_count, face_count, face_first, face_vertex);
}

bool cd_edges3_are_closed(const cd_edges3 *edges, int32_t corner_count)
{
    bool is_open = corner_count != 2 * edges->count;
    for (int32_t e = 0; e < edges->count; e++)
        is_open |= edges->edge[e].face[0] < 0 || edges->edge[e].face[1] < 0;
    return !is_open;
}

int32_t cd_edges3_find(const cd_edges3 *edges, int32_t p, int32_t q)
{
    int32_t low = p < q ? p : q, high = p < q ? q : p;
    if (low < 0 || high >= edges->vertex_count)
        return -1;
    if (edges->higher) {
        uint64_t all = edges->higher[low], before = all & (((uint64_t)1 << high) - 1);
        return all >> high & 1 ? edges->first[low] + __builtin_popcountll(before) : -1;
    }
    for (int32_t i = edges->first[low]; i < edges->first[low + 1]; i++)
        if (edges->edge[i].vertex[1] == high)
            return i;
    return -1;
}
