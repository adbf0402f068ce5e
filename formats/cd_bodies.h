// cd_bodies -- what every stage asks of the body and shape tables: canonical order, who takes part, states, and the convex leaves
// of each shape in the plane. Tables must have been decoded with defaults (cd_filter does).
// SPDX-License-Identifier: MIT
#ifndef CD_BODIES_H
#define CD_BODIES_H

#include "cd_motion2.h"
#include "cd_polygon.h"
#include "cd_records.h"
#include "cd_refs.h"

// [1] of a step (of a second where a frame states none): times are products and sums of decimal numbers, a few roundings off; a step
// is many orders above it.
#define CD_TIME_TOLERANCE 1e-9

// Canonical order is by user id, whatever the order of rows in the stream: row[k] is the k-th body by id, rank[i] its inverse.
typedef struct cd_body_order {
    const int32_t *row, *rank;
} cd_body_order;
cd_body_order cd_body_order_make(cd_arena *arena, const cd_body_rows *body);

int32_t cd_body_motion(const cd_model *in, int32_t body);  // CD_MOTION_..., dynamic where it is absent

// A body takes part from its release time on, within CD_TIME_TOLERANCE.
bool cd_body_is_active(const cd_model *in, int32_t body);
// What the contact dynamics of a stage can rely on: checks that every active dynamic body has mass and inertia > 0, and (with
// `need_shapes`) a shape. CD_ERR_FORMAT "body 3: mass: required of a dynamic body".
cd_status cd_bodies_check(const cd_model *in, bool need_shapes, cd_diag *diag) CD_MUST_CHECK;

// The frame's step [s]; 0 when the frame states none: nothing moves. cd_frame_step: CD_ERR_FORMAT when it states none.
double cd_frame_step_or_zero(const cd_model *in);
cd_status cd_frame_step(const cd_model *in, double *step, cd_diag *diag) CD_MUST_CHECK;
cd_vec2 cd_gravity2(const cd_model *in);

// Required poses of a step (DESIGN "The loop"): start q_0, predicted q_pred, trial q_k (the start when the frame has no trial of the body).
cd_state2 cd_body_start2(const cd_model *in, int32_t body);
cd_state2 cd_body_predicted2(const cd_model *in, int32_t body, double step);  // dynamic: free motion; prescribed: q + h nu; fixed: start
// Row of `trial`, of `next` of each body (the last one of several), -1 none; length body.count, @owns arena.
int32_t *cd_body_trial_rows(cd_arena *arena, const cd_model *in);
int32_t *cd_body_next_rows(cd_arena *arena, const cd_model *in);
cd_state2 cd_body_trial2(const cd_model *in, const int32_t *trial_row, int32_t body);

// ---- leaves --------------------------------------------------------------------------------------------------------------

// A convex part of a shape in the body's frame (or, placed, in the world's). kind is CD_SHAPE_POLYGON (boxes become polygons of
// 4 vertices, counter-clockwise from (-,-)), CD_SHAPE_SPHERE, CD_SHAPE_HALFSPACE or CD_SHAPE_ELLIPSOID.
typedef struct cd_leaf2 {
    int32_t kind;
    int32_t shape;        // row of the leaf's own shape
    cd_polygon polygon;   // POLYGON
    cd_vec2 centre;       // SPHERE, ELLIPSOID
    double radius;        // SPHERE
    cd_vec2 normal;       // HALFSPACE: solid where normal.x <= offset
    double offset;
    cd_vec2 semiaxes;     // ELLIPSOID, along the axes turned by `angle`
    double cosine, sine;  // ELLIPSOID: turn
    double extent;        // largest distance of the leaf from the body's origin [m]; infinite for a halfspace
} cd_leaf2;

// Leaves of all shapes; leaves of shape row s are leaf[first[s]] .. leaf[first[s+1]-1]; part numbers count from first[s].
typedef struct cd_leaves2 {
    const int32_t *first;
    const cd_leaf2 *leaf;
} cd_leaves2;

// Expands compounds (nested ones in depth-first order) and validates geometry: convex counter-clockwise polygons, finite sizes, parts present.
// CD_ERR_FORMAT "shape 3: vertices: ..."; CD_ERR_UNSUPPORTED for 3-D kinds. Head tables only: call it once a run. @owns arena.
cd_status cd_leaves2_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, cd_leaves2 *leaves, cd_diag *diag) CD_MUST_CHECK;

// Leaves of all bodies that take part. CD_ERR_FORMAT when one of them has no shape, CD_ERR_LIMIT when they are too many to be numbered.
cd_status cd_leaves2_count(const cd_model *in, const cd_leaves2 *leaves, int32_t *count, cd_diag *diag) CD_MUST_CHECK;

// The leaf moved by a pose; polygon vertices are new, in `arena`.
cd_leaf2 cd_leaf2_place(cd_arena *arena, const cd_leaf2 *leaf, cd_pose2 pose);

#endif
