// cd_polyhedron -- polyhedra of space: a view on vertices and faces, and what can be said of them without looking at
// shape.
//
// Faces are lists of vertex numbers, counter-clockwise as seen from outside; face f is
// face_vertex[face_first[f]] .. face_vertex[face_first[f + 1] - 1]. Operations are O(vertices + face corners), without
// state.
// SPDX-License-Identifier: MIT
#ifndef CD_POLYHEDRON_H
#define CD_POLYHEDRON_H

#include "cd_memory.h"
#include "cd_quat.h"

typedef struct cd_polyhedron {
    int32_t vertex_count, face_count;
    const cd_vec3 *vertex;       // [m] nothing here is owned
    const int32_t *face_first;   // [face_count + 1], not decreasing; need not start at 0
    const int32_t *face_vertex;  // 0 .. vertex_count - 1
} cd_polyhedron;

// Is it a list of finite vertices, at least 4, and faces, at least 4, of 3 or more distinct vertices each? (Convexity
// and closedness are not looked at.) CD_ERR_FORMAT with "vertices: ..." or "faces: face 2 names vertex 9; there are 8"
// in diag. Scratch memory from the arena, given back.
cd_status cd_polyhedron_validate(cd_polyhedron polyhedron, cd_arena *arena, cd_diag *diag) CD_MUST_CHECK;

// The largest distance of a point of the list from the origin, rounded up.
double cd_points_radius3(const cd_vec3 *point, int32_t count);
// The largest distance of two points of the list. O(n log n) in practice; scratch memory from the arena, given back.
double cd_points_diameter3(const cd_vec3 *point, int32_t count, cd_arena *arena);
// The points moved by a pose into `out` (room for count, may be `point` itself).
void cd_points_place3(const cd_vec3 *point, int32_t count, const cd_pose3 *pose, cd_vec3 *out);

#endif
