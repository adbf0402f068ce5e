// cd_edges3 -- the edges of a polyhedron, from its faces: numbered by sorted vertex pair, as the stream's features are.
//
// Edge (p, q), p < q, comes before edge (r, s) when p < r or p = r and q < s. Made once for a shape: a pose changes
// nothing in it. Making: O(corners) for vertices of bounded degree; finding: O(1) up to 64 vertices, else O(degree of
// the lower vertex).
// SPDX-License-Identifier: MIT
#ifndef CD_EDGES3_H
#define CD_EDGES3_H

#include "cd_memory.h"

#include <stdbool.h>

typedef struct cd_edge3 {
    int32_t vertex[2];  // the lower number first
    int32_t face[2];    // to the left and right, seen from outside, of who goes from vertex[0] to vertex[1]; -1: none
} cd_edge3;

typedef struct cd_edges3 {
    int32_t count;
    const cd_edge3 *edge;
    const int32_t *first;  // [vertex_count + 1] the edges whose lower vertex is v: first[v] .. first[v + 1] - 1
    int32_t vertex_count;
    const int32_t *around_first;  // [vertex_count + 1] the edges that meet at vertex v:
    const int32_t *around;        // around[around_first[v]] .. around[around_first[v + 1] - 1], ascending
    const uint64_t *higher;  // [vertex_count] bit q of number p: there is an edge (p, q), p < q; NULL: over 64 vertices
} cd_edges3;

// Faces as in cd_polyhedron. Of more than two faces at an edge the last ones count. @owns arena
cd_edges3 cd_edges3_make(cd_arena *arena, int32_t vertex_count, int32_t face_count, const int32_t *face_first,
                         const int32_t *face_vertex);
// Whether every edge belongs to two faces that go along it in opposite directions, each once. corner_count: of all
// faces.
bool cd_edges3_are_closed(const cd_edges3 *edges, int32_t corner_count);
// The number of the edge between two vertices, in either order; -1: there is none.
int32_t cd_edges3_find(const cd_edges3 *edges, int32_t p, int32_t q);

#endif
