// What holds between bodies of two materials: either order, what is not said, what is refused.
// SPDX-License-Identifier: MIT
#include "cd_interactions.h"
#include "cd_test.h"

// Materials 10, 20, 30 and a body of each, and one of none; 20-10 and 30-30 have an interaction.
typedef struct small_model {
    int64_t material_id[3];
    int32_t a[2], b[2], law[2], material[4];
    double mu[2], restitution[2], rolling[2], spinning[2];
    cd_model in;
} small_model;

static void make(small_model *m)
{
    *m = (small_model){.material_id = {10, 20, 30},
                       .a = {1, 2},
                       .b = {0, 2},
                       .law = {CD_RESTITUTION_POISSON, CD_ABSENT},
                       .material = {0, 1, 2, -1},
                       .mu = {NAN, 0.7},
                       .restitution = {0.5, NAN},
                       .rolling = {0.002, NAN},
                       .spinning = {NAN, 0.001}};
    m->in.dim = 3;
    m->in.material = (cd_material_rows){.count = 3, .id = m->material_id};
    m->in.interaction = (cd_interaction_rows){.count = 2,
                                              .a = m->a,
                                              .b = m->b,
                                              .mu = m->mu,
                                              .restitution = m->restitution,
                                              .law = m->law,
                                              .rolling = m->rolling,
                                              .spinning = m->spinning};
    m->in.body = (cd_body_rows){.count = 4, .material = m->material};
}

CD_TEST(a_pair_has_one_law_in_either_order)
{
    cd_arena arena = {0};
    small_model m;
    make(&m);
    cd_interactions found;
    cd_diag diag;
    CD_CHECK(cd_interactions_make(&arena, &m.in, &found, &diag) == CD_OK && found.has_restitution);
    CD_CHECK(found.has_rolling);
    for (int order = 0; order < 2; order++) {
        cd_contact_law law = cd_contact_law_of(&found, &m.in, order, 1 - order);
        CD_CHECK(isnan(law.mu) && law.restitution == 0.5 && law.restitution_law == CD_RESTITUTION_POISSON);
        CD_CHECK(law.rolling == 0.002 && law.spinning == 0);
    }
    cd_contact_law same = cd_contact_law_of(&found, &m.in, 2, 2);
    CD_CHECK(same.rolling == 0 && same.spinning == 0.001);
    CD_CHECK(same.mu == 0.7 && same.restitution == 0 && same.restitution_law == CD_RESTITUTION_NEWTON);
    static const int32_t silent[][2] = {{0, 0}, {0, 2}, {2, 1}, {3, 0}, {1, 3}, {3, 3}};
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        cd_contact_law law = cd_contact_law_of(&found, &m.in, silent[i][0], silent[i][1]);
        CD_CHECK(isnan(law.mu) && law.restitution == 0 && law.restitution_law == CD_RESTITUTION_NEWTON);
        CD_CHECK(law.rolling == 0 && law.spinning == 0);
    }
    m.rolling[0] = m.spinning[1] = 0;
    CD_CHECK(cd_interactions_make(&arena, &m.in, &found, &diag) == CD_OK && !found.has_rolling);
    cd_arena_release(&arena);
}

CD_TEST(friction_without_a_law_is_the_mean_of_the_bodies)
{
    cd_arena arena = {0};
    small_model m;
    make(&m);
    cd_interactions found;
    cd_diag diag;
    double mu[4] = {0.9, 0.4, 0.3, 0.3};
    m.in.body.mu = mu;
    CD_CHECK(cd_interactions_make(&arena, &m.in, &found, &diag) == CD_OK);
    CD_CHECK_NEAR(cd_contact_mu(&found, &m.in, 0, 1), 0.6, 1e-15);  // the law says no mu
    CD_CHECK(cd_contact_mu(&found, &m.in, 2, 2) == 0.7 && cd_contact_mu(&found, &m.in, 2, 3) == 0.3);
    cd_arena_release(&arena);
}

CD_TEST(what_makes_no_sense_is_told)
{
    cd_arena arena = {0};
    small_model m;
    cd_interactions found;
    cd_diag diag = {0};
    make(&m);
    m.restitution[0] = 1.5;
    CD_CHECK(cd_interactions_make(&arena, &m.in, &found, &diag) == CD_ERR_FORMAT);
    CD_CHECK(strstr(diag.text, "interaction 20-10: restitution: 1.5") != NULL);
    diag = (cd_diag){0};
    make(&m);
    m.in.dim = 2;
    CD_CHECK(cd_interactions_make(&arena, &m.in, &found, &diag) == CD_ERR_FORMAT);
    CD_CHECK(strstr(diag.text, "interaction 30-30: spinning: ") != NULL);
    diag = (cd_diag){0};
    make(&m);
    m.a[1] = 0, m.b[1] = 1;
    CD_CHECK(cd_interactions_make(&arena, &m.in, &found, &diag) == CD_ERR_FORMAT);
    CD_CHECK(strstr(diag.text, "interaction 10-20: b: ") != NULL);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(a_pair_has_one_law_in_either_order);
    CD_RUN(friction_without_a_law_is_the_mean_of_the_bodies);
    CD_RUN(what_makes_no_sense_is_told);
    return cd_test_done();
}
