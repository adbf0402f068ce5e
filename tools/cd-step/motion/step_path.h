// step_path -- do the bodies stay apart on the way from the step's start to its end? A bound over the whole motion, a
// pair at a time: no pose between those looked at is left to chance, however fast bodies fly or spin.
//
// A pair's bound is its gap at the start where it overlaps there, else 0, as in step_gaps.h. The way is clear when no
// gap falls below its bound by `depth` or more at any time, a share of the radius of a ball that is inside the
// thinner of the two; of a facet and a solid part inside the solid one. What passes through a part is deeper in it than
// that on the way; what is less deep turned about a corner, or cut one, by the square of its motion in the step, and
// ends the step apart. A pair that comes to within an eighth of the depth of that limit counts as not clear: the answer
// errs to the safe side, and every advance below is of some length.
//
// Method: conservative advancement. Positions move at constant velocity u, rotations at constant spin w (the contract
// of step_integrator.h). At a share t of the step the exact gap has a direction n. The distance s of the two bodies
// along a direction, from the extents of both, is never above their gap. Two bounds hold of it:
//   1. n held in the world: s falls no faster than the origins approach, -u.n, and each body swings, R |w| |n x axis|:
//      R is the distance from the body's origin of what turning moves; the swing is at most 2 R |n x axis| in all;
//   2. n held, or turning with body a, with body b, or with two edges that cross: with s known at a later time too, it
//      lies above the chord of both values less K x (1 - x) / 2 times the time between squared (the error of linear
//      interpolation). K bounds the second derivative of the distance of any two points along n (step_path.c, carry).
// 1 needs no further pose, 2 one. It is exact where nothing turns, and follows a face that turns. The longest advance
// is taken, and the exact gap anew there. A half-space has its own normal for n, and where it turns its own frame
// alone.
//
// Cost. A pair that is slow (could not use up `depth` in the step), or whose balls about the bodies' origins stay
// apart, takes no pose. One in resting or sliding contact takes 1 or 2, one that passes some ten; turning in contact,
// one for each 0.02 to 0.1 rad. No pair takes more than CD_STEP_PATH_POSES: it counts as not clear where it got to.
// Sources: Mirtich, Impulse-based Dynamic Simulation, thesis, Berkeley 1996, section 2.3 (conservative advancement);
// Zhang, Lee & Kim, Interactive continuous collision detection for non-convex polyhedra, 2006.
// SPDX-License-Identifier: MIT
#ifndef STEP_PATH_H
#define STEP_PATH_H

#include "step_parts.h"

enum { CD_STEP_PATH_POSES = 20000 };

typedef struct cd_step_path_depth {
    double
        share;  // [1] of the radius of a ball inside the thinner part, of a facet and a solid part inside the solid one
    double least;   // [m] > 0 of what is thinner
    double facets;  // [m] the same of two facets, which may have no thickness at all
} cd_step_path_depth;

typedef struct cd_step_path {
    bool is_clear;
    double share;         // (0..1) not clear: where a shorter step should end, see below; else 1
    double gap;           // [m] of the pair that says so at `share`, over its bound
    double rate;          // [m] its gap changes by at most this over the step
    int64_t poses, most;  // poses of pairs looked at, in all and for one pair
    int32_t body[2];      // rows of `body`: that pair's, by user id; -1 where all is clear
    const bool *is_cut;   // by body row: it has a pair that is not clear
} cd_step_path;

// A pair that was further apart than `depth` at the start is cut where it comes to the limit: the way until there is
// clear. One that begins in contact would be cut at once again: it is cut where it is deepest, so that the end of the
// shorter step feels the contact that the way has. The least of these over all pairs. Kinds without a routine, and
// curved pairs that start with an overlap of unknown depth, are left out. The same for every thread count.
// @owns gaps->arena
cd_step_path cd_step_path_make(const cd_step_gaps *gaps, const cd_step_meeting *meeting, cd_step_path_depth depth);

// Where a pair first comes to within `near` of touching, from a share of the step on.
typedef struct cd_step_touch {
    double share;  // (0..1) of the step; 1: not before its end; 0: it is as near where the look begins, or how near is
                   // not known
    double gap;    // [m] there
} cd_step_touch;

// near [m] > 0, far above the rounding of gaps: where a share is within (0..1), the gap is between a half and 9/16 of
// it. Of each pair of the meeting; from: by pair. Scratch is given back.
void cd_step_path_touches(const cd_step_gaps *gaps, const cd_step_meeting *meeting, double near, const double *from,
                          cd_step_touch *touch);

#endif
