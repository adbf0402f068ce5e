// step_flight -- bodies that fly: how fast they meet others, and what parts of a step leave of their flight.
//
// The velocities of a run stand half a step before its poses. Without contact semi-implicit Euler makes of x_0, v_0
//     x_n = x_0 + n h v_0 + n (n + 1) / 2 h^2 a = x_0 + t (v_0 + h a / 2) + t^2 a / 2,   t = n h,   v_n = v_0 + t a,
// a parabola through every pose, on which a body goes by v_n + h a / 2. An impact that took v_n for the velocity of its
// pose would lose h |a| / 2 of what comes and as much of what goes: a ball with e = 1 loses 4 % of its height a bounce
// (fall of 1 m, 10 ms). So a body that flies meets others by v_n + h a / 2, and of the velocity with which it leaves
// h a / 2 is taken off again: v of the run is that of half a step before, along the parabola on which it goes on.
//
// A step that is taken in parts of s and r would end at x + h v + (h^2 - s r) a, each cut would lift the body by s r
// |a| and so do work: balls with e = 1 in a box gain 4 % of their energy a second. So behind a part of s a body that
// flew has v + 2 s a, of which s a is `ahead`: the next part then ends where the whole step would,
//     s (v + s a) + r (v + 2 s a + r a) = h v + h^2 a,
// and behind the last part v is less by what is ahead, v + h a. By induction so do any parts: in each of them what is
// ahead grows by its length times a. It is a velocity, as loads may change a from part to part. A flight is then the
// same however often others cut the step. An impact leaves what is ahead as it is, for the way of all that fall alike
// is the same with gravity as without.
//
// A body that bears on something does not fly, its velocity stands where its pose does: it meets others by that, and
// nothing is ahead. So heaps stay as they are. Bodies that pushed each other in a part, and nothing held, fly on
// together: what each has ahead, and gains, is the mean of theirs by mass. Where all fell alike that is what each had;
// their velocities against each other stay, and so does their momentum.
// SPDX-License-Identifier: MIT
#ifndef STEP_FLIGHT_H
#define STEP_FLIGHT_H

#include "cd_impact.h"
#include "step_bodies.h"

// By body row, the time [s] by which a body that flies to an impact has gone on from where velocities of whole steps
// stand: half of one where a closed contact of it bounces, and no other approaches. NaN: it does not; NULL: none does.
// @owns arena
const double *cd_step_flight_leads(cd_arena *arena, const cd_step_bodies *bodies, const cd_impact *impact,
                                   const bool *is_closed);
// The same of a frame of the impact (trial.lead). @owns arena
const double *cd_step_flight_of_trial(cd_arena *arena, const cd_model *in, const int32_t *trial_row);

// nu + sign * (lead * (acceleration without contact) - ahead), of space with the inertia at bodies->middle. lead may be
// NULL.
void cd_step_flight_add(const cd_step_bodies *bodies, const double *lead, double sign, cd_step_velocity *nu);

// Of an accepted part of a step: rows of `next`, written, and what is ahead of them. leads: of bodies that flew to an
// impact, may be NULL; others flew that end at nu_free, to 1e-12 of it, or were pushed and bear on nothing held, by
// themselves or by others that did not fly by themselves. @owns arena
void cd_step_flight_go_on(cd_arena *arena, const cd_step_bodies *bodies, const double *leads, cd_next_rows *next);

#endif
