// diff_by_pair -- cd-diff --by pair: two streams whose contacts may be of different kinds, compared pair by pair, as
// text or JSON.
// SPDX-License-Identifier: MIT
#ifndef CD_DIFF_BY_PAIR_H
#define CD_DIFF_BY_PAIR_H

#include "diff_classes.h"
#include "diff_run.h"

// CD_ERR_CHECK when a pair is of another class than `same`, or a frame is in one stream alone.
cd_status cd_diff_run_by_pair(cd_ctx *ctx, const cd_diff_options *options) CD_MUST_CHECK;

// What stands over the report.
typedef struct cd_diff_pair_summary {
    const cd_diff_tally *tally;
    double length;  // [m] that tolerances are given in
    bool by_body;
    int64_t frames, only[2];
    const char *replay;  // folder of --replay; NULL: none
    int32_t replayed;    // pairs written there
} cd_diff_pair_summary;

// [m] The characteristic length of one stream, from its head or its shapes and the frame's bodies. Scratch in `arena`.
cd_status cd_diff_find_length(cd_arena *arena, const cd_diff_side *side, double *length, cd_diag *diag) CD_MUST_CHECK;

extern const char *const cd_diff_class_words[CD_DIFF_CLASSES];  // what a class is, in half a line
// The line of a pair in the table of the worst, and the line above it.
void cd_diff_print_judged(const cd_diff_judged *judged, bool gap_reversed, cd_buffer *out);
void cd_diff_print_judged_heading(cd_buffer *out);
void cd_diff_print_pairs(const cd_diff_pair_summary *summary, cd_buffer *out);
// One object, one line; members as cd-diff(1) lists them.
void cd_diff_print_pairs_json(const cd_diff_pair_summary *summary, cd_buffer *out);

#endif
