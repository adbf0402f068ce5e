// cd-islands -- the problem of a step in parts of whole islands, and their solutions together. Reads: frame, body,
// contact, constraint, row, entry. Writes: a stream a part; with --join: solution, value.
// SPDX-License-Identifier: MIT
#include "islands_join.h"
#include "islands_split.h"

enum { PARTS_MOST = 4096 };

static cd_islands_options opt;
static cd_islands_join_state joined;

static const cd_option option_table[] = {
    CD_OPT_INT('n', "parts", &opt.parts, "N", 1, PARTS_MOST, "write N streams of like cost to the folder of -o"),
    CD_OPT_FLAG('J', "join", &opt.join, "standard input is the whole, the operands its solved parts: join them"),
    CD_OPT_END};

static cd_status check_options(cd_ctx *ctx)
{
    if (opt.join == (opt.parts > 0))
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "either --parts N or --join is needed");
    if (!opt.join && !ctx->output_path)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "-o DIR is needed: the folder of the parts");
    if (!opt.join && !strcmp(ctx->output_path, "-"))
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "-o -: the parts go to a folder: -o DIR");
    if (!opt.join && ctx->operand_count > 1)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "one stream is split, not several");
    return CD_OK;
}

static cd_status each_frame(cd_ctx *ctx) { return cd_islands_join_frame(ctx, &joined); }
static cd_status finish(cd_ctx *ctx) { return cd_islands_join_end(ctx, &joined); }
static cd_status run(cd_ctx *ctx)
{
    CD_TRY(check_options(ctx));
    if (!opt.join)
        return cd_islands_split(ctx, &opt);
    cd_status status = cd_islands_join_begin(ctx, &joined);
    ctx->operand_count = 0;  // the loop reads the whole from standard input
    if (status == CD_OK)
        status = cd_filter_loop(ctx);
    cd_islands_join_close(&joined);
    return status;
}

int main(int argc, char **argv)
{
    return cd_filter_main(
        argc, argv,
        &(cd_filter){.name = "cd-islands",
                     .summary = "Cut the problem of a step into parts that can be solved apart, and join solutions.",
                     .synopsis = "[FILE | PART...]",
                     .notes = "An island is what rows couple: bodies of different islands do not act on each other.",
                     .example = "cd-islands --parts 4 -o parts problem.cdb\n"
                                "for p in parts/*; do cd-lcp -o solved-${p##*/} $p & done; wait\n"
                                "cd-islands --join solved-* <problem.cdb | cd-step",
                     .options = option_table,
                     .max_operands = PARTS_MOST,
                     .needs = CD_BIT(frame) | CD_BIT(row),
                     .writes = CD_BIT(solution) | CD_BIT(value),
                     .lives_on = CD_BIT(row),
                     .each_frame = each_frame,
                     .finish = finish,
                     .run = run});
}
