// broad_sample -- what a sample of the boxes tells where sums over all would be led astray: one giant box or one far
// away moves a mean extent and the range of the scene as it likes, but not an order statistic.
// SPDX-License-Identifier: MIT
#ifndef BROAD_SAMPLE_H
#define BROAD_SAMPLE_H

#include "broad_method.h"

enum { CD_BROAD_SAMPLE_MOST = 512 };

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
