// SPDX-License-Identifier: MIT
#include "cd_leaves.h"

#include "cd_bodies.h"

cd_status cd_leaves_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, cd_leaves *leaves, cd_diag *diag)
{
    *leaves = (cd_leaves){.dim = in->dim};
    if (in->dim == 2) {
        CD_TRY(cd_leaves2_make(arena, in, refs, &leaves->plane, diag));
        leaves->first = leaves->plane.first;
    } else {
        CD_TRY(cd_leaves3_make(arena, in, refs, &leaves->space, diag));
        leaves->first = leaves->space.first;
    }
    return CD_OK;
}

cd_status cd_leaves_count(const cd_model *in, const cd_leaves *leaves, int32_t *count, cd_diag *diag)
{
    int64_t total = 0;
    CD_TRY(cd_bodies_need_positions(in, diag));
    for (int32_t i = 0; i < in->body.count; i++) {
        if (!cd_body_is_active(in, i))
            continue;
        CD_TRY(cd_body_need_shape(in, i, diag));
        int32_t shape = in->body.shape[i];
        total += leaves->first[shape + 1] - leaves->first[shape];
    }
    if (total > INT32_MAX / 2)
        return cd_fail(diag, CD_ERR_LIMIT, "body: the parts of all bodies are more than %d", INT32_MAX / 2);
    *count = (int32_t)total;
    return CD_OK;
}
