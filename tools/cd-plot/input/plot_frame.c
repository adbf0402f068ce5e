// SPDX-License-Identifier: MIT
#include "plot_frame.h"

#include "cd_length.h"
#include "cd_rows.h"

#include <inttypes.h>

typedef union any_rows {
    cd_rows rows;
    cd_model any;
} any_rows;

typedef struct stream_walk {
    cd_ctx *ctx;
    const cd_plot_reading *reading;
    uint64_t tables;
    cd_model head;
    const cd_plot_shapes *shapes;
    const cd_elements *elements;
    const cd_pinballs *pinballs;
    cd_plot_frame *frame;  // being read
    bool in_frame, is_wanted;
    int stream;
    int64_t frames;
} stream_walk;

static cd_plot_frame *new_frame(int stream)
{
    cd_plot_frame *frame = cd_alloc(sizeof *frame);
    memset(frame, 0, sizeof *frame);
    frame->stream = stream;
    return frame;
}

void cd_plot_frame_free(cd_plot_frame *frame)
{
    if (frame)
        cd_arena_release(&frame->arena);
    cd_free(frame);
}

// With the first frame the head tables are complete.
static cd_status finish_head(stream_walk *walk)
{
    cd_ctx *ctx = walk->ctx;
    for (int type = 0; type < CD_REC_COUNT; type++)
        if ((walk->tables >> type & 1) && cd_records[type].is_head)
            cd_rows_fill_defaults(&ctx->run, &cd_records[type], walk->head.dim,
                                  cd_model_rows(&walk->head, (cd_record_type)type));
    if (!walk->reading->scene)
        return CD_OK;
    cd_plot_shapes *shapes = cd_arena_alloc(&ctx->run, sizeof *shapes);
    cd_status status = cd_plot_shapes_make(&ctx->run, &walk->head, cd_reader_refs(ctx->reader), shapes, &ctx->diag);
    walk->shapes = shapes;
    if (status == CD_OK && walk->tables & CD_BIT(node)) {
        cd_model *head = cd_arena_alloc(&ctx->run, sizeof *head);  // it is looked at when the walk is over
        *head = walk->head;
        cd_elements *elements = cd_arena_alloc(&ctx->run, sizeof *elements);
        cd_pinballs *pinballs = cd_arena_alloc(&ctx->run, sizeof *pinballs);
        status = cd_elements_make(&ctx->run, head, elements, &ctx->diag);
        walk->elements = elements;
        walk->pinballs = pinballs;
        if (status == CD_OK)
            status = cd_pinballs_make(&ctx->run, head, elements, &shapes->leaves, pinballs, &ctx->diag);
    }
    return status == CD_OK ? status : cd_fail_at(&ctx->diag, status, "%s", cd_reader_where(ctx->reader));
}

static cd_status take(stream_walk *walk, const cd_chunk *chunk)
{
    cd_ctx *ctx = walk->ctx;
    if (chunk->type == CD_REC_UNKNOWN || !(walk->tables >> chunk->type & 1))
        return CD_OK;
    const cd_record *record = &cd_records[chunk->type];
    if (!record->is_head && chunk->type != CD_REC_frame && !walk->is_wanted)
        return CD_OK;
    cd_arena *arena = record->is_head ? &ctx->run : &walk->frame->arena;
    any_rows decoded;
    memset(&decoded, 0, sizeof decoded);
    CD_TRY(cd_reader_decode(ctx->reader, chunk, arena, &decoded.rows, &ctx->diag));
    walk->head.dim = cd_reader_dim(ctx->reader);
    cd_model *model = record->is_head ? &walk->head : &walk->frame->in;
    cd_rows_append(arena, record, walk->head.dim, cd_model_rows(model, chunk->type), &decoded.rows);
    if (chunk->type == CD_REC_head && walk->reading->scene) {
        if (walk->stream > 0 && walk->reading->scene->camera.dim != walk->head.dim)
            return cd_fail(&ctx->diag, CD_ERR_UNSUPPORTED,
                           "%s: head: dim: %d: streams of the plane and of space do not fit in one picture",
                           cd_reader_where(ctx->reader), walk->head.dim);
        CD_TRY(cd_plot_ask_dim(walk->reading->scene, walk->head.dim, &ctx->diag));
    }
    if (chunk->type == CD_REC_frame) {
        const cd_plot_reading *reading = walk->reading;
        walk->is_wanted = !reading->wants || reading->wants(reading->self, &walk->frame->in.frame);
        if (walk->frames++ == 0)
            CD_TRY(finish_head(walk));
    }
    return CD_OK;
}

// The frame's model: the head's tables, its own, defaults of bodies.
static void complete_frame(stream_walk *walk)
{
    cd_plot_frame *frame = walk->frame;
    frame->in.dim = walk->head.dim;
    frame->shapes = walk->shapes;
    for (int type = 0; type < CD_REC_COUNT; type++) {
        cd_rows *rows = cd_model_rows(&frame->in, (cd_record_type)type);
        if (cd_records[type].is_head)
            memcpy(rows, cd_model_rows(&walk->head, (cd_record_type)type), cd_records[type].size);
        else if (walk->tables >> type & 1)
            cd_rows_fill_defaults(&frame->arena, &cd_records[type], frame->in.dim, rows);
    }
    if (walk->reading->scene) {  // marks of contacts go by it
        double *epsilon = CD_ARENA_ARRAY(&frame->arena, double, 1);
        *epsilon = cd_epsilon_of(&frame->arena, &frame->in, &frame->shapes->leaves);
        frame->in.head.epsilon = epsilon;
    }
}

// Every body that takes part has a place: its own, or that of its elements.
static cd_status place_bodies(stream_walk *walk)
{
    cd_plot_frame *frame = walk->frame;
    cd_diag *diag = &walk->ctx->diag;
    if (!(walk->tables & CD_BIT(node)))
        return cd_bodies_need_positions(&frame->in, diag);
    frame->pinballs = walk->pinballs;
    CD_TRY(cd_elements_place(&frame->arena, &frame->in, walk->elements, cd_reader_refs(walk->ctx->reader),
                             &frame->placed, diag));
    return cd_elements_need_positions(&frame->placed, diag);
}

static cd_status end_frame(stream_walk *walk)
{
    bool taken = false;
    cd_status status = CD_OK;
    if (walk->is_wanted) {
        complete_frame(walk);
        if (walk->reading->scene) {
            cd_plot_ask_note_bodies(walk->reading->scene, &walk->frame->in.body);
            status = place_bodies(walk);
            if (status != CD_OK)
                return cd_fail_at(&walk->ctx->diag, status, "%s", cd_reader_where(walk->ctx->reader));
        }
        status = walk->reading->each(walk->reading->self, walk->ctx, walk->frame, &taken);
    }
    if (taken) {
        walk->frame = new_frame(walk->stream);
    } else {
        cd_arena_reset(&walk->frame->arena);
        memset(&walk->frame->in, 0, sizeof walk->frame->in);
    }
    walk->is_wanted = false;
    cd_progress(walk->ctx, "frame %" PRId64, walk->frames);
    return status;
}

static cd_status walk_chunks(stream_walk *walk)
{
    cd_ctx *ctx = walk->ctx;
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(ctx->reader, &chunk, &ctx->diag)) == CD_OK) {
        if (chunk.type == CD_REC_fend)
            CD_TRY(end_frame(walk));
        else if (chunk.type != CD_REC_end)
            CD_TRY(take(walk, &chunk));
    }
    return status == CD_END ? CD_OK : status;
}

cd_status cd_plot_read(cd_ctx *ctx, int stream, const cd_plot_reading *reading)
{
    CD_TRY(cd_open_reader(ctx, stream, &ctx->reader));
    stream_walk walk = {.ctx = ctx, .reading = reading, .stream = stream};
    walk.tables = cd_types_with_targets(reading->tables | CD_BIT(head) | CD_BIT(frame) |
                                        (reading->scene ? CD_BIT(shape) | CD_BIT(element) : 0));
    walk.frame = new_frame(stream);
    cd_status status = walk_chunks(&walk);
    cd_plot_frame_free(walk.frame);
    cd_reader_close(ctx->reader);
    ctx->reader = NULL;
    return status;
}

// ---- chosen frames -------------------------------------------------------------------------------------------------

typedef struct gathering {
    const cd_plot_ask *ask;
    cd_plot_frames *frames;
    cd_plot_frame *last;  // the frame read last, when it was not chosen otherwise
    int chosen;           // of this stream
} gathering;

static bool wants_frame(void *self, const cd_frame_rows *frame)
{
    gathering *g = self;
    return g->ask->last_frame || cd_plot_ask_has_frame(g->ask, frame->index[0]);
}

static cd_status keep(gathering *g, cd_ctx *ctx, cd_plot_frame *frame)
{
    if (g->frames->count == CD_PLOT_PANELS)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--frames: more than %d frames for one picture: choose A:B:STEP",
                       CD_PLOT_PANELS);
    g->frames->frame[g->frames->count++] = frame;
    g->chosen++;
    return CD_OK;
}

static cd_status take_frame(void *self, cd_ctx *ctx, cd_plot_frame *frame, bool *taken)
{
    gathering *g = self;
    cd_plot_frame_free(g->last);
    g->last = NULL;
    if (cd_plot_ask_has_frame(g->ask, frame->in.frame.index[0])) {
        CD_TRY(keep(g, ctx, frame));
    } else {
        g->last = frame;
    }
    *taken = true;
    return CD_OK;
}

cd_status cd_plot_no_frames(cd_ctx *ctx, const cd_plot_ask *ask, int stream)
{
    return cd_fail(&ctx->diag, ask->chooses_frames ? CD_ERR_USAGE : CD_ERR_FORMAT, "%s: %s",
                   stream < ctx->operand_count ? ctx->operand[stream] : "stdin",
                   ask->chooses_frames ? "no frame of --frames is in the stream" : "there is no frame to draw");
}

cd_status cd_plot_frames_gather(cd_ctx *ctx, cd_plot_ask *ask, cd_plot_frames *frames)
{
    memset(frames, 0, sizeof *frames);
    for (int stream = 0; stream < cd_plot_stream_count(ctx); stream++) {
        gathering g = {.ask = ask, .frames = frames};
        const cd_plot_reading reading = {
            .tables = CD_PLOT_SCENE_TABLES, .scene = ask, .wants = wants_frame, .each = take_frame, .self = &g};
        cd_status status = cd_plot_read(ctx, stream, &reading);
        if (status == CD_OK && g.last && ask->last_frame) {
            status = keep(&g, ctx, g.last);
            g.last = NULL;
        }
        cd_plot_frame_free(g.last);
        CD_TRY(status);
        frames->stream_frames[stream] = g.chosen;
        if (g.chosen == 0)
            return cd_plot_no_frames(ctx, ask, stream);
    }
    return cd_plot_ask_check_bodies(ask, &ctx->diag);
}

void cd_plot_frames_release(cd_plot_frames *frames)
{
    for (int i = 0; i < frames->count; i++)
        cd_plot_frame_free(frames->frame[i]);
    frames->count = 0;
}
