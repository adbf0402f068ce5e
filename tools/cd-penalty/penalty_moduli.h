// penalty_moduli -- the stiffness of a contact of balls from the bulk moduli of their materials:
//
//     p = beta / 2 (B_1 R_1 + B_2 R_2)                                [N/m]
//
// as pinball contact takes it (Quaranta & Alves; Belytschko & Neal 1991). A side that is no ball counts as the mirror
// image of the other one: p = beta B R.
// SPDX-License-Identifier: MIT
#ifndef PENALTY_MODULI_H
#define PENALTY_MODULI_H

#include "cd_leaves.h"

// Of contact row `row`. CD_ERR_FORMAT "contact 3: body 5: its material has no bulk modulus: --stiffness is needed";
// CD_ERR_UNSUPPORTED where neither side is a ball.
cd_status cd_penalty_stiffness(const cd_model *in, const cd_leaves *shapes, int32_t row, double beta, double *stiffness,
                               cd_diag *diag) CD_MUST_CHECK;

#endif
