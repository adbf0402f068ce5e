// cone_slips -- De Saxce's sigma from outside: a fixed point, accelerated.
//
// With sigma held, Coulomb's problem is a convex programme; its slips |w_t| are the next sigma, 0 at first. Of the last
// changes Anderson's method takes the combination that leaves the smallest difference of slips and sigma, in the sense
// of least squares; where the difference has grown they are forgotten. Sources: Acary, Cadoux, Lemarechal & Malick 2011
// (the fixed point); Walker & Ni 2011, Anderson acceleration for fixed-point iterations.
// SPDX-License-Identifier: MIT
#ifndef CONE_SLIPS_H
#define CONE_SLIPS_H

#include "cd_memory.h"

#include <stdint.h>

enum { CD_CONE_MEMORY = 5 };

typedef struct cd_cone_slips {
    int32_t count;              // cones
    double *sigma;              // what is to be held, a cone each, >= 0
    int changes, kept;          // so far; columns in the memory
    double largest;             // |slip - sigma| of the last change
    double *slip, *off, *rest;  // of the last change: |w_t|, its difference to sigma; scratch
    double *slips[CD_CONE_MEMORY], *offs[CD_CONE_MEMORY], *basis[CD_CONE_MEMORY];  // differences of those, newest first
} cd_cone_slips;

cd_cone_slips cd_cone_slips_make(int32_t count, cd_arena *arena);  // sigma = 0; @owns arena
// slip: |w_t| of the programme with the present sigma, which is changed. Returns the largest |slip - sigma| before.
double cd_cone_slips_change(cd_cone_slips *m, const double *slip);

#endif
