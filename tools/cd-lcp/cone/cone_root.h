// cone_root -- what `direct` of a symmetric structure is the square of: C = G G', columns of G as further velocities.
//
// A diagonal C gives a column a row. Any other is factored by Cholesky with complete pivoting, which ends at the rank:
// dense, n^2 rank. Source: Higham 2002, 10.3.
// SPDX-License-Identifier: MIT
#ifndef CONE_ROOT_H
#define CONE_ROOT_H

#include "lcp_structure.h"

#include <string.h>

// Puts a number into an ascending list of `count`, which has room for it, unless it is there. Returns how many there
// are then. For lists of some ten, as the columns of a contact are.
static inline int32_t cd_ascending_add(int32_t *list, int32_t count, int32_t number)
{
    int32_t at = count;
    while (at > 0 && list[at - 1] >= number)
        at--;
    if (at < count && list[at] == number)
        return count;
    memmove(list + at + 1, list + at, sizeof *list * (size_t)(count - at));
    list[at] = number;
    return count + 1;
}

typedef struct cd_cone_root {
    cd_lcp_rows rows;  // of G; an empty list for a row that `direct` does not touch
    int32_t columns;
} cd_cone_root;

// False when C is not positive semidefinite. @owns arena
bool cd_cone_root_make(const cd_lcp_structure *s, cd_cone_root *out, cd_arena *arena);

#endif
