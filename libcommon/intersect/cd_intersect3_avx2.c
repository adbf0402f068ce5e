// SPDX-License-Identifier: MIT
#ifdef __AVX2__
#include "cd_intersect3_faces.h"

const cd_convex_pair3_kernel cd_convex_pair3_kernel_avx2 = {prepare, clip, nearest};
#else
typedef int cd_intersect3_avx2_has_nothing_here;
#endif
