// step_reach -- which turns of a body contacts without friction reach.
//
// A normal of a ball goes through its centre, one of an ellipsoid of revolution through its axis: an impulse along it
// turns the one not at all, the other never about its axis. What is no impulse, and restores momenta (step_restore.h),
// is to turn them by no more.
// SPDX-License-Identifier: MIT
#ifndef STEP_REACH_H
#define STEP_REACH_H

#include "cd_leaves.h"
#include "step_bodies.h"

typedef struct cd_step_reach {
    bool is_none;  // a ball, or a disc of the plane, about the centre of mass: no turn at all
    cd_vec3 axis;  // of revolution, unit, in the body's frame: no turn about it; 0: there is none
} cd_step_reach;

// Of a body that is one part about its centre of mass. Of all others every turn is reached; of those too to whose
// inertia the axis of their shape is no principal one.
cd_step_reach cd_step_reach_of(const cd_model *in, const cd_leaves *shapes, int32_t body);

// Angular momentum [N m s] about its centre with which a body of space that goes by nu ends the step at the rotation
// `end`; bodies->middle is that of the step. Between impulses a body of revolution keeps the part along its axis, which
// is then that without contact and what they gave along the axis when they did, and the length of the whole. The whole
// itself stands still while the axis goes on with the body: the part along it would be another one, in first order of
// h, and of a needle a spin that is that much over its least inertia. trial_row: of body rows; NULL: no impulse did
// anything, nu is that without contact.
cd_vec3 cd_step_end_moment(const cd_step_bodies *bodies, const int32_t *trial_row, const cd_step_reach *reach,
                           int32_t body, const cd_step_velocity *nu, cd_quat end);

// The part of a spin (world frame) that is reached, of a body of the rotation.
cd_vec3 cd_step_reached(const cd_step_reach *reach, cd_quat rotation, cd_vec3 spin);

#endif
