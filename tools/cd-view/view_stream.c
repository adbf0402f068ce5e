// Selection from a stream to a stream. Where whole chunks stay or go they pass as stored bytes; otherwise the frame is
// taken apart.
// SPDX-License-Identifier: MIT
#include "cd_parcel.h"
#include "cd_rows.h"
#include "view_run.h"
#include "cd_selection.h"

typedef struct select_run {
    cd_ctx *ctx;
    cd_selection selection;
    uint64_t kept;
    bool needs_rows;
    bool prog_is_written, is_skipping, is_open;
    cd_prog_rows prog;
    cd_tables tables;  // of the open frame, when rows are needed
    cd_parcel parcel;  // of the open frame, when it may be the last; tables of unknown type otherwise
    bool has_last;
    int64_t frames;  // kept
} select_run;

static cd_status write_own_prog(select_run *run)
{
    run->prog_is_written = true;
    return cd_write_own_prog(run->ctx, run->ctx->writer, &run->prog);
}

static cd_status take_head(select_run *run, const cd_chunk *chunk)
{
    cd_ctx *ctx = run->ctx;
    if (!run->prog_is_written && chunk->type != CD_REC_head && chunk->type != CD_REC_prog &&
        chunk->type != CD_REC_UNKNOWN)
        CD_TRY(write_own_prog(run));
    if (chunk->type == CD_REC_UNKNOWN)
        return cd_selection_lists_foreign(&run->selection, chunk->name)
                   ? cd_writer_pass(ctx->writer, ctx->reader, chunk, NULL, &ctx->diag)
                   : CD_OK;
    // Ids are needed where rows of later tables are printed, so they are read even of tables that go.
    cd_rows *rows = cd_rows_new(&ctx->run, chunk->type);
    CD_TRY(cd_reader_decode(ctx->reader, chunk, &ctx->run, rows, &ctx->diag));
    if (chunk->type == CD_REC_prog)
        cd_rows_append(&ctx->run, &cd_records[CD_REC_prog], cd_reader_dim(ctx->reader), (cd_rows *)&run->prog, rows);
    return run->kept >> chunk->type & 1 ? cd_writer_pass(ctx->writer, ctx->reader, chunk, rows, &ctx->diag) : CD_OK;
}

// ---- frames --------------------------------------------------------------------------------------------------------

static cd_status write_tables(select_run *run)
{
    cd_ctx *ctx = run->ctx;
    cd_selection_apply(&ctx->arena, &run->selection, &run->tables);
    cd_refs_open_frame(ctx->refs);
    return cd_writer_tables(ctx->writer, &run->tables.model, false, ctx->refs, &ctx->diag);
}

static cd_status write_frame(select_run *run)
{
    cd_ctx *ctx = run->ctx;
    // Tables of unknown type stay only where no row that they may refer to was renumbered.
    if (run->needs_rows)
        CD_TRY(write_tables(run));
    CD_TRY(cd_parcel_pass(&run->parcel, ctx->writer, ctx->reader, &ctx->diag));
    return cd_writer_frame_end(ctx->writer, &ctx->diag);
}

static void forget_frame(select_run *run)
{
    memset(&run->tables, 0, sizeof run->tables);
    memset(&run->parcel, 0, sizeof run->parcel);
    cd_arena_reset(&run->ctx->arena);
}

static bool is_wanted_chunk(const select_run *run, const cd_chunk *chunk)
{
    if (chunk->type != CD_REC_UNKNOWN)
        return run->kept >> chunk->type & 1;
    return cd_selection_lists_foreign(&run->selection, chunk->name) && !run->selection.has_bodies;
}

static cd_status take_frame_chunk(select_run *run, const cd_chunk *chunk)
{
    cd_ctx *ctx = run->ctx;
    if (run->is_skipping || !is_wanted_chunk(run, chunk))
        return CD_OK;
    bool is_known = chunk->type != CD_REC_UNKNOWN;
    if (run->needs_rows && is_known)
        return cd_tables_take(&ctx->arena, ctx->reader, chunk, &run->tables, &ctx->diag);
    if (!run->selection.frames.only_last && !run->needs_rows)
        return cd_writer_pass(ctx->writer, ctx->reader, chunk, NULL, &ctx->diag);
    cd_rows *rows = NULL;
    if (is_known && cd_reader_encoding(ctx->reader) != cd_writer_encoding(ctx->writer)) {
        rows = cd_rows_new(&ctx->arena, chunk->type);
        CD_TRY(cd_reader_decode(ctx->reader, chunk, &ctx->arena, rows, &ctx->diag));
    }
    cd_parcel_add(&ctx->arena, &run->parcel, chunk, rows);
    return CD_OK;
}

static cd_status open_frame(select_run *run, const cd_chunk *chunk)
{
    cd_ctx *ctx = run->ctx;
    run->is_open = true;
    forget_frame(run);
    cd_frame_rows *frame = (cd_frame_rows *)cd_rows_new(&ctx->arena, CD_REC_frame);
    CD_TRY(cd_reader_decode(ctx->reader, chunk, &ctx->arena, (cd_rows *)frame, &ctx->diag));
    run->is_skipping = !cd_frame_range_has(&run->selection.frames, frame->index[0]);
    if (run->is_skipping)
        return CD_OK;
    run->frames++;
    run->tables.model.dim = cd_reader_dim(ctx->reader);
    if (run->needs_rows) {
        run->tables.model.frame = *frame;
        return CD_OK;
    }
    if (run->selection.frames.only_last) {
        cd_parcel_add(&ctx->arena, &run->parcel, chunk, (cd_rows *)frame);
        return CD_OK;
    }
    return cd_writer_pass(ctx->writer, ctx->reader, chunk, (cd_rows *)frame, &ctx->diag);
}

static cd_status close_frame(select_run *run)
{
    run->is_open = false;
    run->has_last = run->selection.frames.only_last;
    return run->is_skipping || run->selection.frames.only_last ? CD_OK : write_frame(run);
}

static cd_status take_chunk(select_run *run, const cd_chunk *chunk)
{
    switch ((int)chunk->type) {
    case CD_REC_frame:
        if (!run->prog_is_written)
            CD_TRY(write_own_prog(run));
        return open_frame(run, chunk);
    case CD_REC_fend:
        return close_frame(run);
    case CD_REC_end:
        return run->has_last ? write_frame(run) : CD_OK;
    default:
        return run->is_open ? take_frame_chunk(run, chunk) : take_head(run, chunk);
    }
}

cd_status cd_view_run_select(cd_ctx *ctx, const cd_view_options *options)
{
    select_run run = {.ctx = ctx};
    CD_TRY(cd_selection_parse(&ctx->run, options->types, options->frames, options->bodies, &run.selection, &ctx->diag));
    run.kept = cd_selection_kept_types(&run.selection);
    run.needs_rows = cd_selection_needs_rows(&run.selection);
    CD_TRY(cd_open_reader(ctx, 0, &ctx->reader));
    cd_reader_choose(ctx->reader, &run.selection.frames);
    ctx->refs = cd_reader_refs(ctx->reader);
    CD_TRY(cd_open_writer(ctx, cd_reader_encoding(ctx->reader), &ctx->writer));
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(ctx->reader, &chunk, &ctx->diag)) == CD_OK)
        CD_TRY(take_chunk(&run, &chunk));
    if (status != CD_END)
        return status;
    if (!run.prog_is_written)
        CD_TRY(write_own_prog(&run));
    cd_view_warn_of_frames(ctx, options, run.frames);
    return cd_writer_end(ctx->writer, &ctx->diag);
}
