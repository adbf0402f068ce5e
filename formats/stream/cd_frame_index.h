// cd_frame_index -- the block behind the last frame of a binary file that says where each frame begins: STREAM.md,
// section "Index".
//
// A reader of some frames asks for rows by place, a few of 32 bytes, and never reads the others: each row has a
// checksum of its own. What a row says is believed once the header of the block it points at agrees. A file without an
// index, or with one that is damaged or left over from before a change, is read through.
// SPDX-License-Identifier: MIT
#ifndef CD_FRAME_INDEX_H
#define CD_FRAME_INDEX_H

#include "cd_codec.h"
#include "cd_frame_range.h"

typedef struct cd_frame_place {
    int64_t index;     // of the frame record
    int64_t place;     // [bytes] of its block from the start of the stream
    int64_t sequence;  // of that block
} cd_frame_place;

enum { CD_FRAME_INDEX_MOST = 1 << 24 };  // frames: half a gigabyte of index; longer streams have none

// Is a block with this header an index? (JSON-lines of that name become private blocks.)
bool cd_frame_index_is(const cd_block_header *header);
// Appends the block. count: 1..CD_FRAME_INDEX_MOST; places ascend, indices do not fall.
void cd_frame_index_write(const cd_frame_place *place, int32_t count, uint32_t sequence, cd_buffer *out);

typedef struct cd_frame_index {
    int fd;              // borrowed
    int32_t frames;      // >= 1
    int64_t rows_at;     // [bytes] place of row 0
    int64_t start;       // [bytes] place of the block: where the last frame ends
    int64_t end_at;      // [bytes] place of the block `end` behind it
    uint32_t sequence;   // of the index; that of `end` is one more
    int64_t bytes_read;  // [bytes] so far
} cd_frame_index;

// Looks for the index at the end of a regular file that begins with the stream. The file's offset stays. false: there
// is none that can be used.
bool cd_frame_index_find(int fd, const cd_limits *limits, cd_frame_index *index);
// Row 0..frames-1. false: damaged.
bool cd_frame_index_row(cd_frame_index *index, int32_t row, cd_frame_place *place);
// *row: the first one from `from` on whose index is not below `wanted`; `frames` when there is none. false: damaged.
bool cd_frame_index_seek(cd_frame_index *index, int32_t from, int64_t wanted, int32_t *row);
// Of the rows from `row` on the next ones, first..behind-1, that are of the range and stand one after the other, and
// the place of the first; first = behind = frames: there are no more. false: damaged.
bool cd_frame_index_wanted(cd_frame_index *index, const cd_frame_range *range, int32_t row, int32_t *first,
                           int32_t *behind, cd_frame_place *start);
// Does a `frame` block with this sequence number begin at the row's place?
bool cd_frame_index_holds(cd_frame_index *index, const cd_frame_place *place);

#endif
