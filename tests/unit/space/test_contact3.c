// The contact of overlapping polyhedra: closed forms, degenerate overlaps, inner faces, and what transformations must
// keep.
// SPDX-License-Identifier: MIT
#include "cd_contact3.h"
#include "cd_intersect3_pair.h"
#include "cd_test.h"
#include "test_solids.h"

static cd_arena arena;

#define EPSILON 1e-6

static cd_convex3 box(double x0, double y0, double z0, double x1, double y1, double z1)
{
    return test_fixed(test_box_between((cd_vec3){x0, y0, z0}, (cd_vec3){x1, y1, z1}, &arena), &arena);
}

static double far_off(cd_vec3 p, cd_vec3 q) { return cd_length3(cd_sub3(p, q)); }

CD_TEST(a_brick_sunk_into_another)
{
    // 0.5 x 0.5 wide, 0.125 deep, in the middle of a's top.
    cd_convex3 a = box(-1, -1, -1, 1, 1, 0), b = box(-0.25, -0.25, -0.125, 0.25, 0.25, 1);
    cd_contact3 c = cd_contact3_volume(&a, &b, EPSILON, &arena);
    CD_CHECK(c.status == CD_CONTACT3_CONTACT && c.overlap == CD_INTERSECT3_OVERLAPPING);
    CD_CHECK(c.normal.x == 0 && c.normal.y == 0 && c.normal.z == 1);
    CD_CHECK(c.gap == -0.125 && c.volume == 0.5 * 0.5 * 0.125 && c.area == 0.25 + 4 * 0.5 * 0.125 / 2);
    CD_CHECK(far_off(c.point, (cd_vec3){0, 0, -0.0625}) < 1e-16);
    CD_CHECK(c.surface_a == 5 && c.surface_b == 4);  // top of a, bottom of b
    cd_arena_reset(&arena);
}

CD_TEST(a_point_pressed_into_a_plane)
{
    // An upright pyramid on three sides of slope, depth h below z = 0: the cut is an equilateral triangle of
    // circumradius h, the sides' horizontal parts cancel and their vertical ones point down.
    double s = sqrt(0.75);
    cd_convex3 a = box(-2, -2, -2, 2, 2, 0);
    for (double h = 1.0 / 4096; h < 0.5; h *= 4) {
        cd_polyhedron p = test_tetrahedron((cd_vec3){0, 0, -h}, (cd_vec3){1, 0, 1 - h}, (cd_vec3){-0.5, s, 1 - h},
                                           (cd_vec3){-0.5, -s, 1 - h}, &arena);
        cd_convex3 b = test_fixed(p, &arena);
        cd_contact3 c = cd_contact3_volume(&a, &b, EPSILON, &arena);
        double base = 1.5 * s * h * h, side = 0.5 * (2 * s * h) * h * sqrt(1.25);
        CD_CHECK(c.status == CD_CONTACT3_CONTACT);
        CD_CHECK(far_off(c.normal, (cd_vec3){0, 0, 1}) < 1e-14);
        CD_CHECK_NEAR(c.gap, -h, 1e-15);
        CD_CHECK_NEAR(c.volume, base * h / 3, 1e-15 * base);
        CD_CHECK_NEAR(c.area, 0.5 * (base + 3 * side), 4e-15 * h);  // corners are off by some 1e-16 of the bodies' size
        double depth = 3 * side * h / 3 / (base + 3 * side);        // of the sides' centroids, at a third of h
        CD_CHECK(far_off(c.point, (cd_vec3){0, 0, -depth}) < 1e-14);
        CD_CHECK(c.surface_a == 5);
    }
    cd_arena_reset(&arena);
}

CD_TEST(inner_faces_do_not_count)
{
    // Sunk into a corner region deeper than wide: the sides would win, but they are inner faces of a mesh.
    cd_polyhedron p = test_box_between((cd_vec3){-1, -1, -1}, (cd_vec3){1, 1, 0}, &arena);
    int32_t top_only[6] = {-1, -1, -1, -1, -1, 40}, all[6] = {10, 11, 12, 13, 14, 15},
            none[6] = {-1, -1, -1, -1, -1, -1};
    cd_convex3 b = box(0.875, -0.5, -0.5, 3, 0.5, 1);
    cd_convex3 a = cd_convex3_make(&arena, &p, all);
    cd_contact3 c = cd_contact3_volume(&a, &b, EPSILON, &arena);
    CD_CHECK(c.status == CD_CONTACT3_CONTACT && c.normal.x > 0.9 && c.surface_a == 11);
    a = cd_convex3_make(&arena, &p, top_only);
    int32_t bottom_only[6] = {-1, -1, -1, -1, 7, -1};
    b.surface = bottom_only;
    c = cd_contact3_volume(&a, &b, EPSILON, &arena);
    CD_CHECK(c.status == CD_CONTACT3_CONTACT && c.normal.z == 1 && c.normal.x == 0 && c.gap == -0.5);
    CD_CHECK(c.surface_a == 40 && c.surface_b == 7 && c.face_a == 5 && c.face_b == 4);
    a = cd_convex3_make(&arena, &p, none);
    b.surface = none;
    c = cd_contact3_volume(&a, &b, EPSILON, &arena);
    CD_CHECK(c.status == CD_CONTACT3_DEGENERATE && c.surface_a == -1 && c.surface_b == -1);
    CD_CHECK(c.normal.x == 1 && c.gap == -0.125);
    cd_arena_reset(&arena);
}

CD_TEST(sides_that_came_as_triangles)
{
    static const int32_t corner[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    cd_random random = {41};
    for (int trial = 0; trial < 200; trial++) {
        cd_polyhedron whole = test_box_between((cd_vec3){-1, -1, -1}, (cd_vec3){1, 1, 0}, &arena);
        cd_polyhedron split = test_polyhedron(whole.vertex, 8, corner, 12, 3, &arena);
        cd_vec3 place = cd_scale3(test_between(&random, 0.8, 1.5), test_direction(&random));
        cd_quat turn = test_rotation(&random), other = trial % 2 ? test_rotation(&random) : turn;
        cd_convex3 a = test_placed(whole, (cd_vec3){0, 0, 0}, turn, &arena),
                   b = test_placed(whole, place, other, &arena);
        cd_convex3 c = test_placed(split, (cd_vec3){0, 0, 0}, turn, &arena),
                   d = test_placed(split, place, other, &arena);
        cd_contact3 quads = cd_contact3_volume(&a, &b, EPSILON, &arena),
                    triangles = cd_contact3_volume(&c, &d, EPSILON, &arena);
        CD_CHECK(quads.status == triangles.status);
        if (quads.status == CD_CONTACT3_CONTACT && quads.volume > 1e-6) {
            CD_CHECK(far_off(quads.normal, triangles.normal) < 1e-9 && far_off(quads.point, triangles.point) < 1e-9);
            CD_CHECK_NEAR(quads.gap, triangles.gap, 1e-9);
        }
        cd_arena_reset(&arena);
    }
}

CD_TEST(bodies_inside_each_other)
{
    cd_convex3 out = box(0, 0, 0, 4, 4, 4), in = box(1, 1, 2.5, 2, 2, 3.5), cross_x = box(-1, 1, 1, 5, 3, 3),
               cross_z = box(1, 1, -1, 3, 3, 5);
    cd_contact3 c = cd_contact3_volume(&out, &in, EPSILON, &arena);
    CD_CHECK(c.status == CD_CONTACT3_DEGENERATE && c.overlap == CD_INTERSECT3_B_IN_A);
    CD_CHECK(c.normal.z == 1 && c.gap == -1.5 && c.volume == 1);
    c = cd_contact3_volume(&in, &out, EPSILON, &arena);
    CD_CHECK(c.status == CD_CONTACT3_DEGENERATE && c.overlap == CD_INTERSECT3_A_IN_B && c.normal.z == -1 &&
             c.gap == -1.5);
    // Through and through: opposite faces cancel.
    c = cd_contact3_volume(&out, &cross_x, EPSILON, &arena);
    CD_CHECK(c.status == CD_CONTACT3_DEGENERATE && c.overlap == CD_INTERSECT3_OVERLAPPING && c.gap == -3);
    CD_CHECK_NEAR(cd_length3(c.normal), 1, 1e-15);
    c = cd_contact3_volume(&cross_x, &cross_z, EPSILON, &arena);
    CD_CHECK(c.status == CD_CONTACT3_DEGENERATE);
    // Nothing in common, a face in common.
    cd_convex3 off = box(9, 0, 0, 10, 1, 1), beside = box(4, 0, 0, 5, 4, 4);
    CD_CHECK(cd_contact3_volume(&out, &off, EPSILON, &arena).status == CD_CONTACT3_NONE);
    CD_CHECK(cd_contact3_volume(&out, &beside, EPSILON, &arena).status == CD_CONTACT3_TOUCHING);
    cd_arena_reset(&arena);
}

CD_TEST(methods_and_exchange_agree)
{
    cd_random random = {3};
    int contacts = 0;
    for (int trial = 0; trial < 3000; trial++) {
        cd_vec3 axes = {test_between(&random, 0.3, 1), test_between(&random, 0.3, 1), test_between(&random, 0.3, 1)};
        bool boxes = trial % 3 == 0;
        cd_polyhedron p = boxes ? test_box_between(cd_negate3(axes), axes, &arena)
                                : test_hull(&random, trial % 3 == 1 ? 4 : 10, axes, &arena);
        cd_polyhedron q =
            boxes ? test_box_between(cd_negate3(axes), axes, &arena) : test_hull(&random, 7, axes, &arena);
        cd_convex3 a = test_placed(p, (cd_vec3){0, 0, 0}, test_rotation(&random), &arena);
        cd_convex3 b = test_placed(q, cd_scale3(test_between(&random, 0.2, 1.2), test_direction(&random)),
                                   test_rotation(&random), &arena);
        cd_contact3 c = cd_contact3_volume(&a, &b, EPSILON, &arena), d = cd_contact3_volume(&b, &a, EPSILON, &arena);
        CD_CHECK(c.status == d.status && c.gap == d.gap && c.area == d.area && c.volume == d.volume);
        CD_CHECK(far_off(c.point, d.point) == 0 && far_off(c.normal, cd_negate3(d.normal)) == 0);
        CD_CHECK(c.surface_a == d.surface_b && c.surface_b == d.surface_a);
        cd_intersect3 dual = cd_intersect3_dual(&a, &b, &arena);
        cd_contact3 e = cd_contact3_make(&dual, &a, &b, EPSILON, &arena);
        CD_CHECK(c.status == e.status);
        if (c.status == CD_CONTACT3_CONTACT && c.volume > 1e-6) {
            contacts++;
            CD_CHECK(far_off(c.point, e.point) < 1e-10 && far_off(c.normal, e.normal) < 1e-9);
            CD_CHECK_NEAR(c.gap, e.gap, 1e-9);
            CD_CHECK(c.gap < 0 && c.surface_a == e.surface_a && c.surface_b == e.surface_b);
            CD_CHECK_NEAR(cd_length3(c.normal), 1, 1e-15);
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(contacts > 1000);
}

CD_TEST(without_loops_of_corners_it_is_the_same)
{
    cd_random random = {29};
    for (int trial = 0; trial < 2000; trial++) {
        cd_vec3 axes = {test_between(&random, 0.3, 1), test_between(&random, 0.3, 1), test_between(&random, 0.3, 1)};
        cd_convex3 a = test_placed(test_hull(&random, 4 + trial % 16, axes, &arena), (cd_vec3){0, 0, 0},
                                   test_rotation(&random), &arena);
        cd_convex3 b = test_placed(test_hull(&random, 4 + trial % 7, axes, &arena),
                                   cd_scale3(test_between(&random, 0.2, 1.2), test_direction(&random)),
                                   test_rotation(&random), &arena);
        cd_intersect3 r = cd_intersect3_clip(&a, &b, &arena);
        cd_contact3 c = cd_contact3_volume(&a, &b, EPSILON, &arena), d = cd_contact3_make(&r, &a, &b, EPSILON, &arena);
        CD_CHECK(c.status == d.status && c.area == d.area && c.volume == d.volume);
        CD_CHECK(far_off(c.point, d.point) < 1e-14 && far_off(c.normal, d.normal) < 1e-14);
        CD_CHECK_NEAR(c.gap, d.gap, 1e-14);
        CD_CHECK(c.face_a == d.face_a && c.face_b == d.face_b);
        cd_arena_reset(&arena);
    }
}

// A side in two triangles with an angle that is neither none nor one: their areas are added before they are squared.
CD_TEST(a_side_that_is_hardly_bent)
{
    static const int32_t face_first[8] = {0, 4, 8, 12, 16, 20, 23, 26};
    static const int32_t face_vertex[26] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2,
                                            6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 4, 7, 6};
    for (int is_bent = 0; is_bent < 2; is_bent++) {
        cd_vec3 vertex[8];
        for (int k = 0; k < 8; k++)
            vertex[k] = (cd_vec3){k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1};
        vertex[5].z -= is_bent ? 2e-10 : 0;
        cd_polyhedron p = {8, 7, vertex, face_first, face_vertex};
        cd_convex3 a = test_fixed(p, &arena), edge_on = box(-0.9, -0.9, 0.5, 3, 0.9, 3);
        CD_CHECK(a.has_twins == (is_bent == 1));
        // Cuts the top over the diagonal, and the side x = 1: squares of 1.9 x 1.8 and 0.5 x 1.8 against the same
        // below.
        cd_contact3 c = cd_contact3_volume(&a, &edge_on, EPSILON, &arena);
        double top = 1.9 * 1.8 * 1.9 * 1.8, right = 0.5 * 1.8 * 0.5 * 1.8;
        CD_CHECK(c.status == CD_CONTACT3_CONTACT);
        CD_CHECK_NEAR(c.normal.z / c.normal.x, top / right, 1e-6);
        cd_arena_reset(&arena);
    }
}

// A planar side in three strips, the middle one inner: the outer two are one side for the normal, as by the faces.
CD_TEST(outer_strips_beside_an_inner_one)
{
    static const int32_t first[9] = {0, 4, 8, 12, 18, 24, 28, 32, 36};
    static const int32_t corner[36] = {0, 3, 2, 1, 1,  2,  11, 7, 3, 0, 4, 8, 0,  1, 7, 6, 5,  4,
                                       2, 3, 8, 9, 10, 11, 4,  5, 9, 8, 5, 6, 10, 9, 6, 7, 11, 10};
    static const int32_t surface[8] = {0, 1, 2, 3, 4, 5, -1, 7};
    static const double x[4] = {-1, -0.3, 0.3, 1};
    cd_vec3 vertex[12] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}};
    for (int k = 0; k < 4; k++) {
        vertex[4 + k] = (cd_vec3){x[k], -1, 1};
        vertex[8 + k] = (cd_vec3){x[k], 1, 1};
    }
    cd_polyhedron p = {12, 8, vertex, first, corner};
    cd_convex3 a = cd_convex3_make(&arena, &p, surface), b = box(-0.91, -0.83, 0.47, 3, 0.87, 3);
    cd_intersect3 r = cd_intersect3_clip(&a, &b, &arena);
    cd_contact3 c = cd_contact3_volume(&a, &b, EPSILON, &arena), d = cd_contact3_make(&r, &a, &b, EPSILON, &arena);
    CD_CHECK(c.status == CD_CONTACT3_CONTACT && far_off(c.normal, d.normal) < 1e-14);
    // Squares of areas: on top two strips of 0.61 and 0.7, 1.7 long, as one; at x = 1 0.53 by 1.7; below and at
    // x = -0.91 b's, of which no part is inner.
    double top = (0.61 + 0.7) * 1.7, right = 0.53 * 1.7, below = 1.91 * 1.7;
    CD_CHECK_NEAR(c.normal.x / c.normal.z, 2 * right * right / (top * top + below * below), 1e-12);
    cd_arena_reset(&arena);
}

// A body whose sides came as triangles around one that none of its planes reaches.
CD_TEST(no_active_planes)
{
    static const int32_t corner[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    cd_polyhedron large = test_box_between((cd_vec3){-1, -1, -1}, (cd_vec3){1, 1, 1}, &arena);
    cd_polyhedron small = test_box_between((cd_vec3){-0.1, -0.1, -0.1}, (cd_vec3){0.1, 0.1, 0.1}, &arena);
    cd_convex3 a = test_fixed(test_polyhedron(large.vertex, 8, corner, 12, 3, &arena), &arena);
    cd_convex3 b = test_fixed(test_polyhedron(small.vertex, 8, corner, 12, 3, &arena), &arena);
    cd_contact3 c = cd_contact3_volume(&a, &b, EPSILON, &arena);
    CD_CHECK(c.overlap == CD_INTERSECT3_B_IN_A && a.planar_face);
    CD_CHECK_NEAR(c.volume, 0.008, 1e-17);
    cd_arena_reset(&arena);
}

CD_TEST(the_nearest_face_at_every_vector_level)
{
    cd_random random = {31};
    for (int trial = 0; trial < 2000; trial++) {
        cd_convex3 a = test_fixed(test_hull(&random, 4 + trial % 20, (cd_vec3){1, 1, 1}, &arena), &arena);
        int32_t surface[64];
        for (int32_t f = 0; f < a.face_count; f++)
            surface[f] = test_between(&random, 0, 1) < 0.6 ? -1 : f;
        a.surface = trial % 3 ? surface : NULL;
        cd_vec3 p = cd_scale3(test_between(&random, 0, 1.5), test_direction(&random));
        int32_t nearest = -1;
        double least = INFINITY, most = 0;
        for (int32_t f = 0; f < a.face_count; f++) {
            double height = cd_dot3(a.plane[f].normal, p) - a.plane[f].offset;
            most = fmax(most, height);
            if ((!a.surface || surface[f] >= 0) && fabs(height) < least) {
                least = fabs(height);
                nearest = f;
            }
        }
        for (int level = CD_VECTOR_PORTABLE; level <= CD_VECTOR_AVX512; level++) {
            double outside = 0;
            CD_CHECK(cd_convex_pair3_kernel_of((cd_vector_level)level)->nearest(&a, p, &outside) == nearest);
            CD_CHECK(outside == most);
        }
        cd_arena_reset(&arena);
    }
}

int main(void)
{
    CD_RUN(a_brick_sunk_into_another);
    CD_RUN(a_point_pressed_into_a_plane);
    CD_RUN(inner_faces_do_not_count);
    CD_RUN(sides_that_came_as_triangles);
    CD_RUN(bodies_inside_each_other);
    CD_RUN(methods_and_exchange_agree);
    CD_RUN(without_loops_of_corners_it_is_the_same);
    CD_RUN(a_side_that_is_hardly_bent);
    CD_RUN(outer_strips_beside_an_inner_one);
    CD_RUN(no_active_planes);
    CD_RUN(the_nearest_face_at_every_vector_level);
    return cd_test_done();
}
