// test_pairs3 -- pairs of convex polyhedra in motion for the tests of separators and features, and what separators are
// worth in long double with the formulas of the paper as printed (with t vectors).
// SPDX-License-Identifier: MIT
#ifndef TEST_PAIRS3_H
#define TEST_PAIRS3_H

#include "cd_distance3.h"
#include "cd_separate3.h"
#include "test_solids.h"

// ---- bodies --------------------------------------------------------------------------------------------------------

typedef struct body {
    cd_polyhedron local;
    cd_convex3 convex;
    cd_edges3 edges;
} body;

static inline body body_of(cd_polyhedron p, cd_arena *arena)
{
    return (body){p, cd_convex3_make(arena, &p, NULL),
                  cd_edges3_make(arena, p.vertex_count, p.face_count, p.face_first, p.face_vertex)};
}

static inline const cd_shell3 *shell_at(const body *of, cd_vec3 position, cd_quat rotation, cd_arena *arena)
{
    cd_pose3 pose = cd_pose3_make(position, rotation);
    cd_convex3 *placed = CD_ARENA_ARRAY(arena, cd_convex3, 1);
    *placed = cd_convex3_place(arena, &of->convex, &pose);
    cd_edges3 *edges = CD_ARENA_ARRAY(arena, cd_edges3, 1);
    *edges = of->edges;
    cd_shell3 *shell = CD_ARENA_ARRAY(arena, cd_shell3, 1);
    *shell = cd_shell3_make(arena, placed, edges);
    return shell;
}

static inline body random_body(cd_random *random, cd_arena *arena)
{
    double kind = test_between(random, 0, 4);
    cd_vec3 half = {test_between(random, 0.2, 1), test_between(random, 0.2, 1), test_between(random, 0.2, 1)};
    if (kind < 0.5)
        half.z = 0.002;  // a plate
    if (kind < 1.5)
        return body_of(test_box_between(cd_negate3(half), half, arena), arena);
    return body_of(test_hull(random, 4 + (int32_t)(kind * 3), half, arena), arena);
}

// ---- the slow way --------------------------------------------------------------------------------------------------

typedef long double real;
typedef struct real3 {
    real x, y, z;
} real3;

static inline real3 wide(cd_vec3 v) { return (real3){v.x, v.y, v.z}; }
static inline real3 minus(real3 a, real3 b) { return (real3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline real dot(real3 a, real3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline real3 times(real s, real3 a) { return (real3){s * a.x, s * a.y, s * a.z}; }
static inline real3 cross(real3 a, real3 b)
{
    return (real3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline real3 unit(real3 a) { return times(1 / sqrtl(dot(a, a)), a); }
static inline real3 corner_of(const cd_shell3 *s, int32_t i) { return wide(cd_shell3_vertex(s, i)); }

static inline real3 face_normal(const cd_shell3 *s, int32_t face)
{
    const cd_convex3 *c = s->convex;
    const int32_t *corner = c->face_vertex + c->face_first[face];
    real3 p = corner_of(s, corner[0]), q = corner_of(s, corner[1]), r = corner_of(s, corner[2]);
    return unit(cross(minus(q, p), minus(r, p)));
}

static inline real slow_separation(real3 n, cd_separate3_pose at)
{
    real most = -INFINITY, least = INFINITY;
    real3 origin = corner_of(at.a, 0);
    for (int32_t i = 0; i < at.a->convex->vertex_count; i++)
        most = fmaxl(most, dot(n, minus(corner_of(at.a, i), origin)));
    for (int32_t i = 0; i < at.b->convex->vertex_count; i++)
        least = fminl(least, dot(n, minus(corner_of(at.b, i), origin)));
    return least - most;
}

static inline real3 edge_direction(const cd_shell3 *s, int32_t edge)
{
    const int32_t *v = s->edges->edge[edge].vertex;
    return unit(minus(corner_of(s, v[1]), corner_of(s, v[0])));
}

static inline real lesser(real a, real b) { return a < b ? a : b; }

// (31) as it stands.
static inline real slow_applicability(cd_separate3_pose at, int32_t i, int32_t j, int32_t *sign, real *sine)
{
    real3 ea = edge_direction(at.a, i), eb = edge_direction(at.b, j), c = cross(ea, eb);
    const int32_t *fa = at.a->edges->edge[i].face, *fb = at.b->edges->edge[j].face;
    *sine = sqrtl(dot(c, c));
    *sign = -1;
    if (*sine < 1e-9L)
        return -2;
    real3 n = times(1 / *sine, c);
    real a1 = dot(n, cross(face_normal(at.a, fa[0]), ea)), a2 = dot(n, cross(ea, face_normal(at.a, fa[1])));
    real b1 = dot(n, cross(face_normal(at.b, fb[0]), eb)), b2 = dot(n, cross(eb, face_normal(at.b, fb[1])));
    real first = lesser(lesser(a1, a2), lesser(-b1, -b2)), second = lesser(lesser(-a1, -a2), lesser(b1, b2));
    *sign = second > first ? 1 : -1;
    return second > first ? second : first;
}

static inline real3 slow_normal(const cd_separator3 *f, cd_separate3_pose at)
{
    if (f->kind == CD_SEPARATOR3_FACE_A)
        return face_normal(at.a, f->index_a);
    if (f->kind == CD_SEPARATOR3_FACE_B)
        return times(-1, face_normal(at.b, f->index_b));
    return times(f->sign, unit(cross(edge_direction(at.a, f->index_a), edge_direction(at.b, f->index_b))));
}

// ---- pairs in motion -----------------------------------------------------------------------------------------------

typedef struct scene {
    body a, b;
    cd_vec3 place_a[2], place_b[2];
    cd_quat turn_a[2], turn_b[2];
} scene;

static inline cd_quat turned(cd_quat q, double by, cd_random *random)
{
    return cd_quat_unit(cd_quat_product(cd_quat_from_vector(cd_scale3(by, test_direction(random))), q));
}

// Bodies brought to `gap` of touching along the line of their centres at the start, which then move.
static inline scene random_scene(cd_random *random, double gap, double motion, cd_arena *arena)
{
    scene s = {.a = random_body(random, arena), .b = random_body(random, arena)};
    cd_vec3 d = test_direction(random);
    s.turn_a[0] = test_rotation(random);
    s.turn_b[0] = test_rotation(random);
    s.place_a[0] = (cd_vec3){0.3, -0.2, 0.1};
    s.place_b[0] = cd_add3(s.place_a[0], cd_scale3(8, d));
    for (int k = 0; k < 8; k++) {
        const cd_shell3 *a = shell_at(&s.a, s.place_a[0], s.turn_a[0], arena);
        const cd_shell3 *b = shell_at(&s.b, s.place_b[0], s.turn_b[0], arena);
        double distance =
            cd_distance3_compute(cd_support3_convex(a->convex), cd_support3_convex(b->convex), NULL).distance;
        s.place_b[0] = cd_sub3(s.place_b[0], cd_scale3(distance, d));
    }
    s.place_b[0] = cd_add3(s.place_b[0], cd_scale3(gap, d));
    s.place_a[1] = cd_add3(s.place_a[0], cd_scale3(motion, test_direction(random)));
    s.place_b[1] = cd_add3(s.place_b[0], cd_scale3(motion, test_direction(random)));
    s.turn_a[1] = turned(s.turn_a[0], motion, random);
    s.turn_b[1] = turned(s.turn_b[0], motion, random);
    return s;
}

static inline cd_separate3_input input_of(const scene *s, cd_arena *arena)
{
    cd_separate3_input input = {.reach = 1e9, .slack = 0.03, .tolerance = 1e-12, .tie = 1e-12};
    input.start.a = shell_at(&s->a, s->place_a[0], s->turn_a[0], arena);
    input.start.b = shell_at(&s->b, s->place_b[0], s->turn_b[0], arena);
    input.predicted.a = shell_at(&s->a, s->place_a[1], s->turn_a[1], arena);
    input.predicted.b = shell_at(&s->b, s->place_b[1], s->turn_b[1], arena);
    input.current = input.start;
    return input;
}

static inline cd_separate3_pose swap(cd_separate3_pose pose) { return (cd_separate3_pose){pose.b, pose.a}; }

#endif
