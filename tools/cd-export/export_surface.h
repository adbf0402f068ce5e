// export_surface -- the surfaces of shapes as polygons, in the frame of their bodies, for pictures of other programs.
//
// Faces of polyhedra and polygons as they are, without those that lie within a shape (surface -1); circles and ellipses
// by their corners, balls and ellipsoids by rings, all corners on the surface; facets as triangles without thickness;
// of a half-space a square patch of its boundary. Shapes of the plane lie in z = 0.
// SPDX-License-Identifier: MIT
#ifndef EXPORT_SURFACE_H
#define EXPORT_SURFACE_H

#include "cd_leaves.h"

typedef struct cd_export_face {
    int32_t first;  // place of its first corner in `corner`; they end where those of the next face begin
    int32_t part;   // number of the part it belongs to
} cd_export_face;

typedef struct cd_export_surface {
    CD_LIST(cd_vec3) point;  // [m]
    CD_LIST(int32_t) corner;
    CD_LIST(cd_export_face) face;  // counter-clockwise as seen from outside; of the plane from z > 0
} cd_export_surface;

typedef struct cd_export_detail {
    int segments;  // corners of a circle
    double reach;  // [m] half the side of a half-space's patch
} cd_export_detail;

static inline int32_t cd_export_face_end(const cd_export_surface *s, int32_t face)
{
    return face + 1 < s->face.count ? s->face.item[face + 1].first : s->corner.count;
}

// The surface of each shape, by row. Head tables with defaults. @owns arena
cd_export_surface *cd_export_surfaces_make(cd_arena *arena, const cd_model *in, const cd_leaves *leaves,
                                           cd_export_detail detail);

// One face more, of these corners.
void cd_export_surface_add(cd_arena *arena, cd_export_surface *surface, const cd_vec3 *corner, int count, int32_t part);

// [m] The patches' size: how far bodies of bounded shape go from the origin in the frame's poses; 1 where there is
// none.
double cd_export_reach(const cd_model *in, const cd_leaves *leaves);

#endif
