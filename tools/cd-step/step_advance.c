// SPDX-License-Identifier: MIT
#include "step_advance.h"

#include "cd_assert.h"
#include "cd_next_frame.h"
#include "cd_parcel.h"
#include "cd_rows.h"

#include <inttypes.h>

typedef struct advance_loop {
    cd_ctx *ctx;
    uint64_t needs;
    bool prog_is_written, in_frame;
    cd_parcel kept;  // tables of unknown type of the open frame
    int64_t frames;
} advance_loop;

static cd_status write_prog(advance_loop *l)
{
    l->prog_is_written = true;
    return cd_write_own_prog(l->ctx, l->ctx->writer, &l->ctx->in.prog);
}

static cd_status take_unknown(advance_loop *l, const cd_chunk *chunk)
{
    if (!l->in_frame)
        return cd_writer_pass(l->ctx->writer, l->ctx->reader, chunk, NULL, &l->ctx->diag);
    if (cd_chunk_outlives_frame(chunk))
        cd_parcel_add(&l->ctx->arena, &l->kept, chunk, NULL);
    return CD_OK;
}

static cd_status take_chunk(advance_loop *l, const cd_chunk *chunk)
{
    cd_ctx *ctx = l->ctx;
    if (!l->prog_is_written && chunk->type != CD_REC_head && chunk->type != CD_REC_prog &&
        chunk->type != CD_REC_UNKNOWN)
        CD_TRY(write_prog(l));
    if (chunk->type == CD_REC_UNKNOWN)
        return take_unknown(l, chunk);
    l->in_frame |= chunk->type == CD_REC_frame;
    const cd_record *record = &cd_records[chunk->type];
    if (!record->is_head && !(l->needs >> chunk->type & 1))
        return CD_OK;
    cd_arena *arena = record->is_head ? &ctx->run : &ctx->arena;
    cd_rows *rows = cd_rows_new(arena, chunk->type);
    CD_TRY(cd_reader_decode(ctx->reader, chunk, arena, rows, &ctx->diag));
    ctx->in.dim = ctx->out.dim = cd_reader_dim(ctx->reader);
    cd_rows_append(arena, record, ctx->in.dim, cd_model_rows(&ctx->in, chunk->type), rows);
    return record->is_head ? cd_writer_pass(ctx->writer, ctx->reader, chunk, rows, &ctx->diag) : CD_OK;
}

// What cd-loop would send next: each frame is a run of its own, whose clock starts with it.
static cd_status write_following(advance_loop *l)
{
    cd_ctx *ctx = l->ctx;
    cd_model done = ctx->in, following;
    done.next = ctx->out.next;
    done.next_node = ctx->out.next_node;
    done.verdict = ctx->out.verdict;
    cd_run_clock clock;
    bool accepted;
    CD_TRY(cd_run_clock_start(&done.frame, &clock, &ctx->diag));
    CD_TRY(cd_next_frame(&ctx->arena, &done, &clock, &following, &accepted, &ctx->diag));
    CD_ASSERT(accepted);
    CD_TRY(cd_writer_rows(ctx->writer, CD_REC_frame, ctx->in.dim, ctx->refs, (cd_rows *)&following.frame, &ctx->diag));
    CD_TRY(cd_writer_rows(ctx->writer, CD_REC_body, ctx->in.dim, ctx->refs, (cd_rows *)&following.body, &ctx->diag));
    CD_TRY(cd_writer_rows(ctx->writer, CD_REC_node, ctx->in.dim, ctx->refs, (cd_rows *)&following.node, &ctx->diag));
    CD_TRY(
        cd_writer_rows(ctx->writer, CD_REC_spring, ctx->in.dim, ctx->refs, (cd_rows *)&following.spring, &ctx->diag));
    CD_TRY(cd_parcel_pass(&l->kept, ctx->writer, ctx->reader, &ctx->diag));
    return cd_writer_frame_end(ctx->writer, &ctx->diag);
}

static cd_status end_frame(advance_loop *l, cd_status (*work)(cd_ctx *ctx))
{
    cd_ctx *ctx = l->ctx;
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (cd_records[type].is_head ? l->frames == 0 : (l->needs >> type & 1) != 0)
            cd_rows_fill_defaults(cd_records[type].is_head ? &ctx->run : &ctx->arena, &cd_records[type], ctx->in.dim,
                                  cd_model_rows(&ctx->in, (cd_record_type)type));
    cd_status status = l->frames == 0 ? ctx->filter->head(ctx) : CD_OK;
    if (status == CD_OK)
        status = work(ctx);
    if (status == CD_OK)
        status = write_following(l);
    if (status != CD_OK)
        return status == CD_ERR_IO ? status : cd_fail_in_frame(&ctx->diag, status, &ctx->in.frame);
    int dim = ctx->in.dim;
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (!cd_records[type].is_head)
            memset(cd_model_rows(&ctx->in, (cd_record_type)type), 0, cd_records[type].size);
    memset(&ctx->out, 0, sizeof ctx->out);
    ctx->out.dim = dim;
    l->kept = (cd_parcel){0};
    l->in_frame = false;
    cd_arena_reset(&ctx->arena);
    l->frames++;
    return CD_OK;
}

cd_status cd_step_advance_run(cd_ctx *ctx, uint64_t needs, cd_status (*work)(cd_ctx *ctx))
{
    // Ids of all tables that the needed ones refer to: rows refer to contacts and constraints.
    needs |= CD_BIT(contact) | CD_BIT(constraint) | CD_BIT(frame) | CD_BIT(body) | CD_BIT(node);
    advance_loop l = {.ctx = ctx, .needs = needs};
    CD_TRY(cd_open_reader(ctx, 0, &ctx->reader));
    ctx->refs = cd_reader_refs(ctx->reader);
    CD_TRY(cd_open_writer(ctx, cd_reader_encoding(ctx->reader), &ctx->writer));
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(ctx->reader, &chunk, &ctx->diag)) == CD_OK) {
        if (chunk.type == CD_REC_fend)
            CD_TRY(end_frame(&l, work));
        else if (chunk.type != CD_REC_end)
            CD_TRY(take_chunk(&l, &chunk));
    }
    if (status != CD_END)
        return status;
    if (!l.prog_is_written)
        CD_TRY(write_prog(&l));
    return cd_writer_end(ctx->writer, &ctx->diag);
}
