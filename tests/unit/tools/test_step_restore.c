// Angular momentum and energy given back to a group of bodies.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_test.h"
#include "step_reach.h"
#include "step_restore.h"

static cd_arena arena;

// Bodies 0 to 3 are one group, tied in a row, and 0 with 2 as well; ALONE is another. All turns of a polygon or a
// polyhedron are reached, none of BALL, of TOP in space those across its axis.
enum { BODIES = 5, BALL = 1, TOP = 2, ALONE = 4, CONTACTS = 4, ROOT = 1 };

static const int32_t root[BODIES] = {ROOT, ROOT, ROOT, ROOT, ALONE};
static const int32_t side_a[2 * CONTACTS] = {0, 0, 2, 0, 2, 0, 3, 0}, side_b[2 * CONTACTS] = {1, 0, 1, 0, 0, 0, 2, 0};
static const bool is_joined[CONTACTS] = {true, true, true, true};

typedef struct scene {
    double time, mass[BODIES], inertia[6 * BODIES];
    int64_t id[BODIES];
    cd_model in;
    cd_step_velocity nu[BODIES], before[BODIES];
    cd_step_state end[BODIES];
    cd_quat middle[BODIES];
    cd_step_bodies bodies;
    int32_t shape[BODIES], first[BODIES + 1], roots[BODIES], a[2 * CONTACTS], b[2 * CONTACTS];
    cd_leaf2 plane[BODIES];
    cd_leaf3 space[BODIES];
    cd_ellipsoid ellipsoid;
    cd_mat3 axes;
    cd_leaves shapes;
    bool is_held[BODIES], is_driven[BODIES];
    cd_vec3 impulse[CONTACTS];
    cd_step_met met;
    cd_step_whole whole[BODIES];
} scene;

static double any(cd_random *random) { return cd_random_between(random, -1, 1); }

static void make_shapes(scene *s, cd_random *random)
{
    for (int i = 0; i < BODIES; i++) {
        s->shape[i] = s->first[i] = i;
        s->plane[i] = (cd_leaf2){.kind = CD_SHAPE_POLYGON};
        s->space[i] = (cd_leaf3){.kind = CD_SHAPE_POLYHEDRON};
    }
    s->first[BODIES] = BODIES;
    s->plane[BALL] = (cd_leaf2){.kind = CD_SHAPE_SPHERE, .radius = 0.1};
    s->space[BALL] = (cd_leaf3){.kind = CD_SHAPE_SPHERE, .sphere = {{0, 0, 0}, 0.1}};
    s->axes = cd_quat_matrix(cd_quat_from_vector((cd_vec3){any(random), any(random), any(random)}));
    s->ellipsoid = (cd_ellipsoid){{0, 0, 0}, {0.1, 0.2, 0.1}, &s->axes};
    s->space[TOP] = (cd_leaf3){.kind = CD_SHAPE_ELLIPSOID, .ellipsoid = &s->ellipsoid};
    s->shapes = (cd_leaves){.dim = s->in.dim,
                            .first = s->first,
                            .plane = {s->first, s->plane},
                            .space = {.first = s->first, .stored = s->space}};
}

static cd_vec3 top_axis(const scene *s) { return (cd_vec3){s->axes.row[0].y, s->axes.row[1].y, s->axes.row[2].y}; }

static void make_inertia(scene *s, int i, cd_random *random)
{
    const cd_vec3 a = top_axis(s);
    const double j[] = {a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z};
    for (int k = 0; k < 6; k++)
        s->inertia[6 * i + k] = i == TOP ? (k < 3 ? 0.3 : 0) + 0.2 * j[k]
                                : k < 3  ? 2 + any(random) / 2
                                         : any(random) / 4;
}

static void make_bodies(scene *s, cd_random *random)
{
    static const int32_t by_id[BODIES] = {3, 0, 4, 1, 2};
    const int dim = s->in.dim;
    for (int i = 0; i < BODIES; i++) {
        s->mass[i] = 1.5 + any(random);
        s->id[by_id[i]] = i;
        if (dim == 2)
            s->inertia[i] = 1.5 + any(random);
        else
            make_inertia(s, i, random);
        cd_vec3 place = {any(random), any(random), any(random)};
        s->end[i].space = (cd_state3){.position = place};
        if (dim == 2)
            s->end[i].plane = (cd_state2){.position = {place.x, place.y}};
        s->middle[i] = cd_quat_from_vector((cd_vec3){any(random), any(random), any(random)});
        for (int k = 0; k < (dim == 2 ? 3 : 6); k++)
            s->nu[i].at[k] = any(random);
    }
    memcpy(s->before, s->nu, sizeof s->nu);
    s->in.body =
        (cd_body_rows){.count = BODIES, .id = s->id, .mass = s->mass, .inertia = s->inertia, .shape = s->shape};
    s->bodies = (cd_step_bodies){.in = &s->in,
                                 .dim = dim,
                                 .axes = dim == 2 ? 3 : 6,
                                 .nu = s->nu,
                                 .by_id = by_id,
                                 .middle = s->middle,
                                 .end = s->end,
                                 .impulse = s->impulse};
}

static void make(scene *s, int dim, cd_random *random)
{
    *s = (scene){.time = 0};
    s->in = (cd_model){.dim = dim};
    s->in.frame = (cd_frame_rows){.count = 1, .time = &s->time};
    make_shapes(s, random);
    make_bodies(s, random);
    memcpy(s->roots, root, sizeof root);
    memcpy(s->a, side_a, sizeof side_a);
    memcpy(s->b, side_b, sizeof side_b);
    s->in.contact = (cd_contact_rows){.count = CONTACTS, .a = s->a, .b = s->b};
    s->is_held[ALONE] = true;
    s->met = (cd_step_met){{&s->in, s->roots, NULL}, is_joined, s->is_held, s->is_driven};
}

static cd_vec3 place_of(const scene *s, int i) { return cd_step_position_of(s->in.dim, &s->end[i]); }
static cd_vec3 velocity_of(const scene *s, const cd_step_velocity *nu) { return cd_step_linear_of(s->in.dim, nu); }
static cd_vec3 spin_of(const scene *s, const cd_step_velocity *nu) { return cd_step_angular_of(s->in.dim, nu); }

typedef struct sums {
    double mass;
    cd_vec3 centre, momentum, angular;  // sum of m x; angular about the common centre
    double energy;                      // twice
} sums;

static sums sums_of(const scene *s, const cd_step_velocity *nu)
{
    sums all = {0};
    for (int i = 0; i < ALONE; i++) {
        all.mass += s->mass[i];
        all.centre = cd_add3(all.centre, cd_scale3(s->mass[i], place_of(s, i)));
        all.momentum = cd_add3(all.momentum, cd_scale3(s->mass[i], velocity_of(s, &nu[i])));
    }
    for (int i = 0; i < ALONE; i++) {
        cd_vec3 p = cd_scale3(s->mass[i], velocity_of(s, &nu[i])), w = spin_of(s, &nu[i]);
        cd_vec3 own =
            s->in.dim == 2 ? cd_scale3(s->inertia[i], w) : cd_angular_momentum3(s->inertia + 6 * i, s->middle[i], w);
        cd_vec3 arm = cd_sub3(place_of(s, i), cd_scale3(1 / all.mass, all.centre));
        cd_vec3 rest = cd_sub3(p, cd_scale3(s->mass[i] / all.mass, all.momentum));
        all.angular = cd_add3(all.angular, cd_add3(own, cd_cross3(arm, rest)));
        all.energy += cd_dot3(p, velocity_of(s, &nu[i])) + cd_dot3(own, w);
    }
    return all;
}

// Of body i against body j, at a point of the world.
static cd_vec3 slip_of(const scene *s, const cd_step_velocity *nu, int i, int j, cd_vec3 point)
{
    cd_vec3 a = cd_add3(velocity_of(s, &nu[i]), cd_cross3(spin_of(s, &nu[i]), cd_sub3(point, place_of(s, i))));
    cd_vec3 b = cd_add3(velocity_of(s, &nu[j]), cd_cross3(spin_of(s, &nu[j]), cd_sub3(point, place_of(s, j))));
    return cd_sub3(a, b);
}

static void check_same(cd_vec3 a, cd_vec3 b, double tolerance)
{
    CD_CHECK_NEAR(cd_length3(cd_sub3(a, b)), 0, tolerance);
}

// What no contact reaches is as it was: the ball's spin to the bit, that of the top about its axis.
static void check_unreached(const scene *s)
{
    check_same(spin_of(s, &s->nu[BALL]), spin_of(s, &s->before[BALL]), 0);
    if (s->in.dim == 2)
        return;
    const cd_vec3 axis = cd_quat_turn(s->middle[TOP], top_axis(s));
    CD_CHECK_NEAR(cd_dot3(axis, spin_of(s, &s->nu[TOP])), cd_dot3(axis, spin_of(s, &s->before[TOP])), 1e-14);
}

// The impulses are what changed the momenta.
static void check_impulses(const scene *s)
{
    for (int i = 0; i < BODIES; i++) {
        cd_vec3 sum = {0, 0, 0};
        for (int k = 0; k < CONTACTS; k++)
            sum = cd_add3(sum, cd_scale3((s->b[2 * k] == i) - (s->a[2 * k] == i), s->impulse[k]));
        cd_vec3 change = cd_sub3(velocity_of(s, &s->nu[i]), velocity_of(s, &s->before[i]));
        check_same(sum, cd_scale3(s->mass[i], change), 1e-13);
    }
}

static cd_vec3 change_of(const scene *s, cd_random *random)
{
    return (cd_vec3){s->in.dim == 3 ? any(random) : 0, s->in.dim == 3 ? any(random) : 0, any(random)};
}

CD_TEST(momenta_and_energy_are_what_they_are_to_be)
{
    cd_random random = {11};
    for (int round = 0; round < 400; round++) {
        scene s;
        make(&s, 2 + round % 2, &random);
        const sums before = sums_of(&s, s.before);
        const cd_vec3 change = cd_scale3(0.1, change_of(&s, &random));
        s.whole[ROOT] = (cd_step_whole){.moment = cd_add3(before.angular, change),
                                        .energy = before.energy * (1 + any(&random) / 50)};
        cd_step_restore(&arena, &s.bodies, &s.shapes, &s.met, s.whole, CD_STEP_THE_SAME);
        const sums after = sums_of(&s, s.nu);
        check_same(after.momentum, before.momentum, 1e-13);
        check_same(after.angular, s.whole[ROOT].moment, 1e-12);
        CD_CHECK_NEAR(after.energy, s.whole[ROOT].energy, 1e-12 * before.energy);
        check_unreached(&s);
        check_impulses(&s);
        CD_CHECK(memcmp(&s.nu[ALONE], &s.before[ALONE], sizeof s.nu[ALONE]) == 0);
        cd_arena_reset(&arena);
    }
}

// The group turns as one: no gap of two bodies changes. Of a ball the normal goes through its centre.
CD_TEST(what_is_given_changes_no_gap)
{
    cd_random random = {3};
    for (int round = 0; round < 400; round++) {
        scene s;
        make(&s, 2 + round % 2, &random);
        const sums before = sums_of(&s, s.before);
        s.whole[ROOT] = (cd_step_whole){.moment = cd_add3(before.angular, change_of(&s, &random)), .energy = INFINITY};
        cd_step_restore(&arena, &s.bodies, &s.shapes, &s.met, s.whole, CD_STEP_NO_MORE);
        check_same(sums_of(&s, s.nu).angular, s.whole[ROOT].moment, 1e-12);
        const cd_vec3 point = {any(&random), any(&random), s.in.dim == 3 ? any(&random) : 0};
        check_same(slip_of(&s, s.nu, 0, 3, point), slip_of(&s, s.before, 0, 3, point), 1e-12);
        const cd_vec3 normal = cd_unit3(cd_sub3(point, place_of(&s, BALL)));
        CD_CHECK_NEAR(cd_dot3(normal, slip_of(&s, s.nu, 0, BALL, point)),
                      cd_dot3(normal, slip_of(&s, s.before, 0, BALL, point)), 1e-12);
        check_unreached(&s);
        cd_arena_reset(&arena);
    }
}

// Energy that is too much goes, down to that of the group turning as one; too little stays so.
CD_TEST(no_more_energy_than_there_may_be)
{
    cd_random random = {7};
    for (int round = 0; round < 100; round++) {
        scene s;
        make(&s, 2 + round % 2, &random);
        const sums before = sums_of(&s, s.before);
        s.whole[ROOT] =
            (cd_step_whole){.moment = cd_add3(before.angular, cd_scale3(1e-3, change_of(&s, &random))), .energy = 0};
        cd_step_restore(&arena, &s.bodies, &s.shapes, &s.met, s.whole, CD_STEP_NO_MORE);
        const double least = sums_of(&s, s.nu).energy;
        const cd_vec3 point = {any(&random), any(&random), s.in.dim == 3 ? any(&random) : 0};
        check_same(slip_of(&s, s.nu, 0, 3, point), (cd_vec3){0, 0, 0}, 1e-11);
        memcpy(s.nu, s.before, sizeof s.nu);
        s.whole[ROOT].energy = least + 0.5 * (before.energy - least);
        cd_step_restore(&arena, &s.bodies, &s.shapes, &s.met, s.whole, CD_STEP_NO_MORE);
        CD_CHECK_NEAR(sums_of(&s, s.nu).energy, s.whole[ROOT].energy, 1e-12 * before.energy);
        memcpy(s.nu, s.before, sizeof s.nu);
        s.whole[ROOT].energy = 2 * before.energy;
        cd_step_restore(&arena, &s.bodies, &s.shapes, &s.met, s.whole, CD_STEP_NO_MORE);
        CD_CHECK(sums_of(&s, s.nu).energy < 1.1 * before.energy);
        cd_arena_reset(&arena);
    }
}

// Of an impact: whose centre is off its way by d has p x d more of the moment about the origin than it had.
CD_TEST(a_group_off_its_way_keeps_the_moment_about_the_origin)
{
    cd_random random = {17};
    for (int round = 0; round < 100; round++) {
        scene s;
        make(&s, 2 + round % 2, &random);
        const sums before = sums_of(&s, s.before);
        const cd_vec3 off = {0.01 * any(&random), 0.01 * any(&random), s.in.dim == 3 ? 0.01 * any(&random) : 0};
        const cd_vec3 way = cd_sub3(cd_scale3(1 / before.mass, before.centre), off);
        s.whole[ROOT] = (cd_step_whole){.moment = before.angular, .energy = before.energy, .centre = way, .far = 1};
        cd_step_restore(&arena, &s.bodies, &s.shapes, &s.met, s.whole, CD_STEP_THE_SAME);
        const sums after = sums_of(&s, s.nu);
        check_same(after.momentum, before.momentum, 1e-13);
        check_same(after.angular, cd_sub3(before.angular, cd_cross3(off, before.momentum)), 1e-12);
        CD_CHECK_NEAR(after.energy, before.energy, 1e-12 * before.energy);
        cd_arena_reset(&arena);
    }
}

// A body alone has nothing that could be scaled: its velocities were off by 1e-11 where rounding was.
CD_TEST(what_goes_as_one_is_not_scaled)
{
    cd_random random = {19};
    for (int round = 0; round < 200; round++) {
        scene s;
        make(&s, 3, &random);
        s.is_held[ROOT] = true;
        s.is_held[ALONE] = false;
        const cd_vec3 spin = spin_of(&s, &s.nu[ALONE]), v = velocity_of(&s, &s.nu[ALONE]);
        const cd_vec3 moment = cd_angular_momentum3(s.inertia + 6 * ALONE, s.middle[ALONE], spin);
        const double energy = s.mass[ALONE] * cd_dot3(v, v) + cd_dot3(moment, spin);
        s.whole[ALONE] = (cd_step_whole){.moment = cd_scale3(1 + 1e-14, moment), .energy = energy * (1 + 1e-6)};
        cd_step_restore(&arena, &s.bodies, &s.shapes, &s.met, s.whole, CD_STEP_THE_SAME);
        check_same(velocity_of(&s, &s.nu[ALONE]), v, 1e-14);
        check_same(spin_of(&s, &s.nu[ALONE]), spin, 1e-12);
        cd_arena_reset(&arena);
    }
}

CD_TEST(what_lacks_nothing_or_is_held_stays_to_the_bit)
{
    cd_random random = {5};
    for (int dim = 2; dim <= 3; dim++) {
        scene s;
        make(&s, dim, &random);
        const sums before = sums_of(&s, s.before);
        s.whole[ROOT] = (cd_step_whole){.moment = before.angular, .energy = before.energy * (1 + 1e-12)};
        cd_step_restore(&arena, &s.bodies, &s.shapes, &s.met, s.whole, CD_STEP_THE_SAME);
        CD_CHECK(memcmp(s.nu, s.before, sizeof s.nu) == 0);
        s.is_held[ROOT] = true;
        s.whole[ROOT] = (cd_step_whole){.moment = {1, 2, 3}};
        cd_step_restore(&arena, &s.bodies, &s.shapes, &s.met, s.whole, CD_STEP_THE_SAME);
        CD_CHECK(memcmp(s.nu, s.before, sizeof s.nu) == 0);
        cd_arena_reset(&arena);
    }
}

// Balls in a row: nothing turns about it, and nothing is asked to.
CD_TEST(balls_in_a_row_have_no_turn_about_it)
{
    cd_random random = {13};
    for (int dim = 2; dim <= 3; dim++) {
        scene s;
        make(&s, dim, &random);
        const cd_vec3 along = {0.6, 0.8, 0};
        for (int i = 0; i < ALONE; i++) {
            s.plane[i] = s.plane[BALL];
            s.space[i] = s.space[BALL];
            const cd_vec3 at = cd_scale3(i * i, along);
            if (dim == 2)
                s.end[i].plane.position = (cd_vec2){at.x, at.y};
            else
                s.end[i].space.position = at;
        }
        const sums before = sums_of(&s, s.before);
        const cd_vec3 change = dim == 2 ? (cd_vec3){0, 0, 0.3} : cd_cross3(along, (cd_vec3){0.3, -0.1, 0.2});
        s.whole[ROOT] = (cd_step_whole){.moment = cd_add3(before.angular, change), .energy = before.energy};
        cd_step_restore(&arena, &s.bodies, &s.shapes, &s.met, s.whole, CD_STEP_THE_SAME);
        check_same(sums_of(&s, s.nu).angular, s.whole[ROOT].moment, 1e-12);
        CD_CHECK_NEAR(sums_of(&s, s.nu).energy, before.energy, 1e-12 * before.energy);
        for (int i = 0; i < ALONE; i++)
            check_same(spin_of(&s, &s.nu[i]), spin_of(&s, &s.before[i]), 0);
        cd_arena_reset(&arena);
    }
}

CD_TEST(only_round_bodies_about_their_centre_have_turns_out_of_reach)
{
    cd_random random = {17};
    scene s;
    make(&s, 3, &random);
    const cd_quat none = cd_quat_identity();
    const cd_vec3 spin = {1, 2, 3}, axis = top_axis(&s);
    cd_step_reach reach = cd_step_reach_of(&s.in, &s.shapes, TOP);
    check_same(cd_step_reached(&reach, none, spin), cd_sub3(spin, cd_scale3(cd_dot3(axis, spin), axis)), 1e-14);
    s.inertia[6 * TOP] += 0.1;  // the axis of the shape is no principal one
    reach = cd_step_reach_of(&s.in, &s.shapes, TOP);
    check_same(cd_step_reached(&reach, none, spin), spin, 0);
    s.ellipsoid.semiaxes = (cd_vec3){0.1, 0.2, 0.3};
    reach = cd_step_reach_of(&s.in, &s.shapes, TOP);
    check_same(cd_step_reached(&reach, none, spin), spin, 0);
    s.ellipsoid.semiaxes = (cd_vec3){0.2, 0.2, 0.2};
    reach = cd_step_reach_of(&s.in, &s.shapes, TOP);
    check_same(cd_step_reached(&reach, none, spin), (cd_vec3){0, 0, 0}, 0);
    s.space[BALL].sphere.centre.x = 0.01;
    reach = cd_step_reach_of(&s.in, &s.shapes, BALL);
    check_same(cd_step_reached(&reach, none, spin), spin, 0);
}

// Without contact a top's spin about its axis is what it was, however an impulse has turned it; so is its energy.
CD_TEST(a_top_keeps_its_spin_about_the_axis)
{
    cd_random random = {19};
    for (int round = 0; round < 100; round++) {
        scene s;
        make(&s, 3, &random);
        double position[3 * BODIES] = {0}, velocity[3 * BODIES] = {0}, spin[3 * BODIES] = {0}, rotation[4 * BODIES];
        for (int i = 0; i < BODIES; i++)
            cd_quat_put(cd_quat_from_vector(change_of(&s, &random)), rotation + 4 * i);
        cd_vec3_put(cd_scale3(5, change_of(&s, &random)), spin + 3 * TOP);
        s.in.body.position = position;
        s.in.body.velocity = velocity;
        s.in.body.rotation = rotation;
        s.in.body.spin = spin;
        const double *inertia = s.inertia + 6 * TOP;
        const cd_state3 start = cd_body_start3(&s.in, TOP);
        const cd_free3 free =
            cd_state3_free_velocity(start, inertia, (cd_applied3){{0, 0, 0}, {0, 0, 0}}, 0.05, CD_GYRATION_MIDPOINT);
        s.middle[TOP] = free.middle;
        s.nu[TOP] = cd_step_velocity3(free.velocity, free.spin);
        s.bodies.free = s.nu;
        s.bodies.step = 0.05;
        const cd_quat end =
            cd_quat_product(cd_quat_from_vector(cd_scale3(0.3, change_of(&s, &random))), start.rotation);
        const cd_step_reach reach = cd_step_reach_of(&s.in, &s.shapes, TOP);
        const cd_vec3 moment = cd_step_end_moment(&s.bodies, NULL, &reach, TOP, &s.nu[TOP], end);
        const cd_vec3 after = cd_spin_of_momentum3(inertia, end, moment), axis = top_axis(&s);
        const cd_vec3 before = cd_angular_momentum3(inertia, start.rotation, start.spin);
        CD_CHECK_NEAR(cd_dot3(after, cd_quat_turn(end, axis)), cd_dot3(start.spin, cd_quat_turn(start.rotation, axis)),
                      1e-12);
        CD_CHECK_NEAR(cd_length3(moment), cd_length3(before), 1e-12);
        CD_CHECK_NEAR(cd_dot3(after, moment), cd_dot3(start.spin, before), 1e-11);
        cd_arena_reset(&arena);
    }
}

int main(void)
{
    CD_RUN(a_top_keeps_its_spin_about_the_axis);
    CD_RUN(momenta_and_energy_are_what_they_are_to_be);
    CD_RUN(what_is_given_changes_no_gap);
    CD_RUN(no_more_energy_than_there_may_be);
    CD_RUN(a_group_off_its_way_keeps_the_moment_about_the_origin);
    CD_RUN(what_goes_as_one_is_not_scaled);
    CD_RUN(what_lacks_nothing_or_is_held_stays_to_the_bit);
    CD_RUN(balls_in_a_row_have_no_turn_about_it);
    CD_RUN(only_round_bodies_about_their_centre_have_turns_out_of_reach);
    cd_arena_release(&arena);
    return cd_test_done();
}
