// loop_origin -- what a run goes on from: the head tables that it sends, and a frame with the clock that goes with it.
// A scene gives one, or the trajectory of an earlier run (loop_resume.h).
// SPDX-License-Identifier: MIT
#ifndef LOOP_ORIGIN_H
#define LOOP_ORIGIN_H

#include "cd_filter.h"
#include "cd_next_frame.h"
#include "cd_parcel.h"
#include "loop_run.h"

enum { CD_LOOP_FOREIGN_MOST = 64 };  // kinds of unknown tables of a frame that are carried on

// Tables of a frame that cd-loop makes, in the order in which it writes them; the first is `frame`.
enum { CD_LOOP_SENT = 6 };
extern const cd_record_type cd_loop_sent[CD_LOOP_SENT];

// A frame on its way to the pipeline or to the end of the trajectory.
typedef struct cd_loop_frame {
    cd_model tables;    // frame, body, node, trial, impulse, spring
    cd_parcel foreign;  // tables of unknown type
} cd_loop_frame;

// Memory: the run's arena, but for reader and head_text.
typedef struct cd_loop_origin {
    cd_reader *reader;    // its ids are also those of the frames that are sent (used by one thread at a time)
    cd_parcel head;       // with cd-loop's own prog last among the progs
    cd_buffer head_text;  // the head tables but prog, as lines: they must come back the same
    cd_model schedules;   // of the head: its row, load and drive
    cd_parcel first;      // the frame as it came, to be sent so; empty: `frame` is sent
    cd_loop_frame frame;
    cd_run_clock clock;
    int64_t first_index;  // of the run
    char foreign_name[CD_LOOP_FOREIGN_MOST][17];
    int32_t foreign_count;
} cd_loop_origin;  // all zero is empty

// Reads the scene of the options. @owns caller: cd_loop_origin_release
cd_status cd_loop_origin_of_scene(cd_ctx *ctx, const cd_loop_options *options, cd_loop_origin *origin) CD_MUST_CHECK;
void cd_loop_origin_release(cd_loop_origin *origin);

// Writes the head tables, or a frame that cd-loop made itself.
cd_status cd_loop_write_head(const cd_loop_origin *origin, cd_writer *writer, cd_diag *diag) CD_MUST_CHECK;
cd_status cd_loop_write_frame(const cd_loop_origin *origin, const cd_loop_frame *frame, cd_writer *writer,
                              cd_diag *diag) CD_MUST_CHECK;

// ---- for those that read one ---------------------------------------------------------------------------------------

// Takes a chunk of the head that is not `prog`.
cd_status cd_loop_origin_add_head(cd_arena *arena, cd_loop_origin *origin, const cd_chunk *chunk, cd_rows *rows,
                                  const char *model) CD_MUST_CHECK;
// The provenance rows, as an item right behind the record `head`.
void cd_loop_origin_add_prog(cd_arena *arena, cd_loop_origin *origin, const cd_prog_rows *prog);
cd_status cd_loop_note_foreign(cd_loop_origin *origin, const cd_chunk *chunk, cd_diag *diag) CD_MUST_CHECK;
cd_status cd_loop_decode(cd_reader *reader, const cd_chunk *chunk, cd_arena *arena, cd_rows **rows,
                         cd_diag *diag) CD_MUST_CHECK;
void cd_loop_append(cd_arena *arena, cd_model *model, const cd_chunk *chunk, const cd_rows *rows);
// Tables beside `frame` that a run goes on from.
bool cd_loop_is_state(cd_record_type type);
// Head tables that must come back as they were sent; rows as canonical lines: how they were cut into chunks, and their
// encoding, make no difference.
bool cd_loop_is_compared(const cd_chunk *chunk);
void cd_loop_append_lines(cd_reader *reader, const cd_chunk *chunk, const cd_rows *rows, cd_buffer *text);

#endif
