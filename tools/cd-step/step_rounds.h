// step_rounds -- the step as a sequence of trials: its end is looked at before it is accepted, and every way of failing
// has a way on, so that a step always ends and never adds an overlap.
//
// An attempt is up to `rounds` rounds. A round solves the problem linearised at the trial of the round before; its
// velocities give the next trial.
//   first    velocities as near as they can to contact-free motion, with friction
//   polish   the later ones: as near as they can to those of the round before, without friction. They correct what the
//            linearisation has left over and nothing else, and converge quadratically (cd_arms.h); repeated first rounds contract by
//            0.1 to 0.3 and cost twice as much for end velocities that are no nearer to the limit of small steps. Where
//            an impact begins (step_impact.h) they are made all the same, until the contacts that push are closed
// The attempt succeeds when all gaps at the trial (step_gaps.h) are >= their bounds. Friction that was not solved to
// its tolerance is taken as it is: the gaps decide. Each round keeps the linear momentum; the angular one, of which
// the ways of its bodies take some, is given back to those that nothing holds when the step is accepted
// (step_momentum.h).
// The attempt fails when a problem has no solution (of an island: value.status, where rows have it), rounds are used up
// (twice as many where the last one moved the end by less than 1e-3 L, or halved what was missing: what is left
// converges, and any other way on would begin again), or energy grows above its limit (step_energy_limit.h; a round
// above four times that is not followed any further). All this is asked of each island (step_islands.h) on its own. One
// that ends well is settled: it takes no part in the rounds and attempts that others need, unless they come to touch
// it. One that fails waits until no other needs a round. What then follows for it, from the step's start again:
//   1. the stages' own model         4. half the step, from 1, five times over
//   2. separating facets, predicted  5. the motion scaled back: nu := alpha nu, alpha halved until no gap is below its
//   3. separating facets of q_0         bound and energy within its limit; below 1e-9 the bodies stand still
// A shorter step is one for all islands. In 5 what a body that was scaled back then overlaps is scaled too.
// (1 is 2 where the contacts are separating ones already; where no contact has a choice of separators, being of curved
// bodies, 3 comes behind 4, but for problems without a solution: it asks for less of what touches.) Of a step that ends
// well the way is looked at too (step_path.h): where a gap falls below its bound by a tenth of what is inside the
// thinner part the step is made shorter, and 1 follows. It is halved while the pair moves by less than L in it, which
// serves all contacts of a pile at once; a faster one is cut at that contact. It is halved as well where bodies that
// push each other turn by more than a radian: linearised gaps say nothing of that. Where an ellipsoid of space ends
// deeper in something than by 0.45 of the radius of the ball of its volume 1 begins again with the points that come to
// be its closest ones as it turns (facets `turned`, cd_pair3.c), and if that ends so too, with half the step. Where no
// more parts can be made it fails as above; the motion is then scaled back until the way is clear.
//
// Where bodies first meet that bounce the step is cut before anything else, if they are few (step_bounce.h). Where
// contacts with restitution were closed fast, the velocities of an accepted end are not yet the last: step_impact.h.
//
// Nothing is remembered between frames: what a round must know of the one before stands in the frame (round,
// first_round, target, model, facets, rest), in `trial` and its states, and in `impulse`.
// SPDX-License-Identifier: MIT
#ifndef STEP_ROUNDS_H
#define STEP_ROUNDS_H

#include "cd_interactions.h"
#include "step_gaps.h"
#include "step_path.h"
#include "step_verdict.h"

typedef struct cd_step_trial {
    double alpha;         // [0..1] of the motion that is made, the least of all islands; 1 but for the last way on
    int32_t scaled;       // bodies whose motion was
    int32_t pair[2];      // rows of `body`: the worst pair before it was, or an island's first body and -1; -1: none
    bool is_last_resort;  // the last way on was taken
    bool is_fallback;     // accepted in another attempt than the first
    int sweeps;           // of an impact, solved for this step; 0: none
    bool cut_a_corner;  // accepted although the way is not clear: bodies of prescribed motion go on in the last resort
    int64_t path_poses, path_most;  // poses of pairs on the way, in all and for one pair
} cd_step_trial;

// What there is to judge.
typedef struct cd_step_round {
    cd_step_bodies *bodies;
    const cd_step_gaps *gaps;  // of these bodies
    const cd_step_outcome *outcome;
    int rounds;  // at most, of an attempt
    const cd_interactions *interactions;
    double rest;  // [1] of step_rest.h
    int bounces;  // of a whole step that are followed to where bodies meet (step_bounce.h)
} cd_step_round;

// Judges the round: sets nu of its bodies to what `next` holds. CD_ERR_FORMAT as cd_step_take_values. @owns arena
cd_status cd_step_judge(cd_arena *arena, const cd_step_round *round, cd_step_decision *decision, cd_step_trial *trial,
                        cd_diag *diag) CD_MUST_CHECK;

#endif
