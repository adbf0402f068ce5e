// Binary payloads that lie, are cut or fuzzed, and those this program does not know.
// SPDX-License-Identifier: MIT
#include "test_columns_expect.h"

#include <stdlib.h>

// ---- hostile directories -------------------------------------------------------------------------------------------

static void patch(cd_buffer *payload, int32_t column, size_t at, uint64_t value, size_t size)
{
    memcpy(payload->data + 8 + 64 * (size_t)column + at, &value, size);
}

static void expect_refused(cd_buffer payload, int32_t rows)
{
    cd_arena arena = {0};
    cd_node_rows node;
    cd_diag diag = {""};
    cd_status status = cd_columns_decode(&arena, (cd_row_form){record_of("node"), 2, NULL},
                                         (cd_payload){payload.data, payload.size, rows}, (cd_rows *)&node, &diag);
    CD_CHECK(status == CD_ERR_FORMAT && diag.text[0]);
    cd_arena_release(&arena);
    cd_buffer_release(&payload);
}

CD_TEST(hostile_directories_are_refused)
{
    const double position[] = {1, 2, 3, 4, 5, 6};
    static const struct {
        size_t at;
        uint64_t value;
        size_t size;
    } patches[] = {
        {48, 0, 8},
        {48, 8, 8},
        {48, 40, 8},
        {48, 47, 8},
        {48, 56, 8},
        {48, UINT64_MAX, 8},
        {48, UINT64_MAX - 7, 8},
        {48, INT64_MAX, 8},
        {48, 1u << 31, 8},
        {56, 0, 8},
        {56, 8, 8},
        {56, 1, 8},
        {56, UINT64_MAX, 8},
        {56, UINT64_MAX - 7, 8},
        {56, 168, 8},
        {56, 152, 8},
        {40, 0, 1},
        {40, 10, 1},
        {40, 255, 1},
        {41, 1, 1},
        {41, 2, 1},
        {41, 3, 1},
        {41, 255, 1},
        {42, 0, 2},
        {42, 1, 2},
        {42, 65535, 2},
        {44, 1, 1},
        {44, 2, 1},
        {45, 1, 1},
        {47, 1, 1},
        {0, 0, 8},
        {0, '-', 1},
        {23, 'x', 1},
        {24, 'x', 1},
        {39, 1, 1},
        {0, 0x80, 1},
    };
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++) {
        cd_buffer payload = nodes_at(position);
        patch(&payload, 1, patches[i].at, patches[i].value, patches[i].size);
        expect_refused(payload, 3);
    }
    static const uint32_t counts[] = {1, 3, 1024, 1025, 65535, UINT32_MAX, 1u << 26, 1u << 31};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        cd_buffer payload = nodes_at(position);
        memcpy(payload.data, &counts[i], sizeof counts[i]);
        expect_refused(payload, 3);
    }
    static const int32_t rows[] = {2, 4, INT32_MAX, INT32_MAX - 1, 1 << 30, -1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_refused(nodes_at(position), rows[i]);
    cd_buffer trailing = nodes_at(position);
    cd_buffer_append(&trailing, "\0\0\0\0\0\0\0", 8);
    expect_refused(trailing, 3);
}

// Columns that the directory check alone lets through, for a table that does not know them.
CD_TEST(hostile_columns_are_refused)
{
    const uint8_t bytes[] = {1, 0, 2}, mask_of_two[] = {2, 1, 1};
    const int32_t offset[] = {0, 1, 2, 3}, number[] = {1, 2, 3};
    payload_builder b = {0};
    builder_part(&b, mask_of_two, 3);
    builder_part(&b, number, sizeof number);
    builder_column(&b, "x", "", B_I32, 0, 1, true);
    expect("fend", 2, 3, builder_finish(&b), "x: a mask byte is neither 0 nor 1");
    builder_part(&b, bytes, 2);
    builder_part(&b, offset, sizeof offset);
    builder_part(&b, number, sizeof number);
    builder_column(&b, "x", "", B_I32, 1, 1, true);
    expect("fend", 2, 3, builder_finish(&b), "x: a list column has no mask");
    builder_part(&b, bytes, 3);
    builder_column(&b, "x", "body", B_BOOL, 0, 1, false);
    expect("fend", 2, 3, builder_finish(&b), "x: only i32 and site columns have a target");
    builder_part(&b, number, sizeof number);
    builder_column(&b, "type", "", B_I32, 0, 1, false);
    expect("fend", 2, 3, builder_finish(&b), "type: no column may have this name");
    builder_part(&b, number, sizeof number);
    builder_column(&b, "json", "", B_I32, 0, 1, false);
    expect("fend", 2, 3, builder_finish(&b), "json: wanted base json");
    for (size_t pad = 12; pad < 16; pad++) {
        const int32_t padded[4] = {1, 2, 3, 1 << 8 * (pad - 12)};
        builder_part(&b, padded, sizeof padded);
        builder_column(&b, "x", "", B_I32, 0, 1, false);
        expect("fend", 2, 3, builder_finish(&b), "x: numbers: past the column's bytes, or not padded with zeros");
    }
    const char *words[256];
    for (int i = 0; i < 256; i++)
        words[i] = "w";
    for (int count = 255; count <= 256; count++) {
        const uint8_t code[] = {254, 0, 1};
        builder_texts(&b, words, count, true);
        builder_part(&b, code, sizeof code);
        builder_column(&b, "x", "", B_WORD, 0, 1, false);
        expect("fend", 2, 3, builder_finish(&b), count == 255 ? "" : "x: 256 words; a dictionary has at most 255");
    }
    cd_buffer reserved = builder_finish(&b);
    reserved.data[4] = 1;
    expect("fend", 2, 0, reserved, "the reserved word of the directory is not zero");
}

// 65535 columns of 64 bytes each, all there: refused before anything of that size is made.
CD_TEST(too_many_columns_are_refused)
{
    payload_builder b = {0};
    for (int i = 0; i < 65535; i++) {
        char name[24];
        snprintf(name, sizeof name, "c%d", i);
        builder_column(&b, name, "", B_BOOL, 0, 1, false);
    }
    expect("fend", 2, 0, builder_finish(&b), "65535 columns; a block has at most 1024");
}

static void expect_cut(const cd_record *record, const cd_refs *refs, const cd_buffer *payload, int32_t rows)
{
    for (size_t size = 0; size < payload->size; size++) {
        // An exact copy, so that a sanitizer sees each byte read beyond.
        char *copy = malloc(size ? size : 1);
        memcpy(copy, payload->data, size);
        cd_arena arena = {0};
        cd_model model = {0};
        CD_CHECK(cd_columns_decode(&arena, (cd_row_form){record, 2, refs}, (cd_payload){copy, size, rows},
                                   cd_model_rows(&model, record->type), NULL) == CD_ERR_FORMAT);
        cd_arena_release(&arena);
        free(copy);
    }
}

CD_TEST(cut_payloads_are_refused)
{
    cd_refs refs = {0};
    fill_refs(&refs, REF_ROWS);
    for (int type = 0; type < CD_REC_COUNT; type++) {
        cd_arena arena = {0};
        cd_model model = {0};
        cd_buffer payload = {0};
        cd_rows *rows = cd_model_rows(&model, (cd_record_type)type);
        random_tables t = {&arena, {(uint64_t)type}, 2, true, &refs};
        random_rows(&t, &cd_records[type], 4, rows);
        cd_columns_encode(&cd_records[type], 2, rows, 0, 4, &payload);
        expect_cut(&cd_records[type], &refs, &payload, 4);
        cd_arena_release(&arena);
        cd_buffer_release(&payload);
    }
    cd_refs_release(&refs);
}

// ---- unknown columns and tables ------------------------------------------------------------------------------------

static void expect_lines(const cd_refs *refs, cd_buffer payload, int32_t rows, cd_status wanted, const char *lines)
{
    cd_arena arena = {0};
    cd_buffer out = {0};
    cd_diag diag = {""};
    cd_status status =
        cd_columns_unknown_to_json(&arena, "probe", refs, (cd_payload){payload.data, payload.size, rows}, &out, &diag);
    cd_buffer_append(&out, "", 1);
    CD_CHECK(status == wanted);
    CD_CHECK_TEXT(status == CD_OK ? out.data : diag.text, lines);
    cd_arena_release(&arena);
    cd_buffer_release(&out);
    cd_buffer_release(&payload);
}

static void unknown_columns(payload_builder *b)
{
    const double f64[] = {0.1, INFINITY, 1, -1};
    const int32_t i32[] = {-5, 7}, body[] = {0, 4}, site[] = {1, 2, 0, 3},
                  feature[] = {cd_feature(1, 7), CD_FEATURE_NONE};
    const int64_t i64[] = {INT64_C(9007199254740993), 3};
    const uint8_t truth[] = {1, 0}, code[] = {1, 0}, mask[] = {0, 1};
    const char *const words[] = {"red", "gr\"een"}, *const texts[] = {"", "a\nb"},
                      *const jsons[] = {"{\"x\":[1, 2]}", "3"};
    const char *const members[] = {"", "{\"last\":null,\"json\":1}"};
    const int32_t offset[] = {0, 0, 2}, inner[] = {0, 0, 3}, deep[] = {1, 2, 3};
    builder_numbers(b, "f", B_F64, 2, f64, sizeof f64);
    builder_numbers(b, "i", B_I32, 1, i32, sizeof i32);
    builder_part(b, body, sizeof body);
    builder_column(b, "who", "body", B_I32, 0, 1, false);
    builder_numbers(b, "long", B_I64, 1, i64, sizeof i64);
    builder_numbers(b, "is", B_BOOL, 1, truth, sizeof truth);
    builder_texts(b, words, 2, true);
    builder_part(b, code, sizeof code);
    builder_column(b, "colour", "", B_WORD, 0, 1, false);
    builder_part(b, mask, sizeof mask);
    builder_texts(b, texts, 2, false);
    builder_column(b, "note", "", B_TEXT, 0, 1, true);
    builder_texts(b, jsons, 2, false);
    builder_column(b, "raw", "", B_JSON, 0, 1, false);
    builder_part(b, site, sizeof site);
    builder_column(b, "at", "body", B_SITE, 0, 2, false);
    builder_numbers(b, "edge", B_FEATURE, 1, feature, sizeof feature);
    builder_part(b, offset, sizeof offset);
    builder_part(b, i32, sizeof i32);
    builder_column(b, "list", "", B_I32, 1, 1, false);
    builder_part(b, offset, sizeof offset);
    builder_part(b, inner, sizeof inner);
    builder_part(b, deep, sizeof deep);
    builder_column(b, "group.deep", "", B_I32, 2, 1, false);
    builder_part(b, mask, sizeof mask);
    builder_texts(b, members, 2, false);
    builder_column(b, "json", "", B_JSON, 0, 1, true);
}

#define ROW_0                                                                                             \
    "\"f\":[0.1,\"Infinity\"],\"i\":-5,\"who\":100,\"long\":\"9007199254740993\",\"is\":true,\"colour\":" \
    "\"gr\\\"een\",\"raw\":{\"x\":[1, 2]},"                                                               \
    "\"at\":[101,2],\"edge\":\"e7\",\"list\":[],\"group.deep\":[]}"
#define ROW_1                                                                                                          \
    "\"f\":[1,-1],\"i\":7,\"who\":104,\"long\":3,\"is\":false,\"colour\":\"red\",\"note\":\"a\\nb\",\"raw\":3,\"at\":" \
    "[100,3],\"edge\":null,"                                                                                           \
    "\"list\":[-5,7],\"group.deep\":[[],[1,2,3]],\"last\":null,\"json\":1}"

CD_TEST(unknown_tables_print_every_base_type)
{
    cd_refs refs = {0}, counted = {0};
    fill_refs(&refs, REF_ROWS);
    cd_refs_add_rows(&counted, CD_REC_body, REF_ROWS);
    payload_builder b = {0};
    unknown_columns(&b);
    expect_lines(&refs, builder_finish(&b), 2, CD_OK, "{\"type\":\"probe\"," ROW_0 "\n{\"type\":\"probe\"," ROW_1 "\n");
    unknown_columns(&b);
    expect_lines(&counted, builder_finish(&b), 2, CD_ERR_UNSUPPORTED, "who: refers to body, whose ids were not read");
    unknown_columns(&b);
    expect_lines(NULL, builder_finish(&b), 2, CD_ERR_FORMAT, "who: refers to row 0 of body, which has 0 rows here");
    const double nan_value = NAN;
    builder_numbers(&b, "x", B_F64, 1, &nan_value, sizeof nan_value);
    expect_lines(&refs, builder_finish(&b), 1, CD_ERR_FORMAT, "x: NaN is refused");
    const int32_t foreign = 12;
    builder_part(&b, &foreign, sizeof foreign);
    builder_column(&b, "owner", "particle", B_I32, 0, 1, false);
    expect_lines(&refs, builder_finish(&b), 1, CD_OK, "{\"type\":\"probe\",\"owner\":12}\n");
    expect_lines(&refs, builder_finish(&b), 2, CD_OK, "{\"type\":\"probe\"}\n{\"type\":\"probe\"}\n");
    cd_refs_release(&refs);
    cd_refs_release(&counted);
}

CD_TEST(unknown_columns_of_a_known_table_become_members)
{
    const int64_t id[] = {1, 2};
    const double position[] = {0, 0, 0, 0};
    payload_builder b = {0};
    unknown_columns(&b);
    builder_numbers(&b, "id", B_I64, 1, id, sizeof id);
    builder_numbers(&b, "position", B_F64, 2, position, sizeof position);
    cd_buffer payload = builder_finish(&b), again = {0};
    cd_arena arena = {0};
    cd_refs refs = {0};
    fill_refs(&refs, REF_ROWS);
    cd_node_rows node, copy;
    cd_diag diag = {""};
    CD_CHECK(cd_columns_decode(&arena, (cd_row_form){record_of("node"), 2, &refs},
                               (cd_payload){payload.data, payload.size, 2}, (cd_rows *)&node, &diag) == CD_OK);
    CD_CHECK_TEXT(diag.text, "");
    CD_CHECK_TEXT(node.json[0], "{" ROW_0);
    CD_CHECK_TEXT(node.json[1], "{" ROW_1);
    cd_columns_encode(record_of("node"), 2, (cd_rows *)&node, 0, 2, &again);
    CD_CHECK(cd_columns_decode(&arena, (cd_row_form){record_of("node"), 2, &refs},
                               (cd_payload){again.data, again.size, 2}, (cd_rows *)&copy, &diag) == CD_OK);
    CD_CHECK(same_rows(&arena, record_of("node"), 2, (cd_rows *)&node, 0, (cd_rows *)&copy));
    cd_refs_release(&refs);
    cd_arena_release(&arena);
    cd_buffer_release(&payload);
    cd_buffer_release(&again);

    // Row numbers of the table itself become the ids of its rows; a member may not repeat a column.
    const int32_t next[] = {REF_ROWS + 1, 2};
    const char *const members[] = {"{\"next\":1}", "{}"};
    for (int with_members = 0; with_members < 2; with_members++) {
        builder_numbers(&b, "id", B_I64, 1, id, sizeof id);
        builder_numbers(&b, "position", B_F64, 2, position, sizeof position);
        builder_part(&b, next, sizeof next);
        builder_column(&b, "next", "node", B_I32, 0, 1, false);
        if (with_members) {
            builder_texts(&b, members, 2, false);
            builder_column(&b, "json", "", B_JSON, 0, 1, false);
            expect("node", 2, 2, builder_finish(&b), "json: row 0: next: is there twice");
            continue;
        }
        payload = builder_finish(&b);
        fill_refs(&refs, REF_ROWS);
        CD_CHECK(cd_columns_decode(&arena, (cd_row_form){record_of("node"), 2, &refs},
                                   (cd_payload){payload.data, payload.size, 2}, (cd_rows *)&node, &diag) == CD_OK);
        CD_CHECK_TEXT(node.json[0], "{\"next\":2}");
        CD_CHECK_TEXT(node.json[1], "{\"next\":102}");
        cd_refs_release(&refs);
        cd_arena_release(&arena);
        cd_buffer_release(&payload);
    }

    builder_numbers(&b, "parts", B_F64, 1, position, 8);
    expect("shape", 2, 0, builder_finish(&b), "parts: 8 bytes too many");
    builder_numbers(&b, "parts", B_F64, 1, position, 0);
    expect("shape", 2, 0, builder_finish(&b), "parts: no column may have this name");
}

CD_TEST(unknown_lines_come_back)
{
    static const char *const lines[] = {"{\"type\":\"probe\",\"a\":[1, 2.50],\"b\":{\"type\":1}}",
                                        "{\"type\":\"probe\"}",
                                        " { \"z\" : 1e-400 , \"t\\u0079pe\" : \"probe\" , \"json\":\"\xc3\xa9\" } "};
    size_t length[3];
    for (int i = 0; i < 3; i++)
        length[i] = strlen(lines[i]);
    cd_buffer payload = {0};
    cd_diag diag = {""};
    CD_CHECK(cd_columns_unknown_from_json("probe", (cd_lines){lines, length, 3}, &payload, &diag) == CD_OK);
    expect_lines(
        NULL, payload, 3, CD_OK,
        "{\"type\":\"probe\",\"a\":[1, "
        "2.50],\"b\":{\"type\":1}}\n{\"type\":\"probe\"}\n{\"type\":\"probe\",\"z\":1e-400,\"json\":\"\xc3\xa9\"}\n");
    static const char *const beyond = "{\"type\":\"probe\",\"a\":[1e400]}";
    size_t beyond_length = strlen(beyond);
    payload = (cd_buffer){0};
    CD_CHECK(cd_columns_unknown_from_json("probe", (cd_lines){&beyond, &beyond_length, 1}, &payload, &diag) ==
             CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "a: a number too large for a double");
    static const char *const twice = "{\"type\":\"probe\",\"a\":1,\"a\":2}";
    size_t twice_length = strlen(twice);
    payload = (cd_buffer){0};
    CD_CHECK(cd_columns_unknown_from_json("probe", (cd_lines){&twice, &twice_length, 1}, &payload, &diag) ==
             CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "a: is there twice");
    CD_CHECK(cd_columns_unknown_from_json("Probe", (cd_lines){lines, length, 3}, &payload, &diag) == CD_ERR_FORMAT);
    CD_CHECK(cd_columns_unknown_from_json("a-name-of-17-char", (cd_lines){lines, length, 3}, &payload, &diag) ==
             CD_ERR_FORMAT);
    CD_CHECK(payload.size == 0);
    cd_buffer_release(&payload);
}

// One long word that every row repeats by a byte of code unfolds a thousandfold: stopped at the stated limit.
CD_TEST(repeated_words_do_not_unfold_without_bound)
{
    enum { ROWS = 1 << 17, WORD = 1 << 16 };
    char *word = malloc(WORD + 1);
    memset(word, 'x', WORD);
    word[WORD] = '\0';
    uint8_t *code = calloc(ROWS, 1);
    payload_builder b = {0};
    for (int known = 0; known < 2; known++) {
        builder_texts(&b, (const char *const *)&word, 1, true);
        builder_part(&b, code, ROWS);
        builder_column(&b, "w", "", B_WORD, 0, 1, false);
        cd_buffer payload = builder_finish(&b);
        if (known)
            expect("fend", 2, ROWS, payload, "w: as JSON the block is more than 256 times its size");
        else
            expect_lines(NULL, payload, ROWS, CD_ERR_LIMIT, "w: as JSON the block is more than 256 times its size");
    }
    free(word);
    free(code);
}

// ---- fuzzing -------------------------------------------------------------------------------------------------------

// Changed bytes of good payloads: whatever comes out, nothing is read or written out of place (the sanitizers see to
// that), and what is accepted must survive another round.
static bool fuzz_once(const cd_record *record, const cd_refs *refs, int dim, cd_buffer *payload, int32_t rows,
                      cd_random *random)
{
    size_t at[8];
    char old[8];
    int changes = 1 + (int)(cd_random_bits(random) % 8);
    for (int i = 0; i < changes; i++) {
        // Half of the changes go to the directory.
        size_t directory = 8 + 64 * (size_t) * (uint32_t *)(void *)payload->data;
        size_t range = cd_random_bits(random) % 2 && directory < payload->size ? directory : payload->size;
        at[i] = cd_random_bits(random) % range;
        old[i] = payload->data[at[i]];
        static const unsigned char interesting[] = {0, 1, 2, 0x7f, 0x80, 0xff, 8, 64};
        payload->data[at[i]] =
            (char)(cd_random_bits(random) % 2 ? interesting[cd_random_bits(random) % 8] : cd_random_bits(random));
    }
    cd_arena arena = {0};
    cd_model model = {0};
    cd_buffer again = {0}, lines = {0};
    cd_rows *read = cd_model_rows(&model, record->type);
    bool accepted = cd_columns_decode(&arena, (cd_row_form){record, dim, refs},
                                      (cd_payload){payload->data, payload->size, rows}, read, NULL) == CD_OK;
    if (accepted) {
        cd_model copy_model = {0};
        cd_rows *copy = cd_model_rows(&copy_model, record->type);
        cd_columns_encode(record, dim, read, 0, rows, &again);
        CD_CHECK(cd_columns_decode(&arena, (cd_row_form){record, dim, refs}, (cd_payload){again.data, again.size, rows},
                                   copy, NULL) == CD_OK);
        CD_CHECK(same_rows(&arena, record, dim, read, 0, copy));
    }
    cd_status status = cd_columns_unknown_to_json(&arena, "probe", refs,
                                                  (cd_payload){payload->data, payload->size, rows}, &lines, NULL);
    CD_CHECK(status != CD_OK || !lines.size || lines.data[lines.size - 1] == '\n');
    for (int i = changes - 1; i >= 0; i--)
        payload->data[at[i]] = old[i];
    cd_arena_release(&arena);
    cd_buffer_release(&again);
    cd_buffer_release(&lines);
    return accepted;
}

CD_TEST(fuzzed_payloads_are_refused_or_whole)
{
    cd_refs refs = {0};
    fill_refs(&refs, REF_ROWS);
    int64_t tries = 0, accepted = 0;
    const char *asked = getenv("CD_FUZZ_ROUNDS");
    int rounds = asked ? atoi(asked) : 2000;
    for (int type = 0; type < CD_REC_COUNT; type++)
        for (int dim = 2; dim <= 3; dim++) {
            cd_arena arena = {0};
            cd_model model = {0};
            cd_buffer payload = {0};
            cd_rows *rows = cd_model_rows(&model, (cd_record_type)type);
            random_tables t = {&arena, {(uint64_t)(31 * type + dim)}, dim, true, &refs};
            random_rows(&t, &cd_records[type], 7, rows);
            cd_columns_encode(&cd_records[type], dim, rows, 0, 7, &payload);
            for (int i = 0; i < rounds; i++, tries++)
                accepted += fuzz_once(&cd_records[type], &refs, dim, &payload, 7, &t.random);
            cd_arena_release(&arena);
            cd_buffer_release(&payload);
        }
    printf("# %lld payloads, %lld of them accepted\n", (long long)tries, (long long)accepted);
    CD_CHECK(accepted > 0 && accepted < tries);
    cd_refs_release(&refs);
}

int main(void)
{
    CD_RUN(hostile_directories_are_refused);
    CD_RUN(hostile_columns_are_refused);
    CD_RUN(too_many_columns_are_refused);
    CD_RUN(cut_payloads_are_refused);
    CD_RUN(unknown_tables_print_every_base_type);
    CD_RUN(unknown_columns_of_a_known_table_become_members);
    CD_RUN(unknown_lines_come_back);
    CD_RUN(repeated_words_do_not_unfold_without_bound);
    CD_RUN(fuzzed_payloads_are_refused_or_whole);
    return cd_test_done();
}
