// Which contacts bounce: speed at the contact's point, rest, closed gaps, in the plane and in space.
// SPDX-License-Identifier: MIT
#include "cd_impact.h"
#include "cd_test.h"

// A dynamic body 0 above a fixed body 1, both of material 0 with restitution 0.5, and a contact at (1, 0).
typedef struct small_model {
    int64_t index, body_id[2], material_id;
    double time, step, length, gravity[3], position[6], spin[2], mass[2], force[6], normal[3], point[3], gap, bound;
    double restitution;
    int32_t motion[2], material[2], a[2], b[2], kind, law_a, law_b, trial_row[2];
    cd_model in;
} small_model;

static void make(small_model *m, int dim)
{
    *m = (small_model){.body_id = {1, 2},
                       .step = 0.01,
                       .length = 2,
                       .mass = {2, NAN},
                       .motion = {CD_MOTION_DYNAMIC, CD_MOTION_FIXED},
                       .a = {0, 0},
                       .b = {1, 0},
                       .kind = CD_CONTACT_ANALYTIC,
                       .bound = NAN,
                       .restitution = 0.5,
                       .trial_row = {-1, -1}};
    m->normal[1] = -1;
    m->point[0] = 1;
    m->in.dim = dim;
    m->in.head = (cd_head_rows){.count = 1, .gravity = m->gravity};
    m->in.frame = (cd_frame_rows){.count = 1, .index = &m->index, .time = &m->time, .step = &m->step};
    m->in.material = (cd_material_rows){.count = 1, .id = &m->material_id};
    m->in.interaction =
        (cd_interaction_rows){.count = 1, .a = &m->law_a, .b = &m->law_b, .restitution = &m->restitution};
    m->in.body = (cd_body_rows){.count = 2,
                                .id = m->body_id,
                                .position = m->position,
                                .mass = m->mass,
                                .force = m->force,
                                .motion = m->motion,
                                .material = m->material};
    m->in.contact = (cd_contact_rows){.count = 1,
                                      .a = m->a,
                                      .b = m->b,
                                      .kind = &m->kind,
                                      .normal = m->normal,
                                      .point = m->point,
                                      .gap = &m->gap,
                                      .bound = &m->bound};
}

CD_TEST(speed_is_that_of_the_points)
{
    cd_interactions none = {0};
    for (int dim = 2; dim <= 3; dim++) {
        small_model m;
        make(&m, dim);
        cd_impact impact = cd_impact_make(&m.in, &none, m.trial_row, m.length);
        // -n . v of a: it falls at 3 and turns by 0.5 about its centre, 1 m to the left: 3 - 0.5
        double velocity[12] = {7, -3};
        velocity[dim == 2 ? 2 : 5] = 0.5;
        velocity[6] = velocity[7] = 99;  // of the fixed body: not looked at
        CD_CHECK_NEAR(cd_impact_speed(&impact, 0, velocity, 6), -2.5, 1e-15);
    }
}

CD_TEST(what_rests_does_not_bounce)
{
    for (int dim = 2; dim <= 3; dim++) {
        cd_arena arena = {0};
        small_model m;
        cd_interactions laws;
        cd_diag diag;
        make(&m, dim);
        CD_CHECK(cd_interactions_make(&arena, &m.in, &laws, &diag) == CD_OK);
        cd_impact impact = cd_impact_make(&m.in, &laws, m.trial_row, m.length);
        // 1e-6 of 2 m in 0.01 s
        CD_CHECK(!cd_impact_bounces(&impact, 0, 1) && !cd_impact_bounces(&impact, 0, -1.9e-4));
        CD_CHECK(cd_impact_bounces(&impact, 0, -2.1e-4));
        // 10 m/s^2 of gravity and 5 more of 10 N on 2 kg: twice 0.15 m/s
        m.gravity[1] = -10;
        m.force[1] = -10;
        CD_CHECK(!cd_impact_bounces(&impact, 0, -0.30) && cd_impact_bounces(&impact, 0, -0.3003));
        m.restitution = 0;
        CD_CHECK(cd_impact_is_fast(&impact, 0, -0.3003) && !cd_impact_bounces(&impact, 0, -0.3003));
        cd_arena_release(&arena);
    }
}

CD_TEST(closed_is_near_the_gap_that_can_be_asked)
{
    cd_interactions none = {0};
    small_model m;
    make(&m, 2);
    cd_impact impact = cd_impact_make(&m.in, &none, m.trial_row, m.length);
    CD_CHECK(cd_impact_is_closed(&impact, 0, 1.9e-5) && !cd_impact_is_closed(&impact, 0, 2.1e-5));
    CD_CHECK(cd_impact_is_closed(&impact, 0, -1));
    m.kind = CD_CONTACT_SEPARATING;
    CD_CHECK(cd_impact_is_closed(&impact, 0, -1e-6) && !cd_impact_is_closed(&impact, 0, -1e-3));
    m.bound = -1e-3;
    CD_CHECK(cd_impact_is_closed(&impact, 0, -1e-3) && !cd_impact_is_closed(&impact, 0, 0));
    m.bound = 1e-3;  // they were apart by it
    CD_CHECK(cd_impact_is_closed(&impact, 0, 0) && !cd_impact_is_closed(&impact, 0, 1e-3));
}

// A body that contacts held up by 2 cm, against gravity and its own speed, is closed at a tenth of it.
CD_TEST(what_was_pushed_is_closed_at_a_part_of_that)
{
    for (int dim = 2; dim <= 3; dim++) {
        cd_interactions none = {0};
        small_model m;
        make(&m, dim);
        double velocity[6] = {0, -1.9, 0, 0, 0, 0}, rotation[8] = {1, 0, 0, 0, 1, 0, 0, 0};
        double place[3] = {0, 0, 0}, angle[2] = {0, 0}, still[3] = {0, 0, 0};
        int32_t body = 0;
        m.gravity[1] = -10;
        m.in.body.velocity = velocity;
        m.in.body.rotation = dim == 2 ? angle : rotation;
        m.in.trial = (cd_trial_rows){.count = 1,
                                     .body = &body,
                                     .position = place,
                                     .rotation = dim == 2 ? angle : rotation,
                                     .velocity = still,
                                     .spin = still};
        m.trial_row[0] = 0;
        cd_impact impact = cd_impact_make(&m.in, &none, m.trial_row, m.length);
        CD_CHECK_NEAR(cd_impact_push(&impact, 0), 0.02, 1e-15);
        CD_CHECK(cd_impact_push(&impact, 1) == 0);
        // From the place (0, 0) of the trial: without contact the way is 2 cm down, or none, or to (3, 4) cm.
        const cd_vec3 at = {0, 0, 0}, down = {0, -2, 0}, aside = {3, 4, 0};
        CD_CHECK_NEAR(cd_impact_off_way(&m.in, 0, 0.01, down, at), 0.02, 1e-15);
        CD_CHECK(cd_impact_off_way(&m.in, 0, 0.01, at, at) == 0);
        CD_CHECK_NEAR(cd_impact_off_way(&m.in, 0, 0.01, aside, at), 0.05, 1e-15);
        CD_CHECK(cd_impact_is_closed(&impact, 0, 1.9e-3) && !cd_impact_is_closed(&impact, 0, 2.1e-3));
        m.kind = CD_CONTACT_SEPARATING;  // far below it is one that has lost its use, as ever
        CD_CHECK(cd_impact_is_closed(&impact, 0, 1.9e-3) && !cd_impact_is_closed(&impact, 0, -1e-3));
    }
}

int main(void)
{
    CD_RUN(speed_is_that_of_the_points);
    CD_RUN(what_rests_does_not_bounce);
    CD_RUN(closed_is_near_the_gap_that_can_be_asked);
    CD_RUN(what_was_pushed_is_closed_at_a_part_of_that);
    return cd_test_done();
}
