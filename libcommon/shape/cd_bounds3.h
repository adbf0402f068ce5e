// cd_bounds3 -- closed boxes around the leaves of bodies in space over a step.
//
// The box of a leaf holds the leaf exactly placed at each pose given and everything between the first and each of the
// others, rounded outward: what rounding did to the placed leaf is added. Beyond that it is tight.
//
// Between two poses the position goes along a straight line while the orientation turns about a fixed axis by an angle
// D, both at constant rate (which is how a step moves bodies). With time from 0 to 1 a point at distance r from the
// body's origin has an acceleration of at most r D^2, so it leaves the chord between its two places by at most
// r D^2 / 8 (the error of linear interpolation), and by at most 2 r in any case. The chords themselves lie in the box
// around both boxes, so boxes over a motion grow by that.
//
// A half-space is bounded on one side when the placed normal lies exactly along an axis (unturned, or turned by quarter
// turns), else it is the whole space. Cost: O(vertices) a pose.
// SPDX-License-Identifier: MIT
#ifndef CD_BOUNDS3_H
#define CD_BOUNDS3_H

#include "cd_aabb.h"
#include "cd_leaf3.h"
#include "cd_motion3.h"

cd_aabb cd_bounds3_leaf(const cd_leaf3 *leaf, const cd_pose3 *pose);

enum { CD_BOUNDS_POSES = 3 };  // start, predicted, trial

// Motions from the first pose to each of the others. All parts of a body share them.
typedef struct cd_motions3 {
    int count;  // of poses, 1 .. CD_BOUNDS_POSES
    cd_pose3 pose[CD_BOUNDS_POSES];
    double turn;  // [rad] the largest D
} cd_motions3;

// D is the angle between the two orientations, or step times the later state's spin where that is more: a body that
// turns by more than half a turn does not take the shortest way. step [s] 0: the angles alone.
cd_motions3 cd_motions3_make(const cd_state3 *state, int count, double step);
cd_aabb cd_bounds3_motion(const cd_leaf3 *leaf, const cd_motions3 *motions);

#endif
