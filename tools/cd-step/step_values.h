// step_values -- what the stages before found: the outcome of the frame's complementarity problem, solved velocities,
// and the forces of penalty methods.
// SPDX-License-Identifier: MIT
#ifndef STEP_VALUES_H
#define STEP_VALUES_H

#include "step_bodies.h"

typedef struct cd_step_outcome {
    bool has_rows;
    bool is_solved;  // true as well when there are no rows: nothing to solve; and of a polish round, which corrects
    // solved, or good to go on from: the best impulses met, of a problem with friction discs, of a polish round or with
    // a residual up to 1e-6
    bool is_usable;
    const char *status;  // the solution's word; NULL without rows
    double residual;     // the largest of this problem and of those of the rounds before, where unsolved; 0: all solved
} cd_step_outcome;

// CD_ERR_FORMAT when there are rows but not exactly one solution.
cd_status cd_step_read_outcome(const cd_model *in, cd_step_outcome *outcome, cd_diag *diag) CD_MUST_CHECK;

// Of an outcome that is not usable: the bodies (by row) of those parts of the problem that are not, where the values
// say so (value.status); NULL where they do not, and any part may be. @owns arena
const bool *cd_step_unsolved_bodies(cd_arena *arena, const cd_model *in);

// nu of dynamic bodies: the values of their velocity rows where they have some. CD_ERR_FORMAT as below.
cd_status cd_step_take_velocities(cd_arena *scratch, cd_step_bodies *bodies, cd_diag *diag) CD_MUST_CHECK;

// nu of dynamic bodies: the values of their velocity rows where they have some, plus what the integrator makes of the
// forces [f; (p - x) x f], p the contact's point, f on b and -f on a (penalty methods). CD_ERR_FORMAT when values of
// velocity rows are missing or doubled, CD_ERR_UNSUPPORTED as cd_step_integrator_check. Cost: O(rows + values +
// forces).
cd_status cd_step_take_values(cd_arena *scratch, cd_step_bodies *bodies, cd_diag *diag) CD_MUST_CHECK;

#endif
