// Numbers to text and back: every bit, fewest digits, and the table of powers against exact integers.
// SPDX-License-Identifier: MIT
#include "cd_codec.h"
#include "cd_number_powers.h"
#include "cd_random.h"
#include "cd_test.h"

#include <float.h>
#include <inttypes.h>
#include <stdlib.h>

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t to_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static const char *printed(double value)
{
    static char text[CD_NUMBER_MAX + 1];
    memset(text, '#', sizeof text);
    text[cd_number_print(value, text)] = '\0';
    return text;
}

// Digits of the significand, without leading and trailing zeros.
static int significant_digits(const char *text)
{
    int digits = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (*text == '0' && digits == 0))
            continue;
        digits++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return digits ? digits - zeros : 1;
}

static bool comes_back(double value) { return to_bits(strtod(printed(value), NULL)) == to_bits(value); }

// The least number of digits with which printf's correctly rounded text reads back as the same double.
static bool is_shortest(double value)
{
    char text[64];
    int digits = 1;
    for (; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        if (to_bits(strtod(text, NULL)) == to_bits(value))
            break;
    }
    return significant_digits(printed(value)) <= digits;
}

static int shown_failures;
static void show(double value)
{
    if (shown_failures++ < 10)
        printf("# %016" PRIx64 " %.17g printed as %s\n", to_bits(value), value, printed(value));
}

CD_TEST(million_random_bit_patterns_come_back)
{
    cd_random random = {7};
    int wrong = 0;
    for (int i = 0; i < 1000000; i++) {
        double value = from_bits(cd_random_bits(&random));
        if (isfinite(value) && !comes_back(value)) {
            wrong++;
            show(value);
        }
    }
    CD_CHECK(wrong == 0);
}

CD_TEST(million_doubles_of_plus_minus_5_come_back)
{
    cd_random random = {8};
    int wrong = 0;
    for (int i = 0; i < 1000000; i++) {
        double value = cd_random_between(&random, -5, 5);
        if (!comes_back(value)) {
            wrong++;
            show(value);
        }
    }
    CD_CHECK(wrong == 0);
}

// value and the four doubles on each side of it.
static int wrong_around(double value)
{
    int wrong = 0;
    for (int64_t step = -4; step <= 4; step++) {
        int64_t bits = (int64_t)to_bits(value) + step;
        if (bits < 0 || !isfinite(from_bits((uint64_t)bits)))
            continue;
        double near = from_bits((uint64_t)bits);
        if (!comes_back(near) || !comes_back(-near) || (near != 0 && !is_shortest(near))) {
            wrong++;
            show(near);
        }
    }
    return wrong;
}

CD_TEST(powers_of_two_and_ten_and_their_neighbours)
{
    int wrong = 0;
    for (int e = -1074; e <= 1023; e++)
        wrong += wrong_around(ldexp(1, e));
    for (int e = -330; e <= 308; e++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", e);
        wrong += wrong_around(strtod(text, NULL));
        snprintf(text, sizeof text, "5e%d", e - 1);
        wrong += wrong_around(strtod(text, NULL));
    }
    wrong += wrong_around(DBL_MAX) + wrong_around(DBL_MIN) + wrong_around(DBL_TRUE_MIN) + wrong_around(0x1p53);
    CD_CHECK(wrong == 0);
}

CD_TEST(denormals_come_back_and_are_shortest)
{
    cd_random random = {9};
    int wrong = 0;
    for (int i = 0; i < 20000; i++) {
        double value = from_bits(cd_random_bits(&random) >> (12 + cd_random_bits(&random) % 52));
        if (!comes_back(value) || (value != 0 && !is_shortest(value))) {
            wrong++;
            show(value);
        }
    }
    CD_CHECK(wrong == 0);
}

CD_TEST(random_doubles_have_the_fewest_digits)
{
    cd_random random = {10};
    int wrong = 0;
    for (int i = 0; i < 60000; i++) {
        double value = i % 3 == 0   ? cd_random_between(&random, -5, 5)
                       : i % 3 == 1 ? (double)(int64_t)(cd_random_bits(&random) % 1000000) / 1000
                                    : from_bits(cd_random_bits(&random));
        if (isfinite(value) && !is_shortest(value)) {
            wrong++;
            show(value);
        }
    }
    CD_CHECK(wrong == 0);
}

CD_TEST(among_shortest_texts_the_nearest_is_taken)
{
    // With 17 digits printf's text is the nearest 17-digit decimal; where ours has 17 digits as well it must be that
    // one.
    cd_random random = {11};
    int wrong = 0, seen = 0;
    for (int i = 0; i < 100000; i++) {
        double value = cd_random_between(&random, 1, 10);
        if (significant_digits(printed(value)) != 17)
            continue;
        char text[64];
        snprintf(text, sizeof text, "%.16f", value);
        seen++;
        wrong += strcmp(text, printed(value)) != 0;
    }
    CD_CHECK(seen > 10000);
    CD_CHECK(wrong == 0);
}

CD_TEST(forms)
{
    CD_CHECK_TEXT(printed(0.0), "0");
    CD_CHECK_TEXT(printed(-0.0), "-0");
    CD_CHECK_TEXT(printed(3), "3");
    CD_CHECK_TEXT(printed(-100), "-100");
    CD_CHECK_TEXT(printed(0.1), "0.1");
    CD_CHECK_TEXT(printed(-9.81), "-9.81");
    CD_CHECK_TEXT(printed(1e-6), "0.000001");
    CD_CHECK_TEXT(printed(1.5e-6), "0.0000015");
    CD_CHECK_TEXT(printed(1e-7), "1e-7");
    CD_CHECK_TEXT(printed(1.25e-7), "1.25e-7");
    CD_CHECK_TEXT(printed(123456.789), "123456.789");
    CD_CHECK_TEXT(printed(999999999999999), "999999999999999");
    CD_CHECK_TEXT(printed(1e20), "100000000000000000000");
    CD_CHECK_TEXT(printed(1e21), "1e21");
    CD_CHECK_TEXT(printed(1.5e300), "1.5e300");
    CD_CHECK_TEXT(printed(DBL_MAX), "1.7976931348623157e308");
    CD_CHECK_TEXT(printed(DBL_TRUE_MIN), "5e-324");
    CD_CHECK_TEXT(printed(DBL_MIN), "2.2250738585072014e-308");
    CD_CHECK_TEXT(printed(9007199254740993.0), "9007199254740992");
    CD_CHECK_TEXT(printed(-0.000001234567890123456), "-0.000001234567890123456");
}

CD_TEST(integers)
{
    char text[CD_NUMBER_MAX + 1], wanted[32];
    cd_random random = {12};
    int wrong = 0;
    for (int i = 0; i < 100000; i++) {
        int64_t value = (int64_t)cd_random_bits(&random) >> (cd_random_bits(&random) % 64);
        text[cd_integer_print(value, text)] = '\0';
        snprintf(wanted, sizeof wanted, "%" PRId64, value);
        wrong += strcmp(text, wanted) != 0;
    }
    CD_CHECK(wrong == 0);
    int64_t extremes[] = {
        0, 9, 10, 99, 100, -1, INT64_MAX, INT64_MIN, INT64_C(1000000000000000000), INT64_C(999999999999999999)};
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
        text[cd_integer_print(extremes[i], text)] = '\0';
        snprintf(wanted, sizeof wanted, "%" PRId64, extremes[i]);
        CD_CHECK_TEXT(text, wanted);
    }
}

// ---- exact integers: little-endian words of 32 bits ----------------------------------------------------------------

enum { WORDS = 48 };
typedef struct big {
    uint32_t word[WORDS];
} big;

static void big_multiply(big *n, uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < WORDS; i++) {
        carry += (uint64_t)n->word[i] * factor;
        n->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static int big_bits(const big *n)
{
    for (int i = WORDS - 1; i >= 0; i--)
        if (n->word[i])
            return 32 * i + 32 - __builtin_clz(n->word[i]);
    return 0;
}

static bool big_bit(const big *n, int bit)
{
    return bit >= 0 && bit < 32 * WORDS && (n->word[bit / 32] >> bit % 32 & 1);
}

static int big_compare(const big *a, const big *b)
{
    for (int i = WORDS - 1; i >= 0; i--)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

static void big_subtract(big *a, const big *b)
{
    int64_t borrow = 0;
    for (int i = 0; i < WORDS; i++) {
        borrow += (int64_t)a->word[i] - b->word[i];
        a->word[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
}

static big power_of_ten(int e)
{
    big n = {{1}};
    while (e-- > 0)
        big_multiply(&n, 10);
    return n;
}

// ceil(10^e / 2^(bits - 128)): the top 128 bits, rounded up.
static unsigned __int128 top_bits(int e)
{
    big n = power_of_ten(e);
    int bits = big_bits(&n);
    unsigned __int128 value = 0;
    for (int i = 1; i <= 128; i++)
        value = value << 1 | big_bit(&n, bits - i);
    bool is_exact = true;
    for (int bit = bits - 129; bit >= 0; bit--)
        is_exact &= !big_bit(&n, bit);
    return value + !is_exact;
}

// ceil(2^(127 + bits(10^e)) / 10^e) by long division, a bit at a time.
static unsigned __int128 reciprocal_bits(int e)
{
    big divisor = power_of_ten(e), rest = {{1}};
    unsigned __int128 value = 0;
    for (int i = big_bits(&divisor) + 127; i > 0; i--) {
        big_multiply(&rest, 2);
        value <<= 1;
        if (big_compare(&rest, &divisor) >= 0) {
            big_subtract(&rest, &divisor);
            value |= 1;
        }
    }
    return value + (big_bits(&rest) != 0);
}

CD_TEST(power_table_is_exact)
{
    int wrong = 0;
    for (int e = CD_POWER_FIRST; e <= CD_POWER_LAST; e++) {
        unsigned __int128 value = e >= 0 ? top_bits(e) : reciprocal_bits(-e);
        const uint64_t *entry = cd_power_of_ten[e - CD_POWER_FIRST];
        wrong += entry[0] != (uint64_t)(value >> 64) || entry[1] != (uint64_t)value;
    }
    CD_CHECK(wrong == 0);
}

int main(void)
{
    CD_RUN(power_table_is_exact);
    CD_RUN(forms);
    CD_RUN(integers);
    CD_RUN(million_random_bit_patterns_come_back);
    CD_RUN(million_doubles_of_plus_minus_5_come_back);
    CD_RUN(powers_of_two_and_ten_and_their_neighbours);
    CD_RUN(denormals_come_back_and_are_shortest);
    CD_RUN(random_doubles_have_the_fewest_digits);
    CD_RUN(among_shortest_texts_the_nearest_is_taken);
    return cd_test_done();
}
