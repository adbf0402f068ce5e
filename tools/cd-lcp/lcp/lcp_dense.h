// lcp_dense -- dense row-major kernels of the complementarity solvers: rank-k row update and LU.
//
// Rows are padded to a stride that is a multiple of 4 doubles and start 32-byte aligned (arena memory is), so that the
// loops run over whole vectors. Cost: LU 2/3 n^3 operations in panels of CD_DENSE_BLOCK columns, which reads the
// trailing matrix once a panel; a solve 2 n^2. Source: Golub & Van Loan, Matrix Computations, 3.2 and 3.4.
// SPDX-License-Identifier: MIT
#ifndef LCP_DENSE_H
#define LCP_DENSE_H

#include "cd_memory.h"

#include <stdbool.h>
#include <stdint.h>

// Rank of the delayed updates: 16 rows of 1500 doubles (192 KiB) stay in the second-level cache while the matrix
// streams by once. Part of the results' last bits, hence fixed.
enum { CD_DENSE_BLOCK = 16 };

static inline int32_t cd_dense_stride(int32_t columns) { return (columns + 3) / 4 * 4; }

// row[0..stride) -= sum_k coefficient[k] * v[k * stride ..], k < count <= CD_DENSE_BLOCK, skipping zero coefficients.
void cd_dense_subtract_rows(double *row, const double *coefficient, int32_t count, const double *v, int32_t stride);

typedef struct cd_lu {
    int32_t n, stride;
    double *a;       // L below the diagonal (unit diagonal not stored), U on and above
    int32_t *order;  // row k of the factors is row order[k] of the matrix
} cd_lu;

// Factors the n x n matrix `a` (row-major with cd_dense_stride(n), overwritten; padding must be 0) with partial
// pivoting. False when a pivot is not above n * 2^-52 times the largest entry: singular to working precision. Entries
// should be equilibrated for that test to mean something.
bool cd_lu_factor(cd_lu *lu, int32_t n, double *a, cd_arena *arena);
void cd_lu_solve(const cd_lu *lu, const double *b, double *x);  // x may not alias b

#endif
