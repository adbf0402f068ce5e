// Rotations of space, inertia, and free motion: what it keeps, how it converges, the symmetric top in closed form.
// SPDX-License-Identifier: MIT
#include "cd_motion3.h"
#include "cd_random.h"
#include "cd_test.h"

static const cd_applied3 weightless = {{0, 0, 0}, {0, 0, 0}};

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

// A body that exists: principal moments b + c, a + c, a + b of second moments a, b, c in [thin, 1], in turned axes.
static void random_inertia(cd_random *random, double thin, double inertia[6])
{
    double a = cd_random_between(random, thin, 1),
           b = cd_random_between(random, thin, 1) * cd_random_between(random, thin, 1), c = thin;
    const double principal[6] = {b + c, a + c, a + b, 0, 0, 0};
    cd_mat3 world = cd_inertia3_world(principal, random_turn(random));
    const double turned[6] = {world.row[0].x, world.row[1].y, world.row[2].z,
                              world.row[0].y, world.row[0].z, world.row[1].z};
    memcpy(inertia, turned, sizeof turned);
}

static double difference(cd_vec3 a, cd_vec3 b) { return cd_length3(cd_sub3(a, b)); }

// A step as the dynamics of a body without contacts does it: the spin at the end is that of the end's pose.
static cd_state3 whole_step(cd_state3 start, const double *inertia, double step, cd_gyration gyration)
{
    cd_free3 free = cd_state3_free_velocity(start, inertia, weightless, step, gyration);
    cd_state3 end = cd_state3_free(start, inertia, weightless, step, gyration);
    end.spin = cd_end_spin3(inertia, free.middle, end.rotation, free.spin, gyration);
    return end;
}

static double energy_of(cd_state3 state, const double *inertia)
{
    return 0.5 * cd_dot3(state.spin, cd_angular_momentum3(inertia, state.rotation, state.spin));
}

// ---- rotations -----------------------------------------------------------------------------------------------------

CD_TEST(quaternions_turn_as_their_matrices_do)
{
    cd_random random = {1};
    for (int round = 0; round < 2000; round++) {
        cd_quat a = random_turn(&random), b = random_turn(&random), ab = cd_quat_product(a, b);
        cd_vec3 v = random_vector(&random, 1);
        cd_mat3 ma = cd_quat_matrix(a), mb = cd_quat_matrix(b), mab = cd_mat3_product(&ma, &mb);
        CD_CHECK(difference(cd_quat_turn(a, v), cd_mat3_apply(&ma, v)) < 2e-15);
        CD_CHECK(difference(cd_quat_turn(ab, v), cd_mat3_apply(&mab, v)) < 4e-15);
        CD_CHECK(difference(cd_mat3_apply_back(&ma, cd_mat3_apply(&ma, v)), v) < 2e-15);
        CD_CHECK(difference(cd_quat_turn(cd_quat_conjugate(a), cd_quat_turn(a, v)), v) < 3e-15);
        cd_mat3 back = cd_mat3_transpose(&ma), other = cd_quat_matrix(cd_quat_conjugate(a));
        CD_CHECK(!memcmp(&back, &other, sizeof back));
        // any length stands for the same rotation
        double s = cd_random_between(&random, 0.1, 3);
        cd_mat3 longer = cd_quat_matrix((cd_quat){s * a.w, s * a.x, s * a.y, s * a.z});
        for (int k = 0; k < 3; k++)
            CD_CHECK(difference(longer.row[k], ma.row[k]) < 2e-15);
    }
}

CD_TEST(rotation_vectors_and_angles)
{
    cd_random random = {2};
    for (int round = 0; round < 2000; round++) {
        cd_vec3 axis = cd_unit3(random_vector(&random, 1));
        double angle = round % 3 ? cd_random_between(&random, 0, 3.14) : pow(10, cd_random_between(&random, -12, -3));
        cd_quat q = cd_quat_from_vector(cd_scale3(angle, axis)), a = random_turn(&random);
        CD_CHECK_NEAR(cd_quat_length_sq(q), 1, 1e-15);
        CD_CHECK(difference(cd_quat_turn(q, axis), axis) < 1e-15);
        CD_CHECK_NEAR(cd_quat_angle_between(a, cd_quat_product(q, a)), angle, 2e-15);
        CD_CHECK_NEAR(cd_quat_angle_between(cd_quat_identity(), q), angle, 1e-15 * angle);
        CD_CHECK(cd_quat_angle_between(a, a) == 0);
    }
    // right-handed: a quarter turn about z takes x to y, to the bit
    double h = sqrt(0.5);
    cd_mat3 quarter = cd_quat_matrix((cd_quat){h, 0, 0, h});
    CD_CHECK(quarter.row[0].y == -1 && quarter.row[1].x == 1 && quarter.row[2].z == 1 && quarter.row[0].x == 0 &&
             quarter.row[1].y == 0);
    CD_CHECK(cd_quat_unit((cd_quat){0, 0, 0, 0}).w == 1);
}

// ---- inertia -------------------------------------------------------------------------------------------------------

CD_TEST(inertia_is_applied_solved_and_turned)
{
    cd_random random = {3};
    for (int round = 0; round < 2000; round++) {
        double inertia[6];
        random_inertia(&random, round % 2 ? 0.1 : 1e-3, inertia);
        CD_CHECK(cd_inertia3_is_definite(inertia));
        cd_vec3 w = random_vector(&random, 1), m = cd_inertia3_apply(inertia, w);
        CD_CHECK(difference(cd_inertia3_apply(inertia, cd_inertia3_solve(inertia, m)), m) <
                 1e-15 * (1 + cd_length3(m)));
        cd_quat q = random_turn(&random);
        cd_mat3 world = cd_inertia3_world(inertia, q);
        CD_CHECK(world.row[0].y == world.row[1].x && world.row[0].z == world.row[2].x &&
                 world.row[1].z == world.row[2].y);
        CD_CHECK(difference(cd_mat3_apply(&world, w), cd_angular_momentum3(inertia, q, w)) < 2e-14);
    }
    const double turned_out[6] = {1, 1, 1, 2, 0, 0}, flat[6] = {1, 1, 0, 0, 0, 0},
                 nothing[6] = {NAN, NAN, NAN, NAN, NAN, NAN};
    CD_CHECK(!cd_inertia3_is_definite(turned_out) && !cd_inertia3_is_definite(flat) &&
             !cd_inertia3_is_definite(nothing));
}

// ---- free motion ---------------------------------------------------------------------------------------------------

CD_TEST(momentum_is_kept_to_rounding)
{
    cd_random random = {4};
    for (int round = 0; round < 400; round++) {
        double inertia[6];
        random_inertia(&random, round % 2 ? 0.1 : 1e-3, inertia);
        cd_state3 state = {.rotation = random_turn(&random), .spin = random_vector(&random, 5)};
        cd_vec3 momentum = cd_angular_momentum3(inertia, state.rotation, state.spin);
        for (int k = 0; k < 100; k++) {
            cd_free3 free = cd_state3_free_velocity(state, inertia, weightless, 0.02, CD_GYRATION_MIDPOINT);
            CD_CHECK(difference(cd_angular_momentum3(inertia, free.middle, free.spin), momentum) <
                     5e-14 * cd_length3(momentum));
            state = whole_step(state, inertia, 0.02, CD_GYRATION_MIDPOINT);
            CD_CHECK(difference(cd_angular_momentum3(inertia, state.rotation, state.spin), momentum) <
                     5e-14 * cd_length3(momentum));
        }
    }
}

// A long thin body takes the long way to its lean, and keeps its momentum all the same.
CD_TEST(needles_keep_momentum_to_rounding)
{
    cd_random random = {7};
    for (int round = 0; round < 4000; round++) {
        const double thin = pow(10, cd_random_between(&random, -3, 0)), width = cd_random_between(&random, 0.02, 1);
        const double inertia[6] = {1, thin, 1 - thin + 2 * thin * width, 0, 0, 0};
        cd_state3 state = {.rotation = random_turn(&random)};
        state.spin = cd_scale3(cd_random_between(&random, 0.02, 0.5), cd_unit3(random_vector(&random, 1)));
        cd_vec3 momentum = cd_angular_momentum3(inertia, state.rotation, state.spin);
        state = whole_step(state, inertia, 1, CD_GYRATION_MIDPOINT);
        CD_CHECK(difference(cd_angular_momentum3(inertia, state.rotation, state.spin), momentum) <
                 1e-14 * cd_length3(momentum));
    }
}

// A needle or plate that turns by up to 10 rad in the step: the rule still has its solution, and everything is finite
// beyond.
CD_TEST(large_steps_keep_momentum_too)
{
    cd_random random = {5};
    int found = 0;
    for (int round = 0; round < 2000; round++) {
        double inertia[6];
        random_inertia(&random, 1e-3, inertia);
        cd_state3 state = {.rotation = random_turn(&random)};
        state.spin = cd_scale3(cd_random_between(&random, 0, 10), cd_unit3(random_vector(&random, 1)));
        cd_vec3 momentum = cd_angular_momentum3(inertia, state.rotation, state.spin);
        cd_free3 free = cd_state3_free_velocity(state, inertia, weightless, 1, CD_GYRATION_MIDPOINT);
        found +=
            difference(cd_angular_momentum3(inertia, free.middle, free.spin), momentum) < 1e-11 * cd_length3(momentum);
        state.spin = cd_scale3(pow(10, cd_random_between(&random, 0, 12)), state.spin);
        free = cd_state3_free_velocity(state, inertia, weightless, 1, CD_GYRATION_MIDPOINT);
        CD_CHECK(isfinite(free.spin.x + free.spin.y + free.spin.z));
        CD_CHECK_NEAR(cd_quat_length_sq(free.middle), 1, 1e-15);
    }
    CD_CHECK(found == 2000);
}

// Tumbling about the intermediate axis, the case of the energy test: largest |E / E_0 - 1| within 10 s.
static double energy_error(double step, cd_gyration gyration, double *at_end)
{
    const double inertia[6] = {1, 2, 3, 0, 0, 0};
    cd_state3 state = {.rotation = cd_quat_identity(), .spin = {0.01, 2, 0.01}};
    double energy = energy_of(state, inertia), worst = 0;
    for (int k = 0; k < (int)round(10 / step); k++) {
        state = whole_step(state, inertia, step, gyration);
        worst = fmax(worst, fabs(energy_of(state, inertia) / energy - 1));
    }
    *at_end = energy_of(state, inertia) / energy - 1;
    return worst;
}

CD_TEST(energy_stays_to_rounding_and_the_explicit_term_gains)
{
    double end, coarse = energy_error(0.1, CD_GYRATION_MIDPOINT, &end),
                fine = energy_error(0.005, CD_GYRATION_MIDPOINT, &end);
    CD_CHECK(coarse < 1e-12 && fine < 1e-12);
    double coarse_gain, fine_gain;
    energy_error(0.01, CD_GYRATION_EXPLICIT, &coarse_gain);
    energy_error(0.005, CD_GYRATION_EXPLICIT, &fine_gain);
    CD_CHECK(coarse_gain > 0.02 && coarse_gain / fine_gain > 1.7 && coarse_gain / fine_gain < 2.4);
    if (cd_test_bad_checks)
        printf("# midpoint %g %g, explicit %g %g\n", coarse, fine, coarse_gain, fine_gain);
}

// A step at a time, of bodies that turn by up to `turn` in it. Returns the largest |E / E_0 - 1|.
static double worst_of_random_bodies(double turn, double flat)
{
    cd_random random = {8};
    double worst = 0;
    for (int round = 0; round < 2000; round++) {
        double inertia[6];
        random_inertia(&random, flat, inertia);
        cd_state3 state = {.rotation = random_turn(&random)};
        state.spin = cd_scale3(cd_random_between(&random, 0, turn), cd_unit3(random_vector(&random, 1)));
        double energy = energy_of(state, inertia);
        state = whole_step(state, inertia, 1, CD_GYRATION_MIDPOINT);
        worst = fmax(worst, fabs(energy_of(state, inertia) / energy - 1));
    }
    return worst;
}

CD_TEST(a_step_keeps_the_energy_of_turning)
{
    CD_CHECK(worst_of_random_bodies(1e-3, 0.1) < 1e-13);
    CD_CHECK(worst_of_random_bodies(0.1, 0.1) < 1e-13);
    CD_CHECK(worst_of_random_bodies(1, 0.1) < 1e-13);
    CD_CHECK(worst_of_random_bodies(0.01, 1e-3) < 1e-11);  // J^-1 of needles and plates is right to 1000 roundings
}

// Rows of inertia that are all different: what is left of the pose after a fixed time falls as the square of the step.
CD_TEST(a_body_that_tumbles_converges_at_second_order)
{
    const double inertia[6] = {1, 2, 2.6, 0.1, -0.2, 0.15};
    cd_quat at[3];
    for (int k = 0; k < 3; k++) {
        cd_state3 state = {.rotation = {0.6, 0, 0.8, 0}, .spin = {1, -2, 0.7}};
        const int steps = k == 0 ? 100 : k == 1 ? 200 : 3200;
        for (int i = 0; i < steps; i++)
            state = whole_step(state, inertia, 2.0 / steps, CD_GYRATION_MIDPOINT);
        at[k] = state.rotation;
    }
    const double coarse = cd_quat_angle_between(at[0], at[2]), fine = cd_quat_angle_between(at[1], at[2]);
    CD_CHECK(coarse < 1e-2 && coarse / fine > 3.8 && coarse / fine < 4.2);
}

// Inertia (A, A, C): R(t) = exp(t L / A) R_0 exp(t w_3 (1 - C/A) e_3), because omega = L / A + w_3 (1 - C/A) R e_3 with
// constant w_3.
static double top_error(double step, cd_gyration gyration)
{
    const double inertia[6] = {2, 2, 3.5, 0, 0, 0}, end = 4;
    cd_state3 state = {.rotation = cd_quat_from_vector((cd_vec3){0.3, -0.5, 1}), .spin = {1, -0.7, 2}};
    cd_vec3 momentum = cd_angular_momentum3(inertia, state.rotation, state.spin);
    double spin_3 = cd_quat_turn(cd_quat_conjugate(state.rotation), state.spin).z;
    cd_quat turned = cd_quat_product(
        state.rotation, cd_quat_from_vector((cd_vec3){0, 0, end * spin_3 * (1 - inertia[2] / inertia[0])}));
    cd_quat exact = cd_quat_product(cd_quat_from_vector(cd_scale3(end / inertia[0], momentum)), turned);
    for (int k = 0; k < (int)round(end / step); k++)
        state = whole_step(state, inertia, step, gyration);
    return cd_quat_angle_between(exact, state.rotation);
}

CD_TEST(the_symmetric_top_converges_to_its_closed_form)
{
    double coarse = top_error(0.02, CD_GYRATION_MIDPOINT), fine = top_error(0.01, CD_GYRATION_MIDPOINT);
    CD_CHECK(coarse < 2e-3 && coarse / fine > 3.9 && coarse / fine < 4.1);
    double coarse_explicit = top_error(0.02, CD_GYRATION_EXPLICIT),
           fine_explicit = top_error(0.01, CD_GYRATION_EXPLICIT);
    CD_CHECK(coarse_explicit < 1 && coarse_explicit / fine_explicit > 1.7 && coarse_explicit / fine_explicit < 2.3);
    if (cd_test_bad_checks)
        printf("# midpoint %g %g, explicit %g %g\n", coarse, fine, coarse_explicit, fine_explicit);
}

CD_TEST(time_runs_back_as_it_ran)
{
    cd_random random = {6};
    for (int round = 0; round < 500; round++) {
        double inertia[6];
        random_inertia(&random, 0.1, inertia);
        cd_state3 start = {.rotation = random_turn(&random), .spin = random_vector(&random, 3)};
        cd_state3 end = whole_step(start, inertia, 0.1, CD_GYRATION_MIDPOINT);
        end.spin = cd_negate3(end.spin);
        cd_state3 back = whole_step(end, inertia, 0.1, CD_GYRATION_MIDPOINT);
        CD_CHECK(cd_quat_angle_between(start.rotation, back.rotation) < 1e-13);
        CD_CHECK(difference(back.spin, cd_negate3(start.spin)) < 1e-12);
    }
}

CD_TEST(rotations_stay_of_unit_length)
{
    const double inertia[6] = {1, 2, 2.5, 0.1, -0.2, 0.3};
    cd_state3 state = {.rotation = {0.6, 0, 0.8, 0}, .spin = {3, -2, 1}};
    for (int k = 0; k < 20000; k++)
        state = whole_step(state, inertia, 0.01, CD_GYRATION_MIDPOINT);
    CD_CHECK_NEAR(cd_quat_length_sq(state.rotation), 1, 4e-16);
}

CD_TEST(what_does_not_turn_or_is_round_is_left_alone)
{
    const double ball[6] = {2, 2, 2, 0, 0, 0}, body[6] = {1, 2, 3, 0, 0, 0};
    cd_applied3 gravity = {.acceleration = {0, 0, -8}};
    cd_state3 start = {{1, 2, 3}, {0.36, 0.48, 0.48, 0.64}, {4, 0, 0}, {0, 0, 0}};
    cd_state3 end = cd_state3_free(start, body, gravity, 0.5, CD_GYRATION_MIDPOINT);
    CD_CHECK(cd_quat_is_same(end.rotation, start.rotation));
    CD_CHECK(end.position.x == 3 && end.position.y == 2 && end.position.z == 1 && end.velocity.z == -4);
    start.spin = (cd_vec3){0.1, -0.2, 0.3};
    for (int gyration = CD_GYRATION_MIDPOINT; gyration <= CD_GYRATION_EXPLICIT; gyration++) {
        for (int known = 0; known < 2; known++) {
            end = cd_state3_free(start, known ? ball : NULL, gravity, 0.5, (cd_gyration)gyration);
            CD_CHECK(difference(end.spin, start.spin) == 0);
            CD_CHECK_NEAR(cd_quat_angle_between(start.rotation, end.rotation), 0.5 * cd_length3(start.spin), 1e-15);
        }
        cd_vec3 spin = cd_end_spin3(ball, start.rotation, end.rotation, start.spin, (cd_gyration)gyration);
        CD_CHECK(difference(spin, start.spin) == 0);
    }
    // about a principal axis nothing changes either
    start.rotation = cd_quat_identity();
    start.spin = (cd_vec3){0, 3, 0};
    end = cd_state3_free(start, body, gravity, 0.5, CD_GYRATION_MIDPOINT);
    CD_CHECK(difference(end.spin, start.spin) < 1e-15);
}

// L = tau t to rounding, whatever the step and whether the body turns at first; the explicit rule gets there as h -> 0.
CD_TEST(a_torque_makes_its_angular_momentum)
{
    const double inertia[6] = {1, 2, 2.5, 0.1, -0.2, 0.3};
    const cd_vec3 torque = {0.3, -0.4, 0.5}, spins[2] = {{0, 0, 0}, {1, -2, 0.5}};
    const cd_applied3 applied = {.torque = torque};
    for (int turns = 0; turns < 2; turns++)
        for (int steps = 10; steps <= 1000; steps *= 10) {
            cd_state3 state = {.rotation = {0.6, 0, 0.8, 0}, .spin = spins[turns]};
            cd_vec3 momentum = cd_angular_momentum3(inertia, state.rotation, state.spin);
            double step = 2.0 / steps;
            for (int k = 0; k < steps; k++) {
                cd_free3 free = cd_state3_free_velocity(state, inertia, applied, step, CD_GYRATION_MIDPOINT);
                cd_state3 end = cd_state3_free(state, inertia, applied, step, CD_GYRATION_MIDPOINT);
                end.spin = cd_end_spin3(inertia, free.middle, end.rotation, end.spin, CD_GYRATION_MIDPOINT);
                state = end;
            }
            cd_vec3 gained = cd_sub3(cd_angular_momentum3(inertia, state.rotation, state.spin), momentum);
            CD_CHECK_NEAR(difference(gained, cd_scale3(2, torque)), 0, 1e-13 * sqrt(steps));
        }
}

// About a principal axis a constant torque gives the angle tau t^2 / 2 J: semi-implicit, tau t (t + h) / 2 J. The same
// of a ball, whose spin the rules do not touch.
CD_TEST(a_torque_about_a_principal_axis_turns_as_in_the_plane)
{
    const double body[6] = {1, 2, 3, 0, 0, 0}, ball[6] = {2, 2, 2, 0, 0, 0}, step = 0.01;
    const cd_applied3 applied = {.torque = {0, 0.5, 0}};
    for (int is_ball = 0; is_ball < 2; is_ball++)
        for (int gyration = CD_GYRATION_MIDPOINT; gyration <= CD_GYRATION_EXPLICIT; gyration++) {
            cd_state3 state = {.rotation = {1, 0, 0, 0}};
            for (int k = 0; k < 100; k++)
                state = cd_state3_free(state, is_ball ? ball : body, applied, step, (cd_gyration)gyration);
            CD_CHECK_NEAR(state.spin.y, 0.25, 1e-14);
            CD_CHECK_NEAR(cd_quat_vector(state.rotation).y, 0.25 * (1 + step) / 2, 1e-14);
        }
}

// In the explicit rule J (omega_1 - omega) = h (tau - omega x J omega), the definition.
CD_TEST(the_explicit_rule_adds_the_torque_at_the_start)
{
    const double inertia[6] = {1, 2, 2.5, 0.1, -0.2, 0.3}, step = 0.1;
    const cd_applied3 applied = {{1, 2, 3}, {0.3, -0.4, 0.5}};
    cd_state3 start = {.rotation = {0.36, 0.48, 0.48, 0.64}, .velocity = {1, 0, 0}, .spin = {1, -2, 0.5}};
    cd_free3 free = cd_state3_free_velocity(start, inertia, applied, step, CD_GYRATION_EXPLICIT);
    cd_vec3 left = cd_angular_momentum3(inertia, start.rotation, cd_sub3(free.spin, start.spin));
    cd_vec3 own = cd_cross3(start.spin, cd_angular_momentum3(inertia, start.rotation, start.spin));
    CD_CHECK_NEAR(difference(left, cd_scale3(step, cd_sub3(applied.torque, own))), 0, 1e-15);
    CD_CHECK_NEAR(difference(free.velocity, (cd_vec3){1.1, 0.2, 0.3}), 0, 1e-15);
}

CD_TEST(rotation_vectors_turn_back)
{
    const cd_vec3 vectors[4] = {{0, 0, 0}, {1e-9, -2e-9, 0}, {1, -2, 0.5}, {0, 0, 3.14159}};
    for (int i = 0; i < 4; i++) {
        cd_quat q = cd_quat_from_vector(vectors[i]), negative = {-q.w, -q.x, -q.y, -q.z};
        CD_CHECK_NEAR(difference(cd_quat_vector(q), vectors[i]), 0, 1e-15 * (1 + cd_length3(vectors[i])));
        CD_CHECK_NEAR(difference(cd_quat_vector(negative), vectors[i]), 0, 1e-15 * (1 + cd_length3(vectors[i])));
    }
    // more than half a turn is the rest of it the other way
    cd_vec3 back = cd_quat_vector(cd_quat_from_vector((cd_vec3){4, 0, 0}));
    CD_CHECK_NEAR(back.x, 4 - 2 * acos(-1), 1e-14);
}

int main(void)
{
    CD_RUN(quaternions_turn_as_their_matrices_do);
    CD_RUN(rotation_vectors_and_angles);
    CD_RUN(inertia_is_applied_solved_and_turned);
    CD_RUN(momentum_is_kept_to_rounding);
    CD_RUN(needles_keep_momentum_to_rounding);
    CD_RUN(large_steps_keep_momentum_too);
    CD_RUN(energy_stays_to_rounding_and_the_explicit_term_gains);
    CD_RUN(a_step_keeps_the_energy_of_turning);
    CD_RUN(a_body_that_tumbles_converges_at_second_order);
    CD_RUN(the_symmetric_top_converges_to_its_closed_form);
    CD_RUN(time_runs_back_as_it_ran);
    CD_RUN(rotations_stay_of_unit_length);
    CD_RUN(what_does_not_turn_or_is_round_is_left_alone);
    CD_RUN(a_torque_makes_its_angular_momentum);
    CD_RUN(a_torque_about_a_principal_axis_turns_as_in_the_plane);
    CD_RUN(the_explicit_rule_adds_the_torque_at_the_start);
    CD_RUN(rotation_vectors_turn_back);
    return cd_test_done();
}
