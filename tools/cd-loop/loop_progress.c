// SPDX-License-Identifier: MIT
#include "loop_progress.h"

#include "cd_clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

cd_loop_progress cd_loop_progress_start(int64_t first_index, int64_t start_index)
{
    return (cd_loop_progress){
        .first_index = first_index, .start_index = start_index, .start = cd_clock(CLOCK_MONOTONIC)};
}

// Steps that --until and --frames leave from this state on, the fewer of both; >= 0.
static int64_t steps_left(const cd_loop_options *options, int64_t first_index, const cd_loop_state *state)
{
    double left = INFINITY;
    if (options->frames > 0)
        left = (double)(first_index + options->frames - 1 - state->index);
    if (!isnan(options->until) && state->whole > 0)
        left = fmin(left, floor((options->until - state->time) / state->whole + 1e-6));
    return left < 0 ? 0 : left < 1e18 ? (int64_t)left : INT64_MAX;
}

static void print_duration(char *text, size_t size, double seconds)
{
    const double minutes = floor(seconds / 60), hours = floor(minutes / 60);
    if (minutes < 1)
        snprintf(text, size, "%.0f s", seconds);
    else if (hours < 1)
        snprintf(text, size, "%.0f min %.0f s", minutes, floor(seconds - 60 * minutes));
    else
        snprintf(text, size, "%.0f h %.0f min", hours, minutes - 60 * hours);
}

void cd_loop_progress_show(const cd_ctx *ctx, const cd_loop_options *options, const cd_loop_progress *progress,
                           const cd_loop_state *state)
{
    if (!ctx->progress)
        return;
    const double left = (double)steps_left(options, progress->first_index, state);
    const double done = (double)(state->index - progress->first_index);
    const double rate = (double)(state->index - progress->start_index) / (cd_clock(CLOCK_MONOTONIC) - progress->start);
    char duration[40] = "?";
    if (rate > 0)
        print_duration(duration, sizeof duration, left / rate);
    cd_progress(
        ctx, "frame %" PRId64 "  time %g s  %.0f%%  %.*f steps/s  %s left  %d bodies  %d contacts  %" PRId64 " round%s",
        state->index, state->time, done + left > 0 ? floor(100 * done / (done + left)) : 100,
        rate < 10    ? 2
        : rate < 100 ? 1
                     : 0,
        rate, duration, state->bodies, state->contacts, state->rounds, state->rounds == 1 ? "" : "s");
}
