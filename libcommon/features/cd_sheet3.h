// cd_sheet3 -- the shell of a placed triangle without thickness: a facet of a surface, seen as a polyhedron whose front
// and back are the triangle.
//
// Vertices 0, 1, 2 are the triangle's. Face 0 is its front (counter-clockwise where its normal points to), 1 its back;
// faces 2, 3, 4 are its sides along 01, 12, 20: two corners each, no area, their normals in the triangle's plane. Edges
// come twice, between front and side and between side and back: 0, 1 along 01; 2, 3 along 02; 4, 5 along 12. So the
// normals of all faces and the arcs of all edges are those of a prism whose height tends to 0, and what is said of
// separators of polyhedra (cd_separate3.h) holds of triangles.
// SPDX-License-Identifier: MIT
#ifndef CD_SHEET3_H
#define CD_SHEET3_H

#include "cd_shell3.h"

// Everything within `margin` [m] >= 0 of the triangle. NULL: the triangle has no normal (cd_flatness.h), or a corner is
// not finite. O(1), 1.3 KB. @owns arena
const cd_shell3 *cd_sheet3_make(cd_arena *arena, const cd_vec3 corner[3], double margin);

// A triangle without a normal is the segment of its longest edge, from corner k to the next: k, or -1 where all corners
// are one point or not finite.
int cd_sheet3_longest(const cd_vec3 corner[3]);
// Everything within `margin` [m] >= 0 of a segment: vertices 0 and 1, no area, four faces about it of which face 0 has
// the normal `across` (unit, perpendicular to the segment; any, but at all poses the same of the body). It touches by
// its ends and by its edge. @owns arena
const cd_shell3 *cd_sheet3_make_line(cd_arena *arena, const cd_vec3 end[2], cd_vec3 across, double margin);

#endif
