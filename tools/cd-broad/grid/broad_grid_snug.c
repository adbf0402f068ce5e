// Decides whether balls alone tell the pairs of a grid: where each lies within its box, as that of a sphere does, and
// is about the middle of it.
// SPDX-License-Identifier: MIT
#include "broad_grid.h"
#include "broad_sample.h"

// [points/m] The finest lattice on which differences of centres that are compared stay below 2^15 points along an axis,
// so that modulo 2^16 they are the right ones, and coordinates fit 31 bits.
static double finest_scale(const grid_class *class, int k)
{
    double range = class->high[k] - class->low[k], cells = k == 0 ? class->buckets : class->rows[k];
    return fmin(30000 / (2 * range / cells + 4 * class->extent_most[k]), (1 << 30) / range);
}

void cd_grid_plan_snug(grid_job *job)
{
    enum { SAMPLES = 64 };
    const cd_broad_input *input = job->input;
    const grid_class *class = &job->class[0];
    job->is_snug = false;
    if (!job->has_rounds || job->classes != 1 || !class->is_round)
        return;
    double least = INFINITY;
    for (int k = 0; k < input->dim; k++)
        least = class->extent_most[k] < least ? class->extent_most[k] : least;
    job->snug_scale = GRID_SNUG_RADIUS / least;
    for (int k = 0; k < input->dim; k++)
        job->snug_scale = fmin(job->snug_scale, finest_scale(class, k));
    bool is_snug = isnormal(job->snug_scale) && job->snug_scale * least > GRID_SNUG_RADIUS / 16.0;
    // A ball that is not has its pairs looked up as doubles, all that are near.
    int32_t item[SAMPLES], count = cd_broad_sample_items(input->count, SAMPLES, item);
    for (int32_t s = 0; s < count && is_snug; s++)
        is_snug = grid_ball_of(job, item[s]).radius != GRID_LOOSE;
    job->is_snug = is_snug;
}
