// pair_region -- the contacts of the region that two flat bodies share over a face of one of them, in the plane and in
// space: what is common to pair2_separating.c and pair3_separating.c.
//
// Gap rates over a flat shared region are affine: they are >= 0 at the corners of the region exactly when some
// separator of the pair has rates >= 0 at all its vertices. So the corners of the region are the whole condition, and
// which of several equally good separators was chosen does not matter. A vertex beside the face that is held above its
// plane would be a support where there is none.
//
// With the face f of one body, n its normal, the corners are
//   vertices   of the other body whose foot lies in f, grown by the drift of the pair: their gap to f;
//   corners    of f that lie over a face f' of the other body that faces f (n.n' < 0), grown so as well, and at the
//              step's end as it is expected: their gap to f', along its normal;
//   crossings  in space, of edges of the other body with the outline of f, seen along n: their gap to f; its edges count
//              as longer by drift and pull, but no more than a crossing is high;
// The drift is what the velocities at the start can move them against each other by. What gravity would add is not in
// it: free motion takes bodies that are held through what holds them, and a corner that stands beside a face would come
// to lie over it (a box that topples over the edge of one post was held by the side of another one). What comes over a
// face all the same overlaps at the trial, and is taken in then. Each where the gap is within reach; where a short
// reach was asked for, within the sway, from where free motion may come. Where the bodies overlap at a trial pose, the
// region over the separator best there joins: what they have in common lies over it. No threshold beyond rounding is
// put on the angle between f and f': with one a tilting box loses its support in the middle of a step. A pair of edges
// between faces that lie on each other, but for an angle that the bodies can turn by in the step, has the region over
// one of them.
//
// Which of them can matter. Two points of one body at the distance d change the difference of their gaps by at most
// angle * d while the bodies turn by `angle` against each other: one that is higher than another by more is left out.
// The height of a corner of f is that of f' over it along n, its gap over -n.n'. Where f' leans away from a corner by
// more than the bodies can turn, and more than CD_SHARED_REGION_TURN, another point of the region keeps them apart
// there, and the plane of f' would hold what slides along f: a brick that is struck from below pushed the one beside it
// up by the rim of its bottom face. Of what remains the lowest CD_SHARED_REGION_MOST are kept: where a body spins by
// more than an angle of one within the step all its vertices remain, and a linearisation says nothing of them. A vertex
// that was needed all the same joins in the next round.
// SPDX-License-Identifier: MIT
#ifndef PAIR_REGION_H
#define PAIR_REGION_H

#include "cd_contact.h"

enum { CD_SHARED_REGION_MOST = 48 };
// [1] cosine: faces that face each other by less stand beside each other. Smaller: sides of boxes that are flush count
// as lying over each other, by rounding. Larger: a box that topples loses its support before it is upright.
#define CD_SHARED_REGION_FACING 1e-6
// [1] of the tolerance: sides that are flush to within it are over each other. Smaller: of boxes stacked corner on
// corner rounding decides which corners lie over the other. Larger: a corner that has slid off by as much is held.
#define CD_SHARED_REGION_APART 1e3
// [rad] bodies may turn by this against each other in a step, whatever `angle` says, where corners of a face are left
// out. Smaller: corners that what meets in the step turns onto a face join a round later (100 polygons without friction
// take 0.5 % more rounds with 0). Larger: faces that lean away by less hold what slides beside them.
#define CD_SHARED_REGION_TURN 0.5
// [1] of the radius of the smaller part: a corner or crossing that is nearer to another point of the region, and not
// lower, is left out. Where it gets lower it is in the next round's region. Smaller: bodies that lie nearly flush carry
// each corner two to three times, and which of them carries what is open. Larger: more rounds while bodies turn against
// each other.
#define CD_SHARED_REGION_NEAR 1e-4
// [1] the same where bodies lie askew on each other and a pair of edges parts them: they turn about it, and corners so
// near to each other are met by one. Smaller: rows that are nearly one, of which cd-lcp's cones do not tell which bears
// (40 to 125 hulls that land, mu 0.5, six heaps: 1058 for 937 ms a step in all, 519 problems for 444 short of the
// tolerance). Larger: more rounds.
#define CD_SHARED_REGION_NEAR_ASKEW 1e-2
// [1] cosine of their normals: contacts farther from each other do not stand for each other. Smaller: where one body
// stands on another and leans against it, one of the two is lost, and it sinks by up to 0.2 mm in a step. Larger: see
// CD_SHARED_REGION_NEAR.
#define CD_SHARED_REGION_ALIKE 0.99
// [1] of the tolerance: parts of one body that are nearer to each other cover each other's faces. Smaller: bodies catch
// where the parts' coordinates were rounded. Larger: slots between parts count as filled.
#define CD_SEAM_NEAR 1e5

typedef struct cd_shared_region {
    cd_arena *scratch;  // of the list; borrowed, not given back
    double reach;       // [m] the larger of both
    double angle;       // [rad] the two bodies turn by at most this against each other in the step
    double near;        // [m] of corners and crossings, see CD_SHARED_REGION_NEAR
    double near_askew;  // [m] the same, see CD_SHARED_REGION_NEAR_ASKEW
    cd_contacts list;
} cd_shared_region;

// reach [m] that was asked for; sway [m] of the pair (cd_reach.h); radius [m] of the smaller part, about a point of its
// own: whatever turns it moves its far points. It may not depend on how the part is turned.
cd_shared_region cd_shared_region_make(cd_arena *scratch, double reach, double sway, double radius);

// Takes the contact, unless it is out of reach.
static inline void cd_shared_region_add(cd_shared_region *region, const cd_contact *contact)
{
    if (contact->gap <= region->reach)
        cd_list_push(region->scratch, &region->list, *contact);
}

// Is there a contact nearer than `near` [m] to this one, seen along its normal, that is not higher than it, and along
// nearly the same normal? tolerance [m]: of equal gaps.
bool cd_shared_region_covers(const cd_shared_region *region, const cd_contact *contact, double near, double tolerance);

// Leaves corners of a separator's face out that stay above another contact of its region, see above. The region:
// contacts from number `first` on. normal: of the face, from a to b. tolerance [m]: of gaps. Not for a trial: it says
// where corners are, and a pair that gave each other something in the round before needs a contact to keep it.
void cd_shared_region_leave_high_corners(cd_shared_region *region, int32_t first, const cd_separator *face,
                                         cd_vec3 normal, double tolerance);

// Puts contacts of one pair, from number `first` on, in the order of the stream: by their features, those without as
// they came.
void cd_contacts_sort(cd_contacts *contacts, int32_t first);

// Appends those that can matter, in the order of their features.
void cd_shared_region_finish(const cd_shared_region *region, cd_arena *arena, cd_contacts *contacts);

#endif
