// step_integrator -- the table of time steppings: how the velocities and poses of a step follow from what the stages
// before found.
//
// A step of length h goes in four moves, each a slot of the entry. All are for one body, in the plane and in space
// (cd_step_bodies.dim says which):
//   free_velocity   nu_free, the velocity of the step without contact
//   push            what a force that acts over the whole step adds to it
//   state_at        where the velocity puts the body after a share of the step
//   end_state       the state with which the next step begins
// Velocities that cd-lcp solved take the place of nu_free; they need no slot.
//
// Contract (binding on every line of step_integrators.def; tests/unit/tools/test_integrators.c walks the table):
//   - without gravity and forces the linear momentum stays to the bit, and the angular one to rounding where
//     head.gyroscopic is `midpoint`;
//   - an impulse P at a point p changes the momentum by P and the angular one about the centre x by (p - x) x P; where
//     velocities lag, that of frame 0 is the less by it;
//   - free flight tends to the closed form with the order that the entry states;
//   - the pose of state_at(0) is the start's, to rounding, and end_state differs from state_at(1) in velocities alone;
//   - between, state_at moves at constant velocity and turns at constant spin, those of nu: step_path.h relies on it;
//   - same input, same bytes; nothing is kept between frames.
//
// A new one is one file step_NAME.c that defines cd_step_NAME and one line in step_integrators.def. The stages before
// predict poses with cd_motion2.h and cd_motion3.h, and cd-peg-assemble builds the mass matrix that goes with these:
// an integrator with others takes forces alone, and says so in `needs`.
// SPDX-License-Identifier: MIT
#ifndef STEP_INTEGRATOR_H
#define STEP_INTEGRATOR_H

#include "step_bodies.h"

// What acts on a body over the step: mean force [N] and its moment [N m] about the centre of mass, world frame. In the
// plane force.z, moment.x and moment.y are 0.
typedef struct cd_step_wrench {
    cd_vec3 force, moment;
} cd_step_wrench;

struct cd_step_integrator {
    const char *name;
    const char *summary;  // one line for --help
    const char *source;   // author, year
    // Of position and rotation after a fixed time of free flight: error O(h^order); with head.gyroscopic explicit the
    // rotation's is 1.
    int order;
    double lag;      // [1] of the step: so far velocities of a frame stand behind its poses (frame 0: not at all)
    uint64_t needs;  // CD_BIT of the tables that move bodies: of `value` and `force` those it can take

    // Of a dynamic body. *middle, in space: the rotation at which the step's mass matrix is taken.
    cd_step_velocity (*free_velocity)(const cd_step_bodies *bodies, int32_t body, cd_quat *middle);
    void (*push)(const cd_step_bodies *bodies, int32_t body, const cd_step_wrench *wrench);  // adds to bodies->nu
    // Of a dynamic or prescribed body that takes part, moved by bodies->nu; share 0..1. Its velocities are nu.
    cd_step_state (*state_at)(const cd_step_bodies *bodies, int32_t body, double share);
    // Of a dynamic body.
    cd_step_state (*end_state)(const cd_step_bodies *bodies, int32_t body);
};

extern const cd_step_integrator *const cd_step_integrators[];         // NULL-ended
extern const char *const cd_step_integrator_names[];                  // the same order, NULL-ended: --integrator
const cd_step_integrator *cd_step_integrator_find(const char *name);  // NULL when there is none

void cd_step_print_integrators(cd_buffer *out);  // for --help

// CD_ERR_UNSUPPORTED when the frame holds solved velocities or forces that the integrator does not take.
cd_status cd_step_integrator_check(const cd_step_integrator *integrator, const cd_model *in,
                                   cd_diag *diag) CD_MUST_CHECK;

#endif
