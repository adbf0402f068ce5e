// The volumetric intersection: closed forms, the methods against each other, and what transformations must keep.
// SPDX-License-Identifier: MIT
#include "cd_hull3.h"
#include "cd_intersect3.h"
#include "cd_test.h"
#include "test_solids.h"
#include "test_kernels3.h"

#include <cjson/cJSON.h>

static cd_arena arena;

enum { METHODS = 3 };
static cd_intersect3 by_method(int method, const cd_convex3 *a, const cd_convex3 *b)
{
    return method == 0   ? cd_intersect3_clip(a, b, &arena)
           : method == 1 ? test_intersect_cut(a, b, &arena)
                         : cd_intersect3_dual(a, b, &arena);
}

static cd_convex3 box(double x0, double y0, double z0, double x1, double y1, double z1)
{
    return test_fixed(test_box_between((cd_vec3){x0, y0, z0}, (cd_vec3){x1, y1, z1}, &arena), &arena);
}

// 1e-10 of the volume plus 1e-14 of size times area.
static double allowed(const cd_intersect3 *r, const cd_convex3 *a, const cd_convex3 *b)
{
    return 1e-10 * r->volume + 1e-14 * (a->radius + b->radius) * r->area;
}

// What must hold for any result with volume.
static void check_sound(const cd_intersect3 *r, const cd_convex3 *a, const cd_convex3 *b)
{
    double size = a->radius + b->radius, area = 0;
    cd_vec3 sum = {0, 0, 0};
    CD_CHECK(r->volume > 0 && r->face_count >= 4);
    for (int32_t f = 0; f < r->face_count; f++) {
        const cd_intersect3_face *face = &r->face[f];
        CD_CHECK(face->count >= 3 && face->first + face->count <= r->corner_count && (face->a >= 0 || face->b >= 0));
        CD_CHECK(face->area > 0);
        cd_vec3 normal = face->a >= 0 ? a->plane[face->a].normal : b->plane[face->b].normal;
        CD_CHECK(normal.x == face->normal.x && normal.y == face->normal.y && normal.z == face->normal.z);
        for (int32_t k = face->first; k < face->first + face->count; k++)
            CD_CHECK_NEAR(cd_dot3(normal, cd_sub3(r->corner[k], face->centroid)), 0, 1e-12 * size);
        area += face->area;
        sum = cd_add3(sum, cd_scale3(face->area, face->normal));
    }
    CD_CHECK_NEAR(area, r->area, 1e-12 * r->area);
    CD_CHECK_NEAR(cd_length3(sum), r->closure * r->area, 1e-12 * r->area);
}

CD_TEST(boxes_have_exact_measures)
{
    cd_convex3 a = box(0, 0, 0, 2, 3, 4), b = box(1, 1, 3.5, 5, 2, 8);
    for (int m = 0; m < METHODS; m++) {
        cd_intersect3 r = by_method(m, &a, &b);
        CD_CHECK(r.status == CD_INTERSECT3_OVERLAPPING);
        CD_CHECK_NEAR(r.volume, 0.5, m == 2 ? 1e-15 : 0);
        CD_CHECK_NEAR(r.area, 2 * (1 + 0.5 + 0.5), m == 2 ? 1e-14 : 0);
        CD_CHECK_NEAR(cd_length3(cd_sub3(r.centroid, (cd_vec3){1.5, 1.5, 3.75})), 0, m == 2 ? 1e-15 : 0);
        CD_CHECK(r.face_count == 6 && r.corner_count == 24);
        int on_a = 0, on_b = 0;
        for (int32_t f = 0; f < r.face_count; f++) {
            on_a += r.face[f].a >= 0;
            on_b += r.face[f].b >= 0;
            CD_CHECK(r.face[f].a < 0 || r.face[f].a == 1 || r.face[f].a == 5);  // +x, +z
        }
        CD_CHECK(on_a == 2 && on_b == 4);
        check_sound(&r, &a, &b);
        cd_arena_reset(&arena);
        a = box(0, 0, 0, 2, 3, 4);
        b = box(1, 1, 3.5, 5, 2, 8);
    }
}

CD_TEST(a_corner_tetrahedron_cut_by_a_box)
{
    cd_vec3 o = {0, 0, 0}, x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    cd_convex3 a = test_fixed(test_tetrahedron(o, x, y, z, &arena), &arena);
    for (int m = 0; m < METHODS; m++) {
        // Inside x, y, z >= t alone: a smaller corner of side 1 - 3 t.
        for (double t = 1.0 / 64; t < 0.32; t *= 2) {
            cd_convex3 b = box(t, t, t, 9, 9, 9);
            cd_intersect3 r = by_method(m, &a, &b);
            double side = 1 - 3 * t;
            CD_CHECK_NEAR(r.volume, side * side * side / 6, 1e-15);
            CD_CHECK(r.face_count == 4);
            check_sound(&r, &a, &b);
            // Below t instead: three corners of side 1 - t are cut off.
            b = box(-1, -1, -1, 0.5, 0.5, 0.5);
            r = by_method(m, &a, &b);
            CD_CHECK_NEAR(r.volume, (1 - 3.0 / 8) / 6, 1e-15);
            CD_CHECK(r.face_count == 7);
        }
    }
    cd_arena_reset(&arena);
}

CD_TEST(coplanar_sides_are_counted_once)
{
    // Two bricks of a stack: the four sides coincide, and are named on both.
    cd_convex3 a = box(0, 0, 0, 1, 2, 1), b = box(0, 0, 0.75, 1, 2, 2);
    for (int m = 0; m < METHODS; m++) {
        cd_intersect3 r = by_method(m, &a, &b);
        CD_CHECK(r.status == CD_INTERSECT3_OVERLAPPING);
        CD_CHECK_NEAR(r.volume, 0.5, 1e-15);
        CD_CHECK(r.face_count == 6);
        int both = 0;
        for (int32_t f = 0; f < r.face_count; f++)
            both += r.face[f].a >= 0 && r.face[f].a == r.face[f].b;
        CD_CHECK(both == 4);
        check_sound(&r, &a, &b);
        r = by_method(m, &a, &a);
        CD_CHECK(r.status == CD_INTERSECT3_A_IN_B);
        CD_CHECK_NEAR(r.volume, 2, 1e-14);
        CD_CHECK(r.face_count == 6);
    }
    cd_arena_reset(&arena);
}

CD_TEST(containment)
{
    cd_random random = {7};
    cd_convex3 out = box(-3, -3, -3, 3, 3, 3);
    for (int trial = 0; trial < 50; trial++) {
        cd_polyhedron hull = test_hull(&random, 8, (cd_vec3){1, 1, 1}, &arena);
        cd_convex3 in = test_placed(hull, test_direction(&random), test_rotation(&random), &arena);
        for (int m = 0; m < METHODS; m++) {
            cd_intersect3 r = by_method(m, &in, &out), s = by_method(m, &out, &in);
            CD_CHECK(r.status == CD_INTERSECT3_A_IN_B && s.status == CD_INTERSECT3_B_IN_A);
            CD_CHECK(r.face_count == in.face_count && r.volume == s.volume);
            check_sound(&r, &in, &out);
        }
    }
    cd_arena_reset(&arena);
}

CD_TEST(touching_and_apart)
{
    cd_convex3 a = box(0, 0, 0, 1, 1, 1);
    cd_convex3 face = box(1, 0.25, 0.25, 2, 0.75, 0.75), edge = box(1, 1, 0, 2, 2, 1), corner = box(1, 1, 1, 2, 2, 2);
    cd_convex3 inside_touching = box(0.25, 0.25, 0, 0.5, 0.5, 0.5), off = box(1 + 1e-9, 0, 0, 2, 1, 1);
    // Edges that cross: no face separates them.
    cd_vec3 up = {0, 0, 0.125}, down = {0, 0, -0.125};
    cd_convex3 high = test_fixed(
        test_tetrahedron((cd_vec3){-1, 0, 0}, (cd_vec3){1, 0, 0}, (cd_vec3){0, 1, 2}, (cd_vec3){0, -1, 2}, &arena),
        &arena);
    cd_polyhedron low =
        test_tetrahedron((cd_vec3){0, -1, 0}, (cd_vec3){0, 1, 0}, (cd_vec3){1, 0, -2}, (cd_vec3){-1, 0, -2}, &arena);
    cd_convex3 cross = test_fixed(low, &arena), above = test_fixed(test_moved3(low, 1, up, &arena), &arena);
    cd_convex3 below = test_fixed(test_moved3(low, 1, down, &arena), &arena);
    for (int m = 0; m < METHODS; m++) {
        CD_CHECK(by_method(m, &a, &face).status == CD_INTERSECT3_TOUCHING);
        CD_CHECK(by_method(m, &a, &edge).status == CD_INTERSECT3_TOUCHING);
        CD_CHECK(by_method(m, &a, &corner).status == CD_INTERSECT3_TOUCHING);
        CD_CHECK(by_method(m, &a, &inside_touching).status == CD_INTERSECT3_B_IN_A);
        CD_CHECK(by_method(m, &a, &off).status == CD_INTERSECT3_EMPTY);
        CD_CHECK(by_method(m, &high, &cross).status == CD_INTERSECT3_TOUCHING);
        CD_CHECK(by_method(m, &high, &below).status == CD_INTERSECT3_EMPTY);
        cd_intersect3 r = by_method(m, &high, &above);
        CD_CHECK(r.status == CD_INTERSECT3_OVERLAPPING);
        // Sections: x of high's edge shrinks as 1 - z/2, its width is z; of the other likewise from z = 1/8 down: the
        // square |y| <= z/2, |x| <= (1/8 - z)/2 is well inside both lengths.
        CD_CHECK_NEAR(r.volume, 0.125 * 0.125 * 0.125 / 6, 1e-17);
    }
    cd_arena_reset(&arena);
}

// ---- many pairs ----------------------------------------------------------------------------------------------------

typedef struct pair {
    cd_convex3 a, b;
} pair;

static cd_polyhedron random_shape(cd_random *random, int kind)
{
    double s = test_between(random, 0.3, 1);
    cd_vec3 axes = {s * test_between(random, 0.3, 1), s * test_between(random, 0.3, 1),
                    s * test_between(random, 0.3, 1)};
    if (kind == 0)
        return test_hull(random, 4, axes, &arena);
    if (kind == 1)
        return test_box_between(cd_negate3(axes), axes, &arena);
    return test_hull(random, kind == 2 ? 8 : 12, axes, &arena);
}

// Deep, shallow, needles, plates, and copies turned by a tiny angle.
static pair random_pair(cd_random *random, int kind, int how)
{
    cd_polyhedron p = random_shape(random, kind), q = random_shape(random, kind);
    cd_quat turn = test_rotation(random), other_turn = test_rotation(random);
    cd_vec3 place = cd_scale3(test_between(random, 0, 0.5), test_direction(random));
    if (how == 1)
        place = cd_scale3(test_between(random, 0.6, 1.2), test_direction(random));
    if (how == 2)
        p = test_moved3(p, 1, (cd_vec3){0, 0, 0}, &arena), q = test_hull(random, 6, (cd_vec3){3, 0.01, 0.02}, &arena);
    if (how == 3)
        q = test_hull(random, 6, (cd_vec3){2, 1.5, 0.003}, &arena);
    if (how == 4) {
        q = p;
        other_turn = cd_quat_product(
            cd_quat_from_vector(cd_scale3(pow(10, -test_between(random, 4, 15)), test_direction(random))), turn);
        place = cd_scale3(pow(10, -test_between(random, 2, 16)), test_direction(random));
    }
    return (pair){test_placed(p, (cd_vec3){0, 0, 0}, turn, &arena), test_placed(q, place, other_turn, &arena)};
}

static bool same_bits(const cd_intersect3 *r, const cd_intersect3 *s)
{
    bool same = r->status == s->status && r->face_count == s->face_count && r->corner_count == s->corner_count &&
                !memcmp(&r->volume, &s->volume, sizeof(double)) && !memcmp(&r->area, &s->area, sizeof(double)) &&
                !memcmp(&r->centroid, &s->centroid, sizeof(cd_vec3));
    for (int32_t i = 0; i < r->corner_count && same; i++)
        same = !memcmp(&r->corner[i], &s->corner[i], sizeof(cd_vec3));
    return same;
}

CD_TEST(methods_agree)
{
    cd_random random = {11};
    int overlaps = 0, by_faces = 0;
    double worst = 0;
    for (int trial = 0; trial < 20000; trial++) {
        int how = trial % 5;
        pair p = random_pair(&random, trial / 5 % 4, how);
        cd_intersect3 clip = cd_intersect3_clip(&p.a, &p.b, &arena),
                      narrow = cd_intersect3_clip_level(&p.a, &p.b, CD_VECTOR_PORTABLE, &arena);
        CD_CHECK(same_bits(&clip, &narrow));
        for (int m = 1; m < METHODS; m++) {
            cd_intersect3 other = by_method(m, &p.a, &p.b);
            CD_CHECK(cd_intersect3_has_volume(other.status) == cd_intersect3_has_volume(clip.status));
            if (!cd_intersect3_has_volume(clip.status)) {
                CD_CHECK(other.status == clip.status && other.volume == 0 && other.face_count == 0);
                continue;
            }
            double error = fabs(other.volume - clip.volume) / allowed(&clip, &p.a, &p.b);
            worst = fmax(worst, error);
            CD_CHECK(error <= 1);
            CD_CHECK_NEAR(other.area, clip.area, 1e-10 * clip.area + (how == 4 ? 1e-8 : 1e-12));
            CD_CHECK(cd_length3(cd_sub3(other.centroid, clip.centroid)) <=
                     1e-12 + 1e-14 * clip.area * (p.a.radius + p.b.radius) * p.a.radius / clip.volume);
        }
        if (cd_intersect3_has_volume(clip.status)) {
            overlaps++;
            by_faces += clip.path == CD_INTERSECT3_FACES;
            if (how != 4)
                check_sound(&clip, &p.a, &p.b);
        }
        cd_arena_reset(&arena);
    }
    printf("# %d overlaps, %d by faces; worst difference %.2g of the allowed\n", overlaps, by_faces, worst);
    CD_CHECK(overlaps > 10000);
}

static cd_convex3 grid_hull(cd_random *random, int32_t count, double scale, cd_vec3 by, cd_polyhedron *kept)
{
    if (random)
        *kept = test_hull(random, count, (cd_vec3){1, 0.75, 0.5}, &arena);
    return test_fixed(test_moved3(*kept, scale, by, &arena), &arena);
}

CD_TEST(swap_scale_and_shift_change_no_bit)
{
    cd_random random = {5};
    for (int trial = 0; trial < 400; trial++) {
        cd_polyhedron p, q;
        cd_vec3 zero = {0, 0, 0}, by = test_on_grid(cd_scale3(test_between(&random, 0, 1.5), test_direction(&random)));
        cd_convex3 a = grid_hull(&random, 9, 1, zero, &p), b = grid_hull(&random, 7, 1, by, &q);
        cd_vec3 far = {ldexp(1, 20), -ldexp(1, 21), ldexp(3, 19)};
        cd_convex3 far_a = grid_hull(NULL, 9, 1, far, &p), far_b = grid_hull(NULL, 7, 1, cd_add3(far, by), &q);
        for (int m = 0; m < METHODS; m++) {
            cd_intersect3 r = by_method(m, &a, &b), s = by_method(m, &b, &a);
            CD_CHECK(same_bits(&r, &s));
            for (int32_t f = 0; f < r.face_count; f++)
                CD_CHECK(r.face[f].a == s.face[f].b && r.face[f].b == s.face[f].a);
            s = by_method(m, &far_a, &far_b);
            CD_CHECK(r.status == s.status && r.volume == s.volume && r.area == s.area);
            for (int power = -30; power <= 30; power += 60) {
                cd_vec3 moved = {ldexp(by.x, power), ldexp(by.y, power), ldexp(by.z, power)};
                cd_convex3 scaled_a = grid_hull(NULL, 9, ldexp(1, power), zero, &p);
                cd_convex3 scaled_b = grid_hull(NULL, 7, ldexp(1, power), moved, &q);
                s = by_method(m, &scaled_a, &scaled_b);
                CD_CHECK(r.status == s.status && ldexp(r.volume, 3 * power) == s.volume && r.closure == s.closure);
            }
        }
        cd_arena_reset(&arena);
    }
}

CD_TEST(rigid_motions_keep_the_volume)
{
    cd_random random = {23};
    for (int trial = 0; trial < 500; trial++) {
        cd_polyhedron p = random_shape(&random, trial % 4), q = random_shape(&random, (trial + 1) % 4);
        cd_vec3 by = cd_scale3(0.4, test_direction(&random));
        cd_quat turn = test_rotation(&random);
        cd_quat whole = test_rotation(&random);
        cd_mat3 matrix = cd_quat_matrix(whole);
        cd_convex3 a = test_placed(p, (cd_vec3){0, 0, 0}, cd_quat_identity(), &arena),
                   b = test_placed(q, by, turn, &arena);
        cd_convex3 c = test_placed(p, (cd_vec3){0, 0, 0}, whole, &arena);
        cd_convex3 d = test_placed(q, cd_mat3_apply(&matrix, by), cd_quat_product(whole, turn), &arena);
        for (int m = 0; m < METHODS; m++) {
            cd_intersect3 r = by_method(m, &a, &b), s = by_method(m, &c, &d);
            CD_CHECK(r.status == s.status);
            CD_CHECK_NEAR(r.volume, s.volume, allowed(&r, &a, &b) + 1e-15);
            CD_CHECK(cd_length3(cd_sub3(cd_mat3_apply(&matrix, r.centroid), s.centroid)) < 1e-9);
        }
        cd_arena_reset(&arena);
    }
}

// ---- planar sides that came as triangles ---------------------------------------------------------------------------

static cd_polyhedron split_box(cd_vec3 half)
{
    static const int32_t corner[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    cd_polyhedron box = test_box_between(cd_negate3(half), half, &arena);
    return test_polyhedron(box.vertex, 8, corner, 12, 3, &arena);
}

CD_TEST(triangles_of_a_side_are_one_face)
{
    cd_random random = {77};
    int overlaps = 0;
    for (int trial = 0; trial < 1000; trial++) {
        cd_vec3 half = {test_between(&random, 0.3, 1), test_between(&random, 0.3, 1), test_between(&random, 0.3, 1)};
        cd_quat turn = test_rotation(&random), other = test_rotation(&random);
        cd_vec3 place = cd_scale3(test_between(&random, 0.2, 1.5), test_direction(&random)), zero = {0, 0, 0};
        cd_convex3 a = test_placed(split_box(half), zero, turn, &arena);
        cd_convex3 b = test_placed(split_box(half), place, other, &arena);
        CD_CHECK(a.planar_face != NULL && a.edge_count == 12 && a.planar_face[1] == 0 && a.planar_face[11] == 10);
        cd_polyhedron whole = test_box_between(cd_negate3(half), half, &arena);
        cd_convex3 c = test_placed(whole, zero, turn, &arena), d = test_placed(whole, place, other, &arena);
        CD_CHECK(c.planar_face == NULL && c.edge_count == 12);
        cd_intersect3 triangles = cd_intersect3_clip(&a, &b, &arena), quads = cd_intersect3_clip(&c, &d, &arena);
        CD_CHECK(triangles.status == quads.status && triangles.path == quads.path);
        CD_CHECK(triangles.face_count == quads.face_count);
        if (cd_intersect3_has_volume(quads.status)) {
            overlaps++;
            CD_CHECK(triangles.path == CD_INTERSECT3_FACES);
            CD_CHECK_NEAR(triangles.volume, quads.volume, allowed(&quads, &c, &d));
            check_sound(&triangles, &a, &b);
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(overlaps > 500);
}

// A cube whose upper side is four triangles about a vertex in its middle: that vertex is inside the other body, and on
// no border.
CD_TEST(vertices_inside_a_side_are_no_corners)
{
    static const int32_t first[10] = {0, 4, 8, 12, 16, 20, 23, 26, 29, 32};
    static const int32_t corner[32] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3,
                                       0, 2, 3, 1, 4, 5, 8, 5, 7, 8, 7, 6, 8, 6, 4, 8};
    cd_random random = {43};
    for (int trial = 0; trial < 200; trial++) {
        cd_polyhedron plain = test_box_between((cd_vec3){-1, -1, -1}, (cd_vec3){1, 1, 1}, &arena);
        cd_vec3 vertex[9];
        memcpy(vertex, plain.vertex, 8 * sizeof *vertex);
        vertex[8] = (cd_vec3){0, 0, 1};
        cd_polyhedron split = {9, 9, vertex, first, corner};
        cd_vec3 above = {test_between(&random, -0.4, 0.4), test_between(&random, -0.4, 0.4), 1.5};
        cd_convex3 a = test_fixed(plain, &arena), b = test_fixed(split, &arena);
        cd_convex3 other = test_placed(plain, above, test_rotation(&random), &arena);
        cd_intersect3 of_plain = cd_intersect3_clip(&a, &other, &arena);
        cd_intersect3 of_split = cd_intersect3_clip(&b, &other, &arena);
        CD_CHECK(b.planar_face && of_plain.path == CD_INTERSECT3_FACES && of_split.path == CD_INTERSECT3_FACES);
        CD_CHECK_NEAR(of_split.volume, of_plain.volume, 1e-14);
        CD_CHECK(of_split.face_count == of_plain.face_count && of_split.corner_count == of_plain.corner_count);
        cd_arena_reset(&arena);
    }
}

CD_TEST(sides_end_where_the_outer_surface_does)
{
    int32_t surface[12] = {0, -1, 1, 1, 2, 2, -1, -1, 3, 3, 4, 4};
    cd_polyhedron split = split_box((cd_vec3){1, 1, 1});
    cd_convex3 a = cd_convex3_make(&arena, &split, surface);
    CD_CHECK(a.planar_face && a.edge_count == 13 && a.planar_face[1] == 1 && a.planar_face[3] == 2 &&
             a.planar_face[7] == 6);
    cd_convex3 b = box(0.5, -0.125, -0.75, 2, 0.125, 0.5);
    for (int m = 0; m < METHODS; m++) {
        cd_intersect3 r = by_method(m, &a, &b);
        CD_CHECK_NEAR(r.volume, 0.5 * 0.25 * 1.25, 1e-15);
    }
    // A side bent by far more than rounding is two.
    cd_vec3 corner[8];
    memcpy(corner, split.vertex, sizeof corner);
    corner[0].x -= 1e-9;
    split.vertex = corner;
    a = cd_convex3_make(&arena, &split, NULL);
    CD_CHECK(a.planar_face && a.edge_count == 13);
    cd_arena_reset(&arena);
}

CD_TEST(numbers_beyond_16_bits_change_nothing)
{
    cd_random random = {19};
    for (int trial = 0; trial < 200; trial++) {
        pair p = random_pair(&random, trial % 4, trial % 2);
        CD_CHECK(p.a.short_edge != NULL && p.b.short_edge != NULL);
        cd_intersect3 r = cd_intersect3_clip(&p.a, &p.b, &arena);
        p.a.short_edge = p.b.short_edge = NULL;
        cd_intersect3 s = cd_intersect3_clip(&p.a, &p.b, &arena);
        CD_CHECK(same_bits(&r, &s));
        cd_arena_reset(&arena);
    }
}

// More active planes than one or two words of a mask hold: prisms on regular polygons, whose overlap is known.
static cd_convex3 prism(int sides, double radius, cd_vec3 at)
{
    cd_vec3 *v = CD_ARENA_ARRAY(&arena, cd_vec3, 2 * sides);
    int32_t *first = CD_ARENA_ARRAY(&arena, int32_t, sides + 3), *corner = CD_ARENA_ARRAY(&arena, int32_t, 6 * sides);
    for (int i = 0; i < sides; i++) {
        int next = (i + 1) % sides;
        double angle = 2 * 3.14159265358979324 * i / sides;
        v[i] = (cd_vec3){at.x + radius * cos(angle), at.y + radius * sin(angle), at.z - 0.5};
        v[sides + i] = (cd_vec3){v[i].x, v[i].y, at.z + 0.5};
        first[i] = 4 * i;
        corner[4 * i] = i;
        corner[4 * i + 1] = next;
        corner[4 * i + 2] = sides + next;
        corner[4 * i + 3] = sides + i;
        corner[4 * sides + i] = sides - 1 - i;
        corner[5 * sides + i] = sides + i;
    }
    first[sides] = 4 * sides;
    first[sides + 1] = 5 * sides;
    first[sides + 2] = 6 * sides;
    return test_fixed((cd_polyhedron){2 * sides, sides + 2, v, first, corner}, &arena);
}

CD_TEST(many_sided_prisms)
{
    for (int sides = 20; sides <= 320; sides *= 2) {
        cd_convex3 a = prism(sides, 1, (cd_vec3){0, 0, 0}), b = prism(sides, 0.75, (cd_vec3){0.03, 0.02, 0.7});
        cd_convex3 c = prism(sides, 1, (cd_vec3){0.013, 0.017, 0.7});
        cd_intersect3 r = cd_intersect3_clip(&a, &b, &arena), s = cd_intersect3_clip(&a, &c, &arena);
        double half_turn = 3.14159265358979324, area = sides / 2.0 * 0.75 * 0.75 * sin(2 * half_turn / sides);
        CD_CHECK_NEAR(r.volume, 0.3 * area, 1e-13);  // b's base is wholly inside a's top
        cd_intersect3 by_cut = test_intersect_cut(&a, &c, &arena), swapped = cd_intersect3_clip(&c, &a, &arena);
        cd_intersect3 portable = cd_intersect3_clip_level(&a, &c, CD_VECTOR_PORTABLE, &arena);
        CD_CHECK_NEAR(s.volume, by_cut.volume, allowed(&s, &a, &c));
        CD_CHECK(same_bits(&s, &swapped) && same_bits(&s, &portable));
        CD_CHECK(s.path == (sides <= 160 ? CD_INTERSECT3_FACES : CD_INTERSECT3_SOLID));
        cd_arena_reset(&arena);
    }
}

CD_TEST(bodies_that_are_none)
{
    cd_convex3 a = box(0, 0, 0, 1, 1, 1), flat = box(0.25, 0.25, 0.5, 0.75, 0.75, 0.5), wrong = box(0, 0, 0, 1, 1, NAN);
    for (int m = 0; m < METHODS; m++) {
        CD_CHECK(by_method(m, &a, &flat).status == CD_INTERSECT3_DEGENERATE);
        CD_CHECK(by_method(m, &a, &wrong).status == CD_INTERSECT3_DEGENERATE);
    }
    cd_arena_reset(&arena);
}

// ---- known answers -------------------------------------------------------------------------------------------------

// Hulls of the listed points with planar faces only where they are planar exactly: a turned cube's sides are two
// triangles each.
static bool hull_of(const cJSON *list, cd_convex3 *convex)
{
    int32_t count = cJSON_GetArraySize(list), i = 0;
    cd_vec3 *point = CD_ARENA_ARRAY(&arena, cd_vec3, count);
    for (const cJSON *item = list->child; item; item = item->next)
        point[i++] = (cd_vec3){cJSON_GetArrayItem(item, 0)->valuedouble, cJSON_GetArrayItem(item, 1)->valuedouble,
                               cJSON_GetArrayItem(item, 2)->valuedouble};
    cd_hull3 hull = cd_hull3_make(point, count, &arena);
    if (hull.dimension != 3)
        return false;
    cd_polyhedron p = cd_hull3_polyhedron(&hull, point, &arena);
    *convex = test_fixed(p, &arena);
    return true;
}

// All pairs of a file that have a volume, by every method; how many there are.
static int check_cases(const char *path)
{
    FILE *file = fopen(path, "r");
    CD_CHECK(file != NULL);
    if (!file)
        return 0;
    static char text[1 << 20];
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    cJSON *root = cJSON_Parse(text);
    const cJSON *pairs = cJSON_GetObjectItemCaseSensitive(root, "pairs");
    int count = 0;
    for (const cJSON *item = pairs ? pairs->child : NULL; item; item = item->next) {
        const cJSON *volume = cJSON_GetObjectItemCaseSensitive(item, "volume");
        const cJSON *given = cJSON_GetObjectItemCaseSensitive(item, "volume_tolerance");
        cd_convex3 a, b;
        if (!cJSON_IsNumber(volume) || !hull_of(cJSON_GetObjectItemCaseSensitive(item, "a"), &a) ||
            !hull_of(cJSON_GetObjectItemCaseSensitive(item, "b"), &b))
            continue;
        count++;
        int bad = cd_test_bad_checks;
        for (int m = 0; m < METHODS; m++) {
            cd_intersect3 r = by_method(m, &a, &b);
            double size = a.radius + b.radius, radius = fmin(a.radius, b.radius);
            double area = cd_intersect3_has_volume(r.status) ? r.area : 12.6 * radius * radius;
            double tolerance = given ? given->valuedouble : 1e-11 * volume->valuedouble + 1e-14 * size * area;
            CD_CHECK_NEAR(r.volume, volume->valuedouble, tolerance);
        }
        if (bad != cd_test_bad_checks)
            printf("# %s\n", cJSON_GetObjectItemCaseSensitive(item, "name")->valuestring);
        cd_arena_reset(&arena);
    }
    cJSON_Delete(root);
    return count;
}

CD_TEST(pairs_on_which_others_failed) { CD_CHECK(check_cases("tests/cases/convex/hard-pairs.json") == 22); }
CD_TEST(pairs_of_exact_volume) { CD_CHECK(check_cases("tests/cases/convex/volume-pairs.json") == 64); }

int main(void)
{
    CD_RUN(pairs_on_which_others_failed);
    CD_RUN(pairs_of_exact_volume);
    CD_RUN(boxes_have_exact_measures);
    CD_RUN(a_corner_tetrahedron_cut_by_a_box);
    CD_RUN(coplanar_sides_are_counted_once);
    CD_RUN(containment);
    CD_RUN(touching_and_apart);
    CD_RUN(methods_agree);
    CD_RUN(swap_scale_and_shift_change_no_bit);
    CD_RUN(rigid_motions_keep_the_volume);
    CD_RUN(triangles_of_a_side_are_one_face);
    CD_RUN(vertices_inside_a_side_are_no_corners);
    CD_RUN(sides_end_where_the_outer_surface_does);
    CD_RUN(numbers_beyond_16_bits_change_nothing);
    CD_RUN(many_sided_prisms);
    CD_RUN(bodies_that_are_none);
    return cd_test_done();
}
