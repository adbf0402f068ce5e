// Tables in memory: append, select and defaults of every record type against the rows one by one; the table of fields
// itself.
// SPDX-License-Identifier: MIT
#include "cd_rows.h"
#include "cd_test.h"

#include "test_columns_random.h"

enum { REF_ROWS = 5 };

// Rows first..first+count-1 as a table of its own that shares nothing with `from`.
static cd_rows *piece_of(cd_arena *arena, const cd_record *record, int dim, const cd_rows *from, int32_t first,
                         int32_t count)
{
    int32_t *index = CD_ARENA_ARRAY(arena, int32_t, count);
    for (int32_t i = 0; i < count; i++)
        index[i] = first + i;
    cd_rows *piece = cd_arena_zalloc(arena, record->size);
    cd_rows_select(arena, record, dim, piece, from, index, count);
    return piece;
}

CD_TEST(appended_pieces_are_the_table)
{
    cd_refs refs = {0};
    fill_refs(&refs, REF_ROWS);
    for (int type = 0; type < CD_REC_COUNT; type++)
        for (int seed = 0; seed < 20; seed++) {
            const cd_record *record = &cd_records[type];
            cd_arena arena = {0}, other = {0};
            random_tables t = {&arena, {(uint64_t)(77 * type + seed)}, 2 + seed % 2, seed > 4, &refs};
            int32_t count = 1 + random_below(&t, seed % 3 ? 40 : 900), first = 0;
            cd_rows *whole = cd_arena_zalloc(&arena, record->size), *grown = cd_arena_zalloc(&arena, record->size);
            random_rows(&t, record, count, whole);
            while (first < count) {
                int32_t size = random_below(&t, 50);
                size = size < count - first ? size : count - first;
                cd_rows_append(&other, record, t.dim, grown, piece_of(&arena, record, t.dim, whole, first, size));
                first += size;
            }
            bool same = grown->count == count && same_rows(&arena, record, t.dim, whole, 0, grown);
            if (!same)
                printf("# %s, seed %d, %d rows\n", record->name, seed, count);
            CD_CHECK(same);
            cd_arena_release(&arena);
            cd_arena_release(&other);
        }
    cd_refs_release(&refs);
}

// Pieces that lack columns which others have: the rows without show as absent.
CD_TEST(tables_with_different_columns_join)
{
    cd_refs refs = {0};
    fill_refs(&refs, REF_ROWS);
    for (int type = 0; type < CD_REC_COUNT; type++)
        for (int seed = 0; seed < 30; seed++) {
            const cd_record *record = &cd_records[type];
            cd_arena arena = {0};
            cd_rows *piece[5], *joined = cd_arena_zalloc(&arena, record->size);
            int dim = 2 + seed % 2;
            for (int k = 0; k < 5; k++) {
                random_tables t = {&arena, {(uint64_t)(1000 * type + 10 * seed + k)}, dim, true, &refs};
                piece[k] = cd_arena_zalloc(&arena, record->size);
                random_rows(&t, record, 2 + random_below(&t, 60), piece[k]);
                if (random_below(&t, 2))
                    piece[k]->json = NULL;
                cd_rows_append(&arena, record, dim, joined, piece[k]);
            }
            int32_t first = 0;
            for (int k = 0; k < 5; k++) {
                bool same = same_rows(&arena, record, dim, joined, first, piece[k]);
                if (!same)
                    printf("# %s, seed %d, piece %d\n", record->name, seed, k);
                CD_CHECK(same);
                first += piece[k]->count;
            }
            CD_CHECK(first == joined->count);
            cd_arena_release(&arena);
        }
    cd_refs_release(&refs);
}

CD_TEST(selected_rows_are_those_rows)
{
    cd_refs refs = {0};
    fill_refs(&refs, REF_ROWS);
    for (int type = 0; type < CD_REC_COUNT; type++)
        for (int seed = 0; seed < 12; seed++) {
            const cd_record *record = &cd_records[type];
            cd_arena arena = {0};
            random_tables t = {&arena, {(uint64_t)(31 * type + seed)}, 2 + seed % 2, seed > 3, &refs};
            cd_rows *whole = cd_arena_zalloc(&arena, record->size), *chosen = cd_arena_zalloc(&arena, record->size);
            random_rows(&t, record, 30, whole);
            int32_t index[40], count = random_below(&t, 41);  // repeated rows and none at all are legal
            for (int32_t i = 0; i < count; i++)
                index[i] = random_below(&t, 30);
            cd_rows_select(&arena, record, t.dim, chosen, whole, index, count);
            CD_CHECK(chosen->count == count);
            for (int32_t i = 0; i < count; i++)
                CD_CHECK(
                    same_rows(&arena, record, t.dim, chosen, i, piece_of(&arena, record, t.dim, whole, index[i], 1)));
            cd_arena_release(&arena);
        }
    cd_refs_release(&refs);
}

static double number_at(const cd_field *field, const void *data, size_t i)
{
    return field->base == CD_BASE_F64   ? ((const double *)data)[i]
           : field->base == CD_BASE_I32 ? ((const int32_t *)data)[i]
           : field->base == CD_BASE_I64 ? (double)((const int64_t *)data)[i]
                                        : ((const uint8_t *)data)[i];
}

// After filling, a value is what it was or, where it was absent, the default of the table of fields.
static void check_defaults(const cd_record *record, int dim, const cd_rows *before, const cd_rows *after)
{
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        if (field->depth || field->base == CD_BASE_TEXT)
            continue;
        const void *old = *cd_field_column(field, before), *new = *cd_field_column(field, after);
        size_t width = (size_t)cd_field_width(field, dim);
        if (isnan(field->default_value)) {
            CD_CHECK(old == new);
            continue;
        }
        CD_CHECK(new != NULL);
        for (size_t i = 0; new &&i < (size_t)after->count *width; i++) {
            double wanted = field->type == CD_TYPE_ROT && width == 4 && i % 4 == 0 ? 1 : field->default_value;
            double was = old ? number_at(field, old, i) : NAN, is = number_at(field, new, i);
            bool was_absent = isnan(was) || (field->base == CD_BASE_I32 && was == CD_ABSENT) ||
                              (field->base == CD_BASE_I64 && was == (double)CD_ABSENT_I64) ||
                              (field->base == CD_BASE_U8 && was == CD_ABSENT_BOOL);
            bool right = is == (was_absent ? wanted : was);
            if (!right)
                printf("# %s.%s number %zu: was %g, is %g, default %g\n", record->name, field->name, i, was, is,
                       wanted);
            CD_CHECK(right);
        }
    }
}

CD_TEST(defaults_stand_where_nothing_was)
{
    cd_refs refs = {0};
    fill_refs(&refs, REF_ROWS);
    for (int type = 0; type < CD_REC_COUNT; type++)
        for (int seed = 0; seed < 16; seed++) {
            const cd_record *record = &cd_records[type];
            cd_arena arena = {0};
            random_tables t = {&arena, {(uint64_t)(91 * type + seed)}, 2 + seed % 2, true, &refs};
            cd_rows *rows = cd_arena_zalloc(&arena, record->size), *before = cd_arena_zalloc(&arena, record->size);
            random_rows(&t, record, 25, rows);
            *before = *rows;
            memcpy(before, piece_of(&arena, record, t.dim, rows, 0, 25), record->size);
            for (int32_t f = 0; f < record->field_count;
                 f++)  // columns without a default must be left alone, even their address
                if (record->field[f].depth == 0 && isnan(record->field[f].default_value))
                    *cd_field_column(&record->field[f], before) = *cd_field_column(&record->field[f], rows);
            cd_rows_fill_defaults(&arena, record, t.dim, rows);
            check_defaults(record, t.dim, before, rows);
            cd_rows *twice = cd_arena_zalloc(&arena, record->size);
            memcpy(twice, rows, record->size);
            cd_rows_fill_defaults(&arena, record, t.dim, twice);
            CD_CHECK(same_rows(&arena, record, t.dim, rows, 0, twice));
            cd_arena_release(&arena);
        }
    cd_refs_release(&refs);
}

CD_TEST(the_table_of_fields_is_sound)
{
    for (int type = 0; type < CD_REC_COUNT; type++) {
        const cd_record *record = &cd_records[type];
        CD_CHECK(record->type == (cd_record_type)type && record->field_count > 0 && record->field_count <= 64);
        CD_CHECK(cd_record_find(record->name, strlen(record->name)) == record->type);
        CD_CHECK(cd_record_find(record->name, strlen(record->name) - 1) != record->type);
        CD_CHECK(strlen(record->name) <= 16);
        for (int32_t f = 0; f < record->field_count; f++) {
            const cd_field *field = &record->field[f];
            CD_CHECK(cd_field_by_offset(record->type, field->offset) == field);
            CD_CHECK((field->type == CD_TYPE_ENUM) == (field->vocab != NULL));
            CD_CHECK(!field->required || isnan(field->default_value));
            CD_CHECK(strcmp(field->name, "json") && strcmp(field->name, "type") && strlen(field->name) <= 24);
            // What it refers to comes before it in a stream, or is an earlier row of itself.
            CD_CHECK(field->target == CD_REC_UNKNOWN || field->target <= record->type);
            for (int32_t g = 0; g < f; g++)
                CD_CHECK(strcmp(field->name, record->field[g].name) != 0);
            for (int32_t w = 0; field->vocab && w < field->vocab->count; w++)
                CD_CHECK(cd_vocab_find(field->vocab, field->vocab->word[w], strlen(field->vocab->word[w])) == w);
        }
    }
    CD_CHECK(cd_record_find("", 0) == CD_REC_UNKNOWN && cd_record_find("bodyx", 5) == CD_REC_UNKNOWN);
}

// Every member that a key names is one of the record.
static int unknown_members(const cd_record *record, const char *text)
{
    int unknown = 0;
    while ((text = strchr(text, '{'))) {
        size_t length = strcspn(++text, "}");
        bool is_known = false;
        for (int32_t f = 0; f < record->field_count; f++)
            is_known |= !strncmp(record->field[f].member, text, length) && !record->field[f].member[length];
        unknown += !is_known || text[length] != '}';
    }
    return unknown;
}

CD_TEST(keys_name_members)
{
    int keys = 0;
    for (int type = 0; type < CD_REC_COUNT; type++) {
        const cd_record_key *key = &cd_record_keys[type];
        CD_CHECK(!key->text || (strchr(key->text, '{') && !unknown_members(&cd_records[type], key->text)));
        CD_CHECK(!key->otherwise || !unknown_members(&cd_records[type], key->otherwise));
        keys += key->text != NULL;
    }
    CD_CHECK(keys >= 11);
    CD_CHECK(unknown_members(&cd_records[CD_REC_pair], "{a}-{c}") == 1);
}

CD_TEST(lists_grow)
{
    cd_arena arena = {0};
    CD_LIST(int64_t) list = {0};
    for (int64_t i = 0; i < 100000; i++)
        cd_list_push(&arena, &list, i * i);
    CD_CHECK(list.count == 100000);
    int wrong = 0;
    for (int64_t i = 0; i < list.count; i++)
        wrong += list.item[i] != i * i;
    CD_CHECK(wrong == 0);
    cd_arena_release(&arena);
}

CD_TEST(numbers_that_no_reader_takes_are_found)
{
    double position[] = {1, 2, 3, NAN}, mass[] = {NAN, 1}, velocity[] = {NAN, NAN, 0, 0};
    int64_t id[] = {1, 2};
    cd_body_rows body = {.count = 2, .id = id, .position = position, .mass = mass, .velocity = velocity};
    const cd_record *record = &cd_records[CD_REC_body];
    int32_t row = -1;
    const cd_field *field = cd_rows_bad_number(record, 2, (const cd_rows *)&body, &row);
    CD_CHECK(field && !strcmp(field->name, "position") && row == 1);
    position[3] = 4;  // what is optional may be absent
    CD_CHECK(!cd_rows_bad_number(record, 2, (const cd_rows *)&body, &row));
    mass[1] = INFINITY;
    field = cd_rows_bad_number(record, 2, (const cd_rows *)&body, &row);
    CD_CHECK(field && !strcmp(field->name, "mass") && row == 1);
    mass[1] = 1;
    position[0] = position[1] = NAN;
    CD_CHECK(!cd_rows_bad_number(record, 2, (const cd_rows *)&body, &row));
    cd_node_rows node = {.count = 2, .id = id, .position = position};  // what is required may not
    field = cd_rows_bad_number(&cd_records[CD_REC_node], 2, (const cd_rows *)&node, &row);
    CD_CHECK(field && !strcmp(field->name, "position") && row == 0);
    int32_t site[] = {0, 0};
    double low[] = {-INFINITY, 0}, high[] = {INFINITY, 1};
    cd_bounds_rows bounds = {.count = 1, .a = site, .min = low, .max = high};
    CD_CHECK(!cd_rows_bad_number(&cd_records[CD_REC_bounds], 2, (const cd_rows *)&bounds, &row));
    high[1] = NAN;
    field = cd_rows_bad_number(&cd_records[CD_REC_bounds], 2, (const cd_rows *)&bounds, &row);
    CD_CHECK(field && !strcmp(field->name, "max"));
}

int main(void)
{
    CD_RUN(appended_pieces_are_the_table);
    CD_RUN(tables_with_different_columns_join);
    CD_RUN(selected_rows_are_those_rows);
    CD_RUN(defaults_stand_where_nothing_was);
    CD_RUN(the_table_of_fields_is_sound);
    CD_RUN(keys_name_members);
    CD_RUN(lists_grow);
    CD_RUN(numbers_that_no_reader_takes_are_found);
    return cd_test_done();
}
