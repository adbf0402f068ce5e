// SPDX-License-Identifier: MIT
#include "shard_own.h"

#include "cd_bodies.h"
#include "cd_rows.h"
#include "cd_shards.h"

#include <inttypes.h>

// [m] Minima of the boxes of bodies, over all of their parts; NaN: a body without bounds. @owns arena
static double *minima_of_bodies(cd_arena *arena, const cd_model *in)
{
    size_t dim = (size_t)in->dim;
    double *low = CD_ARENA_ARRAY(arena, double, dim *(size_t)in->body.count);
    for (size_t i = 0; i < dim * (size_t)in->body.count; i++)
        low[i] = NAN;
    for (int32_t i = 0; i < in->bounds.count; i++)
        for (size_t k = 0; k < dim; k++) {
            double *x = &low[dim * (size_t)in->bounds.a[2 * (size_t)i] + k];
            *x = fmin(*x, in->bounds.min[dim * (size_t)i + k]);
        }
    return low;
}

cd_status cd_shard_own_frame(cd_arena *arena, const cd_model *in, cd_pair_rows *pair, cd_diag *diag)
{
    cd_shard_grid grid;
    CD_TRY(cd_shard_grid_read(&in->shard, in->dim, &grid, diag));
    const double *low = minima_of_bodies(arena, in);
    int32_t *own = CD_ARENA_ARRAY(arena, int32_t, in->pair.count), count = 0;
    for (int32_t i = 0; i < in->pair.count; i++) {
        int32_t body[] = {in->pair.a[2 * (size_t)i], in->pair.b[2 * (size_t)i]};
        const double *min[2];
        bool is_fixed[2];
        for (int side = 0; side < 2; side++) {
            min[side] = low + (size_t)in->dim * (size_t)body[side];
            is_fixed[side] = cd_body_motion(in, body[side]) == CD_MOTION_FIXED;
            if (isnan(min[side][0]))
                return cd_fail(diag, CD_ERR_FORMAT, "pair: body %" PRId64 " has no bounds: whose it is cannot be told",
                               in->body.id[body[side]]);
        }
        own[count] = i;
        count += cd_shard_of_pair(&grid, min, is_fixed) == in->shard.index[0];
    }
    cd_rows_select(arena, &cd_records[CD_REC_pair], in->dim, (cd_rows *)pair, (const cd_rows *)&in->pair, own, count);
    return CD_OK;
}
