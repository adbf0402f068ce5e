// plot_histogram -- --histogram: how often values of a quantity occur in the frames of streams.
// SPDX-License-Identifier: MIT
#ifndef PLOT_HISTOGRAM_H
#define PLOT_HISTOGRAM_H

#include "plot_ask.h"

// One value a body (speed, spin, mass), a contact (force, gap, overlap), or of a metric: a pair of bodies where there
// are such values, else a frame. Streams share their bins. CD_ERR_USAGE when no frame that was chosen has a value.
cd_status cd_plot_histogram_picture(cd_ctx *ctx, cd_plot_ask *ask) CD_MUST_CHECK;

#endif
