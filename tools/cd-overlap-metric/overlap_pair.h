// overlap_pair -- overlap area and signed distance of two placed leaves of the plane.
// Areas are exactly 0 for leaves that touch or are apart; errors as in cd_polygon.h and cd_closed2.h.
// SPDX-License-Identifier: MIT
#ifndef OVERLAP_PAIR_H
#define OVERLAP_PAIR_H

#include "cd_leaves.h"

typedef struct cd_overlap {
    bool is_measured;  // false: no routine for these two kinds (ellipsoids; two half-spaces); the rest is not set
    double area;       // [m^2]
    double gap;        // [m] distance, or minus the depth of the overlap
} cd_overlap;

cd_overlap cd_overlap_measure(const cd_leaf2 *a, const cd_leaf2 *b, cd_arena *scratch);

#endif
