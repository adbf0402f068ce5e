// broad_kernel -- times one broad-phase method, boxes in memory to pairs in memory, without the stream around it.
//
//   usage: broad_kernel METHOD FILE.f64 [REPEATS [THREADS [portable|avx2|avx512 [FRAMES]]]]
//
// FILE.f64: rows of xmin ymin zmin xmax ymax zmax, little-endian doubles; FRAMES frames of equal size one after another
// (each is run once, in order). METHOD auto is allowed. Prints one JSON line; seconds are medians: find (statistics and
// method), order (canonical order) in CPU time, wall for both.
// SPDX-License-Identifier: MIT
#include "broad_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_RUNS = 1000 };

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *value, int count)
{
    qsort(value, (size_t)count, sizeof *value, by_value);
    return value[count / 2];
}

static void stop(const char *what)
{
    fprintf(stderr, "broad_kernel: %s\n", what);
    exit(1);
}

// Rows as two columns.
static int64_t read_boxes(const char *path, double **min, double **max)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        stop(path);
    int64_t count = 0, capacity = 0;
    double row[6];
    *min = *max = NULL;
    while (fread(row, sizeof row, 1, file) == 1) {
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            *min = cd_realloc(*min, (size_t)capacity * 3 * sizeof(double));
            *max = cd_realloc(*max, (size_t)capacity * 3 * sizeof(double));
        }
        memcpy(*min + 3 * count, row, 3 * sizeof(double));
        memcpy(*max + 3 * count, row + 3, 3 * sizeof(double));
        count++;
    }
    fclose(file);
    return count;
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// The same sum as that of the peers' programs: independent of the order of pairs.
static uint64_t checksum(const cd_broad_result *result, int32_t items)
{
    uint64_t sum = 0;
    for (int32_t i = 0; i < items; i++)
        for (int32_t k = result->first[i]; k < result->first[i + 1]; k++)
            sum += mix(((uint64_t)i << 32 | (uint64_t)result->other[k]) + 0x9e3779b97f4a7c15u);
    return sum;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        stop("usage: broad_kernel METHOD FILE.f64 [REPEATS [THREADS [LEVEL [FRAMES]]]]");
    int repeats = argc > 3 ? atoi(argv[3]) : 5, threads = argc > 4 ? atoi(argv[4]) : 1, frames = argc > 6 ? atoi(argv[6]) : 1;
    cd_vector_level level = argc > 5 && argv[5][0] == 'p'        ? CD_VECTOR_PORTABLE
                            : argc > 5 && !strcmp(argv[5], "avx2") ? CD_VECTOR_AVX2
                                                                   : CD_VECTOR_AVX512;
    const cd_broad_method *asked = cd_broad_method_find(argv[1]);
    if (!asked && strcmp(argv[1], "auto"))
        stop("no such method");
    double *min, *max;
    int64_t rows = read_boxes(argv[2], &min, &max);
    int32_t count = (int32_t)(rows / frames);
    int runs = frames > 1 ? frames : repeats;
    if (runs < 1 || runs > MOST_RUNS)
        stop("too many or too few runs");
    cd_broad_tuning tuning = {threads, cd_vector_detect(level), NAN, 0};
    cd_broad_pairs *pairs = calloc((size_t)threads, sizeof *pairs);
    void *state[64] = {NULL};
    cd_arena arena = {0}, order_arena = {0};
    static double find[MOST_RUNS], order[MOST_RUNS], wall[MOST_RUNS];
    uint64_t sum = 0;
    int64_t pair_count = 0;
    const cd_broad_method *method = asked;
    for (int r = 0; r < runs; r++) {
        int64_t first = frames > 1 ? (int64_t)r * count * 3 : 0;
        cd_broad_input input = {3, count, min + first, max + first, NULL, NULL};
        for (int t = 0; t < threads; t++)
            pairs[t] = (cd_broad_pairs){pairs[t].item, 0, pairs[t].capacity, INT32_MAX - 1, false};
        double start = seconds(CLOCK_PROCESS_CPUTIME_ID), start_wall = seconds(CLOCK_MONOTONIC);
        cd_broad_statistics statistics = cd_broad_measure(&input, threads);
        if (!asked)
            method = cd_broad_choose(&input, &statistics).method;
        int m = 0;
        while (cd_broad_methods[m] != method)
            m++;
        method->find(&(cd_broad_run){&input, &statistics, tuning, &arena, pairs, &state[m]});
        double found = seconds(CLOCK_PROCESS_CPUTIME_ID);
        cd_broad_result result = cd_broad_order(pairs, threads, count, &order_arena);
        find[r] = found - start;
        order[r] = seconds(CLOCK_PROCESS_CPUTIME_ID) - found;
        wall[r] = seconds(CLOCK_MONOTONIC) - start_wall;
        sum += frames > 1 || r == 0 ? checksum(&result, count) : 0;
        pair_count += frames > 1 || r == 0 ? result.count : 0;
        cd_arena_reset(&arena);
        cd_arena_reset(&order_arena);
    }
    double least = find[0];
    for (int r = 1; r < runs; r++)
        least = find[r] < least ? find[r] : least;
    printf("{\"method\":\"%s\",\"file\":\"%s\",\"boxes\":%d,\"pairs\":%lld,\"sum\":\"%016llx\",\"find\":%.5f,\"find_least\":%.5f,"
           "\"order\":%.5f,\"wall\":%.5f}\n",
           method->name, argv[2], count, (long long)pair_count, (unsigned long long)sum, median(find, runs), least,
           median(order, runs), median(wall, runs));
    return 0;
}
