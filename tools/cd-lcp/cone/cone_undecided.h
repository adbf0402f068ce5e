// cone_undecided -- the rows that carry, near a guess of them, by a small dense problem of those that it may have
// wrong.
//
// Newton's method (cone_lagrangian.h) puts every row on the side where the last balance has it. Rows that depend on one
// another then go to and fro, a factor each time. Here a row that was once found on the other side is undecided, and
// the undecided rows U are found together, as the answer to
//     0 <= y _|_ (H_U K^-1 H_U' + 1 / rho) y + (slack_U - z_U / rho) >= 0,    K = D + rho H_F'H_F,
// F the rows that are held to carry: the least of the whole as long as no other row changes sides. Those that do become
// undecided too: U only grows, so the search ends.
//
// All this takes one factor, that of the guess. S = H_U K^-1 H_U' is of K with the undecided rows A that it holds; in
// the small problem these leave it: with y_A = (1 - rho S_AA) t_A + ..., t what pushes besides K, A goes by the
// Cholesky factor of 1 - rho S_AA. Its pivots are 1 / (1 + rho s), s what row A moves by a push of 1 without K's hold:
// at rho = 4e10 they are good to some 1e-6 of themselves, enough to tell sides, not for an answer. Where rounding has
// eaten one, A leaves K by a factor of its own. A few rows that contradict each other put half of all on the other
// side: so many at a time, those that ask for it most, are undecided.
//
// Cost: a factor, of the fronts that changed; the undecided rows as right sides, once (gram_cross.h); and three or four
// dense problems, which begin with the rows that carried in the last one.
// SPDX-License-Identifier: MIT
#ifndef CONE_UNDECIDED_H
#define CONE_UNDECIDED_H

#include "cone_lagrangian.h"

// From the rows `carries` on; at_once: of those on the other side so many become undecided together. True: `carries`
// are the rows of a change of the multipliers, but for rounding. False: more than one row in 16 became undecided (than
// 320 of few, 640 of many), or they did for long, or two for three that carry are on the other side at first, unless
// all may be undecided at once; `carries` are as they were.
bool cd_cone_undecided_decide(cd_cone_lagrangian *m, int32_t at_once, cd_arena *scratch);

#endif
