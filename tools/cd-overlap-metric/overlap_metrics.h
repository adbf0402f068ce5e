// overlap_metrics -- the metrics of a frame.
// SPDX-License-Identifier: MIT
#ifndef OVERLAP_METRICS_H
#define OVERLAP_METRICS_H

#include "cd_filter.h"
#include "overlap_stage.h"

// per_pair: also of each pair of bodies that overlaps.
void cd_overlap_add_metrics(cd_ctx *ctx, const cd_overlap_result *result, bool per_pair);

#endif
