// lcp_pyramid -- friction discs as pyramids of a few sides, which is a problem without discs that Lemke's method can
// solve.
//
// Tangents of a disc become y_t = sum_k d_k b_k with directions d_k and impulses b >= 0, and a slip s >= 0 (Stewart &
// Trinkle 1996):
//     0 <= d_k.w_t + s _|_ b_k >= 0,   0 <= mu y_n - sum_k b_k _|_ s >= 0.
// With one tangent the two directions +-1 are the interval itself: exact. With two tangents the answer lies in the
// polygon inscribed in the disc: a start for methods that know the disc, where they found none (Lemke solves it for
// semidefinite matrices: Anitescu & Potra 1997). Cost: that of the ladder on a dense problem of the rows plus (sides +
// 1) a disc, (sides + 1 = 3 with one tangent).
// SPDX-License-Identifier: MIT
#ifndef LCP_PYRAMID_H
#define LCP_PYRAMID_H

#include "lcp_structure.h"

// y of the pyramids' solution, n; *iterations grows. Where the problem would have more than CD_PYRAMID_ROWS rows only
// contacts that are closed in `best` get a pyramid. False when it is too large even so, or was not solved.
enum { CD_PYRAMID_SIDES = 8, CD_PYRAMID_ROWS = 300 };
bool cd_lcp_pyramid_start(const cd_lcp_structure *s, const cd_lcp_options *options, const double *best, double *y,
                          int64_t *iterations, cd_arena *scratch);

#endif
