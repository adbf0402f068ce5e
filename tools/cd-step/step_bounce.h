// step_bounce -- when do bodies that bounce first meet within the step?
//
// The rounds move bodies that meet to where nothing overlaps at the step's end; a jump of velocities there is one of
// other normals, and of other momenta, than that of the moment at which they met: off by the first order of h, and of
// bodies that turn far there may be no contact left that closes. So a step in which few bodies bounce is cut where the
// first of them meet, as one that is cut at a contact on its way, and is taken in parts: poses and velocities are then
// those of each instant in turn. Its cost is that of the parts, so at most `bounces` are followed in a whole step,
// each part of it counted as one; where more pairs bounce, they do so at its end.
//
// The moment: pairs of bodies of which a contact with restitution has an impulse in the first round, and approaches
// faster than v_0 (cd_impact.h), are followed on their ways without contact (step_path.h). The velocities of these
// depend on the length of the part that ends at the moment, t = touch(nu(t)): solved by secants. A part ends with a gap
// of some 1e-11 of the characteristic length, or of 16 times the rounding of places. Bodies that begin a step in
// contact and approach part by an impact after they have gone on by 1e-6 of that length. Those that touch where they
// part, and close elsewhere, are followed from when they are apart. Rows are linear and may push two bodies that do not
// meet, as round ones that come near each other askew; where every impulse of an island is one of such a pair its
// bodies go on without contact.
// SPDX-License-Identifier: MIT
#ifndef STEP_BOUNCE_H
#define STEP_BOUNCE_H

#include "step_islands.h"
#include "step_rounds.h"

enum { CD_STEP_BOUNCES = 8, CD_STEP_BOUNCES_MOST = CD_STEP_PARTS - 1 };  // by default, and at most

typedef struct cd_step_bounce {
    double share;         // (0..1) of the step where the first of them meet; 1: none, or not before its end
    const bool *meets;    // by contact: of a pair that is there at the step's end; NULL: none is
    const bool *is_free;  // by root: nothing pushes the island; NULL: no such island
} cd_step_bounce;

// Of the first round of an attempt, nu as it was solved, which is left as it is. @owns arena
cd_step_bounce cd_step_bounce_find(cd_arena *arena, const cd_step_round *round, const cd_step_islands *islands,
                                   const int32_t *trial_row);

#endif
