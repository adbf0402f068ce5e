// cd_reach -- the distance within which two parts become potential contacts, asked by every stage that must agree on
// it: the broad phase grows boxes by each body's share, the narrow phase takes the sum of both.
//
// Either one length for all pairs (an option, else head.reach), or automatic: for bodies a and b
//     0.005 L + 1.5 h sum over both of (|v| + R |omega| + (|g + f / m| + R |J^-1 tau|) h)
// with L = cd_length_of, h the frame's step (0 where it states none: nothing moves), v and omega the velocities at the
// step's start, f and tau the force and torque applied over it, and R the largest distance of the body's bounded leaves
// from its centre of mass. The first term is there for bodies at rest; the second covers how near two bodies can come
// within the step, and half as much again for what contacts do to their velocities. Gravity and forces count for
// dynamic bodies alone, a fixed body has no motion at all. Of a body of elements |v| is the speed of its fastest node,
// and omega, f and tau are 0. The second term alone is the sway of the two: how far points of one can move past points
// of the other. Of that, what the velocities at the start make of a pair is its drift, by their difference: a pair that
// is carried along has the drift of the same pair that is not,
//     1.5 h (|v_a - v_b| + R_a |omega_a| + R_b |omega_b|);
// what the forces make of it is its pull.
// Cost: O(bodies + leaves of their shapes) a frame.
// SPDX-License-Identifier: MIT
#ifndef CD_REACH_H
#define CD_REACH_H

#include "cd_elements.h"

typedef struct cd_reach {
    double same;     // [m] of every pair; NaN: automatic
    double rest;     // [m] automatic: a body's part of it where nothing moves
    double *sway;    // [m] what each body can move by, and half as much again; by row of `body`
    cd_vec3 *shift;  // [m] the part of it that the velocity at the start makes: 1.5 h v; in the plane z = 0
    double *swing;   // [m] the part that its spin makes: 1.5 h R |omega|; of a body of elements all, its shift is 0
    double *pull;    // [m] the part that gravity, force and torque make
    double length;   // [m] L
} cd_reach;

// asked: [m] an option's value, NaN when it was not given. @owns arena
cd_reach cd_reach_make(cd_arena *arena, const cd_model *in, const cd_leaves *leaves, double asked);

// The same for those who ask for shares alone: without sway, shift, swing and pull (NULL) where one length holds for
// all pairs.
cd_reach cd_reach_make_shares(cd_arena *arena, const cd_model *in, const cd_leaves *leaves, double asked);

// Takes sway, swing and pull of the bodies of elements from their nodes.
void cd_reach_take_elements(cd_reach *reach, const cd_placed_elements *placed);

static inline double cd_reach_share(const cd_reach *reach, int32_t body)
{
    return isnan(reach->same) ? reach->rest + reach->sway[body] : reach->same / 2;
}
static inline double cd_reach_pair(const cd_reach *reach, int32_t a, int32_t b)
{
    return isnan(reach->same) ? cd_reach_share(reach, a) + cd_reach_share(reach, b) : reach->same;
}
// [m] The reach in force in a frame: no pair of bodies that take part has a larger one. Automatic: the two largest
// shares of these bodies, 0 where fewer than two do. O(bodies)
double cd_reach_most(const cd_reach *reach, const cd_model *in);

// [m] of a pair, >= 0; whatever reach was asked for.
static inline double cd_reach_sway(const cd_reach *reach, int32_t a, int32_t b)
{
    return reach->sway[a] + reach->sway[b];
}

// The part of it that the velocities at the start make: two at rest have none, whatever gravity would do with them, and
// two that go alike neither.
static inline double cd_reach_drift(const cd_reach *reach, int32_t a, int32_t b)
{
    return cd_length3(cd_sub3(reach->shift[a], reach->shift[b])) + reach->swing[a] + reach->swing[b];
}

// The part that the forces make, as if they were opposite: one of the two may be held.
static inline double cd_reach_pull(const cd_reach *reach, int32_t a, int32_t b)
{
    return reach->pull[a] + reach->pull[b];
}

#endif
