// cd-shard -- parts of a stream, to be worked on apart. Reads: head tables, frame, body, node. Writes: a stream a cell
// of a grid, with `shard`; with --own: pair.
// SPDX-License-Identifier: MIT
#include "shard_own.h"
#include "shard_split.h"

static cd_shard_options opt = {.only = -1};

static const cd_option option_table[] = {
    CD_OPT_TEXT('g', "grid", &opt.grid, "NxMxK", "cells along each axis, in the plane NxM"),
    CD_OPT_DOUBLE(0, "halo", &opt.halo, "LENGTH", 0, 1e300, "a shard has the bodies that come so near to its cell [m]"),
    CD_OPT_TEXT(0, "box", &opt.box, "P:P", "what the grid divides, as 0,0,0:1,1,1 [m]; else the first frame's bodies"),
    CD_OPT_INT(0, "only", &opt.only, "I", 0, CD_SHARDS_MOST - 1, "write the shard of cell I alone, as a filter does"),
    CD_OPT_FLAG(0, "own", &opt.own, "of a shard behind cd-broad: drop the pairs that belong to another shard"),
    CD_OPT_END};

static cd_status check_options(cd_ctx *ctx)
{
    if (opt.own && (opt.grid || opt.box || opt.only >= 0 || opt.halo > 0))
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--own: the shard tells its grid; no other option goes with it");
    if (!opt.own && !opt.grid)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--grid NxMxK or --own is needed");
    if (!opt.own && opt.only < 0 && !ctx->output_path)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "-o DIR for all shards, or --only I for one, is needed");
    if (!opt.own && opt.only < 0 && !strcmp(ctx->output_path, "-"))
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "-o -: the shards go to a folder: -o DIR, or --only I for one");
    return CD_OK;
}

static cd_status each_frame(cd_ctx *ctx)
{
    return cd_shard_own_frame(&ctx->arena, &ctx->in, &ctx->out.pair, &ctx->diag);
}

static cd_status run(cd_ctx *ctx)
{
    CD_TRY(check_options(ctx));
    return opt.own ? cd_filter_loop(ctx) : cd_shard_split_run(ctx, &opt);
}

int main(int argc, char **argv)
{
    return cd_filter_main(
        argc, argv,
        &(cd_filter){
            .name = "cd-shard",
            .summary = "Cut a stream into shards, one a cell of a grid, for cd-merge.",
            .notes = "Each shard is a stream that any stage takes; cd-merge joins them.",
            .example = "cd-shard --grid 2x2x2 -o shards scene.cdb\n"
                       "cd-shard --grid 4x4x4 --only 17 scene.cdb | cd-broad | cd-shard --own | cd-narrow -o 17.cdb",
            .options = option_table,
            .needs = CD_BIT(head) | CD_BIT(frame) | CD_BIT(body) | CD_BIT(shard) | CD_BIT(bounds) | CD_BIT(pair),
            .writes = CD_BIT(pair),
            .lives_on = CD_BIT(bounds) | CD_BIT(pair),
            .each_frame = each_frame,
            .run = run});
}
