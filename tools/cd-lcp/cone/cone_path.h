// cone_path -- the central path of a contact problem with Coulomb's law, followed through its turning points.
//
// Points of the path are u and s, z inside their cones with
//     s o z = mu e,   u - H'z = off_u,   s_t - w_t = off_t,   s_0 - w_0 - |s_t|^2 / s_0 = off_0,   w = H u + h.
// The last is De Saxce's sigma as the path has it: on it z_t / z_0 = -s_t / s_0, so sigma, what friction takes for each
// z_0, is |s_t|^2 / s_0. It is smooth where |w_t| has its kink, on the scale that mu has for each contact by itself,
// and |w_t| where mu is 0. What the equations are off by falls with mu: any s and z inside are on a path.
//
// The path may turn: mu rises for a while, then falls again. What tells the way is the sign of the Jacobian's
// determinant, that of its LU factors: mu falls where it is positive (Allgower & Georg 1990, 2.3: the orientation of a
// path). Steps that only try to lower mu end at the first turn, and where stones jam that is where most of them end.
//
// Steps move in what the path is nearly straight in:
//   - s = sqrt(mu) W e and z = sqrt(mu) W^-1 e, W their scaling, at every point: s o z = mu e is kept, and only what is
//     linear, with sigma, is mended. In logarithms s moves to sqrt(mu) W exp(x), z to sqrt(mu') W^-1 exp(-x): inside
//     its cone whatever x is, and straight where a contact has made up its mind and one of both falls with mu.
//   - In space s and z of a contact that slips turn together, by angles that are steps of hundreds in the scaling of
//     the cone, whose boundary is near and bent. They are turned; the frame of each such contact turns with them, in
//     the second derivative too. Straight steps were ten times as many.
//   - The path's bend is that by its length, not by mu, which stands still at turns; the step to the path bends too.
//   - The tangent is one of the point before the step to the path, and is off by as much as that step is long. What it
//     changes by on the way is a second derivative like the others, by the same factor.
// A step is one factor: the point is drawn to the path, across it, and sent along its tangent and its bend by as much
// as the last such step was easy to mend. Where it cannot be mended the point is given a path of its own; so is one
// that turns for the third time, for it may go round; if the next ones do so too, contacts may give for them to end
// (cd_cone_path_yield). Any path will do: all that it is off by falls with mu. What is
// told of a point is the straight step of Newton's method from it, which is on the linear equations to rounding, and
// off the others by the square of that step. Contacts that are open by far may be left out, half or more of all in
// heaps that land: their pairs of bodies leave the factor too.
//
// Rounding: w follows u step by step, and keeps digits that H u + h has lost. Cones are kept in frames of their own
// (cone_frame.h), where a slip of 1 and an s_0 - |s_t| of 1e-24 have their digits both. Where rows depend on each
// other, entries of W^-2 of 1e16 would eat the 1 of K, and impulses that move nothing would wander: near the end
// contacts give a little, by 1e-11 of what their impulses change by from there on. So mu falls to 1e-24, where contacts
// whose gap rates differ by 1e-10 have decided which of them carry, in 5 to 10 factors from 1e-12; 30 to 60 lead there
// from where contacts slip, 80 and more where they jam. Sources: De Saxce & Feng 1998; Nesterov & Todd 1997; Faraut &
// Koranyi 1994 for exp; Friedlander & Orban 2012 for what gives.
// SPDX-License-Identifier: MIT
#ifndef CONE_PATH_H
#define CONE_PATH_H

#include "cone_system.h"

typedef struct cd_cone_path cd_cone_path;

// Whether a programme is of that kind: with friction, and a mass of 1 in every column.
bool cd_cone_path_takes(const cd_cone_program *p);
int64_t cd_cone_path_bytes(const cd_cone_system *system);  // that cd_cone_path_make will allocate
// From u and s, z inside their cones, which are copied. The system's factor and rows are overwritten. @owns arena
cd_cone_path *cd_cone_path_make(cd_cone_system *system, const double *u, const double *s, const double *z,
                                cd_arena *arena);
// The contacts that may still close, may_close[c]; returns how many. The others are open by far.
int32_t cd_cone_path_undecided(const cd_cone_path *m, bool *may_close);
// From where m is, which stays there, as if there were only the cones with keep[c]; part: the system of these
// (cd_cone_program_part). What the others pushed is among what the point is off by. @owns arena
cd_cone_path *cd_cone_path_part(const cd_cone_path *m, const bool *keep, cd_cone_system *part, cd_arena *arena);
// From now on contacts give where the path is left for another one because it turns too often, by `first` > 0 of what
// their impulses change by from there, and by half as much again each further time, up to 1e-7: closed paths are left
// for good, for an end that is off by that much.
void cd_cone_path_yield(cd_cone_path *m, double first);
bool cd_cone_path_step(cd_cone_path *m);  // false: the path is lost
// What the last step told: z, a row each; at first that of the beginning.
const double *cd_cone_path_multipliers(const cd_cone_path *m);
double cd_cone_path_mu(const cd_cone_path *m);
bool cd_cone_path_rises(const cd_cone_path *m);  // whether the last step along it went where mu rises

#endif
