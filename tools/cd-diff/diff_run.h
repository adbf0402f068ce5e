// diff_run -- goes through two streams side by side, frame by frame.
// SPDX-License-Identifier: MIT
#ifndef CD_DIFF_RUN_H
#define CD_DIFF_RUN_H

#include "cd_filter.h"

typedef struct cd_diff_options {
    double absolute, relative;     // >= 0: in the unit of the member, [1] of the larger of both
    const char *ignored, *frames;  // NULL: not given
    int64_t shown;                 // 0: all
} cd_diff_options;

cd_status cd_diff_run(cd_ctx *ctx, const cd_diff_options *options) CD_MUST_CHECK;

#endif
