// Exact turns against 128-bit integers, where rounding errs most: nearly collinear points on fine grids.
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

int main(void)
{
    CD_RUN(decides_the_classroom_example);
    CD_RUN(decides_nearly_collinear_points);
    CD_RUN(changes_sign_with_two_points_exchanged);
    CD_RUN(works_over_the_stated_range);
    return cd_test_done();
}
