// SPDX-License-Identifier: MIT
#include "cd_reader.h"

#include "cd_columns.h"
#include "cd_json_scan.h"

#include "cd_assert.h"
#include "cd_output.h"
#include "reader_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

// A JSON chunk ends at a change of type or here, never where a read happened to end: chunks, and the blocks made
// from them, must not depend on timing.
enum { CHUNK_LINES = 65536, CHUNK_BYTES = 1 << 20 };
enum { PLACE_MAX = 32 };  // [bytes] ": block 4294967295", ":" and the number of a line

cd_encoding cd_reader_encoding(const cd_reader *reader) { return reader->encoding; }
int cd_reader_dim(const cd_reader *reader) { return reader->dim; }
cd_refs *cd_reader_refs(cd_reader *reader) { return &reader->refs; }
void cd_reader_count_ids(cd_reader *reader, cd_record_type type) { reader->counted |= UINT64_C(1) << type; }
const char *cd_reader_where(const cd_reader *reader) { return reader->where; }

cd_status cd_reader_open_fd(int fd, const char *name, const cd_limits *limits, cd_reader **reader, cd_diag *diag)
{
    cd_reader *r = cd_alloc(sizeof *r);
    memset(r, 0, sizeof *r);
    r->limits = *limits;
    size_t length = strlen(name);
    r->name = cd_alloc(length + 1);
    memcpy(r->name, name, length + 1);
    r->where_size = length + PLACE_MAX;
    r->where = cd_alloc(r->where_size);
    memcpy(r->where, name, length + 1);
    *reader = r;
    (void)fcntl(fd, F_SETPIPE_SZ, 1 << 20);  // fewer wake-ups a megabyte; refused for files, harmless
    CD_TRY(cd_input_open(&r->input, fd, r->name, diag));
    CD_TRY(cd_input_need(&r->input, CD_MAGIC_SIZE, diag));
    size_t have = r->input.end - r->input.start;
    const char *bytes = r->input.data + r->input.start;
    if (have == 0)
        return cd_fail(diag, CD_ERR_TRUNCATED, "%s: empty input: no head record", r->name);
    if (bytes[0] == '{') {
        r->encoding = CD_ENCODING_JSON;
        return CD_OK;
    }
    r->encoding = CD_ENCODING_BINARY;
    size_t known = have < CD_MAGIC_SIZE ? have : CD_MAGIC_SIZE;
    if (memcmp(bytes, cd_magic, known))
        return cd_fail(diag, CD_ERR_FORMAT, "%s: neither JSON-lines nor a binary cdtools stream", r->name);
    if (have < CD_MAGIC_SIZE)
        return cd_fail(diag, CD_ERR_TRUNCATED, "%s: stops inside the first %d bytes", r->name, CD_MAGIC_SIZE);
    r->pending = CD_MAGIC_SIZE;
    return CD_OK;
}

cd_status cd_reader_open(const char *path, const cd_limits *limits, cd_reader **reader, cd_diag *diag)
{
    *reader = NULL;
    if (!path || !strcmp(path, "-"))
        return cd_reader_open_fd(STDIN_FILENO, "stdin", limits, reader, diag);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cd_fail(diag, CD_ERR_IO, "%s: %s", path, strerror(errno));
    return cd_reader_open_fd(fd, path, limits, reader, diag);
}

void cd_reader_close(cd_reader *reader)
{
    if (!reader)
        return;
    cd_input_close(&reader->input);
    cd_refs_release(&reader->refs);
    cd_arena_release(&reader->scratch);
    cd_free(reader->foreign);
    cd_free(reader->line_offset);
    cd_free(reader->line_length);
    cd_free(reader->line_text);
    cd_free(reader->where);
    cd_free(reader->name);
    cd_free(reader);
}

// ---- JSON-lines ----------------------------------------------------------------------------------------------------

static cd_status find_line(cd_reader *reader, size_t from, size_t *length, cd_diag *diag)
{
    cd_input *input = &reader->input;
    size_t scanned = from;
    for (;;) {
        size_t have = input->end - input->start;
        const char *base = input->data + input->start;
        const char *newline = have > scanned ? memchr(base + scanned, '\n', have - scanned) : NULL;
        *length = (newline ? (size_t)(newline - base) : have) - from;
        if (newline && *length <= (size_t)reader->limits.line)
            return CD_OK;
        scanned = have;
        if (*length > (size_t)reader->limits.line)
            return cd_fail(diag, CD_ERR_LIMIT,
                           "%s:%" PRId64 ": line longer than %" PRId64 " bytes (--max-line raises the limit)",
                           reader->name, reader->line + 1, reader->limits.line);
        if (input->at_end)
            return have == from
                       ? CD_END
                       : cd_fail(diag, CD_ERR_TRUNCATED, "%s:%" PRId64 ": last line without newline: the stream is cut",
                                 reader->name, reader->line + 1);
        CD_TRY(cd_input_need(input, have + 1, diag));
    }
}

static bool is_type_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// The type word of a line: {"type":"NAME" at its start, or wherever the general parse finds it.
static cd_status line_type(cd_reader *reader, const char *line, size_t length, char name[TYPE_MAX + 1], cd_diag *diag)
{
    static const char prefix[] = "{\"type\":\"";
    const char *word = line + sizeof prefix - 1;
    size_t n = 0;
    if (length >= sizeof prefix && !memcmp(line, prefix, sizeof prefix - 1)) {
        while (word + n < line + length && is_type_character(word[n]))
            n++;
        if (word + n >= line + length || word[n] != '"')
            n = 0;
    }
    if (n == 0 && cd_json_type(&reader->scratch, line, length, &word, &n, diag) != CD_OK)
        return cd_fail_at(diag, CD_ERR_FORMAT, "%s:%" PRId64, reader->name, reader->line + 1);
    bool legal = n > 0 && n <= TYPE_MAX && word[0] >= 'a' && word[0] <= 'z';
    for (size_t i = 0; legal && i < n; i++)
        legal = is_type_character(word[i]);
    if (!legal)
        return cd_fail(diag, CD_ERR_FORMAT,
                       "%s:%" PRId64 ": type: wanted 1 to %d characters a-z, 0-9, _ or -, a letter first", reader->name,
                       reader->line + 1, TYPE_MAX);
    memcpy(name, word, n);
    name[n] = '\0';
    return CD_OK;
}

static void remember_line(cd_reader *reader, int32_t index, size_t offset, size_t length)
{
    if ((size_t)index == reader->line_capacity) {
        size_t capacity = reader->line_capacity ? 2 * reader->line_capacity : 256;
        reader->line_offset = cd_realloc(reader->line_offset, capacity * sizeof *reader->line_offset);
        reader->line_length = cd_realloc(reader->line_length, capacity * sizeof *reader->line_length);
        reader->line_text = cd_realloc(reader->line_text, capacity * sizeof *reader->line_text);
        reader->line_capacity = capacity;
    }
    reader->line_offset[index] = offset;
    reader->line_length[index] = length;
}

// Records that stand alone are handed on at once, without waiting for the line behind them.
static bool stands_alone(cd_record_type type)
{
    return type == CD_REC_head || type == CD_REC_frame || type == CD_REC_fend || type == CD_REC_end;
}

static cd_status next_lines(cd_reader *reader, cd_chunk *chunk, cd_diag *diag)
{
    cd_input *input = &reader->input;
    size_t size = 0;
    int32_t count = 0;
    // Lines of one type, as many as go into a chunk.
    while (count < CHUNK_LINES && size < CHUNK_BYTES) {
        size_t length = 0;
        cd_status status = find_line(reader, size, &length, diag);
        if (status == CD_END) {
            if (count > 0)
                break;
            return cd_fail(diag, CD_ERR_TRUNCATED, "%s:%" PRId64 ": no end record: the stream is cut", reader->name,
                           reader->line);
        }
        CD_TRY(status);
        char name[TYPE_MAX + 1];
        CD_TRY(line_type(reader, input->data + input->start + size, length, name, diag));
        if (count > 0 && strcmp(name, chunk->name))
            break;
        if (count == 0) {
            memcpy(chunk->name, name, sizeof chunk->name);
            chunk->type = cd_record_find(name, strlen(name));
            chunk->line = reader->line + 1;
        }
        remember_line(reader, count++, size, length);
        reader->line++;
        size += length + 1;
        if (stands_alone(chunk->type))
            break;
    }
    // The window stays where it is from here on: offsets become pointers.
    chunk->encoding = CD_ENCODING_JSON;
    chunk->row_count = count;
    chunk->lines = input->data + input->start;
    chunk->lines_size = size;
    for (int32_t i = 0; i < count; i++)
        reader->line_text[i] = chunk->lines + reader->line_offset[i];
    chunk->text = reader->line_text;
    chunk->length = reader->line_length;
    reader->pending = size;
    snprintf(reader->where, reader->where_size, "%s:%" PRId64, reader->name, chunk->line);
    return CD_OK;
}

// ---- binary --------------------------------------------------------------------------------------------------------

// Every block has its place ready for what is wrong with it: written behind the name, which is there, without a format.
static void note_block(cd_reader *reader)
{
    static const char words[] = ": block ";
    char digit[10], *end = reader->where + reader->where_size - PLACE_MAX;
    int count = 0;
    for (uint32_t rest = reader->sequence; rest > 0 || count == 0; rest /= 10)
        digit[count++] = (char)('0' + rest % 10);
    memcpy(end, words, sizeof words - 1);
    end += sizeof words - 1;
    while (count > 0)
        *end++ = digit[--count];
    *end = '\0';
}

static cd_status next_block(cd_reader *reader, cd_chunk *chunk, cd_diag *diag)
{
    cd_input *input = &reader->input;
    note_block(reader);
    CD_TRY(cd_input_need(input, CD_BLOCK_HEADER_SIZE, diag));
    size_t have = input->end - input->start;
    if (have == 0)
        return cd_fail(diag, CD_ERR_TRUNCATED, "%s: no end record: the stream is cut", reader->where);
    if (have < CD_BLOCK_HEADER_SIZE)
        return cd_fail(diag, CD_ERR_TRUNCATED, "%s: cut inside the block's header", reader->where);
    cd_block_header *header = &chunk->header;
    cd_status status =
        cd_block_header_read((const unsigned char *)input->data + input->start, &reader->limits, header, diag);
    if (status != CD_OK)
        return cd_fail_at(diag, status, "%s", reader->where);
    if (header->sequence != reader->sequence)
        return cd_fail(diag, CD_ERR_FORMAT, "%s: sequence: %" PRIu32 " found: a block is missing or out of order",
                       reader->where, header->sequence);
    size_t size = CD_BLOCK_HEADER_SIZE + (size_t)header->stored_size;
    CD_TRY(cd_input_need(input, size, diag));
    if (input->end - input->start < size)
        return cd_fail(diag, CD_ERR_TRUNCATED, "%s: %s: cut inside the block", reader->where, header->type);
    chunk->stored = input->data + input->start + CD_BLOCK_HEADER_SIZE;
    if (cd_crc32(0, chunk->stored, (size_t)header->stored_size) != header->payload_crc)
        return cd_fail(diag, CD_ERR_FORMAT, "%s: %s: checksum of the payload does not agree: damaged data",
                       reader->where, header->type);
    chunk->encoding = CD_ENCODING_BINARY;
    memcpy(chunk->name, header->type, sizeof chunk->name);
    chunk->type = cd_record_find(header->type, strlen(header->type));
    chunk->row_count = (int32_t)header->row_count;
    chunk->line = reader->sequence++;
    reader->pending = size;
    if (cd_frame_index_is(header))
        return CD_OK;
    if (chunk->type == CD_REC_UNKNOWN && (header->flags & CD_BLOCK_CRITICAL))
        return cd_fail(diag, CD_ERR_UNSUPPORTED, "%s: %s: critical block of a type this program does not know",
                       reader->where, header->type);
    return CD_OK;
}

// ---- the parts of a file that are wanted ---------------------------------------------------------------------------

void cd_reader_choose(cd_reader *reader, const cd_frame_range *range)
{
    cd_input *input = &reader->input;
    frame_choice *choice = &reader->choice;
    bool is_all = !range->only_last && range->first == 0 && range->last == INT64_MAX && range->step == 1;
    if (is_all || reader->encoding != CD_ENCODING_BINARY || input->gzip || input->bytes_read != CD_MAGIC_SIZE ||
        lseek(input->fd, 0, SEEK_CUR) != CD_MAGIC_SIZE)
        return;
    cd_frame_place first;
    if (!cd_frame_index_find(input->fd, &reader->limits, &choice->index) ||
        !cd_frame_index_row(&choice->index, 0, &first) || !cd_frame_index_holds(&choice->index, &first))
        return;
    choice->is_on = true;
    choice->range = *range;
    input->left = first.place - CD_MAGIC_SIZE;  // the head
}

int64_t cd_reader_place(const cd_reader *reader)
{
    const cd_input *input = &reader->input;
    return input->gzip ? -1 : input->bytes_read - (int64_t)(input->end - input->start);
}

int64_t cd_reader_records_before(const cd_reader *reader) { return reader->records - reader->last.row_count; }

int32_t cd_reader_again(const cd_reader *reader) { return reader->again; }

int64_t cd_reader_bytes(const cd_reader *reader) { return reader->input.bytes_read + reader->choice.index.bytes_read; }

// Goes to the next part that is wanted, in the end to the block `end`. An index that does not agree with the file is
// not asked again: from where the last part ended the rest is read through.
static cd_status go_on(cd_reader *reader, cd_diag *diag)
{
    frame_choice *choice = &reader->choice;
    cd_frame_index *index = &choice->index;
    int64_t here = lseek(reader->input.fd, 0, SEEK_CUR);
    int32_t first, behind;
    cd_frame_place start, stop = {.place = index->start};
    bool is_good = cd_frame_index_wanted(index, &choice->range, choice->next_row, &first, &behind, &start);
    if (is_good && behind < index->frames)
        is_good = cd_frame_index_row(index, behind, &stop) && cd_frame_index_holds(index, &stop);
    if (is_good && first == index->frames) {
        choice->is_on = false;
        choice->has_skipped = true;
        reader->sequence = index->sequence + 1;
        return cd_input_go_to(&reader->input, index->end_at, INT64_MAX, diag);
    }
    if (!is_good || !cd_frame_index_holds(index, &start) || start.place >= stop.place) {
        choice->is_on = false;
        return cd_input_go_to(&reader->input, here, INT64_MAX, diag);
    }
    choice->has_skipped |= start.place != here;
    choice->next_row = behind;
    choice->is_expected = true;
    choice->expected = start.index;
    reader->sequence = (uint32_t)start.sequence;
    return cd_input_go_to(&reader->input, start.place, stop.place - start.place, diag);
}

static cd_status next_known_block(cd_reader *reader, cd_chunk *chunk, cd_diag *diag)
{
    for (;;) {
        cd_input *input = &reader->input;
        if (reader->choice.is_on && input->left == 0 && input->start == input->end)
            CD_TRY(go_on(reader, diag));
        CD_TRY(next_block(reader, chunk, diag));
        if (!cd_frame_index_is(&chunk->header))
            return CD_OK;
        // The index says nothing of the content.
        if (reader->place != BETWEEN_FRAMES)
            return cd_fail(diag, CD_ERR_FORMAT, "%s: %s: belongs behind a frame", reader->where, chunk->name);
        reader->records++;
        input->start += reader->pending;
        reader->pending = 0;
    }
}

static cd_status next_chunk(cd_reader *reader, cd_chunk *chunk, cd_diag *diag)
{
    if (reader->last.type >= 0 && reader->last.row_count > 0 && !reader->last_was_decoded && reader->records > 0)
        cd_refs_add_rows(&reader->refs, reader->last.type, reader->last.row_count);
    reader->last.row_count = 0;
    reader->input.start += reader->pending;
    reader->pending = 0;
    memset(chunk, 0, sizeof *chunk);
    if (reader->place == AFTER_END) {
        CD_TRY(cd_input_need(&reader->input, 1, diag));
        if (reader->input.end > reader->input.start)
            return cd_fail(diag, CD_ERR_FORMAT, "%s: there are bytes behind the end record", reader->name);
        return CD_END;
    }
    CD_TRY(reader->encoding == CD_ENCODING_JSON ? next_lines(reader, chunk, diag)
                                                : next_known_block(reader, chunk, diag));
    return cd_reader_accept(reader, chunk, diag);
}

cd_status cd_reader_next(cd_reader *reader, cd_chunk *chunk, cd_diag *diag)
{
    cd_status status = next_chunk(reader, chunk, diag);
    if (status == CD_ERR_TRUNCATED && cd_output_is_part_name(reader->name))
        return cd_fail(diag, status,
                       "%s: unfinished: %" PRId64 " whole frames so far: its run goes on, or has stopped and waits for "
                       "cd-loop --resume",
                       reader->name, reader->frames);
    return status;
}

// ---- decode --------------------------------------------------------------------------------------------------------

cd_status cd_reader_rows(cd_reader *reader, const cd_chunk *chunk, bool borrow, cd_arena *arena, cd_rows *rows,
                         cd_diag *diag)
{
    const cd_record *record = &cd_records[chunk->type];
    memset(rows, 0, record->size);
    cd_row_form form = {record, chunk->type == CD_REC_head ? 0 : reader->dim, &reader->refs};
    if (chunk->encoding == CD_ENCODING_JSON) {
        int32_t bad_line = 0;
        cd_lines lines = {chunk->text, chunk->length, chunk->row_count};
        cd_status status = cd_json_decode(arena, form, lines, rows, &bad_line, diag);
        if (status != CD_OK)
            return cd_fail_at(diag, status, "%s:%" PRId64 ": %s", reader->name, chunk->line + bad_line, chunk->name);
        return CD_OK;
    }
    const void *raw;
    cd_status status = cd_block_unpack(arena, &chunk->header, chunk->stored, &raw, diag);
    bool is_readable_here = borrow && (uintptr_t)chunk->stored % 8 == 0;
    if (status == CD_OK && raw == chunk->stored && !is_readable_here) {
        void *copy = cd_arena_alloc(arena, (size_t)chunk->header.stored_size);  // the window moves on; columns stay
        raw = memcpy(copy, chunk->stored, (size_t)chunk->header.stored_size);
    }
    if (status == CD_OK)
        status = cd_columns_decode(arena, form, (cd_payload){raw, (size_t)chunk->header.raw_size, chunk->row_count},
                                   rows, diag);
    return status == CD_OK ? CD_OK : cd_fail_at(diag, status, "%s: %s", reader->where, chunk->name);
}

static cd_status decode_late(cd_reader *reader, const cd_chunk *chunk, bool borrow, cd_arena *arena, cd_rows *rows,
                             cd_diag *diag)
{
    CD_ASSERT(chunk->type != CD_REC_UNKNOWN);
    CD_TRY(cd_reader_rows(reader, chunk, borrow, arena, rows, diag));
    bool is_counted = chunk->encoding == CD_ENCODING_BINARY && reader->counted >> chunk->type & 1;
    if (is_counted || !cd_record_has_id(&cd_records[chunk->type])) {
        cd_refs_add_rows(&reader->refs, chunk->type, chunk->row_count);
        return CD_OK;
    }
    const int64_t *id = *(int64_t **)cd_field_column(&cd_records[chunk->type].field[0], rows);
    cd_status status = cd_refs_add_ids(&reader->refs, chunk->type, id, rows->count, diag);
    return status == CD_OK ? CD_OK : cd_fail_at(diag, status, "%s", reader->where);
}

static cd_status decode(cd_reader *reader, const cd_chunk *chunk, bool borrow, cd_arena *arena, cd_rows *rows,
                        cd_diag *diag)
{
    CD_ASSERT(!reader->last_was_decoded);
    cd_status status = decode_late(reader, chunk, borrow, arena, rows, diag);
    reader->last_was_decoded = status == CD_OK;
    return status;
}

cd_status cd_reader_decode(cd_reader *reader, const cd_chunk *chunk, cd_arena *arena, cd_rows *rows, cd_diag *diag)
{
    return decode(reader, chunk, false, arena, rows, diag);
}

cd_status cd_reader_decode_here(cd_reader *reader, const cd_chunk *chunk, cd_arena *arena, cd_rows *rows, cd_diag *diag)
{
    return decode(reader, chunk, true, arena, rows, diag);
}

cd_status cd_reader_decode_late(cd_reader *reader, const cd_chunk *chunk, cd_arena *arena, cd_rows *rows, cd_diag *diag)
{
    return decode_late(reader, chunk, true, arena, rows, diag);
}

cd_status cd_reader_check_lines(const cd_reader *reader, const cd_chunk *chunk, cd_arena *scratch, cd_diag *diag)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_status status = CD_OK;
    cd_json_members members = {0};
    for (int32_t i = 0; chunk->encoding == CD_ENCODING_JSON && status == CD_OK && i < chunk->row_count; i++) {
        status = cd_json_scan(scratch, chunk->text[i], chunk->length[i], &members, diag);
        if (status == CD_OK)
            status = cd_json_members_check(scratch, &members, diag);
        if (status != CD_OK)
            cd_fail_at(diag, status, "%s:%" PRId64 ": %s", reader->name, chunk->line + i, chunk->name);
    }
    cd_arena_rewind(scratch, mark);
    return status;
}
