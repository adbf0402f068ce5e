// cd-step -- the bodies at the end of the step. Reads: body, trial, row, value, solution, force, contact. Writes: next,
// verdict.
// SPDX-License-Identifier: MIT
#include "cd_filter.h"
#include "step_advance.h"
#include "step_integrator.h"
#include "step_metrics.h"

static struct options {
    double step;  // [s] of the next frame, NaN: as it was
    const char *on_unsolved, *integrator;
    int64_t rounds;
    bool advance, energy;
} opt = {.step = NAN, .integrator = "semi-implicit", .rounds = 1};

static const cd_option option_table[] = {
    CD_OPT_DOUBLE('s', "step", &opt.step, "TIME", 1e-300, 1e300,
                  "step of the next frame [s]; this frame's own step rules this frame"),
    CD_OPT_INT('r', "rounds", &opt.rounds, "N", 1, 1000,
               "rounds of trials until nothing overlaps at the step's end (default 1: no trial, no look at it; 8 is a "
               "good number)"),
    CD_OPT_CHOICE(0, "on-unsolved", &opt.on_unsolved, cd_step_policies,
                  "a problem without solution: exit 5 (default), move without contact, stand still, or retry with half "
                  "the step; with one round"),
    CD_OPT_CHOICE('i', "integrator", &opt.integrator, cd_step_integrator_names, "how the step moves the bodies"),
    CD_OPT_FLAG(0, "advance", &opt.advance, "write the following frame instead of this one: a chain without cd-loop"),
    CD_OPT_FLAG(0, "energy", &opt.energy, "metrics of kinetic and potential energy: at the step's end, and its change"),
    CD_OPT_END};

static const uint64_t needs = CD_BIT(head) | CD_BIT(element) | CD_BIT(frame) | CD_BIT(body) | CD_BIT(contact) |
                              CD_BIT(row) | CD_BIT(solution) | CD_BIT(value) | CD_BIT(force);
static const uint64_t needs_of_rounds = CD_BIT(shape) | CD_BIT(trial);

static uint64_t needs_of_integrator(void) { return cd_step_integrator_find(opt.integrator)->needs; }

static cd_status begin(cd_ctx *ctx)
{
    bool halves = cd_step_policy_of(opt.on_unsolved) == CD_STEP_HALVE;
    if (opt.advance && (halves || opt.rounds > 1))
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "%s repeats a frame, which needs cd-loop: not with --advance",
                       opt.rounds > 1 ? "--rounds" : "--on-unsolved halve");
    if (opt.rounds > 1 && opt.on_unsolved)
        return cd_fail(&ctx->diag, CD_ERR_USAGE,
                       "--on-unsolved: with --rounds an unsolved problem is tried again in "
                       "ways of its own (see cd-step(1))");
    ctx->needs |= needs_of_integrator() | (opt.rounds > 1 ? needs_of_rounds : 0);
    ctx->method = opt.rounds > 1 ? "rounds" : cd_step_policies[cd_step_policy_of(opt.on_unsolved)];
    return CD_OK;
}

static cd_status head(cd_ctx *ctx)
{
    if (opt.rounds == 1)
        return CD_OK;
    ctx->state = cd_arena_alloc(&ctx->run, sizeof(cd_leaves));
    return cd_leaves_make_prepared(&ctx->run, &ctx->in, ctx->refs, ctx->threads, ctx->state, &ctx->diag);
}

static cd_status each_frame(cd_ctx *ctx)
{
    cd_step_bodies bodies;
    cd_step_outcome outcome;
    cd_step_decision decision;
    cd_step_trial trial = {.alpha = 1};
    CD_TRY(cd_step_bodies_make(&ctx->arena, &ctx->in, cd_step_integrator_find(opt.integrator), &bodies, &ctx->diag));
    CD_TRY(cd_step_read_outcome(&ctx->in, &outcome, &ctx->diag));
    cd_step_gaps gaps = {&bodies, ctx->state, ctx->threads, &ctx->arena};
    cd_step_round round = {&bodies, &gaps, &outcome, (int)opt.rounds};
    if (opt.rounds > 1)
        CD_TRY(cd_step_judge(&ctx->arena, &round, &decision, &trial, &ctx->diag));
    else
        CD_TRY(
            cd_step_decide(&ctx->arena, &bodies, &outcome, cd_step_policy_of(opt.on_unsolved), &decision, &ctx->diag));
    if (decision.has_next)
        CD_TRY(cd_step_write_next(&ctx->arena, &bodies, decision.accept, &ctx->out.next, &ctx->diag));
    CD_TRY(cd_step_write_verdict(&ctx->arena, &ctx->in, &decision, opt.step, &ctx->out.verdict, &ctx->diag));
    cd_step_add_metrics(ctx, &bodies, &outcome, &decision, opt.rounds > 1 ? &trial : NULL, opt.energy);
    return CD_OK;
}

static cd_status run(cd_ctx *ctx)
{
    return opt.advance ? cd_step_advance_run(ctx, needs | needs_of_integrator(), each_frame) : cd_filter_loop(ctx);
}

int main(int argc, char **argv)
{
    return cd_filter_main(argc, argv,
                          &(cd_filter){.name = "cd-step",
                                       .summary = "Move the bodies to the end of the step and say what becomes of it.",
                                       .help = cd_step_print_integrators,
                                       .options = option_table,
                                       .needs = needs,
                                       .writes = CD_BIT(next) | CD_BIT(verdict) | CD_BIT(metric),
                                       .begin = begin,
                                       .head = head,
                                       .each_frame = each_frame,
                                       .run = run});
}
