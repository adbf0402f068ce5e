// The kernels of gram_front.c with AVX2.
// SPDX-License-Identifier: MIT
#include "gram_front_levels.h"

#ifdef __AVX2__
#define WIDTH 4
#include "gram_front_loop.h"

const cd_front_kernels cd_front_avx2 = {take_panels, factor_columns, subtract, forward, backward, take_unsymmetric};
#else
const cd_front_kernels cd_front_avx2 = {0};
#endif
