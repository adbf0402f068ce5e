// Ellipses of the plane. An ellipse is an ellipsoid of space that is cut where it is widest (cd_ellipsoid.h): what is
// asked of two of them, or of one and a circle, lies in the plane, because the third axis is nowhere the shortest.
// Cost: O(1), O(n^2) with a polygon of n vertices, of which most are left out after O(n).
// SPDX-License-Identifier: MIT
#include "cd_pair3.h"
#include "pair2_polygons.h"

#include "cd_ellipsoid_point.h"
#include "cd_feature2.h"

static const cd_feature2 no_feature = {CD_FEATURE2_NONE, -1};

static cd_vec2 in_plane(cd_vec3 v) { return (cd_vec2){v.x, v.y}; }

static double largest(const cd_leaf2 *e) { return fmax(e->semiaxes.x, e->semiaxes.y); }

// Of a third semiaxis `height` [m]; `axes` is where the result's are written to.
static cd_ellipsoid ellipsoid_of(const cd_leaf2 *e, double height, cd_mat3 *axes)
{
    *axes = (cd_mat3){{{e->cosine, -e->sine, 0}, {e->sine, e->cosine, 0}, {0, 0, 1}}};
    return (cd_ellipsoid){cd_vec3_of_plane(e->centre), {e->semiaxes.x, e->semiaxes.y, height}, axes};
}

// ---- two ellipses --------------------------------------------------------------------------------------------------

typedef struct both {
    cd_mat3 axes[2];
    cd_ellipsoid a, b;
} both;

static void both_of(const cd_leaf2 *a, const cd_leaf2 *b, both *of)
{
    const double height = fmax(largest(a), largest(b));
    of->a = ellipsoid_of(a, height, &of->axes[0]);
    of->b = ellipsoid_of(b, height, &of->axes[1]);
}

static cd_distance2 distance_of(const both *of, const cd_perram *known)
{
    const cd_gap3 found = cd_gap3_ellipsoids(&of->a, &of->b, known);
    return (cd_distance2){.gap = found.gap,
                          .normal = in_plane(found.normal),
                          .point_a = in_plane(found.point_a),
                          .point_b = in_plane(found.point_b),
                          .feature_a = no_feature,
                          .feature_b = no_feature,
                          .is_degenerate = found.is_degenerate,
                          .has_potential = true,
                          .potential = found.potential,
                          .lambda = found.lambda};
}

static cd_distance2 ellipse_ellipse(const cd_leaf2 *a, const cd_leaf2 *b)
{
    both of;
    both_of(a, b, &of);
    return distance_of(&of, NULL);
}

static bool is_near_at(const cd_leaf2 *a, const cd_leaf2 *b, const cd_pair2_input *input)
{
    const bool is_reported = a == input->a.current && b == input->b.current;
    both of;
    both_of(a, b, &of);
    return !is_reported && !(cd_perram_of(&of.a, &of.b, 0).gap > input->reach);
}

// As of ellipsoids (pair3_ellipsoids.c).
static void potential(const cd_pair2_input *input, cd_contacts *contacts)
{
    both of;
    both_of(input->a.current, input->b.current, &of);
    const cd_perram perram = cd_perram_of(&of.a, &of.b, 0);
    const bool is_near = !(perram.gap > input->reach) || is_near_at(input->a.start, input->b.start, input) ||
                         is_near_at(input->a.predicted, input->b.predicted, input);
    if (!is_near)
        return;
    if (!input->wants_true_gap && !perram.is_concentric) {
        cd_list_push(input->arena, contacts, cd_contact_of_perram(&perram, input->epsilon));
        return;
    }
    const cd_contact_kind kind = input->wants_true_gap ? CD_CONTACT_DEPTH : CD_CONTACT_ANALYTIC;
    cd_list_push(input->arena, contacts, cd_contact_of_distance2(kind, distance_of(&of, &perram), input->epsilon));
}

const cd_pair2 cd_pair2_ellipse_ellipse = {.name = "ellipse-ellipse", .gap = ellipse_ellipse, .potential = potential};

// ---- with a circle, a half-plane -----------------------------------------------------------------------------------

static cd_distance2 circle_ellipse(const cd_leaf2 *a, const cd_leaf2 *b)
{
    cd_mat3 axes;
    const cd_ellipsoid ellipsoid = ellipsoid_of(b, largest(b), &axes);
    const cd_ellipsoid_foot found = cd_ellipsoid_point(&ellipsoid, cd_vec3_of_plane(a->centre));
    const cd_vec2 normal = cd_negate2(in_plane(found.normal));
    return (cd_distance2){.gap = found.gap - a->radius,
                          .normal = normal,
                          .point_a = cd_add2(a->centre, cd_scale2(a->radius, normal)),
                          .point_b = in_plane(found.foot),
                          .feature_a = no_feature,
                          .feature_b = no_feature,
                          .is_degenerate = found.is_degenerate};
}

const cd_pair2 cd_pair2_circle_ellipse = {.name = "circle-ellipse", .is_closed_form = true, .gap = circle_ellipse};

static cd_vec2 to_own(const cd_leaf2 *e, cd_vec2 v)
{
    return (cd_vec2){e->cosine * v.x + e->sine * v.y, e->cosine * v.y - e->sine * v.x};
}
static cd_vec2 from_own(const cd_leaf2 *e, cd_vec2 v)
{
    return (cd_vec2){e->cosine * v.x - e->sine * v.y, e->sine * v.x + e->cosine * v.y};
}

// From the centre, the farthest along a unit vector; and how far that is [m].
static cd_vec2 support_of(const cd_leaf2 *e, cd_vec2 n, double *width)
{
    const cd_vec2 own = to_own(e, n), heights = {own.x * e->semiaxes.x, own.y * e->semiaxes.y};
    *width = cd_length2(heights);
    return from_own(e, (cd_vec2){heights.x * e->semiaxes.x / *width, heights.y * e->semiaxes.y / *width});
}

static cd_distance2 ellipse_halfplane(const cd_leaf2 *a, const cd_leaf2 *b)
{
    double width;
    const cd_vec2 inward = cd_negate2(b->normal), lowest = cd_add2(a->centre, support_of(a, inward, &width));
    const double gap = cd_dot2(b->normal, a->centre) - b->offset - width;
    return (cd_distance2){.gap = gap,
                          .normal = inward,
                          .point_a = lowest,
                          .point_b = cd_add2(lowest, cd_scale2(gap, inward)),
                          .feature_a = no_feature,
                          .feature_b = no_feature};
}

const cd_pair2 cd_pair2_ellipse_halfplane = {
    .name = "ellipse-halfspace", .is_closed_form = true, .gap = ellipse_halfplane};

// ---- with a polygon ------------------------------------------------------------------------------------------------

// The greatest separation so far, along n from the ellipse to the polygon (cd_ellipsoid_hull.h).
typedef struct search {
    cd_polygon polygon;
    const cd_leaf2 *e;
    double gap;
    cd_vec2 normal;
    cd_feature2 feature;
    bool is_degenerate;
} search;

static void try_normal(search *s, cd_vec2 n, cd_vec2 nearest, cd_feature2 feature, bool is_degenerate)
{
    double width;
    support_of(s->e, n, &width);
    double least = cd_dot2(n, cd_sub2(nearest, s->e->centre));
    if (!(least - width > s->gap))
        return;
    for (int32_t v = 0; v < s->polygon.count; v++)
        least = fmin(least, cd_dot2(n, cd_sub2(s->polygon.vertex[v], s->e->centre)));
    if (!(least - width > s->gap))
        return;
    s->gap = least - width;
    s->normal = n;
    s->feature = feature;
    s->is_degenerate = is_degenerate;
}

static search search_of(const cd_leaf2 *polygon, const cd_leaf2 *e)
{
    search s = {.polygon = polygon->polygon, .e = e, .gap = -INFINITY, .feature = no_feature};
    for (int32_t i = 0; i < s.polygon.count; i++) {
        const cd_edge2 edge = cd_polygon_edge(s.polygon, i);
        try_normal(&s, cd_negate2(edge.normal), edge.start, (cd_feature2){CD_FEATURE2_EDGE, i}, false);
    }
    for (int32_t v = 0; v < s.polygon.count; v++) {
        const cd_vec2 p = s.polygon.vertex[v];
        cd_vec3 normal[CD_ELLIPSOID_FEET];
        bool is_degenerate;
        const int count = cd_ellipsoid_feet((cd_vec3){e->semiaxes.x, e->semiaxes.y, largest(e)},
                                            cd_vec3_of_plane(to_own(e, cd_sub2(p, e->centre))), normal, &is_degenerate);
        for (int k = 0; k < count; k++)
            try_normal(&s, from_own(e, in_plane(normal[k])), p, (cd_feature2){CD_FEATURE2_VERTEX, v}, is_degenerate);
    }
    return s;
}

static cd_distance2 polygon_ellipse(const cd_leaf2 *a, const cd_leaf2 *b)
{
    const search s = search_of(a, b);
    double width;
    const cd_vec2 on_ellipse = cd_add2(b->centre, support_of(b, s.normal, &width));
    return (cd_distance2){.gap = s.gap,
                          .normal = cd_negate2(s.normal),
                          .point_a = cd_add2(on_ellipse, cd_scale2(s.gap, s.normal)),
                          .point_b = on_ellipse,
                          .feature_a = s.feature,
                          .feature_b = no_feature,
                          .is_degenerate = s.is_degenerate};
}

const cd_pair2 cd_pair2_polygon_ellipse = {.name = "polygon-ellipse",
                                           .is_closed_form = true,
                                           .gap = polygon_ellipse,
                                           .separating = cd_pair2_polygon_round_separating};
