// cd-narrow -- contacts of candidate pairs. Reads: head, shape, frame, body, trial, pair. Writes: contact, metric.
// SPDX-License-Identifier: MIT
#include "cd_filter.h"
#include "narrow_known.h"
#include "narrow_overlap.h"

static cd_narrow_options opt = {.contacts = "auto", .reach = NAN, .epsilon = NAN, .intersection = "auto"};

static const cd_option option_table[] = {
    CD_OPT_CHOICE(0, "contacts", &opt.contacts, cd_narrow_mode_names, "what is found; a frame's wish overrides it"),
    CD_OPT_DOUBLE(0, "reach", &opt.reach, "LENGTH", 0, 1e300, "instead of the stream's or the automatic reach [m]"),
    CD_OPT_DOUBLE(0, "epsilon", &opt.epsilon, "LENGTH", 0, 1e300, "instead of the stream's geometric epsilon [m]"),
    CD_OPT_CHOICE(0, "intersection", &opt.intersection, cd_narrow_intersection_names,
                  "how polyhedra are intersected; auto is clip"),
    CD_OPT_FLAG(0, "keep-rejected", &opt.keep_rejected,
                "keep ill-conditioned area and volume contacts, with status outside"),
    CD_OPT_END,
};

static const char *ways_of(bool is_closed_form, bool has_features)
{
    return is_closed_form ? "closed form" : has_features ? "features, distance, depth, volume" : "distance, depth";
}

static void print_tables(cd_buffer *out)
{
    cd_buffer_text(out, "Ways of finding contacts:\n");
    for (const cd_narrow_mode *mode = cd_narrow_modes; mode->name; mode++)
        cd_buffer_printf(out, "  %-11s %s\n", mode->name, mode->summary);
    cd_buffer_text(out, "  auto        what the model of the run wants: features, or separating where none is named\n");
    cd_buffer_text(out, "Shape pairs of the plane (boxes are polygons, spheres circles, compounds go part by part):\n");
    for (int i = 0; cd_pairs2[i]; i++)
        cd_buffer_printf(out, "  %-18s %s\n", cd_pairs2[i]->name,
                         ways_of(cd_pairs2[i]->is_closed_form, cd_pairs2[i]->has_features));
    cd_buffer_text(out, "Shape pairs of space (boxes are polyhedra):\n");
    for (int i = 0; cd_pairs3[i]; i++)
        cd_buffer_printf(out, "  %-21s %s\n", cd_pairs3[i]->name,
                         ways_of(cd_pairs3[i]->is_closed_form, cd_pairs3[i]->has_features));
}

static cd_status head(cd_ctx *ctx)
{
    cd_narrow_stage *stage = cd_arena_zalloc(&ctx->run, sizeof *stage);
    stage->options = &opt;
    stage->threads = ctx->threads;
    stage->memory = cd_arena_zalloc(&ctx->run, sizeof *stage->memory);
    ctx->state = stage;
    return cd_leaves_make_prepared(&ctx->run, &ctx->in, ctx->refs, ctx->threads, &stage->shapes, &ctx->diag);
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
    return CD_OK;
}

static void close_run(cd_ctx *ctx)
{
    cd_narrow_stage *stage = ctx->state;
    if (stage)
        cd_narrow_forget(stage->memory);
}

int main(int argc, char **argv)
{
    return cd_filter_main(argc, argv,
                          &(cd_filter){
                              .name = "cd-narrow",
                              .summary = "find the contacts of candidate pairs",
                              .help = print_tables,
                              .options = option_table,
                              .needs = CD_BIT(head) | CD_BIT(shape) | CD_BIT(element) | CD_BIT(frame) | CD_BIT(body) |
                                       CD_BIT(trial) | CD_BIT(pair),
                              .writes = CD_BIT(contact) | CD_BIT(metric),
                              .head = head,
                              .open_frame = open_frame,
                              .each_frame = each_frame,
                              .close = close_run,
                          });
}
