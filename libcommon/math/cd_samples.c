// SPDX-License-Identifier: MIT
#include "cd_samples.h"

// The last sample at or before the time, -1 where there is none.
static int32_t sample_before(const cd_samples *samples, double time)
{
    int32_t low = -1, high = samples->count;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (samples->time[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Between samples: *before and the share (0..1) of the way to the next; a share of 0 needs no next.
static double place_between(const cd_samples *samples, double time, int32_t *before)
{
    int32_t i = sample_before(samples, time);
    *before = i < 0 ? 0 : i;
    if (i < 0 || i + 1 == samples->count)
        return 0;
    return (time - samples->time[i]) / (samples->time[i + 1] - samples->time[i]);
}

static const double *sample(const cd_samples *samples, int32_t i)
{
    return samples->value + (size_t)samples->width * (size_t)i;
}

void cd_samples_at(const cd_samples *samples, double time, double *value)
{
    int32_t i;
    double share = place_between(samples, time, &i);
    const double *a = sample(samples, i), *b = share > 0 ? sample(samples, i + 1) : a;
    for (int k = 0; k < samples->width; k++)
        value[k] = a[k] == b[k] ? a[k] : a[k] + share * (b[k] - a[k]);
}

void cd_samples_mean(const cd_samples *samples, double from, double to, double *value)
{
    double left[CD_SAMPLES_WIDTH], right[CD_SAMPLES_WIDTH], sum[CD_SAMPLES_WIDTH] = {0};
    cd_samples_at(samples, from, left);
    cd_samples_at(samples, to, right);
    int32_t i = sample_before(samples, from) + 1;
    bool has_corner = i < samples->count && samples->time[i] < to;
    double at = from;
    for (; i < samples->count && samples->time[i] < to; at = samples->time[i++]) {
        const double *corner = sample(samples, i);
        for (int k = 0; k < samples->width; k++) {
            sum[k] += (samples->time[i] - at) * (left[k] + corner[k]) / 2;
            left[k] = corner[k];
        }
    }
    for (int k = 0; k < samples->width; k++) {
        double last = left[k] == right[k] ? left[k] : (left[k] + right[k]) / 2;
        value[k] = has_corner ? (sum[k] + (to - at) * last) / (to - from) : last;
    }
}

cd_quat cd_samples_rotation(const cd_samples *samples, double time)
{
    int32_t i;
    double share = place_between(samples, time, &i);
    cd_quat a = cd_quat_at(sample(samples, i));
    if (share == 0)
        return cd_quat_unit(a);
    cd_quat b = cd_quat_at(sample(samples, i + 1));
    cd_vec3 turn = cd_quat_vector(cd_quat_product(b, cd_quat_conjugate(a)));
    return cd_quat_unit(cd_quat_product(cd_quat_from_vector(cd_scale3(share, turn)), a));
}
