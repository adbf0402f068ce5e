// cone_system -- the linear equations of a step of the interior point, for one scaling W.
//
// With R = W^-1 H the velocities of a step solve K u = b, K = D + R'R: symmetric, positive definite, sparse as the
// graph of contacts (gram_factor.h). De Saxce's term makes it K + R' W^-1 e g' H: sigma = |w_t| follows
// the velocities with the slope g' H, g = w_t / |w_t|. The second part is not symmetric; GMRES takes it, with K as the
// preconditioner. Source: Saad & Schultz 1986.
// SPDX-License-Identifier: MIT
#ifndef CONE_SYSTEM_H
#define CONE_SYSTEM_H

#include "cone_program.h"
#include "gram_kept.h"

enum { CD_CONE_KRYLOV = 8 };

typedef struct cd_cone_system {
    const cd_cone_program *p;
    cd_gram *gram;
    cd_cone_scaling scaling;
    double *R;
    double *slip;                              // g, a row each; 0 in the first rows and where nothing slips
    double *push;                              // how sigma acts on the velocities: W^-2 e, a row each
    double *row, *column;                      // scratch
    double *krylov[CD_CONE_KRYLOV + 1], *sum;  // columns each
} cd_cone_system;

// Analyses the pattern, unless it is kept (NULL: none is); arrays of the size of the programme, the factor not yet.
// @owns arena
cd_cone_system cd_cone_system_make(const cd_cone_program *p, cd_gram_kept *kept, cd_arena *arena);

void cd_cone_system_factor(cd_cone_system *m);               // with its scaling
void cd_cone_system_even(cd_cone_system *m, double weight);  // K = D + weight H'H

void cd_cone_system_solve(cd_cone_system *m, const double *b, double *u);       // K u = b, refined once
void cd_cone_system_solve_once(cd_cone_system *m, const double *b, double *u);  // the same, not refined

// The slopes of sigma at w_t = H u + h of its rows, `value`.
void cd_cone_system_slopes(cd_cone_system *m, const double *value);
// How sigma changes (a cone each) where u solves the whole system and `u` is K^-1 b of its right side.
void cd_cone_system_slips(cd_cone_system *m, const double *u, double *change);
// The same where sigma is off by `off`: what it changes by besides, as the slips follow it. b: scratch, columns.
void cd_cone_system_lead(cd_cone_system *m, const double *off, double *b, double *change);

#endif
