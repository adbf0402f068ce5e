// The mixed problem against enumeration, its own parts and the eliminated form.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "lcp_oracle.h"
#include "lcp_solver.h"
#include "mcp_problem.h"

static cd_arena arena;

typedef struct dense_mcp {
    int n;
    double M[ORACLE_ROWS * ORACLE_ROWS], rhs[ORACLE_ROWS], lower[ORACLE_ROWS], upper[ORACLE_ROWS];
} dense_mcp;

static cd_mcp to_sparse(const dense_mcp *d)
{
    int32_t *row = CD_ARENA_ARRAY(&arena, int32_t, d->n * d->n), *col = CD_ARENA_ARRAY(&arena, int32_t, d->n * d->n);
    double *value = CD_ARENA_ARRAY(&arena, double, d->n * d->n);
    for (int i = 0; i < d->n * d->n; i++) {
        row[i] = i / d->n;
        col[i] = i % d->n;
        value[i] = d->M[i];
    }
    return (cd_mcp){.n = d->n,
                    .entry_count = d->n * d->n,
                    .row = row,
                    .col = col,
                    .value = value,
                    .rhs = d->rhs,
                    .lower = d->lower,
                    .upper = d->upper};
}

static cd_mcp_solution solve_with(const char *solver, const cd_mcp *mcp, const double *warm)
{
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    options.warm = warm;
    cd_mcp_solution out;
    cd_mcp_solve(mcp, cd_lcp_find_solver(solver), &options, &arena, &out);
    return out;
}

static cd_mcp_solution solve(const cd_mcp *mcp) { return solve_with("auto", mcp, NULL); }

// Complementarity in the words of mcp.h, unscaled.
static double violation(const cd_mcp *m, const double *z, const double *w)
{
    double worst = 0;
    for (int i = 0; i < m->n; i++) {
        worst = fmax(worst, fmax(m->lower[i] - z[i], z[i] - m->upper[i]));
        if (m->lower[i] == m->upper[i])
            continue;
        double to_lower = z[i] - m->lower[i], to_upper = m->upper[i] - z[i];
        worst = fmax(worst, w[i] > 0 ? fmin(w[i], to_lower) : fmin(-w[i], to_upper));
    }
    return worst;
}

static void random_bounds(cd_random *random, dense_mcp *d)
{
    for (int i = 0; i < d->n; i++) {
        double kind = cd_random_unit(random), a = cd_random_between(random, -1, 1), b = a + cd_random_unit(random);
        d->lower[i] = kind < 0.25 || (kind >= 0.5 && kind < 0.7) ? -INFINITY : a;
        d->upper[i] = kind < 0.5 ? INFINITY : kind < 0.9 ? b : a;  // free, lower, upper only, boxed, fixed
        d->rhs[i] = cd_random_between(random, -2, 2);
    }
}

CD_TEST(unique_solutions_of_every_kind)
{
    cd_random random = {21};
    dense_mcp d;
    int by_kind[4] = {0};
    for (int trial = 0; trial < 1500; trial++) {
        d.n = 1 + trial % 6;
        oracle_random_p(&random, d.n, d.M);
        random_bounds(&random, &d);
        oracle_answers answers;
        oracle_enumerate(d.n, d.M, d.rhs, d.lower, d.upper, 1e-9, &answers);
        cd_mcp m = to_sparse(&d);
        for (int k = 0; cd_lcp_solvers[k]; k++) {
            cd_mcp_solution s = solve_with(cd_lcp_solver_names[k], &m, NULL);
            if (s.status != CD_LCP_SOLVED && !(cd_lcp_solvers[k]->solves & CD_LCP_SOLVES_P)) {
                CD_CHECK(s.reason[0] && s.status != CD_LCP_INFEASIBLE);
                continue;
            }
            if (s.status != CD_LCP_SOLVED)
                printf("# trial %d by %s: %s, %s, residual %g\n", trial, cd_lcp_solver_names[k],
                       cd_lcp_status_name(s.status), s.reason, s.residual);
            CD_CHECK(s.status == CD_LCP_SOLVED && answers.count >= 1 && !s.reason[0]);
            CD_CHECK_NEAR(oracle_distance(&answers, d.n, s.z), 0, 1e-8);
            for (int i = 0; i < d.n; i++) {
                double w = d.rhs[i];
                for (int j = 0; j < d.n; j++)
                    w += d.M[i * d.n + j] * s.z[j];
                CD_CHECK_NEAR(s.w[i], w, 1e-13);
                by_kind[0] += s.z[i] == d.lower[i] && w > 1e-6;
                by_kind[1] += s.z[i] == d.upper[i] && w < -1e-6;
                by_kind[2] += s.z[i] > d.lower[i] && s.z[i] < d.upper[i];
            }
            CD_CHECK_NEAR(violation(&m, s.z, s.w), 0, 1e-9);
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(by_kind[0] > 100 && by_kind[1] > 100 && by_kind[2] > 100);
}

CD_TEST(arbitrary_mixed_problems)
{
    cd_random random = {22};
    dense_mcp d;
    int solvable = 0, missed = 0, unsolvable = 0;
    for (int trial = 0; trial < 2000; trial++) {
        d.n = 1 + trial % 5;
        for (int i = 0; i < d.n * d.n; i++)
            d.M[i] = cd_random_unit(&random) < 0.3 ? 0 : cd_random_between(&random, -1, 1);
        random_bounds(&random, &d);
        oracle_answers answers;
        oracle_enumerate(d.n, d.M, d.rhs, d.lower, d.upper, 1e-11, &answers);
        cd_mcp m = to_sparse(&d);
        cd_mcp_solution s = solve(&m);
        solvable += answers.count > 0;
        if (s.status == CD_LCP_SOLVED) {
            CD_CHECK_NEAR(violation(&m, s.z, s.w), 0, 1e-8 * fmax(1, oracle_size(d.n, s.z)));
        } else {
            CD_CHECK(s.reason[0]);
            missed += answers.count > 0 && s.status != CD_LCP_SINGULAR;
            unsolvable += answers.count == 0;
        }
        if (s.status == CD_LCP_INFEASIBLE)
            CD_CHECK(answers.count == 0);
        cd_arena_reset(&arena);
    }
    printf("# %d solvable, missed %d, unsolvable %d\n", solvable, missed, unsolvable);
    CD_CHECK(solvable > 500 && unsolvable > 100 && missed * 10 <= solvable);
}

CD_TEST(refusals)
{
    dense_mcp d = {.n = 2, .M = {1, 0, 0, 1}, .rhs = {-1, -1}, .lower = {0, 2}, .upper = {INFINITY, 1}};
    cd_mcp m = to_sparse(&d);
    CD_CHECK(solve(&m).status == CD_LCP_INFEASIBLE);
    d.lower[1] = INFINITY;
    d.upper[1] = INFINITY;
    CD_CHECK(solve(&m).status == CD_LCP_INFEASIBLE);
    d.lower[1] = -INFINITY;
    d.upper[1] = -INFINITY;
    CD_CHECK(solve(&m).status == CD_LCP_INFEASIBLE);
    d.upper[1] = INFINITY;
    CD_CHECK(solve(&m).status == CD_LCP_SOLVED);
    d.rhs[0] = NAN;
    CD_CHECK(solve(&m).status == CD_LCP_INACCURATE);

    // Free blocks without inverse: one that other rows make up for, exactly, and up to rounding (1/3 + 1/3 + 1/3 rows).
    dense_mcp f = {.n = 3,
                   .M = {0, 0, 1, 0, 1, 0, 1, 0, 1},
                   .rhs = {-1, 1, 1},
                   .lower = {-INFINITY, -INFINITY, 0},
                   .upper = {INFINITY, INFINITY, INFINITY}};
    m = to_sparse(&f);
    cd_mcp_solution s = solve(&m);
    CD_CHECK(s.status == CD_LCP_SOLVED && s.z[0] == -2 && s.z[1] == -1 && s.z[2] == 1);  // its rows pair with others
    f.M[8] = 0;
    f.lower[2] = -INFINITY;
    f.M[2] = f.M[6] = 0;  // nothing acts on row 0
    m = to_sparse(&f);
    s = solve(&m);
    CD_CHECK(s.status == CD_LCP_INFEASIBLE && s.reason[0]);
    const double thirds[9] = {0.1, 0.2, 0.3, 0.3, 0.6, 0.9, 1, 1, 1};
    memcpy(f.M, thirds, sizeof thirds);
    f.lower[2] = -INFINITY;
    m = to_sparse(&f);
    s = solve(&m);
    CD_CHECK((s.status == CD_LCP_SINGULAR || s.status == CD_LCP_INFEASIBLE) && s.reason[0]);
    cd_mcp none = {0};
    s = solve(&none);
    CD_CHECK(s.status == CD_LCP_SOLVED && s.residual == 0);
    cd_arena_reset(&arena);
}

// A zero diagonal in a free block needs pivoting; a long chain of free variables is one block.
CD_TEST(general_free_blocks)
{
    enum { N = 50 };
    int32_t row[3 * N + 2], col[3 * N + 2], count = 0;
    double value[3 * N + 2], rhs[N + 1], lower[N + 1], upper[N + 1];
    for (int32_t i = 0; i < N; i++) {
        for (int32_t d = -1; d <= 1; d += 2) {  // 0 on the diagonal, 1 and 2 beside it
            if (i + d < 0 || i + d >= N)
                continue;
            row[count] = i;
            col[count] = i + d;
            value[count++] = d < 0 ? 1 : 2;
        }
        rhs[i] = i % 3 - 1;
        lower[i] = -INFINITY;
        upper[i] = INFINITY;
    }
    row[count] = N;
    col[count] = N - 1;
    value[count++] = 1;
    row[count] = N;
    col[count] = N;
    value[count++] = 1;
    rhs[N] = -1e6;
    lower[N] = 0;
    upper[N] = INFINITY;
    cd_mcp m = {.n = N + 1,
                .entry_count = count,
                .row = row,
                .col = col,
                .value = value,
                .rhs = rhs,
                .lower = lower,
                .upper = upper};
    cd_mcp_solution s = solve(&m);
    CD_CHECK(s.status == CD_LCP_SOLVED && s.z[N] > 0);
    for (int i = 0; i <= N; i++)
        CD_CHECK_NEAR(s.w[i], 0, 1e-9 * fmax(1, fabs(s.z[i])));
    cd_arena_reset(&arena);
}

static cd_mcp mcp_of_case(const lcp_case *c)
{
    int32_t *row = CD_ARENA_ARRAY(&arena, int32_t, c->n * c->n), *col = CD_ARENA_ARRAY(&arena, int32_t, c->n * c->n);
    double *lower = CD_ARENA_ARRAY(&arena, double, c->n), *upper = CD_ARENA_ARRAY(&arena, double, c->n);
    for (int i = 0; i < c->n * c->n; i++) {
        row[i] = i / c->n;
        col[i] = i % c->n;
    }
    for (int i = 0; i < c->n; i++) {
        lower[i] = i < c->free ? -INFINITY : 0;
        upper[i] = INFINITY;
    }
    return (cd_mcp){.n = c->n,
                    .entry_count = c->n * c->n,
                    .row = row,
                    .col = col,
                    .value = c->M,
                    .rhs = c->q,
                    .lower = lower,
                    .upper = upper};
}

// Siconos' mixed problems: equations first. In the converters' problems entries of 1e4 meet unknowns of 1e3 beside data
// of 1: the rounding of w alone is 1e-9 there, and a residual counts it.
CD_TEST(known_mixed_problems)
{
    static lcp_case c;
    FILE *file = fopen("tests/cases/lcp/problems.txt", "r");
    int read, count = 0, solved = 0;
    CD_CHECK(file != NULL);
    if (!file)
        return;
    while ((read = lcp_case_read(file, &c)) == 1) {
        if (c.free == 0)
            continue;
        count++;
        const bool is_coarse = strncmp(c.name, "siconos_mlcp_Buck", 17) == 0;
        cd_mcp m = mcp_of_case(&c);
        cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
        options.tolerance = is_coarse ? 1e-8 : 1e-12;
        cd_mcp_solution s;
        cd_mcp_solve(&m, cd_lcp_find_solver("auto"), &options, &arena, &s);
        printf("# %s: %s (%s), residual %.2g\n", c.name, cd_lcp_status_name(s.status), s.solver, s.residual);
        CD_CHECK((s.status == CD_LCP_SOLVED) == (strcmp(c.expect, "solvable") == 0));
        CD_CHECK(s.status != CD_LCP_INFEASIBLE || strcmp(c.expect, "unsolvable") == 0);
        solved += s.status == CD_LCP_SOLVED;
        if (s.status == CD_LCP_SOLVED)
            CD_CHECK_NEAR(violation(&m, s.z, s.w), 0,
                          (is_coarse ? 1e-8 : 1e-11) * fmax(oracle_size(c.n, c.q), oracle_size(c.n * c.n, c.M)));
        cd_arena_reset(&arena);
    }
    CD_CHECK(read == 0 && count >= 17 && solved >= 14);
    fclose(file);
}

CD_TEST(repeated_entries_and_their_order)
{
    cd_random random = {23};
    dense_mcp d = {.n = 5};
    oracle_random_p(&random, 5, d.M);
    random_bounds(&random, &d);
    cd_mcp m = to_sparse(&d);
    cd_mcp_solution whole = solve(&m);
    int32_t row[50], col[50];
    double value[50];
    for (int k = 0; k < 25; k++) {  // backwards, each as two halves
        row[k] = row[49 - k] = m.row[24 - k];
        col[k] = col[49 - k] = m.col[24 - k];
        value[k] = value[49 - k] = m.value[24 - k] / 2;
    }
    cd_mcp split = m;
    split.entry_count = 50;
    split.row = row;
    split.col = col;
    split.value = value;
    cd_mcp_solution s = solve(&split);
    CD_CHECK(whole.status == CD_LCP_SOLVED && memcmp(whole.z, s.z, sizeof(double) * 5) == 0);
    CD_CHECK(memcmp(whole.w, s.w, sizeof(double) * 5) == 0);
    cd_arena_reset(&arena);
}

// Two problems side by side, rows interleaved: islands, each with the very bytes it has alone.
CD_TEST(islands_do_not_touch_each_other)
{
    oracle_heap a = oracle_heap_make(4, 3, 1, 31), b = oracle_heap_make(3, 5, 100, 32);
    const int32_t n = a.mcp.n + b.mcp.n, count = a.mcp.entry_count + b.mcp.entry_count;
    int32_t *row = CD_ARENA_ARRAY(&arena, int32_t, count), *col = CD_ARENA_ARRAY(&arena, int32_t, count);
    double *value = CD_ARENA_ARRAY(&arena, double, count), *rhs = CD_ARENA_ARRAY(&arena, double, n);
    double *lower = CD_ARENA_ARRAY(&arena, double, n), *upper = CD_ARENA_ARRAY(&arena, double, n);
    int32_t *place[2] = {CD_ARENA_ARRAY(&arena, int32_t, n), CD_ARENA_ARRAY(&arena, int32_t, n)}, used[2] = {0, 0};
    const cd_mcp *part[2] = {&a.mcp, &b.mcp};
    for (int32_t i = 0; i < n; i++) {
        int which = used[0] == a.mcp.n ? 1 : used[1] == b.mcp.n ? 0 : i % 2;
        int32_t k = used[which]++;
        place[which][k] = i;
        rhs[i] = part[which]->rhs[k];
        lower[i] = part[which]->lower[k];
        upper[i] = part[which]->upper[k];
    }
    int32_t at = 0;
    for (int which = 0; which < 2; which++) {
        for (int32_t k = 0; k < part[which]->entry_count; k++, at++) {
            row[at] = place[which][part[which]->row[k]];
            col[at] = place[which][part[which]->col[k]];
            value[at] = part[which]->value[k];
        }
    }
    cd_mcp both = {.n = n,
                   .entry_count = count,
                   .row = row,
                   .col = col,
                   .value = value,
                   .rhs = rhs,
                   .lower = lower,
                   .upper = upper};
    cd_mcp_solution s = solve(&both);
    CD_CHECK(s.status == CD_LCP_SOLVED && s.island_count >= 2);
    for (int which = 0; which < 2; which++) {
        cd_mcp_solution alone = solve(part[which]);
        CD_CHECK(alone.status == CD_LCP_SOLVED);
        for (int32_t k = 0; k < part[which]->n; k++)
            CD_CHECK(s.z[place[which][k]] == alone.z[k] && s.w[place[which][k]] == alone.w[k]);
    }
    oracle_heap_release(&a);
    oracle_heap_release(&b);
    cd_arena_reset(&arena);
}

// The saddle form against G'M^-1 G p + Psi + G'nu_f, formed by hand: equal velocities (impulses need not be unique).
static void compare_forms(const oracle_heap *h)
{
    const int32_t nc = h->contacts, nv = 3 * h->bodies;
    double *G = CD_ARENA_ZARRAY(&arena, double, (size_t)nv *(size_t)nc), *mass = CD_ARENA_ZARRAY(&arena, double, nv);
    for (int32_t k = 0; k < h->mcp.entry_count; k++) {
        if (h->row[k] < nv && h->col[k] < nv)
            mass[h->row[k]] = -h->value[k];
        else if (h->row[k] < nv)
            G[(size_t)h->row[k] * nc + (h->col[k] - nv)] += h->value[k];
    }
    double *A = CD_ARENA_ZARRAY(&arena, double, (size_t)nc *(size_t)nc), *q = CD_ARENA_ARRAY(&arena, double, nc);
    for (int32_t i = 0; i < nc; i++) {
        q[i] = h->rhs[nv + i];
        for (int32_t k = 0; k < nv; k++) {
            double g = G[(size_t)k * nc + i];
            q[i] += g * h->rhs[k] / mass[k];
            for (int32_t j = 0; j < nc && g != 0; j++)
                A[(size_t)i * nc + j] += g * G[(size_t)k * nc + j] / mass[k];
        }
    }
    cd_mcp_solution saddle = solve(&h->mcp);
    cd_lcp lcp = {.n = nc, .M = A, .q = q};
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    cd_lcp_result pure = cd_lcp_solve(cd_lcp_find_solver("lemke"), &lcp, &options, &arena);
    CD_CHECK(saddle.status == CD_LCP_SOLVED && pure.status == CD_LCP_SOLVED);
    CD_CHECK(saddle.residual < 1e-12);
    CD_CHECK_NEAR(violation(&h->mcp, saddle.z, saddle.w), 0, 1e-11);
    for (int32_t k = 0; k < nv; k++) {
        double velocity = h->rhs[k] / mass[k];
        for (int32_t i = 0; i < nc; i++)
            velocity += G[(size_t)k * nc + i] * pure.z[i] / mass[k];
        CD_CHECK_NEAR(saddle.z[k], velocity, 1e-9);
    }
}

CD_TEST(saddle_form_equals_eliminated_form)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        oracle_heap h = oracle_heap_make(2 + (int)seed % 7, 1 + (int)seed % 6, seed % 2 ? 1 : 1000, seed);
        compare_forms(&h);
        oracle_heap_release(&h);
        cd_arena_reset(&arena);
    }
    oracle_heap large = oracle_heap_make(12, 10, 1, 77);  // 324 contacts
    compare_forms(&large);
    cd_mcp_solution cold = solve(&large.mcp);
    cd_mcp_solution warm = solve_with("auto", &large.mcp, cold.z);
    CD_CHECK(warm.status == CD_LCP_SOLVED && warm.iterations <= 2);
    for (int32_t k = 0; k < 3 * large.bodies; k++)
        CD_CHECK_NEAR(warm.z[k], cold.z[k], 1e-10);
    oracle_heap_release(&large);
    cd_arena_reset(&arena);
}

// Velocities are unique: they must follow a reordering of all rows.
CD_TEST(order_of_rows)
{
    oracle_heap h = oracle_heap_make(6, 5, 10, 5);
    const int32_t n = h.mcp.n, count = h.mcp.entry_count;
    int32_t *to = CD_ARENA_ARRAY(&arena, int32_t, n), *row = CD_ARENA_ARRAY(&arena, int32_t, count);
    int32_t *col = CD_ARENA_ARRAY(&arena, int32_t, count);
    double *rhs = CD_ARENA_ARRAY(&arena, double, n), *lower = CD_ARENA_ARRAY(&arena, double, n);
    double *upper = CD_ARENA_ARRAY(&arena, double, n);
    cd_random random = {6};
    for (int32_t i = 0; i < n; i++)
        to[i] = i;
    for (int32_t i = n - 1; i > 0; i--) {
        int32_t k = (int32_t)(cd_random_unit(&random) * (i + 1)), t = to[i];
        to[i] = to[k];
        to[k] = t;
    }
    for (int32_t i = 0; i < n; i++) {
        rhs[to[i]] = h.rhs[i];
        lower[to[i]] = h.lower[i];
        upper[to[i]] = h.upper[i];
    }
    for (int32_t k = 0; k < count; k++) {
        row[k] = to[h.row[k]];
        col[k] = to[h.col[k]];
    }
    cd_mcp shuffled = {.n = n,
                       .entry_count = count,
                       .row = row,
                       .col = col,
                       .value = h.value,
                       .rhs = rhs,
                       .lower = lower,
                       .upper = upper};
    cd_mcp_solution a = solve(&h.mcp), b = solve(&shuffled);
    CD_CHECK(a.status == CD_LCP_SOLVED && b.status == CD_LCP_SOLVED);
    for (int32_t i = 0; i < 3 * h.bodies; i++)
        CD_CHECK_NEAR(b.z[to[i]], a.z[i], 1e-10);
    oracle_heap_release(&h);
    cd_arena_reset(&arena);
}

// One primary and one secondary gap of a point of unit mass: PEG's smallest block (39)-(41) in the saddle form.
// Normals (1,0) and (-s,s): the free space is max(psi1, psi2) >= 0; a21 < 0, so the matrix is no P-matrix.
CD_TEST(smallest_disjunction)
{
    const double s = sqrt(0.5), n1[2] = {1, 0}, n2[2] = {-s, s};
    for (int trial = 0; trial < 400; trial++) {
        const double v[2] = {-2 + 0.2 * (trial % 20), -2 + 0.2 * (trial / 20)};
        const double psi1 = -0.05, psi2 = -0.031;
        dense_mcp d = {.n = 4,
                       .rhs = {v[0], v[1], psi1, psi1 - psi2},
                       .lower = {-INFINITY, -INFINITY, 0, 0},
                       .upper = {INFINITY, INFINITY, INFINITY, INFINITY}};
        const double M[16] = {-1, 0, n1[0], 0, 0, -1, n1[1], 0, n1[0], n1[1], 0, 1, n1[0] - n2[0], n1[1] - n2[1], 0, 1};
        memcpy(d.M, M, sizeof M);
        oracle_answers answers;
        oracle_enumerate(4, d.M, d.rhs, d.lower, d.upper, 1e-11, &answers);
        cd_mcp m = to_sparse(&d);
        cd_mcp_solution r = solve(&m);
        CD_CHECK((r.status == CD_LCP_SOLVED) == (answers.count > 0));
        if (r.status == CD_LCP_SOLVED) {
            double g1 = psi1 + n1[0] * r.z[0] + n1[1] * r.z[1], g2 = psi2 + n2[0] * r.z[0] + n2[1] * r.z[1];
            CD_CHECK(fmax(g1, g2) >= -1e-12);
            CD_CHECK_NEAR(fmax(g1, g2) * r.z[2], 0, 1e-12);
        }
        cd_arena_reset(&arena);
    }
}

// The same problem in other units: row i times row_unit[i], z'_j = col_unit[j] z_j.
static cd_mcp in_units(const cd_mcp *m, const double *row_unit, const double *col_unit)
{
    double *value = CD_ARENA_ARRAY(&arena, double, m->entry_count), *rhs = CD_ARENA_ARRAY(&arena, double, m->n);
    double *lower = CD_ARENA_ARRAY(&arena, double, m->n), *upper = CD_ARENA_ARRAY(&arena, double, m->n);
    for (int32_t k = 0; k < m->entry_count; k++)
        value[k] = m->value[k] * row_unit[m->row[k]] / col_unit[m->col[k]];
    for (int32_t i = 0; i < m->n; i++) {
        rhs[i] = m->rhs[i] * row_unit[i];
        lower[i] = m->lower[i] * col_unit[i];
        upper[i] = m->upper[i] * col_unit[i];
    }
    return (cd_mcp){.n = m->n,
                    .entry_count = m->entry_count,
                    .row = m->row,
                    .col = m->col,
                    .value = value,
                    .rhs = rhs,
                    .lower = lower,
                    .upper = upper};
}

// Unit of mass 2^-mass, gap rows in lengths of unit 2^-length instead of velocities. Velocity rows come first,
// `impulses` next.
// The residual of mcp.h, of any point; w (n) receives M z + rhs.
static double residual_of(const cd_mcp *mcp, const double *z, double *w)
{
    cd_arena_mark mark = cd_arena_get_mark(&arena);
    cd_mcp_problem p = cd_mcp_problem_build(mcp, NULL, 0, &arena);
    double residual = cd_mcp_problem_measure(&p, z, w, NULL) / p.size;
    cd_arena_rewind(&arena, mark);
    return residual;
}

static void compare_units(const cd_mcp *m, int32_t velocities, int32_t impulses, int mass, int length)
{
    const int32_t n = m->n;
    double *row_unit = CD_ARENA_ARRAY(&arena, double, n), *col_unit = CD_ARENA_ARRAY(&arena, double, n);
    double *w = CD_ARENA_ARRAY(&arena, double, n), *off = CD_ARENA_ARRAY(&arena, double, n);
    for (int32_t i = 0; i < n; i++) {
        row_unit[i] = ldexp(1, i < velocities ? mass : length);
        col_unit[i] = ldexp(1, i < velocities ? 0 : i < velocities + impulses ? mass : length);
    }
    cd_mcp other = in_units(m, row_unit, col_unit);
    cd_mcp_solution a = solve(m), b = solve(&other);
    CD_CHECK(a.status == b.status && a.status == CD_LCP_SOLVED);
    CD_CHECK(a.residual < 1e-13 && b.residual < 1e-13);
    for (int32_t i = 0; i < velocities; i++)
        CD_CHECK_NEAR(b.z[i], a.z[i], 1e-9);
    // Of points that are no solutions the residual is a number to compare. Scales are mass^1/2 in powers of two:
    // odd exponents differ.
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++)
            off[j] = a.z[j] * (j == i ? 1 + 1e-6 : 1) + (j == i ? 1e-6 : 0);
        double wrong = residual_of(m, off, w);
        for (int32_t j = 0; j < n; j++)
            off[j] *= col_unit[j];
        double wrong_there = residual_of(&other, off, w);
        CD_CHECK(wrong > 1e-11);
        CD_CHECK(mass % 2 == 0 ? wrong_there == wrong : wrong_there <= 4 * wrong && wrong <= 4 * wrong_there);
    }
}

CD_TEST(units_do_not_decide)
{
    const double s = sqrt(0.5);
    dense_mcp d = {.n = 4,
                   .rhs = {-1.3, -0.7, -0.05, -0.019},
                   .lower = {-INFINITY, -INFINITY, 0, 0},
                   .upper = {INFINITY, INFINITY, INFINITY, INFINITY}};
    const double M[16] = {-1, 0, 1, 0, 0, -1, 0, 0, 1, 0, 0, 1, 1 + s, -s, 0, 1};
    memcpy(d.M, M, sizeof M);
    for (int mass = -40; mass <= 40; mass++) {
        oracle_heap h = oracle_heap_make(3, 2, mass % 3 ? 1 : 100, (uint64_t)(mass + 100));
        cd_mcp m = to_sparse(&d);
        compare_units(&h.mcp, 3 * h.bodies, h.contacts, mass, mass % 7 * 5);
        compare_units(&m, 2, 1, mass, mass % 7 * 5);
        oracle_heap_release(&h);
        cd_arena_reset(&arena);
    }
}

// A secondary gap whose normal is that of the primary up to rounding: its row is the slack and noise, which must not
// set its scale.
CD_TEST(parallel_normals)
{
    const double noise[] = {0, 1e-18, 2e-16, 1.8e-14, 1e-12};
    for (size_t k = 0; k < sizeof noise / sizeof *noise; k++) {
        for (int mass = -40; mass <= 40; mass += 20) {
            const double m = ldexp(1, mass), e = noise[k];
            dense_mcp d = {.n = 4,
                           .rhs = {0.5 * m, -1.3 * m, -0.05, -0.019},
                           .lower = {-INFINITY, -INFINITY, 0, 0},
                           .upper = {INFINITY, INFINITY, INFINITY, INFINITY}};
            const double M[16] = {-m, 0, 0.6, 0, 0, -m, 0.8, 0, 0.6, 0.8, 0, 1, e, -e, 0, 1};
            memcpy(d.M, M, sizeof M);
            cd_mcp sparse = to_sparse(&d);
            cd_mcp_solution r = solve(&sparse);
            CD_CHECK(r.status == CD_LCP_SOLVED && r.residual < 1e-14);
            cd_arena_reset(&arena);
        }
    }
}

// 1 - 49 (1 / 49) is 1e-16 in rounded arithmetic: without an exact 0 there the answer would be a z of 1e16.
CD_TEST(a_schur_complement_of_zero)
{
    dense_mcp d = {.n = 2, .M = {49, 1, 49, 1}, .rhs = {0, -1}, .lower = {-INFINITY, 0}, .upper = {INFINITY, INFINITY}};
    cd_mcp m = to_sparse(&d);
    CD_CHECK(solve(&m).status == CD_LCP_INFEASIBLE);
    d.rhs[1] = 1;
    m = to_sparse(&d);
    cd_mcp_solution s = solve(&m);
    CD_CHECK(s.status == CD_LCP_SOLVED && s.z[0] == 0 && s.z[1] == 0);
    cd_arena_reset(&arena);
}

// Rows one after the other that touch one velocity each, ever later ones of the same body: each makes the whole body's
// block full. -B v + z + f = 0 and v + q = w with v, z chosen and w = 0.
CD_TEST(rows_that_share_a_block)
{
    const double v[3] = {1, -2, 3}, z[3] = {0.5, 2, 0.25}, B[9] = {4, 1, 1, 1, 4, 1, 1, 1, 4};
    dense_mcp d = {.n = 6};
    for (int i = 0; i < 3; i++) {
        d.rhs[i] = -z[i];
        for (int j = 0; j < 3; j++) {
            d.M[6 * i + j] = -B[3 * i + j];
            d.rhs[i] += B[3 * i + j] * v[j];
        }
        d.M[6 * i + 3 + i] = d.M[6 * (3 + i) + i] = 1;
        d.rhs[3 + i] = -v[i];
        d.lower[i] = -INFINITY;
        d.upper[i] = d.upper[3 + i] = INFINITY;
    }
    cd_mcp m = to_sparse(&d);
    for (int k = 0; cd_lcp_solver_names[k]; k++) {
        cd_mcp_solution s = solve_with(cd_lcp_solver_names[k], &m, NULL);
        CD_CHECK(s.status == CD_LCP_SOLVED);
        for (int i = 0; i < 3; i++) {
            CD_CHECK_NEAR(s.z[i], v[i], 1e-12);
            CD_CHECK_NEAR(s.z[3 + i], z[i], 1e-12);
        }
    }
    cd_arena_reset(&arena);
}

int main(void)
{
    CD_RUN(unique_solutions_of_every_kind);
    CD_RUN(arbitrary_mixed_problems);
    CD_RUN(refusals);
    CD_RUN(general_free_blocks);
    CD_RUN(known_mixed_problems);
    CD_RUN(repeated_entries_and_their_order);
    CD_RUN(islands_do_not_touch_each_other);
    CD_RUN(saddle_form_equals_eliminated_form);
    CD_RUN(order_of_rows);
    CD_RUN(smallest_disjunction);
    CD_RUN(units_do_not_decide);
    CD_RUN(parallel_normals);
    CD_RUN(a_schur_complement_of_zero);
    CD_RUN(rows_that_share_a_block);
    cd_arena_release(&arena);
    return cd_test_done();
}
