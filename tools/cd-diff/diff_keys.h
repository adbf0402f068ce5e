// diff_keys -- the key of every row of a table: a text that says what the row is about in terms of user ids and
// features (CD_KEY of
// records.def).
//
// Keys of one table are unique: the second row with the same text gets "#2" appended, and so on, in the order of the
// table.
// SPDX-License-Identifier: MIT
#ifndef CD_DIFF_KEYS_H
#define CD_DIFF_KEYS_H

#include "cd_tables.h"

// One side's keys, made when asked for. {0} with tables and refs set.
typedef struct cd_key_set {
    cd_arena *arena;
    cd_model *model;
    const cd_refs *refs;
    const char **key[CD_REC_COUNT];
} cd_key_set;

// Keys of all rows of a table, by row. Rows of head tables that a frame refers to are named by user id.
const char *const *cd_keys_of(cd_key_set *set, cd_record_type type);
// Number `number` of a column or list, the k-th of its item, as text: a reference by the key of its row, a feature
// "v3", a word; absent "-". In the arena or static.
const char *cd_value_text(cd_key_set *set, const cd_field *field, const void *data, size_t number, int k);

#endif
