// SPDX-License-Identifier: MIT
#include "cd_reach.h"

#include "cd_bodies.h"

static const double rest_share = 0.005 / 2;  // [1] of the characteristic length, a body's half of it
static const double motion_share = 1.5;      // [1] of the distance a body can move in the step

static double extent_of_shape(const cd_leaves *leaves, int32_t shape)
{
    double extent = 0;
    if (shape < 0)
        return 0;
    for (int32_t i = leaves->first[shape]; i < leaves->first[shape + 1]; i++) {
        double one = cd_leaves_extent(leaves, i);
        if (isfinite(one) && one > extent)
            extent = one;
    }
    return extent;
}

static double share_of(const cd_model *in, const cd_leaves *leaves, int32_t body, double length, double gravity,
                       double step)
{
    int32_t motion = cd_body_motion(in, body);
    if (motion == CD_MOTION_FIXED)
        return rest_share * length;
    double speed, spin;
    if (in->dim == 2) {
        cd_state2 state = cd_body_start2(in, body);
        speed = cd_length2(state.velocity);
        spin = fabs(state.spin);
    } else {
        cd_state3 state = cd_body_start3(in, body);
        speed = cd_length3(state.velocity);
        spin = cd_length3(state.spin);
    }
    if (spin != 0)
        speed += extent_of_shape(leaves, in->body.shape ? in->body.shape[body] : -1) * spin;
    if (motion != CD_MOTION_PRESCRIBED)
        speed += gravity * step;
    return rest_share * length + motion_share * step * speed;
}

cd_reach cd_reach_make(cd_arena *arena, const cd_model *in, const cd_leaves *leaves, double asked)
{
    if (isnan(asked) && in->head.reach)
        asked = in->head.reach[0];
    if (!isnan(asked))
        return (cd_reach){asked, NULL};
    double length = cd_f64_or(in->head.length, 0, 1);
    double step = cd_frame_step_or_zero(in);
    double gravity = in->dim == 2 ? cd_length2(cd_gravity2(in)) : cd_length3(cd_gravity3(in));
    double *share = CD_ARENA_ARRAY(arena, double, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++)
        share[i] = share_of(in, leaves, i, length, gravity, step);
    return (cd_reach){NAN, share};
}
