// The order of the boxes for `bvh`: keys, radix sort, and a finer order where too many keys are equal.
// SPDX-License-Identifier: MIT
#include "broad_bvh.h"

#include <math.h>

enum {
    DIGIT_BITS = 11,        // of a round of the sort: 2048 counters, 8 KiB
    LONGEST_RUN = 32,       // equal keys; more are sorted again within their own bounds
    MOST_REFINEMENTS = 12,  // one in another
};

typedef struct order_job {
    const cd_broad_run *run;
    const cd_bvh_frame *frame;
    const cd_bvh_kernels *kernels;
    const cd_bvh_classes *classes;
    int threads;
    cd_bvh_record *from, *to;
    int shift, digit_bits;               // of a round
    uint32_t (*tally)[1 << DIGIT_BITS];  // [threads]
    int64_t *first;                      // [threads + 1] records of a worker's runs of equal keys begin here
} order_job;

// ---- keys ----------------------------------------------------------------------------------------------------------

static void keys_of_share(void *context, int worker)
{
    const order_job *job = context;
    cd_bvh_classes classes = *job->classes;  // each worker adds to its own class_of
    cd_share share = cd_threads_share(job->run->input->count, job->threads, worker);
    job->kernels->keys(&classes, job->frame, job->run->input, share.begin, share.end, job->from);
}

// ---- sort ----------------------------------------------------------------------------------------------------------

static void count_digits(const cd_bvh_record *record, int64_t begin, int64_t end, int shift, uint32_t mask,
                         uint32_t *tally)
{
    memset(tally, 0, ((size_t)mask + 1) * sizeof *tally);
    for (int64_t i = begin; i < end; i++)
        tally[(uint32_t)(record[i] >> shift) & mask]++;
}

static void move_by_digit(const cd_bvh_record *from, int64_t begin, int64_t end, int shift, uint32_t mask,
                          uint32_t *place, cd_bvh_record *to)
{
    for (int64_t i = begin; i < end; i++)
        to[place[(uint32_t)(from[i] >> shift) & mask]++] = from[i];
}

static void count_share(void *context, int worker)
{
    const order_job *job = context;
    cd_share share = cd_threads_share(job->run->input->count, job->threads, worker);
    count_digits(job->from, share.begin, share.end, job->shift, (1u << job->digit_bits) - 1, job->tally[worker]);
}

static void move_share(void *context, int worker)
{
    const order_job *job = context;
    cd_share share = cd_threads_share(job->run->input->count, job->threads, worker);
    move_by_digit(job->from, share.begin, share.end, job->shift, (1u << job->digit_bits) - 1, job->tally[worker],
                  job->to);
}

// Counts become first places: digit by digit, within a digit worker by worker. False when all digits are equal.
static bool make_places(uint32_t (*tally)[1 << DIGIT_BITS], int workers, int digits, int64_t count)
{
    uint32_t sum = 0;
    for (int digit = 0; digit < digits; digit++) {
        uint32_t before = sum;
        for (int w = 0; w < workers; w++) {
            uint32_t here = tally[w][digit];
            tally[w][digit] = sum;
            sum += here;
        }
        if (sum - before == count)
            return false;
    }
    return true;
}

static int rounds_of(int bits, int *digit_bits)
{
    int rounds = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    *digit_bits = rounds ? (bits + rounds - 1) / rounds : 0;
    return rounds;
}

static void sort_all(order_job *job)
{
    int rounds = rounds_of(job->classes->bits, &job->digit_bits);
    for (int round = 0; round < rounds; round++) {
        job->shift = 32 + round * job->digit_bits;
        cd_threads_run(job->threads, count_share, job);
        if (!make_places(job->tally, job->threads, 1 << job->digit_bits, job->run->input->count))
            continue;
        cd_threads_run(job->threads, move_share, job);
        cd_bvh_record *swap = job->from;
        job->from = job->to;
        job->to = swap;
    }
}

// ---- runs of equal keys --------------------------------------------------------------------------------------------

// Sorts `count` records by key; the result is in `record`.
static void sort_few(cd_bvh_record *record, cd_bvh_record *spare, int64_t count, int bits)
{
    uint32_t tally[1][1 << DIGIT_BITS];
    int digit_bits, rounds = rounds_of(bits, &digit_bits);
    cd_bvh_record *from = record, *to = spare;
    for (int round = 0; round < rounds; round++) {
        count_digits(from, 0, count, 32 + round * digit_bits, (1u << digit_bits) - 1, tally[0]);
        if (!make_places(tally, 1, 1 << digit_bits, count))
            continue;
        move_by_digit(from, 0, count, 32 + round * digit_bits, (1u << digit_bits) - 1, tally[0], to);
        cd_bvh_record *swap = from;
        from = to;
        to = swap;
    }
    if (from != record)
        memcpy(record, from, (size_t)count * sizeof *record);
}

// New keys for records that had equal ones: cells of their own bounds. Returns their bits, 0: all lie so close that
// nearly all overlap.
static int refined_keys(const order_job *job, cd_bvh_record *record, int64_t count)
{
    double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY}, mean[3] = {0, 0, 0};
    double low[3], high[3], range[3], scale[3];
    for (int64_t i = 0; i < count; i++) {
        cd_bvh_faces(job->run->input, job->frame, (int32_t)(uint32_t)record[i], low, high);
        for (int axis = 0; axis < 3; axis++) {
            least[axis] = fmin(least[axis], low[axis] + high[axis]);
            most[axis] = fmax(most[axis], low[axis] + high[axis]);
            mean[axis] += (high[axis] - low[axis]) / (double)count;
        }
    }
    uint8_t axis_of[32];
    int bits_of[3] = {0, 0, 0}, wanted = 4;
    while (count >> wanted && wanted < 18)
        wanted++;
    bool is_close = true;
    for (int axis = 0; axis < 3; axis++) {
        range[axis] = most[axis] / 2 - least[axis] / 2;
        is_close = is_close && range[axis] <= mean[axis] / 2;
    }
    int bits = is_close ? 0 : cd_bvh_halve(range, mean, wanted + 4, axis_of);
    for (int k = 0; k < bits; k++)
        bits_of[axis_of[k]]++;
    for (int axis = 0; axis < 3; axis++)
        scale[axis] = bits_of[axis] ? ldexp(1 / range[axis], bits_of[axis] - 1) * (1 - 0x1p-40) : 0;
    for (int64_t i = 0; i < count && bits; i++) {
        uint32_t item = (uint32_t)record[i], cell[3], key = 0;
        int rest[3] = {bits_of[0], bits_of[1], bits_of[2]};
        cd_bvh_faces(job->run->input, job->frame, (int32_t)item, low, high);
        for (int axis = 0; axis < 3; axis++)
            cell[axis] = (uint32_t)(int32_t)((low[axis] + high[axis] - least[axis]) * scale[axis]);
        for (int k = 0; k < bits; k++)
            key = key << 1 | (cell[axis_of[k]] >> --rest[axis_of[k]] & 1);
        record[i] = (uint64_t)key << 32 | item;
    }
    return bits;
}

static int64_t end_of_run(const cd_bvh_record *record, int64_t begin, int64_t count)
{
    int64_t end = begin + 1;
    while (end < count && record[end] >> 32 == record[begin] >> 32)
        end++;
    return end;
}

// Each refinement has at least two cells that are not empty; boxes whose distances fall geometrically could still ask
// for many, so depth is bounded.
static void refine(const order_job *job, cd_bvh_record *record, cd_bvh_record *spare, int64_t count, int depth)
{
    int bits = refined_keys(job, record, count);
    if (!bits)
        return;
    sort_few(record, spare, count, bits);
    for (int64_t begin = 0, end; begin < count; begin = end) {
        end = end_of_run(record, begin, count);
        if (end - begin > LONGEST_RUN && depth < MOST_REFINEMENTS)
            refine(job, record + begin, spare + begin, end - begin, depth + 1);
    }
}

static void refine_share(void *context, int worker)
{
    const order_job *job = context;
    cd_bvh_record *record = job->from;
    for (int64_t begin = job->first[worker], end; begin < job->first[worker + 1]; begin = end) {
        end = end_of_run(record, begin, job->first[worker + 1]);
        if (end - begin > LONGEST_RUN)
            refine(job, record + begin, job->to + begin, end - begin, 1);
    }
}

// Shares of whole runs; to be known before anyone changes keys.
static void share_runs(const order_job *job)
{
    int64_t count = job->run->input->count;
    for (int w = 0; w <= job->threads; w++) {
        int64_t begin = w < job->threads ? cd_threads_share(count, job->threads, w).begin : count;
        while (begin > 0 && begin < count && job->from[begin] >> 32 == job->from[begin - 1] >> 32)
            begin++;
        job->first[w] = begin;
    }
}

cd_bvh_order cd_bvh_sort(const cd_broad_run *run, const cd_bvh_frame *frame, const cd_bvh_kernels *kernels, int threads)
{
    cd_bvh_classes classes = cd_bvh_classify(run, frame);
    order_job job = {.run = run, .frame = frame, .kernels = kernels, .classes = &classes, .threads = threads};
    job.from = CD_ARENA_ARRAY(run->arena, cd_bvh_record, run->input->count);
    job.to = CD_ARENA_ARRAY(run->arena, cd_bvh_record, run->input->count);
    job.tally = cd_arena_alloc_array(run->arena, (size_t)threads, sizeof *job.tally);
    cd_threads_run(threads, keys_of_share, &job);
    sort_all(&job);
    job.first = CD_ARENA_ARRAY(run->arena, int64_t, threads + 1);
    share_runs(&job);
    cd_threads_run(threads, refine_share, &job);
    return (cd_bvh_order){job.from, job.to};
}
