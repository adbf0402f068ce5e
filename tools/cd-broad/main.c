// cd-broad -- candidate pairs: parts whose boxes overlap. Reads: head, shape, frame, body, trial (bounds). Writes:
// bounds, pair.
// SPDX-License-Identifier: MIT
#include "broad_stage.h"
#include "cd_filter.h"

static cd_broad_options options = {.method = "auto", .reach = NAN};

static const cd_option option_table[] = {
    CD_OPT_CHOICE('m', "method", &options.method, cd_broad_method_names, "how pairs are found; all find the same"),
    CD_OPT_DOUBLE(0, "margin", &options.margin, "LENGTH", 0, 1e300, "grow boxes by this beyond half the reach [m]"),
    CD_OPT_DOUBLE(0, "reach", &options.reach, "LENGTH", 0, 1e300, "instead of the stream's or the automatic reach [m]"),
    CD_OPT_TEXT(0, "group", &options.group, "A:B", "only pairs of a body of group A and a body of group B"),
    CD_OPT_FLAG(0, "use-bounds", &options.use_bounds, "take the stream's own bounds as they are"),
    CD_OPT_FLAG(0, "no-sweep", &options.no_sweep, "boxes of the start poses alone, not of the motion over the step"),
    CD_OPT_END,
};

static void print_methods(cd_buffer *out)
{
    cd_buffer_text(out, "Methods:\n");
    for (int i = 0; cd_broad_methods[i]; i++)
        cd_buffer_printf(out, "  %-8s %s (%s)\n", cd_broad_methods[i]->name, cd_broad_methods[i]->summary,
                         cd_broad_methods[i]->source);
}

static cd_status begin(cd_ctx *ctx)
{
    return cd_broad_check_options(&options, &ctx->diag);
}

// The head tables are complete when the first frame has come.
static cd_status each_frame(cd_ctx *ctx)
{
    cd_leaves2 *leaves = ctx->state;
    if (!leaves && !options.use_bounds) {
        leaves = cd_arena_alloc(&ctx->run, sizeof *leaves);
        CD_TRY(cd_leaves2_make(&ctx->run, &ctx->in, ctx->refs, leaves, &ctx->diag));
        ctx->state = leaves;
    }
    return cd_broad_frame(&ctx->arena, &ctx->in, leaves, &options, &ctx->out, &ctx->method, &ctx->diag);
}

int main(int argc, char **argv)
{
    return cd_filter_main(argc, argv,
                          &(cd_filter){
                              .name = "cd-broad",
                              .summary = "list pairs of parts whose bounds overlap",
                              .help = print_methods,
                              .options = option_table,
                              .needs = CD_BIT(head) | CD_BIT(shape) | CD_BIT(frame) | CD_BIT(body) | CD_BIT(trial) |
                                       CD_BIT(bounds),
                              .writes = CD_BIT(bounds) | CD_BIT(pair),
                              .begin = begin,
                              .each_frame = each_frame,
                          });
}
