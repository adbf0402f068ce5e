// The scan of the method `cell-vector`, compiled once for each vector level. The including file defines
//   cell_compare(job, query, begin, end, found)   appends the rows begin .. end-1 that the query meets to found, which
//                                                 has room for a vector more, and returns the new end
// SPDX-License-Identifier: MIT
#ifndef BROAD_CELL_SCAN_H
#define BROAD_CELL_SCAN_H

#include "broad_cell.h"

CELL_INLINE int32_t *cell_compare(const cell_job *job, int dim, bool is_round, const double *query, int32_t begin,
                                  int32_t end, int32_t *found);

CELL_INLINE void cell_scan_as(cell_job *job, int dim, bool is_round)
{
    for (int32_t s = 0; s < job->slaves && !cd_broad_is_full(job->run, 0); s++) {
        double query[CELL_COLUMNS];
        int32_t slave = job->slave[s], *found = job->found;
        cell_numbers(job->input, dim, is_round, slave, query);
        cell_around around = cell_around_of(job, dim, slave);
        for (int32_t z = around.from[2]; z <= around.to[2]; z++)
            for (int32_t y = around.from[1]; y <= around.to[1]; y++) {
                const int32_t *start = job->start + ((int64_t)z * job->cells[1] + y) * job->cells[0];
                found = cell_compare(job, dim, is_round, query, start[around.from[0]], start[around.to[0] + 1], found);
            }
        if (found != job->found)
            cell_emit(job, slave, (int32_t)(found - job->found));
    }
}

static inline void cell_scan(cell_job *job)
{
    bool is_round = job->input->ball != NULL;
    if (job->input->dim == 2 && is_round)
        cell_scan_as(job, 2, true);
    else if (job->input->dim == 2)
        cell_scan_as(job, 2, false);
    else
        cell_scan_as(job, 3, is_round);
}

#endif
