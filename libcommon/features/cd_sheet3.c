// SPDX-License-Identifier: MIT
#include "cd_sheet3.h"

#include "cd_convex3_place.h"
#include "cd_flatness.h"

enum { MOST_FACES = 5, FRONT = 0, BACK = 1, SIDE_01 = 2, SIDE_12 = 3, SIDE_20 = 4 };

// What all sheets of a kind have in common.
typedef struct form {
    int32_t vertices, faces;
    const int32_t *face_first, *face_vertex, *first_corner;
    cd_edges3 edges;
} form;

static const form triangle = {
    .vertices = 3,
    .faces = MOST_FACES,
    .face_first = (const int32_t[]){0, 3, 6, 8, 10, 12},
    .face_vertex = (const int32_t[]){0, 1, 2, 0, 2, 1, 1, 0, 2, 1, 0, 2},
    .first_corner = (const int32_t[]){0, 0, 1, 2, 0},
    .edges = {.count = 6,
              .edge = (const cd_edge3[]){{{0, 1}, {FRONT, SIDE_01}},
                                         {{0, 1}, {SIDE_01, BACK}},
                                         {{0, 2}, {SIDE_20, FRONT}},
                                         {{0, 2}, {BACK, SIDE_20}},
                                         {{1, 2}, {FRONT, SIDE_12}},
                                         {{1, 2}, {SIDE_12, BACK}}},
              .first = (const int32_t[]){0, 4, 6, 6},
              .vertex_count = 3,
              .around_first = (const int32_t[]){0, 4, 8, 12},
              .around = (const int32_t[]){0, 1, 2, 3, 0, 1, 4, 5, 2, 3, 4, 5}},
};

// Face k is a quarter of a turn about the segment, from 0 to 1, after face k - 1.
static const form segment = {
    .vertices = 2,
    .faces = 4,
    .face_first = (const int32_t[]){0, 2, 4, 6, 8},
    .face_vertex = (const int32_t[]){0, 1, 0, 1, 0, 1, 0, 1},
    .first_corner = (const int32_t[]){0, 0, 0, 0},
    .edges = {.count = 4,
              .edge = (const cd_edge3[]){{{0, 1}, {0, 1}}, {{0, 1}, {1, 2}}, {{0, 1}, {2, 3}}, {{0, 1}, {3, 0}}},
              .first = (const int32_t[]){0, 4, 4},
              .vertex_count = 2,
              .around_first = (const int32_t[]){0, 4, 8},
              .around = (const int32_t[]){0, 1, 2, 3, 0, 1, 2, 3}},
};

// The longest edge by number, from corner k to the next; its squared length [m^2].
static int longest_edge(const cd_vec3 corner[3], double *longest_sq)
{
    int longest = 0;
    *longest_sq = 0;
    for (int k = 0; k < 3; k++) {
        cd_vec3 along = cd_sub3(corner[(k + 1) % 3], corner[k]);
        double length_sq = cd_dot3(along, along);
        if (length_sq > *longest_sq) {
            *longest_sq = length_sq;
            longest = k;
        }
    }
    return longest;
}

// False: no plane.
static bool find_normal(const cd_vec3 corner[3], cd_vec3 *normal)
{
    double longest_sq;
    longest_edge(corner, &longest_sq);
    cd_vec3 area = cd_cross3(cd_sub3(corner[1], corner[0]), cd_sub3(corner[2], corner[0]));
    double length = cd_length3(area);
    *normal = cd_scale3(1 / length, area);
    return length > CD_FLATNESS * longest_sq && isfinite(length);
}

int cd_sheet3_longest(const cd_vec3 corner[3])
{
    double longest_sq, sum = 0;
    int k = longest_edge(corner, &longest_sq);
    for (int i = 0; i < 3; i++)
        sum += corner[i].x + corner[i].y + corner[i].z;
    return longest_sq > 0 && isfinite(longest_sq + sum) ? k : -1;
}

static cd_shell3 *sheet_of(cd_arena *arena, const form *f, const cd_vec3 *corner, const cd_vec3 *normal, double margin)
{
    cd_convex3 *c = CD_ARENA_ARRAY(arena, cd_convex3, 1);
    cd_convex3_columns to = cd_convex3_new_columns(arena, f->vertices, 0);
    for (int i = 0; i < CD_CONVEX3_LANES; i++) {
        cd_vec3 p = corner[i < f->vertices ? i : 0];
        to.x[i] = p.x;
        to.y[i] = p.y;
        to.z[i] = p.z;
    }
    *c = (cd_convex3){.vertex_count = f->vertices,
                      .face_count = f->faces,
                      .x = to.x,
                      .y = to.y,
                      .z = to.z,
                      .face_first = f->face_first,
                      .face_vertex = f->face_vertex,
                      .corner = f->first_corner,
                      .edge_count = f->edges.count,
                      .edge = f->edges.edge};
    cd_convex3_measure(c);
    cd_plane *plane = CD_ARENA_ARRAY(arena, cd_plane, f->faces);
    for (int k = 0; k < f->faces; k++)
        plane[k] = (cd_plane){normal[k], cd_convex3_face_offset(c, k, normal[k].x, normal[k].y, normal[k].z)};
    c->plane = plane;
    cd_shell3 *shell = CD_ARENA_ARRAY(arena, cd_shell3, 1);
    *shell = cd_shell3_make(arena, c, &f->edges);
    shell->margin = margin;
    shell->is_sheet = true;
    return shell;
}

const cd_shell3 *cd_sheet3_make(cd_arena *arena, const cd_vec3 corner[3], double margin)
{
    cd_vec3 normal[MOST_FACES];
    if (!find_normal(corner, &normal[FRONT]))
        return NULL;
    normal[BACK] = cd_negate3(normal[FRONT]);
    for (int k = 0; k < 3; k++)
        normal[SIDE_01 + k] = cd_unit3(cd_cross3(cd_sub3(corner[(k + 1) % 3], corner[k]), normal[FRONT]));
    return sheet_of(arena, &triangle, corner, normal, margin);
}

const cd_shell3 *cd_sheet3_make_line(cd_arena *arena, const cd_vec3 end[2], cd_vec3 across, double margin)
{
    cd_vec3 beside = cd_unit3(cd_cross3(cd_sub3(end[1], end[0]), across));
    const cd_vec3 normal[MOST_FACES] = {across, beside, cd_negate3(across), cd_negate3(beside)};
    cd_shell3 *shell = sheet_of(arena, &segment, end, normal, margin);
    shell->is_line = true;
    return shell;
}
