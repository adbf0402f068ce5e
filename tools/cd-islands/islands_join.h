// islands_join -- solutions of parts back into the stream that they were made of.
// SPDX-License-Identifier: MIT
#ifndef ISLANDS_JOIN_H
#define ISLANDS_JOIN_H

#include "cd_filter.h"
#include "cd_tables.h"

typedef struct cd_islands_part {
    cd_reader *reader;
    const char *name;
    cd_arena head, arena;  // of the head; of the open frame
    cd_tables tables;      // of the open frame; those of the first have the head's too
} cd_islands_part;

typedef struct cd_islands_join_state {
    int32_t count;
    cd_islands_part *part;
} cd_islands_join_state;

// Opens the operands, which are the parts. Memory of the run; close them whatever happens.
cd_status cd_islands_join_begin(cd_ctx *ctx, cd_islands_join_state *join) CD_MUST_CHECK;
// The next frame of each part against the frame of `in`: each row has one value, in the part that has the row with the
// same right side. CD_ERR_FORMAT, with the name of the part or the row, where that is not so. Writes solution (status
// of the worst part, largest residual, sum of iterations, solver of the part with most) and value.
cd_status cd_islands_join_frame(cd_ctx *ctx, cd_islands_join_state *join) CD_MUST_CHECK;
// Have all parts ended?
cd_status cd_islands_join_end(cd_ctx *ctx, cd_islands_join_state *join) CD_MUST_CHECK;
void cd_islands_join_close(cd_islands_join_state *join);

#endif
