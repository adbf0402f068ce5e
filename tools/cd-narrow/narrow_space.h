// narrow_space -- shape pairs of space: what a routine is given, what it gives back, and their table.
//
// A routine sees two leaves placed in the world and tells the signed distance with its witness points, or the volume
// they have in common. The driver (narrow_registry3.c) calls it with the kinds in the order of its table entry and
// exchanges the sides of the result where the stream had them the other way round. Conventions of results are those of
// the plane (narrow_method.h): the normal is a unit vector from a to b, a negative gap is penetration, and point_b -
// point_a = gap * normal.
//
// A new shape pair is a cd_narrow_NAME in one of the files narrow_*3.c and one line in narrow_pairs3.def.
// SPDX-License-Identifier: MIT
#ifndef NARROW_SPACE_H
#define NARROW_SPACE_H

#include "cd_contact3.h"
#include "cd_depth3.h"
#include "narrow_method.h"

// ---- leaves ----------------------------------------------------------------------------------------------------

// What polyhedra are prepared to once a run, by number of leaf; the entries of other leaves are zero.
typedef struct cd_narrow_solids {
    const cd_convex3 *convex;  // in the body's frame
    const cd_edges3 *edges;
} cd_narrow_solids;

// CD_ERR_FORMAT "shape 3: faces: ..." when a polyhedron is not closed and convex: nothing here could rely on it then.
// @owns arena
cd_status cd_narrow_solids_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, const cd_leaves3 *leaves,
                                cd_narrow_solids *solids, cd_diag *diag) CD_MUST_CHECK;

// A leaf placed in the world.
typedef struct cd_narrow_solid {
    cd_leaf3 leaf;           // of a polyhedron only the kind
    cd_convex3 convex;       // of a polyhedron
    const cd_edges3 *edges;  // of a polyhedron: the numbers of its edges
} cd_narrow_solid;

// Leaf number `leaf` moved by a pose. @owns arena
cd_narrow_solid cd_narrow_solid_place(cd_arena *arena, const cd_leaves3 *leaves, const cd_narrow_solids *solids,
                                      int32_t leaf, const cd_pose3 *pose);

// As in the plane: pointers are equal where nothing moves, and where a mode does not ask for more than `current`.
typedef struct cd_narrow_part3 {
    const cd_narrow_solid *start, *predicted, *current;
} cd_narrow_part3;

// ---- contacts --------------------------------------------------------------------------------------------------

// The signed distance of two leaves.
typedef struct cd_narrow_gap3 {
    double gap;                // [m]
    bool is_unknown;           // they overlap, but how deep is not known: gap is 0
    cd_vec3 normal;            // unit, from a to b
    cd_vec3 point_a, point_b;  // [m] point_b - point_a = gap * normal
    int32_t feature_a, feature_b;  // cd_feature codes; CD_FEATURE_NONE
} cd_narrow_gap3;

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

typedef struct cd_narrow_pair3 {
    const char *name;
    int32_t kind_a, kind_b;  // CD_SHAPE_..., kind_a <= kind_b
    bool is_closed_form;     // contacts are of kind analytic
    // Exchanging leaves of the same kind turns the normal around, exchanges the sides and changes no other bit.
    cd_narrow_gap3 (*gap)(const cd_narrow_solid *a, const cd_narrow_solid *b, cd_arena *scratch);
    // NULL: the signed distance of overlapping pairs. False: no contact.
    bool (*volume)(const cd_narrow_input3 *input, cd_narrow_contact3 *contact);
} cd_narrow_pair3;

extern const cd_narrow_pair3 *const cd_narrow_pairs3[];  // NULL-ended

// NULL: the table has none. `swapped`: the entry has the kinds the other way round.
const cd_narrow_pair3 *cd_narrow_pair3_for(int32_t kind_a, int32_t kind_b, bool *swapped);

// The contact of two leaves, of which there is one at most: does it exist? Sides are those of `input`, whichever way
// round the entry has them. Mode is not CD_NARROW_FEATURES.
bool cd_narrow_find3(const cd_narrow_pair3 *pair, bool swapped, cd_narrow_mode mode, const cd_narrow_input3 *input,
                     cd_narrow_contact3 *contact);

// A contact made from a signed distance: kind `distance` clamps the gap at 0, with both points in the middle; all
// others keep its sign. An unknown depth has the status degenerate, with kind `distance` penetrating.
cd_narrow_contact3 cd_narrow_from_gap3(int32_t kind, cd_narrow_gap3 gap, double epsilon);
cd_narrow_contact3 cd_narrow_flip3(cd_narrow_contact3 contact);  // sides exchanged

#endif
