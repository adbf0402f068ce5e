// cd_pair2 -- what two parts of the plane can be asked: the table of pairs of kinds, and the questions of cd-narrow's
// modes. All is as in space (cd_pair3.h), but that two kinds without a line are not supported: the plane has no general
// convex routine.
// SPDX-License-Identifier: MIT
#ifndef CD_PAIR2_H
#define CD_PAIR2_H

#include "cd_closed2.h"
#include "cd_contact.h"
#include "cd_leaf2.h"
#include "cd_separate2.h"

static inline cd_circle cd_leaf2_circle(const cd_leaf2 *leaf) { return (cd_circle){leaf->centre, leaf->radius}; }
static inline cd_halfplane cd_leaf2_halfplane(const cd_leaf2 *leaf)
{
    return (cd_halfplane){leaf->normal, leaf->offset};
}

// ---- two parts -----------------------------------------------------------------------------------------------------

// The flat parts that are one body with one, in an order that they have among all parts.
typedef struct cd_covers2 {
    int32_t count, before;             // before: those that come before the part itself
    const struct cd_pair2_part *part;  // [count] borrowed
} cd_covers2;

// A part at the poses of the step, all borrowed. Where nothing moves pointers are equal: compare them to save work.
typedef struct cd_pair2_part {
    const cd_leaf2 *start, *predicted, *current;  // q_0, q_pred, q_k; all that is reported is taken at q_k
    cd_beside2 beside;  // of a polygon, at q_0: those that are one body with it, near the pair
    cd_covers2 covers;  // the same at all poses, where the other part is round
} cd_pair2_part;

typedef struct cd_pair2_input {
    cd_pair2_part a, b;
    double reach;    // [m] closed: equal counts as within
    double sway;     // [m] how far points of one can move past points of the other in the step
    double drift;    // [m] what of it the velocities at the start make
    double epsilon;  // [m] gaps up to it count as touching
    cd_separator_choice choice;
    bool wants_true_gap;        // `potential` of two ellipses: their signed distance
    cd_separate2_known *known;  // of a pair of flat parts, from round to round; NULL: nothing is kept
    cd_arena *arena;            // of the contacts
    cd_arena *scratch;  // another one, for all that is only needed while the pair is looked at; the caller resets it
} cd_pair2_input;

// ---- the table -----------------------------------------------------------------------------------------------------

// Appends the contacts of two parts in the order of their features.
typedef void cd_pair2_find(const cd_pair2_input *input, cd_contacts *contacts);

typedef struct cd_pair2 {
    const char *name;
    bool is_closed_form;                                        // contacts of a signed distance are analytic
    bool has_features;                                          // potential contacts are pairs of features
    cd_distance2 (*gap)(const cd_leaf2 *a, const cd_leaf2 *b);  // required
    double (*least)(const cd_leaf2 *a, const cd_leaf2 *b);      // cd_pair2_least; NULL: the gap itself
    cd_pair2_find *potential, *separating, *volume;             // NULL: as in cd_pair3
} cd_pair2;

extern const cd_pair2 *const cd_pairs2[];  // in the order of pairs2.def, NULL-ended

// The entry of two kinds in any order. NULL: they are not supported (two half-planes). O(1)
const cd_pair2 *cd_pair2_for(cd_shape_kind kind_a, cd_shape_kind kind_b);
// The signed distance of a and b, sides as given.
cd_distance2 cd_pair2_gap(const cd_pair2 *pair, const cd_leaf2 *a, const cd_leaf2 *b);
// The gap [m] where it is not above 0; else a number that is above 0 too, and no larger than it. Cheaper: which points
// are nearest is not asked.
double cd_pair2_least(const cd_pair2 *pair, const cd_leaf2 *a, const cd_leaf2 *b);

// ---- questions -----------------------------------------------------------------------------------------------------

// Appends contacts; `pair` is the entry of the parts' kinds.
typedef void cd_pair2_question(const cd_pair2 *pair, const cd_pair2_input *input, cd_contacts *contacts);

cd_pair2_question cd_pair2_potential, cd_pair2_separating, cd_pair2_volume, cd_pair2_distance, cd_pair2_depth;

// A contact made from a signed distance: kind `distance` clamps the gap at 0, with both points in the middle; all
// others keep its sign.
cd_contact cd_contact_of_distance2(cd_contact_kind kind, cd_distance2 distance, double epsilon);

#endif
