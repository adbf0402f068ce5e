// plot_bins -- the bins of a histogram: where their edges are, and how many values each holds.
//
// A bin holds the values from its lower edge up to, not including, its upper edge; the last one has both.
// SPDX-License-Identifier: MIT
#ifndef PLOT_BINS_H
#define PLOT_BINS_H

#include "cd_memory.h"

#include <stdbool.h>

typedef struct cd_plot_bins {
    int count;     // >= 1
    double *edge;  // count + 1, ascending; the first <= all values <= the last
    double width;  // of each bin; decades of logarithmic bins
} cd_plot_bins;

// For `count` > 0 values in ascending order; logarithmic: all above 0, and bins are as wide as one another in their
// logarithms.
// wanted > 0: so many bins from the least value to the largest.
// wanted 0: the width is the least of 1, 2, 5 times a power of ten that is not below that of Freedman and Diaconis
// (1981, On the histogram as a density estimator), twice the distance of the quartiles over the cube root of the count;
// where the quartiles are the same, that of Sturges, the span over 1 + log2(count). There are at most some 100 bins,
// and edges are multiples of the width. Equal values: around them, a tenth of their size (of 0 and what is within
// 1e-290 of it: 1) wide; one bin where not otherwise wanted. Logarithmic edges that would be beyond doubles are the
// least one, or 1e308.
// @owns arena
cd_plot_bins cd_plot_bins_make(cd_arena *arena, const double *value, int64_t count, int wanted, bool logarithmic);

// Adds to held[k] the values in bin k; all have a bin.
void cd_plot_bins_add(const cd_plot_bins *bins, const double *value, int64_t count, int64_t *held);

#endif
