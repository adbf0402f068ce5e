// lcp_vector -- the vector loops of the complementarity solvers, at the machine's width.
//
// Each runs the same operations in the same order at every width: loops over single entries are free of order, and the
// dot product always adds into eight sums, which are joined in one fixed way. So bytes do not depend on the machine
// (contraction is off). Arrays need no alignment and must not overlap, except that x and the result of the same entry
// may be one.
// SPDX-License-Identifier: MIT
#ifndef LCP_VECTOR_H
#define LCP_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// fmax and fmin without a call and without care for NaN: of a and b, b where either is NaN.
static inline double cd_larger(double a, double b) { return a > b ? a : b; }
static inline double cd_smaller(double a, double b) { return a < b ? a : b; }

enum { CD_VECTOR_FOUR = 4 };

double cd_vector_dot(const double *x, const double *y, int32_t count);
// The same, with the sum of the magnitudes of its terms.
double cd_vector_dot_size(const double *x, const double *y, int32_t count, double *size);
void cd_vector_subtract(double *y, double f, const double *x, int32_t count);  // y -= f x
// Four of them in turn, y -= f_k row_k.
void cd_vector_subtract_four(double *y, const double *f, const double *const row[], int32_t count);
// How many are not 0; whether all are finite.
size_t cd_vector_filled(const double *a, size_t count, bool *is_finite);
// Whether each pair (row, col) is above the one before: row by row, columns ascending.
bool cd_vector_ascends(const int32_t *row, const int32_t *col, int32_t count);
// The largest |a_j| scale c_j, 0 of none; most_j grows to it. No NaN.
double cd_vector_largest(const double *a, double scale, const double *c, double *most, int32_t count);
double cd_vector_most(const double *a, const double *c, int32_t count);  // the largest |a_j| c_j, 0 of none. No NaN.
void cd_vector_scale(double *out, const double *a, double f, const double *c, int32_t count);  // out_j = a_j f c_j
bool cd_vector_is_symmetric(const double *M, int32_t n);  // n x n, to the last bit but for the sign of a zero
// Of R upper triangular, row p from r[p stride + p] on: v := R'^-1 v; v := R^-1 v.
void cd_vector_forward(const double *r, size_t stride, int32_t count, double *v);
void cd_vector_backward(const double *r, size_t stride, int32_t count, double *v);
// cd_vector_forward of four vectors at once, v[4 p + k] entry p of the k-th: R is read once. gram: the 4 x 4 products
// of what comes out.
void cd_vector_forward_four(const double *r, size_t stride, int32_t count, double *v, double *gram);
// top = c carried + s below, carried = c below - s carried.
void cd_vector_rotate(double *top, double *carried, const double *below, double c, double s, int32_t count);

#endif
