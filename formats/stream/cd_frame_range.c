// SPDX-License-Identifier: MIT
#include "cd_frame_range.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A whole number at *text, which moves behind it; `otherwise` when there is no digit.
static bool parse_number(const char **text, int64_t otherwise, int64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoll(*text, &end, 10);
    if (end == *text)
        *number = otherwise;
    *text = end;
    return errno == 0;
}

cd_status cd_frame_range_parse(const char *text, cd_frame_range *range, cd_diag *diag)
{
    const char *start = text;
    *range = (cd_frame_range){.last = INT64_MAX, .step = 1};
    if (!text)
        return CD_OK;
    if (!strcmp(text, "last")) {
        range->only_last = true;
        return CD_OK;
    }
    bool good = *text && parse_number(&text, 0, &range->first);
    if (good && !*text)
        range->last = range->first;
    if (good && *text == ':') {
        text++;
        good = parse_number(&text, INT64_MAX, &range->last);
    }
    if (good && *text == ':') {
        text++;
        good = parse_number(&text, 1, &range->step);
    }
    if (!good || *text || range->step < 1 || range->first < 0 || range->last < range->first)
        return cd_fail(diag, CD_ERR_USAGE,
                       "--frames: %.40s: wanted N, A:B or A:B:STEP of frame indices (A and B included), or last",
                       start);
    return CD_OK;
}

bool cd_frame_range_has(const cd_frame_range *range, int64_t index)
{
    return range->only_last ||
           (index >= range->first && index <= range->last && (index - range->first) % range->step == 0);
}

bool cd_frame_range_next(const cd_frame_range *range, int64_t index, int64_t *next)
{
    *next = range->first;
    if (index > range->first) {
        int64_t beyond = (index - range->first) % range->step;
        if (beyond && index > INT64_MAX - (range->step - beyond))
            return false;
        *next = index + (beyond ? range->step - beyond : 0);
    }
    return *next <= range->last;
}
