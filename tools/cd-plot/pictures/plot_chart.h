// plot_chart -- a picture of one pair of axes, with their names, a title and a key: what line plots and histograms
// share.
//
// start -> set axes, names and key -> lay out -> draw: axes, the caller's content, texts.
// SPDX-License-Identifier: MIT
#ifndef PLOT_CHART_H
#define PLOT_CHART_H

#include "plot_ask.h"
#include "plot_paint.h"

typedef struct cd_plot_chart {
    int width, height;  // [px] of the picture
    const char *title;  // NULL: none
    cd_plot_axis x, y;
    const char *x_name, *y_name;
    const cd_plot_key_entry *key;  // borrowed until the picture is drawn
    int key_count;
    cd_plot_rect rect, key_rect;  // [px] of the axes and the key
} cd_plot_chart;

cd_plot_chart cd_plot_chart_start(const cd_plot_ask *ask);  // its size and title
int cd_plot_chart_x_ticks(const cd_plot_chart *chart);      // about how many there is room for
int cd_plot_chart_y_ticks(const cd_plot_chart *chart);
// Fixes `rect` and `key_rect`. CD_ERR_USAGE when --size has no room.
cd_status cd_plot_chart_lay_out(cd_plot_chart *chart, cd_diag *diag) CD_MUST_CHECK;
cd_vec2 cd_plot_chart_place(const cd_plot_chart *chart, double x, double y);  // [px] of values
void cd_plot_chart_draw_axes(cd_canvas *canvas, const cd_plot_chart *chart);
void cd_plot_chart_draw_texts(cd_canvas *canvas, const cd_plot_chart *chart);

#endif
