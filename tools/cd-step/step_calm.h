// step_calm -- takes energy from what bodies of a group do against each other, and nothing from their momenta.
//
// Of all motions with the momentum P and the angular momentum L of the group that of a rigid body has least energy:
// nu_r of a body is V + W x r, W, with V = P / m, W = I^-1 L about the common centre. What is left, nu - nu_r, has no
// momenta, so that it is perpendicular to nu_r in M, and
//     nu' = nu_r + k (nu - nu_r)   has   |nu'|^2 = |nu_r|^2 + k^2 (|nu|^2 - |nu_r|^2),
// P and L of nu, and at each contact of two of the bodies k times its velocity: k >= 0 turns none round.
// SPDX-License-Identifier: MIT
#ifndef STEP_CALM_H
#define STEP_CALM_H

#include "step_bodies.h"

// Bodies with one root are a group, where they stand in bodies->end and bodies->middle. Of each that has more than
// most[root] [J, twice] nu becomes that of the largest k with which it has not; 0 where the rigid motion has more.
// O(bodies).
void cd_step_calm(cd_arena *scratch, cd_step_bodies *bodies, const int32_t *root, const double *most);

#endif
