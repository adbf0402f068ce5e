// What is closed and convex passes, also rounded, turned and far away; every kind of damage is refused with its
// sentence.
// SPDX-License-Identifier: MIT
#include "cd_polyhedron_check.h"

#include "cd_hull3.h"
#include "cd_random.h"
#include "cd_test.h"

static cd_arena arena;
static cd_diag diag;

// Of the polyhedron alone, and of what was prepared of it: the same sentence.
static const char *verdict(cd_polyhedron p)
{
    cd_diag other = {""};
    diag.text[0] = '\0';
    double tolerance = cd_polyhedron_tolerance(p);
    cd_status status = cd_polyhedron_check_convex(p, tolerance, &arena, &diag);
    if (cd_polyhedron_validate(p, &arena, NULL) == CD_OK) {
        bool is_plain;
        cd_edges3 edges = cd_edges3_make(&arena, p.vertex_count, p.face_count, p.face_first, p.face_vertex);
        cd_convex3 convex = cd_convex3_make_with(&arena, &p, NULL, &edges, &is_plain);
        CD_CHECK(cd_polyhedron_check_prepared(p, &convex, &edges, is_plain, tolerance, &arena, &other) == status);
        CD_CHECK_TEXT(other.text, diag.text);
    }
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
            p[k] = cd_unit3(
                (cd_vec3){cd_random_unit(&random) - 0.5, cd_random_unit(&random) - 0.5, cd_random_unit(&random) - 0.5});
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

// Polygons cut into triangles.
static cd_polyhedron fans(cd_polyhedron s)
{
    int32_t corners = s.face_first[s.face_count] - s.face_first[0], faces = 0;
    int32_t *first = CD_ARENA_ARRAY(&arena, int32_t, corners), *corner = CD_ARENA_ARRAY(&arena, int32_t, 3 * corners);
    for (int32_t f = 0; f < s.face_count; f++)
        for (int32_t k = s.face_first[f] + 1; k + 1 < s.face_first[f + 1]; k++, faces++) {
            first[faces] = 3 * faces;
            corner[3 * faces] = s.face_vertex[s.face_first[f]];
            corner[3 * faces + 1] = s.face_vertex[k];
            corner[3 * faces + 2] = s.face_vertex[k + 1];
        }
    first[faces] = 3 * faces;
    return (cd_polyhedron){s.vertex_count, faces, s.vertex, first, corner};
}

// Hulls of round and of gridded points, from needles and plates to balls, of all sizes and as far away as doubles tell,
// their vertices disturbed by 1e-9 to 1 of their size, faces turned or left out: `verdict` compares.
CD_TEST(what_is_prepared_gets_the_same_verdict)
{
    enum { COUNT = 40 };
    cd_random random = {5};
    int good = 0, bad = 0;
    for (int n = 0; n < 4000; n++) {
        static const double sizes[] = {1, 1, 1, 1e-8, 1e8, 1e-95, 1e95, 1e150};
        static const double ways[] = {0, 0, 1, 1e3, 1e6, 1e8, 1e10, 1e11};
        double size = sizes[n % 8], far = size * ways[n / 8 % 8];
        cd_vec3 thin = {1, n % 5 ? 1 : pow(10, -8 * cd_random_unit(&random)),
                        n % 7 ? 1 : pow(10, -8 * cd_random_unit(&random))};
        cd_vec3 p[COUNT];
        int32_t count = 5 + (int32_t)(cd_random_bits(&random) % (COUNT - 5));
        for (int32_t k = 0; k < count; k++) {
            cd_vec3 d = {cd_random_between(&random, -1, 1), cd_random_between(&random, -1, 1),
                         cd_random_between(&random, -1, 1)};
            d = n % 3 ? cd_unit3(d) : (cd_vec3){rint(2 * d.x), rint(2 * d.y), rint(2 * d.z)};
            p[k] = (cd_vec3){thin.x * d.x, thin.y * d.y, thin.z * d.z};
        }
        if (n % 16 == 8)  // faces so thin that their planes are lost in plain sums
            p[count - 1] = cd_scale3(1 + pow(10, -8 - 6 * cd_random_unit(&random)), p[count - 2]);
        cd_hull3 h = cd_hull3_make(p, count, &arena);
        if (h.dimension < 3)
            continue;
        cd_polyhedron solid = cd_hull3_polyhedron(&h, p, &arena);
        cd_vec3 *moved = CD_ARENA_ARRAY(&arena, cd_vec3, solid.vertex_count);
        cd_pose3 pose =
            cd_pose3_make((cd_vec3){0, 0, 0}, cd_quat_from_vector((cd_vec3){1, cd_random_unit(&random), 2}));
        for (int32_t v = 0; v < solid.vertex_count; v++)
            moved[v] = cd_add3(cd_scale3(size, cd_pose3_apply(&pose, solid.vertex[v])), (cd_vec3){far, -far / 3, 0});
        solid.vertex = moved;
        if (n % 2)
            solid = fans(solid);
        if (n % 4 == 1)  // about the tolerance
            moved[n % solid.vertex_count].y += cd_random_between(&random, -3, 3) * cd_polyhedron_tolerance(solid);
        if (n % 8 == 3)
            moved[n % solid.vertex_count].y += size * pow(10, -9 * cd_random_unit(&random));
        if (n % 16 == 4)
            moved[0] = moved[1];
        solid.face_count -= n % 64 == 9;
        int is_good = !strcmp(verdict(solid), "good");
        good += is_good;
        bad += !is_good;
        cd_arena_reset(&arena);
    }
    CD_CHECK(good > 1000 && bad > 1000);
}

// Planes are found several at a time: where a face stands in the list, and whether faces of more corners stand beside
// it, makes no difference to a bit, and a plane is what Newell's sum says.
CD_TEST(planes_do_not_depend_on_the_order_of_faces)
{
    enum { COUNT = 60, MOST_CORNERS = 6 * COUNT };
    cd_random random = {6};
    for (int n = 0; n < 100; n++) {
        cd_vec3 p[COUNT];
        for (int k = 0; k < COUNT; k++) {
            p[k] = (cd_vec3){cd_random_between(&random, -2, 2), cd_random_between(&random, -2, 2),
                             cd_random_between(&random, -2, 2)};
            p[k] = n % 2 ? cd_unit3(p[k]) : (cd_vec3){rint(p[k].x), rint(p[k].y), rint(p[k].z) + 0.1 * p[k].x};
        }
        cd_hull3 h = cd_hull3_make(p, COUNT, &arena);
        cd_polyhedron solid = cd_hull3_polyhedron(&h, p, &arena), turned = solid;
        cd_convex3 a = cd_convex3_make(&arena, &solid, NULL);
        int32_t first[2 * COUNT], corner[MOST_CORNERS], count = 0, shift = 1 + n % (solid.face_count - 1);
        for (int32_t f = 0; f < solid.face_count; f++) {
            int32_t from = (f + shift) % solid.face_count;
            first[f] = count;
            for (int32_t k = solid.face_first[from]; k < solid.face_first[from + 1]; k++)
                corner[count++] = solid.face_vertex[k];
        }
        first[solid.face_count] = count;
        turned.face_first = first;
        turned.face_vertex = corner;
        cd_convex3 b = cd_convex3_make(&arena, &turned, NULL);
        for (int32_t f = 0; f < solid.face_count; f++) {
            const cd_plane *plane = &a.plane[(f + shift) % solid.face_count];
            CD_CHECK(memcmp(plane, &b.plane[f], sizeof *plane) == 0);
            cd_vec3 origin = solid.vertex[corner[first[f]]], sum = {0, 0, 0};
            double offset = -INFINITY;
            for (int32_t k = first[f] + 1; k + 1 < first[f + 1]; k++)
                sum = cd_add3(sum, cd_cross3(cd_sub3(solid.vertex[corner[k]], origin),
                                             cd_sub3(solid.vertex[corner[k + 1]], origin)));
            cd_vec3 unit = cd_unit3(sum), off = cd_sub3(unit, plane->normal);
            for (int32_t k = first[f]; k < first[f + 1]; k++)
                offset = fmax(offset, cd_dot3(plane->normal, solid.vertex[corner[k]]));
            CD_CHECK(cd_length3(off) < 1e-12 && plane->offset == offset);
        }
        cd_arena_reset(&arena);
    }
}

int main(void)
{
    CD_RUN(what_is_prepared_gets_the_same_verdict);
    CD_RUN(planes_do_not_depend_on_the_order_of_faces);
    CD_RUN(convex_solids_pass);
    CD_RUN(damaged_faces_are_told);
    CD_RUN(dents_are_told);
    CD_RUN(no_dent_is_missed);
    cd_arena_release(&arena);
    return cd_test_done();
}
