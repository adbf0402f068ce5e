// lcp_vector -- the vector loops of the complementarity solvers, at the machine's width.
//
// Each runs the same operations in the same order at every width: loops over single entries are free of order, and the
// dot product always adds into eight sums, which are joined in one fixed way. So bytes do not depend on the machine
// (contraction is off). Arrays need no alignment and must not overlap, except that x and the result of the same entry
// may be one.
// SPDX-License-Identifier: MIT
#ifndef LCP_VECTOR_H
#define LCP_VECTOR_H

#include <stddef.h>
#include <stdint.h>

// fmax and fmin without a call and without care for NaN: of a and b, b where either is NaN.
static inline double cd_larger(double a, double b) { return a > b ? a : b; }
static inline double cd_smaller(double a, double b) { return a < b ? a : b; }

double cd_vector_dot(const double *x, const double *y, int32_t count);
void cd_vector_subtract(double *y, double f, const double *x, int32_t count);  // y -= f x
size_t cd_vector_filled(const double *a, size_t count);                        // how many are not 0
// The largest |a_j| scale c_j, 0 of none; most_j grows to it. No NaN.
double cd_vector_largest(const double *a, double scale, const double *c, double *most, int32_t count);
// top = c carried + s below, carried = c below - s carried.
void cd_vector_rotate(double *top, double *carried, const double *below, double c, double s, int32_t count);

#endif
