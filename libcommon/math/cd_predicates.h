// cd_predicates -- the sign of a turn in the plane, and of a tetrahedron's volume in space, decided exactly.
//
// cd_orient2d(a, b, c) is positive when a, b, c turn counter-clockwise, negative when clockwise, zero exactly when
// the three points are collinear. A floating-point filter answers nearly always (about 2 ns); what it cannot decide
// goes to error-free transformations, where the determinant is an expansion of at most 16 doubles (about 0.3 us).
// Source: J. R. Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates",
// Discrete Comput. Geom. 18 (1997), for the filters' constants and the expansion sums.
//
// cd_orient3d(a, b, c, d) is positive when d lies on the side of the plane a, b, c from which these turn
// counter-clockwise (outside, for a face of a polyhedron), negative on the other side, zero exactly when the four
// points are coplanar. The filter takes some 4 ns; expansions of at most 192 doubles (24 when the coordinates'
// differences are doubles) some 0.1 us to 2 us.
//
// Range: exact when every coordinate is 0 or of magnitude 1e-140 .. 1e140, in space 1e-90 .. 1e90; outside it products
// under- or overflow.
// Needs round-to-nearest and no contraction or fast-math (-ffp-contract=off).
// SPDX-License-Identifier: MIT
#ifndef CD_PREDICATES_H
#define CD_PREDICATES_H

#include "cd_vec2.h"
#include "cd_vec3.h"

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

// (7 + 56 u) u: |computed - exact| <= this * the sum of the magnitudes of all six products (Shewchuk, table 7).
#define CD_ORIENT3D_BOUND 7.771561172376103e-16

// The determinant (b - a) x (c - a) . (d - a), six times the signed volume of the tetrahedron, with the right sign and
// a relative error of at most 2^-52.
double cd_orient3d_exact(cd_vec3 a, cd_vec3 b, cd_vec3 c, cd_vec3 d);

// The same determinant with the right sign; its size is only good to CD_ORIENT3D_BOUND of the products' magnitudes.
static inline double cd_orient3d(cd_vec3 a, cd_vec3 b, cd_vec3 c, cd_vec3 d)
{
    cd_vec3 u = cd_sub3(b, a), v = cd_sub3(c, a), w = cd_sub3(d, a);
    double uyvz = u.y * v.z, uzvy = u.z * v.y, uzvx = u.z * v.x, uxvz = u.x * v.z, uxvy = u.x * v.y, uyvx = u.y * v.x;
    double determinant = w.x * (uyvz - uzvy) + w.y * (uzvx - uxvz) + w.z * (uxvy - uyvx);
    double magnitude = fabs(w.x) * (fabs(uyvz) + fabs(uzvy)) + fabs(w.y) * (fabs(uzvx) + fabs(uxvz)) +
                       fabs(w.z) * (fabs(uxvy) + fabs(uyvx));
    double bound = CD_ORIENT3D_BOUND * magnitude;
    if (determinant > bound || -determinant > bound)
        return determinant;
    return cd_orient3d_exact(a, b, c, d);
}

#endif
