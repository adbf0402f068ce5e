// cd-narrow -- contacts of candidate pairs. Reads: head, shape, frame, body, trial, pair. Writes: contact, metric.
// SPDX-License-Identifier: MIT
#include "cd_filter.h"
#include "narrow_ellipsoids.h"
#include "narrow_known.h"
#include "narrow_overlap.h"
#include "narrow_pinball.h"
#include "narrow_surface_report.h"

static cd_narrow_options opt = {.contacts = "auto",
                                .reach = NAN,
                                .epsilon = NAN,
                                .intersection = "auto",
                                .pinball_normal = "centre",
                                .smooth_edges = "exact",
                                .side = "both",
                                .crease = 0.5235987755982988};

static const cd_option option_table[] = {
    CD_OPT_CHOICE(0, "contacts", &opt.contacts, cd_narrow_mode_names, "what is found; a frame's wish overrides it"),
    CD_OPT_DOUBLE(0, "reach", &opt.reach, "LENGTH", 0, 1e300, "instead of the stream's or the automatic reach [m]"),
    CD_OPT_DOUBLE(0, "epsilon", &opt.epsilon, "LENGTH", 0, 1e300, "instead of the stream's geometric epsilon [m]"),
    CD_OPT_CHOICE(0, "intersection", &opt.intersection, cd_narrow_intersection_names,
                  "how polyhedra are intersected; auto is clip"),
    CD_OPT_CHOICE(0, "smooth-edges", &opt.smooth_edges, cd_narrow_smoothing_names,
                  "of surfaces of facets: which contacts a body has with all triangles together"),
    CD_OPT_DOUBLE(0, "crease", &opt.crease, "ANGLE", 0, 3.141592653589793,
                  "edges up to it are shallow for --smooth-edges smooth [rad]"),
    CD_OPT_DOUBLE(0, "weld", &opt.weld, "LENGTH", 0, 1e300, "vertices of a surface that near are one [m]"),
    CD_OPT_CHOICE(0, "side", &opt.side, cd_narrow_side_names, "of surfaces that has contacts"),
    CD_OPT_CHOICE(0, "pinball-normal", &opt.pinball_normal, cd_narrow_pinball_normals, "of pinballs"),
    CD_OPT_FLAG(0, "keep-rejected", &opt.keep_rejected,
                "keep ill-conditioned area and volume contacts, with status outside"),
    CD_OPT_FLAG(0, "true-gap", &opt.true_gap,
                "potential contacts of two ellipsoids by their signed distance, not by the Perram-Wertham gap"),
    CD_OPT_FLAG(0, "warm", &opt.warm, "two ellipsoids from the lambda that they had in the frame before"),
    CD_OPT_END,
};

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
    if (counts.mode->has_rejected)
        cd_add_metric(ctx, "rejected", counts.rejected, -1, -1);
    cd_narrow_surfaces_report(ctx, stage, &counts);
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
                              .options = option_table,
                              .needs = CD_BIT(head) | CD_BIT(shape) | CD_BIT(element) | CD_BIT(frame) | CD_BIT(body) |
                                       CD_BIT(node) | CD_BIT(trial) | CD_BIT(pair),
                              .writes = CD_BIT(contact) | CD_BIT(metric),
                              .head = head,
                              .open_frame = open_frame,
                              .each_frame = each_frame,
                              .close = close_run,
                          });
}
