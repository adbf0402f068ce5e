// cd_reader -- a stream as a sequence of chunks, whatever its encoding: one binary block, or a run of JSON lines of one
// type.
//
// open -> next ... -> close. `next` checks CRC, sequence number, the grammar of the stream (head first, frame ... fend,
// end last, nothing behind it), announced counts, and limits; it returns CD_END after `end`, CD_ERR_TRUNCATED when
// input stops before it. A chunk's bytes are valid until the following call. Decode is separate and optional:
// cd_reader_decode. Memory: one buffer of the size of the largest chunk (about 1 MiB for streams of this project).
// SPDX-License-Identifier: MIT
#ifndef CD_READER_H
#define CD_READER_H

#include "cd_codec.h"
#include "cd_frame_range.h"

typedef struct cd_reader cd_reader;

typedef struct cd_chunk {
    cd_record_type type;  // CD_REC_UNKNOWN: a type of someone else, see `name`
    char name[17];
    cd_encoding encoding;
    int32_t row_count;
    // binary
    cd_block_header header;
    const void *stored;  // header.stored_size bytes
    // JSON: line i is text[i], length[i] (without newline); lines[0..lines_size) are all of them as they stood,
    // newlines included
    const char *const *text;
    const size_t *length;
    const char *lines;
    size_t lines_size;
    int64_t line;  // number of the first line, from 1; binary: block sequence number
} cd_chunk;

// path NULL or "-": standard input. @owns caller: close it. Gzip and encoding are detected from the first bytes.
cd_status cd_reader_open(const char *path, const cd_limits *limits, cd_reader **reader, cd_diag *diag) CD_MUST_CHECK;
// The same over an open descriptor; it is closed with the reader. `name` appears in messages: of a path the whole of
// it.
cd_status cd_reader_open_fd(int fd, const char *name, const cd_limits *limits, cd_reader **reader,
                            cd_diag *diag) CD_MUST_CHECK;
void cd_reader_close(cd_reader *reader);  // NULL is legal
// Only these frames are of interest: call it right after open. Where the input is a binary file with an index, the
// others are not read (nor are the counts of `end` then checked); frames without interest may come all the same. The
// range is copied.
void cd_reader_choose(cd_reader *reader, const cd_frame_range *range);
// Of the chunk read last: its place in the stream [bytes], -1 where that was gzip, and the records before it.
int64_t cd_reader_place(const cd_reader *reader);
int64_t cd_reader_records_before(const cd_reader *reader);
// fend.again of the frame read last; 0: it says nothing, and nothing is to be counted.
int32_t cd_reader_again(const cd_reader *reader);
int64_t cd_reader_bytes(const cd_reader *reader);  // [bytes] read from the source so far, for --stats
cd_status cd_reader_next(cd_reader *reader, cd_chunk *chunk, cd_diag *diag) CD_MUST_CHECK;
cd_encoding cd_reader_encoding(const cd_reader *reader);  // of the stream (known after open)
// Space dimension (0 before head is decoded) and the ids known so far. The reader itself decodes head; a caller that
// decodes a table with ids through cd_reader_decode makes them known, otherwise its rows are only counted.
int cd_reader_dim(const cd_reader *reader);
cd_refs *cd_reader_refs(cd_reader *reader);
// Ids of this table of blocks are counted and no more, from the next decoded chunk on: rows of blocks refer to rows by
// number. For a caller that looks after ids itself. Of JSON-lines they are kept all the same.
void cd_reader_count_ids(cd_reader *reader, cd_record_type type);
// Rows of a chunk of known type; columns live in `arena` (payload bytes are copied there). Adds ids to the reader's
// refs: call it once a chunk. Chunks with unknown type: CD_ASSERT.
cd_status cd_reader_decode(cd_reader *reader, const cd_chunk *chunk, cd_arena *arena, cd_rows *rows,
                           cd_diag *diag) CD_MUST_CHECK;
// The same, but numbers may be borrowed from the chunk's bytes: they are valid until the next chunk is read. Texts are
// in the arena.
cd_status cd_reader_decode_here(cd_reader *reader, const cd_chunk *chunk, cd_arena *arena, cd_rows *rows,
                                cd_diag *diag) CD_MUST_CHECK;
// The same of a block of the open frame that came before, was not decoded, and whose bytes the caller has. Its rows
// were counted then: cd_refs_forget its type before the first block of it.
cd_status cd_reader_decode_late(cd_reader *reader, const cd_chunk *chunk, cd_arena *arena, cd_rows *rows,
                                cd_diag *diag) CD_MUST_CHECK;
// Of a chunk of JSON lines that is passed on without being decoded: is each line one JSON object (cd_json_scan), each
// member there once? CD_OK for blocks, whose CRC was compared.
cd_status cd_reader_check_lines(const cd_reader *reader, const cd_chunk *chunk, cd_arena *scratch,
                                cd_diag *diag) CD_MUST_CHECK;
// "stdin:17" or "file.cdb: block 3" of the chunk read last, for messages about its content.
const char *cd_reader_where(const cd_reader *reader);

#endif
