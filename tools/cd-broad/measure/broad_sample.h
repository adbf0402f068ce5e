// broad_sample -- what a sample of the boxes tells where sums over all would be led astray: one giant box or one far
// away moves a mean extent and the range of the scene as it likes, but not an order statistic.
// SPDX-License-Identifier: MIT
#ifndef BROAD_SAMPLE_H
#define BROAD_SAMPLE_H

#include "broad_method.h"

enum { CD_BROAD_SAMPLE_MOST = 512 };

// Numbers of min(items, most) items, ascending: one of each of as many equal shares, at a place within it that repeats
// with no period, so that items which come by turns are all seen. The same for the same numbers. most >= 1.
int32_t cd_broad_sample_items(int32_t items, int32_t most, int32_t *item);

// Sorts up to CD_BROAD_VALUES_MOST numbers, none NaN, in ascending order.
enum { CD_BROAD_VALUES_MOST = 1024 };
void cd_broad_sort_values(double *value, int32_t count);

// Axis 2 of a plane problem: all 0.
typedef struct cd_broad_sample {
    int32_t count;
    int32_t item[CD_BROAD_SAMPLE_MOST];
    double lower[3][CD_BROAD_SAMPLE_MOST];  // [m] lower faces of the sample, ascending, within the window
    // [m] The window of the scene: all faces lie in it but those of one box in fifty or less that lie further out than
    // the others' range on either side. low = high when all are the same.
    double low[3], high[3];
    double extent[3];  // [m] medians, of what lies in the window
} cd_broad_sample;

// Deterministic; at least one box.
cd_broad_sample cd_broad_sample_of(const cd_broad_input *input, const cd_broad_statistics *statistics);

// Of the boxes, the part whose lower face is at most `reach` from that of a box (the mean over the sample).
double cd_broad_sample_near(const cd_broad_sample *sample, int axis, double reach);

#endif
