// plot_frame -- the frames of streams that a picture needs, with all their tables, and the walk over a stream that
// gathers them.
//
// gather -> use -> release. Frames that are not chosen are not kept: memory holds the chosen frames and the one being
// read.
// SPDX-License-Identifier: MIT
#ifndef PLOT_FRAME_H
#define PLOT_FRAME_H

#include "cd_bodies.h"
#include "cd_pinballs.h"
#include "plot_ask.h"
#include "plot_part.h"

typedef struct cd_plot_frame {
    cd_arena arena;
    cd_model in;  // head tables shared by all frames of the stream; body with defaults
    const cd_plot_shapes *shapes;
    const cd_pinballs *pinballs;
    cd_placed_elements placed;  // none where the reading has no nodes
    int stream;                 // number of the operand
    const double *tint;         // of each body row, see plot_tint.h; NULL: the colour tells motion
} cd_plot_frame;

typedef struct cd_plot_frames {
    cd_plot_frame *frame[CD_PLOT_PANELS];
    int count;
    int stream_frames[CD_PLOT_STREAMS];  // how many of them each stream gave
} cd_plot_frames;

// The tables that a picture of a frame is made of.
#define CD_PLOT_SCENE_TABLES                                                                                        \
    (CD_BIT(body) | CD_BIT(node) | CD_BIT(trial) | CD_BIT(bounds) | CD_BIT(pair) | CD_BIT(contact) | CD_BIT(next) | \
     CD_BIT(force))

// Calls `each` for every frame of a stream, with the tables of `tables`, those they refer to, and `frame`; `wants` (may
// be NULL) is asked first, with the frame record alone, whether the frame is to be decoded. `each` may take the frame's
// itself: it then sets *taken, and frees it.
typedef struct cd_plot_reading {
    uint64_t tables;
    cd_plot_ask *scene;  // bodies are to be drawn: shapes are read, the stream's dimension fixes the camera; or NULL
    bool (*wants)(void *self, const cd_frame_rows *frame);
    cd_status (*each)(void *self, cd_ctx *ctx, cd_plot_frame *frame, bool *taken);
    void *self;
} cd_plot_reading;
void cd_plot_frame_free(cd_plot_frame *frame);
cd_status cd_plot_read(cd_ctx *ctx, int stream, const cd_plot_reading *reading) CD_MUST_CHECK;

// What to say when no frame of a stream was read: they were not chosen well, or there are none.
cd_status cd_plot_no_frames(cd_ctx *ctx, const cd_plot_ask *ask, int stream) CD_MUST_CHECK;

cd_status cd_plot_frames_gather(cd_ctx *ctx, cd_plot_ask *ask, cd_plot_frames *frames) CD_MUST_CHECK;
void cd_plot_frames_release(cd_plot_frames *frames);

#endif
