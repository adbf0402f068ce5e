// SPDX-License-Identifier: MIT
#include "matrix_market.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>

enum { LINE_MOST = 4096, FIELDS_MOST = 6 };  // an entry needs 60 characters, the banner 5 words

typedef enum symmetry { GENERAL, SYMMETRIC, SKEW } symmetry;

typedef struct reader {
    const char *name;  // for messages
    FILE *file;
    int64_t line;  // number of the line in `text`, from 1
    char text[LINE_MOST + 2];
    char *field[FIELDS_MOST + 1];
    int field_count;  // FIELDS_MOST + 1: more than any line may have
    bool may_be_infinite;
    cd_diag *diag;
    // from the banner and the size line
    bool is_array, is_integer;
    symmetry symmetry;
    int32_t rows, columns;
    int64_t announced;  // entries of the file
    int64_t size_line;
} reader;

cd_status cd_mm_fail_at(const char *name, int64_t line, cd_status status, cd_diag *diag)
{
    return line > 0 ? cd_fail_at(diag, status, "%s:%lld", name, (long long)line) : cd_fail_at(diag, status, "%s", name);
}

// "file:line: reason"; the caller's reason is a printf format.
static cd_status fail(reader *r, cd_status status, const char *format, ...) CD_PRINTF(3, 4);
static cd_status fail(reader *r, cd_status status, const char *format, ...)
{
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return cd_mm_fail_at(r->name, r->line, cd_fail(r->diag, status, "%s", reason), r->diag);
}

static int32_t shown_line(int64_t line) { return line <= INT32_MAX ? (int32_t)line : 0; }

// Reads a line into r->text, without its end. CD_END at the end of the file.
static cd_status next_line(reader *r)
{
    r->line++;
    if (!fgets(r->text, sizeof r->text, r->file)) {
        if (ferror(r->file))
            return cd_fail(r->diag, CD_ERR_IO, "%s: read: %s", r->name, strerror(errno));
        return CD_END;
    }
    size_t length = strlen(r->text);
    if (length > LINE_MOST)
        return fail(r, CD_ERR_LIMIT, "a line is longer than %d characters", LINE_MOST);
    if (length == 0 || (r->text[length - 1] != '\n' && !feof(r->file)))
        return fail(r, CD_ERR_FORMAT, "a NUL character");
    return CD_OK;
}

static void split(reader *r)
{
    char *save = NULL, *word = strtok_r(r->text, " \t\r\n", &save);
    for (r->field_count = 0; word && r->field_count <= FIELDS_MOST; word = strtok_r(NULL, " \t\r\n", &save))
        r->field[r->field_count++] = word;
}

// The next line that is neither blank nor a comment, split into fields.
static cd_status next_fields(reader *r)
{
    do {
        CD_TRY(next_line(r));
        if (r->text[0] == '%')
            r->field_count = 0;
        else
            split(r);
    } while (r->field_count == 0);
    return CD_OK;
}

static cd_status read_count(reader *r, const char *text, const char *what, int64_t least, int64_t most, int64_t *out)
{
    char *end;
    errno = 0;
    long long value = text[0] >= '0' && text[0] <= '9' ? strtoll(text, &end, 10) : (end = (char *)text, 0);
    if (end == text || *end || errno)
        return fail(r, CD_ERR_FORMAT, "%s is not a whole number: %.40s", what, text);
    if (value < least)
        return fail(r, CD_ERR_FORMAT, "%s is %lld, the least is %lld", what, value, (long long)least);
    if (value > most)
        return fail(r, CD_ERR_LIMIT, "%s is %lld, the most is %lld", what, value, (long long)most);
    *out = value;
    return CD_OK;
}

static cd_status read_number(reader *r, const char *text, double *out)
{
    if (r->may_be_infinite) {
        const char *word = text[0] == '-' || text[0] == '+' ? text + 1 : text;
        if (strcasecmp(word, "inf") == 0 || strcasecmp(word, "infinity") == 0) {
            *out = text[0] == '-' ? -INFINITY : INFINITY;
            return CD_OK;
        }
    }
    char *end;
    *out = strtod(text, &end);
    if (end == text || *end || strspn(text, r->is_integer ? "+-0123456789" : "+-.0123456789eE") != strlen(text))
        return fail(r, CD_ERR_FORMAT, "not %s: %.40s", r->is_integer ? "a whole number" : "a number", text);
    if (!isfinite(*out))
        return fail(r, CD_ERR_FORMAT, "too large for a double: %.40s", text);
    return CD_OK;
}

static cd_status read_banner(reader *r)
{
    cd_status status = next_line(r);
    if (status == CD_END)
        return fail(r, CD_ERR_FORMAT, "the file is empty");
    CD_TRY(status);
    split(r);
    if (r->field_count != 5 || strcasecmp(r->field[0], "%%MatrixMarket") != 0 || strcasecmp(r->field[1], "matrix") != 0)
        return fail(r, CD_ERR_FORMAT, "the first line must be: %%%%MatrixMarket matrix FORMAT FIELD SYMMETRY");
    r->is_array = strcasecmp(r->field[2], "array") == 0;
    if (!r->is_array && strcasecmp(r->field[2], "coordinate") != 0)
        return fail(r, CD_ERR_FORMAT, "format is neither coordinate nor array: %.40s", r->field[2]);
    r->is_integer = strcasecmp(r->field[3], "integer") == 0;
    if (!r->is_integer && strcasecmp(r->field[3], "real") != 0 && strcasecmp(r->field[3], "double") != 0)
        return fail(r, CD_ERR_FORMAT, "field is neither real nor integer: %.40s", r->field[3]);
    if (strcasecmp(r->field[4], "general") == 0)
        r->symmetry = GENERAL;
    else if (strcasecmp(r->field[4], "symmetric") == 0)
        r->symmetry = SYMMETRIC;
    else if (strcasecmp(r->field[4], "skew-symmetric") == 0)
        r->symmetry = SKEW;
    else
        return fail(r, CD_ERR_FORMAT, "symmetry is none of general, symmetric, skew-symmetric: %.40s", r->field[4]);
    return CD_OK;
}

static cd_status read_size(reader *r)
{
    cd_status status = next_fields(r);
    if (status == CD_END)
        return fail(r, CD_ERR_FORMAT, "the size line is missing");
    CD_TRY(status);
    r->size_line = r->line;
    if (r->field_count != (r->is_array ? 2 : 3))
        return fail(r, CD_ERR_FORMAT, "the size line must be: %s",
                    r->is_array ? "ROWS COLUMNS" : "ROWS COLUMNS ENTRIES");
    int64_t rows, columns;
    CD_TRY(read_count(r, r->field[0], "the number of rows", 0, CD_MM_ROWS_MOST, &rows));
    CD_TRY(read_count(r, r->field[1], "the number of columns", 0, CD_MM_ROWS_MOST, &columns));
    r->rows = (int32_t)rows;
    r->columns = (int32_t)columns;
    if (r->symmetry != GENERAL && rows != columns)
        return fail(r, CD_ERR_FORMAT, "a symmetric matrix must be square, not %d x %d", r->rows, r->columns);
    if (!r->is_array)
        return read_count(r, r->field[2], "the number of entries", 0, CD_MM_ENTRIES_MOST, &r->announced);
    r->announced = r->symmetry == GENERAL     ? rows * columns
                   : r->symmetry == SYMMETRIC ? rows * (rows + 1) / 2
                                              : rows * (rows - 1) / 2;
    if (r->announced > CD_MM_ENTRIES_MOST)
        return fail(r, CD_ERR_LIMIT, "the array has %lld entries, the most is %d", (long long)r->announced,
                    CD_MM_ENTRIES_MOST);
    return CD_OK;
}

typedef struct entries {
    CD_LIST(int32_t) row;
    CD_LIST(int32_t) col;
    CD_LIST(int32_t) line;
    CD_LIST(double) value;
} entries;

static void add_entry(const reader *r, cd_arena *arena, entries *e, int32_t row, int32_t col, double value)
{
    cd_list_push(arena, &e->row, row);
    cd_list_push(arena, &e->col, col);
    cd_list_push(arena, &e->line, shown_line(r->line));
    cd_list_push(arena, &e->value, value);
}

// As many as the file announces, if there are bytes for them: a list that grows is copied, and each copy is fresh
// memory. (7.6 million entries: 330 MB so, 150 with room.)
static void make_room(reader *r, cd_arena *arena, entries *e)
{
    enum { ENTRY_LEAST = 6, NUMBER_LEAST = 2 };  // bytes of "1 1 1\n", of "1\n"
    struct stat about;
    if (fstat(fileno(r->file), &about) != 0 || !S_ISREG(about.st_mode))
        return;
    const int64_t most = about.st_size / (r->is_array ? NUMBER_LEAST : ENTRY_LEAST),
                  lines = r->announced < most ? r->announced : most, room = r->symmetry == GENERAL ? lines : 2 * lines;
    // CD_MM_ENTRIES_MOST is far below 2^30
    e->row.capacity = e->col.capacity = e->line.capacity = e->value.capacity = (int32_t)room;
    e->row.item = CD_ARENA_ARRAY(arena, int32_t, room);
    e->col.item = CD_ARENA_ARRAY(arena, int32_t, room);
    e->line.item = CD_ARENA_ARRAY(arena, int32_t, room);
    e->value.item = CD_ARENA_ARRAY(arena, double, room);
}

// One line of the body. (row, col): the place of the next number of an array file, column by column; set by coordinate
// lines.
static cd_status read_entry(reader *r, int32_t *row, int32_t *col, double *value)
{
    if (r->field_count != (r->is_array ? 1 : 3))
        return fail(r, CD_ERR_FORMAT, "an entry line must be: %s", r->is_array ? "VALUE" : "ROW COLUMN VALUE");
    if (!r->is_array) {
        int64_t i, j;
        CD_TRY(read_count(r, r->field[0], "the row", 1, CD_MM_ROWS_MOST, &i));
        CD_TRY(read_count(r, r->field[1], "the column", 1, CD_MM_ROWS_MOST, &j));
        if (i > r->rows || j > r->columns)
            return fail(r, CD_ERR_FORMAT, "entry (%lld, %lld) lies outside %d x %d", (long long)i, (long long)j,
                        r->rows, r->columns);
        if ((r->symmetry == SYMMETRIC && i < j) || (r->symmetry == SKEW && i <= j))
            return fail(r, CD_ERR_FORMAT, "entry (%lld, %lld) is not in the lower triangle", (long long)i,
                        (long long)j);
        *row = (int32_t)i - 1;
        *col = (int32_t)j - 1;
    }
    return read_number(r, r->field[r->is_array ? 0 : 2], value);
}

static cd_status read_body(reader *r, cd_arena *arena, entries *e)
{
    int32_t row = r->symmetry == SKEW ? 1 : 0, col = 0;
    int64_t count = 0;
    for (;; count++) {
        cd_status status = next_fields(r);
        if (status == CD_END)
            break;
        CD_TRY(status);
        if (count == r->announced)
            return fail(r, CD_ERR_FORMAT, "more than the announced %lld entries", (long long)r->announced);
        double value = 0;
        CD_TRY(read_entry(r, &row, &col, &value));
        if (!r->is_array || value != 0)
            add_entry(r, arena, e, row, col, value);
        if (r->symmetry != GENERAL && row != col && (!r->is_array || value != 0))
            add_entry(r, arena, e, col, row, r->symmetry == SKEW ? -value : value);
        if (r->is_array && ++row == r->rows) {
            col++;
            row = r->symmetry == GENERAL ? 0 : r->symmetry == SYMMETRIC ? col : col + 1;
        }
    }
    if (count < r->announced)
        return fail(r, CD_ERR_FORMAT, "%lld entries announced, %lld found", (long long)r->announced, (long long)count);
    return CD_OK;
}

static cd_status read_open_file(reader *r, cd_arena *arena, entries *e)
{
    CD_TRY(read_banner(r));
    CD_TRY(read_size(r));
    make_room(r, arena, e);
    return read_body(r, arena, e);
}

static cd_status read_file(reader *r, const char *path, cd_arena *arena, entries *e)
{
    bool is_stdin = strcmp(path, "-") == 0;
    r->name = is_stdin ? "stdin" : path;
    r->file = is_stdin ? stdin : fopen(path, "r");
    if (!r->file)
        return cd_fail(r->diag, CD_ERR_IO, "%s: %s", path, strerror(errno));
    cd_status status = read_open_file(r, arena, e);
    if (!is_stdin)
        fclose(r->file);
    return status;
}

cd_status cd_mm_read_matrix(const char *path, cd_arena *arena, cd_mm_matrix *out, cd_diag *diag)
{
    reader r = {.diag = diag};
    entries e = {0};
    CD_TRY(read_file(&r, path, arena, &e));
    *out = (cd_mm_matrix){.rows = r.rows,
                          .columns = r.columns,
                          .entry_count = e.row.count,
                          .row = e.row.item,
                          .col = e.col.item,
                          .value = e.value.item,
                          .source = {r.name, shown_line(r.size_line), e.line.item}};
    return CD_OK;
}

// Repeated entries may come to no number, or to an infinite one.
static cd_status check_sums(reader *r, const double *x, int32_t length, const int32_t *line)
{
    for (int32_t k = 0; k < length; k++) {
        if (isnan(x[k]) || (isinf(x[k]) && !r->may_be_infinite))
            return cd_mm_fail_at(r->name, line[k],
                                 cd_fail(r->diag, CD_ERR_FORMAT, "repeated entries of row %d add up to %s", k + 1,
                                         isnan(x[k]) ? "inf - inf" : "no finite double"),
                                 r->diag);
    }
    return CD_OK;
}

// expected < 0: any length.
static cd_status read_vector(const char *path, int32_t expected, reader *r, cd_arena *arena, double **out,
                             int32_t *length, cd_mm_source *source)
{
    entries e = {0};
    CD_TRY(read_file(r, path, arena, &e));
    r->line = r->size_line;
    *length = r->columns == 1 ? r->rows : r->columns;
    if (r->rows != 1 && r->columns != 1)
        return fail(r, CD_ERR_FORMAT, "%d x %d is no vector", r->rows, r->columns);
    if (expected >= 0 && *length != expected)
        return fail(r, CD_ERR_FORMAT, "%d numbers, the matrix has %d rows", *length, expected);
    *out = CD_ARENA_ZARRAY(arena, double, *length);
    *source = (cd_mm_source){r->name, shown_line(r->size_line), CD_ARENA_ZARRAY(arena, int32_t, *length)};
    for (int32_t k = 0; k < e.row.count; k++) {
        const int32_t place = r->columns == 1 ? e.row.item[k] : e.col.item[k];
        (*out)[place] += e.value.item[k];
        source->line[place] = e.line.item[k];
    }
    return check_sums(r, *out, *length, source->line);
}

cd_status cd_mm_read_vector(const char *path, int32_t expected, bool may_be_infinite, cd_arena *arena, double **out,
                            cd_diag *diag)
{
    reader r = {.diag = diag, .may_be_infinite = may_be_infinite};
    int32_t length;
    cd_mm_source source;
    return read_vector(path, expected, &r, arena, out, &length, &source);
}

cd_status cd_mm_read_any_vector(const char *path, cd_arena *arena, double **out, int32_t *length, cd_mm_source *source,
                                cd_diag *diag)
{
    reader r = {.diag = diag};
    return read_vector(path, -1, &r, arena, out, length, source);
}

void cd_mm_write_vector(cd_buffer *out, int32_t n, const double *x)
{
    cd_buffer_printf(out, "%%%%MatrixMarket matrix array real general\n%d 1\n", n);
    for (int32_t i = 0; i < n; i++)
        cd_buffer_printf(out, "%.17g\n", x[i]);
}
