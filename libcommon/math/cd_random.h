// cd_random -- seeded pseudo-random numbers: splitmix64 (Steele, Lea & Flood 2014). Same seed, same numbers on every
// machine; not for secrets. State is one word owned by the caller.
// SPDX-License-Identifier: MIT
#ifndef CD_RANDOM_H
#define CD_RANDOM_H

#include <stdint.h>

typedef struct cd_random {
    uint64_t state;
} cd_random;

static inline uint64_t cd_random_bits(cd_random *random)
{
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
// Leaves out so many numbers.
static inline void cd_random_skip(cd_random *random, uint64_t count)
{
    random->state += count * UINT64_C(0x9e3779b97f4a7c15);
}
// Uniform in [0, 1): 53 random bits.
static inline double cd_random_unit(cd_random *random) { return (double)(cd_random_bits(random) >> 11) * 0x1p-53; }
static inline double cd_random_between(cd_random *random, double low, double high)
{
    return low + (high - low) * cd_random_unit(random);
}

#endif
