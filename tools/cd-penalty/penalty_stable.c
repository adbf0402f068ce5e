// SPDX-License-Identifier: MIT
#include "penalty_stable.h"

#include <math.h>

double cd_penalty_stable_step(cd_penalty_sums most)
{
    // The other form of the root: without cancellation, and right for omega = 0.
    double d = most.damping;
    return 4 / (sqrt(d * d + 4 * most.stiffness) + d);
}
