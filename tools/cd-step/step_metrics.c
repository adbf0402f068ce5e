// SPDX-License-Identifier: MIT
#include "step_metrics.h"

#include <inttypes.h>

void cd_step_add_metrics(cd_ctx *ctx, const cd_step_bodies *bodies, const cd_step_outcome *outcome,
                         const cd_step_decision *decision, const cd_step_trial *trial, bool with_energy)
{
    if (!outcome->is_solved)
        cd_add_metric(ctx, "unsolved", 1, -1, -1);
    if (!outcome->is_solved && !isnan(cd_f64_or(ctx->in.solution.residual, 0, NAN)))
        cd_add_metric(ctx, "residual", ctx->in.solution.residual[0], -1, -1);
    if (!decision->accept)
        return;
    if (trial) {
        cd_add_metric(ctx, "rounds", 1.0 + cd_i32_or(ctx->in.frame.round, 0, 0), -1, -1);
        if (trial->is_fallback)
            cd_add_metric(ctx, "fallback", 1, -1, -1);
        if (trial->is_last_resort) {
            cd_add_metric(ctx, "motion-scale", trial->alpha, -1, -1);
            cd_warn(ctx, "frame %" PRId64 ": %s", ctx->in.frame.index[0], decision->reason);
        }
        if (trial->sweeps)
            cd_add_metric(ctx, "impact-sweeps", trial->sweeps, -1, -1);
        if (trial->cut_a_corner)
            cd_add_metric(ctx, "cut-corner", 1, -1, -1);
        cd_add_metric(ctx, "path-poses", (double)trial->path_poses, -1, -1);
        cd_add_metric(ctx, "path-poses-most", (double)trial->path_most, -1, -1);
    }
    if (with_energy) {
        cd_step_energy energy = cd_step_energy_of(bodies);
        cd_add_metric(ctx, "energy", energy.end, -1, -1);
        cd_add_metric(ctx, "energy-change", energy.end - energy.start, -1, -1);
    }
}
