// The walk over windows of the method `grid`, compiled once for each vector level. The including file defines before
//     static inline cd_box_pair *grid_compare(const grid_job *job, const grid_query *query, int32_t begin, int32_t end,
//                                             cd_box_pair *out);
// which writes the pairs of the query with those boxes begin .. end-1 that overlap it from `out` on and returns where
// they end. It may write GRID_PADDING pairs beyond that.
// SPDX-License-Identifier: MIT
#ifndef BROAD_GRID_WALK_H
#define BROAD_GRID_WALK_H

#include "broad_grid.h"

typedef struct grid_query {
    int16_t low[3], high[3];  // numbered as grid_job.axis, relative to the row that is searched
    int32_t item;
} grid_query;

static inline cd_box_pair *grid_compare(const grid_job *job, const grid_query *query, int32_t begin, int32_t end,
                                        cd_box_pair *out);

// Lanes of `ties` whose doubles do not overlap.
static inline uint32_t grid_refuted(const grid_job *job, const grid_query *query, int32_t begin, uint32_t ties)
{
    uint32_t refuted = 0;
    for (; ties; ties &= ties - 1) {
        int lane = __builtin_ctz(ties);
        if (!cd_broad_overlaps(job->input, query->item, job->item[begin + lane]))
            refuted |= 1u << lane;
    }
    return refuted;
}

static inline void grid_window(const grid_job *job, cd_broad_pairs *pairs, const grid_query *query, int32_t begin, int32_t end)
{
    if (begin >= end)
        return;
    cd_box_pair *out = cd_broad_room(pairs, (int64_t)end - begin + GRID_PADDING);
    pairs->count = grid_compare(job, query, begin, end, out) - pairs->item;
}

static inline grid_query grid_query_of(const grid_job *job, int32_t i)
{
    return (grid_query){{job->low[0][i], job->low[1][i], job->low[2][i]},
                        {job->high[0][i], job->high[1][i], job->high[2][i]},
                        job->item[i]};
}

// Later boxes of the piece's own row.
static void grid_scan_own(const grid_job *job, cd_broad_pairs *pairs, const grid_piece *piece)
{
    const grid_class *class = &job->class[piece->class];
    const int32_t *start = job->start + class->first_cell + (int64_t)(piece->row - class->first_row) * class->buckets;
    for (int32_t i = piece->begin; i < piece->end && !pairs->is_full; i++) {
        grid_query query = grid_query_of(job, i);
        grid_window(job, pairs, &query, i + 1, start[grid_bucket(class, query.high[0] + 32768) + 1]);
    }
}

static inline int16_t grid_clamp(int32_t point)
{
    return (int16_t)(point < INT16_MIN ? INT16_MIN : point > INT16_MAX ? INT16_MAX : point);
}

// The rows around: a pair is found from the box of the earlier bucket, in one bucket from that of the earlier row.
static void grid_scan_around(const grid_job *job, cd_broad_pairs *pairs, const grid_piece *piece)
{
    const grid_class *class = &job->class[piece->class];
    int32_t row = piece->row - class->first_row, rows = class->rows[1], row_y = row % rows, row_z = row / rows;
    uint8_t side[GRID_PIECE];
    uint16_t list[GRID_PIECE];
    int32_t count = piece->end - piece->begin;
    const int16_t *low_y = job->low[1] + piece->begin, *low_z = job->low[2] + piece->begin;
    const int16_t *high_y = job->high[1] + piece->begin, *high_z = job->high[2] + piece->begin;
    // Bits 0 and 1: may meet boxes of the row before, of the row behind along the first row axis; 2 and 3: the second.
    for (int32_t k = 0; k < count; k++)
        side[k] = (uint8_t)((low_y[k] <= class->reach[1]) | (high_y[k] >= GRID_CELL) << 1 |
                            (low_z[k] <= class->reach[2]) << 2 | (high_z[k] >= GRID_CELL) << 3);
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++) {
            if ((!dy && !dz) || row_y + dy < 0 || row_y + dy >= rows || row_z + dz < 0 || row_z + dz >= class->rows[2])
                continue;
            int other = row + dz * rows + dy;
            const int32_t *start = job->start + class->first_cell + (int64_t)other * class->buckets;
            if (start[0] == start[class->buckets])
                continue;
            unsigned sides = (dy < 0 ? 1u : dy > 0 ? 2u : 0u) | (dz < 0 ? 4u : dz > 0 ? 8u : 0u);
            int32_t listed = 0;
            for (int32_t k = 0; k < count; k++) {
                list[listed] = (uint16_t)k;
                listed += (side[k] & sides) == sides;
            }
            int later = other < row, shift_y = -dy * GRID_CELL, shift_z = -dz * GRID_CELL;
            for (int32_t k = 0; k < listed && !pairs->is_full; k++) {
                grid_query query = grid_query_of(job, piece->begin + list[k]);
                query.low[1] = (int16_t)(query.low[1] + shift_y);
                query.high[1] = grid_clamp(query.high[1] + shift_y);
                query.low[2] = (int16_t)(query.low[2] + shift_z);
                query.high[2] = grid_clamp(query.high[2] + shift_z);
                grid_window(job, pairs, &query, start[grid_bucket(class, query.low[0] + 32768) + later],
                            start[grid_bucket(class, query.high[0] + 32768) + 1]);
            }
        }
}

// One box in the grid of another class: all rows it covers, less far by the greatest extent of that class.
static inline void grid_search(const grid_job *job, cd_broad_pairs *pairs, const grid_class *target, int32_t item)
{
    const cd_broad_input *input = job->input;
    const double *min = input->min + (int64_t)input->dim * item, *max = input->max + (int64_t)input->dim * item;
    int32_t low[3] = {0, 0, 0}, high[3] = {0, 0, 1};
    for (int k = 0; k < input->dim; k++) {
        int axis = job->axis[k];
        if (max[axis] < target->low[k] || min[axis] > target->high[k])
            return;
        low[k] = grid_lattice(target, k, min[axis]);
        high[k] = grid_lattice(target, k, max[axis]);
    }
    int32_t from[3];
    for (int k = 0; k < 3; k++)
        from[k] = low[k] > target->reach[k] ? low[k] - target->reach[k] : 0;
    int32_t first = grid_bucket(target, from[0]), last = grid_bucket(target, high[0]);
    grid_query query = {.low = {(int16_t)(low[0] - 32768)}, .high = {(int16_t)(high[0] - 32768)}, .item = item};
    for (int32_t z = from[2] >> GRID_CELL_BITS; z <= high[2] >> GRID_CELL_BITS; z++) {
        query.low[2] = grid_clamp(low[2] - (z << GRID_CELL_BITS));
        query.high[2] = grid_clamp(high[2] - (z << GRID_CELL_BITS));
        for (int32_t y = from[1] >> GRID_CELL_BITS; y <= high[1] >> GRID_CELL_BITS; y++) {
            const int32_t *start =
                job->start + target->first_cell + ((int64_t)z * target->rows[1] + y) * target->buckets;
            query.low[1] = grid_clamp(low[1] - (y << GRID_CELL_BITS));
            query.high[1] = grid_clamp(high[1] - (y << GRID_CELL_BITS));
            grid_window(job, pairs, &query, start[first], start[last + 1]);
        }
    }
}

static void grid_walk(grid_job *job, int worker)
{
    cd_broad_pairs *pairs = &job->run->pairs[worker];
    for (;;) {
        cd_share share = cd_threads_next(&job->next, job->pieces, 1);
        if (share.begin == share.end || pairs->is_full)
            return;
        for (int64_t p = share.begin; p < share.end; p++) {
            const grid_piece *piece = &job->piece[p];
            const grid_class *class = &job->class[piece->class];
            int64_t from = pairs->count;
            grid_scan_own(job, pairs, piece);
            grid_scan_around(job, pairs, piece);
            for (int t = 0; t < class->targets; t++)
                for (int32_t i = piece->begin; i < piece->end && !pairs->is_full; i++)
                    grid_search(job, pairs, &job->class[class->target[t]], job->item[i]);
            cd_broad_keep_wanted(job->input, pairs, pairs->is_full ? pairs->count : from);
        }
    }
}

#endif
