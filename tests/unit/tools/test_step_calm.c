// Energy out of a group of bodies whose momenta stay.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_test.h"
#include "step_calm.h"

static cd_arena arena;

enum { BODIES = 5, ALONE = 4 };

typedef struct scene {
    double time, mass[BODIES], inertia[6 * BODIES];
    int64_t id[BODIES];
    cd_model in;
    cd_step_velocity nu[BODIES], before[BODIES];
    cd_step_state end[BODIES];
    cd_quat middle[BODIES];
    cd_step_bodies bodies;
} scene;

static double any(cd_random *random) { return cd_random_between(random, -1, 1); }

static void make(scene *s, int dim, cd_random *random)
{
    static const int32_t by_id[BODIES] = {3, 0, 4, 1, 2};
    *s = (scene){.time = 0};
    for (int i = 0; i < BODIES; i++) {
        s->mass[i] = 1.5 + any(random);
        s->id[by_id[i]] = i;
        if (dim == 2)
            s->inertia[i] = 1.5 + any(random);
        for (int k = 0; k < 6 && dim == 3; k++)
            s->inertia[6 * i + k] = k < 3 ? 2 + any(random) / 2 : any(random) / 4;
        cd_vec3 place = {any(random), any(random), any(random)};
        s->end[i].space = (cd_state3){.position = place};
        if (dim == 2)
            s->end[i].plane = (cd_state2){.position = {place.x, place.y}};
        s->middle[i] = cd_quat_from_vector((cd_vec3){any(random), any(random), any(random)});
        for (int k = 0; k < (dim == 2 ? 3 : 6); k++)
            s->nu[i].at[k] = any(random);
    }
    memcpy(s->before, s->nu, sizeof s->nu);
    s->in = (cd_model){.dim = dim};
    s->in.frame = (cd_frame_rows){.count = 1, .time = &s->time};
    s->in.body = (cd_body_rows){.count = BODIES, .id = s->id, .mass = s->mass, .inertia = s->inertia};
    s->bodies = (cd_step_bodies){.in = &s->in,
                                 .dim = dim,
                                 .axes = dim == 2 ? 3 : 6,
                                 .nu = s->nu,
                                 .by_id = by_id,
                                 .middle = s->middle,
                                 .end = s->end};
}

static cd_vec3 place_of(const scene *s, int i)
{
    return s->in.dim == 2 ? cd_vec3_of_plane(s->end[i].plane.position) : s->end[i].space.position;
}

static cd_vec3 velocity_of(const scene *s, const cd_step_velocity *nu)
{
    return (cd_vec3){nu->at[0], nu->at[1], s->in.dim == 3 ? nu->at[2] : 0};
}

static cd_vec3 spin_of(const scene *s, const cd_step_velocity *nu)
{
    return s->in.dim == 2 ? (cd_vec3){0, 0, nu->at[2]} : (cd_vec3){nu->at[3], nu->at[4], nu->at[5]};
}

typedef struct sums {
    cd_vec3 momentum, angular;
    double energy;  // twice
} sums;

// Of the first ALONE bodies, about the origin.
static sums sums_of(const scene *s, const cd_step_velocity *nu)
{
    sums all = {{0, 0, 0}, {0, 0, 0}, 0};
    for (int i = 0; i < ALONE; i++) {
        cd_vec3 p = cd_scale3(s->mass[i], velocity_of(s, &nu[i])), w = spin_of(s, &nu[i]);
        cd_vec3 own =
            s->in.dim == 2 ? cd_scale3(s->inertia[i], w) : cd_angular_momentum3(s->inertia + 6 * i, s->middle[i], w);
        all.momentum = cd_add3(all.momentum, p);
        all.angular = cd_add3(all.angular, cd_add3(own, cd_cross3(place_of(s, i), p)));
        all.energy += cd_dot3(p, velocity_of(s, &nu[i])) + cd_dot3(own, w);
    }
    return all;
}

// Of body i against body j, at a point of the world.
static cd_vec3 slip_of(const scene *s, const cd_step_velocity *nu, int i, int j, cd_vec3 point)
{
    cd_vec3 a = cd_add3(velocity_of(s, &nu[i]), cd_cross3(spin_of(s, &nu[i]), cd_sub3(point, place_of(s, i))));
    cd_vec3 b = cd_add3(velocity_of(s, &nu[j]), cd_cross3(spin_of(s, &nu[j]), cd_sub3(point, place_of(s, j))));
    return cd_sub3(a, b);
}

static void check_same(cd_vec3 a, cd_vec3 b, double tolerance)
{
    CD_CHECK_NEAR(cd_length3(cd_sub3(a, b)), 0, tolerance);
}

static const int32_t root[BODIES] = {1, 1, 1, 1, ALONE};

CD_TEST(energy_goes_and_momenta_stay)
{
    cd_random random = {11};
    for (int round = 0; round < 400; round++) {
        scene s;
        make(&s, 2 + round % 2, &random);
        const sums before = sums_of(&s, s.before);
        double least[BODIES] = {0, 0, 0, 0, INFINITY};
        cd_step_calm(&arena, &s.bodies, root, least);  // more than there is to take: the rigid motion
        const sums rigid = sums_of(&s, s.nu);
        check_same(rigid.momentum, before.momentum, 1e-13);
        check_same(rigid.angular, before.angular, 1e-12);
        const cd_vec3 point = {any(&random), any(&random), s.in.dim == 3 ? any(&random) : 0};
        check_same(slip_of(&s, s.nu, 0, 3, point), (cd_vec3){0, 0, 0}, 1e-12);
        memcpy(s.nu, s.before, sizeof s.nu);
        const double part = cd_random_between(&random, 0.1, 0.9);
        double most[BODIES] = {0, rigid.energy + part * (before.energy - rigid.energy), 0, 0, INFINITY};
        cd_step_calm(&arena, &s.bodies, root, most);
        const sums after = sums_of(&s, s.nu);
        CD_CHECK_NEAR(after.energy, most[1], 1e-12 * before.energy);
        check_same(after.momentum, before.momentum, 1e-13);
        check_same(after.angular, before.angular, 1e-12);
        check_same(slip_of(&s, s.nu, 0, 3, point), cd_scale3(sqrt(part), slip_of(&s, s.before, 0, 3, point)), 1e-12);
        CD_CHECK(memcmp(&s.nu[ALONE], &s.before[ALONE], sizeof s.nu[ALONE]) == 0);
        cd_arena_reset(&arena);
    }
}

CD_TEST(what_has_no_more_is_left_as_it_is)
{
    cd_random random = {5};
    for (int dim = 2; dim <= 3; dim++) {
        scene s;
        make(&s, dim, &random);
        const double energy = sums_of(&s, s.before).energy;
        double most[BODIES] = {0, energy * (1 + 1e-12), 0, 0, INFINITY};
        cd_step_calm(&arena, &s.bodies, root, most);
        CD_CHECK(memcmp(s.nu, s.before, sizeof s.nu) == 0);
        cd_arena_reset(&arena);
    }
}

int main(void)
{
    CD_RUN(energy_goes_and_momenta_stay);
    CD_RUN(what_has_no_more_is_left_as_it_is);
    cd_arena_release(&arena);
    return cd_test_done();
}
