// diff_replay -- cd-diff --replay: the worst pairs as small streams, and the commands that show them.
//
// Of the pair that is the Nth worst of its class: CLASS-N.left.jsonl and CLASS-N.right.jsonl, that frame of either
// stream with the two bodies alone and all rows about them (cd_selection.h), and CLASS-N.sh. Which pairs are the worst
// is known when both streams have been read, so they are read a second time, up to the last frame that is wanted.
// SPDX-License-Identifier: MIT
#ifndef CD_DIFF_REPLAY_H
#define CD_DIFF_REPLAY_H

#include "diff_by_pair.h"

// Before anything is read: makes the folder of --replay, or finds it empty. CD_ERR_USAGE: it is not, or a stream
// cannot be read twice.
cd_status cd_diff_prepare_replay(cd_ctx *ctx, const char *folder) CD_MUST_CHECK;
// Writes the files of all pairs that the tally keeps; *count: of how many pairs.
cd_status cd_diff_write_replay(cd_ctx *ctx, const cd_diff_options *options, const cd_diff_tally *tally,
                               int32_t *count) CD_MUST_CHECK;

#endif
