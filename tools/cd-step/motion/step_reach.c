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

cd_vec3 cd_step_reached(const cd_step_reach *reach, cd_quat rotation, cd_vec3 spin)
{
    if (reach->is_none)
        return (cd_vec3){0, 0, 0};
    const cd_vec3 axis = cd_quat_turn(rotation, reach->axis);
    return cd_sub3(spin, cd_scale3(cd_dot3(axis, spin), axis));
}
