// cd-penalty -- the forces of contacts that overlap. Reads: head, shape, material, interaction, element, frame, body,
// node, spring, contact. Writes: force, nodal_force, metric.
// SPDX-License-Identifier: MIT
#include "cd_filter.h"
#include "penalty_stage.h"

#include <inttypes.h>

static cd_penalty_options opt = CD_PENALTY_DEFAULTS;

static const cd_option option_table[] = {
    CD_OPT_DOUBLE('k', "stiffness", &opt.stiffness, "K", 1e-300, 1e300,
                  "force over penetration [N/m] of every contact, instead of that of the materials"),
    CD_OPT_DOUBLE(0, "beta", &opt.beta, "BETA", 1e-300, 1e300,
                  "stiffness of balls by bulk moduli, BETA/2 (B1 R1 + B2 R2) [1]; without --stiffness 1"),
    CD_OPT_DOUBLE('c', "damping", &opt.damping, "C", 0, 1e300, "force over the speed of approach [N s/m]"),
    CD_OPT_DOUBLE(0, "damping-ratio", &opt.damping_ratio, "RATIO", 0, 1e300,
                  "instead: damping as a part of critical damping [1]"),
    CD_OPT_CHOICE(0, "friction", &opt.friction, cd_penalty_friction_words,
                  "below Coulomb's limit: springs that hold, or a drag under which what rests on a slope creeps"),
    CD_OPT_DOUBLE(0, "tangential-stiffness", &opt.shear, "K", 1e-300, 1e300,
                  "force over displacement of the springs of friction [N/m]"),
    CD_OPT_DOUBLE(0, "tangential-ratio", &opt.shear_ratio, "RATIO", 1e-300, 1e300,
                  "instead: as a part of the stiffness along the normal [1]; not given: 2/7"),
    CD_OPT_DOUBLE(0, "tangential-damping", &opt.tangential, "C", 0, 1e300,
                  "friction over slip below Coulomb's limit [N s/m]; not given: of springs the part of critical "
                  "damping that is there along the normal, else sqrt(stiffness * mass moved)"),
    CD_OPT_FLAG(0, "rate-gate", &opt.is_gated, "push only while the penetration grows"),
    CD_OPT_CHOICE(0, "axial", &opt.axial, cd_penalty_axial_words,
                  "rings: stiffness by moduli, and --stiffness, are of the whole ring, or of a radian of it"),
    CD_OPT_CHOICE(0, "unstable", &opt.unstable, cd_penalty_unstable_words,
                  "a frame whose step is above the stable one: a warning once a run, or exit 5"),
    CD_OPT_END};

static cd_status begin(cd_ctx *ctx)
{
    cd_penalty_stage *stage = ctx->state = cd_arena_zalloc(&ctx->run, sizeof *stage);
    return cd_penalty_stage_open(&opt, stage, &ctx->diag);
}

static cd_status head(cd_ctx *ctx)
{
    cd_penalty_stage *stage = ctx->state;
    stage->refs = ctx->refs;
    stage->threads = ctx->threads;
    return cd_penalty_stage_head(stage, &ctx->run, &ctx->in, &ctx->diag);
}

static cd_status check_step(cd_ctx *ctx, const cd_penalty_totals *totals)
{
    cd_penalty_stage *stage = ctx->state;
    double step = cd_f64_or(ctx->in.frame.step, 0, 0);
    if (step <= totals->stable_step || stage->has_warned)
        return CD_OK;
    stage->has_warned = !strcmp(opt.unstable, "warn");
    const char *text = cd_arena_printf(&ctx->arena,
                                       "a step of %g s is above the stable step of %g s, which %s has: motion under "
                                       "these forces may grow without bound",
                                       step, totals->stable_step, totals->bound);
    if (!stage->has_warned)
        return cd_fail(&ctx->diag, CD_ERR_NUMERIC, "%s", text);
    cd_warn(ctx, "frame %" PRId64 ": %s", ctx->in.frame.index[0], text);
    return CD_OK;
}

static cd_status each_frame(cd_ctx *ctx)
{
    cd_penalty_totals totals;
    CD_TRY(cd_penalty_frame(&ctx->arena, ctx->state, &ctx->in, &ctx->out, &totals, &ctx->diag));
    cd_add_metric(ctx, "contacts", totals.contacts, -1, -1);
    cd_add_metric(ctx, "penetration", totals.penetration, -1, -1);
    cd_add_metric(ctx, "contact-energy", totals.energy, -1, -1);
    cd_add_metric(ctx, "dissipation", totals.loss, -1, -1);
    if (isfinite(totals.stable_step))
        cd_add_metric(ctx, "stable-step", totals.stable_step, -1, -1);
    return check_step(ctx, &totals);
}

int main(int argc, char **argv)
{
    return cd_filter_main(argc, argv,
                          &(cd_filter){.name = "cd-penalty",
                                       .summary = "Push bodies that overlap apart: forces by penetration.",
                                       .example = "cd-loop --until 0.1 pile.yaml -- 'cd-broad | cd-narrow --contacts "
                                                  "depth | cd-penalty -k 1e5 | cd-step -i central' > run.jsonl",
                                       .options = option_table,
                                       .needs = CD_BIT(head) | CD_BIT(shape) | CD_BIT(material) | CD_BIT(interaction) |
                                                CD_BIT(element) | CD_BIT(frame) | CD_BIT(body) | CD_BIT(node) |
                                                CD_BIT(spring) | CD_BIT(contact),
                                       .writes = CD_BIT(force) | CD_BIT(nodal_force) | CD_BIT(metric),
                                       .begin = begin,
                                       .head = head,
                                       .each_frame = each_frame});
}
