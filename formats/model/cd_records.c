// SPDX-License-Identifier: MIT
#include "cd_records.h"

#include "cd_assert.h"
#include "cd_vector.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

// ---- vocabularies --------------------------------------------------------------------------------------------------
#define CD_VOCAB(vocab) const char *const cd_words_##vocab[] = {
#define CD_WORD(vocab, word, text) text,
#define CD_VOCAB_END(vocab) \
    NULL                    \
    }                       \
    ;
#include "records.def"
// Words of an enumeration that libcommon has must stand in its order, all of them.
#define CD_NAMES(vocab) enum {
#define CD_NAME(vocab, word, text) PLACE_##vocab##_##word,
#define CD_NAMES_END(vocab, count) \
    PLACES_##vocab                 \
    }                              \
    ;
#include "records.def"
#define CD_NAMES(vocab)
#define CD_NAME(vocab, word, text) \
    _Static_assert((int)PLACE_##vocab##_##word == (int)CD_##vocab##_##word, #vocab ": " text ": not at its place");
#define CD_NAMES_END(vocab, count) \
    _Static_assert((int)PLACES_##vocab == (int)count, #vocab ": not all of its words are in records.def");
#include "records.def"
#define CD_VOCAB_END(vocab)                                                                                \
    static const cd_vocab vocab_##vocab = {#vocab, sizeof cd_words_##vocab / sizeof *cd_words_##vocab - 1, \
                                           cd_words_##vocab};
#include "records.def"

// ---- fields --------------------------------------------------------------------------------------------------------
// Enumerators of each type: initialisers take no members of a table.
#define CD_FIELD_TYPE(type, base, depth, width, kind, form) \
    BASE_OF_##type = CD_BASE_##base, DEPTH_OF_##type = depth, KIND_OF_##type = CD_KIND_##kind,
enum {
#include "field_types.def"
};
#define CD_FIELD_TYPE(type, base, depth, width, kind, form) static const char form_of_##type[] = form;
#include "field_types.def"

// TARGET of records.def: 0, ROWS(record), WORDS(vocabulary).
#define RECORD_OF_0 CD_REC_UNKNOWN
#define RECORD_OF_ROWS(record) CD_REC_##record
#define RECORD_OF_WORDS(vocab) CD_REC_UNKNOWN
#define VOCAB_OF_0 NULL
#define VOCAB_OF_ROWS(record) NULL
#define VOCAB_OF_WORDS(vocab) &vocab_##vocab

#define NONE NAN
#define REQ true
#define OPT false
#define CD_RECORD(record, scope, rank, doc) static const cd_field fields_##record[] = {
#define CD_FIELD(record, member_, json, type_, target_, need, value, range_, doc_) \
    {.member = #member_,                                                           \
     .name = json,                                                                 \
     .type = CD_TYPE_##type_,                                                      \
     .kind = (cd_field_kind)KIND_OF_##type_,                                       \
     .form = form_of_##type_,                                                      \
     .base = (cd_base)BASE_OF_##type_,                                             \
     .depth = DEPTH_OF_##type_,                                                    \
     .target = RECORD_OF_##target_,                                                \
     .vocab = VOCAB_OF_##target_,                                                  \
     .required = need,                                                             \
     .default_value = value,                                                       \
     .range = CD_RANGE_##range_,                                                   \
     .doc = doc_,                                                                  \
     .offset = offsetof(cd_##record##_rows, member_)},
#define CD_RECORD_END(record) \
    }                         \
    ;
#include "records.def"

#define SCOPE_HEAD true
#define SCOPE_FRAME false
#define CD_RECORD(record, scope, rank_, doc_)    \
    {.name = #record,                            \
     .type = CD_REC_##record,                    \
     .is_head = SCOPE_##scope,                   \
     .rank = CD_RANK_##rank_,                    \
     .doc = doc_,                                \
     .size = sizeof(cd_##record##_rows),         \
     .model_offset = offsetof(cd_model, record), \
     .field = fields_##record,                   \
     .field_count = (int32_t)(sizeof fields_##record / sizeof fields_##record[0])},
const cd_record cd_records[CD_REC_COUNT] = {
#include "records.def"
};

const cd_record_key cd_record_keys[CD_REC_COUNT] = {
#define CD_KEY(record, text, otherwise) [CD_REC_##record] = {text, otherwise},
#include "records.def"
};

uint64_t cd_types_with_targets(uint64_t set)
{
    for (uint64_t before = 0; before != set;) {
        before = set;
        for (int type = 0; type < CD_REC_COUNT; type++)
            for (int32_t f = 0; (before >> type & 1) && f < cd_records[type].field_count; f++)
                if (cd_records[type].field[f].target != CD_REC_UNKNOWN)
                    set |= UINT64_C(1) << cd_records[type].field[f].target;
    }
    return set;
}

cd_record_type cd_record_find(const char *name, size_t length)
{
    for (int i = 0; i < CD_REC_COUNT; i++)
        if (!strncmp(cd_records[i].name, name, length) && !cd_records[i].name[length])
            return (cd_record_type)i;
    return CD_REC_UNKNOWN;
}

// Letters to change, add, leave out or exchange with the next one to get from a to b; of long names more than they
// hold.
static int letters_between(const char *a, size_t count, const char *b)
{
    enum { MOST = 24 };
    int before[MOST + 1] = {0}, last[MOST + 1], now[MOST + 1];
    size_t length = strlen(b);
    if (count > MOST || length > MOST)
        return MOST + 1;
    for (size_t j = 0; j <= length; j++)
        last[j] = (int)j;
    for (size_t i = 1; i <= count; i++) {
        now[0] = (int)i;
        for (size_t j = 1; j <= length; j++) {
            int least = last[j - 1] + (a[i - 1] != b[j - 1]);
            least = last[j] + 1 < least ? last[j] + 1 : least;
            least = now[j - 1] + 1 < least ? now[j - 1] + 1 : least;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < least)
                least = before[j - 2] + 1;
            now[j] = least;
        }
        memcpy(before, last, sizeof last);
        memcpy(last, now, sizeof now);
    }
    return last[length];
}

const cd_record *cd_record_near(const char *name, size_t length)
{
    // Plurals in -ies: bodies, entries.
    for (int i = 0; length > 3 && !strncmp(name + length - 3, "ies", 3) && i < CD_REC_COUNT; i++) {
        const char *other = cd_records[i].name;
        if (strlen(other) == length - 2 && !strncmp(name, other, length - 3) && other[length - 3] == 'y')
            return &cd_records[i];
    }
    const cd_record *near = NULL;
    int least = length < 5 ? 0 : length < 8 ? 2 : 3;  // below it; short names are near to too much
    for (int i = 0; i < CD_REC_COUNT; i++) {
        int letters = letters_between(name, length, cd_records[i].name);
        if (letters < least) {
            least = letters;
            near = &cd_records[i];
        }
    }
    return near;
}

const cd_field *cd_record_field(const cd_record *record, const char *name, size_t length)
{
    for (int32_t k = 0; k < record->field_count; k++)
        if (!strncmp(record->field[k].name, name, length) && !record->field[k].name[length])
            return &record->field[k];
    return NULL;
}

int cd_field_width(const cd_field *field, int dim)
{
    switch (field->type) {
#define CD_FIELD_TYPE(type, base, depth, width, kind, form) \
    case CD_TYPE_##type:                                    \
        return width;
#include "field_types.def"
    case CD_TYPE_COUNT:
        break;
    }
    CD_ASSERT(!"no such type");
    return 0;
}

size_t cd_base_size(cd_base base)
{
    switch (base) {
    case CD_BASE_F64:
        return sizeof(double);
    case CD_BASE_I32:
        return sizeof(int32_t);
    case CD_BASE_I64:
        return sizeof(int64_t);
    case CD_BASE_U8:
        return 1;
    case CD_BASE_TEXT:
        return sizeof(const char *);
    }
    return 0;
}

int32_t cd_vocab_find(const cd_vocab *vocab, const char *word, size_t length)
{
    for (int32_t i = 0; i < vocab->count; i++)
        if (!strncmp(vocab->word[i], word, length) && !vocab->word[i][length])
            return i;
    return -1;
}

const cd_field *cd_field_by_offset(cd_record_type type, size_t offset)
{
    const cd_record *record = &cd_records[type];
    for (int32_t i = 0; i < record->field_count; i++)
        if (record->field[i].offset == offset)
            return &record->field[i];
    CD_ASSERT(!"no such field");
    return NULL;
}

// ---- absent values -------------------------------------------------------------------------------------------------
//
// Blocks of a fixed length without a branch: what gcc vectorises at -O2.

enum { BLOCK = 16 };

CD_VECTOR_CLONES static void fill_i32(int32_t *number, size_t count, int32_t value)
{
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++)
            number[i + k] = value;
    for (; i < count; i++)
        number[i] = value;
}

CD_VECTOR_CLONES static bool has_nan(const double *number, size_t count)
{
    int64_t found = 0;
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++)
            found |= !(number[i + k] == number[i + k]);
    for (; i < count; i++)
        found |= !(number[i] == number[i]);
    return found;
}

CD_VECTOR_CLONES static bool has_i32(const int32_t *number, size_t count, int32_t value)
{
    int32_t found = 0;
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++)
            found |= number[i + k] == value;
    for (; i < count; i++)
        found |= number[i] == value;
    return found;
}

CD_VECTOR_CLONES static bool has_i64(const int64_t *number, size_t count, int64_t value)
{
    int64_t found = 0;
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++)
            found |= number[i + k] == value;
    for (; i < count; i++)
        found |= number[i] == value;
    return found;
}

// Could one of the numbers of a depth-0 column mean "absent"?
static bool may_be_absent(const cd_field *field, const void *data, size_t first, size_t count)
{
    switch (field->base) {
    case CD_BASE_F64:
        return has_nan((const double *)data + first, count);
    case CD_BASE_I32:
        return has_i32((const int32_t *)data + first, count, cd_field_is_reference(field) ? -1 : CD_ABSENT);
    case CD_BASE_I64:
        return has_i64((const int64_t *)data + first, count, CD_ABSENT_I64);
    case CD_BASE_U8:
        return memchr((const uint8_t *)data + first, CD_ABSENT_BOOL, count);
    case CD_BASE_TEXT:
        break;
    }
    return true;
}

int32_t cd_column_count_absent(const cd_field *field, int dim, const void *data, int32_t first, int32_t count)
{
    size_t width = (size_t)cd_field_width(field, dim);
    int32_t absent = 0;
    if (count == 0 || !may_be_absent(field, data, width * (size_t)first, width * (size_t)count))
        return 0;
    for (int32_t i = first; i < first + count; i++)
        absent += cd_is_absent(field, (int)width, data, (size_t)i * width);
    return absent;
}

// Writes "absent" into numbers first..last-1 of a depth-0 column.
static void fill_absent(const cd_field *field, void *data, size_t first, size_t last)
{
    switch (field->base) {
    case CD_BASE_F64:
        for (size_t i = first; i < last; i++)
            ((double *)data)[i] = NAN;
        break;
    case CD_BASE_I32:
        fill_i32((int32_t *)data + first, last - first, cd_field_is_reference(field) ? -1 : CD_ABSENT);
        break;
    case CD_BASE_I64:
        for (size_t i = first; i < last; i++)
            ((int64_t *)data)[i] = CD_ABSENT_I64;
        break;
    case CD_BASE_U8:
        memset((char *)data + first, CD_ABSENT_BOOL, last - first);
        break;
    case CD_BASE_TEXT:
        for (size_t i = first; i < last; i++)
            ((const char **)data)[i] = NULL;
        break;
    }
}

void *cd_column_new(cd_arena *arena, const cd_field *field, int dim, int32_t count)
{
    CD_ASSERT(field->depth == 0);
    size_t numbers = (size_t)count * (size_t)cd_field_width(field, dim);
    void *data = cd_arena_alloc_array(arena, numbers, cd_base_size(field->base));
    fill_absent(field, data, 0, numbers);
    return data;
}

static void put_default(const cd_field *field, int width, void *data, size_t number)
{
    for (int k = 0; k < width; k++) {
        double value = field->type == CD_TYPE_ROT && width == 4 && k == 0 ? 1 : field->default_value;
        switch (field->base) {
        case CD_BASE_F64:
            ((double *)data)[number + (size_t)k] = value;
            break;
        case CD_BASE_I32:
            ((int32_t *)data)[number + (size_t)k] = (int32_t)value;
            break;
        case CD_BASE_I64:
            ((int64_t *)data)[number + (size_t)k] = (int64_t)value;
            break;
        case CD_BASE_U8:
            ((uint8_t *)data)[number + (size_t)k] = (uint8_t)value;
            break;
        case CD_BASE_TEXT:
            break;
        }
    }
}

void cd_rows_fill_defaults(cd_arena *arena, const cd_record *record, int dim, cd_rows *rows)
{
    cd_rows_fill_defaults_but(arena, record, dim, 0, rows);
}

void cd_rows_fill_defaults_but(cd_arena *arena, const cd_record *record, int dim, uint64_t bare, cd_rows *rows)
{
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        if (field->depth != 0 || isnan(field->default_value))
            continue;
        void **column = cd_field_column(field, rows);
        if (!*column && (bare >> f & 1))
            continue;
        if (!*column)
            *column = cd_column_new(arena, field, dim, rows->count);
        int width = cd_field_width(field, dim);
        int32_t absent = cd_column_count_absent(field, dim, *column, 0, rows->count);
        for (int32_t i = 0; i < rows->count && absent > 0; i++)
            if (cd_is_absent(field, width, *column, (size_t)i * (size_t)width))
                put_default(field, width, *column, (size_t)i * (size_t)width);
    }
    rows->capacity = 0;  // new columns have no room for more
}

void cd_rows_leave_out(const cd_record *record, uint64_t fields, cd_rows *rows)
{
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        if (!(fields >> f & 1))
            continue;
        if (field->depth == 0)
            *cd_field_column(field, rows) = NULL;
        else if (field->depth == 1)
            *cd_field_list(field, rows) = (cd_list){.offset = NULL};
        else
            *cd_field_list2(field, rows) = (cd_list2){NULL, NULL, NULL};
    }
}

static bool is_bad_number(const cd_field *field, int width, const double *column, int32_t row)
{
    const double *number = column + (size_t)row * (size_t)width;
    if (cd_is_absent(field, width, number, 0))
        return field->required;
    for (int k = 0; k < width; k++)
        if (isnan(number[k]) || (isinf(number[k]) && field->range != CD_RANGE_BOUND))
            return true;
    return false;
}

CD_VECTOR_CLONES static bool all_finite(const double *number, size_t count)
{
    int64_t bad = 0;
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++)
            bad |= !(fabs(number[i + k]) <= DBL_MAX);
    for (; i < count; i++)
        bad |= !(fabs(number[i]) <= DBL_MAX);
    return !bad;
}

const cd_field *cd_rows_bad_number(const cd_record *record, int dim, const cd_rows *rows, int32_t *row)
{
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        const double *column = field->depth == 0 && field->base == CD_BASE_F64 ? *cd_field_column(field, rows) : NULL;
        int width = cd_field_width(field, dim);
        size_t numbers = column ? (size_t)rows->count * (size_t)width : 0;
        bool is_fine = all_finite(column, numbers);
        for (*row = 0; !is_fine && *row < rows->count; ++*row)
            if (is_bad_number(field, width, column, *row))
                return field;
    }
    return NULL;
}

// ---- append: every growable column has room for `capacity` rows; list data for the power of two above their total
// ----

static size_t power_of_two_above(size_t count)
{
    size_t capacity = 64;
    while (capacity < count)
        capacity *= 2;
    return capacity;
}

static void *grown_copy(cd_arena *arena, const void *data, size_t size, size_t used, size_t capacity)
{
    void *copy = cd_arena_alloc_array(arena, capacity, size);
    if (used)
        memcpy(copy, data, used * size);
    return copy;
}

// Places in a list are int32. More cannot be held, as if memory had ended.
static void check_total(cd_arena *arena, size_t used, size_t extra)
{
    if (extra > INT32_MAX - used)
        (void)cd_arena_alloc_array(arena, SIZE_MAX, sizeof(int32_t));
}

static void copy_bytes(void *to, const void *from, size_t size)
{
    if (size)  // lists of no items have no data: memcpy must not see NULL
        memcpy(to, from, size);
}

static void *list_data_reserve(cd_arena *arena, void *data, size_t size, size_t used, size_t extra)
{
    size_t capacity = power_of_two_above(used + extra);
    return data && capacity == power_of_two_above(used) ? data : grown_copy(arena, data, size, used, capacity);
}

// Borrowed list data are exactly as long as they are, and somebody else's: before the first append they are copied,
// whether or not this append brings items of that list.
static void own_list_data(cd_arena *arena, const cd_field *field, int dim, cd_rows *rows)
{
    if (field->depth == 1) {
        cd_list *list = cd_field_list(field, rows);
        size_t used = list->offset ? (size_t)list->offset[rows->count] : 0;
        size_t size = cd_base_size(field->base) * (size_t)cd_field_width(field, dim);
        if (list->offset)
            list->data = grown_copy(arena, list->data, size, used, power_of_two_above(used));
    } else if (field->depth == 2) {
        cd_list2 *list = cd_field_list2(field, rows);
        size_t lists = list->offset ? (size_t)list->offset[rows->count] : 0,
               used = list->inner ? (size_t)list->inner[lists] : 0;
        if (list->offset && list->inner) {
            list->inner = grown_copy(arena, list->inner, sizeof(int32_t), lists + 1, power_of_two_above(lists + 1));
            list->data = grown_copy(arena, list->data, sizeof(int32_t), used, power_of_two_above(used));
        }
    }
}

// A column of a store with room for `capacity` rows; the first `used` keep their values.
static void *stored_column(cd_column_store *store, const cd_field *field, int32_t f, int dim, int32_t used,
                           int32_t capacity)
{
    size_t row = (size_t)cd_field_width(field, dim) * cd_base_size(field->base);
    cd_region_reserve(&store->column[f], (size_t)used * row, (size_t)capacity * row);
    return store->column[f].data;
}

static void *new_column(cd_column_store *store, cd_arena *arena, const cd_field *field, int32_t f, int dim,
                        const cd_rows *rows)
{
    if (!store)
        return cd_column_new(arena, field, dim, rows->capacity);
    void *column = stored_column(store, field, f, dim, 0, rows->capacity);
    fill_absent(field, column, 0, (size_t)rows->count * (size_t)cd_field_width(field, dim));
    return column;
}

// store: of the depth-0 columns, which grow without a copy; NULL: all columns are the arena's.
static void grow_columns(cd_column_store *store, cd_arena *arena, const cd_record *record, int dim, cd_rows *rows,
                         int32_t capacity)
{
    if (rows->json)
        rows->json = grown_copy(arena, rows->json, sizeof *rows->json, (size_t)rows->count, (size_t)capacity);
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        size_t width = (size_t)cd_field_width(field, dim), count = (size_t)rows->count;
        if (field->depth == 0) {
            void **column = cd_field_column(field, rows);
            if (*column && store)
                *column = stored_column(store, field, f, dim, rows->count, capacity);
            else if (*column)
                *column =
                    grown_copy(arena, *column, cd_base_size(field->base), count * width, (size_t)capacity * width);
        } else {
            int32_t **offset =
                field->depth == 1 ? &cd_field_list(field, rows)->offset : &cd_field_list2(field, rows)->offset;
            if (*offset)
                *offset = grown_copy(arena, *offset, sizeof(int32_t), count + 1, (size_t)capacity + 1);
            if (rows->capacity == 0)
                own_list_data(arena, field, dim, rows);
        }
    }
}

// The list's offsets when absent so far: all rows empty.
static void require_offsets(cd_arena *arena, int32_t **offset, int32_t capacity)
{
    if (!*offset)
        *offset = CD_ARENA_ZARRAY(arena, int32_t, (size_t)capacity + 1);
}

static void append_offsets(int32_t *to, int32_t to_rows, const int32_t *from, int32_t from_rows)
{
    for (int32_t i = 0; i < from_rows; i++)
        to[to_rows + i + 1] = from ? to[to_rows] + from[i + 1] - from[0] : to[to_rows];
}

static void append_list(cd_arena *arena, const cd_field *field, int dim, cd_rows *to, const cd_rows *from)
{
    cd_list *target = cd_field_list(field, to);
    const cd_list *source = cd_field_list(field, from);
    if (!target->offset && !source->offset)
        return;
    require_offsets(arena, &target->offset, to->capacity);
    size_t size = cd_base_size(field->base) * (size_t)cd_field_width(field, dim);
    size_t used = (size_t)target->offset[to->count];
    if (source->offset) {
        size_t first = (size_t)source->offset[0], extra = (size_t)source->offset[from->count] - first;
        check_total(arena, used, extra);
        target->data = list_data_reserve(arena, target->data, size, used, extra);
        copy_bytes((char *)target->data + used * size, (char *)source->data + first * size, extra * size);
    }
    append_offsets(target->offset, to->count, source->offset, from->count);
}

static void append_list2(cd_arena *arena, const cd_field *field, cd_rows *to, const cd_rows *from)
{
    cd_list2 *target = cd_field_list2(field, to);
    const cd_list2 *source = cd_field_list2(field, from);
    if (!target->offset && !source->offset)
        return;
    require_offsets(arena, &target->offset, to->capacity);
    size_t lists = (size_t)target->offset[to->count];
    if (!target->inner)
        target->inner = CD_ARENA_ZARRAY(arena, int32_t, power_of_two_above(1));
    if (source->offset) {
        size_t first = (size_t)source->offset[0], extra = (size_t)source->offset[from->count] - first;
        size_t used = (size_t)target->inner[lists];
        size_t data_first = (size_t)source->inner[first],
               data_extra = (size_t)source->inner[first + extra] - data_first;
        check_total(arena, lists, extra);
        check_total(arena, used, data_extra);
        target->inner = list_data_reserve(arena, target->inner, sizeof(int32_t), lists + 1, extra);
        target->data = list_data_reserve(arena, target->data, sizeof(int32_t), used, data_extra);
        append_offsets(target->inner, (int32_t)lists, source->inner + first, (int32_t)extra);
        copy_bytes(target->data + used, source->data + data_first, data_extra * sizeof(int32_t));
    }
    append_offsets(target->offset, to->count, source->offset, from->count);
}

static void append_rows(cd_column_store *store, cd_arena *arena, const cd_record *record, int dim, cd_rows *to,
                        const cd_rows *from)
{
    CD_ASSERT(from->count <= INT32_MAX - to->count);
    int32_t total = to->count + from->count;
    if (total > to->capacity) {
        int32_t capacity = total > INT32_MAX / 2 ? INT32_MAX - 1 : (int32_t)power_of_two_above((size_t)total);
        grow_columns(store, arena, record, dim, to, capacity);
        to->capacity = capacity;
    }
    if (to->json || from->json) {
        if (!to->json)
            to->json = CD_ARENA_ZARRAY(arena, const char *, to->capacity);
        for (int32_t i = 0; i < from->count; i++)
            to->json[to->count + i] = from->json ? from->json[i] : NULL;
    }
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        if (field->depth == 1) {
            append_list(arena, field, dim, to, from);
        } else if (field->depth == 2) {
            append_list2(arena, field, to, from);
        } else {
            void **target = cd_field_column(field, to), **source = cd_field_column(field, from);
            if (!*target && !*source)
                continue;
            if (!*target)
                *target = new_column(store, arena, field, f, dim, to);
            size_t width = (size_t)cd_field_width(field, dim), size = cd_base_size(field->base);
            size_t first = (size_t)to->count * width, numbers = (size_t)from->count * width;
            if (*source)
                memcpy((char *)*target + first * size, *source, numbers * size);
            else
                fill_absent(field, *target, first, first + numbers);
        }
    }
    to->count = total;
}

void cd_rows_append(cd_arena *arena, const cd_record *record, int dim, cd_rows *to, const cd_rows *from)
{
    if (from->count == 0)
        return;
    if (to->count == 0) {
        memcpy(to, from, record->size);
        to->capacity = 0;
        return;
    }
    append_rows(NULL, arena, record, dim, to, from);
}

void cd_rows_gather(cd_column_store *store, cd_arena *arena, const cd_record *record, int dim, cd_rows *to,
                    const cd_rows *from)
{
    if (from->count > 0)
        append_rows(store, arena, record, dim, to, from);
}

void cd_column_store_release(cd_column_store *store)
{
    for (int f = 0; f < CD_FIELDS_MOST; f++)
        cd_region_release(&store->column[f]);
}

// ---- select --------------------------------------------------------------------------------------------------------

static void select_list(cd_arena *arena, const cd_field *field, int dim, cd_list *to, const cd_list *from,
                        const int32_t *index, int32_t count)
{
    size_t size = cd_base_size(field->base) * (size_t)cd_field_width(field, dim);
    to->offset = CD_ARENA_ARRAY(arena, int32_t, (size_t)count + 1);
    to->offset[0] = 0;
    for (int32_t i = 0; i < count; i++)
        to->offset[i + 1] = to->offset[i] + from->offset[index[i] + 1] - from->offset[index[i]];
    to->data = cd_arena_alloc_array(arena, (size_t)to->offset[count], size);
    for (int32_t i = 0; i < count; i++)
        copy_bytes((char *)to->data + (size_t)to->offset[i] * size,
                   (char *)from->data + (size_t)from->offset[index[i]] * size,
                   (size_t)(to->offset[i + 1] - to->offset[i]) * size);
}

static void select_list2(cd_arena *arena, cd_list2 *to, const cd_list2 *from, const int32_t *index, int32_t count)
{
    to->offset = CD_ARENA_ARRAY(arena, int32_t, (size_t)count + 1);
    to->offset[0] = 0;
    size_t numbers = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t first = from->offset[index[i]], last = from->offset[index[i] + 1];
        to->offset[i + 1] = to->offset[i] + last - first;
        numbers += (size_t)(from->inner[last] - from->inner[first]);
    }
    to->inner = CD_ARENA_ARRAY(arena, int32_t, (size_t)to->offset[count] + 1);
    to->data = CD_ARENA_ARRAY(arena, int32_t, numbers);
    to->inner[0] = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t first = from->offset[index[i]], lists = to->offset[i + 1] - to->offset[i];
        append_offsets(to->inner, to->offset[i], from->inner + first, lists);
        copy_bytes(to->data + to->inner[to->offset[i]], from->data + from->inner[first],
                   (size_t)(from->inner[first + lists] - from->inner[first]) * sizeof(int32_t));
    }
}

bool cd_rows_are_copied(const cd_record *record, const cd_rows *rows)
{
    if (rows->json)
        return false;
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        if (field->base == CD_BASE_TEXT && (field->depth > 0 || *cd_field_column(field, rows)))
            return false;
    }
    return true;
}

bool cd_rows_are_plain(const cd_record *record, const cd_rows *rows)
{
    for (int32_t f = 0; f < record->field_count; f++)
        if (record->field[f].depth > 0)
            return false;
    return cd_rows_are_copied(record, rows);
}

void cd_rows_select(cd_arena *arena, const cd_record *record, int dim, cd_rows *to, const cd_rows *from,
                    const int32_t *index, int32_t count)
{
    memset(to, 0, record->size);
    to->count = count;
    if (from->json) {
        to->json = CD_ARENA_ARRAY(arena, const char *, count);
        for (int32_t i = 0; i < count; i++)
            to->json[i] = from->json[index[i]];
    }
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        if (field->depth == 1) {
            if (cd_field_list(field, from)->offset)
                select_list(arena, field, dim, cd_field_list(field, to), cd_field_list(field, from), index, count);
        } else if (field->depth == 2) {
            if (cd_field_list2(field, from)->offset)
                select_list2(arena, cd_field_list2(field, to), cd_field_list2(field, from), index, count);
        } else if (*cd_field_column(field, from)) {
            size_t size = cd_base_size(field->base) * (size_t)cd_field_width(field, dim);
            char *target = cd_arena_alloc_array(arena, (size_t)count, size);
            const char *source = *cd_field_column(field, from);
            for (int32_t i = 0; i < count; i++)
                memcpy(target + (size_t)i * size, source + (size_t)index[i] * size, size);
            *cd_field_column(field, to) = target;
        }
    }
}

cd_status cd_fail_in_frame(cd_diag *diag, cd_status status, const cd_frame_rows *frame)
{
    int32_t round = cd_i32_or(frame->round, 0, 0), substep = cd_i32_or(frame->substep, 0, 0);
    if (substep)
        return cd_fail_at(diag, status, "frame %" PRId64 " (round %d, substep %d)", frame->index[0], round, substep);
    if (round)
        return cd_fail_at(diag, status, "frame %" PRId64 " (round %d)", frame->index[0], round);
    return cd_fail_at(diag, status, "frame %" PRId64, frame->index[0]);
}
