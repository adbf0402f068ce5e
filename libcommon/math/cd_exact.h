// cd_exact -- sums and products of doubles without rounding, as long as memory lasts: numbers of any number of binary
// digits. For decisions that a filter in doubles leaves open; an operation on coordinates takes some 10 to 50 ns.
//
// A number is sign * sum of limb[i] 2^(64 (exponent + i)), so that numbers of any size meet without shifts. Every
// double that is finite has one; there is no overflow and no underflow. Immutable: results live in the arena, operands
// may be shared. Exact by construction; fixed cost of a limb product, schoolbook.
// SPDX-License-Identifier: MIT
#ifndef CD_EXACT_H
#define CD_EXACT_H

#include "cd_memory.h"
#include "cd_vec3.h"

typedef struct cd_exact {
    int32_t count;         // limbs; 0: the number 0
    int32_t exponent;      // of limb[0], in limbs
    bool is_negative;      // false for 0
    const uint64_t *limb;  // the least first; the first and the last are not 0
} cd_exact;

cd_exact cd_exact_of(cd_arena *arena, double value);  // finite
cd_exact cd_exact_add(cd_arena *arena, cd_exact a, cd_exact b);
cd_exact cd_exact_subtract(cd_arena *arena, cd_exact a, cd_exact b);
cd_exact cd_exact_multiply(cd_arena *arena, cd_exact a, cd_exact b);
static inline cd_exact cd_exact_negate(cd_exact a)
{
    a.is_negative = a.count > 0 && !a.is_negative;
    return a;
}
static inline int cd_exact_sign(cd_exact a) { return a.is_negative ? -1 : a.count > 0; }
int cd_exact_compare(cd_exact a, cd_exact b);  // sign of a - b

// a = value 2^*power with 0.5 <= |value| < 1, but for the digits beyond 53, which are cut off; 0 for 0.
double cd_exact_scaled(cd_exact a, int *power);
cd_exact cd_exact_shift(cd_arena *arena, cd_exact a, int power);  // a 2^power

// a as a sum of doubles, the largest first, in part[0..room-1]; how many they are, -1 where `room` is too small or a
// part is beyond the doubles.
int cd_exact_parts(cd_arena *scratch, cd_exact a, double *part, int room);

// ---- vectors of space -----------------------------------------------------------------------------------------------

typedef struct cd_exact3 {
    cd_exact x, y, z;
} cd_exact3;

cd_exact3 cd_exact3_of(cd_arena *arena, cd_vec3 a);
cd_exact3 cd_exact3_difference(cd_arena *arena, cd_vec3 a, cd_vec3 b);  // a - b
cd_exact3 cd_exact3_add(cd_arena *arena, cd_exact3 a, cd_exact3 b);
cd_exact3 cd_exact3_subtract(cd_arena *arena, cd_exact3 a, cd_exact3 b);
cd_exact3 cd_exact3_scale(cd_arena *arena, cd_exact s, cd_exact3 a);
cd_exact3 cd_exact3_cross(cd_arena *arena, cd_exact3 a, cd_exact3 b);
cd_exact cd_exact3_dot(cd_arena *arena, cd_exact3 a, cd_exact3 b);
static inline cd_exact3 cd_exact3_negate(cd_exact3 a)
{
    return (cd_exact3){cd_exact_negate(a.x), cd_exact_negate(a.y), cd_exact_negate(a.z)};
}
static inline bool cd_exact3_is_zero(cd_exact3 a) { return a.x.count == 0 && a.y.count == 0 && a.z.count == 0; }

// The vector times a power of two, the largest number 0.5 .. 1 in size, each wrong by less than 2^-53: the digits
// beyond are cut off. *power: what it was divided by. Zero for zero.
cd_vec3 cd_exact3_scaled(cd_exact3 a, int *power);

#endif
