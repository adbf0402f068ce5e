// The rows of the contact models against (48) written out, the running maximum by enumeration of the complementarity
// problem, the rule behind X-constraints against exact overlap of corners, and gradients against differences of the
// gap.
// SPDX-License-Identifier: MIT
#include "cd_polygon.h"
#include "cd_random.h"
#include "cd_test.h"
#include "peg_frame2.h"
#include "peg_rows.h"

#include <stdlib.h>

static cd_arena arena;
static const cd_peg_limits TAKE_ALL = {.theta = {1.5707963267948966}, .phi = 1.5707963267948966, .delta = INFINITY};
static const cd_peg_limits USUAL = {.theta = {CD_PEG_THETA}, .phi = 1.5707963267948966, .delta = INFINITY};

static cd_peg_contact vertex_contact(cd_peg_side side, int vertex, int edge, double gap, double applicability)
{
    return (cd_peg_contact){.body = {0, 1},
                            .corners = {3, 3},
                            .side = side,
                            .vertex = vertex,
                            .facet = edge,
                            .gap = gap,
                            .applicability = applicability,
                            .feasible = NAN};
}

// ---- grouping ------------------------------------------------------------------------------------------------------

static cd_peg_constraints group(const char *model, const cd_peg_contact *contact, int32_t count,
                                const cd_peg_limits *limits)
{
    const cd_peg_model *m = cd_peg_find_model(model);
    cd_peg_rules rules = {.limits = *limits};
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
    cd_peg_limits limits = {.theta = {CD_PEG_THETA}, .phi = 0.4, .delta = 0.0025};
    contact.feasible = 1.5707963267948966;
    CD_CHECK(!cd_peg_is_feasible(&contact, &limits));
    contact.gap = -0.0024;
    CD_CHECK(cd_peg_is_feasible(&contact, &limits));
    contact.gap = -1;
    contact.feasible = -0.39;
    CD_CHECK(cd_peg_is_feasible(&contact, &limits));
    contact.feasible = -0.41;
    CD_CHECK(!cd_peg_is_feasible(&contact, &limits));
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

CD_TEST(featureless_contacts_are_unilateral_in_every_model)
{
    cd_peg_contact contact[2] = {
        {.body = {0, 1}, .side = CD_PEG_NO_VERTEX, .vertex = -1, .facet = -1, .applicability = NAN, .feasible = NAN}};
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

CD_TEST(peg_is_the_conjunctive_form_of_two_corners_apart)
{
    cd_random random = {2016};
    int overlapping = 0, lnc_wrong = 0, peg_wrong = 0;
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
        bool apart = cd_polygon_disjoint((cd_polygon){3, pair.a}, (cd_polygon){3, pair.b}), holds[2];
        for (int m = 0; m < 2; m++) {
            cd_peg_constraints c = group(m ? "peg" : "lnc", contact, 4, &USUAL);
            holds[m] = true;
            for (int32_t i = 0; i < c.count; i++) {
                const int32_t *member = c.member + c.constraint[i].first;
                holds[m] = holds[m] && fmax(contact[member[0]].gap, contact[member[1]].gap) >= 0;
            }
        }
        peg_wrong += holds[1] != apart;
        lnc_wrong += holds[0] != apart;
        overlapping += !apart;
        cd_arena_reset(&arena);
    }
    CD_CHECK(peg_wrong == 0);
    CD_CHECK(overlapping > PAIRS / 5 && overlapping < PAIRS / 2);
    CD_CHECK(lnc_wrong > 10);  // without X some overlaps go unseen: the test would notice an X that does nothing
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
    cd_random random = {5};
    cd_peg_contact contact[40], shuffled[40];
    int32_t place[40];
    for (int i = 0; i < 40; i++) {
        contact[i] = vertex_contact((cd_peg_side)(i / 3 % 2), i % 3, i / 6 % 3, cd_random_between(&random, -0.01, 0.01),
                                    cd_random_between(&random, -1, 1));
        contact[i].body[1] = 1 + i / 18;
        place[i] = i;
    }
    for (int i = 39; i > 0; i--) {
        int j = (int)(cd_random_unit(&random) * (i + 1));
        int32_t t = place[i];
        place[i] = place[j];
        place[j] = t;
    }
    for (int i = 0; i < 40; i++)
        shuffled[i] = contact[place[i]];
    cd_peg_constraints straight = group("peg", contact, 36, &TAKE_ALL), mixed;
    int32_t n = 0;
    for (int i = 0; i < 40; i++)
        if (place[i] < 36) {
            shuffled[n] = contact[place[i]];
            place[n++] = place[i];
        }
    mixed = group("peg", shuffled, n, &TAKE_ALL);
    CD_CHECK(mixed.count == straight.count && straight.of_kind[CD_PEG_X] > 0);
    for (int32_t i = 0; i < straight.count; i++) {
        CD_CHECK(mixed.constraint[i].kind == straight.constraint[i].kind &&
                 mixed.constraint[i].count == straight.constraint[i].count);
        for (int32_t k = 0; k < straight.constraint[i].count; k++)
            CD_CHECK(place[mixed.member[mixed.constraint[i].first + k]] ==
                     straight.member[straight.constraint[i].first + k]);
    }
}

// ---- rows ----------------------------------------------------------------------------------------------------------

enum { MAX_ROWS = 12 };

static void dense(const cd_peg_problem *p, double m[MAX_ROWS][MAX_ROWS])
{
    memset(m, 0, sizeof(double[MAX_ROWS][MAX_ROWS]));
    for (int32_t i = 0; i < p->entry_count; i++) {
        m[p->entry_row[i]][p->entry_col[i]] += p->value[i];
        if (i)  // sorted, no place twice
            CD_CHECK(p->entry_row[i] > p->entry_row[i - 1] ||
                     (p->entry_row[i] == p->entry_row[i - 1] && p->entry_col[i] > p->entry_col[i - 1]));
    }
}

static cd_peg_problem assembled(const cd_peg_bodies *bodies, const cd_peg_gradient *gradient,
                                const cd_peg_constraints *constraints, bool stabilize)
{
    cd_peg_problem problem;
    cd_diag diag;
    CD_CHECK(cd_peg_assemble(bodies, gradient, constraints, NULL, stabilize, &arena, &problem, &diag) == CD_OK);
    return problem;
}

static const double MASS[9] = {2, 0, 0, 0, 2, 0, 0, 0, 0.5};

// One vertex of a dynamic body near two edges of a fixed one.
static cd_peg_problem corner_problem(const cd_peg_gradient gradient[2], const double momentum[3], bool stabilize)
{
    static const cd_peg_constraint constraint = {CD_PEG_I, 0, 2, 1};
    static const int32_t member[2] = {0, 1};
    cd_peg_constraints constraints = {1, &constraint, member, {0, 1, 0}};
    cd_peg_bodies bodies = {3, 1, MASS, momentum};
    return assembled(&bodies, gradient, &constraints, stabilize);
}

CD_TEST(rows_of_one_vertex_and_two_edges_are_those_of_48)
{
    cd_peg_gradient g[2] = {{{0, -1}, {{0.6, 0.8, -0.3}}, 0.7}, {{0, -1}, {{-0.8, 0.6, 0.2}}, -0.4}};
    double momentum[3] = {1, 2, 3}, m[MAX_ROWS][MAX_ROWS];
    cd_peg_problem p = corner_problem(g, momentum, true);
    CD_CHECK(p.row_count == 5 && p.velocity_count == 3 && p.impulse_count == 1);
    dense(&p, m);
    const double *g1 = g[0].column[0], *g2 = g[1].column[0];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            CD_CHECK(m[i][j] == -MASS[3 * i + j]);
        CD_CHECK(m[i][3] == g1[i] && m[3][i] == g1[i] && m[i][4] == 0 && m[4][i] == g1[i] - g2[i]);
        CD_CHECK(p.row[i].role == CD_PEG_VELOCITY && p.row[i].block == 0 && p.row[i].axis == i &&
                 p.row[i].rhs == momentum[i]);
    }
    CD_CHECK(m[3][3] == 0 && m[3][4] == 1 && m[4][3] == 0 && m[4][4] == 1);
    CD_CHECK(p.row[3].role == CD_PEG_IMPULSE && p.row[3].contact == 0 && p.row[3].rhs == 0.7 &&
             p.row[3].constraint == 0);
    CD_CHECK(p.row[4].role == CD_PEG_SLACK && p.row[4].contact == 1 && p.row[4].rhs == 0.7 - -0.4);
}

CD_TEST(without_stabilisation_a_violated_maximum_is_raised_to_zero)
{
    cd_peg_gradient g[2] = {{{0, -1}, {{0, 1, 0}}, -0.7}, {{0, -1}, {{1, 0, 0}}, -0.4}};
    double momentum[3] = {0};
    CD_CHECK_NEAR(corner_problem(g, momentum, false).row[3].rhs, -0.3,
                  1e-15);  // the slack row is a difference: unchanged
    CD_CHECK_NEAR(corner_problem(g, momentum, false).row[4].rhs, -0.3, 1e-15);
    g[1].psi = 0.1;
    CD_CHECK_NEAR(corner_problem(g, momentum, false).row[3].rhs, -0.7, 1e-15);
}

// The pure problem in z = [p; c] by eliminating the velocities: nu = M^-1 (momentum + G p).
static void eliminate(const cd_peg_problem *p, double w[MAX_ROWS][MAX_ROWS], double q[MAX_ROWS])
{
    double m[MAX_ROWS][MAX_ROWS];
    int32_t v = p->velocity_count, n = p->row_count - v;
    dense(p, m);
    for (int i = 0; i < n; i++) {
        q[i] = p->row[v + i].rhs;
        for (int k = 0; k < v; k++)
            q[i] += m[v + i][k] * p->row[k].rhs / MASS[4 * (k % 3)];
        for (int j = 0; j < n; j++) {
            w[i][j] = m[v + i][v + j];
            for (int k = 0; k < v; k++)
                w[i][j] += m[v + i][k] * m[k][v + j] / MASS[4 * (k % 3)];
        }
    }
}

CD_TEST(eliminating_the_velocities_gives_the_smallest_case)
{
    cd_peg_gradient g[2] = {{{0, -1}, {{0.6, 0.8, -0.3}}, 0.7}, {{0, -1}, {{-0.8, 0.6, 0.2}}, -0.4}};
    double momentum[3] = {1, 2, 3}, w[MAX_ROWS][MAX_ROWS], q[MAX_ROWS], a11 = 0, a21 = 0;
    cd_peg_problem p = corner_problem(g, momentum, true);
    eliminate(&p, w, q);
    for (int k = 0; k < 3; k++) {
        a11 += g[0].column[0][k] * g[0].column[0][k] / MASS[4 * k];
        a21 += g[1].column[0][k] * g[0].column[0][k] / MASS[4 * k];
    }
    CD_CHECK_NEAR(w[0][0], a11, 1e-15);
    CD_CHECK(w[0][1] == 1 && w[1][1] == 1);
    CD_CHECK_NEAR(w[1][0], a11 - a21, 1e-15);
    CD_CHECK_NEAR(w[0][0] * w[1][1] - w[0][1] * w[1][0], a21, 1e-15);
}

// All solutions of 0 <= W z + q _|_ z >= 0 by trying every set of positive z (n <= 4, Cramer by elimination).
static int enumerate(int n, double w[MAX_ROWS][MAX_ROWS], const double q[MAX_ROWS], double solution[16][4])
{
    int found = 0;
    for (int set = 0; set < 1 << n; set++) {
        int index[4], k = 0;
        double a[4][5], z[4] = {0}, least = 0;
        for (int i = 0; i < n; i++)
            if (set >> i & 1)
                index[k++] = i;
        bool singular = false;
        for (int i = 0; i < k; i++) {
            for (int j = 0; j < k; j++)
                a[i][j] = w[index[i]][index[j]];
            a[i][k] = -q[index[i]];
        }
        for (int c = 0; c < k && !singular; c++) {
            int best = c;
            for (int i = c; i < k; i++)
                best = fabs(a[i][c]) > fabs(a[best][c]) ? i : best;
            singular = fabs(a[best][c]) < 1e-12;
            for (int j = 0; j <= k && !singular; j++) {
                double t = a[best][j];
                a[best][j] = a[c][j];
                a[c][j] = t;
            }
            for (int i = 0; i < k && !singular; i++)
                for (int j = k; j >= c && i != c; j--)
                    a[i][j] -= a[i][c] / a[c][c] * a[c][j];
        }
        if (singular)
            continue;
        for (int i = 0; i < k; i++)
            z[index[i]] = a[i][k] / a[i][i];
        for (int i = 0; i < n; i++) {
            double wi = q[i];
            for (int j = 0; j < n; j++)
                wi += w[i][j] * z[j];
            least = fmin(least, fmin(z[i], set >> i & 1 ? 0 : wi));
        }
        if (least >= -1e-12)
            memcpy(solution[found++], z, sizeof z);
    }
    return found;
}

// (24): at every solution the largest end-of-step gap is >= 0 and the impulse acts only where it is 0.
CD_TEST(solutions_keep_the_largest_gap_above_zero_and_complementary)
{
    cd_random random = {24};
    int active = 0, several = 0, none = 0;
    for (int trial = 0; trial < 2000; trial++) {
        int members = 2 + trial % 3;
        cd_peg_gradient g[4];
        cd_peg_constraint constraint = {CD_PEG_I, 0, members, 1};
        int32_t member[4] = {0, 1, 2, 3};
        cd_peg_constraints constraints = {1, &constraint, member, {0, 1, 0}};
        double momentum[3], w[MAX_ROWS][MAX_ROWS], q[MAX_ROWS], z[16][4];
        for (int k = 0; k < 3; k++)
            momentum[k] = cd_random_between(&random, -2, 2) * MASS[4 * k];
        for (int i = 0; i < members; i++) {
            double angle = cd_random_between(&random, 0, 6.2831853);
            g[i] = (cd_peg_gradient){{0, -1},
                                     {{cos(angle), sin(angle), cd_random_between(&random, -0.3, 0.3)}},
                                     cd_random_between(&random, -1, 1)};
        }
        cd_peg_bodies bodies = {3, 1, MASS, momentum};
        cd_peg_problem p = assembled(&bodies, g, &constraints, true);
        eliminate(&p, w, q);
        int found = enumerate(members, w, q, z);
        none += found == 0;
        several += found > 1;
        for (int s = 0; s < found; s++) {
            double largest = -INFINITY;
            for (int i = 0; i < members; i++) {
                double rate = g[i].psi;
                for (int k = 0; k < 3; k++)
                    rate += g[i].column[0][k] * (momentum[k] + g[0].column[0][k] * z[s][0]) / MASS[4 * k];
                largest = fmax(largest, rate);
            }
            CD_CHECK(largest >= -1e-10);
            CD_CHECK(z[s][0] < 1e-12 || fabs(largest) < 1e-10);
            active += z[s][0] > 1e-9;
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(active > 100);
    CD_CHECK(several > 20);  // opposing normals: the problem is no P-matrix and may have several answers
    CD_CHECK(none < 20);
}

// Three axes or six: two free bodies with a full inertia block, U and a maximum across them.
CD_TEST(six_axes_and_two_bodies)
{
    double mass[2 * 36] = {0}, momentum[12];
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                mass[36 * b + 6 * i + j] = i == j ? 1 + b + i : i > 2 && j > 2 ? 0.1 : 0;
    for (int i = 0; i < 12; i++)
        momentum[i] = i;
    cd_peg_gradient g[3];
    for (int c = 0; c < 3; c++) {
        g[c] = (cd_peg_gradient){.block = {0, 1}, .psi = c};
        for (int k = 0; k < 6; k++) {
            g[c].column[0][k] = 1 + c + k;
            g[c].column[1][k] = -2 - c * k;
        }
    }
    cd_peg_constraint constraint[2] = {{CD_PEG_U, 0, 1, 1}, {CD_PEG_X, 1, 2, 1}};
    int32_t member[3] = {2, 0, 1};
    cd_peg_constraints constraints = {2, constraint, member, {1, 0, 1}};
    cd_peg_bodies bodies = {6, 2, mass, momentum};
    cd_peg_problem p = assembled(&bodies, g, &constraints, true);
    CD_CHECK(p.row_count == 15 && p.velocity_count == 12 && p.impulse_count == 2);
    double m[15][15] = {{0}};
    for (int32_t i = 0; i < p.entry_count; i++)
        m[p.entry_row[i]][p.entry_col[i]] += p.value[i];
    for (int i = 0; i < 12; i++) {
        for (int j = 0; j < 12; j++)
            CD_CHECK(m[i][j] == (i / 6 == j / 6 ? -mass[36 * (i / 6) + 6 * (i % 6) + j % 6] : 0));
        CD_CHECK(m[i][12] == g[2].column[i / 6][i % 6] && m[13][i] == g[0].column[i / 6][i % 6] &&
                 m[12][i] == m[i][12]);
        CD_CHECK(m[14][i] == g[0].column[i / 6][i % 6] - g[1].column[i / 6][i % 6] && m[i][14] == 0);
    }
    CD_CHECK(m[13][14] == 1 && m[14][14] == 1 && m[12][14] == 0 && p.row[14].rhs == -1 && p.row[14].contact == 1);
    cd_peg_conditioning two = cd_peg_condition(&bodies, g, &p, &arena);
    CD_CHECK(two.size == 2 && two.rank == 2 && two.condition > 1);
}

CD_TEST(condition_of_known_matrices)
{
    // Orthogonal unit normals without arm on a body of mass 2: W = diag(1/2, 1/2); a third equal to the first: rank 2.
    cd_peg_gradient g[3] = {{{0, -1}, {{1, 0, 0}}, 0}, {{0, -1}, {{0, 1, 0}}, 0}, {{0, -1}, {{1, 0, 0}}, 0}};
    cd_peg_constraint constraint[3] = {{CD_PEG_U, 0, 1, 1}, {CD_PEG_U, 1, 1, 1}, {CD_PEG_U, 2, 1, 1}};
    int32_t member[3] = {0, 1, 2};
    double momentum[3] = {0};
    cd_peg_bodies bodies = {3, 1, MASS, momentum};
    cd_peg_constraints constraints = {2, constraint, member, {2, 0, 0}};
    cd_peg_problem p = assembled(&bodies, g, &constraints, true);
    cd_peg_conditioning c = cd_peg_condition(&bodies, g, &p, &arena);
    CD_CHECK(c.rank == 2);
    CD_CHECK_NEAR(c.condition, 1, 1e-14);
    constraints.count = constraints.of_kind[0] = 3;
    p = assembled(&bodies, g, &constraints, true);
    c = cd_peg_condition(&bodies, g, &p, &arena);
    CD_CHECK(c.size == 3 && c.rank == 2);
    CD_CHECK_NEAR(c.condition, 2, 1e-14);
    constraints.count = 0;
    p = assembled(&bodies, g, &constraints, true);
    c = cd_peg_condition(&bodies, g, &p, &arena);
    CD_CHECK(c.size == 0 && c.rank == 0 && c.condition == 0);
}

// ---- from a frame --------------------------------------------------------------------------------------------------

typedef struct two_bodies {
    cd_model in;
    cd_leaves leaves;
    cd_vec2 corner[2][4];
    double state[2][3];  // x, y, angle
} two_bodies;

// A frame with two quadrilaterals and one vertex-edge contact between them, evaluated at `state`.
static void make_frame(two_bodies *t, cd_peg_side side, int vertex, int edge)
{
    cd_model *in = &t->in;
    int64_t *ids = CD_ARENA_ARRAY(&arena, int64_t, 2);
    ids[0] = 4;
    ids[1] = 9;
    in->dim = 2;
    in->head.count = 1;
    in->head.gravity = CD_ARENA_ZARRAY(&arena, double, 2);
    in->head.gravity[1] = -9.8;
    in->frame.count = 1;
    in->frame.index = CD_ARENA_ZARRAY(&arena, int64_t, 1);
    in->frame.time = CD_ARENA_ZARRAY(&arena, double, 1);
    in->frame.step = CD_ARENA_ARRAY(&arena, double, 1);
    in->frame.step[0] = 0.01;
    in->body.count = 2;
    in->body.id = ids;
    in->body.shape = CD_ARENA_ZARRAY(&arena, int32_t, 2);
    in->body.shape[1] = 1;
    in->body.position = CD_ARENA_ZARRAY(&arena, double, 4);
    in->body.rotation = CD_ARENA_ZARRAY(&arena, double, 2);
    in->body.velocity = CD_ARENA_ZARRAY(&arena, double, 4);
    in->body.spin = CD_ARENA_ZARRAY(&arena, double, 2);
    in->body.mass = CD_ARENA_ARRAY(&arena, double, 2);
    in->body.inertia = CD_ARENA_ARRAY(&arena, double, 2);
    in->body.mass[0] = in->body.mass[1] = 2;
    in->body.inertia[0] = in->body.inertia[1] = 0.5;
    in->body.motion = CD_ARENA_ZARRAY(&arena, int32_t, 2);
    int32_t *first = CD_ARENA_ARRAY(&arena, int32_t, 3);
    cd_leaf2 *leaf = CD_ARENA_ZARRAY(&arena, cd_leaf2, 2);
    for (int b = 0; b < 2; b++) {
        first[b] = b;
        leaf[b] = (cd_leaf2){.kind = CD_SHAPE_POLYGON, .polygon = {4, t->corner[b]}};
        in->body.position[2 * b] = t->state[b][0];
        in->body.position[2 * b + 1] = t->state[b][1];
        in->body.rotation[b] = t->state[b][2];
    }
    first[2] = 2;
    t->leaves = (cd_leaves){.dim = 2, .first = first, .plane = {first, leaf}};
    in->contact.count = 1;
    in->contact.id = CD_ARENA_ZARRAY(&arena, int64_t, 1);
    in->contact.a = CD_ARENA_ZARRAY(&arena, int32_t, 2);
    in->contact.b = CD_ARENA_ZARRAY(&arena, int32_t, 2);
    in->contact.b[0] = 1;
    in->contact.kind = CD_ARENA_ARRAY(&arena, int32_t, 1);
    in->contact.kind[0] = CD_CONTACT_VERTEX_EDGE;
    in->contact.features = CD_ARENA_ARRAY(&arena, int32_t, 2);
    in->contact.features[side] = cd_feature(CD_FEATURE_VERTEX, vertex);
    in->contact.features[1 - (int)side] = cd_feature(CD_FEATURE_EDGE, edge);
    in->contact.point = CD_ARENA_ZARRAY(&arena, double, 2);
    in->contact.point_a = CD_ARENA_ZARRAY(&arena, double, 2);
    in->contact.point_b = CD_ARENA_ZARRAY(&arena, double, 2);
    in->contact.normal = CD_ARENA_ZARRAY(&arena, double, 2);
    in->contact.gap = CD_ARENA_ZARRAY(&arena, double, 1);
}

// Gap of vertex `vertex` of body `side` over the line of `edge` of the other; fills the contact of the frame.
static double place_contact(two_bodies *t, cd_peg_side side, int vertex, int edge)
{
    int other = 1 - (int)side;
    cd_pose2 mine = cd_pose2_make((cd_vec2){t->state[side][0], t->state[side][1]}, t->state[side][2]);
    cd_pose2 theirs = cd_pose2_make((cd_vec2){t->state[other][0], t->state[other][1]}, t->state[other][2]);
    cd_vec2 p = cd_pose2_apply(mine, t->corner[side][vertex]), e0 = cd_pose2_apply(theirs, t->corner[other][edge]);
    cd_vec2 e1 = cd_pose2_apply(theirs, t->corner[other][(edge + 1) % 4]), eta = cd_unit2(cd_right2(cd_sub2(e1, e0)));
    double gap = cd_dot2(eta, cd_sub2(p, e0));
    cd_vec2 normal = side == CD_PEG_VERTEX_OF_A ? cd_negate2(eta) : eta, foot = cd_sub2(p, cd_scale2(gap, eta));
    double *at[2] = {t->in.contact.point_a, t->in.contact.point_b};
    at[side][0] = p.x;
    at[side][1] = p.y;
    at[other][0] = foot.x + 0.1;  // a foot clamped to a corner must not enter the rows
    at[other][1] = foot.y;
    t->in.contact.normal[0] = normal.x;
    t->in.contact.normal[1] = normal.y;
    t->in.contact.gap[0] = gap;
    return gap;
}

static cd_status frame_make(two_bodies *t, cd_peg_settings settings, cd_peg_frame *frame, cd_diag *diag)
{
    cd_peg_shapes shapes = {.leaves = t->leaves};
    settings.reach = 1;
    return cd_peg_frame_make(&arena, &t->in, &shapes, settings, frame, diag);
}

static two_bodies random_bodies(cd_random *random)
{
    two_bodies t = {.corner = {{{-0.3, -0.2}, {0.4, -0.3}, {0.35, 0.3}, {-0.2, 0.4}},
                               {{-0.5, -0.3}, {0.3, -0.4}, {0.4, 0.2}, {-0.3, 0.3}}}};
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < 3; k++)
            t.state[b][k] = cd_random_between(random, -1, 1);
    return t;
}

CD_TEST(gap_rates_are_the_differences_of_the_gap)
{
    cd_random random = {11};
    const double d = 1e-6;
    cd_diag diag;
    for (int trial = 0; trial < 50; trial++) {
        two_bodies t = random_bodies(&random);
        cd_peg_side side = (cd_peg_side)(trial % 2);
        int vertex = trial / 2 % 4, edge = trial / 8 % 4;
        cd_peg_frame frame;
        make_frame(&t, side, vertex, edge);
        double gap = place_contact(&t, side, vertex, edge);
        CD_CHECK(frame_make(&t, (cd_peg_settings){.margin = 1e-3}, &frame, &diag) == CD_OK &&
                 frame.count == 1);
        CD_CHECK(frame.contact[0].side == side && frame.contact[0].vertex == vertex && frame.contact[0].facet == edge);
        CD_CHECK_NEAR(frame.gradient[0].psi, (gap - 1e-3) / 0.01, 1e-12);
        for (int b = 0; b < 2; b++)
            for (int k = 0; k < 3; k++) {
                double start = t.state[b][k], gaps[2];
                for (int s = 0; s < 2; s++) {
                    t.state[b][k] = start + (s ? d : -d);
                    gaps[s] = place_contact(&t, side, vertex, edge);
                }
                t.state[b][k] = start;
                CD_CHECK_NEAR(frame.gradient[0].column[b][k], (gaps[1] - gaps[0]) / (2 * d), 1e-8);
            }
        cd_arena_reset(&arena);
    }
}

static void set_velocities(two_bodies *t, const double velocity[6])
{
    for (int b = 0; b < 2; b++) {
        t->in.body.velocity[2 * b] = velocity[3 * b];
        t->in.body.velocity[2 * b + 1] = velocity[3 * b + 1];
        t->in.body.spin[b] = velocity[3 * b + 2];
    }
}

CD_TEST(momentum_has_gravity_and_prescribed_bodies_move_the_gap)
{
    cd_random random = {12};
    two_bodies t = random_bodies(&random);
    cd_peg_frame frame;
    cd_diag diag;
    make_frame(&t, CD_PEG_VERTEX_OF_A, 1, 2);
    double gap = place_contact(&t, CD_PEG_VERTEX_OF_A, 1, 2), velocity[6] = {1, 2, 3, -0.5, 0.7, 4};
    set_velocities(&t, velocity);
    t.in.body.motion[1] = CD_MOTION_PRESCRIBED;
    CD_CHECK(frame_make(&t, (cd_peg_settings){0}, &frame, &diag) == CD_OK);
    CD_CHECK(frame.bodies.count == 1 && frame.gradient[0].block[0] == 0 && frame.gradient[0].block[1] == -1);
    CD_CHECK_NEAR(frame.bodies.momentum[0], 2, 1e-15);
    CD_CHECK_NEAR(frame.bodies.momentum[1], 2 * (2 - 0.098), 1e-15);
    CD_CHECK_NEAR(frame.bodies.momentum[2], 1.5, 1e-15);
    double before = t.state[1][0], after;
    const double d = 1e-7;
    for (int k = 0; k < 3; k++)
        t.state[1][k] += d * velocity[3 + k];
    after = place_contact(&t, CD_PEG_VERTEX_OF_A, 1, 2);
    CD_CHECK_NEAR(frame.gradient[0].psi, gap / 0.01 + (after - gap) / d, 1e-5);
    CD_CHECK(t.state[1][0] != before);
}

CD_TEST(curvature_is_the_second_difference_where_negative)
{
    cd_random random = {15};
    const double d = 1e-3;
    cd_diag diag;
    int negative = 0;
    for (int trial = 0; trial < 64; trial++) {
        two_bodies t = random_bodies(&random);
        cd_peg_side side = (cd_peg_side)(trial % 2);
        int vertex = trial / 2 % 4, edge = trial / 8 % 4;
        double velocity[6], gap[3], start[2][3], second;
        cd_peg_frame with, without;
        make_frame(&t, side, vertex, edge);
        for (int k = 0; k < 6; k++)
            velocity[k] = cd_random_between(&random, -2, 2);
        set_velocities(&t, velocity);
        memcpy(start, t.state, sizeof start);
        for (int s = 0; s < 3; s++) {
            for (int k = 0; k < 6; k++)
                t.state[k / 3][k % 3] = start[k / 3][k % 3] + (s - 1) * d * velocity[k];
            gap[s] = place_contact(&t, side, vertex, edge);
        }
        second = (gap[0] - 2 * gap[1] + gap[2]) / (d * d);
        memcpy(t.state, start, sizeof start);
        place_contact(&t, side, vertex, edge);
        CD_CHECK(frame_make(&t, (cd_peg_settings){.has_curvature = true}, &with, &diag) ==
                 CD_OK);
        CD_CHECK(frame_make(&t, (cd_peg_settings){0}, &without, &diag) == CD_OK);
        CD_CHECK_NEAR(with.gradient[0].psi - without.gradient[0].psi, 0.005 * fmin(second, 0), 1e-6);
        negative += second < 0;
        t.in.trial = (cd_trial_rows){.count = 1,
                                     .body = CD_ARENA_ZARRAY(&arena, int32_t, 1),
                                     .position = t.state[0],
                                     .rotation = &t.state[0][2],
                                     .velocity = velocity,
                                     .spin = &velocity[2]};
        CD_CHECK(frame_make(&t, (cd_peg_settings){.has_curvature = true}, &with, &diag) ==
                 CD_OK);
        CD_CHECK(frame_make(&t, (cd_peg_settings){0}, &without, &diag) == CD_OK);
        CD_CHECK(with.gradient[0].psi == without.gradient[0].psi);
        cd_arena_reset(&arena);
    }
    CD_CHECK(negative > 16 && negative < 48);
}

// In a trial the linearised gap at nu = nu_k is the gap at the trial pose.
CD_TEST(a_trial_is_the_point_of_linearisation)
{
    cd_random random = {13};
    two_bodies t = random_bodies(&random);
    cd_peg_frame frame;
    cd_diag diag;
    int32_t row[2] = {1, 0};
    double position[4], rotation[2], velocity[4], spin[2];
    make_frame(&t, CD_PEG_VERTEX_OF_B, 0, 3);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            double v = cd_random_between(&random, -2, 2);
            t.state[row[i]][k] += 0.01 * v;
            *(k < 2 ? &velocity[2 * i + k] : &spin[i]) = v;
            *(k < 2 ? &position[2 * i + k] : &rotation[i]) = t.state[row[i]][k];
        }
    }
    t.in.trial = (cd_trial_rows){
        .count = 2, .body = row, .position = position, .rotation = rotation, .velocity = velocity, .spin = spin};
    t.in.body.motion[0] = CD_MOTION_PRESCRIBED;  // its trial velocity is its own
    t.in.body.velocity[0] = velocity[2];
    t.in.body.velocity[1] = velocity[3];
    t.in.body.spin[0] = spin[1];
    double gap = place_contact(&t, CD_PEG_VERTEX_OF_B, 0, 3);
    CD_CHECK(frame_make(&t, (cd_peg_settings){0}, &frame, &diag) == CD_OK);
    const double *column = frame.gradient[0].column[1];
    double rate = frame.gradient[0].psi + column[0] * velocity[0] + column[1] * velocity[1] + column[2] * spin[0];
    CD_CHECK_NEAR(rate, gap / 0.01, 1e-10);
}

CD_TEST(bad_contacts_are_refused_in_one_sentence)
{
    cd_random random = {14};
    two_bodies t = random_bodies(&random);
    cd_peg_frame frame;
    cd_diag diag;
    make_frame(&t, CD_PEG_VERTEX_OF_A, 0, 0);
    place_contact(&t, CD_PEG_VERTEX_OF_A, 0, 0);
    t.in.contact.features[0] = cd_feature(CD_FEATURE_VERTEX, 4);
    CD_CHECK(frame_make(&t, (cd_peg_settings){0}, &frame, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "contact 0: features: number beyond the polygon's corners");
    t.in.contact.features[0] = cd_feature(CD_FEATURE_EDGE, 1);
    CD_CHECK(frame_make(&t, (cd_peg_settings){0}, &frame, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "contact 0: features: kind vertex-edge needs one vertex and one edge");
    t.in.contact.features[0] = cd_feature(CD_FEATURE_VERTEX, 0);
    t.in.contact.point_a[0] = NAN;
    CD_CHECK(frame_make(&t, (cd_peg_settings){0}, &frame, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "contact 0: point_a: required, the vertex");
    t.in.contact.status = CD_ARENA_ARRAY(&arena, int32_t, 1);
    t.in.contact.status[0] = CD_STATUS_DELETED;  // rejected: not looked at
    CD_CHECK(frame_make(&t, (cd_peg_settings){0}, &frame, &diag) == CD_OK &&
             frame.count == 0);
    t.in.contact.status[0] = CD_STATUS_TOUCHING;
    t.in.contact.b[0] = 0;
    CD_CHECK(frame_make(&t, (cd_peg_settings){0}, &frame, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "contact 0: b: the same body as a");
}

int main(void)
{
    CD_RUN(one_edge_is_unilateral_and_two_are_a_maximum);
    CD_RUN(a_vertex_with_no_applicable_contact_asks_nothing);
    CD_RUN(feasibility_by_angle_outside_and_by_depth_inside);
    CD_RUN(primary_gives_way_when_it_is_deep);
    CD_RUN(featureless_contacts_are_unilateral_in_every_model);
    CD_RUN(traps_count_contacts_whose_constraint_is_already_met);
    CD_RUN(peg_is_the_conjunctive_form_of_two_corners_apart);
    CD_RUN(crosses_need_both_members_applicable_and_all_four_contacts);
    CD_RUN(order_of_contacts_does_not_matter);
    CD_RUN(rows_of_one_vertex_and_two_edges_are_those_of_48);
    CD_RUN(without_stabilisation_a_violated_maximum_is_raised_to_zero);
    CD_RUN(eliminating_the_velocities_gives_the_smallest_case);
    CD_RUN(solutions_keep_the_largest_gap_above_zero_and_complementary);
    CD_RUN(six_axes_and_two_bodies);
    CD_RUN(condition_of_known_matrices);
    CD_RUN(gap_rates_are_the_differences_of_the_gap);
    CD_RUN(momentum_has_gravity_and_prescribed_bodies_move_the_gap);
    CD_RUN(curvature_is_the_second_difference_where_negative);
    CD_RUN(a_trial_is_the_point_of_linearisation);
    CD_RUN(bad_contacts_are_refused_in_one_sentence);
    cd_arena_release(&arena);
    return cd_test_done();
}
