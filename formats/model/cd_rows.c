// SPDX-License-Identifier: MIT
#include "cd_rows.h"

#include "cd_assert.h"

#include <string.h>

// Every growable column has room for `capacity` rows; list data for the power of two above their total.

static size_t power_of_two_above(size_t count)
{
    size_t capacity = 64;
    while (capacity < count)
        capacity *= 2;
    return capacity;
}

static void *grown_copy(cd_arena *arena, const void *data, size_t size, size_t used, size_t capacity)
{
    void *copy = cd_arena_alloc_array(arena, capacity, size);
    if (used)
        memcpy(copy, data, used * size);
    return copy;
}

// Places in a list are int32. More cannot be held, as if memory had ended.
static void check_total(cd_arena *arena, size_t used, size_t extra)
{
    if (extra > INT32_MAX - used)
        (void)cd_arena_alloc_array(arena, SIZE_MAX, sizeof(int32_t));
}

static void copy_bytes(void *to, const void *from, size_t size)
{
    if (size)  // lists of no items have no data: memcpy must not see NULL
        memcpy(to, from, size);
}

static void *list_data_reserve(cd_arena *arena, void *data, size_t size, size_t used, size_t extra)
{
    size_t capacity = power_of_two_above(used + extra);
    return data && capacity == power_of_two_above(used) ? data : grown_copy(arena, data, size, used, capacity);
}

// Borrowed list data are exactly as long as they are, and somebody else's: before the first append they are copied,
// whether or not this append brings items of that list.
static void own_list_data(cd_arena *arena, const cd_field *field, int dim, cd_rows *rows)
{
    if (field->depth == 1) {
        cd_list *list = cd_field_list(field, rows);
        size_t used = list->offset ? (size_t)list->offset[rows->count] : 0;
        size_t size = cd_base_size(field->base) * (size_t)cd_field_width(field, dim);
        if (list->offset)
            list->data = grown_copy(arena, list->data, size, used, power_of_two_above(used));
    } else if (field->depth == 2) {
        cd_list2 *list = cd_field_list2(field, rows);
        size_t lists = list->offset ? (size_t)list->offset[rows->count] : 0,
               used = list->inner ? (size_t)list->inner[lists] : 0;
        if (list->offset && list->inner) {
            list->inner = grown_copy(arena, list->inner, sizeof(int32_t), lists + 1, power_of_two_above(lists + 1));
            list->data = grown_copy(arena, list->data, sizeof(int32_t), used, power_of_two_above(used));
        }
    }
}

// A column of a store with room for `capacity` rows; the first `used` keep their values.
static void *stored_column(cd_column_store *store, const cd_field *field, int32_t f, int dim, int32_t used,
                           int32_t capacity)
{
    size_t row = (size_t)cd_field_width(field, dim) * cd_base_size(field->base);
    cd_region_reserve(&store->column[f], (size_t)used * row, (size_t)capacity * row);
    return store->column[f].data;
}

static void *new_column(cd_column_store *store, cd_arena *arena, const cd_field *field, int32_t f, int dim,
                        const cd_rows *rows)
{
    if (!store)
        return cd_column_new(arena, field, dim, rows->capacity);
    void *column = stored_column(store, field, f, dim, 0, rows->capacity);
    cd_column_fill_absent(field, column, 0, (size_t)rows->count * (size_t)cd_field_width(field, dim));
    return column;
}

// store: of the depth-0 columns, which grow without a copy; NULL: all columns are the arena's.
static void grow_columns(cd_column_store *store, cd_arena *arena, const cd_record *record, int dim, cd_rows *rows,
                         int32_t capacity)
{
    if (rows->json)
        rows->json = grown_copy(arena, rows->json, sizeof *rows->json, (size_t)rows->count, (size_t)capacity);
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        size_t width = (size_t)cd_field_width(field, dim), count = (size_t)rows->count;
        if (field->depth == 0) {
            void **column = cd_field_column(field, rows);
            if (*column && store)
                *column = stored_column(store, field, f, dim, rows->count, capacity);
            else if (*column)
                *column =
                    grown_copy(arena, *column, cd_base_size(field->base), count * width, (size_t)capacity * width);
        } else {
            int32_t **offset =
                field->depth == 1 ? &cd_field_list(field, rows)->offset : &cd_field_list2(field, rows)->offset;
            if (*offset)
                *offset = grown_copy(arena, *offset, sizeof(int32_t), count + 1, (size_t)capacity + 1);
            if (rows->capacity == 0)
                own_list_data(arena, field, dim, rows);
        }
    }
}

// The list's offsets when absent so far: all rows empty.
static void require_offsets(cd_arena *arena, int32_t **offset, int32_t capacity)
{
    if (!*offset)
        *offset = CD_ARENA_ZARRAY(arena, int32_t, (size_t)capacity + 1);
}

static void append_offsets(int32_t *to, int32_t to_rows, const int32_t *from, int32_t from_rows)
{
    for (int32_t i = 0; i < from_rows; i++)
        to[to_rows + i + 1] = from ? to[to_rows] + from[i + 1] - from[0] : to[to_rows];
}

static void append_list(cd_arena *arena, const cd_field *field, int dim, cd_rows *to, const cd_rows *from)
{
    cd_list *target = cd_field_list(field, to);
    const cd_list *source = cd_field_list(field, from);
    if (!target->offset && !source->offset)
        return;
    require_offsets(arena, &target->offset, to->capacity);
    size_t size = cd_base_size(field->base) * (size_t)cd_field_width(field, dim);
    size_t used = (size_t)target->offset[to->count];
    if (source->offset) {
        size_t first = (size_t)source->offset[0], extra = (size_t)source->offset[from->count] - first;
        check_total(arena, used, extra);
        target->data = list_data_reserve(arena, target->data, size, used, extra);
        copy_bytes((char *)target->data + used * size, (char *)source->data + first * size, extra * size);
    }
    append_offsets(target->offset, to->count, source->offset, from->count);
}

static void append_list2(cd_arena *arena, const cd_field *field, cd_rows *to, const cd_rows *from)
{
    cd_list2 *target = cd_field_list2(field, to);
    const cd_list2 *source = cd_field_list2(field, from);
    if (!target->offset && !source->offset)
        return;
    require_offsets(arena, &target->offset, to->capacity);
    size_t lists = (size_t)target->offset[to->count];
    if (!target->inner)
        target->inner = CD_ARENA_ZARRAY(arena, int32_t, power_of_two_above(1));
    if (source->offset) {
        size_t first = (size_t)source->offset[0], extra = (size_t)source->offset[from->count] - first;
        size_t used = (size_t)target->inner[lists];
        size_t data_first = (size_t)source->inner[first],
               data_extra = (size_t)source->inner[first + extra] - data_first;
        check_total(arena, lists, extra);
        check_total(arena, used, data_extra);
        target->inner = list_data_reserve(arena, target->inner, sizeof(int32_t), lists + 1, extra);
        target->data = list_data_reserve(arena, target->data, sizeof(int32_t), used, data_extra);
        append_offsets(target->inner, (int32_t)lists, source->inner + first, (int32_t)extra);
        copy_bytes(target->data + used, source->data + data_first, data_extra * sizeof(int32_t));
    }
    append_offsets(target->offset, to->count, source->offset, from->count);
}

static void append_rows(cd_column_store *store, cd_arena *arena, const cd_record *record, int dim, cd_rows *to,
                        const cd_rows *from)
{
    CD_ASSERT(from->count <= INT32_MAX - to->count);
    int32_t total = to->count + from->count;
    if (total > to->capacity) {
        int32_t capacity = total > INT32_MAX / 2 ? INT32_MAX - 1 : (int32_t)power_of_two_above((size_t)total);
        grow_columns(store, arena, record, dim, to, capacity);
        to->capacity = capacity;
    }
    if (to->json || from->json) {
        if (!to->json)
            to->json = CD_ARENA_ZARRAY(arena, const char *, to->capacity);
        for (int32_t i = 0; i < from->count; i++)
            to->json[to->count + i] = from->json ? from->json[i] : NULL;
    }
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        if (field->depth == 1) {
            append_list(arena, field, dim, to, from);
        } else if (field->depth == 2) {
            append_list2(arena, field, to, from);
        } else {
            void **target = cd_field_column(field, to), **source = cd_field_column(field, from);
            if (!*target && !*source)
                continue;
            if (!*target)
                *target = new_column(store, arena, field, f, dim, to);
            size_t width = (size_t)cd_field_width(field, dim), size = cd_base_size(field->base);
            size_t first = (size_t)to->count * width, numbers = (size_t)from->count * width;
            if (*source)
                memcpy((char *)*target + first * size, *source, numbers * size);
            else
                cd_column_fill_absent(field, *target, first, first + numbers);
        }
    }
    to->count = total;
}

void cd_rows_append(cd_arena *arena, const cd_record *record, int dim, cd_rows *to, const cd_rows *from)
{
    if (from->count == 0)
        return;
    if (to->count == 0) {
        memcpy(to, from, record->size);
        to->capacity = 0;
        return;
    }
    append_rows(NULL, arena, record, dim, to, from);
}

void cd_rows_gather(cd_column_store *store, cd_arena *arena, const cd_record *record, int dim, cd_rows *to,
                    const cd_rows *from)
{
    if (from->count > 0)
        append_rows(store, arena, record, dim, to, from);
}

void cd_column_store_release(cd_column_store *store)
{
    for (int f = 0; f < CD_FIELDS_MOST; f++)
        cd_region_release(&store->column[f]);
}

// ---- select --------------------------------------------------------------------------------------------------------

static void select_list(cd_arena *arena, const cd_field *field, int dim, cd_list *to, const cd_list *from,
                        const int32_t *index, int32_t count)
{
    size_t size = cd_base_size(field->base) * (size_t)cd_field_width(field, dim);
    to->offset = CD_ARENA_ARRAY(arena, int32_t, (size_t)count + 1);
    to->offset[0] = 0;
    for (int32_t i = 0; i < count; i++)
        to->offset[i + 1] = to->offset[i] + from->offset[index[i] + 1] - from->offset[index[i]];
    to->data = cd_arena_alloc_array(arena, (size_t)to->offset[count], size);
    for (int32_t i = 0; i < count; i++)
        copy_bytes((char *)to->data + (size_t)to->offset[i] * size,
                   (char *)from->data + (size_t)from->offset[index[i]] * size,
                   (size_t)(to->offset[i + 1] - to->offset[i]) * size);
}

static void select_list2(cd_arena *arena, cd_list2 *to, const cd_list2 *from, const int32_t *index, int32_t count)
{
    to->offset = CD_ARENA_ARRAY(arena, int32_t, (size_t)count + 1);
    to->offset[0] = 0;
    size_t numbers = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t first = from->offset[index[i]], last = from->offset[index[i] + 1];
        to->offset[i + 1] = to->offset[i] + last - first;
        numbers += (size_t)(from->inner[last] - from->inner[first]);
    }
    to->inner = CD_ARENA_ARRAY(arena, int32_t, (size_t)to->offset[count] + 1);
    to->data = CD_ARENA_ARRAY(arena, int32_t, numbers);
    to->inner[0] = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t first = from->offset[index[i]], lists = to->offset[i + 1] - to->offset[i];
        append_offsets(to->inner, to->offset[i], from->inner + first, lists);
        copy_bytes(to->data + to->inner[to->offset[i]], from->data + from->inner[first],
                   (size_t)(from->inner[first + lists] - from->inner[first]) * sizeof(int32_t));
    }
}

bool cd_rows_are_copied(const cd_record *record, const cd_rows *rows)
{
    if (rows->json)
        return false;
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        if (field->base == CD_BASE_TEXT && (field->depth > 0 || *cd_field_column(field, rows)))
            return false;
    }
    return true;
}

bool cd_rows_are_plain(const cd_record *record, const cd_rows *rows)
{
    for (int32_t f = 0; f < record->field_count; f++)
        if (record->field[f].depth > 0)
            return false;
    return cd_rows_are_copied(record, rows);
}

void cd_rows_select(cd_arena *arena, const cd_record *record, int dim, cd_rows *to, const cd_rows *from,
                    const int32_t *index, int32_t count)
{
    memset(to, 0, record->size);
    to->count = count;
    if (from->json) {
        to->json = CD_ARENA_ARRAY(arena, const char *, count);
        for (int32_t i = 0; i < count; i++)
            to->json[i] = from->json[index[i]];
    }
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        if (field->depth == 1) {
            if (cd_field_list(field, from)->offset)
                select_list(arena, field, dim, cd_field_list(field, to), cd_field_list(field, from), index, count);
        } else if (field->depth == 2) {
            if (cd_field_list2(field, from)->offset)
                select_list2(arena, cd_field_list2(field, to), cd_field_list2(field, from), index, count);
        } else if (*cd_field_column(field, from)) {
            size_t size = cd_base_size(field->base) * (size_t)cd_field_width(field, dim);
            char *target = cd_arena_alloc_array(arena, (size_t)count, size);
            const char *source = *cd_field_column(field, from);
            for (int32_t i = 0; i < count; i++)
                memcpy(target + (size_t)i * size, source + (size_t)index[i] * size, size);
            *cd_field_column(field, to) = target;
        }
    }
}
