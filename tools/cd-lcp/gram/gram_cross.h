// gram_cross -- how rows that a factor does not hold act on each other through it: S = V K^-1 V' for some rows v, each
// in the columns of one group.
//
// With K = L L' it is X'X, X = L^-1 V'. A right side reaches the front of its group and those above it alone: sorted by
// that front, the right sides that a front meets are neighbours, and all of them go through it together. Cost: the
// columns of L, each times the right sides that reach it; memory: as many doubles as they have entries there. The same
// bytes on every machine.
// SPDX-License-Identifier: MIT
#ifndef GRAM_CROSS_H
#define GRAM_CROSS_H

#include "gram_factor.h"

typedef struct cd_gram_row {
    int32_t group;
    const double *value;  // in the group's columns, in their order
} cd_gram_row;

// S: count x count, row by row, both triangles. After cd_gram_factor.
void cd_gram_cross(const cd_gram *gram, const cd_gram_row *row, int32_t count, double *S, cd_arena *scratch);

#endif
