// SPDX-License-Identifier: MIT
// What this program does not know, as JSON: columns of a known table that it lacks a field for become members in
// rows->json, tables of an unknown type become lines, and such lines become blocks of one column "json".
#include "cd_columns.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

// JSON repeats a column's name, and a dictionary's word, in every row. So that a hostile block cannot unfold without
// bound: at most this many bytes of JSON a byte of payload, and as many as a row needs that has nothing but its type.
enum { UNFOLD_MOST = 256, UNFOLD_ROW = 32, UNFOLD_FREE = 1 << 20, SHOWN_KEY = 40, FEW_KEYS = 16 };

// From here on neighbouring integers are one double: they are written as text.
static const int64_t INTEGER_AS_TEXT = INT64_C(1) << 53;

typedef struct printer {
    cd_buffer *out;
    size_t most;            // out->size may not go beyond
    const cd_refs *refs;    // may be NULL
    const cd_record *own;   // the table itself when it is known; else NULL
    const int64_t *own_id;  // ids of its rows in this block, numbered from own_before; NULL: none
    int32_t own_before, own_count;
    cd_diag *diag;
} printer;

typedef struct row_members {
    const cd_column *columns;  // those that are known are left out
    int32_t count;
    const cd_column *json;  // the column "json" or NULL
    const char **taken;     // sorted names of the columns that are printed
    int32_t taken_count;
} row_members;

static void put(cd_buffer *out, char c) { cd_buffer_append(out, &c, 1); }

// ---- keys ----------------------------------------------------------------------------------------------------------

// The key with its escapes resolved: in the line when it has none, else a copy.
static cd_status resolve_key(cd_arena *arena, const cd_json_member *member, const char **key, cd_diag *diag)
{
    size_t length = (size_t)member->key_length;
    if (!memchr(member->key, '\\', length)) {
        *key = cd_arena_text(arena, member->key, length);
        return CD_OK;
    }
    cJSON *item = cJSON_ParseWithLength(member->key - 1, length + 2);
    if (!item || !cJSON_IsString(item)) {
        cJSON_Delete(item);
        return cd_fail(diag, CD_ERR_FORMAT, "%.*s: no member name", cd_json_shown(member->key, length, SHOWN_KEY),
                       member->key);
    }
    *key = cd_arena_text(arena, item->valuestring, strlen(item->valuestring));
    cJSON_Delete(item);
    return CD_OK;
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The keys of an object, sorted; CD_ERR_FORMAT when one is there twice.
static cd_status sorted_keys(cd_arena *arena, const cd_json_members *members, const char ***keys, cd_diag *diag)
{
    *keys = CD_ARENA_ARRAY(arena, const char *, members->count);
    for (int32_t i = 0; i < members->count; i++)
        CD_TRY(resolve_key(arena, &members->item[i], &(*keys)[i], diag));
    qsort(*keys, (size_t)members->count, sizeof **keys, compare_keys);
    for (int32_t i = 1; i < members->count; i++)
        if (!strcmp((*keys)[i - 1], (*keys)[i]))
            return cd_fail(diag, CD_ERR_FORMAT, "%.*s: is there twice",
                           cd_json_shown((*keys)[i], strlen((*keys)[i]), SHOWN_KEY), (*keys)[i]);
    return CD_OK;
}

// Few plain keys, as in nearly every line, are compared as they stand.
static bool are_few_and_once(const cd_json_members *members)
{
    if (members->count > FEW_KEYS)
        return false;
    for (int32_t i = 0; i < members->count; i++) {
        const cd_json_member *own = &members->item[i];
        if (memchr(own->key, '\\', (size_t)own->key_length))
            return false;
        for (int32_t j = 0; j < i; j++)
            if (members->item[j].key_length == own->key_length &&
                !memcmp(members->item[j].key, own->key, (size_t)own->key_length))
                return false;
    }
    return true;
}

cd_status cd_json_members_check(cd_arena *arena, const cd_json_members *members, cd_diag *diag)
{
    if (are_few_and_once(members))
        return CD_OK;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    const char **keys;
    cd_status status = sorted_keys(arena, members, &keys, diag);
    cd_arena_rewind(arena, mark);
    return status;
}

static bool is_taken(const row_members *members, const char *key)
{
    return members->taken_count &&
           bsearch(&key, members->taken, (size_t)members->taken_count, sizeof *members->taken, compare_keys);
}

// Is `name` what the record's own JSON member is called? Members of "group.field" form stand under "group".
static bool is_own_member(const cd_record *record, const char *name)
{
    if (!strcmp(name, "type"))
        return true;
    for (int32_t f = 0; record && f < record->field_count; f++) {
        size_t length = strcspn(record->field[f].name, ".");
        if (!strncmp(record->field[f].name, name, length) && !name[length])
            return true;
    }
    return false;
}

// ---- JSON texts of a payload ---------------------------------------------------------------------------------------

cd_status cd_json_value_check(cd_arena *arena, const char *text, size_t length, cd_diag *diag)
{
    cd_arena_mark mark = cd_arena_get_mark(arena);
    cd_json_members members = {0};
    char *object = cd_arena_alloc(arena, length + 6);
    memcpy(object, "{\"\":", 4);
    memcpy(object + 4, text, length);
    object[length + 4] = '}';
    cd_status status = cd_json_scan(arena, object, length + 5, &members, diag);
    bool is_one = status == CD_OK && members.count == 1 && members.item[0].value == object + 4 &&
                  members.item[0].value_length == length;
    cd_arena_rewind(arena, mark);
    if (status == CD_OK && (!is_one || memchr(text, '\n', length)))
        return cd_fail(diag, CD_ERR_FORMAT, "not one JSON value without spaces around it, on one line");
    return status;
}

// Row `row` of the column "json": its members between the braces. The keys must be new to the line.
static cd_status open_object(cd_arena *arena, const printer *p, const row_members *members, int32_t row,
                             const char **inner, size_t *inner_length)
{
    const cd_column *column = members->json;
    cd_diag *diag = p->diag;
    *inner_length = 0;
    if (column->mask && !column->mask[row])
        return CD_OK;
    const char *text = column->text + column->text_offset[row];
    size_t length = (size_t)(column->text_offset[row + 1] - column->text_offset[row]);
    cd_json_members own = {0};
    const char **keys;
    CD_TRY(cd_json_scan(arena, text, length, &own, diag));
    if (text[0] != '{' || text[length - 1] != '}' || memchr(text, '\n', length))
        return cd_fail(diag, CD_ERR_FORMAT, "not one JSON object without spaces around it, on one line");
    CD_TRY(sorted_keys(arena, &own, &keys, diag));
    for (int32_t i = 0; i < own.count; i++)
        if (is_own_member(p->own, keys[i]) || is_taken(members, keys[i]))
            return cd_fail(diag, CD_ERR_FORMAT, "%.*s: is there twice",
                           cd_json_shown(keys[i], strlen(keys[i]), SHOWN_KEY), keys[i]);
    *inner = text + 1;
    *inner_length = own.count ? length - 2 : 0;
    return CD_OK;
}

// ---- numbers of a column -------------------------------------------------------------------------------------------

static void print_integer(cd_buffer *out, int64_t value)
{
    char text[CD_NUMBER_MAX];
    int length = cd_integer_print(value, text);
    bool is_text = value >= INTEGER_AS_TEXT || value <= -INTEGER_AS_TEXT;
    if (is_text)
        put(out, '"');
    cd_buffer_append(out, text, (size_t)length);
    if (is_text)
        put(out, '"');
}

static cd_status print_double(const printer *p, const cd_column *column, double value)
{
    if (isnan(value))
        return cd_fail(p->diag, CD_ERR_FORMAT, "%s: NaN is refused", column->name);
    if (isinf(value)) {
        cd_buffer_text(p->out, value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
        return CD_OK;
    }
    char text[CD_NUMBER_MAX];
    cd_buffer_append(p->out, text, (size_t)cd_number_print(value, text));
    return CD_OK;
}

// A reference as the user id of its row. A row number would read as an id, so it is written only for tables that have
// no ids or that this program does not know.
static cd_status print_reference(const printer *p, const cd_column *column, int32_t row)
{
    cd_record_type type = cd_record_find(column->target, strlen(column->target));
    if (type == CD_REC_UNKNOWN || !cd_record_has_id(&cd_records[type])) {
        print_integer(p->out, row);
        return CD_OK;
    }
    int32_t before = p->refs ? cd_refs_count(p->refs, type) : 0;
    bool is_own = p->own && p->own->type == type && row >= p->own_before && row - p->own_before < p->own_count;
    if (row < 0 || (row >= before && !is_own))
        return cd_fail(p->diag, CD_ERR_FORMAT, "%s: refers to row %" PRId32 " of %s, which has %" PRId32 " rows here",
                       column->name, row, column->target, before);
    if (is_own && p->own_id)
        print_integer(p->out, p->own_id[row - p->own_before]);
    else if (!is_own && p->refs->table[type].ids_known)
        print_integer(p->out, cd_refs_id(p->refs, type, row));
    else
        return cd_fail(p->diag, CD_ERR_UNSUPPORTED, "%s: refers to %s, whose ids were not read", column->name,
                       column->target);
    return CD_OK;
}

static cd_status print_feature(const printer *p, const cd_column *column, int32_t code)
{
    if (code == CD_FEATURE_NONE) {
        cd_buffer_text(p->out, "null");
        return CD_OK;
    }
    if (code < 0)
        return cd_fail(p->diag, CD_ERR_FORMAT, "%s: %" PRId32 " is no feature", column->name, code);
    cd_buffer_printf(p->out, "\"%c%d\"", CD_FEATURE_LETTERS[cd_feature_kind(code)], cd_feature_index(code));
    return CD_OK;
}

static cd_status print_number(cd_arena *arena, const printer *p, const cd_column *column, size_t i)
{
    switch (column->base) {
    case CD_COLUMN_F64:
        return print_double(p, column, ((const double *)column->number)[i]);
    case CD_COLUMN_I32:
        if (column->target[0])
            return print_reference(p, column, ((const int32_t *)column->number)[i]);
        print_integer(p->out, ((const int32_t *)column->number)[i]);
        return CD_OK;
    case CD_COLUMN_SITE:
        if (i % 2 == 0)
            return print_reference(p, column, ((const int32_t *)column->number)[i]);
        print_integer(p->out, ((const int32_t *)column->number)[i]);
        return CD_OK;
    case CD_COLUMN_I64:
        print_integer(p->out, ((const int64_t *)column->number)[i]);
        return CD_OK;
    case CD_COLUMN_BOOL:
        cd_buffer_text(p->out, ((const uint8_t *)column->number)[i] ? "true" : "false");
        return CD_OK;
    case CD_COLUMN_FEATURE:
        return print_feature(p, column, ((const int32_t *)column->number)[i]);
    default:
        break;
    }
    // What is left is text: of a dictionary, of the row, or JSON.
    bool is_word = column->base == CD_COLUMN_WORD;
    size_t k = is_word ? ((const uint8_t *)column->number)[i] : i;
    const int32_t *offset = (is_word ? column->word_offset : column->text_offset) + k;
    const char *text = (is_word ? column->word : column->text) + offset[0];
    size_t length = (size_t)(offset[1] - offset[0]);
    if (column->base == CD_COLUMN_JSON) {
        CD_TRY(cd_json_value_check(arena, text, length, p->diag));
        cd_buffer_append(p->out, text, length);
        return CD_OK;
    }
    cd_arena_mark mark = cd_arena_get_mark(arena);
    cd_json_string(p->out, cd_arena_text(arena, text, length));
    cd_arena_rewind(arena, mark);
    return CD_OK;
}

static cd_status print_item(cd_arena *arena, const printer *p, const cd_column *column, size_t item)
{
    size_t width = (size_t)column->width;
    if (width > 1)
        put(p->out, '[');
    for (size_t k = 0; k < width; k++) {
        if (k)
            put(p->out, ',');
        cd_status status = print_number(arena, p, column, item * width + k);
        if (status != CD_OK)
            return status;
        if (p->out->size > p->most)
            return cd_fail(p->diag, CD_ERR_LIMIT, "%s: as JSON the block is more than %d times its size", column->name,
                           UNFOLD_MOST);
    }
    if (width > 1)
        put(p->out, ']');
    return CD_OK;
}

static cd_status print_list(cd_arena *arena, const printer *p, const cd_column *column, int32_t first, int32_t last)
{
    put(p->out, '[');
    for (int32_t k = first; k < last; k++) {
        if (k > first)
            put(p->out, ',');
        if (column->depth == 1) {
            CD_TRY(print_item(arena, p, column, (size_t)k));
            continue;
        }
        put(p->out, '[');
        for (int32_t m = column->inner[k]; m < column->inner[k + 1]; m++) {
            if (m > column->inner[k])
                put(p->out, ',');
            CD_TRY(print_item(arena, p, column, (size_t)m));
        }
        put(p->out, ']');
        if (p->out->size > p->most)
            return cd_fail(p->diag, CD_ERR_LIMIT, "%s: as JSON the block is more than %d times its size", column->name,
                           UNFOLD_MOST);
    }
    put(p->out, ']');
    return CD_OK;
}

// "name":value, with a comma in front unless it is the first behind '{'. Nothing when the row is absent.
static cd_status print_member(cd_arena *arena, const printer *p, const cd_column *column, int32_t row)
{
    if (column->mask && !column->mask[row])
        return CD_OK;
    if (p->out->data[p->out->size - 1] != '{')
        put(p->out, ',');
    put(p->out, '"');
    cd_buffer_text(p->out, column->name);
    cd_buffer_text(p->out, "\":");
    if (column->depth == 0)
        return print_item(arena, p, column, (size_t)row);
    return print_list(arena, p, column, column->offset[row], column->offset[row + 1]);
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static cd_status open_members(cd_arena *arena, const cd_record *record, const cd_column *columns, int32_t count,
                              row_members *members, cd_diag *diag)
{
    *members = (row_members){columns, count, NULL, CD_ARENA_ARRAY(arena, const char *, count), 0};
    for (int32_t c = 0; c < count; c++) {
        if (columns[c].is_known)
            continue;
        if (!strcmp(columns[c].name, "json")) {
            members->json = &columns[c];
            continue;
        }
        if (is_own_member(record, columns[c].name))
            return cd_fail(diag, CD_ERR_FORMAT, "%s: no column may have this name", columns[c].name);
        members->taken[members->taken_count++] = columns[c].name;
    }
    qsort(members->taken, (size_t)members->taken_count, sizeof *members->taken, compare_keys);
    return CD_OK;
}

static cd_status print_row(cd_arena *arena, const printer *p, const row_members *members, int32_t row)
{
    for (int32_t c = 0; c < members->count; c++)
        if (&members->columns[c] != members->json && !members->columns[c].is_known)
            CD_TRY(print_member(arena, p, &members->columns[c], row));
    const char *inner = NULL;
    size_t length = 0;
    if (members->json) {
        cd_status status = open_object(arena, p, members, row, &inner, &length);
        if (status != CD_OK)
            return cd_fail_at(p->diag, status, "json: row %" PRId32, row);
    }
    if (length && p->out->data[p->out->size - 1] != '{')
        put(p->out, ',');
    cd_buffer_append(p->out, inner, length);
    if (p->out->size > p->most)
        return cd_fail(p->diag, CD_ERR_LIMIT, "as JSON the block is more than %d times its size", UNFOLD_MOST);
    return CD_OK;
}

static size_t unfold_limit(size_t size, int32_t row_count)
{
    return UNFOLD_MOST * size + UNFOLD_ROW * (size_t)row_count + UNFOLD_FREE;
}

// Bytes that the columns take in the payload: what rows->json may unfold from.
static size_t column_bytes(const row_members *members, size_t row_count)
{
    size_t bytes = 0;
    for (int32_t c = 0; c < members->count; c++) {
        const cd_column *column = &members->columns[c];
        size_t numbers = column->items * (size_t)column->width;
        if (!column->is_known)
            bytes += row_count + numbers + (column->text_offset ? (size_t)column->text_offset[numbers] : 0);
    }
    return bytes;
}

cd_status cd_columns_members(cd_arena *arena, cd_row_form form, const cd_column *columns, int32_t count, cd_rows *rows,
                             cd_diag *diag)
{
    const cd_record *record = form.record;
    row_members members;
    CD_TRY(open_members(arena, record, columns, count, &members, diag));
    if ((!members.json && !members.taken_count) || !rows->count)
        return CD_OK;
    cd_buffer text = {0};
    cd_arena scratch = {0};
    printer p = {.out = &text,
                 .refs = form.refs,
                 .own = record,
                 .own_count = rows->count,
                 .diag = diag,
                 .own_before = form.refs ? cd_refs_count(form.refs, record->type) : 0,
                 .own_id = cd_record_has_id(record) ? *(int64_t **)cd_field_column(&record->field[0], rows) : NULL};
    size_t left = unfold_limit(column_bytes(&members, (size_t)rows->count), rows->count);
    const char **json = CD_ARENA_ZARRAY(arena, const char *, rows->count);
    cd_status status = CD_OK;
    for (int32_t row = 0; row < rows->count && status == CD_OK; row++) {
        text.size = 0;
        put(&text, '{');
        p.most = left;
        status = print_row(&scratch, &p, &members, row);
        put(&text, '}');
        left = text.size < left ? left - text.size : 0;
        if (text.size > 2)
            json[row] = cd_arena_text(arena, text.data, text.size);
        cd_arena_reset(&scratch);
    }
    rows->json = json;
    cd_arena_release(&scratch);
    cd_buffer_release(&text);
    return status;
}

// ---- unknown tables ------------------------------------------------------------------------------------------------

cd_status cd_columns_unknown_to_json(cd_arena *arena, const char *name, const cd_refs *refs, cd_payload payload,
                                     cd_buffer *out, cd_diag *diag)
{
    cd_column *columns;
    int32_t count;
    row_members members;
    if ((uintptr_t)payload.bytes % 8)
        payload.bytes = memcpy(cd_arena_alloc(arena, payload.size), payload.bytes, payload.size);
    CD_TRY(cd_columns_open(arena, payload, &columns, &count, diag));
    CD_TRY(open_members(arena, NULL, columns, count, &members, diag));
    size_t most = out->size + unfold_limit(payload.size, payload.row_count);
    printer p = {.out = out, .most = most, .refs = refs, .diag = diag};
    cd_arena scratch = {0};
    cd_status status = CD_OK;
    for (int32_t row = 0; row < payload.row_count && status == CD_OK; row++) {
        cd_buffer_text(out, "{\"type\":");
        cd_json_string(out, name);
        status = print_row(&scratch, &p, &members, row);
        cd_buffer_text(out, "}\n");
        cd_arena_reset(&scratch);
    }
    cd_arena_release(&scratch);
    return status;
}

// The line's members without "type", in their order, as one object.
static cd_status append_object(cd_arena *arena, const char *line, size_t length, cd_buffer *text, cd_diag *diag)
{
    cd_json_members members = {0};
    const char **keys;
    CD_TRY(cd_json_scan(arena, line, length, &members, diag));
    CD_TRY(sorted_keys(arena, &members, &keys, diag));
    put(text, '{');
    for (int32_t i = 0; i < members.count; i++) {
        const cd_json_member *member = &members.item[i];
        const char *key;
        CD_TRY(resolve_key(arena, member, &key, diag));
        if (!strcmp(key, "type"))
            continue;
        if (text->data[text->size - 1] != '{')
            put(text, ',');
        cd_buffer_append(text, member->key - 1, (size_t)member->key_length + 2);
        put(text, ':');
        cd_buffer_append(text, member->value, member->value_length);
    }
    put(text, '}');
    return CD_OK;
}

cd_status cd_columns_unknown_from_json(const char *name, cd_lines lines, cd_buffer *out, cd_diag *diag)
{
    if (!cd_block_type_is_valid(name))
        return cd_fail(diag, CD_ERR_FORMAT, "type: \"%.*s\" cannot name a binary block (1 to 16 of a-z, 0-9, '_', '-')",
                       cd_json_shown(name, strlen(name), SHOWN_KEY), name);
    // A table of no fields, whose rows have nothing but json.
    static const cd_record no_fields = {.type = CD_REC_UNKNOWN, .size = sizeof(cd_rows)};
    cd_arena scratch = {0}, texts = {0};
    cd_buffer object = {0};
    cd_status status = CD_OK;
    size_t total = 0;
    const char **json = CD_ARENA_ZARRAY(&texts, const char *, lines.count);
    for (int32_t i = 0; i < lines.count && status == CD_OK; i++) {
        object.size = 0;
        status = append_object(&scratch, lines.text[i], lines.length[i], &object, diag);
        total += object.size;
        if (status == CD_OK && total > INT32_MAX)
            status = cd_fail(diag, CD_ERR_LIMIT, "more than 2 GiB of members in one block");
        if (status == CD_OK && object.size > 2)
            json[i] = cd_arena_text(&texts, object.data, object.size);
        cd_arena_reset(&scratch);
    }
    if (status == CD_OK)
        cd_columns_encode(&no_fields, 2, &(cd_rows){.count = lines.count, .json = json}, 0, lines.count, out);
    cd_arena_release(&scratch);
    cd_arena_release(&texts);
    cd_buffer_release(&object);
    return status;
}
