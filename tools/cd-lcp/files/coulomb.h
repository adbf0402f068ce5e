// coulomb -- contact problems with Coulomb friction as other programs state them, brought to the solvers of cd-lcp and
// back.
//
// One of two forms, for C contacts of d = 2 or 3 rows each: the normal, then the tangents.
//   global    M v = J' r + f,  u = J v + w      M: mass, symmetric positive definite; J: d C rows
//   reduced   u = W r + w                       W: d C x d C, symmetric positive semidefinite (Delassus)
// with, for each contact, u = (u_N, u_T), r = (r_N, r_T) and its mu >= 0:
//   r_N >= 0,  u_N >= 0,  r_N u_N = 0,  |r_T| <= mu r_N,  and where u_T is not 0: r_T = -mu r_N u_T / |u_T|.
// These are the global and the local problem of FCLIB, its H being J' (Acary, Bremond, Koziara & Perignon, FCLIB: a
// collection of discrete 3D Frictional Contact problems, INRIA RT-0444, 2014, section 2). u and r are a velocity and an
// impulse, or a displacement and a force: units are those of the data.
// SPDX-License-Identifier: MIT
#ifndef COULOMB_H
#define COULOMB_H

#include "matrix_market.h"
#include "mcp.h"

typedef struct cd_coulomb {
    const char *name;  // for messages
    int32_t dimension, contacts;
    bool is_reduced;
    cd_mm_matrix matrix;    // W, or M
    cd_mm_matrix jacobian;  // J; without entries when reduced
    double *force;          // f; NULL when reduced
    double *rhs;            // w
    double *mu;             // of each contact
    cd_mm_source mu_source;
} cd_coulomb;

static inline int32_t cd_coulomb_rows(const cd_coulomb *p) { return p->dimension * p->contacts; }
static inline int32_t cd_coulomb_velocities(const cd_coulomb *p) { return p->is_reduced ? 0 : p->matrix.rows; }

// CD_ERR_FORMAT where sizes do not fit, a number is not finite, mu is negative, or M is not symmetric with a positive
// diagonal: entries further apart than 1e-8 of the diagonal's geometric mean. The sentence begins with the source where
// a part has one, and the line of what is wrong, else with the problem's name.
cd_status cd_coulomb_check(const cd_coulomb *p, cd_diag *diag) CD_MUST_CHECK;

typedef struct cd_coulomb_solution {
    cd_lcp_status status;         // `solved` by cd_coulomb_residual alone
    const char *solver, *reason;  // as in cd_mcp_solution
    double residual;              // of cd_coulomb_residual
    int64_t iterations;
    int32_t islands, largest_island;
    double *r, *u, *v;  // d C, d C, and the velocities of the global form; @owns arena
} cd_coulomb_solution;

// Islands, structure and methods are those of cd_mcp_solve. Where its answer does not pass the verification it is asked
// once more, with a sixteenth of the tolerance.
void cd_coulomb_solve(const cd_coulomb *p, const cd_lcp_solver *solver, const cd_lcp_options *options, cd_arena *arena,
                      cd_coulomb_solution *out);

#endif
