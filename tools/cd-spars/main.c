// cd-spars -- fewer contacts: leaves out those that are small beside an adjacent one or close to another one.
// Reads: head, shape, frame, body, contact. Writes: contact, metric.
// SPDX-License-Identifier: MIT
#include "cd_filter.h"
#include "spars_stage.h"

static cd_spars_options opt = {.rule = {.threshold = 0.01, .minarea = 0, .mindist = NAN}};

static const cd_option option_table[] = {
    CD_OPT_DOUBLE(0, "threshold", &opt.rule.threshold, "RATIO", 0, 1,
                  "least area beside an adjacent contact, as a part of its area"),
    CD_OPT_DOUBLE(0, "minarea", &opt.rule.minarea, "AREA", 0, 1e300, "least area [m^2], in 2-D [m]"),
    CD_OPT_DOUBLE(0, "mindist", &opt.rule.mindist, "LENGTH", 0, 1e300,
                  "least distance of contacts of a body, instead of the stream's geometric epsilon [m]"),
    CD_OPT_FLAG(0, "keep-deleted", &opt.keep_deleted, "keep deleted contacts, with status deleted"),
    CD_OPT_FLAG(0, "new-only", &opt.new_only,
                "delete no contact that was kept in the step before: results depend on history"),
    CD_OPT_END,
};

static cd_status begin(cd_ctx *ctx)
{
    cd_spars_stage *stage = cd_arena_zalloc(&ctx->run, sizeof *stage);
    stage->options = &opt;
    stage->history = cd_arena_zalloc(&ctx->run, sizeof *stage->history);
    ctx->state = stage;
    return CD_OK;
}

static cd_status head(cd_ctx *ctx)
{
    cd_spars_stage *stage = ctx->state;
    if (isnan(opt.rule.mindist) && isnan(cd_f64_or(ctx->in.head.epsilon, 0, NAN)))
        CD_TRY(cd_leaves_make(&ctx->run, &ctx->in, ctx->refs, &stage->shapes, &ctx->diag));
    return cd_adjacency_make(&ctx->run, &ctx->in, ctx->refs, &stage->adjacency, &ctx->diag);
}

static cd_status each_frame(cd_ctx *ctx)
{
    cd_spars_counts counts;
    CD_TRY(cd_spars_frame(&ctx->arena, ctx->state, &ctx->in, &ctx->out.contact, &counts, &ctx->diag));
    cd_add_metric(ctx, "contacts", counts.verdict[CD_SPARS_KEPT], -1, -1);
    cd_add_metric(ctx, "deleted-minarea", counts.verdict[CD_SPARS_DELETED_MINAREA], -1, -1);
    cd_add_metric(ctx, "deleted-area", counts.verdict[CD_SPARS_DELETED_AREA], -1, -1);
    cd_add_metric(ctx, "deleted-distance", counts.verdict[CD_SPARS_DELETED_DISTANCE], -1, -1);
    cd_add_metric(ctx, "freed", counts.freed, -1, -1);
    ctx->is_pure = !opt.new_only;
    return CD_OK;
}

static void close_history(cd_ctx *ctx) { cd_spars_history_release(((cd_spars_stage *)ctx->state)->history); }

int main(int argc, char **argv)
{
    return cd_filter_main(argc, argv,
                          &(cd_filter){
                              .name = "cd-spars",
                              .summary = "leave out contacts that others make superfluous",
                              .example = "cd-scene pile.yaml | cd-broad | cd-narrow --contacts volume | cd-spars | "
                                         "cd-view --table --type contact",
                              .options = option_table,
                              .needs = CD_BIT(head) | CD_BIT(shape) | CD_BIT(frame) | CD_BIT(body) | CD_BIT(contact),
                              .lives_on = CD_BIT(contact),
                              .writes = CD_BIT(contact) | CD_BIT(metric),
                              .begin = begin,
                              .head = head,
                              .each_frame = each_frame,
                              .close = close_history,
                          });
}
