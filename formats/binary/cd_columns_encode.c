// SPDX-License-Identifier: MIT
// Rows into a payload. Same rows, same bytes: columns stand in the order of the table of fields, a column or mask that
// says nothing is left out, dictionaries hold the words that occur in the order of the vocabulary, padding and masked
// rows are zero.
#include "cd_columns.h"

#include "cd_assert.h"
#include "cd_rows.h"

typedef struct encoder {
    const cd_record *record;
    int dim;
    const cd_rows *rows;
    int32_t first, count;
    cd_buffer *out;
    size_t start;  // of the payload in out
} encoder;

static void pad(const encoder *e)
{
    static const char zeros[8] = {0};
    size_t used = e->out->size - e->start;
    cd_buffer_append(e->out, zeros, cd_padded(used) - used);
}

// ---- parts ---------------------------------------------------------------------------------------------------------

// What the directory says of a column, but its place.
typedef struct column_description {
    const char *name, *target;
    cd_column_base base;
    int depth, width;
    bool has_mask;
} column_description;

// Entry `index` of the directory, of the column that begins at data_start and ends where `out` does.
static void put_entry(const encoder *e, int32_t index, column_description column, size_t data_start)
{
    unsigned char entry[CD_COLUMN_ENTRY_SIZE] = {0};
    CD_ASSERT(strlen(column.name) <= CD_COLUMN_NAME && strlen(column.target) <= CD_COLUMN_TARGET);
    memcpy(entry, column.name, strlen(column.name));
    memcpy(entry + 24, column.target, strlen(column.target));
    entry[40] = (unsigned char)column.base;
    entry[41] = (unsigned char)column.depth;
    entry[42] = (unsigned char)column.width;
    entry[44] = column.has_mask;
    uint64_t place[2] = {e->out->size - data_start, data_start - e->start};
    memcpy(entry + 48, place, sizeof place);
    memcpy(e->out->data + e->start + CD_PAYLOAD_HEAD_SIZE + (size_t)index * CD_COLUMN_ENTRY_SIZE, entry, sizeof entry);
}

// Gives back where the mask begins in `out`.
static size_t put_mask(const encoder *e, const cd_field *field, int width, const void *data)
{
    cd_buffer_reserve(e->out, (size_t)e->count);
    size_t start = e->out->size, step = (size_t)width;
    char *mask = e->out->data + start;
    if (field->base == CD_BASE_I32) {
        const int32_t *number = (const int32_t *)data + (size_t)e->first * step;
        const int32_t absent = cd_field_is_reference(field) ? -1 : CD_ABSENT;
        for (int32_t i = 0; i < e->count; i++)
            mask[i] = number[(size_t)i * step] != absent;
    } else {
        for (int32_t i = 0; i < e->count; i++)
            mask[i] = !cd_is_absent(field, width, data, (size_t)(e->first + i) * step);
    }
    e->out->size += (size_t)e->count;
    pad(e);
    return start;
}

// The text table of count texts, NULL as the empty text. A block's texts stay below 2 GiB: offsets are i32.
static void put_texts(const encoder *e, const char *const *text, size_t count)
{
    size_t table = e->out->size, head = (count + 1) * sizeof(int32_t), length = 0;
    cd_buffer_reserve(e->out, head);
    e->out->size += head;
    for (size_t i = 0; i <= count; i++) {
        int32_t offset = (int32_t)length;
        memcpy(e->out->data + table + i * sizeof offset, &offset, sizeof offset);
        if (i == count || !text[i])
            continue;
        size_t size = strlen(text[i]);
        length += size;
        CD_ASSERT(length <= INT32_MAX);
        cd_buffer_append(e->out, text[i], size);
    }
    pad(e);
}

static void put_words(const encoder *e, const cd_field *field, const int32_t *word)
{
    bool is_used[CD_WORDS_MOST] = {false};
    uint8_t code_of[CD_WORDS_MOST] = {0};
    const char *used[CD_WORDS_MOST];
    uint32_t used_count = 0;
    CD_ASSERT(field->vocab->count <= CD_WORDS_MOST);
    for (int32_t i = 0; i < e->count; i++)
        if (word[i] != CD_ABSENT) {
            CD_ASSERT(word[i] >= 0 && word[i] < field->vocab->count);
            is_used[word[i]] = true;
        }
    for (int32_t w = 0; w < field->vocab->count; w++)
        if (is_used[w]) {
            code_of[w] = (uint8_t)used_count;
            used[used_count++] = field->vocab->word[w];
        }
    cd_buffer_append(e->out, &used_count, sizeof used_count);
    put_texts(e, used, used_count);
    cd_buffer_reserve(e->out, (size_t)e->count);
    for (int32_t i = 0; i < e->count; i++)
        e->out->data[e->out->size++] = word[i] == CD_ABSENT ? 0 : (char)code_of[word[i]];
    pad(e);
}

// mask: where that of the column begins.
static void put_masked_numbers(const encoder *e, const cd_field *field, int width, const void *data, size_t mask)
{
    size_t size = cd_base_size(field->base) * (size_t)width, start = e->out->size;
    cd_buffer_append(e->out, (const char *)data + (size_t)e->first * size, (size_t)e->count * size);
    const char *is_there = e->out->data + mask;
    char *number = e->out->data + start;
    for (int32_t i = 0; i < e->count; i++)
        if (!is_there[i])
            memset(number + (size_t)i * size, 0, size);
    pad(e);
}

// ---- columns -------------------------------------------------------------------------------------------------------

static void put_column(const encoder *e, const cd_field *field, const void *data, bool has_mask)
{
    int width = cd_field_width(field, e->dim);
    size_t size = cd_base_size(field->base) * (size_t)width;
    size_t mask = has_mask ? put_mask(e, field, width, data) : 0;
    if (field->base == CD_BASE_TEXT) {
        put_texts(e, (const char *const *)data + e->first, (size_t)e->count);
    } else if (field->type == CD_TYPE_ENUM) {
        put_words(e, field, (const int32_t *)data + e->first);
    } else if (has_mask) {
        put_masked_numbers(e, field, width, data, mask);
    } else {
        cd_buffer_append(e->out, (const char *)data + (size_t)e->first * size, (size_t)e->count * size);
        pad(e);
    }
}

// Offsets first..first+count of a list table, from 0; NULL: all lists empty.
static void put_offsets(const encoder *e, const int32_t *offset, size_t first, size_t count)
{
    cd_buffer_reserve(e->out, (count + 1) * sizeof(int32_t));
    for (size_t i = 0; i <= count; i++) {
        int32_t value = offset ? offset[first + i] - offset[first] : 0;
        memcpy(e->out->data + e->out->size, &value, sizeof value);
        e->out->size += sizeof value;
    }
    pad(e);
}

static void put_list(const encoder *e, const cd_field *field)
{
    const cd_list *list = cd_field_list(field, e->rows);
    size_t size = cd_base_size(field->base) * (size_t)cd_field_width(field, e->dim);
    put_offsets(e, list->offset, (size_t)e->first, (size_t)e->count);
    size_t first = list->offset ? (size_t)list->offset[e->first] : 0;
    size_t items = list->offset ? (size_t)list->offset[e->first + e->count] - first : 0;
    if (field->base == CD_BASE_TEXT)
        put_texts(e, items ? list->text + first : NULL, items);
    else if (items)
        cd_buffer_append(e->out, (const char *)list->data + first * size, items * size);
    pad(e);
}

static void put_list2(const encoder *e, const cd_field *field)
{
    const cd_list2 *list = cd_field_list2(field, e->rows);
    put_offsets(e, list->offset, (size_t)e->first, (size_t)e->count);
    size_t first = list->offset ? (size_t)list->offset[e->first] : 0;
    size_t lists = list->offset ? (size_t)list->offset[e->first + e->count] - first : 0;
    put_offsets(e, lists ? list->inner : NULL, first, lists);
    if (lists)
        cd_buffer_append(e->out, list->data + list->inner[first],
                         (size_t)(list->inner[first + lists] - list->inner[first]) * sizeof(int32_t));
    pad(e);
}

static bool has_lists(const encoder *e, const cd_field *field)
{
    const int32_t *offset =
        field->depth == 1 ? cd_field_list(field, e->rows)->offset : cd_field_list2(field, e->rows)->offset;
    return field->required || (offset && offset[e->first + e->count] != offset[e->first]);
}

typedef struct chosen_column {
    const cd_field *field;  // NULL: the column "json"
    bool has_mask;
} chosen_column;

static int32_t choose_columns(const encoder *e, chosen_column *chosen)
{
    int32_t columns = 0;
    CD_ASSERT(e->record->field_count < CD_FIELDS_MOST);
    for (int32_t f = 0; f < e->record->field_count && e->count; f++) {
        const cd_field *field = &e->record->field[f];
        if (field->depth) {
            if (has_lists(e, field))
                chosen[columns++] = (chosen_column){field, false};
            continue;
        }
        const void *data = *cd_field_column(field, e->rows);
        // A required value that is not there is refused by the writer or, as it stands, by every reader.
        int32_t absent = !data             ? e->count
                         : field->required ? 0
                                           : cd_column_count_absent(field, e->dim, data, e->first, e->count);
        if (absent < e->count)
            chosen[columns++] = (chosen_column){field, absent > 0};
    }
    int32_t absent = 0;
    for (int32_t i = 0; e->rows->json && i < e->count; i++)
        absent += !e->rows->json[e->first + i];
    if (e->rows->json && absent < e->count)
        chosen[columns++] = (chosen_column){NULL, absent > 0};
    return columns;
}

static void put_json(const encoder *e, bool has_mask)
{
    const char *const *text = e->rows->json + e->first;
    cd_buffer_reserve(e->out, (size_t)e->count);
    for (int32_t i = 0; has_mask && i < e->count; i++)
        e->out->data[e->out->size++] = text[i] != NULL;
    pad(e);
    put_texts(e, text, (size_t)e->count);
}

void cd_columns_encode(const cd_record *record, int dim, const cd_rows *rows, int32_t first, int32_t count,
                       cd_buffer *out)
{
    if (dim == 0 && record->type == CD_REC_head && count > 0)
        dim = ((const cd_head_rows *)(const void *)rows)->dim[first];
    encoder e = {record, dim, rows, first, count, out, out->size};
    chosen_column chosen[CD_FIELDS_MOST];
    uint32_t head[2] = {(uint32_t)choose_columns(&e, chosen), 0};
    size_t directory = head[0] * (size_t)CD_COLUMN_ENTRY_SIZE;
    cd_buffer_append(out, head, sizeof head);
    cd_buffer_reserve(out, directory);
    out->size += directory;
    for (int32_t c = 0; c < (int32_t)head[0]; c++) {
        const cd_field *field = chosen[c].field;
        size_t data_start = out->size;
        if (!field) {
            put_json(&e, chosen[c].has_mask);
            column_description json = {"json", "", CD_COLUMN_JSON, 0, 1, chosen[c].has_mask};
            put_entry(&e, c, json, data_start);
            continue;
        }
        if (field->depth == 0)
            put_column(&e, field, *cd_field_column(field, rows), chosen[c].has_mask);
        else if (field->depth == 1)
            put_list(&e, field);
        else
            put_list2(&e, field);
        column_description column = {.name = field->name,
                                     .target = cd_column_target_name(field),
                                     .base = cd_column_stored_base(field),
                                     .depth = field->depth,
                                     .width = cd_field_width(field, dim),
                                     .has_mask = chosen[c].has_mask};
        put_entry(&e, c, column, data_start);
    }
}

void cd_frame_encode_timeless(const cd_frame_rows *frame, cd_buffer *out)
{
    cd_frame_rows timeless = *frame;
    timeless.index = &(int64_t){0};
    timeless.time = &(double){0};
    cd_columns_encode(&cd_records[CD_REC_frame], 2, (const cd_rows *)&timeless, 0, 1, out);
}
