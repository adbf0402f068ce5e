// merge_source -- one of the streams that are merged: a chunk of it, and the row where merging stands.
// SPDX-License-Identifier: MIT
#ifndef MERGE_SOURCE_H
#define MERGE_SOURCE_H

#include "cd_filter.h"
#include "cd_parcel.h"
#include "cd_shards.h"

typedef struct cd_merge_source {
    cd_reader *reader;
    const char *name;  // operand, for messages
    cd_arena arena;    // of the chunk
    cd_chunk chunk;
    bool is_lead;  // the first operand: what all have alike is taken from it
    // The chunk's rows, once they are asked for.
    union {
        cd_rows rows;
        cd_model any;
    } table;
    int32_t row;
    uint64_t key[2];  // of that row, by which rows of a table ascend
    // The frame.
    bool in_frame;
    cd_arena frame;  // of frame lifetime
    cd_parcel kept;  // the lead's tables that go on as they are, until it is their turn
    cd_shard_grid grid;
    int32_t index;   // of the shard; -1: not told yet
    int32_t *place;  // by row of its `body`: row in the merged table
    int32_t room;    // rows that `place` has memory for
    int32_t bodies;  // rows of `body` so far
} cd_merge_source;

// The next chunk that merging looks at. Metrics, nodes and tables of unknown type are passed over; nodes and the last
// of the lead are kept for the writer, or go to it where they stand before the first frame. CD_END at the end of the
// stream.
cd_status cd_merge_next_chunk(cd_ctx *ctx, cd_merge_source *source) CD_MUST_CHECK;

// Decodes the chunk and stands at its first row, which there is.
cd_status cd_merge_load(cd_ctx *ctx, cd_merge_source *source) CD_MUST_CHECK;

// Stands at the next row; in the next chunk of the table where this one is at its end. *is_open false: the table has no
// further row, and source->chunk is what follows. CD_ERR_FORMAT where the rows do not ascend.
cd_status cd_merge_advance(cd_ctx *ctx, cd_merge_source *source, bool *is_open) CD_MUST_CHECK;

// Row of the merged body table of the source's row; -1: it has none yet.
static inline int32_t cd_merge_place(const cd_merge_source *source, int32_t row) { return source->place[row]; }

// "FILE: reason".
cd_status cd_merge_fail(cd_ctx *ctx, const cd_merge_source *source, const char *format, ...) CD_PRINTF(3, 4);

#endif
