// step_balance -- energy and momentum of a frame of central differences, at the time of its poses.
//
// Velocities stand half a step before and behind the frame, v_- and v_+. Momentum is that of their mean. Kinetic energy
// is m v_-.v_+ / 2: with it the energy of a linear system stays to rounding, whatever the step, where that of the mean,
// larger by m |h a|^2 / 8, swings.
// SPDX-License-Identifier: MIT
#ifndef STEP_BALANCE_H
#define STEP_BALANCE_H

#include "step_bodies.h"
#include "step_nodes.h"

// Of all bodies and nodes that forces move. z of the plane is 0, of the angular momentum x and y are.
typedef struct cd_step_balance {
    double kinetic, potential, strain;  // [J]; potential -m g.x
    cd_vec3 momentum;                   // [N s]
    cd_vec3 angular;                    // [N m s] about the origin
} cd_step_balance;

// bodies->nu: velocities behind the frame. Sums in the order of ids of bodies, then of rows of `node`.
cd_step_balance cd_step_balance_of(const cd_step_bodies *bodies, const cd_step_nodes *nodes);

#endif
