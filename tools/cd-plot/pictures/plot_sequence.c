// Frames one after another: a picture each, numbered or as a film. All have the same view, scales and key, so the
// stream is read twice: to see what there is, and to draw. As many frames are drawn at once as there are threads.
// SPDX-License-Identifier: MIT
#include "cd_threads.h"
#include "plot_film.h"
#include "plot_panels.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

enum { USUAL_PANELS = 8, BATCH_MOST = 64 };  // what is shown by default: as of as many panels, not all that there is

typedef struct drawing {
    struct sequence *sequence;
    cd_plot_frame *frame;
    const char *caption;
    cd_buffer out;
    cd_status status;
    cd_diag diag;
} drawing;

typedef struct sequence {
    cd_ctx *ctx;
    cd_plot_ask *ask;
    const char *path;  // of -o
    int64_t count, written;
    unsigned marks;
    cd_plot_extent extent;
    cd_plot_tops top;
    cd_plot_frame *last;  // for the half-spaces, which are as large as the bodies' extent
    cd_plot_panels panels;
    cd_plot_film *film;
    drawing *batch;
    int batch_count;
} sequence;

static bool wants_frame(void *self, const cd_frame_rows *frame)
{
    const sequence *s = self;
    return !s->ask->chooses_frames || cd_plot_ask_has_frame(s->ask, frame->index[0]);
}

// ---- first reading -------------------------------------------------------------------------------------------------

static cd_status look_at(void *self, cd_ctx *ctx, cd_plot_frame *frame, bool *taken)
{
    (void)ctx;
    sequence *s = self;
    if (s->count++ == 0)
        cd_plot_ask_panels(s->ask, USUAL_PANELS, frame->in.body.count, true);
    cd_plot_scene_extent(s->ask, frame, false, &s->extent);
    cd_plot_tops_add(s->ask, frame, &s->top);
    s->marks |= cd_plot_scene_marks(s->ask, frame);
    cd_plot_frame_free(s->last);
    s->last = frame;
    *taken = true;
    return CD_OK;
}

// ---- second reading ------------------------------------------------------------------------------------------------

static void draw_frame(cd_canvas *canvas, void *argument)
{
    drawing *d = argument;
    sequence *s = d->sequence;
    cd_plot_view view = cd_plot_panel_view(&s->panels, 0);
    cd_plot_scene_draw(canvas, s->ask, d->frame, &view, s->top);
    cd_plot_panels_draw(canvas, &s->panels, &d->caption);
}

static void render_some(void *context, int worker)
{
    sequence *s = context;
    int threads = s->ctx->threads < s->batch_count ? s->ctx->threads : s->batch_count;
    cd_share share = cd_threads_share(s->batch_count, threads, worker);
    for (int64_t i = share.begin; i < share.end; i++) {
        drawing *d = &s->batch[i];
        const cd_canvas_picture picture = {.png = s->ask->png,
                                           .width = s->panels.width,
                                           .height = s->panels.height,
                                           .scale = s->ask->scale,
                                           .draw = draw_frame,
                                           .argument = d};
        d->status = cd_canvas_render(&picture, &d->out, &d->diag);
    }
}

static cd_status write_picture(sequence *s, const drawing *d)
{
    cd_ctx *ctx = s->ctx;
    if (d->status != CD_OK) {
        ctx->diag = d->diag;
        return d->status;
    }
    if (s->film)
        return cd_plot_film_add(ctx, s->film, &d->out);
    ctx->output_path = cd_plot_numbered_path(&ctx->run, s->path, s->written++);
    return cd_write_text(ctx, d->out.data, d->out.size);
}

// After a failure nothing more is drawn.
static cd_status finish_batch(sequence *s, cd_status status)
{
    if (s->batch_count > 0 && status == CD_OK)
        cd_threads_run(s->ctx->threads < s->batch_count ? s->ctx->threads : s->batch_count, render_some, s);
    for (int i = 0; i < s->batch_count; i++) {
        if (status == CD_OK)
            status = write_picture(s, &s->batch[i]);
        cd_buffer_release(&s->batch[i].out);
        cd_plot_frame_free(s->batch[i].frame);
    }
    s->batch_count = 0;
    return status;
}

static cd_status take_frame(void *self, cd_ctx *ctx, cd_plot_frame *frame, bool *taken)
{
    sequence *s = self;
    cd_plot_ask_opacity(s->ask, s->marks);  // each reading takes back what was worked out
    cd_plot_tops own = cd_plot_tops_empty();
    cd_plot_tops_add(s->ask, frame, &own);  // for its tint: the range is that of all
    s->batch[s->batch_count++] =
        (drawing){.sequence = s, .frame = frame, .caption = cd_plot_caption(ctx, s->ask, frame)};
    *taken = true;
    int room = ctx->threads < BATCH_MOST ? ctx->threads : BATCH_MOST;
    return s->batch_count < room ? CD_OK : finish_batch(s, CD_OK);
}

// ---- both ----------------------------------------------------------------------------------------------------------

static cd_status read_frames(sequence *s, cd_status (*each)(void *, cd_ctx *, cd_plot_frame *, bool *))
{
    const cd_plot_reading reading = {
        .tables = CD_PLOT_SCENE_TABLES, .scene = s->ask, .wants = wants_frame, .each = each, .self = s};
    return cd_plot_read(s->ctx, 0, &reading);
}

static cd_status draw_all(sequence *s)
{
    s->batch = CD_ARENA_ZARRAY(&s->ctx->run, drawing, BATCH_MOST);
    return finish_batch(s, read_frames(s, take_frame));
}

static cd_status lay_out(sequence *s, cd_plot_key_entry key[CD_PLOT_MARKS])
{
    cd_plot_scene_extent(s->ask, s->last, true, &s->extent);
    cd_plot_ask_opacity(s->ask, s->marks);
    int count = cd_plot_scene_key(&s->ctx->run, s->ask, s->marks, &s->top, key);
    const cd_plot_contents contents = {s->extent, 1, 1, key, count};
    return cd_plot_panels_make(s->ask, &contents, &s->panels, &s->ctx->diag);
}

static cd_status check(cd_ctx *ctx, const cd_plot_ask *ask)
{
    struct stat file;
    const char *path = ctx->operand_count ? ctx->operand[0] : "-";
    if (cd_plot_stream_count(ctx) > 1)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "-o: %.200s: numbered pictures and films are of one stream",
                       ctx->output_path);
    if (ask->chooses_frames && ask->last_frame)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--frames: \"last\" is one frame: no numbered pictures, no film");
    if (!strcmp(path, "-") || (stat(path, &file) == 0 && !S_ISREG(file.st_mode)))
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "-o: %.200s: the stream is read twice: give it as a file",
                       ctx->output_path);
    return CD_OK;
}

cd_status cd_plot_sequence(cd_ctx *ctx, cd_plot_ask *ask)
{
    sequence s = {.ctx = ctx,
                  .ask = ask,
                  .path = ctx->output_path,
                  .extent = cd_plot_extent_empty(),
                  .top = cd_plot_tops_empty()};
    cd_plot_film film;
    cd_plot_key_entry key[CD_PLOT_MARKS];
    CD_TRY(check(ctx, ask));
    cd_status status = read_frames(&s, look_at);
    if (status == CD_OK && s.count == 0)
        status = cd_plot_no_frames(ctx, ask, 0);
    if (status == CD_OK)
        status = cd_plot_ask_check_bodies(ask, &ctx->diag);
    if (status == CD_OK)
        status = lay_out(&s, key);
    cd_plot_frame_free(s.last);
    CD_TRY(status);
    if (!ask->film)
        return draw_all(&s);
    CD_TRY(cd_plot_film_start(ctx, ask, &film));
    s.film = &film;
    return cd_plot_film_end(ctx, &film, draw_all(&s));
}
