// SPDX-License-Identifier: MIT
#include "cd_impact.h"

#include "cd_bodies.h"

// [1] of the characteristic length
static const double closed_share =
    1e-5;  // trials of flat bodies are right to far less; from 1e-3 on all bounce in the air
static const double rest_share = 1e-6;  // of motion in a step
// [1] of what contacts have moved both bodies off their free way: between bodies that are round their rounds leave 1e-2
// of it in the median, 1e-1 of one contact in ten. Smaller: impacts at long steps are plastic. Larger: what is near by
// chance bounces before it touches, though within the step.
static const double pushed_share = 0.1;

cd_impact cd_impact_make(const cd_model *in, const cd_interactions *interactions, const int32_t *trial_row,
                         double length)
{
    const double step = cd_frame_step_or_zero(in);
    const double left = step + cd_f64_or(in->frame.rest, 0, 0);
    return (cd_impact){in, interactions, trial_row, step, cd_f64_or(in->frame.whole, 0, left), length};
}

static double dot(const double *a, const double *b, int dim)
{
    return a[0] * b[0] + a[1] * b[1] + (dim == 3 ? a[2] * b[2] : 0);
}

// n . velocity of a body at the contact's point.
static double speed_of_side(const cd_impact *impact, int32_t contact, int32_t body, const double *v)
{
    const cd_model *in = impact->in;
    if (cd_body_motion(in, body) == CD_MOTION_FIXED || !cd_body_is_active(in, body))
        return 0;
    size_t dim = (size_t)in->dim, at = dim * (size_t)contact;
    const double *n = in->contact.normal + at, *point = in->contact.point + at;
    if (in->dim == 2) {
        cd_vec2 centre = cd_body_trial2(in, impact->trial_row, body).position;
        cd_vec2 arm = cd_sub2(cd_vec2_at(point), centre);
        return dot(n, v, 2) + v[2] * cd_cross2(arm, cd_vec2_at(n));
    }
    cd_vec3 centre = cd_body_trial3(in, impact->trial_row, body).position;
    cd_vec3 arm = cd_sub3(cd_vec3_at(point), centre);
    return dot(n, v, 3) + cd_dot3(cd_vec3_at(v + 3), cd_cross3(arm, cd_vec3_at(n)));
}

double cd_impact_speed(const cd_impact *impact, int32_t contact, const double *velocity, int stride)
{
    const cd_contact_rows *rows = &impact->in->contact;
    int32_t a = rows->a[2 * contact], b = rows->b[2 * contact];
    return speed_of_side(impact, contact, b, velocity + (size_t)b * (size_t)stride) -
           speed_of_side(impact, contact, a, velocity + (size_t)a * (size_t)stride);
}

// [m/s^2] of a body that forces move.
static double acceleration_of(const cd_model *in, int32_t body)
{
    if (cd_body_motion(in, body) != CD_MOTION_DYNAMIC)
        return 0;
    return in->dim == 2 ? cd_length2(cd_body_applied2(in, body).acceleration)
                        : cd_length3(cd_body_applied3(in, body).acceleration);
}

double cd_impact_off_way(const cd_model *in, int32_t body, double step, cd_vec3 free, cd_vec3 end)
{
    const cd_vec3 start =
        in->dim == 2 ? cd_vec3_of_plane(cd_body_start2(in, body).position) : cd_body_start3(in, body).position;
    return cd_length3(cd_sub3(cd_sub3(end, start), cd_scale3(step, free)));
}

double cd_impact_push(const cd_impact *impact, int32_t body)
{
    const cd_model *in = impact->in;
    const double h = impact->step;
    if (impact->trial_row[body] < 0 || !cd_body_is_moved(in, body))
        return 0;
    if (in->dim == 2) {
        const cd_vec2 free =
            cd_add2(cd_body_start2(in, body).velocity, cd_scale2(h, cd_body_applied2(in, body).acceleration));
        const cd_vec2 end = cd_body_trial2(in, impact->trial_row, body).position;
        return cd_impact_off_way(in, body, h, cd_vec3_of_plane(free), cd_vec3_of_plane(end));
    }
    const cd_vec3 free =
        cd_add3(cd_body_start3(in, body).velocity, cd_scale3(h, cd_body_applied3(in, body).acceleration));
    return cd_impact_off_way(in, body, h, free, cd_body_trial3(in, impact->trial_row, body).position);
}

bool cd_impact_is_closed(const cd_impact *impact, int32_t contact, double gap)
{
    const cd_contact_rows *rows = &impact->in->contact;
    const double bound = rows->bound ? rows->bound[contact] : NAN, least = closed_share * impact->length;
    const bool is_separating = rows->kind[contact] == CD_CONTACT_SEPARATING;
    const double over = is_separating && bound < 0 ? gap - bound : gap;
    if (is_separating && over < -least)
        return false;
    if (over <= least)
        return true;
    const double push = cd_impact_push(impact, rows->a[2 * contact]) + cd_impact_push(impact, rows->b[2 * contact]);
    return over <= pushed_share * push;
}

bool cd_impact_is_fast(const cd_impact *impact, int32_t contact, double speed)
{
    const cd_contact_rows *rows = &impact->in->contact;
    double h = impact->whole, a = acceleration_of(impact->in, rows->a[2 * contact]);
    a = fmax(a, acceleration_of(impact->in, rows->b[2 * contact]));
    return speed < -(2 * a * h + rest_share * impact->length / h);
}

bool cd_impact_bounces(const cd_impact *impact, int32_t contact, double speed)
{
    const cd_contact_rows *rows = &impact->in->contact;
    return cd_impact_is_fast(impact, contact, speed) &&
           cd_contact_law_of(impact->interactions, impact->in, rows->a[2 * contact], rows->b[2 * contact]).restitution >
               0;
}
