// Contacts of the plane into constraints: (32), (33).
// SPDX-License-Identifier: MIT
#include "peg_group.h"

static int32_t edge_into(int32_t vertex, int32_t corners) { return vertex > 0 ? vertex - 1 : corners - 1; }

// X-constraints of one pair of leaves. With R "through the edge that ends at the vertex" and L "through the edge that
// leaves it", two corners do not overlap exactly when both R or both L gaps are >= 0; the conjunctive form of (R1 and
// R2) or (L1 and L2) is (R1 or L1)(R2 or L2)(R1 or L2)(R2 or L1). The first two are the I-constraints of the two
// vertices, the others are X(C1,C4) and X(C2,C3) with C1 = R1, C2 = L1 of a's vertex, C3 = R2, C4 = L2 of b's: (33).
// That holds where both members are applicable: else an X would trap corners that are apart, so it is left out.
static void cross_leaves(cd_peg_grouping *grouping, int32_t first, int32_t last)
{
    const cd_peg_item *item = grouping->item;
    for (int32_t c1 = first; c1 < last && item[c1].contact.side == CD_PEG_VERTEX_OF_A; c1++) {
        const cd_peg_contact *contact = &item[c1].contact;
        int32_t va = contact->vertex, ea_in = edge_into(va, contact->corners[0]);
        int32_t vb = contact->face + 1 < contact->corners[1] ? contact->face + 1 : 0;  // where the edge of c1 ends
        int32_t c2 = cd_peg_find_item(item, first, last, CD_PEG_VERTEX_OF_A, va, vb);
        int32_t c3 = cd_peg_find_item(item, first, last, CD_PEG_VERTEX_OF_B, vb, ea_in);
        int32_t c4 = cd_peg_find_item(item, first, last, CD_PEG_VERTEX_OF_B, vb, va);
        if (c2 < 0 || c3 < 0 || c4 < 0)
            continue;
        int32_t pair[2][2] = {{c1, c4}, {c2, c3}};
        for (int k = 0; k < 2; k++)
            if (cd_peg_item_is_applicable(grouping, pair[k][0], CD_CONTACT_AT_FACE) &&
                cd_peg_item_is_applicable(grouping, pair[k][1], CD_CONTACT_AT_FACE))
                cd_peg_add(grouping, CD_PEG_X, CD_CONTACT_AT_FACE, pair[k], 2);
    }
}

cd_peg_constraints cd_peg_group_plane(const cd_peg_model *model, const cd_peg_contact *contact, int32_t count,
                                      const cd_peg_rules *rules, cd_arena *arena)
{
    cd_peg_grouping grouping = cd_peg_sort(model, contact, count, rules, arena);
    for (int32_t first = 0, last; first < grouping.count; first = last) {
        last = cd_peg_end_of_leaves(&grouping, first);
        for (int32_t v = first, end; v < last; v = end) {
            end = cd_peg_end_of_vertex(&grouping, v, last);
            bool is_joined = model->joins_vertices && grouping.item[v].contact.side != CD_PEG_NO_VERTEX;
            (is_joined ? cd_peg_add_vertex : cd_peg_add_each)(&grouping, CD_CONTACT_AT_FACE, v, end);
        }
        if (model->crossing != CD_PEG_NO_CROSSING)
            cross_leaves(&grouping, first, last);
    }
    return cd_peg_joined(&grouping);
}
