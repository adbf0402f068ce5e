// Polygon against half-plane: the true signed distance, and of contacts each vertex that is near. A half-plane has no
// corner to slide around: all vertices outside is the whole condition, and a resting edge needs both ends. Cost: O(n).
// SPDX-License-Identifier: MIT
#include "cd_pair2.h"
#include "pair_region.h"

static cd_distance2 gap(const cd_leaf2 *a, const cd_leaf2 *b)
{
    return cd_polygon_halfplane_distance(a->polygon, cd_leaf2_halfplane(b));
}

static double height_of(const cd_leaf2 *a, int32_t vertex, const cd_leaf2 *b)
{
    return cd_dot2(b->normal, a->polygon.vertex[vertex]) - b->offset;
}

// The vertices that are near at any pose.
static void potential(const cd_pair2_input *input, cd_contacts *contacts)
{
    const cd_pair2_part *a = &input->a, *b = &input->b;
    for (int32_t v = 0; v < a->current->polygon.count; v++) {
        double height = height_of(a->current, v, b->current);
        if (height > input->reach && height_of(a->start, v, b->start) > input->reach &&
            height_of(a->predicted, v, b->predicted) > input->reach)
            continue;
        cd_vec2 p = a->current->polygon.vertex[v];
        cd_distance2 distance = {.gap = height,
                                 .normal = cd_negate2(b->current->normal),
                                 .point_a = p,
                                 .point_b = cd_sub2(p, cd_scale2(height, b->current->normal)),
                                 .feature_a = {CD_FEATURE2_VERTEX, v},
                                 .feature_b = {CD_FEATURE2_NONE, -1}};
        cd_list_push(input->arena, contacts, cd_contact_of_distance2(CD_CONTACT_ANALYTIC, distance, input->epsilon));
    }
}

// The half-plane is the separator: the vertices that are within reach, all of them over it (pair_region.h).
static void separating(const cd_pair2_input *input, cd_contacts *contacts)
{
    const cd_pair2_part *a = &input->a, *b = &input->b;
    cd_vec2 outward = b->current->normal;
    double start = INFINITY;
    for (int32_t v = 0; v < a->start->polygon.count; v++)
        start = fmin(start, height_of(a->start, v, b->start));
    double bound = cd_contact_bound_of_gap(start, input->choice.tolerance);
    cd_shared_region region = cd_shared_region_make(input->scratch, input->reach, input->sway, a->current->extent);
    for (int32_t v = 0; v < a->current->polygon.count; v++) {
        double height = height_of(a->current, v, b->current);
        cd_vec2 p = a->current->polygon.vertex[v];
        cd_contact contact = cd_contact_separating(cd_vec3_of_plane(cd_negate2(outward)), height, bound);
        cd_contact_put_vertex(&contact, cd_vec3_of_plane(p), true);
        contact.separator.side = CD_SIDE_B;
        cd_shared_region_add(&region, &contact);
    }
    cd_shared_region_finish(&region, input->arena, contacts);
}

const cd_pair2 cd_pair2_polygon_halfplane = {
    .name = "polygon-halfspace", .is_closed_form = true, .gap = gap, .potential = potential, .separating = separating};
