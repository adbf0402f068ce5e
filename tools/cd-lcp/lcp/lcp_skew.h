// lcp_skew -- a structure L R' that is nearly symmetric (lcp_structure.h: is_skew), by a row of symmetric ones.
//
// As of contacts of bodies whose gaps are taken at the end of a step and whose impulses act at its start (cd_arms.h).
// With N = (L + R)/2 the matrix is L R' = N N' + K, K small or nearly skew. A step solves
//     w = N N' y' + (q + K y),   y' complementary to w,
// by a method for symmetric positive semidefinite problems: a splitting of Cottle, Pang & Stone (1992, chapter 5.2),
// which converges by the size of K against N N'. The next y is extrapolated from the last few (Anderson 1965; Walker &
// Ni 2011): it converges as Krylov's methods do once the rows that carry are found, where K is not small too.
// Where few rows carry after the first step, Newton's method ends it: w = 0 of these rows is one small dense system.
// Cost: that of the method; then 4 to 15 times that of an answer from nearly the same rows (lcp_few_again.h,
// lcp_again.h).
// SPDX-License-Identifier: MIT
#ifndef LCP_SKEW_H
#define LCP_SKEW_H

#include "lcp_structure.h"

// s: equilibrated; options->tolerance as methods are given it, not divided. `limit` with the best of its steps where it
// does not converge: a splitting proves nothing of what is infeasible.
cd_lcp_result cd_lcp_solve_skew(const cd_lcp_solver *solver, const cd_lcp_structure *s, const cd_lcp_options *options,
                                cd_arena *arena);

#endif
