// SPDX-License-Identifier: MIT
#include "cd_bounds2.h"

#include "cd_shape.h"

#include <float.h>

// [1] of the leaf's extent: R p has two products, a sum, and a cosine and sine within one unit in the last place, 4
// halves of an epsilon of |cos x| + |sin y| <= |p| each.
#define TURNING_ERROR (2 * DBL_EPSILON)
cd_aabb cd_bounds2_leaf(const cd_leaf2 *leaf, cd_pose2 pose)
{
    bool is_turned = pose.cosine != 1 || pose.sine != 0;
    return cd_shape_table[leaf->kind]->plane.bounds(leaf, pose, is_turned ? TURNING_ERROR * leaf->extent : 0);
}

cd_aabb cd_bounds2_motion(const cd_leaf2 *leaf, const cd_state2 *state, int count)
{
    cd_aabb box = cd_bounds2_leaf(leaf, cd_state2_pose(state[0]));
    double bulge = 0;
    for (int k = 1; k < count; k++) {
        box = cd_aabb_merge(box, cd_bounds2_leaf(leaf, cd_state2_pose(state[k])), 2);
        double turn = state[k].angle - state[0].angle;
        if (turn == 0)
            continue;
        if (isinf(leaf->extent))
            return cd_aabb_infinite(2);
        double arc = leaf->extent * turn * turn / 8;
        arc = arc < 2 * leaf->extent ? arc : 2 * leaf->extent;
        bulge = arc > bulge ? arc : bulge;
    }
    return cd_aabb_grow(box, cd_round_up(bulge) * (bulge > 0), 2);
}
