// Validity and measures of one polygon, and the order in which a pair is computed.
// SPDX-License-Identifier: MIT
#include "cd_polygon.h"

#include "cd_assert.h"
#include "cd_predicates.h"

#include <float.h>

// ---- validity ------------------------------------------------------------------------------------------------------

static bool is_same(cd_vec2 a, cd_vec2 b) { return a.x == b.x && a.y == b.y; }

static int32_t first_not_finite(cd_polygon p)
{
    for (int32_t i = 0; i < p.count; i++)
        if (!isfinite(p.vertex[i].x) || !isfinite(p.vertex[i].y))
            return i;
    return -1;
}

static int32_t first_repeated(cd_polygon p)
{
    for (int32_t i = 1; i < p.count; i++)
        if (is_same(p.vertex[i], p.vertex[i - 1]))
            return i;
    return is_same(p.vertex[0], p.vertex[p.count - 1]) ? p.count - 1 : -1;
}

// -1, 0 or 1: the turn at vertex i.
static int turn_at(cd_polygon p, int32_t i)
{
    double turn = cd_orient2d(p.vertex[cd_polygon_previous(p, i)], p.vertex[i], p.vertex[cd_polygon_next(p, i)]);
    return (turn > 0) - (turn < 0);
}

// On a straight turn the path goes on exactly when vertex i lies between its neighbours; comparisons are exact.
static bool folds_back_at(cd_polygon p, int32_t i)
{
    cd_vec2 a = p.vertex[cd_polygon_previous(p, i)], b = p.vertex[i], c = p.vertex[cd_polygon_next(p, i)];
    return (b.x > a.x) != (c.x > b.x) || (b.x < a.x) != (c.x < b.x) || (b.y > a.y) != (c.y > b.y) ||
           (b.y < a.y) != (c.y < b.y);
}

// How often the edge directions go once around, for a path that only turns left: the times the direction passes from
// the lower half circle (pi <= angle < 2 pi) to the upper one (0 <= angle < pi).
static int32_t revolutions(cd_polygon p)
{
    int32_t count = 0;
    bool was_upper = false;
    for (int32_t i = -1; i < p.count; i++) {
        cd_vec2 from = p.vertex[i < 0 ? p.count - 1 : i], to = p.vertex[i < 0 ? 0 : cd_polygon_next(p, i)];
        bool is_upper = to.y > from.y || (to.y == from.y && to.x > from.x);
        count += i >= 0 && is_upper && !was_upper;
        was_upper = is_upper;
    }
    return count;
}

cd_polygon_fault cd_polygon_check(const cd_vec2 *vertex, int32_t count)
{
    cd_polygon p = {count, vertex};
    if (count < 3)
        return (cd_polygon_fault){CD_POLYGON_TOO_FEW, -1};
    int32_t bad = first_not_finite(p);
    if (bad >= 0)
        return (cd_polygon_fault){CD_POLYGON_NOT_FINITE, bad};
    bad = first_repeated(p);
    if (bad >= 0)
        return (cd_polygon_fault){CD_POLYGON_REPEATED_VERTEX, bad};

    // Of clockwise, straight and counter-clockwise turns: how many, and where the first one is.
    int32_t turns[3] = {0, 0, 0}, first[3] = {-1, -1, -1}, fold = -1;
    for (int32_t i = 0; i < count; i++) {
        int turn = turn_at(p, i) + 1;
        if (turns[turn]++ == 0)
            first[turn] = i;
        if (turn == 1 && fold < 0 && folds_back_at(p, i))
            fold = i;
    }
    if (turns[1] == count)
        return (cd_polygon_fault){CD_POLYGON_ZERO_AREA, -1};
    if (turns[2] == 0 && fold < 0)
        return (cd_polygon_fault){CD_POLYGON_CLOCKWISE, -1};
    if (fold >= 0)
        return (cd_polygon_fault){CD_POLYGON_NOT_CONVEX, fold};
    if (turns[0] > 0 && turns[2] > 0)  // the vertex that disagrees with the greater part is the one to look at
        return (cd_polygon_fault){CD_POLYGON_NOT_CONVEX, turns[2] >= turns[0] ? first[0] : first[2]};
    if (turns[1] > 0)
        return (cd_polygon_fault){CD_POLYGON_COLLINEAR, first[1]};
    if (revolutions(p) != 1)
        return (cd_polygon_fault){CD_POLYGON_SELF_INTERSECTING, -1};
    return (cd_polygon_fault){CD_POLYGON_OK, -1};
}

const char *cd_polygon_fault_text(cd_polygon_fault_kind kind)
{
    switch (kind) {
    case CD_POLYGON_OK:
        return "is legal";
    case CD_POLYGON_TOO_FEW:
        return "needs at least 3 vertices";
    case CD_POLYGON_NOT_FINITE:
        return "is not finite";
    case CD_POLYGON_REPEATED_VERTEX:
        return "repeats its neighbour; list each corner once (the last edge closes itself)";
    case CD_POLYGON_ZERO_AREA:
        return "has no area: all vertices lie on one line";
    case CD_POLYGON_CLOCKWISE:
        return "is listed clockwise; list the vertices counter-clockwise";
    case CD_POLYGON_NOT_CONVEX:
        return "makes the polygon not convex; split it into convex parts of a compound";
    case CD_POLYGON_COLLINEAR:
        return "lies on the line through its neighbours; leave it out";
    case CD_POLYGON_SELF_INTERSECTING:
        return "goes around more than once: its edges cross";
    }
    return "is illegal";
}

cd_status cd_polygon_validate(const cd_vec2 *vertex, int32_t count, cd_diag *diag)
{
    cd_polygon_fault fault = cd_polygon_check(vertex, count);
    if (fault.kind == CD_POLYGON_OK)
        return CD_OK;
    const char *text = cd_polygon_fault_text(fault.kind);
    if (fault.vertex < 0)
        return cd_fail(diag, CD_ERR_FORMAT, "the polygon %s", text);
    return cd_fail(diag, CD_ERR_FORMAT, "vertex %d %s", (int)fault.vertex, text);
}

// ---- measures ------------------------------------------------------------------------------------------------------

// [1] least part of its two products that a cross product must be to be used as rounded: its relative error is then at
// most CD_ORIENT2D_BOUND / this, 24 * 2^-52. Smaller: areas of thin polygons lose digits. Larger: slower.
#define CROSS_PRODUCT_THIN (1.0 / 16)

// Twice the area of the triangle (o, o + p, o + q), where p and q are the rounded differences to two vertices of a
// polygon. The thinner the triangle, the less is left of the products: then the value comes from the vertices
// themselves.
static double fan_triangle(cd_polygon polygon, int32_t i, bool *is_thin)
{
    const cd_vec2 *v = polygon.vertex;
    cd_vec2 p = cd_sub2(v[i], v[0]), q = cd_sub2(v[i + 1], v[0]);
    double left = p.x * q.y, right = p.y * q.x, twice = left - right;
    if (fabs(twice) >= CROSS_PRODUCT_THIN * (fabs(left) + fabs(right)))
        return twice;
    *is_thin = true;
    return cd_orient2d_exact(v[0], v[i], v[i + 1]);
}

double cd_polygon_area(cd_polygon polygon)
{
    double twice = 0;
    bool ignored;
    for (int32_t i = 1; i + 1 < polygon.count; i++)
        twice += fan_triangle(polygon, i, &ignored);
    return twice / 2;
}

// 12 times the polar moment about v[0] + offset from triangles with a corner there: all terms of a convex polygon are
// positive.
static double polar_from_centroid(cd_polygon polygon, cd_vec2 offset)
{
    const cd_vec2 *v = polygon.vertex;
    double polar = 0;
    for (int32_t i = 0; i < polygon.count; i++) {
        cd_vec2 p = cd_sub2(cd_sub2(v[i], v[0]), offset);
        cd_vec2 q = cd_sub2(cd_sub2(v[cd_polygon_next(polygon, i)], v[0]), offset);
        polar += cd_cross2(p, q) * (cd_dot2(p, p) + cd_dot2(p, q) + cd_dot2(q, q));
    }
    return polar;
}

// The same from the triangles at vertex 0, where the centroid's rounding is not small beside the polygon's width. About
// any point a triangle of area A with corners c_i seen from there has the polar moment A (sum c_i.c_i + |sum c_i|^2)
// / 12.
static double polar_from_fan(cd_polygon polygon, cd_vec2 offset)
{
    const cd_vec2 *v = polygon.vertex;
    double polar = 0;
    bool ignored;
    for (int32_t i = 1; i + 1 < polygon.count; i++) {
        cd_vec2 o = cd_negate2(offset), p = cd_sub2(cd_sub2(v[i], v[0]), offset);
        cd_vec2 q = cd_sub2(cd_sub2(v[i + 1], v[0]), offset), sum = cd_add2(o, cd_add2(p, q));
        double squares = cd_dot2(o, o) + cd_dot2(p, p) + cd_dot2(q, q);
        polar += fan_triangle(polygon, i, &ignored) * (squares + cd_dot2(sum, sum)) / 2;
    }
    return polar;
}

// Triangles from vertex 0 give area and centroid. The polar moment is summed anew about the centroid: moving the moment
// from vertex 0 to there would cancel. A triangle (0, p, q) of signed area A has the polar moment
// A (p.p + p.q + q.q) / 6 about its corner at 0.
cd_polygon_moments cd_polygon_measure(cd_polygon polygon)
{
    const cd_vec2 *v = polygon.vertex;
    cd_vec2 weighted = {0, 0}, mean = {0, 0};
    double twice = 0;
    bool is_thin = false;
    for (int32_t i = 1; i < polygon.count; i++) {
        cd_vec2 p = cd_sub2(v[i], v[0]);
        mean = cd_add2(mean, p);
        if (i + 1 == polygon.count)
            break;
        cd_vec2 q = cd_sub2(v[i + 1], v[0]);
        double a = fan_triangle(polygon, i, &is_thin);
        twice += a;
        weighted = cd_add2(weighted, cd_scale2(a, cd_add2(p, q)));
    }
    cd_vec2 offset = twice != 0 ? cd_scale2(1 / (3 * twice), weighted) : cd_scale2(1.0 / polygon.count, mean);
    double polar = is_thin ? polar_from_fan(polygon, offset) : polar_from_centroid(polygon, offset);
    return (cd_polygon_moments){twice / 2, cd_add2(v[0], offset), polar / 12};
}

double cd_polygon_perimeter(cd_polygon polygon)
{
    double sum = 0;
    for (int32_t i = 0; i < polygon.count; i++)
        sum += cd_length2(cd_sub2(polygon.vertex[cd_polygon_next(polygon, i)], polygon.vertex[i]));
    return sum;
}

double cd_polygon_shortest_edge(cd_polygon polygon)
{
    double shortest = INFINITY;
    for (int32_t i = 0; i < polygon.count; i++) {
        double length = cd_length2(cd_sub2(polygon.vertex[cd_polygon_next(polygon, i)], polygon.vertex[i]));
        shortest = length < shortest ? length : shortest;
    }
    return shortest;
}

cd_aabb cd_polygon_bounds(cd_polygon polygon)
{
    cd_aabb box = cd_aabb_empty(2);
    for (int32_t i = 0; i < polygon.count; i++)
        box = cd_aabb_add_point(box, (const double[2]){polygon.vertex[i].x, polygon.vertex[i].y}, 2);
    return box;
}

double cd_polygon_radius(cd_polygon polygon, cd_vec2 centre)
{
    double largest = 0;
    for (int32_t i = 0; i < polygon.count; i++) {
        cd_vec2 d = cd_sub2(polygon.vertex[i], centre);
        double square = cd_dot2(d, d);
        largest = square > largest ? square : largest;
    }
    // Relative errors in units of 2^-53: difference 1, squares and sum 2 (halved by the root), root 1. Below 4.
    return sqrt(largest) * (1 + 2 * DBL_EPSILON);
}

cd_polygon cd_polygon_place(cd_polygon local, cd_pose2 pose, cd_vec2 *out)
{
    for (int32_t i = 0; i < local.count; i++)
        out[i] = cd_pose2_apply(pose, local.vertex[i]);
    return (cd_polygon){local.count, out};
}

bool cd_polygon_contains(cd_polygon polygon, cd_vec2 point)
{
    for (int32_t i = 0; i < polygon.count; i++)
        if (cd_orient2d(polygon.vertex[i], polygon.vertex[cd_polygon_next(polygon, i)], point) < 0)
            return false;
    return true;
}

bool cd_polygon_in_order(cd_polygon a, cd_polygon b)
{
    if (a.count != b.count)
        return a.count < b.count;
    for (int32_t i = 0; i < a.count; i++) {
        cd_vec2 edge_a = cd_sub2(a.vertex[cd_polygon_next(a, i)], a.vertex[i]);
        cd_vec2 edge_b = cd_sub2(b.vertex[cd_polygon_next(b, i)], b.vertex[i]);
        double length_a = cd_dot2(edge_a, edge_a), length_b = cd_dot2(edge_b, edge_b);
        if (length_a != length_b)
            return length_a < length_b;
    }
    for (int32_t i = 0; i < a.count; i++) {
        if (a.vertex[i].x != b.vertex[i].x)
            return a.vertex[i].x < b.vertex[i].x;
        if (a.vertex[i].y != b.vertex[i].y)
            return a.vertex[i].y < b.vertex[i].y;
    }
    return true;
}
