// SPDX-License-Identifier: MIT
#include "cd_bounds.h"

#include "cd_bodies.h"
#include "cd_bounds2.h"
#include "cd_bounds3.h"
#include "cd_sum.h"

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

// Where the body is at the start and, but for start_only, at the ends that boxes cover. Without its turning, which at a
// million bodies is most of the work.
static int positions_of(const cd_bounds_frame *frame, int32_t body, cd_vec3 *position)
{
    const cd_model *in = frame->in;
    if (frame->start_only && in->dim == 3 && in->body.position) {
        position[0] = cd_vec3_at(in->body.position + 3 * (size_t)body);
        return 1;
    }
    double step = frame->start_only ? 0 : cd_frame_step_or_zero(in);
    bool is_moved = is_predicted(in, body, step), is_tried = !frame->start_only && frame->trial_row[body] >= 0;
    int count = 1;
    if (in->dim == 2) {
        cd_state2 state[CD_BOUNDS_POSES] = {cd_body_start2(in, body)};
        if (is_moved)
            state[count++] = cd_body_predicted2(in, body, step);
        if (is_tried)
            state[count++] = cd_body_trial2(in, frame->trial_row, body);
        for (int k = 0; k < count; k++)
            position[k] = (cd_vec3){state[k].position.x, state[k].position.y, 0};
        return count;
    }
    position[0] = in->body.position ? cd_vec3_at(in->body.position + 3 * (size_t)body) : (cd_vec3){NAN, NAN, NAN};
    if (is_moved) {
        cd_state3 start = cd_body_start3(in, body);
        start.spin = (cd_vec3){0, 0, 0};
        cd_applied3 applied =
            cd_body_motion(in, body) == CD_MOTION_DYNAMIC ? cd_body_applied3(in, body) : (cd_applied3){0};
        applied.torque = (cd_vec3){0, 0, 0};
        position[count++] = cd_state3_free(start, NULL, applied, step, CD_GYRATION_EXPLICIT).position;
    }
    if (is_tried)
        position[count++] = cd_body_trial3(in, frame->trial_row, body).position;
    return count;
}

static cd_aabb ball_at(cd_vec3 p, double radius)
{
    return (cd_aabb){{cd_sum_down(p.x, -radius), cd_sum_down(p.y, -radius), cd_sum_down(p.z, -radius)},
                     {cd_sum_up(p.x, radius), cd_sum_up(p.y, radius), cd_sum_up(p.z, radius)}};
}

void cd_bounds_of_ball(const cd_bounds_frame *frame, int32_t body, double radius, double grow, double *min, double *max)
{
    cd_vec3 position[CD_BOUNDS_POSES];
    int count = positions_of(frame, body, position), dim = frame->in->dim;
    cd_aabb box = ball_at(position[0], radius);
    for (int k = 1; k < count; k++)
        box = cd_aabb_merge(box, ball_at(position[k], radius), dim);
    cd_bounds_put(box, grow, dim, min, max);
}

void cd_bounds_of_parts(const cd_bounds_frame *frame, int32_t body, const int32_t *part, int32_t count, double grow,
                        double *min, double *max)
{
    const cd_model *in = frame->in;
    const cd_leaves *leaves = frame->leaves;
    cd_state3 state[CD_BOUNDS_POSES] = {cd_body_start3(in, body)};
    int poses = 1;
    double step = frame->start_only ? 0 : cd_frame_step_or_zero(in);
    if (is_predicted(in, body, step))
        state[poses++] = cd_body_predicted3(in, body, step);
    if (!frame->start_only && frame->trial_row[body] >= 0)
        state[poses++] = cd_body_trial3(in, frame->trial_row, body);
    cd_motions3 motions = cd_motions3_make(state, poses, step);
    int32_t number = leaves->first[in->body.shape[body]];
    for (int32_t i = 0; i < count; i++, min += 3, max += 3) {
        cd_leaf3 leaf = cd_leaves3_at(&leaves->space, number + (part ? part[i] : i));
        cd_bounds_put(cd_bounds3_motion(&leaf, &motions), grow, 3, min, max);
    }
}

// The leaf of a body that is a sphere about its position, and no more; NULL: it is another one.
static const cd_leaf3 *only_ball(const cd_bounds_frame *frame, int32_t body)
{
    const cd_leaves *leaves = frame->leaves;
    int32_t shape = frame->in->body.shape[body], first = leaves->first[shape];
    if (leaves->dim == 2 || leaves->first[shape + 1] != first + 1)
        return NULL;
    const cd_leaf3 *leaf = cd_leaves3_stored(&leaves->space, first);
    bool is_centred = leaf->kind == CD_SHAPE_SPHERE && leaf->sphere.centre.x == 0 && leaf->sphere.centre.y == 0 &&
                      leaf->sphere.centre.z == 0;
    return is_centred ? leaf : NULL;
}

bool cd_bounds_sphere_of(const cd_bounds_frame *frame, int32_t body, cd_bounds_sphere *sphere)
{
    const cd_leaf3 *ball = only_ball(frame, body);
    if (!ball)
        return false;
    sphere->radius = ball->sphere.radius;
    sphere->count = positions_of(frame, body, sphere->centre);
    return true;
}

static int32_t parts_of(const cd_bounds_frame *frame, int32_t body)
{
    const int32_t *first = frame->leaves->first + frame->in->body.shape[body];
    return first[1] - first[0];
}

void cd_bounds_of_body(const cd_bounds_frame *frame, int32_t body, double grow, double *min, double *max)
{
    const cd_leaf3 *ball = only_ball(frame, body);
    if (ball) {
        cd_bounds_of_ball(frame, body, ball->sphere.radius, grow, min, max);
        return;
    }
    if (frame->leaves->dim == 2)
        bounds_in_plane(frame, body, grow, min, max);
    else
        cd_bounds_of_parts(frame, body, NULL, parts_of(frame, body), grow, min, max);
}
