// plot_page -- a stream as one HTML page that needs nothing else: bodies to turn and to play, contacts, records,
// metrics.
//
// The page holds the shapes as triangles once, and each frame's tables as binary blocks of the stream (STREAM.md) in
// base64: the page reads them itself (page_stream.js), so what it shows are the numbers of the stream. Frames are
// written while they are read: memory holds one of them.
// SPDX-License-Identifier: MIT
#ifndef PLOT_PAGE_H
#define PLOT_PAGE_H

#include "plot_ask.h"
#include "plot_part.h"

// One stream (operand 0). CD_ERR_FORMAT for a stream without frames, CD_ERR_USAGE when no frame of --frames is in it.
cd_status cd_plot_page(cd_ctx *ctx, const cd_plot_ask *ask) CD_MUST_CHECK;

// The tables of a stream that show what is asked: all that the page knows but trials, which are nearly the ends of
// steps, unless --show names all that is shown.
uint64_t cd_plot_page_tables(const cd_plot_ask *ask);

// Appends the JSON list of the shapes' forms, in the order of rows: triangles and edges as base64 of float32 [m], round
// parts as centres and half axes, half-spaces as normal and offset.
void cd_plot_page_shapes(const cd_plot_shapes *shapes, int32_t shape_count, cd_buffer *out);

void cd_plot_base64(const void *bytes, size_t size, cd_buffer *out);  // appends

#endif
