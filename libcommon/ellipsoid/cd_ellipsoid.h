// cd_ellipsoid -- ellipsoids of space: support, and the map under which one is the unit ball.
//
// An ellipse of the plane is an ellipsoid with its centre in z = 0 and its last axis along z; how long that one is
// changes nothing of what lies in the plane (cd_ellipsoid_of_plane).
//
// Under the map x -> diag(1/a) U'(x - c) the ellipsoid is the unit ball about the origin, and lines, planes and
// triangles stay what they are. The point q of a body that is nearest to the origin there is where the ellipsoid,
// scaled by mu = |q| about its centre, touches that body; with n the normal of the ellipsoid at that place the planes
// normal to n that support both are (mu - 1) h(n) apart (Perram & Wertham, J. Comput. Phys. 58 (1985) 409: the same
// of two ellipsoids). That is exact where q lies in a face, and never more than the signed distance.
// SPDX-License-Identifier: MIT
#ifndef CD_ELLIPSOID_H
#define CD_ELLIPSOID_H

#include "cd_vec3.h"

// Points centre + axes diag(semiaxes) b, |b| <= 1.
typedef struct cd_ellipsoid {
    cd_vec3 centre;       // [m]
    cd_vec3 semiaxes;     // [m]
    const cd_mat3 *axes;  // rotation: column j is the direction of semiaxis j
} cd_ellipsoid;

// The same as half axes: lengths and directions in one.
typedef struct cd_half_axes {
    cd_vec3 axis[3];  // [m] orthogonal
} cd_half_axes;

static inline cd_half_axes cd_ellipsoid_half_axes(const cd_ellipsoid *e)
{
    const cd_mat3 *u = e->axes;
    return (cd_half_axes){{{u->row[0].x * e->semiaxes.x, u->row[1].x * e->semiaxes.x, u->row[2].x * e->semiaxes.x},
                           {u->row[0].y * e->semiaxes.y, u->row[1].y * e->semiaxes.y, u->row[2].y * e->semiaxes.y},
                           {u->row[0].z * e->semiaxes.z, u->row[1].z * e->semiaxes.z, u->row[2].z * e->semiaxes.z}}};
}

static inline cd_vec3 cd_half_axes_heights(const cd_half_axes *half, cd_vec3 n)  // H'n
{
    return (cd_vec3){cd_dot3(half->axis[0], n), cd_dot3(half->axis[1], n), cd_dot3(half->axis[2], n)};
}
static inline cd_vec3 cd_half_axes_apply(const cd_half_axes *half, cd_vec3 b)  // H b
{
    return cd_add3(cd_add3(cd_scale3(b.x, half->axis[0]), cd_scale3(b.y, half->axis[1])),
                   cd_scale3(b.z, half->axis[2]));
}
// h(n) = |H'n| [m] (n of length 1): half the width along n.
static inline double cd_half_axes_width(const cd_half_axes *half, cd_vec3 n)
{
    return cd_length3(cd_half_axes_heights(half, n));
}
// The point farthest along n, from the centre: H H'n / |H'n|; n need not be of length 1.
static inline cd_vec3 cd_half_axes_support(const cd_half_axes *half, cd_vec3 n)
{
    return cd_half_axes_apply(half, cd_unit3(cd_half_axes_heights(half, n)));
}

// An order of two ellipsoids by their half axes, and of equal ones by where b's centre is from a's: kernels that see
// the pair in this order give the same bits whichever side is which. False: they stand in it.
bool cd_half_axes_are_swapped(const cd_half_axes *a, const cd_half_axes *b, cd_vec3 between);

// ---- the map to the unit ball --------------------------------------------------------------------------------------

static inline cd_vec3 cd_ellipsoid_to_ball(const cd_ellipsoid *e, cd_vec3 p)
{
    cd_vec3 own = cd_mat3_apply_back(e->axes, cd_sub3(p, e->centre));
    return (cd_vec3){own.x / e->semiaxes.x, own.y / e->semiaxes.y, own.z / e->semiaxes.z};
}
static inline cd_vec3 cd_ellipsoid_from_ball(const cd_ellipsoid *e, cd_vec3 q)
{
    cd_vec3 own = {q.x * e->semiaxes.x, q.y * e->semiaxes.y, q.z * e->semiaxes.z};
    return cd_add3(e->centre, cd_mat3_apply(e->axes, own));
}

// Where the scaled ellipsoid touches what else is there.
typedef struct cd_ellipsoid_touch {
    double mu;       // [1] the scale: below 1 they overlap
    double gap;      // [m] (mu - 1) h(normal): of the supporting planes
    cd_vec3 normal;  // unit, outward of the ellipsoid
    cd_vec3 point;   // [m] on the ellipsoid, where that is its normal
} cd_ellipsoid_touch;

// Of a point q of the ball's space that is not the origin.
static inline cd_ellipsoid_touch cd_ellipsoid_touch_at(const cd_ellipsoid *e, cd_vec3 q)
{
    double mu = cd_length3(q);
    cd_vec3 on_ball = cd_scale3(1 / mu, q);
    cd_vec3 own = {on_ball.x / e->semiaxes.x, on_ball.y / e->semiaxes.y, on_ball.z / e->semiaxes.z};
    double height = 1 / cd_length3(own);
    return (cd_ellipsoid_touch){mu, (mu - 1) * height, cd_mat3_apply(e->axes, cd_scale3(height, own)),
                                cd_ellipsoid_from_ball(e, on_ball)};
}
// Of a plane through p with the unit normal n, that is s = n.(p - centre) [m] from the centre; s 0: along n.
static inline cd_ellipsoid_touch cd_ellipsoid_touch_plane(const cd_ellipsoid *e, cd_vec3 n, double s)
{
    cd_vec3 along = s < 0 ? cd_negate3(n) : n, own = cd_mat3_apply_back(e->axes, along);
    cd_vec3 heights = {own.x * e->semiaxes.x, own.y * e->semiaxes.y, own.z * e->semiaxes.z};
    double height = cd_length3(heights);
    return (cd_ellipsoid_touch){fabs(s) / height, fabs(s) - height, along,
                                cd_ellipsoid_from_ball(e, cd_scale3(1 / height, heights))};
}

#endif
