// Closed forms of circles and half-planes, and of polygons against them: contacts of kind analytic with the true
// signed distance.
//
// One contact a pair, when the distance is within reach at the start, the predicted or the current pose; but a
// polygon meets a half-plane with each of its vertices that is within reach, because a half-plane has no corner to
// slide around: all its vertices outside is the whole condition, and a resting edge needs both ends. Cost: O(1), O(n)
// with a polygon of n vertices.
// SPDX-License-Identifier: MIT
#include "narrow_method.h"

static void nearest_potential(const cd_narrow_input *input, cd_contacts *contacts)
{
    const cd_narrow_part *a = &input->a, *b = &input->b;
    const cd_gap2_pair *pair = cd_gap2_pair_for(a->current->kind, b->current->kind);
    cd_distance2 now = cd_gap2_measure(pair, a->current, b->current);
    bool is_near = !(now.gap > input->reach && cd_gap2_measure(pair, a->start, b->start).gap > input->reach &&
                     cd_gap2_measure(pair, a->predicted, b->predicted).gap > input->reach);
    if (is_near)
        cd_list_push(input->arena, contacts, cd_narrow_from_distance(CD_CONTACT_ANALYTIC, now, input->epsilon));
}

// The signed distance, with the bound of bodies that overlap at the start.
static void nearest_separating(const cd_narrow_input *input, cd_contacts *contacts)
{
    const cd_leaf2 *a = input->a.start, *b = input->b.start;
    int32_t before = contacts->count;
    nearest_potential(input, contacts);
    double start = cd_gap2_measure(cd_gap2_pair_for(a->kind, b->kind), a, b).gap;
    if (contacts->count > before)
        contacts->item[before].bound = cd_contact_bound_of_gap(start, input->choice.tolerance);
}

#define NEAREST nearest_potential, nearest_separating, NULL
const cd_narrow_pair cd_narrow_polygon_circle = {CD_SHAPE_POLYGON, CD_SHAPE_SPHERE, NEAREST};
const cd_narrow_pair cd_narrow_circle_circle = {CD_SHAPE_SPHERE, CD_SHAPE_SPHERE, NEAREST};
const cd_narrow_pair cd_narrow_circle_halfplane = {CD_SHAPE_SPHERE, CD_SHAPE_HALFSPACE, NEAREST};

// ---- polygon, half-plane -------------------------------------------------------------------------------------------

static double height_of(const cd_leaf2 *a, int32_t vertex, const cd_leaf2 *b)
{
    return cd_dot2(b->normal, a->polygon.vertex[vertex]) - b->offset;
}
static void polygon_halfplane_potential(const cd_narrow_input *input, cd_contacts *contacts)
{
    const cd_narrow_part *a = &input->a, *b = &input->b;
    for (int32_t v = 0; v < a->current->polygon.count; v++) {
        double gap = height_of(a->current, v, b->current);
        if (gap > input->reach && height_of(a->start, v, b->start) > input->reach &&
            height_of(a->predicted, v, b->predicted) > input->reach)
            continue;
        cd_vec2 p = a->current->polygon.vertex[v];
        cd_distance2 contact = {.gap = gap,
                                .normal = cd_negate2(b->current->normal),
                                .point_a = p,
                                .point_b = cd_sub2(p, cd_scale2(gap, b->current->normal)),
                                .feature_a = {CD_FEATURE2_VERTEX, v},
                                .feature_b = {CD_FEATURE2_NONE, -1}};
        cd_list_push(input->arena, contacts, cd_narrow_from_distance(CD_CONTACT_ANALYTIC, contact, input->epsilon));
    }
}

// The half-plane is the separator: all vertices within reach now, or behind it at the predicted pose.
static void polygon_halfplane_separating(const cd_narrow_input *input, cd_contacts *contacts)
{
    const cd_leaf2 *a = input->a.current, *b = input->b.current;
    double start = INFINITY;
    for (int32_t v = 0; v < a->polygon.count; v++)
        start = fmin(start, height_of(input->a.start, v, input->b.start));
    double bound = cd_contact_bound_of_gap(start, input->choice.tolerance);
    for (int32_t v = 0; v < a->polygon.count; v++) {
        double gap = height_of(a, v, b);
        if (gap > input->reach && height_of(input->a.predicted, v, input->b.predicted) >= 0)
            continue;
        cd_vec2 p = a->polygon.vertex[v];
        cd_contact contact = cd_contact_none();
        contact.kind = CD_CONTACT_SEPARATING;
        contact.point = contact.point_a = cd_vec3_of_plane(p);
        contact.point_b = cd_vec3_of_plane(cd_sub2(p, cd_scale2(gap, b->normal)));
        contact.normal = cd_vec3_of_plane(cd_negate2(b->normal));
        contact.gap = gap;
        contact.separator.side = CD_SIDE_B;
        contact.bound = bound;
        cd_list_push(input->arena, contacts, contact);
    }
}
const cd_narrow_pair cd_narrow_polygon_halfplane = {CD_SHAPE_POLYGON, CD_SHAPE_HALFSPACE, polygon_halfplane_potential,
                                                    polygon_halfplane_separating, NULL};
