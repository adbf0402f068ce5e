// cone_program -- contacts as a programme on second-order cones, in the space of velocities.
//
//     min 1/2 u'(D + C) u   subject to   s = H u + h + sigma e in the product of cones,    multipliers z:  (D + C) u = H'z
//
// A cone is {x: x_0 >= |(x_1, x_2)|} of one to three rows: one row a contact without friction, two or three with a
// disc. Of a contact with normal n, tangents t and friction mu the rows are those of (w_n / mu, w_t), and z = (mu y_n,
// y_t); a common factor brings their mean square norm, that of M^-1, to 1. With sigma = |w_t| (De Saxce & Feng 1998) s
// and z are complementary exactly where y is Coulomb's: max dissipation, and w_n >= 0 complementary to y_n. Several
// discs of one normal share it: each further disc k gets a column r_k without mass, its rows are (r_k, w_tk), and those
// of the first one (w_n - sum_k mu_k r_k) / mu_1. Columns: the velocities of the structure and those of its root
// (cone_root.h), for which D = 1; then the r_k, D = 0. C is what the mass of the root has beside its diagonal, mostly
// nothing. Normal rows that act on no velocity are left out with their discs: whatever their impulse, w = q.
// SPDX-License-Identifier: MIT
#ifndef CONE_PROGRAM_H
#define CONE_PROGRAM_H

#include "cone_algebra.h"
#include "cone_root.h"
#include "gram_factor.h"

typedef struct cd_cone_program {
    cd_gram_groups groups;  // cones one after the other that touch the same columns, as those of two bodies do
    cd_cones cones;         // their rows
    const int64_t *place;   // of each cone its values,
    const int32_t *stride;  // and from one of its rows to the next
    double *H, *h;          // values as groups.place says; a row each
    double *D;              // groups.columns
    int32_t *source;        // of each row: the row of the structure; -1: of a further disc's first row
    double *unit;           // of each row: y = unit z
} cd_cone_program;

// s: symmetric, without rooms. @owns arena
cd_cone_program cd_cone_program_make(const cd_lcp_structure *s, const cd_cone_root *root, cd_arena *arena);

// The cones with keep[c] alone, on the same columns: a programme of its own, which reads D of p. p has no C.
// @owns arena
cd_cone_program cd_cone_program_part(const cd_cone_program *p, const bool *keep, cd_arena *arena);

// y (n of the structure) of the multipliers z; rows that are in no cone (tangents with mu = 0) get 0.
void cd_cone_impulses(const cd_cone_program *p, const double *z, int32_t n, double *y);

#endif
