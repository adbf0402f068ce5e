// What the tests of convex polyhedra share: numbers of twice the digits, random bodies and poses, distances by brute
// force.
// SPDX-License-Identifier: MIT
#ifndef TEST_CONVEX3_RANDOM_H
#define TEST_CONVEX3_RANDOM_H

#include "cd_convex3.h"
#include "cd_hull3.h"
#include "cd_random.h"

#include <math.h>

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 quad;
#else
typedef long double quad;
#endif

static inline quad quad_root(quad x)
{
    if (!(x > 0))
        return 0;
    quad root = sqrtl((long double)x);
    return (root + x / root) / 2;
}

// ---- random bodies -------------------------------------------------------------------------------------------------

static inline cd_vec3 test_direction(cd_random *random)
{
    for (;;) {
        cd_vec3 d = {cd_random_between(random, -1, 1), cd_random_between(random, -1, 1),
                     cd_random_between(random, -1, 1)};
        double square = cd_dot3(d, d);
        if (square <= 1 && square > 0.01)
            return cd_scale3(1 / sqrt(square), d);
    }
}

static inline cd_pose3 test_pose(cd_random *random, cd_vec3 position)
{
    cd_quat q = {cd_random_between(random, -1, 1), cd_random_between(random, -1, 1), cd_random_between(random, -1, 1),
                 cd_random_between(random, -1, 1)};
    return cd_pose3_make(position, cd_quat_unit(q));
}

static inline cd_convex3 test_convex_of_points(cd_arena *arena, const cd_vec3 *point, int32_t count)
{
    cd_hull3 hull = cd_hull3_make(point, count, arena);
    cd_polyhedron polyhedron = cd_hull3_polyhedron(&hull, point, arena);
    return cd_convex3_make(arena, &polyhedron, NULL);
}

// Corners 0 .. 7: bit k of the number chooses the high end along axis k.
static inline cd_convex3 test_box(cd_arena *arena, const double *low, const double *high)
{
    static const int32_t first[7] = {0, 4, 8, 12, 16, 20, 24};
    static const int32_t face[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    cd_vec3 *vertex = CD_ARENA_ARRAY(arena, cd_vec3, 8);
    for (int i = 0; i < 8; i++)
        vertex[i] = (cd_vec3){i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]};
    cd_polyhedron box = {8, 6, vertex, first, face};
    return cd_convex3_make(arena, &box, NULL);
}

static inline cd_convex3 test_scaled(cd_arena *arena, const cd_convex3 *c, double factor)
{
    cd_vec3 *vertex = CD_ARENA_ARRAY(arena, cd_vec3, c->vertex_count);
    for (int32_t i = 0; i < c->vertex_count; i++)
        vertex[i] = cd_scale3(factor, cd_convex3_vertex(c, i));
    cd_polyhedron p = {c->vertex_count, c->face_count, vertex, c->face_first, c->face_vertex};
    return cd_convex3_make(arena, &p, c->surface);
}

typedef enum test_family {
    TEST_ROUND,    // on ellipsoids of aspect up to 3, and boxes
    TEST_NEEDLE,   // one axis up to 1e6 times the others
    TEST_PLATE,    // one axis down to 1e-6 of the others
    TEST_DIMPLED,  // sides of boxes with corners 1e-16 .. 1e-6 above their planes
} test_family;

static inline cd_convex3 test_random_convex(cd_arena *arena, cd_random *random, test_family family)
{
    cd_vec3 point[80];
    int32_t count = 4 + (int32_t)(cd_random_bits(random) % (cd_random_bits(random) % 8 == 0 ? 76 : 20));
    cd_vec3 axis = {cd_random_between(random, 0.3, 1), cd_random_between(random, 0.3, 1),
                    cd_random_between(random, 0.3, 1)};
    double extreme = exp(cd_random_between(random, 0, log(1e6)));
    if (family == TEST_NEEDLE)
        axis.y = axis.z = axis.y / extreme;
    if (family == TEST_PLATE)
        axis.z /= extreme;
    if (family == TEST_ROUND && cd_random_bits(random) % 4 == 0)
        return test_box(arena, (double[]){-axis.x, -axis.y, -axis.z}, (double[]){axis.x, axis.y, axis.z});
    for (int32_t i = 0; i < count; i++) {
        cd_vec3 d = test_direction(random);
        if (family == TEST_DIMPLED) {
            double height = exp(cd_random_between(random, log(1e-16), log(1e-6)));
            d = (cd_vec3){cd_random_between(random, -1, 1), cd_random_between(random, -1, 1),
                          i % 2 ? 1 + height : -1 - height};
        }
        point[i] = (cd_vec3){axis.x * d.x, axis.y * d.y, axis.z * d.z};
    }
    cd_hull3 hull = cd_hull3_make(point, count, arena);
    if (hull.dimension < 3)
        return test_random_convex(arena, random, family);
    cd_vec3 *kept = CD_ARENA_ARRAY(arena, cd_vec3, count);
    memcpy(kept, point, sizeof *point * (size_t)count);
    cd_polyhedron polyhedron = cd_hull3_polyhedron(&hull, kept, arena);
    return cd_convex3_make(arena, &polyhedron, NULL);
}

typedef struct test_pool {
    cd_convex3 *body;
    int32_t count;
} test_pool;

static inline test_pool test_pool_make(cd_arena *arena, cd_random *random, int32_t count, test_family family)
{
    test_pool pool = {CD_ARENA_ARRAY(arena, cd_convex3, count), count};
    for (int32_t i = 0; i < count; i++)
        pool.body[i] = test_random_convex(arena, random, family);
    return pool;
}

static inline const cd_convex3 *test_pool_pick(const test_pool *pool, cd_random *random)
{
    return &pool->body[cd_random_bits(random) % (unsigned)pool->count];
}

// ---- brute force ---------------------------------------------------------------------------------------------------

typedef struct test_long3 {
    long double x, y, z;
} test_long3;

static inline test_long3 test_long_sub(cd_vec3 a, cd_vec3 b)
{
    return (test_long3){(long double)a.x - b.x, (long double)a.y - b.y, (long double)a.z - b.z};
}
static inline long double test_long_dot(test_long3 a, test_long3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline test_long3 test_long_cross(test_long3 a, test_long3 b)
{
    return (test_long3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline long double test_point_segment(cd_vec3 p, cd_vec3 u, cd_vec3 v)
{
    test_long3 e = test_long_sub(v, u), d = test_long_sub(p, u);
    long double square = test_long_dot(e, e), t = square > 0 ? test_long_dot(d, e) / square : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    test_long3 r = {d.x - t * e.x, d.y - t * e.y, d.z - t * e.z};
    return sqrtl(test_long_dot(r, r));
}

// Of the lines through p, q and r, s where their nearest points are inside both segments; else infinite.
static inline long double test_lines(cd_vec3 p, cd_vec3 q, cd_vec3 r, cd_vec3 s)
{
    test_long3 d = test_long_sub(q, p), e = test_long_sub(s, r), f = test_long_sub(r, p), n = test_long_cross(d, e);
    long double square = test_long_dot(n, n);
    if (square <= 1e-30L * test_long_dot(d, d) * test_long_dot(e, e))
        return INFINITY;
    long double t = test_long_dot(test_long_cross(f, e), n) / square,
                u = test_long_dot(test_long_cross(f, d), n) / square;
    return t >= 0 && t <= 1 && u >= 0 && u <= 1 ? fabsl(test_long_dot(f, n)) / sqrtl(square) : INFINITY;
}

#endif
