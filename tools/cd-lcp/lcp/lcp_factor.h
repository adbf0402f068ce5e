// lcp_factor -- the Cholesky factor of S_AA = R'R for a changing list A of rows of a symmetric positive semidefinite
// matrix S.
//
// append: A grows by one row at its end, k^2/2; drop: rows leave from any places and Givens rotations make R
// triangular again, at most 3/2 k^2 each; solve k^2. R is stored by rows, so that all three run along rows. A row whose
// distance from the span of the others is nothing but rounding is not appended: the caller gets its combination
// instead. Memory: the square of the largest list met, grown by doubling. Source: Golub & Van Loan, Matrix
// Computations, 6.5.
// SPDX-License-Identifier: MIT
#ifndef LCP_FACTOR_H
#define LCP_FACTOR_H

#include "cd_memory.h"

#include <stdbool.h>
#include <stdint.h>

enum { CD_FACTOR_SOME = 4 };

typedef struct cd_factor {
    int32_t count, capacity;
    int32_t most;     // the capacity it may grow to
    double *r;        // row p: r[p * capacity + p ..]
    int32_t *list;    // A in the order of the factor
    int32_t *kept;    // scratch, capacity
    double *scratch;  // capacity
    cd_arena *arena;
} cd_factor;

cd_factor cd_factor_start(int32_t capacity, int32_t most, cd_arena *arena);  // most: at least 4
static inline bool cd_factor_is_full(const cd_factor *f) { return f->count >= f->most; }

// v := R'^-1 v, and what is left of `diagonal`, the squared distance of the row from the span of A: diagonal - v.v.
// Room for so many more rows, as far as it may grow: appending these takes nothing from the arena.
void cd_factor_reserve(cd_factor *f, int32_t more);

double cd_factor_forward(const cd_factor *f, double diagonal, double *v);
void cd_factor_backward(const cd_factor *f, double *v);  // v := R^-1 v
// v from cd_factor_forward; not when full.
void cd_factor_append(cd_factor *f, int32_t row, const double *v, double distance_sq);
// Up to four rows at once, row[which[k]], `which` ascending, of the columns of v by fours: entry p of the k-th is
// v[4 p + which[k]]. own[k]: its entries beside the others of them, its diagonal last. Not more than it may grow by.
void cd_factor_append_some(cd_factor *f, const int32_t *row, const int32_t *which, int32_t count, const double *v,
                           double (*own)[CD_FACTOR_SOME]);
void cd_factor_drop(cd_factor *f, const int32_t *place, int32_t count);  // so many places of the list, ascending

#endif
