// SPDX-License-Identifier: MIT
#include "view_run.h"

#include "view_digest.h"

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

cd_status cd_view_run(cd_ctx *ctx, const cd_view_options *options)
{
    bool selects = options->types || options->frames || options->bodies;
    int modes = options->check + options->digest + options->table + options->salvage + options->fields;
    if (modes > 1)
        return cd_fail(&ctx->diag, CD_ERR_USAGE,
                       "--check, --digest, --table, --salvage and --fields exclude one another");
    if (selects && modes == 1 && !options->table)
        return cd_fail(&ctx->diag, CD_ERR_USAGE,
                       "--check, --digest and --salvage are about the whole stream: select in a cd-view before it");
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
    return selects ? cd_view_run_select(ctx, options) : cd_filter_loop(ctx);
}
