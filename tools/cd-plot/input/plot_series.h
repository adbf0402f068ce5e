// plot_series -- metrics over time, gathered from streams frame by frame: one value a frame and metric, no frames are
// kept.
//
// A frame that was repeated (a rejected trial, the rounds of a step) has the time of the frame before it: its values
// replace those. Metrics of pairs are not series and are left out.
// SPDX-License-Identifier: MIT
#ifndef PLOT_SERIES_H
#define PLOT_SERIES_H

#include "plot_frame.h"

// Columns: the metrics of --metric, then the two of --band.
typedef struct cd_plot_track {
    const char *label;  // of the stream
    int columns;
    int64_t count, capacity;
    double *time;   // [s]
    double *value;  // columns of frame k from value[columns * k] on; NaN: the frame has none
    bool *found;    // by column: some frame had it
} cd_plot_track;

typedef struct cd_plot_tracks {
    cd_plot_track track[CD_PLOT_STREAMS];
    int count;
} cd_plot_tracks;

// CD_ERR_USAGE, with the names there are, for a metric that no stream has, or that two tools wrote under one name.
cd_status cd_plot_tracks_gather(cd_ctx *ctx, const cd_plot_ask *ask, cd_plot_tracks *tracks) CD_MUST_CHECK;
void cd_plot_tracks_release(cd_plot_tracks *tracks);

// "tool:name" of the metrics met so far, for the message when the one asked for is not among them.
enum { CD_PLOT_METRIC_NAMES = 40, CD_PLOT_METRIC_NAME = 80 };
typedef struct cd_plot_metric_names {
    char name[CD_PLOT_METRIC_NAMES][CD_PLOT_METRIC_NAME];
    int count;
    bool more;
} cd_plot_metric_names;
void cd_plot_metric_note(cd_plot_metric_names *names, const char *tool, const char *name);
// CD_ERR_USAGE: the metric `asked` of `option` is not there; `names` are.
cd_status cd_plot_metric_unknown(cd_ctx *ctx, const cd_plot_metric_names *names, const char *option,
                                 const char *asked) CD_MUST_CHECK;
// Row `row` of `metric` was found for a name that rows of *tool (NULL: none yet) had before. CD_ERR_USAGE: of another.
cd_status cd_plot_metric_of_one(cd_ctx *ctx, const cd_metric_rows *metric, int32_t row, const char *option,
                                const char **tool) CD_MUST_CHECK;
// "name" or "tool:name" of --metric against a metric.
bool cd_plot_metric_matches(const char *asked, const char *tool, const char *name);

cd_status cd_plot_lines_picture(cd_ctx *ctx, const cd_plot_ask *ask) CD_MUST_CHECK;

// Indices of the points that a line of `pixels` columns needs: of each column the first, lowest, highest and last (the
// line looks the same). x must not fall; `index` has room for count. Returns how many.
int64_t cd_plot_thin(const double *x, const double *y, int64_t count, double pixels, int64_t *index);

#endif
