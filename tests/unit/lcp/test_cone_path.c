// The central path in space: it leads to Coulomb's law, whatever the axes of the tangents are, and past where mu rises.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_test.h"
#include "cone_path.h"
#include "lcp_structure.h"

#include <math.h>

enum { BODIES = 12, CONTACTS = 48, COLUMNS = 6, STEPS_MOST = 150 };
enum { WINDING = 200 };
#define MU 0.5
#define STRONG 8
#define END 1e-12
#define FAR_END 1e-24
#define YIELDED_END 1e-20
#define PART_FROM 1e-7

static cd_arena arena;

// Bodies of six columns each, contacts of three rows between two of them or one and the ground. `turn` (a contact each,
// or NULL): the angle [rad] by which its tangents are turned about the normal. With some velocities every contact opens
// and none slips: then Coulomb's law has a solution (Acary, Cadoux, Lemarechal & Malick 2011).
static cd_lcp_structure make_heap(uint64_t seed, double mu, const double *turn)
{
    const int32_t n = 3 * CONTACTS, m = BODIES * COLUMNS;
    cd_random random = {seed};
    cd_lcp_structure s = {.n = n, .m = m};
    s.left = (cd_lcp_rows){CD_ARENA_ZARRAY(&arena, int32_t, n + 1), CD_ARENA_ZARRAY(&arena, int32_t, 2 * n * COLUMNS),
                           CD_ARENA_ZARRAY(&arena, double, 2 * n * COLUMNS)};
    s.direct.first = CD_ARENA_ZARRAY(&arena, int32_t, n + 1);
    s.q = CD_ARENA_ZARRAY(&arena, double, n);
    s.normal = CD_ARENA_ZARRAY(&arena, int32_t, n);
    s.partner = CD_ARENA_ZARRAY(&arena, int32_t, n);
    s.mu = CD_ARENA_ZARRAY(&arena, double, n);
    double opening[BODIES * COLUMNS];
    for (int32_t i = 0; i < m; i++)
        opening[i] = cd_random_between(&random, -1, 1);
    int32_t used = 0;
    for (int32_t c = 0; c < CONTACTS; c++) {
        const int32_t high = c % BODIES, low = c < BODIES ? -1 : (int32_t)(cd_random_unit(&random) * high);
        const bool has_two = low >= 0 && low < high;
        const double cosine = cos(turn ? turn[c] : 0), sine = sin(turn ? turn[c] : 0);
        double row[3][2 * COLUMNS], q[3] = {0.3, 0, 0};
        for (int k = 0; k < 2 * COLUMNS; k++) {
            double a[3];
            for (int i = 0; i < 3; i++) {
                const int32_t body = k < COLUMNS ? low : high;
                a[i] = cd_random_between(&random, -1, 1);
                q[i] -= k < COLUMNS && !has_two ? 0 : a[i] * opening[body * COLUMNS + k % COLUMNS];
            }
            row[0][k] = a[0];
            row[1][k] = cosine * a[1] - sine * a[2];
            row[2][k] = sine * a[1] + cosine * a[2];
        }
        for (int i = 0; i < 3; i++) {
            const int32_t r = 3 * c + i;
            for (int side = has_two ? 0 : 1; side < 2; side++) {
                for (int k = 0; k < COLUMNS; k++) {
                    s.left.col[used] = (side ? high : low) * COLUMNS + k;
                    s.left.value[used++] = row[i][side * COLUMNS + k];
                }
            }
            s.left.first[r + 1] = used;
            s.normal[r] = i == 0 ? -1 : 3 * c;
            s.partner[r] = i == 0 ? -1 : 3 * c + 3 - i;
            s.mu[r] = mu;
        }
        s.q[3 * c] = q[0];
        s.q[3 * c + 1] = cosine * q[1] - sine * q[2];
        s.q[3 * c + 2] = sine * q[1] + cosine * q[2];
    }
    s.right = s.left;
    cd_lcp_structure_classify(&s, &arena);
    return s;
}

typedef struct walk {
    cd_cone_program program;
    cd_cone_system system;
    cd_cone_path *path;
    double *y;  // impulses that the last step told
} walk;

// From no velocities, even multipliers, and slacks that are inside.
static walk *start(const cd_lcp_structure *s)
{
    walk *w = CD_ARENA_ZARRAY(&arena, walk, 1);
    cd_cone_root root;
    CD_CHECK(cd_cone_root_make(s, CD_LCP_MAX_DENSE, &root, &arena) == CD_CONE_ROOT);
    w->program = cd_cone_program_make(s, &root, &arena);
    w->system = cd_cone_system_make(&w->program, NULL, &arena);
    CD_CHECK(cd_cone_path_takes(&w->program));
    const cd_cones *k = &w->program.cones;
    double *u = CD_ARENA_ZARRAY(&arena, double, w->program.groups.columns),
           *slack = CD_ARENA_ZARRAY(&arena, double, k->rows), *z = CD_ARENA_ZARRAY(&arena, double, k->rows);
    for (int32_t c = 0; c < k->count; c++) {
        slack[k->row[c]] = 4;
        z[k->row[c]] = 1;
        for (int32_t r = k->row[c] + 1; r < k->row[c + 1]; r++)
            slack[r] = w->program.h[r];
    }
    w->path = cd_cone_path_make(&w->system, u, slack, z, &arena);
    w->y = CD_ARENA_ZARRAY(&arena, double, s->n);
    return w;
}

static bool step(walk *w, const cd_lcp_structure *s)
{
    const bool is_there = cd_cone_path_step(w->path);
    cd_cone_impulses(&w->program, cd_cone_path_multipliers(w->path), s->n, w->y);
    return is_there;
}

// Friction that is strong, for slips to drive each other: many paths turn, and all come to the law up to what mu
// leaves.
CD_TEST(paths_lead_to_the_law)
{
    int turned = 0, steps = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        const cd_lcp_structure s = make_heap(seed, 2, NULL);
        walk *w = start(&s);
        double before = cd_cone_path_mu(w->path);
        bool has_turned = false;
        double least = INFINITY;
        int count = 0;
        while (cd_cone_path_mu(w->path) > END && count < STEPS_MOST && step(w, &s)) {
            has_turned = has_turned || cd_cone_path_mu(w->path) > 1.5 * before;
            before = cd_cone_path_mu(w->path);
            least = fmin(least, cd_lcp_structure_residual(&s, w->y, NULL, &arena));
            count++;
        }
        (void)step(w, &s);
        least = fmin(least, cd_lcp_structure_residual(&s, w->y, NULL, &arena));
        CD_CHECK(cd_cone_path_mu(w->path) <= END);
        CD_CHECK(least < 30 * sqrt(END));
        turned += has_turned;
        steps += count;
        cd_arena_reset(&arena);
    }
    printf("# %d steps a path, %d of 100 turn\n", steps / 100, turned);
    CD_CHECK(turned >= 10 && steps < 100 * 13);
}

// Friction so strong that paths wind: one of the ten that would be lost, or go round for ever, may be.
CD_TEST(paths_that_wind_end)
{
    int ended = 0, steps = 0;
    for (uint64_t seed = 1; seed <= WINDING; seed++) {
        const cd_lcp_structure s = make_heap(seed, STRONG, NULL);
        walk *w = start(&s);
        int count = 0;
        while (cd_cone_path_mu(w->path) > END && count < STEPS_MOST && step(w, &s))
            count++;
        ended += cd_cone_path_mu(w->path) <= END;
        steps += count;
        cd_arena_reset(&arena);
    }
    printf("# %d of %d end, %d steps a path\n", ended, WINDING, steps / WINDING);
    CD_CHECK(ended >= WINDING - 2 && steps < 27 * WINDING);
}

// Far below the rounding of s_0 - |s_t|, and with more contacts than the bodies need: to the last digits by itself.
CD_TEST(paths_have_digits_at_their_end)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        const cd_lcp_structure s = make_heap(seed, 1, NULL);
        walk *w = start(&s);
        double least = INFINITY;
        for (int count = 0; count < STEPS_MOST && cd_cone_path_mu(w->path) > FAR_END && step(w, &s); count++)
            least = fmin(least, cd_lcp_structure_residual(&s, w->y, NULL, &arena));
        CD_CHECK(least < 1e-10);
        cd_arena_reset(&arena);
    }
}

// Impulses that move by 60 after contacts have begun to give: in the end 60 times what they give by is left.
CD_TEST(what_gives_leaves_little)
{
    const uint64_t seeds[] = {185, 361};
    for (int k = 0; k < 2; k++) {
        const cd_lcp_structure s = make_heap(seeds[k], STRONG, NULL);
        walk *w = start(&s);
        double least = INFINITY;
        for (int count = 0; count < STEPS_MOST && cd_cone_path_mu(w->path) > FAR_END && step(w, &s); count++)
            least = fmin(least, cd_lcp_structure_residual(&s, w->y, NULL, &arena));
        CD_CHECK(cd_cone_path_mu(w->path) <= FAR_END);
        CD_CHECK(least < 1e-9);
        cd_arena_reset(&arena);
    }
}

// The fourteen paths of 4,000 that go round for ever: what gives leaves that, for impulses that change by 100 and more
// times what it gives by.
CD_TEST(paths_that_yield_do_not_go_round)
{
    const uint64_t seeds[] = {256, 421, 601, 1381, 1384, 1748, 1877, 2277, 2290, 2851, 3058, 3314, 3471, 3779};
    const double amounts[] = {0, 5e-11, 1e-10, 1e-8};
    enum { SEEDS = sizeof seeds / sizeof *seeds, AMOUNTS = sizeof amounts / sizeof *amounts };
    int ended = 0;
    for (int k = 0; k < SEEDS; k++) {
        double best = INFINITY;
        for (int i = 0; i < AMOUNTS; i++) {
            const cd_lcp_structure s = make_heap(seeds[k], STRONG, NULL);
            walk *w = start(&s);
            double least = INFINITY;
            if (amounts[i] > 0)
                cd_cone_path_yield(w->path, amounts[i]);
            for (int count = 0; count < STEPS_MOST && cd_cone_path_mu(w->path) > YIELDED_END && step(w, &s); count++)
                least = fmin(least, cd_lcp_structure_residual(&s, w->y, NULL, &arena));
            CD_CHECK(i > 0 || least > 1e-4);
            best = fmin(best, least);
            cd_arena_reset(&arena);
        }
        ended += best < 1e-6;
    }
    printf("# %d of %d that go round end\n", ended, SEEDS);
    CD_CHECK(ended >= 5);
}

// On from w, without the contacts that may not close, and without `out` (-1: none).
static walk *start_part(const walk *w, const cd_lcp_structure *s, int32_t out, int32_t *left)
{
    walk *part = CD_ARENA_ZARRAY(&arena, walk, 1);
    bool *keep = CD_ARENA_ARRAY(&arena, bool, w->program.cones.count);
    *left = cd_cone_path_undecided(w->path, keep);
    if (out >= 0)
        keep[out] = false;
    part->program = cd_cone_program_part(&w->program, keep, &arena);
    part->system = cd_cone_system_make(&part->program, NULL, &arena);
    part->path = cd_cone_path_part(w->path, keep, &part->system, &arena);
    part->y = CD_ARENA_ZARRAY(&arena, double, s->n);
    return part;
}

static double follow(walk *w, const cd_lcp_structure *s, double until)
{
    double least = INFINITY;
    for (int count = 0; count < STEPS_MOST && cd_cone_path_mu(w->path) > until && step(w, s); count++)
        least = fmin(least, cd_lcp_structure_residual(s, w->y, NULL, &arena));
    return least;
}

// Contacts that are open may be left out: the others have the answer of all. Where one is left out that carries they
// have another one, and the whole path goes on from where it was.
CD_TEST(open_contacts_may_be_left_out)
{
    int32_t kept = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        const cd_lcp_structure s = make_heap(seed, 1, NULL);
        walk *w = start(&s);
        int32_t left = 0, most = 0;
        (void)follow(w, &s, PART_FROM);
        CD_CHECK(follow(start_part(w, &s, -1, &left), &s, FAR_END) < 1e-10);
        kept += left;
        for (int32_t c = 1; c < CONTACTS; c++)
            most = w->y[3 * c] > w->y[3 * most] ? c : most;
        CD_CHECK(follow(start_part(w, &s, most, &left), &s, FAR_END) > 1e-3);
        CD_CHECK(follow(w, &s, FAR_END) < 1e-10);
        cd_arena_reset(&arena);
    }
    printf("# %d of %d contacts are left\n", kept, 50 * CONTACTS);
    CD_CHECK(kept < 25 * CONTACTS);
}

// The same heap with its tangents turned has the same path, turned.
CD_TEST(tangents_may_be_turned)
{
    double turn[CONTACTS];
    cd_random random = {7};
    for (int c = 0; c < CONTACTS; c++)
        turn[c] = cd_random_between(&random, -3, 3);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const cd_lcp_structure s = make_heap(seed, 1, NULL), t = make_heap(seed, 1, turn);
        walk *a = start(&s), *b = start(&t);
        for (int k = 0; k < 9; k++) {
            CD_CHECK(step(a, &s) && step(b, &t));
            CD_CHECK_NEAR(cd_cone_path_mu(b->path) / cd_cone_path_mu(a->path), 1, 1e-6);
        }
        for (int32_t c = 0; c < CONTACTS; c++) {
            const double *y = a->y + 3 * c, *z = b->y + 3 * c, cosine = cos(turn[c]), sine = sin(turn[c]);
            CD_CHECK_NEAR(z[0], y[0], 1e-6);
            CD_CHECK_NEAR(z[1], cosine * y[1] - sine * y[2], 1e-6);
            CD_CHECK_NEAR(z[2], sine * y[1] + cosine * y[2], 1e-6);
        }
        cd_arena_reset(&arena);
    }
}

// A mass of 1 that comes at the ground with velocity (-1, 3 cos a, 3 sin a): y_n = 1, and y_t = -MU (cos a, sin a).
CD_TEST(one_contact_slips)
{
    for (int k = 0; k < 12; k++) {
        const double a = 0.5 * k;
        int32_t first[4] = {0, 1, 2, 3}, col[3] = {0, 1, 2}, normal[3] = {-1, 0, 0}, partner[3] = {-1, 2, 1},
                none[4] = {0};
        double value[3] = {1, 1, 1}, q[3] = {-1, 3 * cos(a), 3 * sin(a)}, mu[3] = {MU, MU, MU};
        cd_lcp_structure s = {.n = 3,
                              .m = 3,
                              .left = {first, col, value},
                              .right = {first, col, value},
                              .direct = {.first = none},
                              .q = q,
                              .normal = normal,
                              .partner = partner,
                              .mu = mu};
        cd_lcp_structure_classify(&s, &arena);
        walk *w = start(&s);
        for (int count = 0; count < STEPS_MOST && cd_cone_path_mu(w->path) > FAR_END; count++)
            CD_CHECK(step(w, &s));
        CD_CHECK_NEAR(w->y[0], 1, 1e-12);
        CD_CHECK_NEAR(w->y[1], -MU * cos(a), 1e-12);
        CD_CHECK_NEAR(w->y[2], -MU * sin(a), 1e-12);
        cd_arena_reset(&arena);
    }
}

// The interior point goes that way where contacts slip.
CD_TEST(strong_friction_is_solved)
{
    int64_t iterations = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        const cd_lcp_structure s = make_heap(seed, 2, NULL);
        const cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
        const cd_lcp_result result = cd_lcp_find_solver("ipm")->solve_structure(&s, &options, &arena);
        CD_CHECK(result.status == CD_LCP_SOLVED);
        CD_CHECK(cd_lcp_structure_residual(&s, result.z, NULL, &arena) <= 1e-10);
        iterations += result.iterations;
        cd_arena_reset(&arena);
    }
    printf("# %d iterations a problem\n", (int)(iterations / 100));
    CD_CHECK(iterations < 100 * 30);
}

int main(void)
{
    CD_RUN(paths_lead_to_the_law);
    CD_RUN(paths_that_wind_end);
    CD_RUN(paths_have_digits_at_their_end);
    CD_RUN(what_gives_leaves_little);
    CD_RUN(paths_that_yield_do_not_go_round);
    CD_RUN(open_contacts_may_be_left_out);
    CD_RUN(tangents_may_be_turned);
    CD_RUN(one_contact_slips);
    CD_RUN(strong_friction_is_solved);
    cd_arena_release(&arena);
    return cd_test_done();
}
