// plot_canvas -- what a picture is drawn on: paths, colours, lines and text, written as SVG or PNG by the same calls.
//
// The one file pair that knows the drawing library (cairo). A path is built point by point, then filled, stroked or
// clipped to, which ends it; the calls named _keep leave it for the next one. Points are [px], x to the right and y
// down, until the canvas is translated, rotated or scaled. Angles are [rad], from x towards y.
// Bytes are the same for the same calls: no date, no random names.
// SPDX-License-Identifier: MIT
#ifndef PLOT_CANVAS_H
#define PLOT_CANVAS_H

#include "cd_memory.h"
#include "plot_view.h"

typedef struct cd_canvas cd_canvas;

typedef struct cd_plot_colour {
    double red, green, blue, alpha;  // 0..1, alpha 1: opaque
} cd_plot_colour;
#define CD_PLOT_RGB(hex)                                                                \
    {                                                                                   \
        ((hex) >> 16 & 255) / 255.0, ((hex) >> 8 & 255) / 255.0, ((hex)&255) / 255.0, 1 \
    }
static inline cd_plot_colour cd_plot_rgb(unsigned hex) { return (cd_plot_colour)CD_PLOT_RGB(hex); }
static inline cd_plot_colour cd_plot_fade(cd_plot_colour colour, double alpha)
{
    colour.alpha *= alpha;
    return colour;
}

// ---- pictures ------------------------------------------------------------------------------------------------------

typedef struct cd_canvas_picture {
    bool png;           // else SVG
    int width, height;  // [px] > 0
    double scale;       // pixels of a PNG for each px
    void (*draw)(cd_canvas *canvas, void *argument);
    void *argument;
} cd_canvas_picture;
// Draws on white and appends the file to *out. CD_ERR_MEMORY when the drawing library failed.
cd_status cd_canvas_render(const cd_canvas_picture *picture, cd_buffer *out, cd_diag *diag) CD_MUST_CHECK;
// A canvas to measure text with before the size of a picture is known. @owns caller: cd_canvas_release
cd_canvas *cd_canvas_measuring(void);
void cd_canvas_release(cd_canvas *canvas);

// ---- paths ---------------------------------------------------------------------------------------------------------

void cd_canvas_new_path(cd_canvas *canvas);  // drops the points there are
void cd_canvas_move(cd_canvas *canvas, cd_vec2 to);
void cd_canvas_move_by(cd_canvas *canvas, cd_vec2 by);
void cd_canvas_line(cd_canvas *canvas, cd_vec2 to);  // without a point before it: a move
void cd_canvas_close(cd_canvas *canvas);
void cd_canvas_circle(cd_canvas *canvas, cd_vec2 centre, double radius);  // by itself: no line leads to it
void cd_canvas_rectangle(cd_canvas *canvas, cd_plot_rect rect);

// ---- painting ------------------------------------------------------------------------------------------------------

void cd_canvas_source(cd_canvas *canvas, cd_plot_colour colour);  // of all that follows
// Colours from the point `focus` outwards to the circle of `radius` about the origin.
typedef struct cd_canvas_stop {
    double at;  // 0 at the focus .. 1 on the circle, ascending
    cd_plot_colour colour;
} cd_canvas_stop;
void cd_canvas_source_radial(cd_canvas *canvas, cd_vec2 focus, double radius, const cd_canvas_stop *stop, int count);
void cd_canvas_fill(cd_canvas *canvas);
void cd_canvas_fill_keep(cd_canvas *canvas);
void cd_canvas_line_width(cd_canvas *canvas, double width);
// Lengths [px] of strokes and spaces in turn; count 0: whole lines.
void cd_canvas_dash(cd_canvas *canvas, const double *length, int count);
void cd_canvas_stroke(cd_canvas *canvas);
void cd_canvas_stroke_keep(cd_canvas *canvas);

// ---- state ---------------------------------------------------------------------------------------------------------

// Source, lines, clip and coordinates as they are come back with the restore; the path does not.
void cd_canvas_save(cd_canvas *canvas);
void cd_canvas_restore(cd_canvas *canvas);
void cd_canvas_clip(cd_canvas *canvas);  // to the path
void cd_canvas_translate(cd_canvas *canvas, cd_vec2 by);
void cd_canvas_rotate(cd_canvas *canvas, double angle);
void cd_canvas_scale(cd_canvas *canvas, cd_vec2 factor);

// ---- text ----------------------------------------------------------------------------------------------------------

// Valid UTF-8 in the sans-serif face, laid out without hinting, so that both formats measure it alike. What is drawn
// begins at the path's last point, on the base line, and moves that point to its end.
void cd_canvas_text_size(cd_canvas *canvas, double size);            // [px] of what follows
double cd_canvas_text_advance(cd_canvas *canvas, const char *text);  // [px] to the start of what would follow it
void cd_canvas_text_show(cd_canvas *canvas, const char *text);       // in the source's colour
void cd_canvas_text_path(cd_canvas *canvas, const char *text);       // its outlines, added to the path

#endif
