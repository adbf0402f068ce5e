// SPDX-License-Identifier: MIT
#include "overlap_metrics.h"

#include <math.h>

void cd_overlap_add_metrics(cd_ctx *ctx, const cd_overlap_result *result, bool per_pair)
{
    cd_add_metric(ctx, "overlap", result->overlap, -1, -1);
    cd_add_metric(ctx, "overlap-error", result->error, -1, -1);
    cd_add_metric(ctx, "overlap-released", result->released, -1, -1);
    if (!isnan(result->gap))
        cd_add_metric(ctx, "gap", result->gap + 0.0, -1, -1);  // no negative zero
    cd_add_metric(ctx, "unmeasured", result->unmeasured, -1, -1);
    for (int32_t i = 0; per_pair && i < result->pair_count; i++) {
        cd_add_metric(ctx, "overlap", result->pair[i].size, result->pair[i].a, result->pair[i].b);
        cd_add_metric(ctx, "overlap-error", result->pair[i].error, result->pair[i].a, result->pair[i].b);
    }
}
