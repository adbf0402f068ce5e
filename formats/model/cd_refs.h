// cd_refs -- user ids and row indices of the tables seen so far in the run and in the open frame.
//
// JSON writes user ids, everything inside works with row indices. The reader feeds each chunk of a table that can be
// referred to (cd_refs_add_ids when decoded, cd_refs_add_rows when only counted); cd_refs_open_frame forgets the frame
// tables. Ids that count up one by one cost nothing to look up and no memory, ascending ones a binary search, others a
// hash table. A tool that writes a table (contact, row ...) whose ids later tables of its output refer to adds those
// too.
// SPDX-License-Identifier: MIT
#ifndef CD_REFS_H
#define CD_REFS_H

#include "cd_records.h"

typedef struct cd_id_table {
    int64_t *id;  // by row; not written while they count up from `first_id`
    int64_t first_id;
    int32_t count;  // rows seen
    int32_t capacity;
    bool ids_known;  // every row so far came with its id
    bool is_ascending, is_contiguous;
    int32_t *slot;       // hash: row + 1, 0 empty; built when the first id out of order arrives
    int32_t slot_count;  // power of two
} cd_id_table;

typedef struct cd_refs {
    cd_id_table table[CD_REC_COUNT];
} cd_refs;  // all zero is valid and empty

void cd_refs_open_frame(cd_refs *refs);                   // forgets frame tables, keeps head tables
void cd_refs_forget(cd_refs *refs, cd_record_type type);  // a stage deletes this table before it writes its own
void cd_refs_release(cd_refs *refs);
// Appends rows with ids (CD_ERR_FORMAT "shape: id 7 is there twice" for a duplicate) or without.
cd_status cd_refs_add_ids(cd_refs *refs, cd_record_type type, const int64_t *id, int32_t count,
                          cd_diag *diag) CD_MUST_CHECK;
// The same for a whole table, when its record has ids; nothing otherwise.
cd_status cd_refs_add_table(cd_refs *refs, cd_record_type type, const cd_rows *rows, cd_diag *diag) CD_MUST_CHECK;
void cd_refs_add_rows(cd_refs *refs, cd_record_type type, int32_t count);
int32_t cd_refs_row(const cd_refs *refs, cd_record_type type, int64_t id);  // row index, -1 when there is none
static inline int64_t cd_id_table_id(const cd_id_table *table, int32_t row)
{
    return table->is_contiguous ? table->first_id + row : table->id[row];
}
static inline int64_t cd_refs_id(const cd_refs *refs, cd_record_type type, int32_t row)
{
    return cd_id_table_id(&refs->table[type], row);
}
static inline int32_t cd_refs_count(const cd_refs *refs, cd_record_type type) { return refs->table[type].count; }

#endif
