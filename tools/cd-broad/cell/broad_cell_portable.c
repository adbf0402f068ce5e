// The scan of the method `cell-vector` in plain C, without a branch for what is met.
// SPDX-License-Identifier: MIT
#include "broad_cell_scan.h"

CELL_INLINE int32_t *cell_compare(const cell_job *job, int dim, bool is_round, const double *query, int32_t begin,
                                  int32_t end, int32_t *found)
{
    for (int32_t row = begin; row < end; row++) {
        *found = row;
        found += cell_meets(job, dim, is_round, query, row);
    }
    return found;
}

void cd_cell_scan_portable(cell_job *job) { cell_scan(job); }
