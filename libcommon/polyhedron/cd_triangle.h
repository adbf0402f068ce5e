// cd_triangle -- the point of a triangle that is nearest to the origin.
//
// By its Voronoi regions (Ericson, Real-Time Collision Detection (2005) 5.1.5). O(1). For an ellipsoid corners come in
// the space in which it is the unit ball (cd_ellipsoid.h).
// SPDX-License-Identifier: MIT
#ifndef CD_TRIANGLE_H
#define CD_TRIANGLE_H

#include "cd_feature_code.h"
#include "cd_vec3.h"

typedef struct cd_triangle_nearest {
    cd_vec3 point;     // in the frame of the corners; in a face the foot on its plane, not rounded by the weights
    double weight[3];  // >= 0, sum 1: of the corners
    int32_t feature;   // cd_feature code: a corner, edge i from corner i to the next, or face 0
} cd_triangle_nearest;

// Either way round. A triangle without area has no face; of corners at one place it is that of least number.
cd_triangle_nearest cd_triangle_nearest_to_origin(const cd_vec3 corner[3]);

#endif
