// SPDX-License-Identifier: MIT
#include "cd_median.h"

#include <math.h>
#include <stdlib.h>

static int compare_values(const void *a, const void *b)
{
    const cd_weighted *left = a, *right = b;
    return (left->value > right->value) - (left->value < right->value);
}

double cd_weighted_median(cd_weighted *item, int32_t count)
{
    double total = 0, below = 0;
    if (count > 0)
        qsort(item, (size_t)count, sizeof *item, compare_values);
    for (int32_t i = 0; i < count; i++)
        total += item[i].weight;
    for (int32_t i = 0; i < count; i++) {
        below += item[i].weight;
        if (2 * below == total)
            return (item[i].value + item[i + 1].value) / 2;
        if (2 * below > total)
            return item[i].value;
    }
    return NAN;
}
