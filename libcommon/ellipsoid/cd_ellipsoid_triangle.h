// cd_ellipsoid_triangle -- an ellipsoid and a triangle: where the scaled ellipsoid touches it.
//
// Under the map to the unit ball (cd_ellipsoid.h) it is the point of the mapped triangle that is nearest to the origin,
// by its Voronoi regions (Ericson, Real-Time Collision Detection (2005) 5.1.5). In a face the gap and normal are those
// of the triangle's plane, to rounding; at an edge or a corner the gap is that of supporting planes, at most the signed
// distance.
// SPDX-License-Identifier: MIT
#ifndef CD_ELLIPSOID_TRIANGLE_H
#define CD_ELLIPSOID_TRIANGLE_H

#include "cd_ellipsoid.h"
#include "cd_feature_code.h"

// The point of a triangle that is nearest to the origin.
typedef struct cd_triangle_nearest {
    cd_vec3 point;
    double weight[3];  // >= 0, sum 1: of the corners
    int32_t feature;   // cd_feature code: a corner, edge i from corner i to the next, or face 0
} cd_triangle_nearest;

cd_triangle_nearest cd_triangle_nearest_to_origin(const cd_vec3 corner[3]);

typedef struct cd_ellipsoid_triangle {
    cd_ellipsoid_touch touch;     // normal: from the ellipsoid to the triangle
    cd_vec3 point;                // [m] of the triangle, where the scaled ellipsoid touches it
    cd_triangle_nearest nearest;  // in the ball's space
    bool is_degenerate;           // its centre is in the triangle: the normal is the triangle's, either side would do
} cd_ellipsoid_triangle;

// A triangle without area has no face, a corner of several places that of least number. O(1)
cd_ellipsoid_triangle cd_ellipsoid_triangle_touch(const cd_ellipsoid *e, const cd_vec3 corner[3]);

#endif
