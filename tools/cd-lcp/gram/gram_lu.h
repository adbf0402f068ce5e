// gram_lu -- sparse LU factors of K = 1 + R'S for rows R and S of the same pattern: the fronts of gram_factor.h, each
// eliminated without the help of symmetry.
//
// Rows are exchanged within the pivots of a front. A pivot that rounding has eaten is raised, as in gram_factor.h: what
// is solved then is an approximation, and the caller refines it. About twice the memory and the multiplications of a
// Cholesky factor. Subtrees, then the columns of large fronts, are shared by the workers that cd_gram_use_threads has
// given the analysis before. Deterministic; the same bytes on every machine and for any number of them. Source: Golub &
// Van Loan 3.4; Duff & Reid 1984.
// SPDX-License-Identifier: MIT
#ifndef GRAM_LU_H
#define GRAM_LU_H

#include "gram_factor.h"

typedef struct cd_gram_lu cd_gram_lu;

// gram: the analysis of the pattern; its numbers are neither read nor changed. @owns arena
cd_gram_lu *cd_gram_lu_make(const cd_gram *gram, cd_arena *arena);
int64_t cd_gram_lu_bytes(const cd_gram *gram);  // of the numbers of fronts, nearly all that cd_gram_lu_make allocates

// R, S: values as groups.place says.
void cd_gram_lu_factor(cd_gram_lu *m, const double *R, const double *S);
void cd_gram_lu_solve(cd_gram_lu *m, double *x);                 // x := K^-1 x
void cd_gram_lu_solve_two(cd_gram_lu *m, double *x, double *y);  // of both, with the same bytes, sooner than one by one
int cd_gram_lu_sign(const cd_gram_lu *m);                        // of the determinant of K: 1 or -1

#endif
