// step_advance -- cd-step --advance: each frame of the input is replaced by the one that follows it, for chains made
// by hand.
//
// The frame that follows is the one cd-loop would send (cd_next_frame.h): index + 1 and the bodies moved to `next`;
// where the frame had a `rest`, the same index with substep + 1 and step = rest instead. Head tables, nodes and
// records of unknown types pass (binary ones that depend on the rest of their frame excepted); all that was computed
// for the old frame (trial, bounds ... metric) is gone.
// SPDX-License-Identifier: MIT
#ifndef STEP_ADVANCE_H
#define STEP_ADVANCE_H

#include "cd_filter.h"

// The loop over frames: `work` fills ctx->out.next and ctx->out.verdict from ctx->in, as each_frame does; it accepts
// the step.
cd_status cd_step_advance_run(cd_ctx *ctx, uint64_t needs, cd_status (*work)(cd_ctx *ctx)) CD_MUST_CHECK;

#endif
