// How the contact models group contacts into constraints: their words, primaries, crosses, and the rule behind
// X-constraints against exact overlap of corners.
// SPDX-License-Identifier: MIT
#include "cd_contact_model.h"
#include "cd_polygon.h"
#include "cd_random.h"
#include "cd_test.h"
#include "peg_rows.h"

#include <stdlib.h>

static cd_arena arena;
static const cd_contact_limits TAKE_ALL = {.theta = {M_PI / 2}, .phi = M_PI / 2, .delta = INFINITY};
static const cd_contact_limits USUAL = {.theta = {CD_CONTACT_THETA}, .phi = M_PI / 2, .delta = INFINITY};

static cd_peg_contact vertex_contact(cd_peg_side side, int vertex, int edge, double gap, double applicability)
{
    return (cd_peg_contact){.body = {0, 1},
                            .corners = {3, 3},
                            .side = side,
                            .vertex = vertex,
                            .face = edge,
                            .gap = gap,
                            .applicability = applicability,
                            .feasible = NAN};
}

// ---- words ---------------------------------------------------------------------------------------------------------

CD_TEST(each_word_for_a_model_has_its_rules_and_the_other_way_round)
{
    int words = 0, rules = 0, others = 0;
    for (const cd_contact_model *word = cd_contact_models; word->name; word++, words++) {
        bool has_rules = cd_peg_find_model(word->name);
        CD_CHECK(has_rules == (word->wants != CD_CONTACT_WANT_DEPTHS) && cd_contact_model_find(word->name) == word);
        others += !has_rules;
        CD_CHECK_TEXT(cd_contact_model_names[words], word->name);
    }
    for (; cd_peg_models[rules]; rules++)
        CD_CHECK(cd_contact_model_find(cd_peg_models[rules]->name));
    CD_CHECK(rules > 4 && others == 1 && words == rules + others && !cd_contact_model_names[words] &&
             !cd_contact_model_find("magic"));
    CD_CHECK(cd_contact_model_find(CD_CONTACT_MODEL_DEFAULT)->wants == CD_CONTACT_WANT_SEPARATORS);
    CD_CHECK(cd_contact_model_find("peg")->wants == CD_CONTACT_WANT_FEATURES);
}

CD_TEST(contacts_of_all_but_features_and_separators_serve_every_model)
{
    int unwanted[3] = {0};
    for (int kind = 0; kind < CD_CONTACT_KINDS; kind++)
        for (int wants = 0; wants < 3; wants++)
            unwanted[wants] += cd_contact_is_unwanted((cd_contact_kind)kind, (cd_contact_want)wants);
    CD_CHECK(unwanted[CD_CONTACT_WANT_FEATURES] == 1 && unwanted[CD_CONTACT_WANT_SEPARATORS] == 3);
    CD_CHECK(unwanted[CD_CONTACT_WANT_DEPTHS] == 4);
    CD_CHECK(cd_contact_is_unwanted(CD_CONTACT_SEPARATING, CD_CONTACT_WANT_FEATURES));
    CD_CHECK(!cd_contact_is_unwanted(CD_CONTACT_SEPARATING, CD_CONTACT_WANT_SEPARATORS));
    CD_CHECK(cd_contact_is_unwanted(CD_CONTACT_EDGE_EDGE, CD_CONTACT_WANT_SEPARATORS));
}

// ---- grouping ------------------------------------------------------------------------------------------------------

static cd_peg_constraints group(const char *model, const cd_peg_contact *contact, int32_t count,
                                const cd_contact_limits *limits)
{
    const cd_peg_model *m = cd_peg_find_model(model);
    cd_peg_rules rules = {.limits = *limits, .swap_depth = 1e-3};
    return cd_peg_group_of(m, 2)(m, contact, count, &rules, &arena);
}

static void check_constraint(const cd_peg_constraints *c, int32_t index, cd_peg_kind kind, int32_t count,
                             const int32_t *member)
{
    CD_CHECK(index < c->count && c->constraint[index].kind == kind && c->constraint[index].count == count);
    for (int32_t i = 0; index < c->count && i < count; i++)
        CD_CHECK(c->member[c->constraint[index].first + i] == member[i]);
}

CD_TEST(one_edge_is_unilateral_and_two_are_a_maximum)
{
    cd_peg_contact contact[] = {vertex_contact(CD_PEG_VERTEX_OF_A, 2, 1, 0.01, 0.5),
                                vertex_contact(CD_PEG_VERTEX_OF_A, 0, 2, -0.02, -0.5),
                                vertex_contact(CD_PEG_VERTEX_OF_A, 0, 1, 0.005, 0.3)};
    cd_peg_constraints c = group("peg", contact, 3, &USUAL);
    CD_CHECK(c.count == 2 && c.of_kind[CD_PEG_U] == 1 && c.of_kind[CD_PEG_I] == 1 && c.of_kind[CD_PEG_X] == 0);
    check_constraint(&c, 0, CD_PEG_U, 1, (int32_t[]){0});
    check_constraint(&c, 1, CD_PEG_I, 2, (int32_t[]){2, 1});  // the applicable one leads
    c = group("standard", contact, 3, &TAKE_ALL);
    CD_CHECK(c.count == 3 && c.of_kind[CD_PEG_U] == 3);
    c = group("standard", contact, 3, &USUAL);
    CD_CHECK(c.count == 2);
}

CD_TEST(a_vertex_with_no_applicable_contact_asks_nothing)
{
    cd_peg_contact contact[] = {vertex_contact(CD_PEG_VERTEX_OF_B, 0, 1, -0.01, -0.3),
                                vertex_contact(CD_PEG_VERTEX_OF_B, 0, 2, -0.01, -0.21),
                                vertex_contact(CD_PEG_VERTEX_OF_B, 1, 2, -0.01, -0.5)};
    CD_CHECK(group("peg", contact, 3, &USUAL).count == 0);
    CD_CHECK(group("peg", contact, 3, &TAKE_ALL).count == 2);
    contact[1].applicability = -0.2;  // exactly on the threshold: taken
    CD_CHECK(group("peg", contact, 3, &USUAL).of_kind[CD_PEG_I] == 1);
}

CD_TEST(feasibility_by_angle_outside_and_by_depth_inside)
{
    cd_peg_contact contact = vertex_contact(CD_PEG_VERTEX_OF_A, 0, 1, -0.003, 1);
    cd_contact_limits limits = {.theta = {CD_CONTACT_THETA}, .phi = 0.4, .delta = 0.0025};
    contact.feasible = 1.5707963267948966;
    CD_CHECK(!cd_contact_is_feasible(contact.feasible, contact.gap, &limits));
    contact.gap = -0.0024;
    CD_CHECK(cd_contact_is_feasible(contact.feasible, contact.gap, &limits));
    contact.gap = -1;
    contact.feasible = -0.39;
    CD_CHECK(cd_contact_is_feasible(contact.feasible, contact.gap, &limits));
    contact.feasible = -0.41;
    CD_CHECK(!cd_contact_is_feasible(contact.feasible, contact.gap, &limits));
    CD_CHECK(group("lnc", &contact, 1, &limits).count == 0);
    contact.feasible = NAN;
    CD_CHECK(group("lnc", &contact, 1, &limits).count == 1);
}

CD_TEST(primary_gives_way_when_it_is_deep)
{
    cd_peg_contact contact[] = {vertex_contact(CD_PEG_VERTEX_OF_A, 0, 0, -0.002, 0.5),
                                vertex_contact(CD_PEG_VERTEX_OF_A, 0, 1, 0.001, -0.5)};
    cd_peg_constraints c = group("lnc", contact, 2, &USUAL);
    check_constraint(&c, 0, CD_PEG_I, 2, (int32_t[]){1, 0});
    contact[0].gap = -0.0009;
    c = group("lnc", contact, 2, &USUAL);
    check_constraint(&c, 0, CD_PEG_I, 2, (int32_t[]){0, 1});
    contact[0].gap = -0.005;
    contact[1].gap = -0.002;  // the other is deep too: no exchange
    c = group("lnc", contact, 2, &USUAL);
    check_constraint(&c, 0, CD_PEG_I, 2, (int32_t[]){0, 1});
}

static int32_t first_primary(cd_peg_primary rule, bool has_many, const double gap[3], const double applicability[3],
                             int32_t *primaries)
{
    cd_peg_contact contact[3];
    for (int i = 0; i < 3; i++)
        contact[i] = vertex_contact(CD_PEG_VERTEX_OF_A, 0, i, gap[i], applicability[i]);
    const cd_peg_model *lnc = cd_peg_find_model("lnc");
    cd_peg_rules rules = {.limits = USUAL, .primary = rule, .swap_depth = 1e-3, .has_many = has_many};
    cd_peg_constraints c = cd_peg_group_of(lnc, 2)(lnc, contact, 3, &rules, &arena);
    CD_CHECK(c.count == 1 && c.constraint[0].count == 3);
    *primaries = c.constraint[0].primaries;
    return c.member[0];
}

CD_TEST(rules_of_primaries)
{
    int32_t primaries;
    double gap[3] = {-0.002, 0.003, 0.0005}, all[3] = {0.5, 0.5, 0.5}, not_second[3] = {0.5, -0.5, 0.5};
    CD_CHECK(first_primary(CD_PEG_FIRST, false, gap, all, &primaries) == 0 && primaries == 1);
    CD_CHECK(first_primary(CD_PEG_LARGEST, false, gap, all, &primaries) == 1);
    CD_CHECK(first_primary(CD_PEG_NEAREST, false, gap, all, &primaries) == 2);
    CD_CHECK(first_primary(CD_PEG_SWAP, false, gap, all, &primaries) == 1);
    CD_CHECK(first_primary(CD_PEG_LARGEST, false, gap, not_second, &primaries) == 2);
    CD_CHECK(first_primary(CD_PEG_SWAP, false, gap, not_second, &primaries) == 1);
    CD_CHECK(first_primary(CD_PEG_FIRST, true, gap, not_second, &primaries) == 0 && primaries == 2);
    CD_CHECK(first_primary(CD_PEG_SWAP, true, gap, not_second, &primaries) == 1 && primaries == 3);
    CD_CHECK(first_primary(CD_PEG_NEAREST, true, gap, all, &primaries) == 2 && primaries == 3);
}

CD_TEST(featureless_contacts_are_unilateral_in_every_model)
{
    cd_peg_contact contact[2] = {
        {.body = {0, 1}, .side = CD_PEG_NO_VERTEX, .vertex = -1, .face = -1, .applicability = NAN, .feasible = NAN}};
    contact[1] = contact[0];
    for (const cd_peg_model *const *model = cd_peg_models; *model; model++) {
        cd_peg_constraints c = group((*model)->name, contact, 2, &USUAL);
        CD_CHECK(c.count == 2 && c.of_kind[CD_PEG_U] == 2 && c.member[0] == 0 && c.member[1] == 1);
    }
}

CD_TEST(traps_count_contacts_whose_constraint_is_already_met)
{
    cd_peg_contact contact[] = {
        vertex_contact(CD_PEG_VERTEX_OF_A, 0, 0, 0.01, 1), vertex_contact(CD_PEG_VERTEX_OF_A, 0, 1, -0.02, 1),
        vertex_contact(CD_PEG_VERTEX_OF_A, 1, 0, -0.01, 1), vertex_contact(CD_PEG_VERTEX_OF_A, 1, 1, -0.02, 1),
        vertex_contact(CD_PEG_VERTEX_OF_A, 2, 1, -0.02, 1)};
    cd_peg_constraints c = group("peg", contact, 5, &USUAL);
    CD_CHECK(c.of_kind[CD_PEG_I] == 2 && cd_peg_count_traps(&c, contact, 5, 1e-6, &arena) == 1);
    contact[1].gap = -1e-7;  // resting, within the tolerance
    CD_CHECK(cd_peg_count_traps(&c, contact, 5, 1e-6, &arena) == 0);
}

// Two corners far from their other vertices: the models' conjunction holds exactly when the corners do not overlap.
typedef struct corner_pair {
    cd_vec2 a[3], b[3];  // triangles, counter-clockwise, apex at index 0
} corner_pair;

enum { PAIRS = 20000 };

static corner_pair random_corners(cd_random *random)
{
    corner_pair pair;
    double wa = cd_random_between(random, 0.2, 0.9), wb = cd_random_between(random, 0.2, 0.9),
           ta = cd_random_between(random, -0.6, 0.6);
    double tb = cd_random_between(random, -0.6, 0.6);
    cd_vec2 shift = {cd_random_between(random, -0.05, 0.05), cd_random_between(random, -0.05, 0.05)};
    pair.a[0] = shift;  // opens upwards
    pair.a[1] = cd_add2(shift, (cd_vec2){sin(wa + ta), cos(wa + ta)});
    pair.a[2] = cd_add2(shift, (cd_vec2){-sin(wa - ta), cos(wa - ta)});
    pair.b[0] = (cd_vec2){0, 0};  // opens downwards
    pair.b[1] = (cd_vec2){-sin(wb + tb), -cos(wb + tb)};
    pair.b[2] = (cd_vec2){sin(wb - tb), -cos(wb - tb)};
    return pair;
}

// (29) of the apex of `triangle` over an edge of `owner`.
static double applicability_of(const cd_vec2 *triangle, const cd_vec2 *owner, int edge)
{
    cd_vec2 eta = cd_unit2(cd_right2(cd_sub2(owner[(edge + 1) % 3], owner[edge])));
    return fmin(cd_dot2(eta, cd_unit2(cd_sub2(triangle[1], triangle[0]))),
                cd_dot2(eta, cd_unit2(cd_sub2(triangle[2], triangle[0]))));
}

static double gap_of(const cd_vec2 *vertex, const cd_vec2 *owner, int edge)
{
    cd_vec2 e = cd_sub2(owner[(edge + 1) % 3], owner[edge]);
    return cd_dot2(cd_unit2(cd_right2(e)), cd_sub2(*vertex, owner[edge]));
}

// The largest gap of each constraint is at least 0.
static bool is_satisfied(const cd_peg_constraints *c, const cd_peg_contact *contact)
{
    bool holds = true;
    for (int32_t i = 0; i < c->count; i++) {
        double largest = -INFINITY;
        for (int32_t k = 0; k < c->constraint[i].count; k++)
            largest = fmax(largest, contact[c->member[c->constraint[i].first + k]].gap);
        holds = holds && largest >= 0;
    }
    return holds;
}

// Models with X say of two corners what is so (PEG is its conjunctive form). Those with I alone forbid nothing that is
// free, and let some overlaps pass; those that demand every gap let none pass, and forbid much that is free.
CD_TEST(every_model_says_of_two_corners_what_its_kind_can)
{
    for (const cd_peg_model *const *model = cd_peg_models; *model; model++) {
        const bool joins = (*model)->joins_vertices, crosses = (*model)->crossing != CD_PEG_NO_CROSSING;
        cd_random random = {2016};
        int overlapping = 0, traps = 0, misses = 0;
        for (int trial = 0; trial < PAIRS; trial++) {
            corner_pair pair = random_corners(&random);
            cd_peg_contact contact[4];
            for (int k = 0; k < 2; k++) {  // edge 2 ends at the apex, edge 0 leaves it
                int edge = k ? 0 : 2;
                contact[k] = vertex_contact(CD_PEG_VERTEX_OF_A, 0, edge, gap_of(pair.a, pair.b, edge),
                                            applicability_of(pair.a, pair.b, edge));
                contact[2 + k] = vertex_contact(CD_PEG_VERTEX_OF_B, 0, edge, gap_of(pair.b, pair.a, edge),
                                                applicability_of(pair.b, pair.a, edge));
            }
            bool is_apart = cd_polygon_disjoint((cd_polygon){3, pair.a}, (cd_polygon){3, pair.b});
            cd_peg_constraints c = group((*model)->name, contact, 4, (*model)->is_filtered ? &USUAL : &TAKE_ALL);
            bool holds = is_satisfied(&c, contact);
            traps += is_apart && !holds;
            misses += !is_apart && holds;
            overlapping += !is_apart;
            cd_arena_reset(&arena);
        }
        CD_CHECK(overlapping > PAIRS / 5 && overlapping < PAIRS / 2);
        CD_CHECK(joins ? traps == 0 : traps > 10);
        CD_CHECK(crosses || !joins ? misses == 0 : misses > 10);
    }
}

CD_TEST(crosses_need_both_members_applicable_and_all_four_contacts)
{
    cd_peg_contact contact[] = {
        vertex_contact(CD_PEG_VERTEX_OF_A, 0, 2, 0.01, 0.5), vertex_contact(CD_PEG_VERTEX_OF_A, 0, 0, 0.02, 0.5),
        vertex_contact(CD_PEG_VERTEX_OF_B, 0, 2, 0.03, 0.5), vertex_contact(CD_PEG_VERTEX_OF_B, 0, 0, 0.04, 0.5)};
    cd_peg_constraints c = group("peg", contact, 4, &USUAL);
    CD_CHECK(c.count == 4 && c.of_kind[CD_PEG_X] == 2);
    check_constraint(&c, 2, CD_PEG_X, 2, (int32_t[]){0, 3});
    check_constraint(&c, 3, CD_PEG_X, 2, (int32_t[]){1, 2});
    contact[2].applicability = -0.3;
    c = group("peg", contact, 4, &USUAL);
    CD_CHECK(c.of_kind[CD_PEG_X] == 1);
    check_constraint(&c, 2, CD_PEG_X, 2, (int32_t[]){0, 3});
    CD_CHECK(group("peg", contact, 3, &USUAL).of_kind[CD_PEG_X] == 0);
    CD_CHECK(group("lnc", contact, 4, &USUAL).of_kind[CD_PEG_X] == 0);
}

CD_TEST(order_of_contacts_does_not_matter)
{
    enum { ALL = 40, TAKEN = 36 };
    cd_random random = {5};
    cd_peg_contact contact[ALL], shuffled[TAKEN];
    int32_t place[ALL], n = 0;
    for (int i = 0; i < ALL; i++) {
        contact[i] = vertex_contact((cd_peg_side)(i / 3 % 2), i % 3, i / 6 % 3, cd_random_between(&random, -0.01, 0.01),
                                    cd_random_between(&random, -1, 1));
        contact[i].body[1] = 1 + i / 18;
        place[i] = i;
    }
    for (int i = ALL - 1; i > 0; i--) {
        int j = (int)(cd_random_unit(&random) * (i + 1));
        int32_t t = place[i];
        place[i] = place[j];
        place[j] = t;
    }
    for (int i = 0; i < ALL; i++)
        if (place[i] < TAKEN) {
            shuffled[n] = contact[place[i]];
            place[n++] = place[i];
        }
    for (const cd_peg_model *const *model = cd_peg_models; *model; model++) {
        cd_peg_constraints straight = group((*model)->name, contact, TAKEN, &TAKE_ALL);
        cd_peg_constraints mixed = group((*model)->name, shuffled, n, &TAKE_ALL);
        CD_CHECK(mixed.count == straight.count && straight.count > 0);
        CD_CHECK((straight.of_kind[CD_PEG_I] > 0) == (*model)->joins_vertices);
        CD_CHECK((straight.of_kind[CD_PEG_X] > 0) == ((*model)->crossing != CD_PEG_NO_CROSSING));
        for (int32_t i = 0; i < straight.count; i++) {
            CD_CHECK(mixed.constraint[i].kind == straight.constraint[i].kind &&
                     mixed.constraint[i].count == straight.constraint[i].count);
            for (int32_t k = 0; k < straight.constraint[i].count; k++)
                CD_CHECK(place[mixed.member[mixed.constraint[i].first + k]] ==
                         straight.member[straight.constraint[i].first + k]);
        }
        cd_arena_reset(&arena);
    }
}

int main(void)
{
    CD_RUN(each_word_for_a_model_has_its_rules_and_the_other_way_round);
    CD_RUN(contacts_of_all_but_features_and_separators_serve_every_model);
    CD_RUN(one_edge_is_unilateral_and_two_are_a_maximum);
    CD_RUN(a_vertex_with_no_applicable_contact_asks_nothing);
    CD_RUN(feasibility_by_angle_outside_and_by_depth_inside);
    CD_RUN(primary_gives_way_when_it_is_deep);
    CD_RUN(rules_of_primaries);
    CD_RUN(featureless_contacts_are_unilateral_in_every_model);
    CD_RUN(traps_count_contacts_whose_constraint_is_already_met);
    CD_RUN(every_model_says_of_two_corners_what_its_kind_can);
    CD_RUN(crosses_need_both_members_applicable_and_all_four_contacts);
    CD_RUN(order_of_contacts_does_not_matter);
    cd_arena_release(&arena);
    return cd_test_done();
}
