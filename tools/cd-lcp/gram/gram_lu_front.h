// gram_lu_front -- the dense part of a sparse LU factorisation: the pivots of a front.
//
// A front is a matrix of n rows and columns without symmetry, whose first p are its pivots, in three blocks, each
// column after column: `lower`, the columns of the pivots, `upper`, their rows in the others, and `rest`. From one
// column to the next are whole vectors; entries behind those of a column are room, 0 at first in `lower`. Eliminated
// `lower` holds L below the diagonal and U on and above it, `upper` the rest of U, and `rest` has lost L U: all blocks
// stay where they are. Rows are exchanged within the pivots. Each entry loses its products in the order of the pivots:
// the same bytes at every width, and for any number of workers that share columns.
// SPDX-License-Identifier: MIT
#ifndef GRAM_LU_FRONT_H
#define GRAM_LU_FRONT_H

#include "gram_front.h"

typedef struct cd_lu_front {
    int32_t n, p;
    double *lower, *upper, *rest;
    int32_t *order;   // of each pivot: the row that took its place
    double *inverse;  // of each pivot 1 / U_kk
} cd_lu_front;

// Entries of the blocks: one behind the last column of `lower` is read, whole vectors long.
static inline int64_t cd_lu_front_lower(int32_t n, int32_t p) { return (int64_t)p * cd_front_rows(n) + CD_FRONT_LANES; }
static inline int64_t cd_lu_front_upper(int32_t n, int32_t p) { return (int64_t)(n - p) * cd_front_rows(p); }
static inline int64_t cd_lu_front_rest(int32_t n, int32_t p) { return (int64_t)(n - p) * cd_front_rows(n - p); }

// A pivot that rounding has eaten is raised.
void cd_lu_front_factor(const cd_lu_front *f, int threads);

// Solutions of one or two right sides, the second one `apart` behind the first. x: n entries, and room for whole
// vectors. x[0..p) := L11^-1 of its rows as they were exchanged, x[p..n) -= L21 of it.
void cd_lu_front_forward(const cd_lu_front *f, int sides, double *x, size_t apart);
// x: p entries in room for whole vectors, becomes U11^-1 (x - U12 y). y: n - p entries, as far apart.
void cd_lu_front_backward(const cd_lu_front *f, int sides, const double *y, double *x, size_t apart);

#endif
