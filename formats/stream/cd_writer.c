// SPDX-License-Identifier: MIT
#include "cd_writer.h"

#include "cd_assert.h"
#include "cd_frame_index.h"
#include "cd_output.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FLUSH_BYTES = 1 << 19,   // [bytes] gathered before a write: half a pipe; frames of some thousand rows wake the next
                             // stage once
    DIRECT_BYTES = 1 << 18,  // [bytes] from here on a passed payload is written from where it lies
    LARGE_BYTES = 8 << 20,   // [bytes] of a buffer that is not kept: only a block of a single large row needs so much
};

typedef struct row_count {
    char name[17];
    cd_record_type type;
    int64_t rows;
} row_count;

struct cd_writer {
    cd_writer_options options;
    int fd;
    cd_output output;  // of cd_writer_open; owns nothing when the descriptor is the caller's
    int level;
    cd_buffer out, payload;
    cd_arena scratch;
    cd_block_seen *seen;  // of cd_writer_watch, with its context
    void *seen_by;
    uint64_t left_out;  // cd_writer_leave_out
    uint32_t sequence;
    bool has_begun;
    bool in_frame;
    row_count *count;  // tables of the open frame, in order of arrival
    int32_t count_used, count_capacity;
    int64_t frames, records;
    int32_t again;  // of the open frame
    int64_t total[CD_REC_COUNT];
    int64_t written;        // [bytes] that left `out`
    bool has_index;         // the frames so far can be indexed, and this is a file
    cd_frame_place *frame;  // `frames` of them, and the open one
    int64_t frame_capacity;
};

cd_encoding cd_writer_encoding(const cd_writer *writer) { return writer->options.encoding; }
int64_t cd_writer_rows_written(const cd_writer *writer, cd_record_type type) { return writer->total[type]; }
void cd_writer_leave_out(cd_writer *writer, uint64_t tables) { writer->left_out = tables; }

static cd_status write_bytes(cd_writer *writer, const void *data, size_t size, cd_diag *diag)
{
    writer->written += (int64_t)size;
    return cd_output_write(writer->fd, writer->options.path ? writer->options.path : "stdout", data, size, diag);
}

static cd_status flush(cd_writer *writer, cd_diag *diag)
{
    size_t size = writer->out.size;
    writer->out.size = 0;
    cd_status status = write_bytes(writer, writer->out.data, size, diag);
    if (writer->out.capacity > LARGE_BYTES)
        cd_buffer_release(&writer->out);
    if (writer->payload.capacity > LARGE_BYTES)
        cd_buffer_release(&writer->payload);
    return status;
}

static cd_status flush_when_full(cd_writer *writer, cd_diag *diag)
{
    return writer->out.size >= FLUSH_BYTES ? flush(writer, diag) : CD_OK;
}

// ---- open and close ------------------------------------------------------------------------------------------------

cd_status cd_writer_open_fd(int fd, const cd_writer_options *options, cd_writer **writer, cd_diag *diag)
{
    *writer = NULL;
    if (options->encoding == CD_ENCODING_BINARY && isatty(fd))
        return cd_fail(diag, CD_ERR_USAGE,
                       "binary output to a terminal is refused: use -j, or send it to a file or pipe");
    cd_writer *w = cd_alloc(sizeof *w);
    memset(w, 0, sizeof *w);
    w->options = *options;
    w->fd = fd;
    w->output.fd = fd;
    w->level = options->level;
    struct stat info;
    bool is_file = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    if (w->level < 0)
        w->level = options->path || is_file ? 1 : 0;
    w->has_index = is_file && options->encoding == CD_ENCODING_BINARY;
    (void)fcntl(fd, F_SETPIPE_SZ, 1 << 20);
    *writer = w;
    return CD_OK;
}

cd_status cd_writer_open(const cd_writer_options *options, cd_writer **writer, cd_diag *diag)
{
    *writer = NULL;
    cd_output output;
    cd_status status = options->is_part ? cd_output_open_part(&output, options->path, diag)
                                        : cd_output_open(&output, options->path, diag);
    cd_writer_options own = *options;
    own.path = output.path;
    if (status == CD_OK)
        status = cd_writer_open_fd(output.fd, &own, writer, diag);
    if (status == CD_OK)
        (*writer)->output = output;
    else
        cd_output_discard(&output);
    return status;
}

cd_status cd_writer_continue(const cd_writer_options *options, const cd_writer_place *place, cd_writer **writer,
                             cd_diag *diag)
{
    *writer = NULL;
    cd_output output;
    cd_status status = cd_output_continue(&output, options->path, place->bytes, diag);
    if (status == CD_OK)
        status = cd_writer_open_fd(output.fd, options, writer, diag);
    if (status != CD_OK) {
        cd_output_discard(&output);
        return status;
    }
    cd_writer *w = *writer;
    w->output = output;
    w->has_begun = true;
    w->written = place->bytes;
    w->sequence = place->sequence;
    w->frames = place->frames;
    w->records = place->records;
    w->has_index &= place->frame != NULL && place->frames < CD_FRAME_INDEX_MOST;
    if (w->has_index && place->frames > 0) {
        w->frame_capacity = place->frames;
        w->frame = cd_alloc((size_t)place->frames * sizeof *w->frame);
        memcpy(w->frame, place->frame, (size_t)place->frames * sizeof *w->frame);
    }
    return CD_OK;
}

bool cd_writer_keeps_part(const cd_writer *writer) { return writer && writer->output.is_published; }

void cd_writer_close(cd_writer *writer)
{
    if (!writer)
        return;
    cd_output_discard(&writer->output);
    cd_buffer_release(&writer->out);
    cd_buffer_release(&writer->payload);
    cd_arena_release(&writer->scratch);
    cd_free(writer->count);
    cd_free(writer->frame);
    cd_free(writer);
}

// ---- counts --------------------------------------------------------------------------------------------------------

static void count_rows(cd_writer *writer, const char *name, cd_record_type type, int64_t rows)
{
    writer->records += rows;
    if (type != CD_REC_UNKNOWN)
        writer->total[type] += rows;
    if (type == CD_REC_frame) {
        writer->in_frame = true;
        writer->count_used = 0;
    }
    if (!writer->in_frame || type == CD_REC_frame || type == CD_REC_fend)
        return;
    for (int32_t i = 0; i < writer->count_used; i++)
        if (!strcmp(writer->count[i].name, name)) {
            writer->count[i].rows += rows;
            return;
        }
    if (writer->count_used == writer->count_capacity) {
        writer->count_capacity = writer->count_capacity ? 2 * writer->count_capacity : 32;
        writer->count = cd_realloc(writer->count, (size_t)writer->count_capacity * sizeof *writer->count);
    }
    row_count *entry = &writer->count[writer->count_used++];
    *entry = (row_count){.type = type, .rows = rows};
    snprintf(entry->name, sizeof entry->name, "%s", name);
}

// ---- the index -----------------------------------------------------------------------------------------------------

// Before the block of a frame record.
static void note_frame(cd_writer *writer, int64_t index)
{
    if (!writer->has_index)
        return;
    if (writer->frames == CD_FRAME_INDEX_MOST || (writer->frames && index < writer->frame[writer->frames - 1].index)) {
        writer->has_index = false;
        return;
    }
    if (writer->frames == writer->frame_capacity) {
        writer->frame_capacity = writer->frame_capacity ? 2 * writer->frame_capacity : 256;
        writer->frame = cd_realloc(writer->frame, (size_t)writer->frame_capacity * sizeof *writer->frame);
    }
    writer->frame[writer->frames] =
        (cd_frame_place){index, writer->written + (int64_t)writer->out.size, writer->sequence};
}

// The same of a block that passes as it is.
static cd_status note_passed_frame(cd_writer *writer, const cd_chunk *chunk, const cd_rows *decoded, cd_diag *diag)
{
    if (decoded) {
        note_frame(writer, ((const cd_frame_rows *)(const void *)decoded)->index[0]);
        return CD_OK;
    }
    cd_arena_reset(&writer->scratch);
    const void *raw;
    CD_TRY(cd_block_unpack(&writer->scratch, &chunk->header, chunk->stored, &raw, diag));
    if (raw == chunk->stored) {
        void *aligned = cd_arena_alloc(&writer->scratch, (size_t)chunk->header.stored_size);
        raw = memcpy(aligned, raw, (size_t)chunk->header.stored_size);
    }
    cd_frame_rows frame;
    memset(&frame, 0, sizeof frame);
    cd_payload payload = {raw, (size_t)chunk->header.raw_size, chunk->row_count};
    CD_TRY(cd_columns_decode(&writer->scratch, (cd_row_form){&cd_records[CD_REC_frame], 2, NULL}, payload,
                             (cd_rows *)&frame, diag));
    note_frame(writer, frame.index[0]);
    return CD_OK;
}

static void put_index(cd_writer *writer)
{
    if (!writer->has_index || writer->frames == 0)
        return;
    cd_frame_index_write(writer->frame, (int32_t)writer->frames, writer->sequence++, &writer->out);
    writer->records++;
}

static void begin_stream(cd_writer *writer)
{
    if (!writer->has_begun && writer->options.encoding == CD_ENCODING_BINARY)
        cd_buffer_append(&writer->out, cd_magic, CD_MAGIC_SIZE);
    writer->has_begun = true;
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static uint32_t block_flags(cd_record_type type)
{
    cd_rank rank = cd_records[type].rank;
    bool critical = rank == CD_RANK_RUN || rank == CD_RANK_INPUT || rank == CD_RANK_END;
    return critical ? CD_BLOCK_CRITICAL : CD_BLOCK_SAFE_TO_COPY;
}

static cd_block_label next_label(cd_writer *writer, cd_record_type type, int32_t rows)
{
    return (cd_block_label){cd_records[type].name, block_flags(type), writer->sequence++, (uint32_t)rows};
}

// From the sizes of the columns that are there. Depends on content alone.
int32_t cd_writer_block_rows(cd_record_type type, int dim, const cd_rows *rows)
{
    const cd_record *record = &cd_records[type];
    double bytes = 8;
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        size_t item = (size_t)cd_field_width(field, dim) * cd_base_size(field->base);
        if (field->depth == 0 && *cd_field_column(field, rows)) {
            bytes += (double)item;
        } else if (field->depth == 1 && cd_field_list(field, rows)->offset) {
            const int32_t *offset = cd_field_list(field, rows)->offset;
            bytes += 4 + (double)item * (double)(offset[rows->count] - offset[0]) / rows->count;
        } else if (field->depth == 2 && cd_field_list2(field, rows)->offset) {
            const cd_list2 *list = cd_field_list2(field, rows);
            bytes += 8 + 4.0 * (list->inner[list->offset[rows->count]] - list->inner[list->offset[0]]) / rows->count;
        }
    }
    double count = CD_WRITER_BLOCK_BYTES / bytes;
    return count < 1 ? 1 : count > 65536 ? 65536 : (int32_t)count;
}

static size_t text_bytes(const char *const *text, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += text[i] ? strlen(text[i]) : 0;
    return bytes;
}

// What makes rows differ in size: items of their lists, and texts.
static size_t loose_bytes(cd_record_type type, int dim, const cd_rows *rows, int32_t first, int32_t count)
{
    size_t bytes = 0;
    for (int32_t f = 0; f < cd_records[type].field_count; f++) {
        const cd_field *field = &cd_records[type].field[f];
        size_t start = (size_t)first, items = (size_t)count;
        const void *data = NULL;
        if (field->depth == 0) {
            data = *cd_field_column(field, rows);
        } else if (field->depth == 1 && cd_field_list(field, rows)->offset) {
            const cd_list *list = cd_field_list(field, rows);
            start = (size_t)list->offset[first];
            items = (size_t)list->offset[first + count] - start;
            data = list->data;
        } else if (field->depth == 2 && cd_field_list2(field, rows)->offset) {
            const cd_list2 *list = cd_field_list2(field, rows);
            const int32_t *lists = list->offset + first;
            bytes += lists[count] > lists[0] ? 4 * (size_t)(list->inner[lists[count]] - list->inner[lists[0]]) : 0;
        }
        bool is_text = field->base == CD_BASE_TEXT && data;
        bytes += is_text ? text_bytes((const char *const *)data + start, items) : 0;
        bytes += field->depth == 1 ? items * (size_t)cd_field_width(field, dim) * cd_base_size(field->base) : 0;
    }
    return bytes;
}

// Rows from first on that go into one block. The mean says nothing of a million spheres and twenty meshes in a row.
static int32_t rows_together(cd_record_type type, int dim, const cd_rows *rows, int32_t first, int32_t count)
{
    while (count > 1 && loose_bytes(type, dim, rows, first, count) > CD_WRITER_BLOCK_MOST)
        count /= 2;
    return count;
}

// A result that no reader would take is a failure of this program, not of the next one.
static cd_status check_numbers(const cd_record *record, int dim, const cd_rows *rows, cd_diag *diag)
{
    int32_t row;
    const cd_field *field = cd_rows_bad_number(record, dim, rows, &row);
    if (!field)
        return CD_OK;
    return cd_fail(diag, CD_ERR_NUMERIC, "%s: %s of row %d of the result is not a finite number", record->name,
                   field->name, row);
}

void cd_writer_watch(cd_writer *writer, cd_block_seen *seen, void *context)
{
    writer->seen = seen;
    writer->seen_by = context;
}

static cd_status tell_block(const cd_writer *writer, size_t start, cd_diag *diag)
{
    const unsigned char *bytes = (const unsigned char *)writer->out.data + start;
    const cd_limits none = {INT64_MAX, INT64_MAX, INT64_MAX};
    cd_block_header header;
    CD_TRY(cd_block_header_read(bytes, &none, &header, diag));
    writer->seen(writer->seen_by, &header, bytes + CD_BLOCK_HEADER_SIZE);
    return CD_OK;
}

cd_status cd_writer_rows(cd_writer *writer, cd_record_type type, int dim, const cd_refs *refs, const cd_rows *rows,
                         cd_diag *diag)
{
    if (rows->count == 0)
        return CD_OK;
    const cd_record *record = &cd_records[type];
    CD_TRY(check_numbers(record, dim, rows, diag));
    begin_stream(writer);
    if (writer->left_out >> type & 1)
        return CD_OK;
    count_rows(writer, record->name, type, rows->count);
    if (type == CD_REC_frame)
        note_frame(writer, ((const cd_frame_rows *)(const void *)rows)->index[0]);
    int32_t step = cd_writer_block_rows(type, dim, rows);
    for (int32_t first = 0, count = 0; first < rows->count; first += count) {
        count = rows_together(type, dim, rows, first, rows->count - first < step ? rows->count - first : step);
        size_t before = writer->out.size;
        if (writer->options.encoding == CD_ENCODING_JSON) {
            cd_json_encode(record, dim, refs, rows, first, count, &writer->out);
        } else if (writer->level == 0) {
            size_t start = cd_block_open(&writer->out);
            cd_columns_encode(record, dim, rows, first, count, &writer->out);
            cd_block_close(next_label(writer, type, count), &writer->out, start);
        } else {
            writer->payload.size = 0;
            cd_columns_encode(record, dim, rows, first, count, &writer->payload);
            cd_block_write(next_label(writer, type, count), writer->payload.data, writer->payload.size, writer->level,
                           &writer->out);
        }
        if (writer->seen && writer->options.encoding == CD_ENCODING_BINARY)
            CD_TRY(tell_block(writer, before, diag));
        CD_TRY(flush_when_full(writer, diag));
    }
    return CD_OK;
}

// ---- pass ----------------------------------------------------------------------------------------------------------

// Stored bytes go on as they are, under a new sequence number. A raw block on its way into a file that is to be packed
// is packed.
static cd_status pass_block(cd_writer *writer, const cd_chunk *chunk, cd_diag *diag)
{
    cd_block_header header = chunk->header;
    bool is_raw = !(header.flags & CD_BLOCK_ZLIB);
    if (is_raw && writer->level > 0) {
        cd_block_label label = {header.type, header.flags, writer->sequence++, header.row_count};
        cd_block_write(label, chunk->stored, (size_t)header.stored_size, writer->level, &writer->out);
        return flush_when_full(writer, diag);
    }
    header.sequence = writer->sequence++;
    unsigned char bytes[CD_BLOCK_HEADER_SIZE];
    cd_block_header_write(&header, bytes);
    cd_buffer_append(&writer->out, bytes, sizeof bytes);
    if (header.stored_size < DIRECT_BYTES) {
        cd_buffer_append(&writer->out, chunk->stored, (size_t)header.stored_size);
        return flush_when_full(writer, diag);
    }
    CD_TRY(flush(writer, diag));
    return write_bytes(writer, chunk->stored, (size_t)header.stored_size, diag);
}

static cd_status transcode_unknown(cd_writer *writer, cd_reader *reader, const cd_chunk *chunk, cd_diag *diag)
{
    if (chunk->encoding == CD_ENCODING_BINARY) {
        const void *raw;
        CD_TRY(cd_block_unpack(&writer->scratch, &chunk->header, chunk->stored, &raw, diag));
        cd_payload payload = {raw, (size_t)chunk->header.raw_size, chunk->row_count};
        return cd_columns_unknown_to_json(&writer->scratch, chunk->name, cd_reader_refs(reader), payload, &writer->out,
                                          diag);
    }
    writer->payload.size = 0;
    cd_lines lines = {chunk->text, chunk->length, chunk->row_count};
    CD_TRY(cd_columns_unknown_from_json(chunk->name, lines, &writer->payload, diag));
    cd_block_label label = {chunk->name, CD_BLOCK_PRIVATE | CD_BLOCK_SAFE_TO_COPY, writer->sequence++,
                            (uint32_t)chunk->row_count};
    cd_block_write(label, writer->payload.data, writer->payload.size, writer->level, &writer->out);
    return CD_OK;
}

cd_status cd_writer_pass(cd_writer *writer, cd_reader *reader, const cd_chunk *chunk, const cd_rows *decoded,
                         cd_diag *diag)
{
    CD_ASSERT(chunk->type != CD_REC_fend && chunk->type != CD_REC_end);
    begin_stream(writer);
    if (chunk->type != CD_REC_UNKNOWN && (writer->left_out >> chunk->type & 1))
        return CD_OK;
    if (chunk->encoding == writer->options.encoding) {
        count_rows(writer, chunk->name, chunk->type, chunk->row_count);
        if (chunk->type == CD_REC_frame && writer->has_index)
            CD_TRY(note_passed_frame(writer, chunk, decoded, diag));
        if (chunk->encoding == CD_ENCODING_BINARY)
            return pass_block(writer, chunk, diag);
        cd_buffer_append(&writer->out, chunk->lines, chunk->lines_size);
        return flush_when_full(writer, diag);
    }
    cd_arena_reset(&writer->scratch);
    if (chunk->type == CD_REC_UNKNOWN) {
        count_rows(writer, chunk->name, chunk->type, chunk->row_count);
        cd_status status = transcode_unknown(writer, reader, chunk, diag);
        return status == CD_OK ? flush_when_full(writer, diag)
                               : cd_fail_at(diag, status, "%s: %s", cd_reader_where(reader), chunk->name);
    }
    union {
        cd_rows rows;
        cd_model any;  // room for every table
    } own;
    if (!decoded) {
        CD_TRY(cd_reader_decode(reader, chunk, &writer->scratch, &own.rows, diag));
        decoded = &own.rows;
    }
    return cd_writer_rows(writer, chunk->type, cd_reader_dim(reader), cd_reader_refs(reader), decoded, diag);
}

cd_status cd_writer_tables(cd_writer *writer, cd_model *model, bool of_head, cd_refs *refs, cd_diag *diag)
{
    for (int type = 0; type < CD_REC_COUNT; type++) {
        const cd_rows *rows = cd_model_rows(model, (cd_record_type)type);
        if (cd_records[type].is_head != of_head || rows->count == 0)
            continue;
        CD_TRY(cd_refs_add_table(refs, (cd_record_type)type, rows, diag));
        CD_TRY(cd_writer_rows(writer, (cd_record_type)type, model->dim, refs, rows, diag));
    }
    return CD_OK;
}

// ---- ends ----------------------------------------------------------------------------------------------------------

void cd_writer_note_again(cd_writer *writer, int32_t stages) { writer->again = stages; }

cd_status cd_writer_frame_end(cd_writer *writer, cd_diag *diag)
{
    const char *text = NULL;
    if (writer->options.encoding == CD_ENCODING_BINARY || writer->options.counts) {
        cd_buffer counts = {0};
        cd_buffer_text(&counts, "{");
        // Tables of the record model in its order, then foreign ones as they came.
        for (int type = 0; type <= CD_REC_COUNT; type++)
            for (int32_t i = 0; i < writer->count_used; i++)
                if (type < CD_REC_COUNT ? writer->count[i].type == (cd_record_type)type
                                        : writer->count[i].type == CD_REC_UNKNOWN)
                    cd_buffer_printf(&counts, "%s\"%s\":%" PRId64, counts.size > 1 ? "," : "", writer->count[i].name,
                                     writer->count[i].rows);
        cd_buffer_text(&counts, "}");
        cd_arena_reset(&writer->scratch);
        text = cd_arena_text(&writer->scratch, counts.data, counts.size);
        cd_buffer_release(&counts);
    }
    cd_fend_rows fend = {.count = 1, .rows = text ? &text : NULL, .again = writer->again > 0 ? &writer->again : NULL};
    CD_TRY(cd_writer_rows(writer, CD_REC_fend, 2, NULL, (cd_rows *)&fend, diag));
    writer->again = 0;
    writer->in_frame = false;
    writer->frames++;
    CD_TRY(flush(writer, diag));
    return cd_output_publish(&writer->output, diag);
}

cd_status cd_writer_end_part(cd_writer *writer, cd_diag *diag)
{
    bool counted = writer->options.encoding == CD_ENCODING_BINARY || writer->options.counts;
    put_index(writer);
    cd_end_rows end = {.count = 1, .frames = counted ? &writer->frames : NULL, .records = NULL};
    int64_t records = writer->records;
    end.records = counted ? &records : NULL;
    CD_TRY(cd_writer_rows(writer, CD_REC_end, 2, NULL, (cd_rows *)&end, diag));
    return flush(writer, diag);
}

cd_status cd_writer_end(cd_writer *writer, cd_diag *diag)
{
    CD_TRY(cd_writer_end_part(writer, diag));
    return cd_output_commit(&writer->output, diag);
}
