// shard_box -- the box that a grid divides where none is given: of the bodies of a file's first frame.
// SPDX-License-Identifier: MIT
#ifndef SHARD_BOX_H
#define SHARD_BOX_H

#include "cd_filter.h"
#include "cd_shards.h"

// Sets min and max of the grid: the box of the positions of the dynamic bodies, of all where there is none, 0 without
// any. Reads the first operand by a reader of its own, up to the end of the first frame. CD_ERR_USAGE where that is no
// regular file.
cd_status cd_shard_box_of_file(cd_ctx *ctx, cd_shard_grid *grid) CD_MUST_CHECK;

#endif
