// cd-narrow -- contacts of candidate pairs. Reads: head, shape, frame, body, trial, pair. Writes: contact, metric.
// SPDX-License-Identifier: MIT
#include "cd_filter.h"
#include "narrow_ellipsoids.h"
#include "narrow_known.h"
#include "narrow_options.h"
#include "narrow_overlap.h"
#include "narrow_pinball.h"
#include "narrow_surface_report.h"

static cd_narrow_options opt = CD_NARROW_DEFAULTS;

static const cd_option option_table[] = {CD_NARROW_OPTION_LINES(opt), CD_OPT_END};

static cd_status begin(cd_ctx *ctx) { return cd_narrow_check_options(&opt, &ctx->diag); }

static cd_status head(cd_ctx *ctx)
{
    cd_narrow_stage *stage = cd_arena_zalloc(&ctx->run, sizeof *stage);
    stage->options = &opt;
    stage->threads = ctx->threads;
    stage->memory = cd_arena_zalloc(&ctx->run, sizeof *stage->memory);
    stage->lambdas = opt.warm ? cd_arena_zalloc(&ctx->run, sizeof *stage->lambdas) : NULL;
    stage->surfaces = cd_arena_zalloc(&ctx->run, sizeof *stage->surfaces);
    stage->refs = ctx->refs;
    ctx->state = stage;
    CD_TRY(cd_leaves_make_prepared(&ctx->run, &ctx->in, ctx->refs, ctx->threads, &stage->shapes, &ctx->diag));
    CD_TRY(cd_elements_make(&ctx->run, &ctx->in, &stage->elements, &ctx->diag));
    return cd_pinballs_make(&ctx->run, &ctx->in, &stage->elements, &stage->shapes, &stage->pinballs, &ctx->diag);
}

static cd_status open_frame(cd_ctx *ctx)
{
    ctx->unread[CD_REC_body] = cd_narrow_unread(&ctx->in, &opt);
    ctx->bare[CD_REC_body] = ~UINT64_C(0);  // beside `id` and `shape`, bodies are looked at through cd_bodies.h
    return CD_OK;
}

static cd_status each_frame(cd_ctx *ctx)
{
    cd_narrow_stage *stage = ctx->state;
    cd_narrow_counts counts;
    CD_TRY(cd_narrow_frame(&ctx->arena, ctx->state, &ctx->in, &ctx->out.contact, &counts, &ctx->diag));
    ctx->method = counts.mode->name;
    if (!stage->has_begun && counts.mode->pushes_overlaps && !ctx->quiet)
        CD_TRY(cd_narrow_overlaps_warn(ctx, stage));
    stage->has_begun = true;
    cd_add_metric(ctx, "contacts", counts.contacts, -1, -1);
    cd_add_metric(ctx, "reach", counts.reach, -1, -1);
    ctx->reach = fmax(ctx->reach, counts.reach);
    if (counts.mode->has_rejected)
        cd_add_metric(ctx, "rejected", counts.rejected, -1, -1);
    cd_narrow_surfaces_report(ctx, stage, &counts);
    ctx->is_pure = !opt.warm;
    return CD_OK;
}

static void close_run(cd_ctx *ctx) { cd_narrow_close(ctx->state); }

int main(int argc, char **argv)
{
    return cd_filter_main(argc, argv,
                          &(cd_filter){
                              .name = "cd-narrow",
                              .summary = "find the contacts of candidate pairs",
                              .help = cd_narrow_print_tables,
                              .example = "cd-scene pile.yaml | cd-broad | cd-narrow | cd-view --table --type contact",
                              .options = option_table,
                              .needs = CD_BIT(head) | CD_BIT(shape) | CD_BIT(element) | CD_BIT(frame) | CD_BIT(body) |
                                       CD_BIT(node) | CD_BIT(trial) | CD_BIT(pair),
                              .lives_on = CD_BIT(pair),
                              .writes = CD_BIT(contact) | CD_BIT(metric),
                              .begin = begin,
                              .head = head,
                              .open_frame = open_frame,
                              .each_frame = each_frame,
                              .close = close_run,
                          });
}
