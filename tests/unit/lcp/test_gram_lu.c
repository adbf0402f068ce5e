// Sparse factors of what is not symmetric against dense ones: answers, signs, bytes at each width and number of
// threads.
// SPDX-License-Identifier: MIT
#include "cd_dense.h"
#include "cd_threads.h"
#include "cd_vector.h"
#include "gram_front_levels.h"
#include "gram_lu.h"
#include "lcp_dense.h"
#include "test_gram_case.h"

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

static cd_lu_front make_front(int32_t n, int32_t p)
{
    return (cd_lu_front){.n = n,
                         .p = p,
                         .lower = CD_ARENA_ZARRAY(&arena, double, cd_lu_front_lower(n, p)),
                         .upper = CD_ARENA_ZARRAY(&arena, double, cd_lu_front_upper(n, p)),
                         .rest = CD_ARENA_ZARRAY(&arena, double, cd_lu_front_rest(n, p)),
                         .order = CD_ARENA_ZARRAY(&arena, int32_t, p),
                         .inverse = CD_ARENA_ZARRAY(&arena, double, p)};
}

static double *entry_of(const cd_lu_front *f, int32_t i, int32_t j)
{
    if (j < f->p)
        return &f->lower[j * cd_front_rows(f->n) + i];
    return i < f->p ? &f->upper[(j - f->p) * cd_front_rows(f->p) + i]
                    : &f->rest[(j - f->p) * cd_front_rows(f->n - f->p) + i - f->p];
}

// The first p pivots of a (n x n, column after column) by plain elimination, rows exchanged within them.
static void eliminate_plainly(int32_t n, int32_t p, double *a, int32_t *order)
{
    for (int32_t k = 0; k < p; k++) {
        order[k] = k;
        for (int32_t i = k + 1; i < p; i++)
            order[k] = fabs(a[k * n + i]) > fabs(a[k * n + order[k]]) ? i : order[k];
        for (int32_t j = 0; j < n && order[k] != k; j++) {
            const double t = a[j * n + k];
            a[j * n + k] = a[j * n + order[k]];
            a[j * n + order[k]] = t;
        }
        const double inverse = 1 / a[k * n + k];
        for (int32_t i = k + 1; i < n; i++)
            a[k * n + i] *= inverse;
        for (int32_t j = k + 1; j < n; j++) {
            for (int32_t i = k + 1; i < n; i++)
                a[j * n + i] -= a[j * n + k] * a[k * n + i];
        }
    }
}

// By the factors in a: x[0..p) of L and what is below it, then of U with the rest of x.
static void solve_plainly(int32_t n, int32_t p, const double *a, double *x)
{
    for (int32_t k = 0; k < p; k++) {
        for (int32_t i = k + 1; i < n; i++)
            x[i] -= a[k * n + i] * x[k];
    }
    for (int32_t k = p - 1; k >= 0; k--) {
        for (int32_t j = k + 1; j < n; j++)
            x[k] -= a[j * n + k] * x[j];
        x[k] /= a[k * n + k];
    }
}

// Solves with two sides and with each alone: the same bytes. x: both, n entries each.
static void solve_by(const cd_lu_kernels *kernels, const cd_lu_front *f, double *x)
{
    const int32_t n = f->n, p = f->p, apart = cd_front_stride(n), above = cd_front_rows(p);
    double *both = CD_ARENA_ZARRAY(&arena, double, 2 * apart), *one = CD_ARENA_ZARRAY(&arena, double, 2 * apart);
    for (int s = 0; s < 2; s++) {
        memcpy(both + s * apart, x + s * n, sizeof *x * (size_t)n);
        memcpy(one + s * apart, x + s * n, sizeof *x * (size_t)n);
        kernels->forward(f, 1, one + s * apart, 0);
    }
    kernels->forward(f, 2, both, (size_t)apart);
    for (int s = 0; s < 2; s++) {
        CD_CHECK(memcmp(both + s * apart, one + s * apart, sizeof *x * (size_t)n) == 0);
        memcpy(x + s * n, both + s * apart, sizeof *x * (size_t)n);
        memmove(both + s * apart + above, x + s * n + p, sizeof *x * (size_t)(n - p));
        memcpy(one + s * apart, both + s * apart, sizeof *x * (size_t)apart);
        kernels->backward(f, 1, one + s * apart + above, one + s * apart, 0);
    }
    kernels->backward(f, 2, both + above, both, (size_t)apart);
    for (int s = 0; s < 2; s++) {
        CD_CHECK(memcmp(both + s * apart, one + s * apart, sizeof *x * (size_t)p) == 0);
        memcpy(x + s * n, both + s * apart, sizeof *x * (size_t)p);
    }
}

// Several panels of pivots, the last of them short: at every level the bytes of plain elimination, and solutions that
// are the same at all of them.
CD_TEST(pivots_without_symmetry_take_the_same_at_every_level)
{
    const cd_lu_kernels *const kernels[] = {&cd_lu_portable, &cd_lu_avx2, &cd_lu_avx512};
    const int levels = (int)cd_vector_detect(CD_VECTOR_AVX512) + 1;
    cd_random random = {76};
    for (int32_t n = 1; n < 140; n += 1 + n / 9) {
        for (int32_t p = 1; p <= n; p += 1 + p / 3) {
            double *A = CD_ARENA_ARRAY(&arena, double, n *n), *wanted = CD_ARENA_ARRAY(&arena, double, n *n),
                   *b = CD_ARENA_ARRAY(&arena, double, 2 * n), *first = CD_ARENA_ARRAY(&arena, double, 2 * n);
            int32_t *order = CD_ARENA_ARRAY(&arena, int32_t, p);
            for (int32_t k = 0; k < n * n; k++)
                wanted[k] = A[k] = cd_random_between(&random, -1, 1) + (k % (n + 1) == 0 ? 2 : 0);
            for (int32_t i = 0; i < 2 * n; i++)
                b[i] = cd_random_between(&random, -1, 1);
            eliminate_plainly(n, p, wanted, order);
            for (int level = 0; level < levels; level++) {
                const cd_lu_front f = make_front(n, p);
                double *x = CD_ARENA_ARRAY(&arena, double, 2 * n);
                for (int32_t k = 0; k < n * n; k++)
                    *entry_of(&f, k % n, k / n) = A[k];
                cd_lu_front_factor_by(kernels[level], &f, 1);
                for (int32_t k = 0; k < n * n; k++)
                    CD_CHECK(memcmp(entry_of(&f, k % n, k / n), &wanted[k], sizeof *wanted) == 0);
                CD_CHECK(memcmp(f.order, order, sizeof *order * (size_t)p) == 0);
                memcpy(x, b, sizeof *x * (size_t)(2 * n));
                solve_by(kernels[level], &f, x);
                CD_CHECK(level == 0 || memcmp(x, first, sizeof *x * (size_t)(2 * n)) == 0);
                first = x;
            }
            for (int s = 0; s < 2; s++) {
                solve_plainly(n, p, wanted, b + s * n);
                for (int32_t i = 0; i < n; i++)
                    CD_CHECK_NEAR(first[s * n + i], b[s * n + i], 1e-9 * (1 + fabs(b[s * n + i])));
            }
            cd_arena_reset(&arena);
        }
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
            double x[COLUMNS_MOST], same[COLUMNS_MOST], other[COLUMNS_MOST], wanted[COLUMNS_MOST], size = 0;
            for (int32_t i = 0; i < g.groups.columns; i++) {
                x[i] = wanted[i] = same[i] = cd_random_between(&random, -1, 1);
                other[i] = i % 3 - x[i];
            }
            for (int64_t k = 0; k < g.place[contacts]; k++)
                S[k] *= again ? -0.5 : 1;
            cd_gram_lu_factor(lu, g.values, S);
            cd_gram_lu_solve(lu, x);
            cd_gram_lu_solve_two(lu, other, same);
            CD_CHECK(memcmp(x, same, sizeof *x * (size_t)g.groups.columns) == 0);
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
    CD_RUN(pivots_without_symmetry_take_the_same_at_every_level);
    CD_RUN(an_unsymmetric_factor_by_any_number_of_threads_has_the_same_bytes);
    CD_RUN(unsymmetric_sparse_factor_is_the_dense_one);
    CD_RUN(sign_of_the_unsymmetric_factor_is_that_of_its_determinant);
    cd_arena_release(&arena);
    return cd_test_done();
}
