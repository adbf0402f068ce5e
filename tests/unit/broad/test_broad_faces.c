// Sorted faces against a comparison sort: spread evenly, all but equal, over all decades, in clusters beside a face far
// away, with zeros of both signs and infinite ones. The sparsest axis where ranges are extreme.
// SPDX-License-Identifier: MIT
#include "broad_faces.h"
#include "broad_find.h"
#include "cd_random.h"
#include "cd_test.h"

#include "test_polygon_random.h"

#include <float.h>
#include <stdlib.h>

enum { MOST = 3000 };

typedef struct numbered_face {
    double at;
    uint32_t number;
} numbered_face;

static int by_coordinate_and_number(const void *left, const void *right)
{
    const numbered_face *a = left, *b = right;
    return a->at != b->at ? (a->at > b->at) - (a->at < b->at) : (a->number > b->number) - (a->number < b->number);
}

static double even(cd_random *random) { return cd_random_between(random, -1, 1); }
static double all_but_equal(cd_random *random)
{
    double value = 1;
    for (int steps = test_below(random, 200); steps > 0; steps--)
        value = nextafter(value, 2);
    return value;
}
static double any_decade(cd_random *random)
{
    return (test_below(random, 2) ? 1 : -1) * pow(10, cd_random_between(random, -320, 308));
}
static double ends_of_doubles(cd_random *random)
{
    static const double value[] = {-INFINITY, -DBL_MAX, -1, -5e-324, -0.0, 0, 5e-324, 1, DBL_MAX, INFINITY};
    return value[test_below(random, 10)];
}
// One in a thousand so far away that the others are one fixed-point number: in clusters, each of neighbouring doubles.
static double clusters(cd_random *random)
{
    return test_below(random, 1000) ? all_but_equal(random) * (1 << test_below(random, 4)) : 1e200;
}
static double equal(cd_random *random)
{
    (void)random;
    return 0.25;
}

CD_TEST(faces_are_sorted_by_coordinate_then_number)
{
    static double (*const draw[])(cd_random *) = {even, all_but_equal, any_decade, ends_of_doubles, clusters, equal};
    static double min[3 * MOST], max[3 * MOST];
    static numbered_face expected[2 * MOST];
    cd_random random = {31};
    cd_arena arena = {0};
    for (int round = 0; round < 120; round++) {
        int32_t count = round % 4 == 3 ? MOST : test_below(&random, 200);
        int dim = 2 + test_below(&random, 2), axis = test_below(&random, dim);
        for (int32_t i = 0; i < dim * count; i++) {
            double one = draw[round % 6](&random), other = draw[round % 6](&random);
            min[i] = one < other ? one : other;
            max[i] = one < other ? other : one;
            // No box is empty: not both faces at the same infinity.
            if (isinf(min[i]) && min[i] == max[i])
                min[i] = max[i] = 0;
        }
        cd_broad_input input = {dim, count, min, max, NULL, NULL, NULL, {0}};
        cd_broad_statistics statistics = cd_broad_measure(&input, 1);
        cd_broad_run run = {.input = &input, .statistics = &statistics, .arena = &arena};
        for (int sides = 1; sides <= 2; sides++) {
            for (int32_t i = 0; i < count; i++) {
                expected[i] = (numbered_face){min[dim * i + axis], (uint32_t)i};
                expected[count + i] = (numbered_face){max[dim * i + axis], (uint32_t)(count + i)};
            }
            qsort(expected, (size_t)(sides * count), sizeof *expected, by_coordinate_and_number);
            const uint32_t *sorted = cd_broad_sort_faces(&run, axis, (int64_t)sides * count);
            int wrong = 0;
            for (int32_t k = 0; k < sides * count; k++)
                wrong += sorted[k] != expected[k].number;
            if (wrong)
                printf("# draw %d, %d boxes, %d sides: %d wrong\n", round % 6, count, sides, wrong);
            CD_CHECK(wrong == 0);
        }
        cd_arena_reset(&arena);
    }
    cd_arena_release(&arena);
}

CD_TEST(the_sparsest_axis_has_most_extents_in_its_range)
{
    cd_broad_statistics s = {{0, 0, 0}, {10, 10, 10}, {1, 0.5, 2}, {1, 1, 2}, 0};
    CD_CHECK(cd_broad_sparsest_axis(&s, 3) == 1);
    s.high[0] = 30;
    CD_CHECK(cd_broad_sparsest_axis(&s, 3) == 0);
    CD_CHECK(cd_broad_sparsest_axis(&(cd_broad_statistics){{0}, {0}, {0}, {0}, 0}, 2) == 0);
    // A range that overflows as a double.
    s.low[2] = -DBL_MAX;
    s.high[2] = DBL_MAX;
    CD_CHECK(cd_broad_sparsest_axis(&s, 3) == 2);
}

int main(void)
{
    CD_RUN(faces_are_sorted_by_coordinate_then_number);
    CD_RUN(the_sparsest_axis_has_most_extents_in_its_range);
    return cd_test_done();
}
