// One stream of pieces of one run. Of two pieces the frame that opens the second is known before the last ones of the
// first are passed: so frames go through as stored bytes, and those that both have are held against each other as sums
// of their tables (view_digest.h) without being kept.
// SPDX-License-Identifier: MIT
#include "cd_rows.h"
#include "view_digest.h"
#include "view_run.h"

#include "cd_parcel.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct piece {
    const char *name;
    cd_reader *reader;
    cd_chunk chunk;        // the record of its first frame
    cd_frame_rows *first;  // its rows
} piece;

// A frame that two pieces have, as the first of them has it.
typedef struct twin {
    int64_t index;
    cd_buffer sums;  // a line a table
} twin;

typedef CD_LIST(twin) twins;

typedef struct join_run {
    cd_ctx *ctx;
    bool prog_is_written;
    cd_prog_rows prog;                 // of the first piece
    cd_buffer head[CD_REC_COUNT + 1];  // of the first piece: lines of each head table, of unknown ones together
    piece now, next;
    const char *before;       // the piece before `now`
    int64_t last;             // index of the last frame of `now`
    double last_time;         // [s]
    twins of_before, of_now;  // frames that the piece behind has too; those of `before` are looked for in `now`
    int32_t seen;             // of them so far
} join_run;

static cd_status refuse(join_run *run, const char *name, int64_t index, const char *reason, const char *other)
{
    return cd_fail(&run->ctx->diag, CD_ERR_FORMAT, "%.150s: frame %" PRId64 ": %s %.150s", name, index, reason, other);
}

// ---- heads ---------------------------------------------------------------------------------------------------------

static void print_head(cd_arena *arena, cd_tables *tables, const cd_refs *refs, cd_buffer text[CD_REC_COUNT + 1])
{
    for (int type = 0; type < CD_REC_COUNT; type++) {
        cd_rows *rows = cd_model_rows(&tables->model, (cd_record_type)type);
        if (type == CD_REC_prog || rows->count == 0)
            continue;
        cd_rows_fill_defaults(arena, &cd_records[type], tables->model.dim, rows);
        cd_json_encode(&cd_records[type], tables->model.dim, refs, rows, 0, rows->count, &text[type]);
    }
    for (int32_t i = 0; i < tables->foreign.count; i++)
        for (int32_t k = 0; k < tables->foreign.item[i].row.count; k++)
            cd_buffer_printf(&text[CD_REC_COUNT], "%s %s\n", tables->foreign.item[i].name,
                             tables->foreign.item[i].row.item[k]);
}

// Rows of bodies name rows of head tables, so these must be the same in the same order.
static cd_status compare_heads(join_run *run, const piece *of, const cd_buffer text[CD_REC_COUNT + 1])
{
    for (int type = 0; type <= CD_REC_COUNT; type++) {
        const cd_buffer *first = &run->head[type];
        if (first->size == text[type].size && (first->size == 0 || !memcmp(first->data, text[type].data, first->size)))
            continue;
        return cd_fail(&run->ctx->diag, CD_ERR_FORMAT, "%.150s: head table %s: not that of %.150s: not one run",
                       of->name, type < CD_REC_COUNT ? cd_records[type].name : "of unknown type", run->now.name);
    }
    return CD_OK;
}

// Behind the records of others and before all else.
static cd_status write_own_prog(join_run *run)
{
    if (run->prog_is_written)
        return CD_OK;
    run->prog_is_written = true;
    return cd_write_own_prog(run->ctx, run->ctx->writer, &run->prog);
}

static cd_status take_head_chunk(join_run *run, piece *of, bool is_first, cd_tables *tables)
{
    cd_ctx *ctx = run->ctx;
    const cd_chunk *chunk = &of->chunk;
    cd_rows *rows = NULL;
    if (is_first && chunk->type != CD_REC_head && chunk->type != CD_REC_prog && chunk->type != CD_REC_UNKNOWN)
        CD_TRY(write_own_prog(run));
    if (chunk->type == CD_REC_UNKNOWN) {
        CD_TRY(cd_tables_take(&ctx->run, of->reader, chunk, tables, &ctx->diag));
    } else {
        rows = cd_rows_new(&ctx->run, chunk->type);
        CD_TRY(cd_reader_decode(of->reader, chunk, &ctx->run, rows, &ctx->diag));
        tables->model.dim = cd_reader_dim(of->reader);
        cd_rows_append(&ctx->run, &cd_records[chunk->type], tables->model.dim,
                       cd_model_rows(&tables->model, chunk->type), rows);
    }
    if (is_first && chunk->type == CD_REC_prog)
        cd_rows_append(&ctx->run, &cd_records[CD_REC_prog], 2, (cd_rows *)&run->prog, rows);
    return is_first ? cd_writer_pass(ctx->writer, of->reader, chunk, rows, &ctx->diag) : CD_OK;
}

static cd_status take_frame_record(join_run *run, piece *of)
{
    of->first = (cd_frame_rows *)cd_rows_new(&run->ctx->run, CD_REC_frame);
    return cd_reader_decode(of->reader, &of->chunk, &run->ctx->run, (cd_rows *)of->first, &run->ctx->diag);
}

// Reads a piece up to the record of its first frame. The head of the first one is written.
static cd_status open_piece(join_run *run, int operand, piece *of)
{
    cd_ctx *ctx = run->ctx;
    const bool is_first = operand == 0;
    of->name = ctx->operand[operand];
    CD_TRY(cd_open_reader(ctx, operand, &of->reader));
    if (is_first) {
        ctx->refs = cd_reader_refs(of->reader);
        CD_TRY(cd_open_writer(ctx, cd_reader_encoding(of->reader), &ctx->writer));
    }
    cd_tables tables = {0};
    for (;;) {
        CD_TRY(cd_reader_next(of->reader, &of->chunk, &ctx->diag));
        if (of->chunk.type == CD_REC_end)
            return cd_fail(&ctx->diag, CD_ERR_FORMAT, "%.150s: no frame: nothing to join", of->name);
        if (of->chunk.type == CD_REC_frame)
            break;
        CD_TRY(take_head_chunk(run, of, is_first, &tables));
    }
    cd_buffer text[CD_REC_COUNT + 1] = {{0}};
    print_head(&ctx->run, &tables, cd_reader_refs(of->reader), is_first ? run->head : text);
    cd_status status = is_first ? write_own_prog(run) : compare_heads(run, of, text);
    for (int type = 0; type <= CD_REC_COUNT; type++)
        cd_buffer_release(&text[type]);
    return status == CD_OK ? take_frame_record(run, of) : status;
}

// ---- frames that two pieces have -----------------------------------------------------------------------------------

// Each table of the earlier piece must be in the later one; this may have more: a run that was stopped ends with a
// frame of bodies alone, the one that goes on has what the stages made of it.
static cd_status compare_twin(join_run *run, const twin *earlier, cd_buffer *later)
{
    for (const char *line = earlier->sums.data, *end = line + earlier->sums.size; line && line < end;) {
        size_t length = (size_t)((const char *)memchr(line, '\n', (size_t)(end - line)) - line) + 1;
        if (!memmem(later->data, later->size, line, length)) {
            char reason[64];
            snprintf(reason, sizeof reason, "table %.*s: not as in", (int)strcspn(line, " "), line);
            return refuse(run, run->now.name, earlier->index, reason, run->before);
        }
        line += length;
    }
    return CD_OK;
}

static void forget(twins *list)
{
    for (int32_t i = 0; i < list->count; i++)
        cd_buffer_release(&list->item[i].sums);
    list->count = 0;
}

static cd_status take_twin(join_run *run, cd_tables *tables, bool is_opening)
{
    twin one = {.index = tables->model.frame.index[0]};
    if (is_opening && run->seen == run->of_before.count)
        return CD_OK;  // of this index the later piece has more
    cd_digest_tables(&run->ctx->arena, tables, cd_reader_refs(run->now.reader), &one.sums);
    if (!is_opening) {
        cd_list_push(&run->ctx->run, &run->of_now, one);
        return CD_OK;
    }
    cd_status status = compare_twin(run, &run->of_before.item[run->seen++], &one.sums);
    cd_buffer_release(&one.sums);
    return status;
}

// ---- frames --------------------------------------------------------------------------------------------------------

typedef struct frame_way {
    bool is_written;  // into the output
    bool is_twin;     // to be held against the same one of the piece before or behind
} frame_way;

// From the record of a frame to its fend, which run->now.chunk is then.
static cd_status pass_frame(join_run *run, cd_frame_rows *frame, frame_way way, cd_tables *tables)
{
    cd_ctx *ctx = run->ctx;
    piece *of = &run->now;
    cd_rows *rows = (cd_rows *)frame;
    tables->model.dim = cd_reader_dim(of->reader);
    tables->model.frame = *frame;
    for (;;) {
        if (way.is_written)
            CD_TRY(cd_writer_pass(ctx->writer, of->reader, &of->chunk, rows, &ctx->diag));
        CD_TRY(cd_reader_next(of->reader, &of->chunk, &ctx->diag));
        if (of->chunk.type == CD_REC_fend)
            return way.is_written ? cd_writer_frame_end(ctx->writer, &ctx->diag) : CD_OK;
        rows = NULL;
        if (way.is_twin && of->chunk.type == CD_REC_UNKNOWN)
            CD_TRY(cd_tables_take(&ctx->arena, of->reader, &of->chunk, tables, &ctx->diag));
        if (!way.is_twin || of->chunk.type == CD_REC_UNKNOWN)
            continue;
        rows = cd_rows_new(&ctx->arena, of->chunk.type);
        CD_TRY(cd_reader_decode(of->reader, &of->chunk, &ctx->arena, rows, &ctx->diag));
        cd_rows_append(&ctx->arena, &cd_records[of->chunk.type], tables->model.dim,
                       cd_model_rows(&tables->model, of->chunk.type), rows);
    }
}

static cd_status take_frame(join_run *run, cd_frame_rows *frame)
{
    const int64_t index = frame->index[0];
    const bool has_next = run->next.reader != NULL;
    if (index < run->last)
        return refuse(run, run->now.name, index, "it comes behind a later one of", run->now.name);
    if (has_next && index > run->next.first->index[0])
        return refuse(run, run->next.name, run->next.first->index[0], "it comes before the last one of", run->now.name);
    const bool is_opening = run->of_before.count > 0 && index == run->now.first->index[0];
    const bool is_closing = has_next && index == run->next.first->index[0];
    if (is_opening && is_closing)
        return refuse(run, run->now.name, index, "it is the first one of", run->next.name);
    run->last = index;
    run->last_time = frame->time[0];
    cd_tables tables = {0};
    CD_TRY(pass_frame(run, frame, (frame_way){!is_closing, is_opening || is_closing}, &tables));
    return is_opening || is_closing ? take_twin(run, &tables, is_opening) : CD_OK;
}

// The next record `frame`; CD_END behind the last frame.
static cd_status find_frame(join_run *run, cd_frame_rows **frame)
{
    cd_ctx *ctx = run->ctx;
    piece *of = &run->now;
    CD_TRY(cd_reader_next(of->reader, &of->chunk, &ctx->diag));
    if (of->chunk.type == CD_REC_end)
        return cd_reader_next(of->reader, &of->chunk, &ctx->diag);
    if (of->chunk.type != CD_REC_frame)
        return refuse(run, of->name, run->last, "behind it is a table of no frame in", of->name);
    *frame = (cd_frame_rows *)cd_rows_new(&ctx->arena, CD_REC_frame);
    return cd_reader_decode(of->reader, &of->chunk, &ctx->arena, (cd_rows *)*frame, &ctx->diag);
}

// All frames of `now` but those that open `next`.
static cd_status pass_piece(join_run *run)
{
    cd_frame_rows *frame = run->now.first;
    cd_status status = CD_OK;
    run->last = frame->index[0];
    while (status == CD_OK) {
        CD_TRY(take_frame(run, frame));
        cd_arena_reset(&run->ctx->arena);
        status = find_frame(run, &frame);
    }
    if (status == CD_END && run->seen < run->of_before.count)
        return refuse(run, run->now.name, run->now.first->index[0], "it has fewer parts or rounds than in",
                      run->before);
    return status == CD_END ? CD_OK : status;
}

static cd_status check_seam(join_run *run)
{
    const cd_frame_rows *first = run->next.first;
    char reason[80];
    if (run->of_now.count > 0)
        return CD_OK;
    snprintf(reason, sizeof reason, "it does not follow frame %" PRId64 ", the last of", run->last);
    if (first->index[0] != run->last + 1)
        return refuse(run, run->next.name, first->index[0], reason, run->now.name);
    return first->time[0] > run->last_time ? CD_OK
                                           : refuse(run, run->next.name, first->index[0],
                                                    "its time is not after that of the last of", run->now.name);
}

// `next` becomes `now`.
static void go_on(join_run *run)
{
    run->before = run->now.name;
    cd_reader_close(run->now.reader);
    run->now = run->next;
    run->ctx->reader = run->now.reader;
    run->next = (piece){0};
    forget(&run->of_before);
    twins gone = run->of_before;
    run->of_before = run->of_now;
    run->of_now = gone;
    run->seen = 0;
}

static cd_status join_all(join_run *run)
{
    cd_ctx *ctx = run->ctx;
    CD_TRY(open_piece(run, 0, &run->now));
    for (int k = 1; k <= ctx->operand_count; k++) {
        ctx->reader = run->now.reader;
        if (k < ctx->operand_count)
            CD_TRY(open_piece(run, k, &run->next));
        CD_TRY(pass_piece(run));
        if (k == ctx->operand_count)
            break;
        CD_TRY(check_seam(run));
        go_on(run);
    }
    return cd_writer_end(ctx->writer, &ctx->diag);
}

cd_status cd_view_run_join(cd_ctx *ctx)
{
    if (ctx->operand_count < 2)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--join: wanted two files or more, in the order of their frames");
    join_run run = {.ctx = ctx};
    cd_status status = join_all(&run);
    for (int type = 0; type <= CD_REC_COUNT; type++)
        cd_buffer_release(&run.head[type]);
    forget(&run.of_before);
    forget(&run.of_now);
    cd_reader_close(run.next.reader);
    ctx->reader = run.now.reader;
    return status;
}
