// Gaps of pinballs: bodies of elements have no shape to be measured.
// SPDX-License-Identifier: MIT
#include "why_pair.h"

// A ball after a share of the step: its nodes go straight on, x + t v.
static cd_pinball ball_at(const cd_why_frame *frame, const cd_placed_pinballs *balls, int32_t body,
                          const int32_t place[2], double share)
{
    const cd_model *in = &frame->in;
    const double time = share * frame->step;
    cd_pinball ball = cd_pinball_of(balls, body, place[0], place[1]);
    cd_vec3 velocity = {0, 0, 0};
    for (int i = 0; i < ball.nodes; i++)
        if (cd_body_motion(in, body) != CD_MOTION_FIXED &&
            cd_i32_or(in->node.motion, ball.node[i], CD_MOTION_DYNAMIC) != CD_MOTION_FIXED)
            velocity =
                cd_add3(velocity, cd_scale3(ball.weight[i], cd_node_vector(in->node.velocity, in->dim, ball.node[i])));
    if (ball.nodes == 0 && cd_body_motion(in, body) != CD_MOTION_FIXED)
        velocity = cd_node_vector(in->body.velocity, in->dim, body);
    ball.centre = cd_add3(ball.centre, cd_scale3(time, velocity));
    return ball;
}

double cd_why_balls_gap(const cd_why_pair *pair, const cd_why_leaves *leaves, double share)
{
    const cd_why_frame *frame = pair->frame;
    const cd_placed_pinballs balls = {&frame->run->narrow.pinballs, &frame->elements};
    int32_t count[2];
    for (int k = 0; k < 2; k++)
        count[k] = cd_pinballs_of_part(&balls, pair->row[k], leaves->part[k]);
    double least = INFINITY;
    for (int32_t i = 0; i < count[0]; i++)
        for (int32_t j = 0; j < count[1]; j++) {
            const cd_pinball a = ball_at(frame, &balls, pair->row[0], (int32_t[]){leaves->part[0], i}, share);
            const cd_pinball b = ball_at(frame, &balls, pair->row[1], (int32_t[]){leaves->part[1], j}, share);
            least = fmin(least, cd_length3(cd_sub3(b.centre, a.centre)) - a.radius - b.radius);
        }
    return isinf(least) ? NAN : least;
}
