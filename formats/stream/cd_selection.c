// SPDX-License-Identifier: MIT
#include "cd_selection.h"

#include "cd_row_refs.h"
#include "cd_rows.h"

#include <errno.h>
#include <stdlib.h>

#define STRUCTURE (CD_BIT(head) | CD_BIT(prog) | CD_BIT(frame) | CD_BIT(fend) | CD_BIT(end))

// ---- options -------------------------------------------------------------------------------------------------------

static bool is_type_name(const char *name, size_t length)
{
    if (length < 1 || length > 16 || name[0] < 'a' || name[0] > 'z')
        return false;
    for (size_t i = 0; i < length; i++)
        if (!((name[i] >= 'a' && name[i] <= 'z') || (name[i] >= '0' && name[i] <= '9') || name[i] == '_' ||
              name[i] == '-'))
            return false;
    return true;
}

static cd_status parse_types(cd_arena *arena, const char *text, cd_selection *selection, cd_diag *diag)
{
    selection->has_types = true;
    for (;;) {
        size_t length = strcspn(text, ",");
        if (!is_type_name(text, length))
            return cd_fail(diag, CD_ERR_USAGE,
                           "--type: %.40s: wanted record types with commas between, as in body,contact", text);
        cd_record_type type = cd_record_find(text, length);
        const cd_record *near = cd_record_near(text, length);
        if (type != CD_REC_UNKNOWN)
            selection->types |= UINT64_C(1) << type;
        else if (near)
            return cd_fail(diag, CD_ERR_USAGE, "--type: there is no record type %.*s; did you mean %s?", (int)length,
                           text, near->name);
        else
            cd_list_push(arena, &selection->foreign, cd_arena_text(arena, text, length));
        if (!text[length])
            return CD_OK;
        text += length + 1;
    }
}

// A whole number at *text, which moves behind it.
static bool parse_number(const char **text, int64_t *number)
{
    const char *start = *text;
    char *end;
    errno = 0;
    *number = strtoll(start, &end, 10);
    *text = end;
    return errno == 0 && end != start;
}

static int compare_first(const void *left, const void *right)
{
    int64_t a = ((const cd_id_range *)left)->first, b = ((const cd_id_range *)right)->first;
    return (a > b) - (a < b);
}

// Overlapping ranges become one.
static void sort_bodies(cd_selection *selection)
{
    if (selection->bodies.count == 0)
        return;
    qsort(selection->bodies.item, (size_t)selection->bodies.count, sizeof *selection->bodies.item, compare_first);
    int32_t used = 0;
    for (int32_t i = 1; i < selection->bodies.count; i++) {
        cd_id_range *last = &selection->bodies.item[used], *next = &selection->bodies.item[i];
        if (next->first <= last->last)
            last->last = next->last > last->last ? next->last : last->last;
        else
            selection->bodies.item[++used] = *next;
    }
    selection->bodies.count = used + 1;
}

static cd_status parse_bodies(cd_arena *arena, const char *text, cd_selection *selection, cd_diag *diag)
{
    const char *start = text;
    selection->has_bodies = true;
    for (;;) {
        cd_id_range range;
        bool good = parse_number(&text, &range.first);
        range.last = range.first;
        if (good && *text == ':') {
            text++;
            good = parse_number(&text, &range.last);
        }
        if (!good || range.last < range.first || (*text && *text != ','))
            return cd_fail(diag, CD_ERR_USAGE, "--bodies: %.40s: wanted body ids or ranges A:B with commas between",
                           start);
        cd_list_push(arena, &selection->bodies, range);
        if (!*text)
            break;
        text++;
    }
    sort_bodies(selection);
    return CD_OK;
}

cd_selection cd_selection_of_bodies(cd_arena *arena, const int64_t *id, int32_t count)
{
    cd_selection selection = {.has_bodies = true};
    for (int32_t i = 0; i < count; i++)
        cd_list_push(arena, &selection.bodies, ((cd_id_range){id[i], id[i]}));
    sort_bodies(&selection);
    return selection;
}

cd_status cd_selection_parse(cd_arena *arena, const char *types, const char *frames, const char *bodies,
                             cd_selection *selection, cd_diag *diag)
{
    memset(selection, 0, sizeof *selection);
    if (types)
        CD_TRY(parse_types(arena, types, selection, diag));
    selection->has_frames = frames != NULL;
    CD_TRY(cd_frame_range_parse(frames, &selection->frames, diag));
    if (bodies)
        CD_TRY(parse_bodies(arena, bodies, selection, diag));
    return CD_OK;
}

bool cd_selection_wants_body(const cd_selection *selection, int64_t id)
{
    if (!selection->has_bodies)
        return true;
    int32_t low = 0, high = selection->bodies.count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (selection->bodies.item[middle].last < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < selection->bodies.count && selection->bodies.item[low].first <= id;
}

bool cd_selection_lists_foreign(const cd_selection *selection, const char *name)
{
    if (!selection->has_types)
        return true;
    for (int32_t i = 0; i < selection->foreign.count; i++)
        if (!strcmp(selection->foreign.item[i], name))
            return true;
    return false;
}

// ---- types ---------------------------------------------------------------------------------------------------------

uint64_t cd_selection_kept_types(const cd_selection *selection)
{
    if (!selection->has_types)
        return CD_ALL_RECORDS;
    // A table that is not known may refer to any other.
    return selection->foreign.count > 0 ? CD_ALL_RECORDS : cd_types_with_targets(selection->types | STRUCTURE);
}

static bool is_referable(cd_record_type type) { return cd_record_has_id(&cd_records[type]); }

bool cd_selection_needs_rows(const cd_selection *selection)
{
    if (selection->has_bodies)
        return true;
    if (!selection->has_types)
        return false;
    uint64_t kept = cd_selection_kept_types(selection);
    for (int type = 0; type < CD_REC_COUNT; type++)
        if ((kept >> type & 1) && !((selection->types | STRUCTURE) >> type & 1) && !cd_records[type].is_head)
            return true;
    return false;
}

// ---- rows ----------------------------------------------------------------------------------------------------------

typedef struct keep_set {
    uint8_t *keep[CD_REC_COUNT];   // by row; NULL: a table without rows, or of the head
    int32_t *place[CD_REC_COUNT];  // new row number, -1 gone
} keep_set;

static bool is_kept(void *context, cd_record_type target, int32_t row)
{
    const keep_set *set = context;
    return !set->keep[target] || set->keep[target][row] != 0;
}

static bool keep_it_too(void *context, cd_record_type target, int32_t row)
{
    const keep_set *set = context;
    if (set->keep[target])
        set->keep[target][row] = 2;
    return true;
}

// Rows that can stay: 1. A table refers to earlier types only, so one pass in their order is enough.
static void drop_bodies(cd_arena *arena, const cd_selection *selection, cd_model *model, keep_set *set)
{
    for (int type = 0; type < CD_REC_COUNT; type++) {
        const cd_rows *rows = cd_model_rows(model, (cd_record_type)type);
        if (cd_records[type].is_head || rows->count == 0)
            continue;
        set->keep[type] = CD_ARENA_ARRAY(arena, uint8_t, rows->count);
        for (int32_t i = 0; i < rows->count; i++)
            set->keep[type][i] = type == CD_REC_body ? cd_selection_wants_body(selection, model->body.id[i])
                                                     : cd_row_visit_refs((cd_record_type)type, rows, i, is_kept, set);
    }
}

// Of those, the rows of listed types and all that they refer to: 2, in the reverse order.
static void follow_references(const cd_selection *selection, cd_model *model, keep_set *set)
{
    for (int type = CD_REC_COUNT - 1; type >= 0; type--) {
        const cd_rows *rows = cd_model_rows(model, (cd_record_type)type);
        bool is_listed = ((selection->types | STRUCTURE) >> type & 1) ||
                         (selection->foreign.count > 0 && is_referable((cd_record_type)type));
        for (int32_t i = 0; set->keep[type] && i < rows->count; i++) {
            if (set->keep[type][i] == 1 && is_listed)
                set->keep[type][i] = 2;
            if (set->keep[type][i] == 2)
                (void)cd_row_visit_refs((cd_record_type)type, rows, i, keep_it_too, set);
        }
    }
}

static void select_table(cd_arena *arena, cd_model *model, cd_record_type type, keep_set *set, int threshold)
{
    cd_rows *rows = cd_model_rows(model, type);
    int32_t *index = CD_ARENA_ARRAY(arena, int32_t, rows->count), count = 0;
    set->place[type] = CD_ARENA_ARRAY(arena, int32_t, rows->count);
    for (int32_t i = 0; i < rows->count; i++) {
        set->place[type][i] = set->keep[type][i] >= threshold ? count : -1;
        if (set->keep[type][i] >= threshold)
            index[count++] = i;
    }
    cd_rows *all = cd_arena_alloc(arena, cd_records[type].size);
    memcpy(all, rows, cd_records[type].size);
    cd_rows_select(arena, &cd_records[type], model->dim, rows, all, index, count);
    cd_rows_renumber(type, rows, set->place);
}

static void select_rows(cd_arena *arena, cd_model *model, keep_set *set, int threshold)
{
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (set->keep[type])
            select_table(arena, model, (cd_record_type)type, set, threshold);
}

void cd_selection_apply(cd_arena *arena, const cd_selection *selection, cd_tables *tables)
{
    keep_set set = {0};
    drop_bodies(arena, selection, &tables->model, &set);
    if (selection->has_types)
        follow_references(selection, &tables->model, &set);
    select_rows(arena, &tables->model, &set, selection->has_types ? 2 : 1);
    int32_t used = 0;
    for (int32_t i = 0; i < tables->foreign.count; i++)
        if (cd_selection_lists_foreign(selection, tables->foreign.item[i].name) && !selection->has_bodies)
            tables->foreign.item[used++] = tables->foreign.item[i];
    tables->foreign.count = used;
}

void cd_selection_drop_shapes(cd_arena *arena, cd_model *head, cd_model *frame)
{
    keep_set set = {0};
    const cd_shape_rows *shape = &head->shape;
    cd_body_rows *body = &frame->body;
    set.keep[CD_REC_shape] = CD_ARENA_ZARRAY(arena, uint8_t, shape->count + 1);
    for (int32_t i = 0; body->shape && i < body->count; i++)
        if (body->shape[i] >= 0)
            set.keep[CD_REC_shape][body->shape[i]] = 1;
    // A compound is made of earlier shapes.
    for (int32_t i = shape->count - 1; i >= 0; i--)
        if (set.keep[CD_REC_shape][i])
            (void)cd_row_visit_refs(CD_REC_shape, (const cd_rows *)shape, i, keep_it_too, &set);
    select_table(arena, head, CD_REC_shape, &set, 1);
    int32_t *all = CD_ARENA_ARRAY(arena, int32_t, body->count);
    for (int32_t i = 0; i < body->count; i++)
        all[i] = i;
    cd_body_rows before = *body;
    cd_rows_select(arena, &cd_records[CD_REC_body], frame->dim, (cd_rows *)body, (const cd_rows *)&before, all,
                   body->count);
    cd_rows_renumber(CD_REC_body, (cd_rows *)body, set.place);
}
