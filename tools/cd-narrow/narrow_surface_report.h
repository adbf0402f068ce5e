// narrow_surface_report -- what of the surfaces of a run cannot be smoothed: metrics, and one line a run on stderr.
// SPDX-License-Identifier: MIT
#ifndef NARROW_SURFACE_REPORT_H
#define NARROW_SURFACE_REPORT_H

#include "cd_filter.h"
#include "narrow_surface.h"

// Nothing where the frame's surfaces are not looked at. The line comes with the first frame that looks at them.
void cd_narrow_surfaces_report(cd_ctx *ctx, cd_narrow_stage *stage, const cd_narrow_counts *counts);

#endif
