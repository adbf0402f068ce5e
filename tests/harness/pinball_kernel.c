// pinball_kernel -- the paradigm test of pinball contact, timed in memory: slaves that penetrate masters, plane
// circles.
//
//   usage: pinball_kernel [REPEATS [SEED]]
//
// After F. Quaranta and J. L. D. Alves, Assessment of Techniques for Contact-Pair Detection in Solid Mechanics: the
// target [0,1]x[0,0.5] holds the masters, the projectile [0.4,0.6]x[0.4,0.8] the slaves, random, each with the radius
// of its share of the area. Prints CSV, a full factorial of sizes, cells along x and methods:
//     slaves,masters,cells,method,pairs,microseconds
// microseconds: CPU time of a search, the least of REPEATS: what else the machine does comes and goes. "scalar" is Fig.
// 1 of the paper, two plain loops over arrays of circles; `auto` and `grid` choose their cells themselves and have
// cells 0. Cells below the least legal edge are left out. A method that finds other pairs than the loops ends the
// program with 1.
// SPDX-License-Identifier: MIT
#include "box_stream.h"
#include "broad_find.h"
#include "cd_random.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 6000, MOST_PAIRS = 1 << 20, MOST_REPEATS = 1000 };

typedef struct paradigm {
    int32_t slaves, masters;
    double min[2 * MOST], max[2 * MOST], ball[3 * MOST];
    uint8_t class[MOST];
} paradigm;

static void add_circle(paradigm *p, int32_t i, double x, double y, double radius, uint8_t group)
{
    const double ball[3] = {x, y, radius};
    memcpy(p->ball + 3 * i, ball, sizeof ball);
    for (int k = 0; k < 2; k++) {
        p->min[2 * i + k] = ball[k] - radius;
        p->max[2 * i + k] = ball[k] + radius;
    }
    p->class[i] = CD_BROAD_DYNAMIC | group;
}

static void fill(paradigm *p, int32_t slaves, uint64_t seed)
{
    cd_random random = {seed};
    p->slaves = slaves;
    p->masters = 2 * slaves;
    for (int32_t i = 0; i < p->masters; i++) {
        double x = cd_random_unit(&random), y = 0.5 * cd_random_unit(&random);
        add_circle(p, i, x, y, sqrt(0.5 / (M_PI * p->masters)), CD_BROAD_IN_B);
    }
    for (int32_t i = 0; i < p->slaves; i++) {
        double x = 0.4 + 0.2 * cd_random_unit(&random), y = 0.4 + 0.4 * cd_random_unit(&random);
        add_circle(p, p->masters + i, x, y, sqrt(0.08 / (M_PI * p->slaves)), CD_BROAD_IN_A);
    }
}

// Fig. 1. Circles whose boxes touch by rounding alone have no pair here or there.
static int32_t scalar(const paradigm *p, cd_box_pair *pair)
{
    const double *master = p->ball, *slave = p->ball + 3 * p->masters;
    int32_t count = 0;
    for (int32_t s = 0; s < p->slaves; s++)
        for (int32_t m = 0; m < p->masters; m++) {
            double x = slave[3 * s] - master[3 * m], y = slave[3 * s + 1] - master[3 * m + 1];
            double reach = slave[3 * s + 2] + master[3 * m + 2];
            if (x * x + y * y <= reach * reach)
                pair[count++] = (cd_box_pair){m, p->masters + s};
        }
    return count;
}

static double least_of(const double *seconds, int count)
{
    double least = seconds[0];
    for (int i = 1; i < count; i++)
        least = seconds[i] < least ? seconds[i] : least;
    return least;
}

static int32_t pairs_wanted;

static void report(const paradigm *p, int cells, const char *method, int32_t pairs, double *seconds, int repeats)
{
    if (pairs != pairs_wanted) {
        fprintf(stderr, "pinball_kernel: %s finds %d pairs, not %d\n", method, pairs, pairs_wanted);
        exit(1);
    }
    printf("%d,%d,%d,%s,%d,%.2f\n", p->slaves, p->masters, cells, method, pairs, 1e6 * least_of(seconds, repeats));
}

static void time_method(const paradigm *p, const char *name, int cells, int repeats, cd_arena *arena)
{
    static double seconds[MOST_REPEATS];
    double edge = cells ? 1.0 / cells : NAN;
    const cd_broad_method *method = cd_broad_method_find(name);
    cd_broad_input input = {2, p->slaves + p->masters, p->min, p->max, NULL, p->class, p->ball, {0}};
    if (method && method->least_cell && edge < method->least_cell(&input, arena))
        return;
    cd_broad_engine *engine =
        cd_broad_engine_new((cd_broad_tuning){1, cd_vector_detect(CD_VECTOR_AVX512), edge, 0}, MOST_PAIRS);
    cd_broad_result result = {0};
    cd_diag diag;
    for (int r = 0; r < repeats; r++) {
        cd_broad_engine_repeat(engine);
        double start = box_cpu_seconds();
        cd_broad_search(engine, method, &input, arena, NULL);
        seconds[r] = box_cpu_seconds() - start;
        if (cd_broad_collect(engine, &input, arena, &result, &diag) != CD_OK)
            exit(1);
        cd_arena_reset(arena);
    }
    report(p, cells, name, result.count, seconds, repeats);
    cd_broad_engine_free(engine);
}

int main(int argc, char **argv)
{
    static const int32_t sizes[] = {200, 500, 800, 2000};
    static const int cells[] = {1, 5, 10, 20, 40, 60};
    static const char *const methods[] = {"cell", "cell-optimized", "cell-vector"};
    static paradigm p;
    static cd_box_pair pair[MOST_PAIRS];
    static double seconds[MOST_REPEATS];
    int repeats = argc > 1 ? atoi(argv[1]) : 101;
    uint64_t seed = argc > 2 ? (uint64_t)atoll(argv[2]) : 1;
    if (repeats < 1 || repeats > MOST_REPEATS)
        return 2;
    cd_arena arena = {0};
    printf("slaves,masters,cells,method,pairs,microseconds\n");
    for (int n = 0; n < 4; n++) {
        fill(&p, sizes[n], seed);
        for (int r = 0; r < repeats; r++) {
            double start = box_cpu_seconds();
            pairs_wanted = scalar(&p, pair);
            seconds[r] = box_cpu_seconds() - start;
        }
        report(&p, 0, "scalar", pairs_wanted, seconds, repeats);
        for (int c = 0; c < 6; c++)
            for (int m = 0; m < 3; m++)
                time_method(&p, methods[m], cells[c], repeats, &arena);
        time_method(&p, "grid", 0, repeats, &arena);
        time_method(&p, "auto", 0, repeats, &arena);
    }
    cd_arena_release(&arena);
    return 0;
}
