// cd-step -- the bodies at the end of the step. Reads: body, row, value, solution, force. Writes: next, verdict.
// SPDX-License-Identifier: MIT
#include "cd_filter.h"
#include "step_advance.h"
#include "step_motion.h"
#include "step_verdict.h"

static const char *const policies[] = {"stop", "free", "hold", "halve", NULL};  // the order of cd_step_policy

static struct options {
    double step;  // [s] of the next frame, NaN: as it was
    const char *on_unsolved;
    bool advance;
} opt = {.step = NAN, .on_unsolved = "stop"};

static const cd_option options[] = {
    CD_OPT_DOUBLE('s', "step", &opt.step, "TIME", 1e-300, 1e300,
                  "step of the next frame [s]; this frame's own step rules this frame"),
    CD_OPT_CHOICE(0, "on-unsolved", &opt.on_unsolved, policies,
                  "a problem without solution: exit 5, move without contact, stand still, or retry with half the step"),
    CD_OPT_FLAG(0, "advance", &opt.advance, "write the following frame instead of this one: a chain without cd-loop"),
    CD_OPT_END};

static const uint64_t needs = CD_BIT(head) | CD_BIT(frame) | CD_BIT(body) | CD_BIT(contact) | CD_BIT(row) |
                              CD_BIT(solution) | CD_BIT(value) | CD_BIT(force);

static cd_step_policy policy(void)
{
    int index = 0;
    while (opt.on_unsolved != policies[index])
        index++;
    return (cd_step_policy)index;
}

static cd_status begin(cd_ctx *ctx)
{
    if (opt.advance && policy() == CD_STEP_HALVE)
        return cd_fail(&ctx->diag, CD_ERR_USAGE,
                       "--on-unsolved halve repeats a frame, which needs cd-loop: not with --advance");
    ctx->method = opt.on_unsolved;
    return CD_OK;
}

static cd_status each_frame(cd_ctx *ctx)
{
    if (ctx->in.dim != 2)
        return cd_fail(&ctx->diag, CD_ERR_UNSUPPORTED, "head: dim: %d: bodies are moved in the plane only",
                       ctx->in.dim);
    cd_step_outcome outcome;
    cd_step_decision decision;
    CD_TRY(cd_step_read_outcome(&ctx->in, &outcome, &ctx->diag));
    CD_TRY(cd_step_decide(&ctx->arena, &ctx->in, &outcome, policy(), &decision, &ctx->diag));
    if (decision.accept)
        CD_TRY(cd_step_move2(&ctx->arena, &ctx->in, decision.source, &ctx->out.next, &ctx->diag));
    cd_step_write_verdict(&ctx->arena, &ctx->in, &decision, opt.step, &ctx->out.verdict);
    if (!outcome.is_solved)
        cd_add_metric(ctx, "unsolved", 1, -1, -1);
    return CD_OK;
}

static cd_status run(cd_ctx *ctx)
{
    return opt.advance ? cd_step_advance_run(ctx, needs, each_frame) : cd_filter_loop(ctx);
}

int main(int argc, char **argv)
{
    return cd_filter_main(argc, argv, &(cd_filter){
        .name = "cd-step",
        .summary = "Move the bodies to the end of the step and say what becomes of it.",
        .options = options,
        .needs = needs,
        .writes = CD_BIT(next) | CD_BIT(verdict) | CD_BIT(metric),
        .begin = begin,
        .each_frame = each_frame,
        .run = run});
}
