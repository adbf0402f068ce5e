// Bins of histograms: their rule in closed form, edges that are round numbers, and counts against brute force.
// SPDX-License-Identifier: MIT
#include "cd_test.h"

#include "cd_random.h"
#include "plot_bins.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// Every value in one bin by the sentence of the header, each bin as wide as told.
static void check_bins(const cd_plot_bins *bins, const double *value, int64_t count, bool logarithmic)
{
    CD_CHECK(bins->count >= 1 && bins->edge[0] <= value[0] && value[count - 1] <= bins->edge[bins->count]);
    int64_t *held = calloc((size_t)bins->count, sizeof *held);
    cd_plot_bins_add(bins, value, count, held);
    for (int k = 0; k < bins->count; k++) {
        int64_t own = 0;
        for (int64_t i = 0; i < count; i++)
            own += value[i] >= bins->edge[k] &&
                   (value[i] < bins->edge[k + 1] || (k == bins->count - 1 && value[i] == bins->edge[k + 1]));
        CD_CHECK(own == held[k]);
        double low = bins->edge[k], high = bins->edge[k + 1];
        double width = logarithmic ? log10(high) - log10(low) : high - low;
        double size = logarithmic ? fabs(log10(high)) : fmax(fabs(low), fabs(high));
        CD_CHECK(low < high);
        CD_CHECK_NEAR(width, bins->width, 1e-9 * bins->width + 4e-16 * size);
    }
    free(held);
}

CD_TEST(bins_have_the_width_of_freedman_and_diaconis_rounded_up)
{
    cd_arena arena = {0};
    // 0 .. 1000 in steps of 1: quartiles 250 and 750, 2 * 500 / cbrt(1001) = 99.97, which rounds up to 100.
    double value[1001];
    for (int i = 0; i <= 1000; i++)
        value[i] = i;
    cd_plot_bins bins = cd_plot_bins_make(&arena, value, 1001, 0, false);
    CD_CHECK(bins.width == 100 && bins.count == 11 && bins.edge[0] == 0 && bins.edge[11] == 1100);
    // an edge belongs to the bin above: 100 values each, and 1000 alone in the last
    int64_t held[11] = {0};
    cd_plot_bins_add(&bins, value, 1001, held);
    for (int k = 0; k < 10; k++)
        CD_CHECK(held[k] == 100);
    CD_CHECK(held[10] == 1);
    // a thousandth of it: edges are the nearest doubles of 0.1, 0.2, 0.3, ..., not sums of 0.1
    for (int i = 0; i <= 1000; i++)
        value[i] = i / 1000.0;
    bins = cd_plot_bins_make(&arena, value, 1001, 0, false);
    CD_CHECK(bins.count == 11 && bins.edge[3] == 0.3 && bins.edge[7] == 0.7);
    int64_t again[11] = {0};
    cd_plot_bins_add(&bins, value, 1001, again);
    for (int k = 0; k < 11; k++)
        CD_CHECK(again[k] == held[k]);
    // over six decades evenly: quartiles 3 decades apart, 2 * 3 / cbrt(1001) = 0.59, rounded up to a decade
    for (int i = 0; i <= 1000; i++)
        value[i] = pow(10, -3 + 0.006 * i);
    bins = cd_plot_bins_make(&arena, value, 1001, 0, true);
    CD_CHECK(bins.width == 1);
    CD_CHECK_NEAR(bins.edge[0], 1e-3, 1e-12);
    check_bins(&bins, value, 1001, true);
    cd_arena_release(&arena);
}

CD_TEST(bins_by_number_go_from_the_least_value_to_the_largest)
{
    cd_arena arena = {0};
    const double value[] = {-1, 0, 0.5, 2, 3};
    cd_plot_bins bins = cd_plot_bins_make(&arena, value, 5, 4, false);
    CD_CHECK(bins.count == 4 && bins.edge[0] == -1 && bins.edge[1] == 0 && bins.edge[4] == 3);
    int64_t held[4] = {0};
    cd_plot_bins_add(&bins, value, 5, held);
    CD_CHECK(held[0] == 1 && held[1] == 2 && held[2] == 0 && held[3] == 2);
    cd_arena_release(&arena);
}

CD_TEST(quartiles_that_are_the_same_leave_the_rule_to_sturges)
{
    cd_arena arena = {0};
    double value[64] = {0};
    value[63] = 7;  // span 7 over 1 + log2(64) = 1
    cd_plot_bins bins = cd_plot_bins_make(&arena, value, 64, 0, false);
    CD_CHECK(bins.width == 1 && bins.count == 8);
    check_bins(&bins, value, 64, false);
    cd_arena_release(&arena);
}

CD_TEST(equal_values_have_a_bin_around_them)
{
    cd_arena arena = {0};
    const double value[] = {-4, 0, 1e-300, 1e300, 5};
    for (int i = 0; i < 5; i++)
        for (int wanted = 0; wanted < 4; wanted += 3) {
            const double same[3] = {value[i], value[i], value[i]};
            cd_plot_bins bins = cd_plot_bins_make(&arena, same, 3, wanted, false);
            CD_CHECK(bins.count == (wanted ? wanted : 1));
            CD_CHECK(bins.edge[0] < value[i] && value[i] < bins.edge[bins.count]);
        }
    cd_arena_release(&arena);
}

CD_TEST(edges_are_doubles_whatever_the_values)
{
    cd_arena arena = {0};
    // Two values: a width of 2 * (decades between the quartiles) / cbrt(2), for most of these beyond 300 decades.
    static const double pairs[][2] = {{5e-324, 5e-324}, {5e-324, 1e-323}, {5e-324, 1},    {5e-324, 1e300},
                                      {1e-300, 1},      {1e-300, 1e300},  {1e-250, 1e50}, {1, 1e300}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        cd_plot_bins bins = cd_plot_bins_make(&arena, pairs[i], 2, 0, true);
        int64_t held[104] = {0}, sum = 0;
        cd_plot_bins_add(&bins, pairs[i], 2, held);
        for (int k = 0; k < bins.count; k++) {
            CD_CHECK(bins.edge[k] > 0 && bins.edge[k] < bins.edge[k + 1] && isfinite(bins.edge[k + 1]));
            sum += held[k];
        }
        CD_CHECK(sum == 2);
    }
    // In a linear axis numbers so near 0 are one value.
    const double tiny[] = {-5e-324, 0, 1e-300};
    cd_plot_bins bins = cd_plot_bins_make(&arena, tiny, 3, 0, false);
    CD_CHECK(bins.count == 1 && bins.edge[0] == -0.5 && bins.edge[1] == 0.5);
    cd_arena_release(&arena);
}

CD_TEST(random_values_are_counted_as_by_hand)
{
    cd_arena arena = {0};
    cd_random random = {11};
    double value[400];
    for (int trial = 0; trial < 600; trial++) {
        int count = 2 + (int)cd_random_between(&random, 0, 398);
        bool logarithmic = trial % 2;
        double scale = pow(10, cd_random_between(&random, -280, 280)), tail = cd_random_between(&random, 0, 8);
        for (int i = 0; i < count; i++) {
            double x = cd_random_between(&random, logarithmic ? 1e-3 : -1, 1);
            value[i] = scale * x * pow(fabs(x), tail);
        }
        qsort(value, (size_t)count, sizeof *value, compare);
        cd_plot_bins bins = cd_plot_bins_make(&arena, value, count, trial % 3 ? 0 : 1 + trial % 90, logarithmic);
        CD_CHECK(bins.count <= 102);
        check_bins(&bins, value, count, logarithmic);
        cd_arena_reset(&arena);
    }
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(bins_have_the_width_of_freedman_and_diaconis_rounded_up);
    CD_RUN(bins_by_number_go_from_the_least_value_to_the_largest);
    CD_RUN(quartiles_that_are_the_same_leave_the_rule_to_sturges);
    CD_RUN(equal_values_have_a_bin_around_them);
    CD_RUN(edges_are_doubles_whatever_the_values);
    CD_RUN(random_values_are_counted_as_by_hand);
    return cd_test_done();
}
