// The area contact of two overlapping convex polygons: point, normal, size and gap of their intersection.
//
// All of it is computed relative to a vertex of a: far from the origin nothing but the input's own rounding remains.
// SPDX-License-Identifier: MIT
#include "cd_polygon.h"

// [1] a normal sum shorter than this times the sum of the squared lengths is cancellation, not direction: the sum's
// rounding is some 1e-15 of it, so what is longer points within 1e-6 rad of where it should. Smaller: normals of noise.
// Larger: normals of deep overlaps are those of least depth.
#define NORMAL_CANCELS 1e-9

static cd_polygon shifted(cd_polygon polygon, cd_vec2 shift, cd_arena *arena)
{
    cd_vec2 *vertex = CD_ARENA_ARRAY(arena, cd_vec2, polygon.count);
    for (int32_t i = 0; i < polygon.count; i++)
        vertex[i] = cd_add2(polygon.vertex[i], shift);
    return (cd_polygon){polygon.count, vertex};
}

typedef struct normal_sum {
    cd_vec2 sum;        // [m^2] of L^2 N over edges on a, minus the same over edges on b
    double total;       // [m^2] of L^2 over all edges
    bool has_a, has_b;  // whether edges on a alone, on b alone exist
} normal_sum;

static normal_sum sum_normals(cd_clip2 clip)
{
    normal_sum s = {{0, 0}, 0, false, false};
    for (int32_t i = 0; i < clip.polygon.count; i++) {
        cd_vec2 e = cd_sub2(clip.polygon.vertex[cd_polygon_next(clip.polygon, i)], clip.polygon.vertex[i]);
        double length = cd_length2(e);
        cd_vec2 term = cd_scale2(length, cd_right2(e));
        s.total += length * length;
        if (clip.origin[i].a >= 0 && clip.origin[i].b >= 0)
            continue;  // common boundary: the terms of the two sums cancel
        bool is_a = clip.origin[i].a >= 0;
        s.sum = is_a ? cd_add2(s.sum, term) : cd_sub2(s.sum, term);
        s.has_a |= is_a;
        s.has_b |= !is_a;
    }
    return s;
}

// The edge whose line is nearest to the point; the first among equals.
static int32_t nearest_line(cd_polygon polygon, cd_vec2 point)
{
    int32_t best = 0;
    double least = INFINITY;
    for (int32_t i = 0; i < polygon.count; i++) {
        cd_vec2 p = polygon.vertex[i], e = cd_sub2(polygon.vertex[cd_polygon_next(polygon, i)], p);
        double distance = fabs(cd_cross2(e, cd_sub2(point, p))) / cd_length2(e);
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

static double extent_along(cd_polygon polygon, cd_vec2 normal)
{
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < polygon.count; i++) {
        double height = cd_dot2(normal, polygon.vertex[i]);
        low = height < low ? height : low;
        high = height > high ? height : high;
    }
    return high - low;
}

// Moved apart by the extent each, a and b are at a distance of 2 extent minus their depth along the normal.
static double checked_gap(cd_polygon a, cd_polygon b, cd_vec2 normal, double extent, cd_arena *scratch)
{
    cd_polygon a_apart = shifted(a, cd_scale2(-extent, normal), scratch);
    cd_polygon b_apart = shifted(b, cd_scale2(extent, normal), scratch);
    double gap = cd_polygon_distance(a_apart, b_apart).gap;
    gap = (gap > 0 ? gap : 0) - 2 * extent;
    return gap < 0 ? gap : 0;
}

static cd_area_contact local_contact(cd_polygon a, cd_polygon b, double epsilon, cd_arena *scratch)
{
    cd_clip2 clip = cd_polygon_clip(a, b, scratch);
    cd_polygon_moments moments = {0, {0, 0}, 0};
    cd_area_contact contact = {.status = CD_AREA_DEGENERATE};
    if (clip.polygon.count >= 3)
        moments = cd_polygon_measure(clip.polygon);
    if (!(moments.area > 0)) {
        cd_distance2 depth = cd_polygon_distance(a, b);
        contact.point = cd_lerp2(depth.point_a, depth.point_b, 0.5);
        contact.normal = depth.normal;
        contact.gap = depth.gap < 0 ? depth.gap : 0;
        contact.surface_a = nearest_line(a, contact.point);
        contact.surface_b = nearest_line(b, contact.point);
        return contact;
    }
    contact.point = moments.centroid;
    contact.area = moments.area;
    contact.size = cd_polygon_perimeter(clip.polygon) / 2;
    contact.surface_a = nearest_line(a, contact.point);
    contact.surface_b = nearest_line(b, contact.point);

    normal_sum s = sum_normals(clip);
    double length = cd_length2(s.sum);
    if (s.has_a && s.has_b && length > NORMAL_CANCELS * s.total) {
        contact.status = CD_AREA_CONTACT;
        contact.normal = cd_scale2(1 / length, s.sum);
        double extent = extent_along(clip.polygon, contact.normal);
        contact.gap = extent > epsilon ? checked_gap(a, b, contact.normal, extent, scratch) : -extent;
    } else {
        // Twice the extent of an inner polygon need not part the two; the depth along this normal is known exactly.
        cd_distance2 depth = cd_polygon_distance(a, b);
        contact.normal = depth.normal;
        contact.gap = depth.gap < 0 ? depth.gap : 0;
    }
    if (cd_polygon_point_distance(a, contact.point).gap > epsilon ||
        cd_polygon_point_distance(b, contact.point).gap > epsilon)
        contact.status = CD_AREA_OUTSIDE;
    return contact;
}

cd_area_contact cd_polygon_area_contact(cd_polygon a, cd_polygon b, double epsilon, cd_arena *scratch)
{
    cd_area_contact none = {.status = CD_AREA_NONE, .surface_a = -1, .surface_b = -1};
    if (cd_polygon_disjoint(a, b))
        return none;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    bool in_order = cd_polygon_in_order(a, b);
    cd_polygon first = in_order ? a : b, second = in_order ? b : a;
    cd_vec2 origin = first.vertex[0];
    cd_area_contact contact = local_contact(shifted(first, cd_negate2(origin), scratch),
                                            shifted(second, cd_negate2(origin), scratch), epsilon, scratch);
    cd_arena_rewind(scratch, mark);
    contact.point = cd_add2(contact.point, origin);
    if (!in_order) {
        int32_t surface = contact.surface_a;
        contact.surface_a = contact.surface_b;
        contact.surface_b = surface;
        contact.normal = cd_negate2(contact.normal);
    }
    return contact;
}
