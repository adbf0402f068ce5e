// SPDX-License-Identifier: MIT
#include "diff_tables.h"

#include "diff_keys.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define NEVER_COMPARED (CD_BIT(prog) | CD_BIT(fend) | CD_BIT(end))

// A name that is near one of this project's, and a member that its type has not, would leave out nothing: foreign types
// are looked for by other names.
static cd_status check_ignored(const char *text, size_t length, cd_diag *diag)
{
    size_t of_type = strcspn(text, ".,");
    cd_record_type type = cd_record_find(text, of_type);
    const cd_record *near = type == CD_REC_UNKNOWN ? cd_record_near(text, of_type) : NULL;
    if (near)
        return cd_fail(diag, CD_ERR_USAGE, "--ignore: there is no record type %.*s; did you mean %s?", (int)of_type,
                       text, near->name);
    if (type == CD_REC_UNKNOWN || of_type == length)
        return CD_OK;
    size_t of_member = length - of_type - 1;
    if (!cd_record_field(&cd_records[type], text + of_type + 1, of_member))
        return cd_fail(diag, CD_ERR_USAGE, "--ignore: %s has no member %.*s; see cd-view --fields",
                       cd_records[type].name, (int)of_member, text + of_type + 1);
    return CD_OK;
}

cd_status cd_diff_parse_ignored(cd_arena *arena, const char *text, cd_diff_rules *rules, cd_diag *diag)
{
    rules->ignored |= NEVER_COMPARED;
    while (text && *text) {
        size_t length = strcspn(text, ",");
        if (length == 0)
            return cd_fail(diag, CD_ERR_USAGE, "--ignore: %.40s: wanted TYPE or TYPE.MEMBER with commas between", text);
        cd_record_type type = cd_record_find(text, length);
        CD_TRY(check_ignored(text, length, diag));
        if (type != CD_REC_UNKNOWN)
            rules->ignored |= UINT64_C(1) << type;
        else
            cd_list_push(arena, &rules->ignored_names, cd_arena_text(arena, text, length));
        text += length + (text[length] == ',');
    }
    return CD_OK;
}

bool cd_diff_ignores(const cd_diff_rules *rules, const char *type, const char *member)
{
    size_t length = strlen(type);
    cd_record_type known = cd_record_find(type, length);
    if (known != CD_REC_UNKNOWN && (rules->ignored >> known & 1))
        return true;
    for (int32_t i = 0; i < rules->ignored_names.count; i++) {
        const char *name = rules->ignored_names.item[i];
        if (strncmp(name, type, length))
            continue;
        if (member ? name[length] == '.' && !strcmp(name + length + 1, member) : !name[length])
            return true;
    }
    return false;
}

// ---- values --------------------------------------------------------------------------------------------------------

typedef struct comparison {
    cd_arena *arena;
    const cd_record *record;
    int dim;
    cd_key_set left, right;
    const char *key;        // of the rows in work
    int32_t row[2];         // these rows
    bool compares_numbers;  // running numbers too
    const cd_diff_rules *rules;
    const cd_diff_sink *sink;
} comparison;

static void tell(comparison *c, const char *member, const char *left, const char *right)
{
    cd_diff_difference difference = {.type = c->record->type,
                                     .table = c->record->name,
                                     .key = c->key,
                                     .member = member,
                                     .text = {left, right},
                                     .value = {NAN, NAN},
                                     .row = {c->row[0], c->row[1]}};
    c->sink->take(c->sink->context, &difference);
}

static bool is_near(const cd_diff_rules *rules, double x, double y)
{
    if (!memcmp(&x, &y, sizeof x) || (isnan(x) && isnan(y)))
        return true;
    if (rules->absolute == 0 && rules->relative == 0)
        return false;
    return x == y || fabs(x - y) <= rules->absolute + rules->relative * fmax(fabs(x), fabs(y));
}

// A number of a column.
typedef struct number {
    const void *column;  // NULL: it is absent
    size_t at;
} number;

// Which number of a row: k of an item, of a list the item's number.
typedef struct place {
    int32_t item;  // -1: no list
    int width, k;
} place;

static const char *member_name(comparison *c, const cd_field *field, place at)
{
    if (at.item < 0)
        return at.width > 1 ? cd_arena_printf(c->arena, "%s[%d]", field->name, at.k) : field->name;
    return at.width > 1 ? cd_arena_printf(c->arena, "%s[%d][%d]", field->name, at.item, at.k)
                        : cd_arena_printf(c->arena, "%s[%d]", field->name, at.item);
}

static double double_at(const cd_field *field, number n)
{
    return field->base == CD_BASE_F64 && n.column ? ((const double *)n.column)[n.at] : NAN;
}

static void compare_number(comparison *c, const cd_field *field, number left, number right, place at)
{
    double x = double_at(field, left), y = double_at(field, right);
    if (field->base == CD_BASE_F64 && left.column && right.column && is_near(c->rules, x, y))
        return;
    const char *a = left.column ? cd_value_text(&c->left, field, left.column, left.at, at.k) : "-";
    const char *b = right.column ? cd_value_text(&c->right, field, right.column, right.at, at.k) : "-";
    if (!strcmp(a, b))
        return;
    cd_diff_difference difference = {.type = c->record->type,
                                     .table = c->record->name,
                                     .key = c->key,
                                     .member = member_name(c, field, at),
                                     .field = field,
                                     .text = {a, b},
                                     .value = {x, y},
                                     .row = {c->row[0], c->row[1]}};
    c->sink->take(c->sink->context, &difference);
}

static void compare_column(comparison *c, const cd_field *field, const cd_rows *left, int32_t i, const cd_rows *right,
                           int32_t j)
{
    int width = cd_field_width(field, c->dim);
    const void *a = *cd_field_column(field, left), *b = *cd_field_column(field, right);
    if (!a && !b)
        return;
    for (int k = 0; k < width; k++)
        compare_number(c, field, (number){a, (size_t)i * (size_t)width + (size_t)k},
                       (number){b, (size_t)j * (size_t)width + (size_t)k}, (place){-1, width, k});
}

static void compare_lists(comparison *c, const cd_field *field, const cd_rows *left, int32_t i, const cd_rows *right,
                          int32_t j)
{
    const cd_list *a = cd_field_list(field, left), *b = cd_field_list(field, right);
    int32_t first_a = a->offset ? a->offset[i] : 0, count_a = a->offset ? a->offset[i + 1] - first_a : 0;
    int32_t first_b = b->offset ? b->offset[j] : 0, count_b = b->offset ? b->offset[j + 1] - first_b : 0;
    int width = cd_field_width(field, c->dim);
    if (count_a != count_b) {
        tell(c, field->name, cd_arena_printf(c->arena, "%d elements", count_a),
             cd_arena_printf(c->arena, "%d elements", count_b));
        return;
    }
    for (int32_t e = 0; e < count_a; e++)
        for (int k = 0; k < width; k++)
            compare_number(c, field, (number){a->data, (size_t)(first_a + e) * (size_t)width + (size_t)k},
                           (number){b->data, (size_t)(first_b + e) * (size_t)width + (size_t)k}, (place){e, width, k});
}

static void compare_lists_of_lists(comparison *c, const cd_field *field, const cd_rows *left, int32_t i,
                                   const cd_rows *right, int32_t j)
{
    const cd_list2 *a = cd_field_list2(field, left), *b = cd_field_list2(field, right);
    int32_t first_a = a->offset ? a->offset[i] : 0, count_a = a->offset ? a->offset[i + 1] - first_a : 0;
    int32_t first_b = b->offset ? b->offset[j] : 0, count_b = b->offset ? b->offset[j + 1] - first_b : 0;
    if (count_a != count_b) {
        tell(c, field->name, cd_arena_printf(c->arena, "%d lists", count_a),
             cd_arena_printf(c->arena, "%d lists", count_b));
        return;
    }
    for (int32_t e = 0; e < count_a; e++) {
        const int32_t *inner_a = a->inner + first_a + e, *inner_b = b->inner + first_b + e;
        int32_t size = inner_a[1] - inner_a[0];
        if (size != inner_b[1] - inner_b[0] ||
            memcmp(a->data + inner_a[0], b->data + inner_b[0], (size_t)size * sizeof(int32_t)))
            tell(c, member_name(c, field, (place){e, 1, 0}), "one list", "another");
    }
}

static bool is_running_number(const cd_record *record, const cd_field *field)
{
    bool is_numbered = record->rank > CD_RANK_INPUT && cd_record_has_id(record);
    return is_numbered && (field == &record->field[0] || !strcmp(field->name, "normal_row"));
}

static const char *free_members(comparison *c, const cd_rows *rows, int32_t i)
{
    const char *text = rows->json ? rows->json[i] : NULL;
    return text ? cd_json_compact(c->arena, text, strlen(text)) : "-";
}

static void compare_rows(comparison *c, const cd_rows *left, int32_t i, const cd_rows *right, int32_t j)
{
    for (int32_t f = 0; f < c->record->field_count; f++) {
        const cd_field *field = &c->record->field[f];
        if ((is_running_number(c->record, field) && !c->compares_numbers) ||
            cd_diff_ignores(c->rules, c->record->name, field->name))
            continue;
        if (field->depth == 0)
            compare_column(c, field, left, i, right, j);
        else if (field->depth == 1)
            compare_lists(c, field, left, i, right, j);
        else
            compare_lists_of_lists(c, field, left, i, right, j);
    }
    const char *a = free_members(c, left, i), *b = free_members(c, right, j);
    if (strcmp(a, b))
        tell(c, "(other members)", a, b);
}

// ---- tables --------------------------------------------------------------------------------------------------------

typedef struct keyed_place {
    const char *key;
    int32_t row;
} keyed_place;

static int compare_keys(const void *left, const void *right)
{
    return strcmp(((const keyed_place *)left)->key, ((const keyed_place *)right)->key);
}

static int32_t *partners(comparison *c, const char *const *left, int32_t left_count, const char *const *right,
                         int32_t right_count, int32_t *matched)
{
    keyed_place *sorted = CD_ARENA_ARRAY(c->arena, keyed_place, right_count);
    for (int32_t i = 0; i < right_count; i++)
        sorted[i] = (keyed_place){right[i], i};
    if (right_count > 0)
        qsort(sorted, (size_t)right_count, sizeof *sorted, compare_keys);
    int32_t *partner = CD_ARENA_ARRAY(c->arena, int32_t, left_count);
    *matched = 0;
    for (int32_t i = 0; i < left_count; i++) {
        keyed_place wanted = {left[i], 0};
        const keyed_place *found =
            right_count > 0 ? bsearch(&wanted, sorted, (size_t)right_count, sizeof *sorted, compare_keys) : NULL;
        partner[i] = found ? found->row : -1;
        *matched += found != NULL;
    }
    return partner;
}

static void compare_table(comparison *c, const cd_rows *left, const cd_rows *right)
{
    const char *const *key_a = cd_keys_of(&c->left, c->record->type), *const *key_b =
                                                                          cd_keys_of(&c->right, c->record->type);
    int32_t matched;
    int32_t *partner = partners(c, key_a, left->count, key_b, right->count, &matched);
    c->compares_numbers = matched == left->count && matched == right->count;
    uint8_t *has_partner = CD_ARENA_ZARRAY(c->arena, uint8_t, right->count);
    for (int32_t i = 0; i < left->count; i++) {
        c->key = key_a[i];
        c->row[0] = i;
        c->row[1] = partner[i];
        if (partner[i] < 0) {
            tell(c, CD_DIFF_ROW, "present", "absent");
            continue;
        }
        has_partner[partner[i]] = 1;
        compare_rows(c, left, i, right, partner[i]);
    }
    for (int32_t j = 0; j < right->count; j++)
        if (!has_partner[j]) {
            c->key = key_b[j];
            c->row[0] = -1;
            c->row[1] = j;
            tell(c, CD_DIFF_ROW, "absent", "present");
        }
}

// The usual case, cheaply: same rows in the same order, same text.
static bool have_same_text(const cd_record *record, int dim, const cd_refs *refs_a, const cd_rows *left,
                           const cd_refs *refs_b, const cd_rows *right)
{
    enum { BATCH = 256 };
    if (left->count != right->count)
        return false;
    cd_buffer a = {0}, b = {0};
    bool is_same = true;
    for (int32_t first = 0; is_same && first < left->count; first += BATCH) {
        int32_t count = left->count - first < BATCH ? left->count - first : BATCH;
        a.size = b.size = 0;
        cd_json_encode(record, dim, refs_a, left, first, count, &a);
        cd_json_encode(record, dim, refs_b, right, first, count, &b);
        is_same = a.size == b.size && !memcmp(a.data, b.data, a.size);
    }
    cd_buffer_release(&a);
    cd_buffer_release(&b);
    return is_same;
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static const cd_foreign_table *foreign_named(const cd_tables *tables, const char *name)
{
    for (int32_t i = 0; i < tables->foreign.count; i++)
        if (!strcmp(tables->foreign.item[i].name, name))
            return &tables->foreign.item[i];
    return NULL;
}

static const char **sorted_rows(cd_arena *arena, const cd_foreign_table *table, int32_t *count)
{
    *count = table ? table->row.count : 0;
    const char **row = CD_ARENA_ARRAY(arena, const char *, *count);
    if (*count > 0) {
        memcpy(row, table->row.item, (size_t)*count * sizeof *row);
        qsort(row, (size_t)*count, sizeof *row, compare_texts);
    }
    return row;
}

// Rows of an unknown type are a set of texts.
static void compare_foreign(comparison *c, const char *name, const cd_foreign_table *left,
                            const cd_foreign_table *right)
{
    int32_t m, n, i = 0, j = 0;
    const char **a = sorted_rows(c->arena, left, &m), **b = sorted_rows(c->arena, right, &n);
    if (c->sink->open_table)
        c->sink->open_table(c->sink->context, CD_REC_UNKNOWN, name, m, n);
    while (i < m || j < n) {
        int order = i == m ? 1 : j == n ? -1 : strcmp(a[i], b[j]);
        cd_diff_difference difference = {.type = CD_REC_UNKNOWN,
                                         .table = name,
                                         .key = order <= 0 ? a[i] : b[j],
                                         .member = CD_DIFF_ROW,
                                         .text = {order < 0 ? "present" : "absent", order < 0 ? "absent" : "present"},
                                         .value = {NAN, NAN},
                                         .row = {-1, -1}};
        if (order != 0)
            c->sink->take(c->sink->context, &difference);
        i += order <= 0;
        j += order >= 0;
    }
}

static void compare_known(comparison *c, const cd_refs *refs_a, const cd_refs *refs_b)
{
    for (int type = 0; type < CD_REC_COUNT; type++) {
        const cd_rows *a = cd_model_rows(c->left.model, (cd_record_type)type),
                      *b = cd_model_rows(c->right.model, (cd_record_type)type);
        c->record = &cd_records[type];
        if ((c->rules->ignored >> type & 1) || (a->count == 0 && b->count == 0))
            continue;
        if (c->sink->open_table)
            c->sink->open_table(c->sink->context, c->record->type, c->record->name, a->count, b->count);
        if (!have_same_text(c->record, c->dim, refs_a, a, refs_b, b))
            compare_table(c, a, b);
    }
}

static cd_model *with_defaults(cd_arena *arena, const cd_model *model)
{
    cd_model *filled = cd_arena_alloc(arena, sizeof *filled);
    *filled = *model;
    for (int type = 0; type < CD_REC_COUNT; type++)
        cd_rows_fill_defaults(arena, &cd_records[type], model->dim, cd_model_rows(filled, (cd_record_type)type));
    return filled;
}

void cd_diff_tables(cd_arena *arena, cd_diff_side left, cd_diff_side right, const cd_diff_rules *rules,
                    const cd_diff_sink *sink)
{
    comparison c = {.arena = arena,
                    .dim = left.tables->model.dim,
                    .rules = rules,
                    .sink = sink,
                    .left = {.arena = arena, .model = with_defaults(arena, &left.tables->model), .refs = left.refs},
                    .right = {.arena = arena, .model = with_defaults(arena, &right.tables->model), .refs = right.refs}};
    compare_known(&c, left.refs, right.refs);
    for (int32_t i = 0; i < left.tables->foreign.count; i++) {
        const cd_foreign_table *a = &left.tables->foreign.item[i];
        if (!cd_diff_ignores(rules, a->name, NULL))
            compare_foreign(&c, a->name, a, foreign_named(right.tables, a->name));
    }
    for (int32_t i = 0; i < right.tables->foreign.count; i++) {
        const cd_foreign_table *b = &right.tables->foreign.item[i];
        if (!cd_diff_ignores(rules, b->name, NULL) && !foreign_named(left.tables, b->name))
            compare_foreign(&c, b->name, NULL, b);
    }
}
