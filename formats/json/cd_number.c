// cd_number -- shortest decimal text of a double that reads back as the same double, after
// Giulietti, "The Schubfach way to render doubles", 2020.
//
// v = c 2^q. All decimals between the midpoints to v's neighbours read back as v (the midpoints themselves too when c
// is even, because readers round ties to even). With 10^k <= width of that interval < 10^(k+1) there is at most one
// multiple of 10^(k+1) inside; when there is one it has the fewest digits, otherwise the multiple of 10^k nearest
// to v does. Midpoints and v, scaled by 4 / 10^k, are compared as integers "rounded to odd": such a number is even only
// when it is exact, so that comparisons with multiples of 4 decide as the real numbers would (section 9).
// Cost: three 64x128-bit products; no branch depends on a table of special cases.
// Form: as JavaScript prints numbers (plain digits for 1e-6 <= |v| < 1e21, else d.ddde-7), but with "-0".
// SPDX-License-Identifier: MIT
#include "cd_codec.h"
#include "cd_number_powers.h"

typedef struct decimal {
    uint64_t digits;  // at most 17 digits
    int exponent;     // value = digits * 10^exponent
} decimal;

enum {
    FRACTION_BITS = 52,
    EXPONENT_BIAS = 1075,  // of c 2^q with c an integer
    PLAIN_LEAST = -6,      // smallest and
    PLAIN_MOST = 20,       // largest decimal exponent (of d.ddd) written without an exponent
};

// Exact for the exponents of doubles (Giulietti, section 8.2): floor(log10(2^q)), floor(log10(3/4 2^q)) and
// floor(log2(10^e)).
static inline int floor_log10_pow2(int q) { return (q * 1262611) >> 22; }
static inline int floor_log10_three_quarters_pow2(int q) { return (q * 1262611 - 524031) >> 22; }
static inline int floor_log2_pow10(int e) { return (e * 1741647) >> 19; }

// Top 64 bits of power * factor / 2^64, lowest bit set when anything below was lost.
static inline uint64_t multiply_to_odd(const uint64_t power[2], uint64_t factor)
{
    unsigned __int128 low = (unsigned __int128)power[1] * factor;
    unsigned __int128 high = (unsigned __int128)power[0] * factor + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

static inline decimal shortest_decimal(uint64_t fraction, int biased)
{
    uint64_t c = biased ? fraction | UINT64_C(1) << FRACTION_BITS : fraction;
    int q = (biased ? biased : 1) - EXPONENT_BIAS;
    // At a power of two the neighbour below is half as far away as the one above.
    bool is_irregular = fraction == 0 && biased > 1;
    uint64_t is_odd = c & 1;
    int k = is_irregular ? floor_log10_three_quarters_pow2(q) : floor_log10_pow2(q);
    int shift = q + floor_log2_pow10(-k) + 1;
    const uint64_t *power = cd_power_of_ten[-k - CD_POWER_FIRST];
    uint64_t lower = multiply_to_odd(power, (4 * c - 2 + is_irregular) << shift) + is_odd;
    uint64_t value = multiply_to_odd(power, (4 * c) << shift);
    uint64_t upper = multiply_to_odd(power, (4 * c + 2) << shift) - is_odd;

    uint64_t s = value / 4;
    if (s >= 10) {
        uint64_t tens = s / 10;
        bool below_inside = lower <= 40 * tens, above_inside = 40 * tens + 40 <= upper;
        if (below_inside != above_inside)
            return (decimal){tens + above_inside, k + 1};
    }
    bool below_inside = lower <= 4 * s, above_inside = 4 * s + 4 <= upper;
    if (below_inside != above_inside)
        return (decimal){s + above_inside, k};
    uint64_t middle = 4 * s + 2;
    return (decimal){s + (value > middle || (value == middle && (s & 1))), k};
}

static const char two_digits[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

static inline int digit_count(uint64_t n)
{
    static const uint64_t power[20] = {
        0,
        10,
        100,
        1000,
        10000,
        100000,
        1000000,
        10000000,
        100000000,
        1000000000,
        10000000000,
        100000000000,
        1000000000000,
        10000000000000,
        100000000000000,
        1000000000000000,
        10000000000000000,
        100000000000000000,
        1000000000000000000,
        10000000000000000000u,
    };
    int guess = (64 - __builtin_clzll(n | 1)) * 1233 >> 12;  // floor(bits log10(2)): the count, or one less
    return guess + (n >= power[guess]);
}

static inline void write_digits(char *end, uint64_t n, int count)
{
    while (count > 8) {
        // 8 digits at a time keep the divisions in 32 bits.
        uint32_t low = (uint32_t)(n % 100000000);
        n /= 100000000;
        for (int i = 0; i < 4; i++, low /= 100)
            memcpy(end -= 2, two_digits + 2 * (low % 100), 2);
        count -= 8;
    }
    uint32_t rest = (uint32_t)n;
    for (; count >= 2; count -= 2, rest /= 100)
        memcpy(end -= 2, two_digits + 2 * (rest % 100), 2);
    if (count)
        *--end = (char)('0' + rest % 10);
}

static inline int write_unsigned(char *text, uint64_t n)
{
    int count = digit_count(n);
    write_digits(text + count, n, count);
    return count;
}

int cd_integer_print(int64_t value, char text[CD_NUMBER_MAX])
{
    char *at = text;
    if (value < 0)
        *at++ = '-';
    at += write_unsigned(at, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    return (int)(at - text);
}

static inline decimal without_trailing_zeros(decimal d)
{
    while (d.digits % 10000 == 0) {
        d.digits /= 10000;
        d.exponent += 4;
    }
    if (d.digits % 100 == 0) {
        d.digits /= 100;
        d.exponent += 2;
    }
    if (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

static char *write_exponent(char *at, int exponent)
{
    *at++ = 'e';
    if (exponent < 0)
        *at++ = '-';
    return at + write_unsigned(at, (uint64_t)(exponent < 0 ? -exponent : exponent));
}

static char *write_decimal(char *at, decimal d)
{
    int count = digit_count(d.digits);
    int exponent = d.exponent + count - 1;  // of the first digit
    if (exponent < PLAIN_LEAST || exponent > PLAIN_MOST) {
        write_digits(at + 1 + count, d.digits, count);
        at[0] = at[1];
        if (count == 1)
            return write_exponent(at + 1, exponent);
        at[1] = '.';
        return write_exponent(at + 1 + count, exponent);
    }
    if (exponent < 0) {
        int zeros = -exponent - 1;
        memcpy(at, "0.000000", 8);
        write_digits(at + 2 + zeros + count, d.digits, count);
        return at + 2 + zeros + count;
    }
    if (d.exponent >= 0) {
        write_digits(at + count, d.digits, count);
        memset(at + count, '0', (size_t)d.exponent);
        return at + count + d.exponent;
    }
    int before = exponent + 1;  // digits before the point
    write_digits(at + 1 + count, d.digits, count);
    memmove(at, at + 1, (size_t)before);
    at[before] = '.';
    return at + 1 + count;
}

int cd_number_print(double value, char text[CD_NUMBER_MAX])
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << FRACTION_BITS) - 1);
    int biased = (int)(bits >> FRACTION_BITS) & 0x7ff;
    char *at = text;
    if (bits >> 63)
        *at++ = '-';
    if (!biased && !fraction) {
        *at++ = '0';
        return (int)(at - text);
    }
    int q = biased - EXPONENT_BIAS;
    if (q <= 0 && q >= -FRACTION_BITS) {
        uint64_t c = fraction | UINT64_C(1) << FRACTION_BITS;
        if ((c & ((UINT64_C(1) << -q) - 1)) == 0)
            return (int)(at + write_unsigned(at, c >> -q) - text);
    }
    return (int)(write_decimal(at, without_trailing_zeros(shortest_decimal(fraction, biased))) - text);
}
