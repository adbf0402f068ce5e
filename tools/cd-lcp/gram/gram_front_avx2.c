// The kernels of gram_front.c and gram_lu_front.c with AVX2.
// SPDX-License-Identifier: MIT
#include "gram_front_levels.h"

#ifdef __AVX2__
#define WIDTH 4
#include "gram_front_loop.h"
#include "gram_lu_loop.h"

const cd_front_kernels cd_front_avx2 = {take_panels, factor_columns, subtract, forward, backward};
const cd_lu_kernels cd_lu_avx2 = {factor_pivots, lower_columns, rest_columns, lu_forward, lu_backward};
#else
const cd_front_kernels cd_front_avx2 = {0};
const cd_lu_kernels cd_lu_avx2 = {0};
#endif
