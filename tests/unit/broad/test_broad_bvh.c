// The method `bvh` where test_broad is too small for it: many kinds of boxes, classes of them, several levels of the
// tree, long runs of equal keys, lengths that floats cannot hold; each against `sweep`, at all vector levels, with one
// thread and with three.
// SPDX-License-Identifier: MIT
#include "broad_bvh.h"
#include "broad_find.h"
#include "cd_random.h"
#include "cd_test.h"
#include "cd_threads.h"

enum { MOST = 70000 };

typedef struct boxes {
    int dim;
    int32_t count;
    double min[3 * MOST], max[3 * MOST];
    uint8_t class[MOST];
    bool has_classes;
} boxes;

static void put(boxes *b, int32_t i, const double centre[3], const double half[3])
{
    for (int k = 0; k < b->dim; k++) {
        b->min[b->dim * i + k] = centre[k] - half[k];
        b->max[b->dim * i + k] = centre[k] + half[k];
    }
}

static cd_broad_result found(const boxes *b, const char *method, int threads, cd_vector_level level, cd_arena *arena)
{
    cd_diag diag;
    cd_broad_result result = {0};
    cd_broad_input input = {b->dim, b->count, b->min, b->max, NULL, b->has_classes ? b->class : NULL, NULL, {0}};
    cd_broad_engine *engine = cd_broad_engine_new((cd_broad_tuning){threads, level, NAN, 0}, INT32_MAX);
    CD_CHECK(cd_broad_find(engine, cd_broad_method_find(method), &input, arena, &result, NULL, &diag) == CD_OK);
    cd_broad_engine_free(engine);
    return result;
}

static bool is_same(cd_broad_result a, cd_broad_result b, int32_t items)
{
    return a.count == b.count && !memcmp(a.first, b.first, ((size_t)items + 1) * sizeof *a.first) &&
           !memcmp(a.other, b.other, (size_t)a.count * sizeof *a.other);
}

static void check(const boxes *b, int32_t least_pairs)
{
    cd_arena arena = {0};
    cd_broad_result expected = found(b, "sweep", 1, CD_VECTOR_PORTABLE, &arena);
    CD_CHECK(expected.count >= least_pairs);
    int widest = (int)cd_vector_detect(CD_VECTOR_AVX512);
    for (int level = 0; level <= widest; level++)
        CD_CHECK(is_same(found(b, "bvh", 1, (cd_vector_level)level, &arena), expected, b->count));
    (void)cd_threads_take_most();
    CD_CHECK(is_same(found(b, "bvh", 3, (cd_vector_level)widest, &arena), expected, b->count));
    CD_CHECK(cd_threads_take_most() >= 2);
    cd_arena_release(&arena);
}

// Do floats of the faces tell the boxes apart, or does the method go on to their ranks?
static bool floats_are_enough(const boxes *b, int threads)
{
    enum { MOST_THREADS = 3 };
    cd_arena arena = {0};
    cd_broad_input input = {b->dim, b->count, b->min, b->max, NULL, b->has_classes ? b->class : NULL, NULL, {0}};
    cd_broad_statistics statistics = cd_broad_measure(&input, 1);
    cd_broad_pairs pairs[MOST_THREADS];
    for (int t = 0; t < threads; t++)
        pairs[t] = (cd_broad_pairs){.input = &input, .limit = INT32_MAX - 1};
    cd_broad_tuning tuning = {threads, cd_vector_detect(CD_VECTOR_AVX512), NAN, 0};
    cd_broad_run run = {&input, &statistics, tuning, &arena, pairs, NULL};
    bool are_enough = cd_bvh_search(&run, NULL, true);
    for (int t = 0; t < threads; t++)
        cd_region_release(&(cd_region){pairs[t].item, pairs[t].bytes});
    cd_arena_release(&arena);
    return are_enough;
}

static boxes scene;

// Each extent for itself over six decades: more kinds than are merged one by one.
CD_TEST(boxes_of_all_shapes)
{
    cd_random random = {31};
    for (scene.dim = 2; scene.dim <= 3; scene.dim++) {
        scene.count = 20000;
        scene.has_classes = scene.dim == 2;
        for (int32_t i = 0; i < scene.count; i++) {
            double centre[3], half[3];
            for (int k = 0; k < 3; k++) {
                centre[k] = cd_random_between(&random, 100, 101);
                half[k] = (scene.dim == 2 ? 0.05 : 0.2) * pow(10, -6 * cd_random_unit(&random));
            }
            put(&scene, i, centre, half);
            scene.class[i] = (uint8_t)(CD_BROAD_UNGROUPED | (i % 3 == 0 ? CD_BROAD_DYNAMIC : 0));
        }
        check(&scene, 2000);
    }
}

// Rods along the axes and cubes: one class would make blocks as long as rods in all directions.
CD_TEST(rods_and_cubes_are_classes)
{
    cd_random random = {35};
    scene = (boxes){.dim = 3, .count = 20000};
    for (int32_t i = 0; i < scene.count; i++) {
        double centre[3], half[3];
        for (int k = 0; k < 3; k++) {
            centre[k] = cd_random_unit(&random);
            half[k] = i % 4 == 3 ? 0.01 : i % 4 == k ? 0.3 : 0.0005;
        }
        put(&scene, i, centre, half);
    }
    check(&scene, 10000);
    cd_arena arena = {0};
    cd_broad_input input = {3, scene.count, scene.min, scene.max, NULL, NULL, NULL, {0}};
    cd_broad_statistics statistics = cd_broad_measure(&input, 1);
    cd_broad_run run = {.input = &input, .statistics = &statistics, .arena = &arena};
    cd_bvh_frame frame = cd_bvh_frame_of(&run, NULL);
    cd_bvh_classes classes = cd_bvh_classify(&run, &frame);
    CD_CHECK(classes.count == 4);
    cd_arena_release(&arena);
}

// Boxes of one size on a plane, 5 levels of the tree, and nothing along the third axis.
CD_TEST(a_plane_of_70000_boxes)
{
    cd_random random = {32};
    scene = (boxes){.dim = 3, .count = MOST};
    for (int32_t i = 0; i < scene.count; i++)
        put(&scene, i, (double[]){cd_random_between(&random, 0, 1000), cd_random_between(&random, 0, 10), 7},
            (double[]){0.2, 0.2, 0});
    check(&scene, 50000);
}

// Nearly all boxes in a part of the scene that is one cell of the curve, and one of a float's units.
CD_TEST(a_crowd_far_from_a_few)
{
    cd_random random = {33};
    scene = (boxes){.dim = 3, .count = 20000};
    for (int32_t i = 0; i < scene.count; i++) {
        double centre[3], half[3] = {1e-12, 1e-12, 1e-12};
        for (int k = 0; k < 3; k++)
            centre[k] = i % 5 == 0 ? cd_random_between(&random, -1, 1) : 0.5 + cd_random_between(&random, 0, 4e-11);
        put(&scene, i, centre, half);
    }
    check(&scene, 10000);
}

// Lengths from 1 to 2^-900: no order of cells separates them, their ranks do.
CD_TEST(lengths_over_900_octaves)
{
    cd_random random = {34};
    scene = (boxes){.dim = 3, .count = 20000};
    for (int32_t i = 0; i < scene.count; i++) {
        double centre[3], scale = pow(2, -900 * cd_random_unit(&random)),
                          half[3] = {0.4 * scale, 0.4 * scale, 0.4 * scale};
        for (int k = 0; k < 3; k++)
            centre[k] = scale * cd_random_between(&random, 1, 4);
        put(&scene, i, centre, half);
    }
    check(&scene, 1000);
    CD_CHECK(!floats_are_enough(&scene, 1) && !floats_are_enough(&scene, 3));
    // In a plane, with pairs that are not wanted.
    static boxes flat;
    flat = (boxes){.dim = 2, .count = scene.count, .has_classes = true};
    for (int32_t i = 0; i < scene.count; i++) {
        memcpy(flat.min + 2 * i, scene.min + 3 * i, 2 * sizeof *flat.min);
        memcpy(flat.max + 2 * i, scene.max + 3 * i, 2 * sizeof *flat.max);
        flat.class[i] = (uint8_t)(CD_BROAD_UNGROUPED | (i % 16 == 0 ? CD_BROAD_DYNAMIC : 0));
    }
    check(&flat, 1000);
    CD_CHECK(!floats_are_enough(&flat, 1));
}

// All boxes overlap and no pair is wanted: the comparisons have found something, though nothing is left of it.
CD_TEST(overlaps_that_are_not_wanted)
{
    cd_random random = {36};
    scene = (boxes){.dim = 3, .count = 10000, .has_classes = true};
    for (int32_t i = 0; i < scene.count; i++) {
        double centre[3], half[3] = {1, 1, 1};
        for (int k = 0; k < 3; k++)
            centre[k] = cd_random_unit(&random);
        put(&scene, i, centre, half);
        scene.class[i] = CD_BROAD_UNGROUPED;
    }
    CD_CHECK(floats_are_enough(&scene, 1));
    cd_arena arena = {0};
    CD_CHECK(found(&scene, "bvh", 1, cd_vector_detect(CD_VECTOR_AVX512), &arena).count == 0);
    cd_arena_release(&arena);
}

CD_TEST(ranks_keep_the_order_of_faces)
{
    static const double face[8] = {-INFINITY, -1, -0.0, 0, 4e-324, 1, 1e300, INFINITY};
    double min[21], max[21];
    int32_t count = 0;
    for (int i = 0; i < 7; i++)
        for (int j = i < 1 ? 1 : i; j < 8 && count < 21; j += 3) {
            min[count] = face[i];
            max[count++] = face[j];
        }
    cd_arena arena = {0};
    cd_broad_input input = {1, count, min, max, NULL, NULL, NULL, {0}};  // one axis is enough here
    cd_broad_run run = {.input = &input, .arena = &arena};
    cd_broad_statistics statistics;
    const int32_t *rank = cd_bvh_rank(&run, &statistics);  // [count][lower, upper]
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < count; j++) {
            CD_CHECK((min[i] < min[j]) == (rank[2 * i] < rank[2 * j]));
            CD_CHECK((min[i] <= max[j]) == (rank[2 * i] <= rank[2 * j + 1]));
        }
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(boxes_of_all_shapes);
    CD_RUN(rods_and_cubes_are_classes);
    CD_RUN(a_plane_of_70000_boxes);
    CD_RUN(a_crowd_far_from_a_few);
    CD_RUN(lengths_over_900_octaves);
    CD_RUN(overlaps_that_are_not_wanted);
    CD_RUN(ranks_keep_the_order_of_faces);
    return cd_test_done();
}
