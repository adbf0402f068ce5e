// cd_columns -- the columns of one binary payload as they lie in memory, after every announced size was checked against
// the bytes that are there. Private to the binary codec: cd_columns.c turns them into known tables,
// cd_columns_unknown.c into JSON.
//
// The layout is section "Binary encoding" of STREAM.md. Numbers are read in place, so payloads must start 8-byte
// aligned and the machine must be little-endian.
// SPDX-License-Identifier: MIT
#ifndef CD_COLUMNS_H
#define CD_COLUMNS_H

#include "cd_codec.h"
#include "cd_json_scan.h"
#include "cd_rows.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "columns are used in place: little-endian machines only");

enum {
    CD_PAYLOAD_HEAD_SIZE = 8,   // [bytes] u32 column_count, u32 0
    CD_COLUMN_ENTRY_SIZE = 64,  // [bytes] of a directory entry
    CD_COLUMN_NAME = 24,
    CD_COLUMN_TARGET = 16,
    CD_BARE_ROWS_MOST = 65536,  // rows of a block that has no columns
    CD_COLUMNS_MOST = 1024,     // columns of a block: the check for duplicate names is quadratic
    CD_WORDS_MOST = 255,        // words of a dictionary: codes are bytes
};

typedef enum cd_column_base {
    CD_COLUMN_F64 = 1,
    CD_COLUMN_I32,
    CD_COLUMN_I64,
    CD_COLUMN_BOOL,
    CD_COLUMN_TEXT,
    CD_COLUMN_WORD,
    CD_COLUMN_JSON,
    CD_COLUMN_FEATURE,
    CD_COLUMN_SITE,
    CD_COLUMN_BASE_END
} cd_column_base;

extern const char *const cd_column_base_name[CD_COLUMN_BASE_END];

// How a field of the table of fields is stored.
cd_column_base cd_column_stored_base(const cd_field *field);
const char *cd_column_target_name(const cd_field *field);  // "" without a target

// Pointers into the payload.
typedef struct cd_column {
    char name[CD_COLUMN_NAME + 1], target[CD_COLUMN_TARGET + 1];
    cd_column_base base;
    int depth, width;
    const uint8_t *mask;    // per row, 0 absent; NULL: all present
    const int32_t *offset;  // depth >= 1: rows + 1
    const int32_t *inner;   // depth 2: offset[rows] + 1
    size_t items;           // of `width` numbers
    const void *number;     // items * width of the base type; words: uint8_t codes; NULL for text and json
    int32_t word_count;     // the dictionary of a word column
    const int32_t *word_offset;
    const char *word;
    const int32_t *text_offset;  // items * width + 1
    const char *text;            // valid UTF-8 without NUL, text by text
    bool is_known;               // a field of the record takes it: cd_columns_decode sets it
} cd_column;

// Most names that differ do so in their first letter: no call for them.
static inline bool cd_column_has_name(const cd_column *column, const char *name)
{
    return column->name[0] == name[0] && strcmp(column->name, name) == 0;
}

// Opens all columns of a payload. What is checked here holds for every table, known or not: sizes, offsets, masks
// (numbers under an absent row are zero), dictionaries and codes, booleans, UTF-8, padding, distinct names. Floats,
// references and JSON texts are left to the caller. Cost: a pass over masks, offsets, codes and texts, none over
// numbers.
cd_status cd_columns_open(cd_arena *arena, cd_payload payload, cd_column **columns, int32_t *count,
                          cd_diag *diag) CD_MUST_CHECK;

// Text i of a text or json column, NUL-terminated copies of all in one piece; NULL where the row is absent (depth 0).
const char **cd_column_texts(cd_arena *arena, const cd_column *column);

static inline size_t cd_padded(size_t bytes) { return (bytes + 7) & ~(size_t)7; }

// Members that this program does not know, for rows->json: the columns whose `is_known` is false, then the column
// "json". rows->count and the id column of rows must be set. Texts of "json" are checked to be objects without
// duplicate members and without members that the record has itself.
cd_status cd_columns_members(cd_arena *arena, cd_row_form form, const cd_column *columns, int32_t count, cd_rows *rows,
                             cd_diag *diag) CD_MUST_CHECK;

// Can a block be of this type: 1 to 16 of a-z, 0-9, '_', '-', the first a letter?
bool cd_block_type_is_valid(const char *name);

// Is text[0..length-1] one JSON value that fits in a line?
cd_status cd_json_value_check(cd_arena *arena, const char *text, size_t length, cd_diag *diag) CD_MUST_CHECK;

// Is each member of a scanned line there once? CD_ERR_FORMAT "x: is there twice".
cd_status cd_json_members_check(cd_arena *arena, const cd_json_members *members, cd_diag *diag) CD_MUST_CHECK;

#endif
