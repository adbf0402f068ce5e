// SPDX-License-Identifier: MIT
#include "loop_run.h"

#include "cd_output.h"
#include "cd_rows.h"
#include "cd_run_model.h"
#include "loop_again.h"
#include "loop_check.h"
#include "loop_keep.h"
#include "loop_pipeline.h"
#include "loop_progress.h"
#include "loop_resume.h"
#include "loop_tools.h"

#include <inttypes.h>
#include <math.h>
#include <unistd.h>

typedef struct answered {
    bool is_kept;     // the frame is for the trajectory, where it is accepted
    cd_model tables;  // frame, body, node, spring, contact, force, next, next_node, verdict
    cd_parcel kept;   // what is for it, as it came, and tables of unknown type
} answered;

typedef struct loop_run {
    cd_ctx *ctx;
    const cd_loop_options *options;
    cd_loop_origin origin;
    cd_loop_file file;    // with --resume: what an earlier run wrote
    cd_loop_frame frame;  // the frame in work
    cd_run_clock clock;
    size_t head_matched;  // [bytes] of the head's lines that came back
    cd_prog_rows back;    // provenance that came back
    // pipeline
    cd_loop_pipeline *pipeline;
    int from;
    cd_writer *to_pipeline;
    cd_reader *answer;
    bool head_was_sent, head_is_back;
    // trajectory
    cd_writer *out;  // with --resume NULL until a frame has come back: until then the file is as it was
    cd_encoding encoding;
    cd_loop_keep keep;
    int64_t rounds;  // of the frame in work so far
    cd_loop_progress progress;
    cd_arena arena[2];  // an answer, and the frame made of it; the other one is still on its way
    int turn;           // the one of the next answer
    cd_arena passing;   // of an answer what no frame is made of: most of it
    answered last;      // what the pipeline answered last
    cd_loop_again again;
} loop_run;

// ---- to the pipeline (in the feeding thread) -----------------------------------------------------------------------

static cd_status send_first(void *argument, cd_diag *diag)
{
    loop_run *run = argument;
    CD_TRY(cd_loop_write_head(&run->origin, run->to_pipeline, diag));
    if (run->origin.first.list.count == 0)
        return cd_loop_write_frame(&run->origin, &run->frame, run->to_pipeline, diag);
    CD_TRY(cd_parcel_pass(&run->origin.first, run->to_pipeline, run->origin.reader, diag));
    return cd_writer_frame_end(run->to_pipeline, diag);
}

static cd_status send_frame(void *argument, cd_diag *diag)
{
    loop_run *run = argument;
    if (cd_writer_encoding(run->to_pipeline) == CD_ENCODING_BINARY)
        cd_writer_note_again(run->to_pipeline, 1);  // stages go on counting; none begins
    return cd_loop_write_frame(&run->origin, &run->frame, run->to_pipeline, diag);
}

static cd_status send_end(void *argument, cd_diag *diag)
{
    loop_run *run = argument;
    if (!run->head_was_sent)
        CD_TRY(cd_loop_write_head(&run->origin, run->to_pipeline, diag));
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
    cd_loop_append_lines(run->answer, chunk, rows, &lines);
    bool is_same = lines.size <= run->origin.head_text.size - run->head_matched &&
                   !memcmp(lines.data, run->origin.head_text.data + run->head_matched, lines.size);
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
    cd_rows *rows = NULL;
    if (chunk->type != CD_REC_UNKNOWN)
        CD_TRY(cd_loop_decode(run->answer, chunk, &ctx->run, &rows, &ctx->diag));
    if (cd_loop_is_compared(chunk))
        CD_TRY(match_head_chunk(run, chunk, rows));
    if (chunk->type == CD_REC_prog)
        cd_rows_append(&ctx->run, &cd_records[CD_REC_prog], 2, (cd_rows *)&run->back, rows);
    return run->out ? cd_writer_pass(run->out, run->answer, chunk, rows, &ctx->diag) : CD_OK;
}

static cd_status take_frame_chunk(loop_run *run, cd_arena *arena, const cd_chunk *chunk, answered *back)
{
    bool is_known = chunk->type != CD_REC_UNKNOWN;
    bool is_wanted = is_known && (CD_LOOP_READS >> chunk->type & 1);
    bool is_kept = !is_known || (back->is_kept && cd_loop_keeps_table(&run->keep, chunk->type));
    bool is_decoded = is_wanted || (is_kept && is_known && cd_reader_encoding(run->answer) != run->encoding);
    cd_rows *rows = is_decoded ? cd_rows_new(arena, chunk->type) : NULL;
    if (is_kept)
        cd_parcel_add(is_wanted || !is_known ? arena : &run->passing, &back->kept, chunk, rows);
    // What is kept has been copied already.
    if (is_kept && is_decoded)
        CD_TRY(cd_reader_decode_here(run->answer, &back->kept.list.item[back->kept.list.count - 1].chunk, arena, rows,
                                     &run->ctx->diag));
    else if (is_decoded)
        CD_TRY(cd_reader_decode(run->answer, chunk, arena, rows, &run->ctx->diag));
    if (is_wanted)
        cd_loop_append(arena, &back->tables, chunk, rows);
    if (chunk->type == CD_REC_frame) {
        if (run->head_matched != run->origin.head_text.size)
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
    return cd_reader_open_fd(from, "pipeline", &ctx->limits, &run->answer, &ctx->diag);
}

// Reads up to and with `fend` of one frame.
static cd_status receive_frame(loop_run *run, cd_arena *arena)
{
    cd_ctx *ctx = run->ctx;
    answered *back = &run->last;
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
    for (int32_t k = 0; k < run->origin.foreign_count; k++)
        if (!strcmp(chunk->name, run->origin.foreign_name[k]))
            return true;
    return false;
}

// Of the answer alone: where it is given once more the memory of run->frame has been given back (cd_loop_again_at).
static cd_status make_next_frame(loop_run *run, cd_arena *arena, answered *back, bool *accepted)
{
    cd_loop_frame next = {0};
    back->tables.load = run->origin.schedules.load;
    back->tables.drive = run->origin.schedules.drive;
    cd_status status = cd_next_frame(arena, &back->tables, &run->clock, &next.tables, accepted, &run->ctx->diag);
    if (status != CD_OK)
        return cd_fail_in_frame(&run->ctx->diag, status, &back->tables.frame);
    for (int32_t i = 0; i < back->kept.list.count; i++)
        if (is_carried(run, &back->kept.list.item[i].chunk, *accepted))
            cd_list_push(arena, &next.foreign.list, back->kept.list.item[i]);
    run->frame = next;
    return CD_OK;
}

// With --resume: the answer to the first frame says what the stages are, and that they work. From here on the file is
// written.
static cd_status continue_file(loop_run *run)
{
    cd_ctx *ctx = run->ctx;
    int32_t sent = 0;
    for (int32_t i = 0; i < run->origin.head.list.count; i++)
        if (run->origin.head.list.item[i].chunk.type == CD_REC_prog)
            sent += run->origin.head.list.item[i].chunk.row_count;
    if (run->head_is_back)  // there was a step to do
        CD_TRY(cd_loop_file_check_stages(ctx, &run->file, &run->back, sent));
    cd_writer_options options = cd_usual_writer_options(ctx, run->encoding);
    options.encoding = run->encoding;
    options.path = run->file.path;
    return cd_writer_continue(&options, &run->file.place, &run->out, &ctx->diag);
}

static cd_status write_answer(loop_run *run, const answered *back)
{
    cd_ctx *ctx = run->ctx;
    const bool is_repeated = back->tables.frame.index == &run->again.index;
    for (int32_t i = 0; i < back->kept.list.count; i++) {
        const cd_parcel_item *item = &back->kept.list.item[i];
        if (item->chunk.type == CD_REC_frame && is_repeated)
            CD_TRY(cd_writer_rows(run->out, CD_REC_frame, back->tables.dim, cd_reader_refs(run->answer),
                                  (const cd_rows *)&back->tables.frame, &ctx->diag));
        else if (cd_loop_keeps_table(&run->keep, item->chunk.type) || is_carried(run, &item->chunk, false))
            CD_TRY(cd_writer_pass(run->out, run->answer, &item->chunk, item->rows, &ctx->diag));
    }
    return cd_writer_frame_end(run->out, &ctx->diag);
}

static void show_progress(const loop_run *run, int32_t contacts, int64_t rounds)
{
    const cd_model *tables = &run->frame.tables;
    cd_loop_progress_show(run->ctx, run->options, &run->progress,
                          &(cd_loop_state){.index = tables->frame.index[0],
                                           .time = tables->frame.time[0],
                                           .whole = run->clock.whole,
                                           .bodies = tables->body.count,
                                           .contacts = contacts,
                                           .rounds = rounds});
}

// The frame through the pipeline.
static cd_status ask(loop_run *run, bool is_kept)
{
    run->turn = !run->turn;
    cd_arena *arena = &run->arena[run->turn];
    cd_arena_reset(arena);
    cd_arena_reset(&run->passing);
    cd_loop_pipeline_post(run->pipeline, run->head_was_sent ? send_frame : send_first, run, run->options->timeout);
    run->head_was_sent = true;
    run->last = (answered){.is_kept = is_kept};
    CD_TRY(receive_frame(run, arena));
    CD_TRY(cd_loop_pipeline_settle(run->pipeline, &run->ctx->diag));
    const bool is_same = cd_reader_again(run->answer) == 1 + cd_loop_pipeline_stages(run->pipeline);
    cd_loop_again_note(&run->again, &run->frame, is_same, arena);
    return CD_OK;
}

// Is the frame's answer the last one, and was all of it kept that is to be written?
static bool is_answered(const loop_run *run, bool is_kept)
{
    return (run->last.is_kept || !is_kept) && cd_loop_again_knows(&run->again, &run->frame);
}

// One frame to its answer and, where it is kept, into the trajectory; run->frame is the next one then.
static cd_status do_frame(loop_run *run)
{
    cd_ctx *ctx = run->ctx;
    const cd_loop_options *options = run->options;
    answered *back = &run->last;
    const bool is_kept = cd_loop_keeps_frame(&run->keep, &run->frame.tables.frame, &run->clock);
    if (!is_answered(run, is_kept)) {
        CD_TRY(ask(run, is_kept));
    } else {
        cd_loop_again_at(&run->again, &run->frame.tables.frame, &run->arena[run->turn], &back->tables.frame);
        ctx->again++;
    }
    bool accepted;
    CD_TRY(make_next_frame(run, &run->arena[run->turn], back, &accepted));
    if (!run->out)
        CD_TRY(continue_file(run));
    if (is_kept && (accepted || options->keep_trials))
        CD_TRY(write_answer(run, back));
    const int64_t sent = run->rounds + 1;
    run->rounds = accepted ? 0 : sent;
    if (run->rounds > options->max_rounds)
        return cd_fail(&ctx->diag, CD_ERR_NUMERIC,
                       "frame %" PRId64 ": rejected more than %" PRId64 " times (--max-rounds)",
                       run->frame.tables.frame.index[0], options->max_rounds);
    show_progress(run, back->tables.contact.count, sent);
    return CD_OK;
}

static bool begins_step(const cd_frame_rows *frame)
{
    return cd_i32_or(frame->substep, 0, 0) == 0 && cd_i32_or(frame->round, 0, 0) == 0;
}

static cd_status step_loop(loop_run *run)
{
    const cd_loop_options *options = run->options;
    const cd_frame_rows *frame = &run->frame.tables.frame;
    run->progress = cd_loop_progress_start(run->origin.first_index, frame->index[0]);
    while (!cd_is_last_frame(frame, options->until, options->frames, run->origin.first_index)) {
        if (cd_loop_signal_to_end() && begins_step(frame))
            return CD_OK;
        CD_TRY(do_frame(run));
    }
    return CD_OK;
}

// What the stages are sent: of the first frame all that the scene has.
static uint64_t tables_sent(const loop_run *run)
{
    uint64_t tables = 0;
    for (int k = 0; k < CD_LOOP_SENT; k++)
        tables |= UINT64_C(1) << cd_loop_sent[k];
    for (int32_t i = 0; i < run->origin.first.list.count; i++)
        if (run->origin.first.list.item[i].chunk.type != CD_REC_UNKNOWN)
            tables |= UINT64_C(1) << run->origin.first.list.item[i].chunk.type;
    return tables;
}

static cd_status start_pipeline(loop_run *run)
{
    cd_ctx *ctx = run->ctx;
    int to;
    const char *command = run->options->command;
    if (command) {
        CD_TRY(cd_loop_check_stages(command, tables_sent(run), &ctx->diag));
    } else {
        const cd_contact_model *model;
        CD_TRY(cd_run_model(&run->origin.schedules, run->options->model ? run->options->model : "auto", &model,
                            &ctx->diag));
        command = cd_loop_default_pipeline(
            &ctx->run, (cd_loop_stage_options){ctx->threads, ctx->quiet, run->options->warm, model->wants});
    }
    CD_TRY(cd_loop_pipeline_start(command, cd_loop_tables_of_answer(&run->keep, &ctx->run), &run->pipeline, &to,
                                  &run->from, &ctx->diag));
    cd_writer_options options = {.encoding = ctx->output_is_json ? CD_ENCODING_JSON : CD_ENCODING_BINARY,
                                 .limits = ctx->limits,
                                 .path = NULL,
                                 .level = 0};
    return cd_writer_open_fd(to, &options, &run->to_pipeline, &ctx->diag);
}

// The sentence and exit code of a run whose pipeline did not do its part. What happened to the stages says more than
// the stream they left: exit codes 2, 4, 5 and 6 are handed on, everything else is a bad stream.
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
    static const cd_status by_code[] = {
        [2] = CD_ERR_USAGE, [4] = CD_ERR_IO, [5] = CD_ERR_NUMERIC, [6] = CD_ERR_UNSUPPORTED};
    int code = outcome->exit_status;
    status = code == 2 || (code >= 4 && code <= 6) ? by_code[code] : CD_ERR_TRUNCATED;
    return cd_fail(diag, status, "frame %" PRId64 ": the pipeline stopped: exit status %d of `%s`%s", index, code,
                   outcome->stage, code == 3 ? ": bad or cut input" : "");
}

// `end` of a run that is over, or was asked to stop: then what is there stays a part.
static cd_status end_trajectory(loop_run *run)
{
    cd_ctx *ctx = run->ctx;
    const cd_frame_rows *frame = &run->frame.tables.frame;
    const cd_loop_options *options = run->options;
    if (cd_is_last_frame(frame, options->until, options->frames, run->origin.first_index))
        return cd_writer_end(run->out, &ctx->diag);
    ctx->signal = cd_loop_signal_to_end();
    cd_warn(ctx, "stopped by signal %d at frame %" PRId64 ", %g s%s", ctx->signal, frame->index[0], frame->time[0],
            cd_writer_keeps_part(run->out) || ctx->output_path ? ": --resume goes on" : "");
    return cd_writer_end_part(run->out, &ctx->diag);
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
    if (!run->out)
        CD_TRY(continue_file(run));
    CD_TRY(cd_loop_write_frame(&run->origin, &run->frame, run->out, &ctx->diag));
    CD_TRY(end_trajectory(run));
    if (outcome.failed)
        return cd_fail(&ctx->diag, CD_ERR_CHECK, "the trajectory is complete; exit status 1 of `%s`", outcome.stage);
    return CD_OK;
}

// ---- the run -------------------------------------------------------------------------------------------------------

static cd_status read_origin(loop_run *run)
{
    cd_ctx *ctx = run->ctx;
    const cd_loop_options *options = run->options;
    cd_loop_origin scene = {0};
    if (!options->resume)
        return cd_loop_origin_of_scene(ctx, options, &run->origin);
    cd_status status = cd_loop_file_read(ctx, options, &run->file, &run->origin);
    if (status == CD_OK && options->scene)
        status = cd_loop_origin_of_scene(ctx, options, &scene);
    if (status == CD_OK && options->scene)
        status = cd_loop_file_check_scene(ctx, &run->file, &run->origin, &scene);
    if (status == CD_OK && run->file.is_first && options->scene) {  // from the scene itself
        cd_loop_origin of_file = run->origin;
        run->origin = scene;
        scene = of_file;
    } else if (status == CD_OK && run->file.needs_scene) {
        status = cd_fail(&ctx->diag, CD_ERR_USAGE,
                         "%.150s: it holds no more than the first frame, after rounds: the scene is needed too",
                         run->file.path);
    }
    cd_loop_origin_release(&scene);
    return status;
}

static cd_status open_trajectory(loop_run *run)
{
    cd_ctx *ctx = run->ctx;
    if (run->options->resume) {
        run->encoding = run->file.encoding;
        return CD_OK;
    }
    cd_writer_options options = cd_usual_writer_options(ctx, cd_reader_encoding(run->origin.reader));
    options.is_part = true;
    run->encoding = options.encoding;
    return cd_writer_open(&options, &run->out, &ctx->diag);
}

// A file that is whole already is left as it is.
static cd_status check_is_work(loop_run *run, bool *is_work)
{
    cd_ctx *ctx = run->ctx;
    const cd_loop_options *options = run->options;
    const cd_frame_rows *frame = &run->frame.tables.frame;
    double slack = 1e-9 * run->clock.whole;
    *is_work = true;
    if (!options->resume || !cd_is_last_frame(frame, options->until, options->frames, run->origin.first_index))
        return CD_OK;
    if (frame->time[0] > options->until + slack ||
        (options->frames > 0 && frame->index[0] - run->origin.first_index > options->frames - 1))
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "%.150s: it goes further already: to frame %" PRId64 ", %g s",
                       run->file.path, frame->index[0], frame->time[0]);
    *is_work = !run->file.has_end || cd_output_is_part_name(run->file.path);
    return CD_OK;
}

static cd_status run_all(loop_run *run)
{
    const cd_loop_options *options = run->options;
    CD_TRY(cd_loop_keep_parse(options->keep, options->every, &run->keep, &run->ctx->diag));
    CD_TRY(read_origin(run));
    run->frame = run->origin.frame;
    run->clock = run->origin.clock;
    run->keep.first_index = run->origin.first_index;
    bool is_work;
    CD_TRY(check_is_work(run, &is_work));
    if (!is_work)
        return CD_OK;
    CD_TRY(open_trajectory(run));
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
    if (status != CD_OK && status != CD_ERR_CHECK && cd_writer_keeps_part(run.out)) {
        cd_diag reason = ctx->diag;
        (void)cd_fail(&ctx->diag, status, "%.400s; the frames before are kept, --resume goes on", reason.text);
    }
    cd_writer_close(run.to_pipeline);
    cd_writer_close(run.out);
    cd_loop_origin_release(&run.origin);
    cd_loop_file_release(&run.file);
    cd_loop_again_release(&run.again);
    cd_arena_release(&run.arena[0]);
    cd_arena_release(&run.arena[1]);
    cd_arena_release(&run.passing);
    return status;
}
