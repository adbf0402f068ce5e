// Typed, checked access to a tree of cd_yaml.
// SPDX-License-Identifier: MIT
#include "cd_yaml.h"

#include "cd_assert.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

static cd_status fail_text(const cd_yaml_node *node, cd_diag *diag, cd_status status, const char *format,
                           va_list arguments)
{
    char text[sizeof diag->text];
    vsnprintf(text, sizeof text, format, arguments);
    return cd_fail(diag, status, "%s:%d: %s", node->file, node->line, text);
}

cd_status cd_yaml_fail(const cd_yaml_node *node, cd_diag *diag, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    cd_status status = fail_text(node, diag, CD_ERR_FORMAT, format, arguments);
    va_end(arguments);
    return status;
}

cd_status cd_yaml_fail_status(const cd_yaml_node *node, cd_diag *diag, cd_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail_text(node, diag, status, format, arguments);
    va_end(arguments);
    return status;
}

int32_t cd_yaml_index(const cd_yaml_node *map, const char *key)
{
    CD_ASSERT(map->kind == CD_YAML_MAP);
    int32_t low = 0, high = map->count - 1;
    while (low <= high) {
        int32_t middle = low + (high - low) / 2;
        int order = strcmp(map->key[map->order[middle]]->text, key);
        if (order == 0)
            return map->order[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

const cd_yaml_node *cd_yaml_find(const cd_yaml_node *map, const char *key)
{
    int32_t index = cd_yaml_index(map, key);
    return index < 0 ? NULL : map->item[index];
}

const cd_yaml_node *cd_yaml_without(cd_arena *arena, const cd_yaml_node *map, const char *key)
{
    int32_t gone = cd_yaml_index(map, key);
    if (gone < 0)
        return map;
    int32_t count = map->count - 1, used = 0;
    const cd_yaml_node **item = CD_ARENA_ARRAY(arena, const cd_yaml_node *, count);
    const cd_yaml_node **keys = CD_ARENA_ARRAY(arena, const cd_yaml_node *, count);
    int32_t *order = CD_ARENA_ARRAY(arena, int32_t, count);
    for (int32_t i = 0; i < count; i++) {
        item[i] = map->item[i + (i >= gone)];
        keys[i] = map->key[i + (i >= gone)];
    }
    for (int32_t i = 0; i <= count; i++)
        if (map->order[i] != gone)
            order[used++] = map->order[i] - (map->order[i] > gone);
    cd_yaml_node *rest = CD_ARENA_ARRAY(arena, cd_yaml_node, 1);
    *rest = *map;
    rest->count = count;
    rest->item = item;
    rest->key = keys;
    rest->order = order;
    return rest;
}

static const char *kind_text(const cd_yaml_node *node)
{
    switch (node->kind) {
    case CD_YAML_LIST:
        return "a list";
    case CD_YAML_MAP:
        return "a map";
    case CD_YAML_SCALAR:
        break;
    }
    return node->text[0] || !node->is_plain ? "a single value" : "nothing";
}

cd_status cd_yaml_want(const cd_yaml_node *node, const char *label, cd_yaml_kind kind, cd_diag *diag)
{
    static const char *const wanted[] = {"a single value", "a list", "a map"};
    if (node->kind != kind)
        return cd_yaml_fail(node, diag, "%s: needs %s, not %s", label, wanted[kind], kind_text(node));
    return CD_OK;
}

// [+-] digits [. digits] [e [+-] digits] with at least one digit before or after the point.
static bool is_decimal(const char *text, bool allow_fraction)
{
    const char *p = text;
    int digits = 0;
    p += *p == '+' || *p == '-';
    for (; *p >= '0' && *p <= '9'; p++)
        digits++;
    if (allow_fraction && *p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++)
            digits++;
    if (!digits)
        return false;
    if (allow_fraction && (*p == 'e' || *p == 'E')) {
        p++;
        p += *p == '+' || *p == '-';
        if (*p < '0' || *p > '9')
            return false;
        while (*p >= '0' && *p <= '9')
            p++;
    }
    return !*p;
}

// What YAML and C know as names of values that are no finite number.
static bool is_not_finite_word(const char *text)
{
    static const char *const words[] = {"nan",  ".nan",  "inf",   ".inf",      "infinity", "-nan",
                                        "-inf", "-.inf", "+.inf", "-infinity", NULL};
    for (int i = 0; words[i]; i++)
        if (!strcasecmp(text, words[i]))
            return true;
    return false;
}

cd_status cd_yaml_number(const cd_yaml_node *node, const char *label, double *value, cd_diag *diag)
{
    if (node->kind != CD_YAML_SCALAR)
        return cd_yaml_fail(node, diag, "%s: needs a number, not %s", label, kind_text(node));
    if (is_not_finite_word(node->text))
        return cd_yaml_fail(node, diag, "%s: %s is not a finite number", label, node->text);
    if (!node->is_plain || !is_decimal(node->text, true))
        return cd_yaml_fail(node, diag, "%s: needs a number, not \"%.40s\"", label, node->text);
    *value = strtod(node->text, NULL);
    if (!isfinite(*value))
        return cd_yaml_fail(node, diag, "%s: %.40s is too large", label, node->text);
    return CD_OK;
}

cd_status cd_yaml_integer(const cd_yaml_node *node, const char *label, int64_t *value, cd_diag *diag)
{
    if (node->kind != CD_YAML_SCALAR)
        return cd_yaml_fail(node, diag, "%s: needs a whole number, not %s", label, kind_text(node));
    if (!node->is_plain || !is_decimal(node->text, false)) {
        // 1e6 is a whole number too, as far as doubles hold all of them.
        double number = node->is_plain && is_decimal(node->text, true) ? strtod(node->text, NULL) : NAN;
        if (!(fabs(number) <= 0x1p53) || number != floor(number))
            return cd_yaml_fail(node, diag, "%s: needs a whole number, not \"%.40s\"", label, node->text);
        *value = (int64_t)number;
        return CD_OK;
    }
    errno = 0;
    *value = strtoll(node->text, NULL, 10);
    if (errno == ERANGE || *value == INT64_MIN)  // the least one means "absent" in tables
        return cd_yaml_fail(node, diag, "%s: %.40s is too large", label, node->text);
    return CD_OK;
}

cd_status cd_yaml_text(const cd_yaml_node *node, const char *label, const char **text, cd_diag *diag)
{
    CD_TRY(cd_yaml_want(node, label, CD_YAML_SCALAR, diag));
    if (!node->text[0])
        return cd_yaml_fail(node, diag, "%s: is empty", label);
    *text = node->text;
    return CD_OK;
}

cd_status cd_yaml_numbers(const cd_yaml_node *node, const char *label, int count, double *value, cd_diag *diag)
{
    if (node->kind != CD_YAML_LIST)
        return cd_yaml_fail(node, diag, "%s: needs a list of %d numbers, not %s", label, count, kind_text(node));
    if (node->count != count)
        return cd_yaml_fail(node, diag, "%s: needs %d numbers, has %d", label, count, node->count);
    for (int i = 0; i < count; i++)
        CD_TRY(cd_yaml_number(node->item[i], label, &value[i], diag));
    return CD_OK;
}

cd_status cd_yaml_vectors(cd_arena *arena, const cd_yaml_node *node, cd_yaml_list wanted, double **value,
                          int32_t *count, cd_diag *diag)
{
    CD_TRY(cd_yaml_want(node, wanted.label, CD_YAML_LIST, diag));
    if (node->count < wanted.least)
        return cd_yaml_fail(node, diag, "%s: needs at least %d points, has %d", wanted.label, wanted.least,
                            node->count);
    size_t dim = (size_t)wanted.dim;
    *count = node->count;
    *value = CD_ARENA_ARRAY(arena, double, (size_t)node->count *dim);
    for (int32_t i = 0; i < node->count; i++)
        CD_TRY(cd_yaml_numbers(node->item[i], wanted.label, wanted.dim, *value + (size_t)i * dim, diag));
    return CD_OK;
}

cd_status cd_yaml_integers(cd_arena *arena, const cd_yaml_node *node, cd_yaml_list wanted, int32_t **value,
                           int32_t *count, cd_diag *diag)
{
    CD_TRY(cd_yaml_want(node, wanted.label, CD_YAML_LIST, diag));
    if (node->count < wanted.least)
        return cd_yaml_fail(node, diag, "%s: needs at least %d whole numbers, has %d", wanted.label, wanted.least,
                            node->count);
    *count = node->count;
    *value = CD_ARENA_ARRAY(arena, int32_t, node->count);
    for (int32_t i = 0; i < node->count; i++) {
        int64_t number;
        CD_TRY(cd_yaml_integer(node->item[i], wanted.label, &number, diag));
        if (number < wanted.low || number > wanted.high)
            return cd_yaml_fail(node->item[i], diag, "%s: %lld is not in %lld..%lld", wanted.label, (long long)number,
                                (long long)wanted.low, (long long)wanted.high);
        (*value)[i] = (int32_t)number;
    }
    return CD_OK;
}

// ---- suggestions ---------------------------------------------------------------------------------------------------

enum { SUGGEST_LENGTH = 32 };  // longer words are not compared

// Letters to insert, delete, replace or exchange with a neighbour (optimal string alignment), case ignored.
static int edit_distance(const char *a, const char *b)
{
    int row[3][SUGGEST_LENGTH + 2];
    int m = (int)strlen(a), n = (int)strlen(b);
    for (int j = 0; j <= n; j++)
        row[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *now = row[i % 3], *above = row[(i + 2) % 3], *two_above = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= n; j++) {
            bool same = (a[i - 1] | 32) == (b[j - 1] | 32);
            int best = above[j - 1] + !same;
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && two_above[j - 2] + 1 < best)
                best = two_above[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[m % 3][n];
}

const char *cd_yaml_suggest(const char *text, const char *const *words)
{
    const char *found = NULL;
    if (strlen(text) > SUGGEST_LENGTH)
        return NULL;
    int best = (int)(strlen(text) + 2) / 3;
    best = (best > 2 ? 2 : best) + 1;  // must be below
    for (int i = 0; words[i]; i++) {
        if (strlen(words[i]) > SUGGEST_LENGTH)
            continue;
        int distance = edit_distance(text, words[i]);
        if (distance < best) {
            best = distance;
            found = words[i];
        }
    }
    return found;
}

// ---- a map by a table of keys --------------------------------------------------------------------------------------

static const cd_yaml_key *find_key(const cd_yaml_key *keys, const char *name)
{
    for (; keys->name; keys++)
        if (!strcmp(keys->name, name))
            return keys;
    return NULL;
}

static cd_status fail_unknown_key(const cd_yaml_node *key, const cd_yaml_key *keys, cd_diag *diag)
{
    enum { MOST = 64 };
    const char *names[MOST + 1];
    int count = 0;
    for (; keys->name && count < MOST; keys++)
        names[count++] = keys->name;
    names[count] = NULL;
    const char *near = cd_yaml_suggest(key->text, names);
    if (near)
        return cd_yaml_fail(key, diag, "%.80s: unknown key, did you mean \"%s\"?", key->text, near);
    char list[256] = "";
    for (int i = 0; i < count && strlen(list) + strlen(names[i]) + 3 < sizeof list; i++) {
        strcat(list, i ? ", " : "");
        strcat(list, names[i]);
    }
    return cd_yaml_fail(key, diag, "%.80s: unknown key (known: %s)", key->text, list);
}

static cd_status check_range(const cd_yaml_node *node, const cd_yaml_key *key, double value, cd_diag *diag)
{
    if (value >= key->low && value <= key->high)
        return CD_OK;
    if (key->low == CD_YAML_ABOVE_ZERO && value < key->low)
        return cd_yaml_fail(node, diag, "%s: must be greater than 0", key->name);
    if (isinf(key->high))
        return cd_yaml_fail(node, diag, "%s: must be at least %g", key->name, key->low);
    return cd_yaml_fail(node, diag, "%s: must be in %.16g..%.16g", key->name, key->low, key->high);
}

static cd_status read_word(const cd_yaml_node *node, const cd_yaml_key *key, int32_t *index, cd_diag *diag)
{
    const char *text;
    CD_TRY(cd_yaml_text(node, key->name, &text, diag));
    for (int32_t i = 0; key->words[i]; i++)
        if (!strcmp(key->words[i], text)) {
            *index = i;
            return CD_OK;
        }
    char list[128] = "";
    for (int i = 0; key->words[i] && strlen(list) + strlen(key->words[i]) + 3 < sizeof list; i++) {
        strcat(list, i ? ", " : "");
        strcat(list, key->words[i]);
    }
    return cd_yaml_fail(node, diag, "%s: \"%.40s\" is none of %s", key->name, text, list);
}

static cd_status read_ints(const cd_yaml_node *node, const cd_yaml_key *key, int count, int64_t *value, cd_diag *diag)
{
    if (node->kind != CD_YAML_LIST || node->count != count)
        return cd_yaml_fail(node, diag, "%s: needs a list of %d whole numbers", key->name, count);
    for (int i = 0; i < count; i++) {
        CD_TRY(cd_yaml_integer(node->item[i], key->name, &value[i], diag));
        CD_TRY(check_range(node->item[i], key, (double)value[i], diag));
    }
    return CD_OK;
}

static cd_status read_value(const cd_yaml_node *node, const cd_yaml_key *key, int dim, void *target, cd_diag *diag)
{
    switch (key->type) {
    case CD_YAML_DOUBLE:
        CD_TRY(cd_yaml_number(node, key->name, target, diag));
        return check_range(node, key, *(double *)target, diag);
    case CD_YAML_INT:
        CD_TRY(cd_yaml_integer(node, key->name, target, diag));
        return check_range(node, key, (double)*(int64_t *)target, diag);
    case CD_YAML_TEXT:
        return cd_yaml_text(node, key->name, target, diag);
    case CD_YAML_WORD:
        return read_word(node, key, target, diag);
    case CD_YAML_VECTOR:
        CD_TRY(cd_yaml_numbers(node, key->name, dim, target, diag));
        for (int i = 0; i < dim; i++)
            CD_TRY(check_range(node, key, ((double *)target)[i], diag));
        return CD_OK;
    case CD_YAML_INTS:
        return read_ints(node, key, dim, target, diag);
    case CD_YAML_NODE:
        *(const cd_yaml_node **)target = node;
        return CD_OK;
    }
    CD_ASSERT(!"key type");
    return CD_OK;
}

cd_status cd_yaml_read(const cd_yaml_node *map, const cd_yaml_key *keys, int dim, void *target, cd_diag *diag)
{
    CD_ASSERT(map->kind == CD_YAML_MAP);
    for (int32_t i = 0; i < map->count; i++) {
        const cd_yaml_key *key = find_key(keys, map->key[i]->text);
        if (!key)
            return fail_unknown_key(map->key[i], keys, diag);
        CD_TRY(read_value(map->item[i], key, dim, (char *)target + key->offset, diag));
    }
    for (; keys->name; keys++)
        if (keys->required && cd_yaml_index(map, keys->name) < 0)
            return cd_yaml_fail(map, diag, "%s: is missing", keys->name);
    return CD_OK;
}

// ---- help ----------------------------------------------------------------------------------------------------------

static void print_default(const cd_yaml_key *key, int dim, const void *target, cd_buffer *out)
{
    const double *number = target;
    const int64_t *whole = target;
    switch (key->type) {
    case CD_YAML_DOUBLE:
        if (!isnan(*number))
            cd_buffer_printf(out, " [%.16g]", *number);
        break;
    case CD_YAML_INT:
        if (*whole != INT64_MIN)
            cd_buffer_printf(out, " [%lld]", (long long)*whole);
        break;
    case CD_YAML_TEXT:
        if (*(const char *const *)target)
            cd_buffer_printf(out, " [%s]", *(const char *const *)target);
        break;
    case CD_YAML_WORD:
        if (*(const int32_t *)target >= 0)
            cd_buffer_printf(out, " [%s]", key->words[*(const int32_t *)target]);
        break;
    case CD_YAML_VECTOR:
        for (int i = 0; i < dim && !isnan(number[0]); i++)
            cd_buffer_printf(out, "%s%.16g%s", i ? ", " : " [[", number[i], i + 1 < dim ? "" : "]]");
        break;
    case CD_YAML_INTS:
        for (int i = 0; i < dim && whole[0] != INT64_MIN; i++)
            cd_buffer_printf(out, "%s%lld%s", i ? ", " : " [[", (long long)whole[i], i + 1 < dim ? "" : "]]");
        break;
    case CD_YAML_NODE:
        break;
    }
}

void cd_yaml_keys_help(const cd_yaml_key *keys, int dim, const void *target, cd_buffer *out)
{
    for (; keys->name; keys++) {
        cd_buffer_printf(out, "      %-14s %s", keys->name, keys->help);
        if (keys->required)
            cd_buffer_text(out, " (required)");
        else
            print_default(keys, dim, (const char *)target + keys->offset, out);
        cd_buffer_text(out, "\n");
    }
}
