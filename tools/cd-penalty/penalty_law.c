// SPDX-License-Identifier: MIT
#include "penalty_law.h"

// T on b [N], of length `most` at most; *spring: s in it.
static cd_vec3 sprung(const cd_penalty_contact *contact, cd_vec3 slip, double most, cd_vec3 *spring)
{
    *spring = cd_add3(contact->spring, cd_scale3(contact->slid, slip));
    cd_vec3 damped = cd_scale3(contact->tangential, slip);
    cd_vec3 pull = cd_add3(cd_scale3(contact->shear, *spring), damped);
    double size = cd_length3(pull);
    if (size > most) {
        pull = cd_scale3(most / size, pull);
        *spring = cd_scale3(1 / contact->shear, cd_sub3(pull, damped));
    }
    return cd_scale3(-1, pull);
}

static cd_vec3 viscous(const cd_penalty_contact *contact, cd_vec3 slip, double most)
{
    double speed = cd_length3(slip);
    return speed > 0 ? cd_scale3(-fmin(contact->tangential, most / speed), slip) : (cd_vec3){0, 0, 0};
}

cd_penalty_force cd_penalty_force_of(const cd_penalty_contact *contact)
{
    cd_penalty_force force = {{0, 0, 0}, {0, 0, 0}, 0, 0};
    double depth = -contact->gap, along = cd_dot3(contact->velocity, contact->normal);
    if (!(depth > 0))
        return force;
    double elastic = contact->stiffness * depth;
    double normal = fmax(elastic - contact->damping * along, 0);
    if (contact->is_gated && along >= 0)
        normal = 0;
    cd_vec3 slip = cd_sub3(contact->slip, cd_scale3(cd_dot3(contact->slip, contact->normal), contact->normal));
    double most = contact->mu * normal, stored = 0;  // [W] stored: what the spring takes up
    cd_vec3 across;
    if (contact->shear > 0) {
        across = sprung(contact, slip, most, &force.spring);
        cd_vec3 drawn = cd_sub3(force.spring, contact->spring);
        if (contact->slid > 0)
            stored = contact->shear * cd_dot3(force.spring, drawn) / contact->slid;
    } else {
        across = viscous(contact, slip, most);
    }
    force.vector = cd_add3(cd_scale3(normal, contact->normal), across);
    force.energy = 0.5 * elastic * depth + 0.5 * contact->shear * cd_dot3(force.spring, force.spring);
    force.loss = (elastic - normal) * along - cd_dot3(across, slip) - stored;
    return force;
}
