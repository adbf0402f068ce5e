// SPDX-License-Identifier: MIT
#include "diff_keys.h"

#include <inttypes.h>
#include <stdlib.h>

const char *cd_feature_text(cd_arena *arena, int32_t feature)
{
    if (feature == CD_FEATURE_NONE)
        return "-";
    return cd_arena_printf(arena, "%c%d", "vef?"[cd_feature_kind(feature)], cd_feature_index(feature));
}

const char *cd_key_of(cd_key_set *set, cd_record_type target, int32_t row)
{
    if (row < 0)
        return "-";
    if (cd_records[target].is_head || target == CD_REC_body || target == CD_REC_node)
        return cd_arena_printf(set->arena, "%" PRId64, cd_refs_id(set->refs, target, row));
    return cd_keys_of(set, target)[row];
}

static const char *site(cd_key_set *set, const int32_t *column, int32_t row)
{
    return cd_arena_printf(set->arena, "%s:%d", cd_key_of(set, CD_REC_body, column[2 * row]), column[2 * row + 1]);
}

static const char *contact_key(cd_key_set *set, int32_t i)
{
    const cd_contact_rows *contact = &set->model->contact;
    const char *a = site(set, contact->a, i), *b = site(set, contact->b, i);
    const int32_t *features = contact->features ? contact->features + 2 * i : NULL;
    if (features && (features[0] != CD_FEATURE_NONE || features[1] != CD_FEATURE_NONE))
        return cd_arena_printf(set->arena, "%s-%s %s %s", a, b, cd_feature_text(set->arena, features[0]),
                               cd_feature_text(set->arena, features[1]));
    return cd_arena_printf(set->arena, "%s-%s %s", a, b, cd_words_CONTACT[contact->kind[i]]);
}

static const char *list_key(cd_key_set *set, const cd_list *list, int32_t row, cd_record_type target)
{
    const char *text = "";
    for (int32_t k = list->offset ? list->offset[row] : 0; list->offset && k < list->offset[row + 1]; k++)
        text = cd_arena_printf(set->arena, "%s%s%s", text, *text ? " + " : "", cd_key_of(set, target, list->i32[k]));
    return text;
}

static const char *constraint_key(cd_key_set *set, int32_t i)
{
    const cd_constraint_rows *constraint = &set->model->constraint;
    return cd_arena_printf(set->arena, "%s(%s | %s)", cd_words_CONSTRAINT[constraint->kind[i]],
                           list_key(set, &constraint->primary, i, CD_REC_contact),
                           list_key(set, &constraint->secondary, i, CD_REC_contact));
}

static const char *row_key(cd_key_set *set, int32_t i)
{
    const cd_row_rows *row = &set->model->row;
    const char *role = cd_words_ROLE[row->role[i]];
    if (row->body && row->body[i] >= 0)
        return cd_arena_printf(set->arena, "%s %s.%d", role, cd_key_of(set, CD_REC_body, row->body[i]),
                               row->axis ? row->axis[i] : 0);
    return cd_arena_printf(set->arena, "%s %s of %s", role,
                           cd_key_of(set, CD_REC_contact, row->contact ? row->contact[i] : -1),
                           cd_key_of(set, CD_REC_constraint, row->constraint ? row->constraint[i] : -1));
}

static const char *metric_key(cd_key_set *set, int32_t i)
{
    const cd_metric_rows *metric = &set->model->metric;
    int32_t a = metric->a ? metric->a[i] : -1, b = metric->b ? metric->b[i] : -1;
    if (a < 0 && b < 0)
        return cd_arena_printf(set->arena, "%s %s", metric->tool[i], metric->name[i]);
    return cd_arena_printf(set->arena, "%s %s %s-%s", metric->tool[i], metric->name[i], cd_key_of(set, CD_REC_body, a),
                           cd_key_of(set, CD_REC_body, b));
}

static const char *make_key(cd_key_set *set, cd_record_type type, int32_t i)
{
    cd_model *m = set->model;
    switch ((int)type) {
    case CD_REC_contact:
        return contact_key(set, i);
    case CD_REC_constraint:
        return constraint_key(set, i);
    case CD_REC_row:
        return row_key(set, i);
    case CD_REC_metric:
        return metric_key(set, i);
    case CD_REC_trial:
        return cd_key_of(set, CD_REC_body, m->trial.body[i]);
    case CD_REC_next:
        return cd_key_of(set, CD_REC_body, m->next.body[i]);
    case CD_REC_bounds:
        return site(set, m->bounds.a, i);
    case CD_REC_pair:
        return cd_arena_printf(set->arena, "%s-%s", site(set, m->pair.a, i), site(set, m->pair.b, i));
    case CD_REC_entry:
        return cd_arena_printf(set->arena, "%s, %s", cd_key_of(set, CD_REC_row, m->entry.row[i]),
                               cd_key_of(set, CD_REC_row, m->entry.col[i]));
    case CD_REC_value:
        return cd_key_of(set, CD_REC_row, m->value.row[i]);
    case CD_REC_force:
        return cd_key_of(set, CD_REC_contact, m->force.contact[i]);
    }
    const cd_record *record = &cd_records[type];
    if (!cd_record_has_id(record))
        return "";
    const int64_t *id = *cd_field_column(&record->field[0], cd_model_rows(m, type));
    return cd_arena_printf(set->arena, "%" PRId64, id[i]);
}

typedef struct keyed_row {
    const char *key;
    int32_t row;
} keyed_row;

static int by_key_and_row(const void *left, const void *right)
{
    const keyed_row *a = left, *b = right;
    int order = strcmp(a->key, b->key);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

static void number_repeated(cd_key_set *set, const char **key, int32_t count)
{
    keyed_row *sorted = CD_ARENA_ARRAY(set->arena, keyed_row, count);
    for (int32_t i = 0; i < count; i++)
        sorted[i] = (keyed_row){key[i], i};
    qsort(sorted, (size_t)count, sizeof *sorted, by_key_and_row);
    int repeat = 1;
    for (int32_t i = 1; i < count; i++) {
        repeat = strcmp(sorted[i].key, sorted[i - 1].key) ? 1 : repeat + 1;
        if (repeat > 1)
            key[sorted[i].row] = cd_arena_printf(set->arena, "%s#%d", sorted[i].key, repeat);
    }
}

const char *const *cd_keys_of(cd_key_set *set, cd_record_type type)
{
    if (!set->key[type]) {
        int32_t count = cd_model_rows(set->model, type)->count;
        const char **key = CD_ARENA_ARRAY(set->arena, const char *, count);
        for (int32_t i = 0; i < count; i++)
            key[i] = make_key(set, type, i);
        number_repeated(set, key, count);
        set->key[type] = key;
    }
    return set->key[type];
}
