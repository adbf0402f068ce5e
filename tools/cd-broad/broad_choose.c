// `auto`: the method that was fastest on sets like the one at hand.
//
// Measured per box (find and order; cd-scene's sets `boxes` of 50 to 1e6 boxes, AVX-512, one core):
//   - like sizes: grid, from 30 boxes on; bvh needs 1.2 to 1.5 times as long.
//   - unlike sizes: bvh. On polydisperse sets the two are equal where the ninth decile of the extents is some 20 times
//     the first, on slabs where they are 30 times as long as thick; a thousand to one it is 3 times as fast.
//   - a few boxes far larger than the rest: from 50000 boxes on grid, which keeps them in a class of their own, else bvh.
//   - below 300 boxes of unlike sizes: sweep; below 30 boxes: brute.
//   - motion: incremental while boxes move by less than some 1/60 of their extent a frame; it needs 2/3 of the time of
//     grid there, and as long at 1/40.
// SPDX-License-Identifier: MIT
#include "broad_find.h"

#include <stdio.h>
#include <stdlib.h>

enum { FEW = 30, SMALL = 300, MANY = 50000, MOVING_LEAST = 2000 };
static const double UNLIKE = 20;      // [1] ninth over first decile of extents
static const double OUTLIER = 4;      // [1] greatest extent over ninth decile
static const double SLOW = 1.0 / 60;  // [1] of the mean extent, a frame

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

cd_broad_snapshot cd_broad_take_snapshot(const cd_broad_input *input)
{
    cd_broad_snapshot sample = {.items = input->count, .dim = input->dim};
    int32_t wanted = input->count / 64;
    wanted = wanted < 16 ? 16 : wanted > CD_BROAD_SNAPSHOT ? CD_BROAD_SNAPSHOT : wanted;
    int32_t stride = input->count / wanted + 1;
    for (int32_t i = 0; i < input->count && sample.count < CD_BROAD_SNAPSHOT; i += stride, sample.count++)
        for (int k = 0; k < input->dim; k++) {
            sample.min[sample.count][k] = input->min[(int64_t)input->dim * i + k];
            sample.max[sample.count][k] = input->max[(int64_t)input->dim * i + k];
        }
    return sample;
}

typedef struct sizes {
    double spread;   // [1] ninth over first decile of the extents, on the axis where it is largest
    double outlier;  // [1] greatest extent over ninth decile
} sizes;

static sizes measure_sizes(const cd_broad_snapshot *sample, const cd_broad_statistics *statistics)
{
    sizes result = {1, statistics->unbounded ? INFINITY : 1};
    for (int k = 0; k < sample->dim; k++) {
        double extent[CD_BROAD_SNAPSHOT];
        for (int32_t i = 0; i < sample->count; i++)
            extent[i] = cd_broad_finite(statistics, k, sample->max[i][k]) - cd_broad_finite(statistics, k, sample->min[i][k]);
        qsort(extent, (size_t)sample->count, sizeof *extent, by_value);
        double first = extent[sample->count / 10], ninth = extent[sample->count - 1 - sample->count / 10];
        if (ninth > 0)
            result.spread = fmax(result.spread, ninth / first);
        if (statistics->extent_max[k] > 0)
            result.outlier = fmax(result.outlier, statistics->extent_max[k] / ninth);
    }
    return result;
}

// Mean shift of the sample's boxes since the last frame, in mean extents; infinite when it cannot be compared.
static double measure_motion(const cd_broad_snapshot *now, const cd_broad_snapshot *last, const cd_broad_statistics *statistics)
{
    if (now->items != last->items || now->dim != last->dim || now->count == 0)
        return INFINITY;
    double sum = 0;
    for (int32_t i = 0; i < now->count; i++) {
        double most = 0;
        for (int k = 0; k < now->dim; k++)
            if (now->min[i][k] != last->min[i][k])
                most = fmax(most, fabs(now->min[i][k] - last->min[i][k]) / statistics->extent_mean[k]);
        sum += most;
    }
    return sum / now->count;
}

cd_broad_choice cd_broad_choose(const cd_broad_input *input, const cd_broad_statistics *statistics,
                                const cd_broad_snapshot *now, const cd_broad_snapshot *last)
{
    cd_broad_choice choice = {.method = NULL};
    int boxes = (int)input->count;
    const char *name;
    if (boxes < FEW) {
        name = "brute";
        snprintf(choice.why, sizeof choice.why, "%d boxes", boxes);
        choice.method = cd_broad_method_find(name);
        return choice;
    }
    sizes size = measure_sizes(now, statistics);
    double motion = boxes < MOVING_LEAST ? INFINITY : measure_motion(now, last, statistics);
    bool are_unlike = size.spread > UNLIKE, has_outliers = size.outlier > OUTLIER;
    if (motion < SLOW) {
        name = "incremental";
        snprintf(choice.why, sizeof choice.why, "%d boxes, which moved by %.2g of their extents", boxes, motion);
    } else if (are_unlike || (has_outliers && boxes < MANY)) {
        name = boxes < SMALL ? "sweep" : "bvh";
        snprintf(choice.why, sizeof choice.why, "%d boxes of unlike sizes: ninth decile %.2g times the first, greatest %.2g times the ninth",
                 boxes, size.spread, size.outlier);
    } else {
        name = "grid";
        snprintf(choice.why, sizeof choice.why, "%d boxes of like sizes: ninth decile %.2g times the first%s", boxes, size.spread,
                 has_outliers ? ", few far larger" : "");
    }
    choice.method = cd_broad_method_find(name);
    return choice;
}
