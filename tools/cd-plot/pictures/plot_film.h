// plot_film -- pictures one after another as a moving one, made by ffmpeg.
//
// start -> add ... -> end. What fails leaves no file.
// SPDX-License-Identifier: MIT
#ifndef PLOT_FILM_H
#define PLOT_FILM_H

#include "cd_output.h"
#include "plot_ask.h"

#include <sys/types.h>

typedef struct cd_plot_film {
    cd_output output;
    pid_t child;
    int to;  // its standard input
} cd_plot_film;

// ask->film says which kind, ask->options->rate [1/s] how fast. CD_ERR_UNSUPPORTED where there is no ffmpeg.
cd_status cd_plot_film_start(cd_ctx *ctx, const cd_plot_ask *ask, cd_plot_film *film) CD_MUST_CHECK;
cd_status cd_plot_film_add(cd_ctx *ctx, cd_plot_film *film, const cd_buffer *png) CD_MUST_CHECK;
// Waits for ffmpeg and puts the file in its place; with another status than CD_OK nothing is left of it.
cd_status cd_plot_film_end(cd_ctx *ctx, cd_plot_film *film, cd_status status) CD_MUST_CHECK;

#endif
