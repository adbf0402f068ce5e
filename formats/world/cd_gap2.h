// cd_gap2 -- the signed distance of any two leaves of the plane: the table of shape pairs. (Space: cd_gap3.h.)
//
// A new kind of shape is a line a pair in gap2_pairs.def and its routine in cd_gap2.c.
// SPDX-License-Identifier: MIT
#ifndef CD_GAP2_H
#define CD_GAP2_H

#include "cd_closed2.h"
#include "cd_leaf2.h"

typedef struct cd_gap2_pair {
    const char *name;
    int32_t kind_a, kind_b;  // CD_SHAPE_..., kind_a <= kind_b
    bool is_closed_form;
    cd_distance2 (*gap)(const cd_leaf2 *a, const cd_leaf2 *b);
} cd_gap2_pair;

extern const cd_gap2_pair *const cd_gap2_pairs[];  // NULL-ended

// The routine of two kinds in any order; NULL: there is none (ellipsoids; two half-planes).
const cd_gap2_pair *cd_gap2_pair_for(int32_t kind_a, int32_t kind_b);
// The signed distance of a and b by their pair's routine, sides as given.
cd_distance2 cd_gap2_measure(const cd_gap2_pair *pair, const cd_leaf2 *a, const cd_leaf2 *b);

static inline cd_circle cd_leaf2_circle(const cd_leaf2 *leaf) { return (cd_circle){leaf->centre, leaf->radius}; }
static inline cd_halfplane cd_leaf2_halfplane(const cd_leaf2 *leaf)
{
    return (cd_halfplane){leaf->normal, leaf->offset};
}

#endif
