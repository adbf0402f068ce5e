// step_islands -- which bodies a step ties together, and what becomes of each such island in a round.
//
// An island is what contacts connect: dynamic bodies with a contact that takes part, or with an impulse that a round
// before gave. Bodies that no impulse moves connect nothing.
//
// Islands whose end is good are settled, those that their attempt does not help have failed: `next` says so of each
// body, and the stages hold both out of the rounds that follow (trial.state), so that they keep their trial velocities
// to the bit. What failed begins again, alone, when all others are done. An island that touches one of another state,
// by contacts that the round before did not have, is one with it: failed where a part of it has failed, else open.
// SPDX-License-Identifier: MIT
#ifndef STEP_ISLANDS_H
#define STEP_ISLANDS_H

#include "step_bodies.h"

typedef struct cd_step_islands {
    const cd_model *in;
    int32_t *root;   // by body row: that of its island's least user id; its own where it is not dynamic
    int32_t *state;  // by root: CD_STATE_..., CD_ABSENT of open islands and of bodies that are not dynamic
} cd_step_islands;

// Those of the frame; states of the trial. trial_row: of body rows. Cost: O(bodies + contacts + impulses). @owns arena
cd_step_islands cd_step_islands_make(cd_arena *arena, const cd_model *in, const int32_t *trial_row);
// Those of the contacts (by row) and of the impulses of rounds before that the round adds to, all open: what two bodies
// gave each other earlier may have no contact any more. What the round replaces has moved nobody.
cd_step_islands cd_step_islands_of(cd_arena *arena, const cd_model *in, const bool *is_taken);

static inline int32_t cd_step_island_state(const cd_step_islands *islands, int32_t body)
{
    return islands->state[islands->root[body]];
}

// Is a dynamic body of this state?
bool cd_step_islands_have(const cd_step_islands *islands, int32_t state);
// The state of each body row. @owns arena
int32_t *cd_step_islands_states(cd_arena *arena, const cd_step_islands *islands);

// nu' M nu [J] of each island at its root, twice the kinetic energy; sums in the order of user ids. @owns arena
double *cd_step_islands_norm_sq(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_islands *islands,
                                const cd_step_velocity *nu);

#endif
