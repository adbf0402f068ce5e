// gram_cross -- how rows that come to a factor act on each other through it: S = V K^-1 V' for some rows v, each in
// the columns of one group, of which there may be more later.
//
// With K = L L' it is X'X, X = L^-1 V'. A right side reaches the front of its group and those above it alone: sorted by
// that front, the right sides that a front meets are neighbours, and all of them go through it together. Rows that are
// added later go through by themselves, and then meet the X of those before, which is kept. Cost: the columns of L,
// each times the right sides that reach it; memory: as many doubles as they have entries there, and S, which grows with
// the rows that are there. The same bytes on every machine.
// SPDX-License-Identifier: MIT
#ifndef GRAM_CROSS_H
#define GRAM_CROSS_H

#include "gram_factor.h"

typedef struct cd_gram_row {
    int32_t group;
    const double *value;  // in the group's columns, in their order
} cd_gram_row;

typedef struct cd_gram_cross cd_gram_cross;

// After cd_gram_factor; until the next one. @owns arena
cd_gram_cross *cd_gram_cross_start(const cd_gram *gram, cd_arena *arena);
// S grows by `count` rows and columns. @owns the arena of cd_gram_cross_start
void cd_gram_cross_add(cd_gram_cross *cross, const cd_gram_row *row, int32_t count);
// Row i of S, all columns; until more are added.
const double *cd_gram_cross_row(const cd_gram_cross *cross, int32_t i);

#endif
