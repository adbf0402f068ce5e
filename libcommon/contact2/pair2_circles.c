// Circles of the plane: the true signed distance in closed form. Cost: O(1), O(n) with a polygon of n vertices.
//
// A circle or an ellipse has one contact with a polygon, at its nearest point. Where that point is in another part of
// the polygon's body it is that body's nearest point only if no such part is nearer: else the contact, whose normal
// leans against what rolls over the parts' meeting place, is left out. Of equally near parts one is kept. What is left
// out of a round and is needed all the same overlaps at the next one's trial, as the nearest part, and is taken in
// then.
// SPDX-License-Identifier: MIT
#include "pair2_polygons.h"

#include "cd_feature2.h"
#include "pair_region.h"

static cd_distance2 polygon_circle(const cd_leaf2 *a, const cd_leaf2 *b)
{
    return cd_polygon_circle_distance(a->polygon, cd_leaf2_circle(b));
}

enum { START, PREDICTED, CURRENT };

static const cd_leaf2 *leaf_at(const cd_pair2_part *part, int pose)
{
    return pose == START ? part->start : pose == PREDICTED ? part->predicted : part->current;
}

static bool is_covered_at(const cd_covers2 *covers, int pose, cd_vec2 p, double near)
{
    for (int32_t i = 0; i < covers->count; i++)
        if (cd_seam2_is_in(leaf_at(&covers->part[i], pose)->polygon, p, near))
            return true;
    return false;
}

static cd_distance2 polygon_round(const cd_leaf2 *a, const cd_leaf2 *b)
{
    return cd_pair2_gap(cd_pair2_for(a->kind, b->kind), a, b);
}

// [m] A round part whose centre is in the polygon overlaps it by at least this.
static double least_radius(const cd_leaf2 *b)
{
    return b->kind == CD_SHAPE_SPHERE ? cd_leaf2_circle(b).radius : fmin(b->semiaxes.x, b->semiaxes.y);
}

// Of a circle whose centre is in the polygon: the least way out that does not lead on into a part beside it.
static cd_distance2 way_out(const cd_pair2_input *input, int pose, cd_distance2 gap)
{
    if (leaf_at(&input->b, pose)->kind != CD_SHAPE_SPHERE)
        return gap;
    cd_circle b = cd_leaf2_circle(leaf_at(&input->b, pose));
    if (!(gap.gap <= -b.radius))
        return gap;
    cd_polygon a = leaf_at(&input->a, pose)->polygon;
    double near = CD_SEAM_NEAR * input->choice.tolerance, least = -INFINITY;
    for (int32_t e = 0; e < a.count; e++) {
        cd_edge2 line = cd_polygon_edge(a, e);
        double height = cd_dot2(line.normal, cd_sub2(b.centre, line.start));
        cd_vec2 foot = cd_sub2(b.centre, cd_scale2(height, line.normal));
        if (height <= least ||
            is_covered_at(&input->a.covers, pose, cd_add2(foot, cd_scale2(2 * near, line.normal)), near))
            continue;
        least = height;
        gap = (cd_distance2){.gap = height - b.radius,
                             .normal = line.normal,
                             .point_a = foot,
                             .point_b = cd_sub2(b.centre, cd_scale2(b.radius, line.normal)),
                             .feature_a = {CD_FEATURE2_EDGE, e},
                             .feature_b = gap.feature_b};
    }
    return gap;
}

// The gap of the nearer part [m] that the polygon's nearest point is in; INFINITY: there is none.
static double gap_of_cover(const cd_pair2_input *input, int pose, const cd_distance2 *own)
{
    const cd_covers2 *covers = &input->a.covers;
    const cd_leaf2 *b = leaf_at(&input->b, pose);
    double near = CD_SEAM_NEAR * input->choice.tolerance, least = INFINITY;
    for (int32_t i = 0; own->gap > -least_radius(b) && i < covers->count; i++) {
        const cd_leaf2 *part = leaf_at(&covers->part[i], pose);
        if (!cd_seam2_is_in(part->polygon, own->point_a, near))
            continue;
        double gap = polygon_round(part, b).gap;
        if (gap < own->gap || (gap == own->gap && i < covers->before))
            least = fmin(least, gap);
    }
    return least;
}

static cd_distance2 gap_at(const cd_pair2_input *input, int pose)
{
    return polygon_round(leaf_at(&input->a, pose), leaf_at(&input->b, pose));
}

void cd_pair2_polygon_round_separating(const cd_pair2_input *input, cd_contacts *contacts)
{
    cd_distance2 now = gap_at(input, CURRENT), start = gap_at(input, START);
    // a gap that is NaN counts as near (cd_pair3.c)
    if (now.gap > input->reach && start.gap > input->reach && gap_at(input, PREDICTED).gap > input->reach)
        return;
    if (input->a.covers.count > 0) {
        now = way_out(input, CURRENT, now);
        start = way_out(input, START, start);
        if (gap_of_cover(input, CURRENT, &now) < INFINITY)
            return;
        start.gap = fmin(start.gap, gap_of_cover(input, START, &start));
    }
    cd_contact contact = cd_contact_of_distance2(CD_CONTACT_ANALYTIC, now, input->epsilon);
    contact.bound = cd_contact_bound_of_gap(start.gap, input->choice.tolerance);
    cd_list_push(input->arena, contacts, contact);
}
const cd_pair2 cd_pair2_polygon_circle = {.name = "polygon-circle",
                                          .is_closed_form = true,
                                          .gap = polygon_circle,
                                          .separating = cd_pair2_polygon_round_separating};

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
