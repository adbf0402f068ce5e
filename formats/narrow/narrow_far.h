// narrow_far -- pairs that a step keeps apart, told before their parts are placed.
//
// A ball over a mesh is a candidate of each facet under its box, some seven where it touches one or two: placing a
// facet at three poses and looking up what stands beside it takes thirty times as long as the distance of a point to
// it.
// SPDX-License-Identifier: MIT
#ifndef NARROW_FAR_H
#define NARROW_FAR_H

#include "narrow_placed.h"

// Is the pair a sphere or an ellipsoid and a facet of which no mode that asks at all poses of the step finds a contact
// within `reach` [m]? As the facet's body sees it, the ball about the centre (of the largest semiaxis) is out of reach
// at the start by more than the centre is away from there at any pose; so it has not gone through either. False: not
// known. O(1)
bool cd_narrow_is_far(cd_narrow_placer *placer, const cd_narrow_site_pair *pair, double reach);

// Takes those pairs of a sphere with a facet of a body that stands still off the frame's list that no mode finds a
// contact of, of which no pair asks what covers it: before anything is made for each pair. Not of bodies of several
// parts. Some 40 ns a pair, against 1 us. (1e5 balls over 1e6 triangles: 730,000 pairs, of which 200,000 stay.)
void cd_narrow_drop_far(cd_narrow_frame_state *frame);

#endif
