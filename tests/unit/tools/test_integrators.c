// Every integrator of the table against closed forms: free flight in the plane and in space, and what impulses change.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "step_integrator.h"
#include "step_values.h"

static cd_arena arena;

// Frames are made of these; states move on in them.
typedef struct flight {
    int dim;
    int64_t id[2], index;
    double gravity[3], time, step;
    double position[6], rotation[8], velocity[6], spin[6], mass[2], inertia[12];
    int32_t gyroscopic, count;
    // of a contact between the two bodies
    int32_t site[4], contact;
    double point[3], force[3];
    bool has_force;
    // applied to the first body
    double push[6], torque[6];
    bool is_pushed;
} flight;

static cd_model model_of(flight *f)
{
    cd_model in = {.dim = f->dim};
    in.head = (cd_head_rows){.count = 1, .gravity = f->gravity, .gyroscopic = &f->gyroscopic};
    in.frame = (cd_frame_rows){.count = 1, .index = &f->index, .time = &f->time, .step = &f->step};
    in.body = (cd_body_rows){.count = f->count,
                             .id = f->id,
                             .position = f->position,
                             .rotation = f->rotation,
                             .velocity = f->velocity,
                             .spin = f->spin,
                             .mass = f->mass,
                             .inertia = f->inertia};
    if (f->is_pushed) {
        in.body.force = f->push;
        in.body.torque = f->torque;
    }
    if (f->has_force) {
        in.contact = (cd_contact_rows){.count = 1, .a = f->site, .b = f->site + 2, .point = f->point};
        in.force = (cd_force_rows){.count = 1, .contact = &f->contact, .vector = f->force};
    }
    return in;
}

// One frame further.
static void step_once(const cd_step_integrator *integrator, flight *f)
{
    cd_model in = model_of(f);
    cd_step_bodies bodies;
    cd_next_rows next = {0};
    cd_diag diag;
    size_t count = (size_t)f->count, dim = (size_t)f->dim;
    CD_CHECK(cd_step_bodies_make(&arena, &in, integrator, &bodies, &diag) == CD_OK);
    CD_CHECK(cd_step_take_values(&arena, &bodies, &diag) == CD_OK);
    CD_CHECK(cd_step_write_next(&arena, &bodies, true, NULL, &next, &diag) == CD_OK && next.count == f->count);
    memcpy(f->position, next.position, dim * count * sizeof(double));
    memcpy(f->velocity, next.velocity, dim * count * sizeof(double));
    memcpy(f->rotation, next.rotation, (dim == 2 ? 1 : 4) * count * sizeof(double));
    memcpy(f->spin, next.spin, (dim == 2 ? 1 : 3) * count * sizeof(double));
    f->index++;
    cd_arena_reset(&arena);
}

static void fly(const cd_step_integrator *integrator, flight *f, double time, int steps)
{
    f->step = time / steps;
    for (int k = 0; k < steps; k++)
        step_once(integrator, f);
}

// A body thrown in the plane; in space a symmetric top (J_xx = J_yy), whose tumbling has a closed form.
static flight thrown(int dim)
{
    flight f = {.dim = dim, .id = {1, 2}, .count = 1, .mass = {2, 3}, .gyroscopic = CD_GYROSCOPIC_MIDPOINT};
    if (dim == 2) {
        memcpy(f.position, (double[]){1, 2}, 2 * sizeof(double));
        memcpy(f.velocity, (double[]){3, -4}, 2 * sizeof(double));
        f.rotation[0] = 0.5;
        f.spin[0] = 1.5;
        f.inertia[0] = 0.75;
        return f;
    }
    cd_quat turned = cd_quat_unit((cd_quat){0.8, 0.1, -0.4, 0.3});
    memcpy(f.position, (double[]){1, 2, 3}, 3 * sizeof(double));
    memcpy(f.velocity, (double[]){3, -4, 5}, 3 * sizeof(double));
    memcpy(f.spin, (double[]){1.5, -0.5, 2}, 3 * sizeof(double));
    memcpy(f.inertia, (double[]){1, 1, 0.25}, 3 * sizeof(double));
    cd_quat_put(turned, f.rotation);
    return f;
}

// x + v T + g T^2 / 2; in the plane the angle at constant spin. In space with L the angular momentum and u the body's
// own axis: R(T) = exp(T L / J_xx) R(0) exp(T s u), s = w.u (1 - J_zz / J_xx).
static flight exact(const flight *start, double time)
{
    flight f = *start;
    for (int k = 0; k < f.dim; k++) {
        f.position[k] += time * (f.velocity[k] + 0.5 * time * f.gravity[k]);
        f.velocity[k] += time * f.gravity[k];
    }
    if (f.dim == 2) {
        f.rotation[0] += time * f.spin[0];
        return f;
    }
    cd_quat rotation = cd_quat_at(f.rotation);
    cd_vec3 spin = cd_vec3_at(f.spin), momentum = cd_angular_momentum3(f.inertia, rotation, spin);
    cd_vec3 axis = cd_quat_turn(rotation, (cd_vec3){0, 0, 1});
    double own = cd_dot3(spin, axis) * (1 - f.inertia[2] / f.inertia[0]);
    cd_quat precession = cd_quat_from_vector(cd_scale3(time / f.inertia[0], momentum));
    cd_quat about_itself = cd_quat_from_vector((cd_vec3){0, 0, time * own});
    cd_quat end = cd_quat_unit(cd_quat_product(cd_quat_product(precession, rotation), about_itself));
    cd_quat_put(end, f.rotation);
    cd_vec3 end_spin = cd_spin_of_momentum3(f.inertia, end, momentum);
    memcpy(f.spin, (double[]){end_spin.x, end_spin.y, end_spin.z}, 3 * sizeof(double));
    return f;
}

static double position_error(const flight *f, const flight *want)
{
    double sum = 0;
    for (int k = 0; k < f->dim; k++)
        sum += (f->position[k] - want->position[k]) * (f->position[k] - want->position[k]);
    return sqrt(sum);
}

static double rotation_error(const flight *f, const flight *want)
{
    return f->dim == 2 ? fabs(f->rotation[0] - want->rotation[0])
                       : cd_quat_angle_between(cd_quat_at(f->rotation), cd_quat_at(want->rotation));
}

static cd_vec3 angular_momentum(const flight *f, int body)
{
    if (f->dim == 2)
        return (cd_vec3){0, 0, f->inertia[body] * f->spin[body]};
    return cd_angular_momentum3(f->inertia + 6 * body, cd_quat_at(f->rotation + 4 * body),
                                cd_vec3_at(f->spin + 3 * body));
}

static double kinetic_energy(const flight *f)
{
    double sum = 0;
    for (int k = 0; k < f->dim; k++)
        sum += f->mass[0] * f->velocity[k] * f->velocity[k];
    cd_vec3 spin = f->dim == 2 ? (cd_vec3){0, 0, f->spin[0]} : cd_vec3_at(f->spin);
    return 0.5 * (sum + cd_dot3(spin, angular_momentum(f, 0)));
}

CD_TEST(names_of_the_table_are_those_of_the_entries)
{
    int count = 0;
    for (; cd_step_integrators[count]; count++) {
        const cd_step_integrator *m = cd_step_integrators[count];
        CD_CHECK_TEXT(m->name, cd_step_integrator_names[count]);
        CD_CHECK(cd_step_integrator_find(m->name) == m && m->summary[0] && m->source[0] && m->order > 0);
        CD_CHECK(m->needs & (CD_BIT(value) | CD_BIT(force)));
    }
    CD_CHECK(count > 0 && !cd_step_integrator_names[count] && !cd_step_integrator_find("no-such"));
}

// Halving the step divides the error by 2^order, or leaves rounding.
CD_TEST(free_flight_tends_to_the_closed_form_with_the_stated_order)
{
    const double time = 1, rounding = 1e-11;
    for (int i = 0; cd_step_integrators[i]; i++)
        for (int dim = 2; dim <= 3; dim++)
            for (int rule = 0; rule < (dim == 2 ? 1 : 2); rule++) {
                flight start = thrown(dim);
                start.gyroscopic = rule ? CD_GYROSCOPIC_EXPLICIT : CD_GYROSCOPIC_MIDPOINT;
                start.gravity[dim - 1] = -9.81;
                flight want = exact(&start, time), coarse = start, fine = start;
                fly(cd_step_integrators[i], &coarse, time, 200);
                fly(cd_step_integrators[i], &fine, time, 400);
                double ratio = 0.9 * ldexp(1, cd_step_integrators[i]->order), turn_ratio = rule ? 1.8 : ratio;
                double at[2] = {position_error(&coarse, &want), position_error(&fine, &want)};
                double turn[2] = {rotation_error(&coarse, &want), rotation_error(&fine, &want)};
                CD_CHECK(at[1] < rounding || at[0] > ratio * at[1]);
                CD_CHECK(turn[1] < rounding || turn[0] > turn_ratio * turn[1]);
                CD_CHECK(at[1] < 0.02 && turn[1] < 0.02);
            }
}

CD_TEST(without_gravity_momenta_stay_and_energy_swings_little)
{
    for (int i = 0; cd_step_integrators[i]; i++)
        for (int dim = 2; dim <= 3; dim++) {
            flight start = thrown(dim), f = start;
            cd_vec3 momentum = angular_momentum(&start, 0);
            for (int k = 0; k < 50; k++) {
                fly(cd_step_integrators[i], &f, 0.2, 20);
                CD_CHECK(!memcmp(f.velocity, start.velocity, sizeof f.velocity));
                CD_CHECK_NEAR(cd_length3(cd_sub3(angular_momentum(&f, 0), momentum)), 0, 1e-12);
                CD_CHECK_NEAR(kinetic_energy(&f) / kinetic_energy(&start), 1, 1e-5);
            }
        }
}

// Of the top J = (A, A, C) with the spin (p, 0, r) in its own frame the explicit rule turns by h r p (A - C) / A about
// y more: energy grows by h^2 r^2 p^2 (A - C)^2 / A over A p^2 + C r^2. A torque along the axis gives what it says.
CD_TEST(the_growth_of_free_motion_is_that_of_the_explicit_rule)
{
    const double p = 3, r = 5, a = 1, c = 0.25, h = 0.1, torque = 2;
    for (int i = 0; cd_step_integrators[i]; i++)
        for (int pushed = 0; pushed < 2; pushed++)
            for (int rule = 0; rule < 2; rule++) {
                flight f = thrown(3);
                cd_quat rotation = cd_quat_at(f.rotation);
                f.step = h;
                f.index = 1;
                f.is_pushed = pushed;
                f.gyroscopic = rule ? CD_GYROSCOPIC_EXPLICIT : CD_GYROSCOPIC_MIDPOINT;
                cd_vec3_put(cd_quat_turn(rotation, (cd_vec3){p, 0, r}), f.spin);
                cd_vec3_put(cd_quat_turn(rotation, (cd_vec3){0, 0, torque}), f.torque);
                cd_model in = model_of(&f);
                cd_step_bodies bodies;
                cd_diag diag;
                CD_CHECK(cd_step_bodies_make(&arena, &in, cd_step_integrators[i], &bodies, &diag) == CD_OK);
                cd_step_growth growth = cd_step_free_growth(&bodies);
                if (!rule) {
                    CD_CHECK(growth.body == -1 && growth.factor == 0);
                    continue;
                }
                double axial = pushed ? r + h * torque / c : r, side = h * r * p * (a - c) / a;
                double reached = sqrt(a * p * p + c * r * r) + (pushed ? h * torque / sqrt(c) : 0);
                CD_CHECK(growth.body == 0);
                CD_CHECK_NEAR(growth.energy, (a * p * p + a * side * side + c * axial * axial) / 2, 1e-13);
                CD_CHECK_NEAR(growth.allowed, reached * reached / 2, 1e-13);
                CD_CHECK_NEAR(growth.factor, growth.energy / growth.allowed, 1e-13);
            }
    cd_arena_reset(&arena);
}

// Momenta grow by f T and tau T, to rounding, with T less the lag; the place by f T^2 / 2m to the stated order.
CD_TEST(applied_forces_make_their_momenta)
{
    const double time = 1.5, push[3] = {4, -2, 1}, torque[3] = {0.2, 0.1, -0.3};
    for (int i = 0; cd_step_integrators[i]; i++)
        for (int dim = 2; dim <= 3; dim++) {
            flight start = thrown(dim);
            start.is_pushed = true;
            memcpy(start.push, push, sizeof push);
            memcpy(start.torque, dim == 2 ? torque + 2 : torque, (dim == 2 ? 1 : 3) * sizeof(double));
            flight coarse = start, fine = start, want = start;
            fly(cd_step_integrators[i], &coarse, time, 100);
            fly(cd_step_integrators[i], &fine, time, 200);
            double acted = time - cd_step_integrators[i]->lag * fine.step;
            for (int k = 0; k < dim; k++) {
                want.position[k] += time * (start.velocity[k] + 0.5 * time * push[k] / start.mass[0]);
                CD_CHECK_NEAR(fine.velocity[k], start.velocity[k] + acted * push[k] / start.mass[0], 1e-13);
            }
            cd_vec3 gained = cd_sub3(angular_momentum(&fine, 0), angular_momentum(&start, 0));
            cd_vec3 moment = dim == 2 ? (cd_vec3){0, 0, torque[2]} : cd_vec3_at(torque);
            CD_CHECK_NEAR(cd_length3(cd_sub3(gained, cd_scale3(acted, moment))), 0, 1e-12);
            double ratio = 0.9 * ldexp(1, cd_step_integrators[i]->order);
            double at[2] = {position_error(&coarse, &want), position_error(&fine, &want)};
            CD_CHECK((at[1] < 1e-13 || at[0] > ratio * at[1]) && at[1] < 0.02);
        }
}

// Two bodies push each other at a point off both centres.
CD_TEST(an_impulse_changes_momenta_by_itself)
{
    for (int i = 0; cd_step_integrators[i]; i++)
        for (int dim = 2; dim <= 3; dim++) {
            if (!(cd_step_integrators[i]->needs & CD_BIT(force)))
                continue;
            flight f = thrown(dim), other = thrown(dim);
            size_t d = (size_t)dim, turns = dim == 2 ? 1 : 4, spins = dim == 2 ? 1 : 3, moments = dim == 2 ? 1 : 6;
            for (size_t k = 0; k < d; k++)
                f.position[d + k] = 5.0 + (double)k;
            memcpy(f.rotation + turns, other.rotation, turns * sizeof(double));
            memcpy(f.spin + spins, other.spin, spins * sizeof(double));
            memcpy(f.inertia + moments, other.inertia, moments * sizeof(double));
            f.count = 2;
            f.has_force = true;
            f.index = 1;
            memcpy(f.site, (int32_t[]){0, 0, 1, 0}, sizeof f.site);
            memcpy(f.point, (double[]){2, 7, 4}, sizeof f.point);
            memcpy(f.force, (double[]){30, -10, 20}, sizeof f.force);
            flight before = f;
            f.step = 0.01;
            step_once(cd_step_integrators[i], &f);
            for (int body = 0; body < 2; body++) {
                double sign = body ? 1 : -1;  // on b, and its reaction on a
                size_t at = d * (size_t)body;
                for (size_t k = 0; k < d; k++)
                    CD_CHECK_NEAR(f.mass[body] * (f.velocity[at + k] - before.velocity[at + k]),
                                  sign * f.step * f.force[k], 1e-13);
                cd_vec3 arm = {f.point[0] - before.position[at], f.point[1] - before.position[at + 1],
                               dim == 3 ? f.point[2] - before.position[at + 2] : 0};
                cd_vec3 impulse =
                    cd_scale3(sign * f.step, (cd_vec3){f.force[0], f.force[1], dim == 3 ? f.force[2] : 0});
                cd_vec3 gained = cd_sub3(angular_momentum(&f, body), angular_momentum(&before, body));
                CD_CHECK_NEAR(cd_length3(cd_sub3(gained, cd_cross3(arm, impulse))), 0, 1e-13);
            }
        }
}

// Frame 0 has the velocities of its time: a body on a spring of stiffness 1, mass 2, released at rest at x = 1.
// The rule of leapfrog on it: x_k = cos(k theta), cos(theta) = 1 - h^2 / 2m; a whole first kick would be an O(h) off.
CD_TEST(the_first_step_of_a_lagging_integrator_begins_with_a_part_of_the_kick)
{
    int count = 0;
    for (int i = 0; cd_step_integrators[i]; i++) {
        if (!(cd_step_integrators[i]->lag > 0))
            continue;
        CD_CHECK(cd_step_integrators[i]->lag == 0.5);
        flight f = {.dim = 2, .id = {1, 2}, .count = 1, .mass = {2, 3}, .inertia = {1}, .is_pushed = true, .step = 0.1};
        f.position[0] = 1;
        double theta = acos(1 - f.step * f.step / (2 * f.mass[0]));
        for (int k = 1; k <= 100; k++) {
            f.push[0] = -f.position[0];
            step_once(cd_step_integrators[i], &f);
            CD_CHECK_NEAR(f.position[0], cos(k * theta), 1e-12);
        }
        count++;
    }
    CD_CHECK(count > 0);
}

// A step of a thrown body under gravity, not yet ended; all borrow from one another.
static void fall(const cd_step_integrator *integrator, int dim, flight *f, cd_model *in, cd_step_bodies *bodies)
{
    cd_diag diag;
    *f = thrown(dim);
    f->step = 0.1;
    f->gravity[0] = 1;
    *in = model_of(f);
    CD_CHECK(cd_step_bodies_make(&arena, in, integrator, bodies, &diag) == CD_OK);
}

CD_TEST(the_step_begins_at_the_start_and_its_end_is_where_the_next_one_begins)
{
    for (int i = 0; cd_step_integrators[i]; i++)
        for (int dim = 2; dim <= 3; dim++) {
            flight f;
            cd_model in;
            cd_step_bodies bodies;
            fall(cd_step_integrators[i], dim, &f, &in, &bodies);
            cd_step_state start = cd_step_state_at(&bodies, 0, 0), end = cd_step_state_at(&bodies, 0, 1);
            cd_step_state next = cd_step_integrators[i]->end_state(&bodies, 0);
            if (dim == 2) {
                cd_state2 own = cd_body_start2(&in, 0);
                CD_CHECK(!memcmp(&start.plane.position, &own.position, sizeof own.position));
                CD_CHECK(start.plane.angle == own.angle && end.plane.angle == next.plane.angle);
                CD_CHECK(!memcmp(&end.plane.position, &next.plane.position, sizeof own.position));
                CD_CHECK(end.plane.position.x != own.position.x);
            } else {
                cd_state3 own = cd_body_start3(&in, 0);
                CD_CHECK(!memcmp(&start.space.position, &own.position, sizeof own.position));
                CD_CHECK_NEAR(cd_quat_angle_between(start.space.rotation, own.rotation), 0, 1e-15);
                CD_CHECK(!memcmp(&end.space.position, &next.space.position, sizeof own.position));
                CD_CHECK(!memcmp(&end.space.rotation, &next.space.rotation, sizeof own.rotation));
                CD_CHECK(end.space.position.x != own.position.x);
            }
        }
    cd_arena_reset(&arena);
}

CD_TEST(on_the_way_velocity_and_spin_are_those_of_the_step)
{
    for (int i = 0; cd_step_integrators[i]; i++)
        for (int dim = 2; dim <= 3; dim++) {
            flight f;
            cd_model in;
            cd_step_bodies bodies;
            fall(cd_step_integrators[i], dim, &f, &in, &bodies);
            const cd_step_velocity *nu = &bodies.nu[0];
            cd_step_state start = cd_step_state_at(&bodies, 0, 0);
            for (double share = 0.125; share <= 1; share += 0.125) {
                cd_step_state now = cd_step_state_at(&bodies, 0, share);
                double time = share * f.step;
                if (dim == 2) {
                    CD_CHECK_NEAR(now.plane.position.x, start.plane.position.x + time * nu->at[0], 1e-14);
                    CD_CHECK_NEAR(now.plane.position.y, start.plane.position.y + time * nu->at[1], 1e-14);
                    CD_CHECK_NEAR(now.plane.angle, start.plane.angle + time * nu->at[2], 1e-14);
                    continue;
                }
                cd_vec3 by = cd_sub3(now.space.position, start.space.position);
                CD_CHECK_NEAR(cd_length3(cd_sub3(by, cd_scale3(time, cd_step_linear(nu)))), 0, 1e-14);
                cd_quat turn = cd_quat_from_vector(cd_scale3(time, cd_step_angular(nu)));
                cd_quat want = cd_quat_product(turn, start.space.rotation);
                CD_CHECK_NEAR(cd_quat_angle_between(now.space.rotation, want), 0, 1e-14);
            }
        }
    cd_arena_reset(&arena);
}

CD_TEST(tables_that_an_integrator_does_not_take_are_refused)
{
    flight f = thrown(2);
    cd_step_integrator picky = *cd_step_integrators[0];
    cd_diag diag;
    f.has_force = true;
    cd_model in = model_of(&f);
    CD_CHECK(cd_step_integrator_check(&picky, &in, &diag) == CD_OK);
    picky.needs = CD_BIT(value);
    CD_CHECK(cd_step_integrator_check(&picky, &in, &diag) == CD_ERR_UNSUPPORTED);
    CD_CHECK_TEXT(diag.text, "force: --integrator semi-implicit cannot use this table");
    picky.needs = CD_BIT(force);
    in.value.count = 1;
    CD_CHECK(cd_step_integrator_check(&picky, &in, &diag) == CD_ERR_UNSUPPORTED);
    CD_CHECK_TEXT(diag.text, "value: --integrator semi-implicit cannot use this table");
}

int main(void)
{
    CD_RUN(names_of_the_table_are_those_of_the_entries);
    CD_RUN(free_flight_tends_to_the_closed_form_with_the_stated_order);
    CD_RUN(without_gravity_momenta_stay_and_energy_swings_little);
    CD_RUN(the_growth_of_free_motion_is_that_of_the_explicit_rule);
    CD_RUN(applied_forces_make_their_momenta);
    CD_RUN(an_impulse_changes_momenta_by_itself);
    CD_RUN(the_first_step_of_a_lagging_integrator_begins_with_a_part_of_the_kick);
    CD_RUN(the_step_begins_at_the_start_and_its_end_is_where_the_next_one_begins);
    CD_RUN(on_the_way_velocity_and_spin_are_those_of_the_step);
    CD_RUN(tables_that_an_integrator_does_not_take_are_refused);
    cd_arena_release(&arena);
    return cd_test_done();
}
