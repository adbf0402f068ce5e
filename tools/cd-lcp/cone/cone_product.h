// cone_product -- products with a matrix of the pattern of a programme's H, at the machine's width.
//
// Rows of one group share their columns: these are gathered once, then whole vectors of 4 are taken, padding and all.
// The same bytes at every width.
// SPDX-License-Identifier: MIT
#ifndef CONE_PRODUCT_H
#define CONE_PRODUCT_H

#include "gram_factor.h"

// A: values as groups.place says. Columns of a group ascend.
void cd_cone_values(const cd_gram_groups *g, const double *A, const double *u, double *out);      // A u, a row each
void cd_cone_transposed(const cd_gram_groups *g, const double *A, const double *x, double *out);  // A'x, a column each
// Of two vectors at once, with the same bytes: A is read once.
void cd_cone_values_two(const cd_gram_groups *g, const double *A, const double *const u[2], double *const out[2]);
void cd_cone_transposed_two(const cd_gram_groups *g, const double *A, const double *const x[2], double *const out[2]);
// |A|'|x|: what the sums of A'x are rounded by, in units of 2^-53.
void cd_cone_magnitudes(const cd_gram_groups *g, const double *A, const double *x, double *out);
// out += sign C u, C of the groups (gram_factor.h); |C| |u| where it is for magnitudes.
void cd_cone_add_held(const cd_gram_groups *g, double sign, const double *u, double *out);
void cd_cone_add_held_magnitudes(const cd_gram_groups *g, const double *u, double *out);

// out (height x stride) = T A for one cone, T height x height row by row, height 1 to 3.
void cd_cone_turn_rows(int32_t height, int32_t stride, const double *T, const double *A, double *out);

#endif
