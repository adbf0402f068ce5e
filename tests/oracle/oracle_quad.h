// oracle_quad -- numbers of 113 bits (__float128): square root, angle, and the volume that the unit ball and a closed
// polyhedron have in common.
//
// The volume is the sum of cones over the faces' triangles, of which every term has the size of the ball: 34 digits
// make up for what cancels. (The formula itself is compared with slices in tests/unit/tools/test_overlap.c.)
// SPDX-License-Identifier: MIT
#ifndef ORACLE_QUAD_H
#define ORACLE_QUAD_H

#include <math.h>
#include <stdint.h>

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 quad;
#else
typedef long double quad;  // 113 bits on arm64
#endif

static inline quad quad_abs(quad x) { return x < 0 ? -x : x; }

// Newton's method from the root of the nearest double; powers of two keep that in range.
static inline quad quad_sqrt(quad x)
{
    if (!(x > 0))
        return 0;
    quad up = 1;
    while (x < 1e-200) {
        x *= 0x1p200;
        up *= 0x1p-100;
    }
    quad root = sqrt((double)x);
    for (int step = 0; step < 3; step++)
        root = (root + x / root) / 2;
    return root * up;
}

// The angle of doubles, corrected by what is left when the vector is turned back by it.
static inline quad quad_angle(quad y, quad x)
{
    quad size = quad_abs(x) > quad_abs(y) ? quad_abs(x) : quad_abs(y);
    if (!(size > 0))
        return 0;
    x /= size;
    y /= size;
    quad angle = atan2((double)y, (double)x), sine = 0, cosine = 0, term = 1;
    for (int n = 0; n < 60; n += 2) {
        cosine += term;
        sine += term * angle / (n + 1);
        term *= -angle * angle / ((n + 1) * (n + 2));
    }
    quad off = (y * cosine - x * sine) / (x * cosine + y * sine);
    return angle + off - off * off * off / 3;
}

static inline quad quad_pi(void) { return quad_angle(0, -1); }

typedef struct quad_edge {
    quad h, d;  // distance of the plane, and in it of the line (tools/cd-overlap-metric/overlap_ball.c)
} quad_edge;

static inline quad quad_turn(quad_edge e, quad a, quad b) { return quad_angle(e.d * (b - a), a * b + e.d * e.d); }
static inline quad quad_psi(quad_edge e, quad t)
{
    return quad_angle(e.h * t, quad_abs(e.d) * quad_sqrt(e.h * e.h + e.d * e.d + t * t)) * (e.d < 0 ? -1 : 1);
}

// Of the edge from a to b on its line.
static inline quad quad_cone(quad_edge e, quad a, quad b)
{
    if (quad_abs(e.h) >= 1)
        return ((e.h < 0 ? -1 : 1) * quad_turn(e, a, b) - quad_psi(e, b) + quad_psi(e, a)) / 3;
    quad reach = quad_sqrt(1 - e.h * e.h - e.d * e.d), sum = 0;
    quad begin = a > -reach ? a : -reach, end = b < reach ? b : reach;
    quad piece[2][2] = {{a, b}, {b, b}};
    if (begin < end) {
        sum = e.h * e.d * (end - begin) / 6;
        piece[0][1] = begin;
        piece[1][0] = end;
    }
    for (int k = 0; k < 2; k++)
        if (piece[k][0] < piece[k][1])
            sum += e.h * (3 - e.h * e.h) / 6 * quad_turn(e, piece[k][0], piece[k][1]) -
                   (quad_psi(e, piece[k][1]) - quad_psi(e, piece[k][0])) / 3;
    return sum;
}

static inline quad quad_dot(const quad *a, const quad *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline void quad_cross(const quad *a, const quad *b, quad *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static inline quad quad_triangle(const quad *const corner[3])
{
    quad side[2][3], normal[3], sum = 0;
    for (int j = 0; j < 2; j++)
        for (int k = 0; k < 3; k++)
            side[j][k] = corner[j + 1][k] - corner[0][k];
    quad_cross(side[0], side[1], normal);
    quad size = quad_sqrt(quad_dot(normal, normal));
    if (!(size > 0))
        return 0;
    for (int k = 0; k < 3; k++)
        normal[k] /= size;
    for (int j = 0; j < 3; j++) {
        const quad *from = corner[j], *to = corner[(j + 1) % 3];
        quad along[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]}, inward[3];
        quad length = quad_sqrt(quad_dot(along, along));
        for (int k = 0; k < 3; k++)
            along[k] /= length;
        quad_cross(normal, along, inward);
        quad begin = quad_dot(from, along);
        sum += quad_cone((quad_edge){quad_dot(normal, from), -quad_dot(from, inward)}, begin, begin + length);
    }
    return sum;
}

// Corners relative to the ball's centre, in radii.
static inline quad quad_unit_ball_volume(quad (*corner)[3], int32_t faces, const int32_t *first, const int32_t *vertex)
{
    quad sum = 0;
    for (int32_t f = 0; f < faces; f++)
        for (int32_t k = first[f] + 1; k + 1 < first[f + 1]; k++)
            sum += quad_triangle(
                (const quad *const[3]){corner[vertex[first[f]]], corner[vertex[k]], corner[vertex[k + 1]]});
    return sum;
}

#endif
