// SPDX-License-Identifier: MIT
#ifndef LCP_ENUM_H
#define LCP_ENUM_H

#include "lcp_solver.h"

// Systems solved without rounding for one problem where nothing else bounds them. Measured: 0.3 ms each at 12 rows of
// like size, 0.9 ms at 16, 9 ms at the longest numbers, so 6 seconds to 3 minutes.
enum { CD_LCP_ENUM_EXACT_MOST = 20000 };

// On the equilibrated problem (see lcp_enum.c). Status solved, infeasible, limit, or inaccurate: too many rows, or not
// decided. exact_most >= 0: systems solved without rounding; what is left then stays undecided.
cd_lcp_result cd_lcp_enumerate(const cd_lcp *lcp, const cd_lcp_options *options, int64_t exact_most, cd_arena *arena);

#endif
