// cone_multipliers -- the last digits of a point that an interior point has come near: the method of multipliers.
//
// With sigma held at |w_t| of u, a change of the multipliers is
//     z := P(z - rho (H u + h + sigma e)),   u: D u = H' P(z - rho (H u + h + sigma e)),
// P the projection on the cones. Newton's method finds u: P has the derivative J, symmetric and between 0 and 1, and
// D + rho H'J H has the pattern of the interior point's matrix, so its factor takes a step. Contacts that neither carry
// nor open, whose slack and multiplier an interior point can but halve from step to step, are a kink of P and nothing
// more; what is open gets a multiplier of exactly 0. Sources: Rockafellar 1976; Alart & Curnier 1991; Qi & Sun 1993.
// SPDX-License-Identifier: MIT
#ifndef CONE_MULTIPLIERS_H
#define CONE_MULTIPLIERS_H

#include "cone_system.h"

typedef struct cd_cone_multipliers {
    cd_cone_system *system;  // its factor is overwritten
    double penalty;          // rho of the last change
    double *u, *z;           // the point: a column each, a row each
    double *sigma;           // a cone each
    double *x, *next;        // a row each: what is projected, and its projection
    double *D, *rest, *du;   // a column each
} cd_cone_multipliers;

// u, z are copied. @owns arena
cd_cone_multipliers cd_cone_multipliers_make(cd_cone_system *system, const double *u, const double *z, cd_arena *arena);
// One change of the multipliers with this rho. Returns the number of factorisations; 0: rounding leaves nothing to
// change. What is wrong shrinks by 1 / (1 + rho g), g its eigenvalue of H D^-1 H', whose diagonal is near 1; rounding
// leaves rho 2^-52 of the motion in z.
int cd_cone_multipliers_step(cd_cone_multipliers *m, double penalty);

#endif
