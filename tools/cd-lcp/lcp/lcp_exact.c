// SPDX-License-Identifier: MIT
#include "lcp_exact.h"

#include "cd_assert.h"

#include <math.h>

// Magnitude in LIMBS words of 32 bits, least first. By Hadamard's bound a minor of n <= 16 rows with entries below 2^b
// is below (sqrt(n) 2^b)^n <= 2^(n (b + 2)). The longest numbers are the products of two minors that stand before each
// division, and their difference, which is a product of two minors again: 2 n (b + 2) bits. Three words more for the
// lengths rounded up and a carry. So entries may have 203 bits at 16 rows (full mantissas 2^150 apart), 271 at 12 and
// 408 at 8.
enum { LIMBS = 208 };

static int entry_bits_most(int32_t n) { return (LIMBS - 3) * 32 / (2 * n) - 2; }

typedef struct number {
    int sign;        // -1, 0, 1
    int32_t length;  // words in use
    uint32_t word[LIMBS];
} number;

static void trim(number *x)
{
    while (x->length > 0 && x->word[x->length - 1] == 0)
        x->length--;
    if (x->length == 0)
        x->sign = 0;
}

// mantissa 2^shift, an integer.
static void set_scaled(number *x, double value, int shift)
{
    int exponent;
    const double fraction = frexp(fabs(value), &exponent);
    const uint64_t mantissa = (uint64_t)ldexp(fraction, 53);
    x->sign = (value > 0) - (value < 0);
    x->length = 0;
    if (x->sign == 0)
        return;
    int bit = exponent - 53 + shift;  // place of the mantissa's lowest bit; below 0 these bits are zeros
    const uint64_t digits = bit < 0 ? mantissa >> -bit : mantissa;
    bit = bit < 0 ? 0 : bit;
    x->length = bit / 32 + 3;
    CD_ASSERT(x->length <= LIMBS);
    memset(x->word, 0, sizeof *x->word * (size_t)x->length);
    uint32_t *at = x->word + bit / 32;
    at[0] = (uint32_t)(digits << bit % 32);
    at[1] = (uint32_t)(digits >> (32 - bit % 32));
    at[2] = bit % 32 ? (uint32_t)(digits >> (64 - bit % 32)) : 0;
    trim(x);
}

static int compare_magnitude(const number *a, const number *b)
{
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    for (int32_t k = a->length - 1; k >= 0; k--) {
        if (a->word[k] != b->word[k])
            return a->word[k] < b->word[k] ? -1 : 1;
    }
    return 0;
}

static void multiply(const number *a, const number *b, number *out)
{
    out->sign = a->sign * b->sign;
    out->length = 0;
    if (out->sign == 0)
        return;
    CD_ASSERT(a->length + b->length <= LIMBS);
    uint64_t sum[LIMBS];
    memset(sum, 0, sizeof *sum * (size_t)(a->length + b->length));
    for (int32_t i = 0; i < a->length; i++) {
        uint64_t carry = 0;
        for (int32_t j = 0; j < b->length; j++) {
            uint64_t t = sum[i + j] + (uint64_t)a->word[i] * b->word[j] + carry;
            sum[i + j] = t & 0xffffffffu;
            carry = t >> 32;
        }
        sum[i + b->length] = carry;
    }
    out->length = a->length + b->length;
    for (int32_t k = 0; k < out->length; k++)
        out->word[k] = (uint32_t)sum[k];
    trim(out);
}

static void copy(const number *x, int sign, number *out)
{
    if (out != x)
        memcpy(out->word, x->word, sizeof *x->word * (size_t)x->length);
    out->length = x->length;
    out->sign = sign;
}

// out = a - b; out may be a or b.
static void subtract(const number *a, const number *b, number *out)
{
    if (b->sign == 0 || a->sign == 0) {
        copy(a->sign ? a : b, a->sign ? a->sign : -b->sign, out);
        return;
    }
    number c;
    c.sign = a->sign;
    if (a->sign != b->sign) {
        uint64_t carry = 0;
        c.length = (a->length > b->length ? a->length : b->length) + 1;
        CD_ASSERT(c.length <= LIMBS);
        for (int32_t k = 0; k < c.length; k++) {
            carry += (uint64_t)(k < a->length ? a->word[k] : 0) + (k < b->length ? b->word[k] : 0);
            c.word[k] = (uint32_t)carry;
            carry >>= 32;
        }
    } else {
        const bool swapped = compare_magnitude(a, b) < 0;
        const number *large = swapped ? b : a, *small = swapped ? a : b;
        int64_t borrow = 0;
        c.sign = swapped ? -a->sign : a->sign;
        c.length = large->length;
        for (int32_t k = 0; k < c.length; k++) {
            int64_t t = (int64_t)large->word[k] - (k < small->length ? small->word[k] : 0) - borrow;
            borrow = t < 0;
            c.word[k] = (uint32_t)(t + (borrow << 32));
        }
    }
    trim(&c);
    copy(&c, c.sign, out);
}

// a / b where b divides a: long division by Knuth's algorithm D (The Art of Computer Programming, 4.3.1). A remainder
// would mean that a number before was wrong.
static void divide(const number *a, const number *b, number *out)
{
    if (a->sign == 0) {
        out->sign = 0;
        out->length = 0;
        return;
    }
    if (b->length == 1 && b->word[0] == 1) {
        copy(a, a->sign * b->sign, out);
        return;
    }
    number q;
    q.sign = a->sign * b->sign;
    const int32_t m = b->length;
    CD_ASSERT(m > 0 && a->length >= m);
    const int shift = __builtin_clz(b->word[m - 1]);
    uint32_t u[LIMBS + 1], v[LIMBS];
    for (int32_t k = a->length; k >= 0; k--) {
        uint64_t pair = ((uint64_t)(k < a->length ? a->word[k] : 0) << 32) | (k > 0 ? a->word[k - 1] : 0);
        u[k] = (uint32_t)(pair << shift >> 32);
    }
    for (int32_t k = m - 1; k >= 0; k--) {
        uint64_t pair = ((uint64_t)b->word[k] << 32) | (k > 0 ? b->word[k - 1] : 0);
        v[k] = (uint32_t)(pair << shift >> 32);
    }
    q.length = a->length - m + 1;
    for (int32_t j = a->length - m; j >= 0; j--) {
        const uint64_t top = ((uint64_t)u[j + m] << 32) | u[j + m - 1];
        uint64_t digit = top / v[m - 1], rest = top % v[m - 1];
        while (digit >> 32 || (m > 1 && digit * v[m - 2] > ((rest << 32) | u[j + m - 2]))) {
            digit--;
            rest += v[m - 1];
            if (rest >> 32)
                break;
        }
        int64_t borrow = 0;
        uint64_t carry = 0;
        for (int32_t k = 0; k < m; k++) {
            carry += digit * v[k];
            int64_t t = (int64_t)u[j + k] - (int64_t)(carry & 0xffffffffu) - borrow;
            borrow = t < 0;
            u[j + k] = (uint32_t)t;
            carry >>= 32;
        }
        int64_t t = (int64_t)u[j + m] - (int64_t)carry - borrow;
        u[j + m] = (uint32_t)t;
        if (t < 0) {  // one too much: add the divisor back
            uint64_t sum = 0;
            digit--;
            for (int32_t k = 0; k < m; k++) {
                sum += (uint64_t)u[j + k] + v[k];
                u[j + k] = (uint32_t)sum;
                sum >>= 32;
            }
            u[j + m] += (uint32_t)sum;
        }
        q.word[j] = (uint32_t)digit;
    }
    for (int32_t k = 0; k < m; k++)
        CD_ASSERT(u[k] == 0);
    trim(&q);
    copy(&q, q.sign, out);
}

// The leading 64 bits and the power of two behind them.
static double leading(const number *x, int *exponent)
{
    double value = 0;
    for (int32_t k = x->length - 1; k >= 0 && k >= x->length - 3; k--)
        value = value * 4294967296.0 + x->word[k];
    *exponent = x->length > 3 ? 32 * (x->length - 3) : 0;
    return x->sign * value;
}

static double quotient(const number *a, const number *b)
{
    int ea, eb;
    const double x = leading(a, &ea), y = leading(b, &eb);
    return ldexp(x / y, ea - eb);
}

// The power of two that makes the numbers of a row integers, and whether these are short enough for n rows.
static bool row_shift(int32_t n, const double *row, int32_t count, double b, int *shift)
{
    int least = 4096, most = -4096;
    for (int32_t k = 0; k <= count; k++) {
        const double x = k < count ? row[k] : b;
        int exponent;
        if (x == 0)
            continue;
        const double fraction = frexp(fabs(x), &exponent);
        const int zeros = __builtin_ctzll((unsigned long long)ldexp(fraction, 53));
        least = exponent - 53 + zeros < least ? exponent - 53 + zeros : least;
        most = exponent > most ? exponent : most;
    }
    *shift = least == 4096 ? 0 : -least;
    return least == 4096 || most - least <= entry_bits_most(n);
}

typedef struct elimination {
    int32_t n, width;  // width = unknowns + 1: the right-hand side is the last column
    number *a;
    number before;  // the pivot before: divides every number of the next step
} elimination;

static void eliminate(elimination *e, int32_t pivot, int32_t col)
{
    number x, y, p, f;
    copy(&e->a[(size_t)pivot * e->width + col], e->a[(size_t)pivot * e->width + col].sign, &p);
    for (int32_t i = 0; i < e->n; i++) {
        if (i == pivot)
            continue;
        copy(&e->a[(size_t)i * e->width + col], e->a[(size_t)i * e->width + col].sign, &f);
        for (int32_t j = 0; j < e->width; j++) {
            number *target = &e->a[(size_t)i * e->width + j];
            if (target->sign == 0 && (f.sign == 0 || e->a[(size_t)pivot * e->width + j].sign == 0))
                continue;
            multiply(&p, target, &x);
            multiply(&f, &e->a[(size_t)pivot * e->width + j], &y);
            subtract(&x, &y, &x);
            divide(&x, &e->before, target);
        }
    }
    copy(&p, p.sign, &e->before);
}

cd_exact_answer cd_exact_solve(int32_t n, int32_t count, const double *a, const double *b, double *x, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    elimination e = {.n = n, .width = count + 1};
    e.a = CD_ARENA_ARRAY(scratch, number, (size_t)n * (size_t)e.width);
    set_scaled(&e.before, 1, 0);
    // Rows of integers, each times a power of two.
    cd_exact_answer answer = CD_EXACT_NON_NEGATIVE;
    for (int32_t i = 0; i < n && answer == CD_EXACT_NON_NEGATIVE; i++) {
        int shift;
        if (!row_shift(n, a + (size_t)i * count, count, b[i], &shift))
            answer = CD_EXACT_TOO_LONG;
        for (int32_t j = 0; j < e.width && answer == CD_EXACT_NON_NEGATIVE; j++)
            set_scaled(&e.a[(size_t)i * e.width + j], j < count ? a[(size_t)i * count + j] : b[i], shift);
    }
    // Gauss-Jordan in integers; every division by the pivot before is exact (Bareiss).
    int32_t rank = 0;
    for (int32_t col = 0; col < count && answer != CD_EXACT_TOO_LONG; col++) {
        int32_t pivot = rank;
        while (pivot < n && e.a[(size_t)pivot * e.width + col].sign == 0)
            pivot++;
        if (pivot == n) {
            answer = CD_EXACT_DEPENDENT;
            continue;
        }
        for (int32_t j = 0; j < e.width && pivot != rank; j++) {
            number t = e.a[(size_t)pivot * e.width + j];
            e.a[(size_t)pivot * e.width + j] = e.a[(size_t)rank * e.width + j];
            e.a[(size_t)rank * e.width + j] = t;
        }
        eliminate(&e, rank++, col);
    }
    // Rows without an unknown left.
    for (int32_t i = rank; i < n && answer != CD_EXACT_TOO_LONG; i++) {
        if (e.a[(size_t)i * e.width + count].sign != 0)
            answer = CD_EXACT_NONE;
    }
    // Quotients, rounded once.
    for (int32_t k = 0; k < count && (answer == CD_EXACT_NON_NEGATIVE || answer == CD_EXACT_NEGATIVE); k++) {
        const number *top = &e.a[(size_t)k * e.width + count], *bottom = &e.a[(size_t)k * e.width + k];
        x[k] = top->sign == 0 ? 0 : quotient(top, bottom);
        if (top->sign * bottom->sign < 0)
            answer = CD_EXACT_NEGATIVE;
    }
    cd_arena_rewind(scratch, mark);
    return answer;
}
