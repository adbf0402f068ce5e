// SPDX-License-Identifier: MIT
#include "plot_panels.h"

#include "plot_elements.h"

#include <math.h>
#include <stdio.h>

#define EDGE 12.0  // [px] empty rim of a picture
#define TITLE_FONT 15.0
#define TITLE_ROOM 26.0
#define CAPTION_FONT 12.0
#define CAPTION_ROOM 20.0
#define NAME_ROOM 18.0   // name of an axis
#define LABEL_ROOM 20.0  // tick labels of the x axis
#define GAP 14.0         // between panels, beside captions
#define KEY_SPACE 8.0
#define MOST_RATIO 4.0  // width to height of a view, or height to width, without --view
#define LEAST_PANEL 40.0
#define SEE_THROUGH 0.4  // [1] opacity of bodies in space among which contacts lie

// Panels' width when the picture may choose its size, by the number of columns.
static double usual_width(int columns)
{
    static const double width[] = {620, 400, 300, 240};
    return width[columns < 4 ? columns - 1 : 3];
}

static int usual_columns(int count)
{
    return count <= 3 ? count : count == 4 ? 2 : count <= 9 ? 3 : count <= 24 ? 4 : 6;
}

static void make_axes(cd_plot_panels *panels, double width, double height)
{
    // About one tick for 70 px across and 45 px up.
    panels->x = cd_plot_axis_linear(panels->box.min.x, panels->box.max.x, 0, (int)fmin(10, fmax(2, width / 70)));
    panels->y = cd_plot_axis_linear(panels->box.min.y, panels->box.max.y, 0, (int)fmin(10, fmax(2, height / 45)));
}

// Margins that do not depend on the panels' size, given how wide labels may be.
static void place_panels(cd_plot_panels *panels, double top, double bottom)
{
    const cd_plot_grid *grid = &panels->grid;
    double used_x = grid->columns * grid->width + (grid->columns - 1) * panels->gap_x;
    double used_y = grid->rows * grid->height + (grid->rows - 1) * panels->gap_y;
    panels->first = (cd_plot_rect){panels->left + 0.5 * (panels->width - panels->left - panels->right - used_x),
                                   top + 0.5 * (panels->height - top - bottom - used_y), grid->width, grid->height};
}

// Margins left and right, and the gaps between panels; needs their box and camera.
static void make_margins(cd_plot_panels *panels, cd_canvas *canvas)
{
    make_axes(panels, 1000, 1000);  // the finest ticks there will be: their labels are the longest
    panels->left = EDGE + NAME_ROOM + cd_plot_axis_label_width(canvas, &panels->y) + 4 + CD_PLOT_TICK_LENGTH;
    double label = cd_plot_axis_label_width(canvas, &panels->x);
    panels->right = fmax(EDGE, 0.5 * label + 2);
    if (!panels->camera.name[0]) {
        panels->left = panels->right = EDGE;
        label = 0;
    }
    panels->gap_x = fmax(GAP, label + 3);  // the last label of a panel and the first of the next may be neighbours
    panels->gap_y = GAP + CAPTION_ROOM;
}

// [px] Below the panels; sets the key's height, which depends on the picture's width.
static double room_below(cd_plot_panels *panels, cd_canvas *canvas)
{
    panels->key_height = cd_plot_key_height(canvas, panels->key, panels->key_count, panels->width - 2 * EDGE);
    double key = panels->key_height + (panels->key_count > 0 ? KEY_SPACE : 0);
    return CD_PLOT_TICK_LENGTH + LABEL_ROOM + NAME_ROOM + EDGE + key;
}

// Panels of the usual width in `columns`, and the picture around them; ratio = height / width of a panel.
static void fit_picture(cd_plot_panels *panels, cd_canvas *canvas, double ratio, int columns, double top)
{
    double width = fmax(fmin(usual_width(columns), 1.3 * usual_width(columns) / ratio), 150);
    int rows = (panels->count + columns - 1) / columns;
    panels->grid = (cd_plot_grid){columns, rows, width, width * ratio};
    panels->width =
        (int)ceil(fmax(360, panels->left + columns * width + (columns - 1) * panels->gap_x + panels->right));
    double bottom = room_below(panels, canvas);
    panels->height = (int)ceil(top + rows * width * ratio + (rows - 1) * panels->gap_y + bottom);
    place_panels(panels, top, bottom);
}

// The largest panels that the picture has room for; columns 0: as many as make them largest.
static void fit_panels(cd_plot_panels *panels, cd_canvas *canvas, double ratio, int columns, double top)
{
    double bottom = room_below(panels, canvas);
    panels->grid = cd_plot_grid_fit(panels->count, ratio, panels->width - panels->left - panels->right,
                                    panels->height - top - bottom, panels->gap_x, panels->gap_y, columns);
    place_panels(panels, top, bottom);
}

cd_status cd_plot_panels_make(const cd_plot_ask *ask, const cd_plot_contents *contents, cd_plot_panels *panels,
                              cd_diag *diag)
{
    int count = contents->count, columns = contents->columns;
    *panels = (cd_plot_panels){.width = ask->width,
                               .height = ask->height,
                               .camera = ask->camera,
                               .count = count,
                               .key = contents->key,
                               .key_count = contents->key_count,
                               .title = ask->options->title};
    cd_plot_extent_hall(&contents->extent, &panels->hall_low, &panels->hall_high);
    panels->box =
        ask->has_view ? cd_plot_box_fit(ask->view, 0, 1e3) : cd_plot_box_fit(contents->extent.box, 0.05, MOST_RATIO);
    double ratio = (panels->box.max.y - panels->box.min.y) / (panels->box.max.x - panels->box.min.x);
    double top = EDGE + (panels->title ? TITLE_ROOM : 0) + CAPTION_ROOM;
    cd_canvas *canvas = cd_canvas_measuring();
    make_margins(panels, canvas);
    if (ask->width == 0)
        fit_picture(panels, canvas, ratio, columns > 0 ? columns : usual_columns(count), top);
    else
        fit_panels(panels, canvas, ratio, columns, top);
    cd_canvas_release(canvas);
    // Extreme proportions (only --view has them) may leave a panel with less than a line: it still has to be visible.
    if (!(panels->grid.width >= LEAST_PANEL || panels->grid.height >= LEAST_PANEL) ||
        !(panels->grid.width >= 2 && panels->grid.height >= 2))
        return cd_fail(diag, CD_ERR_USAGE, "--size: no room for %d panel%s of these proportions", count,
                       count == 1 ? "" : "s");
    make_axes(panels, panels->grid.width, panels->grid.height);
    return CD_OK;
}

cd_plot_view cd_plot_panel_view(const cd_plot_panels *panels, int index)
{
    int column = index % panels->grid.columns, row = index / panels->grid.columns;
    cd_plot_rect rect = panels->first;
    rect.x += column * (rect.width + panels->gap_x);
    rect.y += row * (rect.height + panels->gap_y);
    cd_plot_view view = cd_plot_view_make(panels->box, rect);
    view.camera = panels->camera;
    view.hall_low = panels->hall_low;
    view.hall_high = panels->hall_high;
    return view;
}

// ---- an oblique view's directions and scale ------------------------------------------------------------------------

#define TRIPOD 23.0  // [px] length of an axis across the line of sight

// In the strip below the panels, `x` its left end and `y` its middle.
static void draw_tripod(cd_canvas *canvas, const cd_plot_camera *camera, double x, double y)
{
    static const char *const name[] = {"x", "y", "z"};
    cd_vec3 axis[3], low = {0, 0, 0}, high = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        axis[k] = cd_plot_see3(camera, (cd_vec3){k == 0, k == 1, k == 2});
        low = (cd_vec3){fmin(low.x, axis[k].x), fmin(low.y, axis[k].y), 0};
        high = (cd_vec3){fmax(high.x, axis[k].x), fmax(high.y, axis[k].y), 0};
    }
    cd_vec2 from = {x + 8 - TRIPOD * low.x, y + 0.5 * TRIPOD * (low.y + high.y)};
    for (int pass = 0; pass < 2; pass++)  // those that point away first
        for (int k = 0; k < 3; k++) {
            if ((axis[k].z > 0) != (pass == 1))
                continue;
            cd_vec2 along = {TRIPOD * axis[k].x, -TRIPOD * axis[k].y};
            cd_plot_arrow(canvas, from, cd_add2(from, along), 1.1, 5, cd_plot_rgb(CD_PLOT_INK));
            double length = cd_length2(along);
            cd_vec2 beyond = length > 3 ? cd_scale2((length + 7) / length, along) : (cd_vec2){-7, 7};
            cd_canvas_source(canvas, cd_plot_rgb(CD_PLOT_INK));
            cd_plot_text(canvas, (cd_vec2){from.x + beyond.x, from.y + beyond.y}, 0.5, 0.5, CD_PLOT_TICK_FONT, name[k]);
        }
}

// A bar of 1, 2 or 5 times a power of ten [m], between a fifth and half of a panel long, about `middle`.
static void draw_scale_bar(cd_canvas *canvas, double panel, double scale, double middle, double y)
{
    double room = 0.4 * panel / scale, power = pow(10, floor(log10(room))), part = room / power;
    double length = (part >= 5 ? 5 : part >= 2 ? 2 : 1) * power, half = 0.5 * length * scale;
    for (int end = -1; end <= 1; end += 2) {
        cd_canvas_move(canvas, (cd_vec2){middle + end * half, y - 4});
        cd_canvas_line(canvas, (cd_vec2){middle + end * half, y + 4});
    }
    cd_canvas_move(canvas, (cd_vec2){middle - half, y});
    cd_canvas_line(canvas, (cd_vec2){middle + half, y});
    cd_plot_stroke(canvas, cd_plot_rgb(CD_PLOT_INK), 1.2);
    char text[32];
    snprintf(text, sizeof text, "%g m", length);
    cd_canvas_source(canvas, cd_plot_rgb(CD_PLOT_INK));
    cd_plot_text(canvas, (cd_vec2){middle, y + 16}, 0.5, 0, CD_PLOT_TICK_FONT, text);
}

static void draw_oblique(cd_canvas *canvas, const cd_plot_panels *panels, double left, double middle, double bottom)
{
    double y = bottom + 0.5 * (CD_PLOT_TICK_LENGTH + LABEL_ROOM + NAME_ROOM) + 4;
    draw_tripod(canvas, &panels->camera, left, y);
    draw_scale_bar(canvas, panels->first.width, cd_plot_panel_view(panels, 0).scale, middle, y - 4);
}

static void draw_axis_names(cd_canvas *canvas, const cd_plot_panels *panels, double middle, double bottom)
{
    cd_plot_text(canvas, (cd_vec2){middle, bottom + CD_PLOT_TICK_LENGTH + LABEL_ROOM + 12}, 0.5, 0, CD_PLOT_FONT,
                 panels->camera.name[0]);
    double labels = panels->left - EDGE - NAME_ROOM;
    cd_plot_text_upward(canvas, (cd_vec2){panels->first.x - labels - 6, 0.5 * (panels->first.y + bottom)}, CD_PLOT_FONT,
                        bottom - panels->first.y, panels->camera.name[1]);
}

void cd_plot_panels_draw(cd_canvas *canvas, const cd_plot_panels *panels, const char *const *captions)
{
    cd_plot_colour ink = cd_plot_rgb(CD_PLOT_INK);
    double bottom = 0;
    for (int i = 0; i < panels->count; i++) {
        cd_plot_rect rect = cd_plot_panel_view(panels, i).rect;
        bool is_lowest = i + panels->grid.columns >= panels->count;
        if (panels->camera.name[0]) {
            cd_plot_axes_draw(canvas, rect, &panels->x, &panels->y,
                              (cd_plot_axes_style){false, is_lowest, i % panels->grid.columns == 0});
        } else {
            cd_canvas_rectangle(canvas, rect);
            cd_plot_stroke(canvas, ink, 1);
        }
        cd_canvas_source(canvas, ink);
        if (captions)
            cd_plot_text_fit(canvas, (cd_vec2){rect.x + 0.5 * rect.width, rect.y - 7}, 0.5, 0, CAPTION_FONT,
                             rect.width + panels->gap_x, captions[i]);
        bottom = fmax(bottom, rect.y + rect.height);
    }
    double used = panels->grid.columns * panels->first.width + (panels->grid.columns - 1) * panels->gap_x;
    double middle = panels->first.x + 0.5 * used, below = bottom + CD_PLOT_TICK_LENGTH + LABEL_ROOM;
    cd_canvas_source(canvas, ink);
    if (panels->camera.name[0])
        draw_axis_names(canvas, panels, middle, bottom);
    else
        draw_oblique(canvas, panels, panels->first.x, middle, bottom);
    cd_plot_key_draw(canvas, panels->key, panels->key_count,
                     (cd_plot_rect){EDGE, below + NAME_ROOM + KEY_SPACE, panels->width - 2 * EDGE, panels->key_height});
    if (panels->title)
        cd_plot_text_fit(canvas, (cd_vec2){0.5 * panels->width, EDGE + 14}, 0.5, 0, TITLE_FONT,
                         panels->width - 2 * EDGE, panels->title);
}

// ---- writing -------------------------------------------------------------------------------------------------------

cd_status cd_plot_write(cd_ctx *ctx, const cd_plot_ask *ask, cd_canvas_picture picture)
{
    const char *path = ctx->output_path;
    for (int png = 0; png < 2; png++) {
        if (!(png ? ask->png : ask->svg))
            continue;
        if (ask->svg && ask->png) {  // NAME or NAME.svg or NAME.png becomes both
            size_t length = strlen(path);
            if (length > 4 && (!strcmp(path + length - 4, ".svg") || !strcmp(path + length - 4, ".png")))
                length -= 4;
            ctx->output_path = cd_arena_printf(&ctx->run, "%.*s%s", (int)length, path, png ? ".png" : ".svg");
        }
        picture.png = png;
        picture.scale = ask->scale;
        cd_buffer out = {0};
        cd_status status = cd_canvas_render(&picture, &out, &ctx->diag);
        if (status == CD_OK)
            status = cd_write_text(ctx, out.data, out.size);
        cd_buffer_release(&out);
        CD_TRY(status);
    }
    return CD_OK;
}

// ---- frames beside each other --------------------------------------------------------------------------------------

typedef struct frames_picture {
    const cd_plot_ask *ask;
    const cd_plot_frames *frames;
    cd_plot_panels panels;
    const char **caption;
    cd_plot_tops top;
} frames_picture;

static void draw_frames(cd_canvas *canvas, void *argument)
{
    frames_picture *picture = argument;
    for (int i = 0; i < picture->frames->count; i++) {
        cd_plot_view view = cd_plot_panel_view(&picture->panels, i);
        cd_plot_scene_draw(canvas, picture->ask, picture->frames->frame[i], &view, picture->top);
    }
    cd_plot_panels_draw(canvas, &picture->panels, picture->caption);
}

void cd_plot_ask_opacity(cd_plot_ask *ask, unsigned marks)
{
    const unsigned within = 1u << CD_PLOT_MARK_GAP_BELOW | 1u << CD_PLOT_MARK_GAP_ZERO | 1u << CD_PLOT_MARK_GAP_ABOVE |
                            1u << CD_PLOT_MARK_INTERSECTION;
    if (isnan(ask->opacity))
        ask->opacity = marks & within ? SEE_THROUGH : 1;
}

const char *cd_plot_caption(cd_ctx *ctx, const cd_plot_ask *ask, const cd_plot_frame *frame)
{
    const cd_frame_rows *row = &frame->in.frame;
    bool names = ask->label || cd_plot_stream_count(ctx) > 1;
    const char *label = names ? cd_plot_stream_label(ctx, ask, frame->stream) : "";
    const char *text = cd_arena_printf(&ctx->run, "%s%stime = %.6g s", label, names ? ", " : "", row->time[0]);
    if (row->substep && row->substep[0] > 0)
        text = cd_arena_printf(&ctx->run, "%s, part %d", text, row->substep[0]);
    if (row->round && row->round[0] > 0)
        text = cd_arena_printf(&ctx->run, "%s, round %d", text, row->round[0]);
    return text;
}

// A row a stream when all streams gave equally many frames and they fit.
static int columns_for(const cd_ctx *ctx, const cd_plot_frames *frames)
{
    int streams = cd_plot_stream_count(ctx);
    for (int i = 1; i < streams; i++)
        if (frames->stream_frames[i] != frames->stream_frames[0])
            return 0;
    return streams > 1 && frames->stream_frames[0] > 1 && frames->stream_frames[0] <= 8 ? frames->stream_frames[0] : 0;
}

static cd_status make_frames_picture(cd_ctx *ctx, cd_plot_ask *ask, const cd_plot_frames *frames)
{
    frames_picture picture = {.ask = ask,
                              .frames = frames,
                              .caption = CD_ARENA_ARRAY(&ctx->run, const char *, frames->count),
                              .top = cd_plot_tops_empty()};
    cd_plot_extent extent = cd_plot_extent_empty();
    unsigned marks = 0;
    for (int i = 0; i < frames->count; i++) {
        cd_plot_scene_extent(ask, frames->frame[i], false, &extent);
        marks |= cd_plot_scene_marks(ask, frames->frame[i]);
        cd_plot_tops_add(ask, frames->frame[i], &picture.top);
        picture.caption[i] = cd_plot_caption(ctx, ask, frames->frame[i]);
    }
    for (int i = 0; i < frames->count; i++)
        cd_plot_scene_extent(ask, frames->frame[i], true, &extent);
    cd_plot_ask_opacity(ask, marks);
    cd_plot_key_entry key[CD_PLOT_MARKS];
    int key_count = cd_plot_scene_key(&ctx->run, ask, marks, &picture.top, key);
    const cd_plot_contents contents = {extent, frames->count, columns_for(ctx, frames), key, key_count};
    CD_TRY(cd_plot_panels_make(ask, &contents, &picture.panels, &ctx->diag));
    const cd_plot_panels *panels = &picture.panels;
    return cd_plot_write(
        ctx, ask,
        (cd_canvas_picture){
            .width = panels->width, .height = panels->height, .draw = draw_frames, .argument = &picture});
}

cd_status cd_plot_frames_picture(cd_ctx *ctx, cd_plot_ask *ask)
{
    cd_plot_frames frames;
    cd_status status = cd_plot_frames_gather(ctx, ask, &frames);
    if (status == CD_OK) {
        bool has_contacts = false;
        int32_t bodies = 0;
        for (int i = 0; i < frames.count; i++) {
            has_contacts = has_contacts || frames.frame[i]->in.contact.count > 0;
            int32_t own = cd_plot_scene_bodies(ask, frames.frame[i]);
            bodies = own > bodies ? own : bodies;
        }
        cd_plot_ask_panels(ask, frames.count, bodies, has_contacts);
        status = make_frames_picture(ctx, ask, &frames);
    }
    cd_plot_frames_release(&frames);
    return status;
}
