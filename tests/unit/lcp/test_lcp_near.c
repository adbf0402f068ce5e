// Contacts by those that are near: the answer is one of all, whatever has to be taken in; what contradicts itself does
// so among all; where it would not pay nothing is done.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_test.h"
#include "lcp_near.h"
#include "lcp_skew.h"

#include <math.h>

extern const cd_lcp_solver cd_lcp_solver_qp, cd_lcp_solver_ladder, cd_lcp_solver_ipm;

static cd_arena arena;

enum { ROWS = 900, COLUMNS = 240, WIDTH = 6 };

// Of the calls: how many, and the rows of the last.
static int calls;
static int32_t rows;

static cd_lcp_result solve(const cd_lcp_solver *solver, const cd_lcp_structure *s, const cd_lcp_options *options,
                           cd_arena *memory)
{
    calls++;
    rows = s->n;
    return s->is_skew ? cd_lcp_solve_skew(solver, s, options, memory) : solver->solve_structure(s, options, memory);
}

// Rows of six entries of two blocks each; one in 20 gaps closes, most open by far. skew: of what `right` differs by.
static cd_lcp_structure structure_of(int32_t n, double skew, cd_random *random)
{
    cd_lcp_structure s = {.n = n, .m = COLUMNS, .q = CD_ARENA_ARRAY(&arena, double, n)};
    s.left = (cd_lcp_rows){.first = CD_ARENA_ZARRAY(&arena, int32_t, n + 1),
                           .col = CD_ARENA_ARRAY(&arena, int32_t, 2 * WIDTH * n),
                           .value = CD_ARENA_ARRAY(&arena, double, 2 * WIDTH * n)};
    s.right = s.left;
    if (skew > 0)
        s.right.value = CD_ARENA_ARRAY(&arena, double, 2 * WIDTH * n);
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t block = (int32_t)cd_random_between(random, 0, COLUMNS / WIDTH - 1);
        for (int32_t k = 0; k < 2 * WIDTH; k++) {
            s.left.col[count] = WIDTH * block + k;
            s.left.value[count] = cd_random_between(random, -0.6, 0.6);
            if (skew > 0)
                s.right.value[count] = s.left.value[count] + cd_random_between(random, -skew, skew);
            count++;
        }
        s.left.first[i + 1] = count;
        s.q[i] = cd_random_unit(random) < 0.05 ? -cd_random_between(random, 0.1, 0.2) : cd_random_unit(random);
    }
    s.direct.first = CD_ARENA_ZARRAY(&arena, int32_t, n + 1);
    cd_lcp_structure_classify(&s, &arena);
    return s;
}

static void check_near(double skew, int *taken_in)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        cd_random random = {seed};
        const cd_lcp_structure s = structure_of(ROWS, skew, &random);
        cd_lcp_result near, whole = solve(&cd_lcp_solver_qp, &s, &CD_LCP_OPTIONS_DEFAULT, &arena);
        CD_CHECK(s.is_skew == (skew > 0) && whole.status == CD_LCP_SOLVED);
        calls = 0;
        CD_CHECK(cd_lcp_solve_near(&cd_lcp_solver_qp, &s, &CD_LCP_OPTIONS_DEFAULT, solve, &arena, &near));
        CD_CHECK(near.status == CD_LCP_SOLVED && calls > 0 && rows < 0.4 * ROWS);
        CD_CHECK(cd_lcp_structure_residual(&s, near.z, NULL, &arena) < CD_LCP_TOLERANCE);
        double *w = CD_ARENA_ARRAY(&arena, double, ROWS), *wanted = CD_ARENA_ARRAY(&arena, double, ROWS);
        cd_lcp_structure_values(&s, near.z, NULL, w, &arena);
        cd_lcp_structure_values(&s, whole.z, NULL, wanted, &arena);
        for (int32_t i = 0; i < ROWS; i++)
            CD_CHECK_NEAR(w[i], wanted[i], 1e-8);
        *taken_in += calls > 1;
        cd_arena_reset(&arena);
    }
}

CD_TEST(the_answer_is_that_of_all)
{
    int taken_in = 0;
    check_near(0, &taken_in);
    CD_CHECK(taken_in > 0);
}

// Every third row the normal of a disc, whose tangents the next two are.
static void add_friction(cd_lcp_structure *s)
{
    s->normal = CD_ARENA_ARRAY(&arena, int32_t, s->n);
    s->partner = CD_ARENA_ARRAY(&arena, int32_t, s->n);
    s->mu = CD_ARENA_ARRAY(&arena, double, s->n);
    for (int32_t i = 0; i < s->n; i++) {
        const int32_t head = i - i % 3;
        s->normal[i] = i == head ? -1 : head;
        s->partner[i] = i == head ? -1 : 2 * head + 3 - i;
        s->mu[i] = 0.5;
        for (int32_t k = 0; k < 2 * WIDTH; k++)
            s->left.col[s->left.first[i] + k] = s->left.col[s->left.first[head] + k];
    }
    cd_lcp_structure_classify(s, &arena);
}

// Contacts whose normals are near may not be those of their tangents.
CD_TEST(an_answer_with_friction_is_one_of_all)
{
    int taken_in = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        cd_random random = {seed};
        cd_lcp_structure s = structure_of(ROWS, 0, &random);
        add_friction(&s);
        cd_lcp_result near;
        calls = 0;
        CD_CHECK(cd_lcp_solve_near(&cd_lcp_solver_ipm, &s, &CD_LCP_OPTIONS_DEFAULT, solve, &arena, &near));
        CD_CHECK(near.status == CD_LCP_SOLVED && calls > 0 && rows < 0.4 * ROWS && rows % 3 == 0);
        CD_CHECK(cd_lcp_structure_residual(&s, near.z, NULL, &arena) < CD_LCP_TOLERANCE);
        taken_in += calls > 1;
        cd_arena_reset(&arena);
    }
    CD_CHECK(taken_in > 0 && taken_in < 8);
}

CD_TEST(so_it_is_where_rows_are_no_columns)
{
    int taken_in = 0;
    check_near(1e-3, &taken_in);
    CD_CHECK(taken_in > 0);
}

// Its start and its guess reach the method row by row.
static cd_lcp_result look(const cd_lcp_solver *solver, const cd_lcp_structure *s, const cd_lcp_options *options,
                          cd_arena *memory)
{
    (void)solver;
    for (int32_t i = 0; i < s->n; i++)
        CD_CHECK(options->warm[i] == s->q[i] && options->guess[i] == -s->q[i]);
    return (cd_lcp_result){.status = CD_LCP_LIMIT, .iterations = 7, .z = CD_ARENA_ZARRAY(memory, double, s->n)};
}

CD_TEST(start_and_guess_are_those_of_the_rows)
{
    cd_random random = {3};
    const cd_lcp_structure s = structure_of(ROWS, 0, &random);
    double *guess = CD_ARENA_ARRAY(&arena, double, ROWS);
    for (int32_t i = 0; i < ROWS; i++)
        guess[i] = -s.q[i];
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    options.warm = s.q;
    options.guess = guess;
    cd_lcp_result result;
    // A method that does not solve the part leaves the whole to be solved, and its steps count.
    CD_CHECK(!cd_lcp_solve_near(&cd_lcp_solver_qp, &s, &options, look, &arena, &result));
    CD_CHECK(result.iterations == 7);
    cd_arena_reset(&arena);
}

// Two rows that cannot hold both: u_0 >= 1 and -u_0 >= 1.
CD_TEST(a_contradiction_of_near_rows_is_one_of_all)
{
    cd_random random = {2};
    const cd_lcp_structure s = structure_of(ROWS, 0, &random);
    for (int32_t row = 0; row < 2; row++) {
        for (int32_t k = s.left.first[row]; k < s.left.first[row + 1]; k++)
            s.left.value[k] = s.left.col[k] == s.left.col[s.left.first[row]] ? row ? -1 : 1 : 0;
        s.left.col[s.left.first[row]] = 0;
        for (int32_t k = 1; k < 2 * WIDTH; k++)
            s.left.col[s.left.first[row] + k] = k;
        s.q[row] = -1;
        s.diagonal[row] = 1;
    }
    cd_lcp_result near;
    CD_CHECK(cd_lcp_solve_near(&cd_lcp_solver_qp, &s, &CD_LCP_OPTIONS_DEFAULT, solve, &arena, &near));
    CD_CHECK(near.status == CD_LCP_INFEASIBLE);
    cd_arena_reset(&arena);
}

// w_0 = z_1 - 1 and w_1 = 5 - z_0, beside rows that stay open: row 0, the only near one, contradicts itself, and row 1
// makes good what it lacks.
CD_TEST(where_rows_are_no_columns_a_part_proves_nothing)
{
    enum { COUNT = 302 };
    cd_lcp_structure s = {.n = COUNT, .m = COUNT, .q = CD_ARENA_ARRAY(&arena, double, COUNT)};
    s.left = (cd_lcp_rows){.first = CD_ARENA_ZARRAY(&arena, int32_t, COUNT + 1),
                           .col = CD_ARENA_ARRAY(&arena, int32_t, 2 * COUNT),
                           .value = CD_ARENA_ARRAY(&arena, double, 2 * COUNT)};
    s.right = s.left;
    s.right.value = CD_ARENA_ARRAY(&arena, double, 2 * COUNT);
    const double left[2][2] = {{1, 0}, {0, -1}}, right[2][2] = {{0, 1}, {1, 0}};
    int32_t count = 0;
    for (int32_t i = 0; i < COUNT; i++) {
        for (int32_t k = i < 2 ? 0 : i; k < (i < 2 ? 2 : i + 1); k++, count++) {
            s.left.col[count] = k;
            s.left.value[count] = i < 2 ? left[i][k] : 1;
            s.right.value[count] = i < 2 ? right[i][k] : 1;
        }
        s.left.first[i + 1] = count;
        s.q[i] = i == 0 ? -1 : i == 1 ? 5 : 1;
    }
    s.direct.first = CD_ARENA_ZARRAY(&arena, int32_t, COUNT + 1);
    cd_lcp_structure_classify(&s, &arena);
    CD_CHECK(s.is_skew);
    const cd_lcp_result whole = cd_lcp_solve_structure(&cd_lcp_solver_ladder, &s, &CD_LCP_OPTIONS_DEFAULT, &arena);
    CD_CHECK(whole.status == CD_LCP_SOLVED);
    CD_CHECK_NEAR(whole.z[0], 5, 1e-12);
    CD_CHECK_NEAR(whole.z[1], 1, 1e-12);
    cd_arena_reset(&arena);
}

CD_TEST(where_it_would_not_pay_nothing_is_done)
{
    cd_random random = {5};
    cd_lcp_result near;
    calls = 0;
    const cd_lcp_structure few = structure_of(300, 0, &random), all = structure_of(ROWS, 0, &random);
    CD_CHECK(!cd_lcp_solve_near(&cd_lcp_solver_qp, &few, &CD_LCP_OPTIONS_DEFAULT, solve, &arena, &near));
    for (int32_t i = 0; i < ROWS; i++)
        all.q[i] = -fabs(all.q[i]);
    CD_CHECK(!cd_lcp_solve_near(&cd_lcp_solver_qp, &all, &CD_LCP_OPTIONS_DEFAULT, solve, &arena, &near));
    for (int32_t i = 0; i < ROWS; i++)
        all.q[i] = -all.q[i];
    CD_CHECK(!cd_lcp_solve_near(&cd_lcp_solver_qp, &all, &CD_LCP_OPTIONS_DEFAULT, solve, &arena, &near));
    CD_CHECK(calls == 0);
    cd_arena_reset(&arena);
}

int main(void)
{
    CD_RUN(the_answer_is_that_of_all);
    CD_RUN(an_answer_with_friction_is_one_of_all);
    CD_RUN(so_it_is_where_rows_are_no_columns);
    CD_RUN(start_and_guess_are_those_of_the_rows);
    CD_RUN(a_contradiction_of_near_rows_is_one_of_all);
    CD_RUN(where_rows_are_no_columns_a_part_proves_nothing);
    CD_RUN(where_it_would_not_pay_nothing_is_done);
    cd_arena_release(&arena);
    return cd_test_done();
}
