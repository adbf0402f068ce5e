// SPDX-License-Identifier: MIT
#ifdef __AVX512F__
#include "cd_perram_lanes.h"

void cd_perram_solve_avx512(cd_perram_block *block) { solve_block(block); }
#else
typedef int cd_perram_avx512_has_nothing_here;
#endif
