// step_momentum -- the angular momentum of a round.
//
// An impulse P that a round solves for acts at the point p of its contact at the trial, with the arm p - x_k about the
// centre x_k of a body there, while the step ends at x_1 = x_0 + h v_1. With d = x_k - x_0 the sum of x_1 x m v_1 + J
// omega over two bodies then changes by (d_b - d_a) x P, P on b: 5 to 26 % of it in a free collision at 5 to 50 ms. So
// each of them gets the moment (d - s) x P of its impulse, with s any way that both have in common: both together make
// up for it, exactly, and how they share it does not depend on who looks if s moves with them. Here s is the way of
// their common centre of mass. A contact with a body that no impulse moves takes none: s is then the way of the other
// one, and a ball that slides without friction is not set spinning.
//
// A later round solves for what it adds to the impulses of those before, which is of second order: its moments are of
// third, and do not disturb the gaps that it has corrected. The first round is at the start, where d = 0.
// SPDX-License-Identifier: MIT
#ifndef STEP_MOMENTUM_H
#define STEP_MOMENTUM_H

#include "step_bodies.h"

// Adds the moments to the velocities of a round, which are bodies->nu. trial_row: of body rows. Cost: O(rows +
// entries).
void cd_step_carry_moments(cd_arena *scratch, const cd_step_bodies *bodies, const int32_t *trial_row);

#endif
