// SPDX-License-Identifier: MIT
#include "step_calm.h"

typedef struct group {
    double mass;
    cd_vec3 centre, velocity;  // [m] of mass; sums of m x and m v while they are added up
    cd_vec3 moment;            // [N m s] about the centre
    cd_mat3 inertia;           // [kg m^2] about it
    cd_vec3 spin;
    double energy, rigid;  // [J] twice, of nu and of nu_r
} group;

static cd_vec3 place_of(const cd_step_bodies *bodies, int32_t body)
{
    return cd_step_position_of(bodies->dim, &bodies->end[body]);
}

static cd_vec3 velocity_of(const cd_step_bodies *bodies, int32_t body)
{
    return cd_step_linear_of(bodies->dim, &bodies->nu[body]);
}

// World frame. Of the plane only the last row matters, and the matrix has to have an inverse.
static cd_mat3 inertia_of(const cd_step_bodies *bodies, int32_t body)
{
    const cd_model *in = bodies->in;
    if (bodies->dim == 3)
        return cd_inertia3_world(cd_step_inertia(in, body), bodies->middle[body]);
    const double j = in->body.inertia[body];
    return (cd_mat3){{{j, 0, 0}, {0, j, 0}, {0, 0, j}}};
}

// The columns of the inverse are the cross products of the rows, over the determinant.
static cd_vec3 solve(const cd_mat3 *m, cd_vec3 b)
{
    const cd_vec3 *r = m->row, across = cd_cross3(r[1], r[2]);
    cd_vec3 sum = cd_scale3(b.x, across);
    sum = cd_add3(sum, cd_scale3(b.y, cd_cross3(r[2], r[0])));
    sum = cd_add3(sum, cd_scale3(b.z, cd_cross3(r[0], r[1])));
    return cd_scale3(1 / cd_dot3(r[0], across), sum);
}

// J + m (r.r - r r').
static void add_body(group *g, const cd_step_bodies *bodies, int32_t body)
{
    const double mass = bodies->in->body.mass[body];
    const cd_mat3 own = inertia_of(bodies, body);
    const cd_vec3 r = cd_sub3(place_of(bodies, body), g->centre),
                  spin = cd_step_angular_of(bodies->dim, &bodies->nu[body]);
    g->moment = cd_add3(g->moment,
                        cd_add3(cd_mat3_apply(&own, spin), cd_scale3(mass, cd_cross3(r, velocity_of(bodies, body)))));
    const double far = mass * cd_dot3(r, r), at[3] = {r.x, r.y, r.z};
    const cd_vec3 unit[3] = {{far, 0, 0}, {0, far, 0}, {0, 0, far}};
    for (int k = 0; k < 3; k++) {
        cd_vec3 row = cd_sub3(unit[k], cd_scale3(mass * at[k], r));
        g->inertia.row[k] = cd_add3(g->inertia.row[k], cd_add3(own.row[k], row));
    }
}

static group *groups_make(cd_arena *scratch, const cd_step_bodies *bodies, const int32_t *root)
{
    const cd_model *in = bodies->in;
    group *all = CD_ARENA_ZARRAY(scratch, group, in->body.count);
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        const int32_t i = bodies->by_id[rank];
        if (!cd_body_is_moved(in, i))
            continue;
        group *g = &all[root[i]];
        g->mass += in->body.mass[i];
        g->centre = cd_add3(g->centre, cd_scale3(in->body.mass[i], place_of(bodies, i)));
        g->velocity = cd_add3(g->velocity, cd_scale3(in->body.mass[i], velocity_of(bodies, i)));
        g->energy += cd_step_norm_sq_of(bodies, i, &bodies->nu[i]);
    }
    for (int32_t i = 0; i < in->body.count; i++) {
        if (!(all[i].mass > 0))
            continue;
        all[i].centre = cd_scale3(1 / all[i].mass, all[i].centre);
        all[i].velocity = cd_scale3(1 / all[i].mass, all[i].velocity);
    }
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        const int32_t i = bodies->by_id[rank];
        if (cd_body_is_moved(in, i))
            add_body(&all[root[i]], bodies, i);
    }
    for (int32_t i = 0; i < in->body.count; i++) {
        group *g = &all[i];
        if (!(g->mass > 0))
            continue;
        g->spin = solve(&g->inertia, g->moment);
        g->rigid = g->mass * cd_dot3(g->velocity, g->velocity) + cd_dot3(g->spin, g->moment);
    }
    return all;
}

void cd_step_calm(cd_arena *scratch, cd_step_bodies *bodies, const int32_t *root, const double *most)
{
    const cd_model *in = bodies->in;
    const group *all = groups_make(scratch, bodies, root);
    for (int32_t i = 0; i < in->body.count; i++) {
        const group *g = &all[root[i]];
        if (!cd_body_is_moved(in, i) || !(g->energy > most[root[i]]) || !(g->energy > g->rigid))
            continue;
        const double share = sqrt(fmax(most[root[i]] - g->rigid, 0) / (g->energy - g->rigid));
        const cd_vec3 v = cd_add3(g->velocity, cd_cross3(g->spin, cd_sub3(place_of(bodies, i), g->centre)));
        const double plane[] = {v.x, v.y, g->spin.z}, space[] = {v.x, v.y, v.z, g->spin.x, g->spin.y, g->spin.z};
        const double *rigid = bodies->dim == 2 ? plane : space;
        double *nu = bodies->nu[i].at;
        for (int k = 0; k < bodies->axes; k++)
            nu[k] = rigid[k] + share * (nu[k] - rigid[k]);
    }
}
