// penalty_law -- the force and the torque of one contact, from its gap, the motions of its sides and its springs.
//
//     normal      F = max(0, p g + c g')        g = -gap > 0 the penetration, g' = -v.n how fast it grows
//     tangential  T = -(k_t s + c_t u), of length mu F at most        u the slip, s the spring
//     torque      M = -(k_w t + c_w w)          w the spin of b against a, t the spring against it; of length r F at
//                                               most across n (rolling), q F along n (spinning)
//
// v is the velocity of b against a at the contact's point, and so is u, across n. The normal force never pulls. The
// spring s is the slip summed up since the contact began (Cundall & Strack 1979), t likewise the turn (Iwashita & Oda
// 1998; Ai et al. 2011, model C). Where T is at Coulomb's limit s is what gives that T, so that nothing beyond the
// limit is stored: k_t s + c_t u = -T (Luding 2008; LAMMPS, "pair granular" linear_history and sds), and both parts of
// M likewise. With k_t = 0 there is no spring: friction is viscous up to the limit, and a body that rests on a slope
// creeps.
//
// S. Luding, Cohesive, frictional powders: contact models for tension, Granular Matter 10 (2008) 235.
// K. Iwashita, M. Oda, Rolling resistance at contacts in simulation of shear band development by DEM, J. Eng. Mech. 124
// (1998) 285.
// J. Ai, J.-F. Chen, J. M. Rotter, J. Y. Ooi, Assessment of rolling resistance models in discrete element simulations,
// Powder Technol. 206 (2011) 269.
// SPDX-License-Identifier: MIT
#ifndef PENALTY_LAW_H
#define PENALTY_LAW_H

#include "cd_vec3.h"

// What keeps b from turning against a.
typedef struct cd_penalty_turning {
    double rolling;    // r [m] >= 0
    double spinning;   // q [m] >= 0
    double stiffness;  // k_w [N m/rad] >= 0; 0: no spring
    double damping;    // c_w [N m s] >= 0, without a spring may be infinite
    cd_vec3 spin;      // w [rad/s]
    cd_vec3 turn;      // t [rad] before the spin of this step
} cd_penalty_turning;

typedef struct cd_penalty_contact {
    double gap;        // [m]
    cd_vec3 normal;    // unit, from a to b
    cd_vec3 velocity;  // [m/s] of b against a: how fast the gap grows, velocity . normal
    cd_vec3 slip;  // [m/s] the same over the step that led here (cd_penalty_slip); its part along the normal counts for
                   // nothing
    double stiffness;   // p [N/m] > 0
    double damping;     // c [N s/m] >= 0
    double shear;       // k_t [N/m] >= 0; 0: no spring
    double tangential;  // c_t [N s/m] >= 0, without a spring may be infinite
    double mu;          // [1] >= 0
    cd_vec3 spring;     // [m] s before the slip of this step, across the normal
    double slid;        // [s] >= 0 how long it has slid with this slip since, and turned with this spin
    bool is_gated;      // no force unless the penetration grows
    cd_penalty_turning turning;
} cd_penalty_contact;

typedef struct cd_penalty_force {
    cd_vec3 vector;  // [N] on b; 0 where the gap is not below 0
    cd_vec3 spring;  // [m] s in this force, across the normal
    cd_vec3 torque;  // M [N m] on b
    cd_vec3 turn;    // t [rad] in it
    double energy;   // [J] p g^2 / 2 + k_t s^2 / 2 + k_w t^2 / 2
    double loss;     // [W] what damping and friction take
} cd_penalty_force;

// The part of critical damping with which a linear spring and damper that never pull throw back with `restitution` in
// (0, 1] of the speed (Schwager & Poeschel, Granular Matter 9 (2007) 465); above 1 for a restitution below exp(-2).
double cd_penalty_ratio_of_restitution(double restitution);

cd_penalty_force cd_penalty_force_of(const cd_penalty_contact *contact);

#endif
