// Dense complementarity solvers against exact answers, enumeration, guaranteed classes and metamorphic relations.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "lcp_oracle.h"
#include "lcp_solver.h"

static cd_arena arena;

static cd_lcp_result solve(const char *name, int n, const double *M, const double *q)
{
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    cd_lcp lcp = {.n = n, .M = M, .q = q};
    return cd_lcp_solve(cd_lcp_find_solver(name), &lcp, &options, &arena);
}

CD_TEST(table_is_complete)
{
    int count = 0;
    for (; cd_lcp_solvers[count]; count++) {
        const cd_lcp_solver *s = cd_lcp_solvers[count];
        CD_CHECK_TEXT(cd_lcp_solver_names[count], s->name);
        CD_CHECK(cd_lcp_find_solver(s->name) == s);
        CD_CHECK(s->summary[0] && s->cost[0] && s->guarantee[0]);
        CD_CHECK(s->choose ? s->fallback && !s->solve && !s->solve_structure : s->solve || s->solve_structure);
        CD_CHECK(s->solves && (s->takes & CD_LCP_TAKES_GENERAL || !(s->solves & CD_LCP_SOLVES_P)));
    }
    CD_CHECK(count >= 4 && !cd_lcp_solver_names[count]);
    CD_CHECK(!cd_lcp_find_solver("gauss"));
    CD_CHECK_TEXT(cd_lcp_status_name(CD_LCP_SOLVED), "solved");
    CD_CHECK_TEXT(cd_lcp_status_name(CD_LCP_SINGULAR), "singular");
}

// Every method on every known problem: never `solved` without a solution, never `infeasible` with one; the ladder and
// Lemke solve what is solvable (two games outside every class depend on the covering vector).
CD_TEST(known_problems)
{
    static lcp_case c;
    FILE *file = fopen("tests/cases/lcp/problems.txt", "r");
    int read, count = 0;
    CD_CHECK(file != NULL);
    if (!file)
        return;
    while ((read = lcp_case_read(file, &c)) == 1) {
        if (c.free > 0)
            continue;
        count++;
        for (int k = 0; cd_lcp_solvers[k]; k++) {
            cd_lcp_options options = {.tolerance = 1e-12, .seed = CD_LCP_SEED};
            cd_lcp lcp = {.n = c.n, .M = c.M, .q = c.q};
            cd_lcp_result r = cd_lcp_solve(cd_lcp_solvers[k], &lcp, &options, &arena);
            bool solved = r.status == CD_LCP_SOLVED,
                 enumerates = cd_lcp_solvers[k]->most_rows && c.n <= cd_lcp_solvers[k]->most_rows;
            double size = fmax(1, fmax(oracle_size(c.n, c.q), oracle_size(c.n, r.z)));
            if (solved)
                CD_CHECK_NEAR(oracle_residual(c.n, c.M, c.q, r.z), 0, 1e-9 * size);
            if (strcmp(c.expect, "solvable") == 0) {
                bool lucky = strcmp(c.name, "siconos_CPS_3") == 0 || strcmp(c.name, "floudas_10_2_4") == 0;
                bool lemke = strcmp(cd_lcp_solver_names[k], "lemke") == 0;
                bool guaranteed = cd_lcp_solvers[k]->is_combined || enumerates || (lemke && !lucky);
                if ((guaranteed && !solved) || r.status == CD_LCP_INFEASIBLE)
                    printf("# %s by %s: %s\n", c.name, cd_lcp_solver_names[k], cd_lcp_status_name(r.status));
                CD_CHECK(solved || !guaranteed);
                CD_CHECK(r.status != CD_LCP_INFEASIBLE);
            } else if (strcmp(c.expect, "unsolvable") == 0) {
                CD_CHECK(!solved && r.reason[0]);
                // One has a solution after all, at 1e16, which doubles cannot express.
                CD_CHECK(!enumerates ||
                         r.status == (strcmp(c.name, "peg_squeezed_8") == 0 ? CD_LCP_INACCURATE : CD_LCP_INFEASIBLE));
            }
            for (int i = 0; solved && c.has_z && i < c.n; i++)
                CD_CHECK_NEAR(r.z[i], c.z[i], 1e-9 * size);
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(read == 0);
    CD_CHECK(count >= 28);
    fclose(file);
}

// Without the last-row rule and the lexicographic test Lemke cycles on these (Kostreva 1979).
CD_TEST(kostreva_does_not_cycle)
{
    const double first[9] = {1, 2, 0, 0, 1, 2, 2, 0, 1}, second[9] = {1, -1, 3, 2, -1, 3, -1, -2, 0},
                 q[3] = {-1, -1, -1};
    cd_lcp_result r = solve("lemke", 3, first, q);
    CD_CHECK(r.status == CD_LCP_SOLVED && r.iterations <= 8);
    r = solve("lemke", 3, second, q);
    CD_CHECK(r.status == CD_LCP_INFEASIBLE && r.iterations <= 8);  // its third row is negative for every z >= 0
    cd_arena_reset(&arena);
}

// Ties at a column with entries of 10^3: a row that leaves later than the others by 1e-13 drives them 1e-10 below zero,
// and where that row is z0 the path ends on a basis that is not complementary. The last digits show it.
CD_TEST(steep_ties_end_on_the_right_basis)
{
    static lcp_case c;
    FILE *file = fopen("tests/cases/lcp/problems.txt", "r");
    int count = 0;
    CD_CHECK(file != NULL);
    while (file && lcp_case_read(file, &c) == 1) {
        if (strncmp(c.name, "peg_steep_tie", 13) != 0)
            continue;
        count++;
        cd_lcp_result r = solve("lemke", c.n, c.M, c.q);
        CD_CHECK(r.status == CD_LCP_SOLVED);
        CD_CHECK_NEAR(r.residual, 0, 1e-14);
    }
    CD_CHECK(count == 2);
    if (file)
        fclose(file);
    cd_arena_reset(&arena);
}

// Classes for which Lemke is proved to find a solution: P, positive semidefinite and feasible, strictly copositive.
static void random_problem(cd_random *random, int family, int n, double *M, double *q)
{
    if (family == 0)
        oracle_random_p(random, n, M);
    else if (family == 1)
        oracle_random_psd(random, n, 1 + (int)(cd_random_unit(random) * n), M);
    for (int i = 0; i < n; i++)
        q[i] = cd_random_between(random, -1, 1);
    if (family == 2) {
        for (int i = 0; i < n * n; i++)
            M[i] = cd_random_unit(random) < 0.3 ? 0 : cd_random_unit(random);
        for (int i = 0; i < n; i++)
            M[i * n + i] = 0.05 + cd_random_unit(random);
    }
    if (family == 1) {  // q = w - M x with x, w >= 0, sparse enough to be degenerate at times
        double x[64];
        for (int i = 0; i < n; i++)
            x[i] = cd_random_unit(random) < 0.5 ? 0 : cd_random_unit(random);
        for (int i = 0; i < n; i++) {
            q[i] = cd_random_unit(random) < 0.5 ? 0 : cd_random_unit(random);
            for (int j = 0; j < n; j++)
                q[i] -= M[i * n + j] * x[j];
        }
    }
}

CD_TEST(guaranteed_classes_are_solved)
{
    static double M[64 * 64], q[64];
    cd_random random = {11};
    for (int trial = 0; trial < 3000; trial++) {
        int n = trial < 2400 ? 1 + trial % 6 : 7 + trial % 54, family = trial % 3;
        random_problem(&random, family, n, M, q);
        cd_lcp_result r = solve("lemke", n, M, q);
        if (r.status != CD_LCP_SOLVED)
            printf("# family %d n %d trial %d: %s %s\n", family, n, trial, cd_lcp_status_name(r.status), r.reason);
        CD_CHECK(r.status == CD_LCP_SOLVED);
        double size = fmax(1, oracle_size(n, r.z));
        CD_CHECK_NEAR(oracle_residual(n, M, q, r.z), 0, 1e-11 * size);
        if (n <= 6 && family != 1) {  // a semidefinite matrix may have a whole face of solutions
            oracle_answers answers;
            oracle_enumerate_lcp(n, M, q, 1e-9, &answers);
            CD_CHECK(answers.count >= 1 && (family != 0 || answers.count == 1));
            CD_CHECK_NEAR(oracle_distance(&answers, n, r.z), 0, 1e-7 * size);
        }
        cd_arena_reset(&arena);
    }
}

// Any matrix: what a method calls solved is a solution, what it calls infeasible has none, and the ladder finds nearly
// all.
CD_TEST(arbitrary_matrices_against_enumeration)
{
    double M[25], q[5];
    cd_random random = {12};
    int solvable = 0, missed = 0, infeasible = 0;
    for (int trial = 0; trial < 2000; trial++) {
        int n = 1 + trial % 5;
        for (int i = 0; i < n * n; i++)
            M[i] = cd_random_between(&random, -1, 1);
        for (int i = 0; i < n; i++)
            q[i] = cd_random_between(&random, -1, 1);
        oracle_answers answers;
        oracle_enumerate_lcp(n, M, q, 1e-11, &answers);
        solvable += answers.count > 0;
        for (int k = 0; cd_lcp_solvers[k]; k++) {
            cd_lcp_result r = solve(cd_lcp_solver_names[k], n, M, q);
            if (r.status == CD_LCP_SOLVED)
                CD_CHECK_NEAR(oracle_distance(&answers, n, r.z), 0, 1e-6 * fmax(1, oracle_size(n, r.z)));
            if (r.status == CD_LCP_INFEASIBLE)
                CD_CHECK(answers.count == 0);
            if (strcmp(cd_lcp_solver_names[k], "ladder") == 0) {
                missed += answers.count > 0 && r.status != CD_LCP_SOLVED;
                infeasible += r.status == CD_LCP_INFEASIBLE;
            }
        }
        cd_arena_reset(&arena);
    }
    printf("# %d solvable, the ladder missed %d; %d shown infeasible\n", solvable, missed, infeasible);
    CD_CHECK(solvable > 1000 && infeasible + solvable == 2000);
    CD_CHECK(missed == 0);  // the last rung enumerates
}

// Outside the guaranteed classes each rung solves problems that the ones before it did not.
CD_TEST(every_rung_of_the_ladder_is_reached)
{
    const char *const *rung = cd_lcp_find_solver("ladder")->answers;
    enum { ENUMERATION = 5 };  // the rung behind all others, which needs them to fail; "warm" needs a start
    int found[ENUMERATION] = {0};
    CD_CHECK_TEXT(rung[ENUMERATION], "enum");
    double M[64], q[8];
    cd_random random = {99};
    for (int trial = 0; trial < 8000; trial++) {
        int n = 2 + trial % 6;
        bool sparse = trial % 2;
        for (int i = 0; i < n * n; i++)
            M[i] = sparse && cd_random_unit(&random) < 0.5 ? 0 : cd_random_between(&random, -1, 1);
        for (int i = 0; i < n; i++)
            q[i] = cd_random_between(&random, -1, 1);
        cd_lcp_result r = solve("ladder", n, M, q);
        for (int k = 0; k < ENUMERATION; k++)
            found[k] += r.status == CD_LCP_SOLVED && strcmp(r.solver, rung[k]) == 0;
        cd_arena_reset(&arena);
    }
    for (int k = 0; k < ENUMERATION; k++)
        CD_CHECK(found[k] >= 5);
}

// The rounding of w counts: with z = 1e16 the terms cancel to w = 0 and mean nothing.
CD_TEST(residual_includes_rounding)
{
    const double M[4] = {1, -1, -1, 1}, q[2] = {0, 0}, z[2] = {1e16, 1e16}, one[2] = {1, 1};
    cd_lcp lcp = {.n = 2, .M = M, .q = q};
    CD_CHECK(cd_lcp_natural_residual(&lcp, z, NULL) > 1);
    CD_CHECK(cd_lcp_natural_residual(&lcp, one, NULL) < 1e-15);
}

// Small integers make ties, singular bases and equal rows common.
CD_TEST(degenerate_integers_against_enumeration)
{
    double M[16], q[4];
    cd_random random = {13};
    int wrong_infeasible = 0, ended = 0;
    for (int trial = 0; trial < 2000; trial++) {
        int n = 1 + trial % 4;
        for (int i = 0; i < n * n; i++)
            M[i] = floor(cd_random_between(&random, -2, 3));
        for (int i = 0; i < n; i++)
            q[i] = floor(cd_random_between(&random, -2, 2));
        oracle_answers answers;
        oracle_enumerate_lcp(n, M, q, 1e-11, &answers);
        for (int k = 0; cd_lcp_solvers[k]; k++) {
            cd_lcp_result r = solve(cd_lcp_solver_names[k], n, M, q);
            if (r.status == CD_LCP_SOLVED)
                CD_CHECK_NEAR(oracle_residual(n, M, q, r.z), 0, 1e-9);
            wrong_infeasible += r.status == CD_LCP_INFEASIBLE && answers.count > 0;
            ended += strcmp(cd_lcp_solver_names[k], "lemke") == 0 && r.status != CD_LCP_LIMIT;
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(wrong_infeasible == 0);
    CD_CHECK(ended == 2000);  // no cycle
}

CD_TEST(unsolvable_is_never_solved)
{
    const double third = 1.0 / 3;
    const struct {
        double M[4], q[2];
    } problem[] = {
        {{1, -1, -1, 1}, {-1, -1}},                                  // w1 + w2 = -2 for every z
        {{third, -third, -third, third * (1 - 0x1p-53)}, {-1, -1}},  // the same up to rounding: z would be 1e16
        {{0, 0, 0, 0}, {-1, 1}},
        {{-1, 0, 0, -1}, {-1, -1}},
        {{1e-9, -1e-9, -1e9, 1e9}, {-1e-9, -1e9}},
    };
    for (size_t p = 0; p < sizeof problem / sizeof *problem; p++) {
        for (int k = 0; cd_lcp_solvers[k]; k++) {
            cd_lcp_result r = solve(cd_lcp_solver_names[k], 2, problem[p].M, problem[p].q);
            CD_CHECK(r.status != CD_LCP_SOLVED);
            CD_CHECK(r.residual > 1e-3 && r.reason[0]);
        }
    }
    // Positive semidefinite and infeasible: Lemke's ray is a proof.
    CD_CHECK(solve("lemke", 2, problem[0].M, problem[0].q).status == CD_LCP_INFEASIBLE);
    CD_CHECK(solve("auto", 2, problem[0].M, problem[0].q).status == CD_LCP_INFEASIBLE);
    cd_arena_reset(&arena);
}

// A semidefinite problem made infeasible by v >= 0, M'v <= 0, q.v < 0 with v in the kernel: recognised whatever the
// units.
CD_TEST(infeasible_semidefinite)
{
    static double M[20 * 20], q[20];
    cd_random random = {14};
    for (int trial = 0; trial < 200; trial++) {
        int n = 2 + trial % 19;
        double A[20], v[20], scale[20], drop = 0;
        for (int i = 0; i < n; i++)
            v[i] = cd_random_between(&random, 0.5, 1.5);
        memset(M, 0, sizeof M);
        for (int k = 0; k < n; k++) {  // rank-one terms a a' with a.v = 0
            double along = 0, square = 0;
            for (int i = 0; i < n; i++)
                A[i] = cd_random_between(&random, -1, 1);
            for (int i = 0; i < n; i++) {
                along += A[i] * v[i];
                square += v[i] * v[i];
            }
            for (int i = 0; i < n; i++)
                A[i] -= along / square * v[i];
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++)
                    M[i * n + j] += A[i] * A[j];
            }
        }
        for (int i = 0; i < n; i++) {
            q[i] = cd_random_between(&random, -1, 1);
            drop += q[i] * v[i];
            scale[i] = pow(10, cd_random_between(&random, -3, 3));
        }
        for (int i = 0; i < n; i++)
            q[i] -= (drop + 1) * v[i] / (n * v[i] * v[i]);  // q.v = -1
        for (int i = 0; i < n; i++) {
            q[i] *= scale[i];
            for (int j = 0; j < n; j++)
                M[i * n + j] *= scale[i] * scale[j];
        }
        cd_lcp_result r = solve("ladder", n, M, q);
        CD_CHECK(r.status == CD_LCP_INFEASIBLE);
        cd_arena_reset(&arena);
    }
}

CD_TEST(limits_and_non_finite)
{
    static double M[36], q[6];
    cd_random random = {15};
    oracle_random_p(&random, 6, M);
    for (int i = 0; i < 6; i++)
        q[i] = -1 - i;
    cd_lcp lcp = {.n = 6, .M = M, .q = q};
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    options.max_iterations = 1;
    cd_lcp_result r = cd_lcp_solve(cd_lcp_find_solver("lemke"), &lcp, &options, &arena);
    CD_CHECK(r.status == CD_LCP_LIMIT && r.iterations == 1 && r.reason[0]);
    r = cd_lcp_solve(cd_lcp_find_solver("newton"), &lcp, &options, &arena);
    CD_CHECK(r.status == CD_LCP_LIMIT || r.status == CD_LCP_SOLVED);
    options = CD_LCP_OPTIONS_DEFAULT;
    options.tolerance = 0;  // cannot be met with w = 0 computed in floating point, so it must be said
    lcp.n = 6;
    r = cd_lcp_solve(cd_lcp_find_solver("ladder"), &lcp, &options, &arena);
    CD_CHECK(r.status == (r.residual == 0 ? CD_LCP_SOLVED : CD_LCP_INACCURATE) && r.residual < 1e-13);
    M[3] = NAN;
    for (int k = 0; cd_lcp_solvers[k]; k++) {
        r = solve(cd_lcp_solver_names[k], 6, M, q);
        CD_CHECK(r.status != CD_LCP_SOLVED && r.residual == INFINITY && r.reason[0]);
        r = solve(cd_lcp_solver_names[k], 0, M, q);
        CD_CHECK(r.status == CD_LCP_SOLVED && r.residual == 0 && r.iterations == 0);
    }
    cd_arena_reset(&arena);
}

// P-matrices have one solution: it must follow permutations and changes of units of rows and columns.
CD_TEST(permutation_and_units)
{
    static double M[1600], N[1600], q[40], p[40], r_scale[40], c_scale[40];
    int order[40];
    cd_random random = {16};
    for (int trial = 0; trial < 200; trial++) {
        int n = 1 + trial % 40;
        oracle_random_p(&random, n, M);
        double unit = pow(10, cd_random_between(&random, -9, 9));
        for (int i = 0; i < n; i++) {
            q[i] = cd_random_between(&random, -1, 1);
            order[i] = i;
            r_scale[i] = pow(10, cd_random_between(&random, -4, 4));
            c_scale[i] = pow(10, cd_random_between(&random, -4, 4));
        }
        for (int i = n - 1; i > 0; i--) {
            int k = (int)(cd_random_unit(&random) * (i + 1)), t = order[i];
            order[i] = order[k];
            order[k] = t;
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                N[i * n + j] = r_scale[i] * M[order[i] * n + order[j]] * c_scale[j];
            p[i] = unit * r_scale[i] * q[order[i]];
        }
        for (int k = 0; cd_lcp_solvers[k]; k++) {
            if (!(cd_lcp_solvers[k]->solves & CD_LCP_SOLVES_P))
                continue;
            if (n > 7 && cd_lcp_solvers[k]->most_rows)
                continue;  // enumeration takes its time
            cd_lcp_result a = solve(cd_lcp_solver_names[k], n, M, q), b = solve(cd_lcp_solver_names[k], n, N, p);
            CD_CHECK(a.status == CD_LCP_SOLVED && b.status == CD_LCP_SOLVED);
            double size = fmax(1, oracle_size(n, a.z));
            for (int i = 0; i < n; i++)
                CD_CHECK_NEAR(b.z[i] * c_scale[i] / unit, a.z[order[i]], 1e-7 * size);
        }
        cd_arena_reset(&arena);
    }
}

CD_TEST(same_input_same_bytes)
{
    static double M[900], q[30], kept[30];
    cd_random random = {17};
    for (int i = 0; i < 900; i++)
        M[i] = cd_random_between(&random, -1, 1);
    for (int i = 0; i < 30; i++)
        q[i] = cd_random_between(&random, -1, 1);
    for (int k = 0; cd_lcp_solvers[k]; k++) {
        cd_lcp_result r = solve(cd_lcp_solver_names[k], 30, M, q);
        memcpy(kept, r.z, sizeof kept);
        int64_t iterations = r.iterations;
        for (int again = 0; again < 3; again++) {
            memset(cd_arena_alloc(&arena, 100000 * (size_t)(again + 1)), 0xa5 + again, 100000 * (size_t)(again + 1));
            r = solve(cd_lcp_solver_names[k], 30, M, q);
            CD_CHECK(memcmp(kept, r.z, sizeof kept) == 0 && r.iterations == iterations);
        }
        cd_arena_reset(&arena);
    }
}

CD_TEST(warm_start_ends_at_once)
{
    static double M[400], q[20], start[20];
    cd_random random = {18};
    oracle_random_p(&random, 20, M);
    for (int i = 0; i < 20; i++)
        q[i] = cd_random_between(&random, -1, 1);
    cd_lcp_result cold = solve("ladder", 20, M, q);
    for (int i = 0; i < 20; i++)
        start[i] = cold.z[i] * 1.01;
    cd_lcp lcp = {.n = 20, .M = M, .q = q};
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    options.warm = start;
    cd_lcp_result warm = cd_lcp_solve(cd_lcp_find_solver("ladder"), &lcp, &options, &arena);
    CD_CHECK(warm.status == CD_LCP_SOLVED && warm.iterations <= 3 && warm.iterations < cold.iterations);
    CD_CHECK_TEXT(warm.solver, "warm");
    for (int i = 0; i < 20; i++)
        CD_CHECK_NEAR(warm.z[i], cold.z[i], 1e-12);
    start[0] = NAN;
    start[1] = -5;
    warm = cd_lcp_solve(cd_lcp_find_solver("newton"), &lcp, &options, &arena);
    CD_CHECK(warm.status == CD_LCP_SOLVED);
    cd_arena_reset(&arena);
}

int main(void)
{
    CD_RUN(table_is_complete);
    CD_RUN(known_problems);
    CD_RUN(steep_ties_end_on_the_right_basis);
    CD_RUN(kostreva_does_not_cycle);
    CD_RUN(guaranteed_classes_are_solved);
    CD_RUN(arbitrary_matrices_against_enumeration);
    CD_RUN(every_rung_of_the_ladder_is_reached);
    CD_RUN(residual_includes_rounding);
    CD_RUN(degenerate_integers_against_enumeration);
    CD_RUN(unsolvable_is_never_solved);
    CD_RUN(infeasible_semidefinite);
    CD_RUN(limits_and_non_finite);
    CD_RUN(permutation_and_units);
    CD_RUN(same_input_same_bytes);
    CD_RUN(warm_start_ends_at_once);
    cd_arena_release(&arena);
    return cd_test_done();
}
