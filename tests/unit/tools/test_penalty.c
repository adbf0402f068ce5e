// Penalty forces: the law by hand, the stable step against the motion itself, mobilities of rigid bodies.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "penalty_law.h"
#include "penalty_sides.h"
#include "penalty_stable.h"

static cd_penalty_contact touching(void)
{
    return (cd_penalty_contact){.gap = -0.1,
                                .normal = {0, 0, 1},
                                .velocity = {3, 4, -2},
                                .stiffness = 50,
                                .damping = 2,
                                .tangential = 0.5,
                                .mu = 0.1};
}

CD_TEST(the_force_is_that_of_spring_damper_and_friction)
{
    cd_penalty_contact contact = touching();  // normal 5 + 4, slip 5 m/s: 0.9 N of friction where 2.5 would be viscous
    cd_penalty_force force = cd_penalty_force_of(&contact);
    CD_CHECK_NEAR(force.vector.z, 9, 1e-15);
    CD_CHECK_NEAR(force.vector.x, -0.54, 1e-15);
    CD_CHECK_NEAR(force.vector.y, -0.72, 1e-15);
    CD_CHECK_NEAR(force.energy, 0.25, 1e-15);
    CD_CHECK_NEAR(force.loss, 4 * 2 + 0.9 * 5, 1e-14);
    contact.mu = 1;
    force = cd_penalty_force_of(&contact);
    CD_CHECK_NEAR(force.vector.x, -1.5, 1e-15);
    contact.velocity.z = 2;
    force = cd_penalty_force_of(&contact);
    CD_CHECK_NEAR(force.vector.z, 1, 1e-15);
    contact.velocity.z = 3;  // a damper that would pull
    force = cd_penalty_force_of(&contact);
    CD_CHECK(cd_length3(force.vector) == 0 && force.energy > 0);
    contact.gap = 0;
    force = cd_penalty_force_of(&contact);
    CD_CHECK(cd_length3(force.vector) == 0 && force.energy == 0 && force.loss == 0);
}

CD_TEST(a_gated_contact_pushes_on_the_way_in_alone)
{
    cd_penalty_contact contact = touching();
    contact.is_gated = true;
    CD_CHECK_NEAR(cd_penalty_force_of(&contact).vector.z, 9, 1e-15);
    contact.velocity.z = 0.001;
    CD_CHECK(cd_length3(cd_penalty_force_of(&contact).vector) == 0);
}

// Central differences with a damper half a step behind: grown after n steps from x = 1, v = 0.
static double grown(double omega_sq, double rate, double step)
{
    double x = 1, v = 0, most = 0;
    for (int k = 0; k < 4000; k++) {
        v -= step * (omega_sq * x + rate * v);
        x += step * v;
        most = fmax(most, fabs(x));
    }
    return most;
}

CD_TEST(at_the_stable_step_motion_stays_and_above_it_grows)
{
    static const double rates[] = {0, 0.1, 1, 3, 30};
    for (int i = 0; i < 5; i++) {
        double step = cd_penalty_stable_step((cd_penalty_sums){2.5, rates[i]});
        CD_CHECK(grown(2.5, rates[i], 0.9999 * step) < 200);
        CD_CHECK(grown(2.5, rates[i], 1.01 * step) > 1e6);
    }
    CD_CHECK_NEAR(cd_penalty_stable_step((cd_penalty_sums){2.5, 0}), 2 / sqrt(2.5), 1e-15);
    CD_CHECK_NEAR(cd_penalty_stable_step((cd_penalty_sums){0, 4}), 0.5, 1e-15);
    CD_CHECK(isinf(cd_penalty_stable_step((cd_penalty_sums){0, 0})));
}

// An impulse at a point off the centre changes momentum and angular momentum, and so the point's velocity.
CD_TEST(mobility_is_what_an_impulse_does)
{
    int64_t id = 1, index = 3;
    double time = 0, position[3] = {1, 2, 3}, rotation[4] = {0.5, 0.5, -0.5, 0.5}, velocity[3] = {1, 0, -1},
           spin[3] = {0.2, 0.3, -0.4}, mass = 2, inertia[6] = {1, 2, 2.5, 0.1, -0.2, 0.3};
    cd_model in = {.dim = 3};
    in.frame = (cd_frame_rows){.count = 1, .index = &index, .time = &time};
    in.body = (cd_body_rows){.count = 1,
                             .id = &id,
                             .position = position,
                             .rotation = rotation,
                             .velocity = velocity,
                             .spin = spin,
                             .mass = &mass,
                             .inertia = inertia};
    cd_vec3 point = {1.5, 1, 4}, impulse = {0.3, -0.2, 0.7}, arm = {0.5, -1, 1};
    cd_penalty_side side = cd_penalty_side_of_body(&in, 0, point);
    cd_vec3 gained = cd_spin_of_momentum3(inertia, cd_quat_at(rotation), cd_cross3(arm, impulse));
    cd_vec3 want = cd_add3(cd_scale3(0.5, impulse), cd_cross3(gained, arm));
    CD_CHECK(side.is_moved);
    CD_CHECK_NEAR(cd_length3(cd_sub3(cd_mat3_apply(&side.mobility, impulse), want)), 0, 1e-14);
    CD_CHECK_NEAR(side.velocity.x, 1 + 0.3 * 1 - 0.4 * 1, 1e-15);
    // Dampers: c times the mobility along the normal where there are none across, and no less than any rate of both.
    cd_vec3 normal = cd_unit3((cd_vec3){1, 2, 2});
    double along = cd_dot3(normal, cd_mat3_apply(&side.mobility, normal));
    CD_CHECK_NEAR(cd_penalty_damping_rate(&side, normal, 3, 0), 3 * along, 1e-14);
    double most = cd_penalty_damping_rate(&side, normal, 3, 3);
    for (int k = 0; k < 3; k++) {
        cd_vec3 e = {k == 0, k == 1, k == 2};
        CD_CHECK(most >= 3 * cd_dot3(e, cd_mat3_apply(&side.mobility, e)));
    }
    int32_t motion = CD_MOTION_FIXED;
    in.body.motion = &motion;
    side = cd_penalty_side_of_body(&in, 0, point);
    CD_CHECK(!side.is_moved && cd_length3(side.velocity) == 0 && side.mobility.row[0].x == 0);
}

int main(void)
{
    CD_RUN(the_force_is_that_of_spring_damper_and_friction);
    CD_RUN(a_gated_contact_pushes_on_the_way_in_alone);
    CD_RUN(at_the_stable_step_motion_stays_and_above_it_grows);
    CD_RUN(mobility_is_what_an_impulse_does);
    return cd_test_done();
}
