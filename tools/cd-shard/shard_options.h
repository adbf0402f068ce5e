// shard_options -- what the user of cd-shard asked for.
// SPDX-License-Identifier: MIT
#ifndef SHARD_OPTIONS_H
#define SHARD_OPTIONS_H

#include "cd_filter.h"
#include "cd_shards.h"

typedef struct cd_shard_options {
    const char *grid;  // "NxM" or "NxMxK"
    const char *box;   // "X,Y[,Z]:X,Y[,Z]" [m], NULL: that of the first frame's bodies
    double halo;       // [m]
    int64_t only;      // -1: all cells
    bool own;          // drop pairs of other cells
} cd_shard_options;

// The grid of the options, whose box is {0, 0} where none is given. CD_ERR_USAGE "--grid: ..." where the words are
// none, or not of this dimension.
cd_status cd_shard_parse_grid(const cd_shard_options *options, int dim, cd_shard_grid *grid,
                              cd_diag *diag) CD_MUST_CHECK;

#endif
