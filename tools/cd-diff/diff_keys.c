// SPDX-License-Identifier: MIT
#include "diff_keys.h"

#include "cd_assert.h"
#include "cd_codec.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

// ---- values --------------------------------------------------------------------------------------------------------

static const char *feature_text(cd_arena *arena, int32_t feature)
{
    if (feature == CD_FEATURE_NONE)
        return "-";
    return cd_arena_printf(arena, "%c%d", CD_FEATURE_LETTERS[cd_feature_kind(feature)], cd_feature_index(feature));
}

// What a reference names: the key of the row, "-" when absent.
static const char *key_of(cd_key_set *set, cd_record_type target, int32_t row)
{
    if (row < 0)
        return "-";
    if (cd_records[target].is_head || target == CD_REC_body || target == CD_REC_node)
        return cd_arena_printf(set->arena, "%" PRId64, cd_refs_id(set->refs, target, row));
    return cd_keys_of(set, target)[row];
}

static const char *double_text(cd_arena *arena, double value)
{
    if (isnan(value))
        return "-";
    if (isinf(value))
        return value > 0 ? "Infinity" : "-Infinity";
    char text[CD_NUMBER_MAX];
    return cd_arena_text(arena, text, (size_t)cd_number_print(value, text));
}

const char *cd_value_text(cd_key_set *set, const cd_field *field, const void *data, size_t number, int k)
{
    switch (field->base) {
    case CD_BASE_F64:
        return double_text(set->arena, ((const double *)data)[number]);
    case CD_BASE_I64: {
        int64_t value = ((const int64_t *)data)[number];
        return value == CD_ABSENT_I64 ? "-" : cd_arena_printf(set->arena, "%" PRId64, value);
    }
    case CD_BASE_U8: {
        uint8_t value = ((const uint8_t *)data)[number];
        return value == CD_ABSENT_BOOL ? "-" : value ? "true" : "false";
    }
    case CD_BASE_TEXT: {
        const char *text = ((const char *const *)data)[number];
        return text ? text : "-";
    }
    case CD_BASE_I32:
        break;
    }
    int32_t value = ((const int32_t *)data)[number];
    if (field->target != CD_REC_UNKNOWN && k == 0)
        return key_of(set, field->target, value);
    if (field->type == CD_TYPE_FEATX2)
        return feature_text(set->arena, value);
    if (value == CD_ABSENT)
        return "-";
    if (field->type == CD_TYPE_ENUM && value >= 0 && value < field->vocab->count)
        return field->vocab->word[value];
    return cd_arena_printf(set->arena, "%d", value);
}

// Elements first..last-1 of a column or list: their numbers and they themselves side by side.
static void append_items(cd_key_set *set, const cd_field *field, const void *data, int32_t first, int32_t last,
                         cd_buffer *out)
{
    int width = cd_field_width(field, set->model->dim);
    for (int32_t i = first; i < last; i++) {
        cd_buffer_text(out, i > first ? " + " : "");
        for (int k = 0; k < width; k++) {
            cd_buffer_text(out, k == 0 ? "" : field->kind == CD_KIND_SITE ? ":" : " ");
            cd_buffer_text(out, cd_value_text(set, field, data, (size_t)i * (size_t)width + (size_t)k, k));
        }
    }
}

// ---- keys ----------------------------------------------------------------------------------------------------------

// A part of a key's text: a member, or the letters between two.
typedef struct piece {
    const cd_field *field;  // NULL: letters
    const char *letters;
    size_t length;
} piece;

typedef CD_LIST(piece) pieces;

static const cd_field *find_member(const cd_record *record, const char *name, size_t length)
{
    for (int32_t f = 0; f < record->field_count; f++)
        if (!strncmp(record->field[f].member, name, length) && !record->field[f].member[length])
            return &record->field[f];
    CD_ASSERT(!"a key names a member that there is not");
    return NULL;
}

static void cut(cd_arena *arena, const cd_record *record, const char *text, pieces *out)
{
    while (*text) {
        size_t length = strcspn(text, "{");
        if (length > 0)
            cd_list_push(arena, out, ((piece){.letters = text, .length = length}));
        text += length;
        if (!*text)
            break;
        length = strcspn(text, "}") - 1;
        cd_list_push(arena, out, ((piece){.field = find_member(record, text + 1, length)}));
        text += length + 2;
    }
}

static bool has_value(const cd_field *field, int dim, const cd_rows *rows, int32_t row)
{
    CD_ASSERT(field->depth < 2);
    if (field->depth == 1) {
        const int32_t *offset = cd_field_list(field, rows)->offset;
        return offset && offset[row + 1] > offset[row];
    }
    const void *data = *cd_field_column(field, rows);
    int width = cd_field_width(field, dim);
    for (int k = 0; data && k < width; k++)
        if (!cd_is_absent(field, 1, data, (size_t)row * (size_t)width + (size_t)k))
            return true;
    return false;
}

static void append_member(cd_key_set *set, const cd_field *field, const cd_rows *rows, int32_t row, cd_buffer *out)
{
    bool is_there = has_value(field, set->model->dim, rows, row);
    if (field->depth == 1 && is_there) {
        const cd_list *list = cd_field_list(field, rows);
        append_items(set, field, list->data, list->offset[row], list->offset[row + 1], out);
    } else if (field->depth == 0) {
        if (is_there)
            append_items(set, field, *cd_field_column(field, rows), row, row + 1, out);
        else
            cd_buffer_text(out, "-");
    }
}

static bool has_an_optional(const pieces *text, int dim, const cd_rows *rows, int32_t row)
{
    for (int32_t i = 0; i < text->count; i++) {
        const cd_field *field = text->item[i].field;
        if (field && !field->required && has_value(field, dim, rows, row))
            return true;
    }
    return false;
}

static void make_keys(cd_key_set *set, cd_record_type type, const cd_rows *rows, const char **key)
{
    const cd_record *record = &cd_records[type];
    const char *text = cd_record_keys[type].text, *otherwise = cd_record_keys[type].otherwise;
    if (!text) {
        text = cd_record_has_id(record) ? "{id}" : "";
        otherwise = "";
    }
    pieces pieces_of_text = {0}, pieces_otherwise = {0};
    cut(set->arena, record, text, &pieces_of_text);
    cut(set->arena, record, otherwise, &pieces_otherwise);
    cd_buffer line = {0};
    for (int32_t i = 0; i < rows->count; i++) {
        bool is_other = *otherwise && !has_an_optional(&pieces_of_text, set->model->dim, rows, i);
        const pieces *chosen = is_other ? &pieces_otherwise : &pieces_of_text;
        line.size = 0;
        for (int32_t p = 0; p < chosen->count; p++)
            if (chosen->item[p].field)
                append_member(set, chosen->item[p].field, rows, i, &line);
            else
                cd_buffer_append(&line, chosen->item[p].letters, chosen->item[p].length);
        key[i] = cd_arena_text(set->arena, line.data ? line.data : "", line.size);
    }
    cd_buffer_release(&line);
}

typedef struct keyed_row {
    const char *key;
    int32_t row;
} keyed_row;

static int compare_keys_and_rows(const void *left, const void *right)
{
    const keyed_row *a = left, *b = right;
    int order = strcmp(a->key, b->key);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

static void number_repeated(cd_key_set *set, const char **key, int32_t count)
{
    keyed_row *sorted = CD_ARENA_ARRAY(set->arena, keyed_row, count);
    for (int32_t i = 0; i < count; i++)
        sorted[i] = (keyed_row){key[i], i};
    qsort(sorted, (size_t)count, sizeof *sorted, compare_keys_and_rows);
    int repeat = 1;
    for (int32_t i = 1; i < count; i++) {
        repeat = strcmp(sorted[i].key, sorted[i - 1].key) ? 1 : repeat + 1;
        if (repeat > 1)
            key[sorted[i].row] = cd_arena_printf(set->arena, "%s#%d", sorted[i].key, repeat);
    }
}

const char *const *cd_keys_of(cd_key_set *set, cd_record_type type)
{
    if (!set->key[type]) {
        int32_t count = cd_model_rows(set->model, type)->count;
        const char **key = CD_ARENA_ARRAY(set->arena, const char *, count);
        make_keys(set, type, cd_model_rows(set->model, type), key);
        number_repeated(set, key, count);
        set->key[type] = key;
    }
    return set->key[type];
}
