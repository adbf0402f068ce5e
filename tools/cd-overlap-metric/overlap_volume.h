// overlap_volume -- volumes of intersections with half-spaces, balls and ellipsoids, each with a bound or an estimate
// of its error. (Two polyhedra: cd_intersect3.h.)
//
// The error of closed forms is that of rounding: the measure's terms, and the surface of the intersection times what
// rounding moves the bodies' surfaces by. Bodies are taken as given, in doubles. Volumes are never negative.
// SPDX-License-Identifier: MIT
#ifndef OVERLAP_VOLUME_H
#define OVERLAP_VOLUME_H

#include "cd_convex3.h"
#include "cd_leaf3.h"

typedef struct cd_volume {
    double value;  // [m^3] >= 0
    double error;  // [m^3] >= 0, of `value`
} cd_volume;

// ---- closed forms: O(1), O(corners of faces) -----------------------------------------------------------------------

cd_volume cd_volume_ball_ball(cd_ball a, cd_ball b);
cd_volume cd_volume_ball_halfspace(cd_ball a, cd_halfspace b);
cd_volume cd_volume_ellipsoid_halfspace(const cd_ellipsoid *a, cd_halfspace b);
cd_volume cd_volume_convex_halfspace(const cd_convex3 *a, cd_halfspace b, cd_arena *scratch);
cd_volume cd_volume_convex_ball(const cd_convex3 *a, cd_ball b, cd_arena *scratch);
cd_volume cd_volume_convex_ellipsoid(const cd_convex3 *a, const cd_ellipsoid *b, cd_arena *scratch);

// ---- quadrature: 0.1 to 0.2 ms, where bodies pierce each other 1 ms and more ---------------------------------------

// The error is an estimate: the difference of the last two refinements. 1e-12 of the volume is common for overlaps
// whose boundary is two caps; bodies that pierce each other, with a boundary in more pieces, reach 1e-4 to 1e-6.
cd_volume cd_volume_ellipsoid_ellipsoid(const cd_ellipsoid *a, const cd_ellipsoid *b);

// ---- shared by the files -------------------------------------------------------------------------------------------

// The 16 nodes of Gauss and Legendre on [-1, 1] are +-node[k] (Abramowitz & Stegun 1964, table 25.4).
enum { CD_GAUSS_HALF = 8 };
extern const double cd_gauss_node[CD_GAUSS_HALF], cd_gauss_weight[CD_GAUSS_HALF];

// The unit ball about the origin and a closed convex polyhedron whose corners are wrong by up to corner_error [1].
cd_volume cd_volume_unit_ball(cd_polyhedron polyhedron, double corner_error);

#endif
