// The rows of the contact models against (48) written out, the running maximum by enumeration of the complementarity
// problem, friction against closed forms, the condition of known problems.
// SPDX-License-Identifier: MIT
#include "cd_dense.h"
#include "cd_motion3.h"
#include "cd_random.h"
#include "cd_test.h"
#include "peg_rows.h"

#include <stdlib.h>

static cd_arena arena;

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
    cd_peg_linearised linearised = {bodies, gradient, constraints, NULL, stabilize};
    CD_CHECK(cd_peg_assemble(&linearised, &arena, &problem, &diag) == CD_OK);
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
    cd_peg_gradient g[2] = {{.block = {0, -1}, .column = {{0.6, 0.8, -0.3}}, .rate = 0.7},
                            {.block = {0, -1}, .column = {{-0.8, 0.6, 0.2}}, .rate = -0.4}};
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
    cd_peg_gradient g[2] = {{.block = {0, -1}, .column = {{0, 1, 0}}, .rate = -0.7},
                            {.block = {0, -1}, .column = {{1, 0, 0}}, .rate = -0.4}};
    double momentum[3] = {0};
    // the slack row is a difference: unchanged
    CD_CHECK_NEAR(corner_problem(g, momentum, false).row[3].rhs, -0.3, 1e-15);
    CD_CHECK_NEAR(corner_problem(g, momentum, false).row[4].rhs, -0.3, 1e-15);
    g[1].rate = 0.1;
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
    cd_peg_gradient g[2] = {{.block = {0, -1}, .column = {{0.6, 0.8, -0.3}}, .rate = 0.7},
                            {.block = {0, -1}, .column = {{-0.8, 0.6, 0.2}}, .rate = -0.4}};
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

enum { ENUMERATED = 6 };

// All solutions of 0 <= W z + q _|_ z >= 0 by trying every set of positive z (n <= 6, Cramer by elimination).
static int enumerate(int n, double w[MAX_ROWS][MAX_ROWS], const double q[MAX_ROWS], double solution[64][ENUMERATED])
{
    int found = 0;
    for (int set = 0; set < 1 << n; set++) {
        int index[ENUMERATED], k = 0;
        double a[ENUMERATED][ENUMERATED + 1], z[ENUMERATED] = {0}, least = 0;
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
        double momentum[3], w[MAX_ROWS][MAX_ROWS], q[MAX_ROWS], z[64][ENUMERATED];
        for (int k = 0; k < 3; k++)
            momentum[k] = cd_random_between(&random, -2, 2) * MASS[4 * k];
        for (int i = 0; i < members; i++) {
            double angle = cd_random_between(&random, 0, 6.2831853);
            g[i] = (cd_peg_gradient){.block = {0, -1},
                                     .column = {{cos(angle), sin(angle), cd_random_between(&random, -0.3, 0.3)}},
                                     .rate = cd_random_between(&random, -1, 1)};
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
                double rate = g[i].rate;
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

// (20)-(23) with two primaries: at every solution the largest gap is >= 0, and an impulse acts only where its own gap
// is 0. More problems have a solution than with one primary, whose impulse may push the wrong way.
CD_TEST(with_several_primaries_each_impulse_acts_on_a_closed_gap)
{
    cd_random random = {23};
    int active[2] = {0}, none = 0;
    for (int trial = 0; trial < 2000; trial++) {
        cd_peg_gradient g[2];
        cd_peg_constraint constraint = {CD_PEG_I, 0, 2, 2};
        int32_t member[2] = {0, 1};
        cd_peg_constraints constraints = {1, &constraint, member, {0, 1, 0}};
        double momentum[3], w[MAX_ROWS][MAX_ROWS], q[MAX_ROWS], z[64][ENUMERATED];
        for (int k = 0; k < 3; k++)
            momentum[k] = cd_random_between(&random, -2, 2) * MASS[4 * k];
        for (int i = 0; i < 2; i++) {
            double angle = cd_random_between(&random, 0, 6.2831853);
            g[i] = (cd_peg_gradient){.block = {0, -1},
                                     .column = {{cos(angle), sin(angle), cd_random_between(&random, -0.3, 0.3)}},
                                     .rate = cd_random_between(&random, -1, 1)};
        }
        cd_peg_bodies bodies = {3, 1, MASS, momentum};
        cd_peg_problem p = assembled(&bodies, g, &constraints, true);
        CD_CHECK(p.impulse_count == 2 && p.row_count == 3 + 2 + 4);
        for (int i = 3; i < 9; i++)
            CD_CHECK(p.row[i].role == (i < 5 ? CD_PEG_IMPULSE : CD_PEG_SLACK));
        CD_CHECK(p.row[4].contact == 1 && p.row[4].rhs == g[0].rate && p.row[7].rhs == g[1].rate);
        eliminate(&p, w, q);
        int found = enumerate(6, w, q, z);
        none += found == 0;
        for (int s = 0; s < found; s++) {
            double rate[2];
            for (int i = 0; i < 2; i++) {
                rate[i] = g[i].rate;
                for (int k = 0; k < 3; k++)
                    rate[i] += g[i].column[0][k] *
                               (momentum[k] + g[0].column[0][k] * z[s][0] + g[1].column[0][k] * z[s][1]) / MASS[4 * k];
            }
            CD_CHECK(fmax(rate[0], rate[1]) >= -1e-9);
            for (int i = 0; i < 2; i++) {
                CD_CHECK(z[s][i] < 1e-9 || fabs(rate[i]) < 1e-7);
                active[i] += z[s][i] > 1e-9;
            }
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(active[0] > 100 && active[1] > 100);
    CD_CHECK(none < 20);
}

// ---- friction ------------------------------------------------------------------------------------------------------

// A body of mass 2 above a floor at speed v along x, pressed on it by 3 N s.
static cd_peg_problem slider(cd_peg_friction_kind kind, double v, double mu)
{
    static const cd_peg_gradient contact = {.block = {0, -1}, .column = {{0, 1, 0}}, .rate = 0};
    static const cd_peg_constraint constraint = {CD_PEG_U, 0, 1, 1};
    static const int32_t member = 0;
    cd_peg_constraints constraints = {1, &constraint, &member, {1, 0, 0}};
    cd_peg_tangent *tangent = CD_ARENA_ZARRAY(&arena, cd_peg_tangent, 1);
    *tangent = (cd_peg_tangent){.mu = mu, .column = {{{1, 0, 0}}}};
    cd_peg_friction friction = {.kind = kind, .tangents = 1, .sides = 2, .tangent = tangent};
    double *momentum = CD_ARENA_ZARRAY(&arena, double, 3);
    momentum[0] = 2 * v;
    momentum[1] = -3;
    cd_peg_bodies bodies = {3, 1, MASS, momentum};
    cd_peg_problem problem;
    cd_diag diag;
    cd_peg_linearised linearised = {&bodies, &contact, &constraints, &friction, true};
    CD_CHECK(cd_peg_assemble(&linearised, &arena, &problem, &diag) == CD_OK);
    return problem;
}

CD_TEST(a_pyramid_slows_what_slides_and_holds_what_is_slow)
{
    for (int k = -8; k <= 8; k++) {
        double v = 0.1 * k, mu = 0.3, w[MAX_ROWS][MAX_ROWS], q[MAX_ROWS], z[64][ENUMERATED];
        cd_peg_problem p = slider(CD_PEG_FRICTION_PYRAMID, v, mu);
        CD_CHECK(p.row_count == 7 && p.row[4].role == CD_PEG_FRICTION && p.row[5].role == CD_PEG_FRICTION &&
                 p.row[6].role == CD_PEG_SLIP && !p.row[4].is_disc);
        eliminate(&p, w, q);
        int found = enumerate(4, w, q, z);
        CD_CHECK(found > 0);
        double expected = copysign(fmax(fabs(v) - mu * 3 / 2, 0), v);  // all impulse mu p against the slip, or stop
        for (int s = 0; s < found; s++) {
            CD_CHECK_NEAR(z[s][0], 3, 1e-12);
            CD_CHECK_NEAR(v + (z[s][1] - z[s][2]) / 2, expected, 1e-12);
            CD_CHECK(z[s][1] + z[s][2] <= mu * 3 + 1e-12);
        }
        cd_arena_reset(&arena);
    }
}

CD_TEST(a_disc_names_its_normal_row_and_is_not_bounded_itself)
{
    double m[MAX_ROWS][MAX_ROWS];
    cd_peg_problem p = slider(CD_PEG_FRICTION_DISC, 0.5, 0.3);
    dense(&p, m);
    CD_CHECK(p.row_count == 5 && p.row[4].role == CD_PEG_FRICTION && p.row[4].is_disc && p.row[4].normal_row == 3 &&
             p.row[4].mu == 0.3 && p.row[4].contact == 0);
    CD_CHECK(m[4][0] == 1 && m[0][4] == 1 && m[4][3] == 0 && m[3][4] == 0 && m[4][4] == 0);
    CD_CHECK(slider(CD_PEG_FRICTION_DISC, 0.5, 0).row_count == 4 && slider(CD_PEG_FRICTION_OFF, 0.5, 1).row_count == 4);
    cd_arena_reset(&arena);
}

CD_TEST(directions_of_a_pyramid_come_in_opposite_pairs_on_the_circle)
{
    static const cd_peg_constraint constraint[2] = {{CD_PEG_U, 0, 1, 1}, {CD_PEG_X, 0, 1, 1}};
    static const int32_t member = 0;
    cd_peg_constraints constraints = {2, constraint, &member, {1, 0, 1}};  // the X gets no friction
    cd_peg_gradient contact = {.block = {0, 1}, .column = {{0, 0, -1, 0, 0, 0}, {0, 0, 1, 0, 0, 0}}, .rate = 0};
    cd_peg_tangent tangent = {
        .mu = 0.5,
        .column = {{{-1, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0}}, {{0, -1, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}}},
        .rate = {0.25, -0.75}};
    cd_peg_friction friction = {.kind = CD_PEG_FRICTION_PYRAMID, .tangents = 2, .sides = 8, .tangent = &tangent};
    double mass[72] = {0}, momentum[12] = {0};
    for (int i = 0; i < 12; i++)
        mass[36 * (i / 6) + 7 * (i % 6)] = 1;
    cd_peg_bodies bodies = {6, 2, mass, momentum};
    cd_peg_problem p;
    cd_diag diag;
    cd_peg_linearised linearised = {&bodies, &contact, &constraints, &friction, true};
    CD_CHECK(cd_peg_assemble(&linearised, &arena, &p, &diag) == CD_OK);
    CD_CHECK(p.row_count == 12 + 2 + 8 + 1);
    double d[8][2] = {{0}};
    for (int32_t i = 0; i < p.entry_count; i++) {
        int32_t k = p.entry_row[i] - 14, col = p.entry_col[i];
        if (k >= 0 && k < 8 && col >= 6 && col < 8)
            d[k][col - 6] = p.value[i];
        if (k >= 0 && k < 8 && col >= 12)
            CD_CHECK(col == 22 && p.value[i] == 1);
        if (k == 8)
            CD_CHECK(p.value[i] == (col == 12 ? 0.5 : -1) && (col == 12 || (col >= 14 && col < 22)));
    }
    for (int k = 0; k < 8; k++) {
        CD_CHECK_NEAR(d[k][0], cos(k * 0.78539816339744831), 1e-15);
        CD_CHECK_NEAR(d[k][1], sin(k * 0.78539816339744831), 1e-15);
        CD_CHECK(d[k][0] == -d[(k + 4) % 8][0] && d[k][1] == -d[(k + 4) % 8][1]);
        CD_CHECK_NEAR(p.row[14 + k].rhs, 0.25 * d[k][0] - 0.75 * d[k][1], 1e-15);
    }
    cd_arena_reset(&arena);
}

CD_TEST(rules_of_groups_come_before_the_mean_of_the_bodies)
{
    cd_peg_mu_rules rules;
    cd_diag diag;
    CD_CHECK(cd_peg_mu_rules_parse(&arena, "ice:steel=0.02,steel:steel=0.8", &rules, &diag) == CD_OK &&
             rules.count == 2);
    CD_CHECK(cd_peg_mu_of(&rules, "steel", "ice", 1) == 0.02 && cd_peg_mu_of(&rules, "ice", "steel", 1) == 0.02);
    CD_CHECK(cd_peg_mu_of(&rules, "steel", "steel", 0) == 0.8);
    CD_CHECK(cd_peg_mu_of(&rules, "steel", NULL, 0.4) == 0.4 && cd_peg_mu_of(NULL, NULL, NULL, 0.3) == 0.3);
    static const char *const bad[] = {"",     "a",     "a:b",    "a=1",     ":b=1",  "a:=1",
                                      "a:b=", "a:b=x", "a:b=-1", "a:b=inf", "a:b=1,"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CD_CHECK(cd_peg_mu_rules_parse(&arena, bad[i], &rules, &diag) == CD_ERR_USAGE);
    cd_arena_reset(&arena);
}

// ---- blocks of six, condition --------------------------------------------------------------------------------------

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
        g[c] = (cd_peg_gradient){.block = {0, 1}, .rate = c};
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
    // Contacts written from the later body to the earlier one: the same matrix, entries in the same order.
    for (int c = 0; c < 3; c++) {
        cd_peg_gradient turned = {.block = {1, 0}, .rate = g[c].rate};
        memcpy(turned.column[0], g[c].column[1], sizeof turned.column[0]);
        memcpy(turned.column[1], g[c].column[0], sizeof turned.column[1]);
        g[c] = turned;
    }
    cd_peg_problem q = assembled(&bodies, g, &constraints, true);
    CD_CHECK(q.entry_count == p.entry_count);
    for (int32_t i = 0; i < q.entry_count; i++)
        CD_CHECK(q.entry_row[i] == p.entry_row[i] && q.entry_col[i] == p.entry_col[i] && q.value[i] == p.value[i]);
    cd_arena_reset(&arena);
}

CD_TEST(condition_of_known_matrices)
{
    // Orthogonal unit normals without arm on a body of mass 2: W = diag(1/2, 1/2); a third equal to the first: rank 2.
    cd_peg_gradient g[3] = {{.block = {0, -1}, .column = {{1, 0, 0}}, .rate = 0},
                            {.block = {0, -1}, .column = {{0, 1, 0}}, .rate = 0},
                            {.block = {0, -1}, .column = {{1, 0, 0}}, .rate = 0}};
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

// A thin rod, turned at random: both ends pushed sideways. R J R' has lost the moment about the axis to rounding, and
// is indefinite for about half of the turns; the contacts do not feel that moment: W = [1 + 1/4, 1 - 1/4; ..].
CD_TEST(condition_of_a_thin_rod_does_not_depend_on_its_rotation)
{
    static const double inertia[6] = {1, 1, 1e-18, 0, 0, 0};
    cd_peg_constraint constraint[2] = {{CD_PEG_U, 0, 1, 1}, {CD_PEG_U, 1, 1, 1}};
    int32_t member[2] = {0, 1}, indefinite = 0;
    cd_peg_constraints constraints = {2, constraint, member, {2, 0, 0}};
    cd_random random = {41};
    for (int round = 0; round < 200; round++) {
        cd_quat turn = cd_quat_unit((cd_quat){cd_random_between(&random, -1, 1), cd_random_between(&random, -1, 1),
                                              cd_random_between(&random, -1, 1), cd_random_between(&random, -1, 1)});
        cd_mat3 world = cd_inertia3_world(inertia, turn), r = cd_quat_matrix(turn);
        cd_vec3 normal = {r.row[0].x, r.row[1].x, r.row[2].x}, axis = {r.row[0].z, r.row[1].z, r.row[2].z};
        cd_vec3 moment = cd_scale3(0.5, cd_cross3(axis, normal));
        double mass[36] = {0}, momentum[6] = {0}, copy[36];
        cd_peg_gradient g[2] = {{.block = {-1, 0}}, {.block = {-1, 0}}};
        for (int k = 0; k < 3; k++) {
            mass[7 * k] = 1;
            cd_vec3_put(world.row[k], mass + 6 * (k + 3) + 3);
        }
        for (int s = 0; s < 2; s++) {
            cd_vec3_put(normal, g[s].column[1]);
            cd_vec3_put(s ? moment : cd_negate3(moment), g[s].column[1] + 3);
        }
        memcpy(copy, mass, sizeof copy);
        indefinite += !cd_cholesky_factor(6, copy);
        cd_peg_bodies bodies = {6, 1, mass, momentum};
        cd_peg_problem p = assembled(&bodies, g, &constraints, true);
        cd_peg_conditioning c = cd_peg_condition(&bodies, g, &p, &arena);
        CD_CHECK(c.size == 2 && c.rank == 2);
        CD_CHECK_NEAR(c.condition, 4, 1e-7);  // 7e-9 where another pivot is small too
    }
    CD_CHECK(indefinite > 40);
    cd_arena_reset(&arena);
}

// More impulses than velocities or fewer, the same eigenvalues count: a chain of unit masses, every joint k times.
CD_TEST(condition_of_a_chain)
{
    enum { BODIES = 40, REPEATS = 5 };
    static double mass[BODIES * 9], momentum[BODIES * 3];
    static cd_peg_gradient g[REPEATS * (BODIES - 1)];
    static cd_peg_constraint constraint[REPEATS * (BODIES - 1)];
    static int32_t member[REPEATS * (BODIES - 1)];
    for (int i = 0; i < BODIES * 9; i++)
        mass[i] = i % 9 % 4 == 0;
    for (int repeats = 1; repeats <= REPEATS; repeats += REPEATS - 1) {
        int32_t n = repeats * (BODIES - 1);
        for (int32_t i = 0; i < n; i++) {
            int32_t body = i / repeats;
            g[i] = (cd_peg_gradient){.block = {body, body + 1}, .column = {{-1, 0, 0}, {1, 0, 0}}, .rate = 0};
            constraint[i] = (cd_peg_constraint){CD_PEG_U, i, 1, 1};
            member[i] = i;
        }
        cd_peg_constraints constraints = {n, constraint, member, {n, 0, 0}};
        cd_peg_bodies bodies = {3, BODIES, mass, momentum};
        cd_peg_problem p = assembled(&bodies, g, &constraints, true);
        cd_peg_conditioning c = cd_peg_condition(&bodies, g, &p, &arena);
        // eigenvalues k (2 - 2 cos(i pi / 40)), i = 1 .. 39
        double ratio = (1 + cos(3.141592653589793 / BODIES)) / (1 - cos(3.141592653589793 / BODIES));
        CD_CHECK(c.size == n && c.rank == BODIES - 1);
        CD_CHECK_NEAR(c.condition / ratio, 1, 1e-9);
        cd_arena_reset(&arena);
    }
}

int main(void)
{
    CD_RUN(rows_of_one_vertex_and_two_edges_are_those_of_48);
    CD_RUN(without_stabilisation_a_violated_maximum_is_raised_to_zero);
    CD_RUN(eliminating_the_velocities_gives_the_smallest_case);
    CD_RUN(solutions_keep_the_largest_gap_above_zero_and_complementary);
    CD_RUN(with_several_primaries_each_impulse_acts_on_a_closed_gap);
    CD_RUN(a_pyramid_slows_what_slides_and_holds_what_is_slow);
    CD_RUN(a_disc_names_its_normal_row_and_is_not_bounded_itself);
    CD_RUN(directions_of_a_pyramid_come_in_opposite_pairs_on_the_circle);
    CD_RUN(rules_of_groups_come_before_the_mean_of_the_bodies);
    CD_RUN(six_axes_and_two_bodies);
    CD_RUN(condition_of_known_matrices);
    CD_RUN(condition_of_a_thin_rod_does_not_depend_on_its_rotation);
    CD_RUN(condition_of_a_chain);
    cd_arena_release(&arena);
    return cd_test_done();
}
