// Problems and islands that come again get the solution that they had: the one that they would get, to the byte.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "lcp_known.h"
#include "lcp_piles.h"
#include "mcp_parts.h"

static cd_arena arena;

// ---- whole problems ------------------------------------------------------------------------------------------------

enum { ROWS = 3, ENTRIES = 2 };

typedef struct small {
    int32_t row[ENTRIES], col[ENTRIES], normal_row[ROWS], kind[ROWS];
    double value[ENTRIES], rhs[ROWS], lower[ROWS], upper[ROWS], mu[ROWS], warm[ROWS];
    cd_mcp mcp;
} small;

static void make(small *s, double rhs)
{
    *s = (small){.row = {0, 1},
                 .col = {0, 1},
                 .normal_row = {-1, 0, 0},
                 .kind = {1, 2, 2},
                 .value = {1, 2},
                 .rhs = {rhs, 4, 5},
                 .upper = {1, 1, 1},
                 .mu = {0, 0.5, 0.5},
                 .warm = {7, NAN, 8}};
    s->mcp = (cd_mcp){.n = ROWS,
                      .entry_count = ENTRIES,
                      .row = s->row,
                      .col = s->col,
                      .value = s->value,
                      .rhs = s->rhs,
                      .lower = s->lower,
                      .upper = s->upper,
                      .normal_row = s->normal_row,
                      .mu = s->mu,
                      .kind = s->kind};
}

static cd_mcp_solution answer(double *z, cd_lcp_status *status)
{
    return (cd_mcp_solution){.status = CD_LCP_LIMIT,
                             .solver = "any",
                             .reason = "why",
                             .residual = 3,
                             .iterations = 4,
                             .row_status = status,
                             .z = z,
                             .w = z};
}

CD_TEST(a_problem_is_the_same_to_the_last_bit_of_each_column)
{
    cd_known *kept = cd_known_make();
    small s;
    make(&s, 1);
    double z[ROWS] = {1, -0.0, 3};
    cd_lcp_status status[ROWS] = {CD_LCP_SOLVED, CD_LCP_LIMIT, CD_LCP_LIMIT};
    cd_mcp_solution wanted = answer(z, status), got;
    CD_CHECK(!cd_known_recall(kept, &s.mcp, s.warm, &arena, &got));
    cd_known_keep(kept, &s.mcp, s.warm, &wanted);
    const bool is_known = cd_known_recall(kept, &s.mcp, s.warm, &arena, &got);
    CD_CHECK(is_known);
    if (!is_known)
        return;
    CD_CHECK(got.status == CD_LCP_LIMIT && got.residual == 3 && got.iterations == 4 && got.z != z);
    CD_CHECK(memcmp(got.z, z, sizeof z) == 0 && memcmp(got.w, z, sizeof z) == 0);
    CD_CHECK(memcmp(got.row_status, status, sizeof status) == 0);
    CD_CHECK_TEXT(got.solver, "any");
    CD_CHECK_TEXT(got.reason, "why");
    // NAN in warm is a value as any other; none at all is another start.
    CD_CHECK(!cd_known_recall(kept, &s.mcp, NULL, &arena, &got));
    unsigned char *last[] = {(unsigned char *)&s.row[ENTRIES - 1],   (unsigned char *)&s.col[ENTRIES - 1],
                             (unsigned char *)&s.value[ENTRIES - 1], (unsigned char *)&s.rhs[ROWS - 1],
                             (unsigned char *)&s.lower[ROWS - 1],    (unsigned char *)&s.upper[ROWS - 1],
                             (unsigned char *)&s.mu[ROWS - 1],       (unsigned char *)&s.normal_row[ROWS - 1],
                             (unsigned char *)&s.kind[ROWS - 1],     (unsigned char *)&s.warm[ROWS - 1]};
    for (size_t k = 0; k < sizeof last / sizeof *last; k++) {
        *last[k] ^= 1;
        CD_CHECK(!cd_known_recall(kept, &s.mcp, s.warm, &arena, &got));
        *last[k] ^= 1;
        CD_CHECK(cd_known_recall(kept, &s.mcp, s.warm, &arena, &got));
    }
    s.mcp.n--;
    CD_CHECK(!cd_known_recall(kept, &s.mcp, s.warm, &arena, &got));
    cd_known_release(kept);
    cd_arena_reset(&arena);
}

CD_TEST(the_last_problems_are_kept_and_large_ones_alone)
{
    cd_known *kept = cd_known_make();
    double z[ROWS] = {1, 2, 3};
    cd_lcp_status status[ROWS] = {CD_LCP_SOLVED};
    cd_mcp_solution wanted = answer(z, status), got;
    small s;
    for (int k = 0; k <= CD_KNOWN_MOST; k++) {
        make(&s, k);
        cd_known_keep(kept, &s.mcp, NULL, &wanted);
    }
    for (int k = 0; k <= CD_KNOWN_MOST; k++) {
        make(&s, k);
        CD_CHECK(cd_known_recall(kept, &s.mcp, NULL, &arena, &got) == (k > 0));
    }
    // One of more than half of the bytes leaves no room for another such one, nor for what is older than that.
    const int32_t many = CD_KNOWN_BYTES / 2 / (int32_t)sizeof(double) + 1;
    s.mcp.value = CD_ARENA_ZARRAY(&arena, double, many);
    s.mcp.row = s.mcp.col = CD_ARENA_ZARRAY(&arena, int32_t, many);
    s.mcp.entry_count = many;
    for (int k = 0; k < 2; k++) {
        s.rhs[0] = 100 + k;
        cd_known_keep(kept, &s.mcp, NULL, &wanted);
        CD_CHECK(cd_known_recall(kept, &s.mcp, NULL, &arena, &got));
    }
    s.rhs[0] = 100;
    CD_CHECK(!cd_known_recall(kept, &s.mcp, NULL, &arena, &got));
    make(&s, CD_KNOWN_MOST);
    CD_CHECK(!cd_known_recall(kept, &s.mcp, NULL, &arena, &got));
    cd_known_release(kept);
    cd_arena_release(&arena);
}

// Where all moves nothing is copied that has not come twice.
CD_TEST(after_many_in_vain_a_problem_is_kept_when_it_comes_again)
{
    cd_known *kept = cd_known_make();
    double z[ROWS] = {1, 2, 3};
    cd_lcp_status status[ROWS] = {CD_LCP_SOLVED};
    cd_mcp_solution wanted = answer(z, status), got;
    small s;
    for (int k = 0; k < CD_KNOWN_VAIN; k++) {
        make(&s, 10 + k);
        cd_known_keep(kept, &s.mcp, NULL, &wanted);
        CD_CHECK(cd_known_recall(kept, &s.mcp, NULL, &arena, &got));
    }
    for (int k = 0; k < 3; k++) {
        make(&s, 1);
        CD_CHECK(cd_known_recall(kept, &s.mcp, NULL, &arena, &got) == (k == 2));
        cd_known_keep(kept, &s.mcp, NULL, &wanted);
    }
    // Once one has come again all that is new is kept.
    make(&s, 2);
    cd_known_keep(kept, &s.mcp, NULL, &wanted);
    CD_CHECK(cd_known_recall(kept, &s.mcp, NULL, &arena, &got));
    cd_known_release(kept);
    cd_arena_reset(&arena);
}

// ---- islands -------------------------------------------------------------------------------------------------------

static cd_mcp_solution solve(const cd_mcp *mcp, const char *solver, const cd_lcp_options *options)
{
    cd_mcp_solution out;
    cd_mcp_solve(mcp, cd_lcp_find_solver(solver), options, &arena, &out);
    return out;
}

// How many islands of a problem are known; it is not solved.
static int count_known(cd_mcp_known *store, const cd_mcp *mcp, const cd_lcp_options *options)
{
    cd_mcp_problem p = cd_mcp_problem_build(mcp, NULL, 0, &arena);
    bool *member = CD_ARENA_ARRAY(&arena, bool, mcp->n);
    int32_t *component = CD_ARENA_ARRAY(&arena, int32_t, mcp->n), *first, *row;
    for (int32_t i = 0; i < mcp->n; i++)
        member[i] = p.kind[i] != CD_MCP_FIXED;
    const int32_t count = cd_mcp_components(&p.m, member, component, &arena);
    cd_mcp_list_members(component, mcp->n, count, &first, &row, &arena);
    const cd_mcp_islands islands = {first, row, count};
    bool *is_known = CD_ARENA_ZARRAY(&arena, bool, count);
    cd_mcp_island_result *result = CD_ARENA_ZARRAY(&arena, cd_mcp_island_result, count);
    cd_mcp_known_recall(store, &p, &islands, options, is_known, result);
    int known = 0;
    for (int32_t k = 0; k < count; k++)
        known += is_known[k];
    return known;
}

enum { PILES = 5 };

static const cd_mcp *make_piles(pile *p, double friction, uint64_t seed)
{
    *p = (pile){.spread = 30, .friction = friction, .random = {seed}};
    for (int k = 0; k < PILES; k++)
        pile_add(p, 1 + k % 2, 1, 2 + k % 3);
    return pile_finish(p);
}

CD_TEST(islands_that_did_not_change_are_known)
{
    for (int friction = 0; friction < 2; friction++) {
        pile p;
        const cd_mcp *m = make_piles(&p, friction ? 0.4 : 0, 3);
        cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
        options.known = cd_mcp_known_make();
        CD_CHECK(count_known(options.known, m, &options) == 0);
        CD_CHECK(solve(m, "auto", &options).status == CD_LCP_SOLVED);
        CD_CHECK(count_known(options.known, m, &options) == PILES);
        // The last bit of one.
        const double rhs = p.rhs[2];
        p.rhs[2] = nextafter(rhs, INFINITY);
        CD_CHECK(count_known(options.known, m, &options) == PILES - 1);
        p.rhs[2] = rhs;
        // A load that is larger makes the tolerance of all others wider.
        const int32_t base = p.first_row[p.bodies - 1];
        p.rhs[base + 2] *= 1e3;
        CD_CHECK(count_known(options.known, m, &options) == PILES - 1);
        p.rhs[base + 2] /= 1e3;
        // Another start.
        options.warm = CD_ARENA_ZARRAY(&arena, double, m->n);
        CD_CHECK(count_known(options.known, m, &options) == 0);
        cd_mcp_known_release(options.known);
        pile_release(&p);
        cd_arena_reset(&arena);
    }
}

// Piles that all move, step after step, and then stand: written down when they have come twice.
static void solve_moving(pile *p, const cd_mcp *m, const cd_lcp_options *options)
{
    for (int step = 0; step < 20; step++) {
        for (int32_t i = 0; i < m->n; i++)
            p->rhs[i] *= 1.01;
        CD_CHECK(!solve(m, "auto", options).is_partly_known);
    }
}

CD_TEST(after_many_in_vain_islands_are_known_when_they_came_twice)
{
    pile p;
    const cd_mcp *m = make_piles(&p, 0, 3);
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    options.known = cd_mcp_known_make();
    solve_moving(&p, m, &options);
    CD_CHECK(count_known(options.known, m, &options) == 0);
    CD_CHECK(solve(m, "auto", &options).status == CD_LCP_SOLVED);
    CD_CHECK(count_known(options.known, m, &options) == PILES);
    cd_mcp_known_release(options.known);
    pile_release(&p);
    cd_arena_reset(&arena);
}

// An answer that is short of the tolerance is so of its own size alone.
CD_TEST(an_unsolved_island_is_known_at_its_own_size)
{
    pile p;
    const cd_mcp *m = make_piles(&p, 0, 5);
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    options.max_iterations = 1;
    options.known = cd_mcp_known_make();
    CD_CHECK(solve(m, "pgs", &options).status != CD_LCP_SOLVED);
    CD_CHECK(count_known(options.known, m, &options) == PILES);
    p.rhs[p.first_row[p.bodies - 1] + 2] *= 1e3;
    CD_CHECK(count_known(options.known, m, &options) < PILES - 1);
    cd_mcp_known_release(options.known);
    pile_release(&p);
    cd_arena_reset(&arena);
}

static void check_same(const cd_mcp_solution *got, const cd_mcp_solution *wanted, int32_t n)
{
    CD_CHECK(got->status == wanted->status && got->iterations == wanted->iterations);
    CD_CHECK(got->island_count == wanted->island_count && got->largest_island == wanted->largest_island);
    CD_CHECK_TEXT(got->solver, wanted->solver);
    CD_CHECK_TEXT(got->reason, wanted->reason);
    CD_CHECK(memcmp(&got->residual, &wanted->residual, sizeof got->residual) == 0);
    CD_CHECK(memcmp(got->z, wanted->z, sizeof *got->z * (size_t)n) == 0);
    CD_CHECK(memcmp(got->w, wanted->w, sizeof *got->w * (size_t)n) == 0);
    CD_CHECK(memcmp(got->row_status, wanted->row_status, sizeof *got->row_status * (size_t)n) == 0);
}

// Piles that change at random, by much and by little, and come back: with and without memory the same bytes.
CD_TEST(what_is_known_is_what_would_be_solved)
{
    static const char *const solvers[] = {"auto", "pgs", "lemke", "ladder", "qp", "mprgp"};
    for (int k = 0; k < 24; k++) {
        const char *solver = solvers[k % 6];
        pile p;
        const cd_mcp *m = make_piles(&p, k % 6 < 2 && k % 4 < 2 ? 0.4 : 0, (uint64_t)k);
        cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
        options.threads = 1 + k % 3;
        options.max_iterations = k % 8 > 4 ? 2 : 0;
        options.warm = k % 12 == 7 ? CD_ARENA_ZARRAY(&arena, double, m->n) : NULL;
        cd_lcp_options without = options;
        options.known = cd_mcp_known_make();
        double *first = CD_ARENA_ARRAY(&arena, double, m->n);
        memcpy(first, p.rhs, sizeof *first * (size_t)m->n);
        for (int step = 0; step < 12; step++) {
            const int32_t body = (int32_t)(cd_random_unit(&p.random) * p.bodies), row = p.first_row[body] + 2;
            const double u = cd_random_unit(&p.random);
            if (u < 0.3)
                memcpy(p.rhs, first, sizeof *first * (size_t)m->n);
            else
                p.rhs[row] *= u < 0.5 ? 1 + 1e-15 : u < 0.8 ? 1.5 : 1e4;
            const cd_mcp_solution got = solve(m, solver, &options), wanted = solve(m, solver, &without);
            check_same(&got, &wanted, m->n);
        }
        cd_mcp_known_release(options.known);
        pile_release(&p);
        cd_arena_reset(&arena);
    }
}

// ---- parts ---------------------------------------------------------------------------------------------------------

static int by_row(const void *a, const void *b)
{
    const double *x = a, *y = b;  // row, column, value
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

// One pile for each number, always the same; rows in order, as a stream has them.
enum { KINDS = 10, HEAVY = 3, LIGHT = 5 };

static const cd_mcp *make_list(pile *p, const int *kind, int count, double friction)
{
    *p = (pile){.friction = friction};
    for (int k = 0; k < count; k++) {
        p->random = (cd_random){(uint64_t)kind[k] + 1};
        p->spread = kind[k] == HEAVY ? 1e8 : kind[k] == LIGHT ? 1e-8 : 30;
        pile_add(p, 2, 2, 1 + kind[k] % 2);
    }
    const int32_t entries = p->mcp.entry_count;
    double(*entry)[3] = cd_arena_alloc(&arena, sizeof *entry * (size_t)entries);
    for (int32_t k = 0; k < entries; k++) {
        entry[k][0] = p->row[k];
        entry[k][1] = p->col[k];
        entry[k][2] = p->value[k];
    }
    qsort(entry, (size_t)entries, sizeof *entry, by_row);
    for (int32_t k = 0; k < entries; k++) {
        p->row[k] = (int32_t)entry[k][0];
        p->col[k] = (int32_t)entry[k][1];
        p->value[k] = entry[k][2];
    }
    return pile_finish(p);
}

CD_TEST(after_many_in_vain_parts_are_known_when_they_came_twice)
{
    const int kind[] = {0, 1, 2, 4, 6, 7, 8, 9, 1, 7};
    pile p;
    const cd_mcp *m = make_list(&p, kind, sizeof kind / sizeof *kind, 0);
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    options.parts = cd_mcp_parts_make();
    solve_moving(&p, m, &options);
    for (int k = 0; k < 3; k++) {
        for (int32_t i = 0; i < p.first_row[0] + 6; i++)
            p.rhs[i] *= 1.01;
        CD_CHECK(solve(m, "auto", &options).is_partly_known == (k > 0));
    }
    cd_mcp_parts_release(options.parts);
    pile_release(&p);
    cd_arena_reset(&arena);
}

// Piles come, go, change places and get other loads; one is so heavy, one so light, that tolerance and scales follow
// them.
CD_TEST(parts_that_are_known_have_the_bytes_that_solving_gives)
{
    static const char *const solvers[] = {"auto", "pgs", "qp"};
    int known = 0, anew = 0;
    for (int run = 0; run < 9; run++) {
        cd_random random = {(uint64_t)run};
        cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
        options.threads = 1 + run % 2;
        options.max_iterations = run == 4 || run == 7 ? 3 : 0;
        cd_lcp_options without = options;
        options.parts = cd_mcp_parts_make();
        options.known = run % 2 ? cd_mcp_known_make() : NULL;
        int kind[KINDS], count = 8;
        for (int k = 0; k < count; k++)
            kind[k] = k;
        for (int step = 0; step < 20; step++) {
            const int at = (int)(cd_random_unit(&random) * count), to = (int)(cd_random_unit(&random) * KINDS);
            const double u = cd_random_unit(&random);
            if (u < 0.25 && count > 6)
                memmove(kind + at, kind + at + 1, sizeof *kind * (size_t)(--count - at));
            else if (u < 0.5 && count < KINDS) {
                memmove(kind + at + 1, kind + at, sizeof *kind * (size_t)(count++ - at));
                kind[at] = to;
            } else if (u < 0.7)
                kind[at] = to;
            pile p;
            const cd_mcp *m = make_list(&p, kind, count, run % 3 < 2 ? 0.4 : 0);
            if (u > 0.8)
                p.rhs[p.first_row[(int)(cd_random_unit(&random) * p.bodies)] + 2] *= u < 0.9 ? 1.5 : 1e5;
            double *warm = run == 5 ? CD_ARENA_ZARRAY(&arena, double, m->n) : NULL;
            options.warm = without.warm = warm;
            const char *solver = solvers[run % 3];
            const cd_mcp_solution got = solve(m, solver, &options), wanted = solve(m, solver, &without);
            check_same(&got, &wanted, m->n);
            CD_CHECK(!wanted.is_partly_known);
            known += got.is_partly_known;
            anew += !got.is_partly_known;
            pile_release(&p);
        }
        cd_mcp_parts_release(options.parts);
        cd_mcp_known_release(options.known);
        cd_arena_reset(&arena);
    }
    printf("# %d problems with known parts, %d without\n", known, anew);
    CD_CHECK(known > 20 && anew > 5);
}

int main(void)
{
    CD_RUN(parts_that_are_known_have_the_bytes_that_solving_gives);
    CD_RUN(a_problem_is_the_same_to_the_last_bit_of_each_column);
    CD_RUN(the_last_problems_are_kept_and_large_ones_alone);
    CD_RUN(islands_that_did_not_change_are_known);
    CD_RUN(an_unsolved_island_is_known_at_its_own_size);
    CD_RUN(what_is_known_is_what_would_be_solved);
    CD_RUN(after_many_in_vain_a_problem_is_kept_when_it_comes_again);
    CD_RUN(after_many_in_vain_islands_are_known_when_they_came_twice);
    CD_RUN(after_many_in_vain_parts_are_known_when_they_came_twice);
    cd_arena_release(&arena);
    return cd_test_done();
}
