// lcp_exact -- whether a system of up to 16 equations has a non-negative solution, decided without rounding.
//
// Doubles are integers times powers of two, so each equation is brought to integers (its unknowns' signs do not change)
// and eliminated by Bareiss' fraction-free method: what it keeps are minors of the matrix, what it divides are
// differences of products of two of them. So the lengths are bounded by the number of rows and the bits of the entries
// before anything is computed: a system whose numbers could outgrow the fixed width is refused, and nothing is ever
// cut. The unknowns come out as integers over one determinant. Cost: n^2 k long multiplications, each the square of the
// length. Source: Bareiss 1968.
// SPDX-License-Identifier: MIT
#ifndef LCP_EXACT_H
#define LCP_EXACT_H

#include "cd_memory.h"

#include <stdbool.h>
#include <stdint.h>

enum { CD_EXACT_ROWS = 16 };

typedef enum cd_exact_answer {
    CD_EXACT_NEGATIVE,      // one solution, some unknown below 0
    CD_EXACT_NON_NEGATIVE,  // one solution, in x to double precision
    CD_EXACT_NONE,          // no solution
    CD_EXACT_DEPENDENT,     // solvable, but the columns are dependent: many solutions or the like
    CD_EXACT_TOO_LONG  // not decided: the numbers of some row are spread too far (2^150 apart, with full mantissas,
                       // always fits)
} cd_exact_answer;

// sum_k column[k] x_k = b: n equations, count <= n unknowns; a: n x count row-major. Everything finite.
cd_exact_answer cd_exact_solve(int32_t n, int32_t count, const double *a, const double *b, double *x,
                               cd_arena *scratch);

#endif
