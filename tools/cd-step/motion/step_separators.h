// step_separators -- directions along which the contacts of a frame say that parts are apart.
//
// The stages before chose a separator for the parts that are in reach of each other: a face of one of them or a pair of
// edges. Moved with its bodies to the step's end its normal mostly parts the two there as well, and two looks at their
// vertices tell: a tenth of what their distance takes. Nothing is believed: along any direction the distance is at
// least what is seen along it.
//
// Space, and polyhedra; of all else there is no direction.
// SPDX-License-Identifier: MIT
#ifndef STEP_SEPARATORS_H
#define STEP_SEPARATORS_H

#include "step_parts.h"

// Of each pair of parts its first contact, by the part of the lower number.
typedef struct cd_step_separators {
    const int32_t *part;   // 2 by row of `contact`: the parts of a and of b, of those that are listed
    const int32_t *first;  // by part: a row of `contact`, -1: none
    const int32_t *next;   // by row of `contact`: another of that part, -1: none
} cd_step_separators;

// O(parts + contacts). @owns gaps->arena
cd_step_separators cd_step_separators_make(const cd_step_gaps *gaps, const cd_step_meeting *meeting);

// The normal at the step's end, unit to rounding, from pair->a to pair->b. False: there is none.
bool cd_step_separator_at_end(const cd_step_gaps *gaps, const cd_step_meeting *meeting,
                              const cd_step_separators *separators, cd_box_pair pair, cd_vec3 *normal);

#endif
