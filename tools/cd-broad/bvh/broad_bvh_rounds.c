// Balls beside the boxes of the tree: distances that are surely below or above the sum of two radii are told apart in
// single precision, by the block; what is between takes a look at doubles. Balls lie anywhere in memory: looking at
// those of all pairs of boxes that meet took a quarter of the time of a million spheres of sizes 1:10.
// SPDX-License-Identifier: MIT
#include "broad_bvh.h"

#include <float.h>
#include <math.h>

// Floats must tell distances to so much of a mean extent; else most pairs would be doubtful.
static const double most_doubt = 0.02;  // [1]
// In units: squares of sums of two such radii are floats.
static const double vast = 1e18;

// A centre is half of two faces that were rounded to doubles about where the scene lies, and to floats about the origin
// of the frame: each distance along an axis is off by four times that, and by what its own operations round.
bool cd_bvh_plan_rounds(const cd_broad_run *run, const cd_bvh_frame *frame, cd_bvh_rounds *rounds)
{
    const cd_broad_input *input = run->input;
    if (!input->ball || frame->rank)
        return false;
    double unit = 0, square = 0;
    for (int axis = 0; axis < input->dim; axis++)
        unit = fmax(unit, run->statistics->extent_mean[axis]);
    for (int axis = 0; axis < 3; axis++) {
        rounds->pitch[axis] = 0;
        if (frame->pad[axis] != 0)  // all boxes have the same faces there
            continue;
        double first = frame->first[axis] * frame->half, last = frame->last[axis] * frame->half;
        double farthest = fmax(fabs(first - frame->origin[axis]), fabs(last - frame->origin[axis]));
        double off = 4 * (FLT_EPSILON * farthest + DBL_EPSILON * fmax(fabs(first), fabs(last))) / frame->half;
        rounds->pitch[axis] = (float)(0.5 / (frame->half * frame->scale[axis] * unit));
        square += off / unit * (off / unit);
    }
    rounds->unit = unit;
    rounds->doubt = (float)(sqrt(square) * 1.001);
    bool is_float = true;
    for (int axis = 0; axis < 3; axis++)
        is_float &= rounds->pitch[axis] == 0 ? frame->pad[axis] != 0 : isnormal(rounds->pitch[axis]);
    return unit > 0 && isfinite(unit) && rounds->doubt < most_doubt && is_float;
}

// What a ball may reach beyond its box and still count as within it: balls that floats are sure of overlap by more.
static const double rim = CD_BVH_ROUNDING / 8;  // [1]

// NaN of a ball that is not about the middle of its box, and of a vast one: these always take the look at doubles.
// *is_within: turned false by a ball that is NaN or reaches beyond its box.
static float radius_of(const cd_broad_input *input, double unit, int32_t item, bool *is_within)
{
    int64_t dim = input->dim;
    const double *ball = input->ball + (dim + 1) * item, *min = input->min + dim * item, *max = input->max + dim * item;
    double radius = ball[dim] / unit;
    bool is_middle = radius < vast;
    for (int64_t k = 0; k < dim; k++) {
        is_middle &= ball[k] == min[k] / 2 + max[k] / 2;
        *is_within &= ball[dim] <= (1 + rim) * (max[k] / 2 - min[k] / 2);
    }
    *is_within &= is_middle;
    return is_middle ? (float)radius : NAN;
}

void cd_bvh_fill_rounds(const cd_bvh_tree *tree, const cd_broad_input *input, const cd_bvh_record *record,
                        const int32_t *first, int32_t begin, int32_t end)
{
    enum { AHEAD = 24 };
    for (int32_t group = begin; group < end; group++) {
        float *radius = tree->rounds.radius + (int64_t)CD_BVH_WIDTH * group;
        int32_t from = first[group], used = first[group + 1] - from;
        bool is_within = true;
        for (int32_t lane = 0; lane < CD_BVH_WIDTH; lane++) {
            if (from + lane + AHEAD < first[end])
                __builtin_prefetch(input->ball + (input->dim + 1) * (int64_t)(uint32_t)record[from + lane + AHEAD]);
            radius[lane] = lane < used
                               ? radius_of(input, tree->rounds.unit, (int32_t)(uint32_t)record[from + lane], &is_within)
                               : 0;
        }
        tree->rounds.alone[group] = is_within ? (uint8_t)used : 0;
    }
}
