// cd_pair3 -- what two parts of space can be asked: the table of pairs of kinds, and the questions of cd-narrow's
// modes. (The plane: cd_pair2.h.)
//
// cd_pair3_for, once a pair of kinds -> cd_pair3_gap, or one of the questions. Parts come in either order: routines see
// them in the order of their kinds, and what they find is exchanged where the caller had them the other way round.
//
// A new pair of kinds is one function, its entry below it (pair3_NAME.c), and one line in pairs3.def. A member that is
// NULL takes the general routine that stands beside it below. Two kinds without a line take general routines alone
// where both have a `support` (cd_shape.h), so that a new convex kind works against all others; else they are not
// supported.
// SPDX-License-Identifier: MIT
#ifndef CD_PAIR3_H
#define CD_PAIR3_H

#include "cd_contact.h"
#include "cd_contact3.h"
#include "cd_depth3.h"
#include "cd_perram.h"
#include "cd_separate3.h"
#include "cd_shape.h"
#include "cd_shell3.h"

typedef struct cd_gap3 {
    double gap;                    // [m] the distance, or minus the penetration depth
    cd_vec3 normal;                // unit, from a to b
    cd_vec3 point_a, point_b;      // [m] point_b - point_a = gap * normal
    int32_t feature_a, feature_b;  // cd_feature codes; CD_FEATURE_NONE
    bool is_degenerate;            // of a curved body: the normal is one of several that would do
    double potential, lambda;      // [1] of two ellipsoids (cd_perram.h); lambda 0: of others
} cd_gap3;

static inline cd_gap3 cd_gap3_flip(cd_gap3 g)  // a and b exchanged
{
    cd_gap3 flipped = g;
    flipped.normal = cd_negate3(g.normal);
    flipped.point_a = g.point_b;
    flipped.point_b = g.point_a;
    flipped.feature_a = g.feature_b;
    flipped.feature_b = g.feature_a;
    flipped.lambda = g.lambda > 0 ? 1 - g.lambda : 0;
    return flipped;
}

// Of a body as side a whose point nearest to (or deepest in) a plane is known, that is `height` [m] over it.
static inline cd_gap3 cd_gap3_over_plane(cd_vec3 point, double height, cd_vec3 outward)
{
    return (cd_gap3){.gap = height,
                     .normal = cd_negate3(outward),
                     .point_a = point,
                     .point_b = cd_sub3(point, cd_scale3(height, outward)),
                     .feature_a = CD_FEATURE_NONE,
                     .feature_b = CD_FEATURE_NONE};
}
static inline cd_gap3 cd_gap3_point_halfspace(cd_vec3 point, cd_halfspace b)
{
    return cd_gap3_over_plane(point, cd_dot3(b.normal, point) - b.offset, b.normal);
}

// ---- two parts -----------------------------------------------------------------------------------------------------

// The flat parts that are one body with one, in an order that they have among all parts.
typedef struct cd_covers3 {
    int32_t count, before;             // before: those that come before the part itself
    const struct cd_pair3_part *part;  // [count] borrowed
} cd_covers3;

// A part at the poses of the step, all borrowed. Where nothing moves pointers are equal, and where a question does not
// ask for more than `current`.
typedef struct cd_pair3_part {
    const cd_solid3 *start, *predicted, *current;  // q_0, q_pred, q_k; all that is reported is taken at q_k
    // Of polyhedra and of facets at the same poses, for `potential` and `separating`; NULL of a facet without a normal.
    const cd_shell3 *shell[3];
    cd_beside3 beside;  // of a polyhedron, at q_0: those that are one body with it, near the pair
    cd_covers3 covers;  // the same at all poses, where the other part is round
} cd_pair3_part;

// How the volume that two convex polyhedra have in common is found (cd_contact3.h).
typedef cd_contact3 cd_pair3_intersect(const cd_convex3 *a, const cd_convex3 *b, double epsilon, cd_arena *scratch);

typedef struct cd_pair3_input {
    cd_pair3_part a, b;
    double reach;    // [m] closed: equal counts as within
    double sway;     // [m] how far points of one can move past points of the other in the step
    double drift;    // [m] what of it the velocities at the start make
    double pull;     // [m] what of it the forces make
    double epsilon;  // [m] gaps up to it count as touching
    cd_separator_choice choice;
    cd_separate3_known *known;      // of a pair of flat parts, from round to round; NULL: nothing is kept
    cd_pair3_intersect *intersect;  // for `volume`
    bool wants_true_gap;            // `potential` of two ellipsoids: their signed distance
    const cd_perram *perram;        // of two ellipsoids at the current pose, where it is known; NULL: it is not
    cd_arena *arena;                // of the contacts
    cd_arena *scratch;              // another one, for all that is only needed while the pair is looked at
} cd_pair3_input;

// ---- the table -----------------------------------------------------------------------------------------------------

// Appends the contacts of two parts in the order of their features.
typedef void cd_pair3_find(const cd_pair3_input *input, cd_contacts *contacts);

typedef struct cd_pair3 {
    const char *name;
    bool is_closed_form;  // contacts of a signed distance are of kind analytic, and keep its sign
    bool has_features;    // potential contacts are pairs of features
    // The signed distance. Exchanging parts of one kind turns the normal around, exchanges the sides and changes no
    // other bit. Scratch memory is given back. NULL: cd_gap3_convex, of kinds that have a support.
    cd_gap3 (*gap)(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch);
    cd_pair3_find *potential;   // NULL: the signed distance, within reach at any of the poses
    cd_pair3_find *separating;  // NULL: the same, with the bound of parts that overlap or touch at the start
    cd_pair3_find *volume;      // NULL: the signed distance of what overlaps
} cd_pair3;

extern const cd_pair3 *const cd_pairs3[];  // in the order of pairs3.def, NULL-ended

// The entry of two kinds in any order. NULL: they are not supported (two halfspaces). O(1)
const cd_pair3 *cd_pair3_for(cd_shape_kind kind_a, cd_shape_kind kind_b);
// The signed distance of a and b, sides as given.
cd_gap3 cd_pair3_gap(const cd_pair3 *pair, const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch);
// Of two kinds that have a support: by Gilbert, Johnson & Keerthi, and by the faces of the difference where they
// overlap; of ellipsoids by the maxima of their separation (cd_ellipsoid_gap.h, cd_ellipsoid_hull.h).
cd_gap3 cd_gap3_convex(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch);
// Of two ellipsoids, with their potential, which may be known (NULL: it is not); of concentric ones with the lambda
// along the normal (cd_perram_lambda_along).
cd_gap3 cd_gap3_ellipsoids(const cd_ellipsoid *a, const cd_ellipsoid *b, const cd_perram *known);
// Of such a kind and a halfspace, in either order: the support's point farthest down, in closed form.
cd_gap3 cd_gap3_convex_halfspace(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch);

// ---- questions -----------------------------------------------------------------------------------------------------

// Appends contacts; `pair` is the entry of the parts' kinds.
typedef void cd_pair3_question(const cd_pair3 *pair, const cd_pair3_input *input, cd_contacts *contacts);

cd_pair3_question cd_pair3_potential;  // what may touch during the step; any number
// What keeps them apart over the step; any number. Of an ellipsoid at a trial the point that was closest at the start
// too; of one that turns by much in the step, or with choice.with_turned, at the start those that come to be it.
cd_pair3_question cd_pair3_separating;
// The same of kinds that have no way of their own: the plane of the closest pair, with the bound of parts that overlap
// or touch at the start. At most one.
cd_pair3_question cd_pair3_separating_by_gap;
// At most one each, at the current pose alone:
cd_pair3_question cd_pair3_volume;    // of parts that overlap: their intersection, or their depth
cd_pair3_question cd_pair3_distance;  // within reach: gap >= 0, 0 when they overlap; closed forms keep their sign
cd_pair3_question cd_pair3_depth;     // within reach: the signed distance

// A contact made from a signed distance: kind `distance` clamps the gap at 0, with both points in the middle; all
// others keep its sign. Where the normal is one of several the status is degenerate, of kind `distance` penetrating.
void cd_contact_of_gap3(cd_contact_kind kind, const cd_gap3 *gap, double epsilon, cd_contact *contact);

#endif
