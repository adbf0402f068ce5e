// SPDX-License-Identifier: MIT
#include "step_momentum.h"

#include "step_impulses.h"

// The way of a body's centre from the start to the trial.
static cd_vec3 way_of(const cd_step_bodies *bodies, const int32_t *trial_row, int32_t body)
{
    const cd_trial_rows *trial = &bodies->in->trial;
    size_t row = (size_t)trial_row[body], dim = (size_t)bodies->dim;
    if (trial_row[body] < 0)
        return (cd_vec3){0, 0, 0};
    const double *v = trial->velocity + dim * row;
    return cd_scale3(bodies->step, (cd_vec3){v[0], v[1], bodies->dim == 3 ? v[2] : 0});
}

void cd_step_carry_moments(cd_arena *scratch, const cd_step_bodies *bodies, const int32_t *trial_row)
{
    const cd_model *in = bodies->in;
    if (in->trial.count == 0 || in->entry.count == 0)
        return;
    cd_vec3 *impulse = CD_ARENA_ZARRAY(scratch, cd_vec3, in->contact.count);
    cd_step_add_impulses(in, cd_step_unknowns(scratch, in), impulse);
    cd_vec3 *moment = CD_ARENA_ZARRAY(scratch, cd_vec3, in->body.count);
    for (int32_t i = 0; i < in->contact.count; i++) {
        int32_t a = in->contact.a[2 * i], b = in->contact.b[2 * i];
        if (!cd_step_is_dynamic(in, a) || !cd_step_is_dynamic(in, b))
            continue;
        double mass_a = in->body.mass[a], mass_b = in->body.mass[b];
        cd_vec3 apart = cd_sub3(way_of(bodies, trial_row, b), way_of(bodies, trial_row, a));
        cd_vec3 turn = cd_cross3(apart, impulse[i]);
        moment[a] = cd_add3(moment[a], cd_scale3(mass_b / (mass_a + mass_b), turn));
        moment[b] = cd_add3(moment[b], cd_scale3(mass_a / (mass_a + mass_b), turn));
    }
    for (int32_t i = 0; i < in->body.count; i++)
        if (cd_step_is_dynamic(in, i))
            cd_step_turn(bodies, i, moment[i]);
}
