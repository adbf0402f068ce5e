// penalty_stable -- the largest step at which the explicit motion under contact forces does not grow.
//
// A contact of stiffness p moves both of its sides, (n.v_b - n.v_a)^2 <= 2 (n.v_a)^2 + 2 (n.v_b)^2, so the largest
// omega^2 is at most the largest sum over the contacts of a body of 2 p e, where e is what a unit force along n does to
// the body's side of the contact, 1 / m and what turns it (Gershgorin's bound, in blocks); of a pair alone, p (1/m_a +
// 1/m_b) at most. Against what no force moves the factor is 1. Likewise damping, summed up to d. Central differences
// whose damping lags half a step are stable while h^2 omega^2 + 2 h d <= 4:
//
//     h = (sqrt(d^2 + 4 omega^2) - d) / omega^2          without damping 2 / omega
//
// It is a bound: a pair of equal masses is told its own step, 2 sqrt(m_eff / p); of unlike ones that of the lighter.
// SPDX-License-Identifier: MIT
#ifndef PENALTY_STABLE_H
#define PENALTY_STABLE_H

#include "cd_memory.h"

typedef struct cd_penalty_sums {
    double stiffness;  // [1/s^2] sum of 2 p e
    double damping;    // [1/s]
} cd_penalty_sums;

// omega^2 [1/s^2] >= 0, d [1/s] >= 0. Infinite where both are 0.
double cd_penalty_stable_step(cd_penalty_sums most);

#endif
