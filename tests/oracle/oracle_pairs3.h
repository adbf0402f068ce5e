// oracle_pairs3 -- pairs of convex polyhedra that are hard for programs: what nearly touches, nearly coincides, is
// long, flat, tiny, far away, or symmetric.
//
// Each body is the exact hull of its corners as doubles, taken after all motions, so that its faces are planar exactly
// and what a kernel is given is known.
// SPDX-License-Identifier: MIT
#ifndef ORACLE_PAIRS3_H
#define ORACLE_PAIRS3_H

#include "cd_distance3.h"
#include "cd_hull3.h"
#include "test_solids.h"

typedef enum pair_kind {
    PAIR_APART,
    PAIR_DEEP,
    PAIR_KISSING,
    PAIR_PARALLEL_FACES,
    PAIR_CROSSED_EDGES,
    PAIR_NEEDLES,
    PAIR_PLATES,
    PAIR_FAR,
    PAIR_SCALED,
    PAIR_GRID,
    PAIR_CONTAINED,
    PAIR_TWINS,
    PAIR_CORNERS,
    PAIR_COAXIAL,
    PAIR_KINDS
} pair_kind;

static const char *const pair_kind_name[PAIR_KINDS] = {
    "apart", "deep",   "kissing", "parallel faces", "crossed edges", "needles", "plates",
    "far",   "scaled", "grid",    "contained",      "twins",         "corners", "coaxial"};

typedef struct convex_pair {
    cd_convex3 a, b;
} convex_pair;

typedef struct cloud {
    int count;
    cd_vec3 point[TEST_SOLID_MOST];
} cloud;

// 10^-u, u uniform.
static inline double tiny_between(cd_random *random, double least, double most)
{
    return pow(10, -test_between(random, least, most));
}
static inline int pick_below(cd_random *random, int count) { return (int)(cd_random_bits(random) % (unsigned)count); }
static inline double any_sign(cd_random *random) { return pick_below(random, 2) ? 1 : -1; }

static inline cloud cloud_round(cd_random *random, cd_vec3 axes)
{
    cloud c = {.count = 4 + pick_below(random, 13)};
    for (int i = 0; i < c.count; i++) {
        cd_vec3 d = test_direction(random);
        c.point[i] = (cd_vec3){axes.x * d.x, axes.y * d.y, axes.z * d.z};
    }
    return c;
}

static inline cd_vec3 any_axes(cd_random *random)
{
    return (cd_vec3){test_between(random, 0.3, 1), test_between(random, 0.3, 1), test_between(random, 0.3, 1)};
}

static inline cloud cloud_box(cd_vec3 half)
{
    cloud c = {.count = 8};
    for (int i = 0; i < 8; i++)
        c.point[i] = (cd_vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
    return c;
}

static inline cloud cloud_any(cd_random *random)
{
    cd_vec3 axes = any_axes(random);
    return pick_below(random, 4) ? cloud_round(random, axes) : cloud_box(axes);
}

static inline cloud cloud_moved(cloud c, cd_vec3 by, cd_quat turn)
{
    cd_pose3 pose = cd_pose3_make(by, turn);
    for (int i = 0; i < c.count; i++)
        c.point[i] = cd_pose3_apply(&pose, c.point[i]);
    return c;
}

static inline cloud cloud_shifted(cloud c, cd_vec3 by)
{
    for (int i = 0; i < c.count; i++)
        c.point[i] = cd_add3(c.point[i], by);
    return c;
}

static inline cloud cloud_scaled(cloud c, double factor)
{
    for (int i = 0; i < c.count; i++)
        c.point[i] = cd_scale3(factor, c.point[i]);
    return c;
}

static inline cloud cloud_turned(cd_random *random, cloud c)
{
    return cloud_moved(c, (cd_vec3){0, 0, 0}, test_rotation(random));
}

static inline bool cloud_hull(const cloud *c, cd_convex3 *convex, cd_arena *arena)
{
    cd_hull3 hull = cd_hull3_make(c->point, c->count, arena);
    if (hull.dimension != 3)
        return false;
    cd_polyhedron p = cd_hull3_polyhedron(&hull, c->point, arena);
    *convex = cd_convex3_make(arena, &p, NULL);
    return true;
}

typedef struct cloud_pair {
    cloud a, b;
} cloud_pair;

// Puts b where it is `depth` deep in a along the line in which they were nearest; they must be apart now.
static inline void press(cloud_pair *p, double depth, cd_arena *arena)
{
    cd_convex3 a, b;
    if (!cloud_hull(&p->a, &a, arena) || !cloud_hull(&p->b, &b, arena))
        return;
    cd_distance3 d = cd_distance3_compute(cd_support3_convex(&a), cd_support3_convex(&b), NULL);
    p->b = cloud_shifted(p->b, cd_scale3(-(d.distance + depth), d.normal));
}

static inline double any_depth(cd_random *random, double least, double most)
{
    return any_sign(random) * tiny_between(random, least, most);
}

static inline cloud_pair pair_near(cd_random *random, cloud a, cloud b, double depth, cd_arena *arena)
{
    cloud_pair p = {cloud_turned(random, a), cloud_turned(random, b)};
    p.b = cloud_shifted(p.b, cd_scale3(test_between(random, 2, 4), test_direction(random)));
    press(&p, depth, arena);
    return p;
}

static inline cloud_pair pair_parallel_faces(cd_random *random)
{
    cd_vec3 half = any_axes(random), other = any_axes(random), across = test_direction(random);
    cloud_pair p = {cloud_box(half), cloud_box(other)};
    across.z = 0;
    double angle = pick_below(random, 4) ? tiny_between(random, 5, 16) : 0;
    if (pick_below(random, 2))
        p.b = cloud_moved(p.b, (cd_vec3){0, 0, 0}, cd_quat_from_vector((cd_vec3){0, 0, test_between(random, 0, 3)}));
    p.b = cloud_moved(p.b, (cd_vec3){test_between(random, -0.5, 0.5), test_between(random, -0.5, 0.5), 0},
                      cd_quat_from_vector(cd_scale3(angle, across)));
    double gap = pick_below(random, 8) ? any_depth(random, 2, 16) : 0;
    p.b = cloud_shifted(p.b, (cd_vec3){0, 0, half.z + other.z + gap});
    if (pick_below(random, 2)) {
        cd_quat turn = test_rotation(random);
        p.a = cloud_moved(p.a, (cd_vec3){0, 0, 0}, turn);
        p.b = cloud_moved(p.b, (cd_vec3){0, 0, 0}, turn);
    }
    return p;
}

// Ridges that cross at a small angle.
static inline cloud_pair pair_crossed_edges(cd_random *random)
{
    double angle = tiny_between(random, 0, 14), gap = any_depth(random, 2, 16);
    double wide = test_between(random, 0.2, 1), other = test_between(random, 0.2, 1);
    cloud_pair p = {{4, {{-1, 0, 0}, {1, 0, 0}, {0.1, wide, -1}, {-0.2, -wide, -1}}},
                    {4, {{-1, 0, 0}, {1, 0, 0}, {0.2, other, 1}, {-0.1, -other, 1}}}};
    p.b = cloud_moved(p.b, (cd_vec3){test_between(random, -0.5, 0.5), 0, gap},
                      cd_quat_from_vector((cd_vec3){0, 0, angle}));
    return p;
}

// Whole numbers: boxes that share planes, edges and corners, in half of the cases turned by the triangle 3, 4, 5.
static inline cloud_pair pair_grid(cd_random *random)
{
    cloud side[2];
    for (int s = 0; s < 2; s++) {
        cd_vec3 low = {pick_below(random, 7), pick_below(random, 7), pick_below(random, 7)};
        cd_vec3 high = {1 + pick_below(random, 4), 1 + pick_below(random, 4), 1 + pick_below(random, 4)};
        high = cd_scale3(0.5, high);
        side[s] = cloud_shifted(cloud_box(high), cd_add3(low, high));
    }
    bool is_turned = pick_below(random, 2);
    for (int s = 0; s < 2 && is_turned; s++)
        for (int i = 0; i < 8; i++) {
            cd_vec3 p = side[s].point[i];
            side[s].point[i] = (cd_vec3){3 * p.x - 4 * p.y, 4 * p.x + 3 * p.y, 5 * p.z};
        }
    return (cloud_pair){side[0], side[1]};
}

// A small copy inside, off a face or a corner by next to nothing.
static inline cloud_pair pair_contained(cd_random *random)
{
    cloud a = cloud_turned(random, cloud_any(random));
    double factor = test_between(random, 0.05, 0.9);
    cd_vec3 about = {0, 0, 0};  // a point of the hull: of a corner, an edge, a triangle or four corners
    int corners = 1 + pick_below(random, 4);
    for (int k = 0; k < corners; k++)
        about = cd_add3(about, cd_scale3(1.0 / corners, a.point[pick_below(random, a.count)]));
    cloud b = cloud_shifted(cloud_scaled(a, factor), cd_scale3(1 - factor, about));
    if (pick_below(random, 2))
        b = cloud_shifted(b, cd_scale3(tiny_between(random, 8, 16), test_direction(random)));
    return (cloud_pair){a, b};
}

static inline cloud_pair pair_twins(cd_random *random)
{
    cloud a = cloud_turned(random, cloud_any(random));
    int how = pick_below(random, 6);
    cd_vec3 by = cd_scale3(tiny_between(random, 2, 16), test_direction(random));
    cd_quat turn = cd_quat_from_vector(cd_scale3(tiny_between(random, 4, 16), test_direction(random)));
    if (how == 0)
        return (cloud_pair){a, a};
    return (cloud_pair){a, cloud_moved(a, how == 1 ? (cd_vec3){0, 0, 0} : by, how == 2 ? cd_quat_identity() : turn)};
}

// A corner of b next to a corner, an edge or a face of a.
static inline cloud_pair pair_corners(cd_random *random, cd_arena *arena)
{
    cloud_pair p = {cloud_turned(random, cloud_any(random)), cloud_turned(random, cloud_any(random))};
    cd_convex3 a;
    if (!cloud_hull(&p.a, &a, arena))
        return p;
    int f = pick_below(random, a.face_count), corners = 1 + pick_below(random, 3);
    const int32_t *v = a.face_vertex + a.face_first[f];
    cd_vec3 on = {0, 0, 0}, out = cd_unit3(cd_sub3(a.plane[f].normal, cd_scale3(0.1, test_direction(random))));
    for (int k = 0; k < corners; k++)
        on = cd_add3(on, cd_scale3(1.0 / corners, cd_convex3_vertex(&a, v[k])));
    int lowest = 0;
    for (int i = 1; i < p.b.count; i++)
        if (cd_dot3(out, p.b.point[i]) < cd_dot3(out, p.b.point[lowest]))
            lowest = i;
    cd_vec3 by = cd_sub3(on, p.b.point[lowest]);
    if (pick_below(random, 4))
        by = cd_add3(by, cd_scale3(any_depth(random, 8, 17), out));
    p.b = cloud_shifted(p.b, by);
    return p;
}

static inline cloud cloud_prism(int sides, double radius, double height, double turn)
{
    cloud c = {.count = 2 * sides};
    for (int i = 0; i < 2 * sides; i++) {
        double angle = turn + 2 * 3.14159265358979323846 * (i % sides) / sides;
        c.point[i] = (cd_vec3){radius * cos(angle), radius * sin(angle), i < sides ? -height : height};
    }
    return c;
}

// Prisms about one axis: many equal ways out, many edges that cross at the same height.
static inline cloud_pair pair_coaxial(cd_random *random)
{
    static const double turn[5] = {0, 0.78539816339744831, 1.5707963267948966, 0.52359877559829887, 1e-9};
    int n = 3 + pick_below(random, 8), m = pick_below(random, 2) ? n : 3 + pick_below(random, 8);
    double r = pick_below(random, 2) ? 1 : 0.5, h = pick_below(random, 2) ? 0.5 : 1;
    cloud_pair p = {cloud_prism(n, 1, 1, 0), cloud_prism(m, r, h, turn[pick_below(random, 5)])};
    if (pick_below(random, 2))
        p.b = cloud_shifted(p.b, (cd_vec3){0, 0, (1 + h) * (pick_below(random, 2) ? 1 : 0.5)});
    if (pick_below(random, 4) == 0)
        p.b =
            cloud_moved(p.b, (cd_vec3){0, 0, 0}, cd_quat_from_vector((cd_vec3){0, turn[1 + pick_below(random, 2)], 0}));
    if (pick_below(random, 3) == 0) {
        cd_quat whole = test_rotation(random);
        p.a = cloud_moved(p.a, (cd_vec3){0, 0, 0}, whole);
        p.b = cloud_moved(p.b, (cd_vec3){0, 0, 0}, whole);
    }
    return p;
}

static inline cloud_pair pair_thin(cd_random *random, bool is_needle, cd_arena *arena)
{
    cloud c[2];
    for (int s = 0; s < 2; s++) {
        double thin = tiny_between(random, 0, 6), other = is_needle ? thin * test_between(random, 0.3, 1) : 0.8;
        c[s] = cloud_round(random, (cd_vec3){1, other, thin});
        if (pick_below(random, 4) == 0)
            c[s] = cloud_box((cd_vec3){1, other, thin});
    }
    if (pick_below(random, 2))
        return pair_near(random, c[0], c[1], any_depth(random, 4, 16), arena);
    cloud_pair p = {cloud_turned(random, c[0]), cloud_turned(random, c[1])};
    p.b = cloud_shifted(p.b, cd_scale3(tiny_between(random, 0, 6), test_direction(random)));
    return p;
}

static inline cloud_pair pair_clouds(cd_random *random, pair_kind kind, cd_arena *arena)
{
    cloud a = cloud_any(random), b = cloud_any(random);
    cloud_pair p;
    switch (kind) {
    case PAIR_APART:
        return pair_near(random, a, b, -test_between(random, 0.001, 2), arena);
    case PAIR_KISSING:
        return pair_near(random, a, b, any_depth(random, 6, 17), arena);
    case PAIR_PARALLEL_FACES:
        return pair_parallel_faces(random);
    case PAIR_CROSSED_EDGES:
        return pair_crossed_edges(random);
    case PAIR_NEEDLES:
        return pair_thin(random, true, arena);
    case PAIR_PLATES:
        return pair_thin(random, false, arena);
    case PAIR_FAR: {
        p = pair_near(random, a, b, any_depth(random, 0.5, 12), arena);
        cd_vec3 far = cd_scale3(1 / tiny_between(random, 0, 7), test_direction(random));
        return (cloud_pair){cloud_shifted(p.a, far), cloud_shifted(p.b, far)};
    }
    case PAIR_SCALED: {
        double scale = any_sign(random) > 0 ? tiny_between(random, 0, 8) : 1 / tiny_between(random, 0, 8);
        p = pair_near(random, a, cloud_scaled(b, tiny_between(random, 0, 4)), any_depth(random, 1, 14), arena);
        return (cloud_pair){cloud_scaled(p.a, scale), cloud_scaled(p.b, scale)};
    }
    case PAIR_GRID:
        return pair_grid(random);
    case PAIR_CONTAINED:
        return pair_contained(random);
    case PAIR_TWINS:
        return pair_twins(random);
    case PAIR_CORNERS:
        return pair_corners(random, arena);
    case PAIR_COAXIAL:
        return pair_coaxial(random);
    default:
        p.a = cloud_turned(random, a);
        p.b = cloud_moved(b, cd_scale3(test_between(random, 0, 0.7), test_direction(random)), test_rotation(random));
        return p;
    }
}

// Corners rounded to one place may be flat; such pairs are made anew.
static inline convex_pair make_hard_pair(cd_random *random, pair_kind kind, cd_arena *arena)
{
    for (;;) {
        cloud_pair p = pair_clouds(random, kind, arena);
        convex_pair made;
        if (cloud_hull(&p.a, &made.a, arena) && cloud_hull(&p.b, &made.b, arena))
            return made;
    }
}

#endif
