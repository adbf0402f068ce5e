// step_explicit -- a frame of an integrator that takes forces alone: rigid bodies and nodes of elements move under
// them, in one round, and the step is accepted.
//
// To the bodies' part of the step bodies of elements are fixed: their nodes move.
// SPDX-License-Identifier: MIT
#ifndef STEP_EXPLICIT_H
#define STEP_EXPLICIT_H

#include "step_stage.h"

// Reads ctx->in, writes ctx->out. CD_ERR_UNSUPPORTED where the frame has solved velocities.
cd_status cd_step_explicit_frame(cd_ctx *ctx, cd_step_stage *stage) CD_MUST_CHECK;

#endif
