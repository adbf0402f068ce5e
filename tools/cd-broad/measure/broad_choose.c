// `auto`: the method that was fastest on sets like the one at hand.
//
// Measured per box (find and order; cd-scene's sets `boxes` of 50 to 1e6 boxes, AVX-512, one core):
//   - like sizes: grid, from 30 boxes on; bvh needs 1.2 to 1.5 times as long.
//   - unlike sizes: bvh. Where the ninth decile of the extents is more than some 2 times the first, and the greatest more
//     than 2 times the mean, so that grid needs classes, bvh is 1.2 to 2 times as fast on log-normal and log-uniform sizes
//     and on rods; a thousand to one 3 times. With one class grid is up to 1.4 times as fast on graded sizes.
//   - a few boxes far larger than the rest: from 50000 boxes on grid, which keeps them in a class of their own, else
//     bvh.
//   - below 300 boxes of unlike sizes: sweep; below 30 boxes: brute.
//   - like sizes in two groups: cell-vector, which sorts one group into cells and leaves out what is far from the other;
//     at 2000 beside 4000 circles it takes a quarter of the time of grid.
//   - motion of boxes of like sizes: incremental while they move by less than 1/250 of their extent a frame. Over many
//     frames it needs 3/4 of the time of grid there, less than half at rest, and as long at 1/100; its list takes some
//     16 bytes a pair, which is why it is not taken for less. A box that leaves the list costs as much as a thousand
//     others: not where one in some thousand moves by a quarter of the mean extent.
// SPDX-License-Identifier: MIT
#include "broad_find.h"
#include "broad_sample.h"

#include <stdio.h>

enum { FEW = 30, SMALL = 300, MANY = 50000, MANY_PARTED = 200000, MOVING_LEAST = 2000 };
static const double UNLIKE = 2.1;      // [1] ninth over first decile of extents, where the greatest is beyond
static const double ONE_CLASS = 2;     // [1] times the mean; else
static const double APART = 20;        // [1]
static const double OUTLIER = 4;       // [1] greatest extent over ninth decile
static const double SLOW = 1.0 / 250;  // [1] of the mean extent, a frame
static const double FAST = 0.25;       // [1] the same

void cd_broad_take_snapshot(const cd_broad_input *input, cd_broad_snapshot *snapshot)
{
    int32_t item[CD_BROAD_WATCHED], wanted = input->count / 64;
    snapshot->items = input->count;
    snapshot->dim = input->dim;
    wanted = wanted < 16 ? 16 : wanted > CD_BROAD_SNAPSHOT ? CD_BROAD_SNAPSHOT : wanted;
    snapshot->count = cd_broad_sample_items(input->count, wanted, item);
    for (int32_t i = 0; i < snapshot->count; i++)
        for (int k = 0; k < input->dim; k++) {
            snapshot->min[i][k] = input->min[(int64_t)input->dim * item[i] + k];
            snapshot->max[i][k] = input->max[(int64_t)input->dim * item[i] + k];
        }
    wanted = input->count / 8 < CD_BROAD_WATCHED ? input->count / 8 : CD_BROAD_WATCHED;
    snapshot->watched = input->count < MOVING_LEAST ? 0 : cd_broad_sample_items(input->count, wanted, item);
    for (int32_t i = 0; i < snapshot->watched; i++)
        for (int k = 0; k < input->dim; k++)
            snapshot->lower[i][k] = input->min[(int64_t)input->dim * item[i] + k];
}

typedef struct sizes {
    double spread;   // [1] ninth over first decile of the extents, on the axis where it is largest
    double outlier;  // [1] greatest extent over ninth decile
    double excess;   // [1] greatest extent over the mean
} sizes;

static sizes measure_sizes(const cd_broad_snapshot *now, const cd_broad_statistics *statistics)
{
    sizes result = {1, statistics->unbounded ? INFINITY : 1, 1};
    int32_t tenth = now->count / 10;
    for (int k = 0; k < now->dim; k++) {
        double extent[CD_BROAD_SNAPSHOT];
        for (int32_t i = 0; i < now->count; i++)
            extent[i] = cd_broad_finite(statistics, k, now->max[i][k]) - cd_broad_finite(statistics, k, now->min[i][k]);
        cd_broad_sort_values(extent, now->count);
        double first = extent[tenth], ninth = extent[now->count - 1 - tenth];
        if (ninth > 0)
            result.spread = fmax(result.spread, ninth / first);
        if (statistics->extent_mean[k] > 0)
            result.excess = fmax(result.excess, statistics->extent_max[k] / statistics->extent_mean[k]);
        if (statistics->extent_max[k] > 0)
            result.outlier = fmax(result.outlier, statistics->extent_max[k] / ninth);
    }
    return result;
}

static bool has_fast(const cd_broad_snapshot *now, const cd_broad_snapshot *last, const cd_broad_statistics *statistics)
{
    bool is_fast = false;
    for (int32_t i = 0; i < now->watched; i++)
        for (int k = 0; k < now->dim; k++)
            is_fast |= fabs(now->lower[i][k] - last->lower[i][k]) > FAST * statistics->extent_mean[k];
    return is_fast;
}

// Mean shift of the snapshot's boxes since the last frame, in mean extents; infinite when it cannot be compared, or
// when some boxes move fast.
static double measure_motion(const cd_broad_snapshot *now, const cd_broad_snapshot *last,
                             const cd_broad_statistics *statistics)
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
    return has_fast(now, last, statistics) ? INFINITY : sum / now->count;
}

// Are there two groups that have no box in common, as far as a sample tells?
static bool are_parted(const cd_broad_input *input)
{
    int32_t item[CD_BROAD_SNAPSHOT], count = cd_broad_sample_items(input->count, CD_BROAD_SNAPSHOT, item);
    int32_t both = 0;
    for (int32_t i = 0; i < count && input->class; i++)
        both += (input->class[item[i]] & CD_BROAD_UNGROUPED) == CD_BROAD_UNGROUPED;
    return input->class && !both;
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
    bool are_unlike = size.spread > (size.excess > ONE_CLASS ? UNLIKE : APART), has_outliers = size.outlier > OUTLIER;
    if (motion < SLOW && !are_unlike) {  // told in mean extents: small boxes must not hide behind large ones
        name = "incremental";
        snprintf(choice.why, sizeof choice.why, "%d boxes of like sizes, which moved by %.2g of their extents", boxes,
                 motion);
    } else if (boxes < MANY_PARTED && !are_unlike && !has_outliers && are_parted(input)) {
        name = "cell-vector";
        snprintf(choice.why, sizeof choice.why,
                 "%d boxes of like sizes in two groups: ninth decile %.2g times the first", boxes, size.spread);
    } else if (are_unlike || (has_outliers && boxes < MANY)) {
        name = boxes < SMALL ? "sweep" : "bvh";
        snprintf(choice.why, sizeof choice.why,
                 "%d boxes of unlike sizes: ninth decile %.2g times the first, greatest %.2g times the ninth", boxes,
                 size.spread, size.outlier);
    } else {
        name = "grid";
        snprintf(choice.why, sizeof choice.why, "%d boxes of like sizes: ninth decile %.2g times the first%s", boxes,
                 size.spread, has_outliers ? ", few far larger" : "");
    }
    choice.method = cd_broad_method_find(name);
    return choice;
}
