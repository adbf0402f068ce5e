// Contacts without friction again and again: the answer from the rows that carried before is that from nowhere, by the
// dense factor of few rows and by the sparse one of all velocities.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_test.h"
#include "lcp_again.h"
#include "lcp_few_again.h"

#include <math.h>

extern const cd_lcp_solver cd_lcp_solver_qp;

static cd_arena arena;

#define TOO_MANY_CARRY 1e-3
enum { ROWS = 400, COLUMNS = 240, WIDTH = 6 };

// Rows of six entries of a column block each, a second block for every other row; most of the gaps open.
static cd_lcp_structure structure_of(cd_random *random)
{
    cd_lcp_structure s = {.n = ROWS, .m = COLUMNS, .q = CD_ARENA_ARRAY(&arena, double, ROWS)};
    cd_lcp_rows *left = &s.left;
    left->first = CD_ARENA_ZARRAY(&arena, int32_t, ROWS + 1);
    left->col = CD_ARENA_ARRAY(&arena, int32_t, 2 * WIDTH * ROWS);
    left->value = CD_ARENA_ARRAY(&arena, double, 2 * WIDTH * ROWS);
    int32_t count = 0;
    for (int32_t i = 0; i < ROWS; i++) {
        const int32_t block = (int32_t)cd_random_between(random, 0, COLUMNS / WIDTH - 1);
        for (int32_t k = 0; k < (i % 2 ? 2 * WIDTH : WIDTH); k++) {
            left->col[count] = WIDTH * block + k;
            left->value[count++] = cd_random_between(random, -0.6, 0.6);
        }
        left->first[i + 1] = count;
        s.q[i] = cd_random_between(random, -0.1, 0.6);
    }
    s.right = s.left;
    s.direct.first = CD_ARENA_ZARRAY(&arena, int32_t, ROWS + 1);
    cd_lcp_structure_classify(&s, &arena);
    return s;
}

static void move_gaps(const cd_lcp_structure *s, cd_random *random, double most)
{
    for (int32_t i = 0; i < s->n; i++)
        s->q[i] += cd_random_between(random, -most, most);
}

static void check_answer(const cd_lcp_structure *s, const double *y, double most)
{
    const double *exact = cd_lcp_solver_qp.solve_structure(s, &CD_LCP_OPTIONS_DEFAULT, &arena).z;
    double *w = CD_ARENA_ARRAY(&arena, double, ROWS), *wanted = CD_ARENA_ARRAY(&arena, double, ROWS);
    CD_CHECK(cd_lcp_structure_residual(s, y, NULL, &arena) < most);
    cd_lcp_structure_values(s, y, NULL, w, &arena);
    cd_lcp_structure_values(s, exact, NULL, wanted, &arena);
    for (int32_t i = 0; i < s->n; i++)
        CD_CHECK_NEAR(w[i], wanted[i], 10 * most);
}

CD_TEST(few_rows_come_and_go)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        cd_random random = {seed};
        const cd_lcp_structure s = structure_of(&random);
        double *y = CD_ARENA_ARRAY(&arena, double, ROWS);
        memcpy(y, cd_lcp_solver_qp.solve_structure(&s, &CD_LCP_OPTIONS_DEFAULT, &arena).z, sizeof *y * ROWS);
        cd_lcp_few_again *m = cd_lcp_few_again_make(&s, &CD_LCP_OPTIONS_DEFAULT, y, &arena);
        CD_CHECK(m != NULL);
        // As steps of a splitting: by less and less, at last by nothing.
        for (double most = 0.01; most > 1e-9; most /= 10) {
            move_gaps(&s, &random, most);
            CD_CHECK(cd_lcp_few_again_next(m, y));
            check_answer(&s, y, 1e-12);
        }
        CD_CHECK(cd_lcp_few_again_next(m, y));
        check_answer(&s, y, 1e-12);
        cd_arena_reset(&arena);
    }
}

// Far from the last answer it says so, and leaves y.
CD_TEST(other_rows_are_not_few)
{
    cd_random random = {7};
    const cd_lcp_structure s = structure_of(&random);
    double *y = CD_ARENA_ZARRAY(&arena, double, ROWS);
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    cd_lcp_few_again *m = cd_lcp_few_again_make(&s, &options, y, &arena);
    for (int32_t i = 0; i < ROWS; i++)
        s.q[i] = -1 - cd_random_unit(&random);
    y[3] = 0.25;
    CD_CHECK(!cd_lcp_few_again_next(m, y));
    CD_CHECK(y[3] == 0.25 && y[4] == 0);
    for (int32_t i = 0; i < ROWS; i++)
        y[i] = 1;
    options.max_work = 2e6;  // 100 rows
    CD_CHECK(!cd_lcp_few_again_make(&s, &options, y, &arena));
    cd_arena_reset(&arena);
}

CD_TEST(rows_of_a_sparse_factor_come_and_go)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        cd_random random = {seed};
        const cd_lcp_structure s = structure_of(&random);
        double *y = CD_ARENA_ARRAY(&arena, double, ROWS), *w = CD_ARENA_ARRAY(&arena, double, ROWS);
        memcpy(y, cd_lcp_solver_qp.solve_structure(&s, &CD_LCP_OPTIONS_DEFAULT, &arena).z, sizeof *y * ROWS);
        cd_lcp_structure_values(&s, y, NULL, w, &arena);
        cd_lcp_again *m = cd_lcp_again_make(&s, &CD_LCP_OPTIONS_DEFAULT, &arena);
        CD_CHECK(m != NULL);
        cd_lcp_again_start(m, y, w);
        CD_CHECK(cd_lcp_again_next(m, s.q, y));
        for (double most = 0.01; most > 1e-9; most /= 10) {
            move_gaps(&s, &random, most);
            CD_CHECK(cd_lcp_again_next(m, s.q, y));
        }
        // Each answer leaves less of what the ones before were wrong by.
        for (int k = 0; k < 3; k++)
            CD_CHECK(cd_lcp_again_next(m, s.q, y));
        check_answer(&s, y, 1e-10);
        cd_arena_reset(&arena);
    }
}

// A guess of what carries and some rows too many: how many rows are taken up one by one after the wrong ones have left.
static int64_t steps_from_rows_too_many(uint64_t seed)
{
    cd_random random = {seed};
    const cd_lcp_structure s = structure_of(&random);
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    const double *y = cd_lcp_solver_qp.solve_structure(&s, &options, &arena).z;
    double *guess = CD_ARENA_ARRAY(&arena, double, ROWS);
    for (int32_t i = 0; i < ROWS; i++)
        guess[i] = y[i] > 0 ? y[i] : i % 4 == 0 ? TOO_MANY_CARRY : 0;
    options.warm = guess;
    const cd_lcp_result result = cd_lcp_solver_qp.solve_structure(&s, &options, &arena);
    CD_CHECK(result.status == CD_LCP_SOLVED);
    check_answer(&s, result.z, 1e-12);
    cd_arena_reset(&arena);
    return result.iterations;
}

CD_TEST(rows_too_many_of_a_guess_leave_without_those_that_carry)
{
    int64_t steps = 0;
    for (uint64_t seed = 1; seed <= 6; seed++)
        steps += steps_from_rows_too_many(seed);
    CD_CHECK(steps < 60);  // 2; 186 where all that come out negative leave at once
}

int main(void)
{
    CD_RUN(few_rows_come_and_go);
    CD_RUN(other_rows_are_not_few);
    CD_RUN(rows_of_a_sparse_factor_come_and_go);
    CD_RUN(rows_too_many_of_a_guess_leave_without_those_that_carry);
    cd_arena_release(&arena);
    return cd_test_done();
}
