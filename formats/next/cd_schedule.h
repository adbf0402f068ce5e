// cd_schedule -- what the head tables `load` and `drive` say over time, put into the body table of a frame.
//
// A frame stays complete: stages read body.force, body.torque, body.velocity and body.spin, and none but those that
// make frames (cd-scene the first, cd_next_frame all others, repeated ones with a shorter step too) looks at these
// tables.
//   load   body.force and body.torque := the mean of the piecewise linear function over [time, time + step]
//   drive  body.velocity and body.spin := those that bring the body, in this step, from where it is to where the table
//          puts it at time + step. Errors do not add up: each step aims at the table anew.
// The body that a drive places by its point p [m, body frame] has its centre of mass at position - R p.
// SPDX-License-Identifier: MIT
#ifndef CD_SCHEDULE_H
#define CD_SCHEDULE_H

#include "cd_records.h"

// Are the tables right in themselves? CD_ERR_FORMAT "load: body 7: time: 0.5 s after 0.5 s: must ascend".
cd_status cd_schedule_check(const cd_model *head, cd_diag *diag) CD_MUST_CHECK;

// Sets the four columns of `frame` (tables frame and body; columns are replaced, not written into) for the bodies that
// have a row in `load` or `drive` of `head` and take part in the frame. Checks as above, and that these bodies are
// there and dynamic (load) or prescribed (drive); a drive needs frame.step and positions. CD_ERR_FORMAT. @owns arena
cd_status cd_schedule_apply(cd_arena *arena, const cd_model *head, cd_model *frame, cd_diag *diag) CD_MUST_CHECK;

#endif
