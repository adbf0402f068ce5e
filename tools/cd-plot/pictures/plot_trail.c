// Trails: where the moving bodies of one or several streams went, as fading outlines and paths of their centres.
// SPDX-License-Identifier: MIT
#include "plot_cast.h"
#include "plot_panels.h"

#include <math.h>
#include <stdio.h>

// Frames kept of a stream. When there are more, every second is dropped and from then on every second, fourth ... is
// taken.
enum { MOST_SAMPLES = 2048 };
#define WIDER 0.5  // [px]

typedef struct placed_body {
    int64_t id;
    int32_t shape, motion;
    cd_plot_pose pose;
} placed_body;

typedef struct sample {
    double time;  // [s]
    int32_t count;
    placed_body body[];  // active ones, by id
} sample;

typedef struct trail {
    const cd_plot_ask *ask;
    const cd_plot_shapes *shapes;
    sample *sample[MOST_SAMPLES];
    sample *last;  // the frame read last, when it is not among them
    int count;
    int64_t seen, stride;
} trail;

// ---- gathering -----------------------------------------------------------------------------------------------------

static sample *make_sample(const cd_plot_camera *camera, cd_plot_frame *frame)
{
    const cd_model *in = &frame->in;
    cd_body_order order = cd_body_order_make(&frame->arena, &in->body);
    sample *s = cd_alloc(sizeof *s + (size_t)in->body.count * sizeof s->body[0]);
    s->time = in->frame.time[0];
    s->count = 0;
    for (int32_t k = 0; k < in->body.count; k++) {
        int32_t i = order.row[k];
        if (cd_body_is_active(in, i))
            s->body[s->count++] = (placed_body){in->body.id[i], in->body.shape ? in->body.shape[i] : -1,
                                                in->body.motion[i], cd_plot_pose_start(camera, in, i)};
    }
    return s;
}

static void thin(trail *t)
{
    int kept = 0;
    for (int i = 0; i < t->count; i++) {
        if (i % 2 == 0)
            t->sample[kept++] = t->sample[i];
        else
            cd_free(t->sample[i]);
    }
    t->count = kept;
    t->stride *= 2;
}

static bool wants_frame(void *self, const cd_frame_rows *frame)
{
    const trail *t = self;
    return !t->ask->chooses_frames || t->ask->last_frame || cd_plot_ask_has_frame(t->ask, frame->index[0]);
}

static cd_status take_frame(void *self, cd_ctx *ctx, cd_plot_frame *frame, bool *taken)
{
    (void)ctx;
    (void)taken;
    trail *t = self;
    t->shapes = frame->shapes;
    cd_free(t->last);
    t->last = NULL;
    sample *s = make_sample(&t->ask->camera, frame);
    bool is_chosen = !t->ask->chooses_frames || cd_plot_ask_has_frame(t->ask, frame->in.frame.index[0]);
    if (is_chosen && t->count == MOST_SAMPLES)
        thin(t);
    if (is_chosen && t->seen++ % t->stride == 0)
        t->sample[t->count++] = s;
    else
        t->last = s;
    return CD_OK;
}

static void add_last(trail *t)
{
    if (!t->last || (t->ask->chooses_frames && !t->ask->last_frame))
        return;
    if (t->count == MOST_SAMPLES)
        thin(t);
    t->sample[t->count++] = t->last;
    t->last = NULL;
}

static void release(trail *t)
{
    for (int i = 0; i < t->count; i++)
        cd_free(t->sample[i]);
    cd_free(t->last);
}

// ---- drawing -------------------------------------------------------------------------------------------------------

typedef struct trail_picture {
    cd_ctx *ctx;
    const cd_plot_ask *ask;
    trail *trail;
    int count;
    cd_plot_panels panels;
    const char *caption;
} trail_picture;

static bool is_followed(const trail *t, const placed_body *body)
{
    return body->motion != CD_MOTION_FIXED && cd_plot_ask_has_body(t->ask, body->id);
}

// Bodies stand by id in each sample, so two samples are walked through together.
static void draw_paths(cd_canvas *canvas, const trail *t, const cd_plot_view *view, int stream, double below)
{
    for (int k = 0; k + 1 < t->count; k++) {
        const sample *from = t->sample[k], *to = t->sample[k + 1];
        int32_t j = 0;
        for (int32_t i = 0; i < from->count; i++) {
            while (j < to->count && to->body[j].id < from->body[i].id)
                j++;
            if (j == to->count || to->body[j].id != from->body[i].id || !is_followed(t, &from->body[i]))
                continue;
            cd_vec2 a = from->body[i].pose.at, b = to->body[j].pose.at;
            if (!cd_plot_clip_segment(view->wide, &a, &b))
                continue;
            cd_vec2 p = cd_plot_to_px(view, a), q = cd_plot_to_px(view, b);
            cd_canvas_move(canvas, p);
            cd_canvas_line(canvas, q);
        }
    }
    cd_plot_dash(canvas, stream % CD_PLOT_DASHES);
    cd_plot_stroke(canvas, cd_plot_series_colour(stream), 1.4 + below);
}

// Sample of outline `i` of `outlines`: from the first to the last, evenly.
static int outline_sample(const trail *t, int i, int outlines)
{
    return outlines > 1 ? (int)lround((double)i * (t->count - 1) / (outlines - 1)) : t->count - 1;
}

// Whether a body stands in `later` where it stands now, to less than half a pixel: then its later outline says all.
static bool stays(const sample *later, const placed_body *body, const cd_plot_view *view)
{
    int32_t low = 0, high = later->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (later->body[middle].id < body->id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == later->count || later->body[low].id != body->id)
        return false;
    return cd_plot_pose_is_near(&view->camera, &body->pose, &later->body[low].pose, 0.5 / view->scale);
}

// Older outlines are lighter but not transparent: the colours of streams do not mix.
static cd_plot_colour towards_white(cd_plot_colour c, double share)
{
    return (cd_plot_colour){c.red + share * (1 - c.red), c.green + share * (1 - c.green), c.blue + share * (1 - c.blue),
                            c.alpha};
}

// The last outline alone is filled.
static void draw_outlines(trail_picture *picture, cd_canvas *canvas, const trail *t, const cd_plot_view *view,
                          int stream, double below)
{
    cd_plot_colour colour = cd_plot_series_colour(stream);
    int outlines = picture->ask->options->outlines < t->count ? (int)picture->ask->options->outlines : t->count;
    for (int i = 0; i < outlines; i++) {
        const sample *s = t->sample[outline_sample(t, i, outlines)];
        double age = outlines > 1 ? (double)i / (outlines - 1) : 1;  // 0 oldest, 1 last
        cd_plot_body_style style = {cd_plot_fade(colour, i + 1 == outlines ? 0.18 : 0),
                                    towards_white(colour, 0.7 * (1 - age)), 1 + 0.4 * age + below,
                                    stream % CD_PLOT_DASHES};
        cd_arena_mark mark = cd_arena_get_mark(&picture->ctx->arena);
        cd_plot_cast cast = cd_plot_cast_begin(canvas, &picture->ctx->arena, view, t->shapes);
        for (int32_t k = 0; k < s->count; k++)
            if (is_followed(t, &s->body[k]) &&
                !(i + 1 < outlines && stays(t->sample[outline_sample(t, i + 1, outlines)], &s->body[k], view)))
                cd_plot_cast_add(&cast, s->body[k].shape, &s->body[k].pose, style, k);
        cd_plot_cast_draw(&cast);
        cd_arena_rewind(&picture->ctx->arena, mark);
    }
}

static void draw_trails(cd_canvas *canvas, void *argument)
{
    trail_picture *picture = argument;
    cd_plot_view view = cd_plot_panel_view(&picture->panels, 0);
    cd_canvas_save(canvas);
    cd_canvas_rectangle(canvas, view.rect);
    cd_canvas_clip(canvas);
    const trail *first = &picture->trail[0];
    cd_arena_mark mark = cd_arena_get_mark(&picture->ctx->arena);
    cd_plot_cast cast = cd_plot_cast_begin(canvas, &picture->ctx->arena, &view, first->shapes);
    for (int32_t k = 0; k < first->sample[first->count - 1]->count; k++) {
        const placed_body *body = &first->sample[first->count - 1]->body[k];
        if (body->motion == CD_MOTION_FIXED)
            cd_plot_cast_add(&cast, body->shape, &body->pose, cd_plot_motion_style(body->motion), k);
    }
    cd_plot_cast_draw(&cast);
    cd_arena_rewind(&picture->ctx->arena, mark);
    // Lines of earlier streams are whole or have longer dashes and are wider, so that they show where a later one runs
    // along them.
    for (int i = 0; i < picture->count; i++)
        draw_outlines(picture, canvas, &picture->trail[i], &view, i, WIDER * (picture->count - 1 - i));
    for (int i = 0; i < picture->count; i++)
        draw_paths(canvas, &picture->trail[i], &view, i, WIDER * (picture->count - 1 - i));
    cd_canvas_restore(canvas);
    const char *captions[] = {picture->caption};
    cd_plot_panels_draw(canvas, &picture->panels, captions);
}

// What moved; when nothing did, what there is.
static cd_plot_extent trails_extent(trail_picture *picture)
{
    cd_plot_extent moved = cd_plot_extent_empty(), fixed = moved;
    const cd_plot_camera *camera = &picture->ask->camera;
    for (int i = 0; i < picture->count; i++) {
        const trail *t = &picture->trail[i];
        for (int k = 0; k < t->count; k++)
            for (int32_t b = 0; b < t->sample[k]->count; b++) {
                const placed_body *body = &t->sample[k]->body[b];
                bool is_fixed = k == 0 && body->motion == CD_MOTION_FIXED;
                if (is_followed(t, body) || is_fixed)
                    cd_plot_extent_add(is_fixed ? &fixed : &moved, &picture->ctx->arena, camera, t->shapes, body->shape,
                                       &body->pose, false);
            }
    }
    cd_plot_extent extent = cd_plot_box_is_empty(moved.box) ? fixed : moved;
    const trail *first = &picture->trail[0];
    const sample *last = first->sample[first->count - 1];
    for (int32_t b = 0; b < last->count; b++)
        if (last->body[b].motion == CD_MOTION_FIXED)
            cd_plot_extent_add(&extent, &picture->ctx->arena, camera, first->shapes, last->body[b].shape,
                               &last->body[b].pose, true);
    return extent;
}

static cd_status make_picture(trail_picture *picture)
{
    cd_ctx *ctx = picture->ctx;
    cd_plot_key_entry key[CD_PLOT_STREAMS + 1];
    int key_count = 0;
    double start = INFINITY, end = -INFINITY;
    for (int i = 0; i < picture->count; i++) {
        const trail *t = &picture->trail[i];
        start = fmin(start, t->sample[0]->time);
        end = fmax(end, t->sample[t->count - 1]->time);
        cd_plot_colour colour = cd_plot_series_colour(i);
        if (picture->count > 1 || picture->ask->label)
            key[key_count++] = (cd_plot_key_entry){CD_PLOT_SWATCH_AREA,
                                                   cd_plot_stream_label(ctx, picture->ask, i),
                                                   colour,
                                                   cd_plot_fade(colour, 0.2),
                                                   i % CD_PLOT_DASHES,
                                                   -1,
                                                   false};
    }
    const sample *last = picture->trail[0].sample[picture->trail[0].count - 1];
    for (int32_t k = 0; k < last->count; k++)
        if (last->body[k].motion == CD_MOTION_FIXED) {
            key[key_count++] = cd_plot_mark_key[CD_PLOT_MARK_FIXED];
            break;
        }
    picture->caption = cd_arena_printf(&ctx->run, "time = %.6g to %.6g s", start, end);
    const cd_plot_contents contents = {trails_extent(picture), 1, 1, key, key_count};
    cd_plot_panels *panels = &picture->panels;
    CD_TRY(cd_plot_panels_make(picture->ask, &contents, panels, &ctx->diag));
    return cd_plot_write(
        ctx, picture->ask,
        (cd_canvas_picture){
            .width = panels->width, .height = panels->height, .draw = draw_trails, .argument = picture});
}

cd_status cd_plot_trail_picture(cd_ctx *ctx, cd_plot_ask *ask)
{
    int streams = cd_plot_stream_count(ctx);
    trail_picture picture = {.ctx = ctx, .ask = ask, .trail = CD_ARENA_ZARRAY(&ctx->run, trail, streams)};
    cd_status status = CD_OK;
    for (; status == CD_OK && picture.count < streams; picture.count++) {
        trail *t = &picture.trail[picture.count];
        t->ask = ask;
        t->stride = 1;
        const cd_plot_reading reading = {
            .tables = CD_BIT(body), .scene = ask, .wants = wants_frame, .each = take_frame, .self = t};
        status = cd_plot_read(ctx, picture.count, &reading);
        add_last(t);
        if (status == CD_OK && t->count == 0)
            status = cd_plot_no_frames(ctx, ask, picture.count);
    }
    if (status == CD_OK)
        status = cd_plot_ask_check_bodies(ask, &ctx->diag);
    if (status == CD_OK)
        status = make_picture(&picture);
    for (int i = 0; i < picture.count; i++)
        release(&picture.trail[i]);
    return status;
}
