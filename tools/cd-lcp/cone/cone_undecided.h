// cone_undecided -- the rows that carry, near a guess of them, by a small dense problem of those that it may have
// wrong.
//
// Newton's method (cone_lagrangian.h) puts every row on the side where the last balance has it. Rows that depend on one
// another then go to and fro, a factor each time. Here a row that was once found on the other side is undecided: it
// leaves the factor, and the undecided rows U are found together, as the answer to
//     0 <= y _|_ (H_U K^-1 H_U' + 1 / rho) y + (slack_U - z_U / rho) >= 0,    K = D + rho H_F'H_F,
// F the rows that are held to carry: the least of the whole as long as no other row changes sides. Those that do become
// undecided too: U only grows, so the search ends. Rows never leave K by being subtracted from its factor, which at
// this rho would leave no digits. Cost: three to five factors, of fronts that change; for each of them the undecided
// rows as right sides (gram_cross.h) and a dense problem, which begins with the rows that carried in the last one.
// SPDX-License-Identifier: MIT
#ifndef CONE_UNDECIDED_H
#define CONE_UNDECIDED_H

#include "cone_lagrangian.h"

// From the rows `carries` on, if at most so many of the others are found on the other side at first. True: `carries`
// are the rows of a change of the multipliers, but for rounding. False: more than 320 rows became undecided and than
// one in 16, or they did for long; `carries` are as they were.
bool cd_cone_undecided_decide(cd_cone_lagrangian *m, int32_t first_most, cd_arena *scratch);

#endif
