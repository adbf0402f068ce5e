// cd_convex3 -- a convex polyhedron prepared for the narrow phase: vertices by coordinate for vector code, face planes,
// an interior point. Made once from a leaf in the body's frame and placed for each pose.
// SPDX-License-Identifier: MIT
#ifndef CD_CONVEX3_H
#define CD_CONVEX3_H

#include "cd_polyhedron.h"

enum { CD_CONVEX3_LANES = 8 };  // doubles of the widest vector: columns are padded to a multiple of it

typedef struct cd_plane {
    cd_vec3 normal;  // unit, outward
    double offset;   // [m] inside where normal.x <= offset
} cd_plane;

typedef struct cd_convex3 {
    int32_t vertex_count, face_count;
    const double *x, *y, *z;     // [m] vertex_count numbers, then vertex 0 again up to a multiple of CD_CONVEX3_LANES; 64-byte aligned
    const cd_plane *plane;       // [face_count]
    const int32_t *face_first;   // as in cd_polyhedron: corners counter-clockwise from outside
    const int32_t *face_vertex;
    const int32_t *surface;      // [face_count] surface id, -1 an inner face; NULL: face f is surface f
    cd_vec3 centre;              // [m] mean of the vertices: inside
    double radius;               // [m] largest distance of a vertex from `centre`, rounded up
} cd_convex3;

static inline cd_vec3 cd_convex3_vertex(const cd_convex3 *c, int32_t i) { return (cd_vec3){c->x[i], c->y[i], c->z[i]}; }
static inline int32_t cd_convex3_padded(int32_t count)
{
    return (count + CD_CONVEX3_LANES - 1) / CD_CONVEX3_LANES * CD_CONVEX3_LANES;
}

// Of a closed convex polyhedron; plane normals are Newell's sums, offsets the largest of the face's own corners. Faces are borrowed.
// @owns arena
cd_convex3 cd_convex3_make(cd_arena *arena, const cd_polyhedron *polyhedron, const int32_t *surface);
// Moved by a pose: new columns and planes (offsets from the placed corners), faces and surfaces borrowed. @owns arena
cd_convex3 cd_convex3_place(cd_arena *arena, const cd_convex3 *convex, const cd_pose3 *pose);
// The same without planes (NULL), which the distance does without. @owns arena
cd_convex3 cd_convex3_place_vertices(cd_arena *arena, const cd_convex3 *convex, const cd_pose3 *pose);

#endif
