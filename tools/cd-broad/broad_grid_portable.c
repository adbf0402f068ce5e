// The scan of the method `grid` in plain C: vectors of eight boxes, which gcc and clang make of SSE2, NEON or scalar
// instructions.
// SPDX-License-Identifier: MIT
#include "broad_grid_walk.h"

#include <string.h>

typedef int16_t eight_points __attribute__((vector_size(16)));

static inline eight_points load(const int16_t *number)
{
    eight_points points;
    memcpy(&points, number, sizeof points);
    return points;
}

static inline cd_box_pair *grid_compare(const grid_job *job, const grid_query *query, int32_t begin, int32_t end,
                                        cd_box_pair *out)
{
    enum { LANES = 8 };
    const eight_points none = {0};
    eight_points low_x = none + query->low[0], low_y = none + query->low[1], low_z = none + query->low[2];
    eight_points high_x = none + query->high[0], high_y = none + query->high[1], high_z = none + query->high[2];
    for (int32_t j = begin; j < end; j += LANES) {
        eight_points x = load(job->low[0] + j), X = load(job->high[0] + j);
        eight_points y = load(job->low[1] + j), Y = load(job->high[1] + j);
        eight_points z = load(job->low[2] + j), Z = load(job->high[2] + j);
        eight_points apart = (x > high_x) | (low_x > X) | (y > high_y) | (low_y > Y) | (z > high_z) | (low_z > Z);
        eight_points tie = (x == high_x) | (low_x == X) | (y == high_y) | (low_y == Y) | (z == high_z) | (low_z == Z);
        int16_t is_apart[LANES];
        uint64_t half[2];
        tie &= ~apart;
        memcpy(half, &tie, sizeof half);
        memcpy(is_apart, &apart, sizeof is_apart);
        if (__builtin_expect((half[0] | half[1]) != 0, 0)) {
            int16_t is_tie[LANES];
            memcpy(is_tie, &tie, sizeof is_tie);
            for (int lane = 0; lane < LANES && j + lane < end; lane++)
                if (is_tie[lane] && !cd_broad_overlaps(job->input, query->item, job->item[j + lane]))
                    is_apart[lane] = -1;
        }
        int lanes = end - j < LANES ? end - j : LANES;
        for (int lane = 0; lane < lanes; lane++) {
            *out = (cd_box_pair){query->item, job->item[j + lane]};
            out += 1 + is_apart[lane];
        }
    }
    return out;
}

void cd_grid_scan_portable(void *job, int worker) { grid_walk(job, worker); }
