// SPDX-License-Identifier: MIT
#include "diff_run.h"

#include "diff_by_pair.h"

const char *const cd_diff_by_words[] = {"row", "pair", "body", NULL};

cd_status cd_diff_begin_rows(cd_ctx *ctx, const cd_diff_options *options, cd_diff_rules *rules,
                             cd_diff_streams *streams)
{
    rules->absolute = options->absolute;
    rules->relative = options->relative;
    CD_TRY(cd_diff_parse_ignored(&ctx->run, options->ignored, rules, &ctx->diag));
    streams->any_round |= cd_diff_ignores(rules, "frame", "round");
    return cd_diff_open(ctx, options->frames, streams);
}

cd_status cd_diff_run(cd_ctx *ctx, const cd_diff_options *options)
{
    bool by_pair = strcmp(options->by, "row");
    if (options->summary + options->first + by_pair > 1)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--summary, --first, --by %s: one at a time",
                       by_pair ? options->by : "pair");
    if (options->replay && !by_pair)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--replay: goes with --by pair or --by body");
    if (by_pair)
        return cd_diff_run_by_pair(ctx, options);
    if (options->summary)
        return cd_diff_run_summary(ctx, options);
    return options->first ? cd_diff_run_first(ctx, options) : cd_diff_run_rows(ctx, options);
}
