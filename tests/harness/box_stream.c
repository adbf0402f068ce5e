// SPDX-License-Identifier: MIT
#include "box_stream.h"

#include "cd_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

struct box_stream {
    const char *path;
    cd_reader *reader;  // NULL: rows of numbers
    FILE *rows;
    cd_arena head, part;
    double *min, *max;
    int64_t count, capacity;
    int dim;
    bool has_ended;  // no frame is left
    bool is_open;    // the record that opens the next frame was read
};

static void stop(const char *path, const char *what)
{
    fprintf(stderr, "%s: %s\n", path, what);
    exit(1);
}

box_stream *box_stream_open(const char *path)
{
    box_stream *stream = cd_alloc(sizeof *stream);
    *stream = (box_stream){.path = path, .dim = 3};
    size_t length = strlen(path);
    if (length > 4 && !strcmp(path + length - 4, ".f64")) {
        stream->rows = fopen(path, "rb");
        if (!stream->rows)
            stop(path, "cannot open");
        return stream;
    }
    cd_diag diag = {0};
    cd_limits limits = {.line = INT64_C(1) << 40, .block = INT64_C(1) << 40, .rows = INT32_MAX - 1};
    if (cd_reader_open(path, &limits, &stream->reader, &diag) != CD_OK)
        stop(path, diag.text);
    return stream;
}

void box_stream_close(box_stream *stream)
{
    cd_reader_close(stream->reader);
    if (stream->rows)
        fclose(stream->rows);
    cd_arena_release(&stream->head);
    cd_arena_release(&stream->part);
    cd_free(stream->min);
    cd_free(stream->max);
    cd_free(stream);
}

static void reserve(box_stream *stream, int64_t rows)
{
    if (stream->count + rows <= stream->capacity)
        return;
    stream->capacity = stream->capacity ? 2 * stream->capacity : 1024;
    while (stream->capacity < stream->count + rows)
        stream->capacity *= 2;
    size_t bytes = (size_t)stream->capacity * (size_t)stream->dim * sizeof(double);
    stream->min = cd_realloc(stream->min, bytes);
    stream->max = cd_realloc(stream->max, bytes);
}

static void take_bounds(box_stream *stream, const cd_bounds_rows *bounds)
{
    reserve(stream, bounds->count);
    size_t dim = (size_t)stream->dim, bytes = (size_t)bounds->count * dim * sizeof(double);
    memcpy(stream->min + (size_t)stream->count * dim, bounds->min, bytes);
    memcpy(stream->max + (size_t)stream->count * dim, bounds->max, bytes);
    stream->count += bounds->count;
}

static void read_rows(box_stream *stream)
{
    double row[6];
    while (fread(row, sizeof row, 1, stream->rows) == 1) {
        reserve(stream, 1);
        memcpy(stream->min + 3 * stream->count, row, 3 * sizeof *row);
        memcpy(stream->max + 3 * stream->count, row + 3, 3 * sizeof *row);
        stream->count++;
    }
    stream->has_ended = true;
}

// Reads up to a chunk of type `until`; false when the stream ends before it. Ids are decoded where references are by
// id.
static bool read_until(box_stream *stream, cd_record_type until)
{
    cd_diag diag = {0};
    cd_chunk chunk;
    bool is_json = cd_reader_encoding(stream->reader) == CD_ENCODING_JSON;
    for (;;) {
        cd_status status = cd_reader_next(stream->reader, &chunk, &diag);
        if (status == CD_END)
            return false;
        union {
            cd_rows rows;
            cd_bounds_rows bounds;
            cd_model any;  // room for every table
        } table;
        bool is_wanted =
            chunk.type == CD_REC_head || chunk.type == CD_REC_bounds || (chunk.type == CD_REC_body && is_json);
        if (status == CD_OK && is_wanted)
            status = cd_reader_decode(stream->reader, &chunk, chunk.type == CD_REC_head ? &stream->head : &stream->part,
                                      &table.rows, &diag);
        if (status != CD_OK)
            stop(stream->path, diag.text);
        if (chunk.type == CD_REC_head)
            stream->dim = cd_reader_dim(stream->reader);
        if (chunk.type == CD_REC_bounds)
            take_bounds(stream, &table.bounds);
        cd_arena_reset(&stream->part);
        if (chunk.type == until)
            return true;
    }
}

bool box_stream_is_last(box_stream *stream)
{
    if (!stream->has_ended && !stream->is_open && !stream->rows) {
        stream->is_open = read_until(stream, CD_REC_frame);
        stream->has_ended = !stream->is_open;
    }
    return stream->has_ended;
}

bool box_stream_next(box_stream *stream, box_frame *frame)
{
    bool is_first_row = stream->rows && !stream->has_ended;
    if (!is_first_row && (stream->rows || box_stream_is_last(stream)))
        return false;
    stream->count = 0;
    if (stream->rows)
        read_rows(stream);
    else
        stream->is_open = !read_until(stream, CD_REC_fend);
    *frame = (box_frame){stream->dim, (int32_t)stream->count, stream->min, stream->max};
    return true;
}

// ---- measuring -----------------------------------------------------------------------------------------------------

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double box_cpu_seconds(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }
double box_wall_seconds(void) { return seconds(CLOCK_MONOTONIC); }

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double box_median(double *value, int count)
{
    qsort(value, (size_t)count, sizeof *value, by_value);
    return value[count / 2];
}

static long status_kib(const char *name)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name)))
            kib = strtol(line + strlen(name), NULL, 10);
    if (file)
        fclose(file);
    return kib;
}

void box_peak_reset(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file) {
        fputs("5", file);
        fclose(file);
    }
}

long box_peak_kib(void)
{
    long kib = status_kib("VmHWM:");
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return kib >= 0 ? kib : usage.ru_maxrss;
}

long box_now_kib(void) { return status_kib("VmRSS:"); }
