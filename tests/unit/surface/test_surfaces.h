// test_surfaces -- triangulated sheets for the tests of surfaces: a grid over the plane, jittered, with diagonals,
// windings and heights as asked.
// SPDX-License-Identifier: MIT
#ifndef TEST_SURFACES_H
#define TEST_SURFACES_H

#include "cd_quat.h"
#include "cd_random.h"
#include "cd_surface_contact.h"

typedef struct sheet {
    int32_t cells, vertex_count, triangle_count;  // cells x cells squares of side 1 from (0, 0)
    cd_vec3 *vertex;
    int32_t *triangle;
} sheet;

typedef struct sheet_kind {
    int32_t cells;
    double jitter;        // [1] of the side, within the plane; rims too
    double height;        // [1] of the side: heights from 0 to it
    bool random_winding;  // else all normals point up
    uint64_t seed;
} sheet_kind;

static inline sheet sheet_make(cd_arena *arena, sheet_kind kind)
{
    int32_t n = kind.cells, side = n + 1, count = 0;
    cd_random random = {kind.seed};
    sheet s = {n, side * side, 2 * n * n, CD_ARENA_ARRAY(arena, cd_vec3, side * side),
               CD_ARENA_ARRAY(arena, int32_t, 6 * n * n)};
    for (int32_t v = 0; v < s.vertex_count; v++)
        s.vertex[v] = (cd_vec3){v % side + cd_random_between(&random, -kind.jitter, kind.jitter),
                                v / side + cd_random_between(&random, -kind.jitter, kind.jitter),
                                cd_random_between(&random, 0, kind.height)};
    for (int32_t cell = 0; cell < n * n; cell++) {
        int32_t a = cell / n * side + cell % n, b = a + 1, c = b + side, d = a + side;
        bool other = cd_random_bits(&random) & 1;
        int32_t corner[2][3] = {{a, b, other ? d : c}, {other ? b : a, c, d}};
        for (int k = 0; k < 2; k++, count++) {
            bool turned = kind.random_winding && cd_random_bits(&random) & 1;
            s.triangle[3 * count] = corner[k][0];
            s.triangle[3 * count + 1] = corner[k][turned ? 2 : 1];
            s.triangle[3 * count + 2] = corner[k][turned ? 1 : 2];
        }
    }
    return s;
}

static inline cd_surface sheet_surface(cd_arena *arena, const sheet *s)
{
    return cd_surface_make(arena, s->vertex, s->vertex_count, s->triangle, s->triangle_count, 0);
}

// Contacts with all triangles asked; their number.
static inline int32_t touch_all(const cd_surface_mesh *mesh, const cd_surface_ball *ball, const cd_surface_rules *rules,
                                cd_arena *scratch, cd_surface_contact *contact)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    int32_t count = mesh->surface->triangle_count, *all = CD_ARENA_ARRAY(scratch, int32_t, count);
    for (int32_t i = 0; i < count; i++)
        all[i] = i;
    count = cd_surface_touch_ball(mesh, ball, rules, &(cd_surface_asked){all, count, NULL, 0}, scratch, contact);
    cd_arena_rewind(scratch, mark);
    return count;
}

#endif
