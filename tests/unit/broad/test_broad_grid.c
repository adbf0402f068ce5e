// The broad-phase method `grid` beyond what test_broad.c reaches: tens of thousands of boxes, so that rows are long,
// windows take several steps, classes meet one another and crowds are split off. Every vector level, one thread and
// two, against the pairs of `sweep`.
// SPDX-License-Identifier: MIT
#include "broad_find.h"
#include "broad_grid.h"
#include "cd_random.h"
#include "cd_test.h"
#include "cd_threads.h"

#include <float.h>

typedef struct boxes {
    int dim;
    int32_t count;
    double *min, *max;
    double cell;   // [m] as the option --cell
    double *ball;  // dim + 1 a box; NULL: none
} boxes;

static boxes new_boxes(int dim, int32_t count)
{
    size_t bytes = (size_t)count * (size_t)dim * sizeof(double);
    return (boxes){dim, count, cd_alloc(bytes), cd_alloc(bytes), NAN, NULL};
}

static void free_boxes(boxes *b)
{
    cd_free(b->min);
    cd_free(b->max);
    cd_free(b->ball);
}

static void set_box(boxes *b, int32_t i, const double *centre, const double *half)
{
    for (int k = 0; k < b->dim; k++) {
        b->min[b->dim * i + k] = centre[k] - half[k];
        b->max[b->dim * i + k] = centre[k] + half[k];
    }
}

static cd_broad_result find_pairs(const boxes *b, const char *method, cd_broad_tuning tuning, cd_arena *arena)
{
    cd_diag diag;
    cd_broad_input input = {b->dim, b->count, b->min, b->max, NULL, NULL, b->ball, {0}};
    cd_broad_engine *engine = cd_broad_engine_new(tuning, INT32_MAX);
    cd_broad_result result = {0};
    CD_CHECK(cd_broad_find(engine, cd_broad_method_find(method), &input, arena, &result, NULL, &diag) == CD_OK);
    cd_broad_engine_free(engine);
    return result;
}

// How the method divides the boxes.
typedef struct division {
    int classes, splits, most_rows;  // most_rows: of one class along one axis
} division;

static division divide(const boxes *b)
{
    cd_arena arena = {0};
    cd_broad_input input = {b->dim, b->count, b->min, b->max, NULL, NULL, b->ball, {0}};
    cd_broad_statistics statistics = cd_broad_measure(&input, 1);
    cd_broad_run run = {&input, &statistics, {1, CD_VECTOR_PORTABLE, b->cell, 0}, &arena, NULL, NULL};
    grid_job job = cd_grid_prepare(&run);
    division result = {job.classes, job.splits, 1};
    for (int c = 0; c < job.classes; c++)
        for (int k = 1; k < 3; k++)
            result.most_rows = job.class[c].rows[k] > result.most_rows ? job.class[c].rows[k] : result.most_rows;
    cd_arena_release(&arena);
    return result;
}

static void check_boxes(const boxes *b, int32_t least_pairs)
{
    cd_arena arena = {0};
    cd_vector_level widest = cd_vector_detect(CD_VECTOR_AVX512);
    cd_broad_result expected = find_pairs(b, "sweep", (cd_broad_tuning){1, widest, NAN, 0}, &arena);
    CD_CHECK(expected.count >= least_pairs);
    for (int run = 0; run <= (int)widest + 1; run++) {
        cd_vector_level level = run <= (int)widest ? (cd_vector_level)run : widest;
        int threads = run <= (int)widest ? 1 : 2;
        (void)cd_threads_take_most();
        cd_broad_result found = find_pairs(b, "grid", (cd_broad_tuning){threads, level, b->cell, 0}, &arena);
        CD_CHECK(found.count == expected.count);
        CD_CHECK(cd_threads_take_most() == threads);
        CD_CHECK(!memcmp(found.first, expected.first, ((size_t)b->count + 1) * sizeof *found.first));
        CD_CHECK(!memcmp(found.other, expected.other, (size_t)expected.count * sizeof *found.other));
    }
    cd_arena_release(&arena);
}

// Centres on a cube, of `clumps` clumps when that is not 0; sizes from `least` to `most`, evenly in their logarithm.
static division check_cloud(int dim, int32_t count, double least, double most, int clumps, double clump_size,
                            uint64_t seed)
{
    cd_random random = {seed};
    boxes b = new_boxes(dim, count);
    for (int32_t i = 0; i < count; i++) {
        double centre[3], half[3], size = least * pow(most / least, cd_random_unit(&random));
        cd_random clump = {clumps ? 1 + (uint64_t)(i % clumps) : 0};
        for (int k = 0; k < 3; k++) {
            double place = cd_random_between(&random, -1, 1);
            centre[k] = clumps && i % 8 ? cd_random_between(&clump, -1, 1) + clump_size * place : place;
            half[k] = size / 2;
        }
        set_box(&b, i, centre, half);
    }
    check_boxes(&b, 1000);
    division result = divide(&b);
    free_boxes(&b);
    return result;
}

CD_TEST(boxes_of_like_size)
{
    division cubes = check_cloud(3, 20000, 0.06, 0.06, 0, 0, 1);
    CD_CHECK(cubes.classes == 1 && cubes.splits == 0 && cubes.most_rows > 1);
    check_cloud(3, 20000, 0.03, 0.1, 0, 0, 2);
    check_cloud(2, 20000, 0.01, 0.02, 0, 0, 3);
}

CD_TEST(boxes_of_all_sizes)
{
    division cubes = check_cloud(3, 20000, 1e-6, 1, 0, 0, 4);
    CD_CHECK(cubes.classes > 1);
    check_cloud(2, 10000, 1e-5, 0.5, 0, 0, 5);
}

// Seven in eight boxes lie in clumps a ten-thousandth as wide as the scene.
CD_TEST(crowds)
{
    division one = check_cloud(3, 20000, 1e-5, 2e-5, 1, 1e-4, 6), many = check_cloud(3, 20000, 1e-5, 2e-5, 10, 1e-4, 7),
             plane = check_cloud(2, 20000, 1e-6, 2e-6, 1, 1e-4, 8);
    CD_CHECK(one.splits >= 1 && one.classes > 1);
    CD_CHECK(many.splits >= 1 && many.classes > 1);
    CD_CHECK(plane.splits >= 1 && plane.classes > 1);
}

// Rods along each of the axes: classes that are large along one axis and small along another.
CD_TEST(rods)
{
    enum { COUNT = 20000 };
    cd_random random = {9};
    boxes b = new_boxes(3, COUNT);
    for (int32_t i = 0; i < COUNT; i++) {
        double centre[3], half[3] = {0.002, 0.002, 0.002};
        half[i % 3] = 0.1;
        for (int k = 0; k < 3; k++)
            centre[k] = cd_random_between(&random, -1, 1);
        set_box(&b, i, centre, half);
    }
    check_boxes(&b, 1000);
    free_boxes(&b);
}

// Two plates at the ends of all rows: vectors that begin in one of them end in the other, where differences saturate.
CD_TEST(plates_apart)
{
    enum { COUNT = 20000 };
    cd_random random = {11};
    boxes b = new_boxes(3, COUNT);
    for (int32_t i = 0; i < COUNT; i++) {
        double y = cd_random_between(&random, -2, 2), z = cd_random_between(&random, -2, 2);
        set_box(&b, i, (double[]){i % 2 + 0.01 * cd_random_unit(&random), y, z}, (double[]){0.02, 0.02, 0.02});
    }
    check_boxes(&b, 1000);
    free_boxes(&b);
}

// More boxes in one row than 16 bits count, all with the same faces across it, one of them as long as the row and one
// that is infinite.
CD_TEST(a_long_row)
{
    enum { COUNT = 100000 };
    cd_random random = {10};
    boxes b = new_boxes(3, COUNT);
    for (int32_t i = 0; i < COUNT; i++)
        set_box(&b, i, (double[]){cd_random_between(&random, 0, COUNT), 7, -3}, (double[]){1, 0.5, 0.5});
    set_box(&b, 5, (double[]){COUNT / 2, 7, -3}, (double[]){COUNT / 2, 0.5, 0.5});
    b.min[3 * 77] = -INFINITY;
    b.max[3 * 77] = INFINITY;
    check_boxes(&b, COUNT);
    free_boxes(&b);
}

// A range wider than any double: differences of faces overflow. Boxes of one class across the whole of it, with cells
// asked for, and of many sizes; the same at a quarter of the size, where nothing overflows and there are many rows.
CD_TEST(coordinates_up_to_the_largest_double)
{
    enum { COUNT = 8000 };
    for (int scene = 0; scene < 4; scene++) {
        cd_random random = {12};
        double size = scene % 2 ? 0.25 : 1;
        boxes b = new_boxes(3, COUNT);
        b.cell = scene < 2 ? size * 1e307 : NAN;
        for (int32_t i = 0; i < COUNT; i++)
            for (int k = 0; k < 3; k++) {
                double most = scene < 2 ? 2e307 : 1e308, least = scene < 2 ? 0.5 : 1e-3;
                double extent = size * most * pow(least, cd_random_unit(&random));
                b.min[3 * i + k] = cd_random_between(&random, -1.7, 1.7 - extent / (size * 1e308)) * size * 1e308;
                b.max[3 * i + k] = b.min[3 * i + k] + extent;
            }
        check_boxes(&b, 1000);
        if (scene == 1)
            CD_CHECK(divide(&b).most_rows > 3);
        free_boxes(&b);
    }
}

// Along the rows, faces farther than DBL_MAX from the low end are one point. Many short boxes reach over that border;
// long ones that begin behind it look for them in the grid of their class.
CD_TEST(classes_over_a_range_wider_than_any_double)
{
    enum { COUNT = 8000 };
    const double low = -1.7e308, border = low + 1.797e308, length = 1e306;
    cd_random random = {13};
    boxes b = new_boxes(3, COUNT);
    for (int32_t i = 0; i < COUNT; i++) {
        double place = length * cd_random_unit(&random);
        bool is_long = i % 8 == 0;
        double anywhere = cd_random_between(&random, -1.7, 1.69) * 1e308;
        b.min[3 * i] = is_long ? border + place : i % 2 ? border - place : anywhere;
        b.max[3 * i] = b.min[3 * i] + (is_long ? 40 * length : length);
        for (int k = 1; k < 3; k++) {
            b.min[3 * i + k] = cd_random_unit(&random);
            b.max[3 * i + k] = b.min[3 * i + k] + (is_long ? 0.02 : 0.005);
        }
    }
    b.min[3 * 2] = low;
    b.max[3 * 2] = low + length;
    check_boxes(&b, 1000);
    CD_CHECK(divide(&b).classes > 1);
    free_boxes(&b);
}

// The limit is reached anywhere in the scan, with pairs that are not wanted among those found: the run fails exactly
// when more pairs than the limit are wanted.
CD_TEST(limits_of_pairs)
{
    enum { COUNT = 20000 };
    static uint8_t class[COUNT];
    cd_random random = {14};
    boxes b = new_boxes(3, COUNT);
    for (int32_t i = 0; i < COUNT; i++) {
        double centre[3], half = i % 9 ? 0.04 : 0.2;
        for (int k = 0; k < 3; k++)
            centre[k] = cd_random_between(&random, -1, 1);
        set_box(&b, i, centre, (double[]){half, half, half});
        class[i] = (uint8_t)(CD_BROAD_UNGROUPED | (i % 3 ? 0 : CD_BROAD_DYNAMIC));
    }
    CD_CHECK(divide(&b).classes > 1);
    cd_broad_input input = {3, COUNT, b.min, b.max, NULL, class, NULL, {0}};
    cd_arena arena = {0};
    cd_diag diag;
    int64_t wanted = 0;
    for (int run = 0; run < 24; run++) {
        // First without a limit, then at some thousandths of the pairs, then just below and at their number.
        int64_t limit = run == 0 ? INT32_MAX : run < 22 ? wanted * run * run / 500 : wanted - (run == 22);
        cd_broad_tuning tuning = {1 + run % 2, cd_vector_detect((cd_vector_level)(run / 2 % 3)), NAN, 0};
        cd_broad_engine *engine = cd_broad_engine_new(tuning, limit);
        cd_broad_result result = {0};
        cd_status status = cd_broad_find(engine, cd_broad_method_find("grid"), &input, &arena, &result, NULL, &diag);
        CD_CHECK(status == (run && limit < wanted ? CD_ERR_LIMIT : CD_OK));
        wanted = run == 0 ? result.count : wanted;
        CD_CHECK(status != CD_OK || result.count == wanted);
        cd_broad_engine_free(engine);
        cd_arena_reset(&arena);
    }
    CD_CHECK(wanted > 10000);
    cd_arena_release(&arena);
    free_boxes(&b);
}

// ---- balls within their boxes --------------------------------------------------------------------------------------

// Spheres of radii from `least` to 1 on a lattice of spacing 2, with some of it left out, moved by up to `jitter` along
// each axis; one in `loose`, if that is not 0, has a ball that pokes out of its box, or lies beside the middle of it.
static void make_spheres(boxes *b, double least, double jitter, double offset, int32_t loose, cd_random *random)
{
    int32_t side = b->dim == 2 ? 100 : 24;
    b->ball = cd_alloc((size_t)b->count * (size_t)(b->dim + 1) * sizeof(double));
    for (int32_t i = 0; i < b->count; i++) {
        double centre[3], half[3], radius = cd_random_between(random, least, 1);
        const int32_t cell[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < b->dim; k++) {
            centre[k] = offset + 2 * cell[k] + cd_random_between(random, -jitter, jitter);
            half[k] = radius;
        }
        set_box(b, i, centre, half);
        double *ball = b->ball + (b->dim + 1) * i;
        for (int k = 0; k < b->dim; k++)
            ball[k] = b->min[b->dim * i + k] / 2 + b->max[b->dim * i + k] / 2;
        ball[b->dim] = radius * (1 + 8 * DBL_EPSILON);
        if (loose && i % loose == loose / 2)
            ball[i % 2 ? 0 : b->dim] *= 1.5;
    }
}

static void check_spheres(boxes b, double least, double jitter, double offset, int32_t loose)
{
    cd_random random = {13};
    make_spheres(&b, least, jitter, offset, loose, &random);
    check_boxes(&b, 1000);
    cd_arena arena = {0};
    cd_broad_input input = {b.dim, b.count, b.min, b.max, NULL, NULL, b.ball, {0}};
    cd_broad_statistics statistics = cd_broad_measure(&input, 1);
    cd_vector_level widest = cd_vector_detect(CD_VECTOR_AVX512);
    cd_broad_run run = {&input, &statistics, {1, widest, NAN, 0}, &arena, NULL, NULL};
    CD_CHECK(cd_grid_prepare(&run).is_snug == (widest >= CD_VECTOR_AVX2));
    cd_arena_release(&arena);
    free_boxes(&b);
}

CD_TEST(balls_within_their_boxes)
{
    check_spheres(new_boxes(3, 20000), 1, 0, 0, 0);  // all touch their neighbours
    check_spheres(new_boxes(3, 20000), 1, 0.3, 0, 0);
    check_spheres(new_boxes(3, 20000), 1, 2e-4, 7, 0);  // near what the lattice tells
    check_spheres(new_boxes(3, 20000), 0.6, 0.5, 0, 0);
    check_spheres(new_boxes(3, 20000), 1, 0.3, 1e9, 0);
    check_spheres(new_boxes(3, 20000), 1, 1e-6, 1e9, 0);
    check_spheres(new_boxes(2, 20000), 1, 0.3, -50, 0);
    check_spheres(new_boxes(3, 20000), 1, 0.5, 0, 4999);
}

int main(void)
{
    CD_RUN(boxes_of_like_size);
    CD_RUN(boxes_of_all_sizes);
    CD_RUN(crowds);
    CD_RUN(rods);
    CD_RUN(plates_apart);
    CD_RUN(a_long_row);
    CD_RUN(coordinates_up_to_the_largest_double);
    CD_RUN(classes_over_a_range_wider_than_any_double);
    CD_RUN(limits_of_pairs);
    CD_RUN(balls_within_their_boxes);
    return cd_test_done();
}
