// lcp_polish -- from a guess of the active set to digits: solves M_AA z_A = -q_A by LU with iterative refinement.
//
// cd_lcp_resolve: one given active set. cd_lcp_polish: repeats it with the set {i : z_i > w_i} of the last point, which
// is a step of the Newton method for min(z, w) = 0; it keeps the best point met and never returns a worse one. Cost:
// 2/3 k^3 a step for k active rows. Source: Pang 1990 (B-differentiable Newton); refinement: Higham 2002, chapter 12.
// Problems are equilibrated ones (lcp_solver.h).
// SPDX-License-Identifier: MIT
#ifndef LCP_POLISH_H
#define LCP_POLISH_H

#include "lcp_solver.h"

#include <stdbool.h>

// z_A from the active set, clipped at 0, other entries 0. False (z untouched) when M_AA is singular.
bool cd_lcp_resolve(const cd_lcp *lcp, const bool *active, double *z, cd_arena *scratch);

// Improves z in place for at most `steps` steps, stops once below `tolerance`. Returns the residual of z; *steps_done
// grows.
double cd_lcp_polish(const cd_lcp *lcp, double *z, double tolerance, int steps, int64_t *steps_done, cd_arena *scratch);

#endif
