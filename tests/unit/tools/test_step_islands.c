// What contacts tie together, and how states of bodies become those of islands.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "step_islands.h"

static cd_arena arena;

enum { BODIES = 7, FLOOR = 6 };

// Bodies 0 to 5 are dynamic and lie on body 6; contacts 0-1, 2-3 (left out: it is outside), 0-6, 4-6; what 3 gave to 4
// in the round before has no contact any more.
typedef struct scene {
    double time;
    int64_t id[BODIES];
    double mass[BODIES];
    int32_t motion[BODIES], a[8], b[8], status[4], impulse_a[2], impulse_b[2], trial_body[BODIES], state[BODIES];
} scene;

static cd_model model_of(scene *s)
{
    *s = (scene){.id = {70, 60, 50, 40, 30, 20, 10},
                 .mass = {1, 1, 1, 1, 1, 1, 1},
                 .motion = {[FLOOR] = CD_MOTION_FIXED},
                 .a = {0, 0, 2, 0, 0, 0, 4, 0},
                 .b = {1, 0, 3, 0, FLOOR, 0, FLOOR, 0},
                 .status = {CD_STATUS_CANDIDATE, CD_STATUS_OUTSIDE, CD_STATUS_TOUCHING, CD_STATUS_TOUCHING},
                 .impulse_a = {3, 0},
                 .impulse_b = {4, 0}};
    cd_model in = {.dim = 2};
    in.frame = (cd_frame_rows){.count = 1, .time = &s->time};
    in.body = (cd_body_rows){.count = BODIES, .id = s->id, .mass = s->mass, .motion = s->motion};
    in.contact = (cd_contact_rows){.count = 4, .a = s->a, .b = s->b, .status = s->status};
    in.impulse = (cd_impulse_rows){.count = 1, .a = s->impulse_a, .b = s->impulse_b};
    for (int32_t i = 0; i < BODIES; i++) {
        s->trial_body[i] = i;
        s->state[i] = CD_ABSENT;
    }
    in.trial = (cd_trial_rows){.count = BODIES, .body = s->trial_body, .state = s->state};
    return in;
}

static cd_step_islands islands_of(const cd_model *in)
{
    return cd_step_islands_make(&arena, in, cd_body_trial_rows(&arena, in));
}

CD_TEST(islands_are_what_contacts_and_carried_impulses_connect)
{
    scene s;
    cd_model in = model_of(&s);
    cd_step_islands islands = islands_of(&in);
    // By the least user id, which the later rows have; the floor connects nothing.
    const int32_t wanted[BODIES] = {1, 1, 2, 4, 4, 5, FLOOR};
    for (int i = 0; i < BODIES; i++)
        CD_CHECK(islands.root[i] == wanted[i] && cd_step_island_state(&islands, i) == CD_ABSENT);
}

// Of the contact that is taken, and of what 3 gave to 4 where the round adds to it: an impact, a polish round, or one
// that holds both out. One that aims at free motion replaces it.
CD_TEST(what_a_round_replaces_joins_nobody)
{
    scene s;
    cd_model in = model_of(&s);
    const bool is_taken[4] = {false, true, false, false};
    int32_t target = CD_TARGET_FREE, impact = CD_IMPACT_SWEEP;
    in.frame.target = &target;
    for (int way = 0; way < 4; way++) {
        target = way == 1 ? CD_TARGET_TRIAL : CD_TARGET_FREE;
        in.frame.impact = way == 2 ? &impact : NULL;
        s.state[3] = s.state[4] = way == 3 ? CD_STATE_SETTLED : CD_ABSENT;
        const cd_step_islands islands = cd_step_islands_of(&arena, &in, is_taken);
        const int32_t with[BODIES] = {0, 1, 4, 4, 4, 5, FLOOR}, without[BODIES] = {0, 1, 3, 3, 4, 5, FLOOR};
        for (int i = 0; i < BODIES; i++)
            CD_CHECK(islands.root[i] == (way > 0 ? with : without)[i]);
    }
}

CD_TEST(an_island_has_one_state)
{
    scene s;
    cd_model in = model_of(&s);
    s.state[0] = s.state[1] = s.state[2] = s.state[3] = CD_STATE_SETTLED;
    s.state[5] = CD_STATE_FAILED;
    cd_step_islands islands = islands_of(&in);
    // 3 is settled and touches 4, which is open.
    const int32_t wanted[BODIES] = {CD_STATE_SETTLED, CD_STATE_SETTLED, CD_STATE_SETTLED, CD_ABSENT,
                                    CD_ABSENT,        CD_STATE_FAILED,  CD_ABSENT};
    const int32_t *state = cd_step_islands_states(&arena, &islands);
    for (int i = 0; i < BODIES; i++)
        CD_CHECK(state[i] == wanted[i]);
    CD_CHECK(cd_step_islands_have(&islands, CD_STATE_FAILED) && cd_step_islands_have(&islands, CD_ABSENT));
    // Where a part has failed all begins again.
    s.state[1] = CD_STATE_FAILED;
    s.state[5] = CD_ABSENT;
    islands = islands_of(&in);
    CD_CHECK(cd_step_island_state(&islands, 0) == CD_STATE_FAILED);
    s.state[3] = CD_STATE_FAILED;
    CD_CHECK(cd_step_island_state(&islands, 4) == CD_ABSENT);
    islands = islands_of(&in);
    CD_CHECK(cd_step_island_state(&islands, 4) == CD_STATE_FAILED);
    // A body without a trial is open.
    in.trial.count = 0;
    islands = islands_of(&in);
    CD_CHECK(!cd_step_islands_have(&islands, CD_STATE_FAILED) && !cd_step_islands_have(&islands, CD_STATE_SETTLED));
}

int main(void)
{
    CD_RUN(islands_are_what_contacts_and_carried_impulses_connect);
    CD_RUN(what_a_round_replaces_joins_nobody);
    CD_RUN(an_island_has_one_state);
    cd_arena_release(&arena);
    return cd_test_done();
}
