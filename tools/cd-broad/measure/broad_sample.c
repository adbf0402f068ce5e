// SPDX-License-Identifier: MIT
#include "broad_sample.h"

#include "cd_assert.h"

#include <float.h>

int32_t cd_broad_sample_items(int32_t items, int32_t most, int32_t *item)
{
    int32_t count = items < most ? items : most;
    for (int32_t i = 0; i < count; i++) {
        int64_t begin = (int64_t)items * i / count, end = (int64_t)items * (i + 1) / count;
        uint32_t part = (uint32_t)i * 2654435769u;  // of 2^32: multiples of the golden ratio
        item[i] = (int32_t)(begin + (int64_t)((uint64_t)(end - begin) * part >> 32));
    }
    return count;
}

// Runs of eight by insertion, then merged pair by pair. 512 values take 16 us, with qsort 37: as much as a frame of
// 30000 boxes would notice.
void cd_broad_sort_values(double *value, int32_t count)
{
    enum { RUN = 8 };
    CD_ASSERT(count <= CD_BROAD_VALUES_MOST);
    for (int32_t begin = 0; begin < count; begin += RUN)
        for (int32_t i = begin + 1; i < count && i < begin + RUN; i++) {
            double one = value[i];
            int32_t k = i;
            for (; k > begin && value[k - 1] > one; k--)
                value[k] = value[k - 1];
            value[k] = one;
        }
    double spare[CD_BROAD_VALUES_MOST], *from = value, *to = spare;
    for (int32_t width = RUN; width < count; width *= 2) {
        for (int32_t begin = 0; begin < count; begin += 2 * width) {
            int32_t middle = count - begin > width ? begin + width : count;
            int32_t end = count - middle > width ? middle + width : count;
            int32_t left = begin, right = middle, k = begin;
            while (left < middle && right < end) {
                double l = from[left], r = from[right];
                bool is_left = l <= r;
                to[k++] = is_left ? l : r;
                left += is_left;
                right += !is_left;
            }
            while (left < middle)
                to[k++] = from[left++];
            while (right < end)
                to[k++] = from[right++];
        }
        double *swap = from;
        from = to;
        to = swap;
    }
    if (from != value)
        memcpy(value, from, (size_t)count * sizeof *value);
}

static double clamp(double face, double low, double high) { return face < low ? low : face > high ? high : face; }

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
    cd_broad_sort_values(lower, count);
    cd_broad_sort_values(upper, count);
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
        extent[i] = clamp(input->max[at], low, high) / 2 - clamp(input->min[at], low, high) / 2;
        lower[i] = clamp(lower[i], low, high);
    }
    cd_broad_sort_values(extent, count);
    sample->extent[axis] = fmin(2 * extent[count / 2], DBL_MAX);
}

cd_broad_sample cd_broad_sample_of(const cd_broad_input *input, const cd_broad_statistics *statistics)
{
    cd_broad_sample sample;
    memset(&sample, 0, sizeof sample);
    sample.count = cd_broad_sample_items(input->count, CD_BROAD_SAMPLE_MOST, sample.item);
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
