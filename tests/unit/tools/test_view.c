// cd-view: selection against a fixed point found by brute force, the digest under permutations, normal JSON text.
// SPDX-License-Identifier: MIT
#include "cd_rows.h"
#include "cd_test.h"
#include "view_digest.h"
#include "cd_selection.h"

#include <stdlib.h>

static cd_arena arena;
static uint32_t seed = 7;

static int32_t below(int32_t bound)
{
    seed = seed * 1664525u + 1013904223u;
    return (int32_t)((seed >> 8) % (uint32_t)bound);
}

static int64_t *ids(int32_t count, int64_t first)
{
    int64_t *id = CD_ARENA_ARRAY(&arena, int64_t, count);
    for (int32_t i = 0; i < count; i++)
        id[i] = first + 3 * i;
    return id;
}

static int32_t *picks(int32_t count, int32_t bound, bool may_be_absent)
{
    int32_t *pick = CD_ARENA_ARRAY(&arena, int32_t, count);
    for (int32_t i = 0; i < count; i++)
        pick[i] = may_be_absent && below(3) == 0 ? -1 : below(bound);
    return pick;
}

static int32_t *sites(int32_t count, int32_t bound)
{
    int32_t *site = CD_ARENA_ARRAY(&arena, int32_t, 2 * count);
    for (int32_t i = 0; i < count; i++) {
        site[2 * i] = below(bound);
        site[2 * i + 1] = below(4);
    }
    return site;
}

static double *numbers(int32_t count)
{
    double *x = CD_ARENA_ARRAY(&arena, double, count);
    for (int32_t i = 0; i < count; i++)
        x[i] = below(1000) / 7.0;
    return x;
}

static cd_list lists(int32_t count, int32_t bound)
{
    cd_list list = {.offset = CD_ARENA_ARRAY(&arena, int32_t, count + 1)};
    list.data = CD_ARENA_ARRAY(&arena, int32_t, 3 * count);
    list.offset[0] = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t size = below(4);
        list.offset[i + 1] = list.offset[i] + size;
        for (int32_t k = 0; k < size; k++)
            list.i32[list.offset[i] + k] = below(bound);
    }
    return list;
}

// A frame whose rows refer to one another at random.
static void random_frame(cd_tables *tables)
{
    memset(tables, 0, sizeof *tables);
    cd_model *m = &tables->model;
    int32_t n = 1 + below(8), c = 1 + below(10), g = 1 + below(6), r = 1 + below(10), e = below(12);
    m->dim = 2;
    static int64_t index[] = {4};
    static double time[] = {0.5};
    m->frame = (cd_frame_rows){.count = 1, .index = index, .time = time};
    m->body = (cd_body_rows){.count = n, .id = ids(n, 10), .position = numbers(2 * n)};
    m->pair = (cd_pair_rows){.count = c, .a = sites(c, n), .b = sites(c, n)};
    m->contact = (cd_contact_rows){.count = c,
                                   .id = ids(c, 0),
                                   .a = sites(c, n),
                                   .b = sites(c, n),
                                   .kind = picks(c, CD_CONTACT_KINDS, false),
                                   .point = numbers(2 * c),
                                   .normal = numbers(2 * c),
                                   .gap = numbers(c)};
    m->constraint = (cd_constraint_rows){.count = g,
                                         .id = ids(g, 0),
                                         .kind = picks(g, CD_CONSTRAINT_COUNT, false),
                                         .primary = lists(g, c),
                                         .secondary = lists(g, c)};
    m->row = (cd_row_rows){.count = r,
                           .id = ids(r, 0),
                           .role = picks(r, CD_ROLE_COUNT, false),
                           .body = picks(r, n, true),
                           .contact = picks(r, c, true),
                           .constraint = picks(r, g, true),
                           .rhs = numbers(r)};
    m->entry = (cd_entry_rows){.count = e, .row = picks(e, r, false), .col = picks(e, r, false), .value = numbers(e)};
    m->metric = (cd_metric_rows){.count = e, .a = picks(e, n, true), .b = picks(e, n, true), .value = numbers(e)};
    m->metric.tool = CD_ARENA_ARRAY(&arena, const char *, e);
    m->metric.name = CD_ARENA_ARRAY(&arena, const char *, e);
    for (int32_t i = 0; i < e; i++) {
        m->metric.tool[i] = "t";
        m->metric.name[i] = "n";
    }
}

// ---- oracle: which rows stay, by going round until nothing changes -------------------------------------------------

static uint8_t *stays[CD_REC_COUNT];

static bool references(cd_model *m, int from, int32_t i, int to, int32_t row)
{
    const cd_rows *rows = cd_model_rows(m, (cd_record_type)from);
    for (int32_t f = 0; f < cd_records[from].field_count; f++) {
        const cd_field *field = &cd_records[from].field[f];
        if (field->target != (cd_record_type)to)
            continue;
        if (field->depth == 1) {
            const cd_list *list = cd_field_list(field, rows);
            for (int32_t k = list->offset ? list->offset[i] : 0; list->offset && k < list->offset[i + 1]; k++)
                if (list->i32[k] == row)
                    return true;
        } else {
            const int32_t *column = *cd_field_column(field, rows);
            if (column && column[field->type == CD_TYPE_SITE ? 2 * i : i] == row)
                return true;
        }
    }
    return false;
}

static void oracle(const cd_selection *selection, cd_model *m)
{
    uint8_t *possible[CD_REC_COUNT];
    for (int t = 0; t < CD_REC_COUNT; t++) {
        int32_t count = cd_model_rows(m, (cd_record_type)t)->count;
        possible[t] = CD_ARENA_ARRAY(&arena, uint8_t, count);
        stays[t] = CD_ARENA_ZARRAY(&arena, uint8_t, count);
        memset(possible[t], 1, (size_t)count);
        for (int32_t i = 0; i < count && t == CD_REC_body; i++)
            possible[t][i] = cd_selection_wants_body(selection, m->body.id[i]);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int t = 0; t < CD_REC_COUNT; t++)
            for (int32_t i = 0; i < cd_model_rows(m, (cd_record_type)t)->count; i++)
                for (int u = 0; u < CD_REC_COUNT && possible[t][i]; u++)
                    for (int32_t k = 0; k < cd_model_rows(m, (cd_record_type)u)->count; k++)
                        if (!possible[u][k] && references(m, t, i, u, k)) {
                            possible[t][i] = 0;
                            changed = true;
                            break;
                        }
    }
    for (int t = 0; t < CD_REC_COUNT; t++)
        for (int32_t i = 0; i < cd_model_rows(m, (cd_record_type)t)->count; i++)
            stays[t][i] = possible[t][i] && (!selection->has_types || (selection->types >> t & 1) || t == CD_REC_frame);
    for (bool changed = true; changed;) {
        changed = false;
        for (int t = 0; t < CD_REC_COUNT; t++)
            for (int32_t i = 0; i < cd_model_rows(m, (cd_record_type)t)->count; i++)
                for (int u = 0; u < CD_REC_COUNT && stays[t][i]; u++)
                    for (int32_t k = 0; k < cd_model_rows(m, (cd_record_type)u)->count; k++)
                        if (!stays[u][k] && references(m, t, i, u, k)) {
                            stays[u][k] = 1;
                            changed = true;
                        }
    }
}

// The rows that stay, as JSON text by user ids: before and after they must be the same.
static void print_rows(cd_model *m, int type, const uint8_t *only, cd_buffer *out)
{
    cd_refs refs = {0};
    for (int t = 0; t < CD_REC_COUNT; t++) {
        const cd_rows *rows = cd_model_rows(m, (cd_record_type)t);
        if (rows->count > 0 && cd_record_has_id(&cd_records[t]))
            CD_CHECK(cd_refs_add_ids(&refs, (cd_record_type)t,
                                     *(int64_t **)cd_field_column(&cd_records[t].field[0], rows), rows->count,
                                     NULL) == CD_OK);
    }
    const cd_rows *rows = cd_model_rows(m, (cd_record_type)type);
    for (int32_t i = 0; i < rows->count; i++)
        if (!only || only[i])
            cd_json_encode(&cd_records[type], 2, &refs, rows, i, 1, out);
    cd_refs_release(&refs);
}

static void compare_with_oracle(const cd_selection *selection)
{
    cd_tables tables;
    random_frame(&tables);
    oracle(selection, &tables.model);
    cd_buffer expected = {0}, actual = {0};
    for (int t = 0; t < CD_REC_COUNT; t++)
        print_rows(&tables.model, t, stays[t], &expected);
    cd_selection_apply(&arena, selection, &tables);
    for (int t = 0; t < CD_REC_COUNT; t++)
        print_rows(&tables.model, t, NULL, &actual);
    CD_CHECK(expected.size == actual.size && !memcmp(expected.data, actual.data, actual.size));
    cd_buffer_release(&expected);
    cd_buffer_release(&actual);
    cd_arena_reset(&arena);
}

CD_TEST(selection_agrees_with_brute_force)
{
    static const char *const types[] = {NULL,   "contact",         "row",    "entry,metric",
                                        "body", "constraint,pair", "metric", "shape"};
    static const char *const bodies[] = {NULL, "10", "10,13,16", "13:22", "99"};
    cd_arena options = {0};
    for (size_t t = 0; t < 8; t++)
        for (size_t b = 0; b < 5; b++) {
            cd_selection selection;
            CD_CHECK(cd_selection_parse(&options, types[t], NULL, bodies[b], &selection, NULL) == CD_OK);
            for (int i = 0; i < 60; i++)
                compare_with_oracle(&selection);
        }
    cd_arena_release(&options);
}

CD_TEST(frames_and_bodies_by_number)
{
    cd_selection s;
    CD_CHECK(cd_selection_parse(&arena, NULL, "10:20:5", "7,1:3,2:5,100", &s, NULL) == CD_OK);
    for (int64_t i = 0; i < 40; i++)
        CD_CHECK(cd_frame_range_has(&s.frames, i) == (i == 10 || i == 15 || i == 20));
    for (int64_t id = -3; id < 120; id++)
        CD_CHECK(cd_selection_wants_body(&s, id) == ((id >= 1 && id <= 5) || id == 7 || id == 100));
    static const char *const bad_frames[] = {"", "a", "3:2", "1:2:0", "1:2:3:4", "-1", "99999999999999999999", "1 "};
    for (size_t i = 0; i < sizeof bad_frames / sizeof bad_frames[0]; i++)
        CD_CHECK(cd_selection_parse(&arena, NULL, bad_frames[i], NULL, &s, NULL) == CD_ERR_USAGE);
    static const char *const bad_bodies[] = {"", "x", "1,", ",1", "2:1", "1:2:3", "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad_bodies / sizeof bad_bodies[0]; i++)
        CD_CHECK(cd_selection_parse(&arena, NULL, NULL, bad_bodies[i], &s, NULL) == CD_ERR_USAGE);
}

// ---- digest --------------------------------------------------------------------------------------------------------

static void summary_of(cd_tables *tables, cd_buffer *text)
{
    cd_refs refs = {0};
    cd_model *m = &tables->model;
    for (int t = 0; t < CD_REC_COUNT; t++) {
        const cd_rows *rows = cd_model_rows(m, (cd_record_type)t);
        if (rows->count > 0 && cd_record_has_id(&cd_records[t]))
            CD_CHECK(cd_refs_add_ids(&refs, (cd_record_type)t,
                                     *(int64_t **)cd_field_column(&cd_records[t].field[0], rows), rows->count,
                                     NULL) == CD_OK);
    }
    text->size = 0;
    cd_digest_tables(&arena, tables, &refs, text);
    cd_refs_release(&refs);
}

static int32_t *permutation(int32_t count)
{
    int32_t *order = CD_ARENA_ARRAY(&arena, int32_t, count);
    for (int32_t i = 0; i < count; i++)
        order[i] = i;
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t k = below(i + 1), old = order[i];
        order[i] = order[k];
        order[k] = old;
    }
    return order;
}

static void follow(int32_t *column, int32_t count, int32_t stride, const int32_t *place)
{
    for (int32_t i = 0; i < count; i++)
        if (column[stride * i] >= 0)
            column[stride * i] = place[column[stride * i]];
}

// Bodies in another order, with everything that refers to them.
static void shuffle_bodies(cd_model *m)
{
    int32_t n = m->body.count, *order = permutation(n), *place = CD_ARENA_ARRAY(&arena, int32_t, n);
    for (int32_t i = 0; i < n; i++)
        place[order[i]] = i;
    cd_body_rows old = m->body;
    cd_rows_select(&arena, &cd_records[CD_REC_body], 2, (cd_rows *)&m->body, (cd_rows *)&old, order, n);
    follow(m->pair.a, m->pair.count, 2, place);
    follow(m->pair.b, m->pair.count, 2, place);
    follow(m->contact.a, m->contact.count, 2, place);
    follow(m->contact.b, m->contact.count, 2, place);
    follow(m->row.body, m->row.count, 1, place);
    follow(m->metric.a, m->metric.count, 1, place);
    follow(m->metric.b, m->metric.count, 1, place);
}

CD_TEST(digest_does_not_see_the_order_of_rows)
{
    cd_buffer before = {0}, after = {0};
    for (int run = 0; run < 200; run++) {
        cd_tables tables;
        random_frame(&tables);
        summary_of(&tables, &before);
        shuffle_bodies(&tables.model);
        cd_entry_rows entries = tables.model.entry;
        cd_rows_select(&arena, &cd_records[CD_REC_entry], 2, (cd_rows *)&tables.model.entry, (cd_rows *)&entries,
                       permutation(entries.count), entries.count);
        summary_of(&tables, &after);
        CD_CHECK(before.size == after.size && !memcmp(before.data, after.data, before.size));
        tables.model.contact.gap[0] = nextafter(tables.model.contact.gap[0], 1e9);
        summary_of(&tables, &after);
        CD_CHECK(before.size != after.size || memcmp(before.data, after.data, before.size));
        cd_arena_reset(&arena);
    }
    cd_buffer_release(&before);
    cd_buffer_release(&after);
}

CD_TEST(hashes_are_those_of_the_literature)
{
    // FNV-1a of "" and "a" (Fowler, Noll, Vo), then the finaliser of MurmurHash3, worked out apart.
    cd_hash_pair empty = cd_hash_text("", 0), one = cd_hash_text("a", 1);
    CD_CHECK(empty.a == UINT64_C(0xefd01f60ba992926));
    CD_CHECK(one.a != empty.a && one.b != empty.b && one.a != one.b);
}

CD_TEST(normal_json_text)
{
    static const char *const cases[][3] = {
        {"{\"type\":\"x\",\"a\":1}", "{\"type\":\"x\",\"a\":1}", "{\"a\":1}"},
        {" { \"a\" : [ 1 , 2 ] , \"type\" : \"x\" } ", "{\"a\":[1,2],\"type\":\"x\"}", "{\"a\":[1,2]}"},
        {"{\"type\":\"x\"}", "{\"type\":\"x\"}", "{}"},
        {"{\"s\":\"a b \\\" , }\",\"o\":{\"type\": 3}}", "{\"s\":\"a b \\\" , }\",\"o\":{\"type\":3}}",
         "{\"s\":\"a b \\\" , }\",\"o\":{\"type\":3}}"},
        {"{\"b\":2,\"type\":\"x\",\"c\":[{\"d\":\"}\"}]}", "{\"b\":2,\"type\":\"x\",\"c\":[{\"d\":\"}\"}]}",
         "{\"b\":2,\"c\":[{\"d\":\"}\"}]}"},
        {"{}", "{}", "{}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CD_CHECK_TEXT(cd_json_compact(&arena, cases[i][0], strlen(cases[i][0])), cases[i][1]);
        CD_CHECK_TEXT(cd_json_compact_members(&arena, cases[i][0], strlen(cases[i][0])), cases[i][2]);
    }
    for (size_t length = 0; length < strlen(cases[3][0]); length++)  // cut text must not be read beyond its end
        (void)cd_json_compact_members(&arena, cd_arena_text(&arena, cases[3][0], length), length);
}

int main(void)
{
    CD_RUN(selection_agrees_with_brute_force);
    CD_RUN(frames_and_bodies_by_number);
    CD_RUN(digest_does_not_see_the_order_of_rows);
    CD_RUN(hashes_are_those_of_the_literature);
    CD_RUN(normal_json_text);
    cd_arena_release(&arena);
    return cd_test_done();
}
