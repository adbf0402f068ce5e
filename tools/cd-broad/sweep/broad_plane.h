// broad_plane -- what the sweep-plane methods with XY trees share: ranks in place of coordinates.
//
// The rank of a face is its place among all faces along the axis (broad_faces.h: lower ones before upper ones where
// they are equal). Then for closed boxes low_i <= high_j in doubles exactly when rank(low_i) < rank(high_j):
// comparisons of ranks are exact, all ranks along an axis differ, and clustered faces lie as evenly as any.
// SPDX-License-Identifier: MIT
#ifndef BROAD_PLANE_H
#define BROAD_PLANE_H

#include "broad_method.h"
#include "broad_xytree.h"

// A plane moves along one axis; the boxes that it cuts are rectangles on the other two (a plane problem: intervals;
// the second axis is 0 for all).
typedef struct cd_broad_plane {
    int32_t count;
    uint32_t *event;  // 2 count face numbers in the order of the sweep: lower faces begin a box, upper ones end it
    cd_rectangle *section;  // [count] ranks along the axes across the sweep, below 2^bits
    int bits;
    int32_t held_most;     // boxes that the plane cuts at once, at most
    double width_mean[2];  // of the rectangles, in ranks
} cd_broad_plane;

// Asks for the section of an event to come: sections lie in the order of items.
static inline void cd_broad_plane_prefetch(const cd_broad_plane *plane, int64_t event)
{
    enum { AHEAD = 16 };
    if (event + AHEAD < 2 * (int64_t)plane->count) {
        uint32_t face = plane->event[event + AHEAD], count = (uint32_t)plane->count;
        __builtin_prefetch(&plane->section[face < count ? face : face - count]);
    }
}

// 24 bytes a box in the arena, and 40 more while it works. Axis 1 is the one with the smaller mean width in ranks.
cd_broad_plane cd_broad_plane_of(const cd_broad_run *run);

#endif
