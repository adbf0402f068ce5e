// Two polyhedra: the contacts of their separator.
//
// The separator is chosen at the start and predicted poses (cd_separate3.h); gaps, normals and points are those of the
// current pose, of vertices that are within reach there or behind the separator at the predicted pose (where a short
// reach was asked for, free motion may come from beyond it). A gap is that of a vertex to the separator's plane,
// wherever beside the separator it lies: all gaps >= 0 is what keeps the bodies apart, however they turn.
// SPDX-License-Identifier: MIT
#include "cd_separate3.h"
#include "pair3_polyhedra.h"

// The points of two edges nearest to each other on their lines, when they lie on the edges themselves.
static bool nearest_on_edges(const cd_separator3 *separator, cd_separate3_pose pose, cd_vec3 *point_a, cd_vec3 *point_b)
{
    cd_segment3 a = cd_shell3_segment(pose.a, separator->index_a), b = cd_shell3_segment(pose.b, separator->index_b);
    cd_line_points3 nearest = cd_line_points3_make(&a, &b);
    if (!cd_line_points3_are_on_segments(&nearest, &a, &b))
        return false;
    *point_a = cd_segment3_at(&a, nearest.s);
    *point_b = cd_segment3_at(&b, nearest.t);
    return true;
}

// Two vertices and, of the edges themselves, their nearest points where these are on them: there the normal's own
// turning does not count (cd-peg-assemble), and friction acts where the bodies touch.
static void put_edge_points(cd_contact *contact, const cd_separator3 *separator, cd_separate3_pose pose,
                            const cd_separator_gap3 *gap)
{
    bool is_edges = gap->vertex_a == pose.a->edges->edge[separator->index_a].vertex[0] &&
                    gap->vertex_b == pose.b->edges->edge[separator->index_b].vertex[0];
    if (!is_edges || !nearest_on_edges(separator, pose, &contact->point_a, &contact->point_b)) {
        contact->point_a = cd_shell3_vertex(pose.a, gap->vertex_a);
        contact->point_b = cd_shell3_vertex(pose.b, gap->vertex_b);
    }
    contact->point = cd_scale3(0.5, cd_add3(contact->point_a, contact->point_b));
}

static cd_separator codes_of(const cd_separator3 *separator)
{
    if (separator->kind == CD_SEPARATOR3_EDGES)
        return (cd_separator){
            {cd_feature(CD_FEATURE_EDGE, separator->index_a), cd_feature(CD_FEATURE_EDGE, separator->index_b)},
            CD_ABSENT};
    bool is_of_b = separator->kind == CD_SEPARATOR3_FACE_B;
    int32_t face = cd_feature(CD_FEATURE_FACE, is_of_b ? separator->index_b : separator->index_a);
    return (cd_separator){{face, CD_FEATURE_NONE}, is_of_b ? CD_SIDE_B : CD_SIDE_A};
}

void cd_pair3_polyhedra_separating(const cd_pair3_input *input, cd_contacts *contacts)
{
    const cd_shell3 *const *a = input->a.shell, *const *b = input->b.shell;
    cd_separate3_input asked = {.start = {a[0], b[0]},
                                .predicted = {a[1], b[1]},
                                .current = {a[2], b[2]},
                                .reach = input->reach,
                                .slack = input->choice.slack,
                                .tolerance = input->choice.tolerance,
                                .at_start = input->choice.at_start};
    cd_separating3 chosen = cd_separate3_choose(&asked, input->scratch);
    const cd_separator3 *separator = &chosen.separator;
    cd_separator_gaps3 gaps = cd_separator3_gaps(separator, &asked, input->scratch);
    if (gaps.count == 0)
        return;
    double start = cd_separator3_separation(separator, asked.start);
    double bound = cd_contact_bound(chosen.bound, start, input->choice.tolerance);
    for (int32_t i = 0; i < gaps.count; i++) {
        const cd_separator_gap3 *gap = &gaps.gap[i];
        cd_contact contact = cd_contact_separating(gaps.normal, gap->gap, bound);
        contact.feature_a = cd_feature(CD_FEATURE_VERTEX, gap->vertex_a);
        contact.feature_b = cd_feature(CD_FEATURE_VERTEX, gap->vertex_b);
        contact.separator = codes_of(separator);
        if (separator->kind == CD_SEPARATOR3_EDGES)
            put_edge_points(&contact, separator, asked.current, gap);
        else if (separator->kind == CD_SEPARATOR3_FACE_A)
            cd_contact_put_vertex(&contact, cd_shell3_vertex(b[2], gap->vertex_b), false);
        else
            cd_contact_put_vertex(&contact, cd_shell3_vertex(a[2], gap->vertex_a), true);
        cd_list_push(input->arena, contacts, contact);
    }
}
