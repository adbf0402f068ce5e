// cone_multipliers -- the last digits of a point that an interior point has come near: the method of multipliers.
//
// With sigma held, a change of the multipliers is
//     z := P(z - rho (H u + h + sigma e)),   u: D u = H' P(z - rho (H u + h + sigma e)),
// P the projection on the cones. Newton's method finds u: P has the derivative J, symmetric and between 0 and 1, and
// D + rho H'J H has the pattern of the interior point's matrix, so its factor takes a step. Contacts that neither carry
// nor open, whose slack and multiplier an interior point can but halve from step to step, are a kink of P and nothing
// more; what is open gets a multiplier of exactly 0. The next sigma is a step of Newton's method on sigma = |w_t|: the
// slips follow sigma by what rho J e moves. Where J stays, changes with one rho share a factor.
//
// Rounding: rho may be 1e12, for the slacks are not summed from u but follow it step by step; what they are off from
// H u + h stays 2^-52 of the terms, and of rho it knows nothing. Sources: Rockafellar 1976; Alart & Curnier 1991; Qi &
// Sun 1993.
// SPDX-License-Identifier: MIT
#ifndef CONE_MULTIPLIERS_H
#define CONE_MULTIPLIERS_H

#include "cone_system.h"

typedef struct cd_cone_multipliers {
    cd_cone_system *system;  // its factor is overwritten
    double penalty;          // rho of the last change
    double factored;         // rho of the factor of now where steps with it are fast, else 0
    int factors;             // factorisations so far
    bool is_relative;        // the next change sees differences from its start only (cd_cone_multipliers_mend)
    double *u, *z;           // the point: a column each, a row each
    double *slip, *lead;     // sigma = slip + lead, a cone each: |w_t| when the change began, and what is added
    double *value, *slide;   // a row each: H u + h; its change since then
    double *x, *next;        // a row each: what is projected, and its projection
    double *kept_u, *kept_value, *off, *change, *D, *rest, *noise, *du;  // scratch
} cd_cone_multipliers;

// u, z are copied. @owns arena
cd_cone_multipliers cd_cone_multipliers_make(cd_cone_system *system, const double *u, const double *z, cd_arena *arena);
// One change of the multipliers with this rho, in at most so many steps of Newton's method. False: it has failed, and
// the point is as it was. What is wrong shrinks by 1 / (1 + rho g), g its eigenvalue of H D^-1 H', whose diagonal is
// near 1.
bool cd_cone_multipliers_step(cd_cone_multipliers *m, double penalty, int steps);
// The slacks of z, from elsewhere than u, which is M^-1 H' z from now on, whatever its digits are: the next change adds
// to both. Where M is far from 1 (cone_root.h), M^-1 of the rounding of a sum is no rounding any more.
void cd_cone_multipliers_mend(cd_cone_multipliers *m, const double *value);

#endif
