// export_table -- rows of one record type, gathered over frames, with user ids in the place of references: what text
// and NumPy tables are written from.
//
// make -> add (the head's rows, or each frame's) -> read -> clear -> add ... -> release. Rows of frame tables have four
// columns in front that say where they are from: frame.index, frame.time, frame.substep, frame.round. Memory: 8 bytes a
// number, 16 a text and its bytes.
// SPDX-License-Identifier: MIT
#ifndef EXPORT_TABLE_H
#define EXPORT_TABLE_H

#include "cd_records.h"
#include "cd_refs.h"

typedef enum cd_export_base {
    CD_EXPORT_F64,   // absent: NaN
    CD_EXPORT_I64,   // absent: CD_ABSENT_I64
    CD_EXPORT_BOOL,  // uint8_t
    CD_EXPORT_TEXT,  // cd_export_text; words and features too
} cd_export_base;

typedef struct cd_export_text {
    int64_t start, length;  // in the column's `text`; length -1: absent
} cd_export_text;

// Row r has item r (depth 0), the items offset[r] .. offset[r + 1] - 1 (depth 1), or (depth 2) the lists k from
// offset[r] to offset[r + 1] - 1, each with the items inner[k] .. inner[k + 1] - 1. An item is `width` numbers.
typedef struct cd_export_column {
    const char *name;
    const cd_field *field;  // NULL of the columns in front
    cd_export_base base;
    int depth, width;
    cd_buffer number, text;   // of all items; bytes of texts
    cd_buffer offset, inner;  // int64_t
} cd_export_column;

typedef struct cd_export_table {
    const cd_record *record;
    int dim;
    int64_t row_count;
    int column_count;
    cd_export_column *column;
    bool has_lists;           // of a depth above 0: how wide a row is follows from all of them
    int64_t foreign_members;  // rows with members that are no fields; they are left out
} cd_export_table;

// @owns arena: the columns' structs; their numbers: release
void cd_export_table_make(cd_arena *arena, cd_record_type type, int dim, cd_export_table *table);
// refs: ids of what the rows refer to. frame: NULL for head tables.
void cd_export_table_add(cd_export_table *table, const cd_rows *rows, const cd_refs *refs, const cd_frame_rows *frame);
void cd_export_table_clear(cd_export_table *table);  // of rows; what was counted stays
void cd_export_table_release(cd_export_table *table);

static inline const int64_t *cd_export_numbers(const cd_buffer *buffer)
{
    return (const int64_t *)(void *)buffer->data;
}
// Items of a column so far.
int64_t cd_export_items(const cd_export_table *table, const cd_export_column *column);

#endif
