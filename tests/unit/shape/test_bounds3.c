// Boxes of moving leaves in space hold them at every time, and are tight.
// SPDX-License-Identifier: MIT
#include "cd_bounds3.h"
#include "cd_random.h"
#include "cd_test.h"
#include "test_solids.h"

enum { SAMPLES = 40 };

typedef struct long_vector {
    long double x, y, z;
} long_vector;

// v turned by q/|q|, in long double.
static long_vector turn_exactly(const long double q[4], long_vector v)
{
    long double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], w = q[0], x = q[1], y = q[2], z = q[3];
    return (long_vector){
        ((w * w + x * x - y * y - z * z) * v.x + 2 * (x * y - w * z) * v.y + 2 * (x * z + w * y) * v.z) / n,
        (2 * (x * y + w * z) * v.x + (w * w - x * x + y * y - z * z) * v.y + 2 * (y * z - w * x) * v.z) / n,
        (2 * (x * z - w * y) * v.x + 2 * (y * z + w * x) * v.y + (w * w - x * x - y * y + z * z) * v.z) / n};
}

static cd_vec3 random_vector(cd_random *random, double size)
{
    return (cd_vec3){cd_random_between(random, -size, size), cd_random_between(random, -size, size),
                     cd_random_between(random, -size, size)};
}

static cd_quat random_turn(cd_random *random)
{
    cd_quat q = {cd_random_between(random, -1, 1), cd_random_between(random, -1, 1), cd_random_between(random, -1, 1),
                 cd_random_between(random, -1, 1)};
    return cd_quat_unit(q);
}

static const int32_t first_corners[3] = {0, 1, 2};

static cd_vec3 *three_points(cd_random *random, cd_vec3 offset, cd_arena *arena)
{
    cd_vec3 *point = CD_ARENA_ARRAY(arena, cd_vec3, 3);
    for (int k = 0; k < 3; k++)
        point[k] = cd_add3(offset, random_vector(random, 0.5));
    return point;
}

static cd_leaf3 random_leaf(cd_random *random, cd_arena *arena)
{
    cd_leaf3 leaf = {0};
    cd_vec3 offset = random_vector(random, 0.5);
    switch (cd_random_bits(random) % 4) {
    case 0: {
        cd_vec3 *vertex = CD_ARENA_ARRAY(arena, cd_vec3, 8);
        for (int k = 0; k < 8; k++)
            vertex[k] = cd_add3(offset, random_vector(random, 0.5));
        leaf.kind = CD_SHAPE_POLYHEDRON;
        leaf.polyhedron = test_kept(arena, (cd_polyhedron){.vertex_count = 8, .vertex = vertex});
        leaf.extent = cd_points_radius3(vertex, 8);
        break;
    }
    case 1:
        leaf.kind = CD_SHAPE_SPHERE;
        leaf.sphere =
            (cd_ball){cd_random_bits(random) & 1 ? offset : (cd_vec3){0, 0, 0}, cd_random_between(random, 0.1, 1)};
        leaf.extent = cd_add_up(cd_points_radius3(&leaf.sphere.centre, 1), leaf.sphere.radius);
        break;
    case 2:
        leaf.kind = CD_SHAPE_FACETS;
        leaf.facet = (cd_corners3){.vertex = three_points(random, offset, arena), .corner = first_corners};
        leaf.facet.half_thickness = cd_random_bits(random) & 1 ? cd_random_between(random, 0, 0.2) : 0;
        leaf.extent = cd_add_up(cd_points_radius3(leaf.facet.vertex, 3), leaf.facet.half_thickness);
        break;
    default: {
        cd_mat3 *axes = cd_arena_alloc(arena, sizeof *axes);
        *axes = cd_random_bits(random) & 1 ? cd_quat_matrix(random_turn(random)) : cd_mat3_identity();
        leaf.kind = CD_SHAPE_ELLIPSOID;
        cd_vec3 semiaxes = cd_add3((cd_vec3){0.6, 0.6, 0.6}, random_vector(random, 0.5));
        leaf.ellipsoid = test_ellipsoid(arena, offset, semiaxes, axes);
        leaf.extent = cd_points_radius3(&offset, 1) + 1.2;
        break;
    }
    }
    return leaf;
}

// A point of the leaf's boundary, number k of SAMPLES, in the body's frame: directions spread by the golden angle.
static long_vector boundary_point(const cd_leaf3 *leaf, int k)
{
    long double z = 1 - (2 * k + 1.0L) / SAMPLES, r = sqrtl(1 - z * z), a = 2.39996322972865332L * k;
    long_vector d = {r * cosl(a), r * sinl(a), z};
    if (leaf->kind == CD_SHAPE_SPHERE) {
        cd_vec3 c = leaf->sphere.centre;
        long double radius = leaf->sphere.radius;
        return (long_vector){c.x + radius * d.x, c.y + radius * d.y, c.z + radius * d.z};
    }
    if (leaf->kind == CD_SHAPE_ELLIPSOID) {
        const cd_ellipsoid *e = leaf->ellipsoid;
        long double x = e->semiaxes.x * d.x, y = e->semiaxes.y * d.y, w = e->semiaxes.z * d.z;
        return (long_vector){e->centre.x + e->axes->row[0].x * x + e->axes->row[0].y * y + e->axes->row[0].z * w,
                             e->centre.y + e->axes->row[1].x * x + e->axes->row[1].y * y + e->axes->row[1].z * w,
                             e->centre.z + e->axes->row[2].x * x + e->axes->row[2].y * y + e->axes->row[2].z * w};
    }
    cd_vec3 v = leaf->kind == CD_SHAPE_FACETS ? leaf->facet.vertex[k % 3] : leaf->polyhedron->vertex[k % 8];
    long double t = leaf->kind == CD_SHAPE_FACETS ? leaf->facet.half_thickness : 0;
    return (long_vector){v.x + t * d.x, v.y + t * d.y, v.z + t * d.z};
}

static bool holds(const cd_aabb *box, long_vector p)
{
    return p.x >= box->min[0] && p.x <= box->max[0] && p.y >= box->min[1] && p.y <= box->max[1] && p.z >= box->min[2] &&
           p.z <= box->max[2];
}

// One body moving for 1 s with constant velocity and spin; the rotation's length is off by as much as a stream allows.
typedef struct motion {
    cd_state3 state[2];
    cd_vec3 velocity, spin;
} motion;

static motion random_motion(cd_random *random, int round)
{
    static const double turns[4] = {0, 1e-7, 1, 8};
    motion m = {.velocity = random_vector(random, 1), .spin = random_vector(random, turns[round % 4])};
    double far = round % 8 < 6 ? 1 : 1e5;
    cd_quat turn = round % 3 ? random_turn(random) : cd_quat_identity();
    double length = 1 + 1e-9 * cd_random_between(random, -1, 1) * (round % 2);
    m.state[0] = (cd_state3){.position = random_vector(random, far),
                             .rotation = {length * turn.w, length * turn.x, length * turn.y, length * turn.z}};
    m.state[1] = cd_state3_advance(m.state[0], m.velocity, m.spin, 1);
    return m;
}

static long_vector place_exactly(const motion *m, long double t, long_vector p)
{
    long double s[3] = {m->spin.x, m->spin.y, m->spin.z}, angle = sqrtl(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    long double half = t * angle / 2, factor = angle > 0 ? sinl(half) / angle : 0;
    const long double turn[4] = {cosl(half), factor * s[0], factor * s[1], factor * s[2]};
    const cd_state3 *start = &m->state[0];
    const long double rotation[4] = {start->rotation.w, start->rotation.x, start->rotation.y, start->rotation.z};
    long_vector q = turn_exactly(turn, turn_exactly(rotation, p));
    return (long_vector){q.x + start->position.x + t * ((long double)m->state[1].position.x - start->position.x),
                         q.y + start->position.y + t * ((long double)m->state[1].position.y - start->position.y),
                         q.z + start->position.z + t * ((long double)m->state[1].position.z - start->position.z)};
}

CD_TEST(boxes_hold_their_leaf_at_every_time_of_the_motion)
{
    cd_arena arena = {0};
    cd_random random = {3};
    int tight = 0, polyhedra = 0;
    for (int round = 0; round < 4000; round++) {
        cd_leaf3 leaf = random_leaf(&random, &arena);
        motion m = random_motion(&random, round);
        cd_motions3 one = cd_motions3_make(m.state, 1, 1), both = cd_motions3_make(m.state, 2, 1);
        cd_aabb still = cd_bounds3_motion(&leaf, &one), moving = cd_bounds3_motion(&leaf, &both);
        long double reached = INFINITY;
        for (int k = 0; k < SAMPLES; k++) {
            long_vector p = boundary_point(&leaf, k), start = place_exactly(&m, 0, p);
            CD_CHECK(holds(&still, start));
            reached = fminl(reached, still.max[0] - start.x);
            for (int i = 0; i <= 8; i++)
                CD_CHECK(holds(&moving, place_exactly(&m, i / 8.0L, p)));
        }
        if (leaf.kind == CD_SHAPE_POLYHEDRON) {
            polyhedra++;
            tight += reached < 5e-15 + 5e-16 * fabs(m.state[0].position.x);
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(polyhedra > 900 && tight == polyhedra);  // each polyhedron touches its box
    cd_arena_release(&arena);
}

// A ball as an ellipsoid is as wide as the ball; a turned ellipsoid as its closed form says.
CD_TEST(ellipsoids_have_their_exact_widths)
{
    cd_mat3 axes = cd_mat3_identity();
    cd_leaf3 leaf = {
        .kind = CD_SHAPE_ELLIPSOID, .extent = 3, .ellipsoid = &(cd_ellipsoid){{0, 0, 0}, {1, 2, 3}, &axes}};
    cd_pose3 pose = cd_pose3_make((cd_vec3){10, 20, 30}, cd_quat_identity());
    cd_aabb box = cd_bounds3_leaf(&leaf, &pose);
    CD_CHECK(box.min[0] == 9 && box.max[0] == 11 && box.min[1] == 18 && box.max[1] == 22 && box.min[2] == 27 &&
             box.max[2] == 33);
    pose = cd_pose3_make((cd_vec3){0, 0, 0}, cd_quat_from_vector((cd_vec3){0, 0, 0.5}));
    box = cd_bounds3_leaf(&leaf, &pose);
    double c = cos(0.5), s = sin(0.5);
    CD_CHECK_NEAR(box.max[0], sqrt(c * c + 4 * s * s), 1e-14);
    CD_CHECK_NEAR(box.min[1], -sqrt(s * s + 4 * c * c), 1e-14);
    CD_CHECK_NEAR(box.max[2], 3, 1e-14);
}

CD_TEST(an_unturned_box_has_the_very_bounds)
{
    cd_vec3 vertex[8];
    for (int k = 0; k < 8; k++)
        vertex[k] = (cd_vec3){k & 1 ? 0.5 : -0.5, k & 2 ? 0.25 : -0.25, k & 4 ? 2 : -2};
    cd_leaf3 leaf = {.kind = CD_SHAPE_POLYHEDRON,
                     .extent = 2.1,
                     .polyhedron = &(cd_polyhedron){.vertex_count = 8, .vertex = vertex}};
    cd_pose3 pose = cd_pose3_make((cd_vec3){3, -1, 0.5}, cd_quat_identity());
    cd_aabb box = cd_bounds3_leaf(&leaf, &pose);
    CD_CHECK(box.min[0] == 2.5 && box.max[0] == 3.5 && box.min[1] == -1.25 && box.max[1] == -0.75 &&
             box.min[2] == -1.5 && box.max[2] == 2.5);
    // a facet grows by half its thickness
    static const cd_vec3 corner[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    cd_leaf3 facet = {.kind = CD_SHAPE_FACETS, .extent = 2, .facet = {corner, first_corners, 0.125, 0}};
    box = cd_bounds3_leaf(&facet, &pose);
    CD_CHECK(box.min[0] == 2.875 && box.max[0] == 4.125 && box.min[1] == -1.125 && box.max[1] == 0.125 &&
             box.min[2] == 0.375 && box.max[2] == 0.625);
}

CD_TEST(turning_bulges_and_a_centred_sphere_does_not)
{
    cd_leaf3 ball = {.kind = CD_SHAPE_SPHERE, .extent = 0.5, .sphere = {{0, 0, 0}, 0.5}};
    cd_state3 state[2] = {{.rotation = cd_quat_identity(), .spin = {0, 0, 1}}};
    state[1] = cd_state3_advance(state[0], (cd_vec3){1, 0, 0}, state[0].spin, 1);
    cd_motions3 motions = cd_motions3_make(state, 2, 1);
    cd_aabb box = cd_bounds3_motion(&ball, &motions);
    CD_CHECK(box.min[0] == -0.5 && box.max[0] == 1.5 && box.min[1] == -0.5 && box.max[1] == 0.5);
    ball.sphere.centre = (cd_vec3){1, 0, 0};
    ball.extent = 1.5;
    box = cd_bounds3_motion(&ball, &motions);
    CD_CHECK_NEAR(box.max[2], 0.5 + 1.0 / 8, 1e-14);  // r D^2 / 8, r = 1 and D = 1
    // two turns a step: all of the circle, although the poses are nearly the same
    state[1] = cd_state3_advance(state[0], (cd_vec3){0, 0, 0}, (cd_vec3){0, 0, 12.5}, 1);
    motions = cd_motions3_make(state, 2, 1);
    box = cd_bounds3_motion(&ball, &motions);
    CD_CHECK(box.min[0] < -1.4999 && box.min[1] < -1.4999 && box.max[1] > 1.4999);
    CD_CHECK(box.min[0] > -2 && box.max[0] < 4);
}

CD_TEST(halfspaces_are_bounded_only_along_an_axis)
{
    cd_leaf3 leaf = {.kind = CD_SHAPE_HALFSPACE, .extent = INFINITY, .halfspace = {{0, 0, 1}, 2}};
    cd_vec3 place = {3, -1, 5};
    cd_pose3 pose = cd_pose3_make(place, cd_quat_identity());
    cd_aabb box = cd_bounds3_leaf(&leaf, &pose);
    CD_CHECK(isinf(box.min[0]) && isinf(box.max[0]) && isinf(box.min[1]) && isinf(box.max[1]) && isinf(box.min[2]) &&
             box.max[2] == 7);
    double h = sqrt(0.5);
    pose = cd_pose3_make(place, (cd_quat){h, h, 0, 0});  // a quarter turn about x: the normal is -y
    box = cd_bounds3_leaf(&leaf, &pose);
    CD_CHECK(box.min[1] == -3 && isinf(box.max[1]) && isinf(box.min[2]) && isinf(box.max[2]) && isinf(box.min[0]));
    pose = cd_pose3_make(place, cd_quat_from_vector((cd_vec3){0.1, 0, 0}));
    box = cd_bounds3_leaf(&leaf, &pose);
    CD_CHECK(isinf(box.max[2]) && isinf(box.min[2]) && isinf(box.max[1]) && isinf(box.min[1]));
    cd_state3 state[2] = {{.position = place, .rotation = cd_quat_identity()}};
    state[1] = cd_state3_advance(state[0], (cd_vec3){0, 0, 1}, (cd_vec3){0, 0, 0}, 0.5);
    cd_motions3 motions = cd_motions3_make(state, 2, 0.5);
    CD_CHECK(cd_bounds3_motion(&leaf, &motions).max[2] == 7.5);
    state[1] = cd_state3_advance(state[0], (cd_vec3){0, 0, 1}, (cd_vec3){6, 0, 0}, 0.5);
    motions = cd_motions3_make(state, 2, 0.5);
    CD_CHECK(isinf(cd_bounds3_motion(&leaf, &motions).max[2]));
}

int main(void)
{
    CD_RUN(boxes_hold_their_leaf_at_every_time_of_the_motion);
    CD_RUN(ellipsoids_have_their_exact_widths);
    CD_RUN(an_unturned_box_has_the_very_bounds);
    CD_RUN(turning_bulges_and_a_centred_sphere_does_not);
    CD_RUN(halfspaces_are_bounded_only_along_an_axis);
    return cd_test_done();
}
