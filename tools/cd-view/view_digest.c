// SPDX-License-Identifier: MIT
#include "view_digest.h"

#include <inttypes.h>
#include <stdlib.h>

static uint64_t finish(uint64_t h)
{
    h ^= h >> 33;
    h *= UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 33;
    h *= UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

cd_hash_pair cd_hash_text(const char *text, size_t length)
{
    uint64_t a = UINT64_C(0xcbf29ce484222325), b = UINT64_C(0x84222325cbf29ce4);
    for (size_t i = 0; i < length; i++) {
        a = (a ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
        b = (b ^ (unsigned char)text[i]) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return (cd_hash_pair){finish(a), finish(b)};
}

// ---- tables --------------------------------------------------------------------------------------------------------

typedef struct table_line {
    const char *name;
    int64_t rows;
    cd_hash_pair sum;
} table_line;

static void add_row(table_line *line, const char *text, size_t length)
{
    cd_hash_pair hash = cd_hash_text(text, length);
    line->sum.a += hash.a;
    line->sum.b += hash.b;
    line->rows++;
}

static bool has_free_text(const cd_record *record, const cd_rows *rows)
{
    for (int32_t f = 0; f < record->field_count; f++)
        if (record->field[f].type == CD_TYPE_JSON && *cd_field_column(&record->field[f], rows))
            return true;
    return rows->json != NULL;
}

static table_line known_table(cd_arena *arena, const cd_record *record, int dim, const cd_refs *refs, cd_rows *rows,
                              cd_buffer *scratch)
{
    enum { BATCH = 256 };  // rows printed at once: the text stays in cache
    table_line line = {.name = record->name};
    cd_rows_fill_defaults(arena, record, dim, rows);
    bool is_free = has_free_text(record, rows);
    for (int32_t first = 0; first < rows->count; first += BATCH) {
        scratch->size = 0;
        cd_json_encode(record, dim, refs, rows, first, rows->count - first < BATCH ? rows->count - first : BATCH,
                       scratch);
        for (size_t i = 0; i < scratch->size;) {
            const char *row = scratch->data + i, *newline = memchr(row, '\n', scratch->size - i);
            size_t length = (size_t)(newline - row);
            cd_arena_mark mark = cd_arena_get_mark(arena);
            const char *text = is_free ? cd_json_compact(arena, row, length) : row;
            add_row(&line, text, is_free ? strlen(text) : length);
            if (mark.block)
                cd_arena_rewind(arena, mark);
            i += length + 1;
        }
    }
    return line;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(((const table_line *)left)->name, ((const table_line *)right)->name);
}

void cd_digest_tables(cd_arena *arena, cd_tables *tables, const cd_refs *refs, cd_buffer *text)
{
    CD_LIST(table_line) lines = {0};
    cd_buffer scratch = {0};
    for (int type = 0; type < CD_REC_COUNT; type++) {
        cd_rows *rows = cd_model_rows(&tables->model, (cd_record_type)type);
        if (type != CD_REC_prog && rows->count > 0)
            cd_list_push(arena, &lines, known_table(arena, &cd_records[type], tables->model.dim, refs, rows, &scratch));
    }
    for (int32_t i = 0; i < tables->foreign.count; i++) {
        table_line line = {.name = tables->foreign.item[i].name};
        for (int32_t k = 0; k < tables->foreign.item[i].row.count; k++)
            add_row(&line, tables->foreign.item[i].row.item[k], strlen(tables->foreign.item[i].row.item[k]));
        cd_list_push(arena, &lines, line);
    }
    if (lines.count > 0)
        qsort(lines.item, (size_t)lines.count, sizeof *lines.item, compare_names);
    for (int32_t i = 0; i < lines.count; i++)
        cd_buffer_printf(text, "%s %" PRId64 " %016" PRIx64 " %016" PRIx64 "\n", lines.item[i].name, lines.item[i].rows,
                         lines.item[i].sum.a, lines.item[i].sum.b);
    cd_buffer_release(&scratch);
}

cd_status cd_digest_stream(cd_reader *reader, cd_buffer *text, cd_diag *diag)
{
    cd_arena arena = {0};
    cd_tables tables = {0};
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(reader, &chunk, diag)) == CD_OK) {
        bool is_boundary = chunk.type == CD_REC_frame || chunk.type == CD_REC_fend || chunk.type == CD_REC_end;
        if (is_boundary) {  // the head, a frame, or what lies between frames
            cd_digest_tables(&arena, &tables, cd_reader_refs(reader), text);
            if (chunk.type != CD_REC_frame)
                cd_buffer_printf(text, "%s\n", chunk.name);
            cd_arena_reset(&arena);
            memset(&tables, 0, sizeof tables);
        }
        status = cd_tables_take(&arena, reader, &chunk, &tables, diag);
        if (status != CD_OK)
            break;
    }
    cd_arena_release(&arena);
    return status == CD_END ? CD_OK : status;
}
