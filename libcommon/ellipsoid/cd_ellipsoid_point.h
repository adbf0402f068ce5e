// cd_ellipsoid_point -- an ellipsoid and a point: the signed distance, and where on the ellipsoid it is measured.
//
// In the ellipsoid's own axes, with the point y and semiaxes a, the foot is a_i^2 y_i / (a_i^2 + t) for the root t > -
// a_min^2 of sum (a_i y_i / (a_i^2 + t))^2 = 1 (Eberly, "Distance from a Point to an Ellipse, an Ellipsoid, or a
// Hyperellipsoid", Geometric Tools (2013)). The unknown here is s = t + a_min^2, so that nothing cancels near the
// middle of the ellipsoid, and Newton's method starts where one term is 1: it falls onto the root from one side.
//
// Error: some 1e-16 of the largest semiaxis or the distance of the centre, whichever is more; of the foot so much times
// what the ellipsoid's curvature there makes of it.
// SPDX-License-Identifier: MIT
#ifndef CD_ELLIPSOID_POINT_H
#define CD_ELLIPSOID_POINT_H

#include "cd_ellipsoid.h"

typedef struct cd_ellipsoid_foot {
    double gap;          // [m] signed distance: < 0 inside
    cd_vec3 normal;      // unit, outward of the ellipsoid at the foot
    cd_vec3 foot;        // [m]
    bool is_degenerate;  // the point is as near to another place: the foot on its other side
} cd_ellipsoid_foot;

cd_ellipsoid_foot cd_ellipsoid_point(const cd_ellipsoid *e, cd_vec3 point);

// ---- own axes ------------------------------------------------------------------------------------------------------

enum { CD_ELLIPSOID_FEET = 2 };

// Outward unit normals, in own axes, at the places where the distance of a point inside has a local minimum; of a point
// outside there is one. The first is that of the least distance. `semiaxes` and the point's coordinates in own axes;
// is_degenerate as above. Returns how many.
int cd_ellipsoid_feet(cd_vec3 semiaxes, cd_vec3 point, cd_vec3 normal[CD_ELLIPSOID_FEET], bool *is_degenerate);

#endif
