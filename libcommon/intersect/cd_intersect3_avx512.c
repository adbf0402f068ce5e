// SPDX-License-Identifier: MIT
#ifdef __AVX512F__
#include "cd_intersect3_faces.h"

const cd_convex_pair3_kernel cd_convex_pair3_kernel_avx512 = {prepare, clip, nearest};
#else
typedef int cd_intersect3_avx512_has_nothing_here;
#endif
