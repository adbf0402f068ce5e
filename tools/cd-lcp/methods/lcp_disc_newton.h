// lcp_disc_newton -- Newton steps on the natural map of a structure with friction discs, to finish what Gauss-Seidel
// began.
//
// The problem is that of a proximal step: w = M y + q + damping (y - center), whose solution tends to one of the
// problem itself as the centre is moved there (Rockafellar 1976). Impulses of redundant contacts are not unique; the
// damping fixes them. With a = y - w of the present point every row is in one of these states, and its equation is
// linear in the step:
//   normal impulse: open (a_n <= 0): y_n = 0; closed: w_n = 0; at its room: y_n = room
//   disc, radius r = mu y_n: open with its normal; sticking (|a_t| < r): w_t = 0;
//   slipping, d = a_t / |a_t|: y_t = r d + (r / |a_t|) (1 - d d') (change of a_t) + mu d (change of y_n)
// Cost: 2/3 k^3 a step for the k rows not open. Source: Alart & Curnier 1991.
// SPDX-License-Identifier: MIT
#ifndef LCP_DISC_NEWTON_H
#define LCP_DISC_NEWTON_H

#include "lcp_structure.h"

typedef struct cd_lcp_proximal {
    const cd_lcp_structure *s;
    double damping;  // of rows whose diagonals are near 1; >= 0
    const double *center;
} cd_lcp_proximal;

// w of the proximal problem; u as cd_lcp_structure_values.
void cd_lcp_proximal_values(const cd_lcp_proximal *p, const double *y, double *u, double *w, cd_arena *scratch);

// Number of unknowns of a step from y (w: its values).
int32_t cd_lcp_disc_unknowns(const cd_lcp_structure *s, const double *y, const double *w);

// One step from y (w: its proximal values) into `next`, not projected on its bounds. False when the matrix is singular.
bool cd_lcp_disc_step(const cd_lcp_proximal *p, const double *y, const double *w, double *next, cd_arena *scratch);

#endif
