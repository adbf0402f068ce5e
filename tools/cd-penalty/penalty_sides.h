// penalty_sides -- the two sides of a contact, as its force sees them: how fast a point of the body goes, and how
// easily it is moved.
// SPDX-License-Identifier: MIT
#ifndef PENALTY_SIDES_H
#define PENALTY_SIDES_H

#include "cd_bodies.h"
#include "cd_pinballs.h"

typedef struct cd_penalty_side {
    cd_vec3 velocity;  // [m/s] of the point
    cd_vec3 spin;      // [rad/s] of the body; of elements 0
    cd_mat3 mobility;  // [1/kg] symmetric: the velocity that a unit impulse at the point gives it; 0 where nothing does
    bool is_moved;     // by forces
} cd_penalty_side;

// A rigid body at a point of the world. Bodies that are not dynamic go as their velocities say.
cd_penalty_side cd_penalty_side_of_body(const cd_model *in, int32_t body, cd_vec3 point);

// A pinball that its nodes carry, of a body of elements: velocity and mobility are those of its centre.
// CD_ERR_FORMAT "node 5: mass: required of a dynamic node".
cd_status cd_penalty_side_of_pinball(const cd_model *in, int32_t body, const cd_pinball *ball, cd_penalty_side *side,
                                     cd_diag *diag) CD_MUST_CHECK;

#endif
