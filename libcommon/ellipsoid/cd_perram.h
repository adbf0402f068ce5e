// cd_perram -- the potential of two ellipsoids by Perram and Wertham: how far both must be scaled for them to touch,
// where, and the gap of the planes that support both.
//
// With half axes as columns of A and B, P = A A', Q = B B', and R from centre to centre, the potential is
//   F = max over 0 < l < 1 of S(l) = l (1 - l) R'[(1 - l) P + l Q]^-1 R = mu^2;
// scaled by mu about their centres both touch in one point, with the common normal n along [...]^-1 R. F < 1: they
// overlap. The planes normal to n that support the two are (1 - 1/mu) R.n = R.n - h_P(n) - h_Q(n) apart: the
// Perram-Wertham gap. It has the sign of the signed distance and is never more; exact of balls and in touch, wrong in
// second order near it, and by much far away. (cd_ellipsoid_gap.h has the signed distance.) Sources: Perram & Wertham,
// J. Comput. Phys. 58 (1985) 409; Perram et al., Phys. Rev. E 54 (1996) 6565; Donev, Torquato & Stillinger, J. Comput.
// Phys. 202 (2005) 765.
//
// Solver. With t = l / (1 - l) the inverse is a polynomial over its determinant, y(t) = V0 + t V1 + t^2 V2, made of
// cross products of half axes; then S' = 0 is t = |A'y| / |B'y|. Both lengths are sums of squares, so nothing cancels,
// neither matrices nor determinants are needed, and the right side hardly depends on t (of balls not at all). Halley's
// method in a bracket that the semiaxes give: from the widths along R 2.3, 3.1 and 3.7 iterations in the mean at
// aspects 2, 10 and 100, from the last frame's value 2.
//
// Error, against numbers of 50 digits at aspects 1 to 100: potential 2e-15 of it, lambda 4e-14, gap and point 2e-13 of
// the largest semiaxis, normal 2e-13 (test_ellipsoid_pairs.c). Exchanging a and b exchanges the sides, turns lambda
// into 1 - lambda and changes no other bit; scaling by powers of two scales. All vector levels give the same bits, and
// so do one pair and many.
// SPDX-License-Identifier: MIT
#ifndef CD_PERRAM_H
#define CD_PERRAM_H

#include "cd_ellipsoid.h"
#include "cd_vector.h"

#include <stdint.h>

typedef struct cd_perram {
    double lambda;             // [1] of the maximum: 0 at a, 1 at b; a multiple of 2^-53
    double potential, mu;      // [1] F >= 0 and its root
    double gap;                // [m] Perram-Wertham
    cd_vec3 normal;            // unit, from a to b
    cd_vec3 point;             // [m] where the scaled ellipsoids touch
    cd_vec3 point_a, point_b;  // [m] on each, where that is its outward and inward normal
    int32_t iterations;
    bool is_concentric;  // no direction leads from centre to centre: F 0, the point the centre, what hangs on one NaN
} cd_perram;

// `start`: lambda of the same pair a while ago, to start from; changes the result by no more than its error. 0: none.
cd_perram cd_perram_of(const cd_ellipsoid *a, const cd_ellipsoid *b, double start);

// Of concentric ones, whose potential is 0 at every lambda, that of two which part along a unit vector:
// h_a / (h_a + h_b).
double cd_perram_lambda_along(const cd_ellipsoid *a, const cd_ellipsoid *b, cd_vec3 n);

// ---- many pairs ----------------------------------------------------------------------------------------------------

enum { CD_PERRAM_LANES = 8 };

// Numbers of up to so many pairs side by side. Pairs stand in an order that their half axes have, so that exchanging a
// and b changes nothing here; `is_flipped` says where that is the other one.
typedef struct cd_perram_block {
    int32_t count;
    double a[3][3][CD_PERRAM_LANES], b[3][3][CD_PERRAM_LANES];  // [m] axis, component
    double between[3][CD_PERRAM_LANES];                         // [m] from a's centre to b's
    double start[CD_PERRAM_LANES];                              // lambda, or 0
    bool is_flipped[CD_PERRAM_LANES];
    // results: point_a and point_b from their own centres
    double lambda[CD_PERRAM_LANES], mu[CD_PERRAM_LANES], gap[CD_PERRAM_LANES], iterations[CD_PERRAM_LANES];
    double normal[3][CD_PERRAM_LANES], point_a[3][CD_PERRAM_LANES], point_b[3][CD_PERRAM_LANES];
} cd_perram_block;

// Appends a pair; there must be room.
void cd_perram_add(cd_perram_block *block, const cd_ellipsoid *a, const cd_ellipsoid *b, double start);
// Solves all that were added, with vectors no wider than `most`.
void cd_perram_solve(cd_perram_block *block, cd_vector_level most);
// The result of pair number i, whose centres these are.
cd_perram cd_perram_get(const cd_perram_block *block, int32_t i, cd_vec3 centre_a, cd_vec3 centre_b);

// ---- levels (cd_perram_lanes.h) ------------------------------------------------------------------------------------

void cd_perram_solve_avx2(cd_perram_block *block);
void cd_perram_solve_avx512(cd_perram_block *block);

#endif
