// SPDX-License-Identifier: MIT
#include "penalty_law.h"

// What resists a rate: slip, or spin.
typedef struct drag {
    double stiffness, damping;
    double most;  // what it does at most
    double time;  // [s] how long the rate has drawn its spring
} drag;

// *spring: before, and then that in it.
static cd_vec3 sprung(const drag *d, cd_vec3 rate, cd_vec3 *spring)
{
    *spring = cd_add3(*spring, cd_scale3(d->time, rate));
    cd_vec3 damped = cd_scale3(d->damping, rate);
    cd_vec3 pull = cd_add3(cd_scale3(d->stiffness, *spring), damped);
    double size = cd_length3(pull);
    if (size > d->most) {
        pull = cd_scale3(d->most / size, pull);
        *spring = cd_scale3(1 / d->stiffness, cd_sub3(pull, damped));
    }
    return cd_scale3(-1, pull);
}

static cd_vec3 viscous(const drag *d, cd_vec3 rate)
{
    double speed = cd_length3(rate);
    return speed > 0 ? cd_scale3(-fmin(d->damping, d->most / speed), rate) : (cd_vec3){0, 0, 0};
}

// The pull on b. *spring as of sprung, 0 without one. Adds to the energy and the loss of the force.
static cd_vec3 resist(const drag *d, cd_vec3 rate, cd_vec3 *spring, cd_penalty_force *force)
{
    cd_vec3 before = *spring, pull;
    double stored = 0;  // [W] what the spring takes up
    if (d->stiffness > 0) {
        pull = sprung(d, rate, spring);
        if (d->time > 0)
            stored = d->stiffness * cd_dot3(*spring, cd_sub3(*spring, before)) / d->time;
    } else {
        pull = viscous(d, rate);
        *spring = (cd_vec3){0, 0, 0};
    }
    force->energy += 0.5 * d->stiffness * cd_dot3(*spring, *spring);
    force->loss = force->loss - cd_dot3(pull, rate) - stored;
    return pull;
}

// The force ends at 0, before the gap does: with the ratio cos x that is when -log(restitution) = 2 x / tan x, and with
// cosh x 2 x / tanh x. Both are of one sign of curvature, so Newton comes from one side.
double cd_penalty_ratio_of_restitution(double restitution)
{
    const double wanted = -log(restitution);
    const bool is_below = wanted < 2;
    double x = is_below ? M_PI / 2 : wanted / 2;
    for (int k = 0; k < 60; k++) {
        double t = is_below ? tan(x) : tanh(x), curve = is_below ? 1 + t * t : 1 - t * t;
        double slope = 2 / t - 2 * x * curve / (t * t), next = x - (2 * x / t - wanted) / slope;
        if (!(next < x) || !(next > 0))
            break;
        x = next;
    }
    return is_below ? cos(x) : cosh(x);
}

static cd_vec3 part_along(cd_vec3 v, cd_vec3 normal) { return cd_scale3(cd_dot3(v, normal), normal); }

// Rolling and spinning have limits, and so springs, of their own.
static void resist_turning(const cd_penalty_contact *contact, double normal, cd_penalty_force *force)
{
    const cd_penalty_turning *t = &contact->turning;
    const double most[2] = {t->rolling * normal, t->spinning * normal};
    cd_vec3 about = part_along(t->spin, contact->normal), turned = part_along(t->turn, contact->normal);
    const cd_vec3 spin[2] = {cd_sub3(t->spin, about), about};
    cd_vec3 turn[2] = {cd_sub3(t->turn, turned), turned};
    for (int k = 0; k < 2; k++) {
        if (!(most[k] > 0))
            continue;
        drag d = {t->stiffness, t->damping, most[k], contact->slid};
        force->torque = cd_add3(force->torque, resist(&d, spin[k], &turn[k], force));
        force->turn = cd_add3(force->turn, turn[k]);
    }
}

cd_penalty_force cd_penalty_force_of(const cd_penalty_contact *contact)
{
    cd_penalty_force force = {.energy = 0};
    double depth = -contact->gap, along = cd_dot3(contact->velocity, contact->normal);
    if (!(depth > 0))
        return force;
    double elastic = contact->stiffness * depth;
    double normal = fmax(elastic - contact->damping * along, 0);
    if (contact->is_gated && along >= 0)
        normal = 0;
    force.energy = 0.5 * elastic * depth;
    force.loss = (elastic - normal) * along;
    drag friction = {contact->shear, contact->tangential, contact->mu * normal, contact->slid};
    force.spring = contact->spring;
    cd_vec3 slip = cd_sub3(contact->slip, part_along(contact->slip, contact->normal));
    cd_vec3 across = resist(&friction, slip, &force.spring, &force);
    force.vector = cd_add3(cd_scale3(normal, contact->normal), across);
    resist_turning(contact, normal, &force);
    return force;
}
