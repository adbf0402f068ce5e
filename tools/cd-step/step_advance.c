// SPDX-License-Identifier: MIT
#include "step_advance.h"

#include "cd_assert.h"
#include "cd_bodies.h"

#include <inttypes.h>
#include <math.h>

// [1] of a step: times are products or sums of decimal numbers; far above their rounding, far below a step.
static const double TIME_TOLERANCE = 1e-9;

void cd_step_following_frame(cd_arena *arena, const cd_frame_rows *frame, double next_step, cd_frame_rows *following)
{
    CD_ASSERT(frame->count == 1 && frame->step && !isnan(frame->step[0]));
    double step = frame->step[0], rest = frame->rest && !isnan(frame->rest[0]) ? frame->rest[0] : 0, time = frame->time[0] + step;
    int64_t index = frame->index[0];
    int32_t substep = frame->substep && frame->substep[0] != CD_ABSENT ? frame->substep[0] : 0;
    *following = (cd_frame_rows){.count = 1, .json = frame->json};
    if (rest > 0) {
        CD_COLUMN(arena, 2, frame, following, substep)[0] = substep + 1;
    } else {
        index++;
        if (substep == 0 && fabs(time - (double)index * step) <= TIME_TOLERANCE * step)
            time = (double)index * step;
    }
    CD_COLUMN(arena, 2, frame, following, index)[0] = index;
    CD_COLUMN(arena, 2, frame, following, time)[0] = time;
    CD_COLUMN(arena, 2, frame, following, step)[0] = rest > 0 ? rest : isnan(next_step) ? step : next_step;
}

// A copy of a body column of `width` numbers a row, the states of `next` put over it.
static double *moved_column(cd_arena *arena, const double *start, const double *end, const cd_next_rows *next, int32_t bodies, int width)
{
    size_t count = (size_t)width;
    double *column = CD_ARENA_ARRAY(arena, double, (size_t)bodies * count);
    memcpy(column, start, (size_t)bodies * count * sizeof *column);
    for (int32_t i = 0; i < next->count; i++)
        memcpy(column + (size_t)next->body[i] * count, end + (size_t)i * count, count * sizeof *column);
    return column;
}

void cd_step_following_bodies(cd_arena *arena, int dim, const cd_body_rows *body, const cd_next_rows *next, cd_body_rows *following)
{
    *following = *body;
    following->capacity = 0;
    if (body->count == 0)
        return;
    int32_t n = body->count;
    following->position = moved_column(arena, body->position, next->position, next, n, dim);
    following->rotation = moved_column(arena, body->rotation, next->rotation, next, n, dim == 2 ? 1 : 4);
    following->velocity = moved_column(arena, body->velocity, next->velocity, next, n, dim);
    following->spin = moved_column(arena, body->spin, next->spin, next, n, dim == 2 ? 1 : 3);
}

// ---- the loop --------------------------------------------------------------------------------------------------------------

typedef struct advance_loop {
    cd_ctx *ctx;
    uint64_t needs;
    double next_step;
    bool prog_is_written;
    int64_t frames;
} advance_loop;

static cd_status write_prog(advance_loop *l)
{
    cd_ctx *ctx = l->ctx;
    l->prog_is_written = true;
    if (ctx->no_prog)
        return CD_OK;
    cd_prog_rows prog;
    cd_make_prog(ctx, &ctx->run, &ctx->in.prog, &prog);
    return cd_writer_rows(ctx->writer, CD_REC_prog, 2, ctx->refs, (cd_rows *)&prog, &ctx->diag);
}

static cd_status write_frame(advance_loop *l)
{
    cd_ctx *ctx = l->ctx;
    double step;
    cd_frame_rows following;
    CD_TRY(cd_frame_step(&ctx->in, &step, &ctx->diag));
    cd_step_following_frame(&ctx->arena, &ctx->in.frame, l->next_step, &following);
    return cd_writer_rows(ctx->writer, CD_REC_frame, ctx->in.dim, ctx->refs, (cd_rows *)&following, &ctx->diag);
}

static cd_status take_chunk(advance_loop *l, const cd_chunk *chunk)
{
    cd_ctx *ctx = l->ctx;
    if (!l->prog_is_written && chunk->type != CD_REC_head && chunk->type != CD_REC_prog && chunk->type != CD_REC_UNKNOWN)
        CD_TRY(write_prog(l));
    if (chunk->type == CD_REC_UNKNOWN)
        return cd_writer_pass(ctx->writer, ctx->reader, chunk, NULL, &ctx->diag);
    const cd_record *record = &cd_records[chunk->type];
    bool is_kept = record->is_head || chunk->type == CD_REC_node, is_needed = record->is_head || l->needs >> chunk->type & 1;
    cd_arena *arena = record->is_head ? &ctx->run : &ctx->arena;
    union {
        cd_rows rows;
        cd_model any;
    } decoded;
    if (is_needed) {
        CD_TRY(cd_reader_decode(ctx->reader, chunk, arena, &decoded.rows, &ctx->diag));
        ctx->in.dim = ctx->out.dim = cd_reader_dim(ctx->reader);
        cd_rows_append(arena, record, ctx->in.dim, cd_model_rows(&ctx->in, chunk->type), &decoded.rows);
    }
    if (chunk->type == CD_REC_frame)
        return write_frame(l);
    return is_kept ? cd_writer_pass(ctx->writer, ctx->reader, chunk, is_needed ? &decoded.rows : NULL, &ctx->diag) : CD_OK;
}

static cd_status end_frame(advance_loop *l, cd_status (*work)(cd_ctx *ctx))
{
    cd_ctx *ctx = l->ctx;
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (cd_records[type].is_head ? l->frames == 0 : (l->needs >> type & 1) != 0)
            cd_rows_fill_defaults(cd_records[type].is_head ? &ctx->run : &ctx->arena, &cd_records[type], ctx->in.dim,
                                  cd_model_rows(&ctx->in, (cd_record_type)type));
    cd_status status = work(ctx);
    if (status != CD_OK)
        return cd_fail_at(&ctx->diag, status, "frame %" PRId64, l->frames);
    cd_body_rows following;
    cd_step_following_bodies(&ctx->arena, ctx->in.dim, &ctx->in.body, &ctx->out.next, &following);
    CD_TRY(cd_writer_rows(ctx->writer, CD_REC_body, ctx->in.dim, ctx->refs, (cd_rows *)&following, &ctx->diag));
    CD_TRY(cd_writer_frame_end(ctx->writer, &ctx->diag));
    int dim = ctx->in.dim;
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (!cd_records[type].is_head)
            memset(cd_model_rows(&ctx->in, (cd_record_type)type), 0, cd_records[type].size);
    memset(&ctx->out, 0, sizeof ctx->out);
    ctx->out.dim = dim;
    cd_arena_reset(&ctx->arena);
    l->frames++;
    return CD_OK;
}

cd_status cd_step_advance_run(cd_ctx *ctx, uint64_t needs, double next_step, cd_status (*work)(cd_ctx *ctx))
{
    // Ids of all tables that the needed ones refer to: rows refer to contacts and constraints.
    advance_loop l = {.ctx = ctx, .next_step = next_step, .needs = needs | CD_BIT(contact) | CD_BIT(constraint) | CD_BIT(frame) | CD_BIT(body)};
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
