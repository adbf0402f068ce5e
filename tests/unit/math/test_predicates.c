// Exact turns and volumes against 128-bit integers, where rounding errs most: nearly collinear and nearly coplanar
// points on fine grids.
// SPDX-License-Identifier: MIT
#include "cd_predicates.h"
#include "cd_random.h"
#include "cd_test.h"

#include <stdint.h>

static int sign_of(double x) { return (x > 0) - (x < 0); }

// Coordinates are integers times 2^-53 below 2^5, so differences fit 59 bits and products 118.
static __int128 integer(double x) { return (__int128)ldexp(x, 53); }
static __int128 exact_turn(cd_vec2 a, cd_vec2 b, cd_vec2 c)
{
    __int128 ax = integer(a.x) - integer(c.x), ay = integer(a.y) - integer(c.y);
    __int128 bx = integer(b.x) - integer(c.x), by = integer(b.y) - integer(c.y);
    return ax * by - ay * bx;
}
static int sign_of_exact(__int128 x) { return (x > 0) - (x < 0); }

// The neighbourhood of (0.5, 0.5) against the diagonal through (12, 12) and (24, 24): Kettner, Mehlhorn, Pion, Schirra
// & Yap 2008. The plain formula errs on a large part of it, which shows that the test bites.
CD_TEST(decides_the_classroom_example)
{
    int wrong = 0, plain_wrong = 0;
    cd_vec2 b = {12, 12}, c = {24, 24};
    for (int i = 0; i < 256; i++)
        for (int j = 0; j < 256; j++) {
            cd_vec2 a = {0.5 + i * 0x1p-53, 0.5 + j * 0x1p-53};
            int truth = sign_of_exact(exact_turn(a, b, c));
            wrong += sign_of(cd_orient2d(a, b, c)) != truth;
            plain_wrong += sign_of((a.x - c.x) * (b.y - c.y) - (a.y - c.y) * (b.x - c.x)) != truth;
        }
    CD_CHECK(wrong == 0);
    CD_CHECK(plain_wrong > 1000);
}

static cd_vec2 fine_point(cd_random *random, double limit)
{
    return (cd_vec2){ldexp(floor(cd_random_between(random, -limit, limit) * 0x1p48), -48),
                     ldexp(floor(cd_random_between(random, -limit, limit) * 0x1p48), -48)};
}

CD_TEST(decides_nearly_collinear_points)
{
    cd_random random = {1};
    int wrong = 0, zero = 0, inexact = 0;
    for (int k = 0; k < 200000; k++) {
        cd_vec2 a = fine_point(&random, 8), b = fine_point(&random, 8);
        cd_vec2 c = cd_lerp2(a, b, cd_random_between(&random, -1, 2));
        c.x = ldexp(round(ldexp(c.x, 52)), -52);
        c.y = ldexp(round(ldexp(c.y, 52)), -52) + (double)(int)(cd_random_bits(&random) % 5) * 0x1p-52;
        if (k % 7 == 0)
            c = cd_lerp2(a, b, 0.5);
        __int128 exact = exact_turn(a, b, c);
        wrong += sign_of(cd_orient2d(a, b, c)) != sign_of_exact(exact);
        zero += exact == 0;
        long double value = ldexpl((long double)exact, -106);
        inexact += fabsl((long double)cd_orient2d_exact(a, b, c) - value) > 0x1p-52L * fabsl(value);
    }
    CD_CHECK(wrong == 0);
    CD_CHECK(inexact == 0);
    CD_CHECK(zero > 10000);
}

CD_TEST(changes_sign_with_two_points_exchanged)
{
    cd_random random = {2};
    int wrong = 0;
    for (int k = 0; k < 100000; k++) {
        cd_vec2 a = fine_point(&random, 1), b = fine_point(&random, 1), c = cd_lerp2(a, b, cd_random_unit(&random));
        double e = 1e6 * (k % 2);
        a.x += e, b.x += e, c.x += e;
        int s = sign_of(cd_orient2d(a, b, c));
        wrong += sign_of(cd_orient2d(b, a, c)) != -s || sign_of(cd_orient2d(b, c, a)) != s ||
                 sign_of(cd_orient2d(c, a, b)) != s;
    }
    CD_CHECK(wrong == 0);
}

CD_TEST(works_over_the_stated_range)
{
    CD_CHECK(cd_orient2d((cd_vec2){1e-140, 0}, (cd_vec2){0, 1e-140}, (cd_vec2){0, 0}) > 0);
    CD_CHECK(cd_orient2d((cd_vec2){1e140, 0}, (cd_vec2){0, 1e140}, (cd_vec2){0, 0}) > 0);
    // c is above the line y = x by 1e-140, which no rounded difference shows.
    CD_CHECK(cd_orient2d((cd_vec2){-1, -1}, (cd_vec2){1, 1}, (cd_vec2){0, 1e-140}) > 0);
    CD_CHECK(cd_orient2d((cd_vec2){-1, -1}, (cd_vec2){1, 1}, (cd_vec2){0, -1e-140}) < 0);
    CD_CHECK(cd_orient2d((cd_vec2){-3, -3}, (cd_vec2){1, 1}, (cd_vec2){0, 0}) == 0);
    CD_CHECK(cd_orient2d((cd_vec2){1, 2}, (cd_vec2){1, 2}, (cd_vec2){0.1, 0.3}) == 0);
}

// ---- space ---------------------------------------------------------------------------------------------------------

// Whole numbers below 2^40 in units of `unit`: determinants below 6 * 2^123 fit 128 bits.
typedef struct lattice_point {
    int64_t x, y, z;
} lattice_point;

static __int128 exact_volume(const lattice_point *p)
{
    __int128 e[3][3];
    for (int i = 0; i < 3; i++) {
        e[i][0] = p[i + 1].x - p[0].x;
        e[i][1] = p[i + 1].y - p[0].y;
        e[i][2] = p[i + 1].z - p[0].z;
    }
    return e[2][0] * (e[0][1] * e[1][2] - e[0][2] * e[1][1]) + e[2][1] * (e[0][2] * e[1][0] - e[0][0] * e[1][2]) +
           e[2][2] * (e[0][0] * e[1][1] - e[0][1] * e[1][0]);
}

static cd_vec3 scaled(lattice_point p, double unit)
{
    return (cd_vec3){(double)p.x * unit, (double)p.y * unit, (double)p.z * unit};
}

// A fourth point in the plane of the first three up to the lattice's rounding, and a unit or two away from it.
static void nearly_coplanar(cd_random *random, lattice_point p[4])
{
    double limit = 0x1p38;
    for (int i = 0; i < 3; i++)
        p[i] = (lattice_point){(int64_t)cd_random_between(random, -limit, limit),
                               (int64_t)cd_random_between(random, -limit, limit),
                               (int64_t)cd_random_between(random, -limit, limit)};
    double s = cd_random_between(random, -0.4, 0.7), t = cd_random_between(random, -0.4, 0.7), r = 1 - s - t;
    p[3] = (lattice_point){(int64_t)(r * (double)p[0].x + s * (double)p[1].x + t * (double)p[2].x),
                           (int64_t)(r * (double)p[0].y + s * (double)p[1].y + t * (double)p[2].y),
                           (int64_t)(r * (double)p[0].z + s * (double)p[1].z + t * (double)p[2].z) +
                               (int64_t)(cd_random_bits(random) % 3)};
}

CD_TEST(decides_nearly_coplanar_points)
{
    cd_random random = {3};
    int wrong = 0, zero = 0, inexact = 0, odd = 0;
    for (int k = 0; k < 100000; k++) {
        lattice_point p[4];
        nearly_coplanar(&random, p);
        if (k % 5 == 0) {  // a parallelogram: exactly coplanar
            int64_t limit = INT64_C(1) << 37;
            for (int i = 0; i < 3; i++)
                p[i] = (lattice_point){p[i].x % limit, p[i].y % limit, p[i].z % limit};
            p[3] = (lattice_point){p[1].x + p[2].x - p[0].x, p[1].y + p[2].y - p[0].y, p[1].z + p[2].z - p[0].z};
        }
        __int128 exact = exact_volume(p);
        double unit = k % 2 ? 0x1p-80 : 1;
        cd_vec3 a = scaled(p[0], unit), b = scaled(p[1], unit), c = scaled(p[2], unit), d = scaled(p[3], unit);
        int truth = sign_of_exact(exact);
        wrong += sign_of(cd_orient3d(a, b, c, d)) != truth;
        odd += sign_of(cd_orient3d(b, c, a, d)) != truth || sign_of(cd_orient3d(b, a, c, d)) != -truth ||
               sign_of(cd_orient3d(d, b, c, a)) != -truth || sign_of(cd_orient3d(b, d, c, a)) != truth;
        zero += exact == 0;
        long double value = (long double)exact * (long double)unit * (long double)unit * (long double)unit;
        inexact += fabsl((long double)cd_orient3d_exact(a, b, c, d) - value) > 0x1p-52L * fabsl(value);
    }
    CD_CHECK(wrong == 0 && odd == 0 && inexact == 0);
    CD_CHECK(zero >= 20000);
}

// The neighbourhood of (0.5, 0.5, 0.5) against the plane x = y through points far from it: differences round, so that
// the plain formula errs on a large part, and the longest expansions are met.
CD_TEST(decides_the_classroom_example_of_space)
{
    int wrong = 0, plain_wrong = 0;
    cd_vec3 a = {12, 12, 12}, b = {24, 24, 24}, c = {17, 17, 3};
    for (int i = 0; i < 128; i++)
        for (int j = 0; j < 128; j++) {
            cd_vec3 d = {0.5 + i * 0x1p-53, 0.5 + j * 0x1p-53, 0.5 + (i + j) * 0x1p-53};
            int truth = (j > i) - (j < i);  // (b - a) x (c - a) = (-168, 168, 0)
            wrong += sign_of(cd_orient3d(a, b, c, d)) != truth || sign_of(cd_orient3d(d, b, a, c)) != truth;
            plain_wrong += sign_of(cd_dot3(cd_cross3(cd_sub3(b, a), cd_sub3(c, a)), cd_sub3(d, a))) != truth;
        }
    CD_CHECK(wrong == 0);
    CD_CHECK(plain_wrong > 1000);
}

CD_TEST(works_over_the_stated_range_of_space)
{
    double range[] = {1e-90, 1e-30, 1, 1e30, 1e90};
    for (int i = 0; i < 5; i++) {
        double r = range[i];
        CD_CHECK(cd_orient3d((cd_vec3){0, 0, 0}, (cd_vec3){r, 0, 0}, (cd_vec3){0, r, 0}, (cd_vec3){0, 0, r}) > 0);
        CD_CHECK(cd_orient3d((cd_vec3){0, 0, 0}, (cd_vec3){0, r, 0}, (cd_vec3){r, 0, 0}, (cd_vec3){0, 0, r}) < 0);
    }
    // d is above the plane z = x by 1e-90, which no rounded difference shows.
    cd_vec3 a = {-1, 0, -1}, b = {1, 0, 1}, c = {0, 1, 0};
    CD_CHECK(cd_orient3d(a, b, c, (cd_vec3){0, -1, 1e-90}) > 0);
    CD_CHECK(cd_orient3d(a, b, c, (cd_vec3){0, -1, -1e-90}) < 0);
    CD_CHECK(cd_orient3d(a, b, c, (cd_vec3){0.1, 77, 0.1}) == 0);
}

int main(void)
{
    CD_RUN(decides_the_classroom_example);
    CD_RUN(decides_nearly_collinear_points);
    CD_RUN(changes_sign_with_two_points_exchanged);
    CD_RUN(works_over_the_stated_range);
    CD_RUN(decides_nearly_coplanar_points);
    CD_RUN(decides_the_classroom_example_of_space);
    CD_RUN(works_over_the_stated_range_of_space);
    return cd_test_done();
}
