// Sparse factors of the interior point's system against dense ones; its fronts at each width.
// SPDX-License-Identifier: MIT
#include "cd_dense.h"
#include "cd_test.h"
#include "cd_threads.h"
#include "cd_vector.h"
#include "gram_cross.h"
#include "gram_front_levels.h"
#include "gram_fronts.h"
#include "test_gram_case.h"

// x := K^-1 x, K formed.
static void solve_dense(const gram_case *g, double *x)
{
    const int32_t n = g->groups.columns;
    double *K = CD_ARENA_ZARRAY(&arena, double, n *n);
    for (int32_t i = 0; i < n; i++)
        K[i * n + i] = g->D[i];
    add_products(g, g->values, K, n);
    CD_CHECK(cd_cholesky_factor(n, K));
    cd_cholesky_forward(n, K, x);
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < n; j++)
            x[i] -= K[j * n + i] * x[j];
        x[i] /= K[i * n + i];
    }
}

CD_TEST(sparse_factor_is_the_dense_one)
{
    static gram_case g;
    cd_random random = {71};
    for (int trial = 0; trial < 300; trial++) {
        const int bodies = 1 + trial % 38, contacts = 1 + (int)(cd_random_unit(&random) * (GROUPS_MOST - 1));
        fill_case(&g, &random, bodies, contacts, trial % 4 == 3);
        cd_gram *gram = cd_gram_analyse(&g.groups, &arena);
        CD_CHECK(cd_gram_bytes(gram) > 0);
        for (int again = 0; again < 2; again++) {  // other values, the same pattern
            for (int64_t k = 0; k < g.place[contacts]; k++)
                g.values[k] *= again ? -0.5 : 1;
            double x[COLUMNS_MOST], wanted[COLUMNS_MOST], size = 0;
            for (int32_t i = 0; i < g.groups.columns; i++)
                x[i] = wanted[i] = cd_random_between(&random, -1, 1);
            cd_gram_factor(gram, g.D, g.values);
            cd_gram_solve(gram, g.D, x);
            solve_dense(&g, wanted);
            for (int32_t i = 0; i < g.groups.columns; i++)
                size = fmax(size, fabs(wanted[i]));
            for (int32_t i = 0; i < g.groups.columns; i++)
                CD_CHECK_NEAR(x[i], wanted[i], 1e-8 * size);
        }
        cd_arena_reset(&arena);
    }
}

// A row that is out of reach of all velocities: its group touches none. First beside others, then alone.
CD_TEST(groups_without_columns_are_in_no_front)
{
    const int32_t first[] = {0, 0, 2, 2}, col[] = {0, 1}, height[] = {1, 1, 1};
    const int64_t place[] = {0, 0, 4};
    const double values[CD_GRAM_LANES] = {1, 2, 0, 0}, D[] = {1, 1};
    const cd_gram_groups some = {2, 3, first, col, height, place, NULL, NULL, NULL};
    cd_gram *gram = cd_gram_analyse(&some, &arena);
    cd_gram_factor(gram, D, values);
    double x[] = {3, 5};
    cd_gram_solve(gram, D, x);  // K = [2 2; 2 5]
    CD_CHECK_NEAR(x[0], 5.0 / 6, 1e-15);
    CD_CHECK_NEAR(x[1], 2.0 / 3, 1e-15);
    const cd_gram_row rows[] = {{0, values}, {1, values}};
    cd_gram_cross *cross = cd_gram_cross_start(gram, &arena);
    cd_gram_cross_add(cross, rows, 2);
    const double *S[] = {cd_gram_cross_row(cross, 0), cd_gram_cross_row(cross, 1)};
    CD_CHECK(S[0][0] == 0 && S[0][1] == 0 && S[1][0] == 0);
    CD_CHECK_NEAR(S[1][1], 5.0 / 6, 1e-15);
    const int32_t none[] = {0, 0, 0, 0};
    const cd_gram_groups all = {0, 3, none, NULL, height, place, NULL, NULL, NULL};
    gram = cd_gram_analyse(&all, &arena);
    cd_gram_factor(gram, D, values);
    cd_gram_solve(gram, D, NULL);
    cross = cd_gram_cross_start(gram, &arena);
    cd_gram_cross_add(cross, rows, 2);
    CD_CHECK(cd_gram_cross_row(cross, 0)[0] == 0 && cd_gram_cross_row(cross, 1)[1] == 0);
    cd_arena_reset(&arena);
}

// Some groups get other values, down to nothing, or none does: what is made of the last factor is the factor of all.
CD_TEST(a_factor_of_what_changed_has_the_bytes_of_a_whole_one)
{
    static gram_case g;
    static bool changed[GROUPS_MOST];
    cd_random random = {73};
    for (int trial = 0; trial < 100; trial++) {
        const bool is_loose = trial % 3 == 2;  // pivots that are raised
        const int bodies = 1 + trial % 38,
                  contacts = is_loose ? bodies : 1 + (int)(cd_random_unit(&random) * (GROUPS_MOST - 1));
        fill_case(&g, &random, bodies, contacts, trial % 4 == 3);
        for (int32_t i = 0; i < g.groups.columns; i++)
            g.D[i] *= is_loose ? 1e-18 : 1;
        cd_gram *whole = cd_gram_analyse(&g.groups, &arena), *kept = cd_gram_analyse(&g.groups, &arena);
        if (trial % 5 > 0)
            cd_gram_keep(kept);
        cd_gram_factor(kept, g.D, g.values);
        for (int again = 0; again < 4; again++) {
            for (int32_t c = 0; c < contacts; c++) {
                changed[c] = again > 0 && cd_random_unit(&random) * contacts < again * again;
                for (int64_t k = g.place[c]; k < g.place[c + 1] && changed[c]; k++)
                    g.values[k] *= again % 2 ? 0 : 3;
            }
            double x[COLUMNS_MOST], wanted[COLUMNS_MOST];
            for (int32_t i = 0; i < g.groups.columns; i++)
                x[i] = wanted[i] = cd_random_between(&random, -1, 1);
            cd_gram_factor_changed(kept, g.D, g.values, changed);
            cd_gram_solve(kept, g.D, x);
            cd_gram_factor(whole, g.D, g.values);
            cd_gram_solve(whole, g.D, wanted);
            CD_CHECK(memcmp(x, wanted, sizeof *x * (size_t)g.groups.columns) == 0);
        }
        cd_arena_reset(&arena);
    }
}

// Rows of groups through the inverse, several of one group among them, also without one and with all in one front; and
// rows that come later.
CD_TEST(rows_act_on_each_other_as_through_the_dense_inverse)
{
    enum { ROWS_MOST = 23 };
    static gram_case g;
    cd_random random = {79};
    for (int trial = 0; trial < 200; trial++) {
        const int bodies = 1 + trial % 38, contacts = 1 + (int)(cd_random_unit(&random) * (GROUPS_MOST - 1));
        const int32_t count = trial % (ROWS_MOST + 1);
        fill_case(&g, &random, bodies, contacts, trial % 4 == 3);
        cd_gram *gram = cd_gram_analyse(&g.groups, &arena);
        cd_gram_factor(gram, g.D, g.values);
        cd_gram_row row[ROWS_MOST];
        double value[ROWS_MOST][6], x[COLUMNS_MOST];
        for (int32_t k = 0; k < count; k++) {
            row[k] = (cd_gram_row){(int32_t)(cd_random_unit(&random) * contacts), value[k]};
            for (int i = 0; i < 6; i++)
                value[k][i] = cd_random_between(&random, -1, 1);
        }
        cd_gram_cross *cross = cd_gram_cross_start(gram, &arena);
        for (int32_t k = 0, more; k < count; k += more) {
            more = 1 + (int32_t)(cd_random_unit(&random) * (count - k));
            cd_gram_cross_add(cross, row + k, more);
        }
        for (int32_t k = 0; k < count; k++) {
            double wanted[ROWS_MOST], size = 0;
            memset(x, 0, sizeof x);
            for (int32_t e = g.first[row[k].group]; e < g.first[row[k].group + 1]; e++)
                x[g.col[e]] = value[k][e - g.first[row[k].group]];
            solve_dense(&g, x);
            for (int32_t j = 0; j < count; j++) {
                wanted[j] = 0;
                for (int32_t e = g.first[row[j].group]; e < g.first[row[j].group + 1]; e++)
                    wanted[j] += value[j][e - g.first[row[j].group]] * x[g.col[e]];
                size = fmax(size, fabs(wanted[j]));
            }
            for (int32_t j = 0; j < count; j++)
                CD_CHECK_NEAR(cd_gram_cross_row(cross, k)[j], wanted[j], 1e-8 * size);
        }
        cd_arena_reset(&arena);
    }
}

// Columns 0 .. p - 1 of a front of n rows eliminated, and a right side taken forward and back, by `kernels`.
static void work_front(const cd_front_kernels *kernels, int32_t n, int32_t p, double *a, double *x)
{
    double inverse[COLUMNS_MOST];
    double *panel = CD_ARENA_ARRAY(&arena, double, cd_front_rows(n) * p);
    cd_front_factor_by(kernels, &(cd_front){n, p, a, NULL, inverse}, 1);
    cd_front_panel(n, p, a, panel);
    kernels->forward(n, p, panel, inverse, x);
    kernels->backward(n, p, panel, inverse, x);
}

CD_TEST(fronts_are_the_same_at_every_level)
{
    const cd_front_kernels *const kernels[] = {&cd_front_portable, &cd_front_avx2, &cd_front_avx512};
    const cd_vector_level level = cd_vector_detect(CD_VECTOR_AVX512);
    cd_random random = {72};
    for (int32_t n = 1; n <= COLUMNS_MOST - CD_FRONT_LANES; n++) {
        const int32_t p = 1 + (int32_t)(cd_random_unit(&random) * n), stride = cd_front_stride(n);
        double *A = CD_ARENA_ZARRAY(&arena, double, n *stride), *a = CD_ARENA_ARRAY(&arena, double, n *stride),
               *first = CD_ARENA_ARRAY(&arena, double, n *stride), x[COLUMNS_MOST], b[COLUMNS_MOST] = {0},
               first_x[COLUMNS_MOST];
        for (int32_t j = 0; j < n; j++) {
            for (int32_t i = j; i < n; i++)
                A[j * stride + i] = i == j ? n : cd_random_between(&random, -1, 1);
            b[j] = cd_random_between(&random, -1, 1);
        }
        for (int k = 0; k <= (int)level; k++) {
            memcpy(a, A, sizeof *a * (size_t)(n * stride));
            memcpy(x, b, sizeof b);
            work_front(kernels[k], n, p, a, x);
            for (int32_t j = 0; j < n; j++)
                CD_CHECK(k == 0 ||
                         memcmp(a + j * stride + j, first + j * stride + j, sizeof *a * (size_t)(n - j)) == 0);
            CD_CHECK(k == 0 || memcmp(x, first_x, sizeof *x * (size_t)n) == 0);
            memcpy(first, a, sizeof *a * (size_t)(n * stride));
            memcpy(first_x, x, sizeof x);
        }
        // L L' of the columns of L, and what is left behind them.
        for (int32_t j = 0; j < n; j++) {
            for (int32_t i = j; i < n; i++) {
                double sum = j < p ? 0 : a[j * stride + i];
                for (int32_t k = 0; k < p && k <= j; k++)
                    sum += a[k * stride + i] * a[k * stride + j];
                CD_CHECK_NEAR(sum, A[j * stride + i], 1e-13 * n);
            }
        }
        cd_arena_reset(&arena);
    }
}

CD_TEST(fronts_lose_a_panel_alike_at_every_level)
{
    const cd_front_kernels *const kernels[] = {&cd_front_portable, &cd_front_avx2, &cd_front_avx512};
    const cd_vector_level level = cd_vector_detect(CD_VECTOR_AVX512);
    cd_random random = {73};
    for (int32_t n = 1; n <= COLUMNS_MOST - CD_FRONT_LANES; n++) {
        const int32_t depth = (int32_t)(cd_random_unit(&random) * 60), stride = cd_front_stride(n);
        double *l = CD_ARENA_ZARRAY(&arena, double, (depth + 1) * stride), *first = NULL;
        for (int32_t k = 0; k < depth * stride; k++)
            l[k] = k % stride < n ? cd_random_between(&random, -1, 1) : 0;
        for (int v = 0; v <= (int)level; v++) {
            double *a = CD_ARENA_ZARRAY(&arena, double, n *stride);
            kernels[v]->subtract(n, a, (size_t)stride, l, depth);
            for (int32_t j = 0; j < n; j++) {
                for (int32_t i = j; i < n; i++) {
                    double sum = a[j * stride + i];
                    for (int32_t k = 0; k < depth; k++)
                        sum += l[k * stride + i] * l[k * stride + j];
                    CD_CHECK_NEAR(sum, 0, 1e-14 * (depth + 1));
                    CD_CHECK(v == 0 || a[j * stride + i] == first[j * stride + i]);
                }
            }
            first = v == 0 ? a : first;
        }
        cd_arena_reset(&arena);
    }
}

// SIDE x SIDE bricks in a running bond without friction, with columns x, y and turn: two rows over x and turn tie a
// brick to its right neighbour, two over y and turn to each of the two above.
enum { SIDE = 60, OF_NODE = 3, TIES = (SIDE - 1) * (3 * SIDE - 1), TIE_WIDTH = 4, TIE_HEIGHT = 2 };

static cd_gram_groups make_square(double *values, cd_random *random)
{
    int32_t *first = CD_ARENA_ARRAY(&arena, int32_t, TIES + 1), *height = CD_ARENA_ARRAY(&arena, int32_t, TIES),
            *col = CD_ARENA_ARRAY(&arena, int32_t, TIES * TIE_WIDTH), count = 0;
    int64_t *place = CD_ARENA_ARRAY(&arena, int64_t, TIES + 1);
    first[0] = 0;
    place[0] = 0;
    for (int32_t node = 0; node < SIDE * SIDE; node++) {
        for (int32_t to = 1; to < 4; to++) {
            const int32_t right = to % 2, up = to / 2;
            if (node / SIDE + up == SIDE || node % SIDE + right == SIDE)
                continue;
            for (int32_t k = 0; k < TIE_WIDTH; k++) {
                const int32_t brick = k < 2 ? node : node + up * SIDE + right;
                col[count * TIE_WIDTH + k] = OF_NODE * brick + (k % 2 ? 2 : up);
            }
            for (int32_t k = 0; k < TIE_HEIGHT * TIE_WIDTH; k++)
                values[count * TIE_HEIGHT * TIE_WIDTH + k] = cd_random_between(random, -1, 1);
            height[count++] = TIE_HEIGHT;
            first[count] = count * TIE_WIDTH;
            place[count] = (int64_t)count * TIE_HEIGHT * TIE_WIDTH;
        }
    }
    return (cd_gram_groups){
        .columns = SIDE * SIDE * OF_NODE, .count = count, .first = first, .col = col, .height = height, .place = place};
}

// A square parted by hand takes 829/84 n^3 multiplications for n x n nodes of one column (George 1973); bricks by least
// degree alone take 2.8 times that.
CD_TEST(factor_of_bricks_costs_no_more_than_dissection_by_hand)
{
    static double values[TIES * TIE_HEIGHT * TIE_WIDTH], D[SIDE * SIDE * OF_NODE], x[SIDE * SIDE * OF_NODE],
        b[SIDE * SIDE * OF_NODE];
    cd_random random = {72};
    const cd_gram_groups g = make_square(values, &random);
    CD_CHECK(g.count == TIES);
    cd_gram *gram = cd_gram_analyse(&g, &arena);
    const double by_hand = 829.0 / 84 * SIDE * SIDE * SIDE * OF_NODE * OF_NODE * OF_NODE;
    CD_CHECK(cd_gram_work(gram) < by_hand);
    for (int32_t i = 0; i < g.columns; i++) {
        D[i] = 1;
        x[i] = b[i] = cd_random_between(&random, -1, 1);
    }
    cd_gram_factor(gram, D, values);
    cd_gram_solve(gram, D, x);
    // b - (D + R'R) x
    for (int32_t i = 0; i < g.columns; i++)
        b[i] -= x[i];
    for (int32_t k = 0; k < g.count * TIE_HEIGHT; k++) {
        const int32_t *col = g.col + g.first[k / TIE_HEIGHT];
        double sum = 0;
        for (int32_t i = 0; i < TIE_WIDTH; i++)
            sum += values[k * TIE_WIDTH + i] * x[col[i]];
        for (int32_t i = 0; i < TIE_WIDTH; i++)
            b[col[i]] -= values[k * TIE_WIDTH + i] * sum;
    }
    for (int32_t i = 0; i < g.columns; i++)
        CD_CHECK_NEAR(b[i], 0, 1e-13);
    cd_arena_reset(&arena);
}

// ---- threads -------------------------------------------------------------------------------------------------------

// Pivots of the top that are what a raised one is, 2^-52 of a diagonal near 1: what subtrees add to the diagonal
// counts.
static int raised_in_top(const cd_gram *m)
{
    int count = 0;
    for (int32_t f = 0; f < m->count; f++) {
        for (int32_t k = 0; k < m->pivots[f] && m->parts.of[f] < 0; k++)
            count += m->inverse[m->pivot_at[f] + k] > 1e6 && m->inverse[m->pivot_at[f] + k] < 1e9;
    }
    return count;
}

// Subtrees and the columns of large fronts are shared out. With D near 0 pivots are raised, to what subtrees have added
// to the diagonal.
CD_TEST(a_factor_by_any_number_of_threads_has_the_same_bytes)
{
    cd_random random = {74};
    double *values, *D, *b, *first = NULL;
    const cd_gram_groups g = make_heap(&random, &values);
    D = CD_ARENA_ARRAY(&arena, double, g.columns);
    b = CD_ARENA_ARRAY(&arena, double, g.columns);
    for (int32_t i = 0; i < g.columns; i++)
        b[i] = cd_random_between(&random, -1, 1);
    for (int is_loose = 0; is_loose < 2; is_loose++) {
        for (int32_t i = 0; i < g.columns; i++)
            D[i] = is_loose ? 1e-30 : 1;
        // Nodes are tied along single directions: K without D is singular.
        for (int32_t k = 0; is_loose && k < g.count; k++) {
            for (int32_t c = 0; c < 2 * 2 * BODY; c++)
                values[g.place[k] + c] = values[g.place[k] + c - c % BODY];
        }
        for (int threads = 1; threads <= 3; threads++) {
            double *x = CD_ARENA_ARRAY(&arena, double, g.columns);
            cd_gram *gram = cd_gram_analyse(&g, &arena);
            cd_gram_use_threads(gram, threads);
            CD_CHECK(cd_gram_work(gram) > 1e8);
            memcpy(x, b, sizeof *x * (size_t)g.columns);
            (void)cd_threads_take_most();
            cd_gram_factor(gram, D, values);
            CD_CHECK(cd_threads_take_most() == threads);
            CD_CHECK((raised_in_top(gram) > 0) == is_loose);
            cd_gram_solve(gram, D, x);
            CD_CHECK(cd_threads_take_most() == threads);
            CD_CHECK(is_loose || error_of(&g, values, D, b, x) < 1e-10);
            CD_CHECK(threads == 1 || memcmp(x, first, sizeof *x * (size_t)g.columns) == 0);
            first = x;
            // Made once more where groups of the lowest nodes count as changed, and as a whole.
            cd_gram *kept = cd_gram_analyse(&g, &arena);
            bool *changed = CD_ARENA_ZARRAY(&arena, bool, g.count);
            memset(changed, true, (size_t)g.count / 10);
            cd_gram_use_threads(kept, threads);
            cd_gram_keep(kept);
            cd_gram_factor(kept, D, values);
            cd_gram_factor_changed(kept, D, values, changed);
            double *again = CD_ARENA_ARRAY(&arena, double, g.columns);
            memcpy(again, b, sizeof *x * (size_t)g.columns);
            cd_gram_solve(kept, D, again);
            CD_CHECK(memcmp(again, x, sizeof *x * (size_t)g.columns) == 0);
        }
    }
    cd_arena_reset(&arena);
}

// A front whose rows and columns are copied (gram_front_loop.h), in several blocks of pivots and of others.
CD_TEST(a_large_front_is_the_same_at_every_level_and_by_any_number_of_threads)
{
    const cd_front_kernels *const kernels[] = {&cd_front_portable, &cd_front_avx2, &cd_front_avx512};
    const int32_t n = 1037, p = 471, stride = cd_front_stride(n);
    const int levels = (int)cd_vector_detect(CD_VECTOR_AVX512) + 1;
    cd_random random = {75};
    double *A = CD_ARENA_ZARRAY(&arena, double, n *stride), *inverse = CD_ARENA_ARRAY(&arena, double, p), *first = NULL;
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = j; i < n; i++)
            A[j * stride + i] = i == j ? 40 : cd_random_between(&random, -1, 1);
    }
    for (int k = 0; k < levels * 3; k++) {
        double *a = CD_ARENA_ARRAY(&arena, double, n *stride);
        memcpy(a, A, sizeof *a * (size_t)(n * stride));
        (void)cd_threads_take_most();
        CD_CHECK(cd_front_factor_by(kernels[k / 3], &(cd_front){n, p, a, NULL, inverse}, 1 + k % 3) == 0);
        CD_CHECK(cd_threads_take_most() == 1 + k % 3);
        for (int32_t j = 0; j < n && first; j++)
            CD_CHECK(memcmp(a + j * stride + j, first + j * stride + j, sizeof *a * (size_t)(n - j)) == 0);
        first = first ? first : a;
    }
    for (int32_t j = 0; j < n; j += 7) {
        for (int32_t i = j; i < n; i += 5) {
            double sum = j < p ? 0 : first[j * stride + i];
            for (int32_t k = 0; k < p && k <= j; k++)
                sum += first[k * stride + i] * first[k * stride + j];
            CD_CHECK_NEAR(sum, A[j * stride + i], 1e-12);
        }
    }
    cd_arena_reset(&arena);
}

int main(void)
{
    CD_RUN(sparse_factor_is_the_dense_one);
    CD_RUN(groups_without_columns_are_in_no_front);
    CD_RUN(a_factor_of_what_changed_has_the_bytes_of_a_whole_one);
    CD_RUN(rows_act_on_each_other_as_through_the_dense_inverse);
    CD_RUN(fronts_are_the_same_at_every_level);
    CD_RUN(fronts_lose_a_panel_alike_at_every_level);
    CD_RUN(factor_of_bricks_costs_no_more_than_dissection_by_hand);
    CD_RUN(a_factor_by_any_number_of_threads_has_the_same_bytes);
    CD_RUN(a_large_front_is_the_same_at_every_level_and_by_any_number_of_threads);
    cd_arena_release(&arena);
    return cd_test_done();
}
