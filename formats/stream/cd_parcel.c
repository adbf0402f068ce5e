// SPDX-License-Identifier: MIT
#include "cd_parcel.h"

static void copy_lines(cd_arena *arena, cd_chunk *copy, const cd_chunk *chunk)
{
    char *lines = cd_arena_alloc(arena, chunk->lines_size);
    memcpy(lines, chunk->lines, chunk->lines_size);
    const char **text = CD_ARENA_ARRAY(arena, const char *, chunk->row_count);
    size_t *length = CD_ARENA_ARRAY(arena, size_t, chunk->row_count);
    for (int32_t i = 0; i < chunk->row_count; i++) {
        text[i] = lines + (chunk->text[i] - chunk->lines);
        length[i] = chunk->length[i];
    }
    copy->lines = lines;
    copy->text = text;
    copy->length = length;
}

void cd_parcel_add(cd_arena *arena, cd_parcel *parcel, const cd_chunk *chunk, const cd_rows *rows)
{
    cd_parcel_item item = {.chunk = *chunk, .rows = rows};
    if (chunk->encoding == CD_ENCODING_JSON) {
        copy_lines(arena, &item.chunk, chunk);
    } else {
        void *stored = cd_arena_alloc(arena, (size_t)chunk->header.stored_size);
        item.chunk.stored = memcpy(stored, chunk->stored, (size_t)chunk->header.stored_size);
    }
    cd_list_push(arena, &parcel->list, item);
}

cd_status cd_parcel_pass(const cd_parcel *parcel, cd_writer *writer, cd_reader *reader, cd_diag *diag)
{
    for (int32_t i = 0; i < parcel->list.count; i++)
        CD_TRY(cd_writer_pass(writer, reader, &parcel->list.item[i].chunk, parcel->list.item[i].rows, diag));
    return CD_OK;
}

cd_rows *cd_rows_new(cd_arena *arena, cd_record_type type) { return cd_arena_zalloc(arena, cd_records[type].size); }
