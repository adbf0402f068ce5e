// coulomb_verify -- how far impulses are from an answer of a contact problem with friction, on the problem as it was
// read. It shares nothing with the solvers: no scaling, no structure, and another map than theirs.
//
// For contact k, with t_k the mean of the diagonal of its block of W (global form: of J diag(M)^-1 J'; where that is 0
// the largest of all contacts, or 1), D = max(1, mu) and s = u_N + mu |u_T| (De Saxce's velocity), the larger of
//     |r_N - max(0, r_N - u_N / t_k)| sqrt(t_k)                    Signorini
//     |x - P(x - y / t_k)| sqrt(t_k)                               the natural map of the second-order cone:
//         x = (D r_N, r_T), y = (s / D, u_T), P the projection on |x_T| <= mu / D x_N
// in the global form for each velocity i also
//     |(M v - J' r - f)_i| / sqrt(M_ii),
// all of them plus what rounding makes of the sums: 2^-52 times the magnitudes that are added. The residual is the
// largest of these over
//     max_k |w_k| / sqrt(t_k) and, in the global form, max_i |f_i| / sqrt(M_ii): what acts without any contact;
// 1 where that is 0. All are square roots of energies, so it depends neither on units nor on the scale of the data.
// D keeps the rounding of u_T, which the cone's map multiplies by mu, from hiding a good answer of a large mu.
// Sums are in long double. Source: Acary & Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, 2008, 13.4;
// De Saxce & Feng 1998.
// SPDX-License-Identifier: MIT
#ifndef COULOMB_VERIFY_H
#define COULOMB_VERIFY_H

#include "coulomb.h"

// r: d C; v: the velocities, NULL in the reduced form. u (d C, may be NULL) receives J v + w or W r + w. Infinity where
// anything is not finite.
double cd_coulomb_residual(const cd_coulomb *p, const double *r, const double *v, double *u, cd_arena *scratch);

#endif
