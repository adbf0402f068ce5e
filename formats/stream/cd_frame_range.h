// cd_frame_range -- "--frames N | A:B | A:B:STEP | last": which frames of a stream are meant, by the `index` of the
// frame record.
// SPDX-License-Identifier: MIT
#ifndef CD_FRAME_RANGE_H
#define CD_FRAME_RANGE_H

#include "cd_status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct cd_frame_range {
    bool only_last;             // the last frame of the stream, whatever its index
    int64_t first, last, step;  // both ends included
} cd_frame_range;

// text NULL: all frames. CD_ERR_USAGE "--frames: ...".
cd_status cd_frame_range_parse(const char *text, cd_frame_range *range, cd_diag *diag) CD_MUST_CHECK;
// Is the frame wanted, or (only_last) a candidate?
bool cd_frame_range_has(const cd_frame_range *range, int64_t index);
// The least index of the range that is not below `index`; false when there is none. Not of only_last.
bool cd_frame_range_next(const cd_frame_range *range, int64_t index, int64_t *next);

#endif
