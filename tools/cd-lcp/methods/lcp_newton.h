// lcp_newton -- damped semismooth Newton on the Fischer-Burmeister function.
//
//     phi_i(z) = sqrt(z_i^2 + w_i^2) - z_i - w_i = 0   <=>   z_i >= 0, w_i >= 0, z_i w_i = 0
//
// Step from a member H of the generalised Jacobian; Armijo line search on 1/2 |phi|^2; where H gives no descent a
// Levenberg-Marquardt step of the same system. Ends when the natural residual is below the tolerance, when the search
// stalls (a stationary point that is no solution), or at the limit. Converges locally for any matrix with nonsingular
// H, globally for P0 matrices; no guarantee for PEG's. Cost: 2/3 n^3 a step (LM steps 2 n^3 more), 5 to 30 steps.
// Source: De Luca, Facchinei & Kanzow 1996; Fischer 1992.
// SPDX-License-Identifier: MIT
#ifndef LCP_NEWTON_H
#define LCP_NEWTON_H

#include "lcp_solver.h"

// On the equilibrated problem, from options->warm or 0. Status solved, inaccurate (stalled), limit.
cd_lcp_result cd_lcp_newton(const cd_lcp *lcp, const cd_lcp_options *options, cd_arena *arena);

#endif
