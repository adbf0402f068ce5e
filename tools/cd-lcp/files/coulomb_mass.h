// coulomb_mass -- a large sparse mass made the identity: M = P' L L' P, v' = L' P v, J' = J P' L^-T.
//
// The solvers take masses of small blocks, one a body; a mesh is one block of any size, which they would factor dense.
// L comes from sparse Cholesky (rows of L one after another along the elimination tree), in an order of least degree.
// Each row of J then touches the columns on the paths of its own from leaf to root. Memory: L and the new J.
// Sources: Davis, Direct Methods for Sparse Linear Systems, 2006, chapter 4; Amestoy, Davis & Duff 1996.
// SPDX-License-Identifier: MIT
#ifndef COULOMB_MASS_H
#define COULOMB_MASS_H

#include "coulomb.h"

typedef struct cd_mass_factor cd_mass_factor;

// Rows of the largest connected block of M.
int32_t cd_mass_largest_block(const cd_mm_matrix *M, cd_arena *scratch);

// NULL when M is not positive definite, or where L or the new Jacobian would have more than `most` entries.
cd_mass_factor *cd_mass_factor_make(const cd_mm_matrix *M, int64_t most, cd_arena *arena);

// The problem in v': mass 1, the same impulses. False above `most` entries.
bool cd_mass_whiten(const cd_mass_factor *factor, const cd_coulomb *p, int64_t most, cd_arena *arena, cd_coulomb *out);

// The reduced form of a problem of mass 1: W = J J', w + J f. Dense where J's rows meet: rows^2 doubles.
void cd_mass_reduce(const cd_coulomb *white, cd_arena *arena, cd_coulomb *out);

// v' of impulses: J' r + f.
void cd_mass_white_velocities(const cd_coulomb *white, const double *r, double *velocity);

// v of v'.
void cd_mass_velocities(const cd_mass_factor *factor, const double *white, double *v, cd_arena *scratch);

#endif
