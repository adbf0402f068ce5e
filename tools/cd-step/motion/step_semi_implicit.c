// step_semi_implicit -- the semi-implicit Euler method on velocity level, the time stepping of Moreau and of Stewart
// and Trinkle: impulses over the step change the velocity, then q_1 = q_0 + h nu with the new one (equation (10) of
// Williams, Lu & Trinkle 2016).
//
// In the plane a rotation at constant spin is exact. In space it is exp(h omega), a rotation about a fixed axis, and
// head.gyroscopic chooses the rule for a body that tumbles: cd_motion3.h says both. Cost: O(1) a body; the midpoint
// rule takes some Newton steps of a 3 x 3 system.
// SPDX-License-Identifier: MIT
#include "step_integrator.h"

static cd_step_velocity free_velocity(const cd_step_bodies *bodies, int32_t body, cd_quat *middle)
{
    const cd_model *in = bodies->in;
    if (bodies->dim == 2) {
        cd_state2 free = cd_state2_free(cd_body_start2(in, body), cd_body_applied2(in, body), bodies->step);
        return cd_step_velocity2(free.velocity, free.spin);
    }
    cd_free3 free = cd_state3_free_velocity(cd_body_start3(in, body), cd_step_inertia(in, body),
                                            cd_body_applied3(in, body), bodies->step, cd_head_gyration(in));
    *middle = free.middle;
    return cd_step_velocity3(free.velocity, free.spin);
}

// nu += h M^-1 [f; m], M with the inertia at `middle`.
static void push(const cd_step_bodies *bodies, int32_t body, const cd_step_wrench *wrench)
{
    const cd_model *in = bodies->in;
    double *nu = bodies->nu[body].at, h = bodies->step;
    double along[3] = {wrench->force.x, wrench->force.y, wrench->force.z};
    for (int k = 0; k < bodies->dim; k++)
        nu[k] += h / in->body.mass[body] * along[k];
    if (bodies->dim == 2) {
        nu[2] += h / in->body.inertia[body] * wrench->moment.z;
        return;
    }
    cd_vec3 turn = cd_spin_of_momentum3(cd_step_inertia(in, body), bodies->middle[body], cd_scale3(h, wrench->moment));
    nu[3] += turn.x;
    nu[4] += turn.y;
    nu[5] += turn.z;
}

static cd_step_state state_at(const cd_step_bodies *bodies, int32_t body, double share)
{
    const cd_model *in = bodies->in;
    const cd_step_velocity *nu = &bodies->nu[body];
    double time = share * bodies->step;
    if (bodies->dim == 2)
        return (cd_step_state){
            .plane = cd_state2_advance(cd_body_start2(in, body), (cd_vec2){nu->at[0], nu->at[1]}, nu->at[2], time)};
    return (cd_step_state){
        .space = cd_state3_advance(cd_body_start3(in, body), cd_step_linear(nu), cd_step_angular(nu), time)};
}

// In space the spin becomes J(R_1)^-1 J(R_m) omega, which keeps the angular momentum.
static cd_step_state end_state(const cd_step_bodies *bodies, int32_t body)
{
    const cd_model *in = bodies->in;
    cd_step_state end = state_at(bodies, body, 1);
    if (bodies->dim == 3)
        end.space.spin = cd_end_spin3(cd_step_inertia(in, body), bodies->middle[body], end.space.rotation,
                                      end.space.spin, cd_head_gyration(in));
    return end;
}

const cd_step_integrator cd_step_semi_implicit = {
    .name = "semi-implicit",
    .summary = "impulses change the velocity, then q + h nu with the new one; in space by head.gyroscopic",
    .source = "Moreau 1988; Stewart & Trinkle 1996",
    .order = 1,
    .needs = CD_BIT(value) | CD_BIT(force),
    .free_velocity = free_velocity,
    .push = push,
    .state_at = state_at,
    .end_state = end_state,
};
