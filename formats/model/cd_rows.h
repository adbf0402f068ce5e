// cd_rows -- tables that grow: rows appended to a table, gathered frame by frame, or selected from one.
// SPDX-License-Identifier: MIT
#ifndef CD_ROWS_H
#define CD_ROWS_H

#include "cd_records.h"

// Appends rows of `from` to `to` (both of `record`); amortised O(rows): columns grow by doubling in `arena`.
// An empty `to` only borrows the columns of `from`.
void cd_rows_append(cd_arena *arena, const cd_record *record, int dim, cd_rows *to, const cd_rows *from);
// Memory for the columns of one table that is gathered anew in every frame: it outlives the frames and grows in place.
enum { CD_FIELDS_MOST = 64 };
typedef struct cd_column_store {
    cd_region column[CD_FIELDS_MOST];
} cd_column_store;  // all zero is valid and empty
// Appends like cd_rows_append, but copies the first rows too, so that `from` may be borrowed from a window; `to` begins
// all zero. Columns of fixed width go to the store, lists to the arena; texts are not copied.
void cd_rows_gather(cd_column_store *store, cd_arena *arena, const cd_record *record, int dim, cd_rows *to,
                    const cd_rows *from);
void cd_column_store_release(cd_column_store *store);
// Does nothing of the rows lie in an arena but numbers of fixed width (no texts, lists, unknown members)?
bool cd_rows_are_plain(const cd_record *record, const cd_rows *rows);
// Does nothing of the rows lie in an arena but what appending them to other rows copies (no texts, unknown members)?
bool cd_rows_are_copied(const cd_record *record, const cd_rows *rows);
// New table with the rows index[0..count-1] of `from`, in that order; references are NOT remapped.
void cd_rows_select(cd_arena *arena, const cd_record *record, int dim, cd_rows *to, const cd_rows *from,
                    const int32_t *index, int32_t count);

#endif
