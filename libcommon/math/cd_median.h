// cd_median -- the median of values that weigh differently.
// SPDX-License-Identifier: MIT
#ifndef CD_MEDIAN_H
#define CD_MEDIAN_H

#include <stdint.h>

typedef struct cd_weighted {
    double value, weight;  // weight > 0
} cd_weighted;

// The value below and above which half the weight lies; between two, their mean. NaN without any. Sorts the items by
// value; their order does not matter. Weights that are whole numbers are summed exactly.
double cd_weighted_median(cd_weighted *item, int32_t count);

#endif
