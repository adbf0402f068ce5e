// SPDX-License-Identifier: MIT
#include "narrow_surface_report.h"

void cd_narrow_surfaces_report(cd_ctx *ctx, cd_narrow_stage *stage, const cd_narrow_counts *counts)
{
    if (!counts->has_surfaces)
        return;
    cd_add_metric(ctx, "crowded-edges", counts->faults.crowded, -1, -1);
    cd_add_metric(ctx, "t-junctions", counts->faults.t_junctions, -1, -1);
    if (!stage->has_told_faults && !ctx->quiet && counts->faults.crowded + counts->faults.t_junctions > 0)
        cd_warn(
            ctx,
            "surfaces: %d edges of more than two triangles, %d vertices on an edge of a triangle that does not have "
            "them: contacts may be one too many there (--weld)",
            counts->faults.crowded, counts->faults.t_junctions);
    if (!stage->has_told_faults && !ctx->quiet && counts->faults.is_lost)
        cd_warn(ctx,
                "surfaces: one has no triangle left with three corners (--weld %g m): bodies meet its edges and points "
                "alone",
                stage->options->weld);
    stage->has_told_faults = true;
}
