// merge_table -- one table of a frame, out of those of all sources.
//
// Rows ascend in each source (cd_merge_source.key), so the least of the rows where the sources stand is the next one of
// the merged table: a heap of sources. Where several have it, as of bodies in a halo, they must agree, and one is
// written. Memory: a chunk of each source, and a batch of rows.
// SPDX-License-Identifier: MIT
#ifndef MERGE_TABLE_H
#define MERGE_TABLE_H

#include "merge_source.h"

enum { CD_MERGE_BATCH = 16384 };  // rows that are written together

typedef struct cd_merge_batch {
    int32_t *source, *row;  // [CD_MERGE_BATCH] of the next rows of the merged table
    int32_t count;
} cd_merge_batch;

typedef struct cd_merge {
    cd_ctx *ctx;
    cd_merge_source *source;
    int32_t count;
    int dim;
    cd_refs refs;   // of the merged stream
    int32_t *heap;  // sources with a row of the table; the least first
    int32_t heaped;
    int32_t *alike;  // those that stand at the same row
    cd_merge_batch batch;
    // The frame: rows of `body` and `contact` so far, and the seal of these bodies (cd_shards.h).
    int64_t bodies, contacts, seal;
    // Which shards have the body that bounds are read of, and its box over all parts [m].
    int32_t body;        // row of the merged table; -1: none
    int32_t *source_of;  // by shard; -1: not among the sources
    uint8_t *has_body;   // by shard
    double min[3], max[3];
} cd_merge;

// The table `type` of all sources whose chunk is of it; behind it their chunks are of other tables.
cd_status cd_merge_table(cd_merge *merge, cd_record_type type) CD_MUST_CHECK;

// Each shard that a body's box reaches into had the body? Of the last body whose bounds were read. CD_ERR_FORMAT "the
// halo is too small" where a shard could not see all pairs of its own.
cd_status cd_merge_check_halo(cd_merge *merge) CD_MUST_CHECK;

#endif
