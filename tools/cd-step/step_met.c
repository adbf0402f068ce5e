// SPDX-License-Identifier: MIT
#include "step_met.h"

#include "cd_contact_limits.h"
#include "cd_impact.h"

#include <stdlib.h>

bool cd_step_is_used(const cd_model *in, int32_t contact)
{
    int32_t status = in->contact.status ? in->contact.status[contact] : CD_ABSENT;
    int32_t a = in->contact.a[2 * contact], b = in->contact.b[2 * contact];
    return cd_contact_takes_part(status) && cd_body_is_active(in, a) && cd_body_is_active(in, b) &&
           (cd_body_is_moved(in, a) || cd_body_is_moved(in, b));
}

// [1] of the characteristic length: a push so small is rounding.
static const double no_push = 1e-12;

static bool is_off_way(const cd_step_bodies *bodies, const cd_step_state *end, double length, int32_t body)
{
    const cd_model *in = bodies->in;
    const cd_vec3 free = cd_step_linear_of(in->dim, &bodies->free[body]);
    return cd_body_is_moved(in, body) &&
           cd_impact_off_way(in, body, bodies->step, free, cd_step_position_of(in->dim, &end[body])) > no_push * length;
}

static cd_step_met met_start(cd_arena *arena, const cd_model *in, cd_step_islands islands, const bool *is_joined)
{
    return (cd_step_met){islands, is_joined, CD_ARENA_ZARRAY(arena, bool, in->body.count),
                         CD_ARENA_ZARRAY(arena, bool, in->body.count)};
}

static void hold(cd_step_met *met, int32_t body, bool is_driven)
{
    const int32_t root = cd_step_met_root(met, body);
    met->is_held[root] = true;
    met->is_driven[root] = met->is_driven[root] || is_driven;
}

// holds: of contacts, those by which a body that no impulse moves holds the other.
static void hold_by(cd_step_met *met, const cd_model *in, const bool *holds)
{
    for (int32_t i = 0; i < in->contact.count; i++) {
        int32_t a = in->contact.a[2 * i], b = in->contact.b[2 * i];
        if (!holds[i] || (cd_body_is_moved(in, a) && cd_body_is_moved(in, b)))
            continue;
        const int32_t other = cd_body_is_moved(in, a) ? b : a;
        hold(met, cd_body_is_moved(in, a) ? a : b, cd_body_motion(in, other) == CD_MOTION_PRESCRIBED);
    }
}

static cd_step_met met_make(cd_arena *arena, const cd_model *in, const bool *is_joined, const bool *holds)
{
    cd_step_met met = met_start(arena, in, cd_step_islands_of(arena, in, is_joined), is_joined);
    hold_by(&met, in, holds);
    return met;
}

cd_step_met cd_step_met_at_end(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_state *end, double length,
                               const bool *joins)
{
    const cd_model *in = bodies->in;
    bool *is_joined = CD_ARENA_ARRAY(arena, bool, in->contact.count);
    for (int32_t i = 0; i < in->contact.count; i++) {
        const int32_t a = in->contact.a[2 * i], b = in->contact.b[2 * i];
        is_joined[i] = joins[i] || (cd_step_is_used(in, i) && is_off_way(bodies, end, length, a) &&
                                    is_off_way(bodies, end, length, b));
    }
    return met_make(arena, in, is_joined, joins);
}

typedef struct member {
    int32_t group, body;
} member;

static int by_group(const void *left, const void *right)
{
    const member *l = left, *r = right;
    return l->group != r->group ? (l->group > r->group) - (l->group < r->group)
                                : (l->body > r->body) - (l->body < r->body);
}

// Connects the bodies of each group of the trial.
static void connect_groups(cd_arena *arena, const cd_model *in, int32_t *root)
{
    const cd_trial_rows *trial = &in->trial;
    member *all = CD_ARENA_ARRAY(arena, member, trial->count);
    size_t count = 0;
    for (int32_t i = 0; i < trial->count && trial->group; i++)
        if (trial->group[i] != CD_ABSENT)
            all[count++] = (member){trial->group[i], trial->body[i]};
    if (count > 1)
        qsort(all, count, sizeof *all, by_group);
    for (size_t k = 1; k < count; k++)
        if (all[k].group == all[k - 1].group)
            cd_body_roots_connect(in, root, all[k - 1].body, all[k].body);
}

cd_step_met cd_step_met_of_trial(cd_arena *arena, const cd_step_bodies *bodies, const bool *joins)
{
    const cd_model *in = bodies->in;
    cd_step_islands islands = cd_step_islands_of(arena, in, joins);
    connect_groups(arena, in, islands.root);
    cd_body_roots_finish(in, islands.root);
    bool *is_joined = CD_ARENA_ARRAY(arena, bool, in->contact.count);
    for (int32_t i = 0; i < in->contact.count; i++) {
        const int32_t a = in->contact.a[2 * i], b = in->contact.b[2 * i];
        is_joined[i] = joins[i] || (cd_step_is_used(in, i) && islands.root[a] == islands.root[b]);
    }
    cd_step_met met = met_start(arena, in, islands, is_joined);
    for (int32_t i = 0; i < in->trial.count && in->trial.held; i++)
        if (in->trial.held[i] != CD_ABSENT && cd_body_is_moved(in, in->trial.body[i]))
            hold(&met, in->trial.body[i], in->trial.held[i] == CD_HELD_PRESCRIBED);
    hold_by(&met, in, joins);
    return met;
}

const int32_t *cd_step_met_groups(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_met *met)
{
    const cd_model *in = bodies->in;
    const int32_t count = in->body.count;
    int32_t *number = CD_ARENA_ARRAY(arena, int32_t, count), *group = CD_ARENA_ARRAY(arena, int32_t, count);
    bool *has_others = CD_ARENA_ZARRAY(arena, bool, count), has_groups = false;
    int32_t groups = 0;
    for (int32_t i = 0; i < count; i++)
        has_others[cd_step_met_root(met, i)] |= cd_step_met_root(met, i) != i;
    for (int32_t rank = 0; rank < count; rank++) {
        const int32_t i = bodies->by_id[rank], root = cd_step_met_root(met, i);
        if (root == i)
            number[i] = has_others[i] ? groups++ : CD_ABSENT;
        has_groups |= has_others[i];
        group[i] = number[root];
    }
    return has_groups ? group : NULL;
}

const int32_t *cd_step_met_holds(cd_arena *arena, const cd_model *in, const cd_step_met *met)
{
    int32_t *held = CD_ARENA_ARRAY(arena, int32_t, in->body.count);
    bool is_any = false;
    for (int32_t i = 0; i < in->body.count; i++) {
        const int32_t root = cd_step_met_root(met, i);
        held[i] = met->is_driven[root] ? CD_HELD_PRESCRIBED : met->is_held[root] ? CD_HELD_FIXED : CD_ABSENT;
        is_any |= met->is_held[root];
    }
    return is_any ? held : NULL;
}

// [1] of the impulses on the bodies of a group: what is left of their sum.
static const double no_sum = 1e-9;

cd_step_met cd_step_met_on_way(cd_arena *arena, const cd_step_bodies *bodies)
{
    const cd_model *in = bodies->in;
    const int32_t count = in->body.count;
    cd_vec3 *push = CD_ARENA_ZARRAY(arena, cd_vec3, count), *sum = CD_ARENA_ZARRAY(arena, cd_vec3, count);
    double *size = CD_ARENA_ZARRAY(arena, double, count);
    for (int32_t i = 0; i < count; i++)
        if (cd_body_is_moved(in, i))
            push[i] = cd_scale3(in->body.mass[i], cd_sub3(cd_step_linear_of(in->dim, &bodies->nu[i]),
                                                          cd_step_linear_of(in->dim, &bodies->free[i])));
    bool *is_joined = CD_ARENA_ARRAY(arena, bool, in->contact.count);
    bool *holds = CD_ARENA_ARRAY(arena, bool, in->contact.count);
    for (int32_t i = 0; i < in->contact.count; i++) {
        const int32_t a = in->contact.a[2 * i], b = in->contact.b[2 * i];
        is_joined[i] = cd_step_is_used(in, i) && cd_length3(push[a]) > 0 && cd_length3(push[b]) > 0;
        holds[i] = cd_length3(bodies->impulse[i]) > 0;
    }
    cd_step_met met = met_make(arena, in, is_joined, holds);
    for (int32_t rank = 0; rank < count; rank++) {
        const int32_t i = bodies->by_id[rank], root = cd_step_met_root(&met, i);
        sum[root] = cd_add3(sum[root], push[i]);
        size[root] += cd_length3(push[i]);
    }
    for (int32_t i = 0; i < count; i++)
        met.is_held[i] = met.is_held[i] || cd_length3(sum[i]) > no_sum * size[i];
    return met;
}

// Angular momentum of a dynamic body about its centre, world frame.
static cd_vec3 own_moment(const cd_step_bodies *bodies, int32_t body)
{
    const cd_model *in = bodies->in;
    const cd_vec3 spin = cd_step_angular_of(in->dim, &bodies->free[body]);
    if (in->dim == 2)
        return cd_scale3(in->body.inertia[body], spin);
    return cd_angular_momentum3(cd_step_inertia(in, body), bodies->middle[body], spin);
}

static cd_vec3 start_of(const cd_model *in, int32_t body)
{
    return in->dim == 2 ? cd_vec3_of_plane(cd_body_start2(in, body).position) : cd_body_start3(in, body).position;
}

cd_step_whole *cd_step_wholes(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_met *met)
{
    const cd_model *in = bodies->in;
    const int32_t count = in->body.count;
    const double *energy = cd_step_islands_norm_sq(arena, bodies, &met->islands, bodies->free);
    cd_step_whole *whole = CD_ARENA_ZARRAY(arena, cd_step_whole, count);
    cd_vec3 *centre = CD_ARENA_ZARRAY(arena, cd_vec3, count), *velocity = CD_ARENA_ZARRAY(arena, cd_vec3, count);
    double *mass = CD_ARENA_ZARRAY(arena, double, count);
    for (int32_t rank = 0; rank < count; rank++) {
        const int32_t i = bodies->by_id[rank], root = cd_step_met_root(met, i);
        if (!cd_body_is_moved(in, i))
            continue;
        const double m = in->body.mass[i];
        mass[root] += m;
        centre[root] = cd_add3(centre[root], cd_scale3(m, start_of(in, i)));
        velocity[root] = cd_add3(velocity[root], cd_scale3(m, cd_step_linear_of(in->dim, &bodies->free[i])));
    }
    for (int32_t rank = 0; rank < count; rank++) {
        const int32_t i = bodies->by_id[rank], root = cd_step_met_root(met, i);
        if (!cd_body_is_moved(in, i))
            continue;
        const double per = 1 / mass[root], m = in->body.mass[i];
        const cd_vec3 arm = cd_sub3(start_of(in, i), cd_scale3(per, centre[root]));
        const cd_vec3 own = cd_sub3(cd_step_linear_of(in->dim, &bodies->free[i]), cd_scale3(per, velocity[root]));
        whole[root].moment =
            cd_add3(whole[root].moment, cd_add3(own_moment(bodies, i), cd_scale3(m, cd_cross3(arm, own))));
        whole[root].energy = energy[root];
    }
    return whole;
}

// nu' M nu [J] of a dynamic body without contact, M where the step starts.
static double start_energy(const cd_step_bodies *bodies, int32_t body)
{
    const cd_model *in = bodies->in;
    if (in->dim == 2)
        return cd_step_norm_sq_of(bodies, body, &bodies->free[body]);
    const cd_vec3 v = cd_step_linear(&bodies->free[body]), moment = own_moment(bodies, body);
    const cd_vec3 spin = cd_spin_of_momentum3(cd_step_inertia(in, body), cd_body_start3(in, body).rotation, moment);
    return in->body.mass[body] * cd_dot3(v, v) + cd_dot3(spin, moment);
}

// By root, sums: of mass, and by it of where bodies go and of how far they are from the origin.
static void add_place(const cd_step_bodies *bodies, int32_t body, double *mass, cd_step_whole *whole)
{
    const double m = bodies->in->body.mass[body];
    const cd_vec3 start = start_of(bodies->in, body), v = cd_step_linear_of(bodies->dim, &bodies->free[body]);
    *mass += m;
    whole->centre = cd_add3(whole->centre, cd_scale3(m, cd_add3(start, cd_scale3(bodies->step, v))));
    whole->far += m * cd_length3(start);
}

const cd_step_whole *cd_step_wholes_at_start(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_met *met)
{
    const cd_model *in = bodies->in;
    cd_step_whole *whole = cd_step_wholes(arena, bodies, met);
    double *mass = CD_ARENA_ZARRAY(arena, double, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++)
        whole[i].energy = 0;
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        const int32_t i = bodies->by_id[rank], root = cd_step_met_root(met, i);
        if (!cd_body_is_moved(in, i))
            continue;
        whole[root].energy += start_energy(bodies, i);
        add_place(bodies, i, &mass[root], &whole[root]);
    }
    for (int32_t i = 0; i < in->body.count; i++) {
        whole[i].centre = cd_scale3(mass[i] > 0 ? 1 / mass[i] : 0, whole[i].centre);
        whole[i].far = mass[i] > 0 ? whole[i].far / mass[i] : 0;
    }
    return whole;
}
