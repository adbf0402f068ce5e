// cd_bounds2 -- closed boxes around the leaves of the plane's bodies over a step.
//
// The box of a leaf holds the leaf exactly placed at each pose given and everything between consecutive ones, rounded
// outward: what rounding did to the placed vertices is added. Beyond that it is tight. On the way from one pose to
// another, with the angle turning by D, a point at distance r from the body's origin leaves the chord between its two
// places by at most r D^2 / 8 (the error of linear interpolation), so boxes over a motion grow by that; the chords
// themselves lie in the union of the two boxes. Half-spaces: bounded on one side when the placed normal lies exactly
// along an axis, else the whole plane. Cost: O(vertices) a pose.
// SPDX-License-Identifier: MIT
#ifndef CD_BOUNDS2_H
#define CD_BOUNDS2_H

#include "cd_aabb.h"
#include "cd_leaf2.h"
#include "cd_motion2.h"

cd_aabb cd_bounds2_leaf(const cd_leaf2 *leaf, cd_pose2 pose);

// Covers the motions from state[0] to each of the others.
cd_aabb cd_bounds2_motion(const cd_leaf2 *leaf, const cd_state2 *state, int count);

#endif
