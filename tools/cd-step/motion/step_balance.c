// SPDX-License-Identifier: MIT
#include "step_balance.h"

#include "cd_pinballs.h"
#include "step_central.h"

typedef struct mass_point {
    double mass;
    cd_vec3 place, before, after;  // [m], [m/s]
} mass_point;

static void add_point(cd_step_balance *balance, const mass_point *p, cd_vec3 gravity)
{
    cd_vec3 momentum = cd_scale3(p->mass, cd_lerp3(p->before, p->after, 0.5));
    balance->kinetic += 0.5 * p->mass * cd_dot3(p->before, p->after);
    balance->potential -= p->mass * cd_dot3(gravity, p->place);
    balance->momentum = cd_add3(balance->momentum, momentum);
    balance->angular = cd_add3(balance->angular, cd_cross3(p->place, momentum));
}

// What stands half a step before, where frame 0 has what is now.
static cd_vec3 before_of(cd_vec3 given, cd_vec3 after, double kick)
{
    return kick < 1 ? cd_sub3(cd_scale3(2, given), after) : given;
}

static void add_body2(cd_step_balance *balance, const cd_step_bodies *bodies, int32_t body, double kick)
{
    const cd_model *in = bodies->in;
    cd_state2 start = cd_body_start2(in, body);
    const double *nu = bodies->nu[body].at;
    mass_point p = {.mass = in->body.mass[body], .place = cd_vec3_of_plane(start.position), .after = {nu[0], nu[1], 0}};
    p.before = before_of(cd_vec3_of_plane(start.velocity), p.after, kick);
    add_point(balance, &p, cd_vec3_of_plane(cd_gravity2(in)));
    double inertia = in->body.inertia[body], before = kick < 1 ? 2 * start.spin - nu[2] : start.spin;
    balance->kinetic += 0.5 * inertia * before * nu[2];
    balance->angular.z += 0.5 * inertia * (before + nu[2]);
}

static void add_body3(cd_step_balance *balance, const cd_step_bodies *bodies, int32_t body, double kick)
{
    const cd_model *in = bodies->in;
    cd_state3 start = cd_body_start3(in, body);
    const cd_step_velocity *nu = &bodies->nu[body];
    mass_point p = {.mass = in->body.mass[body], .place = start.position, .after = cd_step_linear(nu)};
    p.before = before_of(start.velocity, p.after, kick);
    add_point(balance, &p, cd_gravity3(in));
    // Angular momenta before and behind, both turning the body as it stands.
    const double *inertia = cd_step_inertia(in, body);
    cd_vec3 after = cd_angular_momentum3(inertia, bodies->middle[body], cd_step_angular(nu));
    cd_vec3 before = before_of(cd_angular_momentum3(inertia, start.rotation, start.spin), after, kick);
    balance->kinetic += 0.5 * cd_dot3(before, cd_spin_of_momentum3(inertia, start.rotation, after));
    balance->angular = cd_add3(balance->angular, cd_lerp3(before, after, 0.5));
}

cd_step_balance cd_step_balance_of(const cd_step_bodies *bodies, const cd_step_nodes *nodes)
{
    const cd_model *in = bodies->in;
    cd_step_balance balance = {.strain = nodes->strain_energy};
    double kick = cd_step_central_kick(in);
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        int32_t body = bodies->by_id[rank];
        if (cd_body_is_moved(in, body))
            (in->dim == 2 ? add_body2 : add_body3)(&balance, bodies, body, kick);
    }
    cd_vec3 gravity = in->dim == 2 ? cd_vec3_of_plane(cd_gravity2(in)) : cd_gravity3(in);
    for (int32_t i = 0; i < in->node.count; i++) {
        if (nodes->motion[i] != CD_STEP_NODE_IS_PUSHED)
            continue;
        mass_point p = {in->node.mass[i], cd_node_vector(in->node.position, in->dim, i), nodes->before[i],
                        nodes->after[i]};
        add_point(&balance, &p, gravity);
    }
    return balance;
}
