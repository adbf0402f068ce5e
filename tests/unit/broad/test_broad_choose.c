// What `auto` chooses, a case for each of its reasons; and the sample that it judges by: sizes that come by turns are
// seen whatever the turn, values are sorted.
// SPDX-License-Identifier: MIT
#include "broad_find.h"
#include "broad_sample.h"
#include "cd_random.h"
#include "cd_test.h"

#include "test_polygon_random.h"

#include <stdlib.h>

// ---- scenes --------------------------------------------------------------------------------------------------------

enum { MOST = 60000, FEW = 20, SMALL = 200, MIDDLE = 5000, MANY = 60000 };

typedef struct scene {
    int dim;
    int32_t count;
    double min[3 * MOST], max[3 * MOST];
} scene;

static scene now, before;

// Cubes of edge 0.8 to 1.2 in a cube that they fill by about a third.
static void make_like(scene *s, int dim, int32_t count)
{
    cd_random random = {7};
    double side = pow(3.0 * count, 1.0 / dim);
    s->dim = dim;
    s->count = count;
    for (int32_t i = 0; i < count; i++) {
        double edge = cd_random_between(&random, 0.8, 1.2);
        for (int k = 0; k < dim; k++) {
            s->min[dim * i + k] = cd_random_between(&random, 0, side);
            s->max[dim * i + k] = s->min[dim * i + k] + edge;
        }
    }
}

// Makes box i so many times as large, from its lower corner.
static void enlarge(scene *s, int32_t i, double factor)
{
    for (int k = s->dim * i; k < s->dim * (i + 1); k++)
        s->max[k] = s->min[k] + factor * (s->max[k] - s->min[k]);
}

static void move_all(scene *s, double shift)
{
    for (int32_t i = 0; i < s->count; i++) {
        s->min[s->dim * i] += shift;
        s->max[s->dim * i] += shift;
    }
}

// last: the frame before, NULL: there was none.
static cd_broad_choice choose(const scene *s, const scene *last)
{
    cd_broad_input input = {s->dim, s->count, s->min, s->max, NULL, NULL, NULL, {0}};
    static cd_broad_snapshot snapshot, of_last;
    of_last.items = 0;
    cd_broad_take_snapshot(&input, &snapshot);
    if (last)
        cd_broad_take_snapshot(&(cd_broad_input){last->dim, last->count, last->min, last->max, NULL, NULL, NULL, {0}},
                               &of_last);
    cd_broad_statistics statistics = cd_broad_measure(&input, 1);
    return cd_broad_choose(&input, &statistics, &snapshot, &of_last);
}

static void check(cd_broad_choice choice, const char *method, const char *why)
{
    CD_CHECK_TEXT(choice.method->name, method);
    if (!strstr(choice.why, why))
        printf("# %s: \"%s\" does not say \"%s\"\n", method, choice.why, why);
    CD_CHECK(strstr(choice.why, why) != NULL);
}

// ---- one frame -----------------------------------------------------------------------------------------------------

CD_TEST(few_boxes_are_compared_all_with_all)
{
    for (int32_t count = 0; count <= FEW; count += FEW / 2) {
        make_like(&now, 3, count);
        for (int32_t i = 0; i < count; i += 2)
            enlarge(&now, i, 1000);
        char why[40];
        snprintf(why, sizeof why, "%d boxes", count);
        check(choose(&now, NULL), "brute", why);
    }
}

CD_TEST(like_sizes_take_the_grid)
{
    static const int32_t counts[] = {SMALL, MIDDLE, MANY};
    for (int k = 0; k < 3; k++)
        for (int dim = 2; dim <= 3; dim++) {
            make_like(&now, dim, counts[k]);
            check(choose(&now, NULL), "grid", "boxes of like sizes: ninth decile 1.");
        }
    make_like(&now, 3, MIDDLE);
    for (int32_t i = 0; i < now.count; i++)  // no extent at all along an axis
        now.max[3 * i + 1] = now.min[3 * i + 1];
    check(choose(&now, NULL), "grid", "boxes of like sizes");
}

CD_TEST(unlike_sizes_take_the_tree_or_when_few_the_sweep)
{
    cd_random random = {9};
    static const int32_t counts[] = {SMALL, MIDDLE, MANY};
    for (int k = 0; k < 3; k++) {
        make_like(&now, 3, counts[k]);
        for (int32_t i = 0; i < now.count; i++)
            enlarge(&now, i, pow(1000, cd_random_unit(&random)));
        check(choose(&now, NULL), counts[k] == SMALL ? "sweep" : "bvh", "boxes of unlike sizes: ninth decile");
    }
    // Slabs 50 times as long as thick, in any of three directions.
    make_like(&now, 3, MIDDLE);
    for (int32_t i = 0; i < now.count; i++)
        now.max[3 * i + i % 3] += 50;
    check(choose(&now, NULL), "bvh", "boxes of unlike sizes");
}

CD_TEST(a_few_large_boxes_take_the_tree_or_when_many_boxes_the_grid)
{
    static const struct {
        int32_t count;
        const char *method, *why;
    } expected[] = {{SMALL, "sweep", "of unlike sizes: ninth decile 1."},
                    {MIDDLE, "bvh", "of unlike sizes: ninth decile 1."},
                    {MANY, "grid", "times the first, few far larger"}};
    for (int k = 0; k < 3; k++) {
        make_like(&now, 3, expected[k].count);
        enlarge(&now, now.count / 3, 120);
        check(choose(&now, NULL), expected[k].method, expected[k].why);
    }
}

CD_TEST(infinite_boxes_are_large_ones)
{
    make_like(&now, 3, MIDDLE);
    now.min[0] = -INFINITY;
    check(choose(&now, NULL), "bvh", "greatest inf times the ninth");
    make_like(&now, 3, MANY);
    now.max[7] = INFINITY;
    check(choose(&now, NULL), "grid", "few far larger");
    for (int32_t i = 0; i < 3 * MANY; i++) {
        now.min[i] = -INFINITY;
        now.max[i] = INFINITY;
    }
    check(choose(&now, NULL), "grid", "of like sizes");
}

// ---- frames --------------------------------------------------------------------------------------------------------

CD_TEST(slow_motion_takes_what_remembers)
{
    make_like(&before, 3, MIDDLE);
    now = before;
    check(choose(&now, &before), "incremental", "of like sizes, which moved by 0 of their extents");
    move_all(&now, 0.002);
    check(choose(&now, &before), "incremental", "which moved by 0.00");
    move_all(&now, 0.01);
    check(choose(&now, &before), "grid", "of like sizes");
    now = before;
    move_all(&now, 0.002);
    now.min[0] = before.min[0] = -INFINITY;  // stays where it is
    check(choose(&now, &before), "incremental", "which moved by 0.00");
    before.min[0] = 0;
    check(choose(&now, &before), "bvh", "greatest inf");
}

// A list would be made for the resting ones, and made anew for the others.
CD_TEST(a_few_fast_boxes_over_a_resting_bed_take_the_grid)
{
    make_like(&before, 3, MANY);
    now = before;
    for (int32_t i = 250; i < now.count; i += 500)
        for (int k = 0; k < 3; k++) {
            now.min[3 * i + k] += 1;
            now.max[3 * i + k] += 1;
        }
    check(choose(&now, &before), "grid", "of like sizes");
}

// As wide, but with a middle: nine in ten are within a factor of 2.2, the greatest 3 times the mean.
CD_TEST(sizes_with_a_long_tail_take_the_tree)
{
    cd_random random = {10};
    make_like(&now, 3, MIDDLE);
    for (int32_t i = 0; i < now.count; i++)
        enlarge(&now, i, pow(2.6, cd_random_unit(&random)) * (i % 100 ? 1 : 3));
    check(choose(&now, NULL), "bvh", "boxes of unlike sizes");
    make_like(&now, 3, MIDDLE);
    for (int32_t i = 0; i < now.count; i++)
        enlarge(&now, i, pow(2.6, cd_random_unit(&random)));
    check(choose(&now, NULL), "grid", "boxes of like sizes");
}

CD_TEST(frames_of_other_boxes_are_not_compared)
{
    make_like(&before, 3, MIDDLE);
    now = before;
    now.count--;
    check(choose(&now, &before), "grid", "of like sizes");
    make_like(&now, 2, MIDDLE);
    check(choose(&now, &before), "grid", "of like sizes");
    make_like(&before, 3, SMALL);  // too few to remember anything
    now = before;
    check(choose(&now, &before), "grid", "of like sizes");
}

// ---- sample --------------------------------------------------------------------------------------------------------

// One size in each half of the turn; sizes that grow over the turn; one large box a turn, which may be too few for a
// tenth but is an outlier then.
CD_TEST(sizes_that_come_by_turns_are_seen)
{
    enum { HALVES, GROWING, ONE };
    static const int32_t counts[] = {504, 1301, 4096, 5000, 32768, 48640}, turns[] = {2, 3, 4, 8, 16};
    for (int n = 0; n < 6; n++)
        for (int t = 0; t < 5; t++)
            for (int kind = HALVES; kind <= ONE; kind++) {
                make_like(&now, 3, counts[n]);
                for (int32_t i = 0; i < now.count; i++) {
                    int32_t at = i % turns[t], last = turns[t] - 1;
                    double grown = kind == HALVES ? at > last / 2 : kind == GROWING ? (double)at / last : at == last;
                    enlarge(&now, i, pow(1000, grown));
                }
                cd_broad_choice choice = choose(&now, NULL);
                const char *decile = strstr(choice.why, "decile ");
                bool is_spread = decile && strtod(decile + 7, NULL) > 20;
                if (strcmp(choice.method->name, "bvh") || (kind != ONE && !is_spread))
                    printf("# turns of %d, kind %d\n", turns[t], kind);
                check(choice, "bvh", "boxes of unlike sizes");
                CD_CHECK(kind == ONE || is_spread);
            }
}

CD_TEST(a_sample_has_an_item_of_each_share)
{
    static const int32_t items[] = {0, 1, 5, 511, 512, 513, 1000, 4096, 1 << 20, INT32_MAX};
    int32_t item[CD_BROAD_SAMPLE_MOST];
    for (int n = 0; n < 10; n++) {
        int32_t count = cd_broad_sample_items(items[n], CD_BROAD_SAMPLE_MOST, item);
        CD_CHECK(count == (items[n] < CD_BROAD_SAMPLE_MOST ? items[n] : CD_BROAD_SAMPLE_MOST));
        for (int32_t i = 0; i < count; i++) {
            CD_CHECK(item[i] >= (int64_t)items[n] * i / count && item[i] < (int64_t)items[n] * (i + 1) / count);
        }
        // Each place of a turn about as often as any other.
        for (int32_t turn = 2; turn <= 16 && items[n] >= 1 << 20; turn++) {
            int32_t hits[16] = {0};
            for (int32_t i = 0; i < count; i++)
                hits[item[i] % turn]++;
            for (int32_t place = 0; place < turn; place++)
                CD_CHECK_NEAR(hits[place], (double)count / turn, 0.4 * count / turn);
        }
    }
}

CD_TEST(values_are_sorted)
{
    cd_random random = {3};
    double value[CD_BROAD_VALUES_MOST];
    for (int round = 0; round < 400; round++) {
        int32_t count = test_below(&random, round < 300 ? 70 : CD_BROAD_VALUES_MOST + 1);
        double sum = 0, sorted_sum = 0;
        for (int32_t i = 0; i < count; i++)
            sum += value[i] = test_below(&random, round % 2 ? 5 : 1 << 20) - 2;
        cd_broad_sort_values(value, count);
        for (int32_t i = 0; i < count; i++) {
            sorted_sum += value[i];
            CD_CHECK(i == 0 || value[i - 1] <= value[i]);
        }
        CD_CHECK(sum == sorted_sum);
    }
    double ends[3] = {INFINITY, 0, -INFINITY};
    cd_broad_sort_values(ends, 3);
    CD_CHECK(ends[0] == -INFINITY && ends[1] == 0 && ends[2] == INFINITY);
}

int main(void)
{
    CD_RUN(few_boxes_are_compared_all_with_all);
    CD_RUN(like_sizes_take_the_grid);
    CD_RUN(unlike_sizes_take_the_tree_or_when_few_the_sweep);
    CD_RUN(a_few_large_boxes_take_the_tree_or_when_many_boxes_the_grid);
    CD_RUN(infinite_boxes_are_large_ones);
    CD_RUN(slow_motion_takes_what_remembers);
    CD_RUN(a_few_fast_boxes_over_a_resting_bed_take_the_grid);
    CD_RUN(sizes_with_a_long_tail_take_the_tree);
    CD_RUN(frames_of_other_boxes_are_not_compared);
    CD_RUN(sizes_that_come_by_turns_are_seen);
    CD_RUN(a_sample_has_an_item_of_each_share);
    CD_RUN(values_are_sorted);
    return cd_test_done();
}
