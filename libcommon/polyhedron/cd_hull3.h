// cd_hull3 -- the convex hull of points in space, with whole planar faces.
//
// Quickhull (Barber, Dobkin & Huhdanpaa, ACM TOMS 22, 1996) over triangles, where what lies behind a plane is decided
// by cd_orient3d, so that there is no tolerance, no face with a thickness and no case in which the combinatorics break:
// the result is the exact hull of the points as doubles. Triangles that lie in one plane exactly are merged; corners
// are the extreme points alone (none within an edge or a face). Decimal coordinates are not: the four corners of a
// turned cube's face, or of one written as 0.1, 0.3, .., are rarely coplanar as doubles, and such a face comes out as
// two triangles.
//
// The result depends on the set of points alone, and on the order they come in only through their numbers: each face
// begins with its smallest number, faces are sorted, of equal points the first counts.
//
// Cost: O(n log n) in practice (quickhull's worst case, O(n^2), takes points that are made for it); memory while it
// runs: 8 bytes a point, 88 a triangle. Seconds on one core, those of Qhull 2020.2 (qconvex) in brackets: 10^4 points
// uniform in a ball 0.0011 (0.0026), on a sphere 0.0068 (0.026); 10^6 points 0.23 (0.38) and 2.3 (6.2).
// SPDX-License-Identifier: MIT
#ifndef CD_HULL3_H
#define CD_HULL3_H

#include "cd_polyhedron.h"

typedef struct cd_hull3 {
    int32_t dimension;  // of the points: 3; else 2 in a plane, 1 on a line, 0 in one place, -1 none, and nothing is set
    int32_t vertex_count, face_count;
    const int32_t *vertex;       // [vertex_count] numbers of the points that are corners, ascending
    const int32_t *face_first;   // [face_count + 1] as in cd_polyhedron
    const int32_t *face_vertex;  // 0 .. vertex_count - 1: numbers of corners, counter-clockwise from outside
} cd_hull3;

// The hull of finite points within the range of cd_orient3d. Work memory is its own and given back. @owns arena
cd_hull3 cd_hull3_make(const cd_vec3 *point, int32_t point_count, cd_arena *arena);
// The hull as a polyhedron whose vertices are copies of the corners, faces borrowed; dimension 3 only. @owns arena
cd_polyhedron cd_hull3_polyhedron(const cd_hull3 *hull, const cd_vec3 *point, cd_arena *arena);

#endif
