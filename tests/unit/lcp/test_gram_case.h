// Systems for tests of sparse factors: contacts of bodies in a chain, and a heap.
// SPDX-License-Identifier: MIT
#ifndef TEST_GRAM_CASE_H
#define TEST_GRAM_CASE_H

#include "cd_random.h"
#include "cd_test.h"
#include "gram_fronts.h"

#include <math.h>

static cd_arena arena;

enum { COLUMNS_MOST = 120, GROUPS_MOST = 400 };

typedef struct gram_case {
    int32_t first[GROUPS_MOST + 1], col[GROUPS_MOST * 12], height[GROUPS_MOST];
    int64_t place[GROUPS_MOST + 1];
    double values[GROUPS_MOST * 36], D[COLUMNS_MOST];
    cd_gram_groups groups;
} gram_case;

// Contacts of bodies of three columns each, in a chain with random others; body 0 is in most of them where is_hub. The
// last three columns are in none.
static inline void fill_case(gram_case *g, cd_random *random, int bodies, int contacts, bool is_hub)
{
    int32_t at = 0;
    int64_t value = 0;
    for (int c = 0; c < contacts; c++) {
        const int a = is_hub && c % 3 > 0 ? 0 : c % bodies, b = (int)(cd_random_unit(random) * bodies);
        g->first[c] = at;
        g->place[c] = value;
        g->height[c] = 1 + c % 3;
        for (int k = 0; k < 3; k++)
            g->col[at++] = 3 * a + k;
        for (int k = 0; k < 3 && b != a; k++)
            g->col[at++] = 3 * b + k;
        const int32_t width = at - g->first[c], stride = cd_gram_stride(width);
        for (int32_t k = 0; k < g->height[c] * stride; k++)
            g->values[value++] =
                k % stride < width ? cd_random_between(random, -1, 1) * pow(10, cd_random_between(random, -3, 3)) : 0;
    }
    g->first[contacts] = at;
    g->place[contacts] = value;
    for (int k = 0; k < 3 * bodies + 3; k++)
        g->D[k] = 1 + k % 2;
    g->groups = (cd_gram_groups){.columns = 3 * bodies + 3,
                                 .count = contacts,
                                 .first = g->first,
                                 .col = g->col,
                                 .height = g->height,
                                 .place = g->place};
}

// K += R'S, R the case's values, S in their places.
static inline void add_products(const gram_case *g, const double *S, double *K, int32_t stride)
{
    for (int32_t c = 0; c < g->groups.count; c++) {
        const int32_t width = g->first[c + 1] - g->first[c], *col = g->col + g->first[c];
        for (int32_t h = 0; h < g->height[c]; h++) {
            const int64_t at = g->place[c] + h * cd_gram_stride(width);
            for (int32_t i = 0; i < width * width; i++)
                K[col[i / width] * stride + col[i % width]] += g->values[at + i / width] * S[at + i % width];
        }
    }
}

// Nodes of six columns in a heap of HEAP x HEAP x HEAP, a group for each neighbour that comes later: its columns are
// those of both, in `place` six rows of them.
enum { HEAP = 9, NODES = HEAP * HEAP * HEAP, BODY = 6, NEAR = 13 };

static inline cd_gram_groups make_heap(cd_random *random, double **values)
{
    int32_t *first = CD_ARENA_ARRAY(&arena, int32_t, NODES * NEAR + 1),
            *height = CD_ARENA_ARRAY(&arena, int32_t, NODES * NEAR),
            *col = CD_ARENA_ARRAY(&arena, int32_t, NODES * NEAR * 2 * BODY), count = 0;
    int64_t *place = CD_ARENA_ARRAY(&arena, int64_t, NODES * NEAR + 1);
    *values = CD_ARENA_ARRAY(&arena, double, NODES *NEAR * 2 * BODY * 2);
    first[0] = 0;
    place[0] = 0;
    for (int32_t node = 0; node < NODES; node++) {
        for (int32_t k = 27 - NEAR; k < 27; k++) {
            const int32_t x = node % HEAP + k % 3 - 1, y = node / HEAP % HEAP + k / 3 % 3 - 1,
                          z = node / HEAP / HEAP + k / 9 - 1;
            if (x < 0 || x >= HEAP || y < 0 || y >= HEAP || z >= HEAP)
                continue;
            for (int32_t c = 0; c < 2 * BODY; c++)
                col[first[count] + c] = BODY * (c < BODY ? node : (z * HEAP + y) * HEAP + x) + c % BODY;
            height[count] = 2;
            for (int32_t c = 0; c < 2 * 2 * BODY; c++)
                (*values)[place[count] + c] = cd_random_between(random, -1, 1);
            first[count + 1] = first[count] + 2 * BODY;
            place[count + 1] = place[count] + (int64_t)2 * 2 * BODY;
            count++;
        }
    }
    return (cd_gram_groups){
        .columns = NODES * BODY, .count = count, .first = first, .col = col, .height = height, .place = place};
}

// b - (D + R'R) x, the largest.
static inline double error_of(const cd_gram_groups *g, const double *values, const double *D, const double *b,
                              const double *x)
{
    double *rest = CD_ARENA_ARRAY(&arena, double, g->columns), worst = 0;
    for (int32_t i = 0; i < g->columns; i++)
        rest[i] = b[i] - D[i] * x[i];
    for (int32_t k = 0; k < g->count; k++) {
        const int32_t *col = g->col + g->first[k], width = g->first[k + 1] - g->first[k];
        for (int32_t h = 0; h < g->height[k]; h++) {
            const double *row = values + g->place[k] + h * cd_gram_stride(width);
            double sum = 0;
            for (int32_t i = 0; i < width; i++)
                sum += row[i] * x[col[i]];
            for (int32_t i = 0; i < width; i++)
                rest[col[i]] -= row[i] * sum;
        }
    }
    for (int32_t i = 0; i < g->columns; i++)
        worst = fmax(worst, fabs(rest[i]));
    return worst;
}

#endif
