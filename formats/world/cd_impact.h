// cd_impact -- which contacts bounce: the one answer that the stage which writes their rows (cd-peg-assemble) and the
// one that judges them (cd-step) share.
//
// An impact is a jump of the velocities where the step ends, at the poses of `trial`. A contact takes part when it is
// closed there and approaches,
//     v_n = n . (v_b - v_a) < -v_0   at its point,   v_0 = 2 a h + 1e-6 L / h
// a: the larger acceleration of the two bodies without contact (gravity and applied force). What they add to a resting
// body within a step must not make it bounce; and what moves by less than 1e-6 of the characteristic length L in a step
// is at rest. h: the whole step, of which the frame may be a part, so that what comes to rest does not bounce through
// all parts.
// SPDX-License-Identifier: MIT
#ifndef CD_IMPACT_H
#define CD_IMPACT_H

#include "cd_interactions.h"
#include "cd_vec3.h"

typedef struct cd_impact {
    const cd_model *in;
    const cd_interactions *interactions;
    const int32_t *trial_row;  // of body rows, -1: at its start
    double step, whole;        // [s] of the frame; of the whole step that it is a part of
    double length;             // [m] the characteristic one
} cd_impact;

// All are borrowed. The frame has a step; length [m]: cd_length_of.
cd_impact cd_impact_make(const cd_model *in, const cd_interactions *interactions, const int32_t *trial_row,
                         double length);

// v_n [m/s] of a row of `contact`, negative where the bodies approach. velocity: of body rows, `stride` numbers each:
// x, y, spin, in space x, y, z, spin; those of fixed bodies and of bodies that take no part are not looked at.
double cd_impact_speed(const cd_impact *impact, int32_t contact, const double *velocity, int stride);

// [m] How far contacts have moved a body off its free way when it ends the step at `end`, without them at the velocity
// `free`: h / m times their impulse. z of the plane is 0.
double cd_impact_off_way(const cd_model *in, int32_t body, double step, cd_vec3 free, cd_vec3 end);
// [m] The same by the trial, free as gravity and applied forces make it; 0 of bodies without one, or that nothing
// moves.
double cd_impact_push(const cd_impact *impact, int32_t body);

// Is a contact that takes part in the frame closed when its gap is `gap` [m]? To within 1e-5 L, or a tenth of what both
// bodies were pushed in the step: rounds end where nothing overlaps, and of round bodies that is not where they touch.
// Where its parts overlap at the step's start (bound < 0) it is at that gap. A separator's row far below is of a
// separator that has lost its use.
bool cd_impact_is_closed(const cd_impact *impact, int32_t contact, double gap);

// Does it approach faster than v_0?
bool cd_impact_is_fast(const cd_impact *impact, int32_t contact, double speed);
// The same, and has the pair a restitution above 0?
bool cd_impact_bounces(const cd_impact *impact, int32_t contact, double speed);

#endif
