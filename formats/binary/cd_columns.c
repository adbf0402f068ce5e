// SPDX-License-Identifier: MIT
#include "cd_columns.h"

#include "cd_assert.h"
#include "cd_vector.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

// |norm - 1| that a unit vector or quaternion may show: far above the rounding of a normalisation in double (1e-16),
// far below what changes a contact. The same figure holds for JSON.
static const double UNIT_TOLERANCE = 1e-9;
// Bound on |norm^2 - 1| that implies it: |norm^2 - 1| = |norm - 1| (norm + 1), norm + 1 >= 2 - 1e-9.
static const double SQUARE_TOLERANCE = 1.9e-9;

enum { SHOWN_WORDS = 256, BLOCK = 16 };

typedef struct decoder {
    cd_arena *arena;
    const cd_record *record;
    int dim;
    const cd_refs *refs;
    int32_t row_count;
    cd_diag *diag;
} decoder;

// ---- what a column must look like ----------------------------------------------------------------------------------

static cd_status check_description(const decoder *d, const cd_field *field, const cd_column *column)
{
    static const char *const depth_name[] = {"", "list of ", "list of lists of "};
    int width = cd_field_width(field, d->dim);
    cd_column_base base = cd_column_stored_base(field);
    const char *target = cd_column_target_name(field);
    if (column->base != base || column->width != width || column->depth != field->depth ||
        strcmp(column->target, target) != 0)
        return cd_fail(d->diag, CD_ERR_FORMAT, "%s: wanted %s%s x %d%s%s", field->name, depth_name[field->depth],
                       cd_column_base_name[base], width, target[0] ? " of " : "", target);
    if (field->required && column->mask)
        return cd_fail(d->diag, CD_ERR_FORMAT, "%s: required", field->name);
    return CD_OK;
}

// ---- ranges --------------------------------------------------------------------------------------------------------
//
// First a pass without branches over all numbers, masked ones too (they are zero), in blocks of a fixed length, which
// gcc vectorises at -O2. Only when it finds something, the item is looked for one by one, now with the mask.

typedef struct f64_range {
    double low, high;
} f64_range;

static f64_range range_of(cd_range range)
{
    switch (range) {
    case CD_RANGE_POS:
        return (f64_range){DBL_TRUE_MIN, DBL_MAX};
    case CD_RANGE_NONNEG:
        return (f64_range){0, DBL_MAX};
    case CD_RANGE_BOUND:
        return (f64_range){-INFINITY, INFINITY};
    case CD_RANGE_ANY:
    case CD_RANGE_UNIT:
    case CD_RANGE_MOMENTS:
        break;
    }
    return (f64_range){-DBL_MAX, DBL_MAX};
}

// NaN is in no range.
CD_VECTOR_CLONES static bool f64_all_within(const double *number, size_t count, f64_range range)
{
    int64_t bad = 0;
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++)
            bad |= !((number[i + k] >= range.low) & (number[i + k] <= range.high));
    for (; i < count; i++)
        bad |= !((number[i] >= range.low) & (number[i] <= range.high));
    return !bad;
}

static bool i32_all_within(const int32_t *number, size_t count, int32_t low, int32_t high)
{
    int32_t bad = 0;
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++)
            bad |= (number[i + k] < low) | (number[i + k] > high);
    for (; i < count; i++)
        bad |= (number[i] < low) | (number[i] > high);
    return !bad;
}

static bool i64_all_above(const int64_t *number, size_t count, int64_t low)
{
    int64_t bad = 0;
    for (size_t i = 0; i < count; i++)
        bad |= number[i] < low;
    return !bad;
}

// A unit vector or quaternion of width 2..4; false for NaN and infinities too.
static bool units_all_near(const double *number, size_t items, size_t width)
{
    int bad = 0;
    for (size_t i = 0; i < items; i++) {
        double square = 0;
        for (size_t k = 0; k < width; k++)
            square += number[i * width + k] * number[i * width + k];
        bad |= !(fabs(square - 1) <= SQUARE_TOLERANCE);
    }
    return !bad;
}

static bool moments_all_above_zero(const double *number, size_t items, size_t width)
{
    int bad = 0;
    for (size_t i = 0; i < items; i++)
        for (size_t k = 0; k < (size_t)cd_moments_of((int)width); k++)
            bad |= !(number[i * width + k] > 0);
    return !bad;
}

static bool is_present(const cd_column *column, size_t item) { return !column->mask || column->mask[item]; }

static cd_status refuse_f64(const decoder *d, const cd_field *field, size_t item, double value)
{
    if (isnan(value))
        return cd_fail(d->diag, CD_ERR_FORMAT, "%s: element %zu is NaN", field->name, item);
    if (isinf(value))
        return cd_fail(d->diag, CD_ERR_FORMAT, "%s: element %zu is infinite", field->name, item);
    return cd_fail(d->diag, CD_ERR_FORMAT, "%s: element %zu is %.12g, wanted %s 0", field->name, item, value,
                   field->range == CD_RANGE_NONNEG ? ">=" : ">");
}

static cd_status check_f64(const decoder *d, const cd_field *field, const cd_column *column)
{
    const double *number = column->number;
    size_t width = (size_t)column->width;
    f64_range range = range_of(field->range);
    bool is_unit = width > 1 && (field->range == CD_RANGE_UNIT || field->type == CD_TYPE_ROTS);
    const size_t moments = field->range == CD_RANGE_MOMENTS ? (size_t)cd_moments_of((int)width) : 0;
    bool is_good =
        is_unit ? units_all_near(number, column->items, width) : f64_all_within(number, column->items * width, range);
    if (is_good && (moments == 0 || moments_all_above_zero(number, column->items, width)))
        return CD_OK;
    for (size_t i = 0; i < column->items; i++) {
        if (!is_present(column, i))
            continue;
        double square = 0;
        for (size_t k = 0; k < width; k++) {
            double value = number[i * width + k];
            if (!(value >= range.low && value <= range.high) || (k < moments && !(value > 0)))
                return refuse_f64(d, field, i, value);
            square += value * value;
        }
        if (is_unit && !(fabs(sqrt(square) - 1) <= UNIT_TOLERANCE))
            return cd_fail(d->diag, CD_ERR_FORMAT, "%s: element %zu has length %.12g, wanted 1", field->name, i,
                           sqrt(square));
    }
    return CD_OK;
}

// The least integer that does not mean "absent" in memory, or the range's.
static int64_t integer_low(const cd_field *field, int64_t absent)
{
    return field->range == CD_RANGE_POS ? 1 : field->range == CD_RANGE_NONNEG ? 0 : absent + 1;
}

static cd_status check_i32(const decoder *d, const cd_field *field, const cd_column *column)
{
    const int32_t *number = column->number;
    size_t width = (size_t)column->width, count = column->items * width;
    int32_t low = (int32_t)integer_low(field, CD_ABSENT);
    if (i32_all_within(number, count, low, INT32_MAX))
        return CD_OK;
    for (size_t i = 0; i < count; i++)
        if (number[i] < low && is_present(column, i / width))
            return cd_fail(d->diag, CD_ERR_FORMAT, "%s: element %zu is %" PRId32 ", wanted at least %" PRId32,
                           field->name, i / width, number[i], low);
    return CD_OK;
}

static cd_status check_i64(const decoder *d, const cd_field *field, const cd_column *column)
{
    const int64_t *number = column->number;
    int64_t low = integer_low(field, CD_ABSENT_I64);
    if (i64_all_above(number, column->items, low))
        return CD_OK;
    for (size_t i = 0; i < column->items; i++)
        if (number[i] < low && is_present(column, i))
            return cd_fail(d->diag, CD_ERR_FORMAT, "%s: row %zu is %" PRId64 ", wanted at least %" PRId64, field->name,
                           i, number[i], low);
    return CD_OK;
}

// ---- references ----------------------------------------------------------------------------------------------------

static int32_t rows_before(const decoder *d, cd_record_type type) { return d->refs ? cd_refs_count(d->refs, type) : 0; }

static cd_status refuse_reference(const decoder *d, const cd_field *field, int32_t row, int64_t rows)
{
    return cd_fail(d->diag, CD_ERR_FORMAT, "%s: refers to row %" PRId32 " of %s, which has %" PRId64 " rows here",
                   field->name, row, cd_records[field->target].name, rows);
}

// References into the table itself (a compound's parts) may go to rows of this very block that come before.
static cd_status check_own_references(const decoder *d, const cd_field *field, const cd_column *column)
{
    const int32_t *row = column->number;
    int64_t before = rows_before(d, field->target);
    for (int32_t i = 0; i < d->row_count; i++) {
        int32_t first = column->offset ? column->offset[i] : i, last = column->offset ? column->offset[i + 1] : i + 1;
        for (int32_t k = first; k < last; k++)
            if (is_present(column, (size_t)i) && (row[k] < 0 || row[k] >= before + i))
                return refuse_reference(d, field, row[k], before + i);
    }
    return CD_OK;
}

static cd_status check_references(const decoder *d, const cd_field *field, const cd_column *column)
{
    if (field->target == d->record->type)
        return check_own_references(d, field, column);
    const int32_t *row = column->number;
    int32_t rows = rows_before(d, field->target);
    if (i32_all_within(row, column->items, 0, rows - 1))
        return CD_OK;
    for (size_t i = 0; i < column->items; i++)
        if ((row[i] < 0 || row[i] >= rows) && is_present(column, i))
            return refuse_reference(d, field, row[i], rows);
    return CD_OK;
}

static cd_status check_sites(const decoder *d, const cd_field *field, const cd_column *column)
{
    const int32_t *site = column->number;
    int32_t rows = rows_before(d, field->target), bad = 0;
    for (size_t i = 0; i < column->items; i++)
        bad |= (site[2 * i] < 0) | (site[2 * i] >= rows) | (site[2 * i + 1] < 0);
    for (size_t i = 0; bad && i < column->items; i++) {
        if (!is_present(column, i))
            continue;
        if (site[2 * i] < 0 || site[2 * i] >= rows)
            return refuse_reference(d, field, site[2 * i], rows);
        if (site[2 * i + 1] < 0)
            return cd_fail(d->diag, CD_ERR_FORMAT, "%s: row %zu: part %" PRId32, field->name, i, site[2 * i + 1]);
    }
    return CD_OK;
}

// A pair of features: both, the first alone, or none.
static cd_status check_features(const decoder *d, const cd_field *field, const cd_column *column)
{
    const int32_t *feature = column->number;
    for (size_t i = 0; i < column->items; i++) {
        for (size_t k = 0; k < 2; k++) {
            int32_t code = feature[2 * i + k];
            if (code < CD_FEATURE_NONE)
                return cd_fail(d->diag, CD_ERR_FORMAT, "%s: row %zu: %" PRId32 " is no feature", field->name, i, code);
        }
        if (feature[2 * i] == CD_FEATURE_NONE && feature[2 * i + 1] != CD_FEATURE_NONE)
            return cd_fail(d->diag, CD_ERR_FORMAT, "%s: row %zu has a second feature without a first", field->name, i);
    }
    return CD_OK;
}

static cd_status check_json(const decoder *d, const cd_field *field, const cd_column *column)
{
    for (int32_t i = 0; i < d->row_count; i++) {
        size_t first = (size_t)column->text_offset[i], length = (size_t)column->text_offset[i + 1] - first;
        if (!is_present(column, (size_t)i))
            continue;
        cd_status status = cd_json_value_check(d->arena, column->text + first, length, d->diag);
        if (status != CD_OK)
            return cd_fail_at(d->diag, status, "%s: row %" PRId32, field->name, i);
    }
    return CD_OK;
}

static cd_status check_values(const decoder *d, const cd_field *field, const cd_column *column)
{
    if (field->type == CD_TYPE_SITE)
        return check_sites(d, field, column);
    if (field->type == CD_TYPE_FEATX2)
        return check_features(d, field, column);
    if (field->type == CD_TYPE_JSON)
        return check_json(d, field, column);
    if (field->target != CD_REC_UNKNOWN)
        return check_references(d, field, column);
    switch (column->base) {
    case CD_COLUMN_F64:
        return check_f64(d, field, column);
    case CD_COLUMN_I32:
        return check_i32(d, field, column);
    case CD_COLUMN_I64:
        return check_i64(d, field, column);
    case CD_COLUMN_BOOL:
    case CD_COLUMN_TEXT:
    case CD_COLUMN_WORD:
    case CD_COLUMN_JSON:
    case CD_COLUMN_FEATURE:
    case CD_COLUMN_SITE:
    case CD_COLUMN_BASE_END:
        break;  // checked when the column was opened, or above
    }
    return CD_OK;
}

// ---- into memory ---------------------------------------------------------------------------------------------------

// Numbers as they lie in the payload: borrowed. Nothing writes into a borrowed column: a default is put only where a
// value is absent, and a column with absent values is a copy.
static void *borrowed(const void *number) { return (void *)(uintptr_t)number; }

static cd_status decode_words(const decoder *d, const cd_field *field, const cd_column *column, int32_t **words)
{
    int32_t index[CD_WORDS_MOST + 1];
    for (int32_t i = 0; i < column->word_count; i++) {
        const char *word = column->word + column->word_offset[i];
        int length = column->word_offset[i + 1] - column->word_offset[i];
        index[i] = cd_vocab_find(field->vocab, word, (size_t)length);
        if (index[i] >= 0)
            continue;
        char known[SHOWN_WORDS] = "";
        size_t used = 0;
        for (int32_t k = 0; k < field->vocab->count && used < sizeof known; k++)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "", field->vocab->word[k]);
        return cd_fail(d->diag, CD_ERR_FORMAT, "%s: \"%.*s\" is not one of %s", field->name,
                       cd_json_shown(word, (size_t)length, 40), word, known);
    }
    const uint8_t *code = column->number;
    int32_t *word = *words = CD_ARENA_ARRAY(d->arena, int32_t, column->items);
    for (size_t i = 0; i < column->items && column->mask; i++)
        word[i] = column->mask[i] ? index[code[i]] : CD_ABSENT;
    for (size_t i = 0; i < column->items && !column->mask; i++)
        word[i] = index[code[i]];
    return CD_OK;
}

// Numbers that are there, over what says "absent".
static void take_present_i32(const cd_column *column, int32_t *copy)
{
    const int32_t *number = column->number;
    for (size_t i = 0; i < column->items; i++)
        copy[i] = column->mask[i] ? number[i] : copy[i];
}

static void take_present_f64(const cd_column *column, double *copy)
{
    const double *number = column->number;
    for (size_t i = 0; i < column->items; i++)
        copy[i] = column->mask[i] ? number[i] : copy[i];
}

// A copy with "absent" where the mask says so.
static void *masked_copy(const decoder *d, const cd_field *field, const cd_column *column)
{
    size_t size = cd_base_size(field->base) * (size_t)column->width;
    char *copy = cd_column_new(d->arena, field, d->dim, d->row_count);
    if (field->base == CD_BASE_I32 && column->width == 1) {
        take_present_i32(column, (int32_t *)(void *)copy);
        return copy;
    }
    if (field->base == CD_BASE_F64 && column->width == 1) {
        take_present_f64(column, (double *)(void *)copy);
        return copy;
    }
    for (size_t i = 0; i < column->items; i++)
        if (column->mask[i])
            memcpy(copy + i * size, (const char *)column->number + i * size, size);
    return copy;
}

static cd_status decode_data(const decoder *d, const cd_field *field, const cd_column *column, void **data)
{
    CD_TRY(check_values(d, field, column));
    if (column->base == CD_COLUMN_WORD) {
        int32_t *words = NULL;
        CD_TRY(decode_words(d, field, column, &words));
        *data = words;
    } else if (column->text_offset) {
        *data = cd_column_texts(d->arena, column);
    } else {
        *data = column->mask ? masked_copy(d, field, column) : borrowed(column->number);
    }
    return CD_OK;
}

static cd_status decode_field(const decoder *d, const cd_field *field, const cd_column *column, cd_rows *rows)
{
    CD_TRY(check_description(d, field, column));
    void *data = NULL;
    CD_TRY(decode_data(d, field, column, &data));
    if (field->depth == 0)
        *cd_field_column(field, rows) = data;
    else if (field->depth == 1)
        *cd_field_list(field, rows) = (cd_list){.offset = borrowed(column->offset), .data = data};
    else
        *cd_field_list2(field, rows) = (cd_list2){borrowed(column->offset), borrowed(column->inner), data};
    return CD_OK;
}

// Length of the "group." of a member of the objects in a list, 0 without.
static size_t group_length(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot ? (size_t)(dot - name) + 1 : 0;
}

// The fields of one group describe the same objects: as many items in each row.
static cd_status check_groups(const decoder *d, cd_rows *rows)
{
    for (int32_t f = 0; f < d->record->field_count; f++) {
        const cd_field *field = &d->record->field[f];
        size_t length = field->depth > 0 ? group_length(field->name) : 0;
        const int32_t *offset = length ? cd_field_list(field, rows)->offset : NULL;
        for (int32_t g = 0; offset && g < d->record->field_count; g++) {
            const cd_field *other = &d->record->field[g];
            // An object of the list has what it refers to: the member that no default can stand for.
            if (offset[d->row_count] && other->target != CD_REC_UNKNOWN && !strncmp(other->name, field->name, length) &&
                !cd_field_list(other, rows)->offset)
                return cd_fail(d->diag, CD_ERR_FORMAT, "%s: required where %s is given", other->name, field->name);
            if (g >= f)
                continue;
            const int32_t *other_offset =
                strncmp(other->name, field->name, length) ? NULL : cd_field_list(other, rows)->offset;
            if (other_offset && memcmp(offset, other_offset, ((size_t)d->row_count + 1) * sizeof *offset) != 0)
                return cd_fail(d->diag, CD_ERR_FORMAT, "%s: its lists are not as long as those of %s", field->name,
                               other->name);
        }
    }
    return CD_OK;
}

// The head says itself how many components its vectors have.
static cd_status head_dim(decoder *d, const cd_column *columns, int32_t count)
{
    for (int32_t c = 0; c < count; c++) {
        const cd_column *column = &columns[c];
        if (strcmp(column->name, "dim") != 0)
            continue;
        if (column->base != CD_COLUMN_I32 || column->depth || column->width != 1 || column->mask)
            return cd_fail(d->diag, CD_ERR_FORMAT, "dim: wanted i32 x 1");
        const int32_t *dim = column->number;
        for (int32_t i = 0; i < d->row_count; i++)
            if ((dim[i] != 2 && dim[i] != 3) || (d->dim && dim[i] != d->dim))
                return cd_fail(d->diag, CD_ERR_FORMAT, "dim: %" PRId32 "; wanted %s", dim[i],
                               d->dim == 2   ? "2"
                               : d->dim == 3 ? "3"
                                             : "2 or 3");
            else
                d->dim = dim[i];
    }
    if (d->dim == 0 && d->row_count)
        return cd_fail(d->diag, CD_ERR_FORMAT, "dim: required");
    return CD_OK;
}

// next: the column that stands where the field's would be if the writer has its fields in their order, as all do.
static int32_t find_column(const cd_column *columns, int32_t count, const char *name, int32_t next)
{
    if (next < count && cd_column_has_name(&columns[next], name))
        return next;
    for (int32_t c = 0; c < count; c++)
        if (cd_column_has_name(&columns[c], name))
            return c;
    return -1;
}

cd_status cd_columns_decode(cd_arena *arena, cd_row_form form, cd_payload payload, cd_rows *rows, cd_diag *diag)
{
    CD_ASSERT((uintptr_t)payload.bytes % 8 == 0);
    const cd_record *record = form.record;
    decoder d = {arena, record, form.dim, form.refs, payload.row_count, diag};
    cd_column *columns;
    int32_t count;
    CD_TRY(cd_columns_open(arena, payload, &columns, &count, diag));
    memset(rows, 0, record->size);
    rows->count = payload.row_count;
    if (record->type == CD_REC_head)
        CD_TRY(head_dim(&d, columns, count));
    int32_t next = 0;
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        int32_t c = find_column(columns, count, field->name, next);
        if (c >= 0) {
            next = c + 1;
            columns[c].is_known = true;
            CD_TRY(decode_field(&d, field, &columns[c], rows));
        } else if (field->required && payload.row_count) {
            return cd_fail(diag, CD_ERR_FORMAT, "%s: required", field->name);
        }
    }
    CD_TRY(check_groups(&d, rows));
    return cd_columns_members(arena, form, columns, count, rows, diag);
}
