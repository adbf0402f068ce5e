// Leaves of space as convex bodies, compared by the general routine: the distance by the
// algorithm of Gilbert, Johnson and Keerthi, the depth by the faces of the difference.
//
// A sphere is a point with a margin, a facet a triangle with one: both are exact. Where the centre of a sphere lies
// inside a polyhedron, what is tried are the polyhedron's faces. Ellipsoids have routines of their own, exact too.
// SPDX-License-Identifier: MIT
#include "cd_ellipsoid_hull.h"
#include "cd_pair3.h"

// ---- the general routine -------------------------------------------------------------------------------------------

static int32_t feature_code(cd_feature3 feature, const cd_edges3 *edges)
{
    switch (feature.kind) {
    case CD_FEATURE3_VERTEX:
        return cd_feature(CD_FEATURE_VERTEX, feature.index);
    case CD_FEATURE3_FACE:
        return cd_feature(CD_FEATURE_FACE, feature.index);
    case CD_FEATURE3_EDGE: {
        int32_t edge = feature.index >= 0 ? feature.index : cd_edges3_find(edges, feature.vertex[0], feature.vertex[1]);
        return edge < 0 ? CD_FEATURE_NONE : cd_feature(CD_FEATURE_EDGE, edge);
    }
    case CD_FEATURE3_NONE:
        break;
    }
    return CD_FEATURE_NONE;
}

// ---- curved cores --------------------------------------------------------------------------------------------------

static int corners_of(const cd_support3 *core)
{
    return core->kind == CD_SUPPORT3_TRIANGLE ? 3 : core->kind == CD_SUPPORT3_SEGMENT ? 2 : 1;
}

// `axes` is where the result's are written to.
static cd_ellipsoid ellipsoid_of(const cd_solid3 *solid, const cd_support3 *core, cd_mat3 *axes)
{
    if (solid->kind == CD_SHAPE_ELLIPSOID)
        return solid->ellipsoid;
    const cd_vec3 *half = core->axis, u[3] = {cd_unit3(half[0]), cd_unit3(half[1]), cd_unit3(half[2])};
    *axes = cd_mat3_transpose(&(cd_mat3){{u[0], u[1], u[2]}});
    return (cd_ellipsoid){core->point[0], {cd_length3(half[0]), cd_length3(half[1]), cd_length3(half[2])}, axes};
}

// The ellipsoid is side a.
static cd_gap3 of_ellipsoid_and_core(const cd_ellipsoid *e, const cd_support3 *core, cd_arena *scratch)
{
    const cd_ellipsoid_hull found = core->kind == CD_SUPPORT3_CONVEX
                                        ? cd_ellipsoid_convex(e, core->convex, scratch)
                                        : cd_ellipsoid_corners(e, core->point, corners_of(core));
    return (cd_gap3){.gap = found.gap,
                     .normal = found.normal,
                     .point_a = found.point_ellipsoid,
                     .point_b = found.point_hull,
                     .feature_a = CD_FEATURE_NONE,
                     .feature_b = core->kind == CD_SUPPORT3_CONVEX ? found.feature : CD_FEATURE_NONE,
                     .is_degenerate = found.is_degenerate};
}

// At least one core is an ellipsoid. A margin takes its width from every separation: the normal stays the best.
static cd_gap3 curved(const cd_solid3 *const solid[2], const cd_support3 *const core[2], cd_arena *scratch)
{
    const bool is_curved[2] = {core[0]->kind == CD_SUPPORT3_ELLIPSOID, core[1]->kind == CD_SUPPORT3_ELLIPSOID};
    cd_mat3 axes[2];
    cd_ellipsoid e[2];
    for (int k = 0; k < 2; k++)
        if (is_curved[k])
            e[k] = ellipsoid_of(solid[k], core[k], &axes[k]);
    cd_gap3 gap = is_curved[0] && is_curved[1] ? cd_gap3_ellipsoids(&e[0], &e[1], NULL)
                  : is_curved[0]               ? of_ellipsoid_and_core(&e[0], core[1], scratch)
                                               : cd_gap3_flip(of_ellipsoid_and_core(&e[1], core[0], scratch));
    const double margin[2] = {core[0]->margin, core[1]->margin};
    gap.gap -= margin[0] + margin[1];
    gap.point_a = cd_add3(gap.point_a, cd_scale3(margin[0], gap.normal));
    gap.point_b = cd_sub3(gap.point_b, cd_scale3(margin[1], gap.normal));
    return gap;
}

cd_gap3 cd_gap3_convex(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    cd_support3 of_a, of_b;
    cd_shape_table[a->kind]->space.support(a, &of_a);
    cd_shape_table[b->kind]->space.support(b, &of_b);
    if (of_a.kind == CD_SUPPORT3_ELLIPSOID || of_b.kind == CD_SUPPORT3_ELLIPSOID)
        return curved((const cd_solid3 *const[2]){a, b}, (const cd_support3 *const[2]){&of_a, &of_b}, scratch);
    cd_signed_distance3 d;
    cd_support3_signed_distance_of(&of_a, a->edges, &of_b, b->edges, NULL, scratch, &d);
    return (cd_gap3){
        .gap = d.gap,
        .normal = d.normal,
        .point_a = d.point_a,
        .point_b = d.point_b,
        .feature_a = feature_code(d.feature_a, a->edges),
        .feature_b = feature_code(d.feature_b, b->edges),
    };
}

// ---- against a halfspace -------------------------------------------------------------------------------------------

// The point of a core that is farthest along a unit vector.
static cd_vec3 farthest_point(const cd_support3 *core, cd_vec3 n)
{
    if (core->kind == CD_SUPPORT3_CONVEX)
        return cd_convex3_vertex(core->convex,
                                 cd_convex3_support(core->convex, core->convex->centre, n, CD_VECTOR_AVX512));
    cd_vec3 best = core->point[0];
    if (core->kind == CD_SUPPORT3_ELLIPSOID) {
        double height[3] = {cd_dot3(n, core->axis[0]), cd_dot3(n, core->axis[1]), cd_dot3(n, core->axis[2])};
        cd_vec3 on_ball = cd_unit3((cd_vec3){height[0], height[1], height[2]});
        best = cd_add3(best, cd_scale3(on_ball.x, core->axis[0]));
        best = cd_add3(best, cd_scale3(on_ball.y, core->axis[1]));
        return cd_add3(best, cd_scale3(on_ball.z, core->axis[2]));
    }
    for (int k = 1; k < corners_of(core); k++)
        if (cd_dot3(n, cd_sub3(core->point[k], best)) > 0)
            best = core->point[k];
    return best;
}

cd_gap3 cd_gap3_convex_halfspace(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    bool is_b = b->kind == CD_SHAPE_HALFSPACE;  // the halfspace
    const cd_solid3 *convex = is_b ? a : b;
    cd_vec3 outward = is_b ? b->halfspace.normal : a->halfspace.normal;
    cd_support3 core;
    cd_shape_table[convex->kind]->space.support(convex, &core);
    cd_vec3 lowest = farthest_point(&core, cd_negate3(outward));
    cd_gap3 gap =
        cd_gap3_point_halfspace(cd_sub3(lowest, cd_scale3(core.margin, outward)), is_b ? b->halfspace : a->halfspace);
    return is_b ? gap : cd_gap3_flip(gap);
}
