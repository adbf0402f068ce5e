// SPDX-License-Identifier: MIT
#include "cd_reach2.h"

static const double rest_share = 0.005 / 2;  // [1] of the characteristic length, a body's half of it
static const double motion_share = 1.5;      // [1] of the distance a body can move in the step

static double extent_of_shape(const cd_leaves2 *leaves, int32_t shape)
{
    double extent = 0;
    if (shape < 0)
        return 0;
    for (int32_t i = leaves->first[shape]; i < leaves->first[shape + 1]; i++)
        if (isfinite(leaves->leaf[i].extent) && leaves->leaf[i].extent > extent)
            extent = leaves->leaf[i].extent;
    return extent;
}

static double share_of(const cd_model *in, const cd_leaves2 *leaves, int32_t body, double length, double step)
{
    int32_t motion = cd_body_motion(in, body);
    if (motion == CD_MOTION_FIXED)
        return rest_share * length;
    cd_state2 state = cd_body_start2(in, body);
    double speed = cd_length2(state.velocity);
    if (state.spin != 0)
        speed += extent_of_shape(leaves, in->body.shape ? in->body.shape[body] : -1) * fabs(state.spin);
    if (motion != CD_MOTION_PRESCRIBED)
        speed += cd_length2(cd_gravity2(in)) * step;
    return rest_share * length + motion_share * step * speed;
}

cd_reach2 cd_reach2_make(cd_arena *arena, const cd_model *in, const cd_leaves2 *leaves, double asked)
{
    if (isnan(asked) && in->head.reach)
        asked = in->head.reach[0];
    if (!isnan(asked))
        return (cd_reach2){asked, NULL};
    double length = cd_f64_or(in->head.length, 0, 1);
    double step = cd_frame_step_or_zero(in);
    double *share = CD_ARENA_ARRAY(arena, double, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++)
        share[i] = share_of(in, leaves, i, length, step);
    return (cd_reach2){NAN, share};
}
