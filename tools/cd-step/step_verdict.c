// SPDX-License-Identifier: MIT
#include "step_verdict.h"

// How often the open part was halved: its length now over its length at first is a power of two up to rounding.
static int level_of(double step, double rest) { return (int)lround(log2((step + rest) / step)); }

cd_status cd_step_decide(cd_arena *arena, const cd_model *in, const cd_step_outcome *outcome, cd_step_policy policy,
                         cd_step_decision *decision, cd_diag *diag)
{
    *decision = (cd_step_decision){.accept = true, .source = CD_STEP_SOLVED};
    if (outcome->is_solved)
        return CD_OK;
    double step;
    CD_TRY(cd_frame_step(in, &step, diag));
    int level = level_of(step, cd_f64_or(in->frame.rest, 0, 0));
    switch (policy) {
    case CD_STEP_GO_FREE:
        decision->source = CD_STEP_FREE;
        decision->reason = cd_arena_printf(arena, "unsolved (%s): moved without contact", outcome->status);
        return CD_OK;
    case CD_STEP_STAND:
        decision->source = CD_STEP_HOLD;
        decision->reason = cd_arena_printf(arena, "unsolved (%s): held in place", outcome->status);
        return CD_OK;
    case CD_STEP_HALVE:
        if (level >= CD_STEP_LEVELS || cd_i32_or(in->frame.substep, 0, 0) >= CD_STEP_PARTS)
            return cd_fail(diag, CD_ERR_NUMERIC, "solution: %s: still not solved with a step of %g s, halved %d times",
                           outcome->status, step, level);
        if (cd_i32_or(in->frame.round, 0, 0) == INT32_MAX)
            return cd_fail(diag, CD_ERR_LIMIT, "frame: round: no number can follow it");
        decision->accept = false;
        decision->step = step / 2;
        decision->reason = cd_arena_printf(arena, "unsolved (%s): step halved", outcome->status);
        return CD_OK;
    default:
        return cd_fail(diag, CD_ERR_NUMERIC,
                       "solution: %s: the complementarity problem was not solved (--on-unsolved says what to do then)",
                       outcome->status);
    }
}

void cd_step_write_verdict(cd_arena *arena, const cd_model *in, const cd_step_decision *decision, double next_step,
                           cd_verdict_rows *verdict)
{
    double rest = cd_f64_or(in->frame.rest, 0, 0);
    int32_t round = cd_i32_or(in->frame.round, 0, 0);
    verdict->count = 1;
    CD_COLUMN(arena, 2, verdict, verdict, accept)[0] = decision->accept;
    CD_COLUMN(arena, 2, verdict, verdict, round)[0] = decision->accept ? round : round + 1;
    if (!decision->accept) {
        CD_COLUMN(arena, 2, verdict, verdict, step)[0] = decision->step;
    } else {
        if (!isnan(next_step))
            CD_COLUMN(arena, 2, verdict, verdict, step)[0] = next_step;
        if (rest > 0)
            CD_COLUMN(arena, 2, verdict, verdict, rest)[0] = rest;
    }
    if (decision->reason)
        CD_COLUMN(arena, 2, verdict, verdict, reason)[0] = decision->reason;
}
