// SPDX-License-Identifier: MIT
#include "penalty_law.h"

cd_penalty_force cd_penalty_force_of(const cd_penalty_contact *contact)
{
    cd_penalty_force force = {{0, 0, 0}, 0, 0};
    double depth = -contact->gap, along = cd_dot3(contact->velocity, contact->normal);
    if (!(depth > 0))
        return force;
    double elastic = contact->stiffness * depth;
    double normal = fmax(elastic - contact->damping * along, 0);
    if (contact->is_gated && along >= 0)
        normal = 0;
    cd_vec3 slip = cd_sub3(contact->velocity, cd_scale3(along, contact->normal));
    double speed = cd_length3(slip);
    double tangential = speed > 0 ? fmin(contact->tangential * speed, contact->mu * normal) : 0;
    force.vector = cd_scale3(normal, contact->normal);
    if (tangential > 0)
        force.vector = cd_sub3(force.vector, cd_scale3(tangential / speed, slip));
    force.energy = 0.5 * elastic * depth;
    force.loss = (elastic - normal) * along + tangential * speed;
    return force;
}
