// merge_run -- shards back to the stream that they are parts of, frame by frame and table by table.
// SPDX-License-Identifier: MIT
#ifndef MERGE_RUN_H
#define MERGE_RUN_H

#include "cd_filter.h"

// The operands are the shards of all cells, in any order; what all have alike (head, frame, nodes, tables of unknown
// type) is taken from the first. CD_ERR_FORMAT: a shard that is missing, there twice, cut, of another stream or frame;
// bodies or rows that shards do not agree on; a halo that was too small for the bounds that were found.
// CD_ERR_UNSUPPORTED: tables of stages that work on a whole frame. Memory: a chunk of each shard, 4 bytes a body of
// each, and ids that do not count up. Cost: O(rows log shards).
cd_status cd_merge_run(cd_ctx *ctx) CD_MUST_CHECK;

#endif
