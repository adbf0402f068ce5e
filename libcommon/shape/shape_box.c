// Boxes about their centre, along the axes: as polygons in the plane, as polyhedra in space, once they are leaves.
// SPDX-License-Identifier: MIT
#include "cd_shape.h"

static cd_status make2(const cd_shape_geometry *geometry, cd_arena *arena, cd_leaf2 *leaf, cd_diag *diag)
{
    const double *half = geometry->halfsizes;
    CD_TRY(cd_shape_need_size(half, 2, "halfsizes", "a box", diag));
    cd_vec2 *vertex = CD_ARENA_ARRAY(arena, cd_vec2, 4);
    vertex[0] = (cd_vec2){-half[0], -half[1]};
    vertex[1] = (cd_vec2){half[0], -half[1]};
    vertex[2] = (cd_vec2){half[0], half[1]};
    vertex[3] = (cd_vec2){-half[0], half[1]};
    leaf->kind = CD_SHAPE_POLYGON;
    leaf->polygon = (cd_polygon){4, vertex};
    leaf->extent = cd_polygon_radius(leaf->polygon, (cd_vec2){0, 0});
    return CD_OK;
}

static cd_status make3(const cd_shape_geometry *geometry, cd_arena *arena, cd_leaf3 *leaf, cd_diag *diag)
{
    static const int32_t face_first[7] = {0, 4, 8, 12, 16, 20, 24};
    static const int32_t face_vertex[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    const double *half = geometry->halfsizes;
    CD_TRY(cd_shape_need_size(half, 3, "halfsizes", "a box", diag));
    cd_vec3 *vertex = CD_ARENA_ARRAY(arena, cd_vec3, 8);
    for (int k = 0; k < 8; k++)
        vertex[k] = (cd_vec3){k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]};
    leaf->kind = CD_SHAPE_POLYHEDRON;
    cd_polyhedron *polyhedron = cd_arena_alloc(arena, sizeof *polyhedron);
    *polyhedron = (cd_polyhedron){8, 6, vertex, face_first, face_vertex};
    leaf->polyhedron = polyhedron;
    leaf->extent = cd_points_radius3(vertex, 8);
    return CD_OK;
}

static void moments(const cd_shape_geometry *geometry, int dim, cd_arena *scratch, cd_shape_moments *m)
{
    (void)scratch;
    const double *s = geometry->halfsizes;
    double least = INFINITY, square = 0;
    for (int i = 0; i < dim; i++) {
        least = fmin(least, s[i]);
        square += s[i] * s[i];
    }
    m->diameter = 2 * sqrt(square);
    m->feature = 2 * least;
    if (dim == 2) {
        m->measure = 4 * s[0] * s[1];
        m->inertia[0] = m->measure * (s[0] * s[0] + s[1] * s[1]) / 3;
        return;
    }
    m->measure = 8 * s[0] * s[1] * s[2];
    for (int i = 0; i < 3; i++) {
        double p = s[(i + 1) % 3], q = s[(i + 2) % 3];
        m->inertia[i] = m->measure * (p * p + q * q) / 3;
    }
}

const cd_shape cd_shape_box = {.name = "box",
                               .sizes = CD_SHAPE_SIZE(halfsizes),
                               .plane = {.make = make2},
                               .space = {.make = make3},
                               .moments = moments};
