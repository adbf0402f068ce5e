// SPDX-License-Identifier: MIT
#include "step_reach.h"

static const double rounding = 1e-12;  // [1] of a body's size, of its inertia

// Both of a ball or an ellipsoid; false of other kinds.
static bool axes_of(const cd_leaves *shapes, int32_t leaf, cd_vec3 *centre, cd_vec3 *semiaxes, cd_mat3 *axes)
{
    *axes = cd_mat3_identity();
    if (shapes->dim == 2) {
        const cd_leaf2 *own = &shapes->plane.leaf[leaf];
        const double r = own->radius;
        *centre = cd_vec3_of_plane(own->centre);
        *semiaxes = own->kind == CD_SHAPE_SPHERE ? (cd_vec3){r, r, r} : cd_vec3_of_plane(own->semiaxes);
        semiaxes->z = semiaxes->x;
        return own->kind == CD_SHAPE_SPHERE || own->kind == CD_SHAPE_ELLIPSOID;
    }
    const cd_leaf3 own = cd_leaves3_at(&shapes->space, leaf);
    if (own.kind == CD_SHAPE_SPHERE) {
        *centre = own.sphere.centre;
        *semiaxes = (cd_vec3){own.sphere.radius, own.sphere.radius, own.sphere.radius};
        return true;
    }
    if (own.kind != CD_SHAPE_ELLIPSOID)
        return false;
    *centre = own.ellipsoid->centre;
    *semiaxes = own.ellipsoid->semiaxes;
    *axes = *own.ellipsoid->axes;
    return true;
}

// The two others are the same about the axis.
static bool is_even_about(const double *inertia, cd_vec3 axis)
{
    const cd_vec3 along = cd_inertia3_apply(inertia, axis), aside = cd_cross3(axis, along);
    return cd_length3(aside) <= rounding * cd_length3(along);
}

cd_step_reach cd_step_reach_of(const cd_model *in, const cd_leaves *shapes, int32_t body)
{
    cd_step_reach reach = {false, {0, 0, 0}};
    const int32_t shape = in->body.shape ? in->body.shape[body] : -1;
    cd_vec3 centre, s;
    cd_mat3 axes;
    if (shape < 0 || shapes->first[shape + 1] - shapes->first[shape] != 1 ||
        !axes_of(shapes, shapes->first[shape], &centre, &s, &axes) || cd_length3(centre) > rounding * s.x)
        return reach;
    const double own[3] = {s.x, s.y, s.z};
    for (int k = 0; k < 3; k++) {
        if (own[(k + 1) % 3] != own[(k + 2) % 3])
            continue;
        reach.is_none = own[k] == own[(k + 1) % 3];
        const cd_vec3 unit = {k == 0, k == 1, k == 2}, axis = cd_mat3_apply(&axes, unit);
        if (in->dim == 3 && is_even_about(in->body.inertia + 6 * (size_t)body, axis))
            reach.axis = axis;
        break;
    }
    return reach;
}

static const double no_change = 1e-14;  // [1] of the momentum

// Of what impulses gave the body, the part along its axis when they did: those of this round at the trial, those that a
// polish round goes on from at the start.
static double given_along(const cd_step_bodies *bodies, const int32_t *trial_row, const cd_step_reach *reach,
                          int32_t body, cd_vec3 given)
{
    const cd_model *in = bodies->in;
    const cd_vec3 axis = cd_quat_turn(cd_body_start3(in, body).rotation, reach->axis);
    if (!trial_row || trial_row[body] < 0 || cd_body_trial_state(in, trial_row, body) != CD_ABSENT)
        return cd_dot3(given, axis);
    const cd_state3 trial = cd_body_trial3(in, trial_row, body);
    const cd_vec3 trial_axis = cd_quat_turn(trial.rotation, reach->axis);
    if (cd_i32_or(in->frame.target, 0, CD_ABSENT) != CD_TARGET_TRIAL)
        return cd_dot3(given, trial_axis);
    const cd_vec3 change = cd_sub3(trial.spin, cd_step_angular(&bodies->free[body]));
    const cd_vec3 before = cd_angular_momentum3(cd_step_inertia(in, body), bodies->middle[body], change);
    return cd_dot3(before, axis) + cd_dot3(cd_sub3(given, before), trial_axis);
}

cd_vec3 cd_step_end_moment(const cd_step_bodies *bodies, const int32_t *trial_row, const cd_step_reach *reach,
                           int32_t body, const cd_step_velocity *nu, cd_quat end)
{
    const cd_model *in = bodies->in;
    const double *inertia = cd_step_inertia(in, body);
    const cd_quat middle = bodies->middle[body];
    const cd_vec3 whole = cd_angular_momentum3(inertia, middle, cd_step_angular(nu));
    if (reach->is_none || cd_dot3(reach->axis, reach->axis) == 0)
        return whole;
    const cd_vec3 free = cd_step_angular(&bodies->free[body]), own = cd_angular_momentum3(inertia, middle, free);
    const cd_quat turn = cd_quat_from_vector(cd_scale3(bodies->step, free));
    const cd_quat free_end = cd_quat_product(turn, cd_body_start3(in, body).rotation);
    const cd_vec3 axis = cd_quat_turn(end, reach->axis), free_axis = cd_quat_turn(free_end, reach->axis);
    const double size = cd_length3(whole), along = cd_dot3(whole, axis);
    const double kept = cd_dot3(own, free_axis) + given_along(bodies, trial_row, reach, body, cd_sub3(whole, own));
    const cd_vec3 across = cd_sub3(whole, cd_scale3(along, axis));
    if (fabs(kept - along) <= no_change * size || !(fabs(kept) < size))
        return whole;
    const double rest = sqrt((size - kept) * (size + kept)) / cd_length3(across);
    return cd_add3(cd_scale3(kept, axis), cd_scale3(rest, across));
}

cd_vec3 cd_step_reached(const cd_step_reach *reach, cd_quat rotation, cd_vec3 spin)
{
    if (reach->is_none)
        return (cd_vec3){0, 0, 0};
    const cd_vec3 axis = cd_quat_turn(rotation, reach->axis);
    return cd_sub3(spin, cd_scale3(cd_dot3(axis, spin), axis));
}
