// penalty_law -- the force of one contact, from its gap and the velocities of its sides.
//
//     normal      F = max(0, p g + c g')        g = -gap > 0 the penetration, g' = -v.n how fast it grows
//     tangential  T = -min(c_t |u|, mu F) u / |u|    u = v - (v.n) n the slip
//
// v is the velocity of b against a at the contact's point. The normal force never pulls. Friction is viscous up to
// Coulomb's limit and slides beyond: bodies at rest on a slope creep at the speed mu F / c_t at most.
// SPDX-License-Identifier: MIT
#ifndef PENALTY_LAW_H
#define PENALTY_LAW_H

#include "cd_vec3.h"

typedef struct cd_penalty_contact {
    double gap;         // [m]
    cd_vec3 normal;     // unit, from a to b
    cd_vec3 velocity;   // [m/s] of b against a
    double stiffness;   // p [N/m] > 0
    double damping;     // c [N s/m] >= 0
    double tangential;  // c_t [N s/m] >= 0, may be infinite
    double mu;          // [1] >= 0
    bool is_gated;      // no force unless the penetration grows
} cd_penalty_contact;

typedef struct cd_penalty_force {
    cd_vec3 vector;  // [N] on b; 0 where the gap is not below 0
    double energy;   // [J] p g^2 / 2
    double loss;     // [W] what damping and friction take: (p g n - vector).v
} cd_penalty_force;

cd_penalty_force cd_penalty_force_of(const cd_penalty_contact *contact);

#endif
