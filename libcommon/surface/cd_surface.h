// cd_surface -- which triangles of a surface meet at an edge and at a vertex: made once a run from the mesh.
//
// Vertices at one place are one, welded: their number is the least of theirs, and its place counts. An edge is a pair
// of welded vertices; edges are numbered by their sorted vertices, as those of polyhedra (cd_edges3.h). What is kept is
// the star of each vertex, the triangles that have it: those of an edge are in the stars of both ends. 28 bytes a
// triangle of a surface with two triangles a vertex, and 2 more where vertices were welded.
//
// make, once a run -> star, edge numbers and faults, by any thread.
// SPDX-License-Identifier: MIT
#ifndef CD_SURFACE_H
#define CD_SURFACE_H

#include "cd_memory.h"
#include "cd_vec3.h"

// What cannot be told from the triangles at an edge: contacts there may be one too many.
typedef struct cd_surface_faults {
    int32_t crowded;      // edges of more than two triangles
    int32_t t_junctions;  // vertices that lie on an edge of one triangle alone, and are none of its ends
    bool is_lost;         // no triangle has three corners at three places: they were welded
} cd_surface_faults;

typedef struct cd_surface {
    int32_t vertex_count, triangle_count;
    const int32_t *triangle;  // [3 triangle_count] vertex numbers as they were given; borrowed
    const int32_t *weld;      // [vertex_count] the number that stands for each; NULL: each its own
    int32_t *star_first;      // [vertex_count + 1]
    int32_t *star;            // triangles of a vertex, ascending
    int32_t *edge_first;      // [vertex_count + 1] number of the first edge whose lesser vertex this is
    cd_surface_faults faults;
} cd_surface;

// weld [m] >= 0: each vertex goes to the vertex of least number that stands for itself and is as near or nearer; 0: to
// one at the same place. Triangles name vertices in range. O(n log n). @owns arena
cd_surface cd_surface_make(cd_arena *arena, const cd_vec3 *vertex, int32_t vertex_count, const int32_t *triangle,
                           int32_t triangle_count, double weld);

static inline int32_t cd_surface_vertex(const cd_surface *s, int32_t given) { return s->weld ? s->weld[given] : given; }
static inline int32_t cd_surface_corner(const cd_surface *s, int32_t triangle, int k)
{
    return cd_surface_vertex(s, s->triangle[3 * (size_t)triangle + (size_t)k]);
}
// The corner of a triangle that is neither of these two; of two corners at one place that one.
static inline int32_t cd_surface_third(const cd_surface *s, int32_t triangle, int32_t p, int32_t q)
{
    for (int k = 0; k < 3; k++) {
        int32_t v = cd_surface_corner(s, triangle, k);
        if (v != p && v != q)
            return v;
    }
    return p;
}
static inline bool cd_surface_has(const cd_surface *s, int32_t triangle, int32_t vertex)
{
    return cd_surface_corner(s, triangle, 0) == vertex || cd_surface_corner(s, triangle, 1) == vertex ||
           cd_surface_corner(s, triangle, 2) == vertex;
}

// Triangles of a vertex, as a range of `star`.
typedef struct cd_surface_star {
    const int32_t *triangle;
    int32_t count;
} cd_surface_star;

static inline cd_surface_star cd_surface_star_of(const cd_surface *s, int32_t vertex)
{
    int32_t first = s->star_first[vertex];
    return (cd_surface_star){s->star + first, s->star_first[vertex + 1] - first};
}
// Of the stars of an edge's ends the one of fewer triangles: the edge's are those of it that have `other`.
static inline cd_surface_star cd_surface_star_of_edge(const cd_surface *s, int32_t p, int32_t q, int32_t *other)
{
    cd_surface_star of_p = cd_surface_star_of(s, p), of_q = cd_surface_star_of(s, q);
    *other = of_p.count <= of_q.count ? q : p;
    return of_p.count <= of_q.count ? of_p : of_q;
}
// The one triangle beside `triangle` at its edge; -1: there is none, or there are several.
int32_t cd_surface_beside(const cd_surface *s, int32_t triangle, int32_t p, int32_t q);

// Of two welded vertices that a triangle has. O(n) for n triangles at the lesser one and at its neighbours.
int32_t cd_surface_edge_number(const cd_surface *s, int32_t p, int32_t q);

#endif
