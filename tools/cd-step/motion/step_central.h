// step_central -- what central differences of bodies and of nodes have in common.
// SPDX-License-Identifier: MIT
#ifndef STEP_CENTRAL_H
#define STEP_CENTRAL_H

#include "cd_records.h"

// [1] The part of a step over which forces act on velocities: half of it in frame 0, whose velocities are of its time.
double cd_step_central_kick(const cd_model *in);

#endif
