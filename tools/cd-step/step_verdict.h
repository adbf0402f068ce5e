// step_verdict -- what happens to the step: accepted, taken in parts, or given up.
//
// A step whose problem was not solved can be halved: the verdict rejects it and asks for the same frame with half its
// step. While it is tried, `rest` of the frame is what remains of the whole step; once accepted, the loop sends the
// remainder as the next part. Each part may be halved CD_STEP_LEVELS times, and a whole step may fall into at most
// CD_STEP_PARTS parts, the number that halving all the way down gives, so that it always ends.
// SPDX-License-Identifier: MIT
#ifndef STEP_VERDICT_H
#define STEP_VERDICT_H

#include "cd_records.h"
#include "step_motion.h"

enum { CD_STEP_LEVELS = 5, CD_STEP_PARTS = 1 << CD_STEP_LEVELS };

typedef enum cd_step_policy { CD_STEP_STOP, CD_STEP_GO_FREE, CD_STEP_STAND, CD_STEP_HALVE } cd_step_policy;

typedef struct cd_step_decision {
    bool accept;
    cd_step_source source;  // accepted: where the velocities come from
    double step;            // [s] rejected: the step to try
    const char *reason;     // NULL: nothing to say; @owns arena
} cd_step_decision;

// CD_ERR_NUMERIC when the problem is unsolved and the policy is to stop, or halving is exhausted.
cd_status cd_step_decide(cd_arena *arena, const cd_model *in, const cd_step_outcome *outcome, cd_step_policy policy,
                         cd_step_decision *decision, cd_diag *diag) CD_MUST_CHECK;

// One row. next_step [s]: the step of the frame after the whole step; NaN: as it was, left to the loop.
void cd_step_write_verdict(cd_arena *arena, const cd_model *in, const cd_step_decision *decision, double next_step,
                           cd_verdict_rows *verdict);

#endif
