// SPDX-License-Identifier: MIT
#include "islands_split.h"

#include "cd_parcel.h"
#include "cd_rows.h"
#include "cd_tables.h"
#include "islands_deal.h"

typedef struct split {
    cd_ctx *ctx;
    int32_t parts;
    cd_writer **writer;  // by part; NULL where none is open
    cd_refs *refs;       // by part
    cd_prog_rows progs;
    bool prog_is_written, in_frame;
    cd_tables tables;  // of the open frame
} split;

static cd_status open_writers(split *s)
{
    cd_ctx *ctx = s->ctx;
    s->writer = CD_ARENA_ZARRAY(&ctx->run, cd_writer *, s->parts);
    s->refs = CD_ARENA_ZARRAY(&ctx->run, cd_refs, s->parts);
    return cd_open_writers(ctx, cd_reader_encoding(ctx->reader), "part", s->parts, s->writer);
}

static cd_status write_own_progs(split *s)
{
    s->prog_is_written = true;
    for (int32_t p = 0; p < s->parts; p++)
        CD_TRY(cd_write_own_prog(s->ctx, s->writer[p], &s->progs));
    return CD_OK;
}

static cd_status take_head(split *s, const cd_chunk *chunk)
{
    cd_ctx *ctx = s->ctx;
    if (!s->prog_is_written && chunk->type != CD_REC_head && chunk->type != CD_REC_prog)
        CD_TRY(write_own_progs(s));
    cd_rows *rows = cd_rows_new(&ctx->run, chunk->type);
    CD_TRY(cd_reader_decode(ctx->reader, chunk, &ctx->run, rows, &ctx->diag));
    if (chunk->type == CD_REC_prog)
        cd_rows_append(&ctx->run, &cd_records[CD_REC_prog], cd_reader_dim(ctx->reader), (cd_rows *)&s->progs, rows);
    for (int32_t p = 0; p < s->parts; p++) {
        CD_TRY(cd_refs_add_table(&s->refs[p], chunk->type, rows, &ctx->diag));
        CD_TRY(cd_writer_pass(s->writer[p], ctx->reader, chunk, rows, &ctx->diag));
    }
    return CD_OK;
}

static cd_status write_part(split *s, const cd_islands_deal *deal, int32_t part)
{
    cd_ctx *ctx = s->ctx;
    cd_arena_mark mark = cd_arena_get_mark(&ctx->arena);
    cd_model *out = cd_arena_alloc(&ctx->arena, sizeof *out);
    cd_islands_take(&ctx->arena, &s->tables.model, deal, part, out);
    cd_refs_open_frame(&s->refs[part]);
    CD_TRY(cd_writer_tables(s->writer[part], out, false, &s->refs[part], &ctx->diag));
    cd_arena_rewind(&ctx->arena, mark);
    return cd_writer_frame_end(s->writer[part], &ctx->diag);
}

static cd_status close_frame(split *s)
{
    cd_ctx *ctx = s->ctx;
    cd_model *in = &s->tables.model;
    cd_islands islands;
    cd_islands_deal deal;
    in->dim = cd_reader_dim(ctx->reader);
    CD_TRY(cd_islands_find(&ctx->arena, in, cd_reader_refs(ctx->reader), s->parts, &islands, &ctx->diag));
    cd_islands_deal_make(&ctx->arena, in, &islands, s->parts, &deal);
    for (int32_t p = 0; p < s->parts; p++)
        CD_TRY(write_part(s, &deal, p));
    cd_progress(ctx, "%d islands", (int)islands.count);
    memset(&s->tables, 0, sizeof s->tables);
    cd_arena_reset(&ctx->arena);
    s->in_frame = false;
    return CD_OK;
}

static cd_status take_chunk(split *s, const cd_chunk *chunk)
{
    cd_ctx *ctx = s->ctx;
    uint64_t problem =
        CD_BIT(frame) | CD_BIT(body) | CD_BIT(contact) | CD_BIT(constraint) | CD_BIT(row) | CD_BIT(entry);
    bool is_known = chunk->type != CD_REC_UNKNOWN;
    if (chunk->type == CD_REC_end)
        return CD_OK;
    if (chunk->type == CD_REC_fend)
        return close_frame(s);
    if (chunk->type == CD_REC_frame) {
        s->in_frame = true;
        if (!s->prog_is_written)
            CD_TRY(write_own_progs(s));
    }
    if (!s->in_frame && is_known)
        return take_head(s, chunk);
    if (is_known && (problem >> chunk->type & 1))
        return cd_tables_take(&ctx->arena, ctx->reader, chunk, &s->tables, &ctx->diag);
    return cd_reader_check_lines(ctx->reader, chunk, &ctx->arena, &ctx->diag);
}

static cd_status split_stream(split *s)
{
    cd_ctx *ctx = s->ctx;
    CD_TRY(cd_open_reader(ctx, 0, &ctx->reader));
    ctx->refs = cd_reader_refs(ctx->reader);
    CD_TRY(open_writers(s));
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(ctx->reader, &chunk, &ctx->diag)) == CD_OK)
        CD_TRY(take_chunk(s, &chunk));
    if (status != CD_END)
        return status;
    if (!s->prog_is_written)
        CD_TRY(write_own_progs(s));
    for (int32_t p = 0; p < s->parts; p++)
        CD_TRY(cd_writer_end(s->writer[p], &ctx->diag));
    return CD_OK;
}

cd_status cd_islands_split(cd_ctx *ctx, const cd_islands_options *options)
{
    split s = {.ctx = ctx, .parts = (int32_t)options->parts};
    cd_status status = split_stream(&s);
    for (int32_t p = 0; s.writer && p < s.parts; p++) {
        cd_writer_close(s.writer[p]);
        cd_refs_release(&s.refs[p]);
    }
    return status;
}
