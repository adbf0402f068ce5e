// cd_shards -- a frame in parts that are worked on apart: cells of a grid, the bodies of each, and whose a pair is.
//
// A body stands in the shard of each cell that its box meets: the union of the boxes of its parts (cd_bounds.h). The
// reference point of two bodies is the lower corner of what their boxes have in common, along each axis the larger
// minimum; the pairs of their parts belong to the shard in whose cell it lies. It lies in both boxes, so this shard
// has both bodies, whole, and no other has the pair. (Dittrich, Seeger: Data redundancy and duplicate detection in
// spatial join processing, ICDE 2000; by bodies and not by parts, since contacts of a body's parts are merged.)
// Fixed bodies are one body where they touch: what a body meets of them decides together (narrow_beside.h). So they
// stand in every shard, and the pairs of a body with all of them belong to the shard of its own lower corner.
// SPDX-License-Identifier: MIT
#ifndef CD_SHARDS_H
#define CD_SHARDS_H

#include "cd_records.h"

enum { CD_SHARDS_MOST = 65536 };  // cells of a grid

typedef struct cd_shard_grid {
    int dim;
    int32_t count[3];       // cells along each axis
    double min[3], max[3];  // [m] of the box that is divided; the outer cells go on to infinity
} cd_shard_grid;

// Cells of a box, along each axis low .. high.
typedef struct cd_shard_range {
    int32_t low[3], high[3];
} cd_shard_range;

// Of the row of `shard` of a frame. CD_ERR_FORMAT: no row or several, a grid of another dimension, an index beyond it,
// a box whose min is above its max. CD_ERR_LIMIT: too many cells.
cd_status cd_shard_grid_read(const cd_shard_rows *row, int dim, cd_shard_grid *grid, cd_diag *diag) CD_MUST_CHECK;
int32_t cd_shard_grid_cells(const cd_shard_grid *grid);
// The cell of a point [m] that may be at infinity along any axis. O(1).
int32_t cd_shard_grid_cell(const cd_shard_grid *grid, const double *point);
// The cells that a box [m] meets.
cd_shard_range cd_shard_grid_range(const cd_shard_grid *grid, const double *min, const double *max);
// The cells of a range one after another: *cell begins with the low corner, each call goes to the next one, false
// behind the last.
bool cd_shard_range_next(const cd_shard_range *range, int dim, int32_t cell[3]);
// The number of a cell: along x first, then y, then z.
int32_t cd_shard_grid_index(const cd_shard_grid *grid, const int32_t cell[3]);

// The cell whose shard has the pairs of two bodies, of which at most one is fixed. min: [m] of their boxes.
int32_t cd_shard_of_pair(const cd_shard_grid *grid, const double *const min[2], const bool is_fixed[2]);

// The seal with one body more: bodies add up modulo 2^53, in any order, each a hash of its id and its pose. `body` is a
// table as it is read: a rotation that is absent counts as no rotation.
int64_t cd_shard_seal(int64_t seal, const cd_body_rows *body, int dim, int32_t row);

#endif
