// lcp_symmetric -- a problem that is a symmetric matrix alone, in tiles: what qp takes, without a list of entries and
// without a second look at what was scaled already.
//
// The scales are those of cd_lcp_equilibrate, in which the residual is measured, and on top of them, for the method,
// those that bring the diagonal near 1: of a semidefinite matrix nearly always none.
// SPDX-License-Identifier: MIT
#ifndef LCP_SYMMETRIC_H
#define LCP_SYMMETRIC_H

#include "lcp_solver.h"

// False: it is another kind of problem, or this does not solve it: `out` is as it was, and nothing is lost but time.
bool cd_lcp_solve_symmetric(const cd_lcp_solver *solver, const cd_lcp *lcp, const cd_lcp_options *options,
                            cd_arena *arena, cd_lcp_result *out);

#endif
