// gram_front_levels -- the kernels of gram_front.h at each vector level.
// SPDX-License-Identifier: MIT
#ifndef GRAM_FRONT_LEVELS_H
#define GRAM_FRONT_LEVELS_H

#include "gram_front.h"

// Columns of a front that are worked on at a time: they take all panels before them while they stay in the cache.
enum { CD_FRONT_BLOCK = 192 };

typedef struct cd_front_kernels {
    // Columns from begin to end, which begin a block and lie in it, lose what pivots from first to last take from them;
    // first begins a block too, and last ends one or is p.
    void (*take_panels)(const cd_front *f, int32_t first, int32_t last, int32_t begin, int32_t end);
    // Pivots of a block that has lost that of all before it. Returns how many were raised.
    int32_t (*factor_columns)(const cd_front *f, int32_t begin, int32_t end);
    // As the functions of gram_front.h.
    void (*subtract)(int32_t n, double *a, size_t stride, const double *l, int32_t depth);
    void (*forward)(int32_t n, int32_t p, const double *panel, const double *inverse, double *x);
    void (*backward)(int32_t n, int32_t p, const double *panel, const double *inverse, double *x);
    void (*take_unsymmetric)(const cd_front_pivots *f, int32_t begin, int32_t end);
} cd_front_kernels;

// cd_front_factor by these kernels.
int32_t cd_front_factor_by(const cd_front_kernels *kernels, const cd_front *f, int threads);

extern const cd_front_kernels cd_front_portable, cd_front_avx2, cd_front_avx512;

#endif
