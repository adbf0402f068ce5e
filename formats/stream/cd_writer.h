// cd_writer -- writes a stream: passed chunks, rows, frame ends, the end. It alone owns counts, sequence numbers,
// encoding, codec and the index of frames, which binary files have.
//
// open -> (pass | rows)... -> frame_end (flushes) ... -> end -> close. Not calling cd_writer_end leaves a stream that
// every reader refuses: that is how a failed filter says so. With a path, the file is there, whole, only when
// cd_writer_end succeeded (cd_output.h).
// SPDX-License-Identifier: MIT
#ifndef CD_WRITER_H
#define CD_WRITER_H

#include "cd_codec.h"
#include "cd_frame_index.h"
#include "cd_reader.h"

// [bytes] Aimed at for a block: fits a second-level cache, bounds every reader's memory.
enum { CD_WRITER_BLOCK_BYTES = 1 << 20 };
// [bytes] Of lists and texts no block has more, a single row aside: readers take 1 GiB, offsets of texts end at 2.
enum { CD_WRITER_BLOCK_MOST = 64 << 20 };

typedef struct cd_writer cd_writer;

typedef struct cd_writer_options {
    cd_encoding encoding;
    int level;         // -1: by target (raw to a pipe, 1 to a regular file or path), 0 raw, 1..9
    bool counts;       // JSON: write counts in fend and end
    const char *path;  // NULL: standard output
    bool is_part;      // of a long run: PATH.part until its end (cd_output.h)
    cd_limits limits;
} cd_writer_options;

// How far a stream has been written: behind the `fend` of a frame, or behind the head.
typedef struct cd_writer_place {
    int64_t bytes;
    uint32_t sequence;  // of the next block
    int64_t frames, records;
    const cd_frame_place *frame;  // `frames` of them, in binary; NULL: the file gets no index
} cd_writer_place;

// CD_ERR_USAGE when binary would go to a terminal.
cd_status cd_writer_open(const cd_writer_options *options, cd_writer **writer, cd_diag *diag) CD_MUST_CHECK;
// The same to an open descriptor, which the writer does not close; options->path is not looked at.
cd_status cd_writer_open_fd(int fd, const cd_writer_options *options, cd_writer **writer, cd_diag *diag) CD_MUST_CHECK;
// To a file of an earlier run, which is cut there: cd_output_continue. options: its encoding; path: the file.
cd_status cd_writer_continue(const cd_writer_options *options, const cd_writer_place *place, cd_writer **writer,
                             cd_diag *diag) CD_MUST_CHECK;
cd_encoding cd_writer_encoding(const cd_writer *writer);
// Passes the chunk that `reader` gave last: stored bytes when encodings agree, else transcoded; then `decoded`, the
// rows that cd_reader_decode gave for it, saves a second decoding (NULL: it is decoded here). fend and end chunks are
// not passed: call cd_writer_frame_end and cd_writer_end. A block without `decoded` that goes to binary may be any.
cd_status cd_writer_pass(cd_writer *writer, cd_reader *reader, const cd_chunk *chunk, const cd_rows *decoded,
                         cd_diag *diag) CD_MUST_CHECK;
// Writes all rows of a table, in blocks of about 1 MiB in the mean. JSON resolves references through `refs`: the ids of
// every table that the rows refer to must be in it. CD_ERR_NUMERIC when a number is NaN, or infinite where that is not
// legal.
cd_status cd_writer_rows(cd_writer *writer, cd_record_type type, int dim, const cd_refs *refs, const cd_rows *rows,
                         cd_diag *diag) CD_MUST_CHECK;
// From now on `seen` is told of each block that cd_writer_rows has written, as it is stored (NULL: nobody is). It is
// borrowed until `seen` returns. Of JSON-lines nothing is told.
typedef void cd_block_seen(void *context, const cd_block_header *header, const void *stored);
void cd_writer_watch(cd_writer *writer, cd_block_seen *seen, void *context);
// Rows of such a block, of a table that has these columns and, in its lists, as many items a row.
int32_t cd_writer_block_rows(cd_record_type type, int dim, const cd_rows *rows);
// All tables of the head, or all of a frame, in the order of records.def. Their ids join `refs` as they are written.
cd_status cd_writer_tables(cd_writer *writer, cd_model *model, bool of_head, cd_refs *refs,
                           cd_diag *diag) CD_MUST_CHECK;
// From now on rows of these tables of frames (CD_BIT) are passed over: who reads the stream has no use for them.
void cd_writer_leave_out(cd_writer *writer, uint64_t tables);
cd_status cd_writer_frame_end(cd_writer *writer, cd_diag *diag) CD_MUST_CHECK;  // fend, and flush
// fend.again of the frame that is open; 0, where nobody calls it: absent.
void cd_writer_note_again(cd_writer *writer, int32_t stages);
cd_status cd_writer_end(cd_writer *writer, cd_diag *diag) CD_MUST_CHECK;       // end, flush, rename
cd_status cd_writer_end_part(cd_writer *writer, cd_diag *diag) CD_MUST_CHECK;  // the same, but a part stays one
bool cd_writer_keeps_part(const cd_writer *writer);  // PATH.part is there, and stays when this writer is closed
void cd_writer_close(cd_writer *writer);             // NULL is legal
int64_t cd_writer_rows_written(const cd_writer *writer, cd_record_type type);  // over the run, for --stats

#endif
