// SPDX-License-Identifier: MIT
#include "step_verdict.h"

// [1] of what is left of the whole step: a part below this is rounding of times.
static const double least_part = 1e-11;

const char *const cd_step_policies[] = {"accept", "stop", "free", "hold", "halve", NULL};

cd_step_policy cd_step_policy_of(const char *name)
{
    int index = 0;
    while (strcmp(name, cd_step_policies[index]) != 0)
        index++;
    return (cd_step_policy)index;
}

int cd_step_level(const cd_model *in)
{
    double step = in->frame.step[0], rest = cd_f64_or(in->frame.rest, 0, 0);
    return (int)lround(log2((step + rest) / step));  // a power of two up to rounding, but for parts that were cut
}

bool cd_step_can_halve(const cd_model *in)
{
    return cd_step_level(in) < CD_STEP_LEVELS && cd_i32_or(in->frame.substep, 0, 0) < CD_STEP_PARTS;
}

bool cd_step_can_cut(const cd_model *in, double share)
{
    double step = in->frame.step[0], rest = cd_f64_or(in->frame.rest, 0, 0);
    return cd_i32_or(in->frame.substep, 0, 0) < CD_STEP_PARTS &&
           cd_i32_or(in->frame.round, 0, 0) < CD_STEP_CUT_ROUNDS && share * step >= least_part * (step + rest);
}

cd_status cd_step_decide(cd_arena *arena, cd_step_bodies *bodies, const cd_step_outcome *outcome, cd_step_policy policy,
                         cd_step_decision *decision, cd_diag *diag)
{
    const cd_model *in = bodies->in;
    *decision = cd_step_accepted();
    if (outcome->is_solved)
        return cd_step_take_values(arena, bodies, diag);
    switch (policy) {
    case CD_STEP_ACCEPT:
        if (!outcome->is_usable)
            break;
        decision->reason = cd_arena_printf(arena, "unsolved (%s): impulses as they are", outcome->status);
        return cd_step_take_values(arena, bodies, diag);
    case CD_STEP_GO_FREE:
        decision->reason = cd_arena_printf(arena, "unsolved (%s): moved without contact", outcome->status);
        return CD_OK;
    case CD_STEP_STAND:
        for (int32_t i = 0; i < in->body.count; i++)
            if (cd_body_is_moved(in, i))
                bodies->nu[i] = (cd_step_velocity){{0}};
        decision->reason = cd_arena_printf(arena, "unsolved (%s): held in place", outcome->status);
        return CD_OK;
    case CD_STEP_HALVE:
        if (!cd_step_can_halve(in))
            return cd_fail(diag, CD_ERR_NUMERIC, "solution: %s: still not solved with a step of %g s, halved %d times",
                           outcome->status, bodies->step, cd_step_level(in));
        decision->accept = decision->has_next = false;
        decision->step = bodies->step / 2;
        decision->reason = cd_arena_printf(arena, "unsolved (%s): step halved", outcome->status);
        return CD_OK;
    case CD_STEP_STOP:
        break;
    }
    return cd_fail(diag, CD_ERR_NUMERIC,
                   "solution: %s: the complementarity problem was not solved (--on-unsolved says what to do then)",
                   outcome->status);
}

static void write_wishes(cd_arena *arena, int dim, const cd_step_decision *decision, int32_t round,
                         cd_verdict_rows *verdict)
{
    if (!isnan(decision->step))
        CD_COLUMN(arena, dim, verdict, verdict, step)[0] = decision->step;
    if (decision->contacts)
        CD_COLUMN(arena, dim, verdict, verdict, contacts)[0] = decision->contacts;
    if (decision->model)
        CD_COLUMN(arena, dim, verdict, verdict, model)[0] = decision->model;
    if (decision->facets != CD_ABSENT)
        CD_COLUMN(arena, dim, verdict, verdict, facets)[0] = decision->facets;
    if (decision->target != CD_ABSENT)
        CD_COLUMN(arena, dim, verdict, verdict, target)[0] = decision->target;
    if (decision->impact != CD_IMPACT_NONE)
        CD_COLUMN(arena, dim, verdict, verdict, impact)[0] = decision->impact;
    if (decision->residual > 0)
        CD_COLUMN(arena, dim, verdict, verdict, residual)[0] = decision->residual;
    if (decision->begins_attempt)
        CD_COLUMN(arena, dim, verdict, verdict, first_round)[0] = round;
}

cd_status cd_step_write_verdict(cd_arena *arena, const cd_model *in, const cd_step_decision *decision, double next_step,
                                cd_verdict_rows *verdict, cd_diag *diag)
{
    double rest = cd_f64_or(in->frame.rest, 0, 0);
    int32_t round = cd_i32_or(in->frame.round, 0, 0);
    if (!decision->accept && round == INT32_MAX)
        return cd_fail(diag, CD_ERR_LIMIT, "frame: round: no number can follow it");
    round += !decision->accept;
    verdict->count = 1;
    CD_COLUMN(arena, in->dim, verdict, verdict, accept)[0] = decision->accept;
    CD_COLUMN(arena, in->dim, verdict, verdict, round)[0] = round;
    if (!decision->accept) {
        write_wishes(arena, in->dim, decision, round, verdict);
    } else {
        if (!isnan(next_step))
            CD_COLUMN(arena, in->dim, verdict, verdict, step)[0] = next_step;
        if (rest > 0)
            CD_COLUMN(arena, in->dim, verdict, verdict, rest)[0] = rest;
    }
    if (decision->reason)
        CD_COLUMN(arena, in->dim, verdict, verdict, reason)[0] = decision->reason;
    return CD_OK;
}
