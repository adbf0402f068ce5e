// gram_front -- the dense part of a sparse Cholesky factorisation: the first columns of a front.
//
// A front is a symmetric matrix of n rows, of which the lower triangle counts, column after column with `stride`
// doubles from one to the next, cd_front_stride(n): what is behind a column's n rows is room for whole vectors, 0 at
// first. cd_front_factor eliminates its first p columns: these become the columns of L, and what is left below and
// right of them loses L21 L21'. A pivot below `floor` of its column (what rounding leaves of a positive one) is raised
// to it; floor may be NULL for none. The upper triangle is spoilt. Cost: p n^2, at the machine's width; the same bytes
// at every width. Source: Golub & Van Loan 4.2.
// SPDX-License-Identifier: MIT
#ifndef GRAM_FRONT_H
#define GRAM_FRONT_H

#include <stddef.h>
#include <stdint.h>

enum { CD_FRONT_LANES = 8 };

// n, up to whole vectors: rows of a panel.
static inline int32_t cd_front_rows(int32_t n) { return (n + CD_FRONT_LANES - 1) / CD_FRONT_LANES * CD_FRONT_LANES; }
static inline int32_t cd_front_stride(int32_t n) { return cd_front_rows(n) + CD_FRONT_LANES; }

typedef struct cd_front {
    int32_t n, p;
    double *a;
    const double *floor;
    double *inverse;  // p: 1 / L_kk
} cd_front;

// Returns the number of pivots that were raised. The bytes are the same for any number of threads.
int32_t cd_front_factor(const cd_front *f, int threads);

// a, n columns of n rows with `stride` as above, loses l l': l has `depth` columns like a's. Lower triangle; the upper
// one is spoilt.
void cd_front_subtract(int32_t n, double *a, size_t stride, const double *l, int32_t depth);

// The columns of L as the next two take them: cd_front_rows(n) rows each, 0 on the diagonal and above it.
void cd_front_panel(int32_t n, int32_t p, const double *a, double *panel);
// The same of columns from begin to end alone.
void cd_front_panel_columns(int32_t n, int32_t begin, int32_t end, const double *a, double *panel);

// x has cd_front_rows(n) finite entries. x[0..p) := L11^-1 x, x[p..n) -= L21 of it.
void cd_front_forward(int32_t n, int32_t p, const double *panel, const double *inverse, double *x);
// x[0..p) := L11'^-1 (x - L21' x[p..n)).
void cd_front_backward(int32_t n, int32_t p, const double *panel, const double *inverse, double *x);

#endif
