// cd_expansion -- exact sums: doubles of increasing magnitude whose bits do not overlap. The sum has the sign of the
// last. Source: Shewchuk 1997.
// SPDX-License-Identifier: MIT
#ifndef CD_EXPANSION_H
#define CD_EXPANSION_H

#include "cd_twofold.h"

// Adds one number to part[0..count-1] and drops the zeros that arise (GROW-EXPANSION with zero elimination); returns
// the new count, count + 1 at most. Under round-to-even the parts stay nonadjacent, so summing them from the smallest
// keeps the sign.
static inline int cd_expansion_add(double *part, int count, double value)
{
    if (value == 0)
        return count;
    int kept = 0;
    double carry = value;
    for (int i = 0; i < count; i++) {
        cd_twofold sum = cd_twofold_exact_sum(carry, part[i]);
        carry = sum.high;
        if (sum.low != 0)
            part[kept++] = sum.low;
    }
    if (carry != 0)
        part[kept++] = carry;
    return kept;
}

#endif
