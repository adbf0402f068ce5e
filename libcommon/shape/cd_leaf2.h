// cd_leaf2 -- the convex leaves of shapes in the plane.
// SPDX-License-Identifier: MIT
#ifndef CD_LEAF2_H
#define CD_LEAF2_H

#include "cd_polygon.h"
#include "cd_shape_kind.h"

// A convex part of a shape in the body's frame (or, placed, in the world's). Boxes become polygons of 4 vertices,
// counter-clockwise from (-,-).
typedef struct cd_leaf2 {
    cd_shape_kind kind;
    int32_t shape;        // row of the leaf's own shape
    cd_polygon polygon;   // POLYGON
    cd_vec2 centre;       // SPHERE, ELLIPSOID
    double radius;        // SPHERE
    cd_vec2 normal;       // HALFSPACE: solid where normal.x <= offset
    double offset;        // [m]
    cd_vec2 semiaxes;     // ELLIPSOID, along the axes turned by `angle`
    double cosine, sine;  // ELLIPSOID: turn
    double extent;        // largest distance of the leaf from the body's origin [m]; infinite for a halfspace
} cd_leaf2;

// Leaves of all shapes; leaves of shape row s are leaf[first[s]] .. leaf[first[s+1]-1]; part numbers count from
// first[s].
typedef struct cd_leaves2 {
    const int32_t *first;
    cd_leaf2 *leaf;
} cd_leaves2;

// The leaf moved by a pose; polygon vertices are new, in `arena`. The extent is that of `leaf`.
cd_leaf2 cd_leaf2_place(cd_arena *arena, const cd_leaf2 *leaf, cd_pose2 pose);

#endif
