// cd_dense -- small dense matrices: Cholesky factor of a mass block, eigenvalues of a symmetric matrix. Row-major,
// stride n.
//
// Cost: Cholesky n^3/3; eigenvalues up to 48 rows by cyclic Jacobi rotations, about 8 sweeps of 4 n^3, above by
// Householder's reduction and implicit QL steps, 4/3 n^3 (1000 rows: about a second). Jacobi gives small eigenvalues of
// well scaled positive semidefinite matrices with high relative accuracy; the reduction leaves all of them an error of
// some 2^-52 of the largest, which is what the rank allows for. Sources: Golub & Van Loan, Matrix Computations, 4.2,
// 8.3 and 8.5.
// SPDX-License-Identifier: MIT
#ifndef CD_DENSE_H
#define CD_DENSE_H

#include <stdbool.h>
#include <stdint.h>

// a := L in its lower triangle (the upper one is not touched) with a = L L'. False, a spoilt, when not positive
// definite.
bool cd_cholesky_factor(int32_t n, double *a);
// The same of a matrix that is positive definite but for the rounding of its entries: a pivot below 2^-50 of the
// largest entry of its row counts as that, being rounding itself. Cannot fail; where no pivot is so small, the same
// bits.
void cd_cholesky_factor_rounded(int32_t n, double *a);
void cd_cholesky_forward(int32_t n, const double *factor, double *x);  // x := L^-1 x

// Eigenvalues in ascending order; a (symmetric, both triangles) is overwritten. Absolute errors about n 2^-52 |a|.
void cd_symmetric_eigenvalues(int32_t n, double *a, double *eigenvalue);

// Number of eigenvalues (ascending) of a positive semidefinite matrix that are above n 2^-46 times the largest: 64
// times what rounding of the rotations leaves.
int32_t cd_semidefinite_rank(int32_t n, const double *eigenvalue);

#endif
