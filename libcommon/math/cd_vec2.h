// cd_vec2 -- plane vectors and rigid motions of the plane, as value types with pure inline operations.
// Angles in rad, counter-clockwise positive.
// SPDX-License-Identifier: MIT
#ifndef CD_VEC2_H
#define CD_VEC2_H

#include <math.h>

typedef struct cd_vec2 {
    double x, y;
} cd_vec2;

static inline cd_vec2 cd_vec2_at(const double *p) { return (cd_vec2){p[0], p[1]}; }
static inline cd_vec2 cd_add2(cd_vec2 a, cd_vec2 b) { return (cd_vec2){a.x + b.x, a.y + b.y}; }
static inline cd_vec2 cd_sub2(cd_vec2 a, cd_vec2 b) { return (cd_vec2){a.x - b.x, a.y - b.y}; }
static inline cd_vec2 cd_scale2(double s, cd_vec2 a) { return (cd_vec2){s * a.x, s * a.y}; }
static inline cd_vec2 cd_negate2(cd_vec2 a) { return (cd_vec2){-a.x, -a.y}; }
static inline double cd_dot2(cd_vec2 a, cd_vec2 b) { return a.x * b.x + a.y * b.y; }
static inline double cd_cross2(cd_vec2 a, cd_vec2 b) { return a.x * b.y - a.y * b.x; }  // z of a x b
static inline double cd_length2(cd_vec2 a) { return sqrt(cd_dot2(a, a)); }
static inline cd_vec2 cd_lerp2(cd_vec2 a, cd_vec2 b, double t)
{
    return (cd_vec2){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
}
static inline cd_vec2 cd_right2(cd_vec2 e)
{
    return (cd_vec2){e.y, -e.x};
}  // e turned by -90 degrees: outward for CCW edges
// a / |a|; the zero vector stays zero (callers that cannot have it need not test).
static inline cd_vec2 cd_unit2(cd_vec2 a)
{
    double length = cd_length2(a);
    return length > 0 ? cd_scale2(1 / length, a) : a;
}

// A placement of the plane: world = position + R(angle) local. cosine and sine are kept so that applying it is cheap.
typedef struct cd_pose2 {
    cd_vec2 position;     // [m] world
    double cosine, sine;  // of the rotation angle
} cd_pose2;

static inline cd_pose2 cd_pose2_make(cd_vec2 position, double angle)
{
    return (cd_pose2){position, cos(angle), sin(angle)};
}
static inline cd_vec2 cd_pose2_turn(cd_pose2 pose, cd_vec2 v)
{
    return (cd_vec2){pose.cosine * v.x - pose.sine * v.y, pose.sine * v.x + pose.cosine * v.y};
}
static inline cd_vec2 cd_pose2_apply(cd_pose2 pose, cd_vec2 local)
{
    return cd_add2(pose.position, cd_pose2_turn(pose, local));
}

#endif
