// Closed forms of space: spheres, and all shapes against a halfspace: the true signed distance. Cost: O(1), O(n) with a
// polyhedron of n vertices.
// SPDX-License-Identifier: MIT
#include "cd_gap3.h"

static cd_gap3 without_features(double gap, cd_vec3 normal, cd_vec3 point_a, cd_vec3 point_b)
{
    return (cd_gap3){.gap = gap,
                     .normal = normal,
                     .point_a = point_a,
                     .point_b = point_b,
                     .feature_a = CD_FEATURE_NONE,
                     .feature_b = CD_FEATURE_NONE};
}

// ---- spheres -------------------------------------------------------------------------------------------------------

// Concentric spheres: the normal is (1, 0, 0), as any would do.
static cd_gap3 sphere_sphere(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    cd_ball p = a->sphere, q = b->sphere;
    cd_vec3 between = cd_sub3(q.centre, p.centre);
    double apart = cd_length3(between);
    cd_vec3 normal = apart > 0 ? cd_scale3(1 / apart, between) : (cd_vec3){1, 0, 0};
    return without_features(apart - (p.radius + q.radius), normal, cd_add3(p.centre, cd_scale3(p.radius, normal)),
                            cd_sub3(q.centre, cd_scale3(q.radius, normal)));
}
const cd_gap3_pair cd_gap3_sphere_sphere = {"sphere-sphere", CD_SHAPE_SPHERE, CD_SHAPE_SPHERE, true, sphere_sphere};

// ---- halfspaces ----------------------------------------------------------------------------------------------------

// A body as side a whose point nearest to (or deepest in) the halfspace is known.
static cd_gap3 point_halfspace(cd_vec3 point, cd_halfspace b)
{
    double gap = cd_dot3(b.normal, point) - b.offset;
    return without_features(gap, cd_negate3(b.normal), point, cd_sub3(point, cd_scale3(gap, b.normal)));
}

static cd_gap3 sphere_halfspace(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    cd_ball ball = a->sphere;
    return point_halfspace(cd_sub3(ball.centre, cd_scale3(ball.radius, b->halfspace.normal)), b->halfspace);
}
const cd_gap3_pair cd_gap3_sphere_halfspace = {"sphere-halfspace", CD_SHAPE_SPHERE, CD_SHAPE_HALFSPACE, true,
                                               sphere_halfspace};

// The point of the ellipsoid farthest along d, with half axes h_j as vectors, is c + sum (h_j.d) h_j / |(h_1.d, h_2.d,
// h_3.d)|: the body is the unit ball under the matrix H = (h_1, h_2, h_3), and the ball's farthest point along H'd is
// H'd / |H'd|.
static cd_gap3 ellipsoid_halfspace(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    cd_ellipsoid e = a->ellipsoid;
    cd_vec3 along = cd_mat3_apply_back(e.axes, cd_negate3(b->halfspace.normal)), s = e.semiaxes;
    cd_vec3 ball = cd_unit3((cd_vec3){s.x * along.x, s.y * along.y, s.z * along.z});
    cd_vec3 local = {s.x * ball.x, s.y * ball.y, s.z * ball.z};
    return point_halfspace(cd_add3(e.centre, cd_mat3_apply(e.axes, local)), b->halfspace);
}
const cd_gap3_pair cd_gap3_ellipsoid_halfspace = {"ellipsoid-halfspace", CD_SHAPE_ELLIPSOID, CD_SHAPE_HALFSPACE, true,
                                                  ellipsoid_halfspace};

// The deepest vertex, of several the one of least number.
static cd_gap3 polyhedron_halfspace(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    int32_t vertex =
        cd_convex3_support(&a->convex, a->convex.centre, cd_negate3(b->halfspace.normal), CD_VECTOR_AVX512);
    return point_halfspace(cd_convex3_vertex(&a->convex, vertex), b->halfspace);
}
const cd_gap3_pair cd_gap3_polyhedron_halfspace = {"polyhedron-halfspace", CD_SHAPE_POLYHEDRON, CD_SHAPE_HALFSPACE,
                                                   true, polyhedron_halfspace};

// The kinds stand the other way round here: the halfspace is a.
static cd_gap3 halfspace_facet(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    cd_halfspace ground = a->halfspace;
    const cd_facet *facet = &b->facet;
    int lowest = 0;
    for (int k = 1; k < 3; k++)
        if (cd_dot3(ground.normal, cd_sub3(facet->vertex[k], facet->vertex[lowest])) < 0)
            lowest = k;
    cd_vec3 point = cd_sub3(facet->vertex[lowest], cd_scale3(facet->half_thickness, ground.normal));
    cd_gap3 of_facet = point_halfspace(point, ground), flipped = of_facet;
    flipped.normal = ground.normal;
    flipped.point_a = of_facet.point_b;
    flipped.point_b = of_facet.point_a;
    return flipped;
}
const cd_gap3_pair cd_gap3_halfspace_facet = {"halfspace-facet", CD_SHAPE_HALFSPACE, CD_SHAPE_FACETS, true,
                                              halfspace_facet};
