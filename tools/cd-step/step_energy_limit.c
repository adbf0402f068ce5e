// SPDX-License-Identifier: MIT
#include "step_energy_limit.h"

#include "cd_length.h"

static const double growth = 1.0001, share = 2e-4;

// [m] From the body's origin to the farthest of its points; infinite with a half-space.
static double extent_of(const cd_step_gaps *gaps, const cd_model *in, int32_t body)
{
    const cd_leaves *shapes = gaps->shapes;
    int32_t shape = in->body.shape[body];
    double most = 0;
    for (int32_t leaf = shapes->first[shape]; leaf < shapes->first[shape + 1]; leaf++)
        most = fmax(most, cd_leaves_extent(shapes, leaf));
    return most;
}

// pushed [m/s]: v of the header; speed: V.
static double limit_of(double free_sq, double pushed, double mass, double speed)
{
    double reached = sqrt(free_sq) + 2 * pushed * sqrt(mass);
    return growth * reached * reached + share * mass * speed * speed;
}

double cd_step_energy_limit(const cd_step_bodies *bodies, const cd_step_gaps *gaps)
{
    const cd_model *in = bodies->in;
    double length = gaps ? gaps->length : cd_f64_or(in->head.length, 0, 1);
    double mass = 0, pushed = 0;
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        int32_t i = bodies->by_id[rank];
        if (cd_body_is_moved(in, i))
            mass += in->body.mass[i];
        else if (cd_step_is_prescribed(in, i))
            pushed = fmax(pushed, cd_step_speed(&bodies->nu[i], in->dim, gaps ? extent_of(gaps, in, i) : length));
    }
    return limit_of(cd_step_norm_sq(bodies, bodies->free), pushed, mass, cd_speed_of(in, length));
}

// Of rows with sides a and b, [body, part]: how fast what pushes an island goes, by root.
static void take_pushes(const cd_step_bodies *bodies, const cd_step_gaps *gaps, const cd_step_islands *islands,
                        const int32_t *const side[2], int32_t count, double *pushed)
{
    const cd_model *in = bodies->in;
    for (int32_t i = 0; i < 2 * count; i++) {
        int32_t pusher = side[i % 2][2 * (i / 2)], root = islands->root[side[!(i % 2)][2 * (i / 2)]];
        if (cd_step_is_prescribed(in, pusher))
            pushed[root] = fmax(pushed[root], cd_step_speed(&bodies->nu[pusher], in->dim, extent_of(gaps, in, pusher)));
    }
}

double *cd_step_island_energy_limits(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_gaps *gaps,
                                     const cd_step_islands *islands)
{
    const cd_model *in = bodies->in;
    double *limit = cd_step_islands_norm_sq(arena, bodies, islands, bodies->free);
    double *mass = CD_ARENA_ZARRAY(arena, double, in->body.count);
    double *pushed = CD_ARENA_ZARRAY(arena, double, in->body.count);
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        int32_t i = bodies->by_id[rank];
        if (cd_body_is_moved(in, i))
            mass[islands->root[i]] += in->body.mass[i];
    }
    const int32_t *const contact[2] = {in->contact.a, in->contact.b}, *const impulse[2] = {in->impulse.a,
                                                                                           in->impulse.b};
    take_pushes(bodies, gaps, islands, contact, in->contact.count, pushed);
    take_pushes(bodies, gaps, islands, impulse, in->impulse.count, pushed);
    for (int32_t i = 0; i < in->body.count; i++)
        limit[i] = limit_of(limit[i], pushed[i], mass[i], cd_speed_of(in, gaps->length));
    return limit;
}
