// matrix_market -- reads and writes Matrix Market text files: matrices as entries, vectors as arrays.
//
// Read: `%%MatrixMarket matrix coordinate|array real|integer general|symmetric|skew-symmetric` (words in any case),
// comment lines (%), a size line, one entry a line. Strict: exactly the announced entries and nothing behind them,
// indices in range, symmetric files hold the lower triangle only (skew: without the diagonal), numbers are finite
// decimals. Other fields (complex, pattern) and symmetries (hermitian) are refused. Repeated coordinates stay repeated:
// who uses the entries adds them up. Failures are CD_ERR_FORMAT, "file:line: reason" (CD_ERR_LIMIT above a cap,
// CD_ERR_IO when the file cannot be read). Memory grows with the lines that arrived, never with the announced size.
// Source: Boisvert, Pozo & Remington, The Matrix Market Exchange Formats, NISTIR 5935, 1996.
// SPDX-License-Identifier: MIT
#ifndef MATRIX_MARKET_H
#define MATRIX_MARKET_H

#include "cd_memory.h"

#include <stdbool.h>

// Caps on what a file may announce. A dense problem of that many rows would need 8 TB: whoever gets there has a wrong
// file.
#define CD_MM_ROWS_MOST 1000000
#define CD_MM_ENTRIES_MOST 200000000

// Where a file has what it holds, for sentences about it; NULL and 0 of data that came in another way.
typedef struct cd_mm_source {
    const char *name;   // of the file
    int32_t size_line;  // number of the size line, from 1
    int32_t *line;      // of each entry of a matrix; of each number of a vector, 0: none holds it. Beyond 2^31 - 1: 0
} cd_mm_source;         // @owns arena; the name is the caller's

typedef struct cd_mm_matrix {
    int32_t rows, columns, entry_count;
    int32_t *row, *col;  // from 0; both triangles of a symmetric file; zeros of an array file are left out
    double *value;
    cd_mm_source source;
} cd_mm_matrix;  // @owns arena

// One that no Matrix Market file holds. The arrays stay the caller's.
static inline cd_mm_matrix cd_mm_entries(int32_t rows, int32_t columns, int32_t entry_count, int32_t *row, int32_t *col,
                                         double *value)
{
    return (cd_mm_matrix){rows, columns, entry_count, row, col, value, {NULL, 0, NULL}};
}

// Puts "file:line: " in front of the sentence in *diag ("file: " where line is 0), and returns the status.
cd_status cd_mm_fail_at(const char *name, int64_t line, cd_status status, cd_diag *diag);

// path "-": standard input.
cd_status cd_mm_read_matrix(const char *path, cd_arena *arena, cd_mm_matrix *out, cd_diag *diag) CD_MUST_CHECK;

// A vector: `array` of n x 1 or 1 x n, or `coordinate` of that size (missing entries 0, repeated ones added up: to no
// finite number is an error). `expected`: its length, another one is an error. may_be_infinite: the words inf, +inf,
// -inf (any case) are numbers too.
cd_status cd_mm_read_vector(const char *path, int32_t expected, bool may_be_infinite, cd_arena *arena, double **out,
                            cd_diag *diag) CD_MUST_CHECK;

// The same of any length, which goes to *length, of finite numbers.
cd_status cd_mm_read_any_vector(const char *path, cd_arena *arena, double **out, int32_t *length, cd_mm_source *source,
                                cd_diag *diag) CD_MUST_CHECK;

// Appends x as a real general array of n x 1, 17 significant digits, so that it reads back bit for bit.
void cd_mm_write_vector(cd_buffer *out, int32_t n, const double *x);

#endif
