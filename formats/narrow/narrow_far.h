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

#endif
