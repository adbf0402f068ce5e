// shard_split -- a stream cut into shards, in one pass over chunks: no table of a frame is held.
//
// Each shard is a whole stream of its own: all that the head has, and of each frame the bodies whose boxes, grown by
// the halo, meet the cell, in the order of the stream, and a record `shard`. What stages made of a frame is left out.
// Fixed bodies, those without a shape (of elements), and nodes go to every shard; bodies that take no part to the
// first.
// SPDX-License-Identifier: MIT
#ifndef SHARD_SPLIT_H
#define SHARD_SPLIT_H

#include "shard_options.h"

// Writes DIR/shard-N.cdb (or .jsonl) for each cell, DIR that of -o, which is made where it is not there; of one cell to
// the usual output. Without a box the first operand is read twice, first up to the end of its first frame.
// CD_ERR_FORMAT where the stream states no length, which each shard would measure anew, or its bodies do not come in
// the order of their ids; CD_ERR_UNSUPPORTED for frames with trials, whose poses come behind the bodies.
// Memory: a chunk, and a writer's buffers a shard. Cost: that of cd-broad's boxes, and of writing.
cd_status cd_shard_split_run(cd_ctx *ctx, const cd_shard_options *options) CD_MUST_CHECK;

#endif
