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
#include "cd_separate3.h"
#include "narrow_method.h"

// ---- contacts ------------------------------------------------------------------------------------------------------

// As in the plane: pointers are equal where nothing moves, and where a mode does not ask for more than `current`.
typedef struct cd_narrow_part3 {
    const cd_solid3 *start, *predicted, *current;
    const cd_shell3 *shell[3];  // of polyhedra at the same poses, where the mode asks for it (cd_narrow_needs_shells)
} cd_narrow_part3;

// Potential contacts and separators ask for all poses, the others for the one that is reported.
static inline bool cd_narrow_needs_poses(cd_narrow_mode mode)
{
    return mode == CD_NARROW_AUTO || mode == CD_NARROW_FEATURES || mode == CD_NARROW_SEPARATING;
}
// Of polyhedra; distances and depths are of vertices alone.
static inline bool cd_narrow_needs_planes(cd_narrow_mode mode)
{
    return mode != CD_NARROW_DISTANCE && mode != CD_NARROW_DEPTH;
}
static inline bool cd_narrow_needs_shells(cd_narrow_mode mode) { return cd_narrow_needs_poses(mode); }
static inline bool cd_narrow_finds_one(cd_narrow_mode mode) { return !cd_narrow_needs_poses(mode); }  // a pair

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
    cd_narrow_choice choice;
    cd_arena *arena;    // of the contacts
    cd_arena *scratch;  // given back
} cd_narrow_input3;

// Appends the contacts of two leaves in the order of their features. `pair` is the routine of their kinds. Mode is not
// CD_NARROW_FEATURES for kinds without features.
void cd_narrow_find3(const cd_gap3_pair *pair, cd_narrow_mode mode, const cd_narrow_input3 *input,
                     cd_contacts *contacts);
// Of two polyhedra: the contact of the volume they have in common. False: there is none.
bool cd_narrow_volume3(const cd_narrow_input3 *input, cd_contact *contact);
// Of two polyhedra: their potential contacts; of a polyhedron and a halfspace in either order: its vertices within
// reach at one of the poses.
void cd_narrow_polyhedra_potential(const cd_narrow_input3 *input, cd_contacts *contacts);
void cd_narrow_halfspace_potential(const cd_narrow_input3 *input, cd_contacts *contacts);
// A vertex over a halfspace [m].
double cd_narrow_height(const cd_solid3 *polyhedron, int32_t vertex, const cd_solid3 *halfspace);
// Of two polyhedra: the gaps to their separator that are within reach.
void cd_narrow_polyhedra_separating(const cd_narrow_input3 *input, cd_contacts *contacts);
// Of a polyhedron and a halfspace in either order: the heights of its vertices that are within reach.
void cd_narrow_halfspace_separating(const cd_narrow_input3 *input, cd_contacts *contacts);

// A contact made from a signed distance: kind `distance` clamps the gap at 0, with both points in the middle; all
// others keep its sign. An unknown depth has the status degenerate, with kind `distance` penetrating.
void cd_narrow_from_gap3(int32_t kind, const cd_gap3 *gap, double epsilon, cd_contact *contact);

#endif
