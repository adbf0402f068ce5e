// Two polyhedra: their potential contacts by features (cd_feature3.h), and the entry of the table.
// SPDX-License-Identifier: MIT
#include "cd_feature3.h"
#include "pair3_polyhedra.h"

static int32_t feature_of_a(cd_feature_pair3 pair)
{
    return cd_feature(pair.kind == CD_VERTEX_A_FACE_B ? CD_FEATURE_VERTEX
                      : pair.kind == CD_EDGE_EDGE     ? CD_FEATURE_EDGE
                                                      : CD_FEATURE_FACE,
                      pair.index_a);
}

static int32_t feature_of_b(cd_feature_pair3 pair)
{
    return cd_feature(pair.kind == CD_VERTEX_A_FACE_B ? CD_FEATURE_FACE
                      : pair.kind == CD_EDGE_EDGE     ? CD_FEATURE_EDGE
                                                      : CD_FEATURE_VERTEX,
                      pair.index_b);
}

static void potential(const cd_pair3_input *input, cd_contacts *contacts)
{
    const cd_shell3 *const *a = input->a.shell, *const *b = input->b.shell;
    cd_feature3_input asked = {.start = {a[0], b[0]},
                               .predicted = {a[1], b[1]},
                               .current = {a[2], b[2]},
                               .reach = input->reach,
                               .slack = input->choice.slack,
                               .tolerance = input->choice.tolerance};
    cd_feature_gaps3 gaps = cd_feature3_potential(&asked, input->scratch);
    for (int32_t i = 0; i < gaps.count; i++) {
        const cd_feature_gap3 *gap = &gaps.gap[i];
        cd_contact contact = cd_contact_none();
        contact.kind = gap->pair.kind == CD_EDGE_EDGE ? CD_CONTACT_EDGE_EDGE : CD_CONTACT_VERTEX_FACE;
        contact.point = cd_scale3(0.5, cd_add3(gap->point_a, gap->point_b));
        contact.point_a = gap->point_a;
        contact.point_b = gap->point_b;
        contact.normal = gap->normal;
        contact.gap = gap->psi;
        contact.feature_a = feature_of_a(gap->pair);
        contact.feature_b = feature_of_b(gap->pair);
        contact.applicability = gap->applicability;
        contact.feasible = gap->feasible;
        cd_list_push(input->arena, contacts, contact);
    }
}

const cd_pair3 cd_pair3_polyhedron_polyhedron = {.name = "polyhedron-polyhedron",
                                                 .has_features = true,
                                                 .potential = potential,
                                                 .separating = cd_pair3_polyhedra_separating,
                                                 .volume = cd_pair3_polyhedra_volume};
