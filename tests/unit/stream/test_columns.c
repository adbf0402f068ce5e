// Binary payloads: round trips of every record type, the layout against a second writer, refusals.
// SPDX-License-Identifier: MIT
#include "test_columns_expect.h"

// ---- round trips ---------------------------------------------------------------------------------------------------

static void round_trip(cd_arena *arena, const cd_record *record, int dim, const cd_refs *refs, const cd_rows *rows,
                       int32_t first, int32_t count)
{
    cd_buffer payload = {0}, again = {0};
    cd_model model = {0};
    cd_rows *read = cd_model_rows(&model, record->type);
    cd_diag diag = {""};
    cd_columns_encode(record, dim, rows, first, count, &payload);
    CD_CHECK(payload.size % 8 == 0);
    cd_status status = cd_columns_decode(arena, (cd_row_form){record, record->type == CD_REC_head ? 0 : dim, refs},
                                         (cd_payload){payload.data, payload.size, count}, read, &diag);
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

// ---- the layout, byte by byte --------------------------------------------------------------------------------------

// Two bodies in the plane by the hand-made writer: decoded as meant, and what the encoder writes itself.
CD_TEST(layout_is_the_documented_one)
{
    const int64_t id[] = {7, 9};
    const int32_t shape[] = {1, 0};
    const double position[] = {1, 2, 3, 4}, mass[] = {0, 2.5};
    const uint8_t mask[] = {0, 1}, word[] = {1, 0};
    const char *const words[] = {"dynamic", "prescribed"}, *const groups[] = {"slave", ""},
                      *const members[] = {"{\"c\":1}", ""};
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
    cd_status status = cd_columns_decode(&arena, (cd_row_form){record_of("body"), 2, &refs},
                                         (cd_payload){payload.data, payload.size, 2}, (cd_rows *)&body, &diag);
    CD_CHECK_TEXT(diag.text, "");
    CD_CHECK(status == CD_OK);
    if (status == CD_OK) {
        CD_CHECK(body.id[0] == 7 && body.id[1] == 9 && body.shape[0] == 1 && body.shape[1] == 0);
        CD_CHECK(body.position[2] == 3 && isnan(body.mass[0]) && body.mass[1] == 2.5);
        CD_CHECK((const char *)body.position >= payload.data &&
                 (const char *)body.position < payload.data + payload.size);  // borrowed
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

// ---- refusals ------------------------------------------------------------------------------------------------------

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
    // The moments of an inertia, not its products; what the mask leaves out is not looked at.
    double inertia[18] = {1, 2, 3, -0.5, 0, 0.5, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0};
    for (int kind = 0; kind < 4; kind++) {
        builder_numbers(&b, "id", B_I64, 1, three_ids, sizeof three_ids);
        if (kind)
            builder_part(&b, kind == 1 ? mask : full, sizeof mask);
        builder_part(&b, inertia, sizeof inertia);
        builder_column(&b, "inertia", "", B_F64, 0, 6, kind > 0);
        expect("body", 3, 3, builder_finish(&b),
               kind == 1   ? ""
               : kind == 3 ? "inertia: element 1 is -2, wanted > 0"
                           : "inertia: element 1 is 0, wanted > 0");
        inertia[7] = kind == 2 ? -2 : 0;
        inertia[6] = inertia[8] = kind == 2;
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
    enum { ROWS = 53, NAN_TIME = 0, INFINITE_TIME, NEGATIVE_STEP, NEGATIVE_ROUND, NEGATIVE_INDEX, KINDS };
    static const char *const sentence[KINDS] = {
        "time: element %d is NaN", "time: element %d is infinite", "step: element %d is -1, wanted > 0",
        "round: element %d is -1, wanted at least 0", "index: row %d is -1, wanted at least 0"};
    for (int bad = 0; bad < ROWS; bad++)
        for (int kind = 0; kind < KINDS; kind++) {
            int64_t id[ROWS];
            int32_t round[ROWS];
            double time[ROWS], step[ROWS];
            for (int i = 0; i < ROWS; i++) {
                id[i] = round[i] = i;
                time[i] = step[i] = 0.5;
            }
            if (kind <= INFINITE_TIME)
                time[bad] = kind == NAN_TIME ? NAN : INFINITY;
            step[bad] = kind == NEGATIVE_STEP ? -1 : 0.5;
            round[bad] = kind == NEGATIVE_ROUND ? -1 : 0;
            id[bad] = kind == NEGATIVE_INDEX ? -1 : 0;
            payload_builder b = {0};
            builder_numbers(&b, "index", B_I64, 1, id, sizeof id);
            builder_numbers(&b, "time", B_F64, 1, time, sizeof time);
            builder_numbers(&b, "step", B_F64, 1, step, sizeof step);
            builder_numbers(&b, "round", B_I32, 1, round, sizeof round);
            char wanted[64];
            snprintf(wanted, sizeof wanted, sentence[kind], bad);
            expect("frame", 2, ROWS, builder_finish(&b), wanted);
        }
}

static cd_buffer contact_with(const double normal[3], const int32_t site[2], const int32_t features[2],
                              const char *kind)
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
    const int32_t pair[] = {cd_feature(0, 3), cd_feature(1, 7)}, one[] = {6, -1}, none[] = {-1, -1}, second[] = {-1, 4},
                  child[] = {7, -1}, below[] = {-2, -1};
    expect("contact", 3, 1, contact_with(up, good, pair, "depth"), "");
    expect("contact", 3, 1, contact_with(near_up, good, one, "depth"), "");
    expect("contact", 3, 1, contact_with(up, good, none, "depth"), "");
    expect("contact", 3, 1, contact_with(slant, good, pair, "depth"),
           "normal: element 0 has length 1.00498756211, wanted 1");
    expect("contact", 3, 1, contact_with(nan_normal, good, pair, "depth"), "normal: element 0 is NaN");
    expect("contact", 3, 1, contact_with(up, dangling, pair, "depth"),
           "a: refers to row 5 of body, which has 5 rows here");
    expect("contact", 3, 1, contact_with(up, negative, pair, "depth"),
           "a: refers to row -1 of body, which has 5 rows here");
    expect("contact", 3, 1, contact_with(up, part, pair, "depth"), "a: row 0: part -1");
    expect("contact", 3, 1, contact_with(up, good, second, "depth"),
           "features: row 0 has a second feature without a first");
    expect("contact", 3, 1, contact_with(up, good, child, "depth"), "");
    expect("contact", 3, 1, contact_with(up, good, below, "depth"), "features: row 0: -2 is no feature");
    expect("contact", 3, 1, contact_with(up, good, pair, "dept"),
           "kind: \"dept\" is not one of vertex-edge, vertex-face, edge-edge, volume, distance, depth, analytic, "
           "separating, pinball");
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
            snprintf(sentence, sizeof sentence, "parts.shape: refers to row %d of shape, which has %d rows here",
                     target, REF_ROWS + 1);
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
               kind ? "parts.shape: list offsets do not rise from 0"
                    : "parts.position: its lists are not as long as those of parts.shape");
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
    static const char *const good[] = {"",    "abc", "\xc3\xa9", "\xf0\x9f\x98\x80", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf",
                                       "\x7f"};
    static const char *const bad[] = {
        "\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff", "a\xe2\x82", "\xc3("};
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
        CD_CHECK(cd_columns_decode(&arena, (cd_row_form){record_of("fend"), 2, NULL},
                                   (cd_payload){payload.data, payload.size, 1}, (cd_rows *)&rows,
                                   &diag) == CD_ERR_FORMAT);
        CD_CHECK(!strncmp(diag.text, "rows: row 0: ", 13));
        cd_arena_release(&arena);
        cd_buffer_release(&payload);
    }
    static const char *const members[] = {
        "[1]",    "{\"rows\":1}", "{\"type\":\"end\"}", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}",
        "{}\n{}", "{\"a\":1} ",   "{\"t\\u0079pe\":1}"};
    static const char *const reasons[] = {"byte 1: a record is a JSON object {...}",
                                          "rows: is there twice",
                                          "type: is there twice",
                                          "a: is there twice",
                                          "a: is there twice",
                                          "byte 4: text behind the record",
                                          "not one JSON object without spaces around it, on one line",
                                          "type: is there twice"};
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
        expect("head", 0, 1, builder_finish(&b),
               dim == 1   ? "dim: 1; wanted 2 or 3"
               : dim == 4 ? "dim: 4; wanted 2 or 3"
                          : "");
    }
    const int32_t offset[] = {0, 2}, version[] = {1, 0}, three = 3;
    payload_builder b = {0};
    builder_part(&b, offset, sizeof offset);
    builder_part(&b, version, sizeof version);
    builder_column(&b, "cds", "", B_I32, 1, 1, false);
    builder_numbers(&b, "dim", B_I32, 1, &three, sizeof three);
    expect("head", 2, 1, builder_finish(&b), "dim: 3; wanted 2");
    expect("head", 0, 1, builder_finish(&b), "dim: required");
    expect("fend", 2, 1, builder_finish(&b), "");  // a table of rows without columns
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
    return cd_test_done();
}
