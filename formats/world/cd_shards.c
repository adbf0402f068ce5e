// SPDX-License-Identifier: MIT
#include "cd_shards.h"

#include <math.h>

cd_status cd_shard_grid_read(const cd_shard_rows *row, int dim, cd_shard_grid *grid, cd_diag *diag)
{
    if (row->count != 1)
        return cd_fail(diag, CD_ERR_FORMAT,
                       row->count ? "shard: there are %d records in one frame"
                                  : "shard: the frame has no such record: it was not written by cd-shard",
                       (int)row->count);
    if (row->grid.offset[1] - row->grid.offset[0] != dim)
        return cd_fail(diag, CD_ERR_FORMAT, "shard: grid: has %d numbers, the stream has %d dimensions",
                       (int)(row->grid.offset[1] - row->grid.offset[0]), dim);
    int64_t cells = 1;
    *grid = (cd_shard_grid){.dim = dim};
    for (int k = 0; k < dim; k++) {
        grid->count[k] = row->grid.i32[row->grid.offset[0] + k];
        grid->min[k] = row->min[k];
        grid->max[k] = row->max[k];
        cells *= grid->count[k];
        if (cells > CD_SHARDS_MOST)
            return cd_fail(diag, CD_ERR_LIMIT, "shard: grid: more than %d cells", CD_SHARDS_MOST);
        if (!(grid->min[k] <= grid->max[k]))
            return cd_fail(diag, CD_ERR_FORMAT, "shard: min is above max");
    }
    if (row->index[0] >= cells)
        return cd_fail(diag, CD_ERR_FORMAT, "shard: index: %lld of a grid of %d cells", (long long)row->index[0],
                       (int)cells);
    return CD_OK;
}

int32_t cd_shard_grid_cells(const cd_shard_grid *grid)
{
    int32_t cells = 1;
    for (int k = 0; k < grid->dim; k++)
        cells *= grid->count[k];
    return cells;
}

// [m] Where cell k begins; all programs must come to the same number.
static double cut(const cd_shard_grid *grid, int axis, int32_t k)
{
    double share = (double)k / grid->count[axis];
    return grid->min[axis] * (1 - share) + grid->max[axis] * share;
}

// The last cell that begins at x or below, else the first. A guess by division, put right by the cuts themselves.
static int32_t cell_along(const cd_shard_grid *grid, int axis, double x)
{
    int32_t last = grid->count[axis] - 1;
    double guess = floor((x - grid->min[axis]) / (grid->max[axis] - grid->min[axis]) * grid->count[axis]);
    int32_t k = guess >= last ? last : guess >= 0 ? (int32_t)guess : 0;
    while (k > 0 && cut(grid, axis, k) > x)
        k--;
    while (k < last && cut(grid, axis, k + 1) <= x)
        k++;
    return k;
}

int32_t cd_shard_grid_index(const cd_shard_grid *grid, const int32_t cell[3])
{
    int32_t index = 0;
    for (int k = grid->dim - 1; k >= 0; k--)
        index = index * grid->count[k] + cell[k];
    return index;
}

int32_t cd_shard_grid_cell(const cd_shard_grid *grid, const double *point)
{
    int32_t cell[3] = {0};
    for (int k = 0; k < grid->dim; k++)
        cell[k] = cell_along(grid, k, point[k]);
    return cd_shard_grid_index(grid, cell);
}

cd_shard_range cd_shard_grid_range(const cd_shard_grid *grid, const double *min, const double *max)
{
    cd_shard_range range = {{0}, {0}};
    for (int k = 0; k < grid->dim; k++) {
        range.low[k] = cell_along(grid, k, min[k]);
        range.high[k] = cell_along(grid, k, max[k]);
    }
    return range;
}

bool cd_shard_range_next(const cd_shard_range *range, int dim, int32_t cell[3])
{
    for (int k = 0; k < dim; k++) {
        if (cell[k]++ < range->high[k])
            return true;
        cell[k] = range->low[k];
    }
    return false;
}

int32_t cd_shard_of_pair(const cd_shard_grid *grid, const double *const min[2], const bool is_fixed[2])
{
    double point[3] = {0};
    if (is_fixed[0] != is_fixed[1])
        return cd_shard_grid_cell(grid, min[is_fixed[0]]);
    for (int k = 0; k < grid->dim; k++)
        point[k] = fmax(min[0][k], min[1][k]);
    return cd_shard_grid_cell(grid, point);
}

static uint64_t mixed(uint64_t h, uint64_t word)
{
    h ^= word;
    h ^= h >> 33;
    h *= UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 33;
    h *= UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

static uint64_t mixed_number(uint64_t h, double number)
{
    uint64_t bits;
    number += 0.0;  // no negative zero
    memcpy(&bits, &number, sizeof bits);
    return mixed(h, bits);
}

int64_t cd_shard_seal(int64_t seal, const cd_body_rows *body, int dim, int32_t row)
{
    static const double unturned[4] = {1, 0, 0, 0};
    int turns = dim == 2 ? 1 : 4;
    const double *turn = body->rotation ? body->rotation + (size_t)turns * (size_t)row : NULL;
    uint64_t h = mixed(0, (uint64_t)body->id[row]);
    for (int k = 0; k < dim; k++) {
        double x = body->position ? body->position[(size_t)dim * (size_t)row + (size_t)k] : NAN;
        h = isnan(x) ? mixed(h, 0) : mixed_number(h, x);
    }
    for (int k = 0; k < turns; k++)
        h = mixed_number(h, turn && !isnan(turn[k]) ? turn[k] : dim == 2 ? 0 : unturned[k]);
    return (int64_t)(((uint64_t)seal + h) & ((UINT64_C(1) << 53) - 1));
}
