// cd_vec3 -- vectors and 3 x 3 matrices of space, as value types with pure inline operations.
// SPDX-License-Identifier: MIT
#ifndef CD_VEC3_H
#define CD_VEC3_H

#include "cd_vec2.h"

#include <math.h>
#include <stdbool.h>

typedef struct cd_vec3 {
    double x, y, z;
} cd_vec3;

static inline cd_vec3 cd_vec3_at(const double *p) { return (cd_vec3){p[0], p[1], p[2]}; }
static inline cd_vec3 cd_vec3_of_plane(cd_vec2 a) { return (cd_vec3){a.x, a.y, 0}; }  // the plane is z = 0
static inline void cd_vec3_put(cd_vec3 a, double *p)
{
    p[0] = a.x;
    p[1] = a.y;
    p[2] = a.z;
}
static inline cd_vec3 cd_add3(cd_vec3 a, cd_vec3 b) { return (cd_vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline cd_vec3 cd_sub3(cd_vec3 a, cd_vec3 b) { return (cd_vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline cd_vec3 cd_scale3(double s, cd_vec3 a) { return (cd_vec3){s * a.x, s * a.y, s * a.z}; }
static inline cd_vec3 cd_negate3(cd_vec3 a) { return (cd_vec3){-a.x, -a.y, -a.z}; }
static inline double cd_dot3(cd_vec3 a, cd_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline cd_vec3 cd_cross3(cd_vec3 a, cd_vec3 b)
{
    return (cd_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double cd_length3(cd_vec3 a) { return sqrt(cd_dot3(a, a)); }
static inline cd_vec3 cd_lerp3(cd_vec3 a, cd_vec3 b, double t) { return cd_add3(a, cd_scale3(t, cd_sub3(b, a))); }
// a / |a|; the zero vector stays zero (callers that cannot have it need not test).
static inline cd_vec3 cd_unit3(cd_vec3 a)
{
    double length = cd_length3(a);
    return length > 0 ? cd_scale3(1 / length, a) : a;
}

// A unit vector perpendicular to a, which is not zero; it jumps where a's least component changes.
static inline cd_vec3 cd_across3(cd_vec3 a)
{
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    cd_vec3 least = x <= y && x <= z ? (cd_vec3){1, 0, 0} : y <= z ? (cd_vec3){0, 1, 0} : (cd_vec3){0, 0, 1};
    return cd_unit3(cd_cross3(a, least));
}

typedef struct cd_mat3 {
    cd_vec3 row[3];
} cd_mat3;

static inline cd_mat3 cd_mat3_identity(void) { return (cd_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }
static inline bool cd_mat3_is_identity(const cd_mat3 *m)
{
    return m->row[0].x == 1 && m->row[1].y == 1 && m->row[2].z == 1 && m->row[0].y == 0 && m->row[0].z == 0 &&
           m->row[1].x == 0 && m->row[1].z == 0 && m->row[2].x == 0 && m->row[2].y == 0;
}
static inline cd_vec3 cd_mat3_apply(const cd_mat3 *m, cd_vec3 v)
{
    return (cd_vec3){cd_dot3(m->row[0], v), cd_dot3(m->row[1], v), cd_dot3(m->row[2], v)};
}
// The transposed matrix applied; for a rotation the inverse.
static inline cd_vec3 cd_mat3_apply_back(const cd_mat3 *m, cd_vec3 v)
{
    return (cd_vec3){m->row[0].x * v.x + m->row[1].x * v.y + m->row[2].x * v.z,
                     m->row[0].y * v.x + m->row[1].y * v.y + m->row[2].y * v.z,
                     m->row[0].z * v.x + m->row[1].z * v.y + m->row[2].z * v.z};
}
static inline cd_mat3 cd_mat3_transpose(const cd_mat3 *m)
{
    return (cd_mat3){{{m->row[0].x, m->row[1].x, m->row[2].x},
                      {m->row[0].y, m->row[1].y, m->row[2].y},
                      {m->row[0].z, m->row[1].z, m->row[2].z}}};
}
static inline cd_mat3 cd_mat3_product(const cd_mat3 *a, const cd_mat3 *b)  // a b
{
    return (cd_mat3){
        {cd_mat3_apply_back(b, a->row[0]), cd_mat3_apply_back(b, a->row[1]), cd_mat3_apply_back(b, a->row[2])}};
}

#endif
