// SPDX-License-Identifier: MIT
#include "plot_paint.h"

#include <cairo/cairo-svg.h>
#include <math.h>
#include <string.h>

// fontconfig keeps the fonts it found until the process ends and offers cairo's users no way to give them back;
// LeakSanitizer, which asks these functions, is told so. Without it nobody calls them.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);

const char *__lsan_default_options(void) { return "print_suppressions=0"; }

const char *__lsan_default_suppressions(void) { return "leak:libfontconfig\n"; }

cd_plot_colour cd_plot_series_colour(int i)
{
    static const unsigned palette[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000};
    return cd_plot_rgb(palette[i % 7]);
}

// ---- output --------------------------------------------------------------------------------------------------------

static cairo_status_t append(void *closure, const unsigned char *bytes, unsigned length)
{
    cd_buffer_append(closure, bytes, length);
    return CAIRO_STATUS_SUCCESS;
}

// Text is laid out without hinting, so that both formats measure it alike.
static void set_font(cairo_t *cairo)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cairo, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
}

cd_status cd_plot_render(bool png, int width, int height, double scale, cd_plot_draw *draw, void *argument,
                         cd_buffer *out, cd_diag *diag)
{
    cairo_surface_t *surface;
    if (png) {
        surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * scale), (int)ceil(height * scale));
    } else {
        surface = cairo_svg_surface_create_for_stream(append, out, width, height);
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    }
    cairo_t *cairo = cairo_create(surface);
    if (png)
        cairo_scale(cairo, scale, scale);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    set_font(cairo);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    draw(cairo, argument);
    cairo_status_t status = cairo_status(cairo);
    cairo_destroy(cairo);
    if (status == CAIRO_STATUS_SUCCESS && png)
        status = cairo_surface_write_to_png_stream(surface, append, out);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (status != CAIRO_STATUS_SUCCESS)
        return cd_fail(diag, CD_ERR_MEMORY, "the picture could not be drawn: %s", cairo_status_to_string(status));
    return CD_OK;
}

cairo_t *cd_plot_measuring(void)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *cairo = cairo_create(surface);
    cairo_surface_destroy(surface);
    set_font(cairo);
    return cairo;
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
static double run_text(cairo_t *cairo, double size, const char *clean_text, bool draw)
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
        cairo_set_font_size(cairo, raised ? 0.72 * size : size);
        cairo_text_extents_t extents;
        cairo_text_extents(cairo, part, &extents);
        width += extents.x_advance;
        if (draw) {
            cairo_rel_move_to(cairo, 0, raised ? -0.38 * size : 0);
            cairo_show_text(cairo, part);
            cairo_rel_move_to(cairo, 0, raised ? 0.38 * size : 0);
        }
        c = start + length + (raised ? 1 : 0);
    }
    return width;
}

double cd_plot_text_width(cairo_t *cairo, double size, const char *text)
{
    char line[TEXT_ROOM];
    clean(text, line, sizeof line);
    return run_text(cairo, size, line, false);
}

// [1] Height of capitals of the usual sans-serif faces relative to the font size.
#define CAPITAL 0.73

void cd_plot_text(cairo_t *cairo, double x, double y, double along, double up, double size, const char *text)
{
    char line[TEXT_ROOM];
    clean(text, line, sizeof line);
    double width = along != 0 ? run_text(cairo, size, line, false) : 0;
    cairo_move_to(cairo, x - along * width, y + up * CAPITAL * size);
    run_text(cairo, size, line, true);
    cairo_new_path(cairo);
}

void cd_plot_text_fit(cairo_t *cairo, double x, double y, double along, double up, double size, double room,
                      const char *text)
{
    char line[TEXT_ROOM];
    clean(text, line, sizeof line - 4);
    size_t length = strlen(line);
    while (length > 0 && run_text(cairo, size, line, false) > room) {
        do
            length--;
        while (length > 0 && ((unsigned char)line[length] & 0xc0) == 0x80);
        memcpy(line + length, "\xe2\x80\xa6", 4);
    }
    cd_plot_text(cairo, x, y, along, up, size, line);
}

void cd_plot_text_halo(cairo_t *cairo, double x, double y, double size, const char *text)
{
    double width = cd_plot_text_width(cairo, size, text);
    cairo_set_font_size(cairo, size);
    cairo_move_to(cairo, x - 0.5 * width, y + 0.5 * CAPITAL * size);
    cairo_text_path(cairo, text);
    cd_plot_source(cairo, (cd_plot_colour){1, 1, 1, 0.85});
    cairo_set_line_width(cairo, 2.6);
    cairo_stroke_preserve(cairo);
    cd_plot_source(cairo, cd_plot_rgb(CD_PLOT_INK));
    cairo_fill(cairo);
}

void cd_plot_text_upward(cairo_t *cairo, double x, double y, double size, double room, const char *text)
{
    cairo_save(cairo);
    cairo_translate(cairo, x, y);
    cairo_rotate(cairo, -acos(-1) / 2);
    cd_plot_text_fit(cairo, 0, 0, 0.5, 0, size, room, text);
    cairo_restore(cairo);
}

// ---- strokes -------------------------------------------------------------------------------------------------------

void cd_plot_source(cairo_t *cairo, cd_plot_colour colour)
{
    cairo_set_source_rgba(cairo, colour.red, colour.green, colour.blue, colour.alpha);
}

void cd_plot_dash(cairo_t *cairo, int kind)
{
    static const double pattern[CD_PLOT_DASHES][4] = {{0}, {6, 3, 6, 3}, {2, 2, 2, 2}, {8, 3, 2, 3}, {12, 4, 12, 4}};
    if (kind == 0)
        cairo_set_dash(cairo, NULL, 0, 0);
    else
        cairo_set_dash(cairo, pattern[kind % CD_PLOT_DASHES], kind % CD_PLOT_DASHES ? 4 : 0, 0);
}

void cd_plot_stroke(cairo_t *cairo, cd_plot_colour colour, double width)
{
    cd_plot_source(cairo, colour);
    cairo_set_line_width(cairo, width);
    cairo_stroke(cairo);
    cd_plot_dash(cairo, 0);
}

void cd_plot_arrow(cairo_t *cairo, cd_vec2 from, cd_vec2 to, double width, double head, cd_plot_colour colour)
{
    cd_vec2 along = cd_sub2(to, from);
    double length = cd_length2(along);
    if (!(length > 0))
        return;
    along = cd_scale2(1 / length, along);
    head = fmin(head, length);
    cd_vec2 base = cd_sub2(to, cd_scale2(head, along)), side = cd_scale2(0.36 * head, cd_right2(along));
    cairo_move_to(cairo, from.x, from.y);
    cairo_line_to(cairo, base.x, base.y);
    cd_plot_stroke(cairo, colour, width);
    cairo_move_to(cairo, to.x, to.y);
    cairo_line_to(cairo, base.x + side.x, base.y + side.y);
    cairo_line_to(cairo, base.x - side.x, base.y - side.y);
    cairo_close_path(cairo);
    cairo_fill(cairo);
}

static void regular_polygon(cairo_t *cairo, int corners, double turn, double x, double y, double radius)
{
    for (int i = 0; i < corners; i++) {
        double angle = turn + 2 * acos(-1) * i / corners;
        cairo_line_to(cairo, x + radius * cos(angle), y + radius * sin(angle));
    }
    cairo_close_path(cairo);
}

void cd_plot_marker(cairo_t *cairo, int kind, double x, double y, double radius, cd_plot_colour colour)
{
    const double quarter = acos(-1) / 2;
    cairo_new_path(cairo);
    switch (kind % CD_PLOT_MARKERS) {
    case 0:
        cairo_arc(cairo, x, y, radius, 0, 4 * quarter);
        break;
    case 1:
        regular_polygon(cairo, 4, quarter / 2, x, y, 1.2 * radius);
        break;
    case 2:
        regular_polygon(cairo, 3, -quarter, x, y, 1.35 * radius);
        break;
    case 3:
        regular_polygon(cairo, 4, 0, x, y, 1.35 * radius);
        break;
    case 4:
        regular_polygon(cairo, 3, quarter, x, y, 1.35 * radius);
        break;
    default:
        regular_polygon(cairo, 5, -quarter, x, y, 1.25 * radius);
        break;
    }
    cd_plot_source(cairo, colour);
    cairo_fill_preserve(cairo);
    // Dots this small (of space alone) would be more rim than dot.
    cd_plot_stroke(cairo, cd_plot_rgb(0xffffff), radius < 1.8 ? 0.25 * radius : 0.7);
}

// ---- key -----------------------------------------------------------------------------------------------------------

#define KEY_ROW 19.0  // [px]
#define KEY_SWATCH 26.0
#define KEY_GAP 7.0       // between swatch and text
#define KEY_BETWEEN 20.0  // between entries

static void draw_swatch(cairo_t *cairo, const cd_plot_key_entry *entry, double x, double y)
{
    double right = x + KEY_SWATCH;
    if (entry->has_band || entry->swatch == CD_PLOT_SWATCH_BAND) {
        cairo_rectangle(cairo, x, y - 6, KEY_SWATCH, 12);
        cd_plot_source(cairo, entry->fill);
        cairo_fill(cairo);
    }
    switch (entry->swatch) {
    case CD_PLOT_SWATCH_AREA:
    case CD_PLOT_SWATCH_BOX:
        cairo_rectangle(cairo, x + 3, y - 5.5, KEY_SWATCH - 6, 11);
        cd_plot_source(cairo, entry->fill);
        cairo_fill_preserve(cairo);
        cd_plot_dash(cairo, entry->dash);
        cd_plot_stroke(cairo, entry->stroke, 1.1);
        break;
    case CD_PLOT_SWATCH_LINE:
        cairo_move_to(cairo, x, y);
        cairo_line_to(cairo, right, y);
        cd_plot_dash(cairo, entry->dash);
        cd_plot_stroke(cairo, entry->stroke, 1.8);
        if (entry->marker >= 0)
            cd_plot_marker(cairo, entry->marker, x + KEY_SWATCH / 2, y, 3.4, entry->stroke);
        break;
    case CD_PLOT_SWATCH_DOT:
        cd_plot_marker(cairo, 0, x + KEY_SWATCH / 2, y, 3.6, entry->stroke);
        break;
    case CD_PLOT_SWATCH_ARROW:
        cd_plot_arrow(cairo, (cd_vec2){x + 2, y}, (cd_vec2){right - 2, y}, 1.3, 7, entry->stroke);
        break;
    case CD_PLOT_SWATCH_BAND:
        break;
    }
}

// Walks through the entries row by row; draws them when cairo_draws. Rows are centred.
static int walk_key(cairo_t *cairo, const cd_plot_key_entry *entry, int count, cd_plot_rect rect, bool draws)
{
    int rows = 0, i = 0;
    while (i < count) {
        double used = 0;
        int last = i;
        while (last < count) {
            double own = KEY_SWATCH + KEY_GAP + cd_plot_text_width(cairo, CD_PLOT_FONT, entry[last].text);
            if (last > i && used + KEY_BETWEEN + own > rect.width)
                break;
            used += own + (last > i ? KEY_BETWEEN : 0);
            last++;
        }
        double x = rect.x + fmax(0, 0.5 * (rect.width - used)), y = rect.y + (rows + 0.5) * KEY_ROW;
        for (; i < last; i++) {
            double text = x + KEY_SWATCH + KEY_GAP, room = rect.x + rect.width - text;
            if (draws) {
                draw_swatch(cairo, &entry[i], x, y);
                cd_plot_source(cairo, cd_plot_rgb(CD_PLOT_INK));
                cd_plot_text_fit(cairo, text, y, 0, 0.5, CD_PLOT_FONT, room + 1, entry[i].text);
            }
            x = text + cd_plot_text_width(cairo, CD_PLOT_FONT, entry[i].text) + KEY_BETWEEN;
        }
        rows++;
    }
    return rows;
}

double cd_plot_key_height(cairo_t *cairo, const cd_plot_key_entry *entry, int count, double width)
{
    return KEY_ROW * walk_key(cairo, entry, count, (cd_plot_rect){0, 0, width, 0}, false);
}

// In the narrowest room that needs no more rows, so that the rows are of like length.
void cd_plot_key_draw(cairo_t *cairo, const cd_plot_key_entry *entry, int count, cd_plot_rect rect)
{
    int rows = walk_key(cairo, entry, count, rect, false);
    cd_plot_rect narrow = rect;
    for (double width = rect.width; rows > 1 && width > 0.3 * rect.width; width -= 8) {
        cd_plot_rect trial = {rect.x + 0.5 * (rect.width - width), rect.y, width, rect.height};
        if (walk_key(cairo, entry, count, trial, false) > rows)
            break;
        narrow = trial;
    }
    walk_key(cairo, entry, count, narrow, true);
}

// ---- axes ----------------------------------------------------------------------------------------------------------

double cd_plot_axis_label_width(cairo_t *cairo, const cd_plot_axis *axis)
{
    double width = 0;
    for (int i = 0; i < axis->tick_count; i++)
        width = fmax(width, cd_plot_text_width(cairo, CD_PLOT_TICK_FONT, axis->tick[i].text));
    return width;
}

// Two slanted strokes across the left side: between the floor and the lowest decade the scale is broken.
static void draw_break(cairo_t *cairo, cd_plot_rect rect, double y)
{
    cairo_rectangle(cairo, rect.x - 2, y - 2, 4, 4);
    cd_plot_source(cairo, cd_plot_rgb(0xffffff));
    cairo_fill(cairo);
    for (int i = -1; i <= 1; i += 2) {
        cairo_move_to(cairo, rect.x - 4, y + 2.0 * i + 1.5);
        cairo_line_to(cairo, rect.x + 4, y + 2.0 * i - 1.5);
    }
    cd_plot_stroke(cairo, cd_plot_rgb(CD_PLOT_INK), 1);
}

void cd_plot_axes_draw(cairo_t *cairo, cd_plot_rect rect, const cd_plot_axis *x, const cd_plot_axis *y,
                       cd_plot_sides sides)
{
    cd_plot_colour ink = cd_plot_rgb(CD_PLOT_INK), faint = cd_plot_rgb(CD_PLOT_FAINT);
    double bottom = rect.y + rect.height, reach = -1e9;
    if (y->has_floor) {
        double at = bottom - cd_plot_axis_place(y, 0) * rect.height;
        cairo_move_to(cairo, rect.x, at);
        cairo_line_to(cairo, rect.x + rect.width, at);
        cd_plot_dash(cairo, 2);
        cd_plot_stroke(cairo, cd_plot_rgb(0x888888), 0.9);
    }
    for (int i = 0; i < x->tick_count; i++) {
        double at = rect.x + cd_plot_axis_place(x, x->tick[i].value) * rect.width;
        if (sides.grid) {
            cairo_move_to(cairo, at, rect.y);
            cairo_line_to(cairo, at, bottom);
            cd_plot_stroke(cairo, faint, 0.8);
        }
        cairo_move_to(cairo, at, bottom);
        cairo_line_to(cairo, at, bottom + CD_PLOT_TICK_LENGTH);
        cd_plot_stroke(cairo, ink, 1);
        double half = 0.5 * cd_plot_text_width(cairo, CD_PLOT_TICK_FONT, x->tick[i].text);
        if (sides.x_labels && at - half > reach) {  // a label that would touch the one before is left out
            cd_plot_text(cairo, at, bottom + CD_PLOT_TICK_LENGTH + 13, 0.5, 0, CD_PLOT_TICK_FONT, x->tick[i].text);
            reach = at + half + 5;
        }
    }
    for (int i = 0; i < y->tick_count; i++) {
        double at = bottom - cd_plot_axis_place(y, y->tick[i].value) * rect.height;
        if (sides.grid && !(y->has_floor && i == 0)) {
            cairo_move_to(cairo, rect.x, at);
            cairo_line_to(cairo, rect.x + rect.width, at);
            cd_plot_stroke(cairo, faint, 0.8);
        }
        cairo_move_to(cairo, rect.x, at);
        cairo_line_to(cairo, rect.x - CD_PLOT_TICK_LENGTH, at);
        cd_plot_stroke(cairo, ink, 1);
        if (sides.y_labels)
            cd_plot_text(cairo, rect.x - CD_PLOT_TICK_LENGTH - 4, at, 1, 0.5, CD_PLOT_TICK_FONT, y->tick[i].text);
    }
    cairo_rectangle(cairo, rect.x, rect.y, rect.width, rect.height);
    cd_plot_stroke(cairo, ink, 1);
    if (y->has_floor)
        draw_break(cairo, rect, bottom - (0.5 * (y->floor + y->base) - y->low) / (y->high - y->low) * rect.height);
}
