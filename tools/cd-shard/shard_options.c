// SPDX-License-Identifier: MIT
#include "shard_options.h"

#include <errno.h>
#include <stdlib.h>

static cd_status read_counts(const char *text, cd_shard_grid *grid, cd_diag *diag)
{
    const char *at = text;
    int64_t cells = 1;
    for (int k = 0; k < grid->dim; k++) {
        char *end;
        errno = 0;
        long n = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : 0;
        bool ends_well = n > 0 && !errno && *end == (k < grid->dim - 1 ? 'x' : '\0');
        if (!ends_well)
            return cd_fail(diag, CD_ERR_USAGE, "--grid: \"%s\" is not %s, numbers of cells along %d axes", text,
                           grid->dim == 2 ? "NxM" : "NxMxK", grid->dim);
        cells = n > CD_SHARDS_MOST ? CD_SHARDS_MOST + 1 : cells * n;
        if (cells > CD_SHARDS_MOST)
            return cd_fail(diag, CD_ERR_USAGE, "--grid: %s has more than %d cells", text, CD_SHARDS_MOST);
        grid->count[k] = (int32_t)n;
        at = end + 1;
    }
    return CD_OK;
}

static cd_status read_box(const char *text, cd_shard_grid *grid, cd_diag *diag)
{
    const char *at = text;
    for (int i = 0; i < 2 * grid->dim; i++) {
        char *end, after = i == 2 * grid->dim - 1 ? '\0' : i == grid->dim - 1 ? ':' : ',';
        double x = strtod(at, &end);
        if (end == at || *end != after || !(fabs(x) <= 1e300))
            return cd_fail(diag, CD_ERR_USAGE, "--box: \"%s\" is not two points of %d numbers, as %s", text, grid->dim,
                           grid->dim == 2 ? "0,0:1,1" : "0,0,0:1,1,1");
        (i < grid->dim ? grid->min : grid->max)[i % grid->dim] = x;
        at = end + 1;
    }
    for (int k = 0; k < grid->dim; k++)
        if (grid->min[k] > grid->max[k])
            return cd_fail(diag, CD_ERR_USAGE, "--box: \"%s\": the first point is above the second", text);
    return CD_OK;
}

cd_status cd_shard_parse_grid(const cd_shard_options *options, int dim, cd_shard_grid *grid, cd_diag *diag)
{
    *grid = (cd_shard_grid){.dim = dim};
    CD_TRY(read_counts(options->grid, grid, diag));
    if (options->box)
        CD_TRY(read_box(options->box, grid, diag));
    if (options->only >= cd_shard_grid_cells(grid))
        return cd_fail(diag, CD_ERR_USAGE, "--only: %lld: the grid has cells 0 to %d", (long long)options->only,
                       (int)cd_shard_grid_cells(grid) - 1);
    return CD_OK;
}
