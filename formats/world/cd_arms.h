// cd_arms -- about which points the impulses of a round turn the two bodies, and how those of space do.
//
// A round solves for an impulse P of a contact at the point p of the trial. It turns a body about the centre that the
// body has there, by p - x_k: an impulse without friction goes through the centre of a ball, and through the axis of a
// body of revolution, so that none of these turns the one, nor the other about its axis. While the step ends at x_1 =
// x_0 + h v_1 the sum of x_1 x m v_1 + J omega of two bodies changes then by (d_a - d_b) x P, P on b and d = x_k - x_0:
// 5 to 26 % of it in a free collision at 5 to 50 ms. With arms p - x_0 + s for any way s that both have in common it
// would stay, and what an error of the ways is would become spin: of two balls of 0.1 m that meet askew at 2 m/s and 50
// ms 3 rad/s, where there is none. It is given back when the step ends (step_restore.h).
//
// In space there is more between an impulse and a gap: the body's rotation is exp(h omega) R_0, so that it turns on by
// h Q(h omega) d omega, Q the left Jacobian of the exponential, and a gap changes by Q' (arm x n) d omega, while an
// impulse turns the body by arm x P.
//
// So gaps change with the columns G, and impulses are to act with others, G + D. A polish round says just that: its
// rows have G, its columns G + D. The problem is not symmetric then, cd-lcp brings it to symmetric ones (lcp_skew.h),
// and the rounds settle quadratically. Rows that have G for both leave D' z out, which then opens gaps by some h omega
// / 2 of what they were closed by: the rounds converge by that factor. Rows with G + D / 2 for both, and D' z / 2 given
// to the bodies afterwards, leave out what is skew between contacts: bodies that turn by a radian converge by 0.4 a
// round.
// Rounds with friction have a solution as long as they are symmetric: of those cd-peg-assemble builds the rows with
// half of the difference, and cd-step adds the other half to what they give. In the plane there is no difference.
// SPDX-License-Identifier: MIT
#ifndef CD_ARMS_H
#define CD_ARMS_H

#include "cd_vec3.h"

// Shares of the difference above: 0 is how gaps change, 1 how impulses act.
#define CD_ARM_HALF 0.5

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
