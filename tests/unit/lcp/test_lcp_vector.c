// Vector loops of the solvers against the sums they stand for, and what is made of a symmetric problem against what is
// made of any.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "lcp_active.h"
#include "lcp_piles.h"
#include "lcp_vector.h"
#include "mcp_matrix.h"

enum { ROWS = 41, STRIDE = 44, FOUR = CD_VECTOR_FOUR };

static cd_arena arena;

static double upper[ROWS * STRIDE];

static void fill_upper(cd_random *random)
{
    for (int p = 0; p < ROWS; p++) {
        for (int j = 0; j < STRIDE; j++)
            upper[p * STRIDE + j] = j < p ? NAN : cd_random_between(random, -0.3, 0.3);
        upper[p * STRIDE + p] = cd_random_between(random, 1, 2);
    }
}

// Largest difference between R'x, or R x, and v.
static double off_by(int n, const double *x, const double *v, bool is_transposed)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        long double sum = -v[i];
        for (int j = 0; j < n; j++) {
            if (is_transposed ? j <= i : j >= i)
                sum += (long double)(is_transposed ? upper[j * STRIDE + i] : upper[i * STRIDE + j]) * x[j];
        }
        worst = fmax(worst, fabs((double)sum));
    }
    return worst;
}

static void triangles_of_any_size(void)
{
    cd_random random = {7};
    for (int n = 0; n <= ROWS; n++) {
        double v[ROWS], x[ROWS], four[FOUR * ROWS], gram[FOUR * FOUR];
        fill_upper(&random);
        for (int i = 0; i < n; i++)
            v[i] = x[i] = i % 7 < 2 ? 0 : cd_random_between(&random, -1, 1);
        cd_vector_forward(upper, STRIDE, n, x);
        CD_CHECK(off_by(n, x, v, true) < 1e-14);
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < FOUR; k++)
                four[FOUR * i + k] = k == 2 ? v[i] : cd_random_between(&random, -1, 1);
        }
        cd_vector_forward_four(upper, STRIDE, n, four, gram);
        double square = 0, cross = 0;
        for (int i = 0; i < n; i++) {
            CD_CHECK(fabs(four[FOUR * i + 2] - x[i]) < 1e-14);
            square += four[FOUR * i + 2] * four[FOUR * i + 2];
            cross += four[FOUR * i] * four[FOUR * i + 3];
        }
        CD_CHECK(fabs(gram[FOUR * 2 + 2] - square) < 1e-13 && fabs(gram[3] - cross) < 1e-13 &&
                 gram[3] == gram[FOUR * 3]);
        memcpy(x, v, sizeof v);
        cd_vector_backward(upper, STRIDE, n, x);
        CD_CHECK(off_by(n, x, v, false) < 1e-14);
    }
}

// To the bit, or the results of a matrix would depend on how its rows are taken together.
static void four_rows_are_one_by_one(void)
{
    cd_random random = {9};
    for (int n = 0; n <= ROWS; n++) {
        double rows[FOUR][ROWS], f[FOUR], one[ROWS], four[ROWS];
        const double *const row[FOUR] = {rows[0], rows[1], rows[2], rows[3]};
        for (int j = 0; j < n; j++)
            one[j] = four[j] = cd_random_between(&random, -1, 1);
        for (int k = 0; k < FOUR; k++) {
            f[k] = cd_random_between(&random, -1, 1);
            for (int j = 0; j < n; j++)
                rows[k][j] = cd_random_between(&random, -1, 1);
            cd_vector_subtract(one, f[k], row[k], n);
        }
        cd_vector_subtract_four(four, f, row, n);
        CD_CHECK(memcmp(one, four, sizeof *one * (size_t)n) == 0);
    }
}

static void sums_and_counts(void)
{
    cd_random random = {8};
    for (int n = 1; n <= ROWS; n++) {
        double row[ROWS], y[ROWS], size, sum = 0, sizes = 0;
        bool is_finite;
        for (int j = 0; j < n; j++) {
            row[j] = cd_random_between(&random, -0.1, 0.1);
            y[j] = j % 3 == 0 ? 0 : cd_random_unit(&random);
            sum += row[j] * y[j];
            sizes += fabs(row[j] * y[j]);
        }
        CD_CHECK(fabs(cd_vector_dot_size(row, y, n, &size) - sum) < 1e-14 && fabs(size - sizes) < 1e-14);
        CD_CHECK(cd_vector_filled(y, (size_t)n, &is_finite) == (size_t)(n - (n + 2) / 3) && is_finite);
        y[n - 1] = NAN;
        (void)cd_vector_filled(y, (size_t)n, &is_finite);
        CD_CHECK(!is_finite);
        y[n - 1] = -INFINITY;
        (void)cd_vector_filled(y, (size_t)n, &is_finite);
        CD_CHECK(!is_finite);
    }
}

// The rows that depend on the others stay out; the rest is the factor of what stands in M, whichever came together.
static void rows_join_four_at_once(void)
{
    enum { N = 11 };
    double M[N * N], q[N] = {0};
    cd_random random = {9};
    for (int i = 0; i < N; i++) {
        for (int j = 0; j <= i; j++)
            M[i * N + j] = M[j * N + i] = i == j ? 1 : cd_random_between(&random, -0.05, 0.05);
    }
    for (int k = 0; k < N; k++)  // row 6 is row 2
        M[6 * N + k] = M[2 * N + k];
    for (int k = 0; k < N; k++)
        M[k * N + 6] = M[k * N + 2];
    cd_lcp lcp = {.n = N, .M = M, .q = q};
    cd_lcp_structure s = cd_lcp_structure_of_dense(&lcp, &arena);
    cd_tiles tiles;
    CD_CHECK(cd_tiles_of_matrix(M, N, &tiles, &arena));
    for (int turn = 0; turn < 2; turn++) {  // by entries, and in tiles
        s.tiles = turn > 0 ? &tiles : NULL;
        const cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
        double y[N + CD_TILE] = {0};
        cd_active a = cd_active_start(&s, &options, y, &arena);
        const int32_t row[] = {3, 2, 10, 0, 6, 7, 1, 9, 5};
        cd_active_join_all(&a, row, 9);
        CD_CHECK(a.f.count == 8);
        CD_CHECK(!a.active[6] && a.active[2] && !a.active[4]);
        for (int i = 0; i < a.f.count; i++) {
            for (int j = i; j < a.f.count; j++) {
                double sum = 0;
                for (int k = 0; k <= i; k++)
                    sum += a.f.r[k * a.f.capacity + i] * a.f.r[k * a.f.capacity + j];
                CD_CHECK(fabs(sum - M[a.f.list[i] * N + a.f.list[j]]) < 1e-14);
            }
        }
    }
}

// Four points of a face a tile: the fourth depends on the others, unless it is off their plane (the second face). In
// the third the second point is the first one once more.
static void the_fourth_point_of_a_face(void)
{
    enum { FACES = 3, N = 4 * FACES, FREEDOMS = 4 * FACES };
    double rows[N][FREEDOMS] = {{0}}, M[N * N], q[N] = {0};
    for (int i = 0; i < N; i++) {
        const int face = i / 4, corner = i % 4 == 1 && face == 2 ? 0 : i % 4;
        const double own[4] = {0.6, corner & 1 ? 0.4 : -0.4, corner & 2 ? 0.4 : -0.4,
                               face == 1 && corner == 3 ? 0.01 : 0};
        memcpy(rows[i] + 4 * face, own, sizeof own);
        rows[i][4 * ((face + 1) % FACES)] = -0.5;
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < FREEDOMS; k++)
                sum += rows[i][k] * rows[j][k];
            M[i * N + j] = M[j * N + i] = sum;
        }
    }
    cd_lcp lcp = {.n = N, .M = M, .q = q};
    cd_lcp_structure s = cd_lcp_structure_of_dense(&lcp, &arena);
    cd_tiles tiles;
    CD_CHECK(cd_tiles_of_matrix(M, N, &tiles, &arena));
    for (int turn = 0; turn < 2; turn++) {  // by entries, and in tiles
        s.tiles = turn > 0 ? &tiles : NULL;
        const cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
        double y[N + CD_TILE] = {0};
        cd_active a = cd_active_start(&s, &options, y, &arena);
        const int32_t row[] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 3, 7, 11};
        cd_active_join_all(&a, row, N);
        CD_CHECK(a.active[0] && a.active[1] && a.active[2] && !a.active[3]);
        CD_CHECK(a.active[4] && a.active[5] && a.active[6] && a.active[7]);
        CD_CHECK(a.active[8] && !a.active[9] && a.active[10] && a.active[11]);
        CD_CHECK(a.f.count == 10);
    }
}

static void symmetric_scales_are_those_of_any_matrix(void)
{
    for (int seed = 1; seed <= 6; seed++) {
        pile p = {.spread = seed % 2 ? 4 : 1e4, .friction = seed > 3 ? 0.5 : 0, .random = {(uint64_t)seed}};
        pile_add(&p, 2, 2, 1 + seed % 3);
        const cd_mcp *mcp = pile_finish(&p);
        const size_t n = (size_t)mcp->n;
        cd_mcp_matrix m = cd_mcp_matrix_build(mcp, &arena), any = cd_mcp_matrix_build(mcp, &arena);
        CD_CHECK(m.is_symmetric && m.raw);
        any.is_symmetric = false;
        bool *is_free = CD_ARENA_ARRAY(&arena, bool, n);
        for (size_t i = 0; i < n; i++)
            is_free[i] = mcp->lower[i] == -INFINITY && !(mcp->normal_row && mcp->normal_row[i] >= 0);
        double *r[3], *c[3];
        for (int k = 0; k < 3; k++) {
            r[k] = CD_ARENA_ARRAY(&arena, double, n);
            c[k] = CD_ARENA_ARRAY(&arena, double, n);
        }
        cd_mcp_norm_scales(&m, is_free, r[0], c[0], &arena);
        cd_mcp_matrix_scale(&m, is_free, r[1], c[1], &arena);
        cd_mcp_matrix_scale(&any, is_free, r[2], c[2], &arena);
        for (int k = 1; k < 3; k++)
            CD_CHECK(memcmp(r[0], r[k], n * sizeof(double)) == 0 && memcmp(c[0], c[k], n * sizeof(double)) == 0);
        CD_CHECK(memcmp(m.value, any.value, (size_t)m.first[n] * sizeof(double)) == 0);
        pile_release(&p);
    }
}

static void one_entry_off_is_not_symmetric(void)
{
    double value[] = {2, 1, 1, 3, 0.5, 0.5, 4}, bound[] = {0, 0, 0};
    const int32_t row[] = {0, 0, 1, 1, 1, 2, 2}, col[] = {0, 1, 0, 1, 2, 1, 2};
    cd_mcp mcp = {.n = 3, .entry_count = 7, .row = row, .col = col, .value = value, .rhs = bound, .lower = bound};
    CD_CHECK(cd_mcp_matrix_build(&mcp, &arena).is_symmetric);
    value[5] = nextafter(0.5, 1);
    CD_CHECK(!cd_mcp_matrix_build(&mcp, &arena).is_symmetric);
    value[5] = 0.5;
    mcp.entry_count = 5;  // (1, 2) without its twin
    CD_CHECK(!cd_mcp_matrix_build(&mcp, &arena).is_symmetric);
    const int32_t shuffled_row[] = {2, 1, 0, 1, 2, 1, 0}, shuffled_col[] = {2, 2, 1, 0, 1, 1, 0};
    const double shuffled[] = {4, 0.5, 1, 1, 0.5, 3, 2};
    mcp = (cd_mcp){.n = 3, .entry_count = 7, .row = shuffled_row, .col = shuffled_col, .value = shuffled};
    const cd_mcp_matrix m = cd_mcp_matrix_build(&mcp, &arena);
    CD_CHECK(m.is_symmetric && !m.raw);
    for (int k = 0; k < 7; k++)
        CD_CHECK(m.value[k] == value[k] && m.col[k] == col[k]);
}

// Their norm from one look at their rows is that of the sweeps; what is not so is told.
static void scales_of_contacts(void)
{
    for (int seed = 1; seed <= 8; seed++) {
        pile p = {.spread = seed % 2 ? 4 : 1e6, .friction = seed > 6 ? 0.5 : 0, .random = {(uint64_t)seed}};
        pile_add(&p, 2, 1 + seed % 2, 2);
        if (seed == 5 || seed == 6)  // contact rows that act on each other: the last one on itself, on the first
            pile_entry(&p, p.mcp.n - 1, p.mcp.n - 1, 0.25);
        const cd_mcp *mcp = pile_finish(&p);
        const size_t n = (size_t)mcp->n;
        const cd_mcp_matrix m = cd_mcp_matrix_build(mcp, &arena);
        bool *is_free = CD_ARENA_ARRAY(&arena, bool, n);
        for (size_t i = 0; i < n; i++)
            is_free[i] = mcp->lower[i] == -INFINITY && !(mcp->normal_row && mcp->normal_row[i] >= 0);
        double *r[2], *c[2];
        for (int k = 0; k < 2; k++) {
            r[k] = CD_ARENA_ARRAY(&arena, double, n);
            c[k] = CD_ARENA_ARRAY(&arena, double, n);
        }
        const bool is_contacts = cd_mcp_matrix_scale_contacts(&m, is_free, r[0], c[0], &arena);
        CD_CHECK(is_contacts == (seed < 5));
        cd_mcp_norm_scales(&m, is_free, r[1], c[1], &arena);
        CD_CHECK(!is_contacts ||
                 (memcmp(r[0], r[1], n * sizeof(double)) == 0 && memcmp(c[0], c[1], n * sizeof(double)) == 0));
        for (size_t i = 0; i < n; i++)
            CD_CHECK(m.r[i] == 1 && m.c[i] == 1);
        pile_release(&p);
    }
}

// Of one problem, beside others whose largest entries are 3 and 0.2.
static cd_mcp_spread spread_of(size_t n)
{
    cd_mcp_spread s = {.joint = {.row = {3}, .col = {0.2}},
                       .row_turn = CD_ARENA_ARRAY(&arena, int8_t, n),
                       .col_turn = CD_ARENA_ARRAY(&arena, int8_t, n),
                       .row_most = CD_ARENA_ZARRAY(&arena, double, n),
                       .col_most = CD_ARENA_ZARRAY(&arena, double, n)};
    memset(s.row_turn, -1, n);
    memset(s.col_turn, -1, n);
    return s;
}

// Impulses that act beside their gaps, and freedoms that are coupled one way: the matrix is not symmetric. What is
// noted of its rows is what the sweeps note.
static void scales_of_contacts_without_symmetry(void)
{
    for (int seed = 1; seed <= 8; seed++) {
        pile p = {.spread = seed % 2 ? 4 : 1e6, .random = {(uint64_t)seed}};
        pile_add(&p, 2, 1 + seed % 2, 2);
        pile_row(&p, 0, 0, INFINITY, -1, 0);  // without entries
        for (int32_t k = 0; k < p.mcp.entry_count; k++)
            p.value[k] *= p.row[k] < 6 * p.bodies && p.col[k] >= 6 * p.bodies ? 1 + 0.7 * (k % 5) : 1;
        for (int32_t b = 0; b < p.bodies && seed > 2; b += 2)
            pile_entry(&p, p.first_row[b] + 3, p.first_row[b] + 5, 7);
        const cd_mcp *mcp = pile_finish(&p);
        const size_t n = (size_t)mcp->n;
        bool *is_free = CD_ARENA_ARRAY(&arena, bool, n);
        for (size_t i = 0; i < n; i++)
            is_free[i] = mcp->lower[i] == -INFINITY;
        double *r[2], *c[2];
        cd_mcp_spread spread[2];
        for (int k = 0; k < 2; k++) {
            cd_mcp_matrix m = cd_mcp_matrix_build(mcp, &arena);
            CD_CHECK(!m.is_symmetric);
            r[k] = CD_ARENA_ARRAY(&arena, double, n);
            c[k] = CD_ARENA_ARRAY(&arena, double, n);
            spread[k] = spread_of(n);
            m.spread = &spread[k];
            if (k == 0)
                CD_CHECK(cd_mcp_matrix_scale_contacts(&m, is_free, r[k], c[k], &arena));
            else
                cd_mcp_norm_scales(&m, is_free, r[k], c[k], &arena);
        }
        CD_CHECK(memcmp(r[0], r[1], n * sizeof(double)) == 0 && memcmp(c[0], c[1], n * sizeof(double)) == 0);
        CD_CHECK(memcmp(&spread[0].joint, &spread[1].joint, sizeof spread->joint) == 0);
        CD_CHECK(memcmp(spread[0].row_turn, spread[1].row_turn, n) == 0);
        CD_CHECK(memcmp(spread[0].col_turn, spread[1].col_turn, n) == 0);
        CD_CHECK(memcmp(spread[0].row_most, spread[1].row_most, n * sizeof(double)) == 0);
        CD_CHECK(memcmp(spread[0].col_most, spread[1].col_most, n * sizeof(double)) == 0);
        pile_release(&p);
    }
}

static void full_matrices(void)
{
    cd_random random = {12};
    for (int n = 1; n <= ROWS; n++) {
        double *M = CD_ARENA_ARRAY(&arena, double, n *n), c[ROWS], out[ROWS], most = 0;
        for (int i = 0; i < n; i++) {
            c[i] = ldexp(1, i % 7 - 3);
            for (int j = 0; j <= i; j++)
                M[i * n + j] = M[j * n + i] = cd_random_between(&random, -1, 1);
        }
        const double *row = M + (n - 1) * n;
        cd_vector_scale(out, row, 0.5, c, n);
        for (int j = 0; j < n; j++) {
            CD_CHECK(out[j] == row[j] * 0.5 * c[j]);
            most = fmax(most, fabs(row[j]) * c[j]);
        }
        CD_CHECK(cd_vector_most(row, c, n) == most);
        CD_CHECK(cd_vector_is_symmetric(M, n));
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                const double own = M[i * n + j];
                M[i * n + j] = nextafter(own, 2);
                CD_CHECK(cd_vector_is_symmetric(M, n) == (i == j));
                M[i * n + j] = own;
            }
        }
    }
}

// The residual of the answer is that of its own scales, whether rows of full and of sparse matrices needed any.
static void residuals_of_scaled_matrices(void)
{
    enum { N = 40 };
    extern const cd_lcp_solver cd_lcp_solver_qp;
    cd_random random = {13};
    for (int spread = 0; spread < 24; spread += 4) {
        double M[N * N], q[N], r[N], c[N], size = 0;
        for (int i = 0; i < N; i++) {
            for (int j = 0; j <= i; j++)
                M[i * N + j] = M[j * N + i] = i == j                      ? N
                                              : spread % 8 && (i + j) % 7 ? 0
                                                                          : cd_random_between(&random, -1, 1);
            q[i] = cd_random_between(&random, -1, 1);
        }
        for (int i = 0; i < N; i++) {
            const double own = ldexp(1, i * spread / N);
            for (int j = 0; j < N; j++) {
                M[i * N + j] *= own;
                M[j * N + i] *= own;
            }
            q[i] *= own;
        }
        const cd_lcp lcp = {.n = N, .M = M, .q = q};
        const cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
        const cd_lcp_result result = cd_lcp_solve(&cd_lcp_solver_qp, &lcp, &options, &arena);
        CD_CHECK(result.status == CD_LCP_SOLVED);
        double scaled[N * N], shifted[N], z[N];
        cd_lcp_equilibrate(N, N, M, r, c, &arena);
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++)
                scaled[i * N + j] = r[i] * M[i * N + j] * c[j];
            shifted[i] = r[i] * q[i];
            size = fmax(size, fabs(shifted[i]));
            z[i] = 1.01 * result.z[i] / c[i];
        }
        cd_lcp own = {.n = N, .M = scaled, .q = shifted};
        CD_CHECK(cd_lcp_natural_residual(&own, z, NULL) / size > 1e-3);  // of another answer
        for (int i = 0; i < N; i++)
            z[i] /= 1.01;
        CD_CHECK(fabs(cd_lcp_natural_residual(&own, z, NULL) / size - result.residual) < 2e-15);
    }
}

// Pairs that ascend, and those in which one is its neighbour's equal or below it, at every length and place.
static void pairs_that_ascend(void)
{
    enum { LONGEST = 40 };
    int32_t row[LONGEST], col[LONGEST];
    for (int32_t count = 0; count <= LONGEST; count++) {
        for (int32_t k = 0; k < count; k++) {
            row[k] = k / 5;
            col[k] = 3 * (k % 5);
        }
        CD_CHECK(cd_vector_ascends(row, col, count));
        for (int32_t k = 1; k < count; k++) {
            const int32_t own_row = row[k], own_col = col[k];
            row[k] = row[k - 1];
            col[k] = col[k - 1];
            CD_CHECK(!cd_vector_ascends(row, col, count));
            col[k] = col[k - 1] - 1;
            CD_CHECK(!cd_vector_ascends(row, col, count));
            row[k] = row[k - 1] - 1;
            col[k] = 99;
            CD_CHECK(!cd_vector_ascends(row, col, count));
            row[k] = own_row;
            col[k] = own_col;
        }
    }
}

int main(void)
{
    CD_RUN(pairs_that_ascend);
    CD_RUN(triangles_of_any_size);
    CD_RUN(four_rows_are_one_by_one);
    CD_RUN(sums_and_counts);
    CD_RUN(rows_join_four_at_once);
    CD_RUN(the_fourth_point_of_a_face);
    CD_RUN(symmetric_scales_are_those_of_any_matrix);
    CD_RUN(one_entry_off_is_not_symmetric);
    CD_RUN(scales_of_contacts);
    CD_RUN(scales_of_contacts_without_symmetry);
    CD_RUN(full_matrices);
    CD_RUN(residuals_of_scaled_matrices);
    cd_arena_release(&arena);
    return cd_test_done();
}
