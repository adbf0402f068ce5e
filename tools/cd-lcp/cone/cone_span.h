// cone_span -- rows of a sparse positive semidefinite matrix C that span all others: C = C_.p C_pp^-1 C_p. of these p.
//
// So the columns of C at p are a Jacobian and C_pp its mass, both as sparse as C. A contact problem that comes as the
// matrix of its impulses alone gets velocities of its own this way: as many as its bodies have, each shared by the
// contacts of two bodies.
//
// C is factored front by front (gram_order.h), with complete pivoting within a front, and nothing is kept but the
// pivots. Where a diagonal entry has come down to rounding, all of its row has: it depends on those before, and drops
// out. So fronts stay small where C has many more rows than rank. Work: the fronts' pivots times their squares.
// Source: Duff & Reid 1983; Higham 2002, 10.3, for semidefinite matrices; Williams & Seeger 2001 for the form.
// SPDX-License-Identifier: MIT
#ifndef CONE_SPAN_H
#define CONE_SPAN_H

#include "cone_root.h"

// direct of s, symmetric; is_used: rows that count, others are as if they were not there. pivot (n): the rows p,
// ascending; count: how many. The fronts stay below `most` bytes. scratch is left as it was.
cd_cone_root_status cd_cone_span(const cd_lcp_structure *s, const bool *is_used, int64_t most, int32_t *pivot,
                                 int32_t *count, cd_arena *scratch);

// C_ii, of the row's list; 0: it is not there.
double cd_cone_diagonal(const cd_lcp_structure *s, int32_t i);

#endif
