// diff_streams -- two streams side by side, a section at a time: first both heads, then frames.
//
// open -> next ... -> close. Frames are matched by index, substep and round; one that a stream lacks is a section of
// one side. Memory: the heads and two frames of each stream.
// SPDX-License-Identifier: MIT
#ifndef CD_DIFF_STREAMS_H
#define CD_DIFF_STREAMS_H

#include "cd_filter.h"
#include "cd_frame_range.h"
#include "cd_tables.h"

// One stream. The tables of a frame lie in arena[turn]; the frame record that ended the head is already in the other.
typedef struct cd_diff_stream {
    cd_reader *reader;
    cd_arena head_arena, arena[2];
    int turn;
    cd_tables head;
    cd_tables tables;     // of the frame read last
    cd_tables following;  // the frame record of the next frame, if it was read already
    bool has_following, has_frame;
} cd_diff_stream;

typedef struct cd_diff_streams {
    cd_ctx *ctx;
    cd_frame_range range;
    bool any_round;  // frames are matched by index and substep alone
    bool has_heads;
    bool took[2];  // which streams the last section took a frame of
    cd_diff_stream stream[2];
    int64_t frames, only[2];  // matched so far; of one stream alone
} cd_diff_streams;

typedef struct cd_diff_side {
    cd_tables *tables;  // of the section; NULL: the stream lacks it
    const cd_tables *head;
    const cd_refs *refs;
} cd_diff_side;

// Which frame, as its record says.
typedef struct cd_diff_place {
    int64_t index;
    int32_t substep, round;
} cd_diff_place;

typedef struct cd_diff_section {
    bool is_head;
    cd_diff_side side[2];
} cd_diff_section;

// Opens the two operands and reads their heads. `frames`: of --frames, NULL for all. Close it after failures too.
cd_status cd_diff_open(cd_ctx *ctx, const char *frames, cd_diff_streams *streams) CD_MUST_CHECK;
// CD_END: both streams have ended properly. Pointers are valid until the next call.
cd_status cd_diff_next(cd_diff_streams *streams, cd_diff_section *section) CD_MUST_CHECK;
void cd_diff_close(cd_diff_streams *streams);

int cd_diff_dim(const cd_diff_streams *streams, int side);
// CD_ERR_CHECK where one stream is of the plane and the other of space.
cd_status cd_diff_check_dim(cd_diff_streams *streams) CD_MUST_CHECK;
cd_diff_place cd_diff_place_of(const cd_diff_section *section);  // of a frame; of the left stream where both have it
// "head", or "3", "3 round 2", "3 substep 1 round 2" of a frame, of the stream that has it. @owns arena
const char *cd_diff_section_name(cd_arena *arena, const cd_diff_section *section);

#endif
