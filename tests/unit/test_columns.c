// Binary payloads: round trips of every record type, the layout against a second writer, refusals, fuzzing.
// SPDX-License-Identifier: MIT
#include "cd_test.h"

#include "test_columns_random.h"
#include "test_payload_builder.h"

#include <stdlib.h>

enum { REF_ROWS = 5 };

static const cd_record *record_of(const char *name)
{
    return &cd_records[cd_record_find(name, strlen(name))];
}

// ---- round trips ----

static void round_trip(cd_arena *arena, const cd_record *record, int dim, const cd_refs *refs, const cd_rows *rows, int32_t first, int32_t count)
{
    cd_buffer payload = {0}, again = {0};
    cd_model model = {0};
    cd_rows *read = cd_model_rows(&model, record->type);
    cd_diag diag = {""};
    cd_columns_encode(record, dim, rows, first, count, &payload);
    CD_CHECK(payload.size % 8 == 0);
    cd_status status = cd_columns_decode(arena, record, record->type == CD_REC_head ? 0 : dim, refs, payload.data, payload.size, count, read,
                                         &diag);
    CD_CHECK(status == CD_OK);
    if (status != CD_OK)
        printf("# %s dim %d rows %d: %s\n", record->name, dim, count, diag.text);
    if (status == CD_OK) {
        CD_CHECK(read->count == count);
        CD_CHECK(same_rows(arena, record, dim, rows, first, read));
        cd_columns_encode(record, dim, read, 0, count, &again);
        CD_CHECK(again.size == payload.size && !memcmp(again.data, payload.data, payload.size));
    }
    cd_buffer_release(&payload);
    cd_buffer_release(&again);
}

CD_TEST(every_record_comes_back_bit_for_bit)
{
    static const int32_t counts[] = {0, 1, 2, 17, 64};
    cd_refs refs = {0};
    fill_refs(&refs, REF_ROWS);
    for (int type = 0; type < CD_REC_COUNT; type++)
        for (int dim = 2; dim <= 3; dim++)
            for (int seed = 0; seed < 24; seed++) {
                cd_arena arena = {0};
                cd_model model = {0};
                cd_rows *rows = cd_model_rows(&model, (cd_record_type)type);
                int32_t count = counts[seed % 5];
                random_tables t = {&arena, {(uint64_t)(1000 * type + seed)}, dim, seed >= 6, &refs};
                random_rows(&t, &cd_records[type], count, rows);
                round_trip(&arena, &cd_records[type], dim, &refs, rows, 0, count);
                cd_arena_release(&arena);
            }
    cd_refs_release(&refs);
}

// Parts of a table: lists start anywhere in the data, masks and dictionaries follow the rows that are written.
CD_TEST(slices_come_back_alone)
{
    cd_refs refs = {0};
    fill_refs(&refs, REF_ROWS);
    for (int type = 0; type < CD_REC_COUNT; type++)
        for (int seed = 0; seed < 8; seed++) {
            cd_arena arena = {0};
            cd_model model = {0};
            cd_rows *rows = cd_model_rows(&model, (cd_record_type)type);
            random_tables t = {&arena, {(uint64_t)(77 * type + seed)}, 2 + seed % 2, true, &refs};
            random_rows(&t, &cd_records[type], 30, rows);
            int32_t first = random_below(&t, 30), count = random_below(&t, 31 - first);
            bool refers_to_itself = type == CD_REC_shape;  // its references count from the whole table's first row
            if (refers_to_itself)
                cd_refs_add_rows(&refs, CD_REC_shape, 30);
            round_trip(&arena, &cd_records[type], t.dim, &refs, rows, first, count);
            cd_arena_release(&arena);
        }
    cd_refs_release(&refs);
}

// ---- the layout, byte by byte ----

// Two bodies in the plane by the hand-made writer: decoded as meant, and what the encoder writes itself.
CD_TEST(layout_is_the_documented_one)
{
    const int64_t id[] = {7, 9};
    const int32_t shape[] = {1, 0};
    const double position[] = {1, 2, 3, 4}, mass[] = {0, 2.5};
    const uint8_t mask[] = {0, 1}, word[] = {1, 0};
    const char *const words[] = {"dynamic", "prescribed"}, *const groups[] = {"slave", ""}, *const members[] = {"{\"c\":1}", ""};
    const uint8_t first_alone[] = {1, 0};
    payload_builder b = {0};
    builder_numbers(&b, "id", B_I64, 1, id, sizeof id);
    builder_part(&b, shape, sizeof shape);
    builder_column(&b, "shape", "shape", B_I32, 0, 1, false);
    builder_numbers(&b, "position", B_F64, 2, position, sizeof position);
    builder_part(&b, mask, sizeof mask);
    builder_part(&b, mass, sizeof mass);
    builder_column(&b, "mass", "", B_F64, 0, 1, true);
    builder_texts(&b, words, 2, true);
    builder_part(&b, word, sizeof word);
    builder_column(&b, "motion", "", B_WORD, 0, 1, false);
    builder_part(&b, first_alone, sizeof first_alone);
    builder_texts(&b, groups, 2, false);
    builder_column(&b, "group", "", B_TEXT, 0, 1, true);
    builder_part(&b, first_alone, sizeof first_alone);
    builder_texts(&b, members, 2, false);
    builder_column(&b, "json", "", B_JSON, 0, 1, true);
    cd_buffer payload = builder_finish(&b), again = {0};

    cd_arena arena = {0};
    cd_refs refs = {0};
    fill_refs(&refs, 2);
    cd_body_rows body;
    cd_diag diag = {""};
    cd_status status = cd_columns_decode(&arena, record_of("body"), 2, &refs, payload.data, payload.size, 2, (cd_rows *)&body, &diag);
    CD_CHECK_TEXT(diag.text, "");
    CD_CHECK(status == CD_OK);
    if (status == CD_OK) {
        CD_CHECK(body.id[0] == 7 && body.id[1] == 9 && body.shape[0] == 1 && body.shape[1] == 0);
        CD_CHECK(body.position[2] == 3 && isnan(body.mass[0]) && body.mass[1] == 2.5);
        CD_CHECK((const char *)body.position >= payload.data && (const char *)body.position < payload.data + payload.size);  // borrowed
        CD_CHECK(body.motion[0] == CD_MOTION_PRESCRIBED && body.motion[1] == CD_MOTION_DYNAMIC);
        CD_CHECK_TEXT(body.group[0], "slave");
        CD_CHECK(!body.group[1] && !body.json[1] && !body.velocity);
        CD_CHECK_TEXT(body.json[0], "{\"c\":1}");
        cd_columns_encode(record_of("body"), 2, (cd_rows *)&body, 0, 2, &again);
        CD_CHECK(again.size == payload.size && !memcmp(again.data, payload.data, payload.size));
    }
    cd_refs_release(&refs);
    cd_arena_release(&arena);
    cd_buffer_release(&payload);
    cd_buffer_release(&again);
}

// ---- refusals ----

// Decodes as `record` and compares the sentence; "" means it must be accepted. Releases the payload.
static void expect(const char *record, int dim, int32_t rows, cd_buffer payload, const char *sentence)
{
    cd_arena arena = {0};
    cd_refs refs = {0};
    cd_model model = {0};
    cd_diag diag = {""};
    fill_refs(&refs, REF_ROWS);
    const cd_record *type = record_of(record);
    cd_status status = cd_columns_decode(&arena, type, dim, &refs, payload.data, payload.size, rows, cd_model_rows(&model, type->type), &diag);
    CD_CHECK((status == CD_OK) == !sentence[0]);
    CD_CHECK_TEXT(diag.text, sentence);
    cd_refs_release(&refs);
    cd_arena_release(&arena);
    cd_buffer_release(&payload);
}

static const int64_t three_ids[] = {1, 2, 3};

// A node table of three rows with the given positions.
static cd_buffer nodes_at(const double position[6])
{
    payload_builder b = {0};
    builder_numbers(&b, "id", B_I64, 1, three_ids, sizeof three_ids);
    builder_numbers(&b, "position", B_F64, 2, position, 6 * sizeof *position);
    return builder_finish(&b);
}

CD_TEST(numbers_out_of_range_are_refused)
{
    double position[6] = {1, 2, 3, 4, 5, 6};
    expect("node", 2, 3, nodes_at(position), "");
    position[3] = NAN;
    expect("node", 2, 3, nodes_at(position), "position: element 1 is NaN");
    position[3] = -INFINITY;
    expect("node", 2, 3, nodes_at(position), "position: element 1 is infinite");
    position[3] = 4;

    const double good[] = {1, 1, 1, 1, 1, 1}, zero_mass[] = {1, 0, 1};
    const uint8_t mask[] = {1, 0, 1}, full[] = {1, 1, 1};
    payload_builder b = {0};
    for (int kind = 0; kind < 3; kind++) {
        builder_numbers(&b, "id", B_I64, 1, three_ids, sizeof three_ids);
        builder_numbers(&b, "position", B_F64, 2, good, sizeof good);
        if (kind)
            builder_part(&b, kind == 1 ? mask : full, sizeof mask);
        builder_part(&b, zero_mass, sizeof zero_mass);
        builder_column(&b, "mass", "", B_F64, 0, 1, kind > 0);
        expect("node", 2, 3, builder_finish(&b), kind == 1 ? "" : "mass: element 1 is 0, wanted > 0");
    }
    const int64_t negative[] = {0, 5, -1}, absent[] = {0, INT64_MIN, 2};
    const double residual[] = {0, 1, 2};
    builder_numbers(&b, "index", B_I64, 1, negative, sizeof negative);
    builder_numbers(&b, "time", B_F64, 1, residual, sizeof residual);
    expect("frame", 2, 3, builder_finish(&b), "index: row 2 is -1, wanted at least 0");
    builder_numbers(&b, "id", B_I64, 1, absent, sizeof absent);
    builder_numbers(&b, "position", B_F64, 2, good, sizeof good);
    expect("node", 2, 3, builder_finish(&b), "id: row 1 is -9223372036854775808, wanted at least -9223372036854775807");
    const int32_t substep[] = {0, -3, 1};
    builder_numbers(&b, "index", B_I64, 1, three_ids, sizeof three_ids);
    builder_numbers(&b, "time", B_F64, 1, residual, sizeof residual);
    builder_numbers(&b, "substep", B_I32, 1, substep, sizeof substep);
    expect("frame", 2, 3, builder_finish(&b), "substep: element 1 is -3, wanted at least 0");
}

// In each place of blocks longer than one run of the vector loop, a single bad number is found and named.
CD_TEST(a_single_bad_number_is_found_anywhere)
{
    enum { ROWS = 53 };
    for (int bad = 0; bad < ROWS; bad++)
        for (int kind = 0; kind < 3; kind++) {
            int64_t id[ROWS];
            double time[ROWS];
            for (int i = 0; i < ROWS; i++) {
                id[i] = i;
                time[i] = i == bad && kind < 2 ? (kind ? NAN : INFINITY) : 0.5;
            }
            if (kind == 2)
                id[bad] = -1;
            payload_builder b = {0};
            builder_numbers(&b, "index", B_I64, 1, id, sizeof id);
            builder_numbers(&b, "time", B_F64, 1, time, sizeof time);
            char sentence[64];
            snprintf(sentence, sizeof sentence, kind == 2 ? "index: row %d is -1, wanted at least 0" : kind ? "time: element %d is NaN" : "time: element %d is infinite", bad);
            expect("frame", 2, ROWS, builder_finish(&b), sentence);
        }
}

static cd_buffer contact_with(const double normal[3], const int32_t site[2], const int32_t features[2], const char *kind)
{
    const int64_t id = 0;
    const int32_t b_site[] = {1, 0};
    const double point[3] = {0}, gap = 0;
    const uint8_t code = 0;
    payload_builder b = {0};
    builder_numbers(&b, "id", B_I64, 1, &id, sizeof id);
    builder_part(&b, site, 2 * sizeof *site);
    builder_column(&b, "a", "body", B_SITE, 0, 2, false);
    builder_part(&b, b_site, sizeof b_site);
    builder_column(&b, "b", "body", B_SITE, 0, 2, false);
    builder_texts(&b, &kind, 1, true);
    builder_part(&b, &code, 1);
    builder_column(&b, "kind", "", B_WORD, 0, 1, false);
    builder_numbers(&b, "point", B_F64, 3, point, sizeof point);
    builder_numbers(&b, "normal", B_F64, 3, normal, 3 * sizeof *normal);
    builder_numbers(&b, "gap", B_F64, 1, &gap, sizeof gap);
    builder_numbers(&b, "features", B_FEATURE, 2, features, 2 * sizeof *features);
    return builder_finish(&b);
}

CD_TEST(contacts_are_checked)
{
    const double up[] = {0, 0, 1}, near_up[] = {0, 3e-5, 1}, slant[] = {0.6, 0.8, 0.1}, nan_normal[] = {NAN, 0, 1};
    const int32_t good[] = {4, 0}, dangling[] = {REF_ROWS, 0}, negative[] = {-1, 0}, part[] = {0, -1};
    const int32_t pair[] = {cd_feature(0, 3), cd_feature(1, 7)}, one[] = {6, -1}, none[] = {-1, -1}, second[] = {-1, 4}, third_kind[] = {7, -1},
                  below[] = {-2, -1};
    expect("contact", 3, 1, contact_with(up, good, pair, "depth"), "");
    expect("contact", 3, 1, contact_with(near_up, good, one, "depth"), "");
    expect("contact", 3, 1, contact_with(up, good, none, "depth"), "");
    expect("contact", 3, 1, contact_with(slant, good, pair, "depth"), "normal: element 0 has length 1.00498756211, wanted 1");
    expect("contact", 3, 1, contact_with(nan_normal, good, pair, "depth"), "normal: element 0 is NaN");
    expect("contact", 3, 1, contact_with(up, dangling, pair, "depth"), "a: refers to row 5 of body, which has 5 rows here");
    expect("contact", 3, 1, contact_with(up, negative, pair, "depth"), "a: refers to row -1 of body, which has 5 rows here");
    expect("contact", 3, 1, contact_with(up, part, pair, "depth"), "a: row 0: part -1");
    expect("contact", 3, 1, contact_with(up, good, second, "depth"), "features: row 0 has a second feature without a first");
    expect("contact", 3, 1, contact_with(up, good, third_kind, "depth"), "features: row 0: 7 is no feature");
    expect("contact", 3, 1, contact_with(up, good, below, "depth"), "features: row 0: -2 is no feature");
    expect("contact", 3, 1, contact_with(up, good, pair, "dept"),
           "kind: \"dept\" is not one of vertex-edge, vertex-face, edge-edge, volume, distance, depth, analytic, separating, pinball");
    expect("contact", 2, 1, contact_with(up, good, pair, "depth"), "point: wanted f64 x 2");
}

CD_TEST(columns_of_the_wrong_kind_are_refused)
{
    const double position[] = {1, 2, 3, 4, 5, 6};
    const float single[6] = {0};
    payload_builder b = {0};
    builder_numbers(&b, "id", B_I64, 1, three_ids, sizeof three_ids);
    expect("node", 2, 3, builder_finish(&b), "position: required");
    builder_numbers(&b, "id", B_I64, 1, three_ids, sizeof three_ids);
    builder_numbers(&b, "position", B_I32, 2, single, sizeof single);
    expect("node", 2, 3, builder_finish(&b), "position: wanted f64 x 2");
    const uint8_t mask[] = {1, 1, 0};
    const double masked[] = {1, 2, 3, 4, 0, 0};
    builder_numbers(&b, "id", B_I64, 1, three_ids, sizeof three_ids);
    builder_part(&b, mask, sizeof mask);
    builder_part(&b, masked, sizeof masked);
    builder_column(&b, "position", "", B_F64, 0, 2, true);
    expect("node", 2, 3, builder_finish(&b), "position: required");
    builder_numbers(&b, "id", B_I64, 1, three_ids, sizeof three_ids);
    builder_part(&b, mask, sizeof mask);
    builder_part(&b, position, sizeof position);
    builder_column(&b, "velocity", "", B_F64, 0, 2, true);
    builder_numbers(&b, "position", B_F64, 2, position, sizeof position);
    expect("node", 2, 3, builder_finish(&b), "velocity: an absent row is not zero");
    const int32_t shape = 0;
    const int64_t id = 1;
    const double at[] = {0, 0};
    builder_numbers(&b, "id", B_I64, 1, &id, sizeof id);
    builder_numbers(&b, "shape", B_I32, 1, &shape, sizeof shape);
    builder_numbers(&b, "position", B_F64, 2, at, sizeof at);
    expect("body", 2, 1, builder_finish(&b), "shape: wanted i32 x 1 of shape");
    builder_numbers(&b, "id", B_I64, 1, &id, sizeof id);
    builder_numbers(&b, "id", B_I64, 1, &id, sizeof id);
    expect("body", 2, 1, builder_finish(&b), "id: two columns of this name");
    const uint8_t yes[] = {1}, maybe[] = {2};
    builder_numbers(&b, "accept", B_BOOL, 1, yes, 1);
    expect("verdict", 2, 1, builder_finish(&b), "");
    builder_numbers(&b, "accept", B_BOOL, 1, maybe, 1);
    expect("verdict", 2, 1, builder_finish(&b), "accept: a truth value is neither 0 nor 1");
}

// Shapes whose compounds refer to shapes: to earlier tables, earlier rows of the block, never to later ones.
CD_TEST(compound_parts_refer_backwards)
{
    for (int32_t target = -1; target <= REF_ROWS + 2; target++) {
        const int64_t id[] = {1, 2};
        const char *const words[] = {"polygon", "compound"};
        const uint8_t code[] = {0, 1};
        const int32_t offset[] = {0, 0, 1};
        const double zero[2] = {0};
        payload_builder b = {0};
        builder_numbers(&b, "id", B_I64, 1, id, sizeof id);
        builder_texts(&b, words, 2, true);
        builder_part(&b, code, sizeof code);
        builder_column(&b, "kind", "", B_WORD, 0, 1, false);
        builder_part(&b, offset, sizeof offset);
        builder_part(&b, &target, sizeof target);
        builder_column(&b, "parts.shape", "shape", B_I32, 1, 1, false);
        builder_part(&b, offset, sizeof offset);
        builder_part(&b, zero, sizeof zero);
        builder_column(&b, "parts.position", "", B_F64, 1, 2, false);
        char sentence[128] = "";
        if (target < 0 || target > REF_ROWS)
            snprintf(sentence, sizeof sentence, "parts.shape: refers to row %d of shape, which has %d rows here", target, REF_ROWS + 1);
        expect("shape", 2, 2, builder_finish(&b), sentence);
    }
    const int64_t id[] = {1, 2};
    const char *const words[] = {"compound"};
    const uint8_t code[] = {0, 0};
    const int32_t offset[] = {0, 0, 1}, other[] = {0, 1, 1}, target = 0, falling[] = {0, 2, 1}, late[] = {1, 1, 1};
    const double zero[2] = {0};
    for (int kind = 0; kind < 3; kind++) {
        payload_builder b = {0};
        builder_numbers(&b, "id", B_I64, 1, id, sizeof id);
        builder_texts(&b, words, 1, true);
        builder_part(&b, code, sizeof code);
        builder_column(&b, "kind", "", B_WORD, 0, 1, false);
        builder_part(&b, kind == 0 ? offset : kind == 1 ? falling : late, sizeof offset);
        builder_part(&b, &target, sizeof target);
        builder_column(&b, "parts.shape", "shape", B_I32, 1, 1, false);
        builder_part(&b, other, sizeof other);
        builder_part(&b, zero, sizeof zero);
        builder_column(&b, "parts.position", "", B_F64, 1, 2, false);
        expect("shape", 2, 2, builder_finish(&b),
               kind ? "parts.shape: list offsets do not rise from 0" : "parts.position: its lists are not as long as those of parts.shape");
    }
}

static cd_buffer metric_named(const char *tool, size_t length)
{
    const int32_t offset[] = {0, (int32_t)length};
    const double value = 1;
    const char *name = "n";
    char part[64];
    memcpy(part, offset, sizeof offset);
    memcpy(part + sizeof offset, tool, length);
    payload_builder b = {0};
    builder_part(&b, part, sizeof offset + length);
    builder_column(&b, "tool", "", B_TEXT, 0, 1, false);
    builder_texts(&b, &name, 1, false);
    builder_column(&b, "name", "", B_TEXT, 0, 1, false);
    builder_numbers(&b, "value", B_F64, 1, &value, sizeof value);
    return builder_finish(&b);
}

CD_TEST(texts_are_utf8_without_nul)
{
    static const char *const good[] = {"", "abc", "\xc3\xa9", "\xf0\x9f\x98\x80", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf", "\x7f"};
    static const char *const bad[] = {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff", "a\xe2\x82", "\xc3("};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        expect("metric", 2, 1, metric_named(good[i], strlen(good[i])), "");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect("metric", 2, 1, metric_named(bad[i], strlen(bad[i])), "tool: text 0 is not UTF-8 without NUL");
    expect("metric", 2, 1, metric_named("a\0b", 3), "tool: text 0 is not UTF-8 without NUL");
    // A character cut in two between neighbouring texts is two bad texts.
    const int32_t offset[] = {0, 1, 2};
    const double value[] = {1, 2};
    const char *const names[] = {"n", "m"};
    char part[14];
    memcpy(part, offset, sizeof offset);
    memcpy(part + 12, "\xc3\xa9", 2);
    payload_builder b = {0};
    builder_part(&b, part, sizeof part);
    builder_column(&b, "tool", "", B_TEXT, 0, 1, false);
    builder_texts(&b, names, 2, false);
    builder_column(&b, "name", "", B_TEXT, 0, 1, false);
    builder_numbers(&b, "value", B_F64, 1, value, sizeof value);
    expect("metric", 2, 2, builder_finish(&b), "tool: text 0 is not UTF-8 without NUL");
}

CD_TEST(json_texts_are_one_value)
{
    static const char *const bad[] = {"", "1,2", "1}", " 1", "{\"a\":}", "[1", "\"x", "nul", "[1,\n2]", "NaN"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        payload_builder b = {0};
        builder_texts(&b, &bad[i], 1, false);
        builder_column(&b, "rows", "", B_JSON, 0, 1, false);
        cd_buffer payload = builder_finish(&b);
        cd_arena arena = {0};
        cd_fend_rows rows;
        cd_diag diag = {""};
        CD_CHECK(cd_columns_decode(&arena, record_of("fend"), 2, NULL, payload.data, payload.size, 1, (cd_rows *)&rows, &diag) == CD_ERR_FORMAT);
        CD_CHECK(!strncmp(diag.text, "rows: row 0: ", 13));
        cd_arena_release(&arena);
        cd_buffer_release(&payload);
    }
    static const char *const members[] = {"[1]", "{\"rows\":1}", "{\"type\":\"end\"}", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "{}\n{}", "{\"a\":1} ",
                                          "{\"t\\u0079pe\":1}"};
    static const char *const reasons[] = {"byte 1: a record is a JSON object {...}", "rows: is there twice", "type: is there twice", "a: is there twice", "a: is there twice",
                                          "byte 4: text behind the record", "not one JSON object without spaces around it, on one line", "type: is there twice"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        payload_builder b = {0};
        builder_texts(&b, &members[i], 1, false);
        builder_column(&b, "json", "", B_JSON, 0, 1, false);
        char sentence[128];
        snprintf(sentence, sizeof sentence, "json: row 0: %s", reasons[i]);
        expect("fend", 2, 1, builder_finish(&b), sentence);
    }
}

CD_TEST(head_says_its_own_dimension)
{
    for (int32_t dim = 1; dim <= 4; dim++) {
        const int32_t offset[] = {0, 2}, version[] = {1, 0};
        const double gravity[4] = {0, -9.81, 0, 0};
        payload_builder b = {0};
        builder_part(&b, offset, sizeof offset);
        builder_part(&b, version, sizeof version);
        builder_column(&b, "cds", "", B_I32, 1, 1, false);
        builder_numbers(&b, "dim", B_I32, 1, &dim, sizeof dim);
        builder_numbers(&b, "gravity", B_F64, dim, gravity, (size_t)dim * sizeof *gravity);
        expect("head", 0, 1, builder_finish(&b), dim == 1 ? "dim: 1; wanted 2 or 3" : dim == 4 ? "dim: 4; wanted 2 or 3" : "");
    }
    payload_builder b = {0};
    expect("head", 0, 1, builder_finish(&b), "dim: required");
    expect("fend", 2, 1, builder_finish(&b), "");  // a table of rows without columns
}

// ---- hostile directories ----

static void patch(cd_buffer *payload, int32_t column, size_t at, uint64_t value, size_t size)
{
    memcpy(payload->data + 8 + 64 * (size_t)column + at, &value, size);
}

static void expect_refused(cd_buffer payload, int32_t rows)
{
    cd_arena arena = {0};
    cd_node_rows node;
    cd_diag diag = {""};
    cd_status status = cd_columns_decode(&arena, record_of("node"), 2, NULL, payload.data, payload.size, rows, (cd_rows *)&node, &diag);
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
        {48, 0, 8}, {48, 8, 8}, {48, 40, 8}, {48, 47, 8}, {48, 56, 8}, {48, UINT64_MAX, 8}, {48, UINT64_MAX - 7, 8}, {48, INT64_MAX, 8}, {48, 1u << 31, 8},
        {56, 0, 8}, {56, 8, 8}, {56, 1, 8}, {56, UINT64_MAX, 8}, {56, UINT64_MAX - 7, 8}, {56, 168, 8}, {56, 152, 8},
        {40, 0, 1}, {40, 10, 1}, {40, 255, 1}, {41, 1, 1}, {41, 2, 1}, {41, 3, 1}, {41, 255, 1}, {42, 0, 2}, {42, 1, 2}, {42, 65535, 2},
        {44, 1, 1}, {44, 2, 1}, {45, 1, 1}, {47, 1, 1}, {0, 0, 8}, {0, '-', 1}, {23, 'x', 1}, {24, 'x', 1}, {39, 1, 1}, {0, 0x80, 1},
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
        CD_CHECK(cd_columns_decode(&arena, record, 2, refs, copy, size, rows, cd_model_rows(&model, record->type), NULL) == CD_ERR_FORMAT);
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

// ---- unknown columns and tables ----

static void expect_lines(const cd_refs *refs, cd_buffer payload, int32_t rows, cd_status wanted, const char *lines)
{
    cd_arena arena = {0};
    cd_buffer out = {0};
    cd_diag diag = {""};
    cd_status status = cd_columns_unknown_to_json(&arena, "probe", refs, payload.data, payload.size, rows, &out, &diag);
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
    const int32_t i32[] = {-5, 7}, body[] = {0, 4}, site[] = {1, 2, 0, 3}, feature[] = {cd_feature(1, 7), CD_FEATURE_NONE};
    const int64_t i64[] = {INT64_C(9007199254740993), 3};
    const uint8_t truth[] = {1, 0}, code[] = {1, 0}, mask[] = {0, 1};
    const char *const words[] = {"red", "gr\"een"}, *const texts[] = {"", "a\nb"}, *const jsons[] = {"{\"x\":[1, 2]}", "3"};
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

#define ROW_0                                                                                                                       \
    "\"f\":[0.1,\"Infinity\"],\"i\":-5,\"who\":100,\"long\":\"9007199254740993\",\"is\":true,\"colour\":\"gr\\\"een\",\"raw\":{\"x\":[1, 2]}," \
    "\"at\":[101,2],\"edge\":\"e7\",\"list\":[],\"group.deep\":[]}"
#define ROW_1                                                                                                                         \
    "\"f\":[1,-1],\"i\":7,\"who\":104,\"long\":3,\"is\":false,\"colour\":\"red\",\"note\":\"a\\nb\",\"raw\":3,\"at\":[100,3],\"edge\":null," \
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
    CD_CHECK(cd_columns_decode(&arena, record_of("node"), 2, &refs, payload.data, payload.size, 2, (cd_rows *)&node, &diag) == CD_OK);
    CD_CHECK_TEXT(diag.text, "");
    CD_CHECK_TEXT(node.json[0], "{" ROW_0);
    CD_CHECK_TEXT(node.json[1], "{" ROW_1);
    cd_columns_encode(record_of("node"), 2, (cd_rows *)&node, 0, 2, &again);
    CD_CHECK(cd_columns_decode(&arena, record_of("node"), 2, &refs, again.data, again.size, 2, (cd_rows *)&copy, &diag) == CD_OK);
    CD_CHECK(same_rows(&arena, record_of("node"), 2, (cd_rows *)&node, 0, (cd_rows *)&copy));
    cd_refs_release(&refs);
    cd_arena_release(&arena);
    cd_buffer_release(&payload);
    cd_buffer_release(&again);

    builder_numbers(&b, "parts", B_F64, 1, position, 8);
    expect("shape", 2, 0, builder_finish(&b), "parts: 8 bytes too many");
    builder_numbers(&b, "parts", B_F64, 1, position, 0);
    expect("shape", 2, 0, builder_finish(&b), "parts: no column may have this name");
}

CD_TEST(unknown_lines_come_back)
{
    static const char *const lines[] = {"{\"type\":\"probe\",\"a\":[1, 2.50],\"b\":{\"type\":1}}", "{\"type\":\"probe\"}",
                                        " { \"z\" : 1e400 , \"t\\u0079pe\" : \"probe\" , \"json\":\"\xc3\xa9\" } "};
    size_t length[3];
    for (int i = 0; i < 3; i++)
        length[i] = strlen(lines[i]);
    cd_buffer payload = {0};
    cd_diag diag = {""};
    CD_CHECK(cd_columns_unknown_from_json("probe", lines, length, 3, &payload, &diag) == CD_OK);
    expect_lines(NULL, payload, 3, CD_OK,
                 "{\"type\":\"probe\",\"a\":[1, 2.50],\"b\":{\"type\":1}}\n{\"type\":\"probe\"}\n{\"type\":\"probe\",\"z\":1e400,\"json\":\"\xc3\xa9\"}\n");
    static const char *const twice = "{\"type\":\"probe\",\"a\":1,\"a\":2}";
    size_t twice_length = strlen(twice);
    payload = (cd_buffer){0};
    CD_CHECK(cd_columns_unknown_from_json("probe", &twice, &twice_length, 1, &payload, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "a: is there twice");
    CD_CHECK(cd_columns_unknown_from_json("Probe", lines, length, 3, &payload, &diag) == CD_ERR_FORMAT);
    CD_CHECK(cd_columns_unknown_from_json("a-name-of-17-char", lines, length, 3, &payload, &diag) == CD_ERR_FORMAT);
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

// ---- fuzzing ----

// Changed bytes of good payloads: whatever comes out, nothing is read or written out of place (the sanitizers see to that),
// and what is accepted must survive another round.
static bool fuzz_once(const cd_record *record, const cd_refs *refs, int dim, cd_buffer *payload, int32_t rows, cd_random *random)
{
    size_t at[8];
    char old[8];
    int changes = 1 + (int)(cd_random_bits(random) % 8);
    for (int i = 0; i < changes; i++) {
        // Half of the changes go to the directory.
        size_t directory = 8 + 64 * (size_t)*(uint32_t *)(void *)payload->data;
        size_t range = cd_random_bits(random) % 2 && directory < payload->size ? directory : payload->size;
        at[i] = cd_random_bits(random) % range;
        old[i] = payload->data[at[i]];
        static const unsigned char interesting[] = {0, 1, 2, 0x7f, 0x80, 0xff, 8, 64};
        payload->data[at[i]] = (char)(cd_random_bits(random) % 2 ? interesting[cd_random_bits(random) % 8] : cd_random_bits(random));
    }
    cd_arena arena = {0};
    cd_model model = {0};
    cd_buffer again = {0}, lines = {0};
    cd_rows *read = cd_model_rows(&model, record->type);
    bool accepted = cd_columns_decode(&arena, record, dim, refs, payload->data, payload->size, rows, read, NULL) == CD_OK;
    if (accepted) {
        cd_model copy_model = {0};
        cd_rows *copy = cd_model_rows(&copy_model, record->type);
        cd_columns_encode(record, dim, read, 0, rows, &again);
        CD_CHECK(cd_columns_decode(&arena, record, dim, refs, again.data, again.size, rows, copy, NULL) == CD_OK);
        CD_CHECK(same_rows(&arena, record, dim, read, 0, copy));
    }
    cd_status status = cd_columns_unknown_to_json(&arena, "probe", refs, payload->data, payload->size, rows, &lines, NULL);
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
    int rounds = asked ? atoi(asked) : 300;
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
    CD_RUN(every_record_comes_back_bit_for_bit);
    CD_RUN(slices_come_back_alone);
    CD_RUN(layout_is_the_documented_one);
    CD_RUN(numbers_out_of_range_are_refused);
    CD_RUN(a_single_bad_number_is_found_anywhere);
    CD_RUN(contacts_are_checked);
    CD_RUN(columns_of_the_wrong_kind_are_refused);
    CD_RUN(compound_parts_refer_backwards);
    CD_RUN(texts_are_utf8_without_nul);
    CD_RUN(json_texts_are_one_value);
    CD_RUN(head_says_its_own_dimension);
    CD_RUN(hostile_directories_are_refused);
    CD_RUN(too_many_columns_are_refused);
    CD_RUN(cut_payloads_are_refused);
    CD_RUN(unknown_tables_print_every_base_type);
    CD_RUN(unknown_columns_of_a_known_table_become_members);
    CD_RUN(unknown_lines_come_back);
    CD_RUN(repeated_words_do_not_unfold_without_bound);
    CD_RUN(fuzzed_payloads_are_refused_or_whole);
    return cd_test_done();
}
