// step_momentum -- the angular momentum of a round, and of a step.
//
// Of a round: the half of what the rows of space do not have of the moments of its impulses (cd_arms.h). Those of
// polish rounds have all of it. A later round solves for what it adds to the impulses of those before, so each has its
// own moments. The first round is at the start and has none.
//
// Of a step: what the rounds have moved bodies by changes the sum of x x m v + J omega of those that met. It is given
// back (step_restore.h).
// SPDX-License-Identifier: MIT
#ifndef STEP_MOMENTUM_H
#define STEP_MOMENTUM_H

#include "cd_leaves.h"
#include "step_bodies.h"

// Adds the moments to the velocities of a round, which are bodies->nu. trial_row: of body rows. Cost: O(rows +
// entries).
void cd_step_carry_moments(cd_arena *scratch, const cd_step_bodies *bodies, const int32_t *trial_row);

// Of a step that is accepted, without an impact: bodies are where it ends, with what it took from those that nothing
// holds. Nothing to do where there was one round, whose impulses act where they turn the bodies, but for bodies of
// revolution (cd_step_end_moment). Cost: O(bodies + contacts). @owns arena
void cd_step_keep_moments(cd_arena *arena, cd_step_bodies *bodies, const cd_leaves *shapes);

#endif
