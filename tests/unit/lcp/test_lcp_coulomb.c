// Contact problems with friction of other programs: the verification against closed forms and against wrong answers,
// the readers, what is refused.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_test.h"
#include "coulomb_mass.h"
#include "coulomb_siconos.h"
#include "coulomb_verify.h"

static cd_arena arena;

// A mass of 2 with velocity v / 2 before, at a wall with mu = 0.5; the normal is the first axis.
static int32_t three[] = {0, 1, 2};
static double twos[] = {2, 2, 2}, ones[] = {1, 1, 1}, halves[] = {0.5, 0.5, 0.5}, nothing[] = {0, 0, 0}, half = 0.5;

static cd_coulomb point(double *force)
{
    return (cd_coulomb){.name = "point",
                        .dimension = 3,
                        .contacts = 1,
                        .matrix = cd_mm_entries(3, 3, 3, three, three, twos),
                        .jacobian = cd_mm_entries(3, 3, 3, three, three, ones),
                        .force = force,
                        .rhs = nothing,
                        .mu = &half};
}

static cd_coulomb reduced_point(double *rhs)
{
    return (cd_coulomb){.name = "point",
                        .dimension = 3,
                        .contacts = 1,
                        .is_reduced = true,
                        .matrix = cd_mm_entries(3, 3, 3, three, three, halves),
                        .rhs = rhs,
                        .mu = &half};
}

static const struct {
    double force[3], r[3];
} closed_forms[] = {
    {{-2, 0.2, 0}, {2, -0.2, 0}},       // sticks
    {{-2, 6, 8}, {2, -0.6, -0.8}},      // slides
    {{2, 6, 8}, {0, 0, 0}},             // opens
    {{0, 6, 8}, {0, 0, 0}},             // touches without a load
    {{-2, 0.6, 0.8}, {2, -0.6, -0.8}},  // on the edge of the cone, at rest
};
enum { CLOSED_FORMS = sizeof closed_forms / sizeof *closed_forms };

static double measure(int form, const double *r, bool reduced)
{
    double force[3], v[3], free[3];
    for (int i = 0; i < 3; i++) {
        force[i] = closed_forms[form].force[i];
        free[i] = force[i] / 2;
        v[i] = (force[i] + r[i]) / 2;
    }
    cd_coulomb p = reduced ? reduced_point(free) : point(force);
    return cd_coulomb_residual(&p, r, reduced ? NULL : v, NULL, &arena);
}

CD_TEST(closed_forms_have_no_residual)
{
    for (int form = 0; form < CLOSED_FORMS; form++) {
        CD_CHECK_NEAR(measure(form, closed_forms[form].r, false), 0, 1e-15);
        CD_CHECK_NEAR(measure(form, closed_forms[form].r, true), 0, 1e-15);
    }
}

CD_TEST(wrong_answers_are_seen)
{
    static const struct {
        int form;
        double r[3];
    } wrong[] = {
        {0, {2.02, -0.2, 0}},      // too much: it bounces
        {0, {1.98, -0.2, 0}},      // too little: it goes into the wall
        {0, {2, -0.1, 0}},         // slips though friction could hold
        {1, {2, 0.6, 0.8}},        // friction pushes on
        {1, {2, -0.8, -0.6}},      // not against the slip
        {1, {2, -0.54, -0.72}},    // not all of it
        {1, {2, -0.66, -0.88}},    // more than mu allows
        {2, {0.02, 0, 0}},         // pushes where it is open
        {2, {-2, 0, 0}},           // pulls
        {3, {0, -0.06, -0.08}},    // friction without a normal impulse
        {4, {2, -0.606, -0.808}},  // just off the cone
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        for (int reduced = 0; reduced < 2; reduced++) {
            const double residual = measure(wrong[k].form, wrong[k].r, reduced);
            if (!(residual > 1e-3))
                printf("# wrong answer %zu: residual %g\n", k, residual);
            CD_CHECK(residual > 1e-3);
        }
    }
    const double bad[3] = {NAN, 0, 0};
    CD_CHECK(measure(0, bad, true) == INFINITY);
    // A velocity that does not balance.
    double force[3] = {-2, 0.2, 0}, v[3] = {0, 0.01, 0};
    cd_coulomb p = point(force);
    CD_CHECK(cd_coulomb_residual(&p, closed_forms[0].r, v, NULL, &arena) > 1e-3);
}

// Without friction the cone is a ray: nothing is wrong with a contact that opens straight.
CD_TEST(smooth_contacts)
{
    double mu = 0, opening[3] = {2, 0, 0}, aside[3] = {2, 6, 0}, closing[3] = {-2, 6, 0}, r[3] = {0}, v[3];
    const double *force[] = {opening, aside, closing};
    for (int k = 0; k < 3; k++) {
        cd_coulomb p = point((double *)force[k]);
        p.mu = &mu;
        r[0] = k == 2 ? 2 : 0;
        for (int i = 0; i < 3; i++)
            v[i] = (force[k][i] + r[i]) / 2;
        CD_CHECK_NEAR(cd_coulomb_residual(&p, r, v, NULL, &arena), 0, 1e-15);
    }
}

// Masses times 10^6, velocities times 10^-3: forces and impulses times 10^3.
CD_TEST(units_do_not_matter)
{
    const double off[3] = {2.02, -0.2, 0};
    double force[3] = {-2e3, 0.2e3, 0}, r[3], v[3], heavy[3] = {2e6, 2e6, 2e6};
    for (int i = 0; i < 3; i++) {
        r[i] = 1e3 * off[i];
        v[i] = (force[i] + r[i]) / 2e6;
    }
    cd_coulomb p = point(force);
    p.matrix.value = heavy;
    CD_CHECK_NEAR(cd_coulomb_residual(&p, r, v, NULL, &arena), measure(0, off, false), 1e-14);
}

// Both forms of random points between walls: the same impulses, as each has one answer (W is definite), whatever mu.
// A wrong answer has the same residual at every scale that doubles have: nothing overflows, nothing is lost.
CD_TEST(no_scale_hides_a_wrong_answer)
{
    static const double scales[] = {1e-320, 1e-300, 1e-200, 1e-160, 1, 1e160, 1e200, 1e300};
    enum { SCALES = sizeof scales / sizeof *scales };
    double slip[] = {-1, 3, 4};
    cd_coulomb p = reduced_point(slip);
    const double expected = cd_coulomb_residual(&p, nothing, NULL, NULL, &arena);
    CD_CHECK(expected > 0.1);
    for (int k = 0; k < SCALES; k++) {
        for (int l = 0; l < SCALES; l++) {
            double of_matrix[] = {scales[k], scales[k], scales[k]}, of_rhs[3];
            for (int i = 0; i < 3; i++)
                of_rhs[i] = slip[i] * scales[l];
            p = reduced_point(of_rhs);
            p.matrix.value = of_matrix;
            CD_CHECK_NEAR(cd_coulomb_residual(&p, nothing, NULL, NULL, &arena), expected, l == 0 ? 1e-3 : 1e-12);
            p = point(nothing);
            p.rhs = of_rhs;
            p.jacobian.value = of_matrix;
            CD_CHECK_NEAR(cd_coulomb_residual(&p, nothing, nothing, NULL, &arena), expected, l == 0 ? 1e-3 : 1e-12);
        }
    }
    cd_arena_reset(&arena);
}

CD_TEST(both_forms_agree)
{
    enum { POINTS = 40, ROWS = 3 * POINTS };
    cd_random random = {5};
    int32_t place[ROWS];
    double mass[ROWS], inverse[ROWS], force[ROWS], free[ROWS], mu[POINTS], one[ROWS], zero[ROWS] = {0};
    for (int i = 0; i < ROWS; i++) {
        place[i] = i;
        mass[i] = i % 3 ? mass[i - 1] : exp(cd_random_between(&random, -3, 3));
        inverse[i] = 1 / mass[i];
        force[i] = mass[i] * cd_random_between(&random, -2, 1);
        free[i] = force[i] / mass[i];
        one[i] = 1;
    }
    for (int k = 0; k < POINTS; k++)
        mu[k] = k % 4 == 0 ? 0 : k % 4 == 1 ? 1e6 : cd_random_between(&random, 0, 1);
    cd_coulomb global = {.name = "global",
                         .dimension = 3,
                         .contacts = POINTS,
                         .matrix = cd_mm_entries(ROWS, ROWS, ROWS, place, place, mass),
                         .jacobian = cd_mm_entries(ROWS, ROWS, ROWS, place, place, one),
                         .force = force,
                         .rhs = zero,
                         .mu = mu};
    cd_coulomb reduced = {.name = "reduced",
                          .dimension = 3,
                          .contacts = POINTS,
                          .is_reduced = true,
                          .matrix = cd_mm_entries(ROWS, ROWS, ROWS, place, place, inverse),
                          .rhs = free,
                          .mu = mu};
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    cd_coulomb_solution a, b;
    cd_diag diag;
    CD_CHECK(cd_coulomb_check(&global, &diag) == CD_OK && cd_coulomb_check(&reduced, &diag) == CD_OK);
    cd_coulomb_solve(&global, cd_lcp_find_solver("auto"), &options, &arena, &a);
    cd_coulomb_solve(&reduced, cd_lcp_find_solver("auto"), &options, &arena, &b);
    CD_CHECK(a.status == CD_LCP_SOLVED && b.status == CD_LCP_SOLVED && a.residual <= 1e-10 && b.residual <= 1e-10);
    CD_CHECK(a.islands == POINTS && b.islands == POINTS);
    for (int i = 0; i < ROWS; i++) {
        CD_CHECK_NEAR(a.r[i], b.r[i], 1e-8 * mass[i]);
        CD_CHECK_NEAR(a.u[i], a.v[i], 1e-15);
        CD_CHECK_NEAR(a.u[i], free[i] + a.r[i] / mass[i], 1e-8);
    }
    cd_arena_reset(&arena);
}

// A tangent that nothing resists, beside one that slips: W has a zero there. Sanitizers look on.
CD_TEST(tangent_without_resistance)
{
    enum { CONTACTS = 3, ROWS = 3 * CONTACTS };
    int32_t row[ROWS * ROWS], col[ROWS * ROWS], count = 0;
    double value[ROWS * ROWS], rhs[ROWS], mu[CONTACTS] = {0.3, 0.3, 0.3}, N[ROWS][4];
    cd_random random = {77};
    for (int problem = 0; problem < 200; problem++) {
        for (int i = 0; i < ROWS; i++) {
            for (int k = 0; k < 4; k++)
                N[i][k] = i % 3 == 2 && i / 3 != problem % 3 ? 0 : cd_random_between(&random, -1, 1);
            rhs[i] = i % 3 == 2 ? 0 : i % 3 ? cd_random_between(&random, -2, 2) : cd_random_between(&random, -1, 0.2);
        }
        count = 0;
        for (int i = 0; i < ROWS * ROWS; i++) {
            value[count] = 0;
            for (int k = 0; k < 4; k++)
                value[count] += N[i / ROWS][k] * N[i % ROWS][k];
            row[count] = i / ROWS;
            col[count++] = i % ROWS;
        }
        cd_coulomb p = {.name = "tangent",
                        .dimension = 3,
                        .contacts = CONTACTS,
                        .is_reduced = true,
                        .matrix = cd_mm_entries(ROWS, ROWS, count, row, col, value),
                        .rhs = rhs,
                        .mu = mu};
        cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
        cd_coulomb_solution s;
        cd_coulomb_solve(&p, cd_lcp_find_solver("pgs"), &options, &arena, &s);
        CD_CHECK((s.status == CD_LCP_SOLVED) == (s.residual <= options.tolerance));
        cd_arena_reset(&arena);
    }
}

enum { SIDE = 12, NODES = SIDE * SIDE, TOUCHING = 9 };

// A net of nodes, each coupled with its neighbours by `coupling`; three velocities of neighbouring nodes at a contact.
static cd_coulomb make_net(double coupling, cd_random *random)
{
    cd_coulomb p = {.name = "net", .dimension = 3, .contacts = TOUCHING};
    p.matrix = cd_mm_entries(NODES, NODES, 0, CD_ARENA_ARRAY(&arena, int32_t, 5 * NODES),
                             CD_ARENA_ARRAY(&arena, int32_t, 5 * NODES), CD_ARENA_ARRAY(&arena, double, 5 * NODES));
    p.jacobian =
        cd_mm_entries(3 * TOUCHING, NODES, 0, CD_ARENA_ARRAY(&arena, int32_t, 6 * TOUCHING),
                      CD_ARENA_ARRAY(&arena, int32_t, 6 * TOUCHING), CD_ARENA_ARRAY(&arena, double, 6 * TOUCHING));
    p.force = CD_ARENA_ARRAY(&arena, double, NODES);
    p.rhs = CD_ARENA_ZARRAY(&arena, double, 3 * TOUCHING);
    p.mu = CD_ARENA_ARRAY(&arena, double, TOUCHING);
    for (int i = 0; i < NODES; i++) {
        const int neighbour[] = {i, i % SIDE ? i - 1 : -1, i % SIDE < SIDE - 1 ? i + 1 : -1, i - SIDE, i + SIDE};
        for (int k = 0; k < 5; k++) {
            if (neighbour[k] < 0 || neighbour[k] >= NODES)
                continue;
            const int32_t e = p.matrix.entry_count++;
            p.matrix.row[e] = i;
            p.matrix.col[e] = neighbour[k];
            p.matrix.value[e] = k == 0 ? 4.1 : coupling;
        }
        p.force[i] = cd_random_between(random, -2, 1);
    }
    for (int i = 0; i < 6 * TOUCHING; i++) {
        p.jacobian.row[i] = i / 2;
        p.jacobian.col[i] = (i * 37) % NODES;
        p.jacobian.value[i] = cd_random_between(random, -1, 1);
        p.mu[i % TOUCHING] = 0.4;
    }
    p.jacobian.entry_count = 6 * TOUCHING;
    return p;
}

CD_TEST(mesh_of_one_block)
{
    cd_random random = {11};
    cd_coulomb p = make_net(-1, &random), white;
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    cd_coulomb_solution s;
    CD_CHECK(cd_mass_largest_block(&p.matrix, &arena) == NODES);
    cd_mass_factor *factor = cd_mass_factor_make(&p.matrix, 1000000, &arena);
    CD_CHECK(factor && cd_mass_whiten(factor, &p, 1000000, &arena, &white));
    CD_CHECK(factor && !cd_mass_whiten(factor, &p, 10, &arena, &white));
    CD_CHECK(cd_mass_factor_make(&p.matrix, NODES, &arena) == NULL);
    cd_coulomb_solve(&p, cd_lcp_find_solver("auto"), &options, &arena, &s);
    double pushed = 0;
    for (int i = 0; i < TOUCHING; i++)
        pushed += s.r[3 * i] > 0;
    CD_CHECK(s.status == CD_LCP_SOLVED && s.residual <= 1e-10 && pushed > 1);
    // Not definite, though the diagonal is positive: eigenvalues are 4.1 + 2 coupling (cos + cos).
    cd_coulomb saddle = make_net(-2, &random);
    CD_CHECK(cd_mass_factor_make(&saddle.matrix, 1000000, &arena) == NULL);
    cd_arena_reset(&arena);
}

static cd_status check(cd_coulomb p, const char *sentence)
{
    cd_diag diag = {{0}};
    cd_status status = cd_coulomb_check(&p, &diag);
    if (!strstr(diag.text, sentence))
        printf("# \"%s\", wanted \"%s\"\n", diag.text, sentence);
    CD_CHECK(strstr(diag.text, sentence) != NULL);
    return status;
}

CD_TEST(bad_problems_are_refused)
{
    double force[3] = {1, 1, 1}, minus = -1, infinite = INFINITY, skew[] = {2, 0.1, 2, 2}, hole[] = {2, 0, 2};
    int32_t row[] = {0, 0, 1, 2}, col[] = {0, 1, 1, 2};
    cd_coulomb p = point(force), q = p;
    q.contacts = 2;
    CD_CHECK(check(q, "the Jacobian is 3 x 3, 2 contacts and 3 velocities need 6 x 3") == CD_ERR_FORMAT);
    q = p;
    q.dimension = 1;
    CD_CHECK(check(q, "1 rows a contact") == CD_ERR_FORMAT);
    q = p;
    q.mu = &minus;
    CD_CHECK(check(q, "point: mu: that of contact 1 is -1: negative") == CD_ERR_FORMAT);
    int32_t line[] = {3, 5, 7, 8};
    q.mu_source = (cd_mm_source){"mu.mtx", 2, line};
    CD_CHECK(check(q, "mu.mtx:3: mu: that of contact 1 is -1: negative") == CD_ERR_FORMAT);
    q.mu = &infinite;
    CD_CHECK(check(q, "mu: entry 1 is not finite") == CD_ERR_FORMAT);
    q = p;
    q.matrix = cd_mm_entries(3, 3, 4, row, col, skew);
    CD_CHECK(check(q, "point: mass: entries (1, 2) and (2, 1) differ") == CD_ERR_FORMAT);
    q.matrix.source = (cd_mm_source){"M.mtx", 2, line};
    CD_CHECK(check(q, "M.mtx:5: mass: entries (1, 2) and (2, 1) differ") == CD_ERR_FORMAT);
    q.matrix = cd_mm_entries(3, 3, 3, three, three, hole);
    CD_CHECK(check(q, "point: mass: entry (2, 2) is 0: not positive") == CD_ERR_FORMAT);
    q = reduced_point(force);
    q.matrix.rows = q.matrix.columns = 4;
    CD_CHECK(check(q, "the matrix has 4 rows, 1 contacts need 3") == CD_ERR_FORMAT);
    CD_CHECK(cd_coulomb_check(&p, NULL) == CD_OK);
}

static cd_status read_text(const char *text, cd_coulomb *out, cd_diag *diag)
{
    return cd_coulomb_read_siconos("text", text, strlen(text), &arena, out, diag);
}

// The entries of a matrix of up to 4 x 4, dense.
static void check_entries(const cd_mm_matrix *a, const double *expected)
{
    double dense[16] = {0};
    for (int32_t k = 0; k < a->entry_count; k++)
        dense[a->row[k] * a->columns + a->col[k]] += a->value[k];
    for (int32_t k = 0; k < a->rows * a->columns; k++)
        CD_CHECK(dense[k] == expected[k]);
}

CD_TEST(siconos_text)
{
    cd_coulomb p;
    cd_diag diag = {{0}};
    const double W[] = {1, 3, 2, 4}, J[] = {1, 3, 5, 2, 4, 6};
    CD_CHECK(read_text("2\n1\n0\n2\n2\n2 2\n1 2\n3 4\n5 6\n.7\n", &p, &diag) == CD_OK);
    CD_CHECK(p.is_reduced && p.dimension == 2 && p.contacts == 1 && p.rhs[0] == 5 && p.rhs[1] == 6 && p.mu[0] == 0.7);
    check_entries(&p.matrix, W);
    // The same in one block of 2 x 2, and in blocks of 1 x 1 of which one is not there.
    CD_CHECK(read_text("2 1 1 2 2 1 1 1 2 2 2 1 0 1 0 0 1 2 3 4 5 6 .7", &p, &diag) == CD_OK);
    check_entries(&p.matrix, W);
    const double holed[] = {1, 3, 0, 4};
    CD_CHECK(read_text("2 1 1 2 2 3 2 2 1 2 1 2 3 3 0 2 3 0 1 1 0 1 1 3 2 4 5 6 .7", &p, &diag) == CD_OK);
    check_entries(&p.matrix, holed);
    // Global: M of 3 x 3, H of 3 x 2, whose transpose is the Jacobian.
    CD_CHECK(read_text("2 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 0 3 2 3 2 1 3 5 2 4 6 7 8 9 10 11 .5 0", &p, &diag) == CD_OK);
    CD_CHECK(!p.is_reduced && p.force[2] == 9 && p.rhs[1] == 11 && p.mu[0] == 0.5 && p.jacobian.rows == 2);
    check_entries(&p.jacobian, J);
    cd_arena_reset(&arena);
}

CD_TEST(siconos_text_that_is_refused)
{
    static const struct {
        const char *text, *sentence;
        cd_status status;
    } refused[] = {
        {"", "text:1: the file ends before the rows of a contact", CD_ERR_FORMAT},
        {"5 1", "5 rows a contact: only 2 and 3 are read", CD_ERR_UNSUPPORTED},
        {"2.5 1", "the rows of a contact is 2.5", CD_ERR_FORMAT},
        {"2\n\n-1", "text:3: the number of contacts is -1", CD_ERR_FORMAT},
        {"2 1 3", "M is 3, not a whole number from 0 to 2", CD_ERR_FORMAT},
        {"2 1 2 2 2", "M: a sparse matrix as text is not read", CD_ERR_UNSUPPORTED},
        {"2 1 0 2 2 2 3", "M is 3, not a whole number from 2 to 2", CD_ERR_FORMAT},
        {"2 1 0 2 2 2 2 1 2 x", "M: not a number: x", CD_ERR_FORMAT},
        {"2 1 0 2 2 2 2 1 2 3 nan", "M: not a number: nan", CD_ERR_FORMAT},
        {"2 1 0 2 2 2 2 1 2 3 4 5 6", "the file ends before mu", CD_ERR_FORMAT},
        {"2 1 0 2 2 2 2 1 2 3 4 5", "the file ends before q", CD_ERR_FORMAT},
        {"2 1 1 2 2 1 1 1 3", "M is 3, not a whole number from 0 to 2", CD_ERR_FORMAT},
        {"2 1 1 2 2 1 1 1 1", "blocks do not end where the matrix does", CD_ERR_FORMAT},
        {"2 1 1 2 2 1 1 1 2 2 2 1 0 2", "M is 2, not a whole number from 0 to 1", CD_ERR_FORMAT},
        {"2 1 1 2 2 1 1 1 2 2 2 1 0 1 1", "M is 1, not a whole number from 0 to 0", CD_ERR_FORMAT},
        {"2 1 1 2 2 1 1 1 2 2 2 1 0 1 0 3", "M is 3, not a whole number from 0 to 0", CD_ERR_FORMAT},
    };
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        cd_coulomb p;
        cd_diag diag = {{0}};
        CD_CHECK(read_text(refused[k].text, &p, &diag) == refused[k].status);
        if (!strstr(diag.text, refused[k].sentence))
            printf("# case %zu says \"%s\"\n", k, diag.text);
        CD_CHECK(strstr(diag.text, refused[k].sentence) != NULL);
    }
    cd_arena_reset(&arena);
}

int main(void)
{
    CD_RUN(closed_forms_have_no_residual);
    CD_RUN(wrong_answers_are_seen);
    CD_RUN(smooth_contacts);
    CD_RUN(units_do_not_matter);
    CD_RUN(no_scale_hides_a_wrong_answer);
    CD_RUN(both_forms_agree);
    CD_RUN(tangent_without_resistance);
    CD_RUN(mesh_of_one_block);
    CD_RUN(bad_problems_are_refused);
    CD_RUN(siconos_text);
    CD_RUN(siconos_text_that_is_refused);
    cd_arena_release(&arena);
    return cd_test_done();
}
