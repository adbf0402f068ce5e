// SPDX-License-Identifier: MIT
#include "broad_sample.h"

#include <float.h>
#include <stdlib.h>

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// One item of each of `count` equal shares, at a place that repeats with no period (the golden ratio's multiples).
static void choose_items(cd_broad_sample *sample, int32_t items)
{
    sample->count = items < CD_BROAD_SAMPLE_MOST ? items : CD_BROAD_SAMPLE_MOST;
    for (int32_t i = 0; i < sample->count; i++) {
        int64_t begin = (int64_t)items * i / sample->count, end = (int64_t)items * (i + 1) / sample->count;
        uint32_t part = (uint32_t)i * 2654435769u;
        sample->item[i] = (int32_t)(begin + (int64_t)((uint64_t)(end - begin) * part >> 32));
    }
}

static double inside(double face, double low, double high) { return face < low ? low : face > high ? high : face; }

static void measure_axis(cd_broad_sample *sample, const cd_broad_input *input, const cd_broad_statistics *s, int axis)
{
    enum { TRIMMED = 50 };  // one in so many on each side
    int32_t count = sample->count, out = count / TRIMMED;
    double *lower = sample->lower[axis], upper[CD_BROAD_SAMPLE_MOST];
    for (int32_t i = 0; i < count; i++) {
        int64_t at = (int64_t)sample->item[i] * input->dim + axis;
        lower[i] = cd_broad_finite(s, axis, input->min[at]);
        upper[i] = cd_broad_finite(s, axis, input->max[at]);
    }
    qsort(lower, (size_t)count, sizeof *lower, by_value);
    qsort(upper, (size_t)count, sizeof *upper, by_value);
    double low = lower[out], high = upper[count - 1 - out], half_range = high / 2 - low / 2;
    bool is_point = !(half_range > 0);
    // Halves and two steps: the range of the doubles' ends would overflow.
    sample->low[axis] = is_point ? s->low[axis] : fmax(s->low[axis], low - half_range - half_range);
    sample->high[axis] = is_point ? s->high[axis] : fmin(s->high[axis], high + half_range + half_range);
    low = sample->low[axis];
    high = sample->high[axis];
    double extent[CD_BROAD_SAMPLE_MOST];
    for (int32_t i = 0; i < count; i++) {
        int64_t at = (int64_t)sample->item[i] * input->dim + axis;
        extent[i] = inside(input->max[at], low, high) / 2 - inside(input->min[at], low, high) / 2;
        lower[i] = inside(lower[i], low, high);
    }
    qsort(extent, (size_t)count, sizeof *extent, by_value);
    sample->extent[axis] = fmin(2 * extent[count / 2], DBL_MAX);
}

cd_broad_sample cd_broad_sample_of(const cd_broad_input *input, const cd_broad_statistics *statistics)
{
    cd_broad_sample sample;
    memset(&sample, 0, sizeof sample);
    choose_items(&sample, input->count);
    for (int axis = 0; axis < input->dim; axis++)
        measure_axis(&sample, input, statistics, axis);
    return sample;
}

double cd_broad_sample_near(const cd_broad_sample *sample, int axis, double reach)
{
    const double *lower = sample->lower[axis];
    int64_t near = 0;
    for (int32_t i = 0, begin = 0, end = 0; i < sample->count; i++) {
        while (lower[i] / 2 - lower[begin] / 2 > reach / 2)
            begin++;
        while (end < sample->count && lower[end] / 2 - lower[i] / 2 <= reach / 2)
            end++;
        near += end - begin;
    }
    return (double)near / ((double)sample->count * sample->count);
}
