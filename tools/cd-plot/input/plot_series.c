// SPDX-License-Identifier: MIT
#include "plot_series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct series_walk {
    const cd_plot_ask *ask;
    cd_plot_track *track;
    const char **tool;  // by column: who wrote it in this stream
    cd_plot_metric_names *names;
} series_walk;

bool cd_plot_metric_matches(const char *asked, const char *tool, const char *name)
{
    if (!strcmp(asked, name))
        return true;
    size_t length = strlen(tool);
    return !strncmp(asked, tool, length) && asked[length] == ':' && !strcmp(asked + length + 1, name);
}

void cd_plot_metric_note(cd_plot_metric_names *names, const char *tool, const char *name)
{
    char text[CD_PLOT_METRIC_NAME];
    snprintf(text, sizeof text, "%s:%s", tool, name);
    for (int i = 0; i < names->count; i++)
        if (!strcmp(names->name[i], text))
            return;
    if (names->count < CD_PLOT_METRIC_NAMES)
        memcpy(names->name[names->count++], text, sizeof text);
    else
        names->more = true;
}

cd_status cd_plot_metric_unknown(cd_ctx *ctx, const cd_plot_metric_names *names, const char *option, const char *asked)
{
    cd_buffer list = {0};
    for (int i = 0; i < names->count; i++)
        cd_buffer_printf(&list, "%s%s", i > 0 ? ", " : "", names->name[i]);
    if (names->more)
        cd_buffer_text(&list, ", ...");
    cd_buffer_append(&list, "", 1);
    cd_status status = cd_fail(&ctx->diag, CD_ERR_USAGE, "%s: %.80s: no such metric; %s%.360s", option, asked,
                               names->count > 0 ? "there are: " : "there are none", list.data);
    cd_buffer_release(&list);
    return status;
}

cd_status cd_plot_metric_of_one(cd_ctx *ctx, const cd_metric_rows *metric, int32_t row, const char *option,
                                const char **tool)
{
    const char *own = metric->tool[row], *name = metric->name[row];
    if (!*tool)
        *tool = cd_arena_text(&ctx->run, own, strlen(own));
    if (strcmp(*tool, own) != 0)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "%s: %.80s: written by %.40s and by %.40s: say %.40s:%.80s", option,
                       name, *tool, own, own, name);
    return CD_OK;
}

static double *add_row(cd_plot_track *track, double time)
{
    size_t columns = (size_t)track->columns;
    if (track->count == 0 || track->time[track->count - 1] != time) {
        if (track->count == track->capacity) {
            track->capacity = track->capacity ? 2 * track->capacity : 256;
            track->time = cd_realloc(track->time, (size_t)track->capacity * sizeof(double));
            track->value = cd_realloc(track->value, (size_t)track->capacity * columns * sizeof(double));
        }
        track->count++;
    }
    double *row = track->value + (size_t)(track->count - 1) * columns;
    track->time[track->count - 1] = time;
    for (size_t i = 0; i < columns; i++)
        row[i] = NAN;
    return row;
}

static const char *asked_name(const cd_plot_ask *ask, int column)
{
    return column < ask->metric_count ? ask->metric[column] : ask->band[column - ask->metric_count];
}

static cd_status take_frame(void *self, cd_ctx *ctx, cd_plot_frame *frame, bool *taken)
{
    (void)taken;
    series_walk *walk = self;
    const cd_metric_rows *metric = &frame->in.metric;
    double *row = add_row(walk->track, cd_plot_clamp(frame->in.frame.time[0]));
    for (int32_t i = 0; i < metric->count; i++) {
        if ((metric->a && metric->a[i] >= 0) || (metric->b && metric->b[i] >= 0))
            continue;
        cd_plot_metric_note(walk->names, metric->tool[i], metric->name[i]);
        for (int column = 0; column < walk->track->columns; column++) {
            if (!cd_plot_metric_matches(asked_name(walk->ask, column), metric->tool[i], metric->name[i]))
                continue;
            CD_TRY(cd_plot_metric_of_one(ctx, metric, i, "--metric", &walk->tool[column]));
            row[column] = cd_plot_clamp(metric->value[i]);
            walk->track->found[column] = true;
        }
    }
    return CD_OK;
}

static cd_status check_found(cd_ctx *ctx, const cd_plot_ask *ask, const cd_plot_tracks *tracks,
                             const cd_plot_metric_names *names)
{
    for (int column = 0; column < tracks->track[0].columns; column++) {
        bool found = false;
        for (int i = 0; i < tracks->count; i++)
            found |= tracks->track[i].found[column];
        for (int i = 0; found && i < tracks->count; i++)
            if (!tracks->track[i].found[column])
                cd_warn(ctx, "%s: has no metric %s", tracks->track[i].label, asked_name(ask, column));
        if (found)
            continue;
        return cd_plot_metric_unknown(ctx, names, column < ask->metric_count ? "--metric" : "--band",
                                      asked_name(ask, column));
    }
    return CD_OK;
}

cd_status cd_plot_tracks_gather(cd_ctx *ctx, const cd_plot_ask *ask, cd_plot_tracks *tracks)
{
    memset(tracks, 0, sizeof *tracks);
    cd_plot_metric_names *names = CD_ARENA_ZARRAY(&ctx->run, cd_plot_metric_names, 1);
    for (int stream = 0; stream < cd_plot_stream_count(ctx); stream++) {
        cd_plot_track *track = &tracks->track[tracks->count++];
        track->label = cd_plot_stream_label(ctx, ask, stream);
        track->columns = ask->metric_count + ask->band_count;
        track->found = CD_ARENA_ZARRAY(&ctx->run, bool, track->columns);
        series_walk walk = {ask, track, CD_ARENA_ZARRAY(&ctx->run, const char *, track->columns), names};
        const cd_plot_reading reading = {.tables = CD_BIT(metric), .each = take_frame, .self = &walk};
        CD_TRY(cd_plot_read(ctx, stream, &reading));
    }
    return check_found(ctx, ask, tracks, names);
}

void cd_plot_tracks_release(cd_plot_tracks *tracks)
{
    for (int i = 0; i < tracks->count; i++) {
        cd_free(tracks->track[i].time);
        cd_free(tracks->track[i].value);
    }
    tracks->count = 0;
}

int64_t cd_plot_thin(const double *x, const double *y, int64_t count, double pixels, int64_t *index)
{
    double low = count > 0 ? x[0] : 0, width = count > 0 ? x[count - 1] - low : 0;
    int64_t kept = 0;
    for (int64_t first = 0; first < count;) {
        // The points of one column of pixels.
        double column = width > 0 ? floor((x[first] - low) / width * pixels) : 0;
        int64_t end = first, least = first, most = first;
        while (end < count && (width > 0 ? floor((x[end] - low) / width * pixels) : 0) == column) {
            least = y[end] < y[least] ? end : least;
            most = y[end] > y[most] ? end : most;
            end++;
        }
        int64_t wanted[4] = {first, least < most ? least : most, least < most ? most : least, end - 1};
        for (int k = 0; k < 4; k++)
            if (kept == 0 || index[kept - 1] < wanted[k])
                index[kept++] = wanted[k];
        first = end;
    }
    return kept;
}
