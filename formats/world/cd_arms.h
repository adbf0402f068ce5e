// cd_arms -- about which points the impulses of a round turn the two bodies.
//
// A round solves for an impulse P of a contact at the point p of the trial. With arms p - x_k about the centres there,
// while the step ends at x_1 = x_0 + h v_1, the sum of x_1 x m v_1 + J omega of two bodies changes by (d_b - d_a) x P,
// P on b and d = x_k - x_0: 5 to 26 % of it in a free collision at 5 to 50 ms. It is kept exactly with arms p - x_0 + s
// for any way s that both have in common; how they share the difference does not depend on who looks if s moves with
// them. Here s is the way of their common centre of mass. A contact with a body that no impulse moves keeps p - x_k: s
// is then the way of the other one, and a ball that slides without friction is not set spinning.
//
// In space there is more between an impulse and a gap: the body's rotation is exp(h omega) R_0, so that it turns on by
// h Q(h omega) d omega, Q the left Jacobian of the exponential, and a gap changes by Q' (arm x n) d omega, while an
// impulse turns the body by arm x P.
//
// So gaps change with the columns G, and impulses are to act with others, G + D. A polish round says just that: its
// rows have G, its columns G + D. The problem is not symmetric then, cd-lcp brings it to symmetric ones (lcp_skew.h),
// and the rounds settle quadratically. Rows that have G for both leave D' z out, which then opens gaps by some
// (d_b - d_a) / R + h omega / 2 of what they were closed by: the rounds converge by that factor. Rows with G + D / 2
// for both, and D' z / 2 given to the bodies afterwards, leave out what is skew between contacts: bodies that turn by a
// radian converge by 0.4 a round (100 ellipsoids that land, 50 ms: 520 rounds in 24 steps, in place of 190).
// Rounds with friction have a solution as long as they are symmetric: of those cd-peg-assemble builds the rows with
// half of the difference, and cd-step adds the other half to what they give.
// SPDX-License-Identifier: MIT
#ifndef CD_ARMS_H
#define CD_ARMS_H

#include "cd_bodies.h"

// Shares of the difference above: 0 is how gaps change, 1 how impulses act.
#define CD_ARM_HALF 0.5

// [m] This share of the difference of arms, world frame, for side 0 (a) or 1 (b) of a contact of two bodies (rows of
// `body`). 0 before there is a trial. trial_row: of body rows.
cd_vec3 cd_arm_shift(const cd_model *in, const int32_t *trial_row, double step, double share, const int32_t body[2],
                     int side);

// The rotation h omega of a trial, with what torques ask of it again and again.
typedef struct cd_arm_turn {
    cd_vec3 axis;       // unit; zero where nothing turns
    double angle;       // [rad]
    double sine, half;  // of the angle, of half of it
} cd_arm_turn;

cd_arm_turn cd_arm_turn_make(cd_vec3 turn);  // turn [rad]

// Of a torque arm x P [N m] what a row has for it, share + (1 - share) Q' of it; and back, of half the difference.
cd_vec3 cd_arm_turned(const cd_arm_turn *turn, double share, cd_vec3 torque);
cd_vec3 cd_arm_unturned(const cd_arm_turn *turn, cd_vec3 torque);

#endif
