// SPDX-License-Identifier: MIT
#include "step_restore.h"

#include "step_impulses.h"
#include "step_integrator.h"
#include "step_reach.h"

static const double rounding = 1e-15;  // [1] of the moments: less is not missing
static const double no_drift = 1e-14;  // [1] of places: rounding of a centre
static const double no_free = 1e-12;   // [1] of the energy: the group goes as one, and rounding would be scaled
static const double no_pivot = 1e-12;  // [1] of the trace: nothing of the group is turned by it

typedef struct group {
    double mass;
    cd_vec3 centre, velocity;   // [m] of mass; sums of m x and m v while they are added up
    cd_vec3 beside;             // [m] the true centre from there, which is rounded
    cd_vec3 moment, unreached;  // [N m s] about the centre, of what is reached and of what is not
    cd_mat3 inertia;            // [kg m^2] about it, of what is reached
    cd_vec3 spin;
    double energy, rigid;  // [J] twice, of what is reached: of nu and of nu_r
    double rest;           // [J] twice, of what is not
    double size;           // [N m s] of the moments, as lengths
} group;

typedef struct restoring {
    cd_arena *scratch;
    cd_step_bodies *bodies;
    const cd_step_met *met;
    const cd_step_reach *reach;
    bool *is_asked;  // by root
} restoring;

static cd_vec3 place_of(const restoring *r, int32_t body)
{
    return cd_step_position_of(r->bodies->dim, &r->bodies->end[body]);
}

static cd_vec3 velocity_of(const restoring *r, int32_t body)
{
    return cd_step_linear_of(r->bodies->dim, &r->bodies->nu[body]);
}

static cd_vec3 arm_of(const restoring *r, const group *g, int32_t body)
{
    return cd_sub3(cd_sub3(place_of(r, body), g->centre), g->beside);
}

static cd_vec3 reached(const restoring *r, int32_t body, cd_vec3 spin)
{
    const cd_quat rotation = r->bodies->dim == 3 ? r->bodies->middle[body] : cd_quat_identity();
    return cd_step_reached(&r->reach[body], rotation, spin);
}

// World frame; of the plane only the last row matters.
static cd_mat3 inertia_of(const cd_step_bodies *bodies, int32_t body)
{
    const cd_model *in = bodies->in;
    if (bodies->dim == 3)
        return cd_inertia3_world(cd_step_inertia(in, body), bodies->middle[body]);
    return (cd_mat3){{{0, 0, 0}, {0, 0, 0}, {0, 0, in->body.inertia[body]}}};
}

// x of m x = b, m symmetric, none of its eigenvalues below 0: elimination by the largest pivots. What has none is 0.
static cd_vec3 solve(const cd_mat3 *m, cd_vec3 b)
{
    double a[3][4] = {{m->row[0].x, m->row[0].y, m->row[0].z, b.x},
                      {m->row[1].x, m->row[1].y, m->row[1].z, b.y},
                      {m->row[2].x, m->row[2].y, m->row[2].z, b.z}};
    const double least = no_pivot * (a[0][0] + a[1][1] + a[2][2]);
    bool is_done[3] = {false, false, false};
    double x[3] = {0, 0, 0};
    for (int step = 0; step < 3; step++) {
        int best = -1;
        for (int k = 0; k < 3; k++)
            if (!is_done[k] && a[k][k] > least && (best < 0 || a[k][k] > a[best][best]))
                best = k;
        if (best < 0)
            break;
        is_done[best] = true;
        for (int k = 0; k < 3; k++) {
            const double part = k == best ? 0 : a[k][best] / a[best][best];
            for (int l = 0; l < 4; l++)
                a[k][l] -= part * a[best][l];
        }
    }
    for (int k = 0; k < 3; k++)
        x[k] = is_done[k] ? a[k][3] / a[k][k] : 0;
    return (cd_vec3){x[0], x[1], x[2]};
}

// P J P + m (r.r - r r'), P what is reached.
static void add_inertia(group *g, const cd_step_bodies *bodies, const cd_mat3 *own, int32_t body, cd_vec3 arm)
{
    const double mass = bodies->in->body.mass[body], far = mass * cd_dot3(arm, arm), at[3] = {arm.x, arm.y, arm.z};
    const cd_vec3 unit[3] = {{far, 0, 0}, {0, far, 0}, {0, 0, far}};
    for (int k = 0; k < 3; k++) {
        cd_vec3 row = cd_sub3(unit[k], cd_scale3(mass * at[k], arm));
        g->inertia.row[k] = cd_add3(g->inertia.row[k], cd_add3(own->row[k], row));
    }
}

static void add_body(const restoring *r, group *g, int32_t body)
{
    const cd_step_bodies *bodies = r->bodies;
    const double mass = bodies->in->body.mass[body];
    const cd_mat3 own = inertia_of(bodies, body);
    const cd_vec3 arm = arm_of(r, g, body), v = cd_sub3(velocity_of(r, body), g->velocity),
                  spin = cd_step_angular_of(bodies->dim, &bodies->nu[body]), turn = reached(r, body, spin),
                  rest = cd_sub3(spin, turn), moment = cd_mat3_apply(&own, turn), kept = cd_mat3_apply(&own, rest),
                  orbit = cd_scale3(mass, cd_cross3(arm, v));
    g->moment = cd_add3(g->moment, cd_add3(moment, orbit));
    g->unreached = cd_add3(g->unreached, kept);
    g->size += cd_length3(moment) + cd_length3(kept) + mass * cd_length3(arm) * cd_length3(v);
    g->energy += cd_dot3(turn, moment) + mass * cd_dot3(velocity_of(r, body), velocity_of(r, body));
    g->rest += cd_dot3(rest, kept);
    // The columns of P J P are those of J times what is reached of the axes.
    cd_mat3 reached_own = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    for (int k = 0; k < 3; k++) {
        const cd_vec3 unit = {k == 0, k == 1, k == 2};
        reached_own.row[k] = reached(r, body, cd_mat3_apply(&own, reached(r, body, unit)));
    }
    add_inertia(g, bodies, &reached_own, body, arm);
}

// Where the groups are and how they go, each as one.
static group *centres_make(const restoring *r)
{
    const cd_step_bodies *bodies = r->bodies;
    const cd_model *in = bodies->in;
    const int32_t count = in->body.count;
    group *all = CD_ARENA_ZARRAY(r->scratch, group, count);
    cd_vec3 *beside = CD_ARENA_ZARRAY(r->scratch, cd_vec3, count);
    for (int32_t rank = 0; rank < count; rank++) {
        const int32_t i = bodies->by_id[rank];
        group *g = &all[cd_step_met_root(r->met, i)];
        if (!cd_body_is_moved(in, i))
            continue;
        g->mass += in->body.mass[i];
        g->centre = cd_add3(g->centre, cd_scale3(in->body.mass[i], place_of(r, i)));
        g->velocity = cd_add3(g->velocity, cd_scale3(in->body.mass[i], velocity_of(r, i)));
    }
    for (int32_t i = 0; i < count; i++) {
        if (!(all[i].mass > 0))
            continue;
        all[i].centre = cd_scale3(1 / all[i].mass, all[i].centre);
        all[i].velocity = cd_scale3(1 / all[i].mass, all[i].velocity);
    }
    for (int32_t rank = 0; rank < count; rank++) {
        const int32_t i = bodies->by_id[rank], root = cd_step_met_root(r->met, i);
        if (cd_body_is_moved(in, i))
            beside[root] = cd_add3(beside[root], cd_scale3(in->body.mass[i], arm_of(r, &all[root], i)));
    }
    for (int32_t i = 0; i < count; i++)
        if (all[i].mass > 0)
            all[i].beside = cd_scale3(1 / all[i].mass, beside[i]);
    return all;
}

static group *groups_make(const restoring *r)
{
    const cd_step_bodies *bodies = r->bodies;
    group *all = centres_make(r);
    for (int32_t rank = 0; rank < bodies->in->body.count; rank++) {
        const int32_t i = bodies->by_id[rank];
        if (cd_body_is_moved(bodies->in, i))
            add_body(r, &all[cd_step_met_root(r->met, i)], i);
    }
    return all;
}

// (W x r, W) of the body, of the spin what is reached of it.
static cd_step_velocity turning(const restoring *r, const group *g, int32_t body, cd_vec3 spin)
{
    const cd_vec3 v = cd_cross3(spin, arm_of(r, g, body)), w = reached(r, body, spin);
    return r->bodies->dim == 2 ? cd_step_velocity2((cd_vec2){v.x, v.y}, w.z) : cd_step_velocity3(v, w);
}

// What the group is to have about its centre. Where that is not on its way, by what is left of the rounds' problems,
// its momentum has another moment about the origin.
static cd_vec3 moment_of(const group *g, const cd_step_whole *whole)
{
    const cd_vec3 drift = cd_add3(cd_sub3(g->centre, whole->centre), g->beside);
    if (!(whole->far > 0) || cd_length3(drift) <= no_drift * whole->far)
        return whole->moment;
    return cd_sub3(whole->moment, cd_scale3(g->mass, cd_cross3(drift, g->velocity)));
}

static bool restore_moments(const restoring *r, const cd_step_whole *whole, cd_step_energy_kept energy)
{
    const cd_model *in = r->bodies->in;
    group *all = groups_make(r);
    bool is_any = false;
    for (int32_t i = 0; i < in->body.count; i++) {
        const cd_vec3 missing = cd_sub3(moment_of(&all[i], &whole[i]), cd_add3(all[i].moment, all[i].unreached));
        const bool has_more = energy == CD_STEP_THE_SAME && all[i].energy + all[i].rest > whole[i].energy;
        r->is_asked[i] =
            all[i].mass > 0 && !r->met->is_held[i] && (has_more || cd_length3(missing) > rounding * all[i].size);
        if (r->is_asked[i])
            all[i].spin = solve(&all[i].inertia, missing);
        is_any = is_any || r->is_asked[i];
    }
    for (int32_t i = 0; i < in->body.count; i++) {
        const int32_t root = cd_step_met_root(r->met, i);
        if (!cd_body_is_moved(in, i) || !r->is_asked[root])
            continue;
        const cd_step_velocity turn = turning(r, &all[root], i, all[root].spin);
        for (int k = 0; k < r->bodies->axes; k++)
            r->bodies->nu[i].at[k] += turn.at[k];
    }
    return is_any;
}

// k of the header; 1: nothing to do.
static double share_of(const group *g, const cd_step_whole *whole, cd_step_energy_kept energy)
{
    const double free = g->energy - g->rigid, wanted = whole->energy - g->rest - g->rigid;
    if (!(free > 0) || (energy == CD_STEP_NO_MORE && free <= wanted))
        return 1;
    if (energy == CD_STEP_THE_SAME && free <= no_free * g->energy)
        return 1;
    return sqrt(fmax(wanted, 0) / free);
}

static void restore_energy(const restoring *r, const cd_step_whole *whole, cd_step_energy_kept energy)
{
    const cd_step_bodies *bodies = r->bodies;
    const cd_model *in = bodies->in;
    group *all = groups_make(r);
    for (int32_t i = 0; i < in->body.count; i++) {
        group *g = &all[i];
        if (!r->is_asked[i])
            continue;
        g->spin = solve(&g->inertia, g->moment);
        g->rigid = g->mass * cd_dot3(g->velocity, g->velocity) + cd_dot3(g->spin, g->moment);
    }
    for (int32_t i = 0; i < in->body.count; i++) {
        const int32_t root = cd_step_met_root(r->met, i);
        const group *g = &all[root];
        if (!cd_body_is_moved(in, i) || !r->is_asked[root])
            continue;
        const double share = share_of(g, &whole[root], energy);
        const cd_step_velocity turn = turning(r, g, i, g->spin);
        const cd_vec3 spin = cd_step_angular_of(bodies->dim, &bodies->nu[i]);
        const cd_vec3 rest = cd_sub3(spin, reached(r, i, spin));
        const double plane[] = {g->velocity.x, g->velocity.y, rest.z};
        const double space[] = {g->velocity.x, g->velocity.y, g->velocity.z, rest.x, rest.y, rest.z};
        const double *common = bodies->dim == 2 ? plane : space;
        double *nu = bodies->nu[i].at;
        for (int k = 0; k < bodies->axes && share != 1; k++) {
            const double rigid = common[k] + turn.at[k];
            nu[k] = rigid + share * (nu[k] - rigid);
        }
    }
}

void cd_step_restore(cd_arena *scratch, cd_step_bodies *bodies, const cd_leaves *shapes, const cd_step_met *met,
                     const cd_step_whole *whole, cd_step_energy_kept energy)
{
    const cd_model *in = bodies->in;
    cd_step_reach *reach = CD_ARENA_ZARRAY(scratch, cd_step_reach, in->body.count);
    cd_vec3 *momentum = CD_ARENA_ZARRAY(scratch, cd_vec3, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++)
        if (cd_body_is_moved(in, i))
            reach[i] = cd_step_reach_of(in, shapes, i);
    const restoring r = {scratch, bodies, met, reach, CD_ARENA_ZARRAY(scratch, bool, in->body.count)};
    for (int32_t i = 0; i < in->body.count; i++)
        momentum[i] = velocity_of(&r, i);
    if (!restore_moments(&r, whole, energy))
        return;
    restore_energy(&r, whole, energy);
    for (int32_t i = 0; i < in->body.count; i++)
        momentum[i] = cd_body_is_moved(in, i) ? cd_scale3(in->body.mass[i], cd_sub3(velocity_of(&r, i), momentum[i]))
                                              : (cd_vec3){0, 0, 0};
    cd_step_place_momentum(scratch, bodies, met->is_joined, momentum);
}

static bool is_pushed(const cd_step_bodies *bodies, int32_t body)
{
    return cd_body_is_moved(bodies->in, body) &&
           memcmp(&bodies->nu[body], &bodies->free[body], sizeof *bodies->nu) != 0;
}

bool cd_step_has_pushed_tops(const cd_step_bodies *bodies, const cd_leaves *shapes)
{
    for (int32_t i = 0; i < bodies->in->body.count && bodies->dim == 3; i++) {
        if (!is_pushed(bodies, i))
            continue;
        const cd_step_reach reach = cd_step_reach_of(bodies->in, shapes, i);
        if (!reach.is_none && cd_dot3(reach.axis, reach.axis) > 0)
            return true;
    }
    return false;
}

cd_vec3 cd_step_end_spin(const cd_step_bodies *bodies, const int32_t *trial_row, const cd_leaves *shapes, int32_t body,
                         const cd_step_velocity *nu, cd_quat end)
{
    const cd_model *in = bodies->in;
    const double *inertia = cd_step_inertia(in, body);
    const cd_step_reach reach = cd_step_reach_of(in, shapes, body);
    const cd_gyration gyration = cd_head_gyration(in);
    if (reach.is_none || cd_dot3(reach.axis, reach.axis) == 0 || gyration != CD_GYRATION_MIDPOINT)
        return cd_end_spin3(inertia, bodies->middle[body], end, cd_step_angular(nu), gyration);
    return cd_spin_of_momentum3(inertia, end, cd_step_end_moment(bodies, trial_row, &reach, body, nu, end));
}

void cd_step_stand(cd_arena *arena, cd_step_bodies *bodies, const cd_leaves *shapes)
{
    const cd_model *in = bodies->in;
    cd_step_state *end = CD_ARENA_ARRAY(arena, cd_step_state, in->body.count);
    cd_quat *rotation = CD_ARENA_ARRAY(arena, cd_quat, in->body.count);
    const int32_t *trial_row = cd_body_trial_rows(arena, in);
    for (int32_t i = 0; i < in->body.count; i++) {
        end[i] = cd_body_is_moved(in, i) ? bodies->integrator->end_state(bodies, i) : cd_step_state_at(bodies, i, 1);
        rotation[i] = in->dim == 3 ? end[i].space.rotation : cd_quat_identity();
        if (in->dim == 3 && is_pushed(bodies, i))
            end[i].space.spin = cd_step_end_spin(bodies, trial_row, shapes, i, &bodies->nu[i], rotation[i]);
        if (in->dim == 3 && cd_body_is_moved(in, i))
            cd_vec3_put(end[i].space.spin, bodies->nu[i].at + 3);
    }
    bodies->end = end;
    bodies->middle = rotation;
}
