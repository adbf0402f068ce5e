// SPDX-License-Identifier: MIT
#include "plot_paint.h"

#include <math.h>
#include <string.h>

cd_plot_colour cd_plot_series_colour(int i)
{
    static const unsigned palette[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000};
    return cd_plot_rgb(palette[i % 7]);
}

// ---- text ----------------------------------------------------------------------------------------------------------

enum { TEXT_ROOM = 512 };

// Length of the UTF-8 character at c, 0 when it is none or a control character.
static int character_length(const unsigned char *c)
{
    int length = c[0] < 0x80                   ? 1
                 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2
                 : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
                 : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                               : 0;
    if (length == 1)
        return c[0] >= 0x20 && c[0] != 0x7f;
    for (int i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    bool surrogate = c[0] == 0xed && c[1] >= 0xa0, beyond = c[0] == 0xf4 && c[1] >= 0x90;
    bool control = c[0] == 0xc2 && c[1] < 0xa0;
    return overlong || surrogate || beyond || control ? 0 : length;
}

// Copies at most `room` - 1 bytes of whole characters; a byte that is none becomes "?".
static void clean(const char *text, char *out, size_t room)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t used = 0;
    while (*c) {
        int length = character_length(c), taken = length ? length : 1;
        if (used + (size_t)taken + 1 > room)
            break;
        if (length)
            memcpy(out + used, c, (size_t)length);
        else
            out[used] = '?';
        used += (size_t)taken;
        c += taken;
    }
    out[used] = 0;
}

// Draws (or only measures) clean text from the current point on; returns its width.
static double run_text(cd_canvas *canvas, double size, const char *clean_text, bool draw)
{
    char part[TEXT_ROOM];
    double width = 0;
    const char *c = clean_text;
    while (*c) {
        bool raised = !strncmp(c, "^{", 2) && strchr(c, '}');
        const char *start = raised ? c + 2 : c, *end = raised ? strchr(start, '}') : strstr(start + 1, "^{");
        size_t length = end ? (size_t)(end - start) : strlen(start);
        memcpy(part, start, length);
        part[length] = 0;
        cd_canvas_text_size(canvas, raised ? 0.72 * size : size);
        width += cd_canvas_text_advance(canvas, part);
        if (draw) {
            cd_canvas_move_by(canvas, (cd_vec2){0, raised ? -0.38 * size : 0});
            cd_canvas_text_show(canvas, part);
            cd_canvas_move_by(canvas, (cd_vec2){0, raised ? 0.38 * size : 0});
        }
        c = start + length + (raised ? 1 : 0);
    }
    return width;
}

double cd_plot_text_width(cd_canvas *canvas, double size, const char *text)
{
    char line[TEXT_ROOM];
    clean(text, line, sizeof line);
    return run_text(canvas, size, line, false);
}

// [1] Height of capitals of the usual sans-serif faces relative to the font size.
#define CAPITAL 0.73

void cd_plot_text(cd_canvas *canvas, cd_vec2 at, double along, double up, double size, const char *text)
{
    char line[TEXT_ROOM];
    clean(text, line, sizeof line);
    double width = along != 0 ? run_text(canvas, size, line, false) : 0;
    cd_canvas_move(canvas, (cd_vec2){at.x - along * width, at.y + up * CAPITAL * size});
    run_text(canvas, size, line, true);
    cd_canvas_new_path(canvas);
}

void cd_plot_text_fit(cd_canvas *canvas, cd_vec2 at, double along, double up, double size, double room,
                      const char *text)
{
    char line[TEXT_ROOM];
    clean(text, line, sizeof line - 4);
    size_t length = strlen(line);
    while (length > 0 && run_text(canvas, size, line, false) > room) {
        do
            length--;
        while (length > 0 && ((unsigned char)line[length] & 0xc0) == 0x80);
        memcpy(line + length, "\xe2\x80\xa6", 4);
    }
    cd_plot_text(canvas, at, along, up, size, line);
}

void cd_plot_text_halo(cd_canvas *canvas, cd_vec2 at, double size, const char *text)
{
    double width = cd_plot_text_width(canvas, size, text);
    cd_canvas_text_size(canvas, size);
    cd_canvas_move(canvas, (cd_vec2){at.x - 0.5 * width, at.y + 0.5 * CAPITAL * size});
    cd_canvas_text_path(canvas, text);
    cd_canvas_source(canvas, (cd_plot_colour){1, 1, 1, 0.85});
    cd_canvas_line_width(canvas, 2.6);
    cd_canvas_stroke_keep(canvas);
    cd_canvas_source(canvas, cd_plot_rgb(CD_PLOT_INK));
    cd_canvas_fill(canvas);
}

void cd_plot_text_upward(cd_canvas *canvas, cd_vec2 at, double size, double room, const char *text)
{
    cd_canvas_save(canvas);
    cd_canvas_translate(canvas, at);
    cd_canvas_rotate(canvas, -M_PI / 2);
    cd_plot_text_fit(canvas, (cd_vec2){0, 0}, 0.5, 0, size, room, text);
    cd_canvas_restore(canvas);
}

// ---- strokes -------------------------------------------------------------------------------------------------------

void cd_plot_dash(cd_canvas *canvas, int kind)
{
    static const double pattern[CD_PLOT_DASHES][4] = {{0}, {6, 3, 6, 3}, {2, 2, 2, 2}, {8, 3, 2, 3}, {12, 4, 12, 4}};
    if (kind == 0)
        cd_canvas_dash(canvas, NULL, 0);
    else
        cd_canvas_dash(canvas, pattern[kind % CD_PLOT_DASHES], kind % CD_PLOT_DASHES ? 4 : 0);
}

void cd_plot_stroke(cd_canvas *canvas, cd_plot_colour colour, double width)
{
    cd_canvas_source(canvas, colour);
    cd_canvas_line_width(canvas, width);
    cd_canvas_stroke(canvas);
    cd_plot_dash(canvas, 0);
}

void cd_plot_arrow(cd_canvas *canvas, cd_vec2 from, cd_vec2 to, double width, double head, cd_plot_colour colour)
{
    cd_vec2 along = cd_sub2(to, from);
    double length = cd_length2(along);
    if (!(length > 0))
        return;
    along = cd_scale2(1 / length, along);
    head = fmin(head, length);
    cd_vec2 base = cd_sub2(to, cd_scale2(head, along)), barb = cd_scale2(0.36 * head, cd_right2(along));
    cd_canvas_move(canvas, from);
    cd_canvas_line(canvas, base);
    cd_plot_stroke(canvas, colour, width);
    cd_canvas_move(canvas, to);
    cd_canvas_line(canvas, (cd_vec2){base.x + barb.x, base.y + barb.y});
    cd_canvas_line(canvas, (cd_vec2){base.x - barb.x, base.y - barb.y});
    cd_canvas_close(canvas);
    cd_canvas_fill(canvas);
}

static void regular_polygon(cd_canvas *canvas, int corners, double turn, cd_vec2 centre, double radius)
{
    for (int i = 0; i < corners; i++) {
        double angle = turn + 2 * M_PI * i / corners;
        cd_canvas_line(canvas, (cd_vec2){centre.x + radius * cos(angle), centre.y + radius * sin(angle)});
    }
    cd_canvas_close(canvas);
}

void cd_plot_marker(cd_canvas *canvas, int kind, cd_vec2 at, double radius, cd_plot_colour colour)
{
    const double quarter = M_PI / 2;
    cd_canvas_new_path(canvas);
    switch (kind % CD_PLOT_MARKERS) {
    case 0:
        cd_canvas_circle(canvas, at, radius);
        break;
    case 1:
        regular_polygon(canvas, 4, quarter / 2, at, 1.2 * radius);
        break;
    case 2:
        regular_polygon(canvas, 3, -quarter, at, 1.35 * radius);
        break;
    case 3:
        regular_polygon(canvas, 4, 0, at, 1.35 * radius);
        break;
    case 4:
        regular_polygon(canvas, 3, quarter, at, 1.35 * radius);
        break;
    default:
        regular_polygon(canvas, 5, -quarter, at, 1.25 * radius);
        break;
    }
    cd_canvas_source(canvas, colour);
    cd_canvas_fill_keep(canvas);
    // Dots this small (of space alone) would be more rim than dot.
    cd_plot_stroke(canvas, cd_plot_rgb(0xffffff), radius < 1.8 ? 0.25 * radius : 0.7);
}

// ---- key -----------------------------------------------------------------------------------------------------------

#define KEY_ROW 19.0  // [px]
#define KEY_SWATCH 26.0
#define KEY_GAP 7.0       // between swatch and text
#define KEY_BETWEEN 20.0  // between entries

static void draw_swatch(cd_canvas *canvas, const cd_plot_key_entry *entry, double x, double y)
{
    double right = x + KEY_SWATCH;
    if (entry->has_band || entry->swatch == CD_PLOT_SWATCH_BAND) {
        cd_canvas_rectangle(canvas, (cd_plot_rect){x, y - 6, KEY_SWATCH, 12});
        cd_canvas_source(canvas, entry->fill);
        cd_canvas_fill(canvas);
    }
    switch (entry->swatch) {
    case CD_PLOT_SWATCH_AREA:
    case CD_PLOT_SWATCH_BOX:
        cd_canvas_rectangle(canvas, (cd_plot_rect){x + 3, y - 5.5, KEY_SWATCH - 6, 11});
        cd_canvas_source(canvas, entry->fill);
        cd_canvas_fill_keep(canvas);
        cd_plot_dash(canvas, entry->dash);
        cd_plot_stroke(canvas, entry->stroke, 1.1);
        break;
    case CD_PLOT_SWATCH_LINE:
        cd_canvas_move(canvas, (cd_vec2){x, y});
        cd_canvas_line(canvas, (cd_vec2){right, y});
        cd_plot_dash(canvas, entry->dash);
        cd_plot_stroke(canvas, entry->stroke, 1.8);
        if (entry->marker >= 0)
            cd_plot_marker(canvas, entry->marker, (cd_vec2){x + KEY_SWATCH / 2, y}, 3.4, entry->stroke);
        break;
    case CD_PLOT_SWATCH_DOT:
        cd_plot_marker(canvas, 0, (cd_vec2){x + KEY_SWATCH / 2, y}, 3.6, entry->stroke);
        break;
    case CD_PLOT_SWATCH_ARROW:
        cd_plot_arrow(canvas, (cd_vec2){x + 2, y}, (cd_vec2){right - 2, y}, 1.3, 7, entry->stroke);
        break;
    case CD_PLOT_SWATCH_BAND:
        break;
    }
}

// Walks through the entries row by row; draws them when `draws` is set. Rows are centred.
static int walk_key(cd_canvas *canvas, const cd_plot_key_entry *entry, int count, cd_plot_rect rect, bool draws)
{
    int rows = 0, i = 0;
    while (i < count) {
        double used = 0;
        int last = i;
        while (last < count) {
            double own = KEY_SWATCH + KEY_GAP + cd_plot_text_width(canvas, CD_PLOT_FONT, entry[last].text);
            if (last > i && used + KEY_BETWEEN + own > rect.width)
                break;
            used += own + (last > i ? KEY_BETWEEN : 0);
            last++;
        }
        double x = rect.x + fmax(0, 0.5 * (rect.width - used)), y = rect.y + (rows + 0.5) * KEY_ROW;
        for (; i < last; i++) {
            double text = x + KEY_SWATCH + KEY_GAP, room = rect.x + rect.width - text;
            if (draws) {
                draw_swatch(canvas, &entry[i], x, y);
                cd_canvas_source(canvas, cd_plot_rgb(CD_PLOT_INK));
                cd_plot_text_fit(canvas, (cd_vec2){text, y}, 0, 0.5, CD_PLOT_FONT, room + 1, entry[i].text);
            }
            x = text + cd_plot_text_width(canvas, CD_PLOT_FONT, entry[i].text) + KEY_BETWEEN;
        }
        rows++;
    }
    return rows;
}

double cd_plot_key_height(cd_canvas *canvas, const cd_plot_key_entry *entry, int count, double width)
{
    return KEY_ROW * walk_key(canvas, entry, count, (cd_plot_rect){0, 0, width, 0}, false);
}

// In the narrowest room that needs no more rows, so that the rows are of like length.
void cd_plot_key_draw(cd_canvas *canvas, const cd_plot_key_entry *entry, int count, cd_plot_rect rect)
{
    int rows = walk_key(canvas, entry, count, rect, false);
    cd_plot_rect narrow = rect;
    for (double width = rect.width; rows > 1 && width > 0.3 * rect.width; width -= 8) {
        cd_plot_rect trial = {rect.x + 0.5 * (rect.width - width), rect.y, width, rect.height};
        if (walk_key(canvas, entry, count, trial, false) > rows)
            break;
        narrow = trial;
    }
    walk_key(canvas, entry, count, narrow, true);
}

// ---- axes ----------------------------------------------------------------------------------------------------------

double cd_plot_axis_label_width(cd_canvas *canvas, const cd_plot_axis *axis)
{
    double width = 0;
    for (int i = 0; i < axis->tick_count; i++)
        width = fmax(width, cd_plot_text_width(canvas, CD_PLOT_TICK_FONT, axis->tick[i].text));
    return width;
}

// Two slanted strokes across the left axis: between the floor and the lowest decade the scale is broken.
static void draw_break(cd_canvas *canvas, cd_plot_rect rect, double y)
{
    cd_canvas_rectangle(canvas, (cd_plot_rect){rect.x - 2, y - 2, 4, 4});
    cd_canvas_source(canvas, cd_plot_rgb(0xffffff));
    cd_canvas_fill(canvas);
    for (int i = -1; i <= 1; i += 2) {
        cd_canvas_move(canvas, (cd_vec2){rect.x - 4, y + 2.0 * i + 1.5});
        cd_canvas_line(canvas, (cd_vec2){rect.x + 4, y + 2.0 * i - 1.5});
    }
    cd_plot_stroke(canvas, cd_plot_rgb(CD_PLOT_INK), 1);
}

// Where zeros and what is below them are drawn.
static void draw_floor(cd_canvas *canvas, cd_plot_rect rect, const cd_plot_axis *y)
{
    double at = rect.y + rect.height - cd_plot_axis_place(y, 0) * rect.height;
    cd_canvas_move(canvas, (cd_vec2){rect.x, at});
    cd_canvas_line(canvas, (cd_vec2){rect.x + rect.width, at});
    cd_plot_dash(canvas, 2);
    cd_plot_stroke(canvas, cd_plot_rgb(0x888888), 0.9);
}

static void draw_x_ticks(cd_canvas *canvas, cd_plot_rect rect, const cd_plot_axis *x, cd_plot_axes_style style)
{
    double bottom = rect.y + rect.height, reach = -1e9;
    for (int i = 0; i < x->tick_count; i++) {
        double at = rect.x + cd_plot_axis_place(x, x->tick[i].value) * rect.width;
        if (style.grid) {
            cd_canvas_move(canvas, (cd_vec2){at, rect.y});
            cd_canvas_line(canvas, (cd_vec2){at, bottom});
            cd_plot_stroke(canvas, cd_plot_rgb(CD_PLOT_FAINT), 0.8);
        }
        cd_canvas_move(canvas, (cd_vec2){at, bottom});
        cd_canvas_line(canvas, (cd_vec2){at, bottom + CD_PLOT_TICK_LENGTH});
        cd_plot_stroke(canvas, cd_plot_rgb(CD_PLOT_INK), 1);
        double half = 0.5 * cd_plot_text_width(canvas, CD_PLOT_TICK_FONT, x->tick[i].text);
        if (style.x_labels && at - half > reach) {  // a label that would touch the one before is left out
            cd_plot_text(canvas, (cd_vec2){at, bottom + CD_PLOT_TICK_LENGTH + 13}, 0.5, 0, CD_PLOT_TICK_FONT,
                         x->tick[i].text);
            reach = at + half + 5;
        }
    }
}

static void draw_y_ticks(cd_canvas *canvas, cd_plot_rect rect, const cd_plot_axis *y, cd_plot_axes_style style)
{
    for (int i = 0; i < y->tick_count; i++) {
        double at = rect.y + rect.height - cd_plot_axis_place(y, y->tick[i].value) * rect.height;
        if (style.grid && !(y->has_floor && i == 0)) {
            cd_canvas_move(canvas, (cd_vec2){rect.x, at});
            cd_canvas_line(canvas, (cd_vec2){rect.x + rect.width, at});
            cd_plot_stroke(canvas, cd_plot_rgb(CD_PLOT_FAINT), 0.8);
        }
        cd_canvas_move(canvas, (cd_vec2){rect.x, at});
        cd_canvas_line(canvas, (cd_vec2){rect.x - CD_PLOT_TICK_LENGTH, at});
        cd_plot_stroke(canvas, cd_plot_rgb(CD_PLOT_INK), 1);
        if (style.y_labels)
            cd_plot_text(canvas, (cd_vec2){rect.x - CD_PLOT_TICK_LENGTH - 4, at}, 1, 0.5, CD_PLOT_TICK_FONT,
                         y->tick[i].text);
    }
}

void cd_plot_axes_draw(cd_canvas *canvas, cd_plot_rect rect, const cd_plot_axis *x, const cd_plot_axis *y,
                       cd_plot_axes_style style)
{
    if (y->has_floor)
        draw_floor(canvas, rect, y);
    draw_x_ticks(canvas, rect, x, style);
    draw_y_ticks(canvas, rect, y, style);
    cd_canvas_rectangle(canvas, rect);
    cd_plot_stroke(canvas, cd_plot_rgb(CD_PLOT_INK), 1);
    if (y->has_floor) {
        double middle = (0.5 * (y->floor + y->base) - y->low) / (y->high - y->low);
        draw_break(canvas, rect, rect.y + rect.height - middle * rect.height);
    }
}
