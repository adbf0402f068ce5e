// SPDX-License-Identifier: MIT
#include "cd_reach.h"

#include "cd_bodies.h"
#include "cd_length.h"

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

static scales scales_of(const cd_model *in, double length)
{
    return (scales){length, cd_frame_step_or_zero(in),
                    in->dim == 2 ? cd_length2(cd_gravity2(in)) : cd_length3(cd_gravity3(in))};
}

// speed [m/s]: at most that of the body's points, without what the acceleration [m/s^2] of these, of a dynamic body,
// adds.
static double sway_at(const scales *s, int32_t motion, double speed, double acceleration)
{
    if (motion == CD_MOTION_FIXED)
        return 0;
    if (motion != CD_MOTION_PRESCRIBED)
        speed += acceleration * s->step;
    return motion_share * s->step * speed;
}

// How fast the body moves and turns at the step's start [m/s], [rad/s], and what forces change of that [m/s^2],
// [rad/s^2]: lengths of the vectors, but of the velocity.
typedef struct motion_sizes {
    cd_vec3 velocity;
    double spin, acceleration, spin_rate;
} motion_sizes;

static motion_sizes sizes_in_plane(const cd_model *in, int32_t body)
{
    cd_state2 state = cd_body_start2(in, body);
    cd_applied2 applied = cd_body_applied2(in, body);
    return (motion_sizes){{state.velocity.x, state.velocity.y, 0},
                          fabs(state.spin),
                          cd_length2(applied.acceleration),
                          fabs(applied.spin_rate)};
}

static motion_sizes sizes_in_space(const cd_model *in, int32_t body)
{
    cd_state3 state = cd_body_start3(in, body);
    cd_applied3 applied = cd_body_applied3(in, body);
    motion_sizes sizes = {state.velocity, cd_length3(state.spin), cd_length3(applied.acceleration), 0};
    const double *inertia = in->body.inertia ? in->body.inertia + 6 * (size_t)body : NULL;
    if (cd_length3(applied.torque) > 0 && inertia && cd_inertia3_is_definite(inertia))
        sizes.spin_rate = cd_length3(cd_spin_of_momentum3(inertia, state.rotation, applied.torque));
    return sizes;
}

// Sway, shift, swing and pull of a body.
static void measure_body(cd_reach *reach, const cd_model *in, const cd_leaves *leaves, int32_t body, const scales *s)
{
    int32_t motion = cd_body_motion(in, body);
    reach->sway[body] = reach->swing[body] = reach->pull[body] = 0;
    reach->shift[body] = (cd_vec3){0, 0, 0};
    if (motion == CD_MOTION_FIXED || s->step == 0)
        return;
    motion_sizes sizes = in->dim == 2 ? sizes_in_plane(in, body) : sizes_in_space(in, body);
    double turning = 0;  // [m/s] of the farthest point
    if (sizes.spin != 0 || sizes.spin_rate != 0) {
        double extent = extent_of_shape(leaves, in->body.shape ? in->body.shape[body] : -1);
        turning = extent * sizes.spin;
        sizes.acceleration += extent * sizes.spin_rate;
    }
    reach->sway[body] = sway_at(s, motion, cd_length3(sizes.velocity) + turning, sizes.acceleration);
    reach->shift[body] = cd_scale3(motion_share * s->step, sizes.velocity);
    reach->swing[body] = sway_at(s, motion, turning, 0);
    reach->pull[body] = sway_at(s, motion, 0, sizes.acceleration);
}

cd_reach cd_reach_make(cd_arena *arena, const cd_model *in, const cd_leaves *leaves, double asked)
{
    if (isnan(asked) && in->head.reach)
        asked = in->head.reach[0];
    const scales s = scales_of(in, cd_length_of(arena, in, leaves));
    cd_reach reach = {.same = asked, .rest = rest_share * s.length, .length = s.length};
    reach.sway = CD_ARENA_ARRAY(arena, double, in->body.count);
    reach.shift = CD_ARENA_ARRAY(arena, cd_vec3, in->body.count);
    reach.swing = CD_ARENA_ARRAY(arena, double, in->body.count);
    reach.pull = CD_ARENA_ARRAY(arena, double, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++)
        measure_body(&reach, in, leaves, i, &s);
    return reach;
}

cd_reach cd_reach_make_shares(cd_arena *arena, const cd_model *in, const cd_leaves *leaves, double asked)
{
    if (isnan(asked) && in->head.reach)
        asked = in->head.reach[0];
    return isnan(asked) ? cd_reach_make(arena, in, leaves, asked) : (cd_reach){.same = asked};
}

double cd_reach_most(const cd_reach *reach, const cd_model *in)
{
    double most = 0, second = 0;
    int32_t count = 0;
    if (!isnan(reach->same))
        return reach->same;
    for (int32_t i = 0; i < in->body.count; i++) {
        if (!cd_body_is_active(in, i))
            continue;
        const double share = cd_reach_share(reach, i);
        second = fmax(second, fmin(most, share));
        most = fmax(most, share);
        count++;
    }
    return count < 2 ? 0 : most + second;
}

void cd_reach_take_elements(cd_reach *reach, const cd_placed_elements *placed)
{
    if (!placed->place || !reach->sway)
        return;
    const scales s = scales_of(placed->in, reach->length);
    for (int32_t i = 0; i < placed->in->body.count; i++)
        if (cd_elements_of_body(placed, i) > 0) {
            int32_t motion = cd_body_motion(placed->in, i);
            reach->sway[i] = sway_at(&s, motion, cd_elements_speed(placed, i), s.gravity);
            reach->shift[i] = (cd_vec3){0, 0, 0};
            reach->swing[i] = sway_at(&s, motion, cd_elements_speed(placed, i), 0);
            reach->pull[i] = sway_at(&s, motion, 0, s.gravity);
        }
}
