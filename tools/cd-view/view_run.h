// view_run -- the ways in which cd-view goes through a stream.
// SPDX-License-Identifier: MIT
#ifndef CD_VIEW_RUN_H
#define CD_VIEW_RUN_H

#include "cd_filter.h"

typedef struct cd_view_options {
    const char *types, *frames, *bodies;  // NULL: not given
    const char *why, *frame;              // of --why: the first body; the frame
    bool check, digest, table, salvage, join, fields;
} cd_view_options;

// Chooses the way: without any option the stored bytes are passed through (cd_filter_loop).
cd_status cd_view_run(cd_ctx *ctx, const cd_view_options *options) CD_MUST_CHECK;

// Prints the table of fields: record types, members, types, defaults, meaning; with -v as the mdoc source that
// cd-stream(5) holds.
cd_status cd_view_run_fields(cd_ctx *ctx) CD_MUST_CHECK;
// Warns where --frames was given and none of these frames was there.
void cd_view_warn_of_frames(cd_ctx *ctx, const cd_view_options *options, int64_t frames);
// The ways, each in a file of its own.
cd_status cd_view_run_select(cd_ctx *ctx, const cd_view_options *options) CD_MUST_CHECK;  // a stream with less in it
cd_status cd_view_run_table(cd_ctx *ctx, const cd_view_options *options) CD_MUST_CHECK;   // text tables
cd_status cd_view_run_check(cd_ctx *ctx) CD_MUST_CHECK;                                   // conventions; CD_ERR_CHECK
// One stream of the pieces of a run, which are the operands: each has the head of the first, and begins with the frame
// behind the last one of the piece before (index + 1) or with that frame again, which must then hold all tables that it
// has there and is written as the later piece has it. CD_ERR_FORMAT otherwise. Memory: one chunk of two pieces, the
// heads, and the frames that two pieces have.
cd_status cd_view_run_join(cd_ctx *ctx) CD_MUST_CHECK;
cd_status cd_view_run_salvage(cd_ctx *ctx) CD_MUST_CHECK;  // what a damaged stream still holds

#endif
