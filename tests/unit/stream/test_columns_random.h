// Random tables of every record type, made from the table of fields alone, and their comparison value by value.
// SPDX-License-Identifier: MIT
#ifndef TEST_COLUMNS_RANDOM_H
#define TEST_COLUMNS_RANDOM_H

#include "cd_codec.h"
#include "cd_random.h"

#include <math.h>

typedef struct random_tables {
    cd_arena *arena;
    cd_random random;
    int dim;
    bool with_absent;  // optional values are missing in some rows, optional columns at times altogether
    const cd_refs *refs;
} random_tables;

static inline int32_t random_below(random_tables *t, int32_t count)
{
    return (int32_t)(cd_random_bits(&t->random) % (uint64_t)count);
}

static inline const char *random_text(random_tables *t)
{
    static const char *const pieces[] = {"a",  "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\"", "\\", " ",
                                         "\t", "Z9"};
    cd_buffer text = {0};
    for (int n = random_below(t, 6); n > 0; n--)
        cd_buffer_text(&text, pieces[random_below(t, 9)]);
    const char *copy = cd_arena_text(t->arena, text.size ? text.data : "", text.size);
    cd_buffer_release(&text);
    return copy;
}

static inline const char *random_json(random_tables *t, bool is_object)
{
    static const char *const values[] = {"3", "[1,{\"a\":null}]", "\"x\\n\"", "true", "{}"};
    if (!is_object)
        return values[random_below(t, 5)];
    return cd_arena_printf(t->arena, "{\"colour\":%s,\"z%d\":%d}", values[random_below(t, 5)], random_below(t, 3),
                           random_below(t, 99));
}

static inline double random_f64(random_tables *t, cd_range range)
{
    static const double special[] = {0, 1, 5e-324, 1.7976931348623157e308, 0.1};
    double value = random_below(t, 4) ? cd_random_between(&t->random, -5, 5) : special[random_below(t, 5)];
    if (range == CD_RANGE_POS)
        return value == 0 ? 1 : fabs(value);
    if (range == CD_RANGE_NONNEG)
        return fabs(value);
    if (range == CD_RANGE_BOUND && random_below(t, 4) == 0)
        return random_below(t, 2) ? INFINITY : -INFINITY;
    return random_below(t, 8) ? value : -0.0;
}

// One element: `width` numbers or a text.
static inline void random_element(random_tables *t, const cd_field *field, int width, int32_t row, void *element)
{
    int32_t low = field->range == CD_RANGE_POS ? 1 : field->range == CD_RANGE_NONNEG ? 0 : -7;
    double square = 0;
    switch (field->base) {
    case CD_BASE_F64:
        for (int k = 0; k < width; k++) {
            double *number = (double *)element + k;
            bool is_unit = width > 1 && (field->range == CD_RANGE_UNIT || field->type == CD_TYPE_ROTS);
            bool is_moment = field->range == CD_RANGE_MOMENTS && k < cd_moments_of(width);
            *number = is_unit ? cd_random_between(&t->random, 0.1, 1)
                              : random_f64(t, is_moment ? CD_RANGE_POS : field->range);
            square += is_unit ? *number * *number : 0;
        }
        for (int k = 0; k < width && square > 0; k++)
            ((double *)element)[k] /= sqrt(square);
        break;
    case CD_BASE_I32:
        for (int k = 0; k < width; k++) {
            int32_t *number = (int32_t *)element + k;
            if (field->type == CD_TYPE_ENUM)
                *number = random_below(t, field->vocab->count);
            else if (field->type == CD_TYPE_FEATX2)
                *number = k && random_below(t, 3) == 0 ? CD_FEATURE_NONE
                                                       : cd_feature(random_below(t, 3), random_below(t, 900));
            else if (field->target != CD_REC_UNKNOWN && k == 0)
                *number = random_below(t, cd_refs_count(t->refs, field->target) +
                                              (field->target == CD_REC_shape && field->depth ? row : 0));
            else
                *number = low < 0 && random_below(t, 9) == 0
                              ? INT32_MAX
                              : low + random_below(t, 20) + (field->type == CD_TYPE_SITE ? 7 : 0);
            if (field->name[0] == 'd' && !strcmp(field->name, "dim"))
                *number = t->dim;
        }
        break;
    case CD_BASE_I64:
        *(int64_t *)element = low + (int64_t)(cd_random_bits(&t->random) >> random_below(t, 60) >> 2);
        break;
    case CD_BASE_U8:
        *(uint8_t *)element = (uint8_t)random_below(t, 2);
        break;
    case CD_BASE_TEXT:
        *(const char **)element = field->type == CD_TYPE_JSON ? random_json(t, false) : random_text(t);
        break;
    }
}

static inline int32_t *random_offsets(random_tables *t, int32_t rows, int32_t most)
{
    int32_t *offset = CD_ARENA_ARRAY(t->arena, int32_t, rows + 1);
    offset[0] = 0;
    for (int32_t i = 0; i < rows; i++)
        offset[i + 1] = offset[i] + (i == 0 && rows > 1 ? 0 : random_below(t, most));  // the first row's list is empty
    return offset;
}

static inline void *random_elements(random_tables *t, const cd_field *field, int width, int32_t count,
                                    const int32_t *offset)
{
    size_t size = cd_base_size(field->base) * (size_t)width;
    char *data = cd_arena_alloc_array(t->arena, (size_t)count, size);
    int32_t row = 0;
    for (int32_t i = 0; i < count; i++) {
        while (offset && offset[row + 1] <= i)
            row++;
        random_element(t, field, width, row, data + (size_t)i * size);
    }
    return data;
}

static inline void random_depth0(random_tables *t, const cd_field *field, cd_rows *rows)
{
    int width = cd_field_width(field, t->dim);
    size_t size = cd_base_size(field->base) * (size_t)width;
    char *data = cd_column_new(t->arena, field, t->dim, rows->count);
    *cd_field_column(field, rows) = data;
    for (int32_t i = 0; i < rows->count; i++)
        if (field->required || !t->with_absent || random_below(t, 3))
            random_element(t, field, width, i, data + (size_t)i * size);
}

static inline void random_rows(random_tables *t, const cd_record *record, int32_t count, cd_rows *rows)
{
    const int32_t *group_offset = NULL;
    memset(rows, 0, record->size);
    rows->count = count;
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        int width = cd_field_width(field, t->dim);
        bool is_required = field->required || (strchr(field->name, '.') && field->target != CD_REC_UNKNOWN);
        if (!is_required && t->with_absent && random_below(t, 4) == 0)
            continue;
        if (field->depth == 0) {
            random_depth0(t, field, rows);
            continue;
        }
        int32_t *offset =
            strchr(field->name, '.') && group_offset ? (int32_t *)(uintptr_t)group_offset : random_offsets(t, count, 5);
        if (strchr(field->name, '.'))
            group_offset = offset;
        if (field->depth == 1) {
            *cd_field_list(field, rows) =
                (cd_list){.offset = offset, .data = random_elements(t, field, width, offset[count], offset)};
        } else {
            int32_t *inner = random_offsets(t, offset[count], 6);
            *cd_field_list2(field, rows) =
                (cd_list2){offset, inner, random_elements(t, field, 1, inner[offset[count]], NULL)};
        }
    }
    if (t->with_absent) {
        rows->json = CD_ARENA_ZARRAY(t->arena, const char *, count);
        for (int32_t i = 0; i < count; i++)
            rows->json[i] = random_below(t, 2) ? random_json(t, true) : NULL;
    }
}

// ---- comparison ----------------------------------------------------------------------------------------------------

static inline bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

static inline bool is_nan_row(const double *number, int width)
{
    for (int k = 0; k < width; k++)
        if (!isnan(number[k]))
            return false;
    return true;
}

static inline bool same_elements(const cd_field *field, int width, const void *a, const void *b, size_t count)
{
    size_t numbers = count * (size_t)width;
    if (field->base == CD_BASE_TEXT) {
        for (size_t i = 0; i < numbers; i++)
            if (!same_text(((const char *const *)a)[i], ((const char *const *)b)[i]))
                return false;
        return true;
    }
    if (field->base != CD_BASE_F64 || field->depth)
        return !numbers || !memcmp(a, b, numbers * cd_base_size(field->base));
    for (size_t i = 0; i < count; i++) {
        const double *p = (const double *)a + i * (size_t)width, *q = (const double *)b + i * (size_t)width;
        if (!(is_nan_row(p, width) && is_nan_row(q, width)) && memcmp(p, q, (size_t)width * sizeof *p))
            return false;
    }
    return true;
}

static inline int32_t offset_at(const int32_t *offset, int32_t i) { return offset ? offset[i] - offset[0] : 0; }

// Are rows 0.. of b the rows first.. of a?
static inline bool same_rows(cd_arena *arena, const cd_record *record, int dim, const cd_rows *a, int32_t first,
                             const cd_rows *b)
{
    for (int32_t f = 0; f < record->field_count; f++) {
        const cd_field *field = &record->field[f];
        int width = cd_field_width(field, dim);
        size_t size = cd_base_size(field->base) * (size_t)width;
        if (field->depth == 0) {
            const char *p = *cd_field_column(field, a), *q = *cd_field_column(field, b);
            p = p ? p + (size_t)first * size : cd_column_new(arena, field, dim, b->count);
            q = q ? q : cd_column_new(arena, field, dim, b->count);
            if (!same_elements(field, width, p, q, (size_t)b->count))
                return false;
            continue;
        }
        const int32_t *p = field->depth == 1 ? cd_field_list(field, a)->offset : cd_field_list2(field, a)->offset;
        const int32_t *q = field->depth == 1 ? cd_field_list(field, b)->offset : cd_field_list2(field, b)->offset;
        p = p ? p + first : NULL;
        for (int32_t i = 0; i <= b->count; i++)
            if (offset_at(p, i) != offset_at(q, i))
                return false;
        int32_t elements = offset_at(p, b->count);
        if (!elements)
            continue;
        if (field->depth == 1) {
            if (!same_elements(field, width, (const char *)cd_field_list(field, a)->data + (size_t)p[0] * size,
                               cd_field_list(field, b)->data, (size_t)elements))
                return false;
            continue;
        }
        const cd_list2 *list_a = cd_field_list2(field, a), *list_b = cd_field_list2(field, b);
        const int32_t *inner = list_a->inner + p[0];
        for (int32_t i = 0; i <= elements; i++)
            if (offset_at(inner, i) != offset_at(list_b->inner, i))
                return false;
        if (memcmp(list_a->data + inner[0], list_b->data, (size_t)offset_at(inner, elements) * sizeof(int32_t)))
            return false;
    }
    for (int32_t i = 0; i < b->count; i++)
        if (!same_text(a->json ? a->json[first + i] : NULL, b->json ? b->json[i] : NULL))
            return false;
    return true;
}

// Tables of `rows` rows with ids 100, 101, ... for references to go to.
static inline void fill_refs(cd_refs *refs, int32_t rows)
{
    int64_t id[64];
    for (int i = 0; i < rows; i++)
        id[i] = 100 + i;
    for (int type = 0; type < CD_REC_COUNT; type++) {
        cd_status status = cd_refs_add_ids(refs, (cd_record_type)type, id, rows, NULL);
        (void)status;
    }
}

#endif
