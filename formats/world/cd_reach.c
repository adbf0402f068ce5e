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

// What all shares of a frame go with.
typedef struct scales {
    double length, step, gravity;  // [m], [s], [m/s^2]
} scales;

static scales scales_of(const cd_model *in)
{
    return (scales){cd_f64_or(in->head.length, 0, 1), cd_frame_step_or_zero(in),
                    in->dim == 2 ? cd_length2(cd_gravity2(in)) : cd_length3(cd_gravity3(in))};
}

// speed [m/s]: at most that of the body's points, without what gravity adds.
static double share_at(const scales *s, int32_t motion, double speed)
{
    if (motion == CD_MOTION_FIXED)
        return rest_share * s->length;
    if (motion != CD_MOTION_PRESCRIBED)
        speed += s->gravity * s->step;
    return rest_share * s->length + motion_share * s->step * speed;
}

static double share_of(const cd_model *in, const cd_leaves *leaves, int32_t body, const scales *s)
{
    int32_t motion = cd_body_motion(in, body);
    if (motion == CD_MOTION_FIXED)
        return share_at(s, motion, 0);
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
    return share_at(s, motion, speed);
}

cd_reach cd_reach_make(cd_arena *arena, const cd_model *in, const cd_leaves *leaves, double asked)
{
    if (isnan(asked) && in->head.reach)
        asked = in->head.reach[0];
    if (!isnan(asked))
        return (cd_reach){asked, NULL};
    const scales s = scales_of(in);
    double *share = CD_ARENA_ARRAY(arena, double, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++)
        share[i] = share_of(in, leaves, i, &s);
    return (cd_reach){NAN, share};
}

void cd_reach_take_elements(cd_reach *reach, const cd_placed_elements *placed)
{
    if (!placed->place || !isnan(reach->same))
        return;
    const scales s = scales_of(placed->in);
    for (int32_t i = 0; i < placed->in->body.count; i++)
        if (cd_elements_of_body(placed, i) > 0)
            reach->share[i] = share_at(&s, cd_body_motion(placed->in, i), cd_elements_speed(placed, i));
}
