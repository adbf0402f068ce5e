// cd_ellipsoid_hull -- the true signed distance of an ellipsoid and the hull of corners: point, segment, triangle,
// convex polyhedron. Apart their distance, else minus the depth, the least translation that parts them.
//
// It is the greatest f(n) = min over the corners v of n.(v - c) - h(n) over unit n. A maximum has one corner that is
// nearest along n, and is where that corner's own distance is least (cd_ellipsoid_point.h); or two or more of an edge,
// and is that of a point and an ellipse in the plane across the edge; or those of a face, whose normal it is. All of
// these are tried, corners and edges at both of their feet, so the answer is the global one.
//
// Error: some 1e-15 of the largest semiaxis or the farthest corner, whichever is more. Cost: O(corners + edges +
// faces), 0.1 to 0.2 us each, and O(corners) for those that may be the best.
// SPDX-License-Identifier: MIT
#ifndef CD_ELLIPSOID_HULL_H
#define CD_ELLIPSOID_HULL_H

#include "cd_convex3.h"
#include "cd_ellipsoid.h"
#include "cd_feature_code.h"

typedef struct cd_ellipsoid_hull {
    double gap;               // [m]
    cd_vec3 normal;           // unit, from the ellipsoid to the hull
    cd_vec3 point_ellipsoid;  // [m] on the ellipsoid, with that normal
    cd_vec3 point_hull;       // [m] point_hull - point_ellipsoid = gap * normal
    int32_t feature;          // cd_feature code: of the hull; an edge of a polyhedron: CD_FEATURE_NONE
    bool is_degenerate;       // the normal is one of two or more that part them alike
} cd_ellipsoid_hull;

// Of a placed polyhedron, with or without planes. Scratch memory is given back.
cd_ellipsoid_hull cd_ellipsoid_convex(const cd_ellipsoid *e, const cd_convex3 *convex, cd_arena *scratch);
// Of 1 to 3 corners; edge i runs from corner i to the next, the face is number 0.
cd_ellipsoid_hull cd_ellipsoid_corners(const cd_ellipsoid *e, const cd_vec3 *corner, int32_t count);

#endif
