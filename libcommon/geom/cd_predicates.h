// cd_predicates -- the sign of a turn in the plane, decided exactly.
//
// cd_orient2d(a, b, c) is positive when a, b, c turn counter-clockwise, negative when clockwise, zero exactly when
// the three points are collinear. A floating-point filter answers nearly always (about 2 ns); what it cannot decide
// goes to error-free transformations, where the determinant is an expansion of at most 16 doubles (about 0.3 us).
// Source: J. R. Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates",
// Discrete Comput. Geom. 18 (1997), for the filter's constant and the expansion sum.
//
// Range: exact when every coordinate is 0 or of magnitude 1e-140 .. 1e140; outside it products under- or overflow.
// Needs round-to-nearest and no contraction or fast-math (-ffp-contract=off).
// SPDX-License-Identifier: MIT
#ifndef CD_PREDICATES_H
#define CD_PREDICATES_H

#include "cd_vec2.h"

// (3 + 16 u) u with u = 2^-53: |computed - exact| <= this * (|left| + |right|).
#define CD_ORIENT2D_BOUND 3.3306690738754716e-16

// The determinant (a - c) x (b - c), twice the signed area of the triangle, with the right sign and a relative
// error of at most 2^-52: no cancellation is left. For callers that need the small value itself, not just its sign.
double cd_orient2d_exact(cd_vec2 a, cd_vec2 b, cd_vec2 c);

// The same determinant with the right sign; its size is only good to CD_ORIENT2D_BOUND of the two products.
static inline double cd_orient2d(cd_vec2 a, cd_vec2 b, cd_vec2 c)
{
    double left = (a.x - c.x) * (b.y - c.y);
    double right = (a.y - c.y) * (b.x - c.x);
    double determinant = left - right;
    double bound = CD_ORIENT2D_BOUND * (fabs(left) + fabs(right));
    if (determinant > bound || -determinant > bound)
        return determinant;
    return cd_orient2d_exact(a, b, c);
}

#endif
