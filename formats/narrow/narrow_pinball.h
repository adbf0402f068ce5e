// narrow_pinball -- contacts of pinballs (cd_pinballs.h): the gap of two balls is the distance of their centres less
// both radii. Only balls that overlap give one.
//
// A split element has a ball for each child; the ball about all of its children is asked first (Belytschko & Yeh 1993),
// then the children of each side that meet it, then these with each other.
//
// The normal is the line of centres, or the mean of the two surfaces' normals there (Belytschko & Neal 1991): the
// outward normals of the faces of a body's elements, by area, are summed at the nodes, where those of inner faces
// cancel; each ball has the sum of its nodes by its weights. A ball without one takes the other's, two without, or
// against one another, the line of centres; the mean is turned so that it points from a to b.
// SPDX-License-Identifier: MIT
#ifndef NARROW_PINBALL_H
#define NARROW_PINBALL_H

#include "cd_pinballs.h"
#include "narrow_frame.h"

typedef struct cd_narrow_pinballs {
    const cd_narrow_frame_state *frame;
    cd_placed_elements placed;
    cd_placed_pinballs balls;
    const cd_vec3 *normal;  // by row of `node`, outward [m^2], in the plane [m]; NULL: lines of centres
} cd_narrow_pinballs;

extern const char *const cd_narrow_pinball_normals[];  // words of --pinball-normal: centre, surface; NULL

// Checks the pairs: parts that elements do not have, elements without a radius. CD_ERR_FORMAT, CD_ERR_UNSUPPORTED where
// an element meets what is no ball. @owns frame->arena
cd_status cd_narrow_pinballs_make(const cd_narrow_frame_state *frame, cd_narrow_pinballs *pinballs) CD_MUST_CHECK;

// Is the pair one of pinballs on both sides? Others are asked for their depth.
bool cd_narrow_is_of_pinballs(const cd_narrow_pinballs *pinballs, const cd_narrow_site_pair *pair);

// Appends the contacts of the pair, by child of a, then child of b.
void cd_narrow_find_pinballs(const cd_narrow_pinballs *pinballs, const cd_narrow_site_pair *pair, cd_arena *scratch,
                             cd_arena *arena, cd_contacts *contacts);

#endif
