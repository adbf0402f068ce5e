// peg_seams -- features that parts of one compound share: which vertices, edges and planes are the same, and which
// faces lie between two parts.
//
// A vertex at a seam belongs to several parts, and so do its contacts: the same vertex over the same plane, once a
// part. Contacts are recognised as the same (cd_peg_find_twins); what they demand is demanded once, and the judgement
// of one counts for all of them. A part alone judges by its own faces and neighbours, as if the rest of the body were
// not there: so a feature of the whole body is as applicable as it is for the part that finds it least so. An edge of
// two parts where their outer faces meet flat or in a hollow is none of the whole body.
//
// Made once a run from the shapes: O(n log n) for n features.
// SPDX-License-Identifier: MIT
#ifndef PEG_SEAMS_H
#define PEG_SEAMS_H

#include "cd_leaf3.h"
#include "peg_rows.h"

// Of leaf l: number first[l] + i stands for its i-th feature, and same[first[l] + i] for the one with the lowest number
// among those that are the same.
typedef struct cd_peg_numbers {
    const int32_t *first, *same;
} cd_peg_numbers;

typedef struct cd_peg_seams {
    cd_peg_numbers vertex, edge, face;
    const bool *is_inner_face;  // by number: between two parts, or of surface -1
    const bool *is_inner_edge;  // by number: without an outer face, or the two outer faces of its parts make no ridge
} cd_peg_seams;

// epsilon: [m] points closer than it along each axis are one; NaN: 1e-6 of the extent of their shape. @owns arena
cd_peg_seams cd_peg_seams_make(cd_arena *arena, int32_t shapes, const cd_leaves3 *leaves, double epsilon);

static inline int32_t cd_peg_same(const cd_peg_numbers *numbers, int32_t leaf, int32_t feature)
{
    return numbers->same[numbers->first[leaf] + feature];
}

// Sets `before` of contacts whose features are the same as an earlier one's, and gives all of them the least
// applicability; -1 where they do not even agree on the side the normal points to.
void cd_peg_find_twins(cd_peg_contact *contact, const cd_peg_gradient *gradient, int32_t count, cd_arena *scratch);

#endif
