// loop_run -- the run of cd-loop: scene in, frames to the pipeline and back, trajectory out.
// SPDX-License-Identifier: MIT
#ifndef CD_LOOP_RUN_H
#define CD_LOOP_RUN_H

#include "cd_filter.h"

typedef struct cd_loop_options {
    double until;        // [s] NaN: none
    int64_t frames;      // 0: none
    int64_t max_rounds;  // of one frame
    double timeout;      // [s] for the answer to a frame; 0: none
    bool keep_trials;
    bool warm;            // of the default pipeline: cd-lcp starts from the step before
    int64_t every;        // keep each so many-th frame
    const char *keep;     // names of tables, NULL: all
    const char *resume;   // the file of an earlier run to go on with; NULL: none
    const char *scene;    // a stream, or YAML (cd_loop_is_yaml); NULL: standard input
    const char *command;  // the pipeline; NULL: the default one
    const char *model;    // instead of the scene's head.model; NULL: as it is
} cd_loop_options;

cd_status cd_loop_run(cd_ctx *ctx, const cd_loop_options *options) CD_MUST_CHECK;

#endif
