// cd_exact_solve on systems whose exact answer is known, with entries of very different size in one row; enumeration on
// top of it.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_test.h"
#include "lcp_enum.h"
#include "lcp_exact.h"

static cd_arena arena;

enum { ROWS = CD_EXACT_ROWS };

// Diagonally dominant: row i has n on the diagonal, entries in (-1/2, 1/2) else, and one of these 2^-spread times as
// large.
static void random_dominant(cd_random *random, int n, int spread, double *a)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i * n + j] = i == j ? n : cd_random_between(random, -0.5, 0.5);
        const int small = (i + 1 + (int)(cd_random_unit(random) * (n - 1))) % n;
        a[i * n + small] = ldexp(a[i * n + small], -spread);
    }
}

static const int spreads[] = {0, 1, 20, 45, 50, 60, 75, 100, 130};
enum { SPREADS = sizeof spreads / sizeof *spreads };

// b = A x rounded: dominance leaves the exact solution within a few ulps of x, far from a change of sign.
CD_TEST(signs_of_dominant_systems)
{
    double a[ROWS * ROWS], b[ROWS], x[ROWS], known[ROWS];
    cd_random random = {21};
    for (int n = 8; n <= ROWS; n++) {
        for (int s = 0; s < SPREADS; s++) {
            const bool is_negative = (n + s) % 3 == 0;
            random_dominant(&random, n, spreads[s], a);
            for (int j = 0; j < n; j++)
                known[j] = cd_random_between(&random, 1, 2);
            if (is_negative)
                known[(n + s) % n] *= -1;
            for (int i = 0; i < n; i++) {
                b[i] = 0;
                for (int j = 0; j < n; j++)
                    b[i] += a[i * n + j] * known[j];
            }
            cd_exact_answer answer = cd_exact_solve(n, n, a, b, x, &arena);
            if (answer != (is_negative ? CD_EXACT_NEGATIVE : CD_EXACT_NON_NEGATIVE))
                printf("# n %d, spread %d: answer %d\n", n, spreads[s], (int)answer);
            CD_CHECK(answer == (is_negative ? CD_EXACT_NEGATIVE : CD_EXACT_NON_NEGATIVE));
            for (int j = 0; j < n && !is_negative; j++)
                CD_CHECK_NEAR(x[j], known[j], 1e-14);
        }
        cd_arena_reset(&arena);
    }
}

// The right-hand side is a column of the matrix, so the solution is a unit vector to the last bit; a last bit
// elsewhere, and there is none.
CD_TEST(a_column_as_right_hand_side)
{
    double a[ROWS * ROWS], left[ROWS * ROWS], b[ROWS], x[ROWS];
    cd_random random = {22};
    for (int n = 8; n <= ROWS; n += 2) {
        for (int s = 0; s < SPREADS; s++) {
            const int which = (n + s) % (n - 1), count = n - 1;
            random_dominant(&random, n, spreads[s], a);
            for (int i = 0; i < n; i++) {
                b[i] = a[i * n + which];
                for (int j = 0; j < count; j++)
                    left[i * count + j] = a[i * n + j];
            }
            CD_CHECK(cd_exact_solve(n, n, a, b, x, &arena) == CD_EXACT_NON_NEGATIVE);
            for (int j = 0; j < n; j++)
                CD_CHECK(x[j] == (j == which));
            CD_CHECK(cd_exact_solve(n, count, left, b, x, &arena) == CD_EXACT_NON_NEGATIVE);
            for (int j = 0; j < count; j++)
                CD_CHECK(x[j] == (j == which));
            for (int i = 0; i < n; i++)  // the last column again: the columns depend on each other, in every bit
                left[i * count + (which + 1) % count] = b[i];
            CD_CHECK(cd_exact_solve(n, count, left, b, x, &arena) == CD_EXACT_DEPENDENT);
            b[s % n] = nextafter(b[s % n], INFINITY);
            CD_CHECK(cd_exact_solve(n, count, left, b, x, &arena) == CD_EXACT_NONE);
        }
        cd_arena_reset(&arena);
    }
}

// What does not fit is refused, never cut: 16 rows of full mantissas spread over 2^-400; two rows of that spread do
// fit.
CD_TEST(too_long_is_said)
{
    double a[ROWS * ROWS], b[ROWS], x[ROWS];
    cd_random random = {23};
    for (int n = 2; n <= ROWS; n += 14) {
        random_dominant(&random, n, 400, a);
        for (int i = 0; i < n; i++)
            b[i] = a[i * n];
        CD_CHECK(cd_exact_solve(n, n, a, b, x, &arena) == (n == 2 ? CD_EXACT_NON_NEGATIVE : CD_EXACT_TOO_LONG));
    }
    const double tiny[4] = {0x1p-1074, 0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, 0x1p-1074},
                 right[2] = {0x1p-1074, 0x1.fffffffffffffp1023};
    CD_CHECK(cd_exact_solve(2, 2, tiny, right, x, &arena) == CD_EXACT_TOO_LONG);
    cd_arena_reset(&arena);
}

// A P-matrix has a solution for every q; with tolerance 0 doubles cannot state it, but it is no reason to say that
// there is none.
CD_TEST(enumeration_proves_nothing_false)
{
    double M[ROWS * ROWS], q[ROWS];
    cd_random random = {24};
    cd_lcp_options options = {.tolerance = 0, .seed = CD_LCP_SEED};
    for (int trial = 0; trial < 6; trial++) {
        const int n = 8 + 2 * (trial % 3);
        random_dominant(&random, n, trial < 3 ? 60 : 100, M);
        for (int i = 0; i < n; i++)
            q[i] = cd_random_between(&random, -n, i % 3 ? 0 : n);
        cd_lcp lcp = {.n = n, .M = M, .q = q};
        cd_lcp_result r = cd_lcp_enumerate(&lcp, &options, CD_LCP_ENUM_EXACT_MOST, &arena);
        CD_CHECK(r.status == CD_LCP_INACCURATE || r.status == CD_LCP_SOLVED);
        CD_CHECK_NEAR(r.residual, 0, 1e-13);
        cd_arena_reset(&arena);
    }
}

// w1 + w2 = -2 for every z. The last basis is singular: ruled out without rounding, and without that nothing is proved.
CD_TEST(what_is_not_solved_exactly_stays_open)
{
    const double M[4] = {1, -1, -1, 1}, q[2] = {-1, -1};
    const cd_lcp lcp = {.n = 2, .M = M, .q = q};
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    CD_CHECK(cd_lcp_enumerate(&lcp, &options, 1, &arena).status == CD_LCP_INFEASIBLE);
    CD_CHECK(cd_lcp_enumerate(&lcp, &options, 0, &arena).status == CD_LCP_INACCURATE);
    options.is_rounded = true;
    CD_CHECK(cd_lcp_enumerate(&lcp, &options, 1, &arena).status == CD_LCP_INACCURATE);
    cd_arena_reset(&arena);
}

int main(void)
{
    CD_RUN(signs_of_dominant_systems);
    CD_RUN(a_column_as_right_hand_side);
    CD_RUN(too_long_is_said);
    CD_RUN(enumeration_proves_nothing_false);
    CD_RUN(what_is_not_solved_exactly_stays_open);
    cd_arena_release(&arena);
    return cd_test_done();
}
