// cone_path -- the central path of a contact problem with Coulomb's law, followed through its turning points.
//
// Points of the path are u and s, z inside their cones with
//     s o z = mu e,   u - H'z = off_u,   s_t - w_t = off_t,   s_0 - w_0 - |s_t|^2 / s_0 = off_0,   w = H u + h.
// The last is De Saxce's sigma as the path has it: on it z_t / z_0 = -s_t / s_0, so sigma, what friction takes for each
// z_0, is |s_t|^2 / s_0. It is smooth where |w_t| has its kink, on the scale that mu has for each contact by itself,
// and |w_t| where mu is 0. What the equations are off by falls with mu: any point with s and z inside is near a path.
//
// The path may turn: mu rises for a while, then falls again. What tells the way is the sign of the Jacobian's
// determinant, that of its LU factors: mu falls where it is positive (Allgower & Georg 1990, 2.3: the orientation of a
// path). Steps that only try to lower mu end at the first turn, and where stones jam that is where most of them end.
//
// A step is one factor. First Mehrotra's steps, as long as they are long; then the point is drawn to the path, across
// it, and sent along its tangent and its bend by as much as the last such step was easy to mend. Contacts in the plane:
// in space directions of slips turn along the path, which takes some 200 steps of four times the work. Sources: De
// Saxce & Feng 1998; Mehrotra 1992; Nesterov & Todd 1997.
// SPDX-License-Identifier: MIT
#ifndef CONE_PATH_H
#define CONE_PATH_H

#include "cone_multipliers.h"

typedef struct cd_cone_path cd_cone_path;

// Whether a programme is of that kind: cones of one and two rows, and a mass of 1 in every column.
bool cd_cone_path_takes(const cd_cone_program *p);
int64_t cd_cone_path_bytes(const cd_cone_system *system);  // that cd_cone_path_make will allocate
// From u and s, z inside their cones, which are copied. The system's factor and rows are overwritten. @owns arena
cd_cone_path *cd_cone_path_make(cd_cone_system *system, const double *u, const double *s, const double *z,
                                cd_arena *arena);
bool cd_cone_path_step(cd_cone_path *m);                        // false: the path is lost
const double *cd_cone_path_multipliers(const cd_cone_path *m);  // z, a row each
// From the present point, which stays as it is. @owns arena
cd_cone_multipliers cd_cone_path_finish(cd_cone_path *m, cd_arena *arena);

#endif
