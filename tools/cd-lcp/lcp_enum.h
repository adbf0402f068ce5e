// SPDX-License-Identifier: MIT
#ifndef LCP_ENUM_H
#define LCP_ENUM_H

#include "lcp_solver.h"

// On the equilibrated problem (see lcp_enum.c). Status solved, infeasible, limit, or inaccurate: too many rows, or not decided.
cd_lcp_result cd_lcp_enumerate(const cd_lcp *lcp, const cd_lcp_options *options, cd_arena *arena);

#endif
