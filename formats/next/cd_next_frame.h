// cd_next_frame -- from a frame with its verdict to the frame that comes next: the rules of STREAM.md "The loop" and
// nothing else. cd-loop sends that frame, cd-step --advance writes it.
//
// clock_start (once a run) -> cd_next_frame (per frame). Pure functions of tables; O(rows).
// SPDX-License-Identifier: MIT
#ifndef CD_NEXT_FRAME_H
#define CD_NEXT_FRAME_H

#include "cd_reader.h"

// What the loop remembers from step to step, so that time = index * step in a run of fixed step.
typedef struct cd_run_clock {
    int64_t base_index;  // the step of the run changed here ...
    double base_time;    // [s] ... at this time; 0, 0 for a run whose first frame obeys time = index * step
    double whole;        // [s] the whole step that the frame in work is (a part of)
} cd_run_clock;

// Begins with the scene's frame. CD_ERR_FORMAT when it has no step.
cd_status cd_run_clock_start(const cd_frame_rows *frame, cd_run_clock *clock, cd_diag *diag) CD_MUST_CHECK;

// Does the run end with this frame? It does when it starts a whole step and the step would end after `until` (NaN: no
// such bound), or when it is number `frame_limit` of the run (0: no bound), counted from 1.
bool cd_is_last_frame(const cd_frame_rows *frame, double until, int64_t frame_limit, int64_t first_index);

// Does a table of unknown type go over into the frame that follows an accepted step? A binary block that says it
// depends on the rest of its frame does not.
bool cd_chunk_outlives_frame(const cd_chunk *chunk);

// in: the frame as computed: frame, body, node, contact, force, next, next_node, verdict; and of the head load and
// drive, which cd_schedule.h puts into the bodies for the step that the frame has. out: frame, body, node, trial,
// impulse of the frame that follows (columns borrowed from `in` where they are unchanged). *accepted: the verdict.
// CD_ERR_FORMAT "verdict: ...", "next: body 7
// ..." or as cd_schedule_apply; CD_ERR_LIMIT where index, substep or round cannot be counted further. @owns arena
cd_status cd_next_frame(cd_arena *arena, const cd_model *in, cd_run_clock *clock, cd_model *out, bool *accepted,
                        cd_diag *diag) CD_MUST_CHECK;

#endif
