// Signed distance of two convex polygons, and of a polygon and a point, with witness points and features.
//
// 1. The separating-edge value (the largest edge gap) decides: >= 0 separated or touching, < 0 overlapping. Its sign is
//    exact: an edge gap that rounding could turn is computed anew with the exact determinant.
// 2. Touching or overlapping: the boundary of the difference a - b consists of the edges of a and of -b, so the depth
//    is minus that value and the direction the edge's normal.
// 3. Separated: the least distance over all vertices of one and edges of the other; the nearest features are a vertex
//    and an edge, or two vertices. Only squares are compared; the winner's distance is computed without cancellation.
// SPDX-License-Identifier: MIT
#include "cd_assert.h"
#include "cd_polygon.h"
#include "cd_predicates.h"

#include <float.h>

static double largest_coordinate(cd_vec2 p)
{
    double x = fabs(p.x), y = fabs(p.y);
    return x > y ? x : y;
}

// ---- edge gaps -----------------------------------------------------------------------------------------------------

// Used when the rounded value leaves the sign open.
static cd_edge_gap exact_edge_gap(cd_vec2 p, cd_vec2 q, double length, cd_polygon other)
{
    cd_edge_gap best = {INFINITY, 0};
    for (int32_t i = 0; i < other.count; i++) {
        double value = -cd_orient2d_exact(p, q, other.vertex[i]) / length;
        if (value < best.value)
            best = (cd_edge_gap){value, i};
    }
    return best;
}

cd_edge_gap cd_polygon_edge_gap(cd_polygon owner, int32_t edge, cd_polygon other)
{
    cd_vec2 p = owner.vertex[edge], q = owner.vertex[cd_polygon_next(owner, edge)];
    cd_vec2 e = cd_sub2(q, p);
    double length = cd_length2(e), inside = -INFINITY, largest_x = 0, largest_y = 0;
    int32_t vertex = 0;
    for (int32_t i = 0; i < other.count; i++) {
        cd_vec2 d = cd_sub2(other.vertex[i], p);
        double cross = cd_cross2(e, d), x = fabs(d.x), y = fabs(d.y);
        largest_x = x > largest_x ? x : largest_x;
        largest_y = y > largest_y ? y : largest_y;
        if (cross > inside) {
            inside = cross;
            vertex = i;
        }
    }
    // Each factor carries half an eps, each product and the difference another: 2 eps of the two products' sizes.
    double bound = 2 * DBL_EPSILON * (fabs(e.x) * largest_y + fabs(e.y) * largest_x);
    if (fabs(inside) <= bound)
        return exact_edge_gap(p, q, length, other);
    return (cd_edge_gap){-inside / length, vertex};
}

static cd_separation2 separation_in_order(cd_polygon a, cd_polygon b)
{
    cd_separation2 best = {-INFINITY, false, 0, 0};
    for (int32_t i = 0; i < a.count; i++) {
        cd_edge_gap gap = cd_polygon_edge_gap(a, i, b);
        if (gap.value > best.value)
            best = (cd_separation2){gap.value, false, i, gap.vertex};
    }
    for (int32_t i = 0; i < b.count; i++) {
        cd_edge_gap gap = cd_polygon_edge_gap(b, i, a);
        if (gap.value > best.value)
            best = (cd_separation2){gap.value, true, i, gap.vertex};
    }
    return best;
}

cd_separation2 cd_polygon_separation(cd_polygon a, cd_polygon b)
{
    CD_ASSERT(a.count >= 3 && b.count >= 3);
    if (cd_polygon_in_order(a, b))
        return separation_in_order(a, b);
    cd_separation2 s = separation_in_order(b, a);
    s.is_edge_of_b = !s.is_edge_of_b;
    return s;
}

// ---- witnesses -----------------------------------------------------------------------------------------------------

// [1] times the largest coordinate: two vertices whose heights over an edge differ by less are equally high as far as
// their coordinates tell. A placed vertex carries 1.5 eps of its coordinate (two products and two sums), the edge's
// two ends as much, heights are read off up to one edge length away: 4 * 1.5 eps, and as much for the edge facing.
// Smaller: parallel edges meet at a corner that rounding chose. Larger: edges that are not parallel meet in their
// middle.
#define EQUAL_HEIGHT_OVER_EDGE (12 * DBL_EPSILON)

// The neighbour of `vertex` that lies as high over the edge's line as `vertex` itself, -1 when none does.
static int32_t parallel_neighbour(cd_vec2 start, cd_vec2 normal, double tolerance, cd_polygon other, int32_t vertex)
{
    int32_t next = cd_polygon_next(other, vertex), previous = cd_polygon_previous(other, vertex);
    double height = cd_dot2(normal, cd_sub2(other.vertex[vertex], start));
    double above_next = fabs(cd_dot2(normal, cd_sub2(other.vertex[next], start)) - height);
    double above_previous = fabs(cd_dot2(normal, cd_sub2(other.vertex[previous], start)) - height);
    double lesser = above_next <= above_previous ? above_next : above_previous;
    if (lesser > tolerance)
        return -1;
    return above_next <= above_previous ? next : previous;
}

// The part of an edge, as fractions of `length` from its start, that a facing edge (from s0 to s1 along it) covers.
static double middle_of_common_part(double length, double s0, double s1)
{
    double low = s0 < s1 ? s0 : s1, high = s0 < s1 ? s1 : s0;
    low = low > 0 ? low : 0;
    high = high < length ? high : length;
    double middle = (low + high) / 2;
    return middle < 0 ? 0 : middle > length ? length : middle;
}

// The result for `vertex` of `other` at signed distance `gap` over edge `edge` of `owner`; side a is the owner.
static cd_distance2 edge_result(cd_polygon owner, int32_t edge, cd_polygon other, int32_t vertex, double gap)
{
    int32_t end = cd_polygon_next(owner, edge);
    cd_vec2 p = owner.vertex[edge], q = owner.vertex[end], v = other.vertex[vertex];
    cd_vec2 e = cd_sub2(q, p);
    double length = cd_length2(e);
    cd_vec2 tangent = cd_scale2(1 / length, e), normal = cd_right2(tangent);
    double scale = fmax(fmax(largest_coordinate(p), largest_coordinate(q)), largest_coordinate(v));
    double along = cd_dot2(tangent, cd_sub2(v, p));
    cd_distance2 result = {.gap = gap, .normal = normal};

    int32_t twin = parallel_neighbour(p, normal, EQUAL_HEIGHT_OVER_EDGE * scale, other, vertex);
    if (twin >= 0) {
        double along_twin = cd_dot2(tangent, cd_sub2(other.vertex[twin], p));
        double middle = middle_of_common_part(length, along, along_twin);
        double fraction = (middle - along) / (along_twin - along);
        fraction = fraction > 0 ? fraction < 1 ? fraction : 1 : 0;
        result.point_a = cd_lerp2(p, q, middle / length);
        result.point_b = cd_lerp2(v, other.vertex[twin], fraction);
        result.feature_a = (cd_feature2){CD_FEATURE2_EDGE, edge};
        result.feature_b = (cd_feature2){CD_FEATURE2_EDGE, twin == cd_polygon_next(other, vertex) ? vertex : twin};
        return result;
    }
    result.point_b = v;
    result.feature_b = (cd_feature2){CD_FEATURE2_VERTEX, vertex};
    if (along <= 0 || along >= length) {
        result.point_a = along <= 0 ? p : q;
        result.feature_a = (cd_feature2){CD_FEATURE2_VERTEX, along <= 0 ? edge : end};
    } else {
        result.point_a = cd_lerp2(p, q, along / length);
        result.feature_a = (cd_feature2){CD_FEATURE2_EDGE, edge};
    }
    return result;
}

static cd_distance2 vertex_result(cd_polygon a, int32_t vertex_a, cd_polygon b, int32_t vertex_b)
{
    cd_vec2 p = a.vertex[vertex_a], q = b.vertex[vertex_b], d = cd_sub2(q, p);
    double distance = hypot(d.x, d.y);
    return (cd_distance2){.gap = distance,
                          .normal = cd_scale2(1 / distance, d),
                          .point_a = p,
                          .point_b = q,
                          .feature_a = {CD_FEATURE2_VERTEX, vertex_a},
                          .feature_b = {CD_FEATURE2_VERTEX, vertex_b}};
}

// ---- nearest features of separated polygons ------------------------------------------------------------------------

typedef struct nearest {
    double square;         // [m^2]
    int32_t edge, vertex;  // edge of the owner, vertex of the other
    int region;            // 0: over the edge; -1, 1: beyond its start, its end
} nearest;

static nearest nearest_to_edges(cd_polygon owner, cd_polygon other)
{
    nearest best = {INFINITY, 0, 0, 0};
    for (int32_t i = 0; i < owner.count; i++) {
        cd_vec2 p = owner.vertex[i], e = cd_sub2(owner.vertex[cd_polygon_next(owner, i)], p);
        double length_sq = cd_dot2(e, e);
        for (int32_t j = 0; j < other.count; j++) {
            cd_vec2 d = cd_sub2(other.vertex[j], p);
            double along = cd_dot2(d, e), square;
            int region = 0;
            if (along <= 0) {
                square = cd_dot2(d, d);
                region = -1;
            } else if (along >= length_sq) {
                d = cd_sub2(d, e);
                square = cd_dot2(d, d);
                region = 1;
            } else {
                double cross = cd_cross2(e, d);
                square = cross * cross / length_sq;
            }
            if (square < best.square)
                best = (nearest){square, i, j, region};
        }
    }
    return best;
}

static cd_distance2 separated_result(cd_polygon a, cd_polygon b, cd_separation2 s)
{
    nearest on_a = nearest_to_edges(a, b), on_b = nearest_to_edges(b, a);
    bool owner_is_b = on_b.square < on_a.square;
    nearest best = owner_is_b ? on_b : on_a;
    cd_polygon owner = owner_is_b ? b : a, other = owner_is_b ? a : b;
    int32_t end = cd_polygon_next(owner, best.edge);
    cd_distance2 result;
    if (best.region != 0) {
        result = vertex_result(owner, best.region < 0 ? best.edge : end, other, best.vertex);
    } else {
        double cross = cd_orient2d_exact(owner.vertex[best.edge], owner.vertex[end], other.vertex[best.vertex]);
        double gap = -cross / cd_length2(cd_sub2(owner.vertex[end], owner.vertex[best.edge]));
        if (gap <= 0) {  // nearer than rounding can tell, and behind that edge: the separating edge knows better
            owner_is_b = s.is_edge_of_b;
            result = edge_result(owner_is_b ? b : a, s.edge, owner_is_b ? a : b, s.vertex, s.value);
        } else {
            result = edge_result(owner, best.edge, other, best.vertex, gap);
        }
    }
    return owner_is_b ? cd_distance2_flip(result) : result;
}

static cd_distance2 distance_in_order(cd_polygon a, cd_polygon b)
{
    cd_separation2 s = separation_in_order(a, b);
    if (s.value > 0)
        return separated_result(a, b, s);
    cd_distance2 result =
        s.is_edge_of_b ? edge_result(b, s.edge, a, s.vertex, s.value) : edge_result(a, s.edge, b, s.vertex, s.value);
    return s.is_edge_of_b ? cd_distance2_flip(result) : result;
}

cd_distance2 cd_polygon_distance(cd_polygon a, cd_polygon b)
{
    CD_ASSERT(a.count >= 3 && b.count >= 3);
    return cd_polygon_in_order(a, b) ? distance_in_order(a, b) : cd_distance2_flip(distance_in_order(b, a));
}

// ---- polygon and point ---------------------------------------------------------------------------------------------

// Outside: the least segment distance over the edges. Inside: the nearest edge line, whose foot lies on its edge.
cd_distance2 cd_polygon_point_distance(cd_polygon polygon, cd_vec2 point)
{
    CD_ASSERT(polygon.count >= 3);
    const cd_polygon single = {1, &point};
    double value = -INFINITY;
    int32_t edge = 0;
    for (int32_t i = 0; i < polygon.count; i++) {
        cd_edge_gap gap = cd_polygon_edge_gap(polygon, i, single);
        if (gap.value > value) {
            value = gap.value;
            edge = i;
        }
    }
    cd_feature2 none = {CD_FEATURE2_NONE, -1};
    if (value > 0) {
        nearest best = nearest_to_edges(polygon, single);
        int32_t end = cd_polygon_next(polygon, best.edge);
        if (best.region != 0) {
            cd_distance2 result = vertex_result(polygon, best.region < 0 ? best.edge : end, single, 0);
            result.feature_b = none;
            return result;
        }
        double over = cd_polygon_edge_gap(polygon, best.edge, single).value;
        if (over > 0) {
            value = over;
            edge = best.edge;
        }
    }
    cd_vec2 p = polygon.vertex[edge], q = polygon.vertex[cd_polygon_next(polygon, edge)], e = cd_sub2(q, p);
    double length = cd_length2(e), along = cd_dot2(e, cd_sub2(point, p)) / (length * length);
    along = along > 0 ? along < 1 ? along : 1 : 0;
    return (cd_distance2){.gap = value,
                          .normal = cd_scale2(1 / length, cd_right2(e)),
                          .point_a = cd_lerp2(p, q, along),
                          .point_b = point,
                          .feature_a = {CD_FEATURE2_EDGE, edge},
                          .feature_b = none};
}
