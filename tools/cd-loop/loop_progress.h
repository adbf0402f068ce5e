// loop_progress -- the line that cd-loop shows while it runs: how far, how fast, how long still.
// SPDX-License-Identifier: MIT
#ifndef LOOP_PROGRESS_H
#define LOOP_PROGRESS_H

#include "loop_run.h"

typedef struct cd_loop_progress {
    int64_t first_index;  // of the run, from where its steps are counted
    int64_t start_index;  // of the frame that this process began with: later than first_index with --resume
    double start;         // [s] monotonic clock
} cd_loop_progress;

// What has just been done.
typedef struct cd_loop_state {
    int64_t index;   // of the frame in work
    double time;     // [s]
    double whole;    // [s] its whole step
    int32_t bodies;  // and the contacts of the frame that came back
    int32_t contacts;
    int64_t rounds;  // times that its step was sent so far, >= 1
} cd_loop_state;

cd_loop_progress cd_loop_progress_start(int64_t first_index, int64_t start_index);

// Shows the line, when ctx->progress. Percent: steps done of all of the run, whole steps alone; steps a second, and the
// time left by them: since this process began.
void cd_loop_progress_show(const cd_ctx *ctx, const cd_loop_options *options, const cd_loop_progress *progress,
                           const cd_loop_state *state);

#endif
