// SPDX-License-Identifier: MIT
#include "coulomb_siconos.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

enum { DENSE = 0, BLOCKS = 1, SPARSE = 2 };

typedef struct scanner {
    const char *name, *at, *end;
    int64_t line;
    cd_arena *arena;
    cd_diag *diag;
} scanner;

static cd_status read_number(scanner *s, const char *what, double *out)
{
    for (; s->at < s->end && isspace((unsigned char)*s->at); s->at++)
        s->line += *s->at == '\n';
    if (s->at == s->end)
        return cd_fail(s->diag, CD_ERR_FORMAT, "%s:%lld: the file ends before %s", s->name, (long long)s->line, what);
    char *stop;
    *out = strtod(s->at, &stop);
    if (stop == s->at || (stop < s->end && !isspace((unsigned char)*stop)) || !isfinite(*out))
        return cd_fail(s->diag, CD_ERR_FORMAT, "%s:%lld: %s: not a number: %.20s", s->name, (long long)s->line, what,
                       cd_arena_text(s->arena, s->at, strcspn(s->at, " \t\r\n")));
    s->at = stop;
    return CD_OK;
}

static cd_status read_count(scanner *s, const char *what, int32_t least, int32_t most, int32_t *out)
{
    double x;
    CD_TRY(read_number(s, what, &x));
    if (x != floor(x) || x < least || x > most)
        return cd_fail(s->diag, CD_ERR_FORMAT, "%s:%lld: %s is %g, not a whole number from %d to %d", s->name,
                       (long long)s->line, what, x, least, most);
    *out = (int32_t)x;
    return CD_OK;
}

typedef struct whole_numbers {
    CD_LIST(int32_t) at;
} whole_numbers;

static cd_status read_counts(scanner *s, const char *what, int32_t count, int32_t most, whole_numbers *out)
{
    for (int32_t k = 0; k < count; k++) {
        int32_t x;
        CD_TRY(read_count(s, what, 0, most, &x));
        cd_list_push(s->arena, &out->at, x);
    }
    return CD_OK;
}

static cd_status read_vector(scanner *s, const char *what, int32_t count, double **out)
{
    CD_LIST(double) list = {0};
    for (int32_t k = 0; k < count; k++) {
        double x;
        CD_TRY(read_number(s, what, &x));
        cd_list_push(s->arena, &list, x);
    }
    *out = list.item;
    return CD_OK;
}

typedef struct entries {
    CD_LIST(int32_t) row;
    CD_LIST(int32_t) col;
    CD_LIST(double) value;
} entries;

// rows x columns numbers, column by column, at (row, col).
static cd_status read_block(scanner *s, const char *what, const int32_t size[2], const int32_t place[2], entries *e)
{
    for (int32_t j = 0; j < size[1]; j++) {
        for (int32_t i = 0; i < size[0]; i++) {
            double x;
            CD_TRY(read_number(s, what, &x));
            if (x == 0)
                continue;
            cd_list_push(s->arena, &e->row, place[0] + i);
            cd_list_push(s->arena, &e->col, place[1] + j);
            cd_list_push(s->arena, &e->value, x);
        }
    }
    return CD_OK;
}

// The ends of the block rows or columns: ascending, the last one that of the matrix.
static cd_status read_ends(scanner *s, const char *what, int32_t count, int32_t last, whole_numbers *out)
{
    CD_TRY(read_counts(s, what, count, last, out));
    for (int32_t k = 0; k < count; k++) {
        if (out->at.item[k] < (k > 0 ? out->at.item[k - 1] : 0) || (k == count - 1 && out->at.item[k] != last))
            return cd_fail(s->diag, CD_ERR_FORMAT, "%s:%lld: %s: blocks do not end where the matrix does", s->name,
                           (long long)s->line, what);
    }
    return CD_OK;
}

static cd_status read_blocks(scanner *s, const char *what, const int32_t size[2], entries *e)
{
    int32_t count, rows, columns, filled_rows, filled;
    whole_numbers row_end = {0}, col_end = {0}, first = {0}, col = {0};
    CD_TRY(read_count(s, what, 0, CD_MM_ENTRIES_MOST, &count));
    CD_TRY(read_count(s, what, 1, CD_MM_ROWS_MOST, &rows));
    CD_TRY(read_count(s, what, 1, CD_MM_ROWS_MOST, &columns));
    CD_TRY(read_ends(s, what, rows, size[0], &row_end));
    CD_TRY(read_ends(s, what, columns, size[1], &col_end));
    CD_TRY(read_count(s, what, 1, rows + 1, &filled_rows));
    CD_TRY(read_count(s, what, count, count, &filled));
    CD_TRY(read_counts(s, what, filled_rows, count, &first));
    CD_TRY(read_counts(s, what, count, columns - 1, &col));
    for (int32_t i = 0; i + 1 < filled_rows; i++) {
        for (int32_t k = first.at.item[i]; k < first.at.item[i + 1]; k++) {
            const int32_t j = col.at.item[k], top = i > 0 ? row_end.at.item[i - 1] : 0,
                          left = j > 0 ? col_end.at.item[j - 1] : 0;
            int32_t number;
            CD_TRY(read_count(s, what, k, k, &number));
            CD_TRY(read_block(s, what, (int32_t[]){row_end.at.item[i] - top, col_end.at.item[j] - left},
                              (int32_t[]){top, left}, e));
        }
    }
    return CD_OK;
}

static cd_status read_matrix(scanner *s, const char *what, cd_mm_matrix *out)
{
    int32_t storage, size[2], again;
    entries e = {0};
    CD_TRY(read_count(s, what, DENSE, SPARSE, &storage));
    for (int k = 0; k < 2; k++)
        CD_TRY(read_count(s, what, 1, CD_MM_ROWS_MOST, &size[k]));
    if (storage == SPARSE)
        return cd_fail(s->diag, CD_ERR_UNSUPPORTED,
                       "%s:%lld: %s: a sparse matrix as text is not read; use FCLIB's HDF5", s->name,
                       (long long)s->line, what);
    if (storage == DENSE) {
        for (int k = 0; k < 2; k++)
            CD_TRY(read_count(s, what, size[k], size[k], &again));
        CD_TRY(read_block(s, what, size, (int32_t[]){0, 0}, &e));
    } else {
        CD_TRY(read_blocks(s, what, size, &e));
    }
    *out = cd_mm_entries(size[0], size[1], e.row.count, e.row.item, e.col.item, e.value.item);
    return CD_OK;
}

// How many words are left.
static int64_t count_words(const scanner *s)
{
    int64_t count = 0;
    for (const char *c = s->at; c < s->end; c++)
        count += !isspace((unsigned char)*c) && (c == s->at || isspace((unsigned char)c[-1]));
    return count;
}

cd_status cd_coulomb_read_siconos(const char *name, const char *text, size_t size, cd_arena *arena, cd_coulomb *out,
                                  cd_diag *diag)
{
    scanner s = {name, text, text + size, 1, arena, diag};
    *out = (cd_coulomb){.name = name};
    CD_TRY(read_count(&s, "the rows of a contact", 1, 5, &out->dimension));
    if (out->dimension != 2 && out->dimension != 3)
        return cd_fail(diag, CD_ERR_UNSUPPORTED, "%s:%lld: %d rows a contact: only 2 and 3 are read", name,
                       (long long)s.line, out->dimension);
    CD_TRY(read_count(&s, "the number of contacts", 1, CD_MM_ROWS_MOST / 3, &out->contacts));
    const int32_t rows = cd_coulomb_rows(out);
    CD_TRY(read_matrix(&s, "M", &out->matrix));
    // What a second matrix takes is more than one number beyond those of the reduced form.
    out->is_reduced = out->matrix.rows == rows && count_words(&s) <= (int64_t)rows + out->contacts + 1;
    if (!out->is_reduced) {
        cd_mm_matrix H;
        CD_TRY(read_matrix(&s, "H", &H));
        out->jacobian = cd_mm_entries(H.columns, H.rows, H.entry_count, H.col, H.row, H.value);
        CD_TRY(read_vector(&s, "q", out->matrix.rows, &out->force));
    }
    CD_TRY(read_vector(&s, out->is_reduced ? "q" : "b", rows, &out->rhs));
    CD_TRY(read_vector(&s, "mu", out->contacts, &out->mu));
    return CD_OK;
}
