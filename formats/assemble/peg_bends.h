// peg_bends -- what gaps bend by within a step, and so what a first round asks for besides, mostly where there is no
// friction.
//
// A gap goes along a curve while bodies turn; its linearisation is off by that. Asked for the gap alone, one contact in
// two of a heap that glides ends inside, however slowly it goes, and a second round makes up for it with all rows of
// the heap. So the first round asks for what contacts bend by besides: for h^2 / 2 psi'' at the velocities of the
// start, where that closes the gap, and for as much as they can bend by at most, since velocities change within the
// step; of a pair of parts for the most of its contacts. A gap that bends by what is asked of it does not keep it, and
// nothing is lifted by that. A slow pair is pushed by fast ones: so no contact is asked for less than what those of its
// island bend by at some times their mean speed. That is taken as a power of two: it stays what it is from step to
// step, and a gap that stays moves nothing; where it doubles contacts are lifted to it bit by bit. Where things rest
// nothing bends and nothing is asked for.
//
// Of the closest points of two parts, of which one is round, the gap is asked where the velocities of the start lead
// to: that says what they bend by, whatever curvature does, and that is asked for, no more and with friction too. What
// a first round leaves of it a polish round mends by impulses along the normal of the trial, where those of the step
// act at its start: half of what turns an ellipse that rocks were given along another normal, and its swings of 0.3 rad
// came down to 0.24 in 5 s at 1 ms; so they stay at 0.2994. The rest is of third order a step.
// SPDX-License-Identifier: MIT
#ifndef PEG_BENDS_H
#define PEG_BENDS_H

#include "peg_frame.h"

// [m] What points of a row of `contact` turn off their straight ways by within the step, at most, at the velocities of
// the start, in a polish round of the trial.
double cd_peg_bend_of(const cd_peg_build *build, const cd_peg_dimension *dimension, int32_t row);

// [m] What is asked for besides, of each row of `contact`, 0 of those with friction but closest points; NULL where
// nothing is: in all rounds but the first, and where no margin is kept. Cost: O(contacts), and a gap of each pair of
// parts of which one is round and one turns. @owns arena
const double *cd_peg_bends_make(const cd_peg_build *build, const cd_peg_dimension *dimension);

#endif
