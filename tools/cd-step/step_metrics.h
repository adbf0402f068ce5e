// step_metrics -- what cd-step tells about a step beside its result, as rows of `metric` (their names and units:
// cd-step(1)).
// SPDX-License-Identifier: MIT
#ifndef STEP_METRICS_H
#define STEP_METRICS_H

#include "cd_filter.h"
#include "step_rounds.h"

// trial: NULL with one round, which makes none. with_energy: asked for.
void cd_step_add_metrics(cd_ctx *ctx, const cd_step_bodies *bodies, const cd_step_outcome *outcome,
                         const cd_step_decision *decision, const cd_step_trial *trial, bool with_energy);

#endif
