// SPDX-License-Identifier: MIT
#include "loop_run.h"

#include "cd_next_frame.h"
#include "cd_run_model.h"
#include "cd_parcel.h"
#include "loop_pipeline.h"
#include "loop_tools.h"

#include <inttypes.h>
#include <math.h>
#include <unistd.h>

enum { MAX_FOREIGN = 64 };  // kinds of unknown tables of a frame that are carried on

// A frame on its way to the pipeline or to the end of the trajectory.
typedef struct outgoing {
    cd_model tables;    // frame, body, node, trial
    cd_parcel foreign;  // tables of unknown type
} outgoing;

typedef struct loop_run {
    cd_ctx *ctx;
    const cd_loop_options *options;
    // scene: its reader's ids are also those of the frames that are sent (used by one thread at a time)
    cd_reader *scene;
    cd_parcel head, first;  // head tables with own prog last among the progs; the scene's frame as it came
    cd_buffer head_text;    // the scene's head tables but prog, as lines: they must come back the same
    size_t head_matched;    // [bytes] of it that came back
    outgoing frame;         // the frame in work
    cd_model schedules;     // of the head: its row, load and drive
    cd_run_clock clock;
    int64_t first_index;
    char foreign_name[MAX_FOREIGN][17];
    int32_t foreign_count;
    // pipeline
    cd_loop_pipeline *pipeline;
    int from;
    cd_writer *to_pipeline;
    cd_reader *answer;
    bool head_was_sent, head_is_back;
    // trajectory
    cd_writer *out;
    bool transcodes;    // the trajectory's encoding is not the pipeline's
    cd_arena arena[2];  // an answer, and the frame made of it; the other one is still on its way
} loop_run;

// ---- scene ---------------------------------------------------------------------------------------------------------

static cd_status note_foreign(loop_run *run, const cd_chunk *chunk)
{
    for (int32_t i = 0; i < run->foreign_count; i++)
        if (!strcmp(run->foreign_name[i], chunk->name))
            return CD_OK;
    if (run->foreign_count == MAX_FOREIGN)
        return cd_fail(&run->ctx->diag, CD_ERR_LIMIT, "more than %d kinds of unknown tables in a frame", MAX_FOREIGN);
    memcpy(run->foreign_name[run->foreign_count++], chunk->name, sizeof chunk->name);
    return CD_OK;
}

static cd_status decode(cd_reader *reader, const cd_chunk *chunk, cd_arena *arena, const cd_rows **rows, cd_diag *diag)
{
    cd_rows *decoded = cd_rows_new(arena, chunk->type);
    *rows = decoded;
    return cd_reader_decode(reader, chunk, arena, decoded, diag);
}

static void append(cd_arena *arena, cd_model *model, const cd_chunk *chunk, const cd_rows *rows)
{
    cd_rows_append(arena, &cd_records[chunk->type], model->dim, cd_model_rows(model, chunk->type), rows);
}

// Rows of head tables as canonical lines: how they were cut into chunks, and their encoding, make no difference.
static bool is_compared(const cd_chunk *chunk)
{
    return chunk->type != CD_REC_UNKNOWN && chunk->type != CD_REC_prog && cd_records[chunk->type].is_head;
}

static void append_lines(cd_reader *reader, const cd_chunk *chunk, const cd_rows *rows, cd_buffer *text)
{
    cd_json_encode(&cd_records[chunk->type], cd_reader_dim(reader), cd_reader_refs(reader), rows, 0, rows->count, text);
}

// The head with the model of this run, as an item of cd-loop's own.
static void add_head_of_model(loop_run *run, const cd_chunk *chunk, cd_head_rows *head)
{
    CD_COLUMN(&run->ctx->run, cd_reader_dim(run->scene), head, head, model)[0] = run->options->model;
    cd_parcel_item item = {.chunk = {.type = chunk->type, .row_count = 1}, .rows = (cd_rows *)head};
    cd_list_push(&run->ctx->run, &run->head.list, item);
}

static cd_status take_scene_chunk(loop_run *run, const cd_chunk *chunk, cd_prog_rows *prog, int64_t *frames)
{
    cd_ctx *ctx = run->ctx;
    cd_arena *arena = &ctx->run;
    const cd_rows *rows = NULL;
    if (chunk->type == CD_REC_frame && (*frames)++ > 0)
        return cd_fail(&ctx->diag, CD_ERR_FORMAT,
                       "%s: frame: the scene has more than one frame: choose one with cd-view --frames",
                       cd_reader_where(run->scene));
    if (chunk->type != CD_REC_UNKNOWN)
        CD_TRY(decode(run->scene, chunk, arena, &rows, &ctx->diag));
    else if (*frames > 0)
        CD_TRY(note_foreign(run, chunk));
    run->frame.tables.dim = cd_reader_dim(run->scene);
    if (chunk->type == CD_REC_head && run->options->model)
        add_head_of_model(run, chunk, (cd_head_rows *)rows);
    else
        cd_parcel_add(arena, *frames > 0 ? &run->first : &run->head, chunk, rows);
    if (is_compared(chunk))
        append_lines(run->scene, chunk, rows, &run->head_text);
    if (chunk->type == CD_REC_UNKNOWN && *frames > 0)
        cd_parcel_add(arena, &run->frame.foreign, chunk, NULL);
    if (chunk->type == CD_REC_prog)
        cd_rows_append(arena, &cd_records[CD_REC_prog], run->frame.tables.dim, (cd_rows *)prog, rows);
    if (chunk->type == CD_REC_frame || chunk->type == CD_REC_body || chunk->type == CD_REC_node)
        append(arena, &run->frame.tables, chunk, rows);
    run->schedules.dim = run->frame.tables.dim;
    if (chunk->type == CD_REC_head || chunk->type == CD_REC_load || chunk->type == CD_REC_drive)
        append(arena, &run->schedules, chunk, rows);
    return CD_OK;
}

// The prog record of cd-loop, as an item of `head` behind those of the tools before it.
static cd_status insert_own_prog(loop_run *run, const cd_prog_rows *before)
{
    cd_ctx *ctx = run->ctx;
    if (ctx->no_prog)
        return CD_OK;
    cd_prog_rows *own = (cd_prog_rows *)cd_rows_new(&ctx->run, CD_REC_prog);
    CD_TRY(cd_make_prog(ctx, &ctx->run, before, own));
    cd_parcel_item item = {.chunk = {.type = CD_REC_prog, .row_count = 1}, .rows = (cd_rows *)own};
    cd_list_push(&ctx->run, &run->head.list, item);
    int32_t place = run->head.list.count - 1;
    cd_parcel_item *items = run->head.list.item;
    while (place > 1 && items[place - 1].chunk.type != CD_REC_prog) {
        items[place] = items[place - 1];
        place--;
    }
    items[place] = item;
    return CD_OK;
}

static cd_status read_tables(loop_run *run)
{
    cd_ctx *ctx = run->ctx;
    cd_prog_rows prog = {0};
    int64_t frames = 0;
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(run->scene, &chunk, &ctx->diag)) == CD_OK)
        if (chunk.type != CD_REC_fend && chunk.type != CD_REC_end)
            CD_TRY(take_scene_chunk(run, &chunk, &prog, &frames));
    if (status != CD_END)
        return status;
    if (frames == 0)
        return cd_fail(&ctx->diag, CD_ERR_FORMAT, "%s: no frame: a loop starts from one", cd_reader_where(run->scene));
    CD_TRY(insert_own_prog(run, &prog));
    run->first_index = run->frame.tables.frame.index[0];
    return cd_run_clock_start(&run->frame.tables.frame, &run->clock, &ctx->diag);
}

static cd_status read_scene(loop_run *run)
{
    cd_ctx *ctx = run->ctx;
    const char *scene = run->options->scene;
    if (!cd_loop_is_yaml(scene)) {
        CD_TRY(cd_reader_open(scene, &ctx->limits, &run->scene, &ctx->diag));
        return read_tables(run);
    }
    pid_t child;
    int from;
    CD_TRY(cd_loop_scene_start(scene, ctx->quiet, &child, &from, &ctx->diag));
    cd_status status = cd_reader_open_fd(from, scene, &ctx->limits, &run->scene, &ctx->diag);
    if (status == CD_OK)
        status = read_tables(run);
    if (status != CD_OK) {  // whatever it still writes, nobody reads
        cd_reader_close(run->scene);
        run->scene = NULL;
    }
    return cd_loop_scene_end(scene, child, status, &ctx->diag);
}

// ---- to the pipeline (in the feeding thread) -----------------------------------------------------------------------

static cd_status write_item(loop_run *run, cd_writer *writer, const cd_parcel_item *item, cd_diag *diag)
{
    bool is_own = item->rows && !item->chunk.stored && !item->chunk.lines;
    if (is_own)
        return cd_writer_rows(writer, item->chunk.type, run->frame.tables.dim, cd_reader_refs(run->scene), item->rows,
                              diag);
    return cd_writer_pass(writer, run->scene, &item->chunk, item->rows, diag);
}

static cd_status write_head(loop_run *run, cd_writer *writer, cd_diag *diag)
{
    for (int32_t i = 0; i < run->head.list.count; i++)
        CD_TRY(write_item(run, writer, &run->head.list.item[i], diag));
    return CD_OK;
}

// Writes a frame that cd-loop made itself.
static cd_status write_frame(loop_run *run, cd_writer *writer, cd_diag *diag)
{
    const cd_model *tables = &run->frame.tables;
    cd_refs *refs = cd_reader_refs(run->scene);
    cd_refs_open_frame(refs);
    CD_TRY(cd_refs_add_table(refs, CD_REC_body, (const cd_rows *)&tables->body, diag));
    CD_TRY(cd_refs_add_table(refs, CD_REC_node, (const cd_rows *)&tables->node, diag));
    static const cd_record_type types[] = {CD_REC_frame, CD_REC_body, CD_REC_node, CD_REC_trial, CD_REC_impulse};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        CD_TRY(cd_writer_rows(writer, types[i], tables->dim, refs, cd_model_rows((cd_model *)tables, types[i]), diag));
    CD_TRY(cd_parcel_pass(&run->frame.foreign, writer, run->scene, diag));
    return cd_writer_frame_end(writer, diag);
}

static cd_status send_first(void *argument, cd_diag *diag)
{
    loop_run *run = argument;
    CD_TRY(write_head(run, run->to_pipeline, diag));
    CD_TRY(cd_parcel_pass(&run->first, run->to_pipeline, run->scene, diag));
    return cd_writer_frame_end(run->to_pipeline, diag);
}

static cd_status send_frame(void *argument, cd_diag *diag)
{
    loop_run *run = argument;
    return write_frame(run, run->to_pipeline, diag);
}

static cd_status send_end(void *argument, cd_diag *diag)
{
    loop_run *run = argument;
    if (!run->head_was_sent)
        CD_TRY(write_head(run, run->to_pipeline, diag));
    CD_TRY(cd_writer_end(run->to_pipeline, diag));
    cd_loop_pipeline_close_input(run->pipeline);  // a reader makes sure that nothing follows `end`
    return CD_OK;
}

// ---- the answer ----------------------------------------------------------------------------------------------------

static cd_status wrong_answer(loop_run *run, const char *reason)
{
    const cd_frame_rows *frame = &run->frame.tables.frame;
    return cd_fail_in_frame(&run->ctx->diag, cd_fail(&run->ctx->diag, CD_ERR_FORMAT, "%s", reason), frame);
}

// Bodies refer to rows of the head tables, gravity and the tolerances rule every step, and what was sent cannot be sent
// again: the head tables must come back as they were.
static cd_status changed_head(loop_run *run, const char *name)
{
    return cd_fail(&run->ctx->diag, CD_ERR_FORMAT, "%s: the pipeline changed the head table: a loop needs it as it was",
                   name);
}

static cd_status match_head_chunk(loop_run *run, const cd_chunk *chunk, const cd_rows *rows)
{
    cd_buffer lines = {0};
    append_lines(run->answer, chunk, rows, &lines);
    bool is_same = lines.size <= run->head_text.size - run->head_matched &&
                   !memcmp(lines.data, run->head_text.data + run->head_matched, lines.size);
    run->head_matched += is_same ? lines.size : 0;
    cd_buffer_release(&lines);
    return is_same ? CD_OK : changed_head(run, chunk->name);
}

static cd_status check_is_same_frame(loop_run *run, const cd_frame_rows *back)
{
    const cd_frame_rows *sent = &run->frame.tables.frame;
    if (back->index[0] == sent->index[0] && cd_i32_or(back->round, 0, 0) == cd_i32_or(sent->round, 0, 0) &&
        cd_i32_or(back->substep, 0, 0) == cd_i32_or(sent->substep, 0, 0) && back->time[0] == sent->time[0])
        return CD_OK;
    return cd_fail(&run->ctx->diag, CD_ERR_FORMAT,
                   "frame %" PRId64 " (round %d, substep %d) was sent, frame %" PRId64
                   " (round %d, substep %d, time %g) came back",
                   sent->index[0], cd_i32_or(sent->round, 0, 0), cd_i32_or(sent->substep, 0, 0), back->index[0],
                   cd_i32_or(back->round, 0, 0), cd_i32_or(back->substep, 0, 0), back->time[0]);
}

static cd_status take_head_chunk(loop_run *run, const cd_chunk *chunk)
{
    cd_ctx *ctx = run->ctx;
    const cd_rows *rows = NULL;
    if (chunk->type != CD_REC_UNKNOWN)
        CD_TRY(decode(run->answer, chunk, &ctx->run, &rows, &ctx->diag));
    if (is_compared(chunk))
        CD_TRY(match_head_chunk(run, chunk, rows));
    return cd_writer_pass(run->out, run->answer, chunk, rows, &ctx->diag);
}

typedef struct answered {
    cd_model tables;  // frame, body, node, contact, force, next, next_node, verdict
    cd_parcel all;    // everything, as it came
} answered;

static cd_status take_frame_chunk(loop_run *run, cd_arena *arena, const cd_chunk *chunk, answered *back)
{
    const uint64_t wanted = CD_BIT(frame) | CD_BIT(body) | CD_BIT(node) | CD_BIT(contact) | CD_BIT(force) |
                            CD_BIT(next) | CD_BIT(next_node) | CD_BIT(verdict);
    const cd_rows *rows = NULL;
    bool is_known = chunk->type != CD_REC_UNKNOWN;
    bool is_wanted = is_known && (wanted >> chunk->type & 1);
    if (is_wanted || (is_known && run->transcodes))
        CD_TRY(decode(run->answer, chunk, arena, &rows, &run->ctx->diag));
    if (is_wanted)
        append(arena, &back->tables, chunk, rows);
    cd_parcel_add(arena, &back->all, chunk, rows);
    if (chunk->type == CD_REC_frame) {
        if (run->head_matched != run->head_text.size)
            return changed_head(run, "head");
        CD_TRY(check_is_same_frame(run, &back->tables.frame));
    }
    return CD_OK;
}

static cd_status open_answer(loop_run *run)
{
    cd_ctx *ctx = run->ctx;
    int from = run->from;
    run->from = -1;
    CD_TRY(cd_reader_open_fd(from, "pipeline", &ctx->limits, &run->answer, &ctx->diag));
    run->transcodes = cd_reader_encoding(run->answer) != cd_writer_encoding(run->out);
    return CD_OK;
}

// Reads up to and with `fend` of one frame.
static cd_status receive_frame(loop_run *run, cd_arena *arena, answered *back)
{
    cd_ctx *ctx = run->ctx;
    memset(back, 0, sizeof *back);
    if (!run->answer)
        CD_TRY(open_answer(run));
    cd_chunk chunk;
    bool is_open = false;
    for (;;) {
        CD_TRY(cd_reader_next(run->answer, &chunk, &ctx->diag));
        back->tables.dim = cd_reader_dim(run->answer);
        if (chunk.type == CD_REC_fend)
            return CD_OK;
        if (chunk.type == CD_REC_end)
            return wrong_answer(run, "the pipeline ended its stream instead of returning the frame");
        is_open |= chunk.type == CD_REC_frame;
        run->head_is_back |= is_open;
        if (!run->head_is_back)
            CD_TRY(take_head_chunk(run, &chunk));
        else
            CD_TRY(take_frame_chunk(run, arena, &chunk, back));
    }
}

// After `end` was sent: nothing but head tables (of a run without steps) and `end` may come.
static cd_status receive_end(loop_run *run)
{
    cd_ctx *ctx = run->ctx;
    if (!run->answer)
        CD_TRY(open_answer(run));
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(run->answer, &chunk, &ctx->diag)) == CD_OK) {
        if (chunk.type == CD_REC_frame)
            return cd_fail(&ctx->diag, CD_ERR_FORMAT, "the pipeline returned a frame that was not sent");
        if (chunk.type != CD_REC_end)
            CD_TRY(take_head_chunk(run, &chunk));
    }
    return status == CD_END ? CD_OK : status;
}

// ---- the loop ------------------------------------------------------------------------------------------------------

// Tables of unknown type go over when the sent frame had them.
static bool is_carried(const loop_run *run, const cd_chunk *chunk, bool accepted)
{
    if (chunk->type != CD_REC_UNKNOWN || (accepted && !cd_chunk_outlives_frame(chunk)))
        return false;
    for (int32_t k = 0; k < run->foreign_count; k++)
        if (!strcmp(chunk->name, run->foreign_name[k]))
            return true;
    return false;
}

static cd_status make_next_frame(loop_run *run, cd_arena *arena, answered *back, bool *accepted)
{
    outgoing next = {0};
    back->tables.load = run->schedules.load;
    back->tables.drive = run->schedules.drive;
    cd_status status = cd_next_frame(arena, &back->tables, &run->clock, &next.tables, accepted, &run->ctx->diag);
    if (status != CD_OK)
        return cd_fail_in_frame(&run->ctx->diag, status, &run->frame.tables.frame);
    for (int32_t i = 0; i < back->all.list.count; i++)
        if (is_carried(run, &back->all.list.item[i].chunk, *accepted))
            cd_list_push(arena, &next.foreign.list, back->all.list.item[i]);
    run->frame = next;
    return CD_OK;
}

static cd_status step_loop(loop_run *run)
{
    cd_ctx *ctx = run->ctx;
    const cd_loop_options *options = run->options;
    int64_t rounds = 0;
    for (int turn = 0; !cd_is_last_frame(&run->frame.tables.frame, options->until, options->frames, run->first_index);
         turn = !turn) {
        cd_arena *arena = &run->arena[turn];
        cd_arena_reset(arena);
        cd_loop_pipeline_post(run->pipeline, run->head_was_sent ? send_frame : send_first, run, options->timeout);
        run->head_was_sent = true;
        answered back;
        CD_TRY(receive_frame(run, arena, &back));
        CD_TRY(cd_loop_pipeline_settle(run->pipeline, &ctx->diag));
        bool accepted;
        CD_TRY(make_next_frame(run, arena, &back, &accepted));
        if (accepted || options->keep_trials) {
            CD_TRY(cd_parcel_pass(&back.all, run->out, run->answer, &ctx->diag));
            CD_TRY(cd_writer_frame_end(run->out, &ctx->diag));
        }
        rounds = accepted ? 0 : rounds + 1;
        if (rounds > options->max_rounds)
            return cd_fail(&ctx->diag, CD_ERR_NUMERIC,
                           "frame %" PRId64 ": rejected more than %" PRId64 " times (--max-rounds)",
                           run->frame.tables.frame.index[0], options->max_rounds);
        cd_progress(ctx, "frame %" PRId64 "  time %g s  %d bodies%s", run->frame.tables.frame.index[0],
                    run->frame.tables.frame.time[0], run->frame.tables.body.count, accepted ? "" : "  (repeated)");
    }
    return CD_OK;
}

static cd_status start_pipeline(loop_run *run)
{
    cd_ctx *ctx = run->ctx;
    int to;
    const char *command = run->options->command;
    if (!command) {
        const cd_contact_model *model;
        CD_TRY(cd_run_model(&run->schedules, run->options->model ? run->options->model : "auto", &model, &ctx->diag));
        command = cd_loop_default_pipeline(
            &ctx->run, (cd_loop_stage_options){ctx->threads, ctx->quiet, run->options->warm, model->wants});
    }
    CD_TRY(cd_loop_pipeline_start(command, &run->pipeline, &to, &run->from, &ctx->diag));
    cd_writer_options options = {.encoding = ctx->output_is_json ? CD_ENCODING_JSON : CD_ENCODING_BINARY,
                                 .limits = ctx->limits,
                                 .path = NULL,
                                 .level = 0};
    return cd_writer_open_fd(to, &options, &run->to_pipeline, &ctx->diag);
}

// The sentence and exit code of a run whose pipeline did not do its part. What happened to the stages says more than
// the stream they left: exit codes 4, 5 and 6 are handed on, everything else is a bad stream.
static cd_status explain(loop_run *run, cd_status status, const cd_loop_outcome *outcome)
{
    cd_diag *diag = &run->ctx->diag;
    int64_t index = run->frame.tables.frame.index ? run->frame.tables.frame.index[0] : 0;
    if (outcome->timed_out)
        return cd_fail(diag, CD_ERR_TRUNCATED,
                       "frame %" PRId64 ": no answer from the pipeline within %g s: every stage must flush at fend "
                       "(--timeout sets the limit)",
                       index, run->options->timeout);
    if (outcome->feeding != CD_OK && outcome->feeding != CD_ERR_IO) {
        *diag = outcome->feeding_diag;
        return outcome->feeding;
    }
    if (status != CD_ERR_TRUNCATED && outcome->feeding != CD_ERR_IO)
        return status;  // the answer itself was wrong
    if (!outcome->failed)
        return cd_fail(diag, CD_ERR_TRUNCATED, "frame %" PRId64 ": the pipeline ended before the run did", index);
    if (outcome->signal)
        return cd_fail(diag, CD_ERR_TRUNCATED, "frame %" PRId64 ": the pipeline stopped: signal %d killed `%s`", index,
                       outcome->signal, outcome->stage);
    static const cd_status by_code[] = {[4] = CD_ERR_IO, [5] = CD_ERR_NUMERIC, [6] = CD_ERR_UNSUPPORTED};
    int code = outcome->exit_status;
    status = code >= 4 && code <= 6 ? by_code[code] : CD_ERR_TRUNCATED;
    return cd_fail(diag, status, "frame %" PRId64 ": the pipeline stopped: exit status %d of `%s`", index, code,
                   outcome->stage);
}

// The pipeline's regular end: `end` for `end`, then the exit status of every stage. 1 is a failed check (as of
// cd-overlap-metric
// --max): the trajectory is complete all the same.
static cd_status finish(loop_run *run)
{
    cd_ctx *ctx = run->ctx;
    cd_loop_pipeline_post(run->pipeline, send_end, run, run->options->timeout);
    CD_TRY(receive_end(run));
    CD_TRY(cd_loop_pipeline_settle(run->pipeline, &ctx->diag));
    cd_loop_outcome outcome = cd_loop_pipeline_stop(run->pipeline, false);
    run->pipeline = NULL;
    if (outcome.failed && outcome.exit_status != 1)
        return explain(run, CD_ERR_TRUNCATED, &outcome);
    CD_TRY(write_frame(run, run->out, &ctx->diag));
    CD_TRY(cd_writer_end(run->out, &ctx->diag));
    if (outcome.failed)
        return cd_fail(&ctx->diag, CD_ERR_CHECK, "the trajectory is complete; exit status 1 of `%s`", outcome.stage);
    return CD_OK;
}

static cd_status run_all(loop_run *run)
{
    cd_ctx *ctx = run->ctx;
    CD_TRY(read_scene(run));
    CD_TRY(cd_open_writer(ctx, cd_reader_encoding(run->scene), &run->out));
    CD_TRY(start_pipeline(run));
    CD_TRY(step_loop(run));
    return finish(run);
}

cd_status cd_loop_run(cd_ctx *ctx, const cd_loop_options *options)
{
    loop_run run = {.ctx = ctx, .options = options, .from = -1};
    cd_status status = run_all(&run);
    if (run.from >= 0)
        close(run.from);
    cd_reader_close(run.answer);
    if (run.pipeline) {
        cd_loop_outcome outcome = cd_loop_pipeline_stop(run.pipeline, true);
        status = explain(&run, status, &outcome);
    }
    cd_writer_close(run.to_pipeline);
    cd_writer_close(run.out);
    cd_reader_close(run.scene);
    cd_buffer_release(&run.head_text);
    cd_arena_release(&run.arena[0]);
    cd_arena_release(&run.arena[1]);
    return status;
}
