// cd_leaves -- the leaves of all shapes behind one door, in the plane and in space.
// SPDX-License-Identifier: MIT
#ifndef CD_LEAVES_H
#define CD_LEAVES_H

#include "cd_leaf2.h"
#include "cd_leaf3.h"

// Leaves of shape row s are numbers first[s] .. first[s + 1] - 1 of plane.leaf or of space.leaf; part numbers count
// from first[s].
typedef struct cd_leaves {
    int dim;
    const int32_t *first;
    cd_leaves2 plane;  // dim 2
    cd_leaves3 space;  // dim 3
} cd_leaves;

// Expands and validates all shapes: cd_leaf2.h, cd_leaf3.h say how. Head tables only: call it once a run. @owns arena
cd_status cd_leaves_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, cd_leaves *leaves,
                         cd_diag *diag) CD_MUST_CHECK;

// Leaves of all bodies that take part. CD_ERR_FORMAT when one of them has no shape or no position, CD_ERR_LIMIT when
// they are too many to be numbered.
cd_status cd_leaves_count(const cd_model *in, const cd_leaves *leaves, int32_t *count, cd_diag *diag) CD_MUST_CHECK;

static inline double cd_leaves_extent(const cd_leaves *leaves, int32_t leaf)  // [m] of cd_leaf2, cd_leaf3
{
    return leaves->dim == 2 ? leaves->plane.leaf[leaf].extent : leaves->space.leaf[leaf].extent;
}

#endif
