// SPDX-License-Identifier: MIT
#include "cd_tables.h"

#include "cd_columns.h"
#include "cd_rows.h"

#include <inttypes.h>

// ---- normal JSON text ----------------------------------------------------------------------------------------------

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// End of the string that starts with the quote at text[i]: the index behind its closing quote.
static size_t string_end(const char *text, size_t length, size_t i)
{
    for (i++; i < length && text[i] != '"'; i++)
        if (text[i] == '\\')
            i++;
    return i < length ? i + 1 : length;
}

static size_t compact(char *to, const char *text, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length;) {
        if (text[i] == '"') {
            size_t end = string_end(text, length, i);
            memcpy(to + used, text + i, end - i);
            used += end - i;
            i = end;
        } else {
            if (!is_space(text[i]))
                to[used++] = text[i];
            i++;
        }
    }
    to[used] = '\0';
    return used;
}

char *cd_json_compact(cd_arena *arena, const char *text, size_t length)
{
    char *copy = cd_arena_alloc(arena, length + 1);
    compact(copy, text, length);
    return copy;
}

// End of the member at text[i] (compact text): the index of its comma or of the object's closing brace.
static size_t member_end(const char *text, size_t length, size_t i)
{
    int depth = 0;
    while (i < length) {
        char c = text[i];
        if (c == '"') {
            i = string_end(text, length, i);
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}'))
            return i;
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        i++;
    }
    return length;
}

char *cd_json_compact_members(cd_arena *arena, const char *text, size_t length)
{
    static const char type_key[] = "\"type\":";
    char *copy = cd_arena_alloc(arena, length + 3);  // "{}" of a text that is no object, and NUL
    size_t size = compact(copy, text, length), used = 1;
    copy[0] = '{';
    for (size_t i = 1; i < size && copy[i] != '}';) {
        size_t end = member_end(copy, size, i), member = end - i;
        bool is_type = member >= sizeof type_key - 1 && !memcmp(copy + i, type_key, sizeof type_key - 1);
        if (!is_type) {
            if (used > 1)
                copy[used++] = ',';
            memmove(copy + used, copy + i, member);
            used += member;
        }
        i = end < size && copy[end] == ',' ? end + 1 : end;
    }
    copy[used++] = '}';
    copy[used] = '\0';
    return copy;
}

// ---- tables --------------------------------------------------------------------------------------------------------

static cd_foreign_table *foreign_table(cd_arena *arena, cd_tables *tables, const char *name)
{
    for (int32_t i = 0; i < tables->foreign.count; i++)
        if (!strcmp(tables->foreign.item[i].name, name))
            return &tables->foreign.item[i];
    cd_foreign_table fresh = {0};
    memcpy(fresh.name, name, strlen(name) + 1);
    cd_list_push(arena, &tables->foreign, fresh);
    return &tables->foreign.item[tables->foreign.count - 1];
}

static cd_status take_foreign(cd_arena *arena, cd_reader *reader, const cd_chunk *chunk, cd_tables *tables,
                              cd_diag *diag)
{
    cd_foreign_table *table = foreign_table(arena, tables, chunk->name);
    if (chunk->encoding == CD_ENCODING_JSON) {
        CD_TRY(cd_reader_check_lines(reader, chunk, arena, diag));
        for (int32_t i = 0; i < chunk->row_count; i++)
            cd_list_push(arena, &table->row, cd_json_compact_members(arena, chunk->text[i], chunk->length[i]));
        return CD_OK;
    }
    const void *raw;
    cd_buffer lines = {0};
    cd_status status = cd_block_unpack(arena, &chunk->header, chunk->stored, &raw, diag);
    if (status == CD_OK)
        status = cd_columns_unknown_to_json(arena, chunk->name, cd_reader_refs(reader),
                                            (cd_payload){raw, (size_t)chunk->header.raw_size, chunk->row_count}, &lines,
                                            diag);
    for (size_t i = 0; status == CD_OK && i < lines.size;) {
        const char *newline = memchr(lines.data + i, '\n', lines.size - i);
        size_t length = newline ? (size_t)(newline - lines.data) - i : lines.size - i;
        cd_list_push(arena, &table->row, cd_json_compact_members(arena, lines.data + i, length));
        i += length + 1;
    }
    cd_buffer_release(&lines);
    return status == CD_OK ? CD_OK : cd_fail_at(diag, status, "%s: %s", cd_reader_where(reader), chunk->name);
}

cd_status cd_tables_take(cd_arena *arena, cd_reader *reader, const cd_chunk *chunk, cd_tables *tables, cd_diag *diag)
{
    tables->model.dim = cd_reader_dim(reader);
    if (chunk->type == CD_REC_fend || chunk->type == CD_REC_end)
        return CD_OK;
    if (chunk->type == CD_REC_UNKNOWN)
        return take_foreign(arena, reader, chunk, tables, diag);
    const cd_record *record = &cd_records[chunk->type];
    cd_rows *rows = cd_arena_zalloc(arena, record->size);
    CD_TRY(cd_reader_decode(reader, chunk, arena, rows, diag));
    cd_rows_append(arena, record, tables->model.dim, cd_model_rows(&tables->model, chunk->type), rows);
    return CD_OK;
}
