// gram_front_levels -- the kernels of gram_front.h at each vector level.
// SPDX-License-Identifier: MIT
#ifndef GRAM_FRONT_LEVELS_H
#define GRAM_FRONT_LEVELS_H

#include "gram_front.h"

// As the functions of gram_front.h.
typedef struct cd_front_kernels {
    int32_t (*factor)(int32_t n, int32_t p, double *a, const double *floor, double *inverse);
    void (*subtract)(int32_t n, double *a, size_t stride, const double *l, int32_t depth);
    void (*forward)(int32_t n, int32_t p, const double *panel, const double *inverse, double *x);
    void (*backward)(int32_t n, int32_t p, const double *panel, const double *inverse, double *x);
} cd_front_kernels;

extern const cd_front_kernels cd_front_portable, cd_front_avx2, cd_front_avx512;

#endif
