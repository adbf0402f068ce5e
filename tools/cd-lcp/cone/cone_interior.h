// cone_interior -- an interior point on the cones of a contact problem, with Coulomb's law inside (cone_program.h).
//
// Iterates u, s, z with s and z inside their cones. A step is Mehrotra's: a predictor that aims at complementarity,
// then a corrector that aims at (1 - a)^3 of the mean product, a the predictor's length, with the predictor's
// second-order term; both in the scaling of Nesterov and Todd. De Saxce's sigma is held at 0, or it is
// |w_t| of the iterate, and its slope is part of both steps (cone_system.h): then one run of 15 to 40 steps solves
// friction too, as a rule, and each costs several times as much. Without friction the programme is convex and this is
// the textbook's method.
//
// What is done is left alone. In exact arithmetic all products fall alike, and where one contact needs 1e-20 (a slip of
// 1e-9 that must tell sticking from slipping) the slacks of all others fall to 1e-20 too, far below the rounding of H
// u, whose noise then enters z. So no eigenvalue is brought below its floor (cd_cone_aim). Sources: Mehrotra 1992;
// Vandenberghe 2010 (CVXOPT); Acary, Cadoux, Lemarechal & Malick 2011 for sigma; Acary, Armand, Nguyen & Shpakovych
// 2023 for interior points on friction.
// SPDX-License-Identifier: MIT
#ifndef CONE_INTERIOR_H
#define CONE_INTERIOR_H

#include "cone_lagrangian.h"
#include "cone_multipliers.h"
#include "cone_path.h"

typedef struct cd_cone_interior cd_cone_interior;

// tolerance: what the natural residual of the structure shall come to; kept: patterns, or NULL. @owns arena
cd_cone_interior *cd_cone_interior_make(const cd_cone_program *p, double tolerance, cd_gram_kept *kept,
                                        cd_arena *arena);
void cd_cone_interior_use_threads(cd_cone_interior *m, int threads);  // cd_gram_use_threads
double cd_cone_interior_work(const cd_cone_interior *m);              // [multiplications] of one factor
int64_t cd_cone_interior_bytes(const cd_cone_interior *m);            // that cd_cone_interior_start will allocate

// From far away, with sigma held at 0: a convex programme.
void cd_cone_interior_start(cd_cone_interior *m);
// The iterate of now is the one that cd_cone_interior_release goes back to.
void cd_cone_interior_keep(cd_cone_interior *m);
// From the kept iterate on sigma follows it, with its slope.
void cd_cone_interior_release(cd_cone_interior *m);
// The path from the kept iterate on; this one's factor is overwritten. NULL: it takes no such programme, or more than
// `most` [bytes]. @owns arena
cd_cone_path *cd_cone_interior_path(cd_cone_interior *m, int64_t most, cd_arena *arena);
// The same from s and z with s o z = mu e whose difference is that of z and what it makes of s, u that of z; z NULL: 0.
cd_cone_path *cd_cone_interior_path_from(cd_cone_interior *m, const double *z, double mu, int64_t most,
                                         cd_arena *arena);
// Whether the kept velocities, 0 before any are, satisfy all normal rows: then no combination of these is a
// contradiction.
bool cd_cone_interior_kept_is_feasible(cd_cone_interior *m);
double cd_cone_interior_gap(const cd_cone_interior *m);         // s.z
int32_t cd_cone_interior_undecided(const cd_cone_interior *m);  // cd_cone_undecided of s and z
bool cd_cone_interior_step(cd_cone_interior *m);  // false: rounding leaves no step; the iterate is as it was
const double *cd_cone_interior_multipliers(const cd_cone_interior *m);  // z, a row each
// From the present iterate, which stays as it is. @owns arena
cd_cone_multipliers cd_cone_interior_finish(cd_cone_interior *m, cd_arena *arena);
// From the present iterate, for programmes that cd_cone_lagrangian_takes: it guesses the rows whose z is above their s.
// @owns arena
cd_cone_lagrangian cd_cone_interior_lagrangian(cd_cone_interior *m, cd_arena *arena);

#endif
