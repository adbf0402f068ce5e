// lcp_again -- contacts without friction again and again, as their gaps move: each answer starts where the last ended.
//
// The rows that carry hardly change from one problem to the next, so the factor of the last one stays good, and the
// method of multipliers (cone_lagrangian.h) goes on from its point. An answer costs two or three solutions with the
// factor, and a factor for each change of the rows: 1,400 rows of polygons 0.15 ms, where conjugate gradients take 2
// to 10; 10,000 rows of hulls 1 and 100. Rows that change in greater number are decided together (cone_undecided.h).
// Where rows depend on one another, impulses of the first answer are off by 1e-7 along what moves nothing, those of
// the others by 1e-10. Made of the rooms above (cone/lcp_again.c).
// SPDX-License-Identifier: MIT
#ifndef LCP_AGAIN_H
#define LCP_AGAIN_H

#include "lcp_structure.h"

typedef struct cd_lcp_again cd_lcp_again;

// NULL where it is not for the problem: not known to be semidefinite, friction, a row without mass, or a factor of more
// than options->max_dense bytes or options->max_work multiplications. s must live as long. @owns arena
cd_lcp_again *cd_lcp_again_make(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *arena);

// Begins with the rows whose impulse y is above their gap rate w (of each row of the structure).
void cd_lcp_again_start(cd_lcp_again *m, const double *y, const double *w);
// y: the answer with q in the place of the structure's, n each. False where its rows were not found: y is as it was,
// and cd_lcp_again_start is needed before the next one.
bool cd_lcp_again_next(cd_lcp_again *m, const double *q, double *y);

#endif
