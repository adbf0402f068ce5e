// scene_stream -- writes what a scene became: head tables, and the frames of its bodies or of its feed.
// SPDX-License-Identifier: MIT
#ifndef SCENE_STREAM_H
#define SCENE_STREAM_H

#include "cd_filter.h"
#include "cd_scene.h"

// Writes the whole stream to ctx->writer, which is open. Of a feed, memory holds one block of rows.
cd_status cd_scene_write_stream(cd_ctx *ctx, cd_model *model, const cd_scene_feed *feed) CD_MUST_CHECK;

#endif
