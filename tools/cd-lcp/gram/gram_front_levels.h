// gram_front_levels -- the kernels of gram_front.h and gram_lu_front.h at each vector level.
// SPDX-License-Identifier: MIT
#ifndef GRAM_FRONT_LEVELS_H
#define GRAM_FRONT_LEVELS_H

#include "gram_lu_front.h"

// Columns of a front that are worked on at a time: they take all panels before them while they stay in the cache.
enum { CD_FRONT_BLOCK = 192 };
// A panel of columns is factored before the rest of the front is touched: so many that it is read often, and so few
// that a tile's share of it stays in the cache. Inside it the same with strips, whose rows stay in registers.
enum { CD_FRONT_PANEL = 48, CD_FRONT_STRIP = 8 };
_Static_assert(CD_FRONT_BLOCK % CD_FRONT_PANEL == 0, "blocks are whole panels");
_Static_assert(CD_FRONT_PANEL % CD_FRONT_STRIP == 0, "panels are whole strips");

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
} cd_front_kernels;

// cd_front_factor by these kernels.
int32_t cd_front_factor_by(const cd_front_kernels *kernels, const cd_front *f, int threads);

extern const cd_front_kernels cd_front_portable, cd_front_avx2, cd_front_avx512;

typedef struct cd_lu_kernels {
    // Pivots k0 to k1 - 1, at most a strip, k0 a multiple of one, which have lost what those before them take.
    void (*factor_pivots)(const cd_lu_front *f, int32_t k0, int32_t k1);
    // Columns begin to end - 1 of pivots lose what pivots first to last - 1, whole strips before them and at most a
    // panel, take.
    void (*lower_columns)(const cd_lu_front *f, int32_t first, int32_t last, int32_t begin, int32_t end);
    // Columns begin to end - 1 of `upper` and `rest` lose what all pivots take.
    void (*rest_columns)(const cd_lu_front *f, int32_t begin, int32_t end);
    // As the functions of gram_lu_front.h.
    void (*forward)(const cd_lu_front *f, int sides, double *x, size_t apart);
    void (*backward)(const cd_lu_front *f, int sides, const double *y, double *x, size_t apart);
} cd_lu_kernels;

// cd_lu_front_factor by these kernels.
void cd_lu_front_factor_by(const cd_lu_kernels *kernels, const cd_lu_front *f, int threads);

extern const cd_lu_kernels cd_lu_portable, cd_lu_avx2, cd_lu_avx512;

#endif
