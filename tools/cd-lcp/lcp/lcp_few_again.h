// lcp_few_again -- as lcp_again.h where few rows carry: the dense factor of these is kept, and a row that comes or goes
// is one row of it.
//
// An answer costs two solutions with the factor and a look at all rows, a row that changes as much again: 14,000 rows
// of hulls of which 600 carry 1.5 ms, where each change of the sparse factor of all velocities costs 3 to 5. By the
// dual active-set method, from the rows that carry (methods/lcp_qp.c).
// SPDX-License-Identifier: MIT
#ifndef LCP_FEW_AGAIN_H
#define LCP_FEW_AGAIN_H

#include "lcp_structure.h"

typedef struct cd_lcp_few_again cd_lcp_few_again;

// From the rows with y > 0. NULL where these are too many for options->max_work multiplications: a factor of k rows
// counts k^3. s: symmetric positive semidefinite, without friction; it must live as long, and its q is read anew by
// each answer. @owns arena
cd_lcp_few_again *cd_lcp_few_again_make(const cd_lcp_structure *s, const cd_lcp_options *options, const double *y,
                                        cd_arena *arena);

// y: the answer with the structure's present q. False where too many rows change, or it is not found: y is as it was.
bool cd_lcp_few_again_next(cd_lcp_few_again *m, double *y);

#endif
