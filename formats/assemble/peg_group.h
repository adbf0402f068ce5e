// peg_group -- what the grouping of contacts in the plane and in space have in common: contacts in canonical order, the
// choice of primaries, the list of constraints.
//
// cd_peg_sort -> for each pair of leaves: cd_peg_end_of_leaves, constraints are added -> cd_peg_joined.
// SPDX-License-Identifier: MIT
#ifndef PEG_GROUP_H
#define PEG_GROUP_H

#include "peg_model.h"

// Contacts that passed the filter of feasibility, sorted by bodies, parts, side, then vertex, face or edges.
typedef struct cd_peg_item {
    cd_peg_contact contact;
    int32_t index;  // in the caller's array
} cd_peg_item;

typedef struct cd_peg_grouping {
    const cd_peg_model *model;
    const cd_peg_rules *rules;
    const cd_peg_contact *contact;  // the caller's
    cd_peg_item *item;
    int32_t count;
    cd_arena *arena;
    CD_LIST(cd_peg_constraint) list[3];
    CD_LIST(int32_t) member;
} cd_peg_grouping;

static inline int cd_peg_compare_int(int32_t a, int32_t b) { return (a > b) - (a < b); }

cd_peg_grouping cd_peg_sort(const cd_peg_model *model, const cd_peg_contact *contact, int32_t count,
                            const cd_peg_rules *rules, cd_arena *arena);
// One behind the last item of the pair of leaves, of the vertex (or all edges, all others of the leaves) of `first`.
int32_t cd_peg_end_of_leaves(const cd_peg_grouping *grouping, int32_t first);
int32_t cd_peg_end_of_vertex(const cd_peg_grouping *grouping, int32_t first, int32_t last);
// Item of (side, vertex, face) among the items first .. last - 1 of one pair of leaves, or -1.
int32_t cd_peg_find_item(const cd_peg_item *item, int32_t first, int32_t last, cd_peg_side side, int32_t vertex,
                         int32_t face);
// Is the item applicable in a configuration? Below, the one that the items of a constraint are judged by.
bool cd_peg_item_is_applicable(const cd_peg_grouping *grouping, int32_t item, cd_contact_configuration configuration);
// A constraint over items, in the order of features; the list is reordered: applicable ones lead, the primary first.
void cd_peg_add(cd_peg_grouping *grouping, cd_peg_kind kind, cd_contact_configuration configuration, int32_t *list,
                int32_t count);
// U of each applicable item of first .. last - 1.
void cd_peg_add_each(cd_peg_grouping *grouping, cd_contact_configuration configuration, int32_t first, int32_t last);
// U of a single item, I of several, if one of them is applicable: a vertex none of whose contacts is touches nothing.
void cd_peg_add_vertex(cd_peg_grouping *grouping, cd_contact_configuration configuration, int32_t first, int32_t last);
// Of constraints that demand the same of twins (peg_seams.h) the first.
cd_peg_constraints cd_peg_joined(const cd_peg_grouping *grouping);

#endif
