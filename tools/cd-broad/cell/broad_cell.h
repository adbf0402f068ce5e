// What the methods `cell`, `cell-optimized` and `cell-vector` share: slaves, masters, and masters in cells.
//
// After F. Quaranta and J. L. D. Alves, Assessment of Techniques for Contact-Pair Detection in Solid Mechanics: masters
// are sorted into the cells of a regular grid by their centres, and each slave is compared with those of its own cell
// and of the cells around it, 9 cells in the plane and 27 in space. (The paper says 8 in all, and not how large a cell
// must be.) That is complete where a cell is at least as wide as the greatest half extents of a slave and of a master
// together, Rs + Rm of balls. The grid spans the centres of both; one that rounding puts outside goes to the nearest
// cell, which brings it no further from any other. With --group slave:master these are the two groups; else every item
// is both. Boxes without end are in no cell: they are compared with all.
// SPDX-License-Identifier: MIT
#ifndef BROAD_CELL_H
#define BROAD_CELL_H

#include "broad_method.h"

// Inner loops are compiled for each dimension, and for boxes and balls: `dim` and `is_round` are constants there.
#define CELL_INLINE static inline __attribute__((always_inline))

enum {
    CELL_COLUMNS = 6,   // numbers of an item: of a ball centre and radius, of a box the lower and the upper faces
    CELL_PADDING = 16,  // rows behind the last, for loads by the vector
};

typedef struct cell_job {
    const cd_broad_run *run;
    const cd_broad_input *input;
    int32_t *slave, *master, *loose;  // items in order; loose ones have a face at infinity
    int32_t slaves, masters, looses;
    double low[3];                 // [m] where the first cells begin
    double least;                  // [m] least legal edge of a cell
    int32_t cells[3];              // 1 along an axis that is not there
    double scale[3];               // [1/m] cells a metre
    int32_t *start;                // [cells + 1]: masters of a cell, the first axis running fastest
    double *column[CELL_COLUMNS];  // [masters + CELL_PADDING] in order of cells
    int columns;
    int32_t *item;   // [masters + CELL_PADDING]
    int32_t *found;  // [masters + CELL_PADDING] rows that a slave meets
} cell_job;

// The numbers of an item that are compared: those of its ball where there are balls, else of its box.
CELL_INLINE void cell_numbers(const cd_broad_input *input, int dim, bool is_round, int32_t item, double *number)
{
    int64_t at = (int64_t)dim * item;
    for (int k = 0; k < dim + 1 && is_round; k++)
        number[k] = input->ball[at + item + k];
    for (int k = 0; k < dim && !is_round; k++) {
        number[k] = input->min[at + k];
        number[dim + k] = input->max[at + k];
    }
}

// The cell of a centre along an axis; of one outside, the nearest.
static inline int32_t cell_along(const cell_job *job, int axis, double centre)
{
    double cell = (centre - job->low[axis]) * job->scale[axis];
    return cell > 0 ? cell < job->cells[axis] ? (int32_t)cell : job->cells[axis] - 1 : 0;
}

CELL_INLINE double cell_centre(const cd_broad_input *input, int dim, int32_t item, int axis)
{
    int64_t at = (int64_t)dim * item + axis;
    return input->min[at] / 2 + input->max[at] / 2;
}

// The cells around that of a slave.
typedef struct cell_around {
    int32_t from[3], to[3];
} cell_around;
CELL_INLINE cell_around cell_around_of(const cell_job *job, int dim, int32_t slave)
{
    cell_around around = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < dim; k++) {
        int32_t own = cell_along(job, k, cell_centre(job->input, dim, slave, k));
        around.from[k] = own > 0 ? own - 1 : 0;
        around.to[k] = own + 1 < job->cells[k] ? own + 1 : own;
    }
    return around;
}

// Does the query meet the master of that row? Sums as in cd_broad_balls_overlap.
CELL_INLINE bool cell_meets(const cell_job *job, int dim, bool is_round, const double *query, int32_t row)
{
    double *const *column = job->column;
    if (!is_round) {
        bool overlaps = true;
        for (int k = 0; k < dim; k++)
            overlaps &= (query[k] <= column[dim + k][row]) & (column[k][row] <= query[dim + k]);
        return overlaps;
    }
    double square = 0, reach = query[dim] + column[dim][row];
    for (int k = 0; k < dim; k++)
        square += (query[k] - column[k][row]) * (query[k] - column[k][row]);
    return square <= reach * reach;
}

// Emits the pairs of a slave with the first `count` of job->found. Two that are slave and master both are found from
// either side.
static inline void cell_emit(const cell_job *job, int32_t slave, int32_t count)
{
    const cd_broad_input *input = job->input;
    for (int32_t k = 0; k < count; k++) {
        int32_t other = job->item[job->found[k]];
        unsigned both =
            input->class ? input->class[slave] & input->class[other] & CD_BROAD_UNGROUPED : CD_BROAD_UNGROUPED;
        if ((both == CD_BROAD_UNGROUPED && slave >= other) || (input->ball && !cd_broad_overlaps(input, slave, other)))
            continue;
        cd_broad_emit(input, job->run->pairs, slave, other);
    }
}

// Slaves, masters, and the masters in cells, of the run's arena. drops_distant: without those of either group that lie
// further than the least edge from where the other one is.
cell_job cd_cell_prepare(const cd_broad_run *run, bool drops_distant);

// [m] The least legal edge of a cell.
double cd_cell_least(const cd_broad_input *input, cd_arena *scratch);

// The pairs of the loose items.
void cd_cell_meet_loose(const cell_job *job);

// All pairs of slaves and masters by vectors of masters. Same pairs at every level.
void cd_cell_scan_portable(cell_job *job);
void cd_cell_scan_avx2(cell_job *job);
void cd_cell_scan_avx512(cell_job *job);

#endif
