// lcp_active -- a set A of rows of a symmetric positive semidefinite structure with w_A = 0: what qp and ppm share.
//
// Invariant between calls: y is 0 or at its room outside A. direction() gives what a change of y_i does: y_A changes by
// -r, and row i moves away from the rows A by `distance` (squared, in the norm of S). Costs: direction: the entries of
// the rows A + k^2; evaluate and change: all entries. Of few rows S itself is formed, from which the entries of A are
// read.
// SPDX-License-Identifier: MIT
#ifndef LCP_ACTIVE_H
#define LCP_ACTIVE_H

#include "lcp_factor.h"
#include "lcp_structure.h"
#include "lcp_tiles.h"

// A row is satisfied within rounding when it is violated by less than this part of 1 + max |u|, or this part of the
// terms of u.
#define CD_ACTIVE_VIOLATION 4e-14
#define CD_ACTIVE_ROUNDING 4e-16
// Components of r below this part of the largest are rounding of zeros.
#define CD_ACTIVE_FALL 1e-12

typedef struct cd_active {
    const cd_lcp_structure *s;
    cd_factor f;  // f.list: A
    bool has_direct;
    bool *active;                            // of each row: in A
    double *y, *w, *u, *r;                   // r: of the last direction, over A
    double *v;                               // of the last direction, what cd_active_join needs
    double distance;                         // of the last direction; 0: the row depends on A
    cd_tiles tiles;                          // S, where it is small enough to be formed; else without rows
    double *spread_u, *spread_y, *combined;  // scratch
    double *four;                            // scratch, of four rows of the tiles; zeros
    cd_arena *arena;
} cd_active;

// y: cd_tiles_padded(n) zeros, to hold the answer. @owns arena
cd_active cd_active_start(const cd_lcp_structure *s, const cd_lcp_options *options, double *y, cd_arena *arena);
#define CD_ACTIVE_TOO_LARGE "the factor of the active rows would need more memory than --max-dense"
void cd_active_evaluate(cd_active *a);              // w of the present y
double cd_active_value(cd_active *a, int32_t i);    // w_i alone, of the present y; where there are tiles
double cd_active_left_over(const cd_active *a);     // the largest |w_A|
void cd_active_direction(cd_active *a, int32_t i);  // row i not in A
// Those of rows not in A join it, in this order, that do not depend on it, nor nearly: without directions, and y stays.
void cd_active_join_all(cd_active *a, const int32_t *row, int32_t count);
// dw: w's change when y_i grows by 1 and y_A by -r; right after the direction
void cd_active_change(cd_active *a, int32_t i, double *dw);
// Right after the direction of i, where it is not dependent and the factor not full.
void cd_active_join(cd_active *a, int32_t i);
void cd_active_leave(cd_active *a, const int32_t *place, int32_t count);  // places ascending; y stays as it is
// y_A := y_A - S_AA^-1 w_A within its bounds: one step of iterative refinement; then evaluates.
void cd_active_correct(cd_active *a);
double cd_active_violation(const cd_active *a);  // what counts as satisfied now
// Whether row i, violated and dependent on A (right after its direction), contradicts A: shown by row i plus the rows
// of A that y_i raises.
bool cd_active_refutes(cd_active *a, int32_t i);

#endif
