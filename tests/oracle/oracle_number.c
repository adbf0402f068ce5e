// Printed numbers against exact arithmetic: the decimal lies in the interval that reads back as the double, no decimal
// with fewer digits does, and none with as many is nearer.
// SPDX-License-Identifier: MIT
#include "cd_codec.h"
#include "cd_random.h"
#include "cd_test.h"

#include <ctype.h>
#include <gmp.h>
#include <stdbool.h>
#include <stdlib.h>

enum { RANDOM_NUMBERS = 100000 };

static mpz_t digits, below, above, exact, ten, printed, other;
static int64_t number_count, longest, shown;

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

// Reads a JSON number into digits * 10^*exponent, trailing zeros taken off; returns the count of digits, 0 when it is
// none.
static int read_decimal(const char *text, int *exponent)
{
    char plain[64];
    int count = 0, fraction = 0, whole = 0;
    const char *at = text;
    if (!isdigit((unsigned char)*at) || (at[0] == '0' && isdigit((unsigned char)at[1])))
        return 0;
    for (; isdigit((unsigned char)*at); whole++)
        plain[count++] = *at++;
    if (*at == '.') {
        for (at++; isdigit((unsigned char)*at); fraction++)
            plain[count++] = *at++;
        if (fraction == 0)
            return 0;
    }
    int sign = 1, power = 0;
    bool has_exponent = *at == 'e';
    if (has_exponent) {
        at++;
        sign = *at == '-' ? -1 : 1;
        at += *at == '-';
        if (!isdigit((unsigned char)*at))
            return 0;
        for (; isdigit((unsigned char)*at); at++)
            power = 10 * power + (*at - '0');
    }
    if (*at || (has_exponent && whole != 1))
        return 0;
    *exponent = sign * power - fraction;
    while (count > 1 && plain[count - 1] == '0') {
        count--;
        (*exponent)++;
    }
    plain[count] = '\0';
    mpz_set_str(digits, plain, 10);
    return (int)strlen(plain) - (int)strspn(plain, "0");
}

// to * 10^exponent * 2^shift on the common scale, where every number is an integer.
static void put_on_scale(mpz_t to, int exponent, int shift)
{
    mpz_ui_pow_ui(ten, 10, (unsigned long)exponent);
    mpz_mul(to, to, ten);
    mpz_mul_2exp(to, to, (mp_bitcnt_t)shift);
}

static bool is_inside(const mpz_t x, bool closed)
{
    int low = mpz_cmp(x, below), high = mpz_cmp(x, above);
    return closed ? low >= 0 && high <= 0 : low > 0 && high < 0;
}

// Whether |other - exact| < |printed - exact|.
static bool is_nearer(void)
{
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    mpz_sub(a, other, exact);
    mpz_sub(b, printed, exact);
    bool nearer = mpz_cmpabs(a, b) < 0;
    mpz_clears(a, b, NULL);
    return nearer;
}

// What is wrong with the text of value > 0, or NULL. v = c 2^q; its interval is (2c -+ 1) 2^(q-1), half as deep below a
// power of two; the scale is 2^(2-q) and 10^-e, as far as they are needed to have integers.
static const char *fault(double value, const char *text)
{
    uint64_t bits = to_bits(value), fraction = bits & ((UINT64_C(1) << 52) - 1);
    int biased = (int)(bits >> 52), q = (biased ? biased : 1) - 1075, exponent;
    uint64_t c = biased ? fraction | UINT64_C(1) << 52 : fraction;
    int count = read_decimal(text, &exponent);
    if (count == 0)
        return "is no number of JSON";
    longest = count > longest ? count : longest;
    int lowest = exponent < 0 ? exponent : 0, two = q - 2 < 0 ? 2 - q : 0;
    bool irregular = fraction == 0 && biased > 1, closed = c % 2 == 0;
    mpz_set_ui(exact, 4 * c);
    mpz_set_ui(below, 4 * c - (irregular ? 1 : 2));
    mpz_set_ui(above, 4 * c + 2);
    put_on_scale(exact, -lowest, two + q - 2);
    put_on_scale(below, -lowest, two + q - 2);
    put_on_scale(above, -lowest, two + q - 2);
    mpz_set(printed, digits);
    put_on_scale(printed, exponent - lowest, two);
    if (!is_inside(printed, closed))
        return "reads back as another number";
    mpz_set_ui(other, 1);
    put_on_scale(other, exponent - lowest, two);  // one unit of the last digit
    mpz_t unit, tens;
    mpz_init_set(unit, other);
    mpz_init(tens);
    const char *wrong = NULL;
    for (int step = -1; step <= 1; step += 2) {
        mpz_mul_si(other, unit, step);
        mpz_add(other, other, printed);
        if (is_inside(other, closed) && is_nearer())
            wrong = "has a neighbour that is nearer";
    }
    mpz_mul_ui(unit, unit, 10);
    mpz_fdiv_q(tens, printed, unit);
    for (int step = 0; step <= 1 && count > 1; step++) {
        mpz_mul(other, tens, unit);
        if (is_inside(other, closed))
            wrong = "has more digits than it needs";
        mpz_add_ui(tens, tens, 1);
    }
    mpz_clears(unit, tens, NULL);
    return wrong;
}

static void check(double value)
{
    char text[CD_NUMBER_MAX + 1];
    value = fabs(value);
    if (!isfinite(value) || value == 0)
        return;
    text[cd_number_print(value, text)] = '\0';
    const char *wrong = fault(value, text);
    char minus[CD_NUMBER_MAX + 1];
    minus[cd_number_print(-value, minus)] = '\0';
    if (!wrong && (minus[0] != '-' || strcmp(minus + 1, text)))
        wrong = "changes with its sign";
    bool has_exponent = strchr(text, 'e') != NULL;
    if (!wrong && has_exponent != (value < 1e-6 || value >= 1e21))
        wrong = "has an exponent where it should not, or has none";
    number_count++;
    if (wrong) {
        if (shown++ < 10)
            printf("# %a, printed %s: %s\n", value, text, wrong);
        cd_test_bad_checks++;
    }
}

static void check_around(double value)
{
    for (int step = -3; step <= 3; step++)
        check(from_bits(to_bits(value) + (uint64_t)(int64_t)step));
}

static void tell(void)
{
    printf("# %lld numbers, at most %lld digits\n", (long long)number_count, (long long)longest);
    number_count = longest = 0;
}

CD_TEST(random_bit_patterns)
{
    cd_random random = {11};
    for (int i = 0; i < RANDOM_NUMBERS; i++)
        check(from_bits(cd_random_bits(&random)));
    tell();
}

CD_TEST(ordinary_numbers)
{
    cd_random random = {12};
    for (int i = 0; i < RANDOM_NUMBERS; i++)
        check(cd_random_between(&random, -5, 5) * pow(10, (double)(i % 13) - 6));
    tell();
}

CD_TEST(short_decimals)
{
    cd_random random = {13};
    for (int i = 0; i < RANDOM_NUMBERS; i++) {
        char text[40];
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)(cd_random_bits(&random) % 100000000),
                 (int)(cd_random_bits(&random) % 600) - 310);
        check(strtod(text, NULL));
    }
    tell();
}

CD_TEST(boundaries)
{
    for (int e = -1074; e <= 1023; e++)
        check_around(ldexp(1, e));
    for (int e = -323; e <= 308; e++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", e);
        check_around(strtod(text, NULL));
    }
    for (uint64_t bits = 1; bits < 4096; bits++) {
        check(from_bits(bits));
        check(from_bits((UINT64_C(1) << 52) - bits));
        check(9007199254740992.0 - (double)bits);
        check(9007199254740992.0 + 2 * (double)bits);
        check((double)bits * 1e12);
    }
    check_around(1e21);
    check_around(1e-7);
    check(1.7976931348623157e308);
    tell();
}

int main(void)
{
    mpz_inits(digits, below, above, exact, ten, printed, other, NULL);
    CD_RUN(random_bit_patterns);
    CD_RUN(ordinary_numbers);
    CD_RUN(short_decimals);
    CD_RUN(boundaries);
    return cd_test_done();
}
