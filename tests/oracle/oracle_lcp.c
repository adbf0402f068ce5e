// Complementarity problems against exact rational arithmetic.
//
// Every `solved` has its residual measured without rounding. The basis that its answer stands for (which variables are
// strictly between their bounds) is solved exactly and compared. Small problems are decided by enumeration: an answer
// that exists is a corner of the polyhedron of one complementary choice, and there the columns of what is strictly
// between the bounds are independent; so all choices of independent columns are tried, with singular bases too. Free
// blocks that are singular are the class `singular` and are not enumerated.
//
//   usage: oracle_lcp [COUNT [PROBLEMS]]
//
// COUNT: random positive semidefinite problems for every solver (default 2000); PROBLEMS: a file of mixed problems,
// "problem", lines "row RHS LOWER UPPER" and "entry ROW COL VALUE", "end", as pipelines/bench-lcp/run.sh makes them of
// streams: each solved by `auto` and `lemke`.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "lcp_oracle.h"
#include "mcp_matrix.h"
#include "oracle_exact.h"

enum { SMALL = 8 };

static cd_arena arena;

typedef struct dense {
    int n;
    double M[CASE_ROWS * CASE_ROWS], q[CASE_ROWS], lower[CASE_ROWS], upper[CASE_ROWS];
} dense;

static cd_mcp sparse_of(const dense *d)
{
    const size_t n = (size_t)d->n;
    int32_t *row = CD_ARENA_ARRAY(&arena, int32_t, n * n), *col = CD_ARENA_ARRAY(&arena, int32_t, n * n);
    double *value = CD_ARENA_ARRAY(&arena, double, n *n);
    int32_t count = 0;
    for (int i = 0; i < d->n; i++) {
        for (int j = 0; j < d->n; j++) {
            if (d->M[i * d->n + j] == 0)
                continue;
            row[count] = i;
            col[count] = j;
            value[count++] = d->M[i * d->n + j];
        }
    }
    return (cd_mcp){.n = d->n,
                    .entry_count = count,
                    .row = row,
                    .col = col,
                    .value = value,
                    .rhs = d->q,
                    .lower = d->lower,
                    .upper = d->upper};
}

// ---- exact linear algebra ------------------------------------------------------------------------------------------

// Solves the n equations sum_k A[., pick[k]] x_k = b, where unknown i of the k columns is column[i] of M, by
// Gauss-Jordan. 1: x is the only solution, 0: none, -1: the columns are dependent.
static int solve_columns(const dense *d, int count, const int *column, exact *b, exact *x)
{
    const int n = d->n, width = count + 1;
    exact *a = CD_ARENA_ARRAY(&arena, exact, (size_t)n * (size_t)width);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < count; k++)  // column >= n: unknown w of row column - n
            a[i * width + k] = exact_of(column[k] < n ? d->M[i * n + column[k]] : column[k] - n == i ? -1 : 0);
        a[i * width + count] = b[i];
    }
    for (int k = 0; k < count; k++) {
        int pivot = k;
        while (pivot < n && exact_sign(a[pivot * width + k]) == 0)
            pivot++;
        if (pivot == n)
            return -1;
        for (int j = 0; j < width; j++) {
            exact t = a[k * width + j];
            a[k * width + j] = a[pivot * width + j];
            a[pivot * width + j] = t;
        }
        for (int i = 0; i < n; i++) {
            if (i == k || exact_sign(a[i * width + k]) == 0)
                continue;
            exact f = exact_div(a[i * width + k], a[k * width + k]);
            for (int j = k; j < width; j++) {
                if (exact_sign(a[k * width + j]) != 0)
                    a[i * width + j] = exact_sub(a[i * width + j], exact_mul(f, a[k * width + j]));
            }
        }
    }
    for (int i = count; i < n; i++) {
        if (exact_sign(a[i * width + count]) != 0)
            return 0;
    }
    for (int k = 0; k < count; k++)
        x[k] = exact_div(a[k * width + count], a[k * width + k]);
    return 1;
}

// w = M z + q
static void exact_w(const dense *d, exact *z, exact *w)
{
    for (int i = 0; i < d->n; i++) {
        w[i] = exact_of(d->q[i]);
        for (int j = 0; j < d->n; j++) {
            if (d->M[i * d->n + j] != 0 && exact_sign(z[j]) != 0)
                w[i] = exact_add(w[i], exact_mul(exact_of(d->M[i * d->n + j]), z[j]));
        }
    }
}

static bool is_above(exact x, double lower) { return lower == -INFINITY || mpq_cmp(x, exact_of(lower)) >= 0; }
static bool is_below(exact x, double upper) { return upper == INFINITY || mpq_cmp(x, exact_of(upper)) <= 0; }

static bool is_solution(const dense *d, exact *z)
{
    exact w[CASE_ROWS];
    exact_w(d, z, w);
    for (int i = 0; i < d->n; i++) {
        bool at_lower = isfinite(d->lower[i]) && mpq_equal(z[i], exact_of(d->lower[i]));
        bool at_upper = isfinite(d->upper[i]) && mpq_equal(z[i], exact_of(d->upper[i]));
        if (!is_above(z[i], d->lower[i]) || !is_below(z[i], d->upper[i]))
            return false;
        if ((exact_sign(w[i]) > 0 && !at_lower) || (exact_sign(w[i]) < 0 && !at_upper))
            return false;
    }
    return true;
}

// The residual of mcp.h, sums without rounding; its divisor, as there, in *divisor.
static double exact_residual(const dense *d, const cd_mcp_matrix *m, const double *z, double *divisor)
{
    exact size = exact_of(0), worst = exact_of(0), at[CASE_ROWS], nearest[CASE_ROWS], w[CASE_ROWS],
          w_nearest[CASE_ROWS];
    for (int i = 0; i < d->n; i++) {
        at[i] = exact_of(z[i]);
        nearest[i] = exact_of(fmin(fmax(0, d->lower[i]), d->upper[i]));
    }
    exact_w(d, at, w);
    exact_w(d, nearest, w_nearest);
    for (int i = 0; i < d->n; i++) {
        exact r = exact_of(m->r[i]), c = exact_of(m->c[i]);
        exact step = exact_sub(exact_div(at[i], c), exact_mul(r, w[i])), clipped = step;
        if (isfinite(d->lower[i]))
            clipped = exact_greater(clipped, exact_div(exact_of(d->lower[i]), c));
        if (isfinite(d->upper[i]))
            clipped = exact_lesser(clipped, exact_div(exact_of(d->upper[i]), c));
        worst = exact_greater(worst, exact_abs(exact_sub(exact_div(at[i], c), clipped)));
        size = exact_greater(size, exact_abs(exact_mul(r, exact_of(d->q[i]))));
        size = exact_greater(size, exact_abs(exact_div(nearest[i], c)));
        size = exact_greater(size, exact_abs(exact_mul(r, w_nearest[i])));
    }
    *divisor = mpq_get_d(size);
    return mpq_get_d(exact_sign(size) ? exact_div(worst, size) : worst);
}

// ---- enumeration ---------------------------------------------------------------------------------------------------

enum { AT_LOWER, AT_UPPER, BETWEEN, AT_LOWER_W, AT_UPPER_W, CHOICES };  // _W: and w is not zero

static bool is_possible(const dense *d, int i, int choice)
{
    if (choice == BETWEEN)
        return d->lower[i] < d->upper[i];
    return isfinite(choice == AT_LOWER || choice == AT_LOWER_W ? d->lower[i] : d->upper[i]);
}

// Solves the choice and tests it; z is set when it is a solution.
static bool try_choice(const dense *d, const int *choice, exact *z)
{
    int column[SMALL], count = 0;
    exact b[SMALL], x[SMALL];
    for (int i = 0; i < d->n; i++) {
        bool at_upper = choice[i] == AT_UPPER || choice[i] == AT_UPPER_W;
        z[i] = exact_of(choice[i] == BETWEEN ? 0 : at_upper ? d->upper[i] : d->lower[i]);
        if (choice[i] == BETWEEN)
            column[count++] = i;
        else if (choice[i] == AT_LOWER_W || choice[i] == AT_UPPER_W)
            column[count++] = d->n + i;
    }
    exact_w(d, z, b);
    for (int i = 0; i < d->n; i++)
        b[i] = exact_sub(exact_of(0), b[i]);
    if (solve_columns(d, count, column, b, x) != 1)
        return false;
    for (int k = 0; k < count; k++) {
        if (column[k] < d->n)
            z[column[k]] = x[k];
    }
    return is_solution(d, z);
}

// Whether the problem has a solution. Bases come first; the other choices matter only where there is none among them.
static bool is_solvable(const dense *d)
{
    for (int degenerate = 0; degenerate <= 1; degenerate++) {
        int choice[SMALL] = {0}, i = 0;
        while (i < d->n) {
            bool possible = true, has_zero = false;
            for (int k = 0; k < d->n && possible; k++) {
                possible = is_possible(d, k, choice[k]);
                has_zero = has_zero || choice[k] == AT_LOWER || choice[k] == AT_UPPER;
            }
            if (possible && has_zero == (degenerate == 1)) {
                cd_arena_mark mark = cd_arena_get_mark(&arena);
                int used = exact_used;
                exact z[SMALL];
                bool found = try_choice(d, choice, z);
                exact_used = used;
                cd_arena_rewind(&arena, mark);
                if (found)
                    return true;
            }
            for (i = 0; i < d->n && ++choice[i] == CHOICES; i++)
                choice[i] = 0;
        }
    }
    return false;
}

static bool has_singular_free_block(const dense *d)
{
    static dense f;
    int list[CASE_ROWS];
    exact b[CASE_ROWS], x[CASE_ROWS];
    f.n = 0;
    for (int i = 0; i < d->n; i++) {
        if (d->lower[i] == -INFINITY && d->upper[i] == INFINITY)
            list[f.n++] = i;
    }
    int column[CASE_ROWS];
    for (int i = 0; i < f.n; i++) {
        column[i] = i;
        b[i] = exact_of(0);
        for (int j = 0; j < f.n; j++)
            f.M[i * f.n + j] = d->M[list[i] * d->n + list[j]];
    }
    return solve_columns(&f, f.n, column, b, x) == -1;
}

// ---- comparison of one problem -------------------------------------------------------------------------------------

typedef struct tally {
    int problems, solved, exact_bases, unsolvable, infeasible, missed[CD_LCP_STATUS_COUNT];
    // worst of `solved`; z, in the residual's scales, relative to the residual's divisor and max |z|
    double residual, z;
} tally;

// The solution of the basis that z stands for: a variable is between its bounds when its distance to them is not below
// |w|.
static int solve_basis(const dense *d, const cd_mcp_solution *s, const cd_mcp_matrix *m, exact *z)
{
    static dense square;
    int column[CASE_ROWS] = {0}, list[CASE_ROWS], count = 0;
    exact b[CASE_ROWS], x[CASE_ROWS];
    for (int i = 0; i < d->n; i++) {
        double down = s->z[i] - d->lower[i], up = d->upper[i] - s->z[i], room = fmin(down, up) / m->c[i];
        bool between = room > fabs(s->w[i]) * m->r[i] && d->lower[i] < d->upper[i];
        z[i] = exact_of(between ? 0 : down <= up ? d->lower[i] : d->upper[i]);
        if (between)
            list[count++] = i;
    }
    exact w[CASE_ROWS];
    exact_w(d, z, w);
    square.n = count;
    for (int i = 0; i < count; i++) {
        column[i] = i;
        b[i] = exact_sub(exact_of(0), w[list[i]]);
        for (int j = 0; j < count; j++)
            square.M[i * count + j] = d->M[list[i] * d->n + list[j]];
    }
    int regular = solve_columns(&square, count, column, b, x);
    for (int k = 0; k < count && regular == 1; k++)
        z[list[k]] = x[k];
    return regular;
}

// known: 1 solvable, 0 not, -1 to be found out (by enumeration where it is small). tolerance_z: what a rounded
// answer may be off the exact one of its basis, in the residual's scales, of the largest |z| and the residual's
// divisor.
static void compare(const char *name, const dense *d, int known, double tolerance_z, tally *t)
{
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    cd_mcp mcp = sparse_of(d);
    cd_mcp_solution s;
    cd_mcp_solve(&mcp, cd_lcp_find_solver("auto"), &options, &arena, &s);
    cd_mcp_matrix m = cd_mcp_matrix_build(&mcp, &arena);
    bool is_free[CASE_ROWS];
    for (int i = 0; i < d->n; i++)
        is_free[i] = d->lower[i] == -INFINITY && d->upper[i] == INFINITY;
    cd_mcp_norm_scales(&m, is_free, m.r, m.c, &arena);
    int bad = cd_test_bad_checks;
    t->problems++;
    if (s.status == CD_LCP_SOLVED) {
        double largest, residual = exact_residual(d, &m, s.z, &largest), off = 0;
        exact z[CASE_ROWS];
        CD_CHECK(residual <= options.tolerance);
        CD_CHECK(known != 0);
        t->solved++;
        t->residual = fmax(t->residual, residual);
        int regular = solve_basis(d, &s, &m, z);
        bool is_exact = regular == 1 && is_solution(d, z);
        t->exact_bases += is_exact;
        if (!is_exact && d->n <= SMALL && !has_singular_free_block(d))
            CD_CHECK(is_solvable(d));
        for (int i = 0; i < d->n && regular == 1; i++) {
            largest = fmax(largest, fabs(mpq_get_d(z[i])) / m.c[i]);
            off = fmax(off, exact_error(s.z[i], z[i]) / m.c[i]);
        }
        CD_CHECK(off <= tolerance_z * largest);
        t->z = fmax(t->z, largest > 0 ? off / largest : off);
    } else if (s.status == CD_LCP_SINGULAR) {
        CD_CHECK(has_singular_free_block(d));
        t->missed[s.status]++;
    } else {
        bool solvable = known >= 0 ? known : d->n <= SMALL ? is_solvable(d) : s.status != CD_LCP_INFEASIBLE;
        if (s.status == CD_LCP_INFEASIBLE)
            CD_CHECK(!solvable);
        t->unsolvable += !solvable;
        t->infeasible += s.status == CD_LCP_INFEASIBLE;
        t->missed[s.status] += solvable;
    }
    if (cd_test_bad_checks != bad)
        printf("# %s: %s (%s)\n", name, cd_lcp_status_name(s.status), s.reason);
    oracle_release();
    cd_arena_reset(&arena);
}

static void tell(const char *title, const tally *t)
{
    printf(
        "# %s: %d problems, %d solved (%d on exactly complementary bases), %d without solution (%d told infeasible)\n",
        title, t->problems, t->solved, t->exact_bases, t->unsolvable, t->infeasible);
    printf("#   worst exact residual %.2g, worst z %.2g; solvable but", t->residual, t->z);
    for (int k = 1; k < CD_LCP_STATUS_COUNT; k++)
        printf(" %s %d", cd_lcp_status_name((cd_lcp_status)k), t->missed[k]);
    printf("\n");
}

// ---- problems ------------------------------------------------------------------------------------------------------

CD_TEST(known_problems)
{
    static lcp_case c;
    static dense d;
    tally t = {0};
    FILE *file = fopen("tests/cases/lcp/problems.txt", "r");
    int read = -1;
    CD_CHECK(file != NULL);
    while (file && (read = lcp_case_read(file, &c)) == 1) {
        d.n = c.n;
        memcpy(d.M, c.M, sizeof d.M);
        memcpy(d.q, c.q, sizeof d.q);
        for (int i = 0; i < c.n; i++) {
            d.lower[i] = i < c.free ? -INFINITY : 0;
            d.upper[i] = INFINITY;
        }
        int known = strcmp(c.expect, "solvable") == 0 ? 1 : strcmp(c.expect, "unsolvable") == 0 ? 0 : -1;
        compare(c.name, &d, known, 1e-6, &t);
    }
    CD_CHECK(read == 0);
    if (file)
        fclose(file);
    tell("known problems", &t);
    CD_CHECK(t.problems >= 40 && t.solved >= 30);
}

static double integer(cd_random *random, int most)
{
    return (double)(cd_random_bits(random) % (uint64_t)(2 * most + 1)) - most;
}

// P = A A' (rank as the columns of A) with A of small integers; halves and integers stay exact.
static void gram(cd_random *random, int n, int columns, double *M)
{
    double A[SMALL * SMALL];
    for (int i = 0; i < n * columns; i++)
        A[i] = integer(random, 2);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            M[i * n + j] = 0;
            for (int k = 0; k < columns; k++)
                M[i * n + j] += A[i * columns + k] * A[j * columns + k];
        }
    }
}

typedef enum matrix_class { GENERAL, SPARSE, MONOTONE, LOW_RANK, NONNEGATIVE, CLASSES } matrix_class;
static const char *const class_names[CLASSES] = {"general", "sparse", "positive definite and skew",
                                                 "semidefinite of low rank", "nonnegative"};

static void fill(cd_random *random, matrix_class class, dense *d)
{
    const int n = d->n;
    if (class == MONOTONE || class == LOW_RANK)
        gram(random, n, class == LOW_RANK ? (n + 1) / 2 : n, d->M);
    for (int i = 0; i < n; i++) {
        d->q[i] = integer(random, 8);
        for (int j = 0; j < n; j++) {
            double *m = &d->M[i * n + j];
            if (class == GENERAL || class == NONNEGATIVE)
                *m = class == GENERAL ? integer(random, 4) : fabs(integer(random, 4));
            else if (class == SPARSE)
                *m = cd_random_unit(random) < 0.6 ? 0 : integer(random, 3);
        }
    }
    for (int i = 0; i < n && class == MONOTONE; i++) {
        d->M[i * n + i] += 0.5;
        for (int j = 0; j < i; j++) {
            double skew = integer(random, 2);
            d->M[i * n + j] += skew;
            d->M[j * n + i] -= skew;
        }
    }
    double unit = ldexp(1, (int)(cd_random_bits(random) % 41) - 20);  // the same problem in another unit
    for (int i = 0; i < n; i++)
        d->q[i] *= unit;
}

// Bounds of all kinds when mixed: none, lower, upper, both, equal.
static void bound(cd_random *random, bool mixed, dense *d)
{
    double unit = 0;
    for (int i = 0; i < d->n; i++)
        unit = fmax(unit, fabs(d->q[i]));
    for (int i = 0; i < d->n; i++) {
        double pick = mixed ? cd_random_unit(random) : 0.2, low = integer(random, 2) / 4 * unit;
        d->lower[i] = pick < 0.3 ? 0 : pick < 0.7 ? low : -INFINITY;
        d->upper[i] = pick < 0.45   ? INFINITY
                      : pick < 0.65 ? low + (1 + fabs(integer(random, 3))) / 8 * unit
                      : pick < 0.8  ? low
                                    : INFINITY;
    }
}

static void run_random(bool mixed, int count, int most_rows, uint64_t seed)
{
    static dense d;
    for (int class = 0; class < CLASSES; class ++) {
        tally t = {0};
        cd_random random = {seed + (uint64_t) class};
        for (int k = 0; k < count; k++) {
            d.n = 1 + (int)(cd_random_bits(&random) % (uint64_t)most_rows);
            fill(&random, (matrix_class) class, &d);
            bound(&random, mixed, &d);
            char name[64];
            snprintf(name, sizeof name, "%s %s problem %d", class_names[class], mixed ? "mixed" : "pure", k);
            compare(name, &d, -1, 1e-9, &t);
        }
        tell(class_names[class], &t);
        CD_CHECK(t.solved > count / 10);
        // Lemke's method processes these: each solvable problem must come out solved.
        if (class == MONOTONE || (class == LOW_RANK && !mixed))
            CD_CHECK(t.solved + t.unsolvable == t.problems);
    }
}

CD_TEST(pure_problems) { run_random(false, 6000, 5, 31); }
CD_TEST(pure_problems_of_up_to_8_rows) { run_random(false, 100, SMALL, 41); }
CD_TEST(mixed_problems) { run_random(true, 6000, 4, 51); }

// ---- many problems, where only a wrong `solved` or a wrong `infeasible` is looked for ------------------------------

static int semidefinite_count = 2000;
static const char *problem_path;

// Whether the residual that a solver claims holds without rounding.
static void check_claim(const char *name, const dense *d, const cd_mcp *mcp, const cd_lcp_solver *solver,
                        int count[CD_LCP_STATUS_COUNT], double *worst)
{
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    cd_mcp_solution s;
    cd_mcp_solve(mcp, solver, &options, &arena, &s);
    count[s.status]++;
    if (s.status == CD_LCP_SOLVED) {
        cd_mcp_matrix m = cd_mcp_matrix_build(mcp, &arena);
        bool is_free[CASE_ROWS];
        double divisor;
        for (int i = 0; i < d->n; i++)
            is_free[i] = d->lower[i] == -INFINITY && d->upper[i] == INFINITY;
        cd_mcp_norm_scales(&m, is_free, m.r, m.c, &arena);
        const double residual = exact_residual(d, &m, s.z, &divisor);
        if (!(residual <= options.tolerance))
            printf("# %s by %s: claimed %g, true %g\n", name, solver->name, s.residual, residual);
        CD_CHECK(residual <= options.tolerance);
        *worst = fmax(*worst, residual);
    }
    oracle_release();
}

static void tell_counts(const char *title, const cd_lcp_solver *solver, const int count[CD_LCP_STATUS_COUNT],
                        double worst)
{
    printf("# %s by %s:", title, solver->name);
    for (int k = 0; k < CD_LCP_STATUS_COUNT; k++)
        printf(" %s %d", cd_lcp_status_name((cd_lcp_status)k), count[k]);
    printf(", worst exact residual %.2g\n", worst);
}

CD_TEST(semidefinite_problems)
{
    static dense d;
    for (int k = 0; cd_lcp_solvers[k]; k++) {
        const cd_lcp_solver *solver = cd_lcp_solvers[k];
        cd_random random = {61};
        int count[CD_LCP_STATUS_COUNT] = {0}, wrong = 0;
        double worst = 0;
        for (int trial = 0; trial < semidefinite_count; trial++) {
            d.n = 1 + (int)(cd_random_bits(&random) % 12);
            oracle_random_psd(&random, d.n, 1 + (int)(cd_random_unit(&random) * d.n), d.M);
            const bool is_feasible = trial % 2 == 0;  // q = w - M x with x, w >= 0, many of them 0
            double x[12];
            for (int i = 0; i < d.n; i++)
                x[i] = cd_random_unit(&random) < 0.5 ? 0 : cd_random_unit(&random);
            for (int i = 0; i < d.n; i++) {
                d.lower[i] = 0;
                d.upper[i] = INFINITY;
                d.q[i] = !is_feasible                    ? cd_random_between(&random, -1, 1)
                         : cd_random_unit(&random) < 0.5 ? 0
                                                         : cd_random_unit(&random);
                for (int j = 0; j < d.n && is_feasible; j++)
                    d.q[i] -= d.M[i * d.n + j] * x[j];
            }
            const int before = count[CD_LCP_INFEASIBLE];
            cd_mcp mcp = sparse_of(&d);
            check_claim("semidefinite problem", &d, &mcp, solver, count, &worst);
            wrong += is_feasible && count[CD_LCP_INFEASIBLE] > before;
            cd_arena_reset(&arena);
        }
        tell_counts("semidefinite problems", solver, count, worst);
        // q of the feasible half is rounded: without slack it may lie outside by 1e-16, which nobody but enumeration
        // without rounding sees.
        CD_CHECK(wrong == 0 || solver->most_rows);
    }
}

static bool read_stream_problem(FILE *file, dense *d)
{
    char word[16];
    if (fscanf(file, "%15s", word) != 1)
        return false;
    d->n = 0;
    bool good = strcmp(word, "problem") == 0, has_matrix = false;
    while (good && fscanf(file, "%15s", word) == 1 && strcmp(word, "end") != 0) {
        if (strcmp(word, "row") == 0 && d->n < CASE_ROWS && !has_matrix) {
            good = fscanf(file, "%lf %lf %lf", &d->q[d->n], &d->lower[d->n], &d->upper[d->n]) == 3;
            d->n++;
        } else {
            int row, col;
            double value;
            good = strcmp(word, "entry") == 0 && fscanf(file, "%d %d %lf", &row, &col, &value) == 3 && row < d->n &&
                   col < d->n;
            if (!has_matrix)
                memset(d->M, 0, sizeof *d->M * (size_t)d->n * (size_t)d->n);
            has_matrix = true;
            if (good)
                d->M[row * d->n + col] += value;
        }
    }
    CD_CHECK(good);
    return good;
}

CD_TEST(problems_of_a_stream)
{
    static dense d;
    for (int k = 0; cd_lcp_solvers[k] && problem_path; k++) {
        const cd_lcp_solver *solver = cd_lcp_solvers[k];
        if (!(solver->solves & CD_LCP_SOLVES_P) || solver->most_rows)
            continue;  // disjunctions are not symmetric
        FILE *file = fopen(problem_path, "r");
        int count[CD_LCP_STATUS_COUNT] = {0};
        double worst = 0;
        CD_CHECK(file != NULL);
        while (file && read_stream_problem(file, &d)) {
            cd_mcp mcp = sparse_of(&d);
            check_claim("a problem of the stream", &d, &mcp, solver, count, &worst);
            cd_arena_reset(&arena);
        }
        tell_counts("problems of the stream", solver, count, worst);
        if (file)
            fclose(file);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        semidefinite_count = atoi(argv[1]);
    problem_path = argc > 2 ? argv[2] : NULL;
    CD_RUN(semidefinite_problems);
    CD_RUN(problems_of_a_stream);
    if (argc > 1) {
        cd_arena_release(&arena);
        return cd_test_done();
    }
    CD_RUN(known_problems);
    CD_RUN(pure_problems);
    CD_RUN(pure_problems_of_up_to_8_rows);
    CD_RUN(mixed_problems);
    cd_arena_release(&arena);
    return cd_test_done();
}
