// The factor of a changing list of rows: what is left when several go at once.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_test.h"
#include "lcp_factor.h"

#include <math.h>

enum { ROWS = 45, COLUMNS = 60 };

static cd_arena arena;
static double S[ROWS * ROWS];

static void fill(cd_random *random)
{
    static double N[ROWS * COLUMNS];
    for (int k = 0; k < ROWS * COLUMNS; k++)
        N[k] = cd_random_between(random, -1, 1);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < ROWS; j++) {
            double sum = 0;
            for (int k = 0; k < COLUMNS; k++)
                sum += N[i * COLUMNS + k] * N[j * COLUMNS + k];
            S[i * ROWS + j] = sum;
        }
    }
}

static cd_factor factor_of(int32_t rows)
{
    cd_factor f = cd_factor_start(rows, ROWS, &arena);
    double v[ROWS];
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t p = 0; p < i; p++)
            v[p] = S[i * ROWS + p];
        cd_factor_append(&f, i, v, cd_factor_forward(&f, S[i * ROWS + i], v));
    }
    return f;
}

// Largest difference between R'R and S of the rows in the list.
static double off_by(const cd_factor *f)
{
    double worst = 0;
    for (int32_t p = 0; p < f->count; p++) {
        for (int32_t q = 0; q <= p; q++) {
            double sum = -S[f->list[p] * ROWS + f->list[q]];
            for (int32_t k = 0; k <= q; k++)
                sum += f->r[k * f->capacity + p] * f->r[k * f->capacity + q];
            worst = fmax(worst, fabs(sum));
        }
    }
    return worst;
}

static void several_go_as_one_by_one(void)
{
    cd_random random = {11};
    for (int turn = 0; turn < 200; turn++) {
        const int32_t rows = 1 + turn % ROWS;
        int32_t place[ROWS], count = 0, list[ROWS], kept = 0;
        fill(&random);
        cd_factor together = factor_of(rows), alone = factor_of(rows);
        const double share = cd_random_between(&random, 0, 1);
        for (int32_t p = 0; p < rows; p++) {
            if (cd_random_between(&random, 0, 1) < share)
                place[count++] = p;
            else
                list[kept++] = p;
        }
        cd_factor_drop(&together, place, count);
        for (int32_t k = count - 1; k >= 0; k--)
            cd_factor_drop(&alone, &place[k], 1);
        CD_CHECK(together.count == kept && alone.count == kept);
        CD_CHECK(memcmp(together.list, list, sizeof *list * (size_t)kept) == 0);
        CD_CHECK(off_by(&together) < 1e-12);
        for (int32_t p = 0; p < kept; p++)
            CD_CHECK(memcmp(together.r + p * together.capacity + p, alone.r + p * alone.capacity + p,
                            sizeof(double) * (size_t)(kept - p)) == 0);
    }
}

int main(void)
{
    CD_RUN(several_go_as_one_by_one);
    cd_arena_release(&arena);
    return cd_test_done();
}
