// step_impulses -- what contacts gave to bodies over the step, and the table `force` that says so.
//
// bodies->impulse goes with bodies->nu: of each dynamic body m (nu - nu_free), of its linear axes, is the sum of the
// impulses of its contacts on it, whatever rounds and sweeps have led there. A round that aims at free motion replaces
// those of the round before, one that starts from the trial (target `trial`, an impact) adds to them; so they are
// carried by the frame's table `impulse`. A contact is the same as before where its parts, features and facet are; what
// has no such contact any more goes to the contact of the same parts that is nearest to its point.
//
// Not from contacts: a motion scaled back, and what bodies whose problem is unsolved are told to do.
// cd_step_unplaced_impulse says how much that is, and what no contact of its parts was left for.
// SPDX-License-Identifier: MIT
#ifndef STEP_IMPULSES_H
#define STEP_IMPULSES_H

#include "step_bodies.h"

// Forces of a penalty method, which act on bodies: those of a frame without impulses, solved or carried. Others are
// what an earlier run of cd-step wrote.
bool cd_step_forces_act(const cd_model *in);

// z by row of `row`, 0 without a value. @owns arena
double *cd_step_unknowns(cd_arena *arena, const cd_model *in);
// Adds to `impulse`, by row of `contact` [N s] on b, world frame (z of the plane 0): the columns of the problem times
// z. A contact of two bodies that no impulse moves gets nothing. Cost: O(contacts + entries).
void cd_step_add_impulses(const cd_model *in, const double *z, cd_vec3 *impulse);

// Is a row of `impulse` part of what the round gives, or replaced by it? trial_row: of body rows.
bool cd_step_is_carried(const cd_model *in, const int32_t *trial_row, int32_t impulse);
// Sets bodies->impulse: those carried, of bodies that are held out of the round and, where it starts from the trial, of
// all; the second adds what was solved.
// Cost: O(c log c + entries), c contacts and carried impulses.
void cd_step_carry_impulses(cd_arena *scratch, const cd_step_bodies *bodies);
void cd_step_take_impulses(cd_arena *scratch, const cd_step_bodies *bodies);
void cd_step_clear_impulses(const cd_step_bodies *bodies);
// momentum [N s]: what each body got, of which the bodies of a group have none in sum. Joins the impulses of contacts
// of two dynamic bodies that is_joined (by row), which tie a group together: of these the first ones that do, so that
// they are a tree. Cost: O(bodies + contacts).
void cd_step_place_momentum(cd_arena *scratch, const cd_step_bodies *bodies, const bool *is_joined,
                            const cd_vec3 *momentum);
// factor: by body row, the same for both dynamic bodies of a contact.
void cd_step_scale_impulses(const cd_step_bodies *bodies, const double *factor);

// [N s] Sum over dynamic bodies of |m (nu - nu_free) - sum of its impulses|; 0 where that is rounding.
double cd_step_unplaced_impulse(cd_arena *scratch, const cd_step_bodies *bodies);

// bodies->impulse / h, a row a contact that has one; forces of a penalty method pass. Without an end of the step,
// has_next false, none. @owns arena
void cd_step_write_force(cd_arena *arena, const cd_step_bodies *bodies, bool has_next, cd_force_rows *force);

#endif
