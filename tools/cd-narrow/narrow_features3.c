// Potential contacts of space: two polyhedra by their features (cd_feature3.h), a polyhedron and a halfspace by the
// polyhedron's vertices.
// SPDX-License-Identifier: MIT
#include "cd_feature3.h"
#include "narrow_space.h"

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

void cd_narrow_polyhedra_potential(const cd_narrow_input3 *input, cd_contacts *contacts)
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

// ---- polyhedron, halfspace -----------------------------------------------------------------------------------------

double cd_narrow_height(const cd_solid3 *polyhedron, int32_t vertex, const cd_solid3 *halfspace)
{
    const cd_halfspace *h = &halfspace->halfspace;
    return cd_dot3(h->normal, cd_convex3_vertex(&polyhedron->convex, vertex)) - h->offset;
}

// A halfspace has no corner to slide around: all vertices outside is the whole condition, and what rests on it needs
// all of them that are near at any pose.
void cd_narrow_halfspace_potential(const cd_narrow_input3 *input, cd_contacts *contacts)
{
    bool is_b = input->b.current->kind == CD_SHAPE_HALFSPACE;  // the halfspace
    const cd_narrow_part3 *polyhedron = is_b ? &input->a : &input->b, *halfspace = is_b ? &input->b : &input->a;
    for (int32_t v = 0; v < polyhedron->current->convex.vertex_count; v++) {
        double height = cd_narrow_height(polyhedron->current, v, halfspace->current);
        if (height > input->reach && cd_narrow_height(polyhedron->start, v, halfspace->start) > input->reach &&
            cd_narrow_height(polyhedron->predicted, v, halfspace->predicted) > input->reach)
            continue;
        cd_vec3 outward = halfspace->current->halfspace.normal;
        cd_vec3 p = cd_convex3_vertex(&polyhedron->current->convex, v), foot = cd_sub3(p, cd_scale3(height, outward));
        cd_gap3 gap = {.gap = height,
                       .normal = is_b ? cd_negate3(outward) : outward,
                       .point_a = is_b ? p : foot,
                       .point_b = is_b ? foot : p,
                       .feature_a = CD_FEATURE_NONE,
                       .feature_b = CD_FEATURE_NONE};
        cd_narrow_from_gap3(CD_CONTACT_ANALYTIC, &gap, input->epsilon, cd_list_add(input->arena, contacts));
    }
}
