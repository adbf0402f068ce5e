// step_motion -- the end-of-step states of a frame's bodies in the plane: from solved velocities, from forces, or free.
//
//   dynamic body with velocity rows   nu = values of its rows
//   dynamic body without              nu = nu^l + h g: contact-free motion
//   forces (penalty methods)          nu += h M^-1 [f; (p - x) x f], p the contact's point, f on b, -f on a; added
//   prescribed                        nu = its given velocity
//   fixed, or not yet released        keeps its state
// then q^{l+1} = q^l + h nu (10), in the plane exact for constant velocity. Cost: O(bodies + rows + forces).
// SPDX-License-Identifier: MIT
#ifndef STEP_MOTION_H
#define STEP_MOTION_H

#include "cd_bodies.h"

// What the frame's complementarity problem became.
typedef struct cd_step_outcome {
    bool has_rows;
    bool is_solved;      // true as well when there are no rows: nothing to solve
    const char *status;  // the solution's word; NULL without rows
} cd_step_outcome;

// CD_ERR_FORMAT when there are rows but not exactly one solution.
cd_status cd_step_read_outcome(const cd_model *in, cd_step_outcome *outcome, cd_diag *diag) CD_MUST_CHECK;

typedef enum cd_step_source {
    CD_STEP_SOLVED,  // as above
    CD_STEP_FREE,    // values and forces are not looked at: contact-free motion
    CD_STEP_HOLD,    // dynamic bodies stop: pose kept, velocity 0
} cd_step_source;

// next: a row a body that has a position, in the order of user ids. CD_ERR_FORMAT when values of velocity rows are missing or doubled or a
// force's contact names no point; CD_ERR_NUMERIC when a state is not finite. @owns arena
cd_status cd_step_move2(cd_arena *arena, const cd_model *in, cd_step_source source, cd_next_rows *next,
                        cd_diag *diag) CD_MUST_CHECK;

#endif
