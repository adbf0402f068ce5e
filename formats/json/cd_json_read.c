// cd_json_read -- JSON lines to columns.
//
// Each line is scanned strictly (cd_json_scan), parsed by cJSON, and its members put where the table of fields says. A
// column is made, filled with "absent", when the first row with that member arrives, so rows without it cost nothing;
// list data grow by doubling. Keys are looked for from the field behind the last one found: in the canonical order that
// is one comparison a member.
// SPDX-License-Identifier: MIT
#include "cd_assert.h"
#include "cd_json_scan.h"
#include "cd_json_values.h"

#include <stdlib.h>

enum { SHOWN_NAME = 40, FIRST_LIST = 16 };

typedef struct field_state {
    int32_t seen;                       // row + 1 of the last row with this member
    size_t group_length;                // of "group" in "group.field"; 0: a plain member
    int32_t total, capacity;            // items of a list column; inner lists of a list of lists
    int32_t data_total, data_capacity;  // numbers of a list of lists
} field_state;

typedef struct unknown_member {
    const char *name;  // escapes resolved
    int32_t member;    // index into decoder.members
} unknown_member;

typedef struct decoder {
    cd_json_context context;
    cd_rows *rows;
    int32_t row;
    int32_t next_field;  // where the search for the next key starts
    field_state *state;  // by field
    cd_arena scratch;    // of the call
    cd_refs own;         // ids of this run's rows, when the table refers to itself
    bool refers_to_itself;
    cd_json_members members;  // of the line, in order; the same order as cJSON's children
    CD_LIST(unknown_member) unknown;
} decoder;

static cd_status refuse(const decoder *d, const char *name, const char *reason)
{
    return cd_fail(d->context.diag, CD_ERR_FORMAT, "%.*s: %s", cd_json_shown(name, strlen(name), SHOWN_NAME), name,
                   reason);
}

// ---- texts of source -----------------------------------------------------------------------------------------------

// Copies the JSON text without the spaces between its tokens.
static char *copy_compact(char *to, const char *from, size_t length)
{
    bool in_string = false;
    for (size_t i = 0; i < length; i++) {
        char c = from[i];
        if (!in_string && (c == ' ' || c == '\t' || c == '\r' || c == '\n'))
            continue;
        *to++ = c;
        if (c == '"')
            in_string = !in_string;
        else if (c == '\\' && in_string)
            *to++ = from[++i];
    }
    return to;
}

static const char *json_text(cd_arena *arena, const cd_json_member *member)
{
    char *text = cd_arena_alloc(arena, member->value_length + 1);
    *copy_compact(text, member->value, member->value_length) = '\0';
    return text;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const unknown_member *)a)->name, ((const unknown_member *)b)->name);
}

static int compare_places(const void *a, const void *b)
{
    int32_t place_a = ((const unknown_member *)a)->member, place_b = ((const unknown_member *)b)->member;
    return (place_a > place_b) - (place_a < place_b);
}

// The members of this row that the table of fields does not know, as one JSON object in the order of the line.
static cd_status keep_unknown(decoder *d)
{
    size_t bytes = 2, count = (size_t)d->unknown.count;
    qsort(d->unknown.item, count, sizeof(unknown_member), compare_names);
    for (size_t i = 1; i < count; i++)
        if (!strcmp(d->unknown.item[i - 1].name, d->unknown.item[i].name))
            return refuse(d, d->unknown.item[i].name, "is there twice");
    qsort(d->unknown.item, count, sizeof(unknown_member), compare_places);
    for (size_t i = 0; i < count; i++) {
        const cd_json_member *member = &d->members.item[d->unknown.item[i].member];
        bytes += (size_t)member->key_length + member->value_length + 4;
    }
    char *text = cd_arena_alloc(d->context.arena, bytes), *at = text;
    for (size_t i = 0; i < count; i++) {
        const cd_json_member *member = &d->members.item[d->unknown.item[i].member];
        *at++ = i ? ',' : '{';
        *at++ = '"';
        memcpy(at, member->key, (size_t)member->key_length);
        at += member->key_length;
        *at++ = '"';
        *at++ = ':';
        at = copy_compact(at, member->value, member->value_length);
    }
    *at++ = '}';
    *at = '\0';
    if (!d->rows->json)
        d->rows->json = CD_ARENA_ZARRAY(d->context.arena, const char *, d->rows->count);
    d->rows->json[d->row] = text;
    return CD_OK;
}

// ---- lists ---------------------------------------------------------------------------------------------------------

static cd_status grow(decoder *d, const cd_field *field, void **data, size_t size, int32_t total, int32_t extra,
                      int32_t *capacity)
{
    if (extra > INT32_MAX - 1 - total)
        return cd_fail(d->context.diag, CD_ERR_LIMIT, "%s: more than %d elements in one run of rows", field->name,
                       INT32_MAX - 1);
    if (*capacity && total + extra <= *capacity)
        return CD_OK;
    int32_t larger = *capacity > INT32_MAX / 2 ? INT32_MAX - 1 : *capacity * 2;
    if (larger < FIRST_LIST)
        larger = FIRST_LIST;
    if (larger < total + extra)
        larger = total + extra;
    void *copy = cd_arena_alloc_array(d->context.arena, (size_t)larger, size);
    if (total)
        memcpy(copy, *data, (size_t)total * size);
    *data = copy;
    *capacity = larger;
    return CD_OK;
}

static int32_t *require_offsets(decoder *d, int32_t **offset)
{
    if (!*offset)
        *offset = CD_ARENA_ZARRAY(d->context.arena, int32_t, (size_t)d->rows->count + 1);
    return *offset;
}

static cd_status grow_int32(decoder *d, const cd_field *field, int32_t **data, int32_t total, int32_t extra,
                            int32_t *capacity)
{
    void *grown = *data;
    CD_TRY(grow(d, field, &grown, sizeof **data, total, extra, capacity));
    *data = grown;
    return CD_OK;
}

// Room for `extra` items behind those of the column; *room is the first.
static cd_status list_room(decoder *d, int32_t f, int32_t extra, char **room)
{
    const cd_field *field = &d->context.record->field[f];
    field_state *state = &d->state[f];
    cd_list *list = cd_field_list(field, d->rows);
    size_t size = cd_base_size(field->base) * (size_t)cd_field_width(field, d->context.dim);
    require_offsets(d, &list->offset);
    CD_TRY(grow(d, field, &list->data, size, state->total, extra, &state->capacity));
    *room = (char *)list->data + (size_t)state->total * size;
    state->total += extra;
    return CD_OK;
}

static cd_status decode_list(decoder *d, int32_t f, const cJSON *item)
{
    const cd_field *field = &d->context.record->field[f];
    if (!cJSON_IsArray(item))
        return cd_fail(d->context.diag, CD_ERR_FORMAT, "%s: wanted an array, got %s", field->name, cd_json_kind(item));
    int32_t count = cJSON_GetArraySize(item);
    if (count == 0 && !field->required)
        return CD_OK;
    char *room;
    CD_TRY(list_room(d, f, count, &room));
    size_t size = cd_base_size(field->base) * (size_t)cd_field_width(field, d->context.dim);
    for (const cJSON *child = item->child; child; child = child->next, room += size)
        CD_TRY(cd_json_item(&d->context, field, child, room));
    return CD_OK;
}

static cd_status decode_list2(decoder *d, int32_t f, const cJSON *item)
{
    const cd_field *field = &d->context.record->field[f];
    field_state *state = &d->state[f];
    cd_list2 *list = cd_field_list2(field, d->rows);
    if (!cJSON_IsArray(item))
        return cd_fail(d->context.diag, CD_ERR_FORMAT, "%s: wanted an array of arrays, got %s", field->name,
                       cd_json_kind(item));
    int32_t count = cJSON_GetArraySize(item);
    if (count == 0 && !field->required)
        return CD_OK;
    require_offsets(d, &list->offset);
    // One more than the lists: inner[total] is the end of the last.
    CD_TRY(grow_int32(d, field, &list->inner, state->total + (state->capacity > 0), count + 1, &state->capacity));
    if (state->total == 0)
        list->inner[0] = 0;
    for (const cJSON *child = item->child; child; child = child->next) {
        if (!cJSON_IsArray(child))
            return cd_fail(d->context.diag, CD_ERR_FORMAT, "%s: wanted an array of arrays, got %s in it", field->name,
                           cd_json_kind(child));
        int32_t numbers = cJSON_GetArraySize(child);
        CD_TRY(grow_int32(d, field, &list->data, state->data_total, numbers, &state->data_capacity));
        for (const cJSON *number = child->child; number; number = number->next)
            CD_TRY(cd_json_item(&d->context, field, number, &list->data[state->data_total++]));
        list->inner[++state->total] = state->data_total;
    }
    return CD_OK;
}

// ---- groups: an array of objects, one list column a member ---------------------------------------------------------

static bool in_group(const decoder *d, int32_t first, int32_t f)
{
    size_t length = d->state[first].group_length;
    return f < d->context.record->field_count && d->state[f].group_length == length &&
           !memcmp(d->context.record->field[f].name, d->context.record->field[first].name, length);
}

// Members that may be missing in an object of the list: a place is the origin, a turn none.
static bool put_group_default(const cd_field *field, int width, void *out)
{
    if (field->type != CD_TYPE_VECS && field->type != CD_TYPE_ROTS)
        return false;
    double *number = out;
    for (int k = 0; k < width; k++)
        number[k] = field->type == CD_TYPE_ROTS && width == 4 && k == 0 ? 1 : 0;
    return true;
}

static cd_status check_group_members(const decoder *d, int32_t first, const cJSON *object)
{
    const cd_field *field = d->context.record->field;
    size_t length = d->state[first].group_length;
    uint64_t seen = 0;
    for (const cJSON *item = object->child; item; item = item->next) {
        int32_t f = first;
        while (in_group(d, first, f) && strcmp(field[f].name + length + 1, item->string) != 0)
            f++;
        int shown = cd_json_shown(item->string, strlen(item->string), SHOWN_NAME);
        if (!in_group(d, first, f))
            return cd_fail(d->context.diag, CD_ERR_FORMAT, "%.*s: unknown member \"%.*s\"", (int)length,
                           field[first].name, shown, item->string);
        if (seen & UINT64_C(1) << (f - first))
            return refuse(d, field[f].name, "is there twice");
        seen |= UINT64_C(1) << (f - first);
    }
    return CD_OK;
}

static cd_status decode_group_member(decoder *d, int32_t first, int32_t f, const cJSON *array, int32_t count)
{
    const cd_field *field = &d->context.record->field[f];
    const char *name = field->name + d->state[first].group_length + 1;
    int width = cd_field_width(field, d->context.dim);
    size_t size = cd_base_size(field->base) * (size_t)width;
    char *room;
    CD_TRY(list_room(d, f, count, &room));
    for (const cJSON *object = array->child; object; object = object->next, room += size) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
        if (item)
            CD_TRY(cd_json_item(&d->context, field, item, room));
        else if (!put_group_default(field, width, room))
            return refuse(d, field->name, "required");
    }
    return CD_OK;
}

static cd_status decode_group(decoder *d, int32_t first, const cJSON *item)
{
    const cd_field *field = &d->context.record->field[first];
    int length = (int)d->state[first].group_length;
    if (!cJSON_IsArray(item))
        return cd_fail(d->context.diag, CD_ERR_FORMAT, "%.*s: wanted an array of objects, got %s", length, field->name,
                       cd_json_kind(item));
    for (const cJSON *object = item->child; object; object = object->next) {
        if (!cJSON_IsObject(object))
            return cd_fail(d->context.diag, CD_ERR_FORMAT, "%.*s: wanted an array of objects, got %s in it", length,
                           field->name, cd_json_kind(object));
        CD_TRY(check_group_members(d, first, object));
    }
    int32_t count = cJSON_GetArraySize(item);
    if (count == 0)
        return CD_OK;
    for (int32_t f = first; in_group(d, first, f); f++)
        CD_TRY(decode_group_member(d, first, f, item, count));
    return CD_OK;
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static bool is_named(const decoder *d, int32_t f, const char *name)
{
    const char *field_name = d->context.record->field[f].name;
    size_t length = d->state[f].group_length;
    return length ? !strncmp(field_name, name, length) && !name[length] : !strcmp(field_name, name);
}

// The field of this name (of a group: its first), -1 when there is none.
static int32_t find_field(decoder *d, const char *name)
{
    int32_t count = d->context.record->field_count;
    for (int32_t i = d->next_field, tried = 0; tried < count; i++, tried++) {
        int32_t f = i < count ? i : i - count;
        if (!is_named(d, f, name))
            continue;
        while (f > 0 && d->state[f].group_length && in_group(d, f, f - 1))
            f--;
        d->next_field = f + 1 < count ? f + 1 : 0;
        return f;
    }
    return -1;
}

static cd_status decode_member(decoder *d, int32_t f, const cJSON *item, const cd_json_member *member)
{
    const cd_field *field = &d->context.record->field[f];
    if (d->state[f].group_length)
        return decode_group(d, f, item);
    if (field->depth == 1)
        return decode_list(d, f, item);
    if (field->depth == 2)
        return decode_list2(d, f, item);
    void **column = cd_field_column(field, d->rows);
    if (!*column)
        *column = cd_column_new(d->context.arena, field, d->context.dim, d->rows->count);
    if (field->type == CD_TYPE_JSON) {
        ((const char **)*column)[d->row] = json_text(d->context.arena, member);
        return CD_OK;
    }
    size_t size = cd_base_size(field->base) * (size_t)cd_field_width(field, d->context.dim);
    return cd_json_item(&d->context, field, item, (char *)*column + (size_t)d->row * size);
}

static cd_status check_type(const decoder *d, const cJSON *item)
{
    if (!cJSON_IsString(item) || strcmp(item->valuestring, d->context.record->name) != 0)
        return cd_fail(d->context.diag, CD_ERR_FORMAT, "type: wanted \"%s\"", d->context.record->name);
    return CD_OK;
}

static cd_status decode_members(decoder *d, const cJSON *object)
{
    bool has_type = false;
    int32_t m = 0;
    d->unknown.count = 0;
    d->next_field = 0;
    for (const cJSON *item = object->child; item; item = item->next, m++) {
        if (!strcmp(item->string, "type")) {
            if (has_type)
                return refuse(d, "type", "is there twice");
            has_type = true;
            CD_TRY(check_type(d, item));
            continue;
        }
        int32_t f = find_field(d, item->string);
        if (f < 0) {
            unknown_member unknown = {item->string, m};
            cd_list_push(&d->scratch, &d->unknown, unknown);
            continue;
        }
        if (d->state[f].seen == d->row + 1)
            return refuse(d, item->string, "is there twice");
        d->state[f].seen = d->row + 1;
        if (cJSON_IsNull(item))
            return refuse(d, item->string, "null is refused; an absent member is left out");
        CD_TRY(decode_member(d, f, item, &d->members.item[m]));
    }
    return has_type ? CD_OK : refuse(d, "type", "required");
}

// What can be said only when the whole line was seen.
static cd_status finish_row(decoder *d)
{
    const cd_record *record = d->context.record;
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        if (field->required && d->state[f].seen != d->row + 1)
            return refuse(d, field->name, "required");
        if (field->depth == 0)
            continue;
        int32_t *offset =
            field->depth == 1 ? cd_field_list(field, d->rows)->offset : cd_field_list2(field, d->rows)->offset;
        if (offset)
            offset[d->row + 1] = d->state[f].total;
    }
    if (d->unknown.count)
        CD_TRY(keep_unknown(d));
    if (d->refers_to_itself)
        CD_TRY(cd_refs_add_ids(&d->own, record->type,
                               (const int64_t *)*cd_field_column(&record->field[0], d->rows) + d->row, 1,
                               d->context.diag));
    return CD_OK;
}

// The head record says itself how many components its vectors have.
static cd_status check_dim(decoder *d, const cJSON *object)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "dim");
    if (!item)
        return refuse(d, "dim", "required");
    if (!cJSON_IsNumber(item) || (item->valuedouble != 2 && item->valuedouble != 3))
        return refuse(d, "dim", "wanted 2 or 3");
    int dim = (int)item->valuedouble;
    if (d->context.dim && dim != d->context.dim)
        return cd_fail(d->context.diag, CD_ERR_FORMAT, "dim: %d, but the stream has dim %d", dim, d->context.dim);
    d->context.dim = dim;
    return CD_OK;
}

// The scan let the line pass, so that only memory can be missing. @owns caller: *object (cJSON_Delete).
static cd_status parse_scanned(const char *line, size_t length, cJSON **object, cd_diag *diag)
{
    *object = cJSON_ParseWithLengthOpts(line, length, NULL, false);
    return *object ? CD_OK : cd_fail(diag, CD_ERR_MEMORY, "no memory to parse a line of %zu bytes", length);
}

static cd_status decode_line(decoder *d, const char *line, size_t length)
{
    CD_TRY(cd_json_scan(&d->scratch, line, length, &d->members, d->context.diag));
    cJSON *object;
    CD_TRY(parse_scanned(line, length, &object, d->context.diag));
    cd_status status = d->context.record->type == CD_REC_head ? check_dim(d, object) : CD_OK;
    if (status == CD_OK)
        status = decode_members(d, object);
    if (status == CD_OK)
        status = finish_row(d);
    cJSON_Delete(object);
    return status;
}

static void prepare_fields(decoder *d)
{
    const cd_record *record = d->context.record;
    d->state = CD_ARENA_ZARRAY(&d->scratch, field_state, record->field_count);
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        const char *dot = strchr(field->name, '.');
        d->state[f].group_length = dot ? (size_t)(dot - field->name) : 0;
        CD_ASSERT(!dot || field->depth == 1);
        bool needs_dim = cd_field_width(field, 2) != cd_field_width(field, 3) && record->type != CD_REC_head;
        CD_ASSERT(!needs_dim || d->context.dim == 2 || d->context.dim == 3);
        if ((field->type == CD_TYPE_REF || field->type == CD_TYPE_REFS) && field->target == record->type)
            d->refers_to_itself = cd_record_has_id(record);
    }
}

cd_status cd_json_decode(cd_arena *arena, cd_row_form form, cd_lines lines, cd_rows *rows, int32_t *bad_line,
                         cd_diag *diag)
{
    memset(rows, 0, form.record->size);
    rows->count = lines.count;
    decoder d = {.context = {arena, form.record, form.dim, form.refs, NULL, diag}, .rows = rows};
    prepare_fields(&d);
    if (d.refers_to_itself)
        d.context.own = &d.own;
    cd_status status = CD_OK;
    for (d.row = 0; d.row < lines.count && status == CD_OK; d.row++) {
        status = decode_line(&d, lines.text[d.row], lines.length[d.row]);
        if (status != CD_OK && bad_line)
            *bad_line = d.row;
    }
    cd_refs_release(&d.own);
    cd_arena_release(&d.scratch);
    return status;
}

// ---- the type word -------------------------------------------------------------------------------------------------

static bool skip_word(const char **at, const char *end, const char *word)
{
    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
    size_t length = strlen(word);
    if ((size_t)(end - *at) < length || memcmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

// {"type":"word" at the start of the line, where canonical lines have it.
static bool type_at_front(const char *line, size_t length, const char **type, size_t *type_length)
{
    const char *at = line, *end = line + length;
    if (!skip_word(&at, end, "{") || !skip_word(&at, end, "\"type\"") || !skip_word(&at, end, ":") ||
        !skip_word(&at, end, "\""))
        return false;
    const char *quote = memchr(at, '"', (size_t)(end - at));
    *type = at;
    *type_length = quote ? (size_t)(quote - at) : 0;
    return quote && !memchr(at, '\0', *type_length) && cd_record_find(at, *type_length) != CD_REC_UNKNOWN;
}

static cd_status type_of_object(cd_arena *arena, const cJSON *object, const char **type, size_t *type_length,
                                cd_diag *diag)
{
    const cJSON *found = NULL;
    for (const cJSON *item = object->child; item; item = item->next) {
        if (strcmp(item->string, "type") != 0)
            continue;
        if (found)
            return cd_fail(diag, CD_ERR_FORMAT, "type: is there twice");
        found = item;
    }
    if (!found)
        return cd_fail(diag, CD_ERR_FORMAT, "type: required");
    if (!cJSON_IsString(found) || !found->valuestring[0])
        return cd_fail(diag, CD_ERR_FORMAT, "type: wanted a word");
    *type_length = strlen(found->valuestring);
    *type = cd_arena_text(arena, found->valuestring, *type_length);
    return CD_OK;
}

// A line of a known type is looked at again when it is decoded; one of an unknown type is passed on, so it is checked
// here.
cd_status cd_json_type(cd_arena *arena, const char *line, size_t length, const char **type, size_t *type_length,
                       cd_diag *diag)
{
    if (type_at_front(line, length, type, type_length))
        return CD_OK;
    cd_arena scratch = {0};
    cd_json_members members = {0};
    cd_status status = cd_json_scan(&scratch, line, length, &members, diag);
    cd_arena_release(&scratch);
    if (status != CD_OK)
        return status;
    cJSON *object;
    CD_TRY(parse_scanned(line, length, &object, diag));
    status = type_of_object(arena, object, type, type_length, diag);
    cJSON_Delete(object);
    return status;
}
