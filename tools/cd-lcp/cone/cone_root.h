// cone_root -- velocities that `direct` of a symmetric structure acts through: C = G M^-1 G', columns of G as further
// velocities of mass M.
//
// A diagonal C gives a column a row, M = 1. A sparse one has the columns of C as G that span all others, and their part
// of C as M (cone_span.h), scaled to a diagonal of 1: as sparse as C. Any other is factored by Cholesky with complete
// pivoting, which ends at the rank, M = 1: dense, n^2 rank. Source: Higham 2002, 10.3.
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
    // M below its diagonal, which is 1: row i has columns below i. first NULL: nothing is there.
    cd_lcp_rows mass;
} cd_cone_root;

typedef enum cd_cone_root_status { CD_CONE_ROOT, CD_CONE_INDEFINITE, CD_CONE_TOO_LARGE } cd_cone_root_status;

// most: [bytes] that it may need on the way. Rows that no cone has, tangents without friction and normal rows that act
// on nothing, may be left out of G. @owns arena
cd_cone_root_status cd_cone_root_make(const cd_lcp_structure *s, int64_t most, cd_cone_root *out, cd_arena *arena);

#endif
