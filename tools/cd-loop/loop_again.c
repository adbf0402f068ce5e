// SPDX-License-Identifier: MIT
#include "loop_again.h"

// What no stage's answer depends on, where it says that it answers as before.
static cd_frame_rows timeless(const cd_frame_rows *frame)
{
    static int64_t no_index;
    static double no_time;
    cd_frame_rows same = *frame;
    same.index = &no_index;
    same.time = &no_time;
    return same;
}

static void encode(const cd_loop_frame *frame, cd_buffer *bytes)
{
    static const cd_record_type types[] = {CD_REC_body, CD_REC_node, CD_REC_trial, CD_REC_impulse, CD_REC_spring};
    const cd_model *tables = &frame->tables;
    const cd_frame_rows same = timeless(&tables->frame);
    cd_columns_encode(&cd_records[CD_REC_frame], tables->dim, (const cd_rows *)&same, 0, 1, bytes);
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        const cd_rows *rows = cd_model_rows((cd_model *)tables, types[k]);
        cd_columns_encode(&cd_records[types[k]], tables->dim, rows, 0, rows->count, bytes);
    }
}

void cd_loop_again_release(cd_loop_again *again)
{
    cd_buffer_release(&again->sent);
    again->is_known = false;
}

void cd_loop_again_note(cd_loop_again *again, const cd_loop_frame *sent, bool is_same, const cd_arena *arena)
{
    again->is_known = is_same && sent->foreign.list.count == 0;
    again->at = cd_arena_get_mark(arena);
    again->sent.size = 0;
    if (again->is_known)
        encode(sent, &again->sent);
}

bool cd_loop_again_knows(const cd_loop_again *again, const cd_loop_frame *frame)
{
    if (!again->is_known || frame->foreign.list.count > 0)
        return false;
    cd_buffer bytes = {0};
    encode(frame, &bytes);
    bool is_same = bytes.size == again->sent.size && memcmp(bytes.data, again->sent.data, bytes.size) == 0;
    cd_buffer_release(&bytes);
    return is_same;
}

void cd_loop_again_at(cd_loop_again *again, const cd_frame_rows *frame, cd_arena *arena, cd_frame_rows *answer)
{
    again->index = frame->index[0];
    again->time = frame->time[0];
    answer->index = &again->index;
    answer->time = &again->time;
    cd_arena_rewind(arena, again->at);
}
