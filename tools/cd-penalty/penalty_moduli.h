// penalty_moduli -- the stiffness of a contact of balls from the bulk moduli of their materials:
//
//     p = beta / 2 (B_1 R_1 + B_2 R_2)                                [N/m]
//
// as pinball contact takes it (Quaranta & Alves; Belytschko & Neal 1991). A side that is no ball counts as the mirror
// image of the other one: p = beta B R.
// SPDX-License-Identifier: MIT
#ifndef PENALTY_MODULI_H
#define PENALTY_MODULI_H

#include "cd_pinballs.h"

// Of contact row `row`, whose sides are these balls; radius NaN where one is none.
// CD_ERR_FORMAT "contact 3: body 5: no material with a bulk modulus: --stiffness is needed"; CD_ERR_UNSUPPORTED where
// neither side is a ball.
cd_status cd_penalty_stiffness(const cd_placed_pinballs *balls, int32_t row, const double radius[2], double beta,
                               double *stiffness, cd_diag *diag) CD_MUST_CHECK;

// [m] of the ball that a part of a body with a shape is; NaN: it is none.
double cd_penalty_radius_of_body(const cd_placed_pinballs *balls, const int32_t *site);

#endif
