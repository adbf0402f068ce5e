// plot_paint -- what all pictures share on top of a canvas: colours, text with raised parts, arrows, markers, the key
// that explains them, and axes.
//
// Places and sizes are in px. Text markup: "^{...}" is raised. Text is made valid UTF-8 without control characters
// before it is drawn.
// SPDX-License-Identifier: MIT
#ifndef PLOT_PAINT_H
#define PLOT_PAINT_H

#include "plot_axis.h"
#include "plot_canvas.h"

// Series i of a line plot or stream i of an overlay: the palette of Okabe & Ito (2008), told apart with any colour
// vision, without its yellow, which is too light for lines; from the eighth on it repeats (dashes and markers then tell
// series apart).
cd_plot_colour cd_plot_series_colour(int i);
#define CD_PLOT_INK 0x222222u    // text and axes
#define CD_PLOT_FAINT 0xdddddfu  // grid lines

// ---- text ----------------------------------------------------------------------------------------------------------

#define CD_PLOT_FONT 12.0  // [px] labels
// Width [px] of a line of text of the given size.
double cd_plot_text_width(cd_canvas *canvas, double size, const char *text);
// The point `at` is at the fraction `along` (0 left, 1 right) of the text's width and, vertically, 0 at the base
// line, 0.5 at the middle of its capitals. Colour is the current source.
void cd_plot_text(cd_canvas *canvas, cd_vec2 at, double along, double up, double size, const char *text);
// The same, cut with an ellipsis to at most `room` px.
void cd_plot_text_fit(cd_canvas *canvas, cd_vec2 at, double along, double up, double size, double room,
                      const char *text);
// Digits or other plain text (no markup), centred, with a light rim that parts it from what it covers.
void cd_plot_text_halo(cd_canvas *canvas, cd_vec2 at, double size, const char *text);
// Turned, centred.
void cd_plot_text_upward(cd_canvas *canvas, cd_vec2 at, double size, double room, const char *text);

// ---- strokes -------------------------------------------------------------------------------------------------------

void cd_plot_stroke(cd_canvas *canvas, cd_plot_colour colour, double width);  // the current path, then dashes are off
enum { CD_PLOT_DASHES = 5 };
void cd_plot_dash(cd_canvas *canvas, int kind);  // 0: whole lines
// [px]
void cd_plot_arrow(cd_canvas *canvas, cd_vec2 from, cd_vec2 to, double width, double head, cd_plot_colour colour);
enum { CD_PLOT_MARKERS = 6 };
void cd_plot_marker(cd_canvas *canvas, int kind, cd_vec2 at, double radius, cd_plot_colour colour);

// ---- key -----------------------------------------------------------------------------------------------------------

typedef enum cd_plot_swatch {
    CD_PLOT_SWATCH_AREA,
    CD_PLOT_SWATCH_LINE,
    CD_PLOT_SWATCH_BOX,
    CD_PLOT_SWATCH_DOT,
    CD_PLOT_SWATCH_ARROW,
    CD_PLOT_SWATCH_BAND
} cd_plot_swatch;

typedef struct cd_plot_key_entry {
    cd_plot_swatch swatch;
    const char *text;
    cd_plot_colour stroke, fill;
    int dash, marker;  // marker -1: none
    bool has_band;     // LINE: with the series' band behind it
} cd_plot_key_entry;

// Entries in rows across `width`, as many as fit in each. Height [px] they take; 0 for no entries.
double cd_plot_key_height(cd_canvas *canvas, const cd_plot_key_entry *entry, int count, double width);
void cd_plot_key_draw(cd_canvas *canvas, const cd_plot_key_entry *entry, int count, cd_plot_rect rect);

// Ticks, labels and a frame of a panel; the axes' names are left to the caller.
typedef struct cd_plot_axes_style {
    bool grid, x_labels, y_labels;
} cd_plot_axes_style;
void cd_plot_axes_draw(cd_canvas *canvas, cd_plot_rect rect, const cd_plot_axis *x, const cd_plot_axis *y,
                       cd_plot_axes_style style);
double cd_plot_axis_label_width(cd_canvas *canvas, const cd_plot_axis *axis);  // of its widest tick label
#define CD_PLOT_TICK_FONT 11.0                                                 // [px]
#define CD_PLOT_TICK_LENGTH 4.0

#endif
