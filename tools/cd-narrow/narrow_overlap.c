// SPDX-License-Identifier: MIT
#include "narrow_overlap.h"

#include "cd_length.h"

#include <inttypes.h>
#include <math.h>

cd_status cd_narrow_overlaps_warn(cd_ctx *ctx, const cd_narrow_stage *stage)
{
    cd_narrow_options options = *stage->options;
    options.contacts = "depth";
    cd_narrow_stage depth = *stage;
    depth.options = &options;
    depth.lambdas = NULL;
    cd_model start = ctx->in;
    start.frame.contacts = NULL;
    start.trial = (cd_trial_rows){0};
    cd_contact_rows contacts = {0};
    cd_narrow_counts counts;
    CD_TRY(cd_narrow_frame(&ctx->arena, &depth, &start, &contacts, &counts, &ctx->diag));
    double epsilon = isnan(options.epsilon) ? cd_epsilon_of(&ctx->arena, &start, &stage->shapes) : options.epsilon;
    double deepest = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < contacts.count; i++) {
        count += contacts.gap[i] < -epsilon;
        deepest = fmax(deepest, -contacts.gap[i]);
    }
    if (count > 0)
        cd_warn(ctx,
                "frame %" PRId64
                ": %d pairs overlap at the start, by up to %g m: models of features push them out as fast "
                "as one step allows (separating does not)",
                start.frame.index[0], count, deepest);
    return CD_OK;
}
