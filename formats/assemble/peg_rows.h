// peg_rows -- the mixed complementarity problem (48) of a time step from bodies, contacts and constraints, on plain
// arrays.
//
//     w = M z + rhs,   z = [nu; p_n; p_I; p_X; c_I; c_X]
//
//     [ 0       ]   [ -M     G_n  G_nI  0    ] [nu ]   [ M nu^l + p_ext ]   rows of velocity: free
//     [ rho_n   ] = [ G_n'   0    0     0    ] [p_n] + [ rate_n         ]   impulse rows of U
//     [ rho_nI  ]   [ G_nI'  0    0     E_I2 ] [p_I]   [ rate_Ii        ]   impulse rows of primaries of I, then X
//     [ gamma_I ]   [ G_I'   0    0     E_I1 ] [c_I]   [ rate_I         ]   a slack row for each secondary of I, then X
//
// One primary. E_I2 has a row of ones over the slacks of its constraint, E_I1 is lower triangular with ones (39)-(42):
// the running maximum S_s = S_{s-1} + c_s of (20). Slack rows have rate_primary - rate_s and the column G_primary -
// G_s, s over all secondaries (the printed range of (41), (42) drops one). c is in velocity units, [m/s].
//
// Several primaries i_1..i_m (20)-(23): all members but i_1 have a slack c in S, then each primary has d_j, the depth
// of its gap below 0, and one slack e keeps the maximum >= 0:
//     0 <= rate_1 + sum c + d_j  _|_ p_j >= 0       impulse rows: the rate of i_1, the column of i_j
//     0 <= rate_j + d_j          _|_ d_j >= 0       (22)
//     0 <= rate_1 + sum c - e    _|_ e   >= 0       (21): no impulse of its own, those of the primaries must bring it
// Slack rows come in the order c, d, e.
//
// Friction (peg_friction.h) follows behind the slacks, contact by contact: rows of friction, of a pyramid then its row
// of slip, of discs then rows of rolling and of spinning.
//
// A velocity block has `axes` components: 3 in the plane (x, y, spin), 6 in space. A gradient is d psi / d q of one
// body in these components, a column of G; the caller derives it (peg_frame.h).
//
// Cost: O(bodies axes^2 + rows axes). Entries come sorted by row, then column; zeros are left out.
// SPDX-License-Identifier: MIT
#ifndef PEG_ROWS_H
#define PEG_ROWS_H

#include "peg_friction.h"
#include "peg_model.h"

typedef struct cd_peg_gradient {
    int32_t block[2];                   // velocity block of a and b, -1: the body has none (fixed or prescribed)
    double column[2][CD_PEG_AXES_MAX];  // d psi / d q of a and b
    double rate;  // [m/s] constant term of the gap's rate, the paper's Psi: psi / h + known parts of dpsi/dt
    const double (*impulse)[CD_PEG_AXES_MAX];  // [2] what an impulse of 1 N s gives to a and b; NULL: the column
} cd_peg_gradient;

typedef struct cd_peg_bodies {
    int axes;
    int32_t count;           // velocity blocks
    const double *mass;      // count x axes x axes, symmetric; in space the world-frame inertia fills the lower right
    const double *momentum;  // count x axes: M nu^l + p_ext [N s], [N m s]
} cd_peg_bodies;

typedef enum cd_peg_role {
    CD_PEG_VELOCITY,
    CD_PEG_IMPULSE,
    CD_PEG_SLACK,
    CD_PEG_SLIP,
    CD_PEG_FRICTION,
    CD_PEG_ROLLING,
    CD_PEG_SPINNING
} cd_peg_role;  // the order of the stream's vocabulary

typedef struct cd_peg_row {
    cd_peg_role role;
    int32_t block, axis;          // velocity rows, else -1
    int32_t contact, constraint;  // impulse and friction rows: the primary; slack rows: the member; velocity rows: -1
    double rhs;                   // velocity rows [kg m/s], about axes of spin [kg m^2/s]; others [m/s],
                                  // of rolling and spinning [rad/s]
    bool is_disc;                 // friction without bounds of its own
    int32_t normal_row;           // of a disc: the row of the normal impulse
    double mu;                    // of a disc [1], of rolling and spinning [m]
} cd_peg_row;

typedef struct cd_peg_problem {
    int32_t row_count, velocity_count, impulse_count;  // rows: velocities, impulses, slacks, friction
    const cd_peg_row *row;
    int32_t entry_count;
    int32_t *entry_row, *entry_col;
    double *value;
} cd_peg_problem;

// What is linearised at the poses of the contacts. With `stabilize` an overlap is pushed out within the step (the term
// psi / h). Without it a constraint that is violated at the linearisation asks only that it does not get worse: the gap
// rates of its contacts are raised by one number such that their maximum is 0; for U that is max(psi, 0) / h.
typedef struct cd_peg_linearised {
    const cd_peg_bodies *bodies;
    const cd_peg_gradient *contact;  // of each contact
    const cd_peg_constraints *constraints;
    const cd_peg_friction *friction;  // NULL: none
    bool stabilize;
} cd_peg_linearised;

// CD_ERR_LIMIT when rows or entries are more than can be numbered. @owns arena
cd_status cd_peg_assemble(const cd_peg_linearised *linearised, cd_arena *arena, cd_peg_problem *problem,
                          cd_diag *diag) CD_MUST_CHECK;

typedef struct cd_peg_conditioning {
    int32_t size, rank;
    double condition;  // largest over least of the `rank` eigenvalues that count as nonzero; 0 when there is none
} cd_peg_conditioning;

// Of the Delassus matrix W = G' M^-1 G over all impulse rows: symmetric, positive semidefinite. O(n v min(n, v)) for n
// impulses and v velocities.
cd_peg_conditioning cd_peg_condition(const cd_peg_bodies *bodies, const cd_peg_gradient *contact,
                                     const cd_peg_problem *problem, cd_arena *scratch);

#endif
