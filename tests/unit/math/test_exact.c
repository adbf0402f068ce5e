// Sums and products of doubles without rounding: against 128-bit integers, and by what must hold of numbers of any
// size.
// SPDX-License-Identifier: MIT
#include "cd_exact.h"
#include "cd_random.h"
#include "cd_test.h"

static cd_arena arena;

// Integers below 2^41 with a few bits, so that many cancel.
static int64_t some_integer(cd_random *random)
{
    int64_t x = (int64_t)(cd_random_bits(random) % 8) << (cd_random_bits(random) % 38);
    x += (int64_t)(cd_random_bits(random) % 3);
    return cd_random_bits(random) % 2 ? x : -x;
}

static bool is_integer(cd_exact a, __int128 value, int power)
{
    __int128 low = value % ((__int128)1 << 40), high = value - low;
    cd_exact b = cd_exact_add(&arena, cd_exact_of(&arena, ldexp((double)low, power)),
                              cd_exact_of(&arena, ldexp((double)(high >> 40), power + 40)));
    return cd_exact_compare(a, b) == 0;
}

CD_TEST(agrees_with_integers)
{
    cd_random random = {5};
    int wrong = 0;
    for (int k = 0; k < 100000; k++) {
        int64_t x = some_integer(&random), y = some_integer(&random);
        int power = (int)(cd_random_bits(&random) % 700) - 350;  // limbs begin anywhere
        cd_exact a = cd_exact_of(&arena, ldexp((double)x, power)), b = cd_exact_of(&arena, ldexp((double)y, power));
        wrong += !is_integer(cd_exact_add(&arena, a, b), (__int128)x + y, power);
        wrong += !is_integer(cd_exact_subtract(&arena, a, b), (__int128)x - y, power);
        wrong += !is_integer(cd_exact_multiply(&arena, a, b), (__int128)x * y, 2 * power);
        wrong += cd_exact_compare(a, b) != (x > y) - (x < y);
        wrong += cd_exact_sign(a) != (x > 0) - (x < 0);
        cd_arena_reset(&arena);
    }
    CD_CHECK(wrong == 0);
}

// (a + b) (a - b) = a a - b b, of doubles of all sizes; subnormal ones too.
CD_TEST(keeps_the_binomial_of_any_doubles)
{
    cd_random random = {6};
    int wrong = 0, wide = 0;
    for (int k = 0; k < 20000; k++) {
        double x = ldexp(cd_random_between(&random, -1, 1), (int)(cd_random_bits(&random) % 2090) - 1073);
        double y = ldexp(cd_random_between(&random, -1, 1), (int)(cd_random_bits(&random) % 2090) - 1073);
        cd_exact a = cd_exact_of(&arena, x), b = cd_exact_of(&arena, y);
        cd_exact left = cd_exact_multiply(&arena, cd_exact_add(&arena, a, b), cd_exact_subtract(&arena, a, b));
        cd_exact right = cd_exact_subtract(&arena, cd_exact_multiply(&arena, a, a), cd_exact_multiply(&arena, b, b));
        wrong += cd_exact_compare(left, right) != 0;
        wide += right.count > 20;
        cd_arena_reset(&arena);
    }
    CD_CHECK(wrong == 0);
    CD_CHECK(wide > 1000);
}

CD_TEST(parts_add_up_again)
{
    cd_random random = {8};
    for (int k = 0; k < 20000; k++) {
        double x = cd_random_between(&random, -1, 1), y = ldexp(cd_random_between(&random, -1, 1), -k % 300);
        cd_exact a = cd_exact_multiply(&arena, cd_exact_of(&arena, x), cd_exact_of(&arena, y)), sum = {0};
        a = cd_exact_add(&arena, a, cd_exact_of(&arena, x));
        double part[16];
        int count = cd_exact_parts(&arena, a, part, 16), power;
        for (int i = 0; i < count; i++)
            sum = cd_exact_add(&arena, sum, cd_exact_of(&arena, part[i]));
        CD_CHECK(count > 0 && cd_exact_compare(sum, a) == 0);
        CD_CHECK(cd_exact_parts(&arena, a, part, count - 1) == -1);
        double value = cd_exact_scaled(a, &power);
        CD_CHECK(fabs(value) >= 0.5 && fabs(value) < 1);
        CD_CHECK_NEAR(ldexp(value, power), part[0], 0);
        CD_CHECK(cd_exact_compare(cd_exact_shift(&arena, cd_exact_shift(&arena, a, k - 10000), 10000 - k), a) == 0);
        cd_arena_reset(&arena);
    }
    double part[2];
    cd_exact tiny = cd_exact_of(&arena, 0x1p-1074);
    CD_CHECK(cd_exact_parts(&arena, tiny, part, 2) == 1 && part[0] == 0x1p-1074);
    CD_CHECK(cd_exact_parts(&arena, cd_exact_multiply(&arena, tiny, tiny), part, 2) == -1);
    CD_CHECK(cd_exact_parts(&arena, (cd_exact){0}, part, 2) == 0);
}

CD_TEST(cross_products_are_orthogonal)
{
    cd_random random = {9};
    for (int k = 0; k < 10000; k++) {
        double x[6];
        for (int i = 0; i < 6; i++)
            x[i] = ldexp(cd_random_between(&random, -1, 1), (int)(cd_random_bits(&random) % 60) - 30);
        cd_exact3 a = cd_exact3_of(&arena, cd_vec3_at(x)), b = cd_exact3_of(&arena, cd_vec3_at(x + 3));
        cd_exact3 c = cd_exact3_cross(&arena, a, b);
        CD_CHECK(cd_exact_sign(cd_exact3_dot(&arena, a, c)) == 0 && cd_exact_sign(cd_exact3_dot(&arena, b, c)) == 0);
        CD_CHECK(!cd_exact3_is_zero(c) && cd_exact3_is_zero(cd_exact3_cross(&arena, c, cd_exact3_negate(c))));
        int power;
        cd_vec3 s = cd_exact3_scaled(c, &power), d = cd_cross3(cd_vec3_at(x), cd_vec3_at(x + 3));
        double size = fmax(fabs(s.x), fmax(fabs(s.y), fabs(s.z)));
        CD_CHECK(size >= 0.5 && size < 1);
        CD_CHECK_NEAR(ldexp(s.x, power), d.x, 0x1p-50 * (fabs(x[1] * x[5]) + fabs(x[2] * x[4])));
        cd_arena_reset(&arena);
    }
}

int main(void)
{
    CD_RUN(agrees_with_integers);
    CD_RUN(keeps_the_binomial_of_any_doubles);
    CD_RUN(parts_add_up_again);
    CD_RUN(cross_products_are_orthogonal);
    cd_arena_release(&arena);
    return cd_test_done();
}
