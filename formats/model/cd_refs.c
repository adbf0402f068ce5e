// SPDX-License-Identifier: MIT
#include "cd_refs.h"

#include <inttypes.h>

enum { SLOTS_MOST = 1 << 30 };  // of the hash table: the last power of two in an int32

void cd_refs_forget(cd_refs *refs, cd_record_type type)
{
    cd_id_table *table = &refs->table[type];
    table->count = 0;
    table->ids_known = table->is_ascending = table->is_contiguous = true;
    cd_free(table->slot);
    table->slot = NULL;
    table->slot_count = 0;
}

void cd_refs_open_frame(cd_refs *refs)
{
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (!cd_records[type].is_head)
            cd_refs_forget(refs, (cd_record_type)type);
}

void cd_refs_release(cd_refs *refs)
{
    for (int type = 0; type < CD_REC_COUNT; type++) {
        cd_free(refs->table[type].id);
        cd_free(refs->table[type].slot);
    }
    *refs = (cd_refs){0};
}

static uint64_t hash_id(int64_t id)
{
    uint64_t z = (uint64_t)id * 0x9e3779b97f4a7c15u;
    return z ^ (z >> 29);
}

// The slot of `id`, or the empty slot where it would go.
static int32_t find_slot(const cd_id_table *table, int64_t id)
{
    int32_t mask = table->slot_count - 1;
    int32_t s = (int32_t)(hash_id(id) & (uint64_t)mask);
    while (table->slot[s] && table->id[table->slot[s] - 1] != id)
        s = (s + 1) & mask;
    return s;
}

static void rebuild_hash(cd_id_table *table, int32_t rows)
{
    int32_t slots = 64;
    while (slots < 2 * (int64_t)rows && slots < SLOTS_MOST)
        slots *= 2;
    cd_free(table->slot);
    table->slot = cd_alloc((size_t)slots * sizeof *table->slot);
    memset(table->slot, 0, (size_t)slots * sizeof *table->slot);
    table->slot_count = slots;
    for (int32_t row = 0; row < table->count; row++)
        table->slot[find_slot(table, table->id[row])] = row + 1;
}

static void reserve_ids(cd_id_table *table, int32_t extra)
{
    int64_t needed = (int64_t)table->count + extra;
    if (needed <= table->capacity)
        return;
    int64_t capacity = table->capacity ? table->capacity : 64;
    while (capacity < needed)
        capacity *= 2;
    table->id = cd_realloc(table->id, (size_t)capacity * sizeof *table->id);
    table->capacity = capacity > INT32_MAX ? INT32_MAX : (int32_t)capacity;
}

// How many of the ids count on from the last one. (In numbers without a sign: no difference of two ids overflows.)
static int32_t count_run(cd_id_table *table, const int64_t *id, int32_t count)
{
    if (table->count == 0 && count > 0)
        table->first_id = id[0];
    uint64_t first = (uint64_t)table->first_id, rows = (uint64_t)table->count;
    int32_t run = 0;
    while (run < count && id[run] >= table->first_id && (uint64_t)id[run] - first == rows + (uint64_t)run)
        run++;
    return run;
}

// From now on ids are stored: those so far, with room for more.
static void write_run(cd_id_table *table, int32_t extra)
{
    reserve_ids(table, extra);
    for (int32_t row = 0; row < table->count; row++)
        table->id[row] = table->first_id + row;
    table->is_contiguous = false;
}

cd_status cd_refs_add_ids(cd_refs *refs, cd_record_type type, const int64_t *id, int32_t count, cd_diag *diag)
{
    cd_id_table *table = &refs->table[type];
    if (count > INT32_MAX - 1 - table->count)
        return cd_fail(diag, CD_ERR_LIMIT, "%s: more than %d rows", cd_records[type].name, INT32_MAX - 1);
    if (table->count == 0)
        cd_refs_forget(refs, type);
    if (!table->ids_known) {  // rows before came without ids: none can be looked up
        cd_refs_add_rows(refs, type, count);
        return CD_OK;
    }
    int32_t i = table->is_contiguous ? count_run(table, id, count) : 0;
    table->count += i;
    if (i == count)
        return CD_OK;
    if (table->is_contiguous)
        write_run(table, count - i);
    reserve_ids(table, count - i);
    for (; i < count; i++) {
        int32_t row = table->count;
        if (row > 0 && id[i] <= table->id[row - 1])
            table->is_ascending = false;
        if (!table->is_ascending) {
            if (row >= SLOTS_MOST / 2)
                return cd_fail(diag, CD_ERR_LIMIT, "%s: more than %d ids that do not ascend", cd_records[type].name,
                               SLOTS_MOST / 2);
            if (2 * ((int64_t)row + 1) > table->slot_count)
                rebuild_hash(table, row + 1);
            int32_t slot = find_slot(table, id[i]);
            if (table->slot[slot])
                return cd_fail(diag, CD_ERR_FORMAT, "%s: id %" PRId64 " is there twice", cd_records[type].name, id[i]);
            table->slot[slot] = row + 1;
        }
        table->id[row] = id[i];
        table->count++;
    }
    return CD_OK;
}

cd_status cd_refs_add_table(cd_refs *refs, cd_record_type type, const cd_rows *rows, cd_diag *diag)
{
    const cd_record *record = &cd_records[type];
    if (rows->count == 0 || !cd_record_has_id(record))
        return CD_OK;
    return cd_refs_add_ids(refs, type, *cd_field_column(&record->field[0], rows), rows->count, diag);
}

void cd_refs_add_rows(cd_refs *refs, cd_record_type type, int32_t count)
{
    cd_id_table *table = &refs->table[type];
    if (table->count == 0)
        cd_refs_forget(refs, type);
    table->ids_known = false;
    table->count = count > INT32_MAX - table->count ? INT32_MAX : table->count + count;
}

int32_t cd_refs_row(const cd_refs *refs, cd_record_type type, int64_t id)
{
    const cd_id_table *table = &refs->table[type];
    if (!table->count || !table->ids_known)
        return -1;
    if (!table->is_ascending) {
        int32_t slot = find_slot(table, id);
        return table->slot[slot] - 1;
    }
    if (table->is_contiguous) {
        uint64_t row = (uint64_t)id - (uint64_t)table->first_id;
        return row < (uint64_t)table->count ? (int32_t)row : -1;
    }
    if (id < table->id[0] || id > table->id[table->count - 1])
        return -1;
    int32_t low = 0, high = table->count - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (table->id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return table->id[low] == id ? low : -1;
}
