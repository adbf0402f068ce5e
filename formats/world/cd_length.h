// cd_length -- the characteristic length L of a run, which tolerances, margins and the automatic reach go with: one
// answer for all stages.
//
// head.length where the stream states it. Else what cd-scene(1) writes: the median diameter of the convex parts of the
// dynamic bodies, of all bodies where these have none. Released or not, all bodies of the frame count. 1 m where no
// part has a diameter (half-spaces, bodies of elements).
// SPDX-License-Identifier: MIT
#ifndef CD_LENGTH_H
#define CD_LENGTH_H

#include "cd_leaves.h"

// [m], > 0. `leaves` were made of the same head. O(1) where the stream states it, else O(bodies + leaves log leaves).
// Scratch: the arena, given back.
double cd_length_of(cd_arena *arena, const cd_model *in, const cd_leaves *leaves);

// [m] The geometric epsilon, points closer than it are one: head.epsilon where the stream states it, else 1e-6 L. Cost
// and memory as above.
double cd_epsilon_of(cd_arena *arena, const cd_model *in, const cd_leaves *leaves);

// [m/s] sqrt(|g| L); without gravity L per second.
double cd_speed_of(const cd_model *in, double length);

#endif
