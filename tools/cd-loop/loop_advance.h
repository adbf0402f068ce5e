// loop_advance -- from a frame with its verdict to the frame that is sent next: the rules of STREAM.md "The loop" and
// nothing else.
//
// clock_start (once) -> advance (per returned frame). Pure functions of tables; O(rows).
// SPDX-License-Identifier: MIT
#ifndef CD_LOOP_ADVANCE_H
#define CD_LOOP_ADVANCE_H

#include "cd_records.h"

// What the loop remembers from step to step, so that time = index * step in a run of fixed step.
typedef struct cd_loop_clock {
    int64_t base_index;  // the step of the run changed here ...
    double base_time;    // [s] ... at this time; 0, 0 for a run whose first frame obeys time = index * step
    double whole;        // [s] the whole step that the frame in work is (a part of)
} cd_loop_clock;

// Begins with the scene's frame. CD_ERR_FORMAT when it has no step.
cd_status cd_loop_clock_start(const cd_frame_rows *frame, cd_loop_clock *clock, cd_diag *diag) CD_MUST_CHECK;

// Does the run end with this frame? It does when it starts a whole step and the step would end after `until` (NaN: no
// such bound), or when it is number `frame_limit` of the run (0: no bound), counted from 1.
bool cd_loop_is_last(const cd_frame_rows *frame, double until, int64_t frame_limit, int64_t first_index);

// in: the frame as returned: frame, body, node, next, verdict, without defaults. out: frame, body, node, trial of the
// frame to send (columns borrowed from `in` where they are unchanged). *accepted: the verdict. CD_ERR_FORMAT "verdict:
// ..." or "body 7: no `next`".
cd_status cd_loop_advance(cd_arena *arena, const cd_model *in, cd_loop_clock *clock, cd_model *out, bool *accepted,
                          cd_diag *diag) CD_MUST_CHECK;

#endif
