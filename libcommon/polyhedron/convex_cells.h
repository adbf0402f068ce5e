// convex_cells -- convex polyhedra that are cut by planes, again and again, and keep the corners that they share.
//
// Cells name their corners in one list. A corner made by a cut is made once for both sides, so cells that lie at one
// cut have equal corners there. Corners within `flat` of a plane lie in it: a cut makes no slivers.
// SPDX-License-Identifier: MIT
#ifndef CONVEX_CELLS_H
#define CONVEX_CELLS_H

#include "cd_polyhedron.h"

#include <stdbool.h>

typedef struct convex_plane {
    cd_vec3 normal;  // unit
    double offset;   // [m] normal.x of its points
} convex_plane;

static inline double convex_plane_height(convex_plane plane, cd_vec3 point)
{
    return cd_dot3(plane.normal, point) - plane.offset;
}
static inline convex_plane convex_plane_turned(convex_plane plane)
{
    return (convex_plane){cd_negate3(plane.normal), -plane.offset};
}

typedef struct convex_cell {
    int32_t face_count;          // 0: nothing
    const int32_t *face_first;   // [face_count + 1]
    const int32_t *face_corner;  // numbers in the list, counter-clockwise from outside
} convex_cell;

typedef struct convex_corners {
    cd_arena *arena;
    CD_LIST(cd_vec3) point;  // [m]
    double flat;             // [m]
} convex_corners;

// A polygon in space, borrowed or of the arena.
typedef struct convex_polygon {
    int32_t count;
    const cd_vec3 *point;  // [m]
} convex_polygon;

// The plane through the mean of the corners by Newell's normal; of a polygon without area the normal is zero.
convex_plane convex_polygon_plane(convex_polygon polygon);
// Newell's area along the normal [m^2]: with its sign, of polygons that are not convex too.
double convex_polygon_area(convex_polygon polygon, cd_vec3 normal);
// What of a polygon is below a plane, or in it (Sutherland & Hodgman 1974); none when that has no area. Polygons that
// are not convex keep seams of no width. @owns arena
convex_polygon convex_polygon_below(convex_polygon polygon, convex_plane plane, double flat, cd_arena *arena);
bool convex_polygon_is_in(convex_polygon polygon, convex_plane plane, double flat);

// A convex polyhedron as a cell; its vertices join the list. @owns arena of the corners
convex_cell convex_cell_of(convex_corners *corners, cd_polyhedron hull);
// The two sides of a plane; one of them has no faces when the plane leaves the cell whole. @owns arena of the corners
void convex_cell_cut(convex_corners *corners, convex_cell cell, convex_plane plane, convex_cell *below,
                     convex_cell *above);
// The mean of the corners of its faces.
cd_vec3 convex_cell_middle(const convex_corners *corners, convex_cell cell);
convex_polygon convex_cell_face(const convex_corners *corners, convex_cell cell, int32_t face, cd_arena *arena);

#endif
