// narrow_method -- the ways of finding contacts; and of the plane: what a shape-pair routine is given, what it gives
// back, and the table of shape pairs. (Space: narrow_space.h.)
//
// A routine sees two convex parts of the plane, placed in the world at the poses of the step, and appends contacts
// with its first part as side a. The driver (narrow_registry.c) calls it with the kinds in the order of its table
// entry and exchanges the sides of the result where the stream had them the other way round; no routine has a second
// form for that.
//
// Sign convention of all results: the normal is a unit vector from a to b, a negative gap is penetration, and point_b
// - point_a = gap * normal. For a vertex of a on an edge of b with outward normal eta the contact normal is -eta, for
// a vertex of b on an edge of a it is +eta; the gap is psi = eta . (vertex - point of the edge) in both.
//
// A new shape pair is one file narrow_NAME.c that defines cd_narrow_NAME and one line in narrow_pairs.def.
// SPDX-License-Identifier: MIT
#ifndef NARROW_METHOD_H
#define NARROW_METHOD_H

#include "cd_bodies.h"
#include "cd_contact.h"
#include "cd_gap2.h"
#include "cd_leaves.h"

typedef enum cd_narrow_mode {
    // Potential contacts: polytope pairs by features, the others by closed forms; in space else by distance.
    CD_NARROW_AUTO,
    CD_NARROW_FEATURES,    // the same; pairs that have no features are refused
    CD_NARROW_SEPARATING,  // polytopes by one separator a pair, the others by their signed distance
    CD_NARROW_DISTANCE,    // within reach: gap >= 0, 0 when they overlap; closed forms keep their sign
    CD_NARROW_DEPTH,       // within reach: the signed distance, minus the penetration depth when they overlap
    CD_NARROW_VOLUME,      // overlapping pairs: centroid, mean normal, size of the intersection; the others: gap
    CD_NARROW_MODE_COUNT
} cd_narrow_mode;

extern const char *const cd_narrow_mode_names[];  // by cd_narrow_mode, NULL-ended

// How separators are chosen (cd_separate3.h).
typedef struct cd_narrow_choice {
    double slack, tolerance;  // [m]
    bool at_start;
} cd_narrow_choice;

// A part at the poses of the step. Where nothing moves, or there is no trial, pointers are equal: compare them to
// save work.
typedef struct cd_narrow_part {
    const cd_leaf2 *start;      // q_0
    const cd_leaf2 *predicted;  // q_pred
    const cd_leaf2 *current;    // q_k: the trial, else the start; all reported geometry is taken here
} cd_narrow_part;

typedef struct cd_narrow_input {
    cd_narrow_part a, b;
    double reach;    // [m] closed: equal counts as within
    double epsilon;  // [m] gaps up to it count as touching
    cd_narrow_choice choice;
    bool keep_rejected;  // also append contacts of status outside
    int32_t *rejected;   // counts them, kept or not
    cd_arena *arena;     // of the contacts
    cd_arena *scratch;   // another one, for all that is only needed while the pair is looked at; the caller resets it
} cd_narrow_input;

// What a pair of kinds can do beside its signed distance (cd_gap2.h).
typedef struct cd_narrow_pair {
    int32_t kind_a, kind_b;  // CD_SHAPE_..., kind_a <= kind_b
    // Potential contacts: within reach at the start, predicted or current pose.
    void (*potential)(const cd_narrow_input *input, cd_contacts *contacts);
    // Where a separator, or what stands for it, keeps them apart at the current pose.
    void (*separating)(const cd_narrow_input *input, cd_contacts *contacts);
    // NULL: the distance of overlapping pairs.
    void (*volume)(const cd_narrow_input *input, cd_contacts *contacts);
} cd_narrow_pair;

void cd_narrow_polygons_separating(const cd_narrow_input *input, cd_contacts *contacts);

extern const cd_narrow_pair *const cd_narrow_pairs[];  // NULL-ended

// Appends the contacts of two parts in the order of their features. CD_ERR_UNSUPPORTED, naming both kinds, when the
// table has no routine for them in this mode.
cd_status cd_narrow_find(cd_narrow_mode mode, const cd_narrow_input *input, cd_contacts *contacts,
                         cd_diag *diag) CD_MUST_CHECK;

// A contact made from a signed distance: kind `distance` clamps the gap at 0, with both points in the middle; all
// others keep its sign.
cd_contact cd_narrow_from_distance(int32_t kind, cd_distance2 distance, double epsilon);

#endif
