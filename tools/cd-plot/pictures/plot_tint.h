// plot_tint -- --color: what the colour of bodies tells, one number or name a body.
//
// make (each frame, its range joined to that of the others) -> fill. Fixed bodies stay grey. Numbers go from light to
// dark, gaps from dark (the least) to light; names (id, island, group) have colours in turn.
// SPDX-License-Identifier: MIT
#ifndef PLOT_TINT_H
#define PLOT_TINT_H

#include "plot_stage.h"

extern const char *const cd_plot_tint_names[];  // NULL-ended; the first one is that of no tint
bool cd_plot_tint_is_name(const char *by);      // not a number
// [m/s], [rad/s], [N], [m] or [kg] of each body row, numbers from 0 of names; NaN: none. `range` grows by what is
// shown. @owns frame->arena
const double *cd_plot_tint_make(const cd_plot_ask *ask, cd_plot_frame *frame, cd_plot_range *range);
// The same of a quantity `by`, without a range.
const double *cd_plot_tint_values(const char *by, const cd_plot_ask *ask, cd_plot_frame *frame);
cd_plot_colour cd_plot_tint_fill(const char *by, double value, cd_plot_range range);
// "speed 2.5 m/s". @owns arena
const char *cd_plot_tint_text(cd_arena *arena, const char *by, double value);

#endif
