// step_momentum -- the angular momentum of a round: the half of the moments of its impulses that the rows do not have
// (cd_arms.h). Those of polish rounds have all of it.
//
// A later round solves for what it adds to the impulses of those before, so each has its own moments. The first round
// is at the start and has none.
// SPDX-License-Identifier: MIT
#ifndef STEP_MOMENTUM_H
#define STEP_MOMENTUM_H

#include "step_bodies.h"

// Adds the moments to the velocities of a round, which are bodies->nu. trial_row: of body rows. Cost: O(rows +
// entries).
void cd_step_carry_moments(cd_arena *scratch, const cd_step_bodies *bodies, const int32_t *trial_row);

#endif
