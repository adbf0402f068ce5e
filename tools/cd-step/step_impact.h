// step_impact -- restitution: the jump of the velocities at the end of a step in which bodies met.
//
// The rounds end in poses without overlap; bodies that met there touch, and their velocities are those of a plastic
// impact. Where a contact with restitution e > 0 (cd_interactions.h) was closed at more than v_0 (cd_impact.h), the
// poses stay and the velocities are made anew, from
//     nu^-   those of the step without contact, at the poses of the end; in space the spin is J(R_1)^-1 L. The impulses
//            of the way have moved the bodies off the lines of their free motion: where they meet the sum of x x m v +
//            L is another one. Bodies that met each other and nothing that is held have back what it was, and the
//            energy with which they start too, to rounding (step_restore.h). Of two balls the speeds along the normal
//            and across it are then those of the moment at which they met, whatever the step, and the normal alone is
//            that of its end. Where few bodies bounce the step ends at that moment (step_bounce.h).
//            What comes out of flight has the velocity that goes with its pose, half a step on (step_flight.h), and
//            that is taken off again behind the impact.
//            Which bodies met: those of closed contacts, and all that are near each other and were pushed on their
//            way, since what pushed two of them may have opened again (step_met.h)
// by frames that repeat, with `impact`:
//   sweep   contacts that are closed and approach faster than v_0 take part, all others are left out:
//             newton    0 <= G' nu+ + e G' nu-  _|_  p >= 0
//             poisson   0 <= G' nu_c  _|_  p_c >= 0   and then   nu+ = nu_c + M^-1 G e p_c
//           both with friction over p, p_c. In the second phase of poisson friction goes on along that of the first,
//           contact by contact in their order, up to e times it and no further than to where the slip along it ends: of
//           a single contact whose slip keeps its direction this is Coulomb's law over e p_c, mu (1 + e) p_c in all
//           where it slides throughout.
//           Again, as long as a contact with e > 0 approaches faster than v_0: an impact runs on through bodies that
//           touch. Without friction and with one e this is the generalized reflection of Smith, Kaufman, Vouga,
//           Tamstorf & Grinspun (2012), (1 + e) times the plastic impulses of the contacts that approach: the first of
//           five equal balls in a row stops, the last one leaves, and what hits several bodies at once in symmetry
//           leaves them so.
//   last    all closed contacts, 0 <= G' nu+ _|_ p >= 0: what rests, rests. Left out where nothing approaches.
// Energy: without friction it does not rise for one e <= 1. Newton's law can raise it where there is friction (Kane
// 1984), and both laws can where contacts of different e are closed at once. So of the jump nu+ - nu^- each group of
// bodies that met makes the largest share s <= 1 with which its energy is not above that with which they start the
// step, forces without contact added (s is near 1/(1 + e) at worst, where it is that of a plastic impact). Momenta stay
// what they are: the groups are those of where the impact began, in all its frames (trial.group), and of whom they meet
// in these. Groups that meet a body of prescribed motion may gain energy, within the guard of step_rounds.h: when that
// is passed, when a problem is unsolved, or after too many sweeps, `last` is solved from nu^- in their place, a plastic
// impact; if that is unsolved too the bodies keep the velocities of the way they went.
// SPDX-License-Identifier: MIT
#ifndef STEP_IMPACT_H
#define STEP_IMPACT_H

#include "step_rounds.h"

// Of an end of the step that is good, nu of the round: does a contact with restitution close faster than v_0? Then
// which contacts are closed there, else NULL. meets: by contact, those that are known to be closed; NULL: none is.
// bounces: of body rows, set where such a contact is theirs. @owns arena of round->gaps
const bool *cd_step_impact_begins(const cd_step_round *round, const int32_t *trial_row, const bool *meets,
                                  bool *bounces);

// Asks for the first sweep, with separators where contacts are potential ones: `next` will have the poses of the end,
// and nu^-. @owns arena
void cd_step_begin_impact(cd_arena *arena, const cd_step_round *round, const int32_t *trial_row, const bool *is_closed,
                          cd_step_decision *decision);

// Judges a frame of an impact: sets nu of its bodies and where they are. trial_row: of body rows. CD_ERR_FORMAT as
// cd_step_take_velocities, or when a body has no trial. @owns arena
cd_status cd_step_judge_impact(cd_arena *arena, const cd_step_round *round, const int32_t *trial_row,
                               cd_step_decision *decision, cd_step_trial *trial, cd_diag *diag) CD_MUST_CHECK;

#endif
