// step_verdict -- what happens to the step: accepted, tried again, taken in parts, or given up; and the row that says
// so to cd-loop.
//
// A step that is given up can be halved: the verdict rejects it and asks for the same frame with half its step. While
// it is tried, `rest` of the frame is what remains of the whole step; once accepted, the loop sends the remainder as
// the next part. Each part may be halved CD_STEP_LEVELS times, and a whole step may fall into at most CD_STEP_PARTS
// parts, the number that halving all the way down gives, so that it always ends.
//
// A part whose way is not clear is cut where the contact is, not in half: a bullet that would need 20 halvings takes
// three parts. Such cuts, and halvings of parts that are shorter than CD_STEP_LEVELS halvings make them, are bounded by
// the rounds of the part: the second cut of a part takes at least half of it away.
// SPDX-License-Identifier: MIT
#ifndef STEP_VERDICT_H
#define STEP_VERDICT_H

#include "step_values.h"

enum { CD_STEP_LEVELS = 5, CD_STEP_PARTS = 1 << CD_STEP_LEVELS, CD_STEP_CUT_ROUNDS = 256 };

typedef enum cd_step_policy {
    CD_STEP_ACCEPT,
    CD_STEP_STOP,
    CD_STEP_GO_FREE,
    CD_STEP_STAND,
    CD_STEP_HALVE
} cd_step_policy;

extern const char *const cd_step_policies[];         // by cd_step_policy, NULL-ended
cd_step_policy cd_step_policy_of(const char *name);  // of these

typedef struct cd_step_decision {
    bool accept;
    bool has_next;        // `next` is written: always when accepted; rejected: as the trial of the round that follows
    double step;          // [s] rejected: the step to try; NaN: as it is
    bool begins_attempt;  // rejected: rounds count from the next one
    const char *contacts, *model;  // rejected: wishes; "" takes an older one back, NULL leaves it
    int32_t facets, target;        // CD_FACETS_..., CD_TARGET_...; CD_ABSENT
    int32_t impact;                // CD_IMPACT_...; CD_IMPACT_NONE: no wish
    const char *reason;            // NULL: nothing to say
    double residual;               // rejected: what the impulses of this attempt were left with; 0: all solved
    const int32_t *state;          // has_next, rejected: by body row, CD_STATE_...; NULL: none
    const double *lead;            // of an impact, has_next: by body row, of step_flight.h; NULL: none
    const int32_t *group, *held;   // likewise, of step_met.h, CD_ABSENT: none; NULL: no impact
    const bool *has_row;           // has_next: by body row, bodies that `next` has; NULL: all
} cd_step_decision;

static inline cd_step_decision cd_step_accepted(void)
{
    return (cd_step_decision){.accept = true,
                              .has_next = true,
                              .step = NAN,
                              .facets = CD_ABSENT,
                              .target = CD_ABSENT,
                              .impact = CD_IMPACT_NONE};
}

// How often the open part of the whole step was halved, and whether it may be once more.
int cd_step_level(const cd_model *in);
bool cd_step_can_halve(const cd_model *in);
// Whether the open part may end after this share (0..1) of it instead.
bool cd_step_can_cut(const cd_model *in, double share);

// The step with one problem and no look at its end. Sets nu of `bodies`: as solved, of contact-free motion, or 0.
// CD_ERR_NUMERIC when the problem is unsolved and the policy is to stop, halving is exhausted, or there are no impulses
// to accept; CD_ERR_FORMAT as cd_step_take_values. @owns arena
cd_status cd_step_decide(cd_arena *arena, cd_step_bodies *bodies, const cd_step_outcome *outcome, cd_step_policy policy,
                         cd_step_decision *decision, cd_diag *diag) CD_MUST_CHECK;

// One row. next_step [s]: the step of the frame after the whole step; NaN: as it was, left to the loop.
// CD_ERR_LIMIT when no round can follow the frame's. @owns arena
cd_status cd_step_write_verdict(cd_arena *arena, const cd_model *in, const cd_step_decision *decision, double next_step,
                                cd_verdict_rows *verdict, cd_diag *diag) CD_MUST_CHECK;

#endif
