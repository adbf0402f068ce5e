// The cell searches as published, for comparison (broad_cell.h): Fig. 2, each slave with all masters of the cells
// around it; and Fig. 3, where a first pass over a cell only asks whether any master is met, so that it has no branch,
// and a second pass goes over the cells where one is.
// SPDX-License-Identifier: MIT
#include "broad_cell.h"

// Is any of the masters met, or one of the next few behind them? Without a branch, in lanes that the compiler makes a
// vector of.
CELL_INLINE bool may_meet_any(const cell_job *job, int dim, bool is_round, const double *query, int32_t begin,
                              int32_t end)
{
    enum { LANES = 8 };
    double *const *column = job->column, least[LANES];
    for (int l = 0; l < LANES; l++)
        least[l] = INFINITY;
    for (int32_t row = begin; row < end; row += LANES)
        for (int l = 0; l < LANES; l++) {
            double square = 0, apart = 0;
            for (int k = 0; k < dim && is_round; k++)
                square += (query[k] - column[k][row + l]) * (query[k] - column[k][row + l]);
            if (is_round) {
                double reach = query[dim] + column[dim][row + l];
                apart = square <= reach * reach ? 0 : 1;
            }
            for (int k = 0; k < dim && !is_round; k++) {
                apart = query[k] <= column[dim + k][row + l] ? apart : 1;
                apart = column[k][row + l] <= query[dim + k] ? apart : 1;
            }
            least[l] = apart < least[l] ? apart : least[l];
        }
    double all = INFINITY;
    for (int l = 0; l < LANES; l++)
        all = least[l] < all ? least[l] : all;
    return all < 1;
}

CELL_INLINE void scan_as(cell_job *job, int dim, bool is_round, bool is_optimized)
{
    for (int32_t s = 0; s < job->slaves && !cd_broad_is_full(job->run, 0); s++) {
        double query[CELL_COLUMNS];
        cell_numbers(job->input, dim, is_round, job->slave[s], query);
        cell_around around = cell_around_of(job, dim, job->slave[s]);
        int32_t found = 0;
        for (int32_t z = around.from[2]; z <= around.to[2]; z++)
            for (int32_t y = around.from[1]; y <= around.to[1]; y++)
                for (int32_t x = around.from[0]; x <= around.to[0]; x++) {
                    const int32_t *start = job->start + ((int64_t)z * job->cells[1] + y) * job->cells[0] + x;
                    if (is_optimized && start[0] < start[1] &&
                        !may_meet_any(job, dim, is_round, query, start[0], start[1]))
                        continue;
                    for (int32_t row = start[0]; row < start[1]; row++)
                        if (cell_meets(job, dim, is_round, query, row))
                            job->found[found++] = row;
                }
        cell_emit(job, job->slave[s], found);
    }
}

CELL_INLINE void scan_cells(cell_job *job, bool is_optimized)
{
    bool is_round = job->input->ball != NULL;
    if (job->input->dim == 2 && is_round)
        scan_as(job, 2, true, is_optimized);
    else if (job->input->dim == 2)
        scan_as(job, 2, false, is_optimized);
    else if (is_round)
        scan_as(job, 3, true, is_optimized);
    else
        scan_as(job, 3, false, is_optimized);
}

static void find_standard(const cd_broad_run *run)
{
    cell_job job = cd_cell_prepare(run, false);
    scan_cells(&job, false);
    cd_cell_meet_loose(&job);
}

CD_VECTOR_CLONES static void scan_optimized(cell_job *job) { scan_cells(job, true); }

static void find_optimized(const cd_broad_run *run)
{
    cell_job job = cd_cell_prepare(run, false);
    scan_optimized(&job);
    cd_cell_meet_loose(&job);
}

static void find_by_vector(const cd_broad_run *run)
{
    cell_job job = cd_cell_prepare(run, true);
    void (*scan)(cell_job *) = cd_cell_scan_portable;
#if defined(__x86_64__)
    if (run->tuning.vector == CD_VECTOR_AVX2)
        scan = cd_cell_scan_avx2;
    else if (run->tuning.vector == CD_VECTOR_AVX512)
        scan = cd_cell_scan_avx512;
#endif
    scan(&job);
    cd_cell_meet_loose(&job);
}

#define PAPER "Quaranta and Alves, Assessment of Techniques for Contact-Pair Detection in Solid Mechanics"
#define MEMORY "60 to 80, and 4 a cell"

const cd_broad_method cd_broad_cell = {"cell",
                                       "each slave with the masters of the cells around it",
                                       "O(n + slaves masters / cells)",
                                       MEMORY,
                                       PAPER ", Fig. 2",
                                       find_standard,
                                       NULL,
                                       cd_cell_least,
                                       false};
const cd_broad_method cd_broad_cell_optimized = {"cell-optimized",
                                                 "the same, but first asks of a cell whether any is met",
                                                 "O(n + slaves masters / cells)",
                                                 MEMORY,
                                                 PAPER ", Fig. 3",
                                                 find_optimized,
                                                 NULL,
                                                 cd_cell_least,
                                                 false};
const cd_broad_method cd_broad_cell_vector = {"cell-vector",
                                              "the same in one pass, three cells by the vector; for two groups",
                                              "O(n + slaves masters / cells)",
                                              MEMORY,
                                              PAPER "; one pass by the vector is ours",
                                              find_by_vector,
                                              NULL,
                                              cd_cell_least,
                                              false};
