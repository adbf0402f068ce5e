// Sparse factors against dense ones: of the interior point's system, of what is not symmetric; its fronts at each
// width.
// SPDX-License-Identifier: MIT
#include "cd_dense.h"
#include "cd_test.h"
#include "cd_threads.h"
#include "cd_vector.h"
#include "gram_cross.h"
#include "gram_front_levels.h"
#include "gram_fronts.h"
#include "gram_lu.h"
#include "lcp_dense.h"
#include "lcp_piles.h"

static cd_arena arena;

enum { COLUMNS_MOST = 120, GROUPS_MOST = 400 };

typedef struct gram_case {
    int32_t first[GROUPS_MOST + 1], col[GROUPS_MOST * 12], height[GROUPS_MOST];
    int64_t place[GROUPS_MOST + 1];
    double values[GROUPS_MOST * 36], D[COLUMNS_MOST];
    cd_gram_groups groups;
} gram_case;

// Contacts of bodies of three columns each, in a chain with random others; body 0 is in most of them where is_hub. The
// last three columns are in none.
static void fill_case(gram_case *g, cd_random *random, int bodies, int contacts, bool is_hub)
{
    int32_t at = 0;
    int64_t value = 0;
    for (int c = 0; c < contacts; c++) {
        const int a = is_hub && c % 3 > 0 ? 0 : c % bodies, b = (int)(cd_random_unit(random) * bodies);
        g->first[c] = at;
        g->place[c] = value;
        g->height[c] = 1 + c % 3;
        for (int k = 0; k < 3; k++)
            g->col[at++] = 3 * a + k;
        for (int k = 0; k < 3 && b != a; k++)
            g->col[at++] = 3 * b + k;
        const int32_t width = at - g->first[c], stride = cd_gram_stride(width);
        for (int32_t k = 0; k < g->height[c] * stride; k++)
            g->values[value++] =
                k % stride < width ? cd_random_between(random, -1, 1) * pow(10, cd_random_between(random, -3, 3)) : 0;
    }
    g->first[contacts] = at;
    g->place[contacts] = value;
    for (int k = 0; k < 3 * bodies + 3; k++)
        g->D[k] = 1 + k % 2;
    g->groups = (cd_gram_groups){.columns = 3 * bodies + 3,
                                 .count = contacts,
                                 .first = g->first,
                                 .col = g->col,
                                 .height = g->height,
                                 .place = g->place};
}

// K += R'S, R the case's values, S in their places.
static void add_products(const gram_case *g, const double *S, double *K, int32_t stride)
{
    for (int32_t c = 0; c < g->groups.count; c++) {
        const int32_t width = g->first[c + 1] - g->first[c], *col = g->col + g->first[c];
        for (int32_t h = 0; h < g->height[c]; h++) {
            const int64_t at = g->place[c] + h * cd_gram_stride(width);
            for (int32_t i = 0; i < width * width; i++)
                K[col[i / width] * stride + col[i % width]] += g->values[at + i / width] * S[at + i % width];
        }
    }
}

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

// Nodes of six columns in a heap of HEAP x HEAP x HEAP, a group for each neighbour that comes later: its columns are
// those of both, in `place` six rows of them.
enum { HEAP = 9, NODES = HEAP * HEAP * HEAP, BODY = 6, NEAR = 13 };

static cd_gram_groups make_heap(cd_random *random, double **values)
{
    int32_t *first = CD_ARENA_ARRAY(&arena, int32_t, NODES * NEAR + 1),
            *height = CD_ARENA_ARRAY(&arena, int32_t, NODES * NEAR),
            *col = CD_ARENA_ARRAY(&arena, int32_t, NODES * NEAR * 2 * BODY), count = 0;
    int64_t *place = CD_ARENA_ARRAY(&arena, int64_t, NODES * NEAR + 1);
    *values = CD_ARENA_ARRAY(&arena, double, NODES *NEAR * 2 * BODY * 2);
    first[0] = 0;
    place[0] = 0;
    for (int32_t node = 0; node < NODES; node++) {
        for (int32_t k = 27 - NEAR; k < 27; k++) {
            const int32_t x = node % HEAP + k % 3 - 1, y = node / HEAP % HEAP + k / 3 % 3 - 1,
                          z = node / HEAP / HEAP + k / 9 - 1;
            if (x < 0 || x >= HEAP || y < 0 || y >= HEAP || z >= HEAP)
                continue;
            for (int32_t c = 0; c < 2 * BODY; c++)
                col[first[count] + c] = BODY * (c < BODY ? node : (z * HEAP + y) * HEAP + x) + c % BODY;
            height[count] = 2;
            for (int32_t c = 0; c < 2 * 2 * BODY; c++)
                (*values)[place[count] + c] = cd_random_between(random, -1, 1);
            first[count + 1] = first[count] + 2 * BODY;
            place[count + 1] = place[count] + (int64_t)2 * 2 * BODY;
            count++;
        }
    }
    return (cd_gram_groups){
        .columns = NODES * BODY, .count = count, .first = first, .col = col, .height = height, .place = place};
}

// b - (D + R'R) x, the largest.
static double error_of(const cd_gram_groups *g, const double *values, const double *D, const double *b, const double *x)
{
    double *rest = CD_ARENA_ARRAY(&arena, double, g->columns), worst = 0;
    for (int32_t i = 0; i < g->columns; i++)
        rest[i] = b[i] - D[i] * x[i];
    for (int32_t k = 0; k < g->count; k++) {
        const int32_t *col = g->col + g->first[k], width = g->first[k + 1] - g->first[k];
        for (int32_t h = 0; h < g->height[k]; h++) {
            const double *row = values + g->place[k] + h * cd_gram_stride(width);
            double sum = 0;
            for (int32_t i = 0; i < width; i++)
                sum += row[i] * x[col[i]];
            for (int32_t i = 0; i < width; i++)
                rest[col[i]] -= row[i] * sum;
        }
    }
    for (int32_t i = 0; i < g->columns; i++)
        worst = fmax(worst, fabs(rest[i]));
    return worst;
}

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

// ---- the unsymmetric factor ----------------------------------------------------------------------------------------

// K = 1 + R'S formed; x := K^-1 x by elimination with exchange of rows.
static void solve_unsymmetric(const gram_case *g, const double *S, double *x)
{
    const int32_t n = g->groups.columns, stride = cd_dense_stride(n);
    double *K = CD_ARENA_ZARRAY(&arena, double, n *stride), *b = CD_ARENA_ARRAY(&arena, double, n);
    for (int32_t i = 0; i < n; i++)
        K[i * stride + i] = 1;
    add_products(g, S, K, stride);
    cd_lu lu;
    CD_CHECK(cd_lu_factor(&lu, n, K, &arena));
    memcpy(b, x, sizeof *b * (size_t)n);
    cd_lu_solve(&lu, b, x);
}

// The sign of the determinant of K = 1 + R'S, formed: of the pivots and of the exchanges of rows.
static int sign_of_dense(const gram_case *g, const double *S)
{
    const int32_t n = g->groups.columns, stride = cd_dense_stride(n);
    double *K = CD_ARENA_ZARRAY(&arena, double, n *stride);
    for (int32_t i = 0; i < n; i++)
        K[i * stride + i] = 1;
    add_products(g, S, K, stride);
    cd_lu lu;
    CD_CHECK(cd_lu_factor(&lu, n, K, &arena));
    int sign = 1;
    for (int32_t k = 0; k < n; k++) {
        sign = lu.a[k * stride + k] < 0 ? -sign : sign;
        for (int32_t l = 0; l < k; l++)
            sign = lu.order[l] > lu.order[k] ? -sign : sign;
    }
    return sign;
}

CD_TEST(sign_of_the_unsymmetric_factor_is_that_of_its_determinant)
{
    static gram_case g;
    static double S[GROUPS_MOST * 36];
    cd_random random = {73};
    int negative = 0;
    for (int trial = 0; trial < 200; trial++) {
        const int bodies = 1 + trial % 20, contacts = 1 + (int)(cd_random_unit(&random) * 40);
        fill_case(&g, &random, bodies, contacts, trial % 4 == 3);
        for (int64_t k = 0; k < g.place[contacts]; k++) {
            g.values[k] = g.values[k] != 0 ? cd_random_between(&random, -1, 1) : 0;
            S[k] = g.values[k] != 0 ? cd_random_between(&random, -2, 2) : 0;
        }
        cd_gram_lu *lu = cd_gram_lu_make(cd_gram_analyse(&g.groups, &arena), &arena);
        cd_gram_lu_factor(lu, g.values, S);
        const int wanted = sign_of_dense(&g, S);
        negative += wanted < 0;
        CD_CHECK(cd_gram_lu_sign(lu) == wanted);
        cd_arena_reset(&arena);
    }
    CD_CHECK(negative > 50 && negative < 150);
}

// Several panels of pivots, the last of them short: at every level the bytes of plain elimination.
CD_TEST(pivots_without_symmetry_take_the_same_at_every_level)
{
    const cd_front_kernels *const kernels[] = {&cd_front_portable, &cd_front_avx2, &cd_front_avx512};
    const int levels = (int)cd_vector_detect(CD_VECTOR_AVX512) + 1;
    cd_random random = {76};
    for (int32_t n = 1; n < 140; n += 1 + n / 9) {
        for (int32_t last = 1; last <= n; last += 1 + last / 3) {
            const int32_t stride = cd_front_stride(n), first = last / 5;
            double *A = CD_ARENA_ZARRAY(&arena, double, n *stride), *wanted = CD_ARENA_ARRAY(&arena, double, n *stride),
                   *a = CD_ARENA_ARRAY(&arena, double, n *stride);
            for (int32_t k = 0; k < n * stride; k++)
                A[k] = k % stride < n ? cd_random_between(&random, -1, 1) : 0;
            memcpy(wanted, A, sizeof *A * (size_t)(n * stride));
            for (int32_t j = last; j < n; j++) {
                for (int32_t k = first; k < last; k++) {
                    for (int32_t i = k + 1; i < n; i++)
                        wanted[j * stride + i] -= wanted[j * stride + k] * wanted[k * stride + i];
                }
            }
            for (int level = 0; level < levels; level++) {
                memcpy(a, A, sizeof *a * (size_t)(n * stride));
                kernels[level]->take_unsymmetric(&(cd_front_pivots){n, first, last, a}, last, n);
                CD_CHECK(memcmp(a, wanted, sizeof *a * (size_t)(n * stride)) == 0);
            }
        }
        cd_arena_reset(&arena);
    }
}

// Subtrees and the columns of large fronts are shared out.
CD_TEST(an_unsymmetric_factor_by_any_number_of_threads_has_the_same_bytes)
{
    cd_random random = {77};
    double *values, *first = NULL;
    const cd_gram_groups g = make_heap(&random, &values);
    double *S = CD_ARENA_ARRAY(&arena, double, g.place[g.count]), *b = CD_ARENA_ARRAY(&arena, double, g.columns);
    for (int64_t k = 0; k < g.place[g.count]; k++)
        S[k] = 1.5 * values[k];
    for (int32_t i = 0; i < g.columns; i++)
        b[i] = cd_random_between(&random, -1, 1);
    int64_t bytes = 0;
    for (int threads = 1; threads <= 3; threads++) {
        double *x = CD_ARENA_ARRAY(&arena, double, g.columns), *D = CD_ARENA_ARRAY(&arena, double, g.columns),
               *scaled = CD_ARENA_ARRAY(&arena, double, g.place[g.count]);
        cd_gram *gram = cd_gram_analyse(&g, &arena);
        cd_gram_use_threads(gram, threads);
        CD_CHECK(cd_gram_lu_bytes(gram) > bytes);
        bytes = cd_gram_lu_bytes(gram);
        cd_gram_lu *lu = cd_gram_lu_make(gram, &arena);
        memcpy(x, b, sizeof *x * (size_t)g.columns);
        (void)cd_threads_take_most();
        cd_gram_lu_factor(lu, values, S);
        CD_CHECK(cd_threads_take_most() == threads);
        cd_gram_lu_solve(lu, x);
        for (int32_t i = 0; i < g.columns; i++)
            D[i] = 1;
        for (int64_t k = 0; k < g.place[g.count]; k++)
            scaled[k] = sqrt(1.5) * values[k];
        CD_CHECK(error_of(&g, scaled, D, b, x) < 1e-10);
        CD_CHECK(threads == 1 || memcmp(x, first, sizeof *x * (size_t)g.columns) == 0);
        first = x;
    }
    cd_arena_reset(&arena);
}

CD_TEST(unsymmetric_sparse_factor_is_the_dense_one)
{
    static gram_case g;
    static double S[GROUPS_MOST * 36];
    cd_random random = {72};
    for (int trial = 0; trial < 300; trial++) {
        const int bodies = 1 + trial % 38, contacts = 1 + (int)(cd_random_unit(&random) * (GROUPS_MOST - 1));
        fill_case(&g, &random, bodies, contacts, trial % 4 == 3);
        // S = (1 + skew) R: the symmetric part of K stays above 1, whatever the skew part is.
        for (int32_t c = 0; c < contacts; c++) {
            const int32_t stride = cd_gram_stride(g.first[c + 1] - g.first[c]);
            for (int32_t k = 0; k < g.height[c] * stride; k++) {
                const int64_t at = g.place[c] + k;
                const double skew = g.height[c] < 2  ? 0
                                    : k < stride     ? 2 * g.values[at + stride]
                                    : k < 2 * stride ? -2 * g.values[at - stride]
                                                     : 0;
                S[at] = g.values[at] + skew;
            }
        }
        cd_gram *gram = cd_gram_analyse(&g.groups, &arena);
        cd_gram_lu *lu = cd_gram_lu_make(gram, &arena);
        CD_CHECK(cd_gram_lu_bytes(gram) > 0);
        for (int again = 0; again < 2; again++) {  // other values, the same pattern
            for (int64_t k = 0; k < g.place[contacts]; k++)
                g.values[k] *= again ? -0.5 : 1;
            double x[COLUMNS_MOST], wanted[COLUMNS_MOST], size = 0;
            for (int32_t i = 0; i < g.groups.columns; i++)
                x[i] = wanted[i] = cd_random_between(&random, -1, 1);
            for (int64_t k = 0; k < g.place[contacts]; k++)
                S[k] *= again ? -0.5 : 1;
            cd_gram_lu_factor(lu, g.values, S);
            cd_gram_lu_solve(lu, x);
            solve_unsymmetric(&g, S, wanted);
            for (int32_t i = 0; i < g.groups.columns; i++)
                size = fmax(size, fabs(wanted[i]));
            for (int32_t i = 0; i < g.groups.columns; i++)
                CD_CHECK_NEAR(x[i], wanted[i], 1e-8 * size);
        }
        cd_arena_reset(&arena);
    }
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
    CD_RUN(pivots_without_symmetry_take_the_same_at_every_level);
    CD_RUN(an_unsymmetric_factor_by_any_number_of_threads_has_the_same_bytes);
    CD_RUN(unsymmetric_sparse_factor_is_the_dense_one);
    CD_RUN(sign_of_the_unsymmetric_factor_is_that_of_its_determinant);
    cd_arena_release(&arena);
    return cd_test_done();
}
