// SPDX-License-Identifier: MIT
#include "step_rest.h"

#include "cd_contact_limits.h"

static bool is_zero(const cd_step_velocity *nu)
{
    for (int k = 0; k < CD_STEP_AXES; k++)
        if (nu->at[k] != 0)
            return false;
    return true;
}

// By root: held still by an impulse of something that stands, and pushed by nothing that goes.
static bool *borne_islands(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_islands *islands)
{
    const cd_model *in = bodies->in;
    bool *is_borne = CD_ARENA_ZARRAY(arena, bool, in->body.count);
    bool *is_pushed = CD_ARENA_ZARRAY(arena, bool, in->body.count);
    for (int32_t i = 0; i < in->contact.count; i++) {
        const int32_t a = in->contact.a[2 * i], b = in->contact.b[2 * i];
        const bool a_moves = cd_body_is_moved(in, a);
        if (a_moves == cd_body_is_moved(in, b) ||
            !cd_contact_takes_part(in->contact.status ? in->contact.status[i] : CD_ABSENT))
            continue;
        const int32_t root = islands->root[a_moves ? a : b], other = a_moves ? b : a;
        const cd_vec3 impulse = bodies->impulse[i];
        if (cd_step_is_prescribed(in, other) && !is_zero(&bodies->nu[other]))
            is_pushed[root] = true;
        else if (cd_dot3(impulse, impulse) > 0)
            is_borne[root] = true;
    }
    for (int32_t i = 0; i < in->body.count; i++)
        is_borne[i] = is_borne[i] && !is_pushed[i];
    return is_borne;
}

// nu' M nu / m [m^2/s^2]
static double speed_sq(const cd_step_bodies *bodies, int32_t body, const cd_step_velocity *nu)
{
    return cd_step_norm_sq_of(bodies, body, nu) / bodies->in->body.mass[body];
}

static cd_step_velocity loaded(const cd_step_bodies *bodies, int32_t body)
{
    cd_step_velocity d = cd_step_start_velocity(bodies, body);
    for (int k = 0; k < CD_STEP_AXES; k++)
        d.at[k] = bodies->free[body].at[k] - d.at[k];
    return d;
}

// By root, of islands that are borne: is every body slow?
static bool *resting_islands(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_islands *islands,
                             double ratio)
{
    const cd_model *in = bodies->in;
    bool *rests = borne_islands(arena, bodies, islands);
    double *load = CD_ARENA_ZARRAY(arena, double, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++) {
        const int32_t root = islands->root[i];
        if (!cd_body_is_moved(in, i) || !rests[root])
            continue;
        const cd_step_velocity d = loaded(bodies, i);
        load[root] = fmax(load[root], speed_sq(bodies, i, &d));
    }
    for (int32_t i = 0; i < in->body.count; i++) {
        const int32_t root = islands->root[i];
        if (cd_body_is_moved(in, i) && rests[root])
            rests[root] = speed_sq(bodies, i, &bodies->nu[i]) < ratio * ratio * load[root];
    }
    return rests;
}

cd_step_resting cd_step_rest(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_islands *islands,
                             double ratio)
{
    const cd_model *in = bodies->in;
    cd_step_resting resting = {NULL, NULL};
    if (!(ratio > 0))
        return resting;
    resting.island = resting_islands(arena, bodies, islands, ratio);
    cd_step_velocity *before = NULL;
    for (int32_t i = 0; i < in->body.count; i++) {
        if (!cd_body_is_moved(in, i) || !resting.island[islands->root[i]])
            continue;
        if (!before) {
            resting.before = before = CD_ARENA_ARRAY(arena, cd_step_velocity, in->body.count);
            memcpy(before, bodies->nu, (size_t)in->body.count * sizeof *before);
        }
        bodies->nu[i] = (cd_step_velocity){{0}};
    }
    return resting;
}

bool cd_step_wake(cd_arena *scratch, const cd_step_bodies *bodies, const cd_step_islands *islands,
                  const cd_step_resting *resting, const bool *is_too_near)
{
    const cd_model *in = bodies->in;
    if (!resting->before)
        return false;
    bool *wakes = CD_ARENA_ZARRAY(scratch, bool, in->body.count), has_any = false;
    for (int32_t i = 0; i < in->body.count; i++)
        if (cd_body_is_moved(in, i) && is_too_near[i] && resting->island[islands->root[i]])
            wakes[islands->root[i]] = has_any = true;
    for (int32_t i = 0; i < in->body.count; i++)
        if (wakes[islands->root[i]])
            bodies->nu[i] = resting->before[i];
    return has_any;
}
