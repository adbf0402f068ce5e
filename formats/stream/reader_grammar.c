// SPDX-License-Identifier: MIT
#include "reader_state.h"

#include <cjson/cJSON.h>
#include <inttypes.h>

enum { VERSION_MAJOR = 1 };

// Counts of foreign tables are looked up by name: far more names than anybody writes, few enough to stay quick.
enum { FOREIGN_MOST = 1000 };

static cd_status out_of_place(cd_reader *reader, const cd_chunk *chunk, const char *reason, cd_diag *diag)
{
    return cd_fail(diag, CD_ERR_FORMAT, "%s: %s: %s", reader->where, chunk->name, reason);
}

static cd_status check_place(cd_reader *reader, const cd_chunk *chunk, cd_diag *diag)
{
    if (reader->place == BEFORE_HEAD && chunk->type != CD_REC_head)
        return out_of_place(reader, chunk, "the first record must be head", diag);
    switch ((int)chunk->type) {
    case CD_REC_head:
        if (reader->place != BEFORE_HEAD || chunk->row_count != 1)
            return out_of_place(reader, chunk, "a stream has exactly one head", diag);
        reader->place = IN_PROG;
        return CD_OK;
    case CD_REC_prog:
        // Each tool adds its record behind those before it and numbers it by them: one that came later would get its
        // number twice.
        if (reader->place != IN_PROG)
            return out_of_place(reader, chunk, "belongs before the head tables", diag);
        return CD_OK;
    case CD_REC_frame:
        if (reader->place == IN_FRAME)
            return out_of_place(reader, chunk, "the frame before has no fend", diag);
        if (chunk->row_count != 1)
            return out_of_place(reader, chunk, "a frame has exactly one", diag);
        reader->place = IN_FRAME;
        cd_refs_open_frame(&reader->refs);
        memset(reader->frame_rows, 0, sizeof reader->frame_rows);
        reader->foreign_count = 0;
        return CD_OK;
    case CD_REC_fend:
        if (reader->place != IN_FRAME || chunk->row_count != 1)
            return out_of_place(reader, chunk, "closes exactly one open frame", diag);
        reader->place = BETWEEN_FRAMES;
        return CD_OK;
    case CD_REC_end:
        if (reader->place == IN_FRAME || chunk->row_count != 1)
            return out_of_place(reader, chunk, "the last frame has no fend", diag);
        reader->place = AFTER_END;
        return CD_OK;
    case CD_REC_UNKNOWN:
        return CD_OK;
    }
    if (cd_records[chunk->type].is_head && reader->place != IN_PROG && reader->place != IN_HEAD)
        return out_of_place(reader, chunk, "belongs before the first frame", diag);
    if (cd_records[chunk->type].is_head)
        reader->place = IN_HEAD;
    if (!cd_records[chunk->type].is_head && reader->place != IN_FRAME)
        return out_of_place(reader, chunk, "belongs inside a frame", diag);
    return CD_OK;
}

static cd_status count_foreign(cd_reader *reader, const cd_chunk *chunk, cd_diag *diag)
{
    for (int32_t i = 0; i < reader->foreign_count; i++)
        if (!strcmp(reader->foreign[i].name, chunk->name)) {
            reader->foreign[i].rows += chunk->row_count;
            return CD_OK;
        }
    if (reader->foreign_count == FOREIGN_MOST)
        return cd_fail(diag, CD_ERR_LIMIT,
                       "%s: %s: more than %d record types that this program does not know in one frame", reader->where,
                       chunk->name, FOREIGN_MOST);
    if (reader->foreign_count == reader->foreign_capacity) {
        reader->foreign_capacity = reader->foreign_capacity ? 2 * reader->foreign_capacity : 8;
        reader->foreign = cd_realloc(reader->foreign, (size_t)reader->foreign_capacity * sizeof *reader->foreign);
    }
    foreign_count *entry = &reader->foreign[reader->foreign_count++];
    memcpy(entry->name, chunk->name, sizeof entry->name);
    entry->rows = chunk->row_count;
    return CD_OK;
}

static int64_t seen_rows(const cd_reader *reader, const char *name)
{
    cd_record_type type = cd_record_find(name, strlen(name));
    if (type != CD_REC_UNKNOWN)
        return reader->frame_rows[type];
    for (int32_t i = 0; i < reader->foreign_count; i++)
        if (!strcmp(reader->foreign[i].name, name))
            return reader->foreign[i].rows;
    return 0;
}

// fend announces what the frame held: every announced count must be what arrived, and (binary) everything is announced.
static cd_status check_fend(cd_reader *reader, const cd_fend_rows *fend, cd_diag *diag)
{
    const char *text = fend->rows ? fend->rows[0] : NULL;
    if (!text)
        return reader->encoding == CD_ENCODING_JSON
                   ? CD_OK
                   : cd_fail(diag, CD_ERR_FORMAT, "%s: fend: rows: required in binary", reader->where);
    cJSON *counts = cJSON_Parse(text);
    cd_status status = CD_OK;
    int64_t announced = 0, seen = 0;
    if (!cJSON_IsObject(counts))
        status = cd_fail(diag, CD_ERR_FORMAT, "%s: fend: rows: wanted an object of counts", reader->where);
    for (cJSON *item = counts ? counts->child : NULL; item && status == CD_OK; item = item->next) {
        int64_t rows = seen_rows(reader, item->string);
        if (!cJSON_IsNumber(item) || item->valuedouble != (double)rows)
            status = cd_fail(diag, CD_ERR_FORMAT, "%s: fend: rows: %.40s: %.17g announced, %" PRId64 " arrived",
                             reader->where, item->string, cJSON_IsNumber(item) ? item->valuedouble : 0.0, rows);
        announced += rows;
    }
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (type != CD_REC_frame && type != CD_REC_fend)
            seen += reader->frame_rows[type];
    for (int32_t i = 0; i < reader->foreign_count; i++)
        seen += reader->foreign[i].rows;
    if (status == CD_OK && announced != seen)
        status = cd_fail(diag, CD_ERR_FORMAT, "%s: fend: rows: a table arrived that is not announced", reader->where);
    cJSON_Delete(counts);
    return status;
}

static cd_status check_count(cd_reader *reader, const char *field, const int64_t *announced, int64_t seen,
                             cd_diag *diag)
{
    if (reader->choice.has_skipped)
        return CD_OK;
    bool absent = !announced || announced[0] == CD_ABSENT_I64;
    if (absent && reader->encoding == CD_ENCODING_BINARY)
        return cd_fail(diag, CD_ERR_FORMAT, "%s: end: %s: required in binary", reader->where, field);
    if (!absent && announced[0] != seen)
        return cd_fail(diag, CD_ERR_FORMAT, "%s: end: %s: %" PRId64 " announced, %" PRId64 " arrived", reader->where,
                       field, announced[0], seen);
    return CD_OK;
}

static cd_status read_head(cd_reader *reader, const cd_chunk *chunk, cd_diag *diag)
{
    cd_head_rows head;
    CD_TRY(cd_reader_rows(reader, chunk, false, &reader->scratch, (cd_rows *)&head, diag));
    if (head.cds.offset[1] < 1 || head.cds.i32[0] != VERSION_MAJOR)
        return cd_fail(diag, CD_ERR_UNSUPPORTED, "%s: head: cds: stream version %d; this program reads version %d",
                       reader->where, head.cds.offset[1] ? head.cds.i32[0] : 0, VERSION_MAJOR);
    reader->dim = head.dim[0];
    return CD_OK;
}

// A row of the index may be left over from before somebody renumbered the frames.
static cd_status check_expected(cd_reader *reader, const cd_chunk *chunk, cd_diag *diag)
{
    cd_frame_rows frame;
    CD_TRY(cd_reader_rows(reader, chunk, false, &reader->scratch, (cd_rows *)&frame, diag));
    reader->choice.is_expected = false;
    if (frame.index[0] == reader->choice.expected)
        return CD_OK;
    return cd_fail(diag, CD_ERR_FORMAT,
                   "%s: frame: index %" PRId64 " found where the file's index says %" PRId64
                   ": write the file anew with cd-view",
                   reader->where, frame.index[0], reader->choice.expected);
}

static cd_status look_inside(cd_reader *reader, const cd_chunk *chunk, cd_diag *diag)
{
    if (chunk->type == CD_REC_frame && reader->choice.is_expected)
        return check_expected(reader, chunk, diag);
    if (chunk->type == CD_REC_head)
        return read_head(reader, chunk, diag);
    if (chunk->type == CD_REC_fend) {
        cd_fend_rows fend;
        CD_TRY(cd_reader_rows(reader, chunk, false, &reader->scratch, (cd_rows *)&fend, diag));
        reader->frames++;
        reader->again = cd_i32_or(fend.again, 0, 0);
        return check_fend(reader, &fend, diag);
    }
    if (chunk->type == CD_REC_end) {
        cd_end_rows end;
        CD_TRY(cd_reader_rows(reader, chunk, false, &reader->scratch, (cd_rows *)&end, diag));
        CD_TRY(check_count(reader, "frames", end.frames, reader->frames, diag));
        return check_count(reader, "records", end.records, reader->records, diag);
    }
    return CD_OK;
}

cd_status cd_reader_accept(cd_reader *reader, cd_chunk *chunk, cd_diag *diag)
{
    reader->last = *chunk;
    reader->last_was_decoded = false;
    cd_arena_reset(&reader->scratch);
    CD_TRY(check_place(reader, chunk, diag));
    CD_TRY(look_inside(reader, chunk, diag));
    reader->records += chunk->row_count;
    if (chunk->type == CD_REC_UNKNOWN)
        return reader->place == IN_FRAME ? count_foreign(reader, chunk, diag) : CD_OK;
    reader->frame_rows[chunk->type] += chunk->row_count;
    if (reader->frame_rows[chunk->type] > reader->limits.rows)
        return cd_fail(diag, CD_ERR_LIMIT, "%s: %s: more than %" PRId64 " rows (--max-rows raises the limit)",
                       reader->where, chunk->name, reader->limits.rows);
    return CD_OK;
}
