// SPDX-License-Identifier: MIT
#include "convex_cells.h"

#include <math.h>
#include <stdlib.h>

// ---- polygons ------------------------------------------------------------------------------------------------------

static cd_vec3 newell(convex_polygon polygon)
{
    cd_vec3 sum = {0, 0, 0};
    for (int32_t k = 1; k + 1 < polygon.count; k++)
        sum = cd_add3(sum, cd_cross3(cd_sub3(polygon.point[k], polygon.point[0]),
                                     cd_sub3(polygon.point[k + 1], polygon.point[0])));
    return sum;
}

static cd_vec3 mean_of(convex_polygon polygon)
{
    cd_vec3 sum = {0, 0, 0};
    for (int32_t k = 0; k < polygon.count; k++)
        sum = cd_add3(sum, cd_sub3(polygon.point[k], polygon.point[0]));
    return cd_add3(polygon.point[0], cd_scale3(1.0 / polygon.count, sum));
}

convex_plane convex_polygon_plane(convex_polygon polygon)
{
    cd_vec3 normal = newell(polygon);
    double length = cd_length3(normal);
    if (!(length > 0))
        return (convex_plane){{0, 0, 0}, 0};
    normal = cd_scale3(1 / length, normal);
    return (convex_plane){normal, cd_dot3(normal, mean_of(polygon))};
}

double convex_polygon_area(convex_polygon polygon, cd_vec3 normal) { return cd_dot3(newell(polygon), normal) / 2; }

// The same from either end, so that all who share the edge get the same bits.
static cd_vec3 crossing(cd_vec3 p, double p_height, cd_vec3 q, double q_height)
{
    if (q.x < p.x || (q.x == p.x && (q.y < p.y || (q.y == p.y && q.z < p.z))))
        return cd_lerp3(q, p, q_height / (q_height - p_height));
    return cd_lerp3(p, q, p_height / (p_height - q_height));
}

convex_polygon convex_polygon_below(convex_polygon polygon, convex_plane plane, double flat, cd_arena *arena)
{
    cd_vec3 *point = CD_ARENA_ARRAY(arena, cd_vec3, 2 * (size_t)polygon.count + 1);
    int32_t count = 0;
    bool is_below = false;
    for (int32_t k = 0; k < polygon.count; k++) {
        cd_vec3 p = polygon.point[k], q = polygon.point[(k + 1) % polygon.count];
        double at = convex_plane_height(plane, p), next = convex_plane_height(plane, q);
        is_below |= at < -flat;
        if (at <= flat)
            point[count++] = p;
        if ((at < -flat && next > flat) || (at > flat && next < -flat))
            point[count++] = crossing(p, at, q, next);
    }
    return (convex_polygon){is_below && count > 2 ? count : 0, point};
}

bool convex_polygon_is_in(convex_polygon polygon, convex_plane plane, double flat)
{
    for (int32_t k = 0; k < polygon.count; k++)
        if (fabs(convex_plane_height(plane, polygon.point[k])) > flat)
            return false;
    return true;
}

// ---- cells ---------------------------------------------------------------------------------------------------------

convex_cell convex_cell_of(convex_corners *corners, cd_polyhedron hull)
{
    int32_t before = corners->point.count, count = hull.face_first[hull.face_count] - hull.face_first[0];
    int32_t *first = CD_ARENA_ARRAY(corners->arena, int32_t, (size_t)hull.face_count + 1);
    int32_t *corner = CD_ARENA_ARRAY(corners->arena, int32_t, count);
    for (int32_t v = 0; v < hull.vertex_count; v++)
        cd_list_push(corners->arena, &corners->point, hull.vertex[v]);
    for (int32_t f = 0; f <= hull.face_count; f++)
        first[f] = hull.face_first[f] - hull.face_first[0];
    for (int32_t k = 0; k < count; k++)
        corner[k] = before + hull.face_vertex[hull.face_first[0] + k];
    return (convex_cell){hull.face_count, first, corner};
}

cd_vec3 convex_cell_middle(const convex_corners *corners, convex_cell cell)
{
    cd_vec3 sum = {0, 0, 0};
    int32_t count = cell.face_first[cell.face_count];
    for (int32_t k = 0; k < count; k++)
        sum = cd_add3(sum, corners->point.item[cell.face_corner[k]]);
    return cd_scale3(1.0 / count, sum);
}

convex_polygon convex_cell_face(const convex_corners *corners, convex_cell cell, int32_t face, cd_arena *arena)
{
    int32_t first = cell.face_first[face], count = cell.face_first[face + 1] - first;
    cd_vec3 *point = CD_ARENA_ARRAY(arena, cd_vec3, count);
    for (int32_t k = 0; k < count; k++)
        point[k] = corners->point.item[cell.face_corner[first + k]];
    return (convex_polygon){count, point};
}

// One cut: heights of the corners, and the corners that it makes.
typedef struct cell_cut {
    convex_corners *corners;
    convex_plane plane;
    int32_t low;     // the least corner of the cell: side and height of corner v stand at v - low
    double *height;  // [m]
    signed char *side;
    CD_LIST(int32_t) rim;   // corners in the plane, each once
    CD_LIST(int32_t) ends;  // 3 a new corner: the two it lies between, the lower first, and itself
} cell_cut;

static int32_t corner_between(cell_cut *cut, int32_t p, int32_t q)
{
    int32_t low = p < q ? p : q, high = p < q ? q : p;
    for (int32_t k = 0; k < cut->ends.count; k += 3)
        if (cut->ends.item[k] == low && cut->ends.item[k + 1] == high)
            return cut->ends.item[k + 2];
    cd_arena *arena = cut->corners->arena;
    int32_t made = cut->corners->point.count;
    cd_vec3 point = crossing(cut->corners->point.item[p], cut->height[p - cut->low], cut->corners->point.item[q],
                             cut->height[q - cut->low]);
    cd_list_push(arena, &cut->corners->point, point);
    cd_list_push(arena, &cut->ends, low);
    cd_list_push(arena, &cut->ends, high);
    cd_list_push(arena, &cut->ends, made);
    cd_list_push(arena, &cut->rim, made);
    return made;
}

typedef struct rim_corner {
    double angle;
    int32_t corner;
} rim_corner;

static int by_angle(const void *a, const void *b)
{
    double p = ((const rim_corner *)a)->angle, q = ((const rim_corner *)b)->angle;
    return (p > q) - (p < q);
}

// The rim as a face of what is below: counter-clockwise about the plane's normal.
static void sort_rim(cell_cut *cut)
{
    cd_arena *arena = cut->corners->arena;
    int32_t count = cut->rim.count;
    const cd_vec3 *point = cut->corners->point.item;
    rim_corner *sorted = CD_ARENA_ARRAY(arena, rim_corner, count);
    cd_vec3 middle = {0, 0, 0}, first = {0, 0, 0};
    for (int32_t k = 0; k < count; k++)
        middle = cd_add3(middle, cd_scale3(1.0 / count, point[cut->rim.item[k]]));
    for (int32_t k = 0; k < count; k++) {  // the farthest corner gives the direction that is known best
        cd_vec3 way = cd_sub3(point[cut->rim.item[k]], middle);
        first = cd_dot3(way, way) > cd_dot3(first, first) ? way : first;
    }
    cd_vec3 second = cd_cross3(cut->plane.normal, first);
    for (int32_t k = 0; k < count; k++) {
        cd_vec3 way = cd_sub3(point[cut->rim.item[k]], middle);
        sorted[k] = (rim_corner){atan2(cd_dot3(way, second), cd_dot3(way, first)), cut->rim.item[k]};
    }
    qsort(sorted, (size_t)count, sizeof *sorted, by_angle);
    for (int32_t k = 0; k < count; k++)
        cut->rim.item[k] = sorted[k].corner;
}

// The faces of one side (-1 below, 1 above), closed by the rim.
static convex_cell one_side(cell_cut *cut, convex_cell cell, int side)
{
    cd_arena *arena = cut->corners->arena;
    CD_LIST(int32_t) first = {0};
    CD_LIST(int32_t) corner = {0};
    cd_list_push(arena, &first, 0);
    for (int32_t f = 0; f < cell.face_count; f++) {
        bool is_there = false;
        int32_t begin = cell.face_first[f], count = cell.face_first[f + 1] - begin, before = corner.count;
        for (int32_t k = 0; k < count; k++) {
            int32_t p = cell.face_corner[begin + k], q = cell.face_corner[begin + (k + 1) % count];
            int at = cut->side[p - cut->low], next = cut->side[q - cut->low];
            is_there |= at == side;
            if (at != -side)
                cd_list_push(arena, &corner, p);
            if (at * next < 0)
                cd_list_push(arena, &corner, corner_between(cut, p, q));
        }
        if (is_there && corner.count - before > 2)
            cd_list_push(arena, &first, corner.count);
        else
            corner.count = before;
    }
    for (int32_t k = 0; k < cut->rim.count; k++)
        cd_list_push(arena, &corner, cut->rim.item[side < 0 ? k : cut->rim.count - 1 - k]);
    cd_list_push(arena, &first, corner.count);
    return (convex_cell){first.count - 1, first.item, corner.item};
}

void convex_cell_cut(convex_corners *corners, convex_cell cell, convex_plane plane, convex_cell *below,
                     convex_cell *above)
{
    cell_cut cut = {.corners = corners, .plane = plane, .low = INT32_MAX};
    int32_t count = cell.face_first[cell.face_count], high = 0;
    for (int32_t k = 0; k < count; k++) {
        cut.low = cell.face_corner[k] < cut.low ? cell.face_corner[k] : cut.low;
        high = cell.face_corner[k] > high ? cell.face_corner[k] : high;
    }
    cut.height = CD_ARENA_ARRAY(corners->arena, double, (size_t)(high - cut.low) + 1);
    cut.side = CD_ARENA_ARRAY(corners->arena, signed char, (size_t)(high - cut.low) + 1);
    memset(cut.side, 2, (size_t)(high - cut.low) + 1);
    // ---- on which side each corner is ----
    bool has_below = false, has_above = false;
    for (int32_t k = 0; k < count; k++) {
        int32_t v = cell.face_corner[k];
        if (cut.side[v - cut.low] != 2)
            continue;
        double height = convex_plane_height(plane, corners->point.item[v]);
        cut.height[v - cut.low] = height;
        cut.side[v - cut.low] = (signed char)((height > corners->flat) - (height < -corners->flat));
        has_below |= cut.side[v - cut.low] < 0;
        has_above |= cut.side[v - cut.low] > 0;
        if (cut.side[v - cut.low] == 0)
            cd_list_push(corners->arena, &cut.rim, v);
    }
    *below = has_below ? cell : (convex_cell){0};
    *above = has_above ? cell : (convex_cell){0};
    if (!has_below || !has_above)
        return;
    // ---- the corners between them, the rim, and both sides ----
    for (int32_t f = 0; f < cell.face_count; f++)
        for (int32_t k = cell.face_first[f]; k < cell.face_first[f + 1]; k++) {
            int32_t next = k + 1 < cell.face_first[f + 1] ? k + 1 : cell.face_first[f];
            int32_t p = cell.face_corner[k], q = cell.face_corner[next];
            if (cut.side[p - cut.low] * cut.side[q - cut.low] < 0)
                corner_between(&cut, p, q);
        }
    sort_rim(&cut);
    *below = one_side(&cut, cell, -1);
    *above = one_side(&cut, cell, 1);
}
