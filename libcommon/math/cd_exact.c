// SPDX-License-Identifier: MIT
#include "cd_exact.h"

#include "cd_assert.h"

__extension__ typedef unsigned __int128 wide;

enum { LIMB = 64 };

// ---- doubles in ----------------------------------------------------------------------------------------------------

// Without zeros at either end.
static cd_exact trimmed(const uint64_t *limb, int32_t count, int32_t exponent, bool is_negative)
{
    while (count > 0 && limb[count - 1] == 0)
        count--;
    while (count > 0 && limb[0] == 0) {
        limb++;
        count--;
        exponent++;
    }
    if (count == 0)
        return (cd_exact){0};
    return (cd_exact){count, exponent, is_negative, limb};
}

// m 2^power, 0 <= power modulo the limb's width.
static cd_exact of_integer(cd_arena *arena, uint64_t m, int power, bool is_negative)
{
    int32_t exponent = power >= 0 ? power / LIMB : -((LIMB - 1 - power) / LIMB);
    wide shifted = (wide)m << (power - exponent * LIMB);
    uint64_t *limb = CD_ARENA_ARRAY(arena, uint64_t, 2);
    limb[0] = (uint64_t)shifted;
    limb[1] = (uint64_t)(shifted >> LIMB);
    return trimmed(limb, 2, exponent, is_negative);
}

cd_exact cd_exact_of(cd_arena *arena, double value)
{
    CD_ASSERT(isfinite(value));
    if (value == 0)
        return (cd_exact){0};
    int power;
    double mantissa = frexp(fabs(value), &power);
    return of_integer(arena, (uint64_t)ldexp(mantissa, 53), power - 53, value < 0);
}

// ---- sums and products ---------------------------------------------------------------------------------------------

static uint64_t limb_at(cd_exact a, int32_t place)  // place: of the power of 2^64
{
    int32_t i = place - a.exponent;
    return i >= 0 && i < a.count ? a.limb[i] : 0;
}

static int32_t top_of(cd_exact a) { return a.exponent + a.count; }

static int compare_sizes(cd_exact a, cd_exact b)
{
    if (a.count == 0 || b.count == 0)
        return (a.count > 0) - (b.count > 0);
    if (top_of(a) != top_of(b))
        return top_of(a) < top_of(b) ? -1 : 1;
    int32_t low = a.exponent < b.exponent ? a.exponent : b.exponent;
    for (int32_t place = top_of(a) - 1; place >= low; place--) {
        uint64_t p = limb_at(a, place), q = limb_at(b, place);
        if (p != q)
            return p < q ? -1 : 1;
    }
    return 0;
}

int cd_exact_compare(cd_exact a, cd_exact b)
{
    if (cd_exact_sign(a) != cd_exact_sign(b))
        return cd_exact_sign(a) < cd_exact_sign(b) ? -1 : 1;
    return a.is_negative ? compare_sizes(b, a) : compare_sizes(a, b);
}

// |a| + |b|, or |a| - |b| with |a| >= |b|.
static cd_exact combine(cd_arena *arena, cd_exact a, cd_exact b, bool is_difference, bool is_negative)
{
    int32_t low = a.exponent < b.exponent ? a.exponent : b.exponent;
    int32_t high = top_of(a) > top_of(b) ? top_of(a) : top_of(b);
    uint64_t *limb = CD_ARENA_ARRAY(arena, uint64_t, high - low + 1);
    uint64_t carry = 0;
    for (int32_t place = low; place < high; place++) {
        uint64_t p = limb_at(a, place), q = limb_at(b, place);
        wide sum = is_difference ? (wide)p - q - carry : (wide)p + q + carry;
        limb[place - low] = (uint64_t)sum;
        carry = (uint64_t)(sum >> LIMB) & 1;
    }
    limb[high - low] = is_difference ? 0 : carry;
    return trimmed(limb, high - low + 1, low, is_negative);
}

cd_exact cd_exact_add(cd_arena *arena, cd_exact a, cd_exact b)
{
    if (a.count == 0 || b.count == 0)
        return a.count == 0 ? b : a;
    if (a.is_negative == b.is_negative)
        return combine(arena, a, b, false, a.is_negative);
    int order = compare_sizes(a, b);
    if (order == 0)
        return (cd_exact){0};
    return order > 0 ? combine(arena, a, b, true, a.is_negative) : combine(arena, b, a, true, b.is_negative);
}

cd_exact cd_exact_subtract(cd_arena *arena, cd_exact a, cd_exact b)
{
    return cd_exact_add(arena, a, cd_exact_negate(b));
}

cd_exact cd_exact_multiply(cd_arena *arena, cd_exact a, cd_exact b)
{
    if (a.count == 0 || b.count == 0)
        return (cd_exact){0};
    int32_t count = a.count + b.count;
    uint64_t *limb = CD_ARENA_ARRAY(arena, uint64_t, count);
    memset(limb, 0, (size_t)count * sizeof *limb);
    for (int32_t i = 0; i < a.count; i++) {
        uint64_t carry = 0;
        for (int32_t j = 0; j < b.count; j++) {
            wide sum = (wide)a.limb[i] * b.limb[j] + limb[i + j] + carry;
            limb[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> LIMB);
        }
        limb[i + b.count] = carry;
    }
    return trimmed(limb, count, a.exponent + b.exponent, a.is_negative != b.is_negative);
}

cd_exact cd_exact_shift(cd_arena *arena, cd_exact a, int power)
{
    return cd_exact_multiply(arena, a, of_integer(arena, 1, power, false));
}

// ---- doubles out ---------------------------------------------------------------------------------------------------

double cd_exact_scaled(cd_exact a, int *power)
{
    *power = 0;
    if (a.count == 0)
        return 0;
    uint64_t high = a.limb[a.count - 1], low = a.count > 1 ? a.limb[a.count - 2] : 0;
    int zeros = __builtin_clzll(high);
    uint64_t top = zeros == 0 ? high : high << zeros | low >> (LIMB - zeros);
    *power = top_of(a) * LIMB - zeros;
    double value = ldexp((double)(top >> 11), -53);
    return a.is_negative ? -value : value;
}

int cd_exact_parts(cd_arena *scratch, cd_exact a, double *part, int room)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    int count = 0;
    while (a.count > 0 && count >= 0) {
        int power;
        double value = cd_exact_scaled(a, &power);
        double next = power > 1024 ? INFINITY : ldexp(value, power);
        if (count == room || !isfinite(next) || ldexp(next, -power) != value) {
            count = -1;
        } else {
            part[count++] = next;
            a = cd_exact_subtract(scratch, a, cd_exact_of(scratch, next));
        }
    }
    cd_arena_rewind(scratch, mark);
    return count;
}

// ---- vectors -------------------------------------------------------------------------------------------------------

cd_exact3 cd_exact3_of(cd_arena *arena, cd_vec3 a)
{
    return (cd_exact3){cd_exact_of(arena, a.x), cd_exact_of(arena, a.y), cd_exact_of(arena, a.z)};
}

cd_exact3 cd_exact3_difference(cd_arena *arena, cd_vec3 a, cd_vec3 b)
{
    return cd_exact3_subtract(arena, cd_exact3_of(arena, a), cd_exact3_of(arena, b));
}

cd_exact3 cd_exact3_add(cd_arena *arena, cd_exact3 a, cd_exact3 b)
{
    return (cd_exact3){cd_exact_add(arena, a.x, b.x), cd_exact_add(arena, a.y, b.y), cd_exact_add(arena, a.z, b.z)};
}

cd_exact3 cd_exact3_subtract(cd_arena *arena, cd_exact3 a, cd_exact3 b)
{
    return cd_exact3_add(arena, a, cd_exact3_negate(b));
}

cd_exact3 cd_exact3_scale(cd_arena *arena, cd_exact s, cd_exact3 a)
{
    return (cd_exact3){cd_exact_multiply(arena, s, a.x), cd_exact_multiply(arena, s, a.y),
                       cd_exact_multiply(arena, s, a.z)};
}

// a b - c d
static cd_exact minor_of(cd_arena *arena, cd_exact a, cd_exact b, cd_exact c, cd_exact d)
{
    return cd_exact_subtract(arena, cd_exact_multiply(arena, a, b), cd_exact_multiply(arena, c, d));
}

cd_exact3 cd_exact3_cross(cd_arena *arena, cd_exact3 a, cd_exact3 b)
{
    return (cd_exact3){minor_of(arena, a.y, b.z, a.z, b.y), minor_of(arena, a.z, b.x, a.x, b.z),
                       minor_of(arena, a.x, b.y, a.y, b.x)};
}

cd_exact cd_exact3_dot(cd_arena *arena, cd_exact3 a, cd_exact3 b)
{
    cd_exact x = cd_exact_multiply(arena, a.x, b.x), y = cd_exact_multiply(arena, a.y, b.y);
    return cd_exact_add(arena, cd_exact_add(arena, x, y), cd_exact_multiply(arena, a.z, b.z));
}

cd_vec3 cd_exact3_scaled(cd_exact3 a, int *power)
{
    int p[3];
    double v[3] = {cd_exact_scaled(a.x, &p[0]), cd_exact_scaled(a.y, &p[1]), cd_exact_scaled(a.z, &p[2])};
    bool is_zero = true;
    for (int k = 0; k < 3; k++) {
        if (v[k] == 0)
            continue;
        *power = is_zero || p[k] > *power ? p[k] : *power;
        is_zero = false;
    }
    if (is_zero)
        *power = 0;
    for (int k = 0; k < 3; k++)
        v[k] = v[k] == 0 ? 0 : ldexp(v[k], p[k] - *power);
    return (cd_vec3){v[0], v[1], v[2]};
}
