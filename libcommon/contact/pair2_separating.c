// Two polygons: the contacts of their separator (cd_separate2.h); as of polyhedra, see pair3_separating.c.
// SPDX-License-Identifier: MIT
#include "cd_feature2.h"
#include "cd_separate2.h"
#include "pair2_polygons.h"

static cd_contact contact_of_edge(const cd_pair2_input *input, cd_separating2 chosen, cd_edge2 line, double bound,
                                  int32_t vertex)
{
    bool is_of_b = chosen.separator.is_of_b;
    cd_polygon owner = is_of_b ? input->b.current->polygon : input->a.current->polygon;
    cd_polygon other = is_of_b ? input->a.current->polygon : input->b.current->polygon;
    int32_t end = cd_polygon_next(owner, chosen.separator.edge), edge = chosen.separator.edge;
    int32_t corner = cd_feature(CD_FEATURE_VERTEX, end < edge ? end : edge);
    int32_t of_vertex = cd_feature(CD_FEATURE_VERTEX, vertex);
    cd_vec2 p = other.vertex[vertex];
    double psi = cd_dot2(line.normal, cd_sub2(p, line.start));
    cd_vec2 normal = is_of_b ? cd_negate2(line.normal) : line.normal;
    cd_contact contact = cd_contact_separating(cd_vec3_of_plane(normal), psi, bound);
    cd_contact_put_vertex(&contact, cd_vec3_of_plane(p), is_of_b);
    contact.feature_a = is_of_b ? of_vertex : corner;
    contact.feature_b = is_of_b ? corner : of_vertex;
    contact.separator.code[0] = cd_feature(CD_FEATURE_EDGE, edge);
    contact.separator.side = is_of_b ? CD_SIDE_B : CD_SIDE_A;
    return contact;
}

void cd_pair2_polygons_separating(const cd_pair2_input *input, cd_contacts *contacts)
{
    const cd_pair2_part *a = &input->a, *b = &input->b;
    cd_separate2_input asked = {.start = {a->start->polygon, b->start->polygon},
                                .predicted = {a->predicted->polygon, b->predicted->polygon},
                                .current = {a->current->polygon, b->current->polygon},
                                .reach = input->reach,
                                .slack = input->choice.slack,
                                .tolerance = input->choice.tolerance,
                                .at_start = input->choice.at_start};
    cd_separating2 chosen = cd_separate2_choose(&asked, input->scratch);
    if (chosen.separator.edge < 0)
        return;
    bool is_of_b = chosen.separator.is_of_b;
    cd_edge2 line = cd_polygon_edge(is_of_b ? b->current->polygon : a->current->polygon, chosen.separator.edge);
    cd_edge2 line_predicted =
        cd_polygon_edge(is_of_b ? b->predicted->polygon : a->predicted->polygon, chosen.separator.edge);
    int32_t count = is_of_b ? a->current->polygon.count : b->current->polygon.count;
    double start = cd_separator2_separation(&chosen.separator, asked.start);
    double bound = cd_contact_bound(chosen.bound, start, input->choice.tolerance);
    for (int32_t v = 0; v < count; v++) {
        cd_contact contact = contact_of_edge(input, chosen, line, bound, v);
        cd_vec2 p = is_of_b ? a->predicted->polygon.vertex[v] : b->predicted->polygon.vertex[v];
        if (!(contact.gap > input->reach && cd_dot2(line_predicted.normal, cd_sub2(p, line_predicted.start)) >= 0))
            cd_list_push(input->arena, contacts, contact);
    }
}
