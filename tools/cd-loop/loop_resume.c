// SPDX-License-Identifier: MIT
#include "loop_resume.h"

#include "cd_output.h"
#include "cd_rows.h"
#include "cd_schedule.h"

#include <inttypes.h>
#include <math.h>
#include <unistd.h>

// A part before the file that it will become.
static const char *file_to_read(cd_arena *arena, const char *asked)
{
    if (cd_output_is_part_name(asked))
        return asked;
    const char *part = cd_arena_printf(arena, "%s.part", asked);
    return access(part, F_OK) == 0 ? part : asked;
}

// ---- provenance ----------------------------------------------------------------------------------------------------

static const char *argv_text(cd_arena *arena, const cd_prog_rows *prog, int32_t row)
{
    const char *text = prog->tool[row];
    for (int32_t i = prog->argv.offset ? prog->argv.offset[row] : 0;
         prog->argv.offset && i < prog->argv.offset[row + 1]; i++)
        text = cd_arena_printf(arena, "%s %s", text, prog->argv.text[i]);
    return text;
}

static const char *version_of(const cd_prog_rows *prog, int32_t row)
{
    return prog->version && prog->version[row] ? prog->version[row] : "";
}

static bool has_argument(const char *const *argument, int32_t count, const char *wanted)
{
    for (int32_t i = 0; i < count; i++)
        if (!strcmp(argument[i], wanted))
            return true;
    return false;
}

// Options of cd-loop that say what is in a trajectory, not how far it goes.
static bool shapes_trajectory(const char *argument)
{
    static const char *const options[] = {"--every=", "--keep=", "--keep-trials", "--model="};
    for (size_t k = 0; k < sizeof options / sizeof options[0]; k++)
        if (!strncmp(argument, options[k], strlen(options[k])))
            return true;
    return false;
}

static cd_status check_own_options(cd_ctx *ctx, const cd_loop_file *file, const cd_prog_rows *prog, int32_t own)
{
    const char *const *before = NULL;
    int32_t count = 0;
    if (prog->argv.offset) {
        before = (const char *const *)prog->argv.text + prog->argv.offset[own];
        count = prog->argv.offset[own + 1] - prog->argv.offset[own];
    }
    for (int32_t i = 0; i < count; i++)
        if (shapes_trajectory(before[i]) && !has_argument(ctx->own_arguments, ctx->own_argument_count, before[i]))
            return cd_fail(&ctx->diag, CD_ERR_USAGE, "%.150s: its run had %.80s: a resumed one needs it too",
                           file->path, before[i]);
    for (int32_t i = 0; i < ctx->own_argument_count; i++)
        if (shapes_trajectory(ctx->own_arguments[i]) && !has_argument(before, count, ctx->own_arguments[i]))
            return cd_fail(&ctx->diag, CD_ERR_USAGE, "%.150s: its run had no %.80s", file->path, ctx->own_arguments[i]);
    return CD_OK;
}

// What of a step before such a stage remembers is not in the file.
static cd_status check_memory(cd_ctx *ctx, const cd_loop_file *file)
{
    static const struct {
        const char *tool, *option;
    } remembers[] = {{"cd-lcp", "--warm"}, {"cd-spars", "--new-only"}};
    const cd_prog_rows *prog = &file->stages;
    for (int32_t i = 0; i < prog->count; i++)
        for (size_t k = 0; k < sizeof remembers / sizeof remembers[0]; k++)
            if (prog->argv.offset && !strcmp(prog->tool[i], remembers[k].tool) &&
                has_argument((const char *const *)prog->argv.text + prog->argv.offset[i],
                             prog->argv.offset[i + 1] - prog->argv.offset[i], remembers[k].option))
                return cd_fail(&ctx->diag, CD_ERR_USAGE,
                               "%.150s: %s %s goes by the steps before, which the file does not hold: go on with "
                               "cd-view --frames last",
                               file->path, remembers[k].tool, remembers[k].option);
    return CD_OK;
}

// Rows up to cd-loop's own last one are sent, those behind it are the stages'.
static cd_status split_prog(cd_ctx *ctx, const cd_prog_rows *prog, cd_loop_file *file, cd_loop_origin *origin)
{
    int32_t own = prog->count - 1;
    while (own >= 0 && strcmp(prog->tool[own], ctx->filter->name) != 0)
        own--;
    if (own < 0)
        return cd_fail(&ctx->diag, CD_ERR_FORMAT,
                       "%.150s: no provenance of cd-loop: not a trajectory that it can go on with", file->path);
    CD_TRY(check_own_options(ctx, file, prog, own));
    int32_t *row = CD_ARENA_ARRAY(&ctx->run, int32_t, prog->count);
    for (int32_t i = 0; i < prog->count; i++)
        row[i] = i;
    const cd_record *record = &cd_records[CD_REC_prog];
    cd_prog_rows *sent = (cd_prog_rows *)cd_rows_new(&ctx->run, CD_REC_prog);
    cd_rows_select(&ctx->run, record, 2, (cd_rows *)sent, (const cd_rows *)prog, row, own + 1);
    cd_rows_select(&ctx->run, record, 2, (cd_rows *)&file->stages, (const cd_rows *)prog, row + own + 1,
                   prog->count - own - 1);
    cd_loop_origin_add_prog(&ctx->run, origin, sent);
    return check_memory(ctx, file);
}

cd_status cd_loop_file_check_stages(cd_ctx *ctx, const cd_loop_file *file, const cd_prog_rows *back, int32_t sent)
{
    const cd_prog_rows *before = &file->stages;
    int32_t now = back->count - sent;
    for (int32_t i = 0; i < before->count || i < now; i++) {
        const char *was = i < before->count ? argv_text(&ctx->run, before, i) : "no further stage";
        const char *is = i < now ? argv_text(&ctx->run, back, sent + i) : "no further stage";
        if (strcmp(was, is) != 0)
            return cd_fail(&ctx->diag, CD_ERR_FORMAT, "%.150s: its run had `%.120s`, this one has `%.120s`", file->path,
                           was, is);
        if (strcmp(version_of(before, i), version_of(back, sent + i)) != 0)
            return cd_fail(&ctx->diag, CD_ERR_FORMAT,
                           "%.150s: its run had version %.20s of `%.100s`, this one has %.20s", file->path,
                           version_of(before, i), was, version_of(back, sent + i));
    }
    return CD_OK;
}

// ---- frames --------------------------------------------------------------------------------------------------------

// The first frame of an index, as it is read and, when its fend has come, as the one to start from.
typedef struct group {
    cd_arena arena;
    cd_loop_frame frame;
    cd_writer_place place;
    cd_run_clock clock;
} group;

typedef struct scan {
    cd_ctx *ctx;
    cd_loop_file *file;
    cd_loop_origin *origin;
    cd_prog_rows prog;
    bool head_is_complete;
    group group[2];
    int reading;          // which of them
    bool has_group;       // the other one is whole
    bool is_first_frame;  // the open frame is the first one of its index
    int64_t frames;
    double asked_step;  // [s] by the verdict before; NaN: none
    double until_step;  // [s] by the verdict of the open frame
    cd_run_clock clock;
} scan;

// The clock as the run had it when it made this frame (cd_next_frame.c): the grid of times starts anew where the step
// changes or the time is not that of the grid. --every keeps these frames.
static cd_status follow_clock(scan *s, const cd_frame_rows *frame)
{
    if (s->frames == 0)
        return cd_run_clock_start(frame, &s->clock, &s->ctx->diag);
    double rest = cd_f64_or(frame->rest, 0, 0), step = cd_f64_or(frame->step, 0, NAN) + rest;
    if (isnan(step))
        return cd_fail(&s->ctx->diag, CD_ERR_FORMAT, "%s: frame: step: missing", cd_reader_where(s->origin->reader));
    // Of a step that was cut the sum of the parts is its length but for rounding.
    if (rest > 0 && fabs(step - s->clock.whole) <= 1e-12 * step)
        step = s->clock.whole;
    if (rest > 0 && !isnan(s->asked_step))
        step = s->asked_step;
    double nominal = s->clock.base_time + (double)(frame->index[0] - s->clock.base_index) * s->clock.whole;
    if (step != s->clock.whole || frame->time[0] != nominal) {
        s->clock.base_index = frame->index[0];
        s->clock.base_time = frame->time[0];
        s->clock.whole = step;
    }
    return CD_OK;
}

static cd_status open_frame(scan *s, const cd_chunk *chunk)
{
    cd_ctx *ctx = s->ctx;
    if (!s->head_is_complete)
        CD_TRY(split_prog(ctx, &s->prog, s->file, s->origin));
    s->head_is_complete = true;
    group *g = &s->group[s->reading];
    cd_arena_reset(&g->arena);
    cd_rows *rows;
    CD_TRY(cd_loop_decode(s->origin->reader, chunk, &g->arena, &rows, &ctx->diag));
    int64_t index = ((cd_frame_rows *)(void *)rows)->index[0];
    const group *last = &s->group[!s->reading];
    s->is_first_frame = !s->has_group || last->frame.tables.frame.index[0] != index;
    cd_frame_place place = {index, cd_reader_place(s->origin->reader), chunk->line};
    if (place.place < 0)
        return cd_fail(&ctx->diag, CD_ERR_UNSUPPORTED, "%.150s: packed by gzip: nothing can be written behind it",
                       s->file->path);
    s->until_step = NAN;
    if (s->is_first_frame) {
        CD_TRY(follow_clock(s, (cd_frame_rows *)(void *)rows));
        if (s->frames == 0)
            s->file->first_step = s->clock.whole;
        memset(&g->frame, 0, sizeof g->frame);
        g->frame.tables.dim = cd_reader_dim(s->origin->reader);
        cd_loop_append(&g->arena, &g->frame.tables, chunk, rows);
        g->clock = s->clock;
        g->place = (cd_writer_place){.bytes = place.place,
                                     .sequence = (uint32_t)place.sequence,
                                     .frames = s->frames,
                                     .records = cd_reader_records_before(s->origin->reader)};
    }
    cd_buffer_append(&s->file->frame_places, &place, sizeof place);
    return CD_OK;
}

static void add_positions(const cd_body_rows *body, int dim, cd_buffer *out)
{
    if (body->position)
        cd_buffer_append(out, body->position, (size_t)body->count * (size_t)dim * sizeof *body->position);
}

static cd_status take_frame_chunk(scan *s, const cd_chunk *chunk)
{
    group *g = &s->group[s->reading];
    cd_diag *diag = &s->ctx->diag;
    cd_rows *rows;
    if (chunk->type == CD_REC_verdict) {
        CD_TRY(cd_loop_decode(s->origin->reader, chunk, &g->arena, &rows, diag));
        const cd_verdict_rows *verdict = (const cd_verdict_rows *)(const void *)rows;
        s->until_step = verdict->accept[0] ? cd_f64_or(verdict->step, 0, NAN) : NAN;
    }
    if (!s->is_first_frame)
        return CD_OK;
    if (cd_loop_is_state(chunk->type)) {
        CD_TRY(cd_loop_decode(s->origin->reader, chunk, &g->arena, &rows, diag));
        cd_loop_append(&g->arena, &g->frame.tables, chunk, rows);
        if (s->frames == 0 && chunk->type == CD_REC_body)
            add_positions((const cd_body_rows *)(const void *)rows, cd_reader_dim(s->origin->reader),
                          &s->file->first_positions);
    } else if (chunk->type == CD_REC_UNKNOWN && cd_chunk_outlives_frame(chunk)) {
        cd_parcel_add(&g->arena, &g->frame.foreign, chunk, NULL);
    }
    return CD_OK;
}

static cd_status take_chunk(scan *s, const cd_chunk *chunk)
{
    cd_ctx *ctx = s->ctx;
    cd_rows *rows = NULL;
    if (chunk->type == CD_REC_end)
        return CD_OK;
    if (chunk->type == CD_REC_frame)
        return open_frame(s, chunk);
    if (chunk->type == CD_REC_fend) {
        s->frames++;
        s->asked_step = s->until_step;
        if (s->is_first_frame) {
            s->file->is_first = !s->has_group;
            s->has_group = true;
            s->reading = !s->reading;
        }
        return CD_OK;
    }
    if (s->head_is_complete)
        return take_frame_chunk(s, chunk);
    if (chunk->type != CD_REC_UNKNOWN)
        CD_TRY(cd_loop_decode(s->origin->reader, chunk, &ctx->run, &rows, &ctx->diag));
    if (chunk->type == CD_REC_prog) {
        cd_rows_append(&ctx->run, &cd_records[CD_REC_prog], 2, (cd_rows *)&s->prog, rows);
        return CD_OK;
    }
    return cd_loop_origin_add_head(&ctx->run, s->origin, chunk, rows, NULL);
}

// The frame as it was when its whole step began: what rounds and parts of the step put into it is taken out.
static cd_status begin_step(scan *s, const group *last)
{
    cd_loop_origin *origin = s->origin;
    cd_arena *arena = &s->ctx->run;
    origin->frame = last->frame;
    origin->clock = last->clock;
    cd_model *tables = &origin->frame.tables;
    cd_frame_rows *frame = &tables->frame;
    if (!s->file->is_first) {
        frame->contacts = frame->model = NULL;
        frame->facets = frame->target = frame->impact = NULL;
        frame->residual = NULL;
    }
    frame->round = frame->first_round = frame->substep = NULL;
    frame->rest = frame->whole = NULL;
    frame->step = CD_ARENA_ARRAY(arena, double, 1);
    frame->step[0] = origin->clock.whole;
    for (int32_t i = 0; i < origin->frame.foreign.list.count; i++)
        CD_TRY(cd_loop_note_foreign(origin, &origin->frame.foreign.list.item[i].chunk, &s->ctx->diag));
    return cd_schedule_apply(arena, &origin->schedules, tables, &s->ctx->diag);
}

static cd_status read_all(scan *s)
{
    cd_ctx *ctx = s->ctx;
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(s->origin->reader, &chunk, &ctx->diag)) == CD_OK)
        CD_TRY(take_chunk(s, &chunk));
    s->file->has_end = status == CD_END;
    if (status != CD_END && status != CD_ERR_TRUNCATED)  // damage, where the frames behind it would be lost
        return cd_fail(&ctx->diag, status, "%.300s (cd-view --salvage keeps the frames before)",
                       cd_arena_printf(&ctx->run, "%s", ctx->diag.text));
    if (!s->has_group)
        return cd_fail(&ctx->diag, CD_ERR_FORMAT, "%.150s: no whole frame: nothing to go on from", s->file->path);
    const group *last = &s->group[!s->reading];
    s->file->place = last->place;
    s->file->place.frame = s->file->encoding == CD_ENCODING_BINARY
                               ? (const cd_frame_place *)(const void *)s->file->frame_places.data
                               : NULL;
    s->origin->first_index = ((const cd_frame_place *)(const void *)s->file->frame_places.data)->index;
    if (s->file->is_first && cd_i32_or(last->frame.tables.frame.round, 0, 0) > 0)
        s->file->needs_scene = true;
    return begin_step(s, last);
}

cd_status cd_loop_file_read(cd_ctx *ctx, const cd_loop_options *options, cd_loop_file *file, cd_loop_origin *origin)
{
    scan s = {.ctx = ctx, .file = file, .origin = origin, .asked_step = NAN};
    file->path = file_to_read(&ctx->run, options->resume);
    CD_TRY(cd_reader_open(file->path, &ctx->limits, &origin->reader, &ctx->diag));
    file->encoding = cd_reader_encoding(origin->reader);
    cd_status status = read_all(&s);
    for (int k = 0; k < 2; k++)
        cd_arena_adopt(&ctx->run, &s.group[k].arena);
    return status;
}

void cd_loop_file_release(cd_loop_file *file)
{
    cd_buffer_release(&file->frame_places);
    cd_buffer_release(&file->first_positions);
}

// ---- the scene -----------------------------------------------------------------------------------------------------

cd_status cd_loop_file_check_scene(cd_ctx *ctx, const cd_loop_file *file, const cd_loop_origin *of_file,
                                   const cd_loop_origin *of_scene)
{
    const cd_buffer *a = &of_file->head_text, *b = &of_scene->head_text;
    const cd_body_rows *body = &of_file->frame.tables.body, *start = &of_scene->frame.tables.body;
    cd_buffer positions = {0};
    add_positions(start, of_scene->frame.tables.dim, &positions);
    bool is_placed = positions.size == file->first_positions.size &&
                     (!positions.size || !memcmp(positions.data, file->first_positions.data, positions.size));
    cd_buffer_release(&positions);
    if (fabs(of_scene->clock.whole - file->first_step) > 1e-12 * file->first_step)
        return cd_fail(&ctx->diag, CD_ERR_FORMAT, "%.150s: its run began with a step of %g s, the scene has %g s",
                       file->path, file->first_step, of_scene->clock.whole);
    bool is_same = is_placed && a->size == b->size && !memcmp(a->data, b->data, a->size) &&
                   of_file->first_index == of_scene->first_index && body->count == start->count &&
                   !memcmp(body->id, start->id, (size_t)body->count * sizeof *body->id);
    return is_same ? CD_OK : cd_fail(&ctx->diag, CD_ERR_FORMAT, "%.150s: it is not a run of this scene", file->path);
}
