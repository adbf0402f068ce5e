// cd_shell3 -- a placed convex polyhedron with what searches over the faces of a difference of two ask of it again and
// again: unit edge directions, points of the planes, and a ball inside.
//
// Made once for a pose, O(edges + faces): some 0.2 us for an icosahedron. Operations on pairs: cd_separate3.h,
// cd_feature3.h.
// SPDX-License-Identifier: MIT
#ifndef CD_SHELL3_H
#define CD_SHELL3_H

#include "cd_convex3.h"
#include "cd_edges3.h"
#include "cd_segment3.h"

typedef struct cd_shell3 {
    const cd_convex3 *convex;  // borrowed
    const cd_edges3 *edges;    // borrowed; every edge has two faces
    const cd_vec3 *direction;  // [edges->count] unit, from the edge's vertex[0] to vertex[1]
    cd_vec3 *on_plane;         // [m] [convex->face_count] what was asked for of cd_shell3_plane_point, else NaN
    double inner_radius;       // [m] >= 0 the ball of this radius about convex->centre is inside
    double margin;             // [m] >= 0 the body is everything within it of the polyhedron
    bool is_sheet;             // it has two sides and nothing between them (cd_sheet3.h)
    bool is_line;              // a sheet without area: nothing is over it, in front of it or behind it
} cd_shell3;

// Without a margin. @owns arena
cd_shell3 cd_shell3_make(cd_arena *arena, const cd_convex3 *convex, const cd_edges3 *edges);

static inline cd_vec3 cd_shell3_vertex(const cd_shell3 *s, int32_t i) { return cd_convex3_vertex(s->convex, i); }
static inline cd_vec3 cd_shell3_normal(const cd_shell3 *s, int32_t face) { return s->convex->plane[face].normal; }
// A point of the face's plane: of its corners the one farthest out along its normal, so that no corner is beyond.
// Worked out when it is first asked for, and kept: by one worker.
cd_vec3 cd_shell3_find_plane_point(const cd_shell3 *s, int32_t face);
static inline cd_vec3 cd_shell3_plane_point(const cd_shell3 *s, int32_t face)
{
    cd_vec3 p = s->on_plane[face];
    return p.x == p.x ? p : cd_shell3_find_plane_point(s, face);
}
// The corner of the face of least number.
int32_t cd_shell3_first_corner(const cd_shell3 *s, int32_t face);

// Are all corners of face `part` in the plane of `face`, up to `tolerance` [m]? Then a planar face came as several, be
// it that they were rounded before.
bool cd_shell3_lies_in(const cd_shell3 *s, int32_t part, int32_t face, double tolerance);
static inline bool cd_shell3_is_flush(const cd_shell3 *s, int32_t part, int32_t face, double tolerance)
{
    return part == face || (cd_dot3(cd_shell3_normal(s, face), cd_shell3_normal(s, part)) > 0.5 &&
                            cd_shell3_lies_in(s, part, face, tolerance));
}

static inline cd_segment3 cd_shell3_segment(const cd_shell3 *s, int32_t edge)
{
    const int32_t *vertex = s->edges->edge[edge].vertex;
    cd_vec3 start = cd_shell3_vertex(s, vertex[0]), along = cd_sub3(cd_shell3_vertex(s, vertex[1]), start);
    return (cd_segment3){start, s->direction[edge], cd_dot3(s->direction[edge], along)};
}

// ---- a pair of edges -----------------------------------------------------------------------------------------------

typedef struct cd_edge_pair3 {
    cd_vec3 normal;        // unit, from a to b, along the cross product of the edges; zero where they are parallel
    double sine;           // [1] >= 0 length of the cross product of the unit edges
    int32_t sign;          // the normal is sign * (ea x eb) / |ea x eb|
    double applicability;  // (31), in [-1, 1]; -1 where they are parallel
} cd_edge_pair3;

// Edge i of a and edge j of b. The sign is that of the branch of (31) that is the larger, with -1 where both are equal.
// Exchanging a and b turns the normal round and changes no other bit.
//
// Source: Williams, Lu & Trinkle, J. Comput. Nonlinear Dynam. 12 (2017) 021001, (26), (31), whose lost signs are those
// of: moved along the normal until the edges meet, a stays behind the plane of the two edges and b before it. With n =
// (ea x eb) / s, s the sine, and t1 = eta1 x ea, t2 = ea x eta2 pointing into the faces left and right of ea, the
// products of (31) are n.t1 = -eta1.eb / s and n.t2 = eta2.eb / s (Lagrange's identity; eta.ea = 0), and for b's edge
// eta1.ea / s and -eta2.ea / s: no t is ever made.
cd_edge_pair3 cd_edge_pair3_make(const cd_shell3 *a, int32_t i, const cd_shell3 *b, int32_t j);

// The two branches of (31) times the sine: what decides most pairs before a root is taken.
typedef struct cd_edge_branches3 {
    double along, against;  // [1] of the normal ea x eb, and of its opposite
} cd_edge_branches3;

static inline cd_edge_branches3 cd_edge_branches3_make(const cd_shell3 *a, int32_t i, const cd_shell3 *b, int32_t j)
{
    const int32_t *face_a = a->edges->edge[i].face, *face_b = b->edges->edge[j].face;
    double a1 = cd_dot3(cd_shell3_normal(a, face_a[0]), b->direction[j]);
    double a2 = cd_dot3(cd_shell3_normal(a, face_a[1]), b->direction[j]);
    double b1 = cd_dot3(cd_shell3_normal(b, face_b[0]), a->direction[i]);
    double b2 = cd_dot3(cd_shell3_normal(b, face_b[1]), a->direction[i]);
    double first = a1 < b1 ? a1 : b1, second = a2 > b2 ? a2 : b2;  // along = min(a1, b1, -a2, -b2)
    double most = a1 > b1 ? a1 : b1, least = a2 < b2 ? a2 : b2;    // against = min(-a1, -b1, a2, b2)
    return (cd_edge_branches3){first < -second ? first : -second, -most < least ? -most : least};
}

#endif
