// sphere_packing -- a settled random packing of spheres in a box, as the table that cd-scene's particles read: what the
// solvers of cd-lcp get with pipelines/bench-lcp/large.sh.
//
//   usage: sphere_packing COUNT >spheres.csv
//
// Spheres of radius 0.09 to 0.11 m, all of the same weight, start on a shaken grid and go where the energy of springs
// between them, of the floor z = 0 and of the walls x, y = 0 and WIDTH (printed on stderr) and of gravity is least; in
// two stages, the second with springs so stiff that spheres overlap by some 1e-3 of their size. All radii then shrink
// by the largest overlap, so that none overlap. Frictionless, such a packing carries its weight by hardly more contacts
// than it needs to (three a sphere): no row of the problem can be spared, and a sphere at its floor is held by forces
// that come through the whole heap.
//
// Source: Bitzek et al. 2006 (FIRE: steps of a trajectory whose velocity is turned to the force, and set to 0 where it
// runs uphill).
// SPDX-License-Identifier: MIT
#include "cd_memory.h"
#include "cd_random.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define RADIUS 0.1
#define SPREAD 0.1   // of the radii
#define SPACING 2.3  // of the first grid, in radii
#define SHAKE 0.05   // of the first places, in radii
#define SKIN 0.3     // of the list of neighbours, in radii
// Stiffness in weights a metre, and the mean force in weights that ends a stage. The weight is 1.
static const double stiffness[] = {2e4, 2e5}, rest[] = {0.1, 0.03};
enum { STAGES = 2, STEPS_MOST = 20000, TOLD = 500 };

typedef struct packing {
    int32_t n;
    double width;
    double *x, *v, *f, *radius;  // 3, 3, 3, 1 of each sphere
    double *listed;              // x when the list was made
    int32_t *first, *pair;       // neighbours of sphere i with a larger number
    size_t pair_room;
    double overlap;  // the largest, as part of the sum of radii
} packing;

static double noise(cd_random *r) { return cd_random_between(r, -1, 1); }

static void start(packing *p, cd_random *r, cd_arena *arena)
{
    const int32_t across = (int32_t)ceil(cbrt(p->n));
    double **const threes[] = {&p->x, &p->v, &p->f, &p->listed};
    for (size_t k = 0; k < sizeof threes / sizeof *threes; k++)
        *threes[k] = CD_ARENA_ZARRAY(arena, double, 3 * (size_t)p->n);
    p->radius = CD_ARENA_ARRAY(arena, double, p->n);
    p->first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)p->n + 1);
    p->width = across * SPACING * RADIUS;
    for (int32_t i = 0; i < p->n; i++) {
        const int32_t at[3] = {i % across, i / across % across, i / across / across};
        for (int d = 0; d < 3; d++)
            p->x[3 * i + d] = RADIUS * (SPACING * (at[d] + 0.5) + SHAKE * noise(r));
        p->radius[i] = RADIUS * (1 + SPREAD * noise(r));
    }
}

// Cells as wide as the farthest neighbours are apart; those of sphere i in its own and the 26 around it.
static void list_neighbours(packing *p)
{
    const double reach = RADIUS * (2 * (1 + SPREAD) + SKIN);
    const int32_t across = (int32_t)(p->width / reach);
    double top = 0;
    for (int32_t i = 0; i < p->n; i++)
        top = fmax(top, p->x[3 * i + 2]);
    const int32_t high = (int32_t)(top / reach) + 1, cells = across * across * high;
    cd_arena scratch = {0};
    int32_t *cell = CD_ARENA_ARRAY(&scratch, int32_t, 3 * (size_t)p->n),
            *head = CD_ARENA_ARRAY(&scratch, int32_t, cells), *next = CD_ARENA_ARRAY(&scratch, int32_t, p->n);
    memset(head, -1, sizeof *head * (size_t)cells);
    for (int32_t i = p->n - 1; i >= 0; i--) {
        for (int d = 0; d < 3; d++) {
            const int32_t k = (int32_t)(p->x[3 * i + d] * (d < 2 ? across / p->width : 1 / reach)),
                          last = (d < 2 ? across : high) - 1;
            cell[3 * i + d] = k < 0 ? 0 : k > last ? last : k;
        }
        int32_t *at = &head[(cell[3 * i + 2] * across + cell[3 * i + 1]) * across + cell[3 * i]];
        next[i] = *at;
        *at = i;
    }
    size_t count = 0;
    for (int32_t i = 0; i < p->n; i++) {
        const int32_t *c = cell + 3 * i;
        for (int32_t k = 0; k < 27; k++) {
            const int32_t a = c[0] + k % 3 - 1, b = c[1] + k / 3 % 3 - 1, h = c[2] + k / 9 - 1;
            if (a < 0 || b < 0 || h < 0 || a >= across || b >= across || h >= high)
                continue;
            for (int32_t j = head[(h * across + b) * across + a]; j >= 0; j = next[j]) {
                const double *y = p->x + 3 * j, *x = p->x + 3 * i, d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
                if (j <= i || d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > reach * reach)
                    continue;
                if (count == p->pair_room) {
                    p->pair_room = 2 * count + 64;
                    p->pair = cd_realloc(p->pair, p->pair_room * sizeof *p->pair);
                }
                p->pair[count++] = j;
            }
        }
        p->first[i + 1] = (int32_t)count;
    }
    memcpy(p->listed, p->x, 3 * sizeof *p->x * (size_t)p->n);
    cd_arena_release(&scratch);
}

// Forces in weights; p->overlap.
static void find_forces(packing *p, double k)
{
    p->overlap = 0;
    memset(p->f, 0, 3 * sizeof *p->f * (size_t)p->n);
    for (int32_t i = 0; i < p->n; i++) {
        const double *x = p->x + 3 * i, r = p->radius[i];
        double *f = p->f + 3 * i;
        f[2] -= 1;
        for (int32_t e = p->first[i]; e < p->first[i + 1]; e++) {
            const int32_t j = p->pair[e];
            const double d[3] = {p->x[3 * j] - x[0], p->x[3 * j + 1] - x[1], p->x[3 * j + 2] - x[2]},
                         sum = r + p->radius[j], square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if (square >= sum * sum)
                continue;
            const double length = sqrt(square), push = k * (sum - length) / length;
            p->overlap = fmax(p->overlap, 1 - length / sum);
            for (int c = 0; c < 3; c++) {
                f[c] -= push * d[c];
                p->f[3 * j + c] += push * d[c];
            }
        }
        for (int c = 0; c < 3; c++) {
            const double low = r - x[c], high = c < 2 ? x[c] + r - p->width : 0;
            f[c] += k * (fmax(0, low) - fmax(0, high));
            p->overlap = fmax(p->overlap, fmax(low, high) / r);
        }
    }
}

static bool has_moved(const packing *p)
{
    const double most = SKIN * RADIUS / 2;
    for (int32_t i = 0; i < p->n; i++) {
        double square = 0;
        for (int c = 0; c < 3; c++)
            square += (p->x[3 * i + c] - p->listed[3 * i + c]) * (p->x[3 * i + c] - p->listed[3 * i + c]);
        if (square > most * most)
            return true;
    }
    return false;
}

// Root of the mean square.
static double mean_force(const packing *p)
{
    double sum = 0;
    for (int32_t i = 0; i < 3 * p->n; i++)
        sum += p->f[i] * p->f[i];
    return sqrt(sum / p->n);
}

static void settle(packing *p, double k, double wanted)
{
    enum { PATIENCE = 5 };
    const double longest = 0.2 * RADIUS, step_most = 0.35 / sqrt(k);
    double step = step_most / 4, turn = 0.1, left = INFINITY;
    memset(p->v, 0, 3 * sizeof *p->v * (size_t)p->n);
    list_neighbours(p);
    find_forces(p, k);
    for (int32_t steps = 0, since = 0; steps < STEPS_MOST && left > wanted; steps++) {
        double power = 0, vv = 0, ff = 0;
        for (int32_t i = 0; i < 3 * p->n; i++) {
            power += p->f[i] * p->v[i];
            vv += p->v[i] * p->v[i];
            ff += p->f[i] * p->f[i];
        }
        since = power > 0 ? since + 1 : 0;
        const double along = ff > 0 ? turn * sqrt(vv / ff) : 0;
        for (int32_t i = 0; i < 3 * p->n; i++) {
            p->v[i] = power > 0 ? (1 - turn) * p->v[i] + along * p->f[i] : 0;
            p->v[i] += step * p->f[i];
            p->x[i] += fmin(longest, fmax(-longest, step * p->v[i]));
        }
        step = power > 0 ? (since > PATIENCE ? fmin(step_most, 1.1 * step) : step) : step / 2;
        turn = power > 0 ? (since > PATIENCE ? 0.99 * turn : turn) : 0.1;
        if (has_moved(p))
            list_neighbours(p);
        find_forces(p, k);
        left = mean_force(p);
        if (steps % TOLD == 0)
            fprintf(stderr, "stiffness %g: step %d, force %.3g weights, overlap %.3g\n", k, steps, left, p->overlap);
    }
}

int main(int argc, char **argv)
{
    packing p = {.n = argc == 2 ? atoi(argv[1]) : 0};
    if (p.n < 100) {
        fprintf(stderr, "usage: sphere_packing COUNT >spheres.csv, 100 spheres at least\n");
        return 2;
    }
    cd_arena arena = {0};
    cd_random random = {1};
    start(&p, &random, &arena);
    for (int stage = 0; stage < STAGES; stage++)
        settle(&p, stiffness[stage], rest[stage]);
    const double fit = (1 - p.overlap) * (1 - 1e-9);
    fprintf(stderr, "WIDTH %.17g\n", p.width);
    printf("x,y,z,radius\n");
    for (int32_t i = 0; i < p.n; i++)
        printf("%.17g,%.17g,%.17g,%.17g\n", p.x[3 * i], p.x[3 * i + 1], p.x[3 * i + 2], fit * p.radius[i]);
    free(p.pair);
    cd_arena_release(&arena);
    return 0;
}
