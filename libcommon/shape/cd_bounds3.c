// SPDX-License-Identifier: MIT
#include "cd_bounds3.h"

#include "cd_assert.h"
#include "cd_shape.h"
#include "cd_sum.h"

#include <float.h>

// Errors in units of u = 2^-53 = DBL_EPSILON / 2, to first order; the constants below leave room for the rest.
//
// Turning. Entries of the matrix are off by 4 u + 5 u |R_ii| and 2 u + 5 u |R_ij| (cd_quat_matrix), so a row of it
// times p by 5 u |p| + sqrt(4^2 + 2^2 + 2^2) u |p|, and by 3 u |p| for the products and sums: 13 u |p|. [1] of the
// leaf's extent.
#define TURNING_ERROR (8 * DBL_EPSILON)

static double smaller(double a, double b) { return b < a ? b : a; }
static double larger(double a, double b) { return b > a ? b : a; }

cd_aabb cd_bounds3_leaf(const cd_leaf3 *leaf, const cd_pose3 *pose)
{
    double slack = cd_mat3_is_identity(&pose->turn) ? 0 : TURNING_ERROR * cd_leaf3_extent(leaf);
    return cd_shape_table[leaf->kind]->space.bounds(leaf, pose, slack);
}

cd_motions3 cd_motions3_make(const cd_state3 *state, int count, double step)
{
    CD_ASSERT(count >= 1 && count <= CD_BOUNDS_POSES);
    cd_motions3 motions = {.count = count};
    for (int k = 0; k < count; k++) {
        motions.pose[k] = cd_state3_pose(state[k]);
        if (k == 0)
            continue;
        double angle = cd_quat_angle_between(state[0].rotation, state[k].rotation);
        double spun = step * cd_length3(state[k].spin);
        // NaN (a spin beyond the range of doubles) counts as any number of turns.
        motions.turn = larger(motions.turn, spun <= angle ? angle : isnan(spun) ? INFINITY : spun);
    }
    return motions;
}

// [m] The r of the header: the distance from the body's origin of what turning moves. The balls around a sphere's
// centre and around the corners of a facet look the same from everywhere.
static double arm_of(const cd_leaf3 *leaf)
{
    double (*margin)(const cd_leaf3 *) = cd_shape_table[leaf->kind]->space.margin;
    double radius = margin ? margin(leaf) : 0;
    double extent = cd_leaf3_extent(leaf);
    return extent > radius ? cd_add_up(extent, -radius) : 0;
}

// Rounding of D, a few u, changes the bulge by r D / 4 times that: far below what the boxes of turned poses hold to
// spare.
cd_aabb cd_bounds3_motion(const cd_leaf3 *leaf, const cd_motions3 *motions)
{
    cd_aabb box = cd_bounds3_leaf(leaf, &motions->pose[0]);
    for (int k = 1; k < motions->count; k++)
        box = cd_aabb_merge(box, cd_bounds3_leaf(leaf, &motions->pose[k]), 3);
    if (motions->turn == 0)
        return box;
    double arm = arm_of(leaf);
    if (arm == 0)
        return box;
    if (isinf(arm))
        return cd_aabb_infinite(3);
    double bulge = arm * motions->turn * motions->turn / 8;
    return cd_aabb_grow(box, cd_round_up(smaller(2 * arm, bulge)), 3);
}
