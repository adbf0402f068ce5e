// islands_split -- the problem of each frame in parts of whole islands, a stream each.
// SPDX-License-Identifier: MIT
#ifndef ISLANDS_SPLIT_H
#define ISLANDS_SPLIT_H

#include "cd_filter.h"

typedef struct cd_islands_options {
    int64_t parts;  // >= 1
    bool join;      // of --join: the streams that are read are parts
} cd_islands_options;

// Writes DIR/part-N.cdb (or .jsonl), DIR that of -o, which is made where it is not there: the head, and of each frame
// the bodies of the part's islands, those that no impulse moves, and of their contacts, constraints, rows and entries
// what refers to no other body, with their ids. Memory: a frame. O(frame + parts)
cd_status cd_islands_split(cd_ctx *ctx, const cd_islands_options *options) CD_MUST_CHECK;

#endif
