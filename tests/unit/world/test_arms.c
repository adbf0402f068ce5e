// The arms of a round's impulses.
// SPDX-License-Identifier: MIT
#include "cd_arms.h"
#include "cd_random.h"
#include "cd_test.h"

static cd_vec3 vector(cd_random *random, double size)
{
    double x = cd_random_between(random, -size, size), y = cd_random_between(random, -size, size);
    return (cd_vec3){x, y, cd_random_between(random, -size, size)};
}

// d/ds of the rotation exp(turn + s change), as the rotation about which it turns on, by differences.
static cd_vec3 turned_on(cd_vec3 turn, cd_vec3 change)
{
    const double s = 1e-5;
    cd_quat ahead = cd_quat_from_vector(cd_add3(turn, cd_scale3(s, change)));
    cd_quat behind = cd_quat_from_vector(cd_sub3(turn, cd_scale3(s, change)));
    return cd_scale3(1 / (2 * s), cd_quat_vector(cd_quat_product(ahead, cd_quat_conjugate(behind))));
}

CD_TEST(a_row_has_a_share_of_a_torque_and_the_rest_of_what_it_does_to_a_gap)
{
    cd_random random = {7};
    for (int round = 0; round < 1000; round++) {
        cd_vec3 turn = vector(&random, round % 4 == 0   ? 0
                                       : round % 4 == 1 ? 1e-9
                                                        : 2),
                torque = vector(&random, 1), change = vector(&random, 1);
        const cd_arm_turn by = cd_arm_turn_make(turn);
        cd_vec3 row = cd_arm_turned(&by, CD_ARM_HALF, torque);
        double gap = cd_dot3(torque, turned_on(turn, change));  // of Q' torque
        CD_CHECK_NEAR(cd_dot3(row, change), (cd_dot3(torque, change) + gap) / 2, 1e-8);
        CD_CHECK_NEAR(cd_dot3(cd_arm_turned(&by, 0, torque), change), gap, 1e-8);
        CD_CHECK_NEAR(cd_length3(cd_sub3(cd_arm_turned(&by, 1, torque), torque)), 0, 1e-14);
        CD_CHECK_NEAR(cd_length3(cd_sub3(cd_arm_unturned(&by, row), torque)), 0, 1e-14);
    }
}

// Two bodies, dynamic but where `held` says so, that have moved by d to their trial.
static void pair_of(cd_model *in, const cd_vec3 d[2], double *mass, int32_t *motion, double *velocity)
{
    static int64_t id[2] = {1, 2};
    static int32_t body[2] = {0, 1};
    static double time = 0;
    *in = (cd_model){.dim = 3, .frame.time = &time, .frame.count = 1};
    in->body.count = in->trial.count = 2;
    in->body.id = id;
    in->body.mass = mass;
    in->body.motion = motion;
    in->trial.body = body;
    for (int k = 0; k < 2; k++)
        cd_vec3_put(d[k], velocity + 3 * k);
    in->trial.velocity = velocity;
}

// Of x x m v + L the two bodies' sum changes by nothing when P acts with arms p - x_k + the whole shift, the ways d
// being those of the step: (d_b - d_a) x P is made up for.
CD_TEST(whole_shifts_keep_the_angular_momentum_of_two_bodies)
{
    cd_random random = {11};
    int32_t trial_row[2] = {0, 1}, both[2] = {0, 1}, dynamic[2] = {CD_MOTION_DYNAMIC, CD_MOTION_DYNAMIC},
            held[2] = {CD_MOTION_FIXED, CD_MOTION_DYNAMIC};
    for (int round = 0; round < 100; round++) {
        cd_vec3 d[2] = {vector(&random, 1), vector(&random, 1)}, p = vector(&random, 1), shift[2];
        double mass[2] = {0.1 + cd_random_unit(&random), 0.1 + cd_random_unit(&random)}, velocity[6];
        cd_model in;
        pair_of(&in, d, mass, dynamic, velocity);
        for (int side = 0; side < 2; side++)
            shift[side] = cd_arm_shift(&in, trial_row, 1, 1, both, side);
        cd_vec3 whole = cd_sub3(shift[1], shift[0]), apart = cd_sub3(d[1], d[0]);
        CD_CHECK_NEAR(cd_length3(cd_cross3(cd_sub3(whole, apart), p)), 0, 1e-14);
        // in a frame that moves along with any velocity the shifts are the same
        cd_vec3 along = vector(&random, 10), moved[2] = {cd_add3(d[0], along), cd_add3(d[1], along)};
        pair_of(&in, moved, mass, dynamic, velocity);
        CD_CHECK_NEAR(cd_length3(cd_sub3(cd_arm_shift(&in, trial_row, 1, 1, both, 1), shift[1])), 0, 1e-14);
        pair_of(&in, d, mass, held, velocity);
        for (int side = 0; side < 2; side++)
            CD_CHECK(cd_length3(cd_arm_shift(&in, trial_row, 1, 1, both, side)) == 0);
    }
}

int main(void)
{
    CD_RUN(a_row_has_a_share_of_a_torque_and_the_rest_of_what_it_does_to_a_gap);
    CD_RUN(whole_shifts_keep_the_angular_momentum_of_two_bodies);
    return cd_test_done();
}
