// Pairs of hulls of lattice points that nearly touch, and what they are by integers: for test_certify.c and, in larger
// numbers, tests/oracle/oracle_certify.c.
//
// The facets of a difference of two polytopes have normals that are cross products of two of their edges. So over all
// cross products n of differences of corners of one body the largest (least n.b - largest n.a) has the sign of the gap:
// products of lattice points below 2^20 fit 63 bits.
// SPDX-License-Identifier: MIT
#ifndef TEST_CERTIFY_CASES_H
#define TEST_CERTIFY_CASES_H

#include "cd_random.h"
#include "certify_cores.h"

enum { LATTICE_CORNERS = 8, LATTICE_EDGES = LATTICE_CORNERS * (LATTICE_CORNERS - 1) };

typedef struct lattice_point {
    int64_t at[3];
} lattice_point;

typedef struct lattice_body {
    int32_t count;
    lattice_point corner[LATTICE_CORNERS];
    double column[3][LATTICE_CORNERS];
} lattice_body;

static inline int64_t lattice_dot(lattice_point a, lattice_point b)
{
    return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

static inline lattice_point lattice_cross(lattice_point a, lattice_point b)
{
    lattice_point c;
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        c.at[k] = a.at[l] * b.at[m] - a.at[m] * b.at[l];
    }
    return c;
}

// Corners times `scale`, a power of two, as the kernels take them.
static inline certify_core lattice_core(lattice_body *body, double scale)
{
    for (int k = 0; k < 3; k++)
        for (int32_t i = 0; i < body->count; i++)
            body->column[k][i] = scale * (double)body->corner[i].at[k];
    return (certify_core){body->count, body->column[0], body->column[1], body->column[2]};
}

// ---- by integers ---------------------------------------------------------------------------------------------------

static inline int32_t lattice_edges(const lattice_body *body, lattice_point *edge)
{
    int32_t count = 0;
    for (int32_t i = 0; i < body->count; i++)
        for (int32_t j = 0; j < i; j++, count++)
            for (int k = 0; k < 3; k++)
                edge[count].at[k] = body->corner[i].at[k] - body->corner[j].at[k];
    return count;
}

// The gap along n, times |n|.
static inline int64_t lattice_gap(const lattice_body *a, const lattice_body *b, lattice_point n)
{
    int64_t high = INT64_MIN, low = INT64_MAX;
    for (int32_t i = 0; i < a->count; i++) {
        int64_t h = lattice_dot(n, a->corner[i]);
        high = h > high ? h : high;
    }
    for (int32_t i = 0; i < b->count; i++) {
        int64_t h = lattice_dot(n, b->corner[i]);
        low = h < low ? h : low;
    }
    return low - high;
}

// CD_LABEL_... of hulls of which one at least is not flat (else facets of the difference may have other normals).
static inline int32_t lattice_label(const lattice_body *a, const lattice_body *b)
{
    lattice_point edge[2 * LATTICE_EDGES];
    int32_t count = lattice_edges(a, edge);
    count += lattice_edges(b, edge + count);
    bool touches = false;
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < count; j++) {
            lattice_point n = lattice_cross(edge[i], edge[j]);
            if (n.at[0] == 0 && n.at[1] == 0 && n.at[2] == 0)
                continue;
            int64_t gap = lattice_gap(a, b, n);
            if (gap > 0)
                return CD_LABEL_APART;
            touches |= gap == 0;
        }
    return touches ? CD_LABEL_TOUCHING : CD_LABEL_OVERLAPPING;
}

static inline bool lattice_is_flat(const lattice_body *body)
{
    lattice_point edge[LATTICE_EDGES];
    int32_t count = lattice_edges(body, edge);
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < i; j++)
            for (int32_t k = 0; k < j; k++)
                if (lattice_dot(lattice_cross(edge[i], edge[j]), edge[k]) != 0)
                    return false;
    return true;
}

// ---- cases ---------------------------------------------------------------------------------------------------------

static inline int64_t lattice_random(cd_random *random, int64_t low, int64_t high)
{
    return low + (int64_t)(cd_random_bits(random) % (uint64_t)(high - low + 1));
}

// `side` -1, 1: corners on that side of z = 0, about half of them on it; 0: anywhere.
static inline void lattice_scatter(cd_random *random, lattice_body *body, int64_t size, int side)
{
    body->count = (int32_t)lattice_random(random, 4, LATTICE_CORNERS);
    for (int32_t i = 0; i < body->count; i++) {
        int64_t *at = body->corner[i].at;
        at[0] = lattice_random(random, -size, size);
        at[1] = lattice_random(random, -size, size);
        at[2] = lattice_random(random, -size, size);
        if (side != 0)
            at[2] = cd_random_bits(random) % 2 ? 0 : side * (at[2] < 0 ? -at[2] : at[2]);
    }
}

// Shears both alike, by small whole numbers: planes stay planes and lattice points lattice points.
static inline void lattice_shear(cd_random *random, lattice_body *a, lattice_body *b)
{
    for (int turn = 0; turn < 4; turn++) {
        int k = (int)(cd_random_bits(random) % 3), l = (k + 1 + (int)(cd_random_bits(random) % 2)) % 3;
        int64_t by = lattice_random(random, -2, 2);
        for (int32_t i = 0; i < a->count; i++)
            a->corner[i].at[k] += by * a->corner[i].at[l];
        for (int32_t i = 0; i < b->count; i++)
            b->corner[i].at[k] += by * b->corner[i].at[l];
    }
}

// Two bodies that touch at a tilted plane, lie across each other on a small lattice, or do one of these but for a
// lattice step of one corner.
static inline void lattice_pair(cd_random *random, lattice_body *a, lattice_body *b)
{
    int kind = (int)(cd_random_bits(random) % 4);
    do {
        int64_t size = kind == 0 ? 2 : kind == 1 ? 4 : lattice_random(random, 2, 4000);
        lattice_scatter(random, a, size, kind < 2 ? 0 : -1);
        lattice_scatter(random, b, size, kind < 2 ? 0 : 1);
    } while (lattice_is_flat(a) || lattice_is_flat(b));
    lattice_shear(random, a, b);
    if (kind == 3)
        b->corner[0].at[cd_random_bits(random) % 3] += lattice_random(random, -1, 1);
}

#endif
