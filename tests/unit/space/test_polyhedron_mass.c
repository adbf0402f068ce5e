// Mass properties against closed forms (box, tetrahedron, cube without a corner), against 128-bit sums from the world's
// origin, and under what changes them in a known way: rigid motion, scale, cutting, exchange of faces.
// SPDX-License-Identifier: MIT
#include "cd_polyhedron_mass.h"

#include "cd_hull3.h"
#include "cd_random.h"
#include "cd_test.h"

static cd_arena arena;

static const int32_t tetrahedron_first[] = {0, 3, 6, 9, 12};
static const int32_t tetrahedron_faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
static const int32_t box_first[] = {0, 4, 8, 12, 16, 20, 24};
static const int32_t box_faces[] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};

static cd_polyhedron tetrahedron(const cd_vec3 *vertex)
{
    return (cd_polyhedron){4, 4, vertex, tetrahedron_first, tetrahedron_faces};
}

// Corner i is at low + (bit 0, bit 1, bit 2 of i) * size.
static cd_polyhedron box(cd_vec3 *vertex, cd_vec3 low, cd_vec3 size)
{
    for (int i = 0; i < 8; i++)
        vertex[i] = cd_add3(low, (cd_vec3){i & 1 ? size.x : 0, i & 2 ? size.y : 0, i & 4 ? size.z : 0});
    return (cd_polyhedron){8, 6, vertex, box_first, box_faces};
}

// Worst relative difference: volume, centre as part of `size`, inertia as part of the trace.
static double difference(const cd_mass3 *a, const cd_mass3 *b, double size)
{
    double worst = fabs(a->volume / b->volume - 1), trace = fabs(b->inertia[0] + b->inertia[1] + b->inertia[2]);
    worst = fmax(worst, cd_length3(cd_sub3(a->centre, b->centre)) / size);
    for (int k = 0; k < 6; k++)
        worst = fmax(worst, fabs(a->inertia[k] - b->inertia[k]) / trace);
    return worst;
}

// ---- closed forms --------------------------------------------------------------------------------------------------

static cd_mass3 box_mass(cd_vec3 low, cd_vec3 size)
{
    double v = size.x * size.y * size.z, x = size.x * size.x, y = size.y * size.y, z = size.z * size.z;
    return (cd_mass3){
        v, cd_add3(low, cd_scale3(0.5, size)), {v * (y + z) / 12, v * (x + z) / 12, v * (x + y) / 12, 0, 0, 0}};
}

CD_TEST(boxes)
{
    cd_random random = {1};
    double worst = 0;
    for (int i = 0; i < 1000; i++) {
        cd_vec3 vertex[8],
            size = {pow(10, cd_random_between(&random, -3, 3)), pow(10, cd_random_between(&random, -3, 3)), 1};
        cd_vec3 low = {cd_random_between(&random, -5, 5), cd_random_between(&random, -5, 5),
                       cd_random_between(&random, -5, 5)};
        size.x = rint(size.x * 0x1p20) * 0x1p-20 + 0x1p-20;  // corners are exact
        size.y = rint(size.y * 0x1p20) * 0x1p-20 + 0x1p-20;
        low = (cd_vec3){rint(low.x * 0x1p20) * 0x1p-20, rint(low.y * 0x1p20) * 0x1p-20, rint(low.z * 0x1p20) * 0x1p-20};
        cd_mass3 m = cd_polyhedron_mass(box(vertex, low, size)), truth = box_mass(low, size);
        worst = fmax(worst, difference(&m, &truth, cd_length3(low) + cd_length3(size)));
    }
    printf("# worst %.3g\n", worst);
    CD_CHECK(worst < 4e-15);
}

// The corner tetrahedron (0,0,0), (a,0,0), (0,b,0), (0,0,c): V = abc/6, centre (a, b, c)/4, integral of x^2 about the
// centre 3 V a^2 / 80, of x y -V a b / 80.
CD_TEST(corner_tetrahedra)
{
    for (int i = 0; i < 64; i++) {
        double a = 1 + i % 4, b = 0.1 * (1 + i / 4 % 4), c = pow(10, i / 16);
        cd_vec3 vertex[4] = {{0, 0, 0}, {a, 0, 0}, {0, b, 0}, {0, 0, c}};
        cd_mass3 m = cd_polyhedron_mass(tetrahedron(vertex));
        double v = a * b * c / 6;
        cd_mass3 truth = {v,
                          {a / 4, b / 4, c / 4},
                          {3 * v * (b * b + c * c) / 80, 3 * v * (a * a + c * c) / 80, 3 * v * (a * a + b * b) / 80,
                           v * a * b / 80, v * a * c / 80, v * b * c / 80}};
        CD_CHECK(difference(&m, &truth, c) < 2e-15);
    }
}

// A box less its corner tetrahedron: the sums of both parts, by parallel axes.
CD_TEST(cubes_without_a_corner)
{
    cd_vec3 vertex[10] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {2, 2, 0}, {0, 0, 2},
                          {2, 0, 2}, {0, 2, 2}, {1, 2, 2}, {2, 1, 2}, {2, 2, 1}};
    cd_hull3 hull = cd_hull3_make(vertex, 10, &arena);
    cd_mass3 m = cd_polyhedron_mass(cd_hull3_polyhedron(&hull, vertex, &arena));
    double v = 8 - 1.0 / 6, first = 8 - 1.0 / 6 * (2 - 0.25);          // integrals of 1 and x over the rest
    double xx = 8 * 4.0 / 3 - (3.0 / 80 / 6 + 1.75 * 1.75 / 6);        // of x^2
    double xy = 8 - (-1.0 / 80 / 6 + 1.75 * 1.75 / 6), c = first / v;  // of x y
    cd_mass3 truth = {v, {c, c, c}, {0}};
    for (int k = 0; k < 3; k++) {
        truth.inertia[k] = 2 * (xx - v * c * c);
        truth.inertia[3 + k] = v * c * c - xy;
    }
    CD_CHECK(hull.face_count == 7 && difference(&m, &truth, 2) < 2e-15);
    cd_arena_reset(&arena);
}

// ---- 128 bits ------------------------------------------------------------------------------------------------------

// Sums of a + b + c over faces' triangles, from the world's origin; parallel axes at the end. All in quadruple
// precision.
static cd_mass3 reference(cd_polyhedron p)
{
    __float128 volume = 0, first[3] = {0}, second[3][3] = {{0}};
    for (int32_t f = 0; f < p.face_count; f++)
        for (int32_t k = p.face_first[f] + 1; k + 1 < p.face_first[f + 1]; k++) {
            __float128 e[4][3];
            int32_t corner[3] = {p.face_first[f], k, k + 1};
            for (int i = 0; i < 3; i++) {
                cd_vec3 v = p.vertex[p.face_vertex[corner[i]]];
                e[i][0] = v.x;
                e[i][1] = v.y;
                e[i][2] = v.z;
            }
            __float128 d = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                           e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
            for (int i = 0; i < 3; i++)
                e[3][i] = e[0][i] + e[1][i] + e[2][i];
            volume += d / 6;
            for (int i = 0; i < 3; i++) {
                first[i] += d * e[3][i] / 24;
                for (int j = 0; j < 3; j++)
                    for (int q = 0; q < 4; q++)
                        second[i][j] += d * e[q][i] * e[q][j] / 120;
            }
        }
    __float128 c[3] = {first[0] / volume, first[1] / volume, first[2] / volume}, m[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[i][j] = second[i][j] - volume * c[i] * c[j];
    return (cd_mass3){(double)volume,
                      {(double)c[0], (double)c[1], (double)c[2]},
                      {(double)(m[1][1] + m[2][2]), (double)(m[0][0] + m[2][2]), (double)(m[0][0] + m[1][1]),
                       (double)-m[0][1], (double)-m[0][2], (double)-m[1][2]}};
}

static cd_polyhedron random_hull(cd_random *random, int count, double thin, cd_vec3 place)
{
    cd_vec3 *p = CD_ARENA_ARRAY(&arena, cd_vec3, count);
    cd_quat turn =
        cd_quat_from_vector((cd_vec3){cd_random_between(random, -2, 2), cd_random_between(random, -2, 2), 1});
    for (int i = 0; i < count; i++) {
        cd_vec3 q = {cd_random_between(random, -1, 1), cd_random_between(random, -1, 1),
                     thin * cd_random_between(random, -1, 1)};
        p[i] = cd_add3(place, cd_quat_turn(turn, q));
    }
    cd_hull3 hull = cd_hull3_make(p, count, &arena);
    return cd_hull3_polyhedron(&hull, p, &arena);
}

CD_TEST(hulls_against_quadruple_precision)
{
    cd_random random = {2};
    double worst = 0, worst_thin = 0, worst_far = 0;
    for (int i = 0; i < 400; i++) {
        cd_polyhedron p = random_hull(&random, 4 + i % 60, 1, (cd_vec3){0.3, -0.2, 1});
        cd_mass3 m = cd_polyhedron_mass(p), truth = reference(p);
        worst = fmax(worst, difference(&m, &truth, 2));
        p = random_hull(&random, 4 + i % 60, pow(10, -(i % 11)), (cd_vec3){0.3, -0.2, 1});
        m = cd_polyhedron_mass(p), truth = reference(p);
        worst_thin = fmax(worst_thin, difference(&m, &truth, 2));
        p = random_hull(&random, 4 + i % 60, 1, (cd_vec3){1e4, -3e4, 1e2});
        m = cd_polyhedron_mass(p), truth = reference(p);
        worst_far = fmax(worst_far, difference(&m, &truth, 3e4));
        CD_CHECK(fabs(m.volume / truth.volume - 1) < 2e-14);
        cd_arena_reset(&arena);
    }
    printf("# worst: %.3g, thin %.3g, far %.3g\n", worst, worst_thin, worst_far);
    CD_CHECK(worst < 1e-14 && worst_thin < 3e-13 && worst_far < 2e-14);
}

// ---- relations -----------------------------------------------------------------------------------------------------

CD_TEST(turned_and_moved)
{
    cd_random random = {3};
    double worst = 0;
    for (int i = 0; i < 300; i++) {
        cd_vec3 vertex[8], placed[8], size = {1, 0.5, 3}, low = {0.1, 0.2, -1};
        cd_polyhedron p = box(vertex, low, size);
        cd_mass3 own = box_mass(low, size);
        cd_pose3 pose = cd_pose3_make(
            (cd_vec3){cd_random_between(&random, -9, 9), 2, cd_random_between(&random, -9, 9)},
            cd_quat_from_vector((cd_vec3){cd_random_between(&random, -2, 2), cd_random_unit(&random), 1}));
        cd_points_place3(vertex, 8, &pose, placed);
        p.vertex = placed;
        cd_mass3 m = cd_polyhedron_mass(p);
        // R diag(J) R^T
        cd_mat3 j = {{{own.inertia[0], 0, 0}, {0, own.inertia[1], 0}, {0, 0, own.inertia[2]}}},
                back = cd_mat3_transpose(&pose.turn);
        j = cd_mat3_product(&j, &back);
        j = cd_mat3_product(&pose.turn, &j);
        cd_mass3 truth = {own.volume,
                          cd_pose3_apply(&pose, own.centre),
                          {j.row[0].x, j.row[1].y, j.row[2].z, j.row[0].y, j.row[0].z, j.row[1].z}};
        worst = fmax(worst, difference(&m, &truth, 10));
    }
    CD_CHECK(worst < 5e-15);
}

CD_TEST(scales_by_powers_of_two_exactly)
{
    cd_random random = {4};
    cd_polyhedron p = random_hull(&random, 30, 0.4, (cd_vec3){1, 2, 3});
    cd_vec3 *scaled = CD_ARENA_ARRAY(&arena, cd_vec3, p.vertex_count);
    for (int32_t i = 0; i < p.vertex_count; i++)
        scaled[i] = cd_scale3(0x1p-30, p.vertex[i]);
    cd_mass3 m = cd_polyhedron_mass(p);
    p.vertex = scaled;
    cd_mass3 s = cd_polyhedron_mass(p);
    CD_CHECK(s.volume == ldexp(m.volume, -90) && s.centre.x == ldexp(m.centre.x, -30) &&
             s.inertia[0] == ldexp(m.inertia[0], -150) && s.inertia[4] == ldexp(m.inertia[4], -150));
    cd_arena_reset(&arena);
}

CD_TEST(faces_the_other_way_round_are_negative)
{
    cd_vec3 vertex[4] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    cd_mass3 m = cd_polyhedron_mass(tetrahedron(vertex));
    CD_CHECK_NEAR(m.volume, -1.0 / 6, 1e-16);
    CD_CHECK_NEAR(m.centre.x, 0.25, 1e-16);
    cd_vec3 flat[4] = {{0, 0, 0}, {3, 1, 0}, {1, 0, 0}, {0, 3, 0}};
    m = cd_polyhedron_mass(tetrahedron(flat));
    CD_CHECK(m.volume == 0 && m.centre.x == 1 && m.inertia[0] == 0);
}

int main(void)
{
    CD_RUN(boxes);
    CD_RUN(corner_tetrahedra);
    CD_RUN(cubes_without_a_corner);
    CD_RUN(hulls_against_quadruple_precision);
    CD_RUN(turned_and_moved);
    CD_RUN(scales_by_powers_of_two_exactly);
    CD_RUN(faces_the_other_way_round_are_negative);
    cd_arena_release(&arena);
    return cd_test_done();
}
