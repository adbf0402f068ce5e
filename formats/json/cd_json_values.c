// SPDX-License-Identifier: MIT
#include "cd_json_values.h"

#include "cd_assert.h"
#include "cd_json_scan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

// |norm - 1| that a unit vector or quaternion may show: far above the rounding of 17 digits (1e-16) and of a
// normalisation in double, far below what changes a contact.
static const double UNIT_TOLERANCE = 1e-9;
// Integers of this size and more are not all doubles: as JSON numbers, neighbours would read as the same integer.
static const double INTEGER_AS_TEXT = 0x1p53;

enum { SHOWN_TEXT = 40, WORD_LIST = 256 };

const char *cd_json_kind(const cJSON *item)
{
    if (cJSON_IsString(item))
        return "a string";
    if (cJSON_IsNumber(item))
        return "a number";
    if (cJSON_IsArray(item))
        return "an array";
    if (cJSON_IsObject(item))
        return "an object";
    return cJSON_IsNull(item) ? "null" : cJSON_IsTrue(item) ? "true" : "false";
}

static cd_status wanted(const cd_json_context *context, const cd_field *field, const char *what, const cJSON *item)
{
    return cd_fail(context->diag, CD_ERR_FORMAT, "%s: wanted %s, got %s", field->name, what, cd_json_kind(item));
}

static cd_status bad_text(const cd_json_context *context, const cd_field *field, const char *text, const char *reason)
{
    return cd_fail(context->diag, CD_ERR_FORMAT, "%s: \"%.*s\" %s", field->name,
                   cd_json_shown(text, strlen(text), SHOWN_TEXT), text, reason);
}

static cd_status bad_number(const cd_json_context *context, const cd_field *field, double value, const char *reason)
{
    char text[CD_NUMBER_MAX];
    int length = cd_number_print(value, text);
    return cd_fail(context->diag, CD_ERR_FORMAT, "%s: %.*s %s", field->name, length, text, reason);
}

// ---- numbers -------------------------------------------------------------------------------------------------------

static cd_status number_from_text(const cd_json_context *context, const cd_field *field, const cJSON *item,
                                  double *value)
{
    const char *text = item->valuestring;
    bool is_negative = text[0] == '-';
    if (!strcmp(text + is_negative, "Infinity")) {
        if (field->range != CD_RANGE_BOUND)
            return cd_fail(context->diag, CD_ERR_FORMAT, "%s: infinite values are refused", field->name);
        *value = is_negative ? -INFINITY : INFINITY;
        return CD_OK;
    }
    if (!strcmp(text, "NaN"))
        return cd_fail(context->diag, CD_ERR_FORMAT, "%s: NaN is refused", field->name);
    return wanted(context, field, "a number", item);
}

static cd_status check_range(const cd_json_context *context, const cd_field *field, double value)
{
    if (field->range == CD_RANGE_POS && !(value > 0))
        return bad_number(context, field, value, "is not above 0");
    if (field->range == CD_RANGE_NONNEG && !(value >= 0))
        return bad_number(context, field, value, "is below 0");
    return CD_OK;
}

static cd_status one_double(const cd_json_context *context, const cd_field *field, const cJSON *item, double *value)
{
    if (!cJSON_IsNumber(item)) {
        if (cJSON_IsString(item))
            return number_from_text(context, field, item, value);
        return wanted(context, field, "a number", item);
    }
    *value = item->valuedouble;
    CD_ASSERT(isfinite(*value));  // cd_json_scan refuses the others
    return check_range(context, field, *value);
}

static bool parse_integer(const char *text, int64_t *value)
{
    bool is_negative = text[0] == '-';
    const char *at = text + is_negative;
    if (*at == '\0' || (*at == '0' && (at[1] || is_negative)))
        return false;
    int64_t total = 0;
    for (; *at; at++) {
        if (*at < '0' || *at > '9' || __builtin_mul_overflow(total, (int64_t)10, &total) ||
            __builtin_add_overflow(total, (int64_t)(*at - '0'), &total))
            return false;
    }
    *value = is_negative ? -total : total;
    return true;
}

// An integer of 64 bits: a number, or its digits in a string. The least int64 is how columns say "absent" and never a
// value.
static cd_status one_integer(const cd_json_context *context, const cd_field *field, const cJSON *item, int64_t *value)
{
    if (cJSON_IsString(item)) {
        if (!parse_integer(item->valuestring, value))
            return bad_text(context, field, item->valuestring, "is not an integer of 64 bits");
    } else if (cJSON_IsNumber(item)) {
        if (!(fabs(item->valuedouble) < INTEGER_AS_TEXT))
            return cd_fail(context->diag, CD_ERR_FORMAT, "%s: an integer of 2^53 or more is written as a string",
                           field->name);
        if (item->valuedouble != floor(item->valuedouble))
            return bad_number(context, field, item->valuedouble, "is not an integer");
        *value = (int64_t)item->valuedouble;
    } else {
        return wanted(context, field, "an integer", item);
    }
    return CD_OK;
}

// An int32 from `least` up.
static cd_status one_int32(const cd_json_context *context, const cd_field *field, const cJSON *item, int64_t least,
                           int32_t *value)
{
    int64_t wide = 0;
    if (!cJSON_IsNumber(item))
        return wanted(context, field, "an integer", item);
    CD_TRY(one_integer(context, field, item, &wide));
    CD_TRY(check_range(context, field, (double)wide));
    if (wide < least || wide > INT32_MAX)
        return cd_fail(context->diag, CD_ERR_FORMAT, "%s: %" PRId64 " is out of range", field->name, wide);
    *value = (int32_t)wide;
    return CD_OK;
}

static cd_status wanted_many(const cd_json_context *context, const cd_field *field, int count, const char *what,
                             const cJSON *item)
{
    if (cJSON_IsArray(item))
        return cd_fail(context->diag, CD_ERR_FORMAT, "%s: wanted %d %s, got %d", field->name, count, what,
                       cJSON_GetArraySize(item));
    return cd_fail(context->diag, CD_ERR_FORMAT, "%s: wanted %d %s, got %s", field->name, count, what,
                   cd_json_kind(item));
}

static bool is_array_of(const cJSON *item, int count)
{
    if (!cJSON_IsArray(item))
        return false;
    int found = 0;
    for (const cJSON *child = item->child; child && found <= count; child = child->next)
        found++;
    return found == count;
}

static cd_status check_moments(const cd_json_context *context, const cd_field *field, int width, const double *number)
{
    for (int k = 0; field->range == CD_RANGE_MOMENTS && k < cd_moments_of(width); k++)
        if (!(number[k] > 0))
            return bad_number(context, field, number[k], "is not above 0");
    return CD_OK;
}

static cd_status many_doubles(const cd_json_context *context, const cd_field *field, const cJSON *item, double *out)
{
    int width = cd_field_width(field, context->dim);
    if (width == 1) {
        CD_TRY(one_double(context, field, item, out));
        return check_moments(context, field, width, out);
    }
    if (!is_array_of(item, width))
        return wanted_many(context, field, width, "numbers", item);
    double square = 0;
    int k = 0;
    for (const cJSON *child = item->child; child; child = child->next, k++) {
        CD_TRY(one_double(context, field, child, &out[k]));
        square += out[k] * out[k];
    }
    // A turn is a unit quaternion in lists as well.
    bool is_unit = field->range == CD_RANGE_UNIT || field->type == CD_TYPE_ROTS;
    if (is_unit && !(fabs(sqrt(square) - 1) <= UNIT_TOLERANCE))
        return cd_fail(context->diag, CD_ERR_FORMAT, "%s: length %.12g is not 1", field->name, sqrt(square));
    return check_moments(context, field, width, out);
}

static cd_status many_integers(const cd_json_context *context, const cd_field *field, const cJSON *item, int32_t *out)
{
    int width = cd_field_width(field, context->dim);
    if (width == 1)
        return one_int32(context, field, item, (int64_t)INT32_MIN + 1, out);
    if (!is_array_of(item, width))
        return wanted_many(context, field, width, "integers", item);
    int k = 0;
    for (const cJSON *child = item->child; child; child = child->next, k++)
        CD_TRY(one_int32(context, field, child, (int64_t)INT32_MIN + 1, &out[k]));
    return CD_OK;
}

// ---- references ----------------------------------------------------------------------------------------------------

static cd_status one_reference(const cd_json_context *context, const cd_field *field, const cJSON *item, int32_t *row)
{
    int64_t id = 0;
    CD_TRY(one_integer(context, field, item, &id));
    *row = context->refs ? cd_refs_row(context->refs, field->target, id) : -1;
    if (*row < 0 && context->own && field->target == context->record->type) {
        int32_t local = cd_refs_row(context->own, field->target, id);
        int32_t before = context->refs ? cd_refs_count(context->refs, field->target) : 0;
        *row = local < 0 || local > INT32_MAX - before ? -1 : before + local;
    }
    if (*row < 0)
        return cd_fail(context->diag, CD_ERR_FORMAT, "%s: no %s has id %" PRId64, field->name,
                       cd_records[field->target].name, id);
    return CD_OK;
}

static cd_status one_site(const cd_json_context *context, const cd_field *field, const cJSON *item, int32_t *out)
{
    if (!is_array_of(item, 2))
        return cd_fail(context->diag, CD_ERR_FORMAT, "%s: wanted [%s id, part]", field->name,
                       cd_records[field->target].name);
    CD_TRY(one_reference(context, field, item->child, &out[0]));
    return one_int32(context, field, item->child->next, 0, &out[1]);
}

// ---- words ---------------------------------------------------------------------------------------------------------

static cd_status one_feature(const cd_json_context *context, const cd_field *field, const cJSON *item, int32_t *feature)
{
    static const char kinds[] = CD_FEATURE_LETTERS;
    int64_t index = 0;
    const char *text = cJSON_IsString(item) ? item->valuestring : "";
    const char *kind = text[0] ? strchr(kinds, text[0]) : NULL;
    if (!kind && !cJSON_IsString(item))
        return wanted(context, field, "features such as \"v3\"", item);
    if (!kind || !parse_integer(text + 1, &index) || index < 0 || index > INT32_MAX / 4)
        return bad_text(context, field, text, "is not a feature (v, e, f or p and a number)");
    *feature = cd_feature((int)(kind - kinds), (int32_t)index);
    return CD_OK;
}

static cd_status one_or_two_features(const cd_json_context *context, const cd_field *field, const cJSON *item,
                                     int32_t *out)
{
    if (!is_array_of(item, 1) && !is_array_of(item, 2))
        return cd_fail(context->diag, CD_ERR_FORMAT, "%s: wanted one or two features in [ ]", field->name);
    CD_TRY(one_feature(context, field, item->child, &out[0]));
    out[1] = CD_FEATURE_NONE;
    return item->child->next ? one_feature(context, field, item->child->next, &out[1]) : CD_OK;
}

static cd_status one_word(const cd_json_context *context, const cd_field *field, const cJSON *item, int32_t *index)
{
    if (!cJSON_IsString(item))
        return wanted(context, field, "a word", item);
    *index = cd_vocab_find(field->vocab, item->valuestring, strlen(item->valuestring));
    if (*index >= 0)
        return CD_OK;
    char reason[WORD_LIST] = "is not one of ";
    size_t used = strlen(reason);
    for (int32_t i = 0; i < field->vocab->count && used < sizeof reason; i++)
        used += (size_t)snprintf(reason + used, sizeof reason - used, "%s%s", i ? ", " : "", field->vocab->word[i]);
    return bad_text(context, field, item->valuestring, reason);
}

static cd_status one_text(const cd_json_context *context, const cd_field *field, const cJSON *item, const char **text)
{
    if (!cJSON_IsString(item))
        return wanted(context, field, "a string", item);
    *text = cd_arena_text(context->arena, item->valuestring, strlen(item->valuestring));
    return CD_OK;
}

static cd_status one_boolean(const cd_json_context *context, const cd_field *field, const cJSON *item, uint8_t *value)
{
    if (!cJSON_IsBool(item))
        return wanted(context, field, "true or false", item);
    *value = cJSON_IsTrue(item) ? 1 : 0;
    return CD_OK;
}

static cd_status one_id(const cd_json_context *context, const cd_field *field, const cJSON *item, int64_t *value)
{
    CD_TRY(one_integer(context, field, item, value));
    return check_range(context, field, (double)*value);
}

cd_status cd_json_item(const cd_json_context *context, const cd_field *field, const cJSON *item, void *out)
{
    switch (field->kind) {
    case CD_KIND_INTEGER:
        return many_integers(context, field, item, out);
    case CD_KIND_ID:
        return one_id(context, field, item, out);
    case CD_KIND_NUMBER:
        return many_doubles(context, field, item, out);
    case CD_KIND_BOOL:
        return one_boolean(context, field, item, out);
    case CD_KIND_WORD:
        return one_word(context, field, item, out);
    case CD_KIND_TEXT:
        return one_text(context, field, item, out);
    case CD_KIND_REFERENCE:
        return one_reference(context, field, item, out);
    case CD_KIND_SITE:
        return one_site(context, field, item, out);
    case CD_KIND_FEATURE:
        return one_or_two_features(context, field, item, out);
    case CD_KIND_JSON:
        break;
    }
    CD_ASSERT(!"a JSON field has no element");
    return CD_ERR_FORMAT;
}
