// SPDX-License-Identifier: MIT
#include "cd_filter.h"

#include "cd_output.h"
#include "cd_parcel.h"

#include <fcntl.h>
#include <inttypes.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

// Caps that --max-* raise: far above this project's own streams, far below what would hurt a machine.
static const cd_limits default_limits = {
    .line = INT64_C(1) << 26, .block = INT64_C(1) << 30, .rows = INT64_C(200000000)};

static const char *tool_name = "cdtools";  // for the memory handler, which has no other way to know

static double clock_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- messages ------------------------------------------------------------------------------------------------------

static void print_line(const char *tool, const char *text)
{
    cd_buffer line = {0};
    cd_buffer_printf(&line, "%s: ", tool);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c < 0x20 || *c == 0x7f)
            cd_buffer_printf(&line, "\\x%02x", *c);
        else
            cd_buffer_append(&line, c, 1);
    cd_buffer_text(&line, "\n");
    if (write(STDERR_FILENO, line.data, line.size) < 0) {
        // Nobody listens on stderr: the exit code still tells.
    }
    cd_buffer_release(&line);
}

static void out_of_memory(size_t bytes)
{
    char text[160];
    int length = snprintf(text, sizeof text, "%s: out of memory: %zu bytes wanted\n", tool_name, bytes);
    if (write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(4);
    _exit(4);
}

void cd_warn(const cd_ctx *ctx, const char *format, ...)
{
    if (ctx->quiet)
        return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_line(ctx->filter->name, text);
}

void cd_progress(const cd_ctx *ctx, const char *format, ...)
{
    static double last;  // rate limit of a terminal line: no result depends on it
    double now = clock_seconds(CLOCK_MONOTONIC);
    if (!ctx->progress || now - last < 0.1)
        return;
    last = now;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "\r\033[K%s: ", ctx->filter->name);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}

static void end_progress(const cd_ctx *ctx)
{
    if (ctx->progress)
        fputs("\r\033[K", stderr);
}

// ---- provenance and metrics ----------------------------------------------------------------------------------------

cd_status cd_make_prog(cd_ctx *ctx, cd_arena *arena, const cd_prog_rows *before, cd_prog_rows *prog)
{
    int64_t last = 0;
    for (int32_t i = 0; i < before->count; i++)
        last = before->id[i] > last ? before->id[i] : last;
    if (last >= INT32_MAX)  // `prev` is a list of int32
        return cd_fail(&ctx->diag, CD_ERR_LIMIT, "prog: id: %" PRId64 " is too large to count on from", last);
    memset(prog, 0, sizeof *prog);
    prog->count = 1;
    CD_COLUMN(arena, 2, prog, prog, id)[0] = last + 1;
    CD_COLUMN(arena, 2, prog, prog, tool)[0] = ctx->filter->name;
    CD_COLUMN(arena, 2, prog, prog, version)[0] = CD_VERSION;
    prog->prev.offset = CD_ARENA_ARRAY(arena, int32_t, 2);
    prog->prev.offset[0] = 0;
    prog->prev.offset[1] = 1;
    prog->prev.i32 = CD_ARENA_ARRAY(arena, int32_t, 1);
    prog->prev.i32[0] = (int32_t)last;
    if (ctx->own_argument_count > 0) {
        prog->argv.offset = CD_ARENA_ARRAY(arena, int32_t, 2);
        prog->argv.offset[0] = 0;
        prog->argv.offset[1] = ctx->own_argument_count;
        prog->argv.text = CD_ARENA_ARRAY(arena, const char *, ctx->own_argument_count);
        memcpy(prog->argv.text, ctx->own_arguments, (size_t)ctx->own_argument_count * sizeof(const char *));
    }
    return CD_OK;
}

cd_status cd_write_own_prog(cd_ctx *ctx, const cd_prog_rows *before)
{
    if (ctx->no_prog)
        return CD_OK;
    cd_prog_rows prog;
    CD_TRY(cd_make_prog(ctx, &ctx->run, before, &prog));
    return cd_writer_rows(ctx->writer, CD_REC_prog, 2, ctx->refs, (cd_rows *)&prog, &ctx->diag);
}

void cd_add_metric(cd_ctx *ctx, const char *name, double value, int32_t a, int32_t b)
{
    cd_metric_rows one = {.count = 1};
    cd_arena *arena = &ctx->arena;
    CD_COLUMN(arena, 2, metric, &one, tool)[0] = ctx->filter->name;
    CD_COLUMN(arena, 2, metric, &one, name)[0] = name;
    CD_COLUMN(arena, 2, metric, &one, value)[0] = value;
    if (a >= 0)
        CD_COLUMN(arena, 2, metric, &one, a)[0] = a;
    if (b >= 0)
        CD_COLUMN(arena, 2, metric, &one, b)[0] = b;
    cd_rows_append(arena, &cd_records[CD_REC_metric], 2, (cd_rows *)&ctx->out.metric, (cd_rows *)&one);
}

// A metric goes with the tables of the tool that wrote it: the rank from which on a rerun makes it stale.
static cd_rank metric_rank(const char *tool)
{
    static const struct {
        const char *tool;
        cd_rank rank;
    } owner[] = {
        {"cd-broad", CD_RANK_BOUNDS},  {"cd-narrow", CD_RANK_CONTACT},
        {"cd-spars", CD_RANK_CONTACT}, {"cd-peg-assemble", CD_RANK_CONSTRAINT},
        {"cd-lcp", CD_RANK_SOLUTION},  {"cd-penalty", CD_RANK_FORCE},
        {"cd-step", CD_RANK_NEXT},     {"cd-overlap-metric", CD_RANK_METRIC},
    };
    for (size_t i = 0; i < sizeof owner / sizeof owner[0]; i++)
        if (!strcmp(tool, owner[i].tool))
            return owner[i].rank;
    return CD_RANK_END;  // not a stage of this project
}

cd_rank cd_lowest_rank(uint64_t writes)
{
    cd_rank lowest = CD_RANK_END;
    for (int type = 0; type < CD_REC_COUNT; type++)
        if ((writes >> type & 1) && cd_records[type].rank < lowest)
            lowest = cd_records[type].rank;
    return lowest;
}

// ---- the loop ------------------------------------------------------------------------------------------------------

typedef struct loop {
    cd_ctx *ctx;
    uint64_t needs;
    cd_rank rank;  // of what the stage writes; CD_RANK_END: it writes nothing
    bool own_prog_is_written;
    bool head_is_complete;
    bool is_rerun;            // a table of the stage or a derived one was dropped in this frame
    cd_metric_rows metric;    // metrics of the frame that stay
    cd_metric_rows doubtful;  // metrics of tools outside the project: they stay unless this is a rerun
    cd_parcel unsafe;  // foreign blocks of the frame without CD_BLOCK_SAFE_TO_COPY: they stay unless this is a rerun
    bool in_frame;
    int64_t frames;
    double read, work, work_wall, write, mark;  // [s]
    cd_column_store store[CD_REC_COUNT];        // run lifetime: columns of the needed tables of the frame
} loop;

// Adds the CPU time since the last call to a phase.
static void charge(loop *l, double *phase)
{
    if (!l->ctx->stats)
        return;
    double now = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    *phase += now - l->mark;
    l->mark = now;
}

static cd_status write_own_prog(loop *l)
{
    l->own_prog_is_written = true;
    return cd_write_own_prog(l->ctx, &l->ctx->in.prog);
}

static cd_status sort_metrics(loop *l, const cd_metric_rows *metric)
{
    cd_ctx *ctx = l->ctx;
    int32_t *stay = CD_ARENA_ARRAY(&ctx->arena, int32_t, metric->count), stays = 0;
    int32_t *doubt = CD_ARENA_ARRAY(&ctx->arena, int32_t, metric->count), doubts = 0;
    for (int32_t i = 0; i < metric->count; i++) {
        cd_rank rank = metric_rank(metric->tool[i]);
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
    cd_rows_select(&ctx->arena, record, 2, (cd_rows *)&part, (const cd_rows *)metric, doubt, doubts);
    cd_rows_append(&ctx->arena, record, 2, (cd_rows *)&l->doubtful, (cd_rows *)&part);
    return CD_OK;
}

// Rows of the frame are copied out of the reader's window, into columns that grow in place and stay for the next frame.
static void take_rows(loop *l, const cd_record *record, cd_rows *table, const cd_rows *rows)
{
    cd_ctx *ctx = l->ctx;
    union {
        cd_rows rows;
        cd_model any;
    } read;
    memcpy(&read, rows, record->size);
    cd_rows_leave_out(record, ctx->unread[record->type], &read.rows);
    if (record->is_head)
        cd_rows_append(&ctx->run, record, ctx->in.dim, table, &read.rows);
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

static cd_status take_chunk(loop *l, const cd_chunk *chunk)
{
    cd_ctx *ctx = l->ctx;
    if (!l->own_prog_is_written && chunk->type != CD_REC_head && chunk->type != CD_REC_prog &&
        chunk->type != CD_REC_UNKNOWN)
        CD_TRY(write_own_prog(l));
    if (chunk->type == CD_REC_UNKNOWN) {
        bool is_unsafe = chunk->encoding == CD_ENCODING_BINARY && !(chunk->header.flags & CD_BLOCK_SAFE_TO_COPY);
        if (is_unsafe && l->in_frame && l->rank != CD_RANK_END)
            cd_parcel_add(&ctx->arena, &l->unsafe, chunk, NULL);
        else
            CD_TRY(cd_writer_pass(ctx->writer, ctx->reader, chunk, NULL, &ctx->diag));
        charge(l, &l->write);
        return CD_OK;
    }
    l->in_frame = l->in_frame || chunk->type == CD_REC_frame;
    const cd_record *record = &cd_records[chunk->type];
    bool is_metric = chunk->type == CD_REC_metric && l->rank != CD_RANK_END;
    bool is_dropped = record->rank >= l->rank && record->rank > CD_RANK_INPUT && record->rank < CD_RANK_METRIC;
    bool is_needed = is_metric || (l->needs >> chunk->type & 1);
    union {
        cd_rows rows;
        cd_model any;
    } decoded;
    cd_arena_mark before = cd_arena_get_mark(&ctx->arena);
    if (is_needed) {
        if (record->is_head)
            CD_TRY(cd_reader_decode(ctx->reader, chunk, &ctx->run, &decoded.rows, &ctx->diag));
        else
            CD_TRY(cd_reader_decode_here(ctx->reader, chunk, &ctx->arena, &decoded.rows, &ctx->diag));
        if (chunk->type == CD_REC_head)
            ctx->in.dim = ctx->out.dim = cd_reader_dim(ctx->reader);
        if (l->needs >> chunk->type & 1)
            take_rows(l, record, cd_model_rows(&ctx->in, chunk->type), &decoded.rows);
        if (chunk->type == CD_REC_frame && ctx->filter->open_frame)
            CD_TRY(ctx->filter->open_frame(ctx));
    }
    charge(l, &l->read);
    if (is_metric)
        return sort_metrics(l, (const cd_metric_rows *)&decoded.rows);
    if (is_dropped) {
        if (is_needed && is_spent(l, record, &decoded.rows))
            cd_arena_rewind(&ctx->arena, before);
        l->is_rerun = true;
        return CD_OK;
    }
    CD_TRY(cd_writer_pass(ctx->writer, ctx->reader, chunk, is_needed ? &decoded.rows : NULL, &ctx->diag));
    if (is_needed && is_spent(l, record, &decoded.rows))
        cd_arena_rewind(&ctx->arena, before);
    charge(l, &l->write);
    return CD_OK;
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
    l->is_rerun = l->in_frame = false;
    cd_arena_reset(&ctx->arena);
}

static cd_status run_frame(loop *l)
{
    cd_ctx *ctx = l->ctx;
    if (!l->head_is_complete) {
        l->head_is_complete = true;
        fill_defaults(l, true);
        if (ctx->filter->head)
            CD_TRY(ctx->filter->head(ctx));
    }
    fill_defaults(l, false);
    charge(l, &l->read);
    double wall = clock_seconds(CLOCK_MONOTONIC);
    cd_arena_mark mark = cd_arena_get_mark(&ctx->arena);
    for (int i = 0; ctx->filter->each_frame && i < ctx->repeat; i++) {
        if (i > 0) {
            cd_arena_rewind(&ctx->arena, mark);
            memset(&ctx->out, 0, sizeof ctx->out);
            ctx->out.dim = ctx->in.dim;
        }
        ctx->repetition = i;
        cd_status status = ctx->filter->each_frame(ctx);
        if (status != CD_OK)
            return cd_fail_at(&ctx->diag, status, "frame %" PRId64, l->frames);
    }
    l->work_wall += clock_seconds(CLOCK_MONOTONIC) - wall;
    charge(l, &l->work);
    if (!l->is_rerun)
        CD_TRY(cd_parcel_pass(&l->unsafe, ctx->writer, ctx->reader, &ctx->diag));
    CD_TRY(write_tables(l));
    CD_TRY(cd_writer_frame_end(ctx->writer, &ctx->diag));
    charge(l, &l->write);
    forget_frame(l);
    l->frames++;
    cd_progress(ctx, "frame %" PRId64, l->frames);
    return CD_OK;
}

static void print_stats(const loop *l)
{
    cd_ctx *ctx = l->ctx;
    ctx->stats_are_printed = true;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    cd_buffer line = {0};
    cd_buffer_printf(&line, "{\"tool\":\"%s\",\"method\":", ctx->filter->name);
    if (ctx->method)
        cd_json_string(&line, ctx->method);
    else
        cd_buffer_text(&line, "null");
    if (ctx->why) {
        cd_buffer_text(&line, ",\"why\":");
        cd_json_string(&line, ctx->why);
    }
    int64_t frames = l->frames || !ctx->writer ? l->frames : cd_writer_rows_written(ctx->writer, CD_REC_frame);
    cd_buffer_printf(&line, ",\"frames\":%" PRId64 ",\"rows\":{", frames);
    bool first = true;
    for (int type = 0; ctx->writer && type < CD_REC_COUNT; type++) {
        int64_t rows = cd_writer_rows_written(ctx->writer, (cd_record_type)type);
        if (rows > 0 && cd_records[type].rank != CD_RANK_END) {
            cd_buffer_printf(&line, "%s\"%s\":%" PRId64, first ? "" : ",", cd_records[type].name, rows);
            first = false;
        }
    }
    cd_buffer_printf(
        &line, "},\"seconds\":{\"read\":%.6f,\"work\":%.6f,\"write\":%.6f,\"work_wall\":%.6f},\"peak_kib\":%ld}\n",
        l->read, l->work, l->write, l->work_wall, usage.ru_maxrss);
    fwrite(line.data, 1, line.size, stderr);
    cd_buffer_release(&line);
}

static cd_status run_loop(loop *l)
{
    cd_ctx *ctx = l->ctx;
    l->mark = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    CD_TRY(cd_open_reader(ctx, 0, &ctx->reader));
    ctx->refs = cd_reader_refs(ctx->reader);
    CD_TRY(cd_open_writer(ctx, cd_reader_encoding(ctx->reader), &ctx->writer));
    // head for `dim`, prog for the next id; where JSON is on either side, the ids of everything that a reference may
    // name.
    l->needs = ctx->needs | CD_BIT(head) | CD_BIT(prog);
    if (cd_reader_encoding(ctx->reader) == CD_ENCODING_JSON || cd_writer_encoding(ctx->writer) == CD_ENCODING_JSON) {
        l->needs = cd_types_with_targets(l->needs | ctx->writes) & ~(ctx->writes & ~ctx->needs);
        if (l->rank != CD_RANK_END)
            l->needs |= CD_BIT(body);  // metrics of a pair name bodies
    }
    if (ctx->writes & CD_BIT(metric))
        l->needs |= CD_BIT(body);
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(ctx->reader, &chunk, &ctx->diag)) == CD_OK) {
        if (chunk.type == CD_REC_fend)
            CD_TRY(run_frame(l));
        else if (chunk.type == CD_REC_end)
            continue;
        else
            CD_TRY(take_chunk(l, &chunk));
        charge(l, &l->read);
    }
    if (status != CD_END)
        return status;
    if (!l->own_prog_is_written)
        CD_TRY(write_own_prog(l));
    status = ctx->filter->finish ? ctx->filter->finish(ctx) : CD_OK;
    if (status != CD_OK && status != CD_ERR_CHECK)
        return status;
    CD_TRY(cd_writer_end(ctx->writer, &ctx->diag));
    charge(l, &l->write);
    if (ctx->stats)
        print_stats(l);
    return status;
}

cd_status cd_filter_loop(cd_ctx *ctx)
{
    loop l = {.ctx = ctx, .rank = cd_lowest_rank(ctx->writes)};
    cd_status status = run_loop(&l);
    for (int type = 0; type < CD_REC_COUNT; type++)
        cd_column_store_release(&l.store[type]);
    return status;
}

// ---- reader, writer and text of a tool -----------------------------------------------------------------------------

cd_status cd_open_reader(cd_ctx *ctx, int index, cd_reader **reader)
{
    return cd_reader_open(index < ctx->operand_count ? ctx->operand[index] : NULL, &ctx->limits, reader, &ctx->diag);
}

cd_status cd_open_writer(cd_ctx *ctx, cd_encoding usual, cd_writer **writer)
{
    cd_writer_options options = {.encoding = ctx->output_is_binary ? CD_ENCODING_BINARY
                                             : ctx->output_is_json ? CD_ENCODING_JSON
                                                                   : usual,
                                 .level = ctx->level,
                                 .counts = ctx->counts,
                                 .path = ctx->output_path,
                                 .limits = ctx->limits};
    return cd_writer_open(&options, writer, &ctx->diag);
}

cd_status cd_write_text(cd_ctx *ctx, const char *text, size_t size)
{
    cd_output output;
    cd_status status = cd_output_open(&output, ctx->output_path, &ctx->diag);
    if (status == CD_OK)
        status = cd_output_write(output.fd, cd_output_name(&output), text, size, &ctx->diag);
    if (status == CD_OK)
        status = cd_output_commit(&output, &ctx->diag);
    cd_output_discard(&output);
    return status;
}

// ---- main ----------------------------------------------------------------------------------------------------------

typedef struct common {
    bool help, version, json, binary, quiet, verbose, progress, stats, counts, no_prog;
    const char *output;
    int64_t level, threads, repeat, max_line, max_block, max_rows;
} common;

static cd_status print_help(cd_ctx *ctx, const cd_option *const *tables)
{
    const cd_filter *filter = ctx->filter;
    cd_buffer text = {0};
    cd_buffer_printf(&text, "usage: %s [OPTIONS] %s\n%s\n", filter->name,
                     filter->synopsis ? filter->synopsis : "[FILE]", filter->summary);
    cd_options_help(tables, &text);
    if (filter->help) {
        cd_buffer_text(&text, "\n");
        filter->help(&text);
    }
    if (filter->notes)
        cd_buffer_printf(&text, "\n%s\n", filter->notes);
    cd_buffer_printf(
        &text,
        "\nExit codes: 0 ok, 1 check failed, 2 usage, 3 bad or cut input, 4 I/O or memory, 5 numerical failure, "
        "6 unsupported.\nManual: man %s\n",
        filter->name);
    cd_status status = cd_output_write(STDOUT_FILENO, "stdout", text.data, text.size, &ctx->diag);
    cd_buffer_release(&text);
    return status;
}

static cd_status apply_common(cd_ctx *ctx, const common *c)
{
    if (c->json && c->binary)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "-j and -b exclude each other");
    ctx->output_is_json = c->json;
    ctx->output_is_binary = c->binary;
    ctx->output_path = c->output;
    ctx->level = (int)c->level;
    ctx->threads = (int)c->threads;
    ctx->quiet = c->quiet;
    ctx->verbose = c->verbose;
    ctx->progress = !c->quiet && (c->progress || (isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO)));
    ctx->stats = c->stats;
    ctx->repeat = (int)c->repeat;
    ctx->counts = c->counts;
    ctx->no_prog = c->no_prog;
    ctx->limits = (cd_limits){.line = c->max_line, .block = c->max_block, .rows = c->max_rows};
    int allowed = ctx->filter->max_operands ? ctx->filter->max_operands : 1;
    if (ctx->operand_count > allowed)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "%.100s: one operand too many", ctx->operand[allowed]);
    return CD_OK;
}

static cd_status run_tool(cd_ctx *ctx, int argc, char **argv)
{
    common c = {.level = -1,
                .threads = 1,
                .repeat = 1,
                .max_line = default_limits.line,
                .max_block = default_limits.block,
                .max_rows = default_limits.rows};
    const cd_option common_options[] = {
        CD_OPT_HEADING("Common options:"),
        CD_OPT_FLAG('h', "help", &c.help, "this text"),
        CD_OPT_FLAG('V', "version", &c.version, "version"),
        CD_OPT_TEXT('o', "output", &c.output, "FILE", "write there, complete or not at all; - is standard output"),
        CD_OPT_FLAG('j', "json", &c.json, "write JSON-lines"),
        CD_OPT_FLAG('b', "binary", &c.binary, "write binary (default: as the input)"),
        CD_OPT_INT('l', "level", &c.level, "LEVEL", -1, 9, "binary: 0 raw, 1..9 zlib, -1: 0 to a pipe, 1 to a file"),
        CD_OPT_INT('t', "threads", &c.threads, "N", 1, 1024, "threads; results do not depend on it"),
        CD_OPT_FLAG('q', "quiet", &c.quiet, "no warnings, no progress"),
        CD_OPT_FLAG('v', "verbose", &c.verbose, "say more on stderr"),
        CD_OPT_FLAG(0, "progress", &c.progress, "progress on stderr (default on a terminal)"),
        CD_OPT_FLAG(0, "stats", &c.stats, "one JSON line of counts and times on stderr at the end"),
        CD_OPT_INT(0, "repeat", &c.repeat, "N", 1, 1e9, "do the work of each frame N times (for benchmarks)"),
        CD_OPT_FLAG(0, "counts", &c.counts, "JSON: row counts in fend and end"),
        CD_OPT_FLAG(0, "no-prog", &c.no_prog, "leave the provenance record out"),
        CD_OPT_INT(0, "max-line", &c.max_line, "BYTES", 1024, 0x1p40, "longest JSON line accepted"),
        CD_OPT_INT(0, "max-block", &c.max_block, "BYTES", 1024, 0x1p40, "largest binary block accepted"),
        CD_OPT_INT(0, "max-rows", &c.max_rows, "N", 1, 2147483646.0, "most rows of one table in a frame"),
        CD_OPT_END};
    static const cd_option none[] = {CD_OPT_END};
    const cd_option *const tables[] = {ctx->filter->options ? ctx->filter->options : none, common_options, NULL};
    cd_arguments arguments;
    cd_status parsed = cd_options_parse(tables, argc, argv, &ctx->run, &arguments, &ctx->diag);
    if (parsed == CD_OK && c.help)
        return print_help(ctx, tables);
    if (parsed == CD_OK && c.version) {
        char text[128];
        int length = snprintf(text, sizeof text, "%s (cdtools) %s\n", ctx->filter->name, CD_VERSION);
        return cd_output_write(STDOUT_FILENO, "stdout", text, (size_t)length, &ctx->diag);
    }
    CD_TRY(parsed);
    ctx->operand = arguments.operand;
    ctx->operand_count = arguments.operand_count;
    ctx->own_arguments = arguments.own;
    ctx->own_argument_count = arguments.own_count;
    CD_TRY(apply_common(ctx, &c));
    if (ctx->filter->begin) {
        CD_TRY(ctx->filter->begin(ctx));
        ctx->has_begun = true;
    }
    if (!ctx->filter->run)
        return cd_filter_loop(ctx);
    if (ctx->repeat > 1 && !ctx->filter->each_frame)
        cd_warn(ctx, "--repeat: this tool has no work phase of its own; it runs once");
    cd_status status = ctx->filter->run(ctx);
    bool is_complete = status == CD_OK || status == CD_ERR_CHECK;
    if (ctx->stats && is_complete &&
        !ctx->stats_are_printed)  // a tool that does not run the loop: all its CPU time is its work
        print_stats(&(loop){.ctx = ctx, .work = clock_seconds(CLOCK_PROCESS_CPUTIME_ID)});
    return status;
}

// A standard descriptor that the caller closed would be given to the next file opened, and messages or results would go
// into that file. It is held by one that refuses: reading stdin, writing stdout and stderr then fail as they should.
static void hold_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(4);
}

// Memory that one frame gives back is the next one's: otherwise, with many small frames, the top of the heap goes to
// the system and comes from it in each (1e5 frames of two boxes 3.3 s, two of them in the system, instead of 1.1).
static void keep_freed_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 16 << 20);
#endif
}

int cd_filter_main(int argc, char **argv, const cd_filter *filter)
{
    keep_freed_memory();
    tool_name = filter->name;
    hold_standard_descriptors();
    cd_set_memory_handler(out_of_memory);
    signal(SIGPIPE, SIG_DFL);
    cd_ctx *ctx = cd_alloc(sizeof *ctx);
    memset(ctx, 0, sizeof *ctx);
    ctx->filter = filter;
    ctx->needs = filter->needs;
    ctx->writes = filter->writes;
    cd_status status = run_tool(ctx, argc, argv);
    end_progress(ctx);
    if (status != CD_OK && ctx->diag.text[0])
        print_line(filter->name, ctx->diag.text);
    if (ctx->has_begun && filter->close)
        filter->close(ctx);
    cd_reader_close(ctx->reader);
    cd_writer_close(ctx->writer);
    cd_arena_release(&ctx->run);
    cd_arena_release(&ctx->arena);
    cd_free(ctx);
    return cd_status_exit_code(status);
}
