// The structured solvers: the same answers as the dense ones, bounds, proofs, friction discs, islands on several
// threads.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "cd_threads.h"
#include "lcp_oracle.h"
#include "lcp_piles.h"
#include "lcp_structure.h"

static cd_arena arena;

static cd_mcp_solution solve_on(const char *solver, const cd_mcp *mcp, int threads)
{
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    options.threads = threads;
    cd_mcp_solution out;
    cd_mcp_solve(mcp, cd_lcp_find_solver(solver), &options, &arena, &out);
    return out;
}

static bool fits_rows(const cd_lcp_solver *solver, int32_t rows)
{
    return !solver->most_rows || rows <= solver->most_rows;
}

// Impulses of redundant contacts are not unique, velocities are.
CD_TEST(every_solver_finds_the_same_motion)
{
    for (uint64_t seed = 0; seed <= 6; seed++) {
        pile p = {.spread = seed % 2 ? 1 : 100, .random = {seed}};
        if (seed == 0)
            pile_add(&p, 1, 1, 2);  // few rows, for those that take no more
        else
            pile_add(&p, 1 + (int)seed % 3, 2, 2);
        const cd_mcp *m = pile_finish(&p);
        cd_mcp_solution exact = solve_on("qp", m, 1);
        CD_CHECK(exact.residual < 1e-13);
        int solved = 0;
        for (int k = 0; cd_lcp_solvers[k]; k++) {
            const cd_lcp_solver *solver = cd_lcp_solvers[k];
            cd_mcp_solution s = solve_on(solver->name, m, 1);
            const bool is_sure = solver->solves & CD_LCP_SOLVES_CONTACTS && fits_rows(solver, m->n - 6 * p.bodies);
            CD_CHECK(s.status == CD_LCP_SOLVED || (!is_sure && s.status != CD_LCP_INFEASIBLE));
            if (s.status != CD_LCP_SOLVED)
                continue;
            solved++;
            CD_CHECK(s.residual < 1e-10);
            CD_CHECK_TEXT(s.solver, solver->choose    ? exact.solver
                                    : solver->answers ? solver->answers[0]
                                                      : solver->name);
            for (int32_t i = 0; i < 6 * p.bodies; i++)
                CD_CHECK_NEAR(s.z[i], exact.z[i], 1e-8);
        }
        CD_CHECK(solved >= 6);
        pile_release(&p);
        cd_arena_reset(&arena);
    }
}

// Impulses turn bodies by torques that are themselves turned by 0.4 rad or so about the vertical.
static void turn_torques(pile *p)
{
    const double turned = 0.4;
    const int32_t entries = p->mcp.entry_count, velocities = 6 * p->bodies;
    for (int32_t k = 0; k < entries; k++) {
        const int32_t row = p->row[k], axis = row % 6;
        if (row < velocities && p->col[k] >= velocities && (axis == 3 || axis == 4))
            pile_entry(p, axis == 3 ? row + 1 : row - 1, p->col[k], (axis == 3 ? turned : -turned) * p->value[k]);
    }
}

// With such torques the matrix is symmetric no more. Methods of symmetric problems find the motion that Lemke's method
// finds on the dense matrix.
CD_TEST(impulses_that_act_beside_their_gaps)
{
    static const char *const structured[] = {"auto", "qp", "mprgp"};
    for (uint64_t seed = 1; seed <= 7; seed++) {
        pile p = {.spread = seed % 2 ? 1 : 100, .random = {seed}};
        if (seed <= 6)
            pile_add(&p, 1 + (int)seed % 3, 2, 2);
        else
            pile_add(&p, 5, 4, 3);  // so many rows, of which more than a few carry, that steps share a factor
        turn_torques(&p);
        const int32_t velocities = 6 * p.bodies;
        const cd_mcp *m = pile_finish(&p);
        const cd_mcp_solution dense = solve_on("lemke", m, 1);
        CD_CHECK(dense.status == CD_LCP_SOLVED);
        for (size_t k = 0; k < sizeof structured / sizeof *structured; k++) {
            const cd_mcp_solution s = solve_on(structured[k], m, 1);
            CD_CHECK(s.status == CD_LCP_SOLVED && s.residual <= CD_LCP_TOLERANCE);
            CD_CHECK(strcmp(s.solver, "lemke") != 0);
            for (int32_t i = 0; i < velocities; i++)
                CD_CHECK_NEAR(s.z[i], dense.z[i], 1e-8);
        }
        pile_release(&p);
        cd_arena_reset(&arena);
    }
}

// Of many rows the steps go on from those that carry: one iteration each, where projected gradients take hundreds.
CD_TEST(steps_share_a_factor)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        pile p = {.spread = seed % 2 ? 1 : 100, .random = {seed}};
        pile_add(&p, 6, 5, 3 + (int)seed % 3);
        turn_torques(&p);
        const cd_mcp *m = pile_finish(&p);
        const cd_mcp_solution s = solve_on("ipm", m, 1);
        CD_CHECK(s.status == CD_LCP_SOLVED && s.residual <= CD_LCP_TOLERANCE && s.iterations <= 25);
        pile_release(&p);
        cd_arena_reset(&arena);
    }
}

// Dense methods do not start above the limit, the others do what they can within it.
CD_TEST(memory_is_bounded)
{
    pile p = {.spread = 4, .random = {3}};
    pile_add(&p, 3, 3, 3);
    const cd_mcp *m = pile_finish(&p);
    cd_mcp_solution out;
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    options.max_dense = 20000;  // 22 dense rows, 43 in a factor
    int dense = 0, active = 0;
    for (int k = 0; cd_lcp_solvers[k]; k++) {
        cd_mcp_solve(m, cd_lcp_solvers[k], &options, &arena, &out);
        CD_CHECK(out.status == CD_LCP_SOLVED ? !cd_lcp_solvers[k]->solve : out.status == CD_LCP_LIMIT);
        if (cd_lcp_solvers[k]->solve)
            CD_CHECK_TEXT(out.reason, CD_LCP_TOO_LARGE);
        else if (out.status == CD_LCP_LIMIT)
            CD_CHECK(strstr(out.reason, "--max-dense"));
        dense += cd_lcp_solvers[k]->solve != NULL;
        active += !cd_lcp_solvers[k]->solve && out.status == CD_LCP_LIMIT;
    }
    CD_CHECK(dense >= 3 && active >= 2);
    cd_mcp_solve(m, cd_lcp_find_solver("auto"), &options, &arena, &out);
    CD_CHECK(out.status == CD_LCP_SOLVED && out.residual < 1e-10);
    CD_CHECK_TEXT(out.solver, "pgs");
    options.max_dense = 1000000;  // a factor of 306 rows is room enough
    cd_mcp_solve(m, cd_lcp_find_solver("qp"), &options, &arena, &out);
    CD_CHECK(out.status == CD_LCP_SOLVED);
    pile_release(&p);
    cd_arena_reset(&arena);
}

// One island of 40000 rows, not symmetric: 13 GB for each matrix.
CD_TEST(huge_islands_end_at_the_limit)
{
    enum { N = 40000 };
    cd_mcp m = {.n = N, .entry_count = 3 * N - 2};
    int32_t *row = CD_ARENA_ARRAY(&arena, int32_t, 3 * N), *col = CD_ARENA_ARRAY(&arena, int32_t, 3 * N), count = 0;
    double *value = CD_ARENA_ARRAY(&arena, double, 3 * N), *rhs = CD_ARENA_ARRAY(&arena, double, N);
    double *lower = CD_ARENA_ZARRAY(&arena, double, N), *upper = CD_ARENA_ARRAY(&arena, double, N);
    for (int32_t i = 0; i < N; i++) {
        rhs[i] = i % 3 - 1.5;
        upper[i] = INFINITY;
        for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++) {
            row[count] = i;
            col[count] = j;
            value[count++] = j == i ? 1 : j > i ? 2 : -1;
        }
    }
    m.row = row, m.col = col, m.value = value, m.rhs = rhs, m.lower = lower, m.upper = upper;
    for (int k = 0; cd_lcp_solvers[k]; k++) {
        cd_mcp_solution out = solve_on(cd_lcp_solvers[k]->name, &m, 1);
        CD_CHECK(out.status != CD_LCP_SOLVED);
        if (!cd_lcp_solvers[k]->solve && !cd_lcp_solvers[k]->choose)
            continue;
        CD_CHECK(out.status == CD_LCP_LIMIT);
        CD_CHECK_TEXT(out.reason, CD_LCP_TOO_LARGE);
    }
    for (int32_t i = 0; i < N; i++)
        lower[i] = -INFINITY;  // one block of free variables
    CD_CHECK(solve_on("auto", &m, 1).status == CD_LCP_LIMIT);
    cd_arena_reset(&arena);
}

CD_TEST(threads_change_nothing)
{
    enum { PILES = 50 };  // rows enough for five threads
    pile p = {.spread = 4, .random = {5}};
    for (int k = 0; k < PILES; k++)
        pile_add(&p, 1 + k % 3, 1, 1 + k % 4);
    const cd_mcp *m = pile_finish(&p);
    for (int k = 0; cd_lcp_solvers[k]; k++) {
        const cd_lcp_solver *solver = cd_lcp_solvers[k];
        if (solver->most_rows)
            continue;  // too few for most of these islands
        cd_mcp_solution one = solve_on(solver->name, m, 1);
        CD_CHECK(one.island_count == PILES &&
                 (one.status == CD_LCP_SOLVED || !(solver->solves & CD_LCP_SOLVES_CONTACTS)));
        for (int threads = 2; threads <= 5; threads++) {
            (void)cd_threads_take_most();
            cd_mcp_solution many = solve_on(solver->name, m, threads);
            CD_CHECK(cd_threads_take_most() == threads);
            CD_CHECK(memcmp(one.z, many.z, sizeof *one.z * (size_t)m->n) == 0 &&
                     memcmp(one.w, many.w, sizeof *one.w * (size_t)m->n) == 0);
            CD_CHECK(one.iterations == many.iterations && strcmp(one.solver, many.solver) == 0 &&
                     one.residual == many.residual);
        }
    }
    pile_release(&p);
    cd_arena_reset(&arena);
}

// What z of residual 1e-10 may be wrong by: the residual is measured where diagonals are near 1.
static double allowed(int n, const double *M, const double *z)
{
    double largest = 1;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, 1 / sqrt(M[(size_t)i * (size_t)n + (size_t)i]));
    return 1e-10 * largest * fmax(1, oracle_size(n, z));
}

// Random Gram matrices of low rank: feasible ones are solved; those with a combination v >= 0 of rows that is 0 while
// q.v < 0 are shown infeasible.
CD_TEST(semidefinite_of_low_rank)
{
    static double M[40 * 40], q[40];
    cd_random random = {31};
    int infeasible = 0;
    for (int trial = 0; trial < 600; trial++) {
        const int n = 2 + trial % 39, rank = 1 + (int)(cd_random_unit(&random) * n);
        oracle_random_psd(&random, n, rank, M);
        for (int i = 0; i < n; i++)
            q[i] = cd_random_between(&random, -1, 1);
        cd_lcp lcp = {.n = n, .M = M, .q = q};
        cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
        cd_lcp_result wanted = cd_lcp_solve(cd_lcp_find_solver("lemke"), &lcp, &options, &arena);
        infeasible += wanted.status == CD_LCP_INFEASIBLE;
        for (int k = 0; cd_lcp_solvers[k]; k++) {
            const cd_lcp_solver *solver = cd_lcp_solvers[k];
            if (!fits_rows(solver, n) || (solver->most_rows && n > 10))
                continue;  // enumeration takes its time
            cd_lcp_result r = cd_lcp_solve(solver, &lcp, &options, &arena);
            const bool is_sure = solver->solves & CD_LCP_SOLVES_SEMIDEFINITE;
            if (is_sure && r.status != wanted.status)
                printf("# trial %d n %d rank %d: %s by %s, %s by lemke\n", trial, n, rank, cd_lcp_status_name(r.status),
                       solver->name, cd_lcp_status_name(wanted.status));
            CD_CHECK(r.status == wanted.status || !is_sure);
            CD_CHECK(r.status != (wanted.status == CD_LCP_INFEASIBLE ? CD_LCP_SOLVED : CD_LCP_INFEASIBLE));
            if (r.status == CD_LCP_SOLVED)
                CD_CHECK_NEAR(oracle_residual(n, M, q, r.z), 0, allowed(n, M, r.z));
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(infeasible > 50 && infeasible < 550);
}

CD_TEST(indefinite_is_not_called_solved)
{
    double M[36], q[6];
    cd_random random = {32};
    for (int trial = 0; trial < 600; trial++) {
        const int n = 1 + trial % 6;
        for (int i = 0; i < n; i++) {
            q[i] = cd_random_between(&random, -1, 1);
            for (int j = 0; j <= i; j++)
                M[i * n + j] = M[j * n + i] = cd_random_between(&random, -1, 1);
        }
        oracle_answers answers;
        oracle_enumerate_lcp(n, M, q, 1e-11, &answers);
        cd_lcp lcp = {.n = n, .M = M, .q = q};
        cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
        for (int k = 0; cd_lcp_solvers[k]; k++) {
            cd_lcp_result r = cd_lcp_solve(cd_lcp_solvers[k], &lcp, &options, &arena);
            if (r.status == CD_LCP_SOLVED)
                CD_CHECK_NEAR(oracle_distance(&answers, n, r.z), 0, 1e-6 * fmax(1, oracle_size(n, r.z)));
            CD_CHECK(r.status != CD_LCP_INFEASIBLE || answers.count == 0);
        }
        cd_arena_reset(&arena);
    }
}

// y less y - w is 0 for an impulse of 1e20, whatever w is: an approach that no impulse changes stays one.
CD_TEST(a_huge_impulse_hides_no_approach)
{
    int32_t none[4] = {0}, normal[3] = {-1, -1, 1}, partner[3] = {-1, -1, -1};
    double q[3] = {-0.05, 0, 0.1}, mu[3] = {0, 0, 0.5}, y[3] = {1e20, 1e20, 1e10}, room[3] = {2e20, INFINITY, 0};
    cd_lcp_structure s = {.n = 3,
                          .left = {none, NULL, NULL},
                          .right = {none, NULL, NULL},
                          .direct = {none, NULL, NULL},
                          .q = q,
                          .normal = normal,
                          .partner = partner,
                          .mu = mu};
    cd_lcp_structure_classify(&s, &arena);
    CD_CHECK_NEAR(cd_lcp_structure_residual(&s, y, NULL, &arena), 0.1, 1e-15);
    for (int with_room = 0; with_room < 2; with_room++) {
        s.room = with_room ? room : NULL;
        CD_CHECK_NEAR(cd_lcp_structure_error(&s, 0, y, q), 0.05, 1e-15);
        CD_CHECK_NEAR(cd_lcp_structure_error(&s, 2, y, q), 0.1, 1e-15);
    }
    // The same in a problem as it is given: mprgp answers with such an impulse.
    const int32_t at[1] = {1};
    const double one[1] = {1}, rhs[2] = {-0.05, -1}, lower[2] = {0, 0}, upper[2] = {INFINITY, INFINITY};
    const cd_mcp m = {2, 1, at, at, one, rhs, lower, upper, NULL, NULL, NULL};
    for (int k = 0; cd_lcp_solvers[k]; k++) {
        cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
        cd_mcp_solution out;
        cd_mcp_solve(&m, cd_lcp_solvers[k], &options, &arena, &out);
        CD_CHECK(out.status != CD_LCP_SOLVED && out.residual > 0.01);
    }
    cd_arena_reset(&arena);
}

// Upper bounds on symmetric problems: methods take them as they are or, dense ones, as further rows.
CD_TEST(upper_bounds)
{
    enum { N = 12 };
    double M[N * N], rhs[N], lower[N], upper[N];
    int32_t row[N * N], col[N * N];
    cd_random random = {33};
    int at_room = 0;
    for (int trial = 0; trial < 300; trial++) {
        const int n = 1 + trial % N;
        oracle_random_psd(&random, n, n + 1, M);
        for (int i = 0; i < n; i++) {
            rhs[i] = cd_random_between(&random, -1, 1);
            lower[i] = cd_random_unit(&random) < 0.5 ? 0 : cd_random_between(&random, -1, 0);
            upper[i] = cd_random_unit(&random) < 0.3 ? INFINITY : lower[i] + cd_random_unit(&random);
        }
        for (int i = 0; i < n * n; i++) {
            row[i] = i / n;
            col[i] = i % n;
        }
        const cd_mcp m = {.n = n,
                          .entry_count = n * n,
                          .row = row,
                          .col = col,
                          .value = M,
                          .rhs = rhs,
                          .lower = lower,
                          .upper = upper};
        cd_mcp_solution wanted = solve_on("lemke", &m, 1);
        CD_CHECK(wanted.status == CD_LCP_SOLVED);
        for (int k = 0; cd_lcp_solvers[k]; k++) {
            const cd_lcp_solver *solver = cd_lcp_solvers[k];
            if ((!solver->solve && !(solver->takes & CD_LCP_TAKES_ROOMS)) || (solver->most_rows && n > 4))
                continue;
            cd_mcp_solution s = solve_on(solver->name, &m, 1);
            CD_CHECK(s.status == CD_LCP_SOLVED || !(solver->solves & CD_LCP_SOLVES_CONTACTS));
            if (s.status != CD_LCP_SOLVED)
                continue;
            for (int i = 0; i < n; i++) {
                CD_CHECK_NEAR(s.z[i], wanted.z[i], 1e-6);
                at_room += s.z[i] == upper[i];
            }
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(at_room > 300);
}

// Gap rows in metres beside impulses in N s: rows are no longer the transposed columns, but each is so times a number
// of its own.
CD_TEST(rows_in_other_units)
{
    pile p = {.spread = 4, .random = {8}};
    pile_add(&p, 2, 2, 2);
    const cd_mcp *m = pile_finish(&p);
    cd_mcp_solution wanted = solve_on("qp", m, 1);
    for (int32_t k = 0; k < m->entry_count; k++)
        p.value[k] *= p.row[k] >= 6 * p.bodies ? 0.01 : 1;
    for (int32_t i = 6 * p.bodies; i < m->n; i++)
        p.rhs[i] *= 0.01;
    cd_mcp_solution s = solve_on("qp", m, 1);
    CD_CHECK(s.status == CD_LCP_SOLVED && wanted.status == CD_LCP_SOLVED);
    for (int32_t i = 0; i < 6 * p.bodies; i++)
        CD_CHECK_NEAR(s.z[i], wanted.z[i], 1e-11);
    pile_release(&p);
    cd_arena_reset(&arena);
}

// Two plates close in on a cube: no velocity satisfies both rows.
CD_TEST(contradicting_contacts_are_infeasible)
{
    pile p = {.spread = 1, .random = {9}};
    pile_add(&p, 1, 1, 1);
    const double up[3] = {0, 0, 1}, down[3] = {0, 0, -1}, r[3] = {0, 0, 0};
    pile_contact(&p, -1, 0, up, r, r, -1e-3);
    pile_contact(&p, -1, 0, down, r, r, -1e-3);
    const cd_mcp *m = pile_finish(&p);
    for (int k = 0; cd_lcp_solvers[k]; k++) {
        const cd_lcp_status status = solve_on(cd_lcp_solvers[k]->name, m, 1).status;
        CD_CHECK(cd_lcp_solvers[k]->solves & CD_LCP_SOLVES_SEMIDEFINITE ? status == CD_LCP_INFEASIBLE
                                                                        : status != CD_LCP_SOLVED);
    }
    p.rhs[m->n - 1] = 1;  // room again
    for (int k = 0; cd_lcp_solvers[k]; k++)
        CD_CHECK(solve_on(cd_lcp_solvers[k]->name, m, 1).status == CD_LCP_SOLVED ||
                 !(cd_lcp_solvers[k]->solves & CD_LCP_SOLVES_CONTACTS));
    pile_release(&p);
    cd_arena_reset(&arena);
}

// ---- friction ------------------------------------------------------------------------------------------------------

// Coulomb's law on a disc, in its own words: |t| <= mu n; where the contact slips, t is mu n against the slip.
static void check_discs(const pile *p, const cd_mcp_solution *s, double slack)
{
    for (int32_t i = 0; i + 1 < p->mcp.n; i++) {
        if (p->normal_row[i] < 0 || p->normal_row[i + 1] != p->normal_row[i])
            continue;
        const double radius = p->mu[i] * s->z[p->normal_row[i]], force = hypot(s->z[i], s->z[i + 1]),
                     slip = hypot(s->w[i], s->w[i + 1]);
        CD_CHECK(force <= radius + slack);
        if (slip > 1e-6) {
            CD_CHECK_NEAR(s->z[i] * slip, -radius * s->w[i], slack);
            CD_CHECK_NEAR(s->z[i + 1] * slip, -radius * s->w[i + 1], slack);
        }
        i++;
    }
}

static bool takes_discs(const cd_lcp_solver *solver) { return solver->takes & CD_LCP_TAKES_DISCS; }

CD_TEST(friction_discs)
{
    static const int size[][3] = {{1, 1, 1}, {1, 1, 3}, {2, 1, 2}, {2, 2, 1}, {4, 1, 1}, {2, 2, 2}};
    int slips = 0, sticks = 0, solvers = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        pile p = {.friction = 0.3, .spread = 3, .random = {seed}};
        const int *n = size[seed % (sizeof size / sizeof *size)];
        pile_add(&p, n[0], n[1], n[2]);
        const cd_mcp *m = pile_finish(&p);
        for (int k = 0; cd_lcp_solvers[k]; k++) {
            if (!takes_discs(cd_lcp_solvers[k]))
                continue;
            cd_mcp_solution s = solve_on(cd_lcp_solvers[k]->name, m, 1);
            if (s.status != CD_LCP_SOLVED)
                printf("# seed %d: %s: %s, residual %g\n", (int)seed, cd_lcp_solvers[k]->name, s.reason, s.residual);
            CD_CHECK(s.status == CD_LCP_SOLVED);
            check_discs(&p, &s, 1e-8);
            for (int32_t i = 0; i < m->n; i++) {
                slips += p.normal_row[i] >= 0 && fabs(s.w[i]) > 1e-6;
                sticks += p.normal_row[i] >= 0 && fabs(s.w[i]) < 1e-9 && s.z[p.normal_row[i]] > 0;
            }
            solvers++;
        }
        pile_release(&p);
        cd_arena_reset(&arena);
    }
    CD_CHECK(slips > 150 && sticks > 150 && solvers >= 3 * 24);
}

// A point mass on a slope at any yaw: it sticks below the angle of friction and slides above, along the slope.
CD_TEST(slope)
{
    for (int yaw = 0; yaw < 24; yaw++) {
        for (int k = 0; k < 2; k++) {
            const double angle = (k ? 17 : 16.5) * 3.14159265358979 / 180, turn = yaw * 0.2617993877991494, mu = 0.3;
            const double pull[3] = {sin(angle) * cos(turn), sin(angle) * sin(turn), -cos(angle)};
            const int32_t row[9] = {0, 1, 2, 0, 3, 1, 4, 2, 5}, col[9] = {0, 1, 2, 4, 2, 5, 0, 3, 1};
            const double value[9] = {-1, -1, -1, 1, 1, 1, 1, 1, 1}, rhs[6] = {pull[0], pull[1], pull[2], 0, 0, 0};
            const double lower[6] = {-INFINITY, -INFINITY, -INFINITY, 0, 0, 0},
                         upper[6] = {INFINITY, INFINITY, INFINITY, INFINITY, 0, 0};
            const int32_t normal[6] = {-1, -1, -1, -1, 3, 3};
            const double friction[6] = {0, 0, 0, 0, mu, mu};
            const cd_mcp m = {.n = 6,
                              .entry_count = 9,
                              .row = row,
                              .col = col,
                              .value = value,
                              .rhs = rhs,
                              .lower = lower,
                              .upper = upper,
                              .normal_row = normal,
                              .mu = friction};
            const char *reason;
            CD_CHECK(cd_mcp_disc_fault(&m, &reason) == -1);
            const double speed = k ? sin(angle) - mu * cos(angle) : 0;
            for (int j = 0; cd_lcp_solvers[j]; j++) {
                if (!takes_discs(cd_lcp_solvers[j]))
                    continue;
                cd_mcp_solution s = solve_on(cd_lcp_solvers[j]->name, &m, 1);
                CD_CHECK(s.status == CD_LCP_SOLVED);
                CD_CHECK_NEAR(s.z[0], speed * cos(turn), CD_LCP_TOLERANCE);
                CD_CHECK_NEAR(s.z[1], speed * sin(turn), CD_LCP_TOLERANCE);
                CD_CHECK_NEAR(s.z[3], cos(angle), CD_LCP_TOLERANCE);
            }
            cd_arena_reset(&arena);
        }
    }
}

// A ball of mass and radius 1 at rest on a slope, but for a spin about the normal. Rows: velocity, spin, the normal
// impulse, then discs on it of three kinds: friction, rolling, spinning. mu is left to be set.
typedef struct slope_ball {
    double angle, turn, spin, inertia;  // of the slope, of its fall against x
    int32_t row[24], col[24];
    double value[24], rhs[12], lower[12], upper[12], mu[12];
} slope_ball;

static cd_mcp slope_ball_problem(slope_ball *ball)
{
    enum { PLACES = 8 };
    static const int32_t place[PLACES][2] = {{6, 2}, {7, 0}, {7, 4}, {8, 1}, {8, 3}, {9, 3}, {10, 4}, {11, 5}};
    static const double column[PLACES] = {1, 1, -1, 1, 1, 1, 1, 1};
    static const int32_t normal[12] = {-1, -1, -1, -1, -1, -1, -1, 6, 6, 6, 6, 6};
    static const int32_t kind[12] = {0, 0, 0, 0, 0, 0, 1, 4, 4, 5, 5, 6};
    int32_t count = 0;
    for (int32_t i = 0; i < 6; i++, count++) {
        ball->row[count] = ball->col[count] = i;
        ball->value[count] = i < 3 ? -1 : -ball->inertia;
    }
    for (int k = 0; k < PLACES; k++)
        for (int twin = 0; twin < 2; twin++, count++) {
            ball->row[count] = place[k][twin];
            ball->col[count] = place[k][1 - twin];
            ball->value[count] = column[k];
        }
    for (int i = 0; i < 12; i++) {
        ball->lower[i] = i == 6 ? 0 : -INFINITY;
        ball->upper[i] = INFINITY;
    }
    ball->rhs[0] = sin(ball->angle) * cos(ball->turn);
    ball->rhs[1] = sin(ball->angle) * sin(ball->turn);
    ball->rhs[2] = -cos(ball->angle);
    ball->rhs[5] = ball->inertia * ball->spin;
    return (cd_mcp){.n = 12,
                    .entry_count = count,
                    .row = ball->row,
                    .col = ball->col,
                    .value = ball->value,
                    .rhs = ball->rhs,
                    .lower = ball->lower,
                    .upper = ball->upper,
                    .normal_row = normal,
                    .mu = ball->mu,
                    .kind = kind};
}

// Exact: where tan(slope) is above the rolling length it rolls with (sin - rolling cos) / 1.4, else it stays; the spin
// loses spinning cos / 0.4.
CD_TEST(discs_of_several_kinds_on_one_normal)
{
    slope_ball ball = {.angle = 0.3, .turn = 0.8, .spin = 0.7, .inertia = 0.4};
    const cd_mcp m = slope_ball_problem(&ball);
    static const double rolling[] = {0.2, 0.3, 0.32, 0.5}, spinning[] = {0.1, 0.2, 0.31, 0.5};
    for (int k = 0; k < 4; k++) {
        ball.mu[7] = ball.mu[8] = 0.5;
        ball.mu[9] = ball.mu[10] = rolling[k];
        ball.mu[11] = spinning[k];
        const char *reason;
        CD_CHECK(cd_mcp_disc_fault(&m, &reason) == -1);
        const double weight = cos(ball.angle), speed = fmax(0, sin(ball.angle) - rolling[k] * weight) / 1.4;
        int solvers = 0;
        for (int j = 0; cd_lcp_solvers[j]; j++) {
            if (!takes_discs(cd_lcp_solvers[j]))
                continue;
            solvers++;
            cd_mcp_solution s = solve_on(cd_lcp_solvers[j]->name, &m, 1);
            CD_CHECK(s.status == CD_LCP_SOLVED);
            CD_CHECK_NEAR(s.z[0], speed * cos(ball.turn), 1e-10);
            CD_CHECK_NEAR(s.z[1], speed * sin(ball.turn), 1e-10);
            CD_CHECK_NEAR(s.z[3], -speed * sin(ball.turn), 1e-10);
            CD_CHECK_NEAR(s.z[4], speed * cos(ball.turn), 1e-10);
            CD_CHECK_NEAR(s.z[5], fmax(0, ball.spin - spinning[k] * weight / ball.inertia), 1e-10);
            CD_CHECK_NEAR(s.z[6], weight, 1e-10);
        }
        CD_CHECK(solvers > 1);
        cd_arena_reset(&arena);
    }
}

CD_TEST(faults_of_discs)
{
    int32_t normal[4] = {-1, 0, 0, -1};
    double mu[4] = {0, 0.5, 0.5, 0}, lower[4] = {0, 0, 0, 0}, upper[4] = {1, 1, 1, 1}, rhs[4] = {0};
    const cd_mcp m = {.n = 4, .rhs = rhs, .lower = lower, .upper = upper, .normal_row = normal, .mu = mu};
    const char *reason;
    CD_CHECK(cd_mcp_disc_fault(&m, &reason) == -1);
    mu[2] = 0.4;
    CD_CHECK(cd_mcp_disc_fault(&m, &reason) == 2 && strstr(reason, "one mu"));
    mu[2] = -0.5;
    CD_CHECK(cd_mcp_disc_fault(&m, &reason) == 2 && strstr(reason, "mu >= 0"));
    mu[2] = mu[3] = 0.5;
    normal[3] = 0;
    CD_CHECK(cd_mcp_disc_fault(&m, &reason) == 3 && strstr(reason, "two tangents"));
    cd_mcp kinds = m;
    const int32_t kind[4] = {1, 4, 4, 5};
    kinds.kind = kind;
    CD_CHECK(cd_mcp_disc_fault(&kinds, &reason) == -1);
    normal[3] = 2;
    CD_CHECK(cd_mcp_disc_fault(&m, &reason) == 3 && strstr(reason, "friction row itself"));
    normal[3] = 9;
    CD_CHECK(cd_mcp_disc_fault(&m, &reason) == 3 && strstr(reason, "no such row"));
    normal[3] = -1;
    lower[0] = -1;
    CD_CHECK(cd_mcp_disc_fault(&m, &reason) == 1 && strstr(reason, "lower bound 0"));
}

int main(void)
{
    CD_RUN(every_solver_finds_the_same_motion);
    CD_RUN(impulses_that_act_beside_their_gaps);
    CD_RUN(steps_share_a_factor);
    CD_RUN(memory_is_bounded);
    CD_RUN(huge_islands_end_at_the_limit);
    CD_RUN(threads_change_nothing);
    CD_RUN(semidefinite_of_low_rank);
    CD_RUN(indefinite_is_not_called_solved);
    CD_RUN(a_huge_impulse_hides_no_approach);
    CD_RUN(upper_bounds);
    CD_RUN(rows_in_other_units);
    CD_RUN(contradicting_contacts_are_infeasible);
    CD_RUN(friction_discs);
    CD_RUN(slope);
    CD_RUN(discs_of_several_kinds_on_one_normal);
    CD_RUN(faults_of_discs);
    cd_arena_release(&arena);
    return cd_test_done();
}
