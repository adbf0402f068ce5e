// SPDX-License-Identifier: MIT
#include "view_run.h"

#include "view_digest.h"
#include "why_run.h"

#include <inttypes.h>

static cd_status run_digest(cd_ctx *ctx)
{
    CD_TRY(cd_open_reader(ctx, 0, &ctx->reader));
    cd_buffer summary = {0};
    cd_status status = cd_digest_stream(ctx->reader, &summary, &ctx->diag);
    if (status == CD_OK) {
        cd_hash_pair hash = cd_hash_text(summary.data, summary.size);
        if (!ctx->verbose)
            summary.size = 0;
        cd_buffer_printf(&summary, "%016" PRIx64 "%016" PRIx64 "\n", hash.a, hash.b);
        status = cd_write_text(ctx, summary.data, summary.size);
    }
    cd_buffer_release(&summary);
    return status;
}

// The operands are [B] [FILE]: what looks like a body is one.
static cd_status run_why(cd_ctx *ctx, const cd_view_options *options)
{
    if (ctx->operand_count > 2)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "%.100s: one operand too many", ctx->operand[2]);
    const bool has_other = ctx->operand_count > 0 && cd_why_is_name(ctx->operand[0]);
    if (ctx->operand_count > 1 && !has_other)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--why: %.40s: wanted a body ID or a part ID:PART", ctx->operand[0]);
    return cd_why_run_story(ctx, options->why, has_other ? ctx->operand[0] : NULL, options->frame, has_other);
}

static cd_status check_options(cd_ctx *ctx, const cd_view_options *options)
{
    cd_diag *diag = &ctx->diag;
    const bool selects = options->types || options->frames || options->bodies;
    const int modes = options->check + options->digest + options->table + options->salvage + options->join +
                      options->fields + (options->why != NULL);
    if (modes > 1)
        return cd_fail(diag, CD_ERR_USAGE,
                       "--check, --digest, --table, --salvage, --join, --fields and --why exclude one another");
    if (selects && modes == 1 && !options->table)
        return cd_fail(
            diag, CD_ERR_USAGE,
            "--check, --digest, --salvage, --join and --why are about the whole stream: select in a cd-view before it");
    if (!options->why && options->frame)
        return cd_fail(diag, CD_ERR_USAGE, "--frame: goes with --why; frames are kept by --frames");
    if (!options->why && !options->join && ctx->operand_count > 1)
        return cd_fail(diag, CD_ERR_USAGE, "%.200s: one file at a time", ctx->operand[1]);
    return CD_OK;
}

void cd_view_warn_of_frames(cd_ctx *ctx, const cd_view_options *options, int64_t frames)
{
    if (options->frames && frames == 0)
        cd_warn(ctx, "--frames: %.100s: no such frame is in the stream", options->frames);
}

cd_status cd_view_run(cd_ctx *ctx, const cd_view_options *options)
{
    CD_TRY(check_options(ctx, options));
    if (options->why)
        return run_why(ctx, options);
    if (options->fields)
        return cd_view_run_fields(ctx);
    if (options->digest)
        return run_digest(ctx);
    if (options->check)
        return cd_view_run_check(ctx);
    if (options->table)
        return cd_view_run_table(ctx, options);
    if (options->salvage)
        return cd_view_run_salvage(ctx);
    if (options->join)
        return cd_view_run_join(ctx);
    return options->types || options->frames || options->bodies ? cd_view_run_select(ctx, options)
                                                                : cd_filter_loop(ctx);
}
