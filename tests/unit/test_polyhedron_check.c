// What is closed and convex passes, also rounded, turned and far away; every kind of damage is refused with its
// sentence.
// SPDX-License-Identifier: MIT
#include "cd_polyhedron_check.h"

#include "cd_hull3.h"
#include "cd_random.h"
#include "cd_test.h"

static cd_arena arena;
static cd_diag diag;

static const char *verdict(cd_polyhedron p)
{
    diag.text[0] = '\0';
    cd_status status = cd_polyhedron_check_convex(p, cd_polyhedron_tolerance(p), &arena, &diag);
    return status == CD_OK ? "good" : diag.text;
}

#define COUNT_OF(array) ((int32_t)(sizeof(array) / sizeof *(array)))

static const cd_vec3 cube_vertex[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                       {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const int32_t cube_first[] = {0, 4, 8, 12, 16, 20, 24};
static const int32_t cube_face[] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};

static cd_polyhedron cube(const cd_vec3 *vertex, const int32_t *face)
{
    return (cd_polyhedron){8, 6, vertex ? vertex : cube_vertex, cube_first, face ? face : cube_face};
}

CD_TEST(convex_solids_pass)
{
    cd_random random = {1};
    CD_CHECK_TEXT(verdict(cube(NULL, NULL)), "good");
    for (int i = 0; i < 200; i++) {
        enum { COUNT = 100 };
        cd_vec3 p[COUNT];
        double size = pow(10, i % 17 - 8), thin = i % 3 ? 1 : 1e-3;
        for (int k = 0; k < COUNT; k++)
            p[k] = (cd_vec3){size * cd_random_unit(&random), size * cd_random_unit(&random),
                             thin * size * cd_random_unit(&random)};
        if (i % 2)
            for (int k = 0; k < COUNT; k++)
                p[k] = (cd_vec3){size * rint(p[k].x / size * 4), size * rint(p[k].y / size * 4),
                                 size * rint(p[k].z / size * 4)};
        cd_hull3 h = cd_hull3_make(p, COUNT, &arena);
        if (h.dimension < 3)
            continue;
        cd_polyhedron solid = cd_hull3_polyhedron(&h, p, &arena);
        CD_CHECK_TEXT(verdict(solid), "good");
        // in single precision, turned, and as far away as single precision still tells
        cd_vec3 *moved = CD_ARENA_ARRAY(&arena, cd_vec3, solid.vertex_count);
        cd_pose3 pose =
            cd_pose3_make((cd_vec3){2 * size, -size, 0}, cd_quat_from_vector((cd_vec3){1, cd_random_unit(&random), 2}));
        cd_points_place3(solid.vertex, solid.vertex_count, &pose, moved);
        for (int32_t v = 0; v < solid.vertex_count; v++)
            moved[v] = (cd_vec3){(float)moved[v].x, (float)moved[v].y, (float)moved[v].z};
        solid.vertex = moved;
        if (thin == 1)
            CD_CHECK_TEXT(verdict(solid), "good");
        cd_arena_reset(&arena);
    }
}

CD_TEST(damaged_faces_are_told)
{
    static const int32_t four[] = {0, 3, 6, 9, 12};
    static const cd_vec3 corner[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {5, 5, 5}};
    static const int32_t good[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3},
                         one_turned[] = {0, 1, 2, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    static const int32_t all_turned[] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0},
                         twice[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 1, 3};
    CD_CHECK_TEXT(verdict((cd_polyhedron){4, 4, corner, four, good}), "good");
    CD_CHECK_TEXT(verdict((cd_polyhedron){5, 4, corner, four, good}), "vertices: vertex 4 belongs to no face");
    CD_CHECK_TEXT(verdict((cd_polyhedron){4, 4, corner, four, one_turned}),
                  "faces: faces 0 and 1 go the same way along edge 0-1: one of them is listed clockwise");
    CD_CHECK_TEXT(verdict((cd_polyhedron){4, 4, corner, four, all_turned}),
                  "faces: all are listed clockwise as seen from outside");
    CD_CHECK_TEXT(verdict((cd_polyhedron){4, 4, corner, four, twice}),
                  "faces: edge 0-1 belongs to 3 faces, 0, 1 and 3 among them");
    CD_CHECK_TEXT(verdict((cd_polyhedron){8, 5, cube_vertex, cube_first, cube_face}),
                  "faces: edge 1-3 of face 0 belongs to no other face: not closed");
    // two tetrahedra in one
    static const cd_vec3 two[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                  {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int32_t eight[] = {0, 3, 6, 9, 12, 15, 18, 21, 24};
    static const int32_t both[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 4, 6, 5, 4, 5, 7, 5, 6, 7, 6, 4, 7};
    CD_CHECK_TEXT(verdict((cd_polyhedron){8, 8, two, eight, both}),
                  "faces: vertices - edges + faces is 4, not 2: more than one piece, or with holes");
    // all in a plane; a face without area
    static const cd_vec3 flat[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    CD_CHECK_TEXT(verdict((cd_polyhedron){4, 4, flat, four, good}),
                  "vertices: all lie in one plane: there is no volume");
    static const cd_vec3 line[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, 1}};
    CD_CHECK_TEXT(verdict((cd_polyhedron){4, 4, line, four, good}), "faces: face 0 has no area");
    CD_CHECK_TEXT(verdict((cd_polyhedron){3, 4, corner, four, good}),
                  "vertices: 3 of them, a polyhedron has at least 4");
}

CD_TEST(dents_are_told)
{
    cd_vec3 vertex[8];
    memcpy(vertex, cube_vertex, sizeof vertex);
    vertex[7].z = 1.5;
    CD_CHECK_TEXT(verdict(cube(vertex, NULL)), "faces: vertex 4 is 0.117851 m off the plane of its face 1");
    // an octahedron with one corner pushed in: all faces are triangles, so planar
    cd_vec3 tip[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -0.1}};
    cd_hull3 h = cd_hull3_make(tip, 6, &arena);
    cd_polyhedron solid = cd_hull3_polyhedron(&h, tip, &arena);
    CD_CHECK_TEXT(verdict(solid), "good");
    cd_vec3 *pushed = CD_ARENA_ARRAY(&arena, cd_vec3, 6);
    memcpy(pushed, solid.vertex, 6 * sizeof *pushed);
    pushed[5].z = 0.1;
    solid.vertex = pushed;
    CD_CHECK(strstr(verdict(solid), "m outside of face") && strstr(verdict(solid), ": not convex"));
    pushed[5].z = 1e-7;  // within the tolerance of 1e-6 of the size
    CD_CHECK_TEXT(verdict(solid), "good");
    // a prism over an arrowhead
    static const cd_vec3 arrow[] = {{0, 0, 0}, {2, -1, 0}, {1, 0, 0}, {2, 1, 0},
                                    {0, 0, 1}, {2, -1, 1}, {1, 0, 1}, {2, 1, 1}};
    static const int32_t face[] = {3, 2, 1, 0, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
    CD_CHECK_TEXT(verdict((cd_polyhedron){8, 6, arrow, cube_first, face}),
                  "faces: face 0 is not convex: vertex 1 is outside of its edge 3-2");
    // a cube whose top is cut into an L and a square, all in one plane
    static const cd_vec3 cut[] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {2, 0, 2},
                                  {2, 2, 2}, {0, 2, 2}, {2, 1, 2}, {1, 2, 2}, {1, 1, 2}};
    static const int32_t first[] = {0, 4, 8, 13, 18, 22, 28, 32};
    static const int32_t parts[] = {3, 2, 1, 0, 0, 1, 5, 4, 1, 2,  6, 8, 5, 2, 3, 7,
                                    9, 6, 3, 0, 4, 7, 4, 5, 8, 10, 9, 7, 8, 6, 9, 10};
    CD_CHECK(COUNT_OF(parts) == 32 &&
             strstr(verdict((cd_polyhedron){11, 7, cut, first, parts}), "faces: face 5 is not convex"));
    cd_arena_reset(&arena);
}

// A vertex of a hull moved inward by more than the tolerance, or outward off its planes: always refused.
CD_TEST(no_dent_is_missed)
{
    enum { MOST = 1000 };
    cd_random random = {2};
    int missed = 0, refused = 0;
    static cd_vec3 p[MOST];
    for (int i = 0; i < 340; i++) {
        int count = i < 300 ? 30 : MOST;
        for (int k = 0; k < count; k++)
            p[k] = cd_unit3((cd_vec3){cd_random_unit(&random) - 0.5, cd_random_unit(&random) - 0.5,
                                      cd_random_unit(&random) - 0.5});
        cd_hull3 h = cd_hull3_make(p, count, &arena);
        cd_polyhedron solid = cd_hull3_polyhedron(&h, p, &arena);
        refused += strcmp(verdict(solid), "good") != 0;
        cd_vec3 *moved = CD_ARENA_ARRAY(&arena, cd_vec3, solid.vertex_count);
        memcpy(moved, solid.vertex, (size_t)solid.vertex_count * sizeof *moved);
        int32_t v = (int32_t)(cd_random_bits(&random) % (uint64_t)solid.vertex_count);
        moved[v] = cd_scale3(count == 30 ? (i % 2 ? 0.2 : 5) : i % 2 ? 0.95 : 1.05, moved[v]);
        solid.vertex = moved;
        missed += !strcmp(verdict(solid), "good");
        cd_arena_reset(&arena);
    }
    CD_CHECK(missed == 0 && refused == 0);
}

int main(void)
{
    CD_RUN(convex_solids_pass);
    CD_RUN(damaged_faces_are_told);
    CD_RUN(dents_are_told);
    CD_RUN(no_dent_is_missed);
    cd_arena_release(&arena);
    return cd_test_done();
}
