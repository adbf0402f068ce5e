// narrow_overlap -- overlaps that a scene starts with, which models of features push out at once, at their depth over
// the step.
// SPDX-License-Identifier: MIT
#ifndef NARROW_OVERLAP_H
#define NARROW_OVERLAP_H

#include "cd_filter.h"
#include "narrow_stage.h"

// One line on stderr when pairs of the frame overlap at its start by more than its epsilon: how many, and by how much.
// Where a depth is not computed (man/cd-narrow.1) a pair does not count. Cost: that of cd_narrow_frame with `depth`.
cd_status cd_narrow_overlaps_warn(cd_ctx *ctx, const cd_narrow_stage *stage) CD_MUST_CHECK;

#endif
