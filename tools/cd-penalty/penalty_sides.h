// penalty_sides -- the two sides of a contact, as its force sees them: how fast a point of the body goes, and how
// easily it is moved.
// SPDX-License-Identifier: MIT
#ifndef PENALTY_SIDES_H
#define PENALTY_SIDES_H

#include "cd_bodies.h"
#include "cd_pinballs.h"

// The rigid motion of a body over the step that led to the frame.
typedef struct cd_penalty_way {
    cd_vec3 velocity;  // [m/s] of the centre of mass: straight from where it was
    cd_vec3 spin;      // [rad/s] constant over the step
    cd_vec3 middle;    // [m] the centre of mass half a step back
    double passed;     // [s] length of the step; 0: velocities are of the frame's own time
} cd_penalty_way;

typedef struct cd_penalty_side {
    cd_vec3 velocity;  // [m/s] of the point
    cd_vec3 spin;      // [rad/s] of the body; of elements 0
    cd_penalty_way way;
    cd_mat3 mobility;  // [1/kg] symmetric: the velocity that a unit impulse at the point gives it; 0 where nothing does
    bool is_moved;     // by forces
} cd_penalty_side;

// A rigid body at a point of the world, its velocities those of a step that took `passed`. Bodies that are not dynamic
// go as their velocities say, those of the step that led to the frame.
cd_penalty_side cd_penalty_side_of_body(const cd_model *in, int32_t body, cd_vec3 point, double passed);

// [1/(kg m^2)] The mean over all axes of the spin that a unit angular impulse gives it; 0 where nothing does.
double cd_penalty_turns_by(const cd_model *in, int32_t body);

// [m/s] How fast b goes against a at a point that both have at the frame's time, by their ways, at the middle between
// their two points half a step back: whatever turns and goes with the other one has none, to rounding.
cd_vec3 cd_penalty_slip(const cd_penalty_side *a, const cd_penalty_side *b, cd_vec3 point);

// A pinball that its nodes carry, of a body of elements: velocity and mobility are those of its centre.
// CD_ERR_FORMAT "node 5: mass: required of a dynamic node".
cd_status cd_penalty_side_of_pinball(const cd_model *in, int32_t body, const cd_pinball *ball, cd_penalty_side *side,
                                     cd_diag *diag) CD_MUST_CHECK;

#endif
