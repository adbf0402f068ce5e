// Matrices in tiles against the sums they stand for, at sizes that end within a tile and at those that do not.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_test.h"
#include "lcp_structure.h"
#include "lcp_tiles.h"

#include <math.h>

enum { ROWS = 41, PADDED = 44, VELOCITIES = 17 };

static cd_arena arena;

// Bunches of entries about the diagonal and some far from it, as of contacts.
static double *matrix(int n, cd_random *random)
{
    double *M = CD_ARENA_ZARRAY(&arena, double, n *n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            if (i == j || i / 5 == j / 5 || (i + j) % 11 == 0)
                M[i * n + j] = M[j * n + i] = i == j ? 2 : cd_random_between(random, -0.1, 0.1);
        }
    }
    return M;
}

static void tiles_are_the_matrix(void)
{
    cd_random random = {3};
    for (int n = 1; n <= ROWS; n++) {
        const double *M = matrix(n, &random);
        double c[PADDED] = {0}, out[PADDED] = {0};
        cd_tiles t;
        CD_CHECK(cd_tiles_of_matrix(M, n, &t, &arena));
        for (int i = 0; i < n; i++)
            c[i] = ldexp(1, i % 7 - 3);
        for (int i = 0; i < n; i++) {
            double most = 0;
            cd_tiles_spread(&t, i, 2, out);
            for (int j = 0; j < n; j++) {
                most = fmax(most, fabs(M[i * n + j]) * c[j]);
                CD_CHECK(cd_tiles_entry(&t, i, j) == M[i * n + j] && out[j] == 2 * M[i * n + j]);
            }
            CD_CHECK(cd_tiles_most(&t, i, c) == most);
            cd_tiles_add_row(&t, i, -2, out);
            for (int j = 0; j < PADDED; j++)
                CD_CHECK(out[j] == 0);
        }
        cd_tiles_scale(&t, c);
        for (int i = 0; i < n * n; i++)
            CD_CHECK(cd_tiles_entry(&t, i / n, i % n) == M[i] * c[i / n] * c[i % n]);
    }
}

static void rows_by_fours(void)
{
    cd_random random = {4};
    for (int n = 4; n <= ROWS; n++) {
        const double *M = matrix(n, &random);
        const int32_t row[] = {n - 1, 0, n / 2, 1};
        double out[4 * PADDED] = {0};
        cd_tiles t;
        CD_CHECK(cd_tiles_of_matrix(M, n, &t, &arena));
        cd_tiles_spread_four(&t, row, 3, out);
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < 4; k++)
                CD_CHECK(out[4 * j + k] == (k < 3 ? M[row[k] * n + j] : 0));
        }
        cd_tiles_forget_four(&t, row, 3, out);
        for (int j = 0; j < 4 * PADDED; j++)
            CD_CHECK(out[j] == 0);
    }
}

// What is not symmetric to the last bit, also where the twin of a tile is missing, and what is not finite.
static void refuses_what_it_is_not(void)
{
    cd_random random = {5};
    for (int n = 2; n <= ROWS; n += 3) {
        double *M = matrix(n, &random);
        cd_tiles t;
        for (int k = 0; k < n; k++) {
            const int i = k, j = (k + n / 2 + 1) % n;
            if (i == j)
                continue;
            const double kept = M[i * n + j];
            M[i * n + j] = nextafter(kept, 1);
            CD_CHECK(!cd_tiles_of_matrix(M, n, &t, &arena));
            M[i * n + j] = kept;
            CD_CHECK(cd_tiles_of_matrix(M, n, &t, &arena));
        }
        M[n * n - 1] = NAN;
        CD_CHECK(!cd_tiles_of_matrix(M, n, &t, &arena));
        M[n * n - 1] = INFINITY;
        CD_CHECK(!cd_tiles_of_matrix(M, n, &t, &arena));
    }
}

static void products(void)
{
    cd_random random = {6};
    for (int n = 1; n <= ROWS; n++) {
        const double *M = matrix(n, &random);
        double y[PADDED] = {0}, w[PADDED] = {0}, added[PADDED] = {0}, size[PADDED] = {0};
        cd_tiles t;
        CD_CHECK(cd_tiles_of_matrix(M, n, &t, &arena));
        for (int i = 0; i < n; i++) {
            y[i] = i % 9 < 5 ? 0 : cd_random_between(&random, -1, 1);
            w[i] = added[i] = i % 2;
        }
        cd_tiles_measure(&t, y, w, size);
        cd_tiles_add(&t, y, added);
        for (int i = 0; i < n; i++) {
            double sum = i % 2, sizes = 0;
            for (int j = 0; j < n; j++) {
                sum += M[i * n + j] * y[j];
                sizes += fabs(M[i * n + j] * y[j]);
            }
            CD_CHECK(fabs(w[i] - sum) < 1e-14 && fabs(added[i] - sum) < 1e-14 && fabs(size[i] - sizes) < 1e-14);
            CD_CHECK(fabs(cd_tiles_dot(&t, i, y) + i % 2 - sum) < 1e-14);
        }
    }
}

// One row after the other, w from the start each time.
static void sweeps(void)
{
    cd_random random = {8};
    for (int n = 1; n <= ROWS; n++) {
        const double *M = matrix(n, &random);
        double y[PADDED] = {0}, w[PADDED] = {0}, step[PADDED] = {0}, next[PADDED] = {0};
        bool is_other = false;
        cd_tiles t;
        CD_CHECK(cd_tiles_of_matrix(M, n, &t, &arena));
        for (int i = 0; i < n; i++) {
            y[i] = next[i] = i % 3 == 0 ? 0 : cd_random_unit(&random);
            step[i] = i % 5 == 4 ? 0 : 0.7;
            w[i] = -(i % 2);
        }
        cd_tiles_add(&t, y, w);
        for (int i = 0; i < n; i++) {
            double value = -(i % 2);
            for (int j = 0; j < n; j++)
                value += M[i * n + j] * next[j];
            const double before = next[i];
            next[i] = fmax(0, before - value * step[i]);
            is_other = is_other || (before > 0) != (next[i] > 0);
        }
        CD_CHECK(cd_tiles_relax(&t, step, y, w) == is_other);
        for (int i = 0; i < n; i++)
            CD_CHECK(fabs(y[i] - next[i]) < 1e-14);
    }
}

// C: some of the other diagonal, where N has nothing too.
static double direct(int n, int i, int j) { return i + j == n - 1 && (i < j ? i : j) % 4 == 1 ? 0.5 : 0; }

// N N' + C of rows, entry by entry.
static void products_of_rows(void)
{
    cd_random random = {10};
    for (int n = 1; n <= ROWS; n++) {
        double full[ROWS][VELOCITIES] = {{0}}, wanted;
        cd_lcp_rows N = {CD_ARENA_ZARRAY(&arena, int32_t, n + 1), CD_ARENA_ARRAY(&arena, int32_t, n * VELOCITIES),
                         CD_ARENA_ARRAY(&arena, double, n *VELOCITIES)},
                    C = {CD_ARENA_ZARRAY(&arena, int32_t, n + 1), CD_ARENA_ARRAY(&arena, int32_t, n),
                         CD_ARENA_ARRAY(&arena, double, n)};
        for (int i = 0; i < n; i++) {
            N.first[i + 1] = N.first[i];
            C.first[i + 1] = C.first[i];
            for (int k = 0; k < VELOCITIES; k++) {
                if ((i / 3 + k) % 6 > 1)
                    continue;
                N.col[N.first[i + 1]] = k;
                N.value[N.first[i + 1]++] = full[i][k] = cd_random_between(&random, -1, 1);
            }
            if (direct(n, i, n - 1 - i) != 0) {
                C.col[C.first[i + 1]] = n - 1 - i;
                C.value[C.first[i + 1]++] = direct(n, i, n - 1 - i);
            }
        }
        const cd_tiles t = cd_tiles_of_gram(&N, &C, n, VELOCITIES, &arena);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                wanted = direct(n, i, j);
                for (int k = 0; k < VELOCITIES; k++)
                    wanted += full[i][k] * full[j][k];
                CD_CHECK(fabs(cd_tiles_entry(&t, i, j) - wanted) < 1e-15);
                CD_CHECK(cd_tiles_entry(&t, i, j) == cd_tiles_entry(&t, j, i));
            }
        }
    }
}

int main(void)
{
    CD_RUN(tiles_are_the_matrix);
    CD_RUN(rows_by_fours);
    CD_RUN(refuses_what_it_is_not);
    CD_RUN(products);
    CD_RUN(sweeps);
    CD_RUN(products_of_rows);
    cd_arena_release(&arena);
    return cd_test_done();
}
