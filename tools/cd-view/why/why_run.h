// why_run -- cd-view --why: reads a stream up to the frame that is asked for, and tells the story of two bodies or of
// one.
// SPDX-License-Identifier: MIT
#ifndef WHY_RUN_H
#define WHY_RUN_H

#include "cd_filter.h"

// who: "3" or "3:1", a body or a part of it; with: the same of another, NULL for the story of one body. frame: the
// index of a frame; "fault", the first in which stream and bodies differ; NULL, the first in which the two are near.
// operand: place of the file among the operands.
cd_status cd_why_run_story(cd_ctx *ctx, const char *who, const char *with, const char *frame,
                           int operand) CD_MUST_CHECK;

// Is it a body, as `who` is?
bool cd_why_is_name(const char *text);

#endif
