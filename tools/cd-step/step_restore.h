// step_restore -- gives bodies that met the angular momentum and the energy that their way took from them.
//
// The impulses of a step act at its start and turn the bodies where it ends (cd_arms.h): bodies that they have moved
// off their free ways have another sum of x x m v + J omega than before, by an error of their places. It is no spin, so
// the group turns as one: its motion becomes that of the same momenta which is nearest to it in M,
//     nu' = nu + (W x r, W)   with   I W = what is missing,   r from the common centre,
// a motion that changes no gap of two bodies. Turns that no contact reaches (step_reach.h) are left out, of the spins
// as of I: they change no gap either, so balls that meet without friction go past each other faster or slower, and do
// not spin. Then, of all motions with these momenta the rigid one, nu_r, has least energy. What is left, nu' - nu_r,
// has no momenta, so that it is perpendicular to nu_r in M, and
//     nu'' = nu_r + k (nu' - nu_r)   has   |nu''|^2 = |nu_r|^2 + k^2 (|nu'|^2 - |nu_r|^2),
// and at each contact of two of the bodies k times its velocity: k >= 0 turns none round.
// SPDX-License-Identifier: MIT
#ifndef STEP_RESTORE_H
#define STEP_RESTORE_H

#include "cd_leaves.h"
#include "step_met.h"

// Which energy a group is to have: no more than whole.energy, or just that.
typedef enum cd_step_energy_kept { CD_STEP_NO_MORE, CD_STEP_THE_SAME } cd_step_energy_kept;

// Changes nu of groups that nothing holds, where they stand in bodies->end and bodies->middle. Where the rigid motion
// has more energy k is 0; of CD_STEP_THE_SAME it is 1 where it has all, but for rounding. What the bodies get joins the
// impulses of the contacts that join them. Without what is worth it, 1e-15 of the moments, a group is left as it is to
// the bit. Cost: O(bodies + contacts).
void cd_step_restore(cd_arena *scratch, cd_step_bodies *bodies, const cd_leaves *shapes, const cd_step_met *met,
                     const cd_step_whole *whole, cd_step_energy_kept energy);

// Puts bodies that end a step where it ends, with the velocities with which the next one starts, those of revolution
// as of cd_step_end_moment. @owns arena
void cd_step_stand(cd_arena *arena, cd_step_bodies *bodies, const cd_leaves *shapes);
// The spin of a body of space at such an end.
cd_vec3 cd_step_end_spin(const cd_step_bodies *bodies, const int32_t *trial_row, const cd_leaves *shapes, int32_t body,
                         const cd_step_velocity *nu, cd_quat end);
// Is there a dynamic body of revolution that something has pushed?
bool cd_step_has_pushed_tops(const cd_step_bodies *bodies, const cd_leaves *shapes);

#endif
