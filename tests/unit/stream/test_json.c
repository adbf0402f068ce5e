// JSON lines to columns and back: every record type with all fields, types, strings, absent members and wrong results.
// SPDX-License-Identifier: MIT
#include "cd_codec.h"
#include "cd_random.h"
#include "test_json_line.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

enum { TARGET_ROWS = 9, ROWS = 6 };

// ---- fixtures ------------------------------------------------------------------------------------------------------

// Nine rows in every table that has ids: not ascending, one above 2^53, one negative.
static void fill_refs(cd_refs *refs)
{
    static const int64_t id[TARGET_ROWS] = {7, 3, 12, -5, INT64_C(9007199254740993), 40, 41, 42, INT64_MAX};
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (cd_record_has_id(&cd_records[type]))
            CD_CHECK(cd_refs_add_ids(refs, (cd_record_type)type, id, TARGET_ROWS, NULL) == CD_OK);
}

static double random_double(cd_random *random, cd_range range)
{
    double value = cd_random_between(random, 1e-3, 5);
    if (range == CD_RANGE_POS || range == CD_RANGE_NONNEG)
        return value;
    if (range == CD_RANGE_BOUND && cd_random_bits(random) % 3 == 0)
        return cd_random_bits(random) % 2 ? INFINITY : -INFINITY;
    return cd_random_bits(random) % 5 == 0 ? -0.0 : cd_random_bits(random) % 2 ? value : -value * 1e-300;
}

static int32_t random_feature(cd_random *random)
{
    return cd_feature((int)(cd_random_bits(random) % 3), (int32_t)(cd_random_bits(random) % 1000));
}

// One element of the field; texts are static.
static void random_element(cd_random *random, const cd_field *field, int width, void *out)
{
    static const char *const texts[] = {"", "plain", "quote \" back \\ slash / tab \t bell \a delete \x7f",
                                        "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"};
    static const char *const values[] = {"{\"body\":2}", "[1,[2.50,\"a b\"]]", "1.0e5", "\"text\"", "true"};
    double *number = out;
    int32_t *integer = out;
    switch (field->base) {
    case CD_BASE_F64:
        for (int k = 0; k < width; k++)
            number[k] = random_double(
                random, field->range == CD_RANGE_MOMENTS && k < cd_moments_of(width) ? CD_RANGE_POS : field->range);
        if ((field->range == CD_RANGE_UNIT || field->type == CD_TYPE_ROTS) && width > 1) {
            memset(number, 0, (size_t)width * sizeof *number);
            number[cd_random_bits(random) % (unsigned)width] = cd_random_bits(random) % 2 ? 0.6 : -0.6;
            number[number[0] != 0 ? 1 : 0] = 0.8;
        }
        break;
    case CD_BASE_I32:
        for (int k = 0; k < width; k++)
            integer[k] = field->type == CD_TYPE_FEATX2 ? random_feature(random)
                         : field->vocab       ? (int32_t)(cd_random_bits(random) % (unsigned)field->vocab->count)
                         : field->target >= 0 ? (int32_t)(cd_random_bits(random) % TARGET_ROWS)
                         : field->range == CD_RANGE_ANY ? (int32_t)(cd_random_bits(random) >> 32)
                                                        : 1 + (int32_t)(cd_random_bits(random) % 100000);
        break;
    case CD_BASE_I64:
        *(int64_t *)out = (int64_t)(cd_random_bits(random) >> (1 + cd_random_bits(random) % 40)) + 1;
        break;
    case CD_BASE_U8:
        *(uint8_t *)out = (uint8_t)(cd_random_bits(random) % 2);
        break;
    case CD_BASE_TEXT:
        *(const char **)out =
            field->type == CD_TYPE_JSON ? values[cd_random_bits(random) % 5] : texts[cd_random_bits(random) % 4];
        break;
    }
}

static void random_list(cd_arena *arena, cd_random *random, const cd_field *field, int width, cd_list *list,
                        bool is_group)
{
    size_t size = cd_base_size(field->base) * (size_t)width;
    list->offset = CD_ARENA_ZARRAY(arena, int32_t, ROWS + 1);
    for (int32_t i = 0; i < ROWS; i++)
        list->offset[i + 1] = list->offset[i] + (is_group ? i % 3 : (int32_t)(cd_random_bits(random) % 4));
    list->data = cd_arena_alloc(arena, (size_t)list->offset[ROWS] * size + 1);
    for (int32_t i = 0; i < list->offset[ROWS]; i++)
        random_element(random, field, width, (char *)list->data + (size_t)i * size);
}

static void random_list2(cd_arena *arena, cd_random *random, cd_list2 *list)
{
    list->offset = CD_ARENA_ZARRAY(arena, int32_t, ROWS + 1);
    for (int32_t i = 0; i < ROWS; i++)
        list->offset[i + 1] = list->offset[i] + (int32_t)(cd_random_bits(random) % 4);
    int32_t lists = list->offset[ROWS];
    list->inner = CD_ARENA_ZARRAY(arena, int32_t, lists + 1);
    for (int32_t i = 0; i < lists; i++)
        list->inner[i + 1] = list->inner[i] + (int32_t)(cd_random_bits(random) % 4);
    list->data = CD_ARENA_ARRAY(arena, int32_t, list->inner[lists] + 1);
    for (int32_t i = 0; i < list->inner[lists]; i++)
        list->data[i] = (int32_t)(cd_random_bits(random) % 1000);
}

// All columns filled; in every third row an optional value is absent.
static void random_rows(cd_arena *arena, cd_random *random, const cd_record *record, int dim, cd_rows *rows)
{
    memset(rows, 0, record->size);
    rows->count = ROWS;
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        int width = cd_field_width(field, dim);
        if (field->depth == 1) {
            random_list(arena, random, field, width, cd_field_list(field, rows), strchr(field->name, '.') != NULL);
        } else if (field->depth == 2) {
            random_list2(arena, random, cd_field_list2(field, rows));
        } else {
            char *column = *cd_field_column(field, rows) = cd_column_new(arena, field, dim, ROWS);
            for (int32_t i = 0; i < ROWS; i++)
                if (field->required || cd_random_bits(random) % 3)
                    random_element(random, field, width,
                                   column + (size_t)i * (size_t)width * cd_base_size(field->base));
        }
    }
    if (record->type == CD_REC_head)
        for (int32_t i = 0; i < ROWS; i++)
            ((cd_head_rows *)rows)->dim[i] = dim;
    rows->json = CD_ARENA_ZARRAY(arena, const char *, ROWS);
    rows->json[1] = "{\"colour\":3.10,\"k\\u0065y\":[1e-400,{\"a\":null}]}";
}

// Splits the lines of a buffer.
typedef struct lines {
    const char *text[64];
    size_t length[64];
    int32_t count;
} lines;

static lines split(const cd_buffer *buffer)
{
    lines result = {.count = 0};
    for (size_t at = 0; at < buffer->size && result.count < 64;) {
        const char *newline = memchr(buffer->data + at, '\n', buffer->size - at);
        result.text[result.count] = buffer->data + at;
        result.length[result.count] = (size_t)(newline - buffer->data) - at;
        at += result.length[result.count++] + 1;
    }
    return result;
}

static bool same_numbers(const void *a, const void *b, size_t bytes) { return bytes == 0 || !memcmp(a, b, bytes); }

static bool same_texts(const char *const *a, const char *const *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((a[i] == NULL) != (b[i] == NULL) || (a[i] && strcmp(a[i], b[i]) != 0))
            return false;
    return true;
}

static bool same_elements(const cd_field *field, const void *a, const void *b, size_t count)
{
    return field->base == CD_BASE_TEXT ? same_texts(a, b, count)
                                       : same_numbers(a, b, count * cd_base_size(field->base));
}

static bool same_field(const cd_field *field, int dim, const cd_rows *a, const cd_rows *b)
{
    size_t width = (size_t)cd_field_width(field, dim);
    if (field->depth == 0) {
        const void *column_a = *cd_field_column(field, a), *column_b = *cd_field_column(field, b);
        return column_a && column_b && same_elements(field, column_a, column_b, ROWS * width);
    }
    if (field->depth == 1) {
        const cd_list *list_a = cd_field_list(field, a), *list_b = cd_field_list(field, b);
        return list_b->offset && same_numbers(list_a->offset, list_b->offset, (ROWS + 1) * sizeof(int32_t)) &&
               same_elements(field, list_a->data, list_b->data, (size_t)list_a->offset[ROWS] * width);
    }
    const cd_list2 *list_a = cd_field_list2(field, a), *list_b = cd_field_list2(field, b);
    if (!list_b->offset || !same_numbers(list_a->offset, list_b->offset, (ROWS + 1) * sizeof(int32_t)))
        return false;
    size_t lists = (size_t)list_a->offset[ROWS];
    return same_numbers(list_a->inner, list_b->inner, (lists + 1) * sizeof(int32_t)) &&
           same_numbers(list_a->data, list_b->data, (size_t)list_a->inner[lists] * sizeof(int32_t));
}

static bool same_buffer(const cd_buffer *a, const cd_buffer *b)
{
    return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

static void round_trip(const cd_record *record, int dim, uint64_t seed)
{
    cd_random random = {seed};
    cd_arena arena = {0};
    cd_refs refs = {0};
    fill_refs(&refs);
    cd_rows *rows = cd_arena_zalloc(&arena, record->size), *back = cd_arena_zalloc(&arena, record->size);
    random_rows(&arena, &random, record, dim, rows);
    cd_buffer first = {0}, second = {0};
    cd_json_encode(record, dim, &refs, rows, 0, ROWS, &first);
    lines split_lines = split(&first);
    CD_CHECK(split_lines.count == ROWS);
    cd_diag diag = {""};
    int32_t bad_line = -1;
    cd_status status =
        cd_json_decode(&arena, (cd_row_form){record, record->type == CD_REC_head ? 0 : dim, &refs},
                       (cd_lines){split_lines.text, split_lines.length, split_lines.count}, back, &bad_line, &diag);
    CD_CHECK_TEXT(diag.text, "");
    CD_CHECK(status == CD_OK && back->count == ROWS && back->capacity == 0);
    if (status == CD_OK) {
        for (int32_t f = 0; f < record->field_count; f++)
            if (!same_field(&record->field[f], dim, rows, back)) {
                printf("# %s.%s in %d-D, seed %d\n", record->name, record->field[f].name, dim, (int)seed);
                // A column that happens to be absent, or a list empty, in all rows does not come back, which is right.
                const cd_field *field = &record->field[f];
                bool all_absent = field->depth == 0 ? !*cd_field_column(field, back)
                                                    : !cd_field_list(field, back)->offset &&
                                                          !cd_field_list(field, rows)->offset[ROWS];
                CD_CHECK(all_absent && !record->field[f].required);
            }
        CD_CHECK(same_texts(rows->json, back->json, ROWS));
        cd_json_encode(record, dim, &refs, back, 0, ROWS, &second);
        CD_CHECK(same_buffer(&first, &second));
    }
    cd_buffer_release(&first);
    cd_buffer_release(&second);
    cd_refs_release(&refs);
    cd_arena_release(&arena);
}

CD_TEST(every_record_comes_back_bit_for_bit)
{
    for (int type = 0; type < CD_REC_COUNT; type++)
        for (int dim = 2; dim <= 3; dim++)
            for (uint64_t seed = 1; seed <= 20; seed++)
                round_trip(&cd_records[type], dim, seed);
}

// ---- the type word, strings, wrong results -------------------------------------------------------------------------

static void check_type(const char *line, cd_status wanted, const char *text)
{
    cd_arena arena = {0};
    cd_diag diag = {""};
    const char *type = "";
    size_t length = 0;
    CD_CHECK(cd_json_type(&arena, line, strlen(line), &type, &length, &diag) == wanted);
    if (wanted == CD_OK)
        CD_CHECK(length == strlen(text) && !memcmp(type, text, length));
    else
        CD_CHECK_TEXT(diag.text, text);
    cd_arena_release(&arena);
}

CD_TEST(type_words)
{
    check_type("{\"type\":\"body\",\"id\":1}", CD_OK, "body");
    check_type(" { \"type\" : \"body\" }", CD_OK, "body");
    check_type("{\"id\":1,\"type\":\"body\"}", CD_OK, "body");
    check_type("{\"id\":1,\"ty\\u0070e\":\"bo\\u0064y\"}", CD_OK, "body");
    check_type("{\"type\":\"probe\",\"id\":1}", CD_OK, "probe");
    check_type("{\"type\":\"b\\u00e4\"}", CD_OK, "b\xc3\xa4");
    check_type("{\"id\":1}", CD_ERR_FORMAT, "type: required");
    check_type("{\"type\":\"\"}", CD_ERR_FORMAT, "type: wanted a word");
    check_type("{\"type\":7}", CD_ERR_FORMAT, "type: wanted a word");
    check_type("{\"type\":\"probe\",\"type\":\"probe\"}", CD_ERR_FORMAT, "type: is there twice");
    check_type("{\"type\":\"probe\",\"id\":1", CD_ERR_FORMAT, "byte 23: the line stops inside an object");
    check_type("", CD_ERR_FORMAT, "an empty line is no record");
    check_type("{\"a\":{\"type\":\"body\"}}", CD_ERR_FORMAT, "type: required");
}

CD_TEST(strings_read_back_by_another_parser)
{
    cd_random random = {4};
    for (int i = 0; i < 2000; i++) {
        char text[64];
        size_t length = cd_random_bits(&random) % 60;
        for (size_t k = 0; k < length; k++)
            text[k] = (char)(1 + cd_random_bits(&random) % 127);
        text[length] = '\0';
        cd_buffer out = {0};
        cd_json_string(&out, text);
        cJSON *item = cJSON_ParseWithLength(out.data, out.size);
        CD_CHECK(cJSON_IsString(item));
        if (item)
            CD_CHECK_TEXT(item->valuestring, text);
        for (size_t k = 0; k < out.size; k++)
            CD_CHECK((unsigned char)out.data[k] >= 0x20);
        cJSON_Delete(item);
        cd_buffer_release(&out);
    }
    cd_buffer out = {0};
    cd_json_string(&out, "\b\t\n\v\f\r\"\\/\x1f");
    cd_buffer_append(&out, "", 1);
    CD_CHECK_TEXT(out.data, "\"\\b\\t\\n\\u000b\\f\\r\\\"\\\\/\\u001f\"");
    cd_buffer_release(&out);
}

CD_TEST(wrong_results_are_written_so_that_they_are_refused)
{
    int64_t id = 1;
    double position[2] = {NAN, 1}, velocity[2] = {NAN, NAN}, mass = INFINITY;
    cd_node_rows rows = {.count = 1, .id = &id, .position = position, .velocity = velocity, .mass = &mass};
    cd_buffer out = {0};
    cd_json_encode(&cd_records[CD_REC_node], 2, NULL, (cd_rows *)&rows, 0, 1, &out);
    out.data[out.size - 1] = '\0';
    CD_CHECK_TEXT(out.data, "{\"type\":\"node\",\"id\":1,\"position\":[\"NaN\",1],\"mass\":\"Infinity\"}");
    check_refused(CD_REC_node, 2, out.data, "position: NaN is refused");
    cd_buffer_release(&out);
}

CD_TEST(rows_without_a_member_are_absent)
{
    const char *text[] = {
        "{\"type\":\"body\",\"id\":1,\"position\":[0,0]}",
        "{\"type\":\"body\",\"id\":2,\"position\":[0,0],\"mass\":2,\"shape\":1,\"group\":\"g\",\"motion\":\"fixed\"}",
        "{\"type\":\"body\",\"id\":3,\"position\":[0,0]}"};
    size_t length[] = {strlen(text[0]), strlen(text[1]), strlen(text[2])};
    cd_arena arena = {0};
    cd_refs refs = {0};
    int64_t id = 1;
    CD_CHECK(cd_refs_add_ids(&refs, CD_REC_shape, &id, 1, NULL) == CD_OK);
    cd_body_rows rows;
    CD_CHECK(cd_json_decode(&arena, (cd_row_form){&cd_records[CD_REC_body], 2, &refs}, (cd_lines){text, length, 3},
                            (cd_rows *)&rows, NULL, NULL) == CD_OK);
    CD_CHECK(isnan(rows.mass[0]) && rows.mass[1] == 2 && isnan(rows.mass[2]));
    CD_CHECK(rows.shape[0] == -1 && rows.shape[1] == 0 && rows.shape[2] == -1);
    CD_CHECK(!rows.group[0] && !rows.group[2] && !strcmp(rows.group[1], "g"));
    CD_CHECK(rows.motion[0] == CD_ABSENT && rows.motion[1] == CD_MOTION_FIXED && rows.motion[2] == CD_ABSENT);
    CD_CHECK(!rows.velocity && !rows.spin && !rows.json);
    cd_refs_release(&refs);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(every_record_comes_back_bit_for_bit);
    CD_RUN(type_words);
    CD_RUN(strings_read_back_by_another_parser);
    CD_RUN(wrong_results_are_written_so_that_they_are_refused);
    CD_RUN(rows_without_a_member_are_absent);
    return cd_test_done();
}
