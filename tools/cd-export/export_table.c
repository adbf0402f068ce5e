// SPDX-License-Identifier: MIT
#include "export_table.h"

enum { KEY_COLUMNS = 4 };
static const char *const key_name[KEY_COLUMNS] = {"frame.index", "frame.time", "frame.substep", "frame.round"};
enum { KEY_TIME = 1 };

static void push(cd_buffer *list, int64_t number) { cd_buffer_append(list, &number, sizeof number); }

static cd_export_base base_of(const cd_field *field)
{
    if (field->base == CD_BASE_F64)
        return CD_EXPORT_F64;
    if (field->base == CD_BASE_U8)
        return CD_EXPORT_BOOL;
    bool is_text = field->base == CD_BASE_TEXT || field->kind == CD_KIND_WORD || field->kind == CD_KIND_FEATURE;
    return is_text ? CD_EXPORT_TEXT : CD_EXPORT_I64;
}

static bool is_of_frame(const cd_record *record) { return !record->is_head && record->type != CD_REC_frame; }

void cd_export_table_make(cd_arena *arena, cd_record_type type, int dim, cd_export_table *table)
{
    const cd_record *record = &cd_records[type];
    *table = (cd_export_table){.record = record, .dim = dim};
    table->column = CD_ARENA_ZARRAY(arena, cd_export_column, record->field_count + KEY_COLUMNS);
    for (int k = 0; k < KEY_COLUMNS && is_of_frame(record); k++)
        table->column[table->column_count++] =
            (cd_export_column){.name = key_name[k], .base = k == KEY_TIME ? CD_EXPORT_F64 : CD_EXPORT_I64, .width = 1};
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        table->column[table->column_count++] = (cd_export_column){.name = field->name,
                                                                  .field = field,
                                                                  .base = base_of(field),
                                                                  .depth = field->depth,
                                                                  .width = cd_field_width(field, dim)};
        table->has_lists |= field->depth > 0;
    }
    cd_export_table_clear(table);
}

void cd_export_table_clear(cd_export_table *table)
{
    table->row_count = 0;
    for (int i = 0; i < table->column_count; i++) {
        cd_export_column *c = &table->column[i];
        c->number.size = c->text.size = c->offset.size = c->inner.size = 0;
        if (c->depth > 0)
            push(&c->offset, 0);
        if (c->depth > 1)
            push(&c->inner, 0);
    }
}

void cd_export_table_release(cd_export_table *table)
{
    for (int i = 0; i < table->column_count; i++) {
        cd_export_column *c = &table->column[i];
        cd_buffer_release(&c->number);
        cd_buffer_release(&c->text);
        cd_buffer_release(&c->offset);
        cd_buffer_release(&c->inner);
    }
    table->column_count = 0;
}

int64_t cd_export_items(const cd_export_table *table, const cd_export_column *column)
{
    const cd_buffer *last = column->depth > 1 ? &column->inner : &column->offset;
    return column->depth == 0 ? table->row_count : cd_export_numbers(last)[last->size / sizeof(int64_t) - 1];
}

// ---- numbers -------------------------------------------------------------------------------------------------------

static void add_text(cd_export_column *c, const char *text)
{
    const cd_export_text place = {(int64_t)c->text.size, text ? (int64_t)strlen(text) : -1};
    cd_buffer_append(&c->number, &place, sizeof place);
    if (text)
        cd_buffer_text(&c->text, text);
}

static void add_feature(cd_export_column *c, int32_t feature)
{
    cd_export_text place = {(int64_t)c->text.size, -1};
    if (feature != CD_FEATURE_NONE) {
        cd_buffer_printf(&c->text, "%c%d", CD_FEATURE_LETTERS[cd_feature_kind(feature)], cd_feature_index(feature));
        place.length = (int64_t)c->text.size - place.start;
    }
    cd_buffer_append(&c->number, &place, sizeof place);
}

// An int32 that stands for itself or for the id of a row.
static int64_t integer_of(const cd_export_column *c, const cd_refs *refs, int32_t value, int k)
{
    const cd_field *field = c->field;
    bool is_reference = field->target != CD_REC_UNKNOWN && !(field->type == CD_TYPE_SITE && k == 1);
    if (is_reference)
        return value < 0 ? CD_ABSENT_I64 : cd_refs_id(refs, field->target, value);
    return value == CD_ABSENT ? CD_ABSENT_I64 : value;
}

// Number `index` of a column's or a list's data, number k of its item.
static void add_number(cd_export_column *c, const cd_refs *refs, const void *data, size_t index, int k)
{
    switch (c->field->base) {
    case CD_BASE_F64:
        cd_buffer_append(&c->number, (const double *)data + index, sizeof(double));
        return;
    case CD_BASE_I64:
        push(&c->number, ((const int64_t *)data)[index]);
        return;
    case CD_BASE_U8:
        cd_buffer_append(&c->number, (const uint8_t *)data + index, 1);
        return;
    case CD_BASE_TEXT:
        add_text(c, ((const char *const *)data)[index]);
        return;
    case CD_BASE_I32:
        break;
    }
    int32_t value = ((const int32_t *)data)[index];
    if (c->field->kind == CD_KIND_FEATURE)
        add_feature(c, value);
    else if (c->field->kind == CD_KIND_WORD)
        add_text(c, value >= 0 && value < c->field->vocab->count ? c->field->vocab->word[value] : NULL);
    else
        push(&c->number, integer_of(c, refs, value, k));
}

static void add_items(cd_export_column *c, const cd_refs *refs, const void *data, int64_t first, int64_t last)
{
    for (int64_t i = first; i < last; i++)
        for (int k = 0; k < c->width; k++)
            add_number(c, refs, data, (size_t)i * (size_t)c->width + (size_t)k, k);
}

static void add_absent(cd_export_column *c)
{
    for (int k = 0; k < c->width; k++) {
        const double nan_value = NAN;
        const uint8_t absent = CD_ABSENT_BOOL;
        if (c->base == CD_EXPORT_F64)
            cd_buffer_append(&c->number, &nan_value, sizeof nan_value);
        else if (c->base == CD_EXPORT_BOOL)
            cd_buffer_append(&c->number, &absent, 1);
        else if (c->base == CD_EXPORT_TEXT)
            add_text(c, NULL);
        else
            push(&c->number, CD_ABSENT_I64);
    }
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static void add_list(const cd_export_table *table, cd_export_column *c, const cd_rows *rows, const cd_refs *refs)
{
    const cd_list *list = cd_field_list(c->field, rows);
    int64_t before = cd_export_items(table, c);
    for (int32_t r = 0; r < rows->count; r++)
        push(&c->offset, before + (list->offset ? list->offset[r + 1] - list->offset[0] : 0));
    if (list->offset)
        add_items(c, refs, list->data, list->offset[0], list->offset[rows->count]);
}

static void add_list2(const cd_export_table *table, cd_export_column *c, const cd_rows *rows, const cd_refs *refs)
{
    const cd_list2 *list = cd_field_list2(c->field, rows);
    int64_t items = cd_export_items(table, c), lists = (int64_t)(c->inner.size / sizeof(int64_t)) - 1;
    for (int32_t r = 0; r < rows->count; r++)
        push(&c->offset, lists + (list->offset ? list->offset[r + 1] - list->offset[0] : 0));
    if (!list->offset || rows->count == 0)
        return;
    int32_t first = list->offset[0], last = list->offset[rows->count];
    for (int32_t k = first; k < last; k++)
        push(&c->inner, items + list->inner[k + 1] - list->inner[first]);
    add_items(c, refs, list->data, list->inner[first], list->inner[last]);
}

static void add_column(const cd_export_table *table, cd_export_column *c, const cd_rows *rows, const cd_refs *refs)
{
    if (c->depth == 1) {
        add_list(table, c, rows, refs);
    } else if (c->depth == 2) {
        add_list2(table, c, rows, refs);
    } else {
        const void *data = *cd_field_column(c->field, rows);
        for (int32_t r = 0; r < rows->count; r++)
            if (data && !cd_is_absent(c->field, c->width, data, (size_t)r * (size_t)c->width))
                add_items(c, refs, data, r, r + 1);
            else
                add_absent(c);
    }
}

static void add_key(cd_export_table *table, int32_t count, const cd_frame_rows *frame)
{
    const int64_t number[KEY_COLUMNS] = {frame->index[0], 0, cd_i32_or(frame->substep, 0, 0),
                                         cd_i32_or(frame->round, 0, 0)};
    for (int k = 0; k < KEY_COLUMNS; k++)
        for (int32_t r = 0; r < count; r++)
            if (k == KEY_TIME)
                cd_buffer_append(&table->column[k].number, &frame->time[0], sizeof(double));
            else
                push(&table->column[k].number, number[k]);
}

void cd_export_table_add(cd_export_table *table, const cd_rows *rows, const cd_refs *refs, const cd_frame_rows *frame)
{
    if (is_of_frame(table->record))
        add_key(table, rows->count, frame);
    for (int i = 0; i < table->column_count; i++)
        if (table->column[i].field)
            add_column(table, &table->column[i], rows, refs);
    for (int32_t r = 0; rows->json && r < rows->count; r++)
        table->foreign_members += rows->json[r] != NULL;
    table->row_count += rows->count;
}
