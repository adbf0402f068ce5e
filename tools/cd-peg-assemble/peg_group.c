// SPDX-License-Identifier: MIT
#include "peg_model.h"

#include <stdlib.h>

// [m] The authors' rule for primaries: a first applicable contact below this depth gives way to one above it. The
// impulse of a constraint acts along its primary; one that is clearly violated on the far side of the corner would
// push through the body.
static const double PRIMARY_DEPTH = 1e-3;

// Contacts that passed the filters, sorted by bodies, parts, side, vertex, edge.
typedef struct sorted_contact {
    cd_peg_contact contact;
    int32_t index;  // in the caller's array
    bool is_applicable;
} sorted_contact;

typedef struct group_state {
    const cd_peg_model *model;
    const sorted_contact *item;
    cd_arena *arena;
    CD_LIST(cd_peg_constraint) list[3];
    CD_LIST(int32_t) member;
} group_state;

static int compare_int(int32_t a, int32_t b) { return (a > b) - (a < b); }

static int compare_leaves(const cd_peg_contact *a, const cd_peg_contact *b)
{
    int order = compare_int(a->body[0], b->body[0]);
    order = order ? order : compare_int(a->body[1], b->body[1]);
    order = order ? order : compare_int(a->part[0], b->part[0]);
    return order ? order : compare_int(a->part[1], b->part[1]);
}

static int compare_vertices(const cd_peg_contact *a, const cd_peg_contact *b)
{
    int order = compare_int((int32_t)a->side, (int32_t)b->side);
    return order || a->side == CD_PEG_NO_VERTEX ? order : compare_int(a->vertex, b->vertex);
}

// The index is the last key: featureless contacts of one pair keep the stream's order, which is canonical.
static int compare_items(const void *left, const void *right)
{
    const sorted_contact *a = left, *b = right;
    int order = compare_leaves(&a->contact, &b->contact);
    order = order ? order : compare_vertices(&a->contact, &b->contact);
    if (!order && a->contact.side != CD_PEG_NO_VERTEX)
        order = compare_int(a->contact.edge, b->contact.edge);
    return order ? order : compare_int(a->index, b->index);
}

// Puts the primary first: the first of the applicable ones (which lead the list), unless it lies deeper than
// PRIMARY_DEPTH and the one with the largest gap does not.
static void choose_primary(const sorted_contact *item, int32_t *list, int32_t count)
{
    if (!(item[list[0]].contact.gap < -PRIMARY_DEPTH))
        return;
    int32_t best = 0;
    for (int32_t i = 1; i < count; i++)
        if (item[list[i]].contact.gap > item[list[best]].contact.gap)
            best = i;
    if (!(item[list[best]].contact.gap > -PRIMARY_DEPTH))
        return;
    int32_t primary = list[best];
    for (int32_t i = best; i > 0; i--)
        list[i] = list[i - 1];
    list[0] = primary;
}

static void add_constraint(group_state *state, cd_peg_kind kind, const int32_t *list, int32_t count)
{
    cd_peg_constraint constraint = {kind, state->member.count, count};
    cd_list_push(state->arena, &state->list[kind], constraint);
    for (int32_t i = 0; i < count; i++)
        cd_list_push(state->arena, &state->member, state->item[list[i]].index);
}

// Items first .. last - 1 belong to one vertex and one leaf. A vertex none of whose contacts is applicable touches
// nothing.
static void group_vertex(group_state *state, int32_t first, int32_t last)
{
    const sorted_contact *item = state->item;
    bool is_single = item[first].contact.side == CD_PEG_NO_VERTEX || !state->model->joins_vertices || last == first + 1;
    if (is_single) {
        for (int32_t i = first; i < last; i++)
            if (item[i].is_applicable)
                add_constraint(state, CD_PEG_U, &i, 1);
        return;
    }
    int32_t *list = CD_ARENA_ARRAY(state->arena, int32_t, last - first), count = 0;
    for (int32_t i = first; i < last; i++)
        if (item[i].is_applicable)
            list[count++] = i;
    int32_t applicable = count;
    for (int32_t i = first; i < last; i++)
        if (!item[i].is_applicable)
            list[count++] = i;
    if (applicable) {
        choose_primary(item, list, count);
        add_constraint(state, CD_PEG_I, list, count);
    }
}

// Item of (side, vertex, edge) among the sorted items first .. last - 1, or -1.
static int32_t find_item(const sorted_contact *item, int32_t first, int32_t last, cd_peg_side side, int32_t vertex,
                         int32_t edge)
{
    while (first < last) {
        int32_t middle = first + (last - first) / 2;
        const cd_peg_contact *c = &item[middle].contact;
        int order = compare_int((int32_t)c->side, (int32_t)side);
        order = order ? order : compare_int(c->vertex, vertex);
        order = order ? order : compare_int(c->edge, edge);
        if (order == 0)
            return middle;
        if (order < 0)
            first = middle + 1;
        else
            last = middle;
    }
    return -1;
}

static int32_t edge_into(int32_t vertex, int32_t corners) { return vertex > 0 ? vertex - 1 : corners - 1; }

// X-constraints of one pair of leaves. With R "through the edge that ends at the vertex" and L "through the edge that
// leaves it", two corners do not overlap exactly when both R or both L gaps are >= 0; the conjunctive form of (R1 and
// R2) or (L1 and L2) is (R1 or L1)(R2 or L2)(R1 or L2)(R2 or L1). The first two are the I-constraints of the two
// vertices, the others are X(C1,C4) and X(C2,C3) with C1 = R1, C2 = L1 of a's vertex, C3 = R2, C4 = L2 of b's: (33).
// That holds where both members are applicable: else an X would trap corners that are apart, so it is left out.
static void cross_leaves(group_state *state, int32_t first, int32_t last)
{
    const sorted_contact *item = state->item;
    for (int32_t c1 = first; c1 < last && item[c1].contact.side == CD_PEG_VERTEX_OF_A; c1++) {
        const cd_peg_contact *contact = &item[c1].contact;
        int32_t va = contact->vertex, ea_in = edge_into(va, contact->corners[0]);
        int32_t vb = contact->edge + 1 < contact->corners[1] ? contact->edge + 1 : 0;  // where the edge of c1 ends
        int32_t c2 = find_item(item, first, last, CD_PEG_VERTEX_OF_A, va, vb);
        int32_t c3 = find_item(item, first, last, CD_PEG_VERTEX_OF_B, vb, ea_in);
        int32_t c4 = find_item(item, first, last, CD_PEG_VERTEX_OF_B, vb, va);
        if (c2 < 0 || c3 < 0 || c4 < 0)
            continue;
        int32_t pair[2][2] = {{c1, c4}, {c2, c3}};
        for (int k = 0; k < 2; k++)
            if (item[pair[k][0]].is_applicable && item[pair[k][1]].is_applicable) {
                choose_primary(item, pair[k], 2);
                add_constraint(state, CD_PEG_X, pair[k], 2);
            }
    }
}

static cd_peg_constraints joined(group_state *state)
{
    int32_t count = state->list[0].count + state->list[1].count + state->list[2].count, n = 0;
    cd_peg_constraint *constraint = CD_ARENA_ARRAY(state->arena, cd_peg_constraint, count);
    cd_peg_constraints result = {.count = count, .constraint = constraint, .member = state->member.item};
    for (int kind = 0; kind < 3; kind++) {
        result.of_kind[kind] = state->list[kind].count;
        for (int32_t i = 0; i < state->list[kind].count; i++)
            constraint[n++] = state->list[kind].item[i];
    }
    return result;
}

cd_peg_constraints cd_peg_group_vertices(const cd_peg_model *model, const cd_peg_contact *contact, int32_t count,
                                         const cd_peg_limits *limits, cd_arena *arena)
{
    sorted_contact *item = CD_ARENA_ARRAY(arena, sorted_contact, count);
    int32_t n = 0;
    for (int32_t i = 0; i < count; i++)
        if (contact[i].side == CD_PEG_NO_VERTEX || cd_peg_is_feasible(&contact[i], limits))
            item[n++] = (sorted_contact){contact[i], i, cd_peg_is_applicable(&contact[i], limits)};
    qsort(item, (size_t)n, sizeof *item, compare_items);
    group_state state = {.model = model, .item = item, .arena = arena};
    for (int32_t first = 0, last; first < n; first = last) {
        for (last = first + 1; last < n && !compare_leaves(&item[first].contact, &item[last].contact);)
            last++;
        for (int32_t v = first, end; v < last; v = end) {
            for (end = v + 1; end < last && !compare_vertices(&item[v].contact, &item[end].contact);)
                end++;
            group_vertex(&state, v, end);
        }
        if (model->crosses)
            cross_leaves(&state, first, last);
    }
    return joined(&state);
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
