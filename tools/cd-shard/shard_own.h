// shard_own -- of the pairs of a shard those that are its own: one frame of cd-shard --own.
// SPDX-License-Identifier: MIT
#ifndef SHARD_OWN_H
#define SHARD_OWN_H

#include "cd_filter.h"

// in: shard, body, bounds, pair. Writes to *pair the rows whose bodies' reference point lies in the shard's cell
// (cd_shards.h). CD_ERR_FORMAT where the frame has no record `shard`, or a body of a pair has no bounds.
// O(bounds + pairs); @owns arena
cd_status cd_shard_own_frame(cd_arena *arena, const cd_model *in, cd_pair_rows *pair, cd_diag *diag) CD_MUST_CHECK;

#endif
