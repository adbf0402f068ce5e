// SPDX-License-Identifier: MIT
#include "cd_sheet3.h"

#include "cd_convex3_place.h"

enum { VERTICES = 3, FACES = 5, EDGES = 6, FRONT = 0, BACK = 1, SIDE_01 = 2, SIDE_12 = 3, SIDE_20 = 4 };

static const int32_t face_first[FACES + 1] = {0, 3, 6, 8, 10, 12};
static const int32_t face_vertex[] = {0, 1, 2, 0, 2, 1, 1, 0, 2, 1, 0, 2};
static const int32_t first_corner[FACES] = {0, 0, 1, 2, 0};
static const cd_edge3 edge[EDGES] = {
    {{0, 1}, {FRONT, SIDE_01}}, {{0, 1}, {SIDE_01, BACK}},  {{0, 2}, {SIDE_20, FRONT}},
    {{0, 2}, {BACK, SIDE_20}},  {{1, 2}, {FRONT, SIDE_12}}, {{1, 2}, {SIDE_12, BACK}},
};
static const int32_t edge_first[VERTICES + 1] = {0, 4, 6, 6};
static const int32_t around_first[VERTICES + 1] = {0, 4, 8, 12};
static const int32_t around[] = {0, 1, 2, 3, 0, 1, 4, 5, 2, 3, 4, 5};
static const cd_edges3 edges = {
    .count = EDGES,
    .edge = edge,
    .first = edge_first,
    .vertex_count = VERTICES,
    .around_first = around_first,
    .around = around,
};

// False: no plane. longest_sq [m^2]: of the edges.
static bool find_normal(const cd_vec3 corner[3], cd_vec3 *normal)
{
    double longest_sq = 0;
    for (int k = 0; k < 3; k++) {
        cd_vec3 along = cd_sub3(corner[(k + 1) % 3], corner[k]);
        longest_sq = fmax(longest_sq, cd_dot3(along, along));
    }
    cd_vec3 area = cd_cross3(cd_sub3(corner[1], corner[0]), cd_sub3(corner[2], corner[0]));
    double length = cd_length3(area);
    *normal = cd_scale3(1 / length, area);
    return length > CD_SHEET3_FLATNESS * longest_sq && isfinite(length);
}

static const cd_plane *planes_make(cd_arena *arena, const cd_convex3 *c, const cd_vec3 corner[3], cd_vec3 normal)
{
    cd_plane *plane = CD_ARENA_ARRAY(arena, cd_plane, FACES);
    plane[FRONT].normal = normal;
    plane[BACK].normal = cd_negate3(normal);
    for (int k = 0; k < 3; k++)
        plane[SIDE_01 + k].normal = cd_unit3(cd_cross3(cd_sub3(corner[(k + 1) % 3], corner[k]), normal));
    for (int f = 0; f < FACES; f++) {
        cd_vec3 n = plane[f].normal;
        plane[f].offset = cd_convex3_face_offset(c, f, n.x, n.y, n.z);
    }
    return plane;
}

const cd_shell3 *cd_sheet3_make(cd_arena *arena, const cd_vec3 corner[3], double margin)
{
    cd_vec3 normal;
    if (!find_normal(corner, &normal))
        return NULL;
    cd_convex3 *c = CD_ARENA_ARRAY(arena, cd_convex3, 1);
    cd_convex3_columns to = cd_convex3_new_columns(arena, VERTICES, 0);
    for (int i = 0; i < CD_CONVEX3_LANES; i++) {
        cd_vec3 p = corner[i < VERTICES ? i : 0];
        to.x[i] = p.x;
        to.y[i] = p.y;
        to.z[i] = p.z;
    }
    *c = (cd_convex3){.vertex_count = VERTICES,
                      .face_count = FACES,
                      .x = to.x,
                      .y = to.y,
                      .z = to.z,
                      .face_first = face_first,
                      .face_vertex = face_vertex,
                      .corner = first_corner,
                      .edge_count = EDGES,
                      .edge = edge};
    cd_convex3_measure(c);
    c->plane = planes_make(arena, c, corner, normal);
    cd_shell3 *shell = CD_ARENA_ARRAY(arena, cd_shell3, 1);
    *shell = cd_shell3_make(arena, c, &edges);
    shell->margin = margin;
    shell->is_sheet = true;
    return shell;
}
