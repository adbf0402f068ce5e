// The nearest point of one triangle to a ball's centre, and the forms that all of surface_site.h shares.
// SPDX-License-Identifier: MIT
#include "surface_site.h"

// [1] squared, of the triangle's longest edge: a distance of no more is rounding, and the centre is in the triangle.
#define IN_TRIANGLE_SQ 1e-31

// ---- forms ---------------------------------------------------------------------------------------------------------

cd_surface_ball cd_surface_sphere(cd_vec3 centre, double radius)
{
    return (cd_surface_ball){.centre = centre, .radius = radius};
}

cd_surface_ball cd_surface_ellipsoid(const cd_ellipsoid *ellipsoid)
{
    cd_surface_ball ball = {.centre = ellipsoid->centre, .radius = 1, .is_ellipsoid = true};
    cd_half_axes half = cd_ellipsoid_half_axes(ellipsoid);
    for (int k = 0; k < 3; k++)
        ball.to_ball.row[k] = cd_scale3(1 / cd_dot3(half.axis[k], half.axis[k]), half.axis[k]);
    cd_mat3 columns = {{half.axis[0], half.axis[1], half.axis[2]}};
    ball.from_ball = cd_mat3_transpose(&columns);
    return ball;
}

// longest: square of the longest edge. (fmax is a call.)
static cd_vec3 area_of(const cd_vec3 corner[3], double *longest)
{
    cd_vec3 ab = cd_sub3(corner[1], corner[0]), ac = cd_sub3(corner[2], corner[0]), bc = cd_sub3(ac, ab);
    cd_vec3 area = cd_cross3(ab, ac);
    double of_ab = cd_dot3(ab, ab), of_ac = cd_dot3(ac, ac), of_bc = cd_dot3(bc, bc);
    double most = of_ab > of_ac ? of_ab : of_ac;
    *longest = most > of_bc ? most : of_bc;
    return cd_dot3(area, area) <= CD_FLATNESS_SQ * *longest * *longest ? (cd_vec3){0, 0, 0} : area;
}

cd_vec3 cd_surface_area(const cd_vec3 corner[3])
{
    double longest;
    return area_of(corner, &longest);
}

cd_vec3 cd_surface_own(const cd_surface_view *view, cd_vec3 seen_normal)
{
    return view->ball->is_ellipsoid ? cd_unit3(cd_mat3_apply_back(&view->ball->to_ball, seen_normal)) : seen_normal;
}

// Half the width of the ball along a unit vector that is not seen [m].
static double half_width(const cd_surface_ball *ball, cd_vec3 normal)
{
    return ball->is_ellipsoid ? cd_length3(cd_mat3_apply_back(&ball->from_ball, normal)) : ball->radius;
}

double cd_surface_segment_distance(cd_vec3 point, cd_vec3 p, cd_vec3 q)
{
    cd_vec3 along = cd_sub3(q, p), from = cd_sub3(point, p);
    double square = cd_dot3(along, along), t = square > 0 ? cd_dot3(from, along) / square : 0;
    return cd_length3(cd_sub3(from, cd_scale3(fmin(fmax(t, 0), 1), along)));
}

void cd_surface_name(cd_surface_site *site, int kind, int32_t p, int32_t q)
{
    site->kind = kind;
    site->p = p < q ? p : q;
    site->q = p < q ? q : p;
    if (kind == CD_FEATURE_FACE)
        site->key = (uint64_t)site->triangle;
    else if (kind == CD_FEATURE_EDGE)
        site->key = UINT64_C(1) << 62 | (uint64_t)site->p << 31 | (uint64_t)site->q;
    else
        site->key = UINT64_C(2) << 62 | (uint64_t)site->p;
}

// ---- the nearest point ---------------------------------------------------------------------------------------------

// Of a triangle without one that of the first triangle beside it that has one, else any across its edge.
static cd_vec3 some_normal(const cd_surface_view *view, const cd_surface_site *site, cd_vec3 area)
{
    const cd_surface *s = view->mesh->surface;
    cd_vec3 corner[3];
    for (int k = 0; k < 3 && cd_dot3(area, area) == 0; k++) {
        cd_surface_star star = cd_surface_star_of(s, cd_surface_corner(s, site->triangle, k));
        for (int32_t i = 0; i < star.count && cd_dot3(area, area) == 0; i++) {
            cd_surface_seen_corners(view, star.triangle[i], corner);
            area = cd_surface_area(corner);
        }
    }
    if (cd_dot3(area, area) > 0)
        return cd_unit3(area);
    cd_surface_seen_corners(view, site->triangle, corner);
    cd_vec3 along = cd_sub3(corner[1], corner[0]);
    along = cd_dot3(along, along) > 0 ? along : cd_sub3(corner[2], corner[0]);
    bool is_upright = along.x * along.x + along.y * along.y < along.z * along.z;
    cd_vec3 across = cd_cross3(along, is_upright ? (cd_vec3){1, 0, 0} : (cd_vec3){0, 0, 1});
    return cd_dot3(across, across) > 0 ? cd_unit3(across) : (cd_vec3){0, 0, 1};
}

// A triangle without area goes as its longest edge.
static cd_triangle_nearest of_longest_edge(const cd_vec3 corner[3])
{
    int longest = 0;
    double square[3];
    for (int k = 0; k < 3; k++) {
        cd_vec3 edge = cd_sub3(corner[(k + 1) % 3], corner[k]);
        square[k] = cd_dot3(edge, edge);
        longest = square[k] > square[longest] ? k : longest;
    }
    int next = (longest + 1) % 3;
    cd_triangle_nearest r = cd_triangle_nearest_to_origin((cd_vec3[]){corner[longest], corner[next], corner[next]});
    bool is_vertex = cd_feature_kind(r.feature) == CD_FEATURE_VERTEX, is_first = cd_feature_index(r.feature) == 0;
    r.feature =
        !is_vertex ? cd_feature(CD_FEATURE_EDGE, longest) : cd_feature(CD_FEATURE_VERTEX, is_first ? longest : next);
    return r;
}

cd_surface_site cd_surface_nearest(const cd_surface_view *view, int32_t triangle)
{
    const cd_surface *s = view->mesh->surface;
    cd_surface_site site = {.triangle = triangle};
    cd_vec3 corner[3];
    cd_surface_seen_corners(view, triangle, corner);
    double longest;
    cd_vec3 area = area_of(corner, &longest);
    bool is_flat = cd_dot3(area, area) == 0;
    cd_triangle_nearest r = is_flat ? of_longest_edge(corner) : cd_triangle_nearest_to_origin(corner);
    int kind = cd_feature_kind(r.feature), k = kind == CD_FEATURE_FACE ? 0 : cd_feature_index(r.feature);

    // the face's own normal: unit(-foot) would be rounding over the distance
    if (kind == CD_FEATURE_FACE) {
        cd_vec3 normal = cd_unit3(area);
        double over = -cd_dot3(corner[0], normal);
        site.foot = cd_scale3(-over, normal);
        site.distance = fabs(over);
        site.normal = over < 0 ? cd_negate3(normal) : normal;
    } else {
        site.foot = r.point;
        site.distance = cd_length3(r.point);
        site.normal = cd_scale3(-1 / site.distance, r.point);
    }
    if (site.distance * site.distance <= IN_TRIANGLE_SQ * longest) {
        site.is_degenerate = true;
        site.normal = some_normal(view, &site, area);
    }

    int32_t p = cd_surface_corner(s, triangle, k), q = cd_surface_corner(s, triangle, (k + 1) % 3);
    cd_surface_name(&site, kind, p, kind == CD_FEATURE_EDGE ? q : p);
    site.own_normal = cd_surface_own(view, site.normal);
    double ratio = view->ball->is_ellipsoid ? half_width(view->ball, site.own_normal) : 1;
    site.gap = ratio * (site.distance - view->ball->radius) - view->mesh->half_thickness;
    return site;
}
