// cd_json_write -- columns to JSON lines: fixed key order, no spaces, absent values left out, numbers by cd_number.c.
//
// A NaN or an infinity where the table of fields does not allow one is written as the string "NaN" or "Infinity", which
// every reader refuses with a sentence: a wrong result is neither hidden nor turned into null.
// SPDX-License-Identifier: MIT
#include "cd_assert.h"
#include "cd_codec.h"

#include <math.h>

static const int64_t INTEGER_AS_TEXT = INT64_C(1) << 53;  // from here on neighbouring integers are one double

// ---- scalars -------------------------------------------------------------------------------------------------------

static void write_char(cd_buffer *out, char c)
{
    cd_buffer_reserve(out, 1);
    out->data[out->size++] = c;
}

static void write_integer(cd_buffer *out, int64_t value)
{
    bool is_text = value >= INTEGER_AS_TEXT || value <= -INTEGER_AS_TEXT;
    cd_buffer_reserve(out, CD_NUMBER_MAX + 2);
    if (is_text)
        out->data[out->size++] = '"';
    out->size += (size_t)cd_integer_print(value, out->data + out->size);
    if (is_text)
        out->data[out->size++] = '"';
}

static void write_double(cd_buffer *out, double value)
{
    if (isfinite(value)) {
        cd_buffer_reserve(out, CD_NUMBER_MAX);
        out->size += (size_t)cd_number_print(value, out->data + out->size);
    } else {
        cd_buffer_text(out, isnan(value) ? "\"NaN\"" : value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
    }
}

void cd_json_string(cd_buffer *out, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    static const char names[] = "btn fr";  // of the control characters 8 to 13; 11 has none
    write_char(out, '"');
    const char *run = text;
    for (;; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        cd_buffer_append(out, run, (size_t)(text - run));
        run = text + 1;
        if (c == '\0')
            break;
        char escape[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
        bool has_name = c >= 0x20 || (c >= 8 && c <= 13 && c != 11);
        if (has_name)
            escape[1] = c >= 0x20 ? (char)c : names[c - 8];
        cd_buffer_append(out, escape, has_name ? 2 : 6);
    }
    write_char(out, '"');
}

static void write_reference(const cd_field *field, const cd_refs *refs, int32_t row, cd_buffer *out)
{
    CD_ASSERT(refs && row >= 0 && row < cd_refs_count(refs, field->target) && refs->table[field->target].ids_known);
    write_integer(out, cd_refs_id(refs, field->target, row));
}

static void write_features(const int32_t *feature, cd_buffer *out)
{
    for (int k = 0; k < 2 && feature[k] >= 0; k++) {
        cd_buffer_text(out, k ? ",\"" : "[\"");
        write_char(out, CD_FEATURE_LETTERS[cd_feature_kind(feature[k])]);
        write_integer(out, cd_feature_index(feature[k]));
        write_char(out, '"');
    }
    write_char(out, ']');
}

// ---- one item of a column ---------------------------------------------------------------------------------------

static void write_numbers(const cd_field *field, const void *item, int width, cd_buffer *out)
{
    if (width > 1)
        write_char(out, '[');
    for (int k = 0; k < width; k++) {
        if (k)
            write_char(out, ',');
        switch (field->base) {
        case CD_BASE_F64:
            write_double(out, ((const double *)item)[k]);
            break;
        case CD_BASE_I32:
            write_integer(out, ((const int32_t *)item)[k]);
            break;
        case CD_BASE_I64:
            write_integer(out, ((const int64_t *)item)[k]);
            break;
        case CD_BASE_U8:
        case CD_BASE_TEXT:
            CD_ASSERT(!"not a number");
        }
    }
    if (width > 1)
        write_char(out, ']');
}

static void write_item(const cd_field *field, int width, const cd_refs *refs, const void *item, cd_buffer *out)
{
    switch (field->kind) {
    case CD_KIND_BOOL:
        cd_buffer_text(out, *(const uint8_t *)item ? "true" : "false");
        break;
    case CD_KIND_WORD: {
        int32_t word = *(const int32_t *)item;
        CD_ASSERT(word >= 0 && word < field->vocab->count);
        cd_json_string(out, field->vocab->word[word]);
        break;
    }
    case CD_KIND_TEXT:
        cd_json_string(out, *(const char *const *)item);
        break;
    case CD_KIND_JSON:
        cd_buffer_text(out, *(const char *const *)item);
        break;
    case CD_KIND_REFERENCE:
        write_reference(field, refs, *(const int32_t *)item, out);
        break;
    case CD_KIND_SITE:
        write_char(out, '[');
        write_reference(field, refs, ((const int32_t *)item)[0], out);
        write_char(out, ',');
        write_integer(out, ((const int32_t *)item)[1]);
        write_char(out, ']');
        break;
    case CD_KIND_FEATURE:
        write_features(item, out);
        break;
    case CD_KIND_NUMBER:
    case CD_KIND_INTEGER:
    case CD_KIND_ID:
        write_numbers(field, item, width, out);
        break;
    }
}

// ---- members -------------------------------------------------------------------------------------------------------

static void write_name(const char *name, size_t length, cd_buffer *out)
{
    cd_buffer_reserve(out, length + 4);
    char *at = out->data + out->size;
    *at++ = ',';
    *at++ = '"';
    memcpy(at, name, length);
    at[length] = '"';
    at[length + 1] = ':';
    out->size += length + 4;
}

static int32_t list_length(const cd_field *field, const cd_rows *rows, int32_t row)
{
    const int32_t *offset =
        field->depth == 1 ? cd_field_list(field, rows)->offset : cd_field_list2(field, rows)->offset;
    return offset ? offset[row + 1] - offset[row] : 0;
}

static void write_list(const cd_field *field, int width, const cd_refs *refs, const cd_rows *rows, int32_t row,
                       cd_buffer *out)
{
    const cd_list *list = cd_field_list(field, rows);
    size_t size = cd_base_size(field->base) * (size_t)width;
    int32_t count = list_length(field, rows, row);
    write_char(out, '[');
    for (int32_t i = 0; i < count; i++) {
        if (i)
            write_char(out, ',');
        write_item(field, width, refs, (const char *)list->data + ((size_t)list->offset[row] + (size_t)i) * size, out);
    }
    write_char(out, ']');
}

static void write_list2(const cd_field *field, const cd_rows *rows, int32_t row, cd_buffer *out)
{
    const cd_list2 *list = cd_field_list2(field, rows);
    int32_t count = list_length(field, rows, row);
    write_char(out, '[');
    for (int32_t i = 0; i < count; i++) {
        int32_t inner = list->offset[row] + i;
        cd_buffer_text(out, i ? ",[" : "[");
        for (int32_t k = list->inner[inner]; k < list->inner[inner + 1]; k++) {
            if (k > list->inner[inner])
                write_char(out, ',');
            write_integer(out, list->data[k]);
        }
        write_char(out, ']');
    }
    write_char(out, ']');
}

// Fields first..last-1 are "group.field" members: one array of objects, left out when empty.
static void write_group(const cd_field *field, int32_t members, int dim, const cd_refs *refs, const cd_rows *rows,
                        int32_t row, cd_buffer *out)
{
    int32_t objects = 0;
    size_t length = (size_t)(strchr(field[0].name, '.') - field[0].name);
    for (int32_t f = 0; f < members; f++)
        if (list_length(&field[f], rows, row) > objects)
            objects = list_length(&field[f], rows, row);
    if (objects == 0)
        return;
    write_name(field[0].name, length, out);
    write_char(out, '[');
    for (int32_t i = 0; i < objects; i++) {
        size_t start = out->size;
        for (int32_t f = 0; f < members; f++) {
            if (i >= list_length(&field[f], rows, row))
                continue;
            const cd_list *list = cd_field_list(&field[f], rows);
            int width = cd_field_width(&field[f], dim);
            size_t place = ((size_t)list->offset[row] + (size_t)i) * cd_base_size(field[f].base) * (size_t)width;
            write_name(field[f].name + length + 1, strlen(field[f].name) - length - 1, out);
            write_item(&field[f], width, refs, (const char *)list->data + place, out);
        }
        out->data[start] = '{';  // in the place of the first member's comma
        cd_buffer_text(out, i + 1 < objects ? "}," : "}]");
    }
}

static int32_t group_members(const cd_record *record, int32_t first)
{
    const char *name = record->field[first].name, *dot = strchr(name, '.');
    int32_t f = first;
    while (dot && f < record->field_count && !strncmp(record->field[f].name, name, (size_t)(dot - name) + 1))
        f++;
    return f - first;
}

static void write_field(const cd_field *field, int dim, const cd_refs *refs, const cd_rows *rows, int32_t row,
                        cd_buffer *out)
{
    int width = cd_field_width(field, dim);
    if (field->depth > 0) {
        if (list_length(field, rows, row) == 0 && !field->required)
            return;
        write_name(field->name, strlen(field->name), out);
        if (field->depth == 1)
            write_list(field, width, refs, rows, row, out);
        else
            write_list2(field, rows, row, out);
        return;
    }
    const char *column = *cd_field_column(field, rows);
    if (!column)
        return;
    const char *item = column + (size_t)row * (size_t)width * cd_base_size(field->base);
    if (cd_is_absent(field, width, item, 0))
        return;
    write_name(field->name, strlen(field->name), out);
    write_item(field, width, refs, item, out);
}

void cd_json_encode(const cd_record *record, int dim, const cd_refs *refs, const cd_rows *rows, int32_t first,
                    int32_t count, cd_buffer *out)
{
    if (record->type == CD_REC_head && dim == 0 && rows->count > 0)
        dim = ((const cd_head_rows *)rows)->dim[0];
    for (int32_t row = first; row < first + count; row++) {
        cd_buffer_text(out, "{\"type\":");
        cd_json_string(out, record->name);
        for (int32_t f = 0; f < record->field_count;) {
            int32_t members = group_members(record, f);
            if (members)
                write_group(&record->field[f], members, dim, refs, rows, row, out);
            else
                write_field(&record->field[f], dim, refs, rows, row, out);
            f += members ? members : 1;
        }
        const char *json = rows->json ? rows->json[row] : NULL;
        size_t length = json ? strlen(json) : 0;
        if (length > 2) {
            write_char(out, ',');
            cd_buffer_append(out, json + 1, length - 2);
        }
        cd_buffer_text(out, "}\n");
    }
}
