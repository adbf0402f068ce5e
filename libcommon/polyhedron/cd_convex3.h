// cd_convex3 -- a convex polyhedron prepared for the narrow phase: vertices by coordinate for vector code, face planes,
// an interior point. Made once from a leaf in the body's frame and placed for each pose: its vertices, and with them
// its planes where a result is made of planes (intersections, features, pictures). Distance and depth are of vertices
// alone.
// SPDX-License-Identifier: MIT
#ifndef CD_CONVEX3_H
#define CD_CONVEX3_H

#include "cd_edges3.h"
#include "cd_polyhedron.h"

enum { CD_CONVEX3_LANES = 8 };  // doubles of the widest vector: columns are padded to a multiple of it

// [1] faces of one convex body whose unit normals differ by less in each number lie in one plane: a planar face that
// came as several triangles.
#define CD_CONVEX3_SAME_NORMAL 1e-9
static inline bool cd_convex3_is_same_normal(cd_vec3 p, cd_vec3 q)
{
    return fabs(p.x - q.x) <= CD_CONVEX3_SAME_NORMAL && fabs(p.y - q.y) <= CD_CONVEX3_SAME_NORMAL &&
           fabs(p.z - q.z) <= CD_CONVEX3_SAME_NORMAL;
}

typedef struct cd_plane {
    cd_vec3 normal;  // unit, outward
    double offset;   // [m] inside where normal.x <= offset
} cd_plane;

typedef struct cd_edge3_short {
    uint16_t vertex[2], face[2];  // as in cd_edge3; CD_EDGE3_SHORT_NONE: no face
} cd_edge3_short;
enum { CD_EDGE3_SHORT_NONE = 0xffff };

// Columns, planes, first corners and short edges of one that was made, columns and planes of one that was placed, lie
// one behind the other in this order: a reader who finds them cold reads one stretch.
typedef struct cd_convex3 {
    int32_t vertex_count, face_count;
    // [m] vertex_count numbers, then vertex 0 again up to a multiple of CD_CONVEX3_LANES; 64-byte aligned, one after
    // the other in memory.
    const double *x, *y, *z;
    const cd_plane *plane;  // [face_count]; NULL: its vertices alone are placed
    // Only where planes are NULL: what it is placed from, which has planes, and the rotation between the two.
    const struct cd_convex3 *home;
    const cd_mat3 *turn;
    const int32_t *face_first;  // as in cd_polyhedron: corners counter-clockwise from outside
    const int32_t *face_vertex;
    const int32_t *surface;  // [face_count] surface id, -1 an inner face; NULL: face f is surface f
    const int32_t *corner;   // [face_count] the first of each face's corners
    int32_t edge_count;
    const cd_edge3 *edge;  // in the order of cd_edges3, without those inside a planar face that came as several
    const cd_edge3_short *short_edge;  // the same in half the memory; NULL where numbers exceed 16 bits
    const int32_t *planar_face;  // [face_count] the lowest face of the same planar face; NULL: each is one by itself
    // Whether outer faces of two planar faces may have one normal (CD_CONVEX3_SAME_NORMAL): a plane that rounding has
    // bent.
    bool has_twins;
    cd_vec3 low, high;  // [m] bounds of the vertices
    cd_vec3 centre;     // [m] mean of the vertices: inside
    double radius;      // [m] largest distance of a vertex from `centre`, rounded up
} cd_convex3;

static inline cd_vec3 cd_convex3_vertex(const cd_convex3 *c, int32_t i) { return (cd_vec3){c->x[i], c->y[i], c->z[i]}; }
// Unit, outward; zero of a face without area. The same bits whether planes are placed or not.
static inline cd_vec3 cd_convex3_normal(const cd_convex3 *c, int32_t face)
{
    return c->plane ? c->plane[face].normal : cd_mat3_apply(c->turn, c->home->plane[face].normal);
}
static inline cd_edge3 cd_convex3_edge(const cd_convex3 *c, int32_t i)
{
    if (!c->short_edge)
        return c->edge[i];
    cd_edge3_short e = c->short_edge[i];
    return (cd_edge3){
        {e.vertex[0], e.vertex[1]},
        {e.face[0] == CD_EDGE3_SHORT_NONE ? -1 : e.face[0], e.face[1] == CD_EDGE3_SHORT_NONE ? -1 : e.face[1]}};
}
static inline int32_t cd_convex3_padded(int32_t count)
{
    return (count + CD_CONVEX3_LANES - 1) / CD_CONVEX3_LANES * CD_CONVEX3_LANES;
}

// fmin is a call; of finite numbers this is the same.
static inline double cd_convex3_lesser(double a, double b) { return a < b ? a : b; }

// [m] >= 0 The ball of this radius about the centre is inside. `c` has planes.
static inline double cd_convex3_inner_radius(const cd_convex3 *c)
{
    double least = INFINITY;
    for (int32_t f = 0; f < c->face_count; f++)
        least = cd_convex3_lesser(least, c->plane[f].offset - cd_dot3(c->plane[f].normal, c->centre));
    return least > 0 ? least : 0;
}

// Of a closed convex polyhedron; plane normals are Newell's sums, offsets the largest of the face's own corners. Faces
// are borrowed. Neighbours that lie in one plane within the rounding of their corners are one planar face, unless one
// is an inner face and the other is not. @owns arena
cd_convex3 cd_convex3_make(cd_arena *arena, const cd_polyhedron *polyhedron, const int32_t *surface);
// The same for who keeps the edges, borrowed here. is_plain: no face was so thin that its plane took more than doubles.
// @owns arena
cd_convex3 cd_convex3_make_with(cd_arena *arena, const cd_polyhedron *polyhedron, const int32_t *surface,
                                const cd_edges3 *edges, bool *is_plain);
// Moved by a pose: new columns and planes (offsets from the placed corners), all else borrowed. `convex` has planes.
// @owns arena
cd_convex3 cd_convex3_place(cd_arena *arena, const cd_convex3 *convex, const cd_pose3 *pose);
// The same into memory of the caller's: the struct is large, and returned it is copied. Without planes `convex` itself
// is borrowed too. @owns arena
void cd_convex3_place_into(cd_arena *arena, const cd_convex3 *convex, const cd_pose3 *pose, bool has_planes,
                           cd_convex3 *placed);
// Moved without turning, for a distance: without planes. Vertices, padding and all, are sums of two numbers; centre and
// bounds are moved with them. `convex` is borrowed. @owns arena
cd_convex3 cd_convex3_shift(cd_arena *arena, const cd_convex3 *convex, cd_vec3 by);

// Whether (a, b) are taken in this order by results that must not hang on which comes first: fewer vertices, then
// lesser coordinates.
bool cd_convex3_in_order(const cd_convex3 *a, const cd_convex3 *b);

#endif
