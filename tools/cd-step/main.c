// cd-step -- the bodies at the end of the step. Reads: body, trial, impulse, row, value, solution, force, contact.
// Writes: force, next, next_node, verdict.
// SPDX-License-Identifier: MIT
#include "step_advance.h"
#include "step_stage.h"

static cd_step_options opt = {NAN, "accept", "semi-implicit", CD_STEP_REST, .bounces = CD_STEP_BOUNCES};

static const cd_option option_table[] = {
    CD_OPT_DOUBLE('s', "step", &opt.step, "TIME", 1e-300, 1e300,
                  "step of the next frame [s]; this frame's own step rules this frame"),
    CD_OPT_INT('r', "rounds", &opt.rounds, "N", 0, 1000,
               "rounds of trials until nothing overlaps at the step's end; 1: no look at it; 0: 8, or 1 where none can "
               "follow"),
    CD_OPT_CHOICE(
        0, "on-unsolved", &opt.on_unsolved, cd_step_policies,
        "a problem without solution: take impulses that come near, else exit 5; or in one round: exit 5, move "
        "without contact, stand still, halve the step"),
    CD_OPT_DOUBLE(0, "rest", &opt.rest, "RATIO", 0, 1,
                  "bodies that touch what is held, all slower than this part of the speed that loads give in a step, "
                  "rest: they stay where they are; 0: none"),
    CD_OPT_INT(0, "bounces", &opt.bounces, "N", 0, CD_STEP_BOUNCES_MOST,
               "follow up to N pairs of a step that bounce to where they meet; 0: they bounce at its end"),
    CD_OPT_CHOICE('i', "integrator", &opt.integrator, cd_step_integrator_names, "how the step moves the bodies"),
    CD_OPT_FLAG(0, "advance", &opt.advance, "write the following frame instead of this one: a chain without cd-loop"),
    CD_OPT_FLAG(0, "energy", &opt.energy, "metrics of kinetic and potential energy: at the step's end, and its change"),
    CD_OPT_END};

static const uint64_t needs = CD_BIT(head) | CD_BIT(material) | CD_BIT(interaction) | CD_BIT(element) | CD_BIT(frame) |
                              CD_BIT(body) | CD_BIT(contact) | CD_BIT(row) | CD_BIT(entry) | CD_BIT(solution) |
                              CD_BIT(value) | CD_BIT(force);
static const uint64_t needs_of_rounds = CD_BIT(shape) | CD_BIT(trial) | CD_BIT(impulse);

static const uint64_t needs_of_explicit = CD_BIT(node) | CD_BIT(nodal_force) | CD_BIT(metric);

// What no step looks at is not copied out of the stream.
static void leave_unread(cd_ctx *ctx)
{
    ctx->unread[CD_REC_contact] = CD_FIELD_BIT(contact, point_a) | CD_FIELD_BIT(contact, point_b) |
                                  CD_FIELD_BIT(contact, area) | CD_FIELD_BIT(contact, surfaces) |
                                  CD_FIELD_BIT(contact, applicability) | CD_FIELD_BIT(contact, feasible) |
                                  CD_FIELD_BIT(contact, potential) | CD_FIELD_BIT(contact, lambda);
    ctx->unread[CD_REC_row] =
        CD_FIELD_BIT(row, constraint) | CD_FIELD_BIT(row, lower) | CD_FIELD_BIT(row, upper) | CD_FIELD_BIT(row, mu);
    ctx->unread[CD_REC_value] = CD_FIELD_BIT(value, w);
}

static uint64_t needs_of_integrator(void) { return cd_step_integrator_find(opt.integrator)->needs; }

static cd_status begin(cd_ctx *ctx)
{
    cd_step_stage *stage = ctx->state = cd_arena_zalloc(&ctx->run, sizeof *stage);
    CD_TRY(cd_step_stage_open(&opt, stage, &ctx->diag));
    ctx->needs |= needs_of_integrator() | (stage->rounds > 1 ? needs_of_rounds : 0);
    if (!(cd_step_integrator_find(opt.integrator)->needs & CD_BIT(value))) {
        ctx->needs |= needs_of_explicit;
        ctx->writes &= ~CD_BIT(force);  // those that act pass
    }
    leave_unread(ctx);
    ctx->method = stage->rounds > 1 ? "rounds" : opt.on_unsolved;
    return CD_OK;
}

static cd_status head(cd_ctx *ctx)
{
    cd_step_stage *stage = ctx->state;
    CD_TRY(cd_step_stage_head(stage, &ctx->run, &ctx->in, &ctx->diag));
    if (stage->rounds == 1)
        return CD_OK;
    return cd_leaves_make_prepared(&ctx->run, &ctx->in, ctx->refs, ctx->threads, &stage->shapes, &ctx->diag);
}

static cd_status each_frame(cd_ctx *ctx) { return cd_step_stage_frame(ctx, ctx->state); }

static cd_status finish(cd_ctx *ctx) { return ctx->state ? cd_step_stage_finish(ctx, ctx->state) : CD_OK; }

static cd_status run(cd_ctx *ctx)
{
    return opt.advance ? cd_step_advance_run(ctx, ctx->needs, each_frame) : cd_filter_loop(ctx);
}

int main(int argc, char **argv)
{
    return cd_filter_main(
        argc, argv,
        &(cd_filter){.name = "cd-step",
                     .summary = "Move the bodies to the end of the step and say what becomes of it.",
                     .help = cd_step_print_integrators,
                     .example = "cd-scene pile.yaml | cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step | "
                                "cd-view --table --type next",
                     .options = option_table,
                     .needs = needs,
                     .writes = CD_BIT(force) | CD_BIT(next) | CD_BIT(next_node) | CD_BIT(verdict) | CD_BIT(metric),
                     .begin = begin,
                     .head = head,
                     .each_frame = each_frame,
                     .finish = finish,
                     .run = run});
}
