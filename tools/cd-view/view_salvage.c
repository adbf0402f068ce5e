// Salvage: the whole frames at the beginning of a cut or damaged stream, and a proper end. A frame is written when its
// fend was read and every row of it could be decoded; from the first error on nothing of the stream is believed,
// because counts and references behind it cannot be checked.
// SPDX-License-Identifier: MIT
#include "cd_parcel.h"
#include "view_run.h"

#include <inttypes.h>

typedef struct salvage_run {
    cd_ctx *ctx;
    cd_parcel parcel;
    bool is_open, has_head;
    int64_t frames, lost_rows;
    bool transcodes;
} salvage_run;

static cd_status take_chunk(salvage_run *run, const cd_chunk *chunk)
{
    cd_ctx *ctx = run->ctx;
    cd_rows *rows = NULL;
    if (chunk->type == CD_REC_fend) {
        CD_TRY(cd_parcel_pass(&run->parcel, ctx->writer, ctx->reader, &ctx->diag));
        CD_TRY(cd_writer_frame_end(ctx->writer, &ctx->diag));
        run->frames++;
        run->is_open = false;
        run->lost_rows = 0;
        return CD_OK;
    }
    if (chunk->type == CD_REC_end)
        return CD_OK;
    if (chunk->type == CD_REC_frame) {
        run->is_open = true;
        cd_arena_reset(&ctx->arena);
        memset(&run->parcel, 0, sizeof run->parcel);
    }
    if (chunk->type != CD_REC_UNKNOWN) {
        rows = cd_rows_new(&ctx->arena, chunk->type);
        CD_TRY(cd_reader_decode(ctx->reader, chunk, &ctx->arena, rows, &ctx->diag));
    }
    if (!run->is_open) {
        CD_TRY(cd_writer_pass(ctx->writer, ctx->reader, chunk, rows, &ctx->diag));
        run->has_head = true;
        return CD_OK;
    }
    run->lost_rows += chunk->row_count;
    cd_parcel_add(&ctx->arena, &run->parcel, chunk, run->transcodes ? rows : NULL);
    return CD_OK;
}

static bool is_bad_input(cd_status status)
{
    return status == CD_ERR_FORMAT || status == CD_ERR_TRUNCATED || status == CD_ERR_LIMIT ||
           status == CD_ERR_UNSUPPORTED;
}

cd_status cd_view_run_salvage(cd_ctx *ctx)
{
    salvage_run run = {.ctx = ctx};
    CD_TRY(cd_open_reader(ctx, 0, &ctx->reader));
    CD_TRY(cd_open_writer(ctx, cd_reader_encoding(ctx->reader), &ctx->writer));
    run.transcodes = cd_reader_encoding(ctx->reader) != cd_writer_encoding(ctx->writer);
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(ctx->reader, &chunk, &ctx->diag)) == CD_OK)
        if ((status = take_chunk(&run, &chunk)) != CD_OK)
            break;
    if (status == CD_END)
        return cd_writer_end(ctx->writer, &ctx->diag);
    if (!is_bad_input(status) || !run.has_head)
        return status;
    cd_diag reason = ctx->diag;
    CD_TRY(cd_writer_end(ctx->writer, &ctx->diag));
    return cd_fail(&ctx->diag, status, "%.300s; kept %" PRId64 " whole frames, lost what follows%s", reason.text,
                   run.frames, run.lost_rows ? " and a part of a frame" : "");
}
