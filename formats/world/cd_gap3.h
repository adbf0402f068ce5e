// cd_gap3 -- the signed distance of any two leaves of space: the table of shape pairs, each with its routine.
//
// Pairs without a closed form take the general convex routine: Gilbert, Johnson and Keerthi for the distance, the
// faces of the difference for the depth. A new kind of shape is a line a pair in gap3_pairs.def and a routine in
// gap3_closed.c, or the general one of gap3_convex.c. (The plane: cd_gap2.h.)
// SPDX-License-Identifier: MIT
#ifndef CD_GAP3_H
#define CD_GAP3_H

#include "cd_depth3.h"
#include "cd_feature_code.h"
#include "cd_shape.h"

typedef struct cd_gap3 {
    double gap;                    // [m] the distance, or minus the penetration depth
    bool is_unknown;               // they overlap, but how deep is not known: gap is 0
    cd_vec3 normal;                // unit, from a to b
    cd_vec3 point_a, point_b;      // [m] point_b - point_a = gap * normal
    int32_t feature_a, feature_b;  // cd_feature codes; CD_FEATURE_NONE
} cd_gap3;

typedef struct cd_gap3_pair {
    const char *name;
    int32_t kind_a, kind_b;  // CD_SHAPE_..., kind_a <= kind_b
    bool is_closed_form;
    // Exchanging leaves of the same kind turns the normal around, exchanges the sides and changes no other bit.
    // Scratch memory is given back.
    cd_gap3 (*gap)(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch);
} cd_gap3_pair;

extern const cd_gap3_pair *const cd_gap3_pairs[];  // NULL-ended

// The routine of two kinds in any order; NULL: there is none (two halfspaces).
const cd_gap3_pair *cd_gap3_pair_for(int32_t kind_a, int32_t kind_b);
// The signed distance of a and b by their pair's routine, sides as given.
cd_gap3 cd_gap3_measure(const cd_gap3_pair *pair, const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch);

static inline cd_gap3 cd_gap3_flip(cd_gap3 g)  // a and b exchanged
{
    return (cd_gap3){g.gap, g.is_unknown, cd_negate3(g.normal), g.point_b, g.point_a, g.feature_b, g.feature_a};
}

#endif
