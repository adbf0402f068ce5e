// SPDX-License-Identifier: MIT
#include "shard_split.h"

#include "cd_bodies.h"
#include "cd_bounds.h"
#include "cd_parcel.h"
#include "cd_reach.h"
#include "cd_rows.h"
#include "shard_box.h"

#include <inttypes.h>

// [bytes] Bodies that wait in memory, of all shards together, until those of a shard make a block: blocks of a few rows
// would take more room than the rows.
static const double waiting_most = 1 << 26;

// One shard as it is written.
typedef struct shard {
    int32_t index;
    CD_LIST(int32_t) rows;  // of the chunk's bodies, those that this shard has
    cd_body_rows waiting;   // columns of `store`
    cd_column_store store;
} shard;

typedef struct split {
    cd_ctx *ctx;
    const cd_shard_options *options;
    cd_shard_grid grid;
    int32_t count;  // of shards that are written
    shard *shards;
    cd_writer **writer;  // by shard; NULL where none is open
    cd_model model;      // head tables and the frame record, with defaults; body: the chunk's
    cd_prog_rows progs;  // as they came
    cd_leaves leaves;
    bool prog_is_written, has_leaves, in_frame;
    bool has_body;
    int64_t last_id, bodies, seal;  // of the open frame
    double *box;                    // [m] room for the boxes of the largest shape: minima, maxima
} split;

// ---- writers -------------------------------------------------------------------------------------------------------

static cd_status open_shards(split *s)
{
    cd_ctx *ctx = s->ctx;
    bool is_one = s->options->only >= 0;
    cd_encoding usual = cd_reader_encoding(ctx->reader);
    s->count = is_one ? 1 : cd_shard_grid_cells(&s->grid);
    s->shards = CD_ARENA_ZARRAY(&ctx->run, shard, s->count);
    s->writer = CD_ARENA_ZARRAY(&ctx->run, cd_writer *, s->count);
    for (int32_t i = 0; i < s->count; i++)
        s->shards[i].index = is_one ? (int32_t)s->options->only : i;
    return is_one ? cd_open_writer(ctx, usual, s->writer) : cd_open_writers(ctx, usual, "shard", s->count, s->writer);
}

static cd_status write_own_progs(split *s)
{
    s->prog_is_written = true;
    for (int32_t i = 0; i < s->count; i++)
        CD_TRY(cd_write_own_prog(s->ctx, s->writer[i], &s->progs));
    return CD_OK;
}

static cd_status pass_to_all(split *s, const cd_chunk *chunk, const cd_rows *decoded)
{
    for (int32_t i = 0; i < s->count; i++)
        CD_TRY(cd_writer_pass(s->writer[i], s->ctx->reader, chunk, decoded, &s->ctx->diag));
    return CD_OK;
}

// ---- the head ------------------------------------------------------------------------------------------------------

static cd_status take_head(split *s, const cd_chunk *chunk)
{
    cd_ctx *ctx = s->ctx;
    if (!s->prog_is_written && chunk->type != CD_REC_head && chunk->type != CD_REC_prog)
        CD_TRY(write_own_progs(s));
    cd_rows *rows = cd_rows_new(&ctx->run, chunk->type);
    CD_TRY(cd_reader_decode(ctx->reader, chunk, &ctx->run, rows, &ctx->diag));
    s->model.dim = cd_reader_dim(ctx->reader);
    if (chunk->type == CD_REC_head) {
        CD_TRY(cd_shard_parse_grid(s->options, s->model.dim, &s->grid, &ctx->diag));
        if (!s->options->box)
            CD_TRY(cd_shard_box_of_file(ctx, &s->grid));
        CD_TRY(open_shards(s));
    }
    CD_TRY(pass_to_all(s, chunk, rows));
    cd_rows *table = chunk->type == CD_REC_prog ? (cd_rows *)&s->progs : cd_model_rows(&s->model, chunk->type);
    cd_rows_append(&ctx->run, &cd_records[chunk->type], s->model.dim, table, rows);
    return CD_OK;
}

// Once, at the first frame: what shapes are made of.
static cd_status end_head(split *s)
{
    cd_ctx *ctx = s->ctx;
    cd_model *in = &s->model;
    s->has_leaves = true;
    if (!s->prog_is_written)
        CD_TRY(write_own_progs(s));
    if (!in->head.length)
        return cd_fail(&ctx->diag, CD_ERR_FORMAT, "head: length: required, since each shard would measure another one");
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (cd_records[type].is_head && type != CD_REC_prog)
            cd_rows_fill_defaults(&ctx->run, &cd_records[type], in->dim, cd_model_rows(in, (cd_record_type)type));
    CD_TRY(cd_leaves_make(&ctx->run, in, cd_reader_refs(ctx->reader), &s->leaves, &ctx->diag));
    int32_t most = 1;
    for (int32_t i = 0; i < in->shape.count; i++)
        if (s->leaves.first[i + 1] - s->leaves.first[i] > most)
            most = s->leaves.first[i + 1] - s->leaves.first[i];
    s->box = CD_ARENA_ARRAY(&ctx->run, double, 2 * (size_t)in->dim * (size_t)most);
    return CD_OK;
}

// ---- bodies --------------------------------------------------------------------------------------------------------

// [m] The box of the body over all of its parts and its motion, grown. Leaves the first of the boxes in s->box.
static void box_of_body(split *s, const cd_bounds_frame *frame, const cd_reach *reach, int32_t body)
{
    const cd_model *in = frame->in;
    size_t dim = (size_t)in->dim;
    int32_t shape = in->body.shape[body], parts = s->leaves.first[shape + 1] - s->leaves.first[shape];
    double *min = s->box, *max = s->box + dim * (size_t)parts;
    cd_bounds_of_body(frame, body, cd_reach_share(reach, body) + s->options->halo, min, max);
    for (size_t i = dim; i < dim * (size_t)parts; i++) {
        min[i % dim] = fmin(min[i % dim], min[i]);
        max[i % dim] = fmax(max[i % dim], max[i]);
    }
    memmove(s->box + dim, max, dim * sizeof *max);
}

static void give_row(split *s, int32_t cell, int32_t row)
{
    if (s->options->only < 0)
        cd_list_push(&s->ctx->arena, &s->shards[cell].rows, row);
    else if (s->options->only == cell)
        cd_list_push(&s->ctx->arena, &s->shards[0].rows, row);
}

static cd_status place_body(split *s, const cd_bounds_frame *frame, const cd_reach *reach, int32_t body)
{
    const cd_model *in = frame->in;
    if (!cd_body_is_active(in, body)) {
        give_row(s, 0, body);
        return CD_OK;
    }
    cd_shard_range range = {{0}, {0}};
    bool has_shape = in->body.shape && in->body.shape[body] >= 0;
    if (!has_shape || cd_body_motion(in, body) == CD_MOTION_FIXED) {
        for (int k = 0; k < in->dim; k++)
            range.high[k] = s->grid.count[k] - 1;
    } else {
        CD_TRY(cd_body_need_position(in, body, &s->ctx->diag));
        if (s->leaves.first[in->body.shape[body] + 1] == s->leaves.first[in->body.shape[body]])
            return cd_fail(&s->ctx->diag, CD_ERR_FORMAT, "body %" PRId64 ": its shape has no parts", in->body.id[body]);
        box_of_body(s, frame, reach, body);
        range = cd_shard_grid_range(&s->grid, s->box, s->box + in->dim);
    }
    int32_t cell[3];
    memcpy(cell, range.low, sizeof cell);
    do
        give_row(s, cd_shard_grid_index(&s->grid, cell), body);
    while (cd_shard_range_next(&range, in->dim, cell));
    return CD_OK;
}

// Ids ascend, and what merging compares is taken down.
static cd_status count_bodies(split *s, const cd_body_rows *rows)
{
    for (int32_t i = 0; i < rows->count; i++) {
        if (s->has_body && rows->id[i] <= s->last_id)
            return cd_fail(&s->ctx->diag, CD_ERR_FORMAT,
                           "body %" PRId64 " stands behind body %" PRId64 ": bodies must come in the order of ids",
                           rows->id[i], s->last_id);
        s->has_body = true;
        s->last_id = rows->id[i];
        s->seal = cd_shard_seal(s->seal, rows, s->model.dim, i);
    }
    s->bodies += rows->count;
    return CD_OK;
}

static cd_status write_rows(split *s, int32_t number, const cd_body_rows *rows)
{
    cd_ctx *ctx = s->ctx;
    return cd_writer_rows(s->writer[number], CD_REC_body, s->model.dim, cd_reader_refs(ctx->reader),
                          (const cd_rows *)rows, &ctx->diag);
}

static cd_status write_waiting(split *s, int32_t number)
{
    cd_body_rows rows = s->shards[number].waiting;
    s->shards[number].waiting = (cd_body_rows){.count = 0};
    return write_rows(s, number, &rows);
}

static cd_status write_all_waiting(split *s)
{
    for (int32_t i = 0; i < s->count; i++)
        CD_TRY(write_waiting(s, i));
    return CD_OK;
}

// Rows of a chunk, which is not there for long.
static cd_status add_rows(split *s, int32_t number, const cd_body_rows *rows)
{
    const cd_record *record = &cd_records[CD_REC_body];
    shard *one = &s->shards[number];
    if (rows->count == 0)
        return CD_OK;
    if (!cd_rows_are_plain(record, (const cd_rows *)rows)) {
        CD_TRY(write_waiting(s, number));
        return write_rows(s, number, rows);
    }
    int32_t block = cd_writer_block_rows(CD_REC_body, s->model.dim, (const cd_rows *)rows);
    double share = waiting_most / CD_WRITER_BLOCK_BYTES / s->count;
    cd_rows_gather(&one->store, &s->ctx->arena, record, s->model.dim, (cd_rows *)&one->waiting, (const cd_rows *)rows);
    return one->waiting.count >= fmin(share, 1) * block ? write_waiting(s, number) : CD_OK;
}

static cd_status take_bodies(split *s, const cd_chunk *chunk)
{
    cd_ctx *ctx = s->ctx;
    cd_model *in = &s->model;
    const cd_record *record = &cd_records[CD_REC_body];
    cd_arena_reset(&ctx->arena);
    cd_body_rows rows = {0};
    CD_TRY(cd_reader_decode_here(ctx->reader, chunk, &ctx->arena, (cd_rows *)&rows, &ctx->diag));
    CD_TRY(count_bodies(s, &rows));
    // A copy for defaults: what is written stays as it came.
    int32_t *all = CD_ARENA_ARRAY(&ctx->arena, int32_t, rows.count);
    for (int32_t i = 0; i < rows.count; i++)
        all[i] = i;
    cd_rows_select(&ctx->arena, record, in->dim, (cd_rows *)&in->body, (cd_rows *)&rows, all, rows.count);
    cd_rows_fill_defaults(&ctx->arena, record, in->dim, (cd_rows *)&in->body);
    cd_bounds_frame frame = {in, &s->leaves, cd_body_trial_rows(&ctx->arena, in), false};
    cd_reach reach = cd_reach_make_shares(&ctx->arena, in, &s->leaves, NAN);
    for (int32_t i = 0; i < s->count; i++)
        memset(&s->shards[i].rows, 0, sizeof s->shards[i].rows);
    for (int32_t i = 0; i < rows.count; i++)
        CD_TRY(place_body(s, &frame, &reach, i));
    // The chunk's rows, a shard at a time.
    cd_arena_mark mark = cd_arena_get_mark(&ctx->arena);
    for (int32_t i = 0; i < s->count; i++) {
        cd_body_rows part;
        cd_rows_select(&ctx->arena, record, in->dim, (cd_rows *)&part, (cd_rows *)&rows, s->shards[i].rows.item,
                       s->shards[i].rows.count);
        CD_TRY(add_rows(s, i, &part));
        cd_arena_rewind(&ctx->arena, mark);
    }
    return CD_OK;
}

// ---- frames --------------------------------------------------------------------------------------------------------

static cd_status open_frame(split *s, const cd_chunk *chunk)
{
    cd_ctx *ctx = s->ctx;
    if (!s->has_leaves)
        CD_TRY(end_head(s));
    s->has_body = false;
    s->bodies = s->seal = 0;
    cd_frame_rows rows = {0};
    CD_TRY(cd_reader_decode(ctx->reader, chunk, &ctx->run, (cd_rows *)&rows, &ctx->diag));
    CD_TRY(pass_to_all(s, chunk, (cd_rows *)&rows));
    cd_rows_fill_defaults(&ctx->run, &cd_records[CD_REC_frame], s->model.dim, (cd_rows *)&rows);
    s->model.frame = rows;
    s->in_frame = true;
    return CD_OK;
}

static cd_status close_frame(split *s)
{
    cd_ctx *ctx = s->ctx;
    cd_arena_reset(&ctx->arena);
    cd_shard_rows row = {.count = 1};
    int64_t *index = CD_COLUMN(&ctx->arena, s->grid.dim, shard, &row, index);
    int32_t ends[] = {0, s->grid.dim};
    row.grid = (cd_list){.offset = ends, {.i32 = s->grid.count}};
    row.min = s->grid.min;
    row.max = s->grid.max;
    row.bodies = &s->bodies;
    row.seal = &s->seal;
    for (int32_t i = 0; i < s->count; i++) {
        *index = s->shards[i].index;
        CD_TRY(cd_writer_rows(s->writer[i], CD_REC_shard, s->grid.dim, cd_reader_refs(ctx->reader), (cd_rows *)&row,
                              &ctx->diag));
        CD_TRY(cd_writer_frame_end(s->writer[i], &ctx->diag));
    }
    cd_progress(ctx, "frame %" PRId64, s->model.frame.index[0]);
    s->in_frame = false;
    return CD_OK;
}

static cd_status take_unknown(split *s, const cd_chunk *chunk)
{
    cd_ctx *ctx = s->ctx;
    uint32_t text = CD_BLOCK_PRIVATE | CD_BLOCK_SAFE_TO_COPY;
    if (s->in_frame && chunk->encoding == CD_ENCODING_BINARY && (chunk->header.flags & text) != text)
        return cd_fail(&ctx->diag, CD_ERR_UNSUPPORTED, "%s: a table of unknown type may refer to rows of others",
                       chunk->name);
    cd_arena_mark mark = cd_arena_get_mark(&ctx->arena);
    CD_TRY(cd_reader_check_lines(ctx->reader, chunk, &ctx->arena, &ctx->diag));
    cd_arena_rewind(&ctx->arena, mark);
    return pass_to_all(s, chunk, NULL);
}

static cd_status take_chunk(split *s, const cd_chunk *chunk)
{
    cd_ctx *ctx = s->ctx;
    if (s->in_frame && chunk->type != CD_REC_body)
        CD_TRY(write_all_waiting(s));
    switch ((int)chunk->type) {
    case CD_REC_UNKNOWN:
        return take_unknown(s, chunk);
    case CD_REC_frame:
        return open_frame(s, chunk);
    case CD_REC_body:
        return take_bodies(s, chunk);
    case CD_REC_node:
        return pass_to_all(s, chunk, NULL);
    case CD_REC_fend:
        return close_frame(s);
    case CD_REC_end:
        return CD_OK;
    case CD_REC_shard:
        return cd_fail(&ctx->diag, CD_ERR_UNSUPPORTED, "shard: the stream is a shard already");
    case CD_REC_spring:
        return cd_fail(&ctx->diag, CD_ERR_UNSUPPORTED, "spring: a frame with springs of friction cannot be split");
    case CD_REC_trial:
    case CD_REC_impulse:
        return cd_fail(&ctx->diag, CD_ERR_UNSUPPORTED, "%s: a frame that is sent again cannot be split",
                       cd_records[chunk->type].name);
    default:
        return s->in_frame ? CD_OK : take_head(s, chunk);  // of a frame: what stages made of it
    }
}

static cd_status split_stream(split *s)
{
    cd_ctx *ctx = s->ctx;
    CD_TRY(cd_open_reader(ctx, 0, &ctx->reader));
    ctx->refs = cd_reader_refs(ctx->reader);
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(ctx->reader, &chunk, &ctx->diag)) == CD_OK) {
        status = take_chunk(s, &chunk);
        if (status != CD_OK)
            return s->in_frame && status != CD_ERR_IO ? cd_fail_in_frame(&ctx->diag, status, &s->model.frame) : status;
    }
    if (status != CD_END)
        return status;
    if (!s->prog_is_written)
        CD_TRY(write_own_progs(s));
    for (int32_t i = 0; i < s->count; i++)
        CD_TRY(cd_writer_end(s->writer[i], &ctx->diag));
    return CD_OK;
}

cd_status cd_shard_split_run(cd_ctx *ctx, const cd_shard_options *options)
{
    split s = {.ctx = ctx, .options = options};
    cd_status status = split_stream(&s);
    for (int32_t i = 0; i < s.count; i++) {
        cd_writer_close(s.writer[i]);
        cd_column_store_release(&s.shards[i].store);
    }
    return status;
}
