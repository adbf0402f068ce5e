// narrow_beside -- which parts stand beside a part of a pair and are one body with it: the other parts of its body, and
// where it is fixed those of all fixed bodies. Seams are found among them (cd_seam2.h, cd_seam3.h).
//
// Of these only such as are in a pair with the same part of the other side are told: others are out of its reach.
// make, once a frame -> of, for each pair.
// SPDX-License-Identifier: MIT
#ifndef NARROW_BESIDE_H
#define NARROW_BESIDE_H

#include "narrow_frame.h"

typedef struct cd_narrow_site {
    int32_t row, part;  // row of `body`
} cd_narrow_site;

// That `site` is in a pair with `met`.
typedef struct cd_narrow_meeting {
    cd_narrow_site site, met;
} cd_narrow_meeting;

typedef struct cd_narrow_beside {
    int32_t count;
    const cd_narrow_meeting *meeting;  // in the order of `site`, then of `met`
    const cd_aabb *const *facet_box;   // of each shape: NULL, or its facets' boxes in the body's frame
} cd_narrow_beside;

// What stands beside a part, in the order of rows, then of parts.
typedef struct cd_narrow_sites {
    int32_t count, before;  // before: those that come before the part itself
    const cd_narrow_site *site;
    bool is_under_round;  // the part is flat, and what it meets a sphere or an ellipsoid
} cd_narrow_sites;

// Of polygons and polyhedra alone. None where the mode does not ask for it. O(n log n) for the pairs with fixed bodies
// and with bodies of several parts. @owns frame->arena
cd_narrow_beside cd_narrow_beside_make(const cd_narrow_frame_state *frame);
// Of side 0 (a) or 1 (b) of the pair. @owns arena
cd_narrow_sites cd_narrow_beside_of(const cd_narrow_frame_state *frame, const cd_narrow_beside *beside,
                                    const cd_narrow_site_pair *pair, int side, cd_arena *arena);

#endif
