// Leaves of space as convex bodies, compared by the general routine: the distance by the
// algorithm of Gilbert, Johnson and Keerthi, the depth by the faces of the difference.
//
// A sphere is a point with a margin, a facet a triangle with one: both are exact. Where the centre of a sphere lies
// inside a polyhedron, what is tried are the polyhedron's faces. How deep an ellipsoid is in something is not known
// beyond a margin of the other body: such a gap is 0 and marked as unknown.
// SPDX-License-Identifier: MIT
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

// ---- curved cores that meet ----------------------------------------------------------------------------------------

// What the search for the distance says of an ellipsoid whose core distance is 0 is that it is no more than rounding:
// a flat simplex through the origin may lie in the boundary of the difference or run through the middle of it. That
// the bodies only touch is proven by a direction along which they hardly overlap: the ellipsoid's normal there.

// [1] of the scale: a distance no larger may be an overlap, as what ellipsoids' distances are good to. Smaller:
// overlaps are reported as gaps of rounding. Larger: gaps that are known are judged as touching.
#define DISTANCE_OF_CURVED 1e-12
// [1] of the scale: overlap along the normal that still is touching. Smaller: touching counts as an unknown depth.
// Larger: shallow overlaps count as touching.
#define OVERLAP_OF_TOUCHING 1e-9

static int corners_of(const cd_support3 *core)
{
    return core->kind == CD_SUPPORT3_TRIANGLE ? 3 : core->kind == CD_SUPPORT3_SEGMENT ? 2 : 1;
}

// The farthest that a core reaches along a unit vector, from `origin`.
static double height_of(const cd_support3 *core, cd_vec3 origin, cd_vec3 n)
{
    if (core->kind == CD_SUPPORT3_CONVEX) {
        int32_t i = cd_convex3_support(core->convex, core->convex->centre, n, CD_VECTOR_AVX512);
        return cd_dot3(n, cd_sub3(cd_convex3_vertex(core->convex, i), origin));
    }
    double height = cd_dot3(n, cd_sub3(core->point[0], origin));
    if (core->kind == CD_SUPPORT3_ELLIPSOID)
        return height +
               cd_length3((cd_vec3){cd_dot3(n, core->axis[0]), cd_dot3(n, core->axis[1]), cd_dot3(n, core->axis[2])});
    for (int k = 1; k < corners_of(core); k++)
        height = fmax(height, cd_dot3(n, cd_sub3(core->point[k], origin)));
    return height;
}

// The direction of the gradient of sum ((p - c).h_j)^2 / |h_j|^4 over the half axes h_j; zero of what is no ellipsoid.
static cd_vec3 outward(const cd_support3 *core, cd_vec3 p)
{
    cd_vec3 sum = {0, 0, 0}, from_centre = cd_sub3(p, core->point[0]);
    for (int k = 0; k < 3 && core->kind == CD_SUPPORT3_ELLIPSOID; k++) {
        double square = cd_dot3(core->axis[k], core->axis[k]);
        sum = cd_add3(sum, cd_scale3(cd_dot3(from_centre, core->axis[k]) / (square * square), core->axis[k]));
    }
    return cd_unit3(sum);
}

static double size_of(const cd_support3 *core)
{
    double size = core->kind == CD_SUPPORT3_CONVEX ? 2 * core->convex->radius : 0;
    for (int k = 0; k < 3 && core->kind == CD_SUPPORT3_ELLIPSOID; k++)
        size = fmax(size, 2 * cd_length3(core->axis[k]));
    for (int k = 1; k < corners_of(core); k++)
        size = fmax(size, cd_length3(cd_sub3(core->point[k], core->point[0])));
    return size;
}

// `gap` as the search left it, with what can be proven of it.
static cd_gap3 judge_curved(const cd_support3 *a, const cd_support3 *b, const cd_signed_distance3 *d, cd_gap3 gap)
{
    double margin = a->margin + b->margin, scale = fmax(size_of(a), size_of(b));
    bool is_inside = d->status == CD_DISTANCE3_OVERLAPPING && d->gap >= 0;
    if (!is_inside && d->gap + margin > DISTANCE_OF_CURVED * scale)
        return gap;
    cd_vec3 on_a = cd_sub3(d->point_a, cd_scale3(a->margin, d->normal));
    cd_vec3 on_b = cd_add3(d->point_b, cd_scale3(b->margin, d->normal)), p = cd_scale3(0.5, cd_add3(on_a, on_b));
    cd_vec3 n = cd_unit3(cd_sub3(outward(a, p), outward(b, p)));
    bool is_touching =
        cd_dot3(n, n) > 0.5 && height_of(a, p, n) + height_of(b, p, cd_negate3(n)) <= OVERLAP_OF_TOUCHING * scale;
    if (is_touching) {
        gap.gap = -margin;
        gap.normal = n;
        gap.point_a = cd_add3(p, cd_scale3(a->margin, n));
        gap.point_b = cd_sub3(p, cd_scale3(b->margin, n));
        return gap;
    }
    gap.gap = 0;
    gap.is_unknown = true;
    gap.point_a = gap.point_b = p;
    return gap;
}

cd_gap3 cd_gap3_convex(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    cd_support3 of_a, of_b;
    cd_shape_table[a->kind]->space.support(a, &of_a);
    cd_shape_table[b->kind]->space.support(b, &of_b);
    cd_signed_distance3 d;
    cd_support3_signed_distance_of(&of_a, a->edges, &of_b, b->edges, NULL, scratch, &d);
    cd_gap3 gap = {
        .gap = d.gap,
        .normal = d.normal,
        .point_a = d.point_a,
        .point_b = d.point_b,
        .feature_a = feature_code(d.feature_a, a->edges),
        .feature_b = feature_code(d.feature_b, b->edges),
    };
    if (of_a.kind == CD_SUPPORT3_ELLIPSOID || of_b.kind == CD_SUPPORT3_ELLIPSOID)
        gap = judge_curved(&of_a, &of_b, &d, gap);
    return gap;
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

// ---- pairs that have no routine of their own -----------------------------------------------------------------------

const cd_pair3 cd_pair3_sphere_ellipsoid = {.name = "sphere-ellipsoid", .is_closed_form = true};
const cd_pair3 cd_pair3_ellipsoid_ellipsoid = {.name = "ellipsoid-ellipsoid"};
