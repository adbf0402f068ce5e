// A small stream in memory that holds tables of any choice of record types with random rows, and reading it back whole.
// SPDX-License-Identifier: MIT
#ifndef TEST_STREAM_BUILDER_H
#define TEST_STREAM_BUILDER_H

#include "cd_output.h"
#include "cd_reader.h"
#include "cd_rows.h"
#include "cd_writer.h"
#include "test_columns_random.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const cd_limits test_limits = {.line = 1 << 26, .block = 1 << 30, .rows = 200000000};

typedef struct test_bytes {
    char *data;
    size_t size;
} test_bytes;

static inline test_bytes bytes_of(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    test_bytes bytes = {cd_alloc((size_t)size), (size_t)size};
    for (size_t at = 0; at < bytes.size;) {
        ssize_t got = pread(fd, bytes.data + at, bytes.size - at, (off_t)at);
        if (got <= 0)
            abort();
        at += (size_t)got;
    }
    return bytes;
}

static inline int memory_file(const void *data, size_t size)
{
    int fd = memfd_create("stream", MFD_CLOEXEC);
    if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size) || lseek(fd, 0, SEEK_SET) != 0)
        abort();
    return fd;
}

// What a table of `type` needs before it: everything it refers to, and so on.
static inline uint64_t with_targets(uint64_t set)
{
    for (uint64_t grown = set;; set = grown) {
        for (int type = 0; type < CD_REC_COUNT; type++)
            for (int32_t f = 0; (set >> type & 1) && f < cd_records[type].field_count; f++)
                if (cd_records[type].field[f].target != CD_REC_UNKNOWN)
                    grown |= UINT64_C(1) << cd_records[type].field[f].target;
        if (grown == set)
            return set;
    }
}

static inline int32_t rows_of(int type, int32_t rows) { return type == CD_REC_head || type == CD_REC_frame ? 1 : rows; }

// JSON puts defaults for what a part leaves out; here they are written out, so that both encodings hold the same.
static inline void complete_parts(cd_arena *arena, int dim, cd_shape_rows *shape)
{
    int32_t count = shape->parts_shape.offset[shape->count];
    int width = dim == 2 ? 1 : 4;
    if (!shape->parts_position.offset)
        shape->parts_position =
            (cd_list){.offset = shape->parts_shape.offset, .f64 = CD_ARENA_ZARRAY(arena, double, count *dim)};
    if (shape->parts_rotation.offset)
        return;
    shape->parts_rotation =
        (cd_list){.offset = shape->parts_shape.offset, .f64 = CD_ARENA_ZARRAY(arena, double, count *width)};
    for (int32_t i = 0; i < count && width == 4; i++)
        shape->parts_rotation.f64[4 * i] = 1;
}

// Fills the tables of `set` in `model`; ids are 7, 10, 13 ... or, `shuffled`, out of order. `refs` then knows them all.
static inline void random_model(cd_arena *arena, uint64_t set, int dim, int32_t rows, uint64_t seed, bool with_absent,
                                bool shuffled, cd_model *model, cd_refs *refs)
{
    memset(model, 0, sizeof *model);
    model->dim = dim;
    for (int type = 0; type < CD_REC_COUNT; type++) {
        if (!(set >> type & 1) || type == CD_REC_fend || type == CD_REC_end)
            continue;
        const cd_record *record = &cd_records[type];
        random_tables t = {arena, {seed + (uint64_t)type}, dim, with_absent, refs};
        cd_rows *table = cd_model_rows(model, (cd_record_type)type);
        random_rows(&t, record, rows_of(type, rows), table);
        if (type == CD_REC_shape)
            complete_parts(arena, dim, &model->shape);
        if (type == CD_REC_head) {
            int32_t *words = CD_ARENA_ARRAY(arena, int32_t, 4);
            words[0] = 0, words[1] = 2, words[2] = 1, words[3] = 0;
            model->head.cds = (cd_list){.offset = words, .i32 = words + 2};
        }
        if (!cd_record_has_id(record)) {
            cd_refs_add_rows(refs, (cd_record_type)type, table->count);
            continue;
        }
        int64_t *id = *(int64_t **)cd_field_column(&record->field[0], table);
        for (int32_t i = 0; i < table->count; i++)
            id[i] = shuffled ? 7 + (i * 11) % table->count : 7 + 3 * i;
        if (cd_refs_add_ids(refs, (cd_record_type)type, id, table->count, NULL) != CD_OK)
            abort();
    }
}

// Writes the model as a stream of one frame; its bytes are the caller's.
static inline test_bytes write_model(const cd_model *model, uint64_t set, const cd_refs *refs, cd_encoding encoding,
                                     int level)
{
    cd_diag diag = {""};
    int fd = memory_file("", 0);
    cd_writer *writer;
    cd_writer_options options = {.encoding = encoding, .level = level, .counts = true, .limits = test_limits};
    cd_status status = cd_writer_open_fd(fd, &options, &writer, &diag);
    bool has_frame = false;
    for (int type = 0; status == CD_OK && type < CD_REC_COUNT; type++) {
        const cd_rows *table = cd_model_rows((cd_model *)(uintptr_t)model, (cd_record_type)type);
        has_frame = has_frame || type == CD_REC_frame;
        if ((set >> type & 1) && type != CD_REC_fend && type != CD_REC_end)
            status = cd_writer_rows(writer, (cd_record_type)type, model->dim, refs, table, &diag);
    }
    if (status == CD_OK && (set & CD_BIT(frame)))
        status = cd_writer_frame_end(writer, &diag);
    if (status == CD_OK)
        status = cd_writer_end(writer, &diag);
    if (status != CD_OK) {
        fprintf(stderr, "%s\n", diag.text);
        abort();
    }
    cd_writer_close(writer);
    test_bytes bytes = bytes_of(fd);
    close(fd);
    return bytes;
}

typedef enum test_use { PASS_ONLY, DECODE_ALL } test_use;

// Reads a whole stream from `fd` (which it closes); CD_OK when it is complete. Decoded tables are appended to `model`
// unless NULL.
static inline cd_status read_stream(int fd, test_use use, const cd_limits *limits, cd_arena *arena, cd_model *model,
                                    cd_diag *diag)
{
    cd_reader *reader = NULL;
    cd_status status = cd_reader_open_fd(fd, "test", limits, &reader, diag);
    cd_chunk chunk;
    while (status == CD_OK && (status = cd_reader_next(reader, &chunk, diag)) == CD_OK) {
        if (use == PASS_ONLY || chunk.type == CD_REC_UNKNOWN)
            continue;
        cd_rows *rows = cd_arena_zalloc(arena, cd_records[chunk.type].size);
        status = cd_reader_decode(reader, &chunk, arena, rows, diag);
        if (status == CD_OK && model) {
            model->dim = cd_reader_dim(reader);
            cd_rows_append(arena, &cd_records[chunk.type], model->dim, cd_model_rows(model, chunk.type), rows);
        }
    }
    cd_reader_close(reader);
    return status == CD_END ? CD_OK : status;
}

static inline cd_status read_bytes(const void *data, size_t size, test_use use, cd_arena *arena, cd_model *model,
                                   cd_diag *diag)
{
    diag->text[0] = '\0';
    return read_stream(memory_file(data, size), use, &test_limits, arena, model, diag);
}

// The stream passed chunk by chunk into another encoding.
static inline cd_status transcode(test_bytes from, cd_encoding encoding, int level, test_bytes *to, cd_diag *diag)
{
    cd_reader *reader = NULL;
    cd_writer *writer = NULL;
    int fd = memory_file("", 0);
    cd_writer_options options = {.encoding = encoding, .level = level, .counts = true, .limits = test_limits};
    cd_status status = cd_writer_open_fd(fd, &options, &writer, diag);
    if (status == CD_OK)
        status = cd_reader_open_fd(memory_file(from.data, from.size), "test", &test_limits, &reader, diag);
    cd_chunk chunk;
    while (status == CD_OK && (status = cd_reader_next(reader, &chunk, diag)) == CD_OK)
        status = chunk.type == CD_REC_fend  ? cd_writer_frame_end(writer, diag)
                 : chunk.type == CD_REC_end ? CD_OK
                                            : cd_writer_pass(writer, reader, &chunk, NULL, diag);
    if (status == CD_END)
        status = cd_writer_end(writer, diag);
    cd_reader_close(reader);
    cd_writer_close(writer);
    *to = bytes_of(fd);
    close(fd);
    return status;
}

#endif
