// Line plots of metrics over time, with bands between two of them.
// SPDX-License-Identifier: MIT
#include "plot_chart.h"
#include "plot_panels.h"
#include "plot_series.h"

#include <math.h>
#include <string.h>

enum { FEW_POINTS = 40 };

typedef struct lines_picture {
    cd_ctx *ctx;
    const cd_plot_ask *ask;
    const cd_plot_tracks *tracks;
    cd_plot_chart chart;
    bool markers;
} lines_picture;

static double value_at(const cd_plot_track *track, int64_t row, int column)
{
    return track->value[(size_t)row * (size_t)track->columns + (size_t)column];
}

// Colours tell streams apart when there are several, else metrics; dashes tell metrics apart within a stream.
static int series_colour(const lines_picture *p, int stream, int metric)
{
    return p->tracks->count > 1 ? stream : metric;
}
static int series_dash(const lines_picture *p, int stream, int metric)
{
    return p->tracks->count > 1 ? metric % CD_PLOT_DASHES : series_colour(p, stream, metric) / 7 % CD_PLOT_DASHES;
}

// ---- axes ----------------------------------------------------------------------------------------------------------

typedef struct extent {
    double low, high;
    int64_t zeros, negatives;
} extent;

static void add_value(extent *e, double value, bool log)
{
    if (isnan(value))
        return;
    e->zeros += log && value == 0;
    e->negatives += log && value < 0;
    if (log && value <= 0)
        return;
    e->low = fmin(e->low, value);
    e->high = fmax(e->high, value);
}

static void make_axes(lines_picture *p)
{
    bool log = p->ask->options->log_y;
    extent x = {INFINITY, -INFINITY, 0, 0}, y = x;
    for (int s = 0; s < p->tracks->count; s++) {
        const cd_plot_track *track = &p->tracks->track[s];
        for (int64_t row = 0; row < track->count; row++) {
            bool is_drawn = false;
            for (int column = 0; column < track->columns; column++) {
                double value = value_at(track, row, column);
                add_value(&y, value, log);
                is_drawn |= !isnan(value);
            }
            if (is_drawn)
                add_value(&x, track->time[row], false);
        }
    }
    cd_plot_chart *chart = &p->chart;
    chart->x = cd_plot_axis_linear(x.low, x.high, p->markers ? 0.025 : 0.01, cd_plot_chart_x_ticks(chart));
    int ticks = cd_plot_chart_y_ticks(chart);
    if (!log) {
        chart->y = cd_plot_axis_linear(y.low, y.high, 0.04, ticks);
        return;
    }
    if (y.low > y.high)  // nothing above 0
        y.low = 0.1, y.high = 1;
    chart->y = cd_plot_axis_log(y.low, y.high, y.zeros + y.negatives > 0, ticks);
    if (y.negatives > 0)
        strcpy(chart->y.tick[0].text, "\xe2\x89\xa4 0");  // the floor's tick: U+2264
}

// ---- layout --------------------------------------------------------------------------------------------------------

static void make_key(lines_picture *p)
{
    cd_arena *arena = &p->ctx->run;
    int streams = p->tracks->count, metrics = p->ask->metric_count;
    cd_plot_key_entry *key = CD_ARENA_ARRAY(arena, cd_plot_key_entry, (size_t)streams * (size_t)metrics + 1);
    int count = 0;
    for (int s = 0; s < streams; s++)
        for (int m = 0; m < metrics; m++) {
            if (!p->tracks->track[s].found[m])
                continue;
            const char *label = p->tracks->track[s].label, *metric = p->ask->metric[m];
            const char *text = streams == 1 && !p->ask->label ? metric
                               : metrics == 1                 ? label
                                                              : cd_arena_printf(arena, "%s, %s", label, metric);
            cd_plot_colour colour = cd_plot_series_colour(series_colour(p, s, m));
            key[count++] = (cd_plot_key_entry){.swatch = CD_PLOT_SWATCH_LINE,
                                               .text = text,
                                               .stroke = colour,
                                               .fill = cd_plot_fade(colour, 0.2),
                                               .dash = series_dash(p, s, m),
                                               .marker = p->markers ? series_colour(p, s, m) : -1,
                                               .has_band = m == 0 && p->ask->band_count > 0};
        }
    if (p->ask->band_count > 0)
        key[count++] =
            (cd_plot_key_entry){.swatch = CD_PLOT_SWATCH_BAND,
                                .text = cd_arena_printf(arena, "band: %s to %s", p->ask->band[0], p->ask->band[1]),
                                .fill = cd_plot_fade(cd_plot_rgb(0x555555), 0.25),
                                .marker = -1};
    // A single line whose name stands at its axis needs no key.
    if (count == 1 && !p->ask->label && !p->ask->options->y_label)
        count = 0;
    p->chart.key = key;
    p->chart.key_count = count;
}

// ---- drawing -------------------------------------------------------------------------------------------------------

// Frames first .. end - 1 in which all of `columns` have a value, from `start` on; false: no more.
static bool next_run(const cd_plot_track *track, const int *columns, int count, int64_t start, int64_t *first,
                     int64_t *end)
{
    *first = -1;
    for (int64_t row = start; row < track->count; row++) {
        bool is_there = true;
        for (int i = 0; i < count; i++)
            is_there = is_there && !isnan(value_at(track, row, columns[i]));
        if (is_there && *first < 0)
            *first = row;
        if (!is_there && *first >= 0) {
            *end = row;
            return true;
        }
    }
    *end = track->count;
    return *first >= 0;
}

// Columns of a run as plain arrays; `index` of the rows that matter at this width.
typedef struct run_points {
    double *x, *y;
    int64_t *index, count;
} run_points;

static run_points thin_run(const lines_picture *p, cd_arena *arena, const cd_plot_track *track, int column,
                           int64_t first, int64_t end)
{
    size_t count = (size_t)(end - first);
    run_points points = {CD_ARENA_ARRAY(arena, double, count), CD_ARENA_ARRAY(arena, double, count),
                         CD_ARENA_ARRAY(arena, int64_t, count), 0};
    bool is_rising = true;
    for (size_t i = 0; i < count; i++) {
        points.x[i] = track->time[(size_t)first + i];
        points.y[i] = value_at(track, first + (int64_t)i, column);
        is_rising = is_rising && (i == 0 || points.x[i] >= points.x[i - 1]);
    }
    if (is_rising && (double)count > 4 * p->chart.rect.width) {
        points.count = cd_plot_thin(points.x, points.y, (int64_t)count, p->chart.rect.width, points.index);
    } else {
        for (size_t i = 0; i < count; i++)
            points.index[points.count++] = (int64_t)i;
    }
    return points;
}

static void draw_band(const lines_picture *p, cd_canvas *canvas, int stream)
{
    const cd_plot_track *track = &p->tracks->track[stream];
    const int columns[2] = {p->ask->metric_count, p->ask->metric_count + 1};
    cd_arena *arena = &p->ctx->arena;
    cd_plot_colour colour = cd_plot_series_colour(series_colour(p, stream, 0));
    int64_t first, end = 0;
    while (next_run(track, columns, 2, end, &first, &end)) {
        cd_arena_mark mark = cd_arena_get_mark(arena);
        run_points low = thin_run(p, arena, track, columns[0], first, end),
                   high = thin_run(p, arena, track, columns[1], first, end);
        for (int64_t i = 0; i < low.count; i++) {
            cd_vec2 at = cd_plot_chart_place(&p->chart, low.x[low.index[i]], low.y[low.index[i]]);
            cd_canvas_line(canvas, at);
        }
        for (int64_t i = high.count - 1; i >= 0; i--) {
            cd_vec2 at = cd_plot_chart_place(&p->chart, high.x[high.index[i]], high.y[high.index[i]]);
            cd_canvas_line(canvas, at);
        }
        cd_canvas_close(canvas);
        cd_canvas_source(canvas, cd_plot_fade(colour, 0.2));
        cd_canvas_fill_keep(canvas);
        cd_plot_stroke(canvas, cd_plot_fade(colour, 0.4), 0.7);
        cd_arena_rewind(arena, mark);
    }
}

static void draw_line(const lines_picture *p, cd_canvas *canvas, int stream, int metric)
{
    const cd_plot_track *track = &p->tracks->track[stream];
    cd_arena *arena = &p->ctx->arena;
    cd_plot_colour colour = cd_plot_series_colour(series_colour(p, stream, metric));
    int64_t first, end = 0;
    while (next_run(track, &metric, 1, end, &first, &end)) {
        cd_arena_mark mark = cd_arena_get_mark(arena);
        run_points points = thin_run(p, arena, track, metric, first, end);
        for (int64_t i = 0; i < points.count; i++) {
            cd_vec2 at = cd_plot_chart_place(&p->chart, points.x[points.index[i]], points.y[points.index[i]]);
            cd_canvas_line(canvas, at);
        }
        cd_plot_dash(canvas, series_dash(p, stream, metric));
        cd_plot_stroke(canvas, colour, points.count > 2000 ? 1.1 : 1.8);
        for (int64_t i = 0; i < points.count && (p->markers || end - first == 1); i++) {
            cd_vec2 at = cd_plot_chart_place(&p->chart, points.x[points.index[i]], points.y[points.index[i]]);
            cd_plot_marker(canvas, p->markers ? series_colour(p, stream, metric) : 0, at, p->markers ? 3.6 : 2, colour);
        }
        cd_arena_rewind(arena, mark);
    }
}

static void draw_lines(cd_canvas *canvas, void *argument)
{
    const lines_picture *p = argument;
    cd_plot_chart_draw_axes(canvas, &p->chart);
    for (int s = 0; s < p->tracks->count && p->ask->band_count > 0; s++)
        draw_band(p, canvas, s);
    for (int s = 0; s < p->tracks->count; s++)
        for (int m = 0; m < p->ask->metric_count; m++)
            draw_line(p, canvas, s, m);
    cd_plot_chart_draw_texts(canvas, &p->chart);
}

static cd_status make_picture(cd_ctx *ctx, const cd_plot_ask *ask, const cd_plot_tracks *tracks)
{
    lines_picture p = {.ctx = ctx, .ask = ask, .tracks = tracks, .chart = cd_plot_chart_start(ask)};
    int64_t most = 0;
    for (int s = 0; s < tracks->count; s++)
        most = tracks->track[s].count > most ? tracks->track[s].count : most;
    const char *markers = ask->options->markers;
    p.markers = !strcmp(markers, "on") || (!strcmp(markers, "auto") && most <= FEW_POINTS);
    p.chart.x_name = ask->options->x_label ? ask->options->x_label : "time [s]";
    p.chart.y_name = ask->options->y_label ? ask->options->y_label : ask->metric_count == 1 ? ask->metric[0] : "value";
    make_axes(&p);
    make_key(&p);
    CD_TRY(cd_plot_chart_lay_out(&p.chart, &ctx->diag));
    return cd_plot_write(
        ctx, ask,
        (cd_canvas_picture){.width = p.chart.width, .height = p.chart.height, .draw = draw_lines, .argument = &p});
}

cd_status cd_plot_lines_picture(cd_ctx *ctx, const cd_plot_ask *ask)
{
    cd_plot_tracks *tracks = CD_ARENA_ARRAY(&ctx->run, cd_plot_tracks, 1);
    cd_status status = cd_plot_tracks_gather(ctx, ask, tracks);
    if (status == CD_OK)
        status = make_picture(ctx, ask, tracks);
    cd_plot_tracks_release(tracks);
    return status;
}
