// broad_kernel -- times one broad-phase method, boxes in memory to pairs in memory, without the stream around it.
//
//   usage: broad_kernel METHOD STREAM [REPEATS [THREADS [portable|avx2|avx512 [FRAMES]]]]
//
// The boxes are the `bounds` of the stream (box_stream.h). Of a stream of one frame, REPEATS runs; of several frames,
// each is run once, in order, and the first is left out. FRAMES cuts a file *.f64 into so many frames of equal size.
// METHOD auto is allowed. Prints one JSON line: find (statistics and method) and order (canonical order) in CPU
// seconds, wall both on the clock - medians of the runs of one frame, means over several frames -, find_least and
// find_wall the least of find, CPU and clock; memory_kib is what the method needed at most beyond boxes and pairs (8
// bytes each) in the first run, order_memory_kib the same of the canonical order beyond its result.
// SPDX-License-Identifier: MIT
#include "box_stream.h"
#include "broad_find.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_RUNS = 1000 };
static const double enough_seconds = 2;  // of repeats: slow runs scatter less

static void stop(const char *what)
{
    fprintf(stderr, "broad_kernel: %s\n", what);
    exit(1);
}

static uint64_t checksum(const cd_broad_result *result, int32_t items)
{
    uint64_t sum = 0;
    for (int32_t i = 0; i < items; i++)
        for (int32_t k = result->first[i]; k < result->first[i + 1]; k++)
            sum += box_pair_hash(i, result->other[k]);
    return sum;
}

typedef struct kernel {
    const cd_broad_method *asked;  // NULL: auto
    cd_broad_engine *engine;
    const char *method;
    cd_arena arena, order_arena;
    int runs;
    double find[MOST_RUNS], find_wall[MOST_RUNS], order[MOST_RUNS], wall[MOST_RUNS];
    int64_t pair_count;
    uint64_t sum;
    long memory_kib, order_memory_kib;
} kernel;

static void run_once(kernel *k, const box_frame *frame, bool is_counted)
{
    cd_broad_input input = {frame->dim, frame->count, frame->min, frame->max, NULL, NULL, NULL, {0}};
    cd_diag diag;
    cd_broad_ran ran;
    long before = box_now_kib();
    bool is_first = k->runs == 0;  // later runs find the memory of this one in place
    if (is_first)
        box_peak_reset();
    if (!is_counted)
        cd_broad_engine_repeat(k->engine);
    double start = box_cpu_seconds(), start_wall = box_wall_seconds();
    cd_broad_search(k->engine, k->asked, &input, &k->arena, &ran);
    k->find[k->runs] = box_cpu_seconds() - start;
    k->find_wall[k->runs] = box_wall_seconds() - start_wall;
    k->method = ran.method;
    long find_peak = box_peak_kib();
    cd_arena_reset(&k->arena);
    long before_order = box_now_kib();
    if (is_first)
        box_peak_reset();
    start = box_cpu_seconds(), start_wall = box_wall_seconds();
    cd_broad_result result;
    if (cd_broad_collect(k->engine, &input, &k->order_arena, &result, &diag) != CD_OK)
        stop(diag.text);
    k->order[k->runs] = box_cpu_seconds() - start;
    k->wall[k->runs] = k->find_wall[k->runs] + box_wall_seconds() - start_wall;
    k->runs++;
    if (is_first) {
        long result_kib = (long)((4 * (int64_t)result.count + 4 * (int64_t)input.count) / 1024);
        k->memory_kib = find_peak - before - (long)(8 * (int64_t)result.count / 1024);
        k->order_memory_kib = box_peak_kib() - before_order - result_kib;
    }
    if (is_counted) {
        k->pair_count += result.count;
        k->sum += checksum(&result, input.count);
    }
    cd_arena_reset(&k->order_arena);
}

// The usual time of a run. Of several frames the mean: a method with a memory does now and then what serves many
// frames.
static double usual(double *seconds, int count, bool are_frames)
{
    if (!are_frames)
        return box_median(seconds, count);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += seconds[i];
    return sum / count;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        stop("usage: broad_kernel METHOD STREAM [REPEATS [THREADS [LEVEL [FRAMES]]]]");
    int repeats = argc > 3 ? atoi(argv[3]) : 5, threads = argc > 4 ? atoi(argv[4]) : 1,
        pieces = argc > 6 ? atoi(argv[6]) : 1;
    cd_vector_level level = argc > 5 && argv[5][0] == 'p'          ? CD_VECTOR_PORTABLE
                            : argc > 5 && !strcmp(argv[5], "avx2") ? CD_VECTOR_AVX2
                                                                   : CD_VECTOR_AVX512;
    static kernel k;
    k.asked = cd_broad_method_find(argv[1]);
    if (!k.asked && strcmp(argv[1], "auto"))
        stop("no such method");
    if (threads < 1 || repeats < 1 || pieces < 1)
        stop("REPEATS, THREADS and FRAMES are at least 1");
    k.engine = cd_broad_engine_new((cd_broad_tuning){threads, cd_vector_detect(level), NAN, 0}, INT32_MAX - 1);
    box_stream *stream = box_stream_open(argv[2]);
    box_frame frame, last = {0};
    int frames = 0;
    while (box_stream_next(stream, &frame)) {
        for (int piece = 0; piece < pieces && k.runs < MOST_RUNS; piece++, frames++) {
            box_frame part = {frame.dim, frame.count / pieces, NULL, NULL};
            part.min = frame.min + (int64_t)piece * part.count * part.dim;
            part.max = frame.max + (int64_t)piece * part.count * part.dim;
            run_once(&k, &part, true);
            last = part;
        }
        if (frames == 1 && box_stream_is_last(stream))
            for (double start = box_cpu_seconds();
                 k.runs < repeats && k.runs < MOST_RUNS && box_cpu_seconds() - start < enough_seconds;)
                run_once(&k, &frame, false);
    }
    if (!frames)
        stop("no frame");
    int skip = frames > 1;
    double least = k.find[skip], least_wall = k.find_wall[skip];
    for (int r = skip; r < k.runs; r++) {
        least = k.find[r] < least ? k.find[r] : least;
        least_wall = k.find_wall[r] < least_wall ? k.find_wall[r] : least_wall;
    }
    printf("{\"program\":\"cd-broad\",\"method\":\"%s\",\"asked\":\"%s\",\"file\":\"%s\",\"boxes\":%d,\"frames\":%d,"
           "\"pairs\":%lld,\"sum\":\"%016llx\",\"find\":%.6f,\"find_least\":%.6f,\"order\":%.6f,\"find_wall\":%.6f,"
           "\"wall\":%.6f,\"memory_kib\":%ld,\"order_memory_kib\":%ld}\n",
           k.method, argv[1], argv[2], last.count, frames, (long long)k.pair_count, (unsigned long long)k.sum,
           usual(k.find + skip, k.runs - skip, frames > 1), least, usual(k.order + skip, k.runs - skip, frames > 1),
           least_wall, usual(k.wall + skip, k.runs - skip, frames > 1), k.memory_kib, k.order_memory_kib);
    return 0;
}
