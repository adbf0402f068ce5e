// cd_quat -- rotations of space as quaternions [w, x, y, z], and rigid placements.
//
// A rotation by the angle t about the unit axis n is q = (cos t/2, sin t/2 n); q and -q are the same rotation. Products
// read as matrices do: (a b) turns by b first. Where nothing else is said a quaternion stands for the rotation of
// q/|q|, so that the rounding of its length (a stream allows 1e-9) turns into no shear or scale. Angles in rad,
// right-handed.
// SPDX-License-Identifier: MIT
#ifndef CD_QUAT_H
#define CD_QUAT_H

#include "cd_vec3.h"

#include <stdbool.h>

typedef struct cd_quat {
    double w, x, y, z;
} cd_quat;

static inline cd_quat cd_quat_at(const double *p) { return (cd_quat){p[0], p[1], p[2], p[3]}; }
static inline void cd_quat_put(cd_quat q, double *p)
{
    p[0] = q.w;
    p[1] = q.x;
    p[2] = q.y;
    p[3] = q.z;
}
static inline cd_quat cd_quat_identity(void) { return (cd_quat){1, 0, 0, 0}; }
static inline cd_quat cd_quat_conjugate(cd_quat q) { return (cd_quat){q.w, -q.x, -q.y, -q.z}; }
static inline bool cd_quat_is_same(cd_quat a, cd_quat b)
{
    return a.w == b.w && a.x == b.x && a.y == b.y && a.z == b.z;
}
static inline cd_quat cd_quat_product(cd_quat a, cd_quat b)
{
    return (cd_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline double cd_quat_length_sq(cd_quat q) { return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z; }
// q / |q|; the zero quaternion, which is no rotation, becomes the identity.
static inline cd_quat cd_quat_unit(cd_quat q)
{
    double length = sqrt(cd_quat_length_sq(q));
    if (!(length > 0))
        return cd_quat_identity();
    return (cd_quat){q.w / length, q.x / length, q.y / length, q.z / length};
}
// The rotation by |r| about r [rad].
static inline cd_quat cd_quat_from_vector(cd_vec3 r)
{
    double angle = cd_length3(r);
    // sin(t/2) / t: below t = 1e-4 the series' next term, t^4 / 3840, is less than 1e-19 of the first.
    double s = angle < 1e-4 ? 0.5 - angle * angle / 48 : sin(angle / 2) / angle;
    return (cd_quat){cos(angle / 2), s * r.x, s * r.y, s * r.z};
}
// Its inverse: the rotation vector [rad] of q/|q|, of length 0 .. pi.
static inline cd_vec3 cd_quat_vector(cd_quat q)
{
    cd_vec3 u = {q.x, q.y, q.z};
    double s = cd_length3(u), half = atan2(s, fabs(q.w));
    double factor = s > 0 ? 2 * half / s : 0;  // half is never rounded to 0 where s is not 0
    return cd_scale3(q.w < 0 ? -factor : factor, u);
}
// v turned by a unit quaternion: v + 2 u x (u x v + w v), with q = (w, u).
static inline cd_vec3 cd_quat_turn(cd_quat q, cd_vec3 v)
{
    cd_vec3 u = {q.x, q.y, q.z};
    return cd_add3(v, cd_scale3(2, cd_cross3(u, cd_add3(cd_cross3(u, v), cd_scale3(q.w, v)))));
}
// The matrix of q/|q|, whatever q's length: R_11 = (ww + xx - yy - zz) / |q|^2, R_12 = 2 (xy - wz) / |q|^2, ... The
// identity and quarter turns about an axis (two components of equal size, the others 0) come out exact. Error of the
// entries, with u = 2^-53: numerator and |q|^2 have 4 roundings each (off the diagonal, where |xy| + |wz| is at most
// half of |q|^2, 2), and the quotient one: 4 u + 5 u |R_ii| and 2 u + 5 u |R_ij|.
static inline cd_mat3 cd_quat_matrix(cd_quat q)
{
    double n = cd_quat_length_sq(q), w = q.w, x = q.x, y = q.y, z = q.z;
    double ww = w * w, xx = x * x, yy = y * y, zz = z * z;
    return (cd_mat3){{{(ww + xx - yy - zz) / n, 2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n},
                      {2 * (x * y + w * z) / n, (ww - xx + yy - zz) / n, 2 * (y * z - w * x) / n},
                      {2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n, (ww - xx - yy + zz) / n}}};
}
// The angle of the smallest rotation that takes a to b, 0 .. pi; 0 when they are equal to the bit.
static inline double cd_quat_angle_between(cd_quat a, cd_quat b)
{
    if (cd_quat_is_same(a, b))
        return 0;
    cd_quat d = cd_quat_product(cd_quat_conjugate(a), b);
    return 2 * atan2(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), fabs(d.w));
}

// A placement: world = position + turn local.
typedef struct cd_pose3 {
    cd_vec3 position;  // [m] world
    cd_mat3 turn;      // rotation
} cd_pose3;

static inline cd_pose3 cd_pose3_make(cd_vec3 position, cd_quat rotation)
{
    return (cd_pose3){position, cd_quat_matrix(rotation)};
}
static inline cd_vec3 cd_pose3_turn(const cd_pose3 *pose, cd_vec3 v) { return cd_mat3_apply(&pose->turn, v); }
static inline cd_vec3 cd_pose3_apply(const cd_pose3 *pose, cd_vec3 local)
{
    return cd_add3(pose->position, cd_mat3_apply(&pose->turn, local));
}

#endif
