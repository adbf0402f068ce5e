// cd_bodies -- what every stage asks of the body table: canonical order, who takes part, and the states of a step, in
// the plane and in space. Tables must have been decoded with defaults (cd_filter does). What shapes are is in
// cd_leaves.h.
// SPDX-License-Identifier: MIT
#ifndef CD_BODIES_H
#define CD_BODIES_H

#include "cd_assert.h"
#include "cd_motion2.h"
#include "cd_motion3.h"
#include "cd_records.h"

// [1] of a step (of a second where a frame states none): times are products and sums of decimal numbers, a few
// roundings off; a step is many orders above it.
#define CD_TIME_TOLERANCE 1e-9

// Canonical order is by user id, whatever the order of rows in the stream: row[k] is the k-th body by id, rank[i] its
// inverse.
typedef struct cd_body_order {
    const int32_t *row, *rank;
} cd_body_order;
cd_body_order cd_body_order_make(cd_arena *arena, const cd_body_rows *body);

// CD_MOTION_..., dynamic where it is absent
static inline int32_t cd_body_motion(const cd_model *in, int32_t body)
{
    return cd_i32_or(in->body.motion, body, CD_MOTION_DYNAMIC);
}

// The frame's step [s]; 0 when the frame states none: nothing moves.
static inline double cd_frame_step_or_zero(const cd_model *in) { return cd_f64_or(in->frame.step, 0, 0); }
// [s] Bodies of a later release wait.
static inline double cd_latest_release(const cd_model *in)
{
    CD_ASSERT(in->frame.count == 1);
    const double step = cd_frame_step_or_zero(in);
    return in->frame.time[0] + CD_TIME_TOLERANCE * (step > 0 ? step : 1);
}
static inline bool cd_is_released(double release, double latest) { return isnan(release) | (release <= latest); }

// A body takes part from its release time on, within CD_TIME_TOLERANCE.
static inline bool cd_body_is_active(const cd_model *in, int32_t body)
{
    return cd_is_released(in->body.release ? in->body.release[body] : 0, cd_latest_release(in));
}
bool cd_bodies_are_active(const cd_model *in);  // all of them?

// Has the body a position? The stream asks for none: bodies may stand there with their ids alone, beside bounds.
static inline bool cd_body_has_position(const cd_model *in, int32_t body)
{
    return in->body.position && !isnan(in->body.position[(size_t)in->dim * (size_t)body]);
}
// Of those that take part: does the step move it by impulses?
static inline bool cd_body_is_moved(const cd_model *in, int32_t body)
{
    return cd_body_motion(in, body) == CD_MOTION_DYNAMIC && cd_body_is_active(in, body);
}
// What every stage that works with geometry must ask first, here or through cd_bodies_check or cd_leaves_count:
// CD_ERR_FORMAT "body 3: position: required of a body that takes part". Bodies that take no part may be without; their
// states hold NaN.
cd_status cd_bodies_need_positions(const cd_model *in, cd_diag *diag) CD_MUST_CHECK;
// Of one that takes part.
cd_status cd_body_need_position(const cd_model *in, int32_t body, cd_diag *diag) CD_MUST_CHECK;
// Are the parts of the body elements (cd_elements.h)? Stages without a routine for these ask, and so need `element`.
// Cost: O(elements) for a body without shape, nothing for others.
bool cd_body_is_of_elements(const cd_model *in, int32_t body);
// The same of the shape of a body that takes part. Where its parts are elements, here and where its position is
// missing: CD_ERR_UNSUPPORTED "body 3: its parts are elements, for which this stage has no routine".
cd_status cd_body_need_shape(const cd_model *in, int32_t body, cd_diag *diag) CD_MUST_CHECK;
// What the contact dynamics of a stage can rely on: checks that every active body has a position and (with
// `need_shapes`) a shape, and that every active dynamic one has a mass > 0 and an inertia > 0, in space positive
// definite. CD_ERR_FORMAT "body 3: mass: required of a dynamic body"; CD_ERR_UNSUPPORTED for moving bodies of elements.
cd_status cd_bodies_check(const cd_model *in, bool need_shapes, cd_diag *diag) CD_MUST_CHECK;
// The same of one that takes part and has a position.
cd_status cd_body_check(const cd_model *in, int32_t body, bool need_shape, cd_diag *diag) CD_MUST_CHECK;

// The frame's step [s]; CD_ERR_FORMAT when it states none.
cd_status cd_frame_step(const cd_model *in, double *step, cd_diag *diag) CD_MUST_CHECK;
// [m/s^2] world; 0 where the head gives none. In space: head.gyroscopic too.
cd_vec2 cd_gravity2(const cd_model *in);
cd_vec3 cd_gravity3(const cd_model *in);
// What acts on a body over the step beside contacts: gravity, and `force` and `torque` of the body where they and its
// mass and inertia are there (one without them does not move by forces).
cd_applied2 cd_body_applied2(const cd_model *in, int32_t body);
cd_applied3 cd_body_applied3(const cd_model *in, int32_t body);
cd_gyration cd_head_gyration(const cd_model *in);

// Required poses of a step (STREAM.md "The loop"): start q_0, predicted q_pred, trial q_k (the start when the frame has
// no trial of the body). Predicted: dynamic bodies move freely; prescribed: q + h nu; fixed: start.
cd_state2 cd_body_start2(const cd_model *in, int32_t body);
cd_state2 cd_body_predicted2(const cd_model *in, int32_t body, double step);
cd_state2 cd_body_trial2(const cd_model *in, const int32_t *trial_row, int32_t body);
// Drifted: where a dynamic body would be with the velocities of its start, without the forces of the step. What holds a
// body up takes its weight too: of bodies at rest this is the start, where free motion leads through their supports.
cd_state2 cd_body_drifted2(const cd_model *in, int32_t body, double step);
cd_state3 cd_body_drifted3(const cd_model *in, int32_t body, double step);
// Space. Where a dynamic body has no positive definite inertia its predicted spin is that of the start (only stages
// that do not ask cd_bodies_check come across that).
cd_state3 cd_body_start3(const cd_model *in, int32_t body);
cd_state3 cd_body_predicted3(const cd_model *in, int32_t body, double step);
cd_state3 cd_body_trial3(const cd_model *in, const int32_t *trial_row, int32_t body);
cd_pose3 cd_body_trial_pose3(const cd_model *in, const int32_t *trial_row, int32_t body);  // of that state, alone

// Row of `trial`, of `next` of each body (the last one of several), -1 none; length body.count, @owns arena.
int32_t *cd_body_trial_rows(cd_arena *arena, const cd_model *in);
int32_t *cd_body_next_rows(cd_arena *arena, const cd_model *in);
// trial.state of the body, CD_ABSENT without one. With one it is held out of the round: it keeps its trial velocity,
// and contacts of such bodies with each other, and with bodies that no impulse moves, are no part of the problem.
int32_t cd_body_trial_state(const cd_model *in, const int32_t *trial_row, int32_t body);

// Which bodies are tied together: sets of them, each known by one, its root. Start, with each body row its own root;
// connect the rows a and b, for each contact that counts, where impulses move both, true: they were of two sets;
// finish: from there on root[body] is that of its set, the body of the least user id. Near O(1) a contact. @owns arena
int32_t *cd_body_roots_start(cd_arena *arena, const cd_model *in);
bool cd_body_roots_connect(const cd_model *in, int32_t *root, int32_t a, int32_t b);
void cd_body_roots_finish(const cd_model *in, int32_t *root);

#endif
