// The arms of a round's impulses.
// SPDX-License-Identifier: MIT
#include "cd_arms.h"
#include "cd_quat.h"
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

int main(void)
{
    CD_RUN(a_row_has_a_share_of_a_torque_and_the_rest_of_what_it_does_to_a_gap);
    return cd_test_done();
}
