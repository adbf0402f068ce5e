// SPDX-License-Identifier: MIT
#include "cd_bounds.h"

#include "cd_bodies.h"
#include "cd_bounds2.h"
#include "cd_bounds3.h"

void cd_bounds_put(cd_aabb box, double grow, int dim, double *min, double *max)
{
    box = cd_aabb_grow(box, grow, dim);
    for (int k = 0; k < dim; k++) {
        bool is_good = box.min[k] <= box.max[k] && box.min[k] < INFINITY && box.max[k] > -INFINITY;
        min[k] = is_good ? box.min[k] : -INFINITY;
        max[k] = is_good ? box.max[k] : INFINITY;
    }
}

// Is there a pose beside the start's to be covered?
static bool is_predicted(const cd_model *in, int32_t body, double step)
{
    return step > 0 && cd_body_motion(in, body) != CD_MOTION_FIXED;
}

static void bounds_in_plane(const cd_bounds_frame *frame, int32_t body, double grow, double *min, double *max)
{
    const cd_model *in = frame->in;
    const cd_leaves *leaves = frame->leaves;
    cd_state2 state[CD_BOUNDS_POSES] = {cd_body_start2(in, body)};
    int count = 1;
    double step = frame->start_only ? 0 : cd_frame_step_or_zero(in);
    if (is_predicted(in, body, step))
        state[count++] = cd_body_predicted2(in, body, step);
    if (!frame->start_only && frame->trial_row[body] >= 0)
        state[count++] = cd_body_trial2(in, frame->trial_row, body);
    int32_t first = leaves->first[in->body.shape[body]], end = leaves->first[in->body.shape[body] + 1];
    for (int32_t i = first; i < end; i++, min += 2, max += 2)
        cd_bounds_put(cd_bounds2_motion(&leaves->plane.leaf[i], state, count), grow, 2, min, max);
}

static void bounds_in_space(const cd_bounds_frame *frame, int32_t body, double grow, double *min, double *max)
{
    const cd_model *in = frame->in;
    const cd_leaves *leaves = frame->leaves;
    cd_state3 state[CD_BOUNDS_POSES] = {cd_body_start3(in, body)};
    int count = 1;
    double step = frame->start_only ? 0 : cd_frame_step_or_zero(in);
    if (is_predicted(in, body, step))
        state[count++] = cd_body_predicted3(in, body, step);
    if (!frame->start_only && frame->trial_row[body] >= 0)
        state[count++] = cd_body_trial3(in, frame->trial_row, body);
    cd_motions3 motions = cd_motions3_make(state, count, step);
    int32_t first = leaves->first[in->body.shape[body]], end = leaves->first[in->body.shape[body] + 1];
    for (int32_t i = first; i < end; i++, min += 3, max += 3)
        cd_bounds_put(cd_bounds3_motion(&leaves->space.leaf[i], &motions), grow, 3, min, max);
}

void cd_bounds_of_body(const cd_bounds_frame *frame, int32_t body, double grow, double *min, double *max)
{
    if (frame->leaves->dim == 2)
        bounds_in_plane(frame, body, grow, min, max);
    else
        bounds_in_space(frame, body, grow, min, max);
}
