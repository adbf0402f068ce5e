// reader_state -- what a reader knows between chunks, for the files that cd_reader is made of.
//
// cd_reader.c finds the next chunk, in lines or blocks, and decodes it; reader_grammar.c says whether it may stand
// there and holds the counts against what the stream says of itself.
// SPDX-License-Identifier: MIT
#ifndef READER_STATE_H
#define READER_STATE_H

#include "cd_frame_index.h"
#include "cd_input.h"
#include "cd_reader.h"

enum { TYPE_MAX = 16 };  // [bytes] of the name of a table

typedef enum place { BEFORE_HEAD, IN_PROG, IN_HEAD, IN_FRAME, BETWEEN_FRAMES, AFTER_END } place;

typedef struct foreign_count {
    char name[TYPE_MAX + 1];
    int64_t rows;
} foreign_count;

// Which parts of a file are read, by its index.
typedef struct frame_choice {
    bool is_on;
    cd_frame_range range;
    cd_frame_index index;
    int32_t next_row;  // frames before it are behind
    bool has_skipped;  // the counts of `end` cannot be checked
    bool is_expected;  // a frame of this index must come next
    int64_t expected;
} frame_choice;

struct cd_reader {
    cd_input input;
    frame_choice choice;
    cd_encoding encoding;
    cd_limits limits;
    cd_refs refs;
    uint64_t counted;  // types whose ids are not kept
    cd_arena scratch;  // one call
    int dim;
    place place;
    size_t pending;  // bytes of the last chunk, to be consumed by the next call
    cd_chunk last;
    bool last_was_decoded;
    char *name;   // as the user gave it
    char *where;  // name and place; room for both
    size_t where_size;
    // counts
    int64_t frame_rows[CD_REC_COUNT];
    foreign_count *foreign;  // of the open frame
    int32_t foreign_count, foreign_capacity;
    int64_t frames, records, line;
    int32_t again;  // of the last frame
    uint32_t sequence;
    // JSON lines of the chunk: offsets from its start, then pointers
    size_t *line_offset, *line_length;
    const char **line_text;
    size_t line_capacity;
};

// Counts the chunk that has just been found, which becomes reader->last. Looks into head, frame, fend and end.
// CD_ERR_FORMAT where it must not stand there or a count is not what was announced; CD_ERR_UNSUPPORTED, CD_ERR_LIMIT.
cd_status cd_reader_accept(cd_reader *reader, cd_chunk *chunk, cd_diag *diag) CD_MUST_CHECK;

// The rows of a chunk of known type; no ids are noted. borrow: columns may lie in the reader's window. @owns arena
cd_status cd_reader_rows(cd_reader *reader, const cd_chunk *chunk, bool borrow, cd_arena *arena, cd_rows *rows,
                         cd_diag *diag) CD_MUST_CHECK;

#endif
