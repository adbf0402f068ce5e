// cd_gjk -- what the files of the distance algorithm share; its face to others is cd_distance3.h.
//
// The problem: the point nearest to the origin of the difference M = { p - q : p in a, q in b }. The state is a
// simplex of at most 4 points of M, each made of a corner of a and one of b.
// SPDX-License-Identifier: MIT
#ifndef CD_GJK_H
#define CD_GJK_H

#include "cd_distance3.h"

enum {
    CD_GJK_MOST_ITERATIONS = 128,
    CD_GJK_MOST_CURVED = 256,  // support points kept of an ellipsoid: both passes together look for no more
};

// Bounds that agree to this part of the scale are one. Rounding alone leaves about 4e-16 between them.
#define CD_GJK_TOLERANCE 2e-15
// What an answer is believed at; a pass that ends with more is followed by one in double-double numbers.
#define CD_GJK_CERTIFICATE 4e-15

// Within this part of the scale of each other's boundary bodies count as touching.
#define CD_GJK_TOUCHING 1e-12

typedef struct cd_gjk_side {
    const double *x, *y, *z;  // [m] columns of the corners, padded like a cd_convex3's; NULL: an ellipsoid
    int32_t count;            // corners
    cd_vec3 centre;           // [m] what directions are measured from: near the body, or 0 where that costs no digits
    const cd_vec3 *axis;      // an ellipsoid's
    cd_vec3 *curved;          // [CD_GJK_MOST_CURVED] its support points so far; corner i is curved[i]
    int32_t curved_count;
} cd_gjk_side;

typedef struct cd_gjk_point {
    cd_vec3 w;     // [m] corner a less corner b
    int32_t a, b;  // corners
} cd_gjk_point;

typedef enum cd_gjk_end {
    CD_GJK_CONVERGED,  // the bounds met
    CD_GJK_AT_ORIGIN,  // nearer than can be told from 0
    CD_GJK_INSIDE,     // the simplex is a tetrahedron around the origin, beyond rounding
    CD_GJK_STUCK,      // a corner came again, or the distance no longer fell
    CD_GJK_LIMIT,
} cd_gjk_end;

typedef struct cd_gjk {
    cd_gjk_side a, b;
    cd_vec3 direction;      // where to look first, when the simplex is empty: any point of M but the origin
    double scale;           // [m]
    cd_gjk_point point[4];  // in: the simplex to start from, out: the last one
    int32_t count;
    double weight[4];     // out: the nearest point is the sum of weight * w
    cd_vec3 v;            // [m] out: that point, of a direction better than the sum's
    double upper, lower;  // [m] out: |v|; what M is known to be away from the origin
    cd_gjk_end end;
    int32_t iterations;  // counted up
} cd_gjk;

// fmax is a call; of finite numbers this is the same.
static inline double cd_gjk_larger(double a, double b) { return a > b ? a : b; }

static inline cd_vec3 cd_gjk_corner(const cd_gjk_side *side, int32_t i)
{
    return side->x ? (cd_vec3){side->x[i], side->y[i], side->z[i]} : side->curved[i];
}

// The search in doubles, the same at all levels to the bit.
void cd_gjk_run(cd_gjk *g);
void cd_gjk_run_avx2(cd_gjk *g);
void cd_gjk_run_avx512(cd_gjk *g);
// From the simplex that g holds (at least a point), by exhaustive search of its faces in double-double numbers.
void cd_gjk_run_extended(cd_gjk *g, cd_vector_level level);

// For bodies whose difference reaches the origin to within rounding: whether it lies CD_GJK_TOUCHING of the scale or
// more deep in it. `centre` is inside the difference, unless that is flat. False of two points, segments, triangles.
bool cd_gjk_holds_origin(const cd_gjk *g, cd_vec3 centre, cd_vector_level level);

// An order of bodies that their corners alone decide, for choices that exchanging a and b must mirror: < 0, > 0, 0 for
// identical ones and ellipsoids.
int cd_gjk_order(const cd_gjk_side *a, const cd_gjk_side *b);

// An ellipsoid's point farthest along d: c + A A^T d / |A^T d|, with the half axes in A's columns.
static inline cd_vec3 cd_gjk_curved_support(const cd_gjk_side *side, cd_vec3 d)
{
    cd_vec3 t = cd_unit3((cd_vec3){cd_dot3(side->axis[0], d), cd_dot3(side->axis[1], d), cd_dot3(side->axis[2], d)});
    cd_vec3 x =
        cd_add3(cd_add3(cd_scale3(t.x, side->axis[0]), cd_scale3(t.y, side->axis[1])), cd_scale3(t.z, side->axis[2]));
    return cd_add3(side->centre, x);
}

// Number of the corner farthest along `direction` (any length), of several the least. The same at all levels.
int32_t cd_gjk_support_at(const cd_gjk_side *side, cd_vec3 direction, cd_vector_level level);
int32_t cd_gjk_support(const cd_gjk_side *side, cd_vec3 direction);
int32_t cd_gjk_support_avx2(const cd_gjk_side *side, cd_vec3 direction);
int32_t cd_gjk_support_avx512(const cd_gjk_side *side, cd_vec3 direction);

#endif
