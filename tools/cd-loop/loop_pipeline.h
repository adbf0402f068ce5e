// loop_pipeline -- a shell pipeline as children: one descriptor into it, one out of it, a thread that feeds it, a
// watchdog, an end.
//
// start -> (post ... settle) ... -> stop. Each stage is run by a shell of its own (loop_split.h). Feeding happens in a
// thread, so that a frame larger than all pipe buffers cannot block the reader of the answer. The stages are a process
// group of their own; it is ended when this process is told to end, when it does not answer in time, and in stop.
// The first SIGINT, SIGTERM or SIGHUP after the start is kept for the caller (cd_loop_signal_to_end), the second ends
// the stages and this process.
// SIGPIPE is blocked in the feeding thread alone: a dead pipeline is a status there, and a closed standard output still
// kills silently.
// SPDX-License-Identifier: MIT
#ifndef CD_LOOP_PIPELINE_H
#define CD_LOOP_PIPELINE_H

#include "cd_status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct cd_loop_pipeline cd_loop_pipeline;
typedef cd_status (*cd_loop_work)(void *argument, cd_diag *diag);

// Runs the command, /bin/sh -c for each stage. tables: names of those of a frame that are read of its output
// (filter_sink.h); NULL: all are. *to and *from are the descriptors of its standard input and output; `to`
// stays the pipeline's, `from` is the caller's to close. @owns caller: stop it. One a process.
cd_status cd_loop_pipeline_start(const char *command, const char *tables, cd_loop_pipeline **pipeline, int *to,
                                 int *from, cd_diag *diag) CD_MUST_CHECK;
int32_t cd_loop_pipeline_stages(const cd_loop_pipeline *pipeline);
// Lets the feeding thread run work(argument), which writes to `to`. When it fails, `to` is closed, so that the
// pipeline's output ends too. The answer must come within `seconds` (0: no limit) or the pipeline is killed; settle
// ends the watch.
void cd_loop_pipeline_post(cd_loop_pipeline *pipeline, cd_loop_work work, void *argument, double seconds);
// Call it when the answer is complete. Waits until the posted work is done (then all of it has been read, so at once)
// and returns its status; CD_ERR_FORMAT when the pipeline answered without reading its input.
cd_status cd_loop_pipeline_settle(cd_loop_pipeline *pipeline, cd_diag *diag) CD_MUST_CHECK;
// No input will follow: closes `to`.
void cd_loop_pipeline_close_input(cd_loop_pipeline *pipeline);

// The number of the signal that asked for an end; 0: none did.
int cd_loop_signal_to_end(void);

typedef struct cd_loop_outcome {
    bool timed_out;     // the watchdog killed it
    bool failed;        // a stage ended with another status than 0
    int exit_status;    // of the stage that tells most about a failure; -1: killed by a signal
    int signal;         // that killed it, or 0
    char stage[96];     // its text, cut
    cd_status feeding;  // of the work posted last
    cd_diag feeding_diag;
} cd_loop_outcome;
// Waits for the stages to end; with `now` (close `from` first), and after ten seconds in any case, those that still run
// are ended: SIGTERM, two seconds later SIGKILL. Closes `to`. Frees everything. NULL is legal.
cd_loop_outcome cd_loop_pipeline_stop(cd_loop_pipeline *pipeline, bool now);

#endif
