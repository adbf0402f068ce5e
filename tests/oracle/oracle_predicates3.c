// The sign of a tetrahedron's volume against exact rational arithmetic: points of all magnitudes, nearly coplanar ones,
// planes far from the origin, and moves by single units in the last place. No sign may be wrong; the value of the exact
// path must be within 2^-52 of the truth.
// SPDX-License-Identifier: MIT
#include "cd_predicates.h"
#include "cd_random.h"
#include "cd_test.h"
#include "oracle_exact.h"

static exact volume(const cd_vec3 *p)
{
    exact e[3][3];
    for (int i = 0; i < 3; i++) {
        e[i][0] = exact_sub(exact_of(p[i + 1].x), exact_of(p[0].x));
        e[i][1] = exact_sub(exact_of(p[i + 1].y), exact_of(p[0].y));
        e[i][2] = exact_sub(exact_of(p[i + 1].z), exact_of(p[0].z));
    }
    exact sum = exact_of(0);
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        exact minor = exact_sub(exact_mul(e[0][l], e[1][m]), exact_mul(e[0][m], e[1][l]));
        sum = exact_add(sum, exact_mul(e[2][k], minor));
    }
    return sum;
}

static int sign_of(double x) { return (x > 0) - (x < 0); }

static int wrong_signs, wrong_values, zeros;
static void compare(const cd_vec3 *p)
{
    exact truth = volume(p);
    double value = cd_orient3d_exact(p[0], p[1], p[2], p[3]);
    wrong_signs += sign_of(cd_orient3d(p[0], p[1], p[2], p[3])) != exact_sign(truth);
    wrong_values += exact_error(value, truth) > 0x1p-52 * fabs(mpq_get_d(truth));
    zeros += exact_sign(truth) == 0;
    oracle_release();
}

static cd_vec3 any_point(cd_random *random, double scale)
{
    return (cd_vec3){cd_random_between(random, -scale, scale), cd_random_between(random, -scale, scale),
                     cd_random_between(random, -scale, scale)};
}

static double nudged(cd_random *random, double x)
{
    for (int steps = (int)(cd_random_bits(random) % 4); steps > 0; steps--)
        x = nextafter(x, cd_random_bits(random) % 2 ? INFINITY : -INFINITY);
    return x;
}

static void report(const char *what)
{
    printf("# %s: %d zeros\n", what, zeros);
    CD_CHECK(wrong_signs == 0 && wrong_values == 0);
    wrong_signs = wrong_values = zeros = 0;
}

CD_TEST(points_of_all_magnitudes)
{
    cd_random random = {1};
    for (int k = 0; k < 100000; k++) {
        cd_vec3 p[4];
        for (int i = 0; i < 4; i++) {
            p[i].x = cd_random_between(&random, -1, 1) * pow(10, floor(cd_random_between(&random, -80, 80)));
            p[i].y = cd_random_between(&random, -1, 1) * pow(10, floor(cd_random_between(&random, -80, 80)));
            p[i].z = cd_random_between(&random, -1, 1) * pow(10, floor(cd_random_between(&random, -80, 80)));
        }
        compare(p);
    }
    report("all magnitudes");
}

CD_TEST(nearly_coplanar_points)
{
    cd_random random = {2};
    for (int k = 0; k < 200000; k++) {
        cd_vec3 p[4], shift = {0, 0, 0};
        double scale = pow(10, floor(cd_random_between(&random, -8, 8)));
        for (int i = 0; i < 3; i++)
            p[i] = any_point(&random, scale);
        double s = cd_random_between(&random, -1, 1), t = cd_random_between(&random, -1, 1);
        p[3] = cd_add3(p[0], cd_add3(cd_scale3(s, cd_sub3(p[1], p[0])), cd_scale3(t, cd_sub3(p[2], p[0]))));
        if (k % 3 == 0)
            shift = any_point(&random, 1e6 * scale);
        for (int i = 0; i < 4; i++) {
            p[i] = cd_add3(p[i], shift);
            p[i] = (cd_vec3){nudged(&random, p[i].x), nudged(&random, p[i].y), nudged(&random, p[i].z)};
        }
        compare(p);
    }
    report("nearly coplanar");
}

// Small whole numbers times a power of two, far away: many volumes are exactly 0, differences have no tails.
CD_TEST(lattices)
{
    cd_random random = {3};
    for (int k = 0; k < 100000; k++) {
        cd_vec3 p[4];
        for (int i = 0; i < 4; i++) {
            p[i].x = (double)(cd_random_bits(&random) % 5) * 0x1p-20 + 1e4 * (k % 2);
            p[i].y = (double)(cd_random_bits(&random) % 5) * 0x1p-20;
            p[i].z = (double)(cd_random_bits(&random) % 5) * 0x1p-20 - 1e5 * (k % 3);
        }
        compare(p);
    }
    CD_CHECK(zeros > 10000);
    report("lattices");
}

// The adjacent parts that cancel: sums near a power of two.
CD_TEST(cancelling_powers)
{
    cd_random random = {4};
    for (int k = 0; k < 100000; k++) {
        cd_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (int i = 0; i < 4; i++) {
            double e = ldexp(1, -(int)(cd_random_bits(&random) % 120));
            p[i].x += cd_random_bits(&random) % 2 ? e : -e;
            p[i].y += ldexp(1, -(int)(cd_random_bits(&random) % 60));
            p[i].z = p[i].x + (cd_random_bits(&random) % 2 ? p[i].y : -e);
        }
        compare(p);
    }
    report("cancelling powers");
}

int main(void)
{
    CD_RUN(points_of_all_magnitudes);
    CD_RUN(nearly_coplanar_points);
    CD_RUN(lattices);
    CD_RUN(cancelling_powers);
    return cd_test_done();
}
