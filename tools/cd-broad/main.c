// cd-broad -- candidate pairs: parts whose boxes overlap. Reads: head, shape, element, frame, body, node,
// trial (bounds). Writes: bounds, pair.
// SPDX-License-Identifier: MIT
#include "broad_stage.h"
#include "cd_filter.h"

static cd_broad_options opt = {
    .method = "auto", .reach = NAN, .cell = "auto", .vector = "avx512", .overlap = "box", .bounds = "all"};

static const cd_option option_table[] = {
    CD_OPT_CHOICE('m', "method", &opt.method, cd_broad_method_names, "how pairs are found; all find the same"),
    CD_OPT_CHOICE(0, "overlap", &opt.overlap, cd_broad_overlap_names, "what overlaps: boxes, or boxes and balls too"),
    CD_OPT_DOUBLE(0, "margin", &opt.margin, "LENGTH", 0, 1e300, "grow boxes by this beyond half the reach [m]"),
    CD_OPT_DOUBLE(0, "reach", &opt.reach, "LENGTH", 0, 1e300, "instead of the stream's or the automatic reach [m]"),
    CD_OPT_TEXT(0, "group", &opt.group, "A:B", "only pairs of a body of group A and a body of group B"),
    CD_OPT_CHOICE(0, "bounds", &opt.bounds, cd_broad_bounds_names, "whose boxes are written"),
    CD_OPT_FLAG(0, "use-bounds", &opt.use_bounds, "take the stream's own bounds as they are"),
    CD_OPT_FLAG(0, "no-sweep", &opt.no_sweep, "boxes of the start poses alone, not of the motion over the step"),
    CD_OPT_TEXT(0, "cell", &opt.cell, "LENGTH", "edge of the cells of methods that have cells [m]; auto: their choice"),
    CD_OPT_INT(0, "cutoff", &opt.cutoff, "N", 0, 1e9, "hybrid: fewer boxes are compared all with all; 0: its own"),
    CD_OPT_CHOICE(0, "vector", &opt.vector, cd_broad_vector_names, "widest vector instructions to use"),
    CD_OPT_END,
};

static void print_methods(cd_buffer *out)
{
    cd_buffer_text(out, "Methods (memory: bytes a box beyond boxes and pairs):\n");
    for (int i = 0; cd_broad_methods[i]; i++) {
        const cd_broad_method *m = cd_broad_methods[i];
        cd_buffer_printf(out, "  %-20s %s\n      cost    %s\n      memory  %s\n      source  %s\n", m->name, m->summary,
                         m->cost, m->memory, m->source);
    }
    cd_buffer_text(out,
                   "The method auto takes the fastest of them for the boxes at hand; --stats says which, and why.\n");
}

static cd_status begin(cd_ctx *ctx)
{
    CD_TRY(cd_broad_check_options(&opt, &ctx->diag));
    cd_broad_stage *stage = cd_arena_zalloc(&ctx->run, sizeof *stage);
    stage->options = &opt;
    stage->engine = cd_broad_engine_new(cd_broad_tuning_of(&opt, ctx->threads), ctx->limits.rows);
    ctx->state = stage;
    if (opt.use_bounds) {  // ids and bounds are enough; the bounds go by as they are
        ctx->needs = CD_BIT(head) | CD_BIT(frame) | CD_BIT(body) | CD_BIT(bounds);
        ctx->plain = CD_BIT(body);
        ctx->writes = CD_BIT(pair);
    }
    return CD_OK;
}

static cd_status head(cd_ctx *ctx)
{
    cd_broad_stage *stage = ctx->state;
    if (opt.use_bounds)
        return CD_OK;
    stage->parts.refs = ctx->refs;
    CD_TRY(cd_leaves_make(&ctx->run, &ctx->in, ctx->refs, &stage->parts.leaves, &ctx->diag));
    return cd_elements_make(&ctx->run, &ctx->in, &stage->parts.elements, &ctx->diag);
}

static cd_status each_frame(cd_ctx *ctx)
{
    cd_broad_stage *stage = ctx->state;
    cd_broad_ran ran = {NULL, NULL};
    if (ctx->repetition > 0)
        cd_broad_engine_repeat(stage->engine);
    cd_status status =
        cd_broad_frame(&ctx->arena, stage, &ctx->in, &ctx->out.bounds, &ctx->parts[CD_REC_pair], &ran, &ctx->diag);
    ctx->method = ran.method;
    ctx->why = ran.why;
    ctx->is_pure = true;
    return status;
}

static cd_status finish(cd_ctx *ctx) { return cd_broad_check_groups(ctx->state, &ctx->in.prog, &ctx->diag); }

static void release(cd_ctx *ctx) { cd_broad_stage_release(ctx->state); }

int main(int argc, char **argv)
{
    return cd_filter_main(argc, argv,
                          &(cd_filter){
                              .name = "cd-broad",
                              .summary = "list pairs of parts whose bounds overlap",
                              .help = print_methods,
                              .example = "cd-scene pile.yaml | cd-broad | cd-view --table --type bounds,pair",
                              .options = option_table,
                              .needs = CD_BIT(head) | CD_BIT(shape) | CD_BIT(element) | CD_BIT(frame) | CD_BIT(body) |
                                       CD_BIT(node) | CD_BIT(trial),
                              .writes = CD_BIT(bounds) | CD_BIT(pair),
                              .begin = begin,
                              .head = head,
                              .each_frame = each_frame,
                              .finish = finish,
                              .close = release,
                          });
}
