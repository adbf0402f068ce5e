// diff_run -- what the user of cd-diff asked for, and the ways of comparing.
// SPDX-License-Identifier: MIT
#ifndef CD_DIFF_RUN_H
#define CD_DIFF_RUN_H

#include "diff_tables.h"

typedef struct cd_diff_options {
    double absolute, relative;     // >= 0: in the unit of the member, [1] of the larger of both
    const char *ignored, *frames;  // NULL: not given
    int64_t shown;                 // 0: all
    bool summary, first;
    const char *by;                                           // "row", "pair", "body"
    double gap_tolerance, normal_tolerance, point_tolerance;  // [1] of the length, [rad], [1] of the length
    double length;                                            // [m] NaN: the stream's
    int64_t worst;                                            // pairs told of each class
    const char *replay;                                       // folder for them; NULL: not asked for
} cd_diff_options;

extern const char *const cd_diff_by_words[];

cd_status cd_diff_run(cd_ctx *ctx, const cd_diff_options *options) CD_MUST_CHECK;

// The ways, each in a file of its own. CD_ERR_CHECK when the streams differ.
cd_status cd_diff_run_rows(cd_ctx *ctx, const cd_diff_options *options) CD_MUST_CHECK;     // a line a difference
cd_status cd_diff_run_summary(cd_ctx *ctx, const cd_diff_options *options) CD_MUST_CHECK;  // counts by member
cd_status cd_diff_run_first(cd_ctx *ctx, const cd_diff_options *options) CD_MUST_CHECK;    // where they part

// Opens both streams for a comparison of rows; rules: those of the options.
cd_status cd_diff_begin_rows(cd_ctx *ctx, const cd_diff_options *options, cd_diff_rules *rules,
                             cd_diff_streams *streams) CD_MUST_CHECK;

#endif
