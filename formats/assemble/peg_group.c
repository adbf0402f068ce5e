// SPDX-License-Identifier: MIT
#include "peg_group.h"

#include <stdlib.h>

static int compare_leaves(const cd_peg_contact *a, const cd_peg_contact *b)
{
    int order = cd_peg_compare_int(a->body[0], b->body[0]);
    order = order ? order : cd_peg_compare_int(a->body[1], b->body[1]);
    order = order ? order : cd_peg_compare_int(a->part[0], b->part[0]);
    return order ? order : cd_peg_compare_int(a->part[1], b->part[1]);
}

static int compare_vertices(const cd_peg_contact *a, const cd_peg_contact *b)
{
    int order = cd_peg_compare_int((int32_t)a->side, (int32_t)b->side);
    return order || a->side > CD_PEG_VERTEX_OF_B ? order : cd_peg_compare_int(a->vertex, b->vertex);
}

static int compare_faces(const cd_peg_contact *a, const cd_peg_contact *b)
{
    if (a->side == CD_PEG_NO_VERTEX)
        return 0;
    if (a->side != CD_PEG_TWO_EDGES)
        return cd_peg_compare_int(a->face, b->face);
    int order = cd_peg_compare_int(a->edge[0].number, b->edge[0].number);
    return order ? order : cd_peg_compare_int(a->edge[1].number, b->edge[1].number);
}

// The index is the last key: featureless contacts of one pair keep the stream's order, which is canonical.
static int compare_items(const void *left, const void *right)
{
    const cd_peg_item *a = left, *b = right;
    int order = compare_leaves(&a->contact, &b->contact);
    order = order ? order : compare_vertices(&a->contact, &b->contact);
    order = order ? order : compare_faces(&a->contact, &b->contact);
    return order ? order : cd_peg_compare_int(a->index, b->index);
}

cd_peg_grouping cd_peg_sort(const cd_peg_model *model, const cd_peg_contact *contact, int32_t count,
                            const cd_peg_rules *rules, cd_arena *arena)
{
    cd_peg_item *item = CD_ARENA_ARRAY(arena, cd_peg_item, count);
    int32_t n = 0;
    bool is_sorted = true;
    for (int32_t i = 0; i < count; i++) {
        if (contact[i].side != CD_PEG_NO_VERTEX &&
            !cd_contact_is_feasible(contact[i].feasible, contact[i].gap, &rules->limits))
            continue;
        item[n] = (cd_peg_item){contact[i], i};
        is_sorted = is_sorted && (n == 0 || compare_items(&item[n - 1], &item[n]) < 0);
        n++;
    }
    if (!is_sorted)
        qsort(item, (size_t)n, sizeof *item, compare_items);
    return (cd_peg_grouping){
        .model = model, .rules = rules, .contact = contact, .item = item, .count = n, .arena = arena};
}

int32_t cd_peg_end_of_leaves(const cd_peg_grouping *grouping, int32_t first)
{
    int32_t last = first + 1;
    while (last < grouping->count && !compare_leaves(&grouping->item[first].contact, &grouping->item[last].contact))
        last++;
    return last;
}

int32_t cd_peg_end_of_vertex(const cd_peg_grouping *grouping, int32_t first, int32_t last)
{
    int32_t end = first + 1;
    while (end < last && !compare_vertices(&grouping->item[first].contact, &grouping->item[end].contact))
        end++;
    return end;
}

int32_t cd_peg_find_item(const cd_peg_item *item, int32_t first, int32_t last, cd_peg_side side, int32_t vertex,
                         int32_t face)
{
    while (first < last) {
        int32_t middle = first + (last - first) / 2;
        const cd_peg_contact *c = &item[middle].contact;
        int order = cd_peg_compare_int((int32_t)c->side, (int32_t)side);
        order = order ? order : cd_peg_compare_int(c->vertex, vertex);
        order = order ? order : cd_peg_compare_int(c->face, face);
        if (order == 0)
            return middle;
        if (order < 0)
            first = middle + 1;
        else
            last = middle;
    }
    return -1;
}

// ---- primaries -----------------------------------------------------------------------------------------------------

static void lead(int32_t *list, int32_t place)
{
    int32_t item = list[place];
    for (int32_t i = place; i > 0; i--)
        list[i] = list[i - 1];
    list[0] = item;
}

static int32_t largest_gap(const cd_peg_item *item, const int32_t *list, int32_t count)
{
    int32_t best = 0;
    for (int32_t i = 1; i < count; i++)
        if (item[list[i]].contact.gap > item[list[best]].contact.gap)
            best = i;
    return best;
}

static int32_t nearest_gap(const cd_peg_item *item, const int32_t *list, int32_t count)
{
    int32_t best = 0;
    for (int32_t i = 1; i < count; i++)
        if (fabs(item[list[i]].contact.gap) < fabs(item[list[best]].contact.gap))
            best = i;
    return best;
}

// The impulse of a constraint acts along its primary; one that is clearly violated on the far side of the corner would
// push through the body.
static int32_t swapped(const cd_peg_item *item, const int32_t *list, int32_t count, double depth)
{
    int32_t best = largest_gap(item, list, count);
    return item[list[0]].contact.gap < -depth && item[list[best]].contact.gap > -depth ? best : 0;
}

static int32_t first_primary(const cd_peg_grouping *grouping, const int32_t *list, int32_t count, int32_t applicable)
{
    switch (grouping->rules->primary) {
    case CD_PEG_LARGEST:
        return largest_gap(grouping->item, list, applicable);
    case CD_PEG_NEAREST:
        return nearest_gap(grouping->item, list, applicable);
    case CD_PEG_SWAP:
        return swapped(grouping->item, list, count, grouping->rules->swap_depth);
    case CD_PEG_FIRST:
        break;
    }
    return 0;
}

// ---- constraints ---------------------------------------------------------------------------------------------------

bool cd_peg_item_is_applicable(const cd_peg_grouping *grouping, int32_t item, cd_contact_configuration configuration)
{
    return cd_contact_is_applicable(grouping->item[item].contact.applicability, &grouping->rules->limits,
                                    configuration);
}

// Stable; the number of applicable items.
static int32_t applicable_first(const cd_peg_grouping *grouping, cd_contact_configuration configuration, int32_t *list,
                                int32_t count)
{
    int32_t applicable = 0;
    for (int32_t i = 0; i < count; i++)
        if (cd_peg_item_is_applicable(grouping, list[i], configuration)) {
            int32_t moved = list[i];
            for (int32_t k = i; k > applicable; k--)
                list[k] = list[k - 1];
            list[applicable++] = moved;
        }
    return applicable;
}

void cd_peg_add(cd_peg_grouping *grouping, cd_peg_kind kind, cd_contact_configuration configuration, int32_t *list,
                int32_t count)
{
    int32_t applicable = applicable_first(grouping, configuration, list, count);
    int32_t place = applicable ? first_primary(grouping, list, count, applicable) : 0;
    bool joins = place >= applicable;  // one that is not applicable became the primary
    lead(list, place);
    int32_t primaries = grouping->rules->has_many && applicable ? applicable + joins : 1;
    cd_peg_constraint constraint = {kind, grouping->member.count, count, primaries};
    cd_list_push(grouping->arena, &grouping->list[kind], constraint);
    for (int32_t i = 0; i < count; i++)
        cd_list_push(grouping->arena, &grouping->member, grouping->item[list[i]].index);
}

void cd_peg_add_each(cd_peg_grouping *grouping, cd_contact_configuration configuration, int32_t first, int32_t last)
{
    for (int32_t i = first; i < last; i++)
        if (cd_peg_item_is_applicable(grouping, i, configuration))
            cd_peg_add(grouping, CD_PEG_U, configuration, (int32_t[]){i}, 1);
}

void cd_peg_add_vertex(cd_peg_grouping *grouping, cd_contact_configuration configuration, int32_t first, int32_t last)
{
    if (last == first + 1) {
        cd_peg_add_each(grouping, configuration, first, last);
        return;
    }
    cd_arena_mark mark = cd_arena_get_mark(grouping->arena);
    bool has_applicable = false;
    int32_t *list = CD_ARENA_ARRAY(grouping->arena, int32_t, last - first);
    for (int32_t i = first; i < last; i++) {
        list[i - first] = i;
        has_applicable = has_applicable || cd_peg_item_is_applicable(grouping, i, configuration);
    }
    if (has_applicable)
        cd_peg_add(grouping, CD_PEG_I, configuration, list, last - first);
    else
        cd_arena_rewind(grouping->arena, mark);
}

// A constraint as the set of contacts it is over, each by the first of its twins.
typedef struct twin_set {
    cd_peg_kind kind;
    int32_t count, index;
    const int32_t *member;  // ascending
} twin_set;

static int compare_members(const void *left, const void *right)
{
    return cd_peg_compare_int(*(const int32_t *)left, *(const int32_t *)right);
}

static int compare_demands(const twin_set *a, const twin_set *b)
{
    int order = cd_peg_compare_int((int32_t)a->kind, (int32_t)b->kind);
    order = order ? order : cd_peg_compare_int(a->count, b->count);
    for (int32_t i = 0; i < a->count && !order; i++)
        order = cd_peg_compare_int(a->member[i], b->member[i]);
    return order;
}

static int compare_sets(const void *left, const void *right)
{
    const twin_set *a = left, *b = right;
    int order = compare_demands(a, b);
    return order ? order : cd_peg_compare_int(a->index, b->index);
}

static bool has_twins(const cd_peg_grouping *grouping)
{
    for (int32_t i = 0; i < grouping->count; i++)
        if (grouping->item[i].contact.before)
            return true;
    return false;
}

static void drop_repeated(const cd_peg_grouping *grouping, const cd_peg_constraint *constraint, int32_t count,
                          bool *is_repeated)
{
    twin_set *set = CD_ARENA_ARRAY(grouping->arena, twin_set, count);
    for (int32_t i = 0; i < count; i++) {
        int32_t n = constraint[i].count, *member = CD_ARENA_ARRAY(grouping->arena, int32_t, n);
        for (int32_t k = 0; k < n; k++) {
            int32_t index = grouping->member.item[constraint[i].first + k], before = grouping->contact[index].before;
            member[k] = before ? before - 1 : index;
        }
        qsort(member, (size_t)n, sizeof *member, compare_members);
        set[i] = (twin_set){constraint[i].kind, n, i, member};
    }
    qsort(set, (size_t)count, sizeof *set, compare_sets);
    for (int32_t i = 1; i < count; i++)
        is_repeated[set[i].index] = !compare_demands(&set[i - 1], &set[i]);
}

cd_peg_constraints cd_peg_joined(const cd_peg_grouping *grouping)
{
    int32_t count = grouping->list[0].count + grouping->list[1].count + grouping->list[2].count, n = 0;
    cd_peg_constraint *constraint = CD_ARENA_ARRAY(grouping->arena, cd_peg_constraint, count);
    cd_peg_constraints result = {.constraint = constraint, .member = grouping->member.item};
    for (int kind = 0; kind < 3; kind++)
        for (int32_t i = 0; i < grouping->list[kind].count; i++)
            constraint[n++] = grouping->list[kind].item[i];
    bool *is_repeated = CD_ARENA_ZARRAY(grouping->arena, bool, count);
    if (has_twins(grouping))
        drop_repeated(grouping, constraint, count, is_repeated);
    for (int32_t i = 0; i < count; i++)
        if (!is_repeated[i]) {
            constraint[result.count++] = constraint[i];
            result.of_kind[constraint[i].kind]++;
        }
    return result;
}

int32_t cd_peg_count_traps(const cd_peg_constraints *constraints, const cd_peg_contact *contact, int32_t count,
                           double tolerance, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    bool *is_trap = CD_ARENA_ZARRAY(scratch, bool, count);
    int32_t traps = 0;
    for (int32_t k = 0; k < constraints->count; k++) {
        const int32_t *member = constraints->member + constraints->constraint[k].first;
        int32_t size = constraints->constraint[k].count;
        double largest = -INFINITY;
        for (int32_t i = 0; i < size; i++)
            largest = fmax(largest, contact[member[i]].gap);
        for (int32_t i = 0; i < size && size > 1 && largest >= -tolerance; i++)
            if (contact[member[i]].gap < -tolerance && !is_trap[member[i]]) {
                is_trap[member[i]] = true;
                traps++;
            }
    }
    cd_arena_rewind(scratch, mark);
    return traps;
}
