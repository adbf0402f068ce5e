// SPDX-License-Identifier: MIT
#include "cd_ellipsoid_hull.h"

#include "cd_ellipsoid_point.h"

// All in the ellipsoid's own axes, about its centre.
typedef struct search {
    cd_vec3 semiaxes;
    int32_t count;
    const cd_vec3 *corner;
    double gap;  // the greatest so far
    cd_vec3 normal;
    int32_t feature;
    bool is_degenerate;
} search;

static double width(const search *s, cd_vec3 n)
{
    return cd_length3((cd_vec3){s->semiaxes.x * n.x, s->semiaxes.y * n.y, s->semiaxes.z * n.z});
}

// A direction along which one of the hull's corners is `nearest`.
static void try_normal(search *s, cd_vec3 n, cd_vec3 nearest, int32_t feature, bool is_degenerate)
{
    const double own = width(s, n);
    double least = cd_dot3(n, nearest);
    if (!(least - own > s->gap))
        return;
    for (int32_t i = 0; i < s->count; i++)
        least = fmin(least, cd_dot3(n, s->corner[i]));
    if (!(least - own > s->gap))
        return;
    s->gap = least - own;
    s->normal = n;
    s->feature = feature;
    s->is_degenerate = is_degenerate;
}

static void try_corner(search *s, cd_vec3 p, int32_t feature)
{
    cd_vec3 normal[CD_ELLIPSOID_FEET];
    bool is_degenerate;
    const int count = cd_ellipsoid_feet(s->semiaxes, p, normal, &is_degenerate);
    for (int k = 0; k < count; k++)
        try_normal(s, normal[k], p, feature, is_degenerate);
}

// Across a unit vector the ellipsoid is an ellipse: its half axes, orthogonal, in the plane's own coordinates are found
// by turning the plane's axes e until the rows a_i e_i are orthogonal (Hestenes 1958).
static void turn_to_ellipse(const search *s, cd_vec3 e[2], double semiaxis[2])
{
    cd_vec3 row[2];
    for (int i = 0; i < 2; i++)
        row[i] = (cd_vec3){s->semiaxes.x * e[i].x, s->semiaxes.y * e[i].y, s->semiaxes.z * e[i].z};
    const double both = cd_dot3(row[0], row[1]);
    if (both != 0) {
        const double ratio = (cd_dot3(row[1], row[1]) - cd_dot3(row[0], row[0])) / (2 * both);
        const double t = (ratio < 0 ? -1 : 1) / (fabs(ratio) + sqrt(1 + ratio * ratio)), c = 1 / sqrt(1 + t * t);
        const cd_vec3 first = e[0], row_first = row[0];
        e[0] = cd_scale3(c, cd_sub3(first, cd_scale3(t, e[1])));
        e[1] = cd_scale3(c, cd_add3(e[1], cd_scale3(t, first)));
        row[0] = cd_scale3(c, cd_sub3(row_first, cd_scale3(t, row[1])));
        row[1] = cd_scale3(c, cd_add3(row[1], cd_scale3(t, row_first)));
    }
    semiaxis[0] = cd_length3(row[0]);
    semiaxis[1] = cd_length3(row[1]);
}

static void try_edge(search *s, cd_vec3 p, cd_vec3 q, int32_t feature)
{
    const cd_vec3 along = cd_unit3(cd_sub3(q, p));
    if (!(cd_dot3(along, along) > 0.5))
        return;                             // both corners are one place
    const bool is_x = fabs(along.x) < 0.6;  // one of three components of a unit vector is
    cd_vec3 e[2];
    e[0] = cd_unit3(cd_cross3(along, is_x ? (cd_vec3){1, 0, 0} : (cd_vec3){0, 1, 0}));
    e[1] = cd_cross3(along, e[0]);
    double semiaxis[2];
    turn_to_ellipse(s, e, semiaxis);
    const cd_vec3 in_plane = {cd_dot3(e[0], p), cd_dot3(e[1], p), 0};
    cd_vec3 normal[CD_ELLIPSOID_FEET];
    bool is_degenerate;
    const int count = cd_ellipsoid_feet((cd_vec3){semiaxis[0], semiaxis[1], fmax(semiaxis[0], semiaxis[1])}, in_plane,
                                        normal, &is_degenerate);
    for (int k = 0; k < count; k++) {
        cd_vec3 n = cd_unit3(cd_add3(cd_scale3(normal[k].x, e[0]), cd_scale3(normal[k].y, e[1])));
        try_normal(s, n, p, feature, is_degenerate);
    }
}

// outward: of the hull, unit.
static void try_face(search *s, cd_vec3 outward, cd_vec3 p, int32_t feature, bool is_degenerate)
{
    if (cd_dot3(outward, outward) > 0.5)  // a face without area has no normal
        try_normal(s, cd_negate3(outward), p, feature, is_degenerate);
}

// Both sides of a triangle.
static void try_triangle(search *s, const cd_vec3 corner[3])
{
    const cd_vec3 n = cd_unit3(cd_cross3(cd_sub3(corner[1], corner[0]), cd_sub3(corner[2], corner[0])));
    const bool is_degenerate = cd_dot3(n, corner[0]) == 0;
    try_face(s, n, corner[0], cd_feature(CD_FEATURE_FACE, 0), is_degenerate);
    try_face(s, cd_negate3(n), corner[0], cd_feature(CD_FEATURE_FACE, 0), is_degenerate);
}

static cd_vec3 own_of(const cd_ellipsoid *e, cd_vec3 p) { return cd_mat3_apply_back(e->axes, cd_sub3(p, e->centre)); }

static cd_ellipsoid_hull found(const search *s, const cd_ellipsoid *e)
{
    const cd_vec3 n = s->normal, a = e->semiaxes;
    const cd_vec3 on_ball = cd_unit3((cd_vec3){a.x * n.x, a.y * n.y, a.z * n.z});
    cd_ellipsoid_hull hull = {.gap = s->gap,
                              .normal = cd_mat3_apply(e->axes, n),
                              .point_ellipsoid = cd_ellipsoid_from_ball(e, on_ball),
                              .feature = s->feature,
                              .is_degenerate = s->is_degenerate};
    hull.point_hull = cd_add3(hull.point_ellipsoid, cd_scale3(hull.gap, hull.normal));
    return hull;
}

cd_ellipsoid_hull cd_ellipsoid_corners(const cd_ellipsoid *e, const cd_vec3 *corner, int32_t count)
{
    cd_vec3 own[3];
    for (int32_t i = 0; i < count; i++)
        own[i] = own_of(e, corner[i]);
    search s = {.semiaxes = e->semiaxes, .count = count, .corner = own, .gap = -INFINITY};
    if (count == 3)
        try_triangle(&s, own);
    for (int32_t i = 0; i < (count == 3 ? 3 : count - 1); i++)
        try_edge(&s, own[i], own[(i + 1) % count], cd_feature(CD_FEATURE_EDGE, i));
    for (int32_t i = 0; i < count; i++)
        try_corner(&s, own[i], cd_feature(CD_FEATURE_VERTEX, i));
    return found(&s, e);
}

static search search_of(const cd_ellipsoid *e, const cd_convex3 *convex, cd_vec3 *own)
{
    for (int32_t i = 0; i < convex->vertex_count; i++)
        own[i] = own_of(e, cd_convex3_vertex(convex, i));
    return (search){.semiaxes = e->semiaxes, .count = convex->vertex_count, .corner = own, .gap = -INFINITY};
}

cd_ellipsoid_hull cd_ellipsoid_convex(const cd_ellipsoid *e, const cd_convex3 *convex, cd_arena *scratch)
{
    const cd_arena_mark mark = cd_arena_get_mark(scratch);
    search s = search_of(e, convex, CD_ARENA_ARRAY(scratch, cd_vec3, convex->vertex_count));
    for (int32_t f = 0; f < convex->face_count; f++) {
        const cd_vec3 outward = cd_mat3_apply_back(e->axes, cd_convex3_normal(convex, f));
        try_face(&s, outward, s.corner[convex->face_vertex[convex->face_first[f]]], cd_feature(CD_FEATURE_FACE, f),
                 false);
    }
    for (int32_t i = 0; i < convex->edge_count; i++) {
        const cd_edge3 edge = cd_convex3_edge(convex, i);
        try_edge(&s, s.corner[edge.vertex[0]], s.corner[edge.vertex[1]], CD_FEATURE_NONE);
    }
    for (int32_t v = 0; v < s.count; v++)
        try_corner(&s, s.corner[v], cd_feature(CD_FEATURE_VERTEX, v));
    const cd_ellipsoid_hull hull = found(&s, e);
    cd_arena_rewind(scratch, mark);
    return hull;
}
