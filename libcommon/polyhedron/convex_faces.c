// SPDX-License-Identifier: MIT
#include "convex_faces.h"

#include <math.h>

convex_polygon convex_face_of(cd_polyhedron polyhedron, int32_t face, cd_arena *arena)
{
    int32_t first = polyhedron.face_first[face], count = polyhedron.face_first[face + 1] - first;
    cd_vec3 *point = CD_ARENA_ARRAY(arena, cd_vec3, count);
    for (int32_t k = 0; k < count; k++)
        point[k] = polyhedron.vertex[polyhedron.face_vertex[first + k]];
    return (convex_polygon){count, point};
}

// Do a convex polygon with this normal and another one in its plane have a piece in common?
static bool have_a_piece(convex_polygon convex, cd_vec3 normal, convex_polygon other,
                         const convex_faces_setting *setting, cd_arena *arena)
{
    for (int32_t k = 0; k < convex.count && other.count > 0; k++) {
        cd_vec3 p = convex.point[k], q = convex.point[(k + 1) % convex.count];
        cd_vec3 outward = cd_cross3(cd_sub3(q, p), normal);
        double length = cd_length3(outward);
        if (!(length > 0))
            continue;
        outward = cd_scale3(1 / length, outward);
        other = convex_polygon_below(other, (convex_plane){outward, cd_dot3(outward, p)}, setting->flat, arena);
    }
    return other.count > 0 && fabs(convex_polygon_area(other, normal)) > setting->flat * setting->size;
}

static bool are_parallel(cd_vec3 a, cd_vec3 b) { return cd_dot3(a, b) > 1 - 1e-9; }

// Planes that were worked out from few digits of their own corners leave the plane of a far one by more than its own.
static double room(const convex_faces_setting *setting) { return 16 * setting->flat; }

static void find_surfaces(const convex_faces_setting *setting, cd_arena *arena, cd_convex_part *part)
{
    cd_polyhedron polyhedron = part->polyhedron;
    int32_t *surface = CD_ARENA_ARRAY(arena, int32_t, polyhedron.face_count);
    for (int32_t f = 0; f < polyhedron.face_count; f++) {
        cd_arena_mark mark = cd_arena_get_mark(arena);
        convex_polygon face = convex_face_of(polyhedron, f, arena);
        convex_plane plane = convex_polygon_plane(face);
        surface[f] = -1;
        for (int32_t g = 0; g < setting->polyhedron.face_count && surface[f] < 0; g++)
            if (are_parallel(plane.normal, setting->plane[g].normal) &&
                convex_polygon_is_in(face, setting->plane[g], room(setting)) &&
                have_a_piece(face, plane.normal, convex_face_of(setting->polyhedron, g, arena), setting, arena))
                surface[f] = g;
        cd_arena_rewind(arena, mark);
    }
    part->surface = surface;
}

static bool share_a_face(const convex_faces_setting *setting, cd_polyhedron a, cd_polyhedron b, cd_arena *arena)
{
    bool found = false;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    for (int32_t f = 0; f < a.face_count && !found; f++) {
        convex_polygon face = convex_face_of(a, f, arena);
        convex_plane plane = convex_polygon_plane(face);
        for (int32_t g = 0; g < b.face_count && !found; g++) {
            convex_polygon other = convex_face_of(b, g, arena);
            convex_plane across = convex_plane_turned(convex_polygon_plane(other));
            found = are_parallel(plane.normal, across.normal) && convex_polygon_is_in(other, plane, room(setting)) &&
                    have_a_piece(face, plane.normal, other, setting, arena);
        }
    }
    cd_arena_rewind(arena, mark);
    return found;
}

typedef struct part_box {
    cd_vec3 low, high;  // [m]
} part_box;

static part_box box_of(cd_polyhedron polyhedron, double margin)
{
    part_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int32_t v = 0; v < polyhedron.vertex_count; v++) {
        cd_vec3 p = polyhedron.vertex[v];
        box.low =
            (cd_vec3){fmin(box.low.x, p.x - margin), fmin(box.low.y, p.y - margin), fmin(box.low.z, p.z - margin)};
        box.high =
            (cd_vec3){fmax(box.high.x, p.x + margin), fmax(box.high.y, p.y + margin), fmax(box.high.z, p.z + margin)};
    }
    return box;
}

static bool boxes_meet(part_box a, part_box b)
{
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
           a.low.z <= b.high.z && b.low.z <= a.high.z;
}

void convex_faces_match(const convex_faces_setting *setting, cd_arena *arena, cd_convex_parts *parts)
{
    CD_LIST(int32_t) pairs = {0};
    part_box *box = CD_ARENA_ARRAY(arena, part_box, parts->count);
    for (int32_t p = 0; p < parts->count; p++) {
        find_surfaces(setting, arena, &parts->part[p]);
        box[p] = box_of(parts->part[p].polyhedron, room(setting));
    }
    for (int32_t p = 0; p < parts->count; p++)
        for (int32_t q = p + 1; q < parts->count; q++)
            if (boxes_meet(box[p], box[q]) &&
                share_a_face(setting, parts->part[p].polyhedron, parts->part[q].polyhedron, arena)) {
                cd_list_push(arena, &pairs, p);
                cd_list_push(arena, &pairs, q);
            }
    parts->adjacent_count = pairs.count / 2;
    parts->adjacent = pairs.item;
}
