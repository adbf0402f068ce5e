// penalty_stable -- the largest step at which the explicit motion under contact forces does not grow.
//
// A contact of stiffness p moves both of its sides, (n.v_b - n.v_a)^2 <= 2 (n.v_a)^2 + 2 (n.v_b)^2, so the largest
// omega^2 is at most the largest that a body has by itself with all its contacts twice as stiff, the others held
// (Gershgorin's bound, in blocks); of a pair alone, p (1/m_a + 1/m_b) at most. Against what no force moves the factor
// is
// 1. Of a rigid body these are the eigenvalues of M^-1/2 K M^-1/2, 6 x 6 (in the plane 3 x 3), of a node sums. Likewise
// damping, up to d. Central differences whose damping lags half a step are stable while h^2 omega^2 + 2 h d <= 4:
//
//     h = (sqrt(d^2 + 4 omega^2) - d) / omega^2          without damping 2 / omega
//
// K and damping need not have the same eigenvectors: an eigenvector u of the motion has with k = u.K u and c = u.C u
// the roots of one that has k and c.
//
// It is a bound: a pair of equal masses is told its own step, 2 sqrt(m_eff / p); of unlike ones that of the lighter.
// SPDX-License-Identifier: MIT
#ifndef PENALTY_STABLE_H
#define PENALTY_STABLE_H

#include "cd_bodies.h"

typedef struct cd_penalty_sums {
    double stiffness;  // [1/s^2] omega^2
    double damping;    // [1/s]
} cd_penalty_sums;

// omega^2 [1/s^2] >= 0, d [1/s] >= 0. Infinite where both are 0.
double cd_penalty_stable_step(cd_penalty_sums most);

// ---- a rigid body --------------------------------------------------------------------------------------------------

enum { CD_PENALTY_SIDES = 6 };  // of a block

// What all contacts of a body do to it: open -> add each -> most.
typedef struct cd_penalty_block {
    int dim;
    double mass_root;   // [kg^-1/2]
    cd_mat3 spin_root;  // L^T of J^-1 = L L^T, world
    // M^-1/2 K M^-1/2 [1/s^2] and the same of damping [1/s], on and above the diagonal.
    double stiffness[CD_PENALTY_SIDES * CD_PENALTY_SIDES], damping[CD_PENALTY_SIDES * CD_PENALTY_SIDES];
} cd_penalty_block;

// Of springs [N/m] or dampers [N s/m], along the normal and across it.
typedef struct cd_penalty_pull {
    double along, across;
} cd_penalty_pull;

// Of a dynamic body.
void cd_penalty_block_open(cd_penalty_block *block, const cd_model *in, int32_t body);
// arm [m]: from the centre of mass to the contact's point, world.
void cd_penalty_block_add(cd_penalty_block *block, cd_vec3 arm, cd_vec3 normal, cd_penalty_pull springs,
                          cd_penalty_pull dampers);
// Likewise what resists turning: springs [N m/rad] and dampers [N m s] about the normal (along) and about what is
// across it.
void cd_penalty_block_turn(cd_penalty_block *block, cd_vec3 normal, cd_penalty_pull springs, cd_penalty_pull dampers);
// The largest eigenvalue of both, or up to 12 % more: with S of trace 1 it is at most (tr S^16)^(1/16), exact where one
// direction alone is held. Some 0.5 us.
cd_penalty_sums cd_penalty_block_most(const cd_penalty_block *block);

#endif
