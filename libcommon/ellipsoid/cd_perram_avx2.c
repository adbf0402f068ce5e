// SPDX-License-Identifier: MIT
#ifdef __AVX2__
#include "cd_perram_lanes.h"

void cd_perram_solve_avx2(cd_perram_block *block) { solve_block(block); }
#else
typedef int cd_perram_avx2_has_nothing_here;
#endif
