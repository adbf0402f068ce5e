// step_values -- what the stages before found: the outcome of the frame's complementarity problem, solved velocities,
// and the forces of penalty methods.
// SPDX-License-Identifier: MIT
#ifndef STEP_VALUES_H
#define STEP_VALUES_H

#include "step_bodies.h"

typedef struct cd_step_outcome {
    bool has_rows;
    bool is_solved;  // true as well when there are no rows: nothing to solve; and of a polish round, which corrects
    // solved, or good to go on from: the best impulses met, of a problem with friction discs, of a polish round (but
    // see cd_step_worse_bodies) or with a residual up to 1e-6
    bool is_usable;
    const char *status;  // the solution's word; NULL without rows
    double residual;     // the largest of this problem and of those of the rounds before, where unsolved; 0: all solved
} cd_step_outcome;

// CD_ERR_FORMAT when there are rows but not exactly one solution.
cd_status cd_step_read_outcome(const cd_model *in, cd_step_outcome *outcome, cd_diag *diag) CD_MUST_CHECK;

// Of an outcome that is not usable: the bodies (by row) of those parts of the problem that are not, where the values
// say so (value.status); NULL where they do not, and any part may be. @owns arena
const bool *cd_step_unsolved_bodies(cd_arena *arena, const cd_model *in);

// Of a polish round that was not solved: the bodies (by row) of islands whose impulses are worse than none. The round
// asks for the least |d|^2 / 2 [J], d the change of the trial in the norm of M, with which no row's w is below 0. By
// weak duality that is not below
//     D(p) = -p . w - |M^-1 G p|^2 / 2,  w of the trial's velocities,
// of any impulses p >= 0. Of none D is 0: impulses with less are farther from the answer than these. With a D above
// that of a change from the trial's energy to `limit` and back there is no answer below the limit. before: velocities
// of the trial; root: of body rows; limit [J]: the largest nu' M nu, by root. NULL: none is, or there are rows of other
// kinds, or it was solved. An island whose part was solved (value.status) is none of them: where it has next to nothing
// to do its D is rounding, of either sign. Cost: O(rows + entries + bodies). @owns arena
const bool *cd_step_worse_bodies(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_velocity *before,
                                 const int32_t *root, const double *limit);

// nu of dynamic bodies: the values of their velocity rows where they have some. CD_ERR_FORMAT as below.
cd_status cd_step_take_velocities(cd_arena *scratch, cd_step_bodies *bodies, cd_diag *diag) CD_MUST_CHECK;

// nu of dynamic bodies: the values of their velocity rows where they have some, plus what the integrator makes of the
// forces [f; (p - x) x f], p the contact's point, f on b and -f on a (penalty methods). CD_ERR_FORMAT when values of
// velocity rows are missing or doubled, CD_ERR_UNSUPPORTED as cd_step_integrator_check. Cost: O(rows + values +
// forces).
cd_status cd_step_take_values(cd_arena *scratch, cd_step_bodies *bodies, cd_diag *diag) CD_MUST_CHECK;

#endif
