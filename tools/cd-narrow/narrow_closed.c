// Closed forms of circles and half-planes, and of polygons against them: contacts of kind analytic with the true
// signed distance.
//
// One contact a pair, when the distance is within reach at the start, the predicted or the current pose; but a
// polygon meets a half-plane with each of its vertices that is within reach, because a half-plane has no corner to
// slide around: all its vertices outside is the whole condition, and a resting edge needs both ends. Cost: O(1), O(n)
// with a polygon of n vertices.
// SPDX-License-Identifier: MIT
#include "cd_closed2.h"
#include "narrow_method.h"

static cd_circle circle_of(const cd_leaf2 *leaf) { return (cd_circle){leaf->centre, leaf->radius}; }
static cd_halfplane halfplane_of(const cd_leaf2 *leaf) { return (cd_halfplane){leaf->normal, leaf->offset}; }

typedef cd_distance2 distance_kernel(const cd_leaf2 *a, const cd_leaf2 *b);

static void nearest_potential(const cd_narrow_input *input, distance_kernel *kernel, cd_narrow_contacts *contacts)
{
    cd_distance2 now = kernel(input->a.current, input->b.current);
    bool is_near = now.gap <= input->reach || kernel(input->a.start, input->b.start).gap <= input->reach ||
                   kernel(input->a.predicted, input->b.predicted).gap <= input->reach;
    if (is_near)
        cd_list_push(input->arena, contacts, cd_narrow_from_distance(CD_CONTACT_ANALYTIC, now, input->epsilon));
}

// ---- polygon, circle --------------------------------------------------------------------------------------------

static cd_distance2 polygon_circle(const cd_leaf2 *a, const cd_leaf2 *b)
{
    return cd_polygon_circle_distance(a->polygon, circle_of(b));
}
static void polygon_circle_potential(const cd_narrow_input *input, cd_narrow_contacts *contacts)
{
    nearest_potential(input, polygon_circle, contacts);
}
const cd_narrow_pair cd_narrow_polygon_circle = {
    "polygon-circle", CD_SHAPE_POLYGON, CD_SHAPE_SPHERE, true, polygon_circle_potential, polygon_circle, NULL};

// ---- polygon, half-plane ----------------------------------------------------------------------------------------

static cd_distance2 polygon_halfplane(const cd_leaf2 *a, const cd_leaf2 *b)
{
    return cd_polygon_halfplane_distance(a->polygon, halfplane_of(b));
}
static double height_of(const cd_leaf2 *a, int32_t vertex, const cd_leaf2 *b)
{
    return cd_dot2(b->normal, a->polygon.vertex[vertex]) - b->offset;
}
static void polygon_halfplane_potential(const cd_narrow_input *input, cd_narrow_contacts *contacts)
{
    const cd_narrow_part *a = &input->a, *b = &input->b;
    for (int32_t v = 0; v < a->current->polygon.count; v++) {
        double gap = height_of(a->current, v, b->current);
        if (!(gap <= input->reach || height_of(a->start, v, b->start) <= input->reach ||
              height_of(a->predicted, v, b->predicted) <= input->reach))
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
const cd_narrow_pair cd_narrow_polygon_halfplane = {
    "polygon-halfspace", CD_SHAPE_POLYGON, CD_SHAPE_HALFSPACE, true,
    polygon_halfplane_potential, polygon_halfplane, NULL};

// ---- circles ----------------------------------------------------------------------------------------------------

static cd_distance2 circle_circle(const cd_leaf2 *a, const cd_leaf2 *b)
{
    return cd_circle_circle_distance(circle_of(a), circle_of(b));
}
static void circle_circle_potential(const cd_narrow_input *input, cd_narrow_contacts *contacts)
{
    nearest_potential(input, circle_circle, contacts);
}
const cd_narrow_pair cd_narrow_circle_circle = {
    "circle-circle", CD_SHAPE_SPHERE, CD_SHAPE_SPHERE, true, circle_circle_potential, circle_circle, NULL};

static cd_distance2 circle_halfplane(const cd_leaf2 *a, const cd_leaf2 *b)
{
    return cd_circle_halfplane_distance(circle_of(a), halfplane_of(b));
}
static void circle_halfplane_potential(const cd_narrow_input *input, cd_narrow_contacts *contacts)
{
    nearest_potential(input, circle_halfplane, contacts);
}
const cd_narrow_pair cd_narrow_circle_halfplane = {
    "circle-halfspace", CD_SHAPE_SPHERE, CD_SHAPE_HALFSPACE, true, circle_halfplane_potential, circle_halfplane, NULL};
