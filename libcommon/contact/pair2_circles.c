// Circles of the plane: the true signed distance in closed form. Cost: O(1), O(n) with a polygon of n vertices.
// SPDX-License-Identifier: MIT
#include "cd_pair2.h"

static cd_distance2 polygon_circle(const cd_leaf2 *a, const cd_leaf2 *b)
{
    return cd_polygon_circle_distance(a->polygon, cd_leaf2_circle(b));
}
const cd_pair2 cd_pair2_polygon_circle = {.name = "polygon-circle", .is_closed_form = true, .gap = polygon_circle};

static cd_distance2 circle_circle(const cd_leaf2 *a, const cd_leaf2 *b)
{
    return cd_circle_circle_distance(cd_leaf2_circle(a), cd_leaf2_circle(b));
}
const cd_pair2 cd_pair2_circle_circle = {.name = "circle-circle", .is_closed_form = true, .gap = circle_circle};

static cd_distance2 circle_halfplane(const cd_leaf2 *a, const cd_leaf2 *b)
{
    return cd_circle_halfplane_distance(cd_leaf2_circle(a), cd_leaf2_halfplane(b));
}
const cd_pair2 cd_pair2_circle_halfplane = {
    .name = "circle-halfspace", .is_closed_form = true, .gap = circle_halfplane};
