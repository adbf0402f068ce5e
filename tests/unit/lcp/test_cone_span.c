// Rows of a sparse matrix that span all others: as many as its rank, and the matrix made of them. Contacts that come as
// such a matrix, solved in the velocities that these rows stand for.
// SPDX-License-Identifier: MIT
#include "cone_span.h"
#include "cd_dense.h"
#include "cd_random.h"
#include "cd_test.h"
#include "lcp_solver.h"
#include "lcp_vector.h"

// A chain of bodies, each held to the next by a bundle of contacts of three rows each: far more rows than velocities.
enum { BODIES = 40, DOFS = 3, BUNDLE = 4, ROWS = (BODIES - 1) * BUNDLE * 3, RANK = (BODIES - 1) * DOFS };

static cd_arena arena;

typedef struct chain {
    double J[ROWS][2 * DOFS];  // of bodies i and i + 1 of bundle i
    double *W;                 // J J'
    cd_lcp_structure s;
} chain;

static double entry(const chain *c, int i, int j)
{
    const int at = i / (BUNDLE * 3), to = j / (BUNDLE * 3);
    double sum = 0;
    for (int k = 0; k < 2 * DOFS; k++) {
        const int other = k + (at - to) * DOFS;
        sum += other >= 0 && other < 2 * DOFS ? c->J[i][k] * c->J[j][other] : 0;
    }
    return sum;
}

// The bodies of a bundle get nearly opposite velocities from it.
static chain *make_chain(uint64_t seed)
{
    chain *c = CD_ARENA_ZARRAY(&arena, chain, 1);
    cd_random random = {seed};
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < DOFS; k++) {
            c->J[i][k] = cd_random_between(&random, -1, 1);
            c->J[i][DOFS + k] = -c->J[i][k] * (1 + 0.1 * (i / (BUNDLE * 3) % 3));
        }
    }
    c->W = CD_ARENA_ZARRAY(&arena, double, ROWS *ROWS);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < ROWS; j++)
            c->W[i * ROWS + j] = entry(c, i, j);
    }
    const cd_lcp lcp = {.n = ROWS, .M = c->W, .q = CD_ARENA_ZARRAY(&arena, double, ROWS)};
    c->s = cd_lcp_structure_of_dense(&lcp, &arena);
    return c;
}

static cd_cone_root_status span_of(const chain *c, int64_t most, int32_t *pivot, int32_t *count)
{
    bool used[ROWS];
    memset(used, true, sizeof used);
    return cd_cone_span(&c->s, used, most, pivot, count, &arena);
}

CD_TEST(rows_that_span_are_as_many_as_the_rank_and_make_all_others)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        chain *c = make_chain(seed);
        int32_t pivot[ROWS], count;
        CD_CHECK(span_of(c, CD_LCP_MAX_DENSE, pivot, &count) == CD_CONE_ROOT);
        CD_CHECK(count == RANK);
        double *L = CD_ARENA_ARRAY(&arena, double, RANK *RANK), *G = CD_ARENA_ARRAY(&arena, double, ROWS *RANK),
               worst = 0;
        for (int a = 0; a < RANK; a++) {
            CD_CHECK(a == 0 || pivot[a] > pivot[a - 1]);
            for (int b = 0; b < RANK; b++)
                L[a * RANK + b] = c->W[pivot[a] * ROWS + pivot[b]];
        }
        CD_CHECK(cd_cholesky_factor(RANK, L));
        for (int i = 0; i < ROWS; i++) {
            for (int a = 0; a < RANK; a++)
                G[i * RANK + a] = c->W[pivot[a] * ROWS + i];
            cd_cholesky_forward(RANK, L, G + (size_t)i * RANK);
        }
        for (int i = 0; i < ROWS; i++) {
            for (int j = 0; j <= i; j++)
                worst = fmax(
                    worst, fabs(c->W[i * ROWS + j] - cd_vector_dot(G + (size_t)i * RANK, G + (size_t)j * RANK, RANK)));
        }
        CD_CHECK(worst < 1e-10);
        cd_arena_reset(&arena);
    }
}

CD_TEST(indefinite_matrices_and_fronts_without_room_are_told)
{
    chain *c = make_chain(4);
    int32_t pivot[ROWS], count;
    CD_CHECK(span_of(c, 1000, pivot, &count) == CD_CONE_TOO_LARGE);
    for (int32_t k = c->s.direct.first[100]; k < c->s.direct.first[101]; k++) {
        if (c->s.direct.col[k] == 100)
            c->s.direct.value[k] *= 0.9;  // less than its part in the others asks for
    }
    CD_CHECK(span_of(c, CD_LCP_MAX_DENSE, pivot, &count) == CD_CONE_INDEFINITE);
    cd_arena_reset(&arena);
}

// Contacts with friction whose matrix alone is known; without velocities of their own ipm would take it as dense.
CD_TEST(a_sparse_matrix_of_contacts_is_solved_in_the_velocities_of_its_rows)
{
    chain *c = make_chain(5);
    cd_random random = {6};
    int32_t normal[ROWS], partner[ROWS];
    double mu[ROWS];
    for (int i = 0; i < ROWS; i++) {
        normal[i] = i % 3 == 0 ? -1 : i - i % 3;
        partner[i] = i % 3 == 0 ? -1 : i % 3 == 1 ? i + 1 : i - 1;
        mu[i] = i % 3 == 0 ? 0 : 0.3;
    }
    // Rows of what some motion does, a bit opened: so normal rows can be satisfied.
    double v[BODIES * DOFS];
    for (int k = 0; k < BODIES * DOFS; k++)
        v[k] = cd_random_between(&random, -1, 1);
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int k = 0; k < 2 * DOFS; k++)
            sum += c->J[i][k] * v[i / (BUNDLE * 3) * DOFS + k];
        c->s.q[i] = sum + (i % 3 == 0 ? 0.1 : 0);
    }
    c->s.normal = normal;
    c->s.partner = partner;
    c->s.mu = mu;
    cd_cone_root root;
    CD_CHECK(cd_cone_root_make(&c->s, CD_LCP_MAX_DENSE, &root, &arena) == CD_CONE_ROOT);
    CD_CHECK(root.mass.first && root.columns == RANK);
    const cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    const cd_lcp_result result = cd_lcp_find_solver("ipm")->solve_structure(&c->s, &options, &arena);
    CD_CHECK(result.status == CD_LCP_SOLVED);
    CD_CHECK(cd_lcp_structure_residual(&c->s, result.z, NULL, &arena) <= 1e-10);
    cd_arena_reset(&arena);
}

int main(void)
{
    CD_RUN(rows_that_span_are_as_many_as_the_rank_and_make_all_others);
    CD_RUN(indefinite_matrices_and_fronts_without_room_are_told);
    CD_RUN(a_sparse_matrix_of_contacts_is_solved_in_the_velocities_of_its_rows);
    cd_arena_release(&arena);
    return cd_test_done();
}
