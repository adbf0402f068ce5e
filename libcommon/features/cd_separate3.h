// cd_separate3 -- the separator of two convex polyhedra over a step.
//
// A separator of the difference a - b is a face of a, a face of b, or an edge of a with an edge of b that are
// applicable (31). Its separation at a pose is the least signed distance along its normal between the two bodies: the
// largest over all separators is >= 0 exactly when the bodies do not overlap. One separator is chosen for the whole
// step, from the start pose q_0 and a pose q_pred that is expected at its end (cd-narrow's: the drifted one of
// cd_bodies.h) alone, so that every round of the step chooses the same; held apart by it at the step's end the bodies
// do not overlap, whatever their rotation (mode `separating` in cd-narrow(1)).
//
// The choice:
//   1. the separator best at q_pred, where its separation is >= 0 there and > -slack at q_0;
//   2. else of the separators with a separation >= -tolerance at q_0 (of those at q_0 and of those at q_pred) the one
//      that has the largest at q_pred;
//   3. else (they overlap at q_0) the separator best at q_0; its separation there, < 0, is the pair's bound.
// Of separators that are equally good within `tie` the choice is: a face before a pair of edges, the larger
// face (so that a box on a plate is held by the plate's face and can tip over its own edges), then the lower number in
// an order of the bodies that their geometry alone decides. Inner separators (cd_seam3.h) are left out of all this, as
// long as another one has a separation >= -tolerance at q_0.
//
// Cost: the distance of the two at each pose (0.5 us each), and a search in which most separators are ruled out by one
// product: with w a vector from a point of a to a point of b, separation(n) <= n.w, and with balls of radii r inside
// the bodies about their centres, <= n.(centre b - centre a) - r_a - r_b; for an edge the most of that over the arc
// between its two normals. No separator is searched for where the bodies are farther apart than `reach` at all poses,
// and no pair of edges where a face parts them by all their distance, as of what lies flat on something. Exchanging a
// and b exchanges the sides of the result and changes no other bit (identical bodies aside).
// SPDX-License-Identifier: MIT
#ifndef CD_SEPARATE3_H
#define CD_SEPARATE3_H

#include "cd_distance3.h"
#include "cd_seam3.h"

typedef enum cd_separator3_kind {
    CD_SEPARATOR3_NONE,    // farther apart than reach
    CD_SEPARATOR3_FACE_A,  // index_a
    CD_SEPARATOR3_FACE_B,  // index_b
    CD_SEPARATOR3_EDGES,   // index_a, index_b
} cd_separator3_kind;

typedef struct cd_separator3 {
    cd_separator3_kind kind;
    int32_t index_a, index_b;  // of the face or edge; -1: none of this body
    int32_t sign;              // edges: the normal is sign * (ea x eb) / |ea x eb|; of a choice: at q_k; else 1
} cd_separator3;

typedef struct cd_separate3_pose {
    const cd_shell3 *a, *b;
} cd_separate3_pose;

typedef struct cd_separating3 {
    cd_separator3 separator;
    double bound;  // [m] <= 0; below 0 the bodies overlap at q_0 by more than the tolerance: their gap there
    // Where they overlap at a trial q_k: the separator best there, if it is another one; else of kind NONE. The least
    // translation that parts them is along its normal, so what they have in common lies over it. Of sheets: the best
    // whose normal points as the separator's, because the least translation may lead to the sheet's other side.
    // Where they are `near` at q_k it stays, if it parts them by more than the separator: what a round parted by it has
    // contacts over it in the next round too, else that could push them together there again. Not of sheets, and no
    // inner one.
    cd_separator3 entered;
    bool is_inner;  // the separator is an inner one, for want of another
} cd_separating3;

// What of a choice hangs on q_0 and q_pred alone. Who asks for the same pair in every round of a step may keep it,
// zeros at first, and hand it in again with the same q_0, q_pred, reach and numbers, to the bit: then q_k alone is
// looked at. No bit of the result hangs on that.
typedef struct cd_separate3_known {
    bool is_measured;
    double nearest;       // [m] where it is measured: distance at q_pred; beyond reach that at q_0, if it is less
    cd_simplex3 simplex;  // that the distance at q_k begins from
    bool is_known;
    cd_separating3 choice;  // where it is known: but for `entered`
} cd_separate3_known;

typedef struct cd_separate3_input {
    cd_separate3_pose start, predicted, current;  // q_0, q_pred, q_k; equal pointers where a body does not move
    double reach;                                 // [m] closed: equal counts as within
    double slack;                                 // [m] how far the predicted separator may be behind at the start
    double tolerance;                             // [m] >= 0 of the separation at the start
    double tie;                                   // [m] >= 0 separators that differ by no more are equally good
    bool at_start;                                // the separator best at q_0, without asking q_pred
    const cd_seams3 *seams;                       // NULL: both stand alone
    cd_separate3_known *known;                    // NULL: nothing is kept; with seams nothing is either
    double near;                                  // [m] >= 0 of the distance at q_k, for `entered`
} cd_separate3_input;

// Of q_k `entered` comes, and nothing of it enters the choice but whether the bodies are within reach there, and: where
// the chosen edges are parallel at q_k to 1e-9, which leaves them no normal, the separator best at q_k takes their
// place. Scratch memory is given back.
cd_separating3 cd_separate3_choose(const cd_separate3_input *input, cd_arena *scratch);

// Is it an inner one at q_0?
bool cd_separate3_is_inner(const cd_separate3_input *input, const cd_separator3 *separator);

// The separator's unit normal from a to b at a pose; zero where its edges are parallel to 1e-9.
cd_vec3 cd_separator3_normal(const cd_separator3 *separator, cd_separate3_pose pose);
// With the sign by which its normal at a pose points as `ahead`, its normal at another one. Two edges that turn past
// being parallel turn ea x eb round, while what is in front of the other stays so.
static inline cd_separator3 cd_separator3_turned(cd_separator3 separator, cd_separate3_pose pose, cd_vec3 ahead)
{
    if (separator.kind == CD_SEPARATOR3_EDGES && cd_dot3(cd_separator3_normal(&separator, pose), ahead) < 0)
        separator.sign = -separator.sign;
    return separator;
}
// Its separation at a pose [m]; -Infinity where it has no normal there.
double cd_separator3_separation(const cd_separator3 *separator, cd_separate3_pose pose);

// The normal from a to b of the face of either body that has the largest separation, without the pairs of edges: quick,
// and near to the best direction where bodies overlap little.
cd_vec3 cd_best_face_normal3(cd_separate3_pose pose);

#endif
