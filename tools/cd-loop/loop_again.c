// SPDX-License-Identifier: MIT
#include "loop_again.h"

static void encode(const cd_loop_frame *frame, cd_buffer *bytes)
{
    const cd_model *tables = &frame->tables;
    cd_frame_encode_timeless(&tables->frame, bytes);
    for (int k = 1; k < CD_LOOP_SENT; k++) {  // behind `frame`
        const cd_rows *rows = cd_model_rows((cd_model *)tables, cd_loop_sent[k]);
        cd_columns_encode(&cd_records[cd_loop_sent[k]], tables->dim, rows, 0, rows->count, bytes);
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
