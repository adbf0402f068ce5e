// SPDX-License-Identifier: MIT
#include "cone_slips.h"

#include "lcp_vector.h"

#include <math.h>
#include <string.h>

#define NEW_PART 1e-4  // of a difference that must be independent of newer ones

cd_cone_slips cd_cone_slips_make(int32_t count, cd_arena *arena)
{
    cd_cone_slips m = {.count = count};
    double **const all[] = {&m.sigma, &m.slip, &m.off, &m.rest};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        *all[k] = CD_ARENA_ZARRAY(arena, double, count);
    for (int k = 0; k < CD_CONE_MEMORY; k++) {
        m.slips[k] = CD_ARENA_ARRAY(arena, double, count);
        m.offs[k] = CD_ARENA_ARRAY(arena, double, count);
        m.basis[k] = CD_ARENA_ARRAY(arena, double, count);
    }
    return m;
}

// The differences of this change to the last one are the newest column; the oldest one goes.
static void remember(cd_cone_slips *m, const double *slip)
{
    double *slips = m->slips[CD_CONE_MEMORY - 1], *offs = m->offs[CD_CONE_MEMORY - 1];
    memmove(m->slips + 1, m->slips, (CD_CONE_MEMORY - 1) * sizeof *m->slips);
    memmove(m->offs + 1, m->offs, (CD_CONE_MEMORY - 1) * sizeof *m->offs);
    m->slips[0] = slips;
    m->offs[0] = offs;
    for (int32_t c = 0; c < m->count; c++) {
        slips[c] = slip[c] - m->slip[c];
        offs[c] = slip[c] - m->sigma[c] - m->off[c];
    }
    m->kept = m->kept < CD_CONE_MEMORY ? m->kept + 1 : CD_CONE_MEMORY;
}

// share: the combination of `offs` nearest to `off`, by modified Gram-Schmidt. Returns how many of them are of use.
static int combine(cd_cone_slips *m, double share[CD_CONE_MEMORY])
{
    double triangle[CD_CONE_MEMORY][CD_CONE_MEMORY];
    int used = 0;
    memcpy(m->rest, m->off, sizeof *m->off * (size_t)m->count);
    for (int k = 0; k < m->kept; k++) {
        double *q = m->basis[k];
        memcpy(q, m->offs[k], sizeof *q * (size_t)m->count);
        const double before = sqrt(cd_vector_dot(q, q, m->count));
        for (int j = 0; j < k; j++) {
            triangle[j][k] = cd_vector_dot(m->basis[j], q, m->count);
            cd_vector_subtract(q, triangle[j][k], m->basis[j], m->count);
        }
        triangle[k][k] = sqrt(cd_vector_dot(q, q, m->count));
        if (!(triangle[k][k] > NEW_PART * before))
            break;
        for (int32_t c = 0; c < m->count; c++)
            q[c] /= triangle[k][k];
        share[k] = cd_vector_dot(q, m->rest, m->count);
        cd_vector_subtract(m->rest, share[k], q, m->count);
        used = k + 1;
    }
    for (int k = used - 1; k >= 0; k--) {
        for (int j = k + 1; j < used; j++)
            share[k] -= triangle[k][j] * share[j];
        share[k] /= triangle[k][k];
    }
    return used;
}

double cd_cone_slips_change(cd_cone_slips *m, const double *slip)
{
    if (m->changes++ > 0)
        remember(m, slip);
    double largest = 0, share[CD_CONE_MEMORY];
    for (int32_t c = 0; c < m->count; c++) {
        m->slip[c] = slip[c];
        m->off[c] = slip[c] - m->sigma[c];
        largest = cd_larger(largest, fabs(m->off[c]));
    }
    // Where it grew, the law between slips and sigma has changed: contacts stick, slip or open that did not.
    if (largest > m->largest)
        m->kept = 0;
    m->largest = largest;
    const int used = combine(m, share);
    for (int32_t c = 0; c < m->count; c++) {
        double next = slip[c];
        for (int k = 0; k < used; k++)
            next -= share[k] * m->slips[k][c];
        m->sigma[c] = cd_larger(0, next);
    }
    return largest;
}
