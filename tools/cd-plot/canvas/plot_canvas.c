// SPDX-License-Identifier: MIT
#include "plot_canvas.h"

#include <cairo/cairo-svg.h>
#include <cairo/cairo.h>
#include <math.h>

struct cd_canvas {
    cairo_t *cairo;
};

// fontconfig keeps the fonts it found until the process ends and offers cairo's users no way to give them back;
// LeakSanitizer, which asks these functions, is told so. Without it nobody calls them.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);

const char *__lsan_default_options(void) { return "print_suppressions=0"; }

const char *__lsan_default_suppressions(void) { return "leak:libfontconfig\n"; }

// ---- pictures ------------------------------------------------------------------------------------------------------

static cairo_status_t append(void *closure, const unsigned char *bytes, unsigned length)
{
    cd_buffer_append(closure, bytes, length);
    return CAIRO_STATUS_SUCCESS;
}

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

static cairo_surface_t *make_surface(const cd_canvas_picture *picture, cd_buffer *out)
{
    if (picture->png)
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(picture->width * picture->scale),
                                          (int)ceil(picture->height * picture->scale));
    cairo_surface_t *surface = cairo_svg_surface_create_for_stream(append, out, picture->width, picture->height);
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    return surface;
}

// The library numbers its surfaces over the life of the process, and names an element by the number: the bytes of a
// picture would depend on those before it. The number of a process's first picture stays.
static void forget_number(cd_buffer *out, size_t start)
{
    static const char mark[] = "id=\"surface";
    char *name = memmem(out->data + start, out->size - start, mark, sizeof mark - 1);
    if (!name)
        return;
    name += sizeof mark - 1;
    size_t digits = strspn(name, "0123456789"), place = (size_t)(name - out->data);
    memmove(name + 1, name + digits, out->size - place - digits);
    name[0] = '2';
    out->size -= digits - 1;
}

cd_status cd_canvas_render(const cd_canvas_picture *picture, cd_buffer *out, cd_diag *diag)
{
    size_t start = out->size;
    cairo_surface_t *surface = make_surface(picture, out);
    cd_canvas canvas = {cairo_create(surface)};
    if (picture->png)
        cairo_scale(canvas.cairo, picture->scale, picture->scale);
    cairo_set_source_rgb(canvas.cairo, 1, 1, 1);
    cairo_paint(canvas.cairo);
    set_font(canvas.cairo);
    cairo_set_line_join(canvas.cairo, CAIRO_LINE_JOIN_ROUND);
    picture->draw(&canvas, picture->argument);
    cairo_status_t status = cairo_status(canvas.cairo);
    cairo_destroy(canvas.cairo);
    if (status == CAIRO_STATUS_SUCCESS && picture->png)
        status = cairo_surface_write_to_png_stream(surface, append, out);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (status != CAIRO_STATUS_SUCCESS)
        return cd_fail(diag, CD_ERR_MEMORY, "the picture could not be drawn: %s", cairo_status_to_string(status));
    if (!picture->png)
        forget_number(out, start);
    return CD_OK;
}

cd_canvas *cd_canvas_measuring(void)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cd_canvas *canvas = cd_alloc(sizeof *canvas);
    canvas->cairo = cairo_create(surface);
    cairo_surface_destroy(surface);
    set_font(canvas->cairo);
    return canvas;
}

void cd_canvas_release(cd_canvas *canvas)
{
    cairo_destroy(canvas->cairo);
    cd_free(canvas);
}

// ---- paths ---------------------------------------------------------------------------------------------------------

void cd_canvas_new_path(cd_canvas *canvas) { cairo_new_path(canvas->cairo); }
void cd_canvas_move(cd_canvas *canvas, cd_vec2 to) { cairo_move_to(canvas->cairo, to.x, to.y); }
void cd_canvas_move_by(cd_canvas *canvas, cd_vec2 by) { cairo_rel_move_to(canvas->cairo, by.x, by.y); }
void cd_canvas_line(cd_canvas *canvas, cd_vec2 to) { cairo_line_to(canvas->cairo, to.x, to.y); }
void cd_canvas_close(cd_canvas *canvas) { cairo_close_path(canvas->cairo); }

void cd_canvas_circle(cd_canvas *canvas, cd_vec2 centre, double radius)
{
    cairo_new_sub_path(canvas->cairo);
    cairo_arc(canvas->cairo, centre.x, centre.y, radius, 0, 2 * M_PI);
}

void cd_canvas_rectangle(cd_canvas *canvas, cd_plot_rect rect)
{
    cairo_rectangle(canvas->cairo, rect.x, rect.y, rect.width, rect.height);
}

// ---- painting ------------------------------------------------------------------------------------------------------

void cd_canvas_source(cd_canvas *canvas, cd_plot_colour colour)
{
    cairo_set_source_rgba(canvas->cairo, colour.red, colour.green, colour.blue, colour.alpha);
}

void cd_canvas_source_radial(cd_canvas *canvas, cd_vec2 focus, double radius, const cd_canvas_stop *stop, int count)
{
    cairo_pattern_t *pattern = cairo_pattern_create_radial(focus.x, focus.y, 0, 0, 0, radius);
    for (int i = 0; i < count; i++) {
        cd_plot_colour colour = stop[i].colour;
        cairo_pattern_add_color_stop_rgba(pattern, stop[i].at, colour.red, colour.green, colour.blue, colour.alpha);
    }
    cairo_set_source(canvas->cairo, pattern);
    cairo_pattern_destroy(pattern);
}

void cd_canvas_fill(cd_canvas *canvas) { cairo_fill(canvas->cairo); }
void cd_canvas_fill_keep(cd_canvas *canvas) { cairo_fill_preserve(canvas->cairo); }
void cd_canvas_line_width(cd_canvas *canvas, double width) { cairo_set_line_width(canvas->cairo, width); }
void cd_canvas_stroke(cd_canvas *canvas) { cairo_stroke(canvas->cairo); }
void cd_canvas_stroke_keep(cd_canvas *canvas) { cairo_stroke_preserve(canvas->cairo); }

void cd_canvas_dash(cd_canvas *canvas, const double *length, int count)
{
    cairo_set_dash(canvas->cairo, length, count, 0);
}

// ---- state ---------------------------------------------------------------------------------------------------------

void cd_canvas_save(cd_canvas *canvas) { cairo_save(canvas->cairo); }
void cd_canvas_restore(cd_canvas *canvas) { cairo_restore(canvas->cairo); }
void cd_canvas_clip(cd_canvas *canvas) { cairo_clip(canvas->cairo); }
void cd_canvas_translate(cd_canvas *canvas, cd_vec2 by) { cairo_translate(canvas->cairo, by.x, by.y); }
void cd_canvas_rotate(cd_canvas *canvas, double angle) { cairo_rotate(canvas->cairo, angle); }
void cd_canvas_scale(cd_canvas *canvas, cd_vec2 factor) { cairo_scale(canvas->cairo, factor.x, factor.y); }

// ---- text ----------------------------------------------------------------------------------------------------------

void cd_canvas_text_size(cd_canvas *canvas, double size) { cairo_set_font_size(canvas->cairo, size); }

double cd_canvas_text_advance(cd_canvas *canvas, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(canvas->cairo, text, &extents);
    return extents.x_advance;
}

void cd_canvas_text_show(cd_canvas *canvas, const char *text) { cairo_show_text(canvas->cairo, text); }
void cd_canvas_text_path(cd_canvas *canvas, const char *text) { cairo_text_path(canvas->cairo, text); }
