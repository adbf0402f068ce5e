// gram_square -- R'R and R'S of the rows of one group, at the machine's width.
// SPDX-License-Identifier: MIT
#ifndef GRAM_SQUARE_H
#define GRAM_SQUARE_H

#include <stdint.h>

enum { CD_GRAM_SQUARE_MOST = 16 };  // the largest stride

// rows: height x stride, stride a multiple of 4 up to the most. K: column j at K + j stride, set from row 4 (j / 4) on.
// The same bytes at every width.
void cd_gram_square(int32_t height, int32_t stride, const double *rows, double *K);
// K = R'S, all of it; R and S of one height and stride.
void cd_gram_product(int32_t height, int32_t stride, const double *R, const double *S, double *K);
// Column j of R'S of any stride, for wider ones: out (stride).
void cd_gram_column(int32_t height, int32_t stride, int32_t j, const double *R, const double *S, double *out);

#endif
