// step_advance -- cd-step --advance: each frame of the input is replaced by the one that follows it, for chains made by hand.
//
// The frame that follows an accepted one: index + 1 and the bodies moved to `next`; where the frame had a `rest`, the same index
// with substep + 1 and step = rest instead. Time is index * step exactly when the frame's time was, else time + step. Head tables, nodes
// and records of unknown types pass; all that was computed for the old frame (trial, bounds ... metric) is gone.
// SPDX-License-Identifier: MIT
#ifndef STEP_ADVANCE_H
#define STEP_ADVANCE_H

#include "cd_filter.h"

// The frame record after row 0 of `frame`. next_step [s]: of a whole step to come; NaN: as long as this one. @owns arena
void cd_step_following_frame(cd_arena *arena, const cd_frame_rows *frame, double next_step, cd_frame_rows *following);

// The bodies in the states of `next` (a row each); all other columns are borrowed. @owns arena
void cd_step_following_bodies(cd_arena *arena, int dim, const cd_body_rows *body, const cd_next_rows *next, cd_body_rows *following);

// The loop over frames: `work` fills ctx->out.next from ctx->in, as each_frame does.
cd_status cd_step_advance_run(cd_ctx *ctx, uint64_t needs, double next_step, cd_status (*work)(cd_ctx *ctx)) CD_MUST_CHECK;

#endif
