// SPDX-License-Identifier: MIT
#include "cd_shapes.h"

cd_status cd_shapes_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, int threads, cd_shapes *shapes,
                         cd_diag *diag)
{
    *shapes = (cd_shapes){0};
    CD_TRY(cd_leaves_make(arena, in, refs, &shapes->leaves, diag));
    if (in->dim == 2)
        return CD_OK;
    return cd_solids3_make(arena, in, refs, &shapes->leaves.space, threads, &shapes->solids, diag);
}
