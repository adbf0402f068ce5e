// step_rest -- islands that stand still: what their problem leaves of velocities is the error of its solution.
//
// A solution is good to 1e-10 of what the loads of the step would do (cd-lcp's tolerance, and 1e-16 to 1e-11 of it is
// what is left in practice), so bodies at rest go on at 1e-14 to 3e-11 m/s in directions of no meaning: they drift, and
// no step is like the one before. Here such an island (step_islands.h) rests: its velocities are 0, and its poses stay
// bit for bit what they were, so that the next step begins as this one did. It rests where
//   - an impulse of a body that is held still bears it, and it has no contact with one of prescribed motion that goes;
//   - each of its bodies is slower than `ratio` times the speed that loads give in a step from rest: the largest
//     |nu_free - nu_start| of the island. Both are sqrt(nu' M nu / m): turning counts at the radius of inertia.
// The ratio lies between the solver's errors and what bodies do. Of scenes at rest (pipelines/stand) the speeds are
// 1e-16 to 3e-10 of the loads', of an arch of 951 stones 5e-9. What lacks a part p of its support has p of their speed
// after one step and more after each that follows, and does not rest from p = 1e-8 on: friction at the foot of a slope
// that lacks 1e-6 is told from rest a hundredfold. Without loads nothing rests. What is lost: a body that glides on
// what is held, slower than that, without any friction stands still.
// SPDX-License-Identifier: MIT
#ifndef STEP_REST_H
#define STEP_REST_H

#include "step_islands.h"

#define CD_STEP_REST 1e-8  // [1] the ratio where no option says otherwise; 0: nothing rests

typedef struct cd_step_resting {
    bool *island;                    // by root
    const cd_step_velocity *before;  // by body row: what they were solved to; NULL: nothing rests
} cd_step_resting;

// Sets nu of what rests to 0. bodies->impulse: of the step. Cost: O(bodies + contacts). @owns arena
cd_step_resting cd_step_rest(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_islands *islands,
                             double ratio);

// Takes it back for what may not stay where it is: is_too_near by body row. False: there was none.
bool cd_step_wake(cd_arena *scratch, const cd_step_bodies *bodies, const cd_step_islands *islands,
                  const cd_step_resting *resting, const bool *is_too_near);

#endif
