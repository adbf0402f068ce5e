// convex_faces -- what faces of convex parts have in common with one another, and with the polyhedron that was cut.
// SPDX-License-Identifier: MIT
#ifndef CONVEX_FACES_H
#define CONVEX_FACES_H

#include "cd_convex_parts.h"
#include "convex_cells.h"

typedef struct convex_faces_setting {
    cd_polyhedron polyhedron;
    const convex_plane *plane;  // of its faces
    double flat, size;          // [m]
} convex_faces_setting;
// Surfaces of all parts, and which are adjacent. A common piece counts when its area is above `flat` times `size`
// [m^2]. Cost: the boxes of all parts in pairs, the faces of neighbours in pairs, and all faces of parts times those of
// the polyhedron. @owns arena
void convex_faces_match(const convex_faces_setting *setting, cd_arena *arena, cd_convex_parts *parts);

convex_polygon convex_face_of(cd_polyhedron polyhedron, int32_t face, cd_arena *arena);  // @owns arena

#endif
