// SPDX-License-Identifier: MIT
#include "cd_length.h"

#include "cd_assert.h"
#include "cd_bodies.h"
#include "cd_median.h"

static const double usual_epsilon = 1e-6;  // [1] of the length; that of cd-scene(1)

static double median_diameter(cd_arena *arena, const cd_model *in, const cd_leaves *leaves, bool all)
{
    int32_t count = 0, rows = in->shape.count;
    const int32_t *first = leaves->diameter_first;
    double *uses = CD_ARENA_ZARRAY(arena, double, rows);
    cd_weighted *item = CD_ARENA_ARRAY(arena, cd_weighted, first[rows]);
    for (int32_t i = 0; i < in->body.count; i++)
        if (in->body.shape && in->body.shape[i] >= 0 && (all || cd_body_motion(in, i) == CD_MOTION_DYNAMIC))
            uses[in->body.shape[i]]++;
    for (int32_t s = 0; s < rows; s++)
        for (int32_t i = first[s]; i < first[s + 1]; i++)
            if (uses[s] > 0 && leaves->diameter[i] > 0)
                item[count++] = (cd_weighted){leaves->diameter[i], uses[s]};
    return cd_weighted_median(item, count);
}

double cd_length_of(cd_arena *arena, const cd_model *in, const cd_leaves *leaves)
{
    double length = cd_f64_or(in->head.length, 0, NAN);
    if (!isnan(length))
        return length;
    CD_ASSERT(leaves->diameter);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    length = median_diameter(arena, in, leaves, false);
    length = isnan(length) ? median_diameter(arena, in, leaves, true) : length;
    cd_arena_rewind(arena, mark);
    return isnan(length) ? 1 : length;
}

double cd_epsilon_of(cd_arena *arena, const cd_model *in, const cd_leaves *leaves)
{
    double epsilon = cd_f64_or(in->head.epsilon, 0, NAN);
    return isnan(epsilon) ? usual_epsilon * cd_length_of(arena, in, leaves) : epsilon;
}

double cd_speed_of(const cd_model *in, double length)
{
    double gravity = in->dim == 2 ? cd_length2(cd_gravity2(in)) : cd_length3(cd_gravity3(in));
    return gravity > 0 ? sqrt(gravity * length) : length;
}
