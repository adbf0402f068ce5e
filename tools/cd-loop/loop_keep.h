// loop_keep -- which frames and tables of a run stand in its trajectory: --every, --keep.
//
// Frames, bodies, nodes and springs are always kept, and so are the frames at which the grid of times starts anew: from
// them alone a run can be gone on with (loop_resume.h).
// SPDX-License-Identifier: MIT
#ifndef LOOP_KEEP_H
#define LOOP_KEEP_H

#include "cd_next_frame.h"

typedef struct cd_loop_keep {
    int64_t every;        // >= 1
    int64_t first_index;  // of the run
    uint64_t tables;      // set of record types
    bool all_tables;      // those of unknown type too
} cd_loop_keep;

// list: names of tables with commas between; NULL: all. CD_ERR_USAGE
cd_status cd_loop_keep_parse(const char *list, int64_t every, cd_loop_keep *keep, cd_diag *diag) CD_MUST_CHECK;
// clock: as the frame was made.
bool cd_loop_keeps_frame(const cd_loop_keep *keep, const cd_frame_rows *frame, const cd_run_clock *clock);
// What the loop itself reads of an answer.
#define CD_LOOP_READS                                                                                                \
    (CD_BIT(frame) | CD_BIT(body) | CD_BIT(node) | CD_BIT(spring) | CD_BIT(contact) | CD_BIT(force) | CD_BIT(next) | \
     CD_BIT(next_node) | CD_BIT(verdict))
// The names of all tables that are kept or read, commas between; NULL: all are kept. @owns arena
const char *cd_loop_tables_of_answer(const cd_loop_keep *keep, cd_arena *arena);
bool cd_loop_keeps_table(const cd_loop_keep *keep, cd_record_type type);

#endif
