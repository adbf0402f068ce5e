// Products of cone_product.h against plain sums: groups of any width and height, with bodies' columns side by side at
// any place or not, the last group at the very end of its arrays.
// SPDX-License-Identifier: MIT
#include "cone_product.h"

#include "cd_random.h"
#include "cd_test.h"

#include <math.h>
#include <string.h>

enum { GROUPS = 40, WIDTH_MOST = 20, HEIGHT_MOST = 9, COLUMNS = 70 };

static cd_random source = {5};
static cd_arena arena;

static double any(void) { return cd_random_between(&source, -1, 1); }

static int32_t up_to(int32_t most) { return 1 + (int32_t)(cd_random_unit(&source) * most) % most; }

// Ascending columns: runs of six, as bodies have them, or any.
static int32_t pick_columns(int32_t width, bool in_runs, int32_t *col)
{
    int32_t count = 0;
    for (int32_t c = (int32_t)(cd_random_unit(&source) * 4); c < COLUMNS && count < width; c++) {
        if (in_runs && count % 6 == 0)
            c += (int32_t)(cd_random_unit(&source) * 3);
        else if (!in_runs && cd_random_unit(&source) < 0.5)
            continue;
        if (c < COLUMNS)
            col[count++] = c;
    }
    return count;
}

typedef struct sample {
    cd_gram_groups g;
    double *A;
    int32_t rows;
} sample;

static sample make_sample(void)
{
    int32_t *first = CD_ARENA_ZARRAY(&arena, int32_t, GROUPS + 1), *height = CD_ARENA_ZARRAY(&arena, int32_t, GROUPS);
    int64_t *place = CD_ARENA_ZARRAY(&arena, int64_t, GROUPS + 1);
    int32_t picked[GROUPS * WIDTH_MOST];
    sample out = {0};
    for (int32_t k = 0; k < GROUPS; k++) {
        const int32_t width = k % 3 == 0 ? 12 : k % 3 == 1 ? 6 : up_to(WIDTH_MOST);
        const int32_t count = pick_columns(width, k % 3 < 2, picked + first[k]);
        first[k + 1] = first[k] + count;
        height[k] = up_to(HEIGHT_MOST);
        place[k + 1] = place[k] + (int64_t)height[k] * cd_gram_stride(count);
        out.rows += height[k];
    }
    int32_t *col = CD_ARENA_ARRAY(&arena, int32_t, first[GROUPS]);
    memcpy(col, picked, sizeof *col * (size_t)first[GROUPS]);
    out.A = CD_ARENA_ZARRAY(&arena, double, (size_t)place[GROUPS]);
    for (int32_t k = 0; k < GROUPS; k++) {
        const int32_t width = first[k + 1] - first[k];
        for (int32_t r = 0; r < height[k]; r++) {
            for (int32_t i = 0; i < width; i++)
                out.A[place[k] + r * cd_gram_stride(width) + i] = any();
        }
    }
    out.g = (cd_gram_groups){
        .columns = COLUMNS, .count = GROUPS, .first = first, .col = col, .height = height, .place = place};
    return out;
}

// A u or A'x, or with magnitudes |A|'|x|, sum by sum.
static void plain(const sample *s, const double *x, bool is_transposed, bool of_magnitudes, double *out)
{
    const cd_gram_groups *g = &s->g;
    memset(out, 0, sizeof *out * (size_t)(is_transposed ? COLUMNS : s->rows));
    for (int32_t k = 0, row = 0; k < GROUPS; k++) {
        const int32_t width = g->first[k + 1] - g->first[k];
        for (int32_t r = 0; r < g->height[k]; r++, row++) {
            for (int32_t i = 0; i < width; i++) {
                const int32_t column = g->col[g->first[k] + i];
                const double a = s->A[g->place[k] + r * cd_gram_stride(width) + i],
                             term = a * x[is_transposed ? row : column];
                out[is_transposed ? column : row] += of_magnitudes ? fabs(term) : term;
            }
        }
    }
}

static void check_near(const double *got, const double *wanted, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        CD_CHECK_NEAR(got[i], wanted[i], 1e-13);
}

CD_TEST(products_are_those_of_plain_sums)
{
    for (int again = 0; again < 200; again++) {
        const sample s = make_sample();
        const size_t rows = (size_t)s.rows;
        double *u = CD_ARENA_ARRAY(&arena, double, COLUMNS), *x = CD_ARENA_ARRAY(&arena, double, rows),
               *of_rows = CD_ARENA_ARRAY(&arena, double, rows), *same_rows = CD_ARENA_ARRAY(&arena, double, rows),
               *other_rows = CD_ARENA_ARRAY(&arena, double, rows),
               *wanted = CD_ARENA_ARRAY(&arena, double, rows + COLUMNS);
        double of_columns[COLUMNS], same_columns[COLUMNS], other_columns[COLUMNS];
        for (int32_t i = 0; i < COLUMNS; i++)
            u[i] = any();
        for (size_t r = 0; r < rows; r++)
            x[r] = any();
        plain(&s, u, false, false, wanted);
        cd_cone_values(&s.g, s.A, u, of_rows);
        check_near(of_rows, wanted, s.rows);
        plain(&s, x, true, false, wanted);
        cd_cone_transposed(&s.g, s.A, x, of_columns);
        check_near(of_columns, wanted, COLUMNS);
        plain(&s, x, true, true, wanted);
        cd_cone_magnitudes(&s.g, s.A, x, other_columns);
        check_near(other_columns, wanted, COLUMNS);
        cd_cone_values_two(&s.g, s.A, (const double *const[]){u, u}, (double *const[]){other_rows, same_rows});
        CD_CHECK(memcmp(other_rows, of_rows, sizeof *u * rows) == 0);
        CD_CHECK(memcmp(same_rows, of_rows, sizeof *u * rows) == 0);
        cd_cone_transposed_two(&s.g, s.A, (const double *const[]){x, x},
                               (double *const[]){other_columns, same_columns});
        CD_CHECK(memcmp(other_columns, of_columns, sizeof of_columns) == 0);
        CD_CHECK(memcmp(same_columns, of_columns, sizeof of_columns) == 0);
        cd_arena_reset(&arena);
    }
}

int main(void)
{
    CD_RUN(products_are_those_of_plain_sums);
    cd_arena_release(&arena);
    return cd_test_done();
}
