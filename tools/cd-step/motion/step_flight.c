// SPDX-License-Identifier: MIT
#include "step_flight.h"

// [1] of its velocity: what impulses gave a body less is rounding.
static const double no_push = 1e-12;

// What the body has ahead, 0 in a whole step.
static cd_step_velocity ahead_of(const cd_model *in, int32_t body)
{
    const int dim = in->dim, turns = dim == 2 ? 1 : 3;
    cd_step_velocity ahead = {{0}};
    for (int k = 0; k < dim && in->body.ahead; k++)
        ahead.at[k] = cd_f64_or(in->body.ahead, dim * body + k, 0);
    for (int k = 0; k < turns && in->body.ahead_spin; k++)
        ahead.at[dim + k] = cd_f64_or(in->body.ahead_spin, turns * body + k, 0);
    return ahead;
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
                leads[body[side]] = impact->whole / 2;
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

// time * (acceleration without contact); in space the inertia is that at the rotation.
static cd_step_velocity gain_of(const cd_model *in, int32_t body, double time, cd_quat rotation)
{
    if (in->dim == 2) {
        const cd_applied2 applied = cd_body_applied2(in, body);
        return cd_step_velocity2(cd_scale2(time, applied.acceleration), time * applied.spin_rate);
    }
    const cd_applied3 applied = cd_body_applied3(in, body);
    const cd_vec3 moment = cd_scale3(time, applied.torque);
    const bool turns = cd_dot3(moment, moment) > 0;
    return cd_step_velocity3(cd_scale3(time, applied.acceleration),
                             turns ? cd_spin_of_momentum3(cd_step_inertia(in, body), rotation, moment) : moment);
}

static void add(double share, const cd_step_velocity *change, cd_step_velocity *nu)
{
    for (int k = 0; k < CD_STEP_AXES; k++)
        nu->at[k] += share * change->at[k];
}

void cd_step_flight_add(const cd_step_bodies *bodies, const double *lead, double sign, cd_step_velocity *nu)
{
    const cd_model *in = bodies->in;
    for (int32_t i = 0; lead && i < in->body.count; i++) {
        if (isnan(lead[i]))
            continue;
        const cd_quat rotation = in->dim == 3 ? bodies->middle[i] : cd_quat_identity();
        const cd_step_velocity gain = gain_of(in, i, lead[i], rotation), ahead = ahead_of(in, i);
        add(sign, &gain, &nu[i]);
        add(-sign, &ahead, &nu[i]);
    }
}

static bool flew(const cd_step_bodies *bodies, const double *leads, int32_t body)
{
    if (!cd_body_is_moved(bodies->in, body) || (leads && !isnan(leads[body])))
        return cd_body_is_moved(bodies->in, body);
    const cd_vec3 free = cd_step_linear_of(bodies->dim, &bodies->free[body]);
    const cd_vec3 given = cd_sub3(cd_step_linear_of(bodies->dim, &bodies->nu[body]), free);
    return cd_length3(given) <= no_push * cd_length3(free);
}

// Bodies that fly, together where they pushed each other.
typedef struct flights {
    const int32_t *root;             // by body row
    bool *bears;                     // of a root: something held pushed one of them
    double *mass;                    // [kg] of a root
    cd_step_velocity *ahead, *gain;  // of a root: sums by mass of what is ahead, and of what the part adds
} flights;

// Whether the contact pushed two bodies, neither of which flew by itself or to an impact.
static bool joins(const cd_step_bodies *bodies, const double *leads, int32_t contact)
{
    const cd_contact_rows *rows = &bodies->in->contact;
    return cd_length3(bodies->impulse[contact]) > 0 && !flew(bodies, leads, rows->a[2 * contact]) &&
           !flew(bodies, leads, rows->b[2 * contact]);
}

static flights flights_of(cd_arena *arena, const cd_step_bodies *bodies, const double *leads)
{
    const cd_model *in = bodies->in;
    const int32_t count = in->body.count;
    int32_t *root = cd_body_roots_start(arena, in);
    flights f = {root, CD_ARENA_ZARRAY(arena, bool, count), CD_ARENA_ZARRAY(arena, double, count),
                 CD_ARENA_ZARRAY(arena, cd_step_velocity, count), CD_ARENA_ZARRAY(arena, cd_step_velocity, count)};
    for (int32_t i = 0; i < in->contact.count; i++)
        if (joins(bodies, leads, i))
            cd_body_roots_connect(in, root, in->contact.a[2 * i], in->contact.b[2 * i]);
    cd_body_roots_finish(in, root);
    // Who flew to an impact holds nobody: else what those had ahead would stay with them, a momentum of nobody's.
    for (int32_t i = 0; i < in->contact.count; i++) {
        const int32_t a = in->contact.a[2 * i], b = in->contact.b[2 * i], pushed = cd_body_is_moved(in, a) ? a : b;
        if (cd_length3(bodies->impulse[i]) > 0 && (pushed == b || !cd_body_is_moved(in, b)))
            f.bears[root[pushed]] |= !flew(bodies, leads, pushed);
    }
    for (int32_t i = 0; i < count; i++) {
        if (!cd_body_is_moved(in, i))
            continue;
        const cd_step_velocity ahead = ahead_of(in, i),
                               gain =
                                   gain_of(in, i, bodies->step, in->dim == 3 ? bodies->middle[i] : cd_quat_identity());
        f.mass[root[i]] += in->body.mass[i];
        add(in->body.mass[i], &ahead, &f.ahead[root[i]]);
        add(in->body.mass[i], &gain, &f.gain[root[i]]);
    }
    return f;
}

// Turning is each body's own, and goes on where it flew by itself alone.
static bool flies(const cd_step_bodies *bodies, const double *leads, const flights *f, int32_t body,
                  cd_step_velocity *before, cd_step_velocity *gain)
{
    if (!cd_body_is_moved(bodies->in, body) || flew(bodies, leads, body))
        return cd_body_is_moved(bodies->in, body);
    const int32_t root = f->root[body];
    if (f->bears[root])
        return false;
    for (int k = 0; k < CD_STEP_AXES; k++) {
        const bool is_linear = k < bodies->dim;
        before->at[k] = is_linear ? f->ahead[root].at[k] / f->mass[root] : 0;
        gain->at[k] = is_linear ? f->gain[root].at[k] / f->mass[root] : 0;
    }
    return true;
}

void cd_step_flight_go_on(cd_arena *arena, const cd_step_bodies *bodies, const double *leads, cd_next_rows *next)
{
    const cd_model *in = bodies->in;
    const size_t dim = (size_t)in->dim, turns = dim == 2 ? 1 : 3;
    const bool is_last = !(cd_f64_or(in->frame.rest, 0, 0) > 0);
    const flights f = flights_of(arena, bodies, leads);
    double *ahead = is_last ? NULL : CD_COLUMN(arena, in->dim, next, next, ahead);
    double *ahead_spin = is_last ? NULL : CD_COLUMN(arena, in->dim, next, next, ahead_spin);
    for (size_t row = 0; row < (size_t)next->count; row++) {
        const int32_t body = next->body[row];
        const cd_quat rotation = dim == 3 ? cd_quat_at(next->rotation + 4 * row) : cd_quat_identity();
        cd_step_velocity before = ahead_of(in, body), gain = gain_of(in, body, bodies->step, rotation);
        if (!flies(bodies, leads, &f, body, &before, &gain))
            continue;
        double *velocity = next->velocity + dim * row, *spin = next->spin + turns * row;
        for (size_t k = 0; k < dim; k++)
            velocity[k] += is_last ? -before.at[k] : gain.at[k];
        for (size_t k = 0; k < turns; k++)
            spin[k] += is_last ? -before.at[dim + k] : gain.at[dim + k];
        for (size_t k = 0; k < dim && ahead; k++)
            ahead[dim * row + k] = before.at[k] + gain.at[k];
        for (size_t k = 0; k < turns && ahead_spin; k++)
            ahead_spin[turns * row + k] = before.at[dim + k] + gain.at[dim + k];
    }
}
