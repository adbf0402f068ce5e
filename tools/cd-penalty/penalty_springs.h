// penalty_springs -- the tangential springs that a frame brings (table `spring`): which contact each belongs to, and
// how it turns with its bodies from the frame before to this one.
//
// A contact goes on as the same one while its bodies and their parts are the same. The triangles of a surface are one
// part: a contact may move from triangle to triangle. Features tell several contacts of the same parts from each other
// where they can, else the nearest point does, the nearest pair first, with a normal that has not turned by more than
// 60 degrees; balls of a split pinball are parts of their own. O(n log n) for n contacts and springs, where each point
// has few springs about it that nearer contacts want.
// SPDX-License-Identifier: MIT
#ifndef PENALTY_SPRINGS_H
#define PENALTY_SPRINGS_H

#include "cd_leaves.h"
#include "cd_records.h"
#include "cd_vec3.h"

// By row of `contact` the row of `spring` that it goes on from; -1: it is new. Contacts with a gap below 0 alone have
// one, and no two the same. NULL where the frame has no springs. @owns arena
const int32_t *cd_penalty_springs_match(cd_arena *arena, const cd_model *in, const cd_leaves *shapes);

// A spring [m] across the normal `before`, turned for `time` [s] with the spin [rad/s], the mean of the bodies', and
// then by the shortest turn into the plane across `normal` (Smilauer, Yade: ScGeom): under a rigid motion of the pair
// it turns as the bodies do, to rounding. 0 where the normal turned by a right angle or more.
cd_vec3 cd_penalty_spring_turned(cd_vec3 spring, cd_vec3 before, cd_vec3 normal, cd_vec3 spin, double time);

#endif
