// narrow_space -- contacts of two leaves in space.
//
// The signed distance of a pair with its witness points comes from the table of shape pairs (cd_gap3.h), the volume
// that polyhedra have in common from cd_contact3.h. Conventions of results are those of the plane (narrow_method.h):
// the normal is a unit vector from a to b, a negative gap is penetration, and point_b - point_a = gap * normal.
// SPDX-License-Identifier: MIT
#ifndef NARROW_SPACE_H
#define NARROW_SPACE_H

#include "cd_contact3.h"
#include "cd_gap3.h"
#include "narrow_method.h"

// ---- contacts --------------------------------------------------------------------------------------------------

// As in the plane: pointers are equal where nothing moves, and where a mode does not ask for more than `current`.
typedef struct cd_narrow_part3 {
    const cd_solid3 *start, *predicted, *current;
} cd_narrow_part3;

typedef enum cd_narrow_intersection {
    CD_NARROW_INTERSECTION_AUTO,
    CD_NARROW_INTERSECTION_CLIP,
    CD_NARROW_INTERSECTION_DUAL,
} cd_narrow_intersection;

typedef struct cd_narrow_input3 {
    cd_narrow_part3 a, b;
    double reach;    // [m] closed: equal counts as within
    double epsilon;  // [m] gaps up to it count as touching
    cd_narrow_intersection intersection;
    cd_arena *scratch;  // given back
} cd_narrow_input3;

// The contact of two leaves, of which there is one at most: does it exist? `pair` is the routine of their kinds. Mode
// is not CD_NARROW_FEATURES.
bool cd_narrow_find3(const cd_gap3_pair *pair, cd_narrow_mode mode, const cd_narrow_input3 *input,
                     cd_narrow_contact3 *contact);
// Of two polyhedra: the contact of the volume they have in common. False: there is none.
bool cd_narrow_volume3(const cd_narrow_input3 *input, cd_narrow_contact3 *contact);

// A contact made from a signed distance: kind `distance` clamps the gap at 0, with both points in the middle; all
// others keep its sign. An unknown depth has the status degenerate, with kind `distance` penetrating.
cd_narrow_contact3 cd_narrow_from_gap3(int32_t kind, cd_gap3 gap, double epsilon);
cd_narrow_contact3 cd_narrow_flip3(cd_narrow_contact3 contact);  // sides exchanged

#endif
