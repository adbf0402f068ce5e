// SPDX-License-Identifier: MIT
#include "step_flight.h"

// [1] of its velocity: what impulses gave a body less is rounding.
static const double no_push = 1e-12;

static double ahead_of(const cd_model *in, int32_t body)
{
    return in->body.ahead ? cd_f64_or(in->body.ahead, body, 0) : 0;
}

const double *cd_step_flight_leads(cd_arena *arena, const cd_step_bodies *bodies, const cd_impact *impact,
                                   const bool *is_closed)
{
    const cd_model *in = bodies->in;
    double *leads = CD_ARENA_ARRAY(arena, double, in->body.count);
    bool *bears = CD_ARENA_ZARRAY(arena, bool, in->body.count), has_lead = false;
    for (int32_t i = 0; i < in->body.count; i++)
        leads[i] = NAN;
    for (int32_t i = 0; i < in->contact.count; i++) {
        const int32_t body[2] = {in->contact.a[2 * i], in->contact.b[2 * i]};
        const double speed = is_closed[i] ? cd_impact_speed(impact, i, bodies->free[0].at, CD_STEP_AXES) : 0;
        const bool bounces = speed < 0 && cd_impact_bounces(impact, i, speed);
        for (int side = 0; side < 2; side++) {
            bears[body[side]] |= speed < 0 && !bounces;
            if (bounces && cd_body_is_moved(in, body[side]))
                leads[body[side]] = impact->whole / 2 - ahead_of(in, body[side]);
        }
    }
    for (int32_t i = 0; i < in->body.count; i++) {
        leads[i] = bears[i] ? NAN : leads[i];
        has_lead |= !isnan(leads[i]);
    }
    return has_lead ? leads : NULL;
}

const double *cd_step_flight_of_trial(cd_arena *arena, const cd_model *in, const int32_t *trial_row)
{
    if (!in->trial.lead)
        return NULL;
    double *leads = CD_ARENA_ARRAY(arena, double, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++)
        leads[i] = trial_row[i] >= 0 && cd_body_is_moved(in, i) ? in->trial.lead[trial_row[i]] : NAN;
    return leads;
}

// nu + time * (acceleration without contact); in space the inertia is that at the rotation.
static void accelerate(const cd_model *in, int32_t body, double time, cd_quat rotation, cd_step_velocity *nu)
{
    double *own = nu->at;
    if (in->dim == 2) {
        const cd_applied2 applied = cd_body_applied2(in, body);
        const double rate[] = {applied.acceleration.x, applied.acceleration.y, applied.spin_rate};
        for (int k = 0; k < 3; k++)
            own[k] += time * rate[k];
        return;
    }
    const cd_applied3 applied = cd_body_applied3(in, body);
    cd_vec3_put(cd_add3(cd_vec3_at(own), cd_scale3(time, applied.acceleration)), own);
    if (cd_dot3(applied.torque, applied.torque) == 0)
        return;
    const cd_vec3 turn = cd_spin_of_momentum3(cd_step_inertia(in, body), rotation, applied.torque);
    cd_vec3_put(cd_add3(cd_vec3_at(own + 3), cd_scale3(time, turn)), own + 3);
}

void cd_step_flight_add(const cd_step_bodies *bodies, const double *lead, double sign, cd_step_velocity *nu)
{
    const cd_model *in = bodies->in;
    for (int32_t i = 0; lead && i < in->body.count; i++)
        if (!isnan(lead[i]))
            accelerate(in, i, sign * lead[i], in->dim == 3 ? bodies->middle[i] : cd_quat_identity(), &nu[i]);
}

static bool flew(const cd_step_bodies *bodies, const double *leads, int32_t body)
{
    if (!cd_body_is_moved(bodies->in, body) || (leads && !isnan(leads[body])))
        return cd_body_is_moved(bodies->in, body);
    const cd_vec3 free = cd_step_linear_of(bodies->dim, &bodies->free[body]);
    const cd_vec3 given = cd_sub3(cd_step_linear_of(bodies->dim, &bodies->nu[body]), free);
    return cd_length3(given) <= no_push * cd_length3(free);
}

void cd_step_flight_go_on(cd_arena *arena, const cd_step_bodies *bodies, const double *leads, cd_next_rows *next)
{
    const cd_model *in = bodies->in;
    const bool is_last = !(cd_f64_or(in->frame.rest, 0, 0) > 0);
    double *ahead = is_last ? NULL : CD_COLUMN(arena, in->dim, next, next, ahead);
    for (int32_t row = 0; row < next->count; row++) {
        const int32_t body = next->body[row];
        if (!flew(bodies, leads, body) || (is_last && ahead_of(in, body) == 0))
            continue;
        cd_step_velocity nu = {{0}};
        const size_t turns = in->dim == 2 ? 1 : 3;
        double *velocity = next->velocity + (size_t)in->dim * (size_t)row, *spin = next->spin + turns * (size_t)row;
        memcpy(nu.at, velocity, (size_t)in->dim * sizeof *velocity);
        memcpy(nu.at + in->dim, spin, turns * sizeof *spin);
        const cd_quat rotation = in->dim == 3 ? cd_quat_at(next->rotation + 4 * (size_t)row) : cd_quat_identity();
        accelerate(in, body, is_last ? -ahead_of(in, body) : bodies->step, rotation, &nu);
        memcpy(velocity, nu.at, (size_t)in->dim * sizeof *velocity);
        memcpy(spin, nu.at + in->dim, turns * sizeof *spin);
        if (!is_last)
            ahead[row] = ahead_of(in, body) + bodies->step;
    }
}
