// step_met -- which bodies met in a step, and what they have together.
//
// Bodies that pushed each other on their way may have parted since, and nothing says which of two that are near did. So
// near ones that were pushed are together: what they gave one another adds up to nothing in any such group.
// SPDX-License-Identifier: MIT
#ifndef STEP_MET_H
#define STEP_MET_H

#include "step_islands.h"

typedef struct cd_step_met {
    cd_step_islands islands;  // the root of a group
    const bool *is_joined;    // by contact: of two bodies of a group
    // By root: does it touch a body which no impulse moves, and one that moves all the same?
    bool *is_held, *is_driven;
} cd_step_met;

static inline int32_t cd_step_met_root(const cd_step_met *met, int32_t body) { return met->islands.root[body]; }

// Does the contact take part, of bodies of which impulses move one?
bool cd_step_is_used(const cd_model *in, int32_t contact);

// Of bodies that end the step at `end`: contacts that `joins` has, closed ones and those that pushed, join them too,
// and of bodies that no impulse moves these alone count. Bodies that gave each other impulses in rounds before are
// joined, contact or none (cd_step_islands_of), here and below. length [m]: the characteristic one. @owns arena
cd_step_met cd_step_met_at_end(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_state *end, double length,
                               const bool *joins);
// Of a frame of an impact, what trial.group and trial.held say, and contacts that `joins` has: what bodies gave one
// another in rounds that led there has left no trace in it. @owns arena
cd_step_met cd_step_met_of_trial(cd_arena *arena, const cd_step_bodies *bodies, const bool *joins);
// For these, by body row: the number of its group, counted in the order of user ids, CD_ABSENT of bodies alone; NULL:
// all are. CD_HELD_..., CD_ABSENT of what nothing holds; NULL: nothing is. @owns arena
const int32_t *cd_step_met_groups(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_met *met);
const int32_t *cd_step_met_holds(cd_arena *arena, const cd_model *in, const cd_step_met *met);

// Of the impulses that made nu, bodies->impulse. Held is as well what has not the momentum of its free motion: what is
// held had its impulse from contacts that are none any more. @owns arena
cd_step_met cd_step_met_on_way(cd_arena *arena, const cd_step_bodies *bodies);

// What a group would have at the step's start without contact, and has all through the step if nothing holds it.
typedef struct cd_step_whole {
    cd_vec3 moment;  // [N m s] angular momentum about the common centre of mass
    double energy;   // [J] twice, of the velocities without contact
    cd_vec3 centre;  // [m] where the centre of mass is at the step's end without contact
    double far;      // [m] how far its bodies stand from the origin, by mass; 0: nobody asks for the centre
} cd_step_whole;

// By root. bodies->end is NULL. Cost: O(bodies). @owns arena
cd_step_whole *cd_step_wholes(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_met *met);
// The same for an impact: with the centre, and energy as bodies start with it (in space that of turning is another one
// at the pose half way).
const cd_step_whole *cd_step_wholes_at_start(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_met *met);

#endif
