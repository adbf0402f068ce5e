// The interior point: Coulomb's law in its own words, several discs of one contact, proofs, masses and units far apart.
// SPDX-License-Identifier: MIT
#include "cone_bracket.h"
#include "cone_lagrangian.h"
#include "cone_multipliers.h"
#include "cone_undecided.h"
#include "cd_test.h"
#include "lcp_piles.h"
#include "lcp_proximal.h"

static cd_arena arena;

static cd_mcp_solution solve_from(const cd_mcp *mcp, const double *guess, cd_gram_kept *patterns)
{
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    options.guess = guess;
    options.patterns = patterns;
    cd_mcp_solution out;
    cd_mcp_solve(mcp, cd_lcp_find_solver("ipm"), &options, &arena, &out);
    return out;
}

static cd_mcp_solution solve_by_ipm(const cd_mcp *mcp) { return solve_from(mcp, NULL, NULL); }

CD_TEST(bracket_closes_in_on_where_the_slope_is_0)
{
    // A straight slope: its zero at once. One that is nearly all at one end: a tenth of the way.
    const cd_cone_bracket straight = {0, 1, -1, 3}, steep = {0, 1, -1e-9, 1};
    CD_CHECK(cd_cone_bracket_next(&straight) == 0.25 && cd_cone_bracket_next(&steep) == 0.1);
    // t^3 - 1/5, from [0, 1].
    cd_cone_bracket b = {0, 1, -0.2, 0.8};
    double at = 0;
    for (int k = 0; k < 12; k++) {
        at = cd_cone_bracket_next(&b);
        cd_cone_bracket_take(&b, at, at * at * at - 0.2);
        CD_CHECK(b.low <= cbrt(0.2) && cbrt(0.2) <= b.high && b.low_slope < 0 && b.high_slope > 0);
    }
    CD_CHECK_NEAR(at, cbrt(0.2), 1e-3);
}

// ---- multipliers ---------------------------------------------------------------------------------------------------

// Unit masses, each velocity with contacts of its own: u_0 = 1 is carried, what is at 0.5 is open; u_1 neither carries
// nor opens; (u_2, u_3) slips, (u_4, u_5) sticks, both with mu = 0.5 and pushed to u_n = 1.
CD_TEST(multipliers_come_to_closed_forms)
{
    enum { CONES = 5, GROUPS = 4, ROWS = 7, COLUMNS = 6 };
    const int32_t row[CONES + 1] = {0, 1, 2, 3, 5, 7}, height[GROUPS] = {2, 1, 2, 2}, stride[CONES] = {4, 4, 4, 4, 4};
    const int32_t first[GROUPS + 1] = {0, 1, 2, 4, 6}, col[] = {0, 1, 2, 3, 4, 5};
    const int64_t place[CONES + 1] = {0, 4, 8, 12, 20, 28}, group_place[GROUPS + 1] = {0, 8, 12, 20, 28};
    double H[ROWS][4] = {{1}, {1}, {1}, {2}, {0, 1}, {2}, {0, 1}}, h[ROWS] = {-1, -0.5, 0, -2, 2, -2, 0.3},
           D[COLUMNS] = {1, 1, 1, 1, 1, 1};
    const double u[COLUMNS] = {1, 0, 1, -0.5, 1, -0.3}, z[ROWS] = {1, 0, 0, 0.5, -0.5, 0.5, -0.3};
    cd_cone_program p = {.groups = {COLUMNS, GROUPS, first, col, height, group_place},
                         .cones = {CONES, ROWS, row},
                         .place = place,
                         .stride = stride,
                         .H = &H[0][0],
                         .h = h,
                         .D = D};
    cd_cone_system system = cd_cone_system_make(&p, NULL, &arena);
    const double start_u[COLUMNS] = {0.3, 0.2, 0.9, 0.1, 1.2, 0}, start_z[ROWS] = {0.1, 0.3, 0.2, 0.6, 0, 0.4, 0.1};
    cd_cone_multipliers m = cd_cone_multipliers_make(&system, start_u, start_z, &arena);
    // The slips are piecewise linear in sigma: its Newton's method needs two changes, the multipliers' shrink by 1e-4.
    for (int change = 0; change < 6; change++)
        CD_CHECK(cd_cone_multipliers_step(&m, 1e4, 8) && m.factors < 8 * (change + 1));
    for (int i = 0; i < COLUMNS; i++)
        CD_CHECK_NEAR(m.u[i], u[i], 1e-14);
    for (int i = 0; i < ROWS; i++)
        CD_CHECK_NEAR(m.z[i], z[i], 1e-14);
    CD_CHECK(m.z[1] == 0);
    cd_arena_reset(&arena);
}

// ---- rows that carry -----------------------------------------------------------------------------------------------

static bool is_same(const cd_mcp_solution *a, const cd_mcp_solution *b, int32_t n)
{
    return a->status == b->status && a->iterations == b->iterations && a->residual == b->residual &&
           memcmp(a->z, b->z, sizeof *a->z * (size_t)n) == 0 && memcmp(a->w, b->w, sizeof *a->w * (size_t)n) == 0;
}

// Piles without friction: guesses of the rows that carry, right ones, none, wrong ones and such that know little, and
// patterns that are kept, change no byte.
CD_TEST(guesses_change_no_byte)
{
    cd_gram_kept *patterns = cd_gram_kept_make();
    for (int seed = 0; seed < 12; seed++) {
        pile p = {.random = {(uint64_t)seed}, .spread = 1};
        pile_add(&p, 2 + seed % 3, 2 + seed / 3 % 2, 2 + seed % 4);
        const cd_mcp *m = pile_finish(&p);
        const cd_mcp_solution wanted = solve_by_ipm(m);
        double *guess = CD_ARENA_ARRAY(&arena, double, m->n);
        CD_CHECK(wanted.status == CD_LCP_SOLVED && wanted.iterations <= 6);
        for (int kind = 0; kind < 6; kind++) {
            for (int32_t i = 0; i < m->n; i++) {
                const double draw = cd_random_between(&p.random, 0, 1);
                guess[i] = kind == 0                          ? wanted.z[i]
                           : kind == 1                        ? 1
                           : kind == 2                        ? 0
                           : kind == 3                        ? (draw < 0.02) != (wanted.z[i] > 0)
                           : kind == 4 && draw < 0.9          ? NAN
                           : kind == 5 && wanted.z[i] < 1e-12 ? draw
                                                              : wanted.z[i];
            }
            const cd_mcp_solution s = solve_from(m, guess, patterns);
            CD_CHECK(is_same(&wanted, &s, m->n));
        }
        pile_release(&p);
        cd_arena_reset(&arena);
    }
    cd_gram_kept_release(patterns);
}

// Four points of two faces whose gaps are no plane's by 1e-12 m: which of them does not carry shows late, change by
// change with the same residual; no interior point is needed for that, whose steps would be more than these changes.
CD_TEST(faces_that_are_not_quite_plane_are_settled)
{
    for (int seed = 0; seed < 8; seed++) {
        pile p = {.random = {(uint64_t)seed}, .spread = 4};
        pile_add(&p, 1, 1, 1 + seed % 2);
        for (int32_t i = 0, at = 0; i < p.mcp.n; i++) {
            if (p.lower[i] == 0)
                p.rhs[i] += ((at & 1) == (at >> 1 & 1) ? 1 : -1) * 1e-10, at = (at + 1) & 3;
        }
        const cd_mcp_solution s = solve_by_ipm(pile_finish(&p));
        CD_CHECK(s.status == CD_LCP_SOLVED && s.iterations <= 9);
        pile_release(&p);
        cd_arena_reset(&arena);
    }
}

// Unit masses and bodies of one velocity: 0 pushes 1 against a wall, 2 falls freely, 3 rests on two equal contacts.
enum { WALL_ROWS = 6, WALL_COLUMNS = 4 };
static const double wall_u[WALL_COLUMNS] = {-1, 0, 0, 2}, wall_z[WALL_ROWS] = {1, 1, 0, 0, 1, 1};

static cd_cone_lagrangian guess_at(cd_cone_system *system, int guess)
{
    cd_cone_lagrangian m = cd_cone_lagrangian_make(system, &arena);
    for (int r = 0; r < WALL_ROWS; r++)
        m.carries[r] = guess >> r & 1;
    return m;
}

static void check_steps(cd_cone_system *system, int guess)
{
    cd_cone_lagrangian m = guess_at(system, guess);
    CD_CHECK(cd_cone_lagrangian_step(&m, 12, WALL_ROWS));
    CD_CHECK(cd_cone_lagrangian_is_certain(&m));
    CD_CHECK(cd_cone_lagrangian_step(&m, 12, WALL_ROWS) && cd_cone_lagrangian_step(&m, 12, WALL_ROWS));
    for (int i = 0; i < WALL_COLUMNS; i++)
        CD_CHECK_NEAR(m.u[i], wall_u[i], 1e-14);
    for (int r = 0; r < WALL_ROWS; r++)
        CD_CHECK_NEAR(m.z[r], wall_z[r], r < 4 ? 1e-14 : 2e-3);  // of two equal ones the sum alone is certain
    CD_CHECK_NEAR(m.z[4] + m.z[5], 2, 1e-14);
}

// Rows that are undecided come to the same ones, after soft rows too, and leave the point alone: one factor more gives
// the first change.
static void check_undecided(cd_cone_system *system, int guess)
{
    for (int soft = 0; soft < 3; soft++) {
        cd_cone_lagrangian decided = guess_at(system, guess);
        if (soft > 0)
            cd_cone_lagrangian_approach(&decided, soft > 1);
        CD_CHECK(cd_cone_undecided_decide(&decided, WALL_ROWS, &arena));
        for (int r = 0; r < WALL_ROWS; r++)
            CD_CHECK(decided.carries[r] == (wall_z[r] > 0));
        CD_CHECK(decided.u[0] == 0 && cd_cone_lagrangian_step(&decided, 1, 0));
        CD_CHECK_NEAR(decided.u[0], wall_u[0], 1e-8);
    }
}

// Sweeps come near, from any z.
static void check_sweeps(cd_cone_system *system, int guess)
{
    cd_cone_lagrangian swept = cd_cone_lagrangian_make(system, &arena);
    double from[WALL_ROWS];
    for (int r = 0; r < WALL_ROWS; r++)
        from[r] = guess >> r & 1 ? 3 : 0;
    cd_cone_lagrangian_sweep(&swept, from, 40);
    for (int r = 0; r < 4; r++)
        CD_CHECK(swept.carries[r] == (wall_z[r] > 0));
    CD_CHECK(swept.carries[4] || swept.carries[5]);
    // A mended guess has the rows of the answer; only one that is wrong takes a factor.
    cd_cone_lagrangian mended = cd_cone_lagrangian_make(system, &arena);
    cd_cone_lagrangian_mend(&mended, from);
    for (int r = 0; r < WALL_ROWS; r++)
        CD_CHECK(r < 4 ? mended.carries[r] == (wall_z[r] > 0) : mended.factors == 0 || mended.carries[r]);
    CD_CHECK(mended.u[0] == 0 && mended.factors <= 1 && (guess != 63 || mended.factors == 1));
    CD_CHECK(cd_cone_lagrangian_step(&mended, 12, WALL_ROWS));
    CD_CHECK_NEAR(mended.u[0], wall_u[0], 1e-8);
}

CD_TEST(rows_that_carry_come_to_closed_forms)
{
    enum { ROWS = WALL_ROWS, GROUPS = 5, COLUMNS = WALL_COLUMNS };
    const int32_t row[ROWS + 1] = {0, 1, 2, 3, 4, 5, 6}, height[GROUPS] = {1, 1, 1, 1, 2},
                             stride[ROWS] = {4, 4, 4, 4, 4, 4}, first[GROUPS + 1] = {0, 2, 3, 4, 5, 6},
                             col[] = {0, 1, 1, 2, 0, 3};
    const int64_t place[ROWS + 1] = {0, 4, 8, 12, 16, 20, 24}, group_place[GROUPS + 1] = {0, 4, 8, 12, 16, 24};
    // u is the change of velocity: u_1 - u_0 >= 1, -u_1 >= 0, u_2 >= -1, u_0 >= -9, u_3 >= 2 twice.
    double H[ROWS][4] = {{-1, 1}, {-1}, {1}, {1}, {1}, {1}}, h[ROWS] = {-1, 0, 1, 9, -2, -2}, D[COLUMNS] = {1, 1, 1, 1};
    cd_cone_program p = {.groups = {COLUMNS, GROUPS, first, col, height, group_place},
                         .cones = {ROWS, ROWS, row},
                         .place = place,
                         .stride = stride,
                         .H = &H[0][0],
                         .h = h,
                         .D = D};
    cd_cone_system system = cd_cone_system_make(&p, NULL, &arena);
    CD_CHECK(cd_cone_lagrangian_takes(&p));
    for (int guess = 0; guess < 1 << ROWS; guess++) {
        check_steps(&system, guess);
        check_undecided(&system, guess);
        check_sweeps(&system, guess);
    }
    // Two rows on the other side of six that carry: they become undecided one at a time. Of none that carry these are
    // too many: the guess stays as it was.
    for (int carrying = 0; carrying < 2; carrying++) {
        cd_cone_lagrangian m = guess_at(&system, carrying ? (1 << ROWS) - 1 : 0);
        CD_CHECK(cd_cone_undecided_decide(&m, 1, &arena) == carrying);
        for (int r = 0; r < 4; r++)
            CD_CHECK(m.carries[r] == (carrying && wall_z[r] > 0));
    }
    cd_arena_reset(&arena);
}

// 12,000 unit masses with a row each, the first `closing` of them pushed: a guess that none carries is mended where
// these may all be undecided at once, which is not more of a large programme than of one half as large.
CD_TEST(undecided_rows_of_a_large_programme_are_bounded)
{
    enum { N = 12000 };
    int32_t *first = CD_ARENA_ARRAY(&arena, int32_t, N + 1), *stride = CD_ARENA_ARRAY(&arena, int32_t, N),
            *height = CD_ARENA_ARRAY(&arena, int32_t, N);
    int64_t *place = CD_ARENA_ARRAY(&arena, int64_t, N + 1);
    double *one = CD_ARENA_ARRAY(&arena, double, 4 * N), *h = CD_ARENA_ARRAY(&arena, double, N);
    for (int32_t i = 0; i <= N; i++) {
        first[i] = i;
        place[i] = 4 * (int64_t)i;
    }
    for (int32_t i = 0; i < 4 * N; i++)
        one[i] = i % 4 == 0;
    double *D = CD_ARENA_ARRAY(&arena, double, N);
    for (int32_t i = 0; i < N; i++) {
        stride[i] = 4;
        height[i] = 1;
        D[i] = 1;
    }
    for (int closing = 600; closing <= 700; closing += 100) {
        for (int32_t i = 0; i < N; i++)
            h[i] = i < closing ? -1 : 1;
        cd_cone_program p = {.groups = {N, N, first, first, height, place},
                             .cones = {N, N, first},
                             .place = place,
                             .stride = stride,
                             .H = one,
                             .h = h,
                             .D = D};
        cd_cone_system system = cd_cone_system_make(&p, NULL, &arena);
        cd_cone_lagrangian m = cd_cone_lagrangian_make(&system, &arena);
        const bool is_decided = cd_cone_undecided_decide(&m, N, &arena);
        CD_CHECK(is_decided == (closing < 640));
        for (int32_t i = 0; i < N; i++)
            CD_CHECK(m.carries[i] == (is_decided && i < closing));
    }
    cd_arena_reset(&arena);
}

// A row of bodies of unit mass, each pushed into the next one and the first into a wall: all carry. Wrong guesses are
// mended without another factor, whichever rows have to leave it or to join. Where each row pushes the next one, one
// comes after the other, and this lasts too long: the guess stays as it was.
CD_TEST(undecided_rows_leave_a_factor_and_join_it)
{
    enum { N = 12 };
    int32_t row[N + 1], height[N], stride[N], first[N + 1] = {0}, col[2 * N];
    int64_t place[N + 1];
    double H[N][4] = {{0}}, h[N], D[N];
    cd_random random = {17};
    for (int i = 0; i <= N; i++) {
        row[i] = i;
        place[i] = 4 * i;
    }
    for (int i = 0; i < N; i++) {
        height[i] = 1;
        stride[i] = 4;
        D[i] = 1;
        first[i + 1] = first[i] + (i > 0 ? 2 : 1);
        col[first[i]] = i > 0 ? i - 1 : i;
        H[i][0] = i > 0 ? -1 : 1;
        col[first[i + 1] - 1] = i;
        H[i][first[i + 1] - 1 - first[i]] = 1;
    }
    const cd_cone_program p = {.groups = {N, N, first, col, height, place},
                               .cones = {N, N, row},
                               .place = place,
                               .stride = stride,
                               .H = &H[0][0],
                               .h = h,
                               .D = D};
    cd_cone_system system = cd_cone_system_make(&p, NULL, &arena);
    for (int trial = 0; trial < 200; trial++) {
        bool carries[N], guess[N];
        double v = 0, z = 0, above;  // velocity and multiplier of a solution, from which h is made
        for (int i = N - 1; i >= 0; i--) {
            carries[i] = cd_random_unit(&random) < 0.6;
            guess[i] = cd_random_unit(&random) < 0.5;
            above = carries[i] ? 0.1 + cd_random_unit(&random) : 0;
            v = above - z;  // u_i = z_i - z_(i+1)
            h[i] = -v + (carries[i] ? 0 : 0.1 + cd_random_unit(&random));
            if (i < N - 1)
                h[i + 1] += v;
            z = above;
        }
        cd_cone_lagrangian m = cd_cone_lagrangian_make(&system, &arena);
        memcpy(m.carries, guess, sizeof guess);
        CD_CHECK(cd_cone_undecided_decide(&m, N, &arena) && m.factors == 1);
        CD_CHECK(memcmp(m.carries, carries, sizeof carries) == 0);
        CD_CHECK(cd_cone_lagrangian_step(&m, 1, 0) && m.factors <= 2);
    }
    for (int i = 0; i < N; i++)
        h[i] = i > 0 ? 0 : -1;
    cd_cone_lagrangian m = cd_cone_lagrangian_make(&system, &arena);
    for (int i = 0; i < N; i++)
        m.carries[i] = false;
    CD_CHECK(!cd_cone_undecided_decide(&m, N, &arena));
    for (int i = 0; i < N; i++)
        CD_CHECK(!m.carries[i]);
    cd_arena_reset(&arena);
}

// ---- proximal steps ------------------------------------------------------------------------------------------------

// Unit masses and w = u + q: 0 is carried, 1 neither carries nor opens, 2 is open; 3 slips, 4 with mu = 0.5; 5 sticks,
// 6; 7 slips along 8 and sticks about 9, discs of their own; 10 slips in the plane of 11 and 12.
CD_TEST(proximal_steps_come_to_closed_forms)
{
    enum { N = 13 };
    int32_t first[N + 1], col[N], none[N + 1] = {0}, normal[N] = {-1, -1, -1, -1, 3, -1, 5, -1, 7, 7, -1, 10, 10},
                                           partner[N];
    double value[N], q[N] = {-1, 0, 0.5, -1, 2, -1, 0.3, -1, 2, 0.05, -1, 3, 4}, mu[N] = {0};
    const double y[N] = {1, 0, 0, 1, -0.5, 1, -0.3, 1, -0.5, -0.05, 1, -0.3, -0.4};
    for (int i = 0; i < N; i++) {
        first[i] = col[i] = i;
        value[i] = 1;
        partner[i] = i == 11 ? 12 : i == 12 ? 11 : -1;
        mu[i] = i == 9 ? 0.1 : normal[i] >= 0 ? 0.5 : 0;
    }
    first[N] = N;
    cd_lcp_structure s = {.n = N,
                          .m = N,
                          .left = {first, col, value},
                          .right = {first, col, value},
                          .direct = {none, NULL, NULL},
                          .q = q,
                          .normal = normal,
                          .partner = partner,
                          .mu = mu};
    cd_lcp_structure_classify(&s, &arena);
    cd_cone_root root;
    CD_CHECK(s.is_semidefinite && cd_cone_root_make(&s, CD_LCP_MAX_DENSE, &root, &arena) == CD_CONE_ROOT);
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    options.tolerance = 1e-14;
    cd_lcp_result result = {
        .status = CD_LCP_LIMIT, .residual = INFINITY, .z = CD_ARENA_ZARRAY(&arena, double, N), .reason = "none"};
    cd_lcp_proximal_most most = {.steps = 100, .stall = 100, .bytes = 100};
    CD_CHECK(!cd_lcp_proximal(&s, &root, &options, &most, false, &result, &arena));  // no room for the factors
    CD_CHECK(result.iterations == 0);
    most.bytes = 1 << 20;
    CD_CHECK(cd_lcp_proximal(&s, &root, &options, &most, false, &result, &arena));
    CD_CHECK(result.status == CD_LCP_SOLVED && result.iterations < 60);
    for (int i = 0; i < N; i++)
        CD_CHECK_NEAR(result.z[i], y[i], 1e-13);
    cd_arena_reset(&arena);
}

// A plate on four points, one of them lower by what is far above the tolerance and far below the weight: three carry,
// and the force that goes from one diagonal to the other moves nothing until one of its points opens. Returns the
// steps.
static int64_t steps_of_plate(bool goes_far, double z[4])
{
    enum { N = 4, M = 3 };
    int32_t none[N + 1] = {0}, first[N + 1], col[N * M];
    double value[N * M], q[N] = {-1, -1, -1, -1 + 1e-7};
    for (int i = 0; i <= N; i++)
        first[i] = M * i;
    for (int i = 0; i < N; i++) {
        const double row[M] = {1, i % 2 ? 1 : -1, i / 2 ? 1 : -1};
        for (int j = 0; j < M; j++) {
            col[M * i + j] = j;
            value[M * i + j] = row[j] / 2;
        }
    }
    cd_lcp_structure s = {.n = N,
                          .m = M,
                          .left = {first, col, value},
                          .right = {first, col, value},
                          .direct = {none, NULL, NULL},
                          .q = q};
    cd_lcp_structure_classify(&s, &arena);
    cd_cone_root root;
    CD_CHECK(s.is_semidefinite && cd_cone_root_make(&s, CD_LCP_MAX_DENSE, &root, &arena) == CD_CONE_ROOT);
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    options.tolerance = 1e-12;
    cd_lcp_result result = {.status = CD_LCP_LIMIT, .residual = INFINITY, .z = z, .reason = "none"};
    CD_CHECK(cd_lcp_proximal(&s, &root, &options, NULL, goes_far, &result, &arena));
    CD_CHECK(result.status == CD_LCP_SOLVED);
    cd_arena_reset(&arena);
    return result.iterations;
}

CD_TEST(going_far_opens_a_redundant_contact_at_once)
{
    double near[4] = {0}, far[4] = {0};
    const int64_t steps = steps_of_plate(false, near), far_steps = steps_of_plate(true, far);
    CD_CHECK(far_steps < steps);
    for (int i = 0; i < 4; i++)
        CD_CHECK_NEAR(far[i], near[i], 1e-10);
    CD_CHECK(far[0] == 0 || far[3] == 0);
}

// Three contacts on a matrix that is not symmetric: one sticks, one slips, one is open. q is what makes this the
// answer.
CD_TEST(proximal_steps_take_matrices_that_are_not_symmetric)
{
    enum { N = 9 };
    const double y[N] = {1, 0.1, -0.2, 1, -0.3, -0.4, 0, 0, 0}, w[N] = {0, 0, 0, 0, 3, 4, 1, -1, 2};
    int32_t none[N + 1] = {0}, first[N + 1], col[N * N], normal[N] = {-1, 0, 0, -1, 3, 3, -1, 6, 6},
                     partner[N] = {-1, 2, 1, -1, 5, 4, -1, 8, 7};
    double value[N * N], q[N], mu[N] = {0, 0.5, 0.5, 0, 0.5, 0.5, 0, 0.5, 0.5};
    for (int i = 0; i < N; i++) {
        first[i] = N * i;
        q[i] = w[i];
        for (int j = 0; j < N; j++) {
            col[N * i + j] = j;
            value[N * i + j] = i == j ? 2 : 0.05 * ((3 * i + 5 * j) % 7 - 3);
            q[i] -= value[N * i + j] * y[j];
        }
    }
    first[N] = N * N;
    cd_lcp_structure s = {.n = N,
                          .left = {none, NULL, NULL},
                          .right = {none, NULL, NULL},
                          .direct = {first, col, value},
                          .q = q,
                          .normal = normal,
                          .partner = partner,
                          .mu = mu};
    cd_lcp_structure_classify(&s, &arena);
    CD_CHECK(!s.is_symmetric);
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    options.tolerance = 1e-13;
    cd_lcp_result result = {
        .status = CD_LCP_LIMIT, .residual = INFINITY, .z = CD_ARENA_ZARRAY(&arena, double, N), .reason = "none"};
    CD_CHECK(cd_lcp_proximal(&s, NULL, &options, NULL, false, &result, &arena));
    CD_CHECK(result.status == CD_LCP_SOLVED);
    for (int i = 0; i < N; i++)
        CD_CHECK_NEAR(result.z[i], y[i], 1e-12);
    cd_arena_reset(&arena);
}

// ---- Coulomb's law -------------------------------------------------------------------------------------------------

// Every contact with its discs: no pull, no approach, impulse or gap rate 0; tangents on the disc, against the slip
// where there is one.
static void check_law(const cd_mcp *m, const cd_mcp_solution *s, double slack, int *slips, int *sticks)
{
    for (int32_t i = 0; i < m->n; i++) {
        const bool is_tangent = m->normal_row && m->normal_row[i] >= 0;
        if (!is_tangent && m->lower[i] == 0) {
            CD_CHECK(s->z[i] >= 0 && s->w[i] >= -slack);
            CD_CHECK(fmin(s->z[i], s->w[i]) <= slack);
        }
        if (!is_tangent)
            continue;
        const bool is_pair = i + 1 < m->n && m->normal_row[i + 1] == m->normal_row[i] && m->mu[i + 1] == m->mu[i];
        const double radius = m->mu[i] * s->z[m->normal_row[i]], y[2] = {s->z[i], is_pair ? s->z[i + 1] : 0},
                     w[2] = {s->w[i], is_pair ? s->w[i + 1] : 0}, slip = hypot(w[0], w[1]);
        CD_CHECK(hypot(y[0], y[1]) <= radius * (1 + 1e-12) + slack);
        for (int k = 0; k < 2; k++)
            CD_CHECK_NEAR(slip * y[k], -radius * w[k], slack);
        *slips += slip > 1e-6 && radius > 1e-6;
        *sticks += slip < 1e-9 && radius > 1e-6;
        i += is_pair;
    }
}

// From its own answer a pile with friction is solved again in fewer steps, and obeys the law as before.
CD_TEST(starts_save_steps)
{
    int64_t cold = 0, warm = 0;
    int slips = 0, sticks = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        pile p = {.random = {seed}, .friction = 0.5, .spread = 1};
        pile_add(&p, 1 + (int)(seed % 3), 1, 2 + (int)(seed % 2));
        const cd_mcp *m = pile_finish(&p);
        const cd_mcp_solution first = solve_by_ipm(m);
        cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
        options.warm = first.z;
        cd_mcp_solution again;
        cd_mcp_solve(m, cd_lcp_find_solver("ipm"), &options, &arena, &again);
        CD_CHECK(first.status == CD_LCP_SOLVED && again.status == CD_LCP_SOLVED);
        check_law(m, &again, 1e-7, &slips, &sticks);
        cold += first.iterations;
        warm += again.iterations;
        pile_release(&p);
        cd_arena_reset(&arena);
    }
    CD_CHECK(2 * warm < cold);
}

CD_TEST(random_piles_obey_coulomb)
{
    int slips = 0, sticks = 0, unsolved = 0, trials = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++, trials++) {
        pile p = {.friction = 0.05 * (double)(1 + seed % 20), .spread = seed % 3 ? 10 : 1e6, .random = {seed}};
        pile_add(&p, 1 + (int)(seed % 3), 1 + (int)(seed / 3 % 2), 1 + (int)(seed / 6 % 3));
        const cd_mcp *m = pile_finish(&p);
        for (int32_t i = 0; i < m->n; i++)
            p.mu[i] = seed % 10 == 0 && i % 4 == 0 ? 0 : p.mu[i];  // tangents of one disc have one mu: see below
        for (int32_t i = 1; i < m->n; i++)
            p.mu[i] = p.normal_row[i] >= 0 && p.normal_row[i] == p.normal_row[i - 1] ? p.mu[i - 1] : p.mu[i];
        cd_mcp_solution s = solve_by_ipm(m);
        CD_CHECK(s.status != CD_LCP_INFEASIBLE);
        unsolved += s.status != CD_LCP_SOLVED;
        if (s.status == CD_LCP_SOLVED)
            check_law(m, &s, 1e-7 * p.spread, &slips, &sticks);
        pile_release(&p);
        cd_arena_reset(&arena);
    }
    printf("# %d of %d unsolved, %d slips, %d sticks\n", unsolved, trials, slips, sticks);
    CD_CHECK(unsolved <= 2 * trials / 100 && slips > 1000 && sticks > 1000);
}

// Walls of cubes under their weight: four contacts where three would do, in stacks.
CD_TEST(redundant_walls)
{
    for (int high = 2; high <= 16; high *= 2) {
        pile p = {.friction = 0.5, .spread = 1, .random = {(uint64_t)high}};
        pile_add(&p, high, 1, high);
        const cd_mcp *m = pile_finish(&p);
        for (int32_t k = 0; k < m->entry_count; k++) {
            if (p.row[k] == p.col[k])  // of velocities: minus the mass
                p.rhs[p.row[k]] = p.row[k] % 6 == 2 ? 0.0981 * p.value[k] : 0;
        }
        int slips = 0, sticks = 0;
        cd_mcp_solution s = solve_by_ipm(m);
        CD_CHECK(s.status == CD_LCP_SOLVED && s.residual < 1e-10);
        for (int32_t i = 0; i < 6 * p.bodies; i++)
            CD_CHECK_NEAR(s.z[i], 0, 1e-8);
        check_law(m, &s, 1e-8, &slips, &sticks);
        pile_release(&p);
        cd_arena_reset(&arena);
    }
}

// Stacked cubes on four corners each whose gaps differ by 1e-9: three carry, and which ones is told by gaps alone. What
// carries adds up to the weight above it, but for what cubes may fall: 1e-9 each on the one below.
CD_TEST(contacts_whose_gaps_decide)
{
    const double weight = 0.0981;
    for (int high = 1; high <= 12; high++) {
        pile p = {.friction = 0.5, .spread = 1, .random = {(uint64_t)high}};
        pile_add(&p, 1, 1, high);
        const cd_mcp *m = pile_finish(&p);
        for (int32_t i = 0; i < 6 * high; i++)
            p.rhs[i] = i % 6 == 2 ? -weight : 0;
        for (int32_t i = 6 * high; i < m->n; i += 3)
            p.rhs[i] = 1e-9 * cd_random_unit(&p.random);
        cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
        options.tolerance = 1e-12;
        cd_mcp_solution s;
        cd_mcp_solve(m, cd_lcp_find_solver("ipm"), &options, &arena, &s);
        CD_CHECK(s.status == CD_LCP_SOLVED && s.residual <= 1e-12);
        for (int k = 0; k < high; k++) {
            double sum = 0;
            for (int c = 0; c < 4; c++)
                sum += s.z[6 * high + 12 * k + 3 * c];
            CD_CHECK_NEAR(sum, (high - k) * weight, 1e-9 * high * high);
        }
        pile_release(&p);
        cd_arena_reset(&arena);
    }
}

// Other units of mass and length: the same velocities in those.
CD_TEST(units)
{
    pile p = {.friction = 0.4, .spread = 5, .random = {77}};
    pile_add(&p, 2, 2, 2);
    const cd_mcp *m = pile_finish(&p);
    cd_mcp_solution wanted = solve_by_ipm(m);
    double *value = CD_ARENA_ARRAY(&arena, double, m->entry_count), *rhs = CD_ARENA_ARRAY(&arena, double, m->n);
    for (int power = -20; power <= 20; power += 10) {  // 1e-6 to 1e6, and exact
        const double unit = ldexp(1, power);
        for (int32_t k = 0; k < m->entry_count; k++)
            value[k] = p.value[k] * (p.row[k] == p.col[k] ? unit : 1);
        for (int32_t i = 0; i < m->n; i++)
            rhs[i] = p.rhs[i] * (i < 6 * p.bodies ? unit : 1);
        cd_mcp scaled = *m;
        scaled.value = value;
        scaled.rhs = rhs;
        cd_mcp_solution s = solve_by_ipm(&scaled);
        CD_CHECK(s.status == CD_LCP_SOLVED);
        for (int32_t i = 0; i < 6 * p.bodies; i++)
            CD_CHECK_NEAR(s.z[i], wanted.z[i], 1e-12);
    }
    pile_release(&p);
    cd_arena_reset(&arena);
}

// ---- single contacts -----------------------------------------------------------------------------------------------

// A point mass on the ground that also turns about the vertical: one normal row, a disc of two tangents with mu, and a
// disc of one with mu_spin (in metres), both on the same normal impulse g.
CD_TEST(two_discs_of_one_normal)
{
    const double g = 2, pull[2] = {0.6, 0.8}, twist = 0.5, mu = 0.3;
    for (int k = 0; k < 4; k++) {
        const double slide = k & 1 ? 1 : 0.1, mu_spin = k & 2 ? 0.1 : 0.4;
        // Velocities x, z, y, spin: rows 1 to 4; the tangent of the spin: 0; the normal of z: 5; tangents of x, y:
        // 6, 7.
        const int32_t row[12] = {1, 2, 3, 4, 1, 6, 2, 5, 3, 7, 4, 0}, col[12] = {1, 2, 3, 4, 6, 1, 5, 2, 7, 3, 0, 4};
        const double value[12] = {-1, -1, -1, -1, 1, 1, 1, 1, 1, 1, 1, 1};
        const double rhs[8] = {0, slide * pull[0], -g, slide * pull[1], twist, 0, 0, 0};
        const double lower[8] = {0, -INFINITY, -INFINITY, -INFINITY, -INFINITY, 0, 0, 0},
                     upper[8] = {0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, 0, 0};
        const int32_t normal[8] = {5, -1, -1, -1, -1, -1, 5, 5};
        const double friction[8] = {mu_spin, 0, 0, 0, 0, 0, mu, mu};
        const cd_mcp m = {8, 12, row, col, value, rhs, lower, upper, normal, friction, NULL};
        const char *reason;
        CD_CHECK(cd_mcp_disc_fault(&m, &reason) == -1);
        cd_mcp_solution s = solve_by_ipm(&m);
        const double speed = fmax(0, slide - mu * g), spin = fmax(0, twist - mu_spin * g);
        CD_CHECK(s.status == CD_LCP_SOLVED);
        CD_CHECK_NEAR(s.z[1], speed * pull[0], 1e-10);
        CD_CHECK_NEAR(s.z[3], speed * pull[1], 1e-10);
        CD_CHECK_NEAR(s.z[4], spin, 1e-10);
        CD_CHECK_NEAR(s.z[5], g, 1e-10);
        CD_CHECK_NEAR(s.z[0], -fmin(twist, mu_spin * g), 1e-10);
        cd_arena_reset(&arena);
    }
}

// Two plates close in on a cube: friction does not help, and the normal rows prove it. With room again there is an
// answer.
CD_TEST(friction_does_not_help_contradictions)
{
    pile p = {.friction = 0.5, .spread = 1, .random = {9}};
    pile_add(&p, 1, 1, 1);
    const double up[3] = {0, 0, 1}, down[3] = {0, 0, -1}, r[3] = {0, 0, 0};
    pile_contact(&p, -1, 0, up, r, r, -1e-3);
    pile_contact(&p, -1, 0, down, r, r, -1e-3);
    const cd_mcp *m = pile_finish(&p);
    CD_CHECK(solve_by_ipm(m).status == CD_LCP_INFEASIBLE);
    p.rhs[m->n - 3] = 1;
    CD_CHECK(solve_by_ipm(m).status == CD_LCP_SOLVED);
    pile_release(&p);
    cd_arena_reset(&arena);
}

// A contact between bodies that do not move: q >= 0 needs no impulse, q < 0 cannot be helped.
CD_TEST(contacts_that_move_nothing)
{
    pile p = {.friction = 0.5, .spread = 1, .random = {10}};
    pile_add(&p, 1, 1, 2);
    const double up[3] = {0, 0, 1}, r[3] = {0, 0, 0};
    pile_contact(&p, -1, -1, up, r, r, 1e-3);
    const cd_mcp *m = pile_finish(&p);
    CD_CHECK(solve_by_ipm(m).status == CD_LCP_SOLVED);
    p.rhs[m->n - 3] = -1;
    CD_CHECK(solve_by_ipm(m).status == CD_LCP_INFEASIBLE);
    pile_release(&p);
    cd_arena_reset(&arena);
}

int main(void)
{
    CD_RUN(bracket_closes_in_on_where_the_slope_is_0);
    CD_RUN(multipliers_come_to_closed_forms);
    CD_RUN(rows_that_carry_come_to_closed_forms);
    CD_RUN(undecided_rows_leave_a_factor_and_join_it);
    CD_RUN(undecided_rows_of_a_large_programme_are_bounded);
    CD_RUN(guesses_change_no_byte);
    CD_RUN(faces_that_are_not_quite_plane_are_settled);
    CD_RUN(starts_save_steps);
    CD_RUN(proximal_steps_come_to_closed_forms);
    CD_RUN(proximal_steps_take_matrices_that_are_not_symmetric);
    CD_RUN(going_far_opens_a_redundant_contact_at_once);
    CD_RUN(contacts_whose_gaps_decide);
    CD_RUN(random_piles_obey_coulomb);
    CD_RUN(redundant_walls);
    CD_RUN(units);
    CD_RUN(two_discs_of_one_normal);
    CD_RUN(friction_does_not_help_contradictions);
    CD_RUN(contacts_that_move_nothing);
    cd_arena_release(&arena);
    return cd_test_done();
}
