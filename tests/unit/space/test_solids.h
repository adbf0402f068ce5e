// test_solids -- convex polyhedra for the tests of the narrow phase in space: boxes, tetrahedra, hulls of random
// points.
//
// Hulls are found from all triples of points, on integers: every face is a triangle, and the points are multiples of
// 2^-20, so that moving them by such multiples is exact.
// SPDX-License-Identifier: MIT
#ifndef TEST_SOLIDS_H
#define TEST_SOLIDS_H

#include "cd_leaf3.h"
#include "cd_random.h"

enum { TEST_SOLID_MOST = 24 };  // points of a hull

static inline double test_between(cd_random *random, double low, double high)
{
    return cd_random_between(random, low, high);
}

static inline cd_vec3 test_direction(cd_random *random)
{
    for (;;) {
        cd_vec3 v = {test_between(random, -1, 1), test_between(random, -1, 1), test_between(random, -1, 1)};
        double length = cd_length3(v);
        if (length > 0.1 && length <= 1)
            return cd_scale3(1 / length, v);
    }
}

static inline cd_quat test_rotation(cd_random *random)
{
    return cd_quat_from_vector(cd_scale3(test_between(random, 0, 3.2), test_direction(random)));
}

static inline cd_polyhedron test_polyhedron(const cd_vec3 *vertex, int32_t vertex_count, const int32_t *corner,
                                            int32_t faces, int32_t corners_each, cd_arena *arena)
{
    cd_vec3 *v = CD_ARENA_ARRAY(arena, cd_vec3, vertex_count);
    int32_t *first = CD_ARENA_ARRAY(arena, int32_t, faces + 1);
    int32_t *corners = CD_ARENA_ARRAY(arena, int32_t, faces * corners_each);
    memcpy(v, vertex, (size_t)vertex_count * sizeof *v);
    memcpy(corners, corner, (size_t)(faces * corners_each) * sizeof *corners);
    for (int32_t f = 0; f <= faces; f++)
        first[f] = f * corners_each;
    return (cd_polyhedron){vertex_count, faces, v, first, corners};
}

// Faces: -x +x -y +y -z +z.
static inline cd_polyhedron test_box_between(cd_vec3 low, cd_vec3 high, cd_arena *arena)
{
    static const int32_t corner[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    cd_vec3 v[8];
    for (int i = 0; i < 8; i++)
        v[i] = (cd_vec3){i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z};
    return test_polyhedron(v, 8, corner, 6, 4, arena);
}

static inline cd_polyhedron test_tetrahedron(cd_vec3 p, cd_vec3 q, cd_vec3 r, cd_vec3 s, cd_arena *arena)
{
    static const int32_t corner[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    cd_vec3 v[4] = {p, q, r, s};
    if (cd_dot3(cd_cross3(cd_sub3(q, p), cd_sub3(r, p)), cd_sub3(s, p)) < 0) {
        v[1] = r;
        v[2] = q;
    }
    return test_polyhedron(v, 4, corner, 4, 3, arena);
}

static inline int test_side(const int64_t p[3], const int64_t q[3], const int64_t r[3], const int64_t s[3])
{
    __int128 u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = q[k] - p[k];
        v[k] = r[k] - p[k];
        w[k] = s[k] - p[k];
    }
    __int128 d =
        w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) + w[2] * (u[0] * v[1] - u[1] * v[0]);
    return (d > 0) - (d < 0);
}

// Hull of `count` points near an ellipsoid of the given semiaxes about the origin; all of them are corners.
static inline cd_polyhedron test_hull(cd_random *random, int32_t count, cd_vec3 semiaxes, cd_arena *arena)
{
    for (;;) {
        cd_vec3 v[TEST_SOLID_MOST];
        int64_t g[TEST_SOLID_MOST][3];
        int32_t corner[3 * 2 * TEST_SOLID_MOST], faces = 0;
        for (int32_t i = 0; i < count; i++) {
            cd_vec3 d = test_direction(random);
            g[i][0] = llrint(ldexp(d.x * semiaxes.x, 20));
            g[i][1] = llrint(ldexp(d.y * semiaxes.y, 20));
            g[i][2] = llrint(ldexp(d.z * semiaxes.z, 20));
            v[i] = (cd_vec3){ldexp((double)g[i][0], -20), ldexp((double)g[i][1], -20), ldexp((double)g[i][2], -20)};
        }
        for (int32_t i = 0; i < count; i++) {
            for (int32_t j = 0; j < count; j++) {
                for (int32_t k = 0; k < count; k++) {
                    bool is_face = j != i && k > i && j > i && k != j;  // each triangle once, from its least corner
                    for (int32_t m = 0; m < count && is_face; m++)
                        is_face = m == i || m == j || m == k || test_side(g[i], g[j], g[k], g[m]) < 0;
                    if (is_face && faces < 2 * count - 4) {
                        corner[3 * faces] = i;
                        corner[3 * faces + 1] = j;
                        corner[3 * faces++ + 2] = k;
                    }
                }
            }
        }
        if (faces == 2 * count - 4)
            return test_polyhedron(v, count, corner, faces, 3, arena);
    }
}

static inline cd_convex3 test_placed(cd_polyhedron p, cd_vec3 position, cd_quat rotation, cd_arena *arena)
{
    cd_convex3 local = cd_convex3_make(arena, &p, NULL);
    cd_pose3 pose = cd_pose3_make(position, rotation);
    return cd_convex3_place(arena, &local, &pose);
}

static inline cd_convex3 test_fixed(cd_polyhedron p, cd_arena *arena) { return cd_convex3_make(arena, &p, NULL); }

// Scaled, then moved: exact where the coordinates have room for it.
static inline cd_polyhedron test_moved3(cd_polyhedron p, double scale, cd_vec3 by, cd_arena *arena)
{
    cd_vec3 *v = CD_ARENA_ARRAY(arena, cd_vec3, p.vertex_count);
    for (int32_t i = 0; i < p.vertex_count; i++)
        v[i] = cd_add3(cd_scale3(scale, p.vertex[i]), by);
    p.vertex = v;
    return p;
}

static inline cd_vec3 test_on_grid(cd_vec3 v)
{
    return (cd_vec3){ldexp(nearbyint(ldexp(v.x, 20)), -20), ldexp(nearbyint(ldexp(v.y, 20)), -20),
                     ldexp(nearbyint(ldexp(v.z, 20)), -20)};
}

// As a leaf holds it. @owns arena
static inline const cd_ellipsoid *test_ellipsoid(cd_arena *arena, cd_vec3 centre, cd_vec3 semiaxes, const cd_mat3 *axes)
{
    cd_ellipsoid *e = CD_ARENA_ARRAY(arena, cd_ellipsoid, 1);
    *e = (cd_ellipsoid){centre, semiaxes, axes};
    return e;
}

static inline const cd_polyhedron *test_kept(cd_arena *arena, cd_polyhedron p)
{
    cd_polyhedron *kept = CD_ARENA_ARRAY(arena, cd_polyhedron, 1);
    *kept = p;
    return kept;
}

// A polyhedron as a leaf of a shape, prepared. surface: as in cd_convex3, or NULL.
static inline cd_leaf3 test_leaf(cd_polyhedron p, const int32_t *surface, cd_arena *arena)
{
    cd_prepared3 *prepared = CD_ARENA_ARRAY(arena, cd_prepared3, 1);
    cd_prepared3_make(arena, &p, surface, prepared);
    return (cd_leaf3){.kind = CD_SHAPE_POLYHEDRON, .polyhedron = test_kept(arena, p), .prepared = prepared};
}

#endif
