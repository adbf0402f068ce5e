// Convex polygons, counter-clockwise; the box of the plane becomes one (shape_box.c).
// SPDX-License-Identifier: MIT
#include "cd_shape.h"

#include "cd_sum.h"

static double extent(const cd_leaf2 *leaf) { return cd_polygon_radius(leaf->polygon, (cd_vec2){0, 0}); }

static cd_status make(const cd_shape_geometry *geometry, cd_arena *arena, cd_leaf2 *leaf, cd_diag *diag)
{
    int32_t count = geometry->vertex_count;
    if (count == 0)
        return cd_fail(diag, CD_ERR_FORMAT, "vertices: required of a polygon");
    cd_vec2 *vertex = CD_ARENA_ARRAY(arena, cd_vec2, count);
    for (int32_t i = 0; i < count; i++)
        vertex[i] = cd_vec2_at(geometry->vertex + 2 * (size_t)i);
    cd_status status = cd_polygon_validate(vertex, count, diag);
    if (status != CD_OK)
        return cd_fail_at(diag, status, "vertices");
    leaf->polygon = (cd_polygon){count, vertex};
    leaf->extent = extent(leaf);
    return CD_OK;
}

static void place(cd_arena *arena, const cd_leaf2 *leaf, cd_pose2 pose, cd_leaf2 *placed)
{
    placed->polygon = cd_polygon_place(leaf->polygon, pose, CD_ARENA_ARRAY(arena, cd_vec2, leaf->polygon.count));
}

static cd_aabb bounds(const cd_leaf2 *leaf, cd_pose2 pose, double slack)
{
    cd_vec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (int32_t i = 0; i < leaf->polygon.count; i++) {
        cd_vec2 p = cd_pose2_turn(pose, leaf->polygon.vertex[i]);
        low = (cd_vec2){p.x < low.x ? p.x : low.x, p.y < low.y ? p.y : low.y};
        high = (cd_vec2){p.x > high.x ? p.x : high.x, p.y > high.y ? p.y : high.y};
    }
    return cd_shape_box2(pose.position, low, high, slack);
}

static double inner(const cd_leaf2 *leaf)
{
    cd_polygon polygon = leaf->polygon;
    cd_vec2 middle = cd_polygon_measure(polygon).centroid;
    double least = INFINITY;
    for (int32_t i = 0; i < polygon.count; i++) {
        cd_vec2 start = polygon.vertex[i], edge = cd_sub2(polygon.vertex[cd_polygon_next(polygon, i)], start);
        least = fmin(least, cd_dot2(cd_right2(edge), cd_sub2(start, middle)) / cd_length2(edge));
    }
    return fmax(least, 0);
}

static double reach(const cd_leaf2 *placed, cd_vec2 origin, cd_vec2 direction)
{
    double most = -INFINITY;
    for (int32_t i = 0; i < placed->polygon.count; i++)
        most = fmax(most, cd_dot2(direction, cd_sub2(placed->polygon.vertex[i], origin)));
    return most;
}

static void moments(const cd_shape_geometry *geometry, int dim, cd_arena *scratch, cd_shape_moments *m)
{
    cd_polygon polygon = {geometry->vertex_count, (const cd_vec2 *)geometry->vertex};
    cd_polygon_moments measured = cd_polygon_measure(polygon);
    m->measure = measured.area;
    m->centre[0] = measured.centroid.x;
    m->centre[1] = measured.centroid.y;
    m->inertia[0] = measured.polar;
    m->diameter = cd_shape_diameter(scratch, dim, geometry->vertex, geometry->vertex_count);
    m->feature = cd_polygon_shortest_edge(polygon);
}

const cd_shape cd_shape_polygon = {
    .name = "polygon",
    .is_off_centre = true,
    .plane = {.make = make, .place = place, .extent = extent, .bounds = bounds, .inner = inner, .reach = reach},
    .moments = moments};
