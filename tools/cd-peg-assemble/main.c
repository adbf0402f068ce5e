// cd-peg-assemble -- the rows of a time step. Reads: body, contact, shape, interaction. Writes: constraint, row, entry,
// metric.
// SPDX-License-Identifier: MIT
#include "cd_filter.h"
#include "peg_options.h"

static cd_peg_options opt = CD_PEG_DEFAULTS;

static const cd_option option_table[] = {CD_PEG_OPTION_LINES(opt), CD_OPT_END};

static cd_status begin(cd_ctx *ctx)
{
    cd_peg_stage *stage = ctx->state = cd_arena_zalloc(&ctx->run, sizeof *stage);
    ctx->method = opt.model;
    return cd_peg_stage_open(&ctx->run, &opt, stage, &ctx->diag);
}

static cd_status head(cd_ctx *ctx)
{
    cd_peg_stage *stage = ctx->state;
    CD_TRY(cd_interactions_make(&ctx->run, &ctx->in, &stage->interactions, &ctx->diag));
    return cd_peg_shapes_make(&ctx->run, &ctx->in, ctx->refs, &stage->shapes, &ctx->diag);
}

static cd_status each_frame(cd_ctx *ctx)
{
    cd_peg_metrics metrics;
    cd_peg_stage *stage = ctx->state;
    if (!stage->has_groups && ctx->in.body.count > 0)
        CD_TRY(cd_peg_mu_rules_check(&stage->mu, ctx->in.body.group, ctx->in.body.count, &ctx->diag));
    stage->has_groups |= ctx->in.body.count > 0;
    CD_TRY(cd_peg_stage_frame(stage, &ctx->arena, &ctx->in, &ctx->out, &metrics, &ctx->diag));
    if (metrics.leaves_out_friction && !stage->has_warned)
        cd_warn(ctx, "--friction off: bodies in contact have mu, rolling or spinning above 0, which is not used");
    stage->has_warned |= metrics.leaves_out_friction;
    for (int32_t i = 0; i < metrics.count; i++)
        cd_add_metric(ctx, metrics.name[i], metrics.value[i], -1, -1);
    ctx->is_pure = true;
    return CD_OK;
}

int main(int argc, char **argv)
{
    static const uint64_t needs = CD_BIT(head) | CD_BIT(shape) | CD_BIT(material) | CD_BIT(interaction) |
                                  CD_BIT(element) | CD_BIT(frame) | CD_BIT(body) | CD_BIT(trial) | CD_BIT(contact);
    return cd_filter_main(
        argc, argv,
        &(cd_filter){
            .name = "cd-peg-assemble",
            .summary = "Turn contacts into constraints of a contact model and its complementarity problem.",
            .help = cd_peg_help,
            .example =
                "cd-scene pile.yaml | cd-broad | cd-narrow | cd-peg-assemble | cd-view --table --type constraint",
            .options = option_table,
            .needs = needs,
            .lives_on = CD_BIT(contact),
            .writes = CD_BIT(constraint) | CD_BIT(row) | CD_BIT(entry) | CD_BIT(metric),
            .begin = begin,
            .head = head,
            .each_frame = each_frame});
}
