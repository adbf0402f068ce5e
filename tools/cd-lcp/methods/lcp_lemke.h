// lcp_lemke -- Lemke's complementary pivoting with the lexicographic ratio test.
//
//     w - M z - d z0 = q,   cover d > 0.  z0 enters first and drives q to >= 0; then the complement of whatever left enters,
//     until z0 leaves (solution) or nothing blocks the entering variable (a secondary ray).
//
// Guarantees (exact arithmetic): ends after finitely many pivots; finds a solution whenever M is a P-matrix, strictly
// copositive, or copositive-plus (positive semidefinite ones among them) and a feasible point exists. None for PEG's
// own matrices, which is why the ladder exists.
//
// The ray. At a secondary ray the entering column gives z^h >= 0 with w^h = M z^h + d z0^h >= 0. For copositive-plus M
// that direction has z0^h = 0 and M'z^h = -w^h <= 0, q.z^h < 0, so v = z^h is a Farkas vector: v.w = v.(M z + q) < 0
// for every z >= 0. These signs are checked for whatever M, and only then is the answer `infeasible` instead of `ray`.
// In the equilibrated problem the vector is weight * z^h.
//
// Tableau: condensed, n rows by n + 1 columns of nonbasic variables; the basic columns are unit columns and not stored.
// The inverse basis that the lexicographic test needs are the columns of w: stored where w_j is nonbasic, unit where
// basic. Pivots are delayed: CD_DENSE_BLOCK rank-one changes u v' are kept beside the tableau and applied together, so
// that the n^2 matrix streams through memory once in 16 pivots; the entering column and the pivot row are completed on
// demand. Cost: n^2 multiply-adds a pivot, usually n/2 to 3n pivots; memory n^2 doubles. The final basis is solved
// again by LU with one step of refinement, so the answer does not carry the tableau's rounding.
//
// Source: Lemke 1965; Cottle, Pang & Stone, The Linear Complementarity Problem, 4.4 and 4.9; start tie: Kostreva 1979.
// SPDX-License-Identifier: MIT
#ifndef LCP_LEMKE_H
#define LCP_LEMKE_H

#include "lcp_solver.h"

// On the equilibrated problem. cover: n positive numbers, or NULL for ones. Status solved, inaccurate, limit, ray,
// infeasible.
cd_lcp_result cd_lcp_lemke(const cd_lcp *lcp, const double *cover, const cd_lcp_options *options, cd_arena *arena);

#endif
