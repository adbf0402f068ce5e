// cd_motion2 -- states of a rigid body in the plane and how a step moves them. The one place that says what "predicted"
// means: every stage that needs q_pred calls this, so that all see the same bits.
// SPDX-License-Identifier: MIT
#ifndef CD_MOTION2_H
#define CD_MOTION2_H

#include "cd_vec2.h"

typedef struct cd_state2 {
    cd_vec2 position;  // [m] world, centre of mass
    double angle;      // [rad]
    cd_vec2 velocity;  // [m/s] world
    double spin;       // [rad/s]
} cd_state2;

static inline cd_pose2 cd_state2_pose(cd_state2 state) { return cd_pose2_make(state.position, state.angle); }

// q + h nu: equation (10) in the plane, where it is exact for constant velocity.
static inline cd_state2 cd_state2_advance(cd_state2 start, cd_vec2 velocity, double spin, double step)
{
    return (cd_state2){cd_add2(start.position, cd_scale2(step, velocity)), start.angle + step * spin, velocity, spin};
}

// What acts on a body over the whole step beside contacts: gravity and its applied force over its mass, its applied
// torque over its inertia.
typedef struct cd_applied2 {
    cd_vec2 acceleration;  // [m/s^2] world
    double spin_rate;      // [rad/s^2]
} cd_applied2;

// Motion without contact over one step, implicit in the velocity as the time stepping is: nu_free = nu + h a, q_pred =
// q + h nu_free.
static inline cd_state2 cd_state2_free(cd_state2 start, cd_applied2 applied, double step)
{
    return cd_state2_advance(start, cd_add2(start.velocity, cd_scale2(step, applied.acceleration)),
                             start.spin + step * applied.spin_rate, step);
}

#endif
