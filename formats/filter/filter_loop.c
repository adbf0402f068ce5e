// The read-process-write loop over frames.
// SPDX-License-Identifier: MIT
#include "cd_clock.h"
#include "cd_filter.h"
#include "cd_parcel.h"
#include "cd_rows.h"
#include "filter_again.h"
#include "filter_provenance.h"
#include "filter_sink.h"
#include "filter_statistics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct loop {
    cd_ctx *ctx;
    uint64_t needs;
    uint64_t counted;  // tables of the frame that are not needed but referred to by needed ones: by their rows' numbers
    cd_rank rank;      // of what the stage writes; CD_RANK_END: it writes nothing
    bool own_prog_is_written;
    bool head_is_complete;
    bool is_rerun;            // a table of the stage or a derived one was dropped in this frame
    cd_metric_rows metric;    // metrics of the frame that stay
    cd_metric_rows doubtful;  // metrics of tools outside the project: they stay unless this is a rerun
    cd_parcel unsafe;  // foreign blocks of the frame without CD_BLOCK_SAFE_TO_COPY: they stay unless this is a rerun
    bool in_frame;
    bool has_food;  // a table was met that the stage lives on
    int64_t frames;
    filter_times times;
    cd_column_store store[CD_REC_COUNT];  // run lifetime: columns of the needed tables of the frame
    cd_arena first[CD_REC_COUNT];         // what holds a table of the head that came in one large chunk so far
    cd_arena spent;                       // until the next chunk
    filter_again again;
} loop;

static cd_status write_own_prog(loop *l)
{
    l->own_prog_is_written = true;
    return cd_write_own_prog(l->ctx, l->ctx->writer, &l->ctx->in.prog);
}

static cd_status sort_metrics(loop *l, const cd_metric_rows *metric)
{
    cd_ctx *ctx = l->ctx;
    int32_t *stay = CD_ARENA_ARRAY(&ctx->arena, int32_t, metric->count), stays = 0;
    int32_t *doubt = CD_ARENA_ARRAY(&ctx->arena, int32_t, metric->count), doubts = 0;
    for (int32_t i = 0; i < metric->count; i++) {
        cd_rank rank = filter_metric_rank(metric->tool[i]);
        if (!strcmp(metric->tool[i], ctx->filter->name))
            l->is_rerun = true;
        else if (rank == CD_RANK_END)
            doubt[doubts++] = i;
        else if (rank < l->rank || l->rank == CD_RANK_METRIC)
            stay[stays++] = i;
    }
    const cd_record *record = &cd_records[CD_REC_metric];
    cd_metric_rows part;
    cd_rows_select(&ctx->arena, record, 2, (cd_rows *)&part, (const cd_rows *)metric, stay, stays);
    cd_rows_append(&ctx->arena, record, 2, (cd_rows *)&l->metric, (cd_rows *)&part);
    if (ctx->needs & CD_BIT(metric))
        cd_rows_append(&ctx->arena, record, 2, (cd_rows *)&ctx->in.metric, (cd_rows *)&part);
    cd_rows_select(&ctx->arena, record, 2, (cd_rows *)&part, (const cd_rows *)metric, doubt, doubts);
    cd_rows_append(&ctx->arena, record, 2, (cd_rows *)&l->doubtful, (cd_rows *)&part);
    return CD_OK;
}

// Rows of the head stay where they were decoded, but where more of them come: then they are copied, and the memory of
// large chunks is given back. (A surface of a million triangles has 24 MB.)
static void take_head_rows(loop *l, const cd_record *record, cd_rows *table, const cd_rows *rows, cd_arena *memory)
{
    cd_arena *run = &l->ctx->run, *first = &l->first[record->type];
    bool is_first = table->count == 0;
    if (!is_first && !cd_rows_are_copied(record, table))
        cd_arena_adopt(run, first);
    if (!is_first && !cd_rows_are_copied(record, rows))
        cd_arena_adopt(run, memory);
    cd_rows_append(run, record, l->ctx->in.dim, table, rows);
    if (is_first) {
        *first = *memory;
        return;
    }
    cd_arena_release(first);
    l->spent = *memory;
}

// Rows of the frame are copied out of the reader's window, into columns that grow in place and stay for the next frame.
static void take_rows(loop *l, const cd_record *record, cd_rows *table, const cd_rows *rows, cd_arena *memory)
{
    cd_ctx *ctx = l->ctx;
    union {
        cd_rows rows;
        cd_model any;
    } read;
    memcpy(&read, rows, record->size);
    cd_rows_leave_out(record, ctx->unread[record->type], &read.rows);
    if (record->is_head)
        take_head_rows(l, record, table, &read.rows, memory);
    else
        cd_rows_gather(&l->store[record->type], &ctx->arena, record, ctx->in.dim, table, &read.rows);
}

// Can the arena's memory of a chunk be given back? Not when something in it has become part of the table: texts and
// lists of these rows, or the unknown members of all rows so far, whose column has grown.
static bool is_spent(const loop *l, const cd_record *record, const cd_rows *rows)
{
    const cd_rows *table = cd_model_rows(&l->ctx->in, record->type);
    return !record->is_head && cd_rows_are_plain(record, rows) && cd_rows_are_plain(record, table);
}

static cd_status take_unknown(loop *l, const cd_chunk *chunk)
{
    cd_ctx *ctx = l->ctx;
    CD_TRY(cd_reader_check_lines(ctx->reader, chunk, &ctx->arena, &ctx->diag));
    bool is_unsafe = chunk->encoding == CD_ENCODING_BINARY && !(chunk->header.flags & CD_BLOCK_SAFE_TO_COPY);
    if (is_unsafe && l->in_frame && l->rank != CD_RANK_END)
        cd_parcel_add(&ctx->arena, &l->unsafe, chunk, NULL);
    else
        CD_TRY(cd_writer_pass(ctx->writer, ctx->reader, chunk, NULL, &ctx->diag));
    return CD_OK;
}

// A table of the head: of a large chunk its memory is its own.
static cd_status decode_head(loop *l, const cd_chunk *chunk, const cd_record *record, cd_rows *decoded)
{
    enum { LARGE = 1 << 20 };  // [bytes]
    cd_ctx *ctx = l->ctx;
    cd_arena own = {0};
    bool is_needed = l->needs >> chunk->type & 1;
    bool is_large = (chunk->encoding == CD_ENCODING_BINARY ? chunk->header.raw_size : chunk->lines_size) > LARGE;
    cd_status status =
        cd_reader_decode(ctx->reader, chunk, is_large && is_needed ? &own : &ctx->run, decoded, &ctx->diag);
    if (status != CD_OK)
        cd_arena_release(&own);
    CD_TRY(status);
    if (chunk->type == CD_REC_head)
        ctx->in.dim = ctx->out.dim = cd_reader_dim(ctx->reader);
    if (is_needed)
        take_rows(l, record, cd_model_rows(&ctx->in, chunk->type), decoded, &own);
    return CD_OK;
}

// A chunk of a frame; its columns may be the reader's own, or lie in the chunk's bytes. is_late: cd_reader_decode_late.
static cd_status decode(loop *l, const cd_chunk *chunk, const cd_record *record, bool is_late, cd_rows *decoded)
{
    cd_ctx *ctx = l->ctx;
    if (is_late)
        CD_TRY(cd_reader_decode_late(ctx->reader, chunk, &ctx->arena, decoded, &ctx->diag));
    else
        CD_TRY(cd_reader_decode_here(ctx->reader, chunk, &ctx->arena, decoded, &ctx->diag));
    if (l->needs >> chunk->type & 1)
        take_rows(l, record, cd_model_rows(&ctx->in, chunk->type), decoded, &(cd_arena){0});
    if (chunk->type != CD_REC_frame)
        return CD_OK;
    filter_again_open(&l->again, (const cd_frame_rows *)decoded);
    return ctx->filter->open_frame ? ctx->filter->open_frame(ctx) : CD_OK;
}

// A table of the stage's own or one that derives from them; metrics are sorted one by one. From metrics alone nothing
// derives, so of their rank a stage drops what it writes itself.
static bool is_stale(const loop *l, const cd_record *record)
{
    if (record->rank < l->rank || record->rank <= CD_RANK_INPUT || record->type == CD_REC_metric)
        return false;
    return record->rank < CD_RANK_METRIC || (record->rank == CD_RANK_METRIC && l->rank < CD_RANK_METRIC) ||
           (l->ctx->writes >> record->type & 1);
}

static bool is_sorted_metric(const loop *l, const cd_chunk *chunk)
{
    return chunk->type == CD_REC_metric && l->rank != CD_RANK_END;
}

// Chunks that were as in the frame before, but this is another frame.
static cd_status decode_kept(loop *l, bool is_odd)
{
    union {
        cd_rows rows;
        cd_model any;
    } decoded;
    cd_ctx *ctx = l->ctx;
    filter_again *again = &l->again;
    uint64_t forgotten = 0;
    for (int32_t k = 0; k < again->same; k++) {
        const cd_chunk *chunk = &again->in.item[k];
        if (l->counted >> chunk->type & 1)
            continue;
        const cd_record *record = &cd_records[chunk->type];
        cd_arena_mark before = cd_arena_get_mark(&ctx->arena);
        if (!(forgotten >> chunk->type & 1))
            cd_refs_forget(ctx->refs, chunk->type);
        forgotten |= UINT64_C(1) << chunk->type;
        CD_TRY(decode(l, chunk, record, true, &decoded.rows));
        if (is_sorted_metric(l, chunk))
            CD_TRY(sort_metrics(l, (const cd_metric_rows *)&decoded.rows));
        else if (is_spent(l, record, &decoded.rows))
            cd_arena_rewind(&ctx->arena, before);
    }
    filter_again_turn(again, is_odd);
    return CD_OK;
}

// A chunk of which no more than the number of its rows matters: a reference behind them is an error.
static cd_chunk count_of(const cd_chunk *chunk)
{
    cd_chunk count = *chunk;
    count.stored = "";
    count.header.flags = 0;
    count.header.payload_crc = 0;
    count.header.stored_size = count.header.raw_size = 0;
    return count;
}

// A chunk of a frame's table that is needed, or counted. Is it as in the frame before, so that it need not be decoded
// yet?
static cd_status look_again(loop *l, const cd_chunk *chunk, bool is_dropped, bool *is_same)
{
    filter_again *again = &l->again;
    const cd_chunk seen = l->counted >> chunk->type & 1 ? count_of(chunk) : *chunk;
    *is_same = !is_dropped && filter_again_take(again, &seen);
    if (*is_same)
        return CD_OK;
    if (again->same >= 0 || is_dropped)
        CD_TRY(decode_kept(l, is_dropped));
    filter_again_add(again, &seen);
    return CD_OK;
}

static cd_status take_table(loop *l, const cd_chunk *chunk)
{
    cd_ctx *ctx = l->ctx;
    const cd_record *record = &cd_records[chunk->type];
    bool is_metric = is_sorted_metric(l, chunk), is_dropped = is_stale(l, record), is_same = false;
    bool is_needed = is_metric || (l->needs >> chunk->type & 1);
    union {
        cd_rows rows;
        cd_model any;
    } decoded;
    bool is_looked_at = is_needed || is_dropped || (l->counted >> chunk->type & 1);
    if (l->again.is_on && !record->is_head && chunk->type != CD_REC_frame && is_looked_at)
        CD_TRY(look_again(l, chunk, is_dropped, &is_same));
    if (is_same)
        return is_metric ? CD_OK : cd_writer_pass(ctx->writer, ctx->reader, chunk, NULL, &ctx->diag);
    cd_arena_mark before = cd_arena_get_mark(&ctx->arena);
    if (!is_needed)
        CD_TRY(cd_reader_check_lines(ctx->reader, chunk, &ctx->arena, &ctx->diag));
    else if (record->is_head)
        CD_TRY(decode_head(l, chunk, record, &decoded.rows));
    else
        CD_TRY(decode(l, chunk, record, false, &decoded.rows));
    if (is_metric)
        return sort_metrics(l, (const cd_metric_rows *)&decoded.rows);
    if (is_dropped)
        l->is_rerun = true;
    else
        CD_TRY(cd_writer_pass(ctx->writer, ctx->reader, chunk, is_needed ? &decoded.rows : NULL, &ctx->diag));
    if (is_needed && is_spent(l, record, &decoded.rows))
        cd_arena_rewind(&ctx->arena, before);
    return CD_OK;
}

static cd_status take_chunk(loop *l, const cd_chunk *chunk)
{
    cd_ctx *ctx = l->ctx;
    cd_arena_release(&l->spent);
    if (!l->own_prog_is_written && chunk->type != CD_REC_head && chunk->type != CD_REC_prog &&
        chunk->type != CD_REC_UNKNOWN)
        CD_TRY(write_own_prog(l));
    if (chunk->type == CD_REC_UNKNOWN)
        return take_unknown(l, chunk);
    l->in_frame = l->in_frame || chunk->type == CD_REC_frame;
    l->has_food = l->has_food || (ctx->filter->lives_on >> chunk->type & 1);
    return take_table(l, chunk);
}

static void fill_defaults(loop *l, bool head)
{
    cd_ctx *ctx = l->ctx;
    for (int type = 0; type < CD_REC_COUNT; type++)
        if ((l->needs & ~ctx->plain) >> type & 1 && cd_records[type].is_head == head)
            cd_rows_fill_defaults_but(head ? &ctx->run : &ctx->arena, &cd_records[type], ctx->in.dim,
                                      ctx->unread[type] | ctx->bare[type],
                                      cd_model_rows(&ctx->in, (cd_record_type)type));
}

// Parts of a size that the next stage reads in cache.
static cd_status write_parts(cd_ctx *ctx, cd_record_type type, const cd_parts *parts)
{
    enum { PART_ROWS = 32768 };
    union {
        cd_rows rows;
        cd_model any;
    } part;
    cd_arena_mark mark = cd_arena_get_mark(&ctx->arena);
    for (int32_t first = 0; first < parts->count; first += part.rows.count) {
        memset(&part, 0, cd_records[type].size);
        part.rows.count = parts->count - first < PART_ROWS ? parts->count - first : PART_ROWS;
        parts->make(parts->context, &ctx->arena, first, part.rows.count, &part.rows);
        CD_TRY(cd_writer_rows(ctx->writer, type, ctx->in.dim, ctx->refs, &part.rows, &ctx->diag));
        cd_arena_rewind(&ctx->arena, mark);
    }
    return CD_OK;
}

static cd_status write_tables(loop *l)
{
    cd_ctx *ctx = l->ctx;
    uint64_t writes = ctx->writes;
    for (int type = 0; type < CD_REC_COUNT; type++) {
        cd_rows *rows = cd_model_rows(&ctx->out, (cd_record_type)type);
        if (!(writes >> type & 1) || type == CD_REC_metric)
            continue;
        cd_refs_forget(ctx->refs, (cd_record_type)type);
        if (ctx->parts[type].make) {
            CD_TRY(write_parts(ctx, (cd_record_type)type, &ctx->parts[type]));
            continue;
        }
        CD_TRY(cd_refs_add_table(ctx->refs, (cd_record_type)type, rows, &ctx->diag));
        CD_TRY(cd_writer_rows(ctx->writer, (cd_record_type)type, ctx->in.dim, ctx->refs, rows, &ctx->diag));
    }
    const cd_record *record = &cd_records[CD_REC_metric];
    if (!l->is_rerun || l->rank == CD_RANK_METRIC)  // from metrics alone nothing is derived
        cd_rows_append(&ctx->arena, record, ctx->in.dim, (cd_rows *)&l->metric, (cd_rows *)&l->doubtful);
    cd_rows_append(&ctx->arena, record, ctx->in.dim, (cd_rows *)&l->metric, (cd_rows *)&ctx->out.metric);
    return cd_writer_rows(ctx->writer, CD_REC_metric, ctx->in.dim, ctx->refs, (cd_rows *)&l->metric, &ctx->diag);
}

static void forget_frame(loop *l)
{
    cd_ctx *ctx = l->ctx;
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (!cd_records[type].is_head)
            memset(cd_model_rows(&ctx->in, (cd_record_type)type), 0, cd_records[type].size);
    int dim = ctx->in.dim;
    memset(&ctx->out, 0, sizeof ctx->out);
    memset(ctx->parts, 0, sizeof ctx->parts);
    ctx->out.dim = dim;
    memset(&l->metric, 0, sizeof l->metric);
    memset(&l->doubtful, 0, sizeof l->doubtful);
    l->unsafe = (cd_parcel){0};
    l->is_rerun = l->in_frame = ctx->is_pure = false;
    cd_arena_reset(&ctx->arena);
}

static cd_status call_stage(loop *l)
{
    cd_ctx *ctx = l->ctx;
    double wall = cd_clock(CLOCK_MONOTONIC);
    cd_arena_mark mark = cd_arena_get_mark(&ctx->arena);
    for (int i = 0; ctx->filter->each_frame && i < ctx->repeat; i++) {
        if (i > 0) {
            cd_arena_rewind(&ctx->arena, mark);
            memset(&ctx->out, 0, sizeof ctx->out);
            ctx->out.dim = ctx->in.dim;
        }
        ctx->repetition = i;
        CD_TRY(ctx->filter->each_frame(ctx));
    }
    l->times.work_wall += cd_clock(CLOCK_MONOTONIC) - wall;
    return CD_OK;
}

// What the stage works out of the frame, and writes.
static cd_status work_out(loop *l)
{
    cd_ctx *ctx = l->ctx;
    if (l->again.same >= 0)
        CD_TRY(decode_kept(l, false));
    if (!l->head_is_complete) {
        l->head_is_complete = true;
        fill_defaults(l, true);
        if (ctx->filter->head)
            CD_TRY(ctx->filter->head(ctx));
    }
    fill_defaults(l, false);
    filter_charge(ctx, &l->times, &l->times.read);
    cd_status status = call_stage(l);
    if (status != CD_OK)
        return cd_fail_in_frame(&ctx->diag, status, &ctx->in.frame);
    filter_charge(ctx, &l->times, &l->times.work);
    if (!l->is_rerun)
        CD_TRY(cd_parcel_pass(&l->unsafe, ctx->writer, ctx->reader, &ctx->diag));
    bool is_kept = ctx->is_pure && !l->is_rerun && filter_again_wants(&l->again, &ctx->in.body);
    cd_writer_watch(ctx->writer, is_kept ? filter_again_wrote : NULL, &l->again);
    status = write_tables(l);
    cd_writer_watch(ctx->writer, NULL, NULL);
    if (status != CD_OK)  // a result that no reader takes is the frame's; an output that fails is not
        return status == CD_ERR_IO ? status : cd_fail_in_frame(&ctx->diag, status, &ctx->in.frame);
    return CD_OK;
}

// The frame is the one before, but for its number and time.
static cd_status write_again(loop *l)
{
    cd_ctx *ctx = l->ctx;
    filter_charge(ctx, &l->times, &l->times.read);
    CD_TRY(cd_parcel_pass(&l->unsafe, ctx->writer, ctx->reader, &ctx->diag));
    for (int32_t k = 0; k < l->again.out.count; k++)
        CD_TRY(cd_writer_pass(ctx->writer, ctx->reader, &l->again.out.item[k], NULL, &ctx->diag));
    ctx->again++;
    const int32_t before = cd_reader_again(ctx->reader);
    cd_writer_note_again(ctx->writer, before > 0 && before < INT32_MAX ? before + 1 : 0);
    return CD_OK;
}

static cd_status run_frame(loop *l)
{
    cd_ctx *ctx = l->ctx;
    CD_TRY(filter_again_is_whole(&l->again) ? write_again(l) : work_out(l));
    CD_TRY(cd_writer_frame_end(ctx->writer, &ctx->diag));
    filter_charge(ctx, &l->times, &l->times.write);
    cd_progress(ctx, "frame %" PRId64, ctx->in.frame.index[0]);
    forget_frame(l);
    l->frames++;
    return CD_OK;
}

// A stage that found nothing to work on in the whole stream stands in the wrong place, or the stage before it is
// missing.
static cd_status check_food(loop *l)
{
    cd_ctx *ctx = l->ctx;
    uint64_t tables = ctx->filter->lives_on;
    if (!tables || l->has_food || l->frames == 0 || filter_may_have_made(&ctx->in.prog, tables))
        return CD_OK;
    cd_buffer names = {0};
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (tables >> type & 1)
            cd_buffer_printf(&names, "%s%s", names.size ? ", no " : "no ", cd_records[type].name);
    cd_buffer_append(&names, "", 1);
    cd_status status =
        cd_fail(&ctx->diag, CD_ERR_FORMAT, "%.100s in any frame: is %s missing?", names.data, filter_maker_of(tables));
    cd_buffer_release(&names);
    return status;
}

static cd_status run_loop(loop *l)
{
    cd_ctx *ctx = l->ctx;
    l->times.mark = cd_clock(CLOCK_PROCESS_CPUTIME_ID);
    CD_TRY(cd_open_reader(ctx, 0, &ctx->reader));
    ctx->refs = cd_reader_refs(ctx->reader);
    CD_TRY(cd_open_writer(ctx, cd_reader_encoding(ctx->reader), &ctx->writer));
    if (!ctx->output_path)
        cd_writer_leave_out(ctx->writer, filter_sink_leaves_out(getenv("CD_LOOP_SINK"), STDOUT_FILENO));
    l->again.is_on = cd_reader_encoding(ctx->reader) == CD_ENCODING_BINARY &&
                     cd_writer_encoding(ctx->writer) == CD_ENCODING_BINARY && ctx->repeat == 1;
    // What must be decoded: head for `dim`, prog for the next id, frame for messages; where JSON is on either side, the
    // ids of everything that a reference may name.
    l->needs = ctx->needs | CD_BIT(head) | CD_BIT(prog) | CD_BIT(frame);
    if (cd_reader_encoding(ctx->reader) == CD_ENCODING_JSON || cd_writer_encoding(ctx->writer) == CD_ENCODING_JSON) {
        l->needs = cd_types_with_targets(l->needs | ctx->writes) & ~(ctx->writes & ~ctx->needs);
        if (l->rank != CD_RANK_END)
            l->needs |= CD_BIT(body);  // metrics of a pair name bodies
    }
    if (ctx->writes & CD_BIT(metric))
        l->needs |= CD_BIT(body);
    l->counted = cd_types_with_targets(l->needs) & ~l->needs;
    // All chunks, in stream order.
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(ctx->reader, &chunk, &ctx->diag)) == CD_OK) {
        if (chunk.type == CD_REC_fend)
            CD_TRY(run_frame(l));
        else if (chunk.type == CD_REC_end)
            continue;
        else
            CD_TRY(take_chunk(l, &chunk));
        filter_charge(ctx, &l->times, &l->times.read);
    }
    if (status != CD_END)
        return status;
    CD_TRY(check_food(l));
    // The end of the stream.
    if (!l->own_prog_is_written)
        CD_TRY(write_own_prog(l));
    status = ctx->filter->finish ? ctx->filter->finish(ctx) : CD_OK;
    if (status != CD_OK && status != CD_ERR_CHECK)
        return status;
    CD_TRY(cd_writer_end(ctx->writer, &ctx->diag));
    filter_charge(ctx, &l->times, &l->times.write);
    if (ctx->stats)
        filter_print_statistics(ctx, &l->times, l->frames);
    return status;
}

cd_status cd_filter_loop(cd_ctx *ctx)
{
    loop l = {.ctx = ctx, .rank = cd_lowest_rank(ctx->writes)};
    cd_status status = run_loop(&l);
    for (int type = 0; type < CD_REC_COUNT; type++) {
        cd_column_store_release(&l.store[type]);
        cd_arena_adopt(&ctx->run, &l.first[type]);  // the tool has its head until it is closed
    }
    cd_arena_release(&l.spent);
    filter_again_release(&l.again);
    return status;
}
