// SPDX-License-Identifier: MIT
#include "plot_chart.h"

#include <math.h>

#define EDGE 12.0  // [px] as in the pictures of frames
#define TITLE_FONT 15.0
#define TITLE_ROOM 26.0
#define NAME_ROOM 19.0
#define LABEL_ROOM 20.0
#define KEY_SPACE 8.0
enum { USUAL_WIDTH = 720, USUAL_HEIGHT = 460 };

cd_plot_chart cd_plot_chart_start(const cd_plot_ask *ask)
{
    return (cd_plot_chart){.width = ask->width ? ask->width : USUAL_WIDTH,
                           .height = ask->height ? ask->height : USUAL_HEIGHT,
                           .title = ask->options->title};
}

int cd_plot_chart_x_ticks(const cd_plot_chart *chart) { return (int)fmin(12, fmax(2, chart->width / 70)); }
int cd_plot_chart_y_ticks(const cd_plot_chart *chart) { return (int)fmin(12, fmax(2, chart->height / 42)); }

cd_status cd_plot_chart_lay_out(cd_plot_chart *chart, cd_diag *diag)
{
    cd_canvas *canvas = cd_canvas_measuring();
    double key = cd_plot_key_height(canvas, chart->key, chart->key_count, chart->width - 2 * EDGE);
    double y_label_width = cd_plot_axis_label_width(canvas, &chart->y);
    double right = fmax(EDGE, 0.5 * cd_plot_axis_label_width(canvas, &chart->x));
    cd_canvas_release(canvas);
    double top = EDGE + (chart->title ? TITLE_ROOM : 0);
    chart->key_rect = (cd_plot_rect){EDGE, top, chart->width - 2 * EDGE, key};
    top += key + (chart->key_count > 0 ? KEY_SPACE : 0);
    double left = EDGE + NAME_ROOM + y_label_width + CD_PLOT_TICK_LENGTH + 4,
           bottom = EDGE + CD_PLOT_TICK_LENGTH + LABEL_ROOM + NAME_ROOM;
    chart->rect = (cd_plot_rect){left, top, chart->width - left - right, chart->height - top - bottom};
    if (chart->rect.width < 40 || chart->rect.height < 40)
        return cd_fail(diag, CD_ERR_USAGE, "--size: no room for axes beside their labels and the key");
    return CD_OK;
}

cd_vec2 cd_plot_chart_place(const cd_plot_chart *chart, double x, double y)
{
    return (cd_vec2){chart->rect.x + cd_plot_axis_place(&chart->x, x) * chart->rect.width,
                     chart->rect.y + (1 - cd_plot_axis_place(&chart->y, y)) * chart->rect.height};
}

void cd_plot_chart_draw_axes(cd_canvas *canvas, const cd_plot_chart *chart)
{
    cd_plot_axes_draw(canvas, chart->rect, &chart->x, &chart->y, (cd_plot_axes_style){true, true, true});
}

void cd_plot_chart_draw_texts(cd_canvas *canvas, const cd_plot_chart *chart)
{
    const cd_plot_rect *rect = &chart->rect;
    double bottom = rect->y + rect->height;
    cd_canvas_source(canvas, cd_plot_rgb(CD_PLOT_INK));
    cd_plot_text_fit(canvas, (cd_vec2){rect->x + 0.5 * rect->width, bottom + CD_PLOT_TICK_LENGTH + LABEL_ROOM + 12},
                     0.5, 0, CD_PLOT_FONT, rect->width, chart->x_name);
    cd_plot_text_upward(canvas, (cd_vec2){EDGE + 11, rect->y + 0.5 * rect->height}, CD_PLOT_FONT, rect->height,
                        chart->y_name);
    cd_plot_key_draw(canvas, chart->key, chart->key_count, chart->key_rect);
    cd_canvas_source(canvas, cd_plot_rgb(CD_PLOT_INK));
    if (chart->title)
        cd_plot_text_fit(canvas, (cd_vec2){0.5 * chart->width, EDGE + 14}, 0.5, 0, TITLE_FONT, chart->width - 2 * EDGE,
                         chart->title);
}
