// SPDX-License-Identifier: MIT
#include "cd_records.h"

#include "cd_assert.h"
#include "cd_numbers.h"

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

// Could one of the numbers of a depth-0 column mean "absent"?
static bool may_be_absent(const cd_field *field, const void *data, size_t first, size_t count)
{
    switch (field->base) {
    case CD_BASE_F64:
        return cd_numbers_have_nan((const double *)data + first, count);
    case CD_BASE_I32:
        return cd_numbers_have_i32((const int32_t *)data + first, count, cd_field_is_reference(field) ? -1 : CD_ABSENT);
    case CD_BASE_I64:
        return cd_numbers_have_i64((const int64_t *)data + first, count, CD_ABSENT_I64);
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

void cd_column_fill_absent(const cd_field *field, void *data, size_t first, size_t last)
{
    switch (field->base) {
    case CD_BASE_F64:
        for (size_t i = first; i < last; i++)
            ((double *)data)[i] = NAN;
        break;
    case CD_BASE_I32:
        cd_numbers_fill((int32_t *)data + first, last - first, cd_field_is_reference(field) ? -1 : CD_ABSENT);
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
    cd_column_fill_absent(field, data, 0, numbers);
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

const cd_field *cd_rows_bad_number(const cd_record *record, int dim, const cd_rows *rows, int32_t *row)
{
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        const double *column = field->depth == 0 && field->base == CD_BASE_F64 ? *cd_field_column(field, rows) : NULL;
        int width = cd_field_width(field, dim);
        size_t numbers = column ? (size_t)rows->count * (size_t)width : 0;
        bool is_fine = cd_numbers_are_finite(column, numbers);
        for (*row = 0; !is_fine && *row < rows->count; ++*row)
            if (is_bad_number(field, width, column, *row))
                return field;
    }
    return NULL;
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
