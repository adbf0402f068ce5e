// SPDX-License-Identifier: MIT
#include "view_digest.h"

#include <inttypes.h>
#include <stdio.h>
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

static void add_row(cd_digest_line *line, const char *text, size_t length)
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

static void add_known(cd_digest *digest, cd_arena *arena, cd_record_type type, int dim, const cd_refs *refs,
                      cd_rows *rows)
{
    enum { BATCH = 256 };  // rows printed at once: the text stays in cache
    const cd_record *record = &cd_records[type];
    cd_digest_line *line = &digest->known[type];
    cd_buffer *scratch = &digest->scratch;
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
            add_row(line, text, is_free ? strlen(text) : length);
            if (mark.block)
                cd_arena_rewind(arena, mark);
            i += length + 1;
        }
    }
}

static void add_foreign(cd_digest *digest, const cd_foreign_table *table)
{
    int32_t at = 0;
    while (at < digest->lines.count && strcmp(digest->lines.item[at].name, table->name))
        at++;
    if (at == digest->lines.count) {
        cd_digest_line fresh = {.rows = 0};
        memcpy(fresh.name, table->name, sizeof fresh.name);
        cd_list_push(&digest->arena, &digest->lines, fresh);
    }
    for (int32_t k = 0; k < table->row.count; k++)
        add_row(&digest->lines.item[at], table->row.item[k], strlen(table->row.item[k]));
}

// Adds rows, which may be a part of the tables: the sums do not depend on how they are cut. refs: ids of everything
// they refer to. Fills defaults into the tables; scratch in the arena.
static void add_tables(cd_digest *digest, cd_arena *arena, cd_tables *tables, const cd_refs *refs)
{
    for (int type = 0; type < CD_REC_COUNT; type++) {
        cd_rows *rows = cd_model_rows(&tables->model, (cd_record_type)type);
        if (type != CD_REC_prog && rows->count > 0)
            add_known(digest, arena, (cd_record_type)type, tables->model.dim, refs, rows);
    }
    for (int32_t i = 0; i < tables->foreign.count; i++)
        add_foreign(digest, &tables->foreign.item[i]);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(((const cd_digest_line *)left)->name, ((const cd_digest_line *)right)->name);
}

void cd_digest_print(cd_digest *digest, cd_buffer *text)
{
    for (int type = 0; type < CD_REC_COUNT; type++) {
        cd_digest_line *line = &digest->known[type];
        if (line->rows == 0)
            continue;
        snprintf(line->name, sizeof line->name, "%s", cd_records[type].name);
        cd_list_push(&digest->arena, &digest->lines, *line);
    }
    if (digest->lines.count > 0)
        qsort(digest->lines.item, (size_t)digest->lines.count, sizeof *digest->lines.item, compare_names);
    for (int32_t i = 0; i < digest->lines.count; i++) {
        const cd_digest_line *line = &digest->lines.item[i];
        cd_buffer_printf(text, "%s %" PRId64 " %016" PRIx64 " %016" PRIx64 "\n", line->name, line->rows, line->sum.a,
                         line->sum.b);
    }
    memset(digest->known, 0, sizeof digest->known);
    memset(&digest->lines, 0, sizeof digest->lines);
    cd_arena_reset(&digest->arena);
}

void cd_digest_release(cd_digest *digest)
{
    cd_arena_release(&digest->arena);
    cd_buffer_release(&digest->scratch);
}

void cd_digest_tables(cd_arena *arena, cd_tables *tables, const cd_refs *refs, cd_buffer *text)
{
    cd_digest digest = {0};
    add_tables(&digest, arena, tables, refs);
    cd_digest_print(&digest, text);
    cd_digest_release(&digest);
}

// ---- streams -------------------------------------------------------------------------------------------------------

static cd_status add_chunks(cd_digest *digest, cd_arena *arena, cd_reader *reader, cd_buffer *text, cd_diag *diag)
{
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(reader, &chunk, diag)) == CD_OK) {
        cd_tables tables = {0};  // of the chunk
        bool is_boundary = chunk.type == CD_REC_frame || chunk.type == CD_REC_fend || chunk.type == CD_REC_end;
        if (is_boundary)  // of the head, a frame, or what lies between frames
            cd_digest_print(digest, text);
        if (is_boundary && chunk.type != CD_REC_frame)
            cd_buffer_printf(text, "%s\n", chunk.name);
        cd_arena_reset(arena);
        CD_TRY(cd_tables_take(arena, reader, &chunk, &tables, diag));
        add_tables(digest, arena, &tables, cd_reader_refs(reader));
    }
    return status == CD_END ? CD_OK : status;
}

cd_status cd_digest_stream(cd_reader *reader, cd_buffer *text, cd_diag *diag)
{
    cd_digest digest = {0};
    cd_arena arena = {0};
    cd_status status = add_chunks(&digest, &arena, reader, text, diag);
    cd_arena_release(&arena);
    cd_digest_release(&digest);
    return status;
}
