// step_central -- central differences (leapfrog, Stoermer and Verlet): velocities stand half a step behind the poses,
//
//     v_(k+1/2) = v_(k-1/2) + h a(x_k)        x_(k+1) = x_k + h v_(k+1/2)
//
// as in explicit finite elements. A frame's velocities are v_(k-1/2); those of frame 0 are of its own time, and its
// step begins with half a kick, v_(1/2) = v_0 + h a / 2. So a run that begins elsewhere (a frame taken from a
// trajectory) goes on as it was. Symmetric in time: second order, and energy swings and does not drift as long as the
// step is below the stable one. In space the angular momentum takes the kicks, and turns go by head.gyroscopic, whose
// midpoint rule is of second order too.
//
// Forces alone: the mass matrix of cd-peg-assemble goes with the whole step.
// SPDX-License-Identifier: MIT
#include "step_central.h"

#include "step_integrator.h"

extern const cd_step_integrator cd_step_semi_implicit;

double cd_step_central_kick(const cd_model *in) { return in->frame.index && in->frame.index[0] == 0 ? 0.5 : 1; }

static cd_step_velocity free_velocity(const cd_step_bodies *bodies, int32_t body, cd_quat *middle)
{
    const cd_model *in = bodies->in;
    double kick = cd_step_central_kick(in);
    if (bodies->dim == 2) {
        cd_applied2 applied = cd_body_applied2(in, body);
        applied.acceleration = cd_scale2(kick, applied.acceleration);
        applied.spin_rate *= kick;
        cd_state2 free = cd_state2_free(cd_body_start2(in, body), applied, bodies->step);
        return cd_step_velocity2(free.velocity, free.spin);
    }
    cd_applied3 applied = cd_body_applied3(in, body);
    applied.acceleration = cd_scale3(kick, applied.acceleration);
    applied.torque = cd_scale3(kick, applied.torque);
    cd_free3 free = cd_state3_free_velocity(cd_body_start3(in, body), cd_step_inertia(in, body), applied, bodies->step,
                                            cd_head_gyration(in));
    *middle = free.middle;
    return cd_step_velocity3(free.velocity, free.spin);
}

static void push(const cd_step_bodies *bodies, int32_t body, const cd_step_wrench *wrench)
{
    double kick = cd_step_central_kick(bodies->in);
    cd_step_wrench kicked = {cd_scale3(kick, wrench->force), cd_scale3(kick, wrench->moment)};
    cd_step_semi_implicit.push(bodies, body, &kicked);
}

static cd_step_state state_at(const cd_step_bodies *bodies, int32_t body, double share)
{
    return cd_step_semi_implicit.state_at(bodies, body, share);
}

static cd_step_state end_state(const cd_step_bodies *bodies, int32_t body)
{
    return cd_step_semi_implicit.end_state(bodies, body);
}

const cd_step_integrator cd_step_central = {
    .name = "central",
    .summary = "explicit, under forces alone: velocities stand half a step behind, those of frame 0 at its time",
    .source = "Stoermer 1907; Verlet 1967",
    .order = 2,
    .lag = 0.5,
    .needs = CD_BIT(force),
    .free_velocity = free_velocity,
    .push = push,
    .state_at = state_at,
    .end_state = end_state,
};
