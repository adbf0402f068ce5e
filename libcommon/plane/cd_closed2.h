// cd_closed2 -- closed forms for circles and half-planes: signed distance with witness points, and overlap areas.
//
// Circles: centre and radius [m] > 0. Half-planes: solid where normal . x <= offset, `normal` a unit vector. All in
// world frame; side a is the first argument, b the second; exchange with cd_distance2_flip. Overlapping shapes have
// the exact penetration depth: the least translation that parts them. Witness points lie on the boundaries.
// Errors: a few 2^-53 of the shapes' size and, for half-planes, of |offset|. Areas are never negative and exactly 0
// where the gap is >= 0; the lens of two shallow circles has the relative error of its depth.
// Cost: O(1), O(n) with a polygon of n vertices.
// SPDX-License-Identifier: MIT
#ifndef CD_CLOSED2_H
#define CD_CLOSED2_H

#include "cd_polygon.h"

typedef struct cd_circle {
    cd_vec2 centre;  // [m]
    double radius;   // [m]
} cd_circle;

typedef struct cd_halfplane {
    cd_vec2 normal;  // unit, outward
    double offset;   // [m] of the boundary line along the normal
} cd_halfplane;

// Concentric circles: the normal is (1, 0), as any would do.
cd_distance2 cd_circle_circle_distance(cd_circle a, cd_circle b);
cd_distance2 cd_circle_halfplane_distance(cd_circle a, cd_halfplane b);
// At the polygon's vertex itself the normal is that of an adjacent edge.
cd_distance2 cd_polygon_circle_distance(cd_polygon a, cd_circle b);
// An edge parallel to the boundary (as far as rounding tells) gives its middle and feature edge, else the deepest
// vertex is the point.
cd_distance2 cd_polygon_halfplane_distance(cd_polygon a, cd_halfplane b);

double cd_circle_circle_area(cd_circle a, cd_circle b);                             // [m^2] of the intersection
double cd_circle_halfplane_area(cd_circle a, cd_halfplane b);                       // [m^2]
double cd_polygon_circle_area(cd_polygon a, cd_circle b);                           // [m^2]
double cd_polygon_halfplane_area(cd_polygon a, cd_halfplane b, cd_arena *scratch);  // [m^2]

#endif
