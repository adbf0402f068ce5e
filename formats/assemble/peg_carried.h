// peg_carried -- slip in the middle of the step, where its velocities are those of the start: how fast a body of
// prescribed motion that turns carries what rubs on it, and what bodies that roll slip by as they turn.
//
// Carried.
// Its velocity at the start, v + omega x r, is that of the tangent: what went along it would be farther out at the end,
// by (h omega)^2 r / 2 a step. What lies on it goes along the chord, and slip is wanted in the middle of the step,
// where the other body is at r + h u / 2, u the way that body goes as seen from the centre of the one that turns:
//     v + omega x (r + h u / 2).
// Of a body that turns along u = omega x (r + h u / 2), which keeps its distance; one that stays where it is, and does
// not turn, while the other slides off under it has u = 0, and nothing changes. The difference is one velocity for all
// contacts of a pair, so a body that sticks with one contact sticks with the others.
//
// u is the velocity of the trial; without one that of the start, turned by h omega of a body that turns along. Where
// the centre does not go straight it has another velocity in the step than in the one before, of which the start is:
// what turns along and goes as what lies there would, to parts of omega x r, has the chord of that for u in the place
// of its own; with the second power of what it slips by it is its own again. Of a table that turns about a point 2 m
// off its centre, a box 0.3 m from that slips by 1.2e-4 m in a second of 10 ms steps, by its own u 2.7e-3 m.
//
// A body that turns along also goes the chord of h omega in the place of that of the midpoint rule,
// 2 atan(h omega / 2): on one whose centre goes straight it lies still to rounding. By how far it turns along goes how
// much of this is done: wholly where its spin is omega, not at all from a difference of |omega| on.
//
// Rolled. Velocities v, omega of a step are those of its middle, arms r of a contact are those of its start. Let c be
// the velocity of the point of contact. Half a step on the arm of a body is r + h/2 (c - v), so slip, of b against a,
// is more by
//     h/2 (omega_b x (c - v_b) - omega_a x (c - v_a)).
// Without it a body whose centre rises or sinks as it rolls, or that turns on a corner, slips by a part of (h omega)^2
// r a step, and friction does work: a board that rocks on a log, 0.3 rad to either side, was 3.3 % wider after 40 s of
// 10 ms steps, a loaded disc 0.7 % after 3 s; now 0.07 % narrower, and less than 0.05 %, of second order.
// A corner and what it stands on, and edges that cross, turn about the point where they touch: c is its velocity.
// Closest points of parts that are round travel along both as they roll. That matters where the two turn about the
// normal against each other, of ellipsoids in space: their c is asked of the pair where it would be at the step's end.
// Of balls it is left out: of one on what does not turn all of this is 0.
// All this is of bodies that touch and roll. Those that slip, or meet, do not go on with the velocities of the start:
// by the second power of how fast the points part, over how fast turning moves them, it is less, down to none.
// SPDX-License-Identifier: MIT
#ifndef PEG_CARRIED_H
#define PEG_CARRIED_H

#include "cd_vec3.h"

#include <stdbool.h>

// The plane is z = 0, its spins are about z. Of the body that is carried, as seen from the centre of the prescribed
// one:
typedef struct cd_peg_carried {
    double step;                     // [s] > 0
    cd_vec3 spin;                    // [rad/s] of the prescribed body
    cd_vec3 start, now;              // [m] where it is at the start, and where its contact is looked at
    cd_vec3 velocity, carried_spin;  // [m/s], [rad/s] of the start or, has_trial, of the trial; the spin is its own
    bool has_trial;
} cd_peg_carried;

// [m/s] what the prescribed body's velocity at a contact differs by from v + omega x (point - its centre now).
cd_vec3 cd_peg_carried_drift(const cd_peg_carried *carried);

typedef struct cd_peg_rolled {
    double step;                   // [s] > 0
    cd_vec3 normal;                // unit, from a to b
    cd_vec3 arm[2];                // [m] of a and b, from the centre to the contact
    cd_vec3 velocity[2], spin[2];  // [m/s], [rad/s] of the start
    bool is_held[2];               // has the velocity that it has whatever touches it
    bool is_round;                 // closest points, which travel along the parts
    bool has_way;                  // of those: `way` is known
    cd_vec3 way;                   // [m/s] of the point of contact
} cd_peg_rolled;

// [m/s] what the slip of b against a is more than at the start, within the contact plane.
cd_vec3 cd_peg_rolled_drift(const cd_peg_rolled *rolled);

#endif
