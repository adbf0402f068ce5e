// Which bodies met, from frame to frame of an impact.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "step_met.h"

static cd_arena arena;

enum { BODIES = 7, FLOOR = 5, DRIVEN = 6, CONTACTS = 4 };

// Bodies 0 to 4 are dynamic; contacts 0-1, 2-3, 4-5, 4-6. The later a row, the less its user id.
typedef struct scene {
    double time, mass[BODIES];
    int64_t id[BODIES];
    int32_t motion[BODIES], a[2 * CONTACTS], b[2 * CONTACTS], status[CONTACTS], by_id[BODIES];
    int32_t trial_body[BODIES], group[BODIES], held[BODIES];
    cd_model in;
    cd_step_bodies bodies;
} scene;

static void make(scene *s)
{
    *s = (scene){.id = {70, 60, 50, 40, 30, 20, 10},
                 .mass = {1, 1, 1, 1, 1, 1, 1},
                 .motion = {[FLOOR] = CD_MOTION_FIXED, [DRIVEN] = CD_MOTION_PRESCRIBED},
                 .a = {0, 0, 2, 0, 4, 0, 4, 0},
                 .b = {1, 0, 3, 0, FLOOR, 0, DRIVEN, 0},
                 .status = {CD_STATUS_TOUCHING, CD_STATUS_TOUCHING, CD_STATUS_TOUCHING, CD_STATUS_TOUCHING},
                 .in.dim = 2};
    s->in.frame = (cd_frame_rows){.count = 1, .time = &s->time};
    s->in.body = (cd_body_rows){.count = BODIES, .id = s->id, .mass = s->mass, .motion = s->motion};
    s->in.contact = (cd_contact_rows){.count = CONTACTS, .a = s->a, .b = s->b, .status = s->status};
    for (int32_t i = 0; i < BODIES; i++) {
        s->trial_body[i] = i;
        s->by_id[i] = BODIES - 1 - i;
        s->group[i] = s->held[i] = CD_ABSENT;
    }
    s->in.trial = (cd_trial_rows){.count = BODIES, .body = s->trial_body, .group = s->group, .held = s->held};
    s->bodies = (cd_step_bodies){.in = &s->in, .dim = 2, .by_id = s->by_id};
}

static bool has_roots(const cd_step_met *met, const int32_t *root)
{
    return memcmp(met->islands.root, root, BODIES * sizeof *root) == 0;
}

CD_TEST(bodies_of_a_group_are_together_without_a_contact)
{
    scene s;
    make(&s);
    s.group[0] = s.group[4] = 9;
    s.group[1] = s.group[3] = 2;
    s.held[0] = s.held[4] = CD_HELD_FIXED;
    const bool none[CONTACTS] = {false};
    cd_step_met met = cd_step_met_of_trial(&arena, &s.bodies, none);
    CD_CHECK(has_roots(&met, (int32_t[]){4, 3, 2, 3, 4, FLOOR, DRIVEN}));
    CD_CHECK(met.is_held[4] && !met.is_driven[4] && !met.is_held[3] && !met.is_held[2]);
    for (int i = 0; i < CONTACTS; i++)
        CD_CHECK(!met.is_joined[i]);
}

// What bodies meet in a frame of the impact makes groups one, and its bodies held.
CD_TEST(contacts_join_groups)
{
    scene s;
    make(&s);
    s.group[0] = s.group[4] = 0;
    s.group[1] = s.group[3] = 1;
    const bool joins[CONTACTS] = {true, false, false, true};
    cd_step_met met = cd_step_met_of_trial(&arena, &s.bodies, joins);
    CD_CHECK(has_roots(&met, (int32_t[]){4, 4, 2, 4, 4, FLOOR, DRIVEN}));
    CD_CHECK(met.is_held[4] && met.is_driven[4] && !met.is_held[2]);
    CD_CHECK(met.is_joined[0] && !met.is_joined[1] && !met.is_joined[2] && met.is_joined[3]);
    // Those that the group has of itself tie its bodies as well.
    s.group[2] = 1;
    met = cd_step_met_of_trial(&arena, &s.bodies, joins);
    CD_CHECK(has_roots(&met, (int32_t[]){4, 4, 4, 4, 4, FLOOR, DRIVEN}) && met.is_joined[1]);
}

CD_TEST(the_next_frame_has_the_same_groups)
{
    scene s;
    make(&s);
    s.group[0] = s.group[4] = 5;
    const bool joins[CONTACTS] = {false, true, true, false};
    const cd_step_met met = cd_step_met_of_trial(&arena, &s.bodies, joins);
    const int32_t *group = cd_step_met_groups(&arena, &s.bodies, &met);
    const int32_t *held = cd_step_met_holds(&arena, &s.in, &met);
    // Numbers in the order of user ids: 4 comes before 3.
    const int32_t wanted[BODIES] = {0, CD_ABSENT, 1, 1, 0, CD_ABSENT, CD_ABSENT};
    for (int i = 0; i < BODIES; i++)
        CD_CHECK(group[i] == wanted[i] && held[i] == (wanted[i] == 0 ? CD_HELD_FIXED : CD_ABSENT));
    memcpy(s.group, group, sizeof s.group);
    memcpy(s.held, held, sizeof s.held);
    const bool none[CONTACTS] = {false};
    const cd_step_met again = cd_step_met_of_trial(&arena, &s.bodies, none);
    CD_CHECK(has_roots(&again, met.islands.root) && again.is_held[4] && !again.is_driven[4] && !again.is_held[3]);
}

CD_TEST(bodies_that_met_nothing_have_no_group)
{
    scene s;
    make(&s);
    const bool none[CONTACTS] = {false};
    const cd_step_met met = cd_step_met_of_trial(&arena, &s.bodies, none);
    CD_CHECK(!cd_step_met_groups(&arena, &s.bodies, &met) && !cd_step_met_holds(&arena, &s.in, &met));
}

int main(void)
{
    CD_RUN(bodies_of_a_group_are_together_without_a_contact);
    CD_RUN(contacts_join_groups);
    CD_RUN(the_next_frame_has_the_same_groups);
    CD_RUN(bodies_that_met_nothing_have_no_group);
    cd_arena_release(&arena);
    return cd_test_done();
}
