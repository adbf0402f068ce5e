// The kernels of gram_front.c with AVX-512.
// SPDX-License-Identifier: MIT
#include "gram_front_levels.h"

#ifdef __AVX512F__
#define WIDTH 8
#include "gram_front_loop.h"

const cd_front_kernels cd_front_avx512 = {take_panels, factor_columns, subtract, forward, backward, take_unsymmetric};
#else
const cd_front_kernels cd_front_avx512 = {0};
#endif
